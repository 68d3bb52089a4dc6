"""Dispatch: functools.singledispatch, by the class of the first argument.

    @show.register              show(1) calls the implementation for int,
    def _(x: int): ...          show(1.5) the function that was decorated

Classes are those of `register(cls)`, else the annotation of the first parameter. Where the argument
is not known, every implementation is called. Next: known_calls.py.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from codelake.resolve.annotations import annotated
from codelake.resolve.class_table import is_instance
from codelake.resolve.objects import (
    BOUND,
    CLASS,
    CONTAINER,
    EXTERNAL,
    EXTERNAL_INSTANCE,
    FUNCTION,
    INSTANCE,
    WRAPPER,
)
from codelake.resolve.state import Site, State


def register(state: State, site: Site, receiver: int) -> None:
    """Register an implementation: as a decorator, with a class, or with both."""
    place = state.field(receiver, "function")
    positional = site.values[0]
    for variable, _ in positional:
        state.solver.watch(variable, _register, state, place)
    if len(positional) == 1:
        state.solver.watch(positional[0][0], _register_result, state, site, receiver)
    elif len(positional) == 2:
        state.solver.watch(positional[0][0], _register_both, state, positional[1][0])


def note_class(found: Iterable[int], state: State, cls: int) -> None:
    """Note the class for which functions are registered."""
    for one in found:
        classes = state.dispatched.setdefault(one, [])
        if cls not in classes:
            classes.append(cls)


def call_dispatching(state: State, one: int, site: Site, receiver: int | None) -> None:
    """Call the implementations that fit the first argument, when everything else is known."""
    state.solver.at_last(_call, state, one, site, receiver)


def _register(found: Iterable[int], state: State, place: int) -> None:
    for one in found:
        if one >= 0 and state.objects.kind[one] in (FUNCTION, BOUND):
            state.solver.put(place, one)


def _register_both(found: Iterable[int], state: State, function: int) -> None:
    for cls in found:
        state.solver.watch(function, note_class, state, cls)


def _register_result(found: Iterable[int], state: State, site: Site, receiver: int) -> None:
    objects = state.objects
    for one in found:
        kind = objects.kind[one] if one >= 0 else 0
        if kind in (FUNCTION, BOUND):
            state.solver.put(site.result, one)
        elif kind in (CLASS, EXTERNAL, CONTAINER):
            wrapper = objects.of(WRAPPER, site.frame.number, site.node)
            state.extra[wrapper] = (state.field(receiver, "function"), one)
            state.solver.put(site.result, wrapper)


def _call(_: Any, state: State, one: int, site: Site, receiver: int | None) -> None:
    positional = site.values[0]
    functions = state.field(one, "function")
    if not positional or positional[0][1] or not state.solver.get(positional[0][0]):
        state.solver.watch(functions, _call_each, state, site, receiver)
        return
    state.solver.watch(positional[0][0], _call_fitting, state, functions, site, receiver)


def _call_each(found: Iterable[int], state: State, site: Site, receiver: int | None) -> None:
    if receiver is None:
        state.call(found, state, site)
    else:
        state.call_method(found, state, site, receiver)


def _call_fitting(
    found: Iterable[int], state: State, functions: int, site: Site, receiver: int | None
) -> None:
    known = sorted(state.solver.get(functions))
    classes = {function: _classes(state, function, receiver) for function in known}
    for argument in found:
        fitting = [
            function
            for function in known
            if classes[function] and is_instance(state, argument, classes[function], False)
        ]
        if not fitting:
            fitting = [function for function in known if not classes[function]]
        _call_each(_nearest(state, argument, fitting, classes), state, site, receiver)


def _nearest(
    state: State, argument: int, fitting: list[int], classes: dict[int, list[int]]
) -> list[int]:
    """Return the implementations for the most derived class."""
    if len(fitting) < 2 or argument < 0 or state.objects.kind[argument] != INSTANCE:
        return fitting
    for cls in state.classes[state.objects.first[argument]].order:
        nearest = [function for function in fitting if cls in classes[function]]
        if nearest:
            return nearest
    return fitting


def _classes(state: State, function: int, receiver: int | None) -> list[int]:
    """Return the classes for which an implementation is registered."""
    known = state.dispatched.get(function)
    if known is not None:
        return known
    objects = state.objects
    if function < 0 or objects.kind[function] != FUNCTION:
        return []
    env = state.frames[objects.second[function]]
    definition = objects.first[function]
    body = state.bodies[env.file].body(state.number_of[definition])
    parameters = body.signature.positional[0 if receiver is None else 1 :]
    if not parameters or parameters[0].annotation is None:
        return []
    found = []
    for one in annotated(state, env, parameters[0].annotation):
        kind = objects.kind[one] if one >= 0 else 0
        if kind == INSTANCE:
            found.append(objects.first[one])
        elif kind in (EXTERNAL_INSTANCE, CONTAINER):
            found.append(objects.external(objects.first[one]))
    return found
