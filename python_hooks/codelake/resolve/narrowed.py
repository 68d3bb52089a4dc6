"""Narrowed values: only instances of the tested classes pass.

    if isinstance(x, C): x.go()      of what x may be, instances of C and of its subclasses pass

When nothing passes, the seeding (seeds.py) takes any instance of C for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from codelake.resolve.class_table import is_instance
from codelake.resolve.state import Frame, State


def watch_narrowed(state: State, frame: Frame, tests: Sequence[Any], target: int) -> int:
    """Return a variable whose objects flow to the target when they pass all tests."""
    for positive, classes, of_class in tests:
        source = state.new()
        variable = frame.offset + state.bodies[frame.file].value(classes)
        state.solver.watch(source, _pass, state, variable, positive, of_class, target)
        state.solver.watch(variable, _again, state, source, variable, positive, of_class, target)
        if positive:
            state.narrowed.append((target, variable, of_class))
        target = source
    return target


def _pass(
    found: Iterable[int], state: State, classes: int, positive: bool, of_class: bool, target: int
) -> None:
    tested = state.solver.get(classes)
    for one in found:
        verdict = is_instance(state, one, tested, of_class)
        if verdict is None or verdict is positive:
            state.solver.put(target, one)


def _again(
    _: Iterable[int], state: State, source: int, classes: int, positive: bool, of_class: bool,
    target: int,
) -> None:  # fmt: skip
    if positive:
        _pass(tuple(state.solver.get(source)), state, classes, positive, of_class, target)
