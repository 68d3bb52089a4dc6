"""Value search: does a value get from one place to another, and on which way.

    search = ValueSearch(state)
    search.ways([(0, 12)], [(0, 40)])    ->  {(0, 40): [(0, 12), (0, 17), (0, 40)]}

A value arrives as itself, or inside of something that holds it. What goes into a function comes
out of it at the same call, as far as the last few calls tell. A first search knows no order; ends
that run at a known time are then asked for again, with the order in which their module runs, or
the function that leads there and that nobody calls.
Next: codelake/run/flows.py asks this of a lake.
"""

from __future__ import annotations

import heapq
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from codelake.resolve.branches import closed_steps
from codelake.resolve.clock import ANY_TIME, EVER, Span, entry_of, main_modules
from codelake.resolve.dead_code import behind_leaving, impossible_cases
from codelake.resolve.guards import Regions
from codelake.resolve.rehearsal.rehearse import Program, Trees, rehearse
from codelake.resolve.state import Frame, State
from codelake.resolve.value_steps import ValueSteps
from codelake.resolve.value_times import ValueTimes

type Node = tuple[int, int]  # file and number


_WALKS = ("each", "unpack")
_READS = ("attr", "item", *_WALKS)
_DEEPEST = 2  # calls that are remembered
_MOST = 2_000_000  # points of one search
_MANY = 1 << 40
_HELD, _HIDDEN = 1, 2  # by something; by something whose text is made by its own __str__
_MOST_ENTRIES = 8  # functions that nobody calls and that a search follows in order
_MOST_PLACES = 5000  # of one object


class _Point(NamedTuple):
    """A variable, whether it holds the value rather than being it, and the calls that led here."""

    variable: int
    held: int  # 0, _HELD or _HIDDEN
    calls: tuple[int, ...] = ()


class ValueSearch:
    """Searches in one settled analysis."""

    def __init__(self, state: State, trees: Trees | None = None) -> None:
        """Prepare the steps.

        Args:
            state: the analysis.
            trees: gives the tree of a file, for rehearsals; without it there are none.
        """
        self._state = state
        self._program = Program(state.files, trees) if trees is not None else None
        self._steps = ValueSteps(state)
        self._holders = self._steps.holders()
        ranges: list[tuple[int, int, int, int, Frame | None]] = [
            (first, first + file.size, number, first, None)
            for number, (first, file) in enumerate(zip(state.base, state.files, strict=True))
        ]
        for frame in state.frames:
            if frame.offset != state.base[frame.file]:
                place = state.files[frame.file].definitions[frame.owner]
                first, last = frame.offset + place.node, frame.offset + place.last
                ranges.append((first, last, frame.file, frame.offset, frame))
        self._ranges = sorted(ranges, key=lambda each: each[0])
        self._seen_by_all = set(state.shared.values()).union(
            *(names.values() for names in state.globals)
        )
        self._mains = main_modules(state)
        self._times: dict[int, ValueTimes] = {}
        self._known: dict[tuple[int, int], dict[int, tuple[int, int]] | None] = {}
        self._dead: dict[int, Regions] = {}
        self._never = impossible_cases(state)
        self._closed = closed_steps(state)
        self._firsts = [each[0] for each in self._ranges]

    def node(self, variable: int) -> Node | None:
        """Return the node whose value a variable is."""
        _, last, file, offset, _ = self._ranges[bisect_right(self._firsts, variable) - 1]
        return (file, variable - offset) if variable <= last else None

    def frame(self, variable: int) -> Frame | None:
        """Return the frame that a variable belongs to as a node of it."""
        _, last, file, offset, frame = self._ranges[bisect_right(self._firsts, variable) - 1]
        if variable > last or frame is not None:
            return frame if variable <= last else None
        owner = self._state.bodies[file].owner_of.get(variable - offset)
        if owner is None:
            return None
        frames = self._state.frames_of.get(self._state.definition(file, owner))
        return frames[0] if frames else None

    def frames(self, file: int, node: int) -> Sequence[Frame]:
        """Return the frames that evaluate a node."""
        owner = self._state.bodies[file].owner_of.get(node, 0)
        return self._state.frames_of.get(self._state.definition(file, owner), ())

    def ways(self, sources: Iterable[Node], sinks: Sequence[Node]) -> dict[Node, list[Node]]:
        """Return the sinks that the value of a source arrives at, each with its way.

        Args:
            sources: nodes whose values are followed.
            sinks: nodes, each asked for.
        """
        sources = [each for each in sources if not self._is_dead(*each)]
        sinks = [each for each in sinks if not self._is_dead(*each)]
        found = self._search(None, sources, sinks)
        sure = self._rehearsed(sources, sinks, found)
        for number, asked in self._orders([each for each in found if each not in sure]).items():
            times = self._times_of(number)
            ends = [each for each in asked if each in found and self._has_time(times, *each)]
            if ends:
                ways = self._search(times, sources, ends)
                found = {each: found[each] for each in found if each not in ends} | ways
        return {each: way for each, way in (found | sure).items() if way}

    def _rehearsed(
        self, sources: list[Node], sinks: list[Node], found: dict[Node, list[Node]]
    ) -> dict[Node, list[Node]]:
        """Return the sinks that a rehearsal tells of, each with a way; none where nothing arrives.

        It tells of sinks that run only when a module does that nobody else imports.
        """
        program = self._program
        if program is None or not all(map(program.is_visited, sources)):
            return {}
        told: dict[Node, list[Node]] = {}
        asked: dict[int, list[Node]] = defaultdict(list)
        runs_by = {sink: self._modules_of(sink) for sink in sinks}
        for sink in sinks:
            if runs_by[sink] is not None and program.is_visited(sink):
                asked[self._mains[sink[0]]].append(sink)
        for main, ends in sorted(asked.items()):
            done = rehearse(program, main, {*sources}, {*ends})
            for end in ends:
                if done.gave_up or not {end[0], *(runs_by[end] or ())} <= done.files:
                    continue
                arrived = [source for source, sink in sorted(done.seen) if sink == end]
                way = found.get(end) or [*arrived[:1], end]
                told[end] = way if arrived else []
        return told

    def _modules_of(self, sink: Node) -> set[int] | None:
        """Return the modules whose runs lead to a node; None when something else does, too."""
        todo = [*self.frames(*sink)]
        seen = {frame.number for frame in todo}
        found: set[int] = set()
        while todo:
            frame = todo.pop()
            callers = [site.frame for site in self._state.sites_of.get(frame.number, ())]
            definition = self._state.files[frame.file].definitions[frame.owner]
            if not frame.owner:
                found.add(frame.file)
            elif definition.kind == "CLASS" and frame.env is not None:
                callers.append(frame.env)
            elif not callers:
                return None
            todo += [each for each in callers if each.number not in seen]
            seen |= {each.number for each in callers}
        return found

    def _orders(self, ends: Iterable[Node]) -> dict[int, list[Node]]:
        """Return the modules and, if they are few, the functions whose runs order some ends."""
        modules: dict[int, list[Node]] = defaultdict(list)
        entries: dict[int, list[Node]] = defaultdict(list)
        for end in ends:
            module = self._state.definition(self._mains[end[0]], 0)
            for frame in self._state.frames_of.get(module, ()):
                modules[frame.number].append(end)
            entry = entry_of(self._state, self.frames(*end))
            if entry is not None:
                entries[entry.number].append(end)
        return modules | entries if len(entries) <= _MOST_ENTRIES else modules

    def _times_of(self, number: int) -> ValueTimes:
        """Return the times of what a frame runs."""
        state = self._state
        if number not in self._times:
            root = state.frames[number]
            self._times[number] = ValueTimes(state, root, self._steps, self.frame, self.node)
        return self._times[number]

    def _has_time(self, times: ValueTimes, file: int, node: int) -> bool:
        frames = self.frames(file, node)
        return any(times.span(frame.offset + node) != ANY_TIME for frame in frames)

    def _is_dead(self, file: int, node: int) -> bool:
        """Tell whether a node stands behind a return or raise of its block."""
        if file not in self._dead:
            self._dead[file] = behind_leaving(self._state, file)
        return self._dead[file].holds(node)

    def _search(
        self, times: ValueTimes | None, sources: list[Node], sinks: list[Node]
    ) -> dict[Node, list[Node]]:
        """Search with the order in which one module runs, or without any order."""
        wanted: dict[int, list[tuple[Node, int]]] = defaultdict(list)
        for sink in sinks:
            for frame in self.frames(*sink):
                wanted[self._state.value(frame, sink[1])].append((sink, frame.offset + sink[1]))
        starts: list[tuple[int, _Point]] = []
        for source in sources:
            for frame in self.frames(*source):
                time = times.span(frame.offset + source[1])[0] if times else -1
                starts.append((time, _Point(self._state.value(frame, source[1]), 0)))
        found: dict[Node, list[Node]] = {}
        before: dict[_Point, _Point | None] = {}
        for time, until, point in self._spread(times, starts, before, _MOST):
            for sink, at in wanted.get(point.variable, ()):
                if sink not in found and (
                    times is None or times.allows(time, until, at, self._place(point))
                ):
                    found[sink] = self._way(before, point, sink)
        return found

    def _spread(
        self,
        times: ValueTimes | None,
        starts: Iterable[tuple[int, _Point]],
        before: dict[_Point, _Point | None],
        most: int,
        holds: bool = True,
        same: bool = False,
    ) -> Iterator[tuple[int, int, _Point]]:
        """Yield the points that values arrive at, from when and until when, the earliest first.

        Args:
            times: the order.
            starts: points, and from when on.
            before: is given the point before each.
            most: number of points.
            holds: whether what holds a value counts.
            same: whether only the value itself counts, not what is made of it.
        """
        known: dict[_Point, list[Span]] = {}
        opened: dict[_Point, list[Span]] = {}
        queue = [(time, -EVER, 0, point, point) for time, point in starts]
        heapq.heapify(queue)
        while queue and len(known) < most:
            time, minus, _, point, last = heapq.heappop(queue)
            until = -minus
            if _is_known(known, point, time, until):
                continue
            known.setdefault(point, []).append((time, until))
            before.setdefault(point, None if last == point else last)
            yield time, until, point
            steps = self._copies(point) if same else self._next(point)
            following = [*self._timed(times, point, time, until, steps)]
            if times is not None and not point.held:
                following += self._taken(times, point, time, until)
            if holds:
                following += self._holding(times, point, time, until, opened)
            for first, end, one in following:
                if not _is_known(known, one, first, end):
                    order = len(one.calls) * _MANY + len(before)
                    heapq.heappush(queue, (first, -end, order, one, point))

    def _place(self, point: _Point) -> int:
        """Return the variable of the place that runs the frame of a point, when it is known."""
        return self._steps.places[point.calls[-1]].variable if point.calls else -1

    def _copies(self, point: _Point) -> Iterator[_Point]:
        """Yield where the same value goes next."""
        for target in self._steps.copied[point.variable] or ():
            yield from self._copied(point, target)

    def _next(self, point: _Point) -> Iterator[_Point]:
        """Yield where a value goes next."""
        steps, variable = self._steps, point.variable
        if point.held:
            for target in steps.melted.get(variable, ()):
                if point.held != _HIDDEN or (variable, target) not in steps.texts:
                    yield _Point(target, 0)
            return
        yield from self._copies(point)
        for target in steps.made.get(variable, ()):
            yield _Point(target, 0, point.calls)
        for target, through in steps.raised.get(variable, ()):
            known = [steps.places[site].node for site in reversed(point.calls)]
            if all(one == other for one, other in zip(known, through, strict=False)):
                yield _Point(target, 0, point.calls[: -len(through) or None])

    def _taken(
        self, times: ValueTimes, point: _Point, time: int, until: int
    ) -> Iterator[tuple[int, int, _Point]]:
        """Yield what takes a value as an item of a sequence, the right one."""
        place = self._place(point)
        for item, target, when, last in times.sequences.taken.get(point.variable, ()):
            entered = when if item.time < 0 else item.time
            if time <= entered <= until and place in (-1, item.place):
                yield when, last, _Point(target, 0)

    def _holding(
        self,
        times: ValueTimes | None,
        point: _Point,
        time: int,
        until: int,
        opened: dict[_Point, list[Span]],
    ) -> Iterator[tuple[int, int, _Point]]:
        """Yield what holds a value that is at a place; an object is opened once for a time."""
        steps = self._steps
        for owner in steps.inside.get(point.variable, ()):
            is_shown = steps.is_text_of(point.variable) or not steps.has_own_text(owner)
            how = _HELD if is_shown else _HIDDEN
            if _is_known(opened, _Point(owner, how), time, until):
                continue
            opened.setdefault(_Point(owner, how), []).append((time, until))
            where = self._where(times, owner)
            for holder in self._holders.get(owner, ()):
                first, last = (-1, EVER) if where is None else where.get(holder, (EVER, -1))
                if max(first, time) <= min(last, until):
                    yield max(first, time), min(last, until), _Point(holder, how)

    def _where(self, times: ValueTimes | None, one: int) -> dict[int, tuple[int, int]] | None:
        """Return when each variable may hold an object that is made at a known time."""
        if times is None or (made := times.made(one)) is None:
            return None
        key = (times.root.number, one)
        if key not in self._known:
            self._known[key] = None  # while it is looked for
            found: dict[int, tuple[int, int]] = {}
            starts = [(made[1], _Point(made[0], 0))]
            reached = self._steps.copies_of(made[0])
            for holder in self._holders.get(one, ()):  # bound to self, or through a test
                if holder not in reached:
                    starts.append((times.span(holder)[0], _Point(holder, 0)))
            for time, until, point in self._spread(times, starts, {}, _MOST_PLACES, False):
                known = found.get(point.variable, (time, until))
                found[point.variable] = min(time, known[0]), max(until, known[1])
            if len(found) < _MOST_PLACES // 2:
                self._known[key] = found
        return self._known[key]

    def _timed(
        self,
        times: ValueTimes | None,
        point: _Point,
        time: int,
        until: int,
        following: Iterable[_Point],
    ) -> Iterator[tuple[int, int, _Point]]:
        """Yield the points where a value arrives in time."""
        for one in following:
            step = point.variable, one.variable
            if step in self._closed or (self._never and self._never.holds(one.variable)):
                continue
            if times is None:
                yield time, until, one
            elif step in self._steps.changed or (point.held and step in self._steps.kept):
                yield from self._changed(times, one, time)
            else:
                first, last = self._seen_through(times, *step)
                start, end = ((each.variable, self._place(each)) for each in (point, one))
                if max(time, first) > min(until, last):
                    continue
                stays = not self._leaves(*step)
                for when in times.step(max(time, first), min(until, last), start, end, stays):
                    yield *when, one

    def _changed(
        self, times: ValueTimes, root: _Point, time: int
    ) -> Iterator[tuple[int, int, _Point]]:
        """Yield where something is, from the time on at which it gets to hold a value."""
        made = times.span(root.variable)
        where = None if made == ANY_TIME else self._places(times, root.variable, made[0])
        if where is None:
            yield min(time, made[0]), EVER, root  # it was there before
            return
        for variable, (first, last) in where.items():
            if time <= last:
                yield max(first, time), last, _Point(variable, 0)

    def _places(
        self, times: ValueTimes, variable: int, made: int
    ) -> dict[int, tuple[int, int]] | None:
        """Return when each variable may hold what one is given at a time."""
        key = (times.root.number, -variable - 1)
        if key not in self._known:
            self._known[key] = None  # while it is looked for
            found: dict[int, tuple[int, int]] = {}
            starts = [(made, _Point(variable, 0))]
            for time, until, point in self._spread(times, starts, {}, _MOST_PLACES, False, True):
                known = found.get(point.variable, (time, until))
                found[point.variable] = min(time, known[0]), max(until, known[1])
            self._known[key] = found if len(found) < _MOST_PLACES // 2 else None
        return self._known[key]

    def _seen_through(self, times: ValueTimes, place: int, target: int) -> tuple[int, int]:
        """Return when `a.b` or `for b in a` may read a place of an object: while `a` is it."""
        owners = self._steps.inside.get(place)
        node = self.node(target) if owners else None
        fact = self._state.bodies[node[0]].made.get(node[1]) if node else None
        if not owners or node is None or fact is None or fact[0] not in _READS:
            return ANY_TIME
        base = target - node[1] + self._state.bodies[node[0]].value(fact[3] or 0)
        if fact[0] in _WALKS and set(owners).isdisjoint(self._state.solver.get(base)):
            return ANY_TIME  # what __iter__ gives
        found = [
            where.get(base) if where is not None else ANY_TIME
            for where in (self._where(times, one) for one in owners)
        ]
        spans = [each for each in found if each is not None]
        if not spans:
            return EVER, -1
        return min(first for first, _ in spans), max(last for _, last in spans)

    def _copied(self, point: _Point, target: int) -> Iterable[_Point]:
        """Go into a function with the place that calls it, and back to that place only."""
        step = point.variable, target
        calls = point.calls
        entered, left = self._steps.calls.get(step), self._steps.returns.get(step)
        if entered is not None:
            for site in entered:
                inner = calls if calls[-1:] == (site,) else (*calls, site)[-_DEEPEST:]
                yield _Point(target, 0, inner)
        elif left is not None:
            if not calls or calls[-1] in left:
                yield _Point(target, 0, calls[:-1])
            if calls and calls[-1] in left:
                yield _Point(target, 0, calls)  # a function that calls itself there
        elif calls and self._leaves(*step):
            yield _Point(target, 0)
        else:
            yield _Point(target, 0, calls)

    def _leaves(self, source: int, target: int) -> bool:
        """Tell whether a step leads to a place that others see, or into another definition."""
        if (source, target) in self._steps.calls or (source, target) in self._steps.returns:
            return False
        if target in self._steps.inside or target in self._seen_by_all:
            return True
        ends = [self.node(one) for one in (source, target)]
        if ends[1] is not None and self._is_outer(*ends[1]):
            return True
        owners = {self._state.bodies[end[0]].owner_of.get(end[1]) for end in ends if end}
        return len(owners) > 1

    def _is_outer(self, file: int, node: int) -> bool:
        """Tell whether a node reads a name of another definition."""
        use = self._state.files[file].names.get(node)
        return use is not None and use[2] != self._state.bodies[file].owner_of.get(node, use[2])

    def _way(
        self, before: dict[_Point, _Point | None], point: _Point | None, sink: Node
    ) -> list[Node]:
        """Return the nodes on the way to a point, each once."""
        nodes = [sink]
        while point is not None:
            node = self.node(point.variable)
            if node is not None and node != nodes[-1]:
                nodes.append(node)
            point = before[point]
        return nodes[::-1]


def _is_known(known: dict[_Point, list[Span]], point: _Point, time: int, until: int) -> bool:
    """Tell whether a point was reached before, with the same calls or with fewer known ones."""
    while not any(first <= time and until <= last for first, last in known.get(point, ())):
        if not point.calls:
            return False
        point = _Point(point.variable, point.held, point.calls[1:])
    return True
