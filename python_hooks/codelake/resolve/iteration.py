"""Iteration: loops, comprehensions, `yield from` and await -> elements and implicit calls.

    for x in y    __iter__ of y, then __next__ of what it gives
    await c       what the coroutine returns

Next: items.py.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from codelake.resolve.attributes import load_attribute
from codelake.resolve.enumerations import enum_members
from codelake.resolve.known_classes import field_names
from codelake.resolve.objects import (
    CLASS,
    CONTAINER,
    EXTERNAL_INSTANCE,
    INSTANCE,
    MAPPINGS,
    UNKNOWN,
)
from codelake.resolve.special_methods import call_at, method
from codelake.resolve.state import Frame, State


def iterate(
    state: State, frame: Frame, node: int, variable: int, target: int, is_async: bool
) -> None:
    """Let the elements of what is iterated flow to a variable; the calls happen at a node."""
    state.solver.watch(variable, iterate_all, state, frame, node, target, is_async)


def iterate_all(
    found: Iterable[int], state: State, frame: Frame, node: int, target: int, is_async: bool
) -> None:
    """Let the elements of each object flow to a variable."""
    for one in found:
        iterate_object(state, frame, node, one, target, is_async)


def iterate_object(
    state: State, frame: Frame, node: int, one: int, target: int, is_async: bool
) -> None:
    """Let the elements of one object flow to a variable."""
    objects = state.objects
    kind = objects.kind[one] if one >= 0 else 0
    if one < 0:
        state.solver.put(target, objects.text)
    elif kind == CONTAINER:
        container = state.containers[one]
        is_mapping = objects.first[one] in MAPPINGS
        state.solver.link(container.names if is_mapping else container.every, target)
    elif kind == EXTERNAL_INSTANCE:
        name = objects.first[one]
        if name in ("builtins.str", "io.TextIOWrapper", "io.StringIO"):
            state.solver.put(target, objects.text)
        elif name in ("builtins.range", "builtins.bytes"):
            state.solver.put(target, objects.instance_of("builtins.int"))
    elif kind == INSTANCE:
        _iterate_instance(state, frame, node, one, target, is_async)
    elif kind == CLASS:
        if state.classes[one].is_open():  # what it is may be known later
            state.solver.at_last(_iterate_class, state, frame, node, one, target)
        else:
            _iterate_class((), state, frame, node, one, target)


def _iterate_class(
    _: Iterable[int], state: State, frame: Frame, node: int, one: int, target: int
) -> None:
    variable = method(state, one, "__iter__")
    if variable is not None:
        _iterate_by(state, frame, node, one, variable, target, "__next__")
    elif "enum" in state.classes[one].traits:
        enum_members(state, one, target)


def _iterate_instance(
    state: State, frame: Frame, node: int, one: int, target: int, is_async: bool
) -> None:
    first, then = ("__aiter__", "__anext__") if is_async else ("__iter__", "__next__")
    variable = method(state, one, first)
    if variable is not None:
        _iterate_by(state, frame, node, one, variable, target, then)
        return
    variable = method(state, one, "__getitem__")
    if variable is not None:
        index = state.new()
        state.solver.put(index, state.objects.instance_of("builtins.int"))
        call_at(state, variable, one, frame, node, target, (index,))
        return
    info = state.classes[state.objects.first[one]]
    if "namedtuple" in info.traits:
        for name in field_names(state, info):
            load_attribute((one,), state, frame, node, name, target)
    else:
        state.solver.link(state.field(one, " items"), target)


def _iterate_by(
    state: State, frame: Frame, node: int, one: int, variable: int, target: int, then: str
) -> None:
    iterator = state.new()
    call_at(state, variable, one, frame, node, iterator)
    state.solver.watch(iterator, take_next, state, frame, node, target, then)


def take_next(
    found: Iterable[int], state: State, frame: Frame, node: int, target: int, then: str
) -> None:
    """Let what iterators give flow to a variable."""
    for one in found:
        kind = state.objects.kind[one] if one >= 0 else 0
        if kind == INSTANCE:
            variable = method(state, one, then)
            if variable is not None:
                result = state.new() if then == "__anext__" else target
                call_at(state, variable, one, frame, node, result)
                if then == "__anext__":
                    state.solver.watch(result, awaited, state, frame, node, target)
        else:
            iterate_object(state, frame, node, one, target, False)


def resume(state: State, one: int, target: int) -> None:
    """Let what an iterator gives flow to a variable, and what it returns to its end."""
    state.solver.link(state.containers[one].every, target)
    inner = state.extra.get(one)
    if isinstance(inner, Frame) and inner.body.is_generator:
        end = state.objects.instance_of("builtins.StopIteration")
        state.solver.link(inner.result, state.field(end, "value"))


def delegate(found: Iterable[int], state: State, frame: Frame, target: int) -> None:
    """Let what a generator returns be the value of `yield from`, and pass what is sent."""
    for one in found:
        inner = state.extra.get(one) if one >= 0 else None
        if isinstance(inner, Frame):
            state.solver.link(inner.result, target)
            state.solver.link(frame.sent, inner.sent)


def await_step(
    state: State, frame: Frame, node: int, value: Any, _: Any, __: str, ___: Any
) -> None:
    """Handle `await a`."""
    state.solver.watch(frame.offset + value, awaited, state, frame, node, frame.offset + node)


def awaited(found: Iterable[int], state: State, frame: Frame, node: int, target: int) -> None:
    """Let the result of awaitables flow to a variable."""
    for one in found:
        kind = state.objects.kind[one] if one >= 0 else 0
        if kind == CONTAINER:
            state.solver.link(state.containers[one].every, target)
        elif kind == INSTANCE:
            variable = method(state, one, "__await__")
            if variable is not None:
                made = state.new()
                call_at(state, variable, one, frame, node, made)
                state.solver.watch(made, delegate, state, frame, target)
        elif kind in (EXTERNAL_INSTANCE, UNKNOWN):
            state.solver.put(target, one)
