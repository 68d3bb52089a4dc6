"""Value search: does a value get from one place to another, and on which way.

    search = ValueSearch(state)
    search.ways([(0, 12)], [(0, 40)])    ->  {(0, 40): [(0, 12), (0, 17), (0, 40)]}

A value arrives as itself, or inside of something that holds it. What goes into a function comes
out of it at the same call, as far as the last few calls tell. The top level of a module runs
once and in order: what is stored below a line is not seen on it, unless a loop is around both.
Next: codelake/run/flows.py asks this of a lake.
"""

from __future__ import annotations

import heapq
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from codelake.resolve.clock import ANY_TIME, EVER, main_modules
from codelake.resolve.dead_code import behind_leaving, impossible_cases
from codelake.resolve.guards import Regions
from codelake.resolve.state import Frame, State
from codelake.resolve.value_steps import ValueSteps
from codelake.resolve.value_times import ValueTimes

type Node = tuple[int, int]  # file and number


_DEEPEST = 2  # calls that are remembered
_MOST = 2_000_000  # points of one search
_MANY = 1 << 40


class _Point(NamedTuple):
    """A variable, whether it holds the value rather than being it, and the calls that led here."""

    variable: int
    is_held: bool
    calls: tuple[int, ...] = ()


class ValueSearch:
    """Searches in one settled analysis."""

    def __init__(self, state: State) -> None:
        """Prepare the steps."""
        self._state = state
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
        self._dead: dict[int, Regions] = {}
        self._never = impossible_cases(state)
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
        for main in sorted({self._mains[file] for file, _ in found}):
            times = self._times_of(main)
            ends = [each for each in found if self._mains[each[0]] == main]
            ends = [each for each in ends if self._has_time(times, *each)]
            if ends:
                ways = self._search(times, sources, ends)
                found = {each: found[each] for each in found if each not in ends} | ways
        return found

    def _times_of(self, main: int) -> ValueTimes:
        if main not in self._times:
            self._times[main] = ValueTimes(self._state, main, self._steps, self.frame)
        return self._times[main]

    def _has_time(self, times: ValueTimes, file: int, node: int) -> bool:
        frames = self.frames(file, node)
        return any(times.span(frame.offset + node) != ANY_TIME for frame in frames)

    def _is_dead(self, file: int, node: int) -> bool:
        """Tell whether a node stands behind a return or raise of its block."""
        if file not in self._dead:
            self._dead[file] = behind_leaving(self._state.files[file])
        return self._dead[file].holds(node)

    def _search(
        self, times: ValueTimes | None, sources: list[Node], sinks: list[Node]
    ) -> dict[Node, list[Node]]:
        """Search with the order in which one module runs, or without any order."""
        wanted: dict[int, list[tuple[Node, int]]] = defaultdict(list)
        for sink in sinks:
            for frame in self.frames(*sink):
                wanted[self._state.value(frame, sink[1])].append((sink, frame.offset + sink[1]))
        longest: dict[_Point, int] = {}
        opened: dict[int, int] = {}
        before: dict[_Point, _Point | None] = {}
        queue: list[tuple[int, int, int, _Point, _Point]] = []
        for source in sources:
            for frame in self.frames(*source):
                time = times.span(frame.offset + source[1])[0] if times else -1
                point = _Point(self._state.value(frame, source[1]), False)
                queue.append((time, -EVER, 0, point, point))
        heapq.heapify(queue)
        found: dict[Node, list[Node]] = {}
        while queue and len(longest) < _MOST:
            time, minus, _, point, last = heapq.heappop(queue)
            until = -minus
            if _is_known(longest, point, until):
                continue
            longest[point] = until
            before.setdefault(point, None if last == point else last)
            for sink, at in wanted.get(point.variable, ()):
                if sink not in found and (times is None or times.allows(time, until, at)):
                    found[sink] = self._way(before, point, sink)
            for following in self._next(point, until, opened):
                when: tuple[int, int] | None = (time, until)
                step = point.variable, following.variable
                if times and not following.is_held and step not in self._steps.changed:
                    when = times.step(time, until, *step, not self._leaves(*step))
                if self._never and self._never.holds(following.variable):
                    continue
                if when is not None and not _is_known(longest, following, when[1]):
                    order = len(following.calls) * _MANY + len(before)
                    heapq.heappush(queue, (when[0], -when[1], order, following, point))
        return found

    def _next(self, point: _Point, until: int, opened: dict[int, int]) -> Iterable[_Point]:
        """Yield where a value goes next; objects that hold it are opened once for a time."""
        steps, variable = self._steps, point.variable
        for owner in steps.inside.get(variable, ()):
            if opened.get(owner, -2) < until:
                opened[owner] = until
                for holder in self._holders.get(owner, ()):
                    yield _Point(holder, True)
        if point.is_held:
            for target in steps.melted.get(variable, ()):
                yield _Point(target, False)
            return
        for target in steps.copied[variable] or ():
            yield from self._copied(point, target)
        for target in steps.made.get(variable, ()):
            yield _Point(target, False, point.calls)
        for target, through in steps.raised.get(variable, ()):
            known = [steps.places[site] for site in reversed(point.calls)]
            if all(one == other for one, other in zip(known, through, strict=False)):
                yield _Point(target, False, point.calls[: -len(through) or None])

    def _copied(self, point: _Point, target: int) -> Iterable[_Point]:
        """Go into a function with the place that calls it, and back to that place only."""
        step = point.variable, target
        calls = point.calls
        entered, left = self._steps.calls.get(step), self._steps.returns.get(step)
        if entered is not None:
            for site in entered:
                inner = calls if calls[-1:] == (site,) else (*calls, site)[-_DEEPEST:]
                yield _Point(target, False, inner)
        elif left is not None:
            if not calls or calls[-1] in left:
                yield _Point(target, False, calls[:-1])
            if calls and calls[-1] in left:
                yield _Point(target, False, calls)  # a function that calls itself there
        elif calls and self._leaves(*step):
            yield _Point(target, False)
        else:
            yield _Point(target, False, calls)

    def _leaves(self, source: int, target: int) -> bool:
        """Tell whether a step leads to a place that others see, or into another definition."""
        if (source, target) in self._steps.calls or (source, target) in self._steps.returns:
            return False
        if target in self._steps.inside or target in self._seen_by_all:
            return True
        ends = [self.node(one) for one in (source, target)]
        owners = {self._state.bodies[end[0]].owner_of.get(end[1]) for end in ends if end}
        return len(owners) > 1

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


def _is_known(longest: dict[_Point, int], point: _Point, until: int) -> bool:
    """Tell whether a point was reached before, with the same calls or with fewer known ones."""
    while longest.get(point, -2) < until:
        if not point.calls:
            return False
        point = _Point(point.variable, point.is_held, point.calls[1:])
    return True
