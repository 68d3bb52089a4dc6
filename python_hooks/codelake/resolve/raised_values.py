"""Raised values: what is raised -> the handlers that may catch it.

    def f(): raise ValueError(x)
    try: f()
    except ValueError as e: ...      ValueError(x) -> e

A raise is followed from the try around it to the places that call its function, until a handler
takes its class. Classes are told apart where their names are known; what is caught as an
`Exception` and raised again may be of any class below it.
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


def raised_values(state: State) -> Iterator[tuple[int, int, tuple[_Place, ...]]]:
    """Yield what is raised, the handler that it arrives at, and the calls that it goes through.

    The first two are variables; the calls are places, the innermost first.
    """
    handlers = _Handlers(state)
    if not handlers.blocks:
        return
    for frame in state.frames:
        for op, node, value, _, _, _ in frame.body.steps:
            if op != "raise":
                continue
            if value is None:
                again = handlers.around(frame.file, node)
                raised = [state.value(frame, again)] if again is not None else []
            else:
                raised = [frame.offset + value]
            for variable in raised:
                for target, calls in handlers.reached((frame.file, node), variable):
                    yield variable, target, calls


class _Handlers:
    """The handlers of all try statements, and who calls what."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.blocks: dict[_Place, list[int]] = defaultdict(list)
        self._frames: dict[_Place, list[Frame]] = defaultdict(list)
        self._classes: dict[_Place, list[int]] = {}
        self._callers: dict[int, list[_Place]] = defaultdict(list)
        for frame in state.frames:
            for op, node, value, _, _, _ in frame.body.steps:
                if op == "handler":
                    block = (frame.file, state.files[frame.file].parents[node])
                    if node not in self.blocks[block]:
                        self.blocks[block].append(node)
                    self._frames[frame.file, node].append(frame)
                    classes = self._classes.setdefault((frame.file, node), [])
                    if value is not None:
                        classes.append(frame.offset + value)
        for (file, node, _), targets in state.edges.items():
            for target in targets:
                if isinstance(target, int):
                    self._callers[target].append((file, node))

    def around(self, file: int, node: int) -> int | None:
        """Return the handler in which a node stands."""
        parents = self.state.files[file].parents
        while node:
            if (file, node) in self._classes:
                return node
            node = parents[node]
        return None

    def reached(self, place: _Place, variable: int) -> Iterator[tuple[int, tuple[_Place, ...]]]:
        """Yield the variables of the handlers that what is raised at a place arrives at."""
        state = self.state
        seen: set[int] = set()
        todo: list[tuple[_Place, tuple[_Place, ...]]] = [(place, ())]
        while todo:
            (file, node), calls = todo.pop()
            caught = self._caught(file, node, variable)
            if caught is not None:
                for frame in self._frames[file, caught]:
                    yield frame.offset + caught, calls
                continue
            definition = state.definition(file, state.bodies[file].owner_of.get(node, 0))
            if definition not in seen:
                seen.add(definition)
                todo += [(each, (*calls, each)) for each in self._callers.get(definition, ())]

    def _caught(self, file: int, node: int, variable: int) -> int | None:
        """Return the handler of the definition that takes what is raised at a node."""
        parents = self.state.files[file].parents
        opener = self.state.files[file].definitions[
            self.state.bodies[file].owner_of.get(node, 0)
        ].node  # fmt: skip
        at, below = parents[node], node
        while at != opener and at:
            blocks = self.blocks.get((file, at))
            if blocks and below < min(blocks):
                for handler in blocks:
                    if self._takes(self._classes[file, handler], variable):
                        return handler
            at, below = parents[at], at
        return None

    def _takes(self, classes: list[int], variable: int) -> bool:
        if not classes:
            return True
        state = self.state
        wanted = [one for each in classes for one in _unpacked(state, state.solver.get(each))]
        raised = [one for one in state.solver.get(variable) if one >= 0]
        return not raised or any(_matches(state, one, wanted) for one in raised)


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
