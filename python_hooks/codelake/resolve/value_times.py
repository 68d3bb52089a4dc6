"""Value times: from when until when a value is at a place, where the code of a module has an order.

    print(d["k"])        time 1: does not see what is stored below
    d["k"] = x           time 2: x is in d from here on
    d["k"] = ""          time 3: and is gone from here on, since d is one dict, made once

A value keeps the times of the place that it was read from while it goes through a function that
runs at several times: it comes back to calls of that span only. Names, and whatever else is filled
at a known time, keep it for ever.
Next: value_search.py.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable

from codelake.resolve import iteration
from codelake.resolve.clock import ANY_TIME, EVER, Clock, Span
from codelake.resolve.objects import CLASS, CONTAINER, INSTANCE, MODULE
from codelake.resolve.state import Frame, State
from codelake.resolve.value_steps import ValueSteps

_CLEARS = ("slice::", "slice:::")
_EXTENDING = frozenset(
    {"extend", "extendleft", "update", "setdefault", "append", "add", "insert", "__ior__"}
)
_FILLED_AT_ONCE = frozenset(
    {
        *("builtins.list", "builtins.tuple", "builtins.set", "builtins.frozenset"),
        *("builtins.dict", "collections.defaultdict", "collections.OrderedDict"),
        *("collections.deque", "collections.Counter"),
    }
)


class ValueTimes:
    """When values arrive at places of one module, and when they are replaced there."""

    def __init__(
        self,
        state: State,
        file: int,
        steps: ValueSteps,
        frame_of: Callable[[int], Frame | None],
    ) -> None:
        """Find the stores in the code that has an order.

        Args:
            state: the analysis.
            file: number of the file whose top level is the order.
            steps: where values go.
            frame_of: the frame whose node a variable is.
        """
        self._state = state
        self._inside = steps.inside
        self._frame_of = frame_of
        self._clock = Clock(state, file)
        self._seen_by_all = set(state.shared.values()).union(
            *(names.values() for names in state.globals)
        )
        self._entries: dict[tuple[int, int], Span] = {}
        self._ends: dict[int, list[int]] = defaultdict(list)
        self._extended: set[int] = set()
        self._between: dict[int, int] = {}
        for watchers in state.solver.watchers:
            for entry in watchers or ():
                if entry[0] is iteration._iterate and self._is_filling(entry[4]):
                    self._between[entry[4]] = entry[2].offset + entry[3]
        for frame in state.frames:
            self._note_extended(frame)
        for frame in self._clock.walked:
            self._read(frame)
        for times in self._ends.values():
            times.sort()

    def span(self, variable: int) -> Span:
        """Return the first and last time at which a variable is filled."""
        found = self._clock.of_node(self._between.get(variable, variable))
        if found is not None:
            return found
        frame = self._frame_of(self._between.get(variable, variable))
        return ANY_TIME if frame is None else self._clock.of_frame(frame.number)

    def allows(self, time: int, until: int, variable: int) -> bool:
        """Tell whether a value that is there for a while is seen where a variable is filled."""
        first, last = self.span(variable)
        return time <= last and first <= until

    def step(
        self, time: int, until: int, source: int, target: int, stays: bool
    ) -> tuple[int, int] | None:
        """Return from when and until when a value is at the end of a step; None for never.

        Args:
            time: from when it is at the start.
            until: until when.
            source: the start.
            target: the end.
            stays: whether the step leads through calls and names of one run only.
        """
        if target in self._inside or target in self._seen_by_all:
            return self._store_step(time, until, source, target)
        first, last = self.span(target)
        if time > last or first > until:
            return None
        is_kept = not stays or self._clock.of_node(self._between.get(target, target)) is not None
        return max(time, first), EVER if is_kept else until

    def _store_step(self, time: int, until: int, source: int, place: int) -> tuple[int, int] | None:
        entered = self._entries.get((source, place))
        if entered is None:
            owners = self._inside.get(place, ())
            others = self._inside.get(source, ())
            if others and any(one in others for one in owners):
                return time, until
            if others:
                entered = self._made_at(owners)
        if entered is None and source in self._between:
            entered = self._clock.of_node(self._between[source])
        if entered is None:
            return time, EVER
        first, last = entered
        if time > last or first > until:
            return None
        ends = self._ends.get(place, ())
        index = bisect_right(ends, last)
        return max(time, first), ends[index] - 1 if index < len(ends) else EVER

    def _made_at(self, owners: Iterable[int]) -> Span | None:
        """Return when a container is made that is given the parts of another one only then."""
        for one in owners:
            if one not in self._extended and self._is_filled_at_once(one):
                return self._made(one)
        return None

    def _is_filled_at_once(self, one: int) -> bool:
        """Tell whether an object is given items when it is made, not when it is asked for them."""
        objects = self._state.objects
        return objects.kind[one] == CONTAINER and objects.first[one] in _FILLED_AT_ONCE

    def _is_filling(self, variable: int) -> bool:
        """Tell whether a variable only hands items to such containers."""
        following = self._state.solver.successors[variable] or ()
        owners = [self._inside.get(place, ()) for place in following]
        return bool(owners) and all(
            bool(each) and all(self._is_filled_at_once(one) for one in each) for each in owners
        )

    # the stores

    def _note_extended(self, frame: Frame) -> None:
        """Note the containers that are given parts after they were made."""
        made = self._state.bodies[frame.file].made
        for op, _, value, _, _, _ in frame.body.steps:
            holder = value if op == "inplace" else None
            if op == "call":
                fact = made.get(value)
                if fact is not None and fact[0] == "attr" and fact[5] in _EXTENDING:
                    holder = fact[3]
            if holder is not None:
                self._extended.update(
                    one
                    for one in self._state.solver.get(self._state.value(frame, holder))
                    if one >= 0
                )

    def _read(self, frame: Frame) -> None:
        offset = frame.offset
        for op, node, value, other, text, _ in frame.body.steps:
            if op == "store_item":
                self._store_item(offset + node, offset + value, offset + other, text)
            elif op == "delete_item" and text is not None:
                for one in self._one(offset + value, CONTAINER):
                    self._end(offset + node, self._state.containers[one].keys.get(text))
            elif op == "store_attr":
                self._store_attr(offset + node, offset + value, offset + other, text or "")
            elif op == "store_global":
                place = self._state.global_variable(frame.file, text or "")
                self._store(offset + node, offset + value, place)
            elif op == "store_class":
                info = self._state.extra.get(-frame.number - 1)
                if info is not None and text in info.attributes:
                    self._store(offset + node, offset + value, info.attributes[text])
            elif op in ("list", "tuple", "dict"):
                self._display(frame, op, node, value)
            elif op == "call":
                self._called(frame, node, value, other)

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
        time = self._clock.of_node(frame.offset + node)
        if container is None or not isinstance(parts, list) or time is None:
            return
        for part, _, _, item, _, text, index in parts:
            key = text if part == "entry" else f"int:{index}" if part == "element" else None
            if key is not None and key in container.keys:
                self._entries[frame.offset + item, container.keys[key]] = time

    def _called(self, frame: Frame, node: int, callee: int, arguments: object) -> None:
        """Note what a method puts into a container, and that `clear` empties it."""
        fact = self._state.bodies[frame.file].made.get(callee)
        if fact is None or fact[0] != "attr" or fact[3] is None:
            return
        time = self._clock.of_node(frame.offset + node)
        for one in self._one(self._state.value(frame, fact[3]), CONTAINER):
            if fact[5] == "clear":
                self._end_all(frame.offset + node, one)
            container = self._state.containers[one]
            for place in (container.every, container.loose, *container.keys.values()):
                for given, _ in arguments.positional:  # type: ignore[attr-defined]
                    if time is not None:
                        self._note(frame.offset + given, place, time)

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
        made = self._made(one)
        return (one,) if made is not None and made[0] == made[1] else ()

    def _made(self, one: int) -> Span | None:
        """Return when a container or instance is made."""
        place = self._state.objects.second[one]
        if isinstance(place, int) and self._state.objects.kind[one] == INSTANCE:
            place = (place >> 24, (place & 0xFFFFFF) - 1)
        if not isinstance(place, tuple) or len(place) != 2 or not isinstance(place[0], int):
            return None
        return self._clock.of_node(self._state.frames[place[0]].offset + place[1])

    def _store(self, node: int, value: int, place: int) -> None:
        time = self._clock.of_node(node)
        if time is not None:
            self._note(value, place, time)
            self._end(node, place)

    def _note(self, value: int, place: int, time: Span) -> None:
        known = self._entries.get((value, place), time)
        self._entries[value, place] = min(time[0], known[0]), max(time[1], known[1])

    def _end(self, node: int, place: int | None) -> None:
        time = self._clock.of_node(node)
        if place is not None and time is not None and node in self._clock.sure:
            self._ends[place].append(time[0])

    def _end_all(self, node: int, one: int) -> None:
        container = self._state.containers[one]
        for place in (container.every, container.loose, *container.keys.values()):
            self._end(node, place)
