"""Value search: does a value get from one place to another, and on which way.

    search = ValueSearch(state, trees)
    search.ways([(0, 12)], [(0, 40)])    ->  {(0, 40): [(0, 12), (0, 17), (0, 40)]}

A value arrives as itself, or inside of something that holds it. What goes into a function comes
out of it at the same call, as far as the last few calls tell. The search knows no order: what runs
when a module does, or when somebody outside calls one of a few functions, is then rehearsed, and
where that comes to an end it is believed.
Next: rehearsal/rehearse.py; codelake/run/flows.py asks this of a lake.
"""

from __future__ import annotations

import heapq
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from codelake.resolve.branches import closed_steps
from codelake.resolve.dead_code import behind_leaving, impossible_cases
from codelake.resolve.file_facts import Definition
from codelake.resolve.guards import Regions
from codelake.resolve.main_modules import main_modules
from codelake.resolve.rehearsal.rehearse import Program, Trees, rehearse
from codelake.resolve.state import Frame, State
from codelake.resolve.value_steps import ValueSteps

type Node = tuple[int, int]  # file and number


_DEEPEST = 2  # calls that are remembered
_MOST = 2_000_000  # points of one search
_MANY = 1 << 40
_HELD, _HIDDEN = 1, 2  # by something; by something whose text is made by its own __str__
_MOST_HANDLERS = 8  # functions that nobody calls


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
        ranges: list[tuple[int, int, int, int]] = [
            (first, first + file.size, number, first)
            for number, (first, file) in enumerate(zip(state.base, state.files, strict=True))
        ]
        for frame in state.frames:
            if frame.offset != state.base[frame.file]:
                place = state.files[frame.file].definitions[frame.owner]
                first, last = frame.offset + place.node, frame.offset + place.last
                ranges.append((first, last, frame.file, frame.offset))
        self._ranges = sorted(ranges)
        self._firsts = [each[0] for each in self._ranges]
        self._seen_by_all = set(state.shared.values()).union(
            *(names.values() for names in state.globals)
        )
        self._mains = main_modules(state)
        self._handlers = self._find_handlers()
        self._roots: dict[int, list[Frame] | None] = {}
        self._given_up: set[tuple[int, bool]] = set()  # they would do so for other ends, too
        self._dead: dict[int, Regions] = {}
        self._never = impossible_cases(state)
        self._closed = closed_steps(state)

    def node(self, variable: int) -> Node | None:
        """Return the node whose value a variable is."""
        _, last, file, offset = self._ranges[bisect_right(self._firsts, variable) - 1]
        return (file, variable - offset) if variable <= last else None

    def frames(self, file: int, node: int) -> Sequence[Frame]:
        """Return the frames that evaluate a node."""
        owner = self._state.bodies[file].owner_of.get(node, 0)
        return self._state.frames_of.get(self._state.definition(file, owner), ())

    def ways(
        self, sources: Iterable[Node], sinks: Sequence[Node], most: int | None = None
    ) -> dict[Node, list[Node]]:
        """Return the sinks that the value of a source arrives at, each with its way.

        Args:
            sources: nodes whose values are followed.
            sinks: nodes, each asked for.
            most: with so many that no rehearsal tells of it may end; None: find all.
        """
        sources = [each for each in sources if not self._is_dead(*each)]
        sinks = [each for each in sinks if not self._is_dead(*each)]
        found = self._search(sources, sinks, most)
        found |= self._rehearsed(sources, sinks, found)
        return {each: way for each, way in found.items() if way}

    def _rehearsed(
        self, sources: list[Node], sinks: list[Node], found: dict[Node, list[Node]]
    ) -> dict[Node, list[Node]]:
        """Return the sinks that a rehearsal tells of, each with a way; none where nothing arrives.

        It tells of what runs when a module does that nobody imports, and of functions that only
        somebody outside calls, when they are few.
        """
        program = self._program
        if program is None or not all(map(program.is_visited, sources)):
            return {}
        asked: dict[tuple[int, bool], list[Node]] = defaultdict(list)
        roots: dict[Node, set[int]] = {}
        for sink in sinks:
            run_by = self._run_by(*sink)
            if run_by is not None and program.is_visited(sink):
                roots[sink] = {frame.file for frame in run_by}
                by_handler = any(frame.owner for frame in run_by)
                asked[self._mains[sink[0]], by_handler].append(sink)
        told: dict[Node, list[Node]] = {}
        for (main, by_handler), ends in sorted(asked.items()):
            handlers = [(f.file, self._definition(f).name) for f in self._handlers or ()]
            if (main, by_handler) in self._given_up:
                continue
            done = rehearse(program, main, {*sources}, {*ends}, handlers if by_handler else ())
            if done.gave_up:
                self._given_up.add((main, by_handler))
            for end in ends:
                if {end[0], *roots[end]} <= done.files:
                    arrived = [source for source, sink in sorted(done.seen) if sink == end]
                    told[end] = (found.get(end) or [arrived[0], end]) if arrived else []
        return told

    def _run_by(self, file: int, node: int) -> list[Frame] | None:
        """Return the modules and handlers whose runs lead to a node; None if not only those do."""
        owner = self._state.definition(file, self._state.bodies[file].owner_of.get(node, 0))
        if owner not in self._roots:
            self._roots[owner] = self._roots_of(self._state.frames_of.get(owner, ()))
        return self._roots[owner]

    def _roots_of(self, frames: Sequence[Frame]) -> list[Frame] | None:
        todo = [*frames]
        seen = {frame.number for frame in todo}
        found: list[Frame] = []
        while todo:
            frame = todo.pop()
            callers = [site.frame for site in self._state.sites_of.get(frame.number, ())]
            if self._definition(frame).kind == "CLASS" and frame.env is not None:
                callers.append(frame.env)
            if not frame.owner:
                found.append(frame)
            elif not callers and not self._is_called(frame):
                if self._handlers is None or frame not in self._handlers:
                    return None
                found.append(frame)
            todo += [each for each in callers if each.number not in seen]
            seen |= {each.number for each in callers}
        return found

    def _definition(self, frame: Frame) -> Definition:
        return self._state.files[frame.file].definitions[frame.owner]

    def _is_called(self, frame: Frame) -> bool:
        """Tell whether somebody calls the definition of a frame; it may have others for that."""
        state = self._state
        return any(state.sites_of.get(each.number) for each in state.frames_of[frame.definition])

    def _find_handlers(self) -> list[Frame] | None:
        """Return the functions that nobody calls; None when they are many, or methods."""
        found: list[Frame] = []
        for frame in self._state.frames:
            definition = self._definition(frame)
            if (
                self._is_called(frame)
                or definition.kind != "FUNCTION"
                or definition.name.startswith("__")
            ):
                continue
            around = self._state.files[frame.file].definitions[definition.parent or 0]
            if around.kind == "MODULE":
                found.append(frame)
            elif around.kind == "CLASS":
                return None
        return found if len(found) <= _MOST_HANDLERS else None

    def _is_dead(self, file: int, node: int) -> bool:
        """Tell whether a node stands behind a return or raise of its block."""
        if file not in self._dead:
            self._dead[file] = behind_leaving(self._state, file)
        return self._dead[file].holds(node)

    def _search(
        self, sources: list[Node], sinks: list[Node], most: int | None
    ) -> dict[Node, list[Node]]:
        """Search without any order; the shortest ways come first."""
        wanted: dict[int, list[Node]] = defaultdict(list)
        for sink in sinks:
            for frame in self.frames(*sink):
                wanted[self._state.value(frame, sink[1])].append(sink)
        found: dict[Node, list[Node]] = {}
        before: dict[_Point, _Point | None] = {}
        opened: set[_Point] = set()
        queue: list[tuple[int, _Point, _Point]] = []
        starts: dict[int, Node] = {}  # a name has the variable of what it was bound to
        for source in sources:
            for frame in self.frames(*source):
                point = _Point(self._state.value(frame, source[1]), 0)
                queue.append((0, point, point))
                starts.setdefault(point.variable, source)
        heapq.heapify(queue)
        final = 0
        while queue and len(before) < _MOST and (most is None or final < most):
            _, point, last = heapq.heappop(queue)
            if _is_known(before, point):
                continue
            before[point] = None if last == point else last
            for sink in wanted.get(point.variable, ()):
                if sink not in found:
                    found[sink] = self._way(before, point, sink, starts)
                    final += self._program is None or self._run_by(*sink) is None
            for one in (*self._possible(point), *self._holding(point, opened)):
                if not _is_known(before, one):
                    heapq.heappush(queue, (len(one.calls) * _MANY + len(before), one, point))
        return found

    def _possible(self, point: _Point) -> Iterator[_Point]:
        """Yield where a value goes next, but for steps that no run takes."""
        for one in self._next(point):
            is_never = self._never and self._never.holds(one.variable)
            if not is_never and (point.variable, one.variable) not in self._closed:
                yield one

    def _holding(self, point: _Point, opened: set[_Point]) -> Iterator[_Point]:
        """Yield what holds a value that is at a place; an object is opened once."""
        steps = self._steps
        for owner in steps.inside.get(point.variable, ()):
            is_shown = steps.is_text_of(point.variable) or not steps.has_own_text(owner)
            how = _HELD if is_shown else _HIDDEN
            if _Point(owner, how) not in opened:
                opened.add(_Point(owner, how))
                for holder in self._holders.get(owner, ()):
                    yield _Point(holder, how)

    def _next(self, point: _Point) -> Iterator[_Point]:
        """Yield where a value goes next."""
        steps, variable = self._steps, point.variable
        if point.held:
            for target in steps.melted.get(variable, ()):
                if point.held != _HIDDEN or (variable, target) not in steps.texts:
                    yield _Point(target, 0)
            return
        for target in steps.copied[point.variable] or ():
            yield from self._copied(point, target)
        for target in steps.made.get(variable, ()):
            yield _Point(target, 0, point.calls)
        for target, through in steps.raised.arrivals(variable):
            known = [steps.places[site].node for site in reversed(point.calls)]
            if all(one == other for one, other in zip(known, through, strict=False)):
                yield _Point(target, 0, point.calls[: -len(through) or None])

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
        self,
        before: dict[_Point, _Point | None],
        point: _Point | None,
        sink: Node,
        starts: dict[int, Node],
    ) -> list[Node]:
        """Return the nodes on the way to a point, each once."""
        nodes = [sink]
        while point is not None:
            is_start = before[point] is None
            node = starts[point.variable] if is_start else self.node(point.variable)
            if node is not None and node != nodes[-1]:
                nodes.append(node)
            point = before[point]
        return nodes[::-1]


def _is_known(known: dict[_Point, _Point | None], point: _Point) -> bool:
    """Tell whether a point was reached before, with the same calls or with fewer known ones."""
    while point not in known:
        if not point.calls:
            return False
        point = _Point(point.variable, point.held, point.calls[1:])
    return True
