"""With, raise and except: what is entered and left, what is raised and caught.

    with m as x           __enter__ and __exit__ of m
    except E as e         instances of E that are raised anywhere
    raise e from f        f is e.__cause__

Next: known_calls.py.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from codelake.resolve import fields
from codelake.resolve.class_table import find, is_instance, order_of
from codelake.resolve.iteration import awaited
from codelake.resolve.objects import (
    CLASS,
    CONTAINER,
    EXTERNAL,
    EXTERNAL_INSTANCE,
    INSTANCE,
)
from codelake.resolve.special_methods import call_at, call_later, method
from codelake.resolve.state import IMPLICIT, Frame, State


def enter(
    found: Iterable[int], state: State, frame: Frame, node: int, is_async: bool, result: int,
    leaves: bool = True,
) -> None:  # fmt: skip
    """Enter and leave context managers."""
    first, last = ("__aenter__", "__aexit__") if is_async else ("__enter__", "__exit__")
    objects = state.objects
    for one in found:
        kind = objects.kind[one] if one >= 0 else 0
        if kind == INSTANCE:
            variable = method(state, one, first)
            if variable is not None:
                made = state.new() if is_async else result
                call_at(state, variable, one, frame, node, made)
                if is_async:
                    state.solver.watch(made, awaited, state, frame, node, result)
            else:
                order = order_of(state, objects.first[one])
                if find(state, order, first)[2] is not None:
                    state.solver.put(result, one)
            variable = method(state, one, last) if leaves else None
            if variable is not None:
                given = tuple(state.new() for _ in range(3))
                call_at(state, variable, one, frame, node, state.new(), given)
        elif kind == CONTAINER:
            if isinstance(state.extra.get(one), Frame):  # under contextlib.contextmanager
                state.solver.link(state.containers[one].every, result)
            elif objects.first[one] in ("contextlib.closing", "contextlib.nullcontext"):
                state.solver.link(state.containers[one].every, result)
                if objects.first[one] == "contextlib.closing":
                    call_later(state, state.containers[one].every, frame, node, "close", ())
            else:
                state.solver.put(result, one)
        elif kind == EXTERNAL_INSTANCE:
            state.solver.put(result, one)
            if objects.first[one] in ("contextlib.ExitStack", "contextlib.AsyncExitStack"):
                entered = state.field(-frame.number - 1, "exit stack")
                call_later(state, entered, frame, node, "__exit__", ())
                call_later(state, entered, frame, node, "__aexit__", ())


def raise_step(
    state: State, frame: Frame, node: int, value: Any, other: Any, _: str, __: Any
) -> None:
    """Handle `raise C`, `raise c` and `raise c from d`."""
    if value is None:
        return
    raised = state.raised if other is None else state.new()
    state.solver.watch(frame.offset + value, _raised, state, frame, node, raised)
    if other is not None:
        cause = state.new()
        state.solver.watch(frame.offset + other, _raised, state, frame, node, cause)
        state.solver.watch(raised, _give_cause, state, cause)
        state.solver.link(raised, state.raised)


def _raised(found: Iterable[int], state: State, frame: Frame, node: int, target: int) -> None:
    """Let instances flow to a variable, and those of classes that are raised or given as cause."""
    for one in found:
        kind = state.objects.kind[one] if one >= 0 else 0
        if kind == CLASS:
            site = state.site(frame, node, target, ((), ()), IMPLICIT)
            state.call((one,), state, site)
        elif kind == INSTANCE:
            state.solver.put(target, one)


def _give_cause(found: Iterable[int], state: State, cause: int) -> None:
    for one in found:
        if one >= 0 and state.objects.kind[one] == INSTANCE:
            fields.write(state, one, "__cause__", cause)


def handler_step(
    state: State, frame: Frame, node: int, value: Any, _: Any, text: str, __: Any
) -> None:
    """Handle `except C as e`: instances of C that are raised anywhere; `except*` gets a group."""
    if value is None:
        return
    target = frame.offset + node
    if text:
        target = _group(state, frame, node, frame.offset + value)
    block = (frame.number, state.files[frame.file].parents[node])
    before = tuple(state.handlers.setdefault(block, []))
    state.handlers[block].append(frame.offset + value)
    state.solver.watch(frame.offset + value, _caught, state, before, target)


def _group(state: State, frame: Frame, node: int, classes: int) -> int:
    """Return a variable of what the group of an `except*` holds."""
    place = (frame.number, node)
    number = state.objects.of(EXTERNAL_INSTANCE, "builtins.ExceptionGroup", place)
    held = state.container("builtins.tuple", ("exceptions", *place))
    state.solver.put(state.field(number, "exceptions"), held)
    state.solver.put(frame.offset + node, number)
    members = state.new()
    state.store_item(held, None, members)
    state.solver.watch(classes, _caught_in_group, state, members)
    return members


def _caught_in_group(found: Iterable[int], state: State, target: int) -> None:
    for one in found:
        if one >= 0 and state.objects.kind[one] in (CLASS, EXTERNAL):
            state.solver.watch(state.grouped, _pass_raised, state, one, (), target)
        elif one in state.containers:
            state.solver.watch(state.containers[one].every, _caught_in_group, state, target)


def _caught(found: Iterable[int], state: State, before: tuple[int, ...], target: int) -> None:
    objects = state.objects
    for one in found:
        kind = objects.kind[one] if one >= 0 else 0
        if kind == CONTAINER:
            key = ("caught", one, target)
            if key not in state.bound:
                state.bound.add(key)
                state.solver.watch(state.containers[one].every, _caught, state, before, target)
        elif kind == CLASS:
            state.solver.watch(state.raised, _pass_raised, state, one, before, target)
            state.caught.append((target, one))
        elif kind == EXTERNAL:
            state.solver.put(target, objects.instance_of(objects.first[one]))
            state.solver.watch(state.raised, _pass_raised, state, one, before, target)


def _pass_raised(
    found: Iterable[int], state: State, cls: int, before: tuple[int, ...], target: int
) -> None:
    """Let instances of a class pass that no handler before has caught."""
    for one in found:
        if is_instance(state, one, (cls,), False) and not any(
            is_instance(state, one, state.solver.get(earlier), False) for earlier in before
        ):
            state.solver.put(target, one)
