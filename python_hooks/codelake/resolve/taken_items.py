"""Taken items: which item of a sequence `pop` and `next` take, where its whole history is known.

    stack = ["x"]
    stack.append(y)      time 2: y is the last item
    a = stack.pop()      time 3: a is y, and y is gone
    it = iter([x, y])
    b = next(it)         b is x

A history is known when the sequence is made once, and every call that changes it runs at a known
time, whatever happens. A generator counts when it yields under no condition.
Next: value_times.py.
"""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

from codelake.resolve.clock import Clock
from codelake.resolve.objects import EXTERNAL
from codelake.resolve.state import Frame, State

_LISTS = frozenset({"builtins.list", "collections.deque"})
_ITERATORS = frozenset({"builtins.list_iterator", "builtins.generator"})
_READING = frozenset({"copy", "count", "index", "__len__", "__iter__", "__contains__"})
_ADDING = {"append": -1, "appendleft": 0}
_TAKING = {"pop": -1, "popleft": 0}


class _Event(NamedTuple):
    """What happens to a sequence at a node: a method, and its arguments."""

    time: int
    name: str
    node: int
    given: tuple[int, ...]


class TakenItems:
    """The histories of the sequences of a walk.

    Attributes:
        blocked: steps from a sequence to what takes an item of it.
        taken: by value, what takes it.
        removed: by value and place, when the value is taken from there.
    """

    def __init__(self, state: State, clock: Clock) -> None:
        """Follow every sequence."""
        self._state, self._clock = state, clock
        self.blocked: set[tuple[int, int]] = set()
        self.taken: dict[int, list[int]] = defaultdict(list)
        self.removed: dict[tuple[int, int], int] = {}
        self._events: dict[int, list[_Event]] = defaultdict(list)
        self._unknown: set[int] = set()
        for frame in state.frames:
            self._read(frame)
        for one in sorted(self._events):
            if one not in self._unknown:
                self._follow(one)

    def _read(self, frame: Frame) -> None:
        """Collect what a frame does to sequences."""
        made = self._state.bodies[frame.file].made
        for op, node, value, other, _, _ in frame.body.steps:
            if op == "call":
                fact = made.get(value)
                given = tuple(frame.offset + number for number, _ in other.positional)
                if fact is not None and fact[0] == "attr" and fact[3] is not None:
                    base = self._state.value(frame, fact[3])
                    self._note(frame, node, base, fact[5] or "", given)
                is_next = self._is_next(frame.offset + value)
                if is_next and given:
                    self._note(frame, node, given[0], "next", given)
                for each in given[1:] if is_next else given:
                    self._note(frame, node, each, "handed", ())
            elif op in ("each", "unpack", "unpack_star", "yield_from", "starred"):
                self._note(frame, node, frame.offset + value, "rest", ())
            elif op in ("list", "tuple", "set"):
                for part in value:
                    if part[0] == "element_star":
                        self._note(frame, node, frame.offset + part[3], "rest", ())
            elif op in ("store_item", "delete_item", "inplace"):
                base = frame.offset + (other if op == "store_item" else value)
                self._note(frame, node, base, op, ())

    def _is_next(self, callee: int) -> bool:
        objects = self._state.objects
        return any(
            one >= 0 and objects.kind[one] == EXTERNAL and objects.first[one] == "builtins.next"
            for one in self._state.solver.get(callee)
        )

    def _note(
        self, frame: Frame, node: int, variable: int, name: str, given: tuple[int, ...]
    ) -> None:
        held = [one for one in self._state.solver.get(variable) if one in self._state.containers]
        for one in held:
            kind = self._state.objects.first[one]
            if kind in _LISTS and (name in _READING or name in ("rest", "handed")):
                continue
            if kind not in _LISTS and kind not in _ITERATORS:
                continue
            place = frame.offset + node
            runs = self._clock.runs(place)
            known = [(place, run.first) in self._clock.sure for run in runs]
            if len(held) > 1 or not runs or not all(known):
                self._unknown.add(one)
            for run in runs:
                self._events[one].append(_Event(run.first, name, place, given))

    def _follow(self, one: int) -> None:
        """Go through the history of a sequence."""
        items = self._first_items(one)
        container = self._state.containers[one]
        places = (container.every, container.loose, *container.keys.values())
        takers: dict[int, list[int]] = defaultdict(list)
        removed: dict[int, int] = {}
        defaults: dict[int, list[int]] = {}
        events = sorted(self._events[one])
        for number, (time, name, node, given) in enumerate(events):
            if items is None:
                return
            if name in _ADDING and len(given) == 1:
                items.insert(len(items) if _ADDING[name] else 0, given[0])
            elif (name == "next" or name in _TAKING) and (name != "pop" or not given):
                taken = [items.pop(_TAKING.get(name, 0))] if items else list(given[1:])
                takers[node] += taken
                defaults[node] = [*given[1:]]
                removed |= dict.fromkeys(taken, time)
            elif name == "clear":
                removed |= dict.fromkeys(items, time)
                items = []
            elif name not in ("rest", "handed") or number + 1 < len(events):
                return
        for node, values in takers.items():
            others = [each for each in defaults[node] if each not in values]
            self.blocked.update((place, node) for place in (*places, *others))
            for value in values:
                self.taken[value].append(node)
        self.removed |= {
            (value, place): time for value, time in removed.items() for place in places
        }

    def _first_items(self, one: int) -> list[int] | None:
        """Return the variables of the items that a sequence is made with."""
        state, objects = self._state, self._state.objects
        kind, place = objects.first[one], objects.second[one]
        if kind == "builtins.generator":
            return self._yielded(one)
        if not isinstance(place, tuple) or len(place) != 2 or not isinstance(place[0], int):
            return None
        frame, node = state.frames[place[0]], place[1]
        if not self._is_once(frame.offset + node):
            return None
        for op, at, value, other, _, _ in frame.body.steps:
            if at == node and op == "list" and all(part[0] == "element" for part in value):
                return [frame.offset + part[3] for part in value]
            if at == node and op == "call" and not other.keywords and len(other.positional) < 2:
                given = [frame.offset + number for number, _ in other.positional]
                return self._items_of(given[0]) if given else []
        return None

    def _is_once(self, variable: int) -> bool:
        runs = self._clock.runs(variable)
        return len(runs) == 1 and runs[0].first == runs[0].last

    def _yielded(self, one: int) -> list[int] | None:
        """Return what a generator that is made once yields, when it does so under no condition."""
        inner = self._state.extra.get(one)
        if not isinstance(inner, Frame):
            return None
        sites = self._state.sites_of.get(inner.number, ())
        if len(sites) != 1 or not self._is_once(sites[0].frame.offset + sites[0].node):
            return None
        steps = inner.body.steps
        yields = [step[2] for step in steps if step[0] == "yield" and step[2] is not None]
        in_order = f"int:{len(yields) - 1}" in self._state.containers[one].keys
        leaves = any(step[0] in ("yield_from", "return", "raise") for step in steps)
        is_known = in_order and not leaves and len(yields) == len(set(yields))
        return [inner.offset + value for value in yields] if is_known else None

    def _items_of(self, variable: int) -> list[int] | None:
        """Return the items of a list or tuple that nobody changes."""
        held = self._state.solver.get(variable)
        if len(held) != 1 or (one := next(iter(held))) not in self._state.containers:
            return None
        container = self._state.containers[one]
        if container.size is None or one in self._events:
            return None
        found = [container.keys.get(f"int:{index}") for index in range(container.size)]
        return [each for each in found if each is not None]
