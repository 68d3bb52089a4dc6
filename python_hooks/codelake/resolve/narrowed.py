"""Narrowed values: only instances of the tested classes pass.

    if isinstance(x, C): x.go()      of what x may be, instances of C and of its subclasses pass

When nothing passes, the seeding (seeds.py) takes any instance of C for it.

    if func is None: return wrap     of a call with a frame of its own: only when func may be None
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from codelake.resolve.class_table import is_instance
from codelake.resolve.narrowing import Gate
from codelake.resolve.objects import CONTAINER, EXTERNAL_INSTANCE, INSTANCE, NONE, UNKNOWN
from codelake.resolve.state import Frame, State

_NOT_CALLED = frozenset({NONE, CONTAINER, EXTERNAL_INSTANCE})


def watch_narrowed(state: State, frame: Frame, tests: Sequence[Any], target: int) -> int:
    """Return a variable whose objects flow to the target when they pass all tests."""
    for positive, classes, test in tests:
        source = state.new()
        variable = frame.offset + state.bodies[frame.file].value(classes)
        state.solver.watch(source, pass_narrowed, state, variable, positive, test, target)
        state.solver.watch(variable, _again, state, source, variable, positive, test, target)
        if positive:
            state.narrowed.append((target, variable, test == "issubclass"))
        target = source
    return target


def pass_gates(state: State, frame: Frame, gates: tuple[Gate, ...], value: int) -> None:
    """Let a value be the result of a call when its arguments pass all tests."""
    if not gates:
        state.solver.link(value, frame.result)
        return
    variable = frame.offset + gates[0].parameter
    state.solver.watch(variable, _open, state, frame, gates, value)
    state.solver.at_last(_open_unknown, state, frame, gates, value)


def _open(
    found: Iterable[int], state: State, frame: Frame, gates: tuple[Gate, ...], value: int
) -> None:
    if any(_passes(state, one, gates[0].test) for one in found):
        _open_once(state, frame, gates, value)


def _open_unknown(
    _: Iterable[int], state: State, frame: Frame, gates: tuple[Gate, ...], value: int
) -> None:
    """Open a gate where the argument is not known; one that is not given is surely None."""
    parameter, test = gates[0]
    if parameter in state.absent.get(frame.number, ()):
        return
    if test in ("is not None", "callable") or not state.solver.get(frame.offset + parameter):
        _open_once(state, frame, gates, value)


def _open_once(state: State, frame: Frame, gates: tuple[Gate, ...], value: int) -> None:
    key = ("gate", frame.number, gates, value)
    if key not in state.bound:
        state.bound.add(key)
        pass_gates(state, frame, gates[1:], value)


def _passes(state: State, one: int, test: str) -> bool:
    kind = state.objects.kind[one] if one >= 0 else EXTERNAL_INSTANCE
    if kind == UNKNOWN:
        return True
    if test in ("is None", "is not None"):
        return (kind == NONE) is (test == "is None")
    return (kind not in _NOT_CALLED) is (test == "callable") or kind == INSTANCE


def pass_narrowed(
    found: Iterable[int], state: State, classes: int, positive: bool, test: str, target: int
) -> None:
    """Let the objects that pass a test flow to a variable."""
    tested = state.solver.get(classes)
    for one in found:
        verdict = is_instance(state, one, tested, test == "issubclass")
        if verdict and test == "type is" and _is_of_subclass(state, one, tested):
            continue
        if verdict is None or verdict is positive:
            state.solver.put(target, one)


def _is_of_subclass(state: State, one: int, tested: Iterable[int]) -> bool:
    """Tell whether an object was made by a class of the repository, but by none of those tested."""
    objects = state.objects
    is_made = one >= 0 and objects.kind[one] == INSTANCE and objects.second[one] != 0
    return is_made and objects.first[one] not in tested


def _again(
    _: Iterable[int], state: State, source: int, classes: int, positive: bool, test: str,
    target: int,
) -> None:  # fmt: skip
    if positive:
        pass_narrowed(tuple(state.solver.get(source)), state, classes, positive, test, target)
