"""Descriptors: what an attribute of a class does when it is read, stored to or deleted.

    c.m        a function becomes BOUND(m, c)
    C.m        the function itself; a class method becomes BOUND(m, C)
    c.p        a property: an implicit call of its getter, of its setter for `c.p = 1`
    c.d        an instance of a class with __get__: an implicit call of it

Next: external_attributes.py, stored_attributes.py.
"""

from __future__ import annotations

from collections.abc import Iterable

from codelake.resolve.class_table import find, find_in, order_of
from codelake.resolve.enumerations import enum_member
from codelake.resolve.objects import (
    BOUND,
    CACHED,
    CLASS,
    CLASS_METHOD,
    DISPATCH,
    FUNCTION,
    INSTANCE,
    PROPERTY,
    STATIC,
    WRAPPER,
)
from codelake.resolve.state import IMPLICIT, Frame, State


def bind(
    found: Iterable[int], state: State, one: int, frame: Frame, node: int, target: int,
    only_data: bool = False,
) -> None:  # fmt: skip
    """Let an attribute of a class, read through an instance (or super), flow to a variable."""
    objects = state.objects
    for value in found:
        kind = objects.kind[value] if value >= 0 else 0
        if kind in (PROPERTY, CACHED):
            site = state.site(frame, node, target, ((), ()), IMPLICIT)
            state.solver.watch(state.field(value, "get"), state.call_method, state, site, one)
        elif only_data and not _is_data(state, value):
            continue
        elif kind in (FUNCTION, DISPATCH) or value in state.partial_methods:
            state.solver.put(target, objects.of(BOUND, value, one))
        elif kind == STATIC:
            state.solver.link(state.field(value, "function"), target)
        elif kind == CLASS_METHOD:
            owner = class_of(state, one)
            state.solver.watch(state.field(value, "function"), _bind_to, state, owner, target)
        elif kind == INSTANCE and "__get__" in state.defined_names:
            descriptor(state, value, one, frame, node, target)
        else:
            state.solver.put(target, value)


def bind_class(
    found: Iterable[int], state: State, one: int, frame: Frame, node: int, target: int, member: str
) -> None:
    """Let an attribute, read through its class, flow to a variable."""
    objects = state.objects
    if "enum" not in state.classes[one].traits:
        member = ""
    for value in found:
        kind = objects.kind[value] if value >= 0 else 0
        if kind == STATIC:
            state.solver.link(state.field(value, "function"), target)
        elif kind == CLASS_METHOD:
            state.solver.watch(state.field(value, "function"), _bind_to, state, one, target)
        elif kind == INSTANCE and "__get__" in state.defined_names:
            descriptor(state, value, one, frame, node, target)
        elif member and kind == WRAPPER:
            made = objects.of(INSTANCE, one, f"member {member}")
            state.solver.link(state.field(value, "function"), state.field(made, "value"))
            state.solver.put(target, made)
        elif member and kind not in (FUNCTION, PROPERTY, CACHED, CLASS):
            state.solver.put(target, enum_member(state, one, member, value))
        else:
            state.solver.put(target, value)


def _bind_to(found: Iterable[int], state: State, owner: int, target: int) -> None:
    for value in found:
        state.solver.put(target, state.objects.of(BOUND, value, owner))


def _is_data(state: State, value: int) -> bool:
    """Tell whether an attribute of a class comes before what the instance was given itself."""
    if "__set__" not in state.defined_names or value < 0 or state.objects.kind[value] != INSTANCE:
        return False
    return find_in(state, state.objects.first[value], "__set__")[0] is not None


def class_of(state: State, one: int) -> int:
    """Return the class of an instance, or the class that was given."""
    objects = state.objects
    if objects.kind[one] == INSTANCE:
        return int(objects.first[one])
    return one


def descriptor(state: State, value: int, one: int, frame: Frame, node: int, target: int) -> None:
    """Call `__get__` of an instance that is an attribute of a class."""
    variable, _, _, _ = find_in(state, state.objects.first[value], "__get__")
    if variable is None:
        state.solver.put(target, value)
        return
    receiver, owner = state.new(), state.new()
    if state.objects.kind[one] == INSTANCE:
        state.solver.put(receiver, one)
    else:
        state.solver.put(receiver, state.objects.none)
        state.only_none.add(receiver)
    state.solver.put(owner, class_of(state, one))
    values = (((receiver, False), (owner, False)), ())
    site = state.site(frame, node, target, values, IMPLICIT)
    state.solver.watch(variable, state.call_method, state, site, value)


def set_data(
    found: Iterable[int], state: State, one: int, frame: Frame, node: int, value: int
) -> None:
    """Call what a property or a descriptor does when it is stored to."""
    for item in found:
        kind = state.objects.kind[item] if item >= 0 else 0
        if kind == PROPERTY:
            site = state.site(frame, node, state.new(), (((value, False),), ()), IMPLICIT)
            state.solver.watch(state.field(item, "set"), state.call_method, state, site, one)
        elif kind == INSTANCE and "__set__" in state.defined_names:
            order = order_of(state, state.objects.first[item])
            variable, _, _, _ = find(state, order, "__set__")
            if variable is not None:
                receiver = state.new()
                state.solver.put(receiver, one)
                values = (((receiver, False), (value, False)), ())
                site = state.site(frame, node, state.new(), values, IMPLICIT)
                state.solver.watch(variable, state.call_method, state, site, item)


def delete_data(found: Iterable[int], state: State, one: int, frame: Frame, node: int) -> None:
    """Call what a property or a descriptor does when it is deleted."""
    for item in found:
        kind = state.objects.kind[item] if item >= 0 else 0
        if kind == PROPERTY:
            site = state.site(frame, node, state.new(), ((), ()), IMPLICIT)
            state.solver.watch(state.field(item, "del"), state.call_method, state, site, one)
        elif kind == INSTANCE and "__delete__" in state.defined_names:
            order = order_of(state, state.objects.first[item])
            variable, _, _, _ = find(state, order, "__delete__")
            if variable is not None:
                receiver = state.new()
                state.solver.put(receiver, one)
                site = state.site(frame, node, state.new(), (((receiver, False),), ()), IMPLICIT)
                state.solver.watch(variable, state.call_method, state, site, item)


def call_hook(
    state: State, one: int, frame: Frame, node: int, hook: str, name: str, value: int | None
) -> None:
    """Call `__getattribute__`, `__setattr__` or `__delattr__` of an instance, where it has one."""
    variable, _, _, _ = find_in(state, state.objects.first[one], hook)
    if variable is None:
        return
    text = state.new()
    state.solver.put(text, state.objects.known_text(name))
    given = ((text, False),) if value is None else ((text, False), (value, False))
    site = state.site(frame, node, state.new(), (given, ()), IMPLICIT)
    state.solver.watch(variable, state.call_method, state, site, one)
