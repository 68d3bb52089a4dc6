"""Raised values: what is raised -> the handlers that may catch it.

    def f(): raise ValueError(x)
    try: f()
    except ValueError as e: ...      ValueError(x) -> e

A raise is followed from the try around it to the places that call its frame, until a handler takes
its class; each `with` that it leaves hands it to `__exit__`. Classes are told apart where their
names are known; what is caught as an `Exception` and raised again may be of any class below it.
Large repositories have hundreds of thousands of such ways, so each is gone only when asked for.
Next: value_steps.py.
"""

from __future__ import annotations

import builtins
from collections import defaultdict
from collections.abc import Iterable, Iterator

from codelake.resolve.class_table import is_instance
from codelake.resolve.objects import CLASS, CONTAINER, EXTERNAL, EXTERNAL_INSTANCE, INSTANCE
from codelake.resolve.state import Frame, State

type _Place = tuple[int, int]  # file and node
type Arrival = tuple[int, tuple[_Place, ...]]
"""The variable of a handler, and the calls that are left on the way there, the innermost first."""


class RaisedValues:
    """The handlers of all try statements, and who calls what."""

    def __init__(self, state: State) -> None:
        """Note what is raised where, and the handlers; where it arrives is found when asked for."""
        self.state = state
        self._blocks: dict[_Place, list[int]] = defaultdict(list)
        self._classes: dict[_Place, list[int]] = {}
        self._exits: dict[tuple[int, int], list[int]] = defaultdict(list)
        self._raises: dict[int, list[tuple[Frame, int]]] = defaultdict(list)
        self._known: dict[int, list[Arrival]] = {}
        again: list[tuple[Frame, int]] = []
        for frame in state.frames:
            for op, node, value, _, _, _ in frame.body.steps:
                if op == "handler":
                    self._add_handler(frame, node, value)
                elif op == "raise" and value is not None:
                    self._raises[frame.offset + value].append((frame, node))
                elif op == "raise":
                    again.append((frame, node))
        for frame, node in again:
            handler = self._around(frame.file, node)
            if handler is not None:
                self._raises[state.value(frame, handler)].append((frame, node))
        for number, sites in state.sites_of.items():
            frame = state.frames[number]
            if state.files[frame.file].definitions[frame.owner].name in ("__exit__", "__aexit__"):
                for site in sites:
                    around = state.files[site.frame.file].parents[site.node]
                    self._exits[site.frame.number, around] += _second_values(frame)

    def arrivals(self, variable: int) -> list[Arrival]:
        """Return where the value of a variable arrives that is raised."""
        if variable not in self._raises:
            return []
        if variable not in self._known:
            places = self._raises[variable]
            self._known[variable] = [
                each for frame, node in places for each in self._reached(frame, node, variable)
            ]
        return self._known[variable]

    def _add_handler(self, frame: Frame, node: int, value: int | None) -> None:
        block = (frame.file, self.state.files[frame.file].parents[node])
        if node not in self._blocks[block]:
            self._blocks[block].append(node)
        classes = self._classes.setdefault((frame.file, node), [])
        if value is not None:
            classes.append(frame.offset + value)

    def _around(self, file: int, node: int) -> int | None:
        """Return the handler in which a node stands."""
        parents = self.state.files[file].parents
        while node:
            if (file, node) in self._classes:
                return node
            node = parents[node]
        return None

    def _reached(self, frame: Frame, node: int, variable: int) -> Iterator[Arrival]:
        """Yield the variables of the handlers that what is raised at a node arrives at."""
        seen: set[_Place] = set()
        todo: list[tuple[Frame, int, tuple[_Place, ...]]] = [(frame, node, ())]
        while todo:
            frame, node, calls = todo.pop()
            caught, left = self._caught(frame, node, variable)
            yield from ((each, calls) for each in left)
            if caught is not None:
                yield frame.offset + caught, calls
                continue
            for site in self.state.sites_of.get(frame.number, ()):
                if (site.frame.number, site.node) not in seen:
                    seen.add((site.frame.number, site.node))
                    place = (site.frame.file, site.node)
                    todo.append((site.frame, site.node, (*calls, place)))

    def _caught(self, frame: Frame, node: int, variable: int) -> tuple[int | None, list[int]]:
        """Return the handler that takes what is raised at a node, and who sees it pass before."""
        file = frame.file
        parents = self.state.files[file].parents
        opener = self.state.files[file].definitions[frame.owner].node
        at, below = parents[node], node
        left: list[int] = []
        while at != opener and at:
            blocks = self._blocks.get((file, at))
            if blocks and below < min(blocks):
                for handler in blocks:
                    if self._takes(self._classes[file, handler], variable):
                        return handler, left
            left += self._exits.get((frame.number, at), ())
            at, below = parents[at], at
        return None, left

    def _takes(self, classes: list[int], variable: int) -> bool:
        if not classes:
            return True
        state = self.state
        wanted = [one for each in classes for one in _unpacked(state, state.solver.get(each))]
        raised = [one for one in state.solver.get(variable) if one >= 0]
        return not raised or any(_matches(state, one, wanted) for one in raised)


def _second_values(frame: Frame) -> list[int]:
    """Return where `__exit__(self, kind, value, trace)` is given what was raised."""
    signature = frame.body.signature
    given = [frame.offset + each.node for each in signature.positional[2:3]]
    return given or [frame.offset + each.node for each in (signature.star,) if each is not None]


def _unpacked(state: State, found: Iterable[int]) -> Iterator[int]:
    for one in found:
        if one >= 0 and state.objects.kind[one] == CONTAINER:
            yield from state.solver.get(state.containers[one].every)
        else:
            yield one


def _matches(state: State, one: int, wanted: list[int]) -> bool:
    objects = state.objects
    kind = objects.kind[one]
    if kind in (INSTANCE, CLASS):
        return is_instance(state, one, wanted, kind == CLASS) is not False
    if kind not in (EXTERNAL, EXTERNAL_INSTANCE):
        return True
    names = [objects.first[each] for each in wanted if objects.kind[each] == EXTERNAL]
    own = objects.first[one]
    return any(_is_below(own, name) or _is_below(name, own) for name in names)


def _is_below(name: str, base: str) -> bool:
    """Tell whether a class is another one or below it, as far as builtins tell."""
    if name == base:
        return True
    one, other = (getattr(builtins, each.removeprefix("builtins."), None) for each in (name, base))
    if isinstance(one, type) and isinstance(other, type):
        return issubclass(one, other)
    return base in ("builtins.Exception", "builtins.BaseException")
