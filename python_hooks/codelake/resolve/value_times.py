"""Value times: the top level of a module runs once, and in order.

    print(d["k"])        time 1: does not see what is stored below
    d["k"] = x           time 2: x is in d from here on
    d["k"] = ""          time 3: and is gone from here on, since d is one dict, made once

A time is the number of a statement at the top of the module; all that a loop or condition there
does has the time of the whole. What runs inside of functions has none.
Next: value_search.py.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Mapping

from codelake.resolve.objects import CLASS, CONTAINER, INSTANCE, MODULE
from codelake.resolve.run_times import ANY_TIME, EVER, Span, run_times
from codelake.resolve.state import Frame, State

_CLEARS = ("slice::", "slice:::")


class ValueTimes:
    """When values arrive at places of one module, and when they are replaced there."""

    def __init__(
        self,
        state: State,
        file: int,
        inside: Mapping[int, list[int]],
        node_of: Callable[[int], tuple[int, int] | None],
    ) -> None:
        """Find the stores at the top level of a file.

        Args:
            state: the analysis.
            file: number of the file.
            inside: the objects that a variable is a part of.
            node_of: the node whose value a variable is.
        """
        self._state = state
        self._inside = inside
        self._node_of = node_of
        self._file = file
        self._base = state.base[file]
        self._last = self._base + state.files[file].size
        self._bodies = state.bodies[file]
        self._statements: dict[int, int] = {}
        self._entries: dict[tuple[int, int], int] = {}
        self._ends: dict[int, list[int]] = defaultdict(list)
        for frame in state.frames_of.get(state.definition(file, 0), ()):
            self._read(frame)
        for times in self._ends.values():
            times.sort()
        self._spans = run_times(state, self.of_node)

    def of(self, variable: int) -> int:
        """Return when a variable gets its value; -1 for any time."""
        if not self._base <= variable <= self._last:
            return -1
        return self.of_node((self._file, variable - self._base))

    def of_node(self, node: tuple[int, int]) -> int:
        """Return when a node is evaluated; -1 for any time."""
        file, number = node
        if file != self._file or not self._is_top(self._bodies.owner_of.get(number, 0)):
            return -1
        known = self._statements.get(number)
        if known is None:
            known = self._statements[number] = self._statement(number)
        return known

    def _is_top(self, owner: int) -> bool:
        """Tell whether a definition runs when the module does: the module, and classes in it."""
        definitions = self._state.files[self._file].definitions
        while definitions[owner].kind == "CLASS":
            owner = definitions[owner].parent or 0
        return owner == 0

    def _statement(self, number: int) -> int:
        parents = self._state.files[self._file].parents
        while number and parents[number]:
            number = parents[number]
        return number

    def allows(self, time: int, until: int, sink: tuple[int, int]) -> bool:
        """Tell whether a value that is there from a time on is seen where a node is evaluated."""
        first, last = self.span(sink)
        return time <= last and first <= until

    def span(self, node: tuple[int, int]) -> Span:
        """Return the first and last time at which a node is evaluated."""
        at = self.of_node(node)
        if at >= 0:
            return at, at
        file, number = node
        owner = self._state.bodies[file].owner_of.get(number, 0)
        return self._spans.get(self._state.definition(file, owner), ANY_TIME)

    def step(self, time: int, until: int, source: int, target: int) -> tuple[int, int] | None:
        """Return from when and until when a value is at the end of a step; None for never."""
        entered = self._entries.get((source, target))
        if entered is not None:
            return self._enter(entered, target) if time <= entered else None
        if target in self._ends and self._is_made_before(source):
            return self._enter(max(time, self.of(source)), target)
        at = self.of(target)
        if at < 0 and until < EVER:
            at = self._copied(source, target)
        if at >= 0:
            return (at, EVER) if time <= at <= until else None
        node = self._node_of(target) if self._spans else None
        first, last = ANY_TIME if node is None else self.span(node)
        return (max(time, first), until) if time <= last and first <= until else None

    def _is_made_before(self, source: int) -> bool:
        """Tell whether a variable is of the top of this module, or of one that it imports."""
        state = self._state
        if self.of(source) >= 0:
            return True
        file = bisect_right(state.base, source) - 1
        node = source - state.base[file]
        return node <= state.files[file].size and state.bodies[file].owner_of.get(node) == 0

    def _copied(self, source: int, target: int) -> int:
        """Return when a container is made that is given the parts of another one."""
        others = self._inside.get(source, ())
        for one in self._inside.get(target, ()):
            place = self._place(one)
            if one not in others and place is not None:
                return self.of_node((self._file, place))
        return -1

    def _enter(self, time: int, place: int) -> tuple[int, int]:
        """Return how long a value stays that a place is given at a time."""
        ends = self._ends.get(place)
        if not ends:
            return time, EVER
        index = bisect_right(ends, time)
        return time, (ends[index] - 1 if index < len(ends) else EVER)

    # the stores of the top level

    def _read(self, frame: Frame) -> None:
        offset = frame.offset
        for op, node, value, other, text, _ in frame.body.steps:
            if op == "store_item":
                self._store_item(node, offset + value, offset + other, text)
            elif op == "delete_item" and text is not None:
                for one in self._one(offset + value, CONTAINER):
                    self._end(node, self._state.containers[one].keys.get(text))
            elif op == "store_attr":
                self._store_attr(node, offset + value, offset + other, text or "")
            elif op == "store_global":
                place = self._state.global_variable(self._file, text or "")
                self._store(node, offset + value, place)
            elif op in ("list", "tuple", "dict"):
                self._display(frame, op, node, value)
            elif op == "call" and not other.positional:
                self._cleared(frame, node, value)

    def _store_item(self, node: int, value: int, holder: int, key: str | None) -> None:
        for one in self._one(holder, CONTAINER):
            container = self._state.containers[one]
            if key in _CLEARS:
                self._end_all(node, one)
            elif key is not None and key in container.keys:
                self._store(node, value, container.keys[key])

    def _store_attr(self, node: int, value: int, holder: int, name: str) -> None:
        state = self._state
        for one in self._one(holder, INSTANCE, CLASS, MODULE):
            kind = state.objects.kind[one]
            place: int | None
            if kind == INSTANCE:
                place = state.fields.get((one, name))
            elif kind == CLASS:
                place = state.classes[one].attributes.get(name)
            else:
                place = state.globals[state.objects.first[one]].get(name)
            if place is not None:
                self._store(node, value, place)

    def _display(self, frame: Frame, op: str, node: int, parts: object) -> None:
        one = self._state.objects.of(CONTAINER, f"builtins.{op}", (frame.number, node))
        container = self._state.containers.get(one)
        if container is None or not isinstance(parts, list):
            return
        for part, _, _, item, _, text, index in parts:
            key = text if part == "entry" else f"int:{index}" if part == "element" else None
            if key is not None and key in container.keys:
                place = container.keys[key]
                self._entries[frame.offset + item, place] = self.of_node((self._file, node))

    def _cleared(self, frame: Frame, node: int, callee: int) -> None:
        fact = self._bodies.made.get(callee)
        if fact is not None and fact[0] == "attr" and fact[5] == "clear" and fact[3] is not None:
            for one in self._one(self._state.value(frame, fact[3]), CONTAINER):
                self._end_all(node, one)

    def _one(self, variable: int, *kinds: int) -> tuple[int, ...]:
        """Return what a variable holds, when that is one thing that is made once."""
        held = self._state.solver.get(variable)
        if len(held) != 1:
            return ()
        (one,) = held
        objects = self._state.objects
        if one < 0 or objects.kind[one] not in kinds:
            return ()
        if objects.kind[one] in (CLASS, MODULE):
            return (one,)
        return (one,) if self._place(one) is not None else ()

    def _place(self, one: int) -> int | None:
        """Return the node that makes a container or instance, when it does so once."""
        place = self._state.objects.second[one]
        if isinstance(place, int) and self._state.objects.kind[one] == INSTANCE:
            place = (place >> 24, (place & 0xFFFFFF) - 1)
        if not isinstance(place, tuple) or len(place) != 2 or not isinstance(place[0], int):
            return None
        made = self._state.frames[place[0]]
        is_here = made.file == self._file and made.owner == 0
        return place[1] if is_here and self._bodies.always(place[1], 0) else None

    def _store(self, node: int, value: int, place: int) -> None:
        time = self.of_node((self._file, node))
        key = (value, place)
        self._entries[key] = max(time, self._entries.get(key, time))
        self._end(node, place)

    def _end(self, node: int, place: int | None) -> None:
        if place is not None and self._bodies.always(node, 0):
            self._ends[place].append(self.of_node((self._file, node)))

    def _end_all(self, node: int, one: int) -> None:
        container = self._state.containers[one]
        for place in (container.every, container.loose, *container.keys.values()):
            self._end(node, place)
