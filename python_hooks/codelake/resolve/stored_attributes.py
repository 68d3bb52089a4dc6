"""Stored attributes: objects, a name and a value -> what reads of the attribute find.

    c.m = f      a field of the instance; a property or descriptor of its class is called
    C.m = f      an attribute of the class, see patches.py for the order
    mod.f = g    a name of the module

Next: fields.py, patches.py.
"""

from __future__ import annotations

from collections.abc import Iterable

from codelake.resolve import fields, patches
from codelake.resolve.class_table import find, find_in, order_of, own_attribute
from codelake.resolve.descriptors import call_hook, delete_data, set_data
from codelake.resolve.objects import (
    BOUND,
    CACHED,
    CLASS,
    DISPATCH,
    EXTERNAL,
    EXTERNAL_INSTANCE,
    FUNCTION,
    INSTANCE,
    MODULE,
    PARTIAL,
    PROPERTY,
    SUPER,
)
from codelake.resolve.state import Frame, State, Tag

_GIVEN = frozenset(
    {FUNCTION, BOUND, PARTIAL, PROPERTY, DISPATCH, CACHED, EXTERNAL, EXTERNAL_INSTANCE}
)


def store_attribute(
    found: Iterable[int], state: State, frame: Frame, node: int, name: str, value: int,
    tag: Tag | None = None,
) -> None:  # fmt: skip
    """Store a value to an attribute of the objects."""
    objects = state.objects
    for one in found:
        kind = objects.kind[one] if one >= 0 else 0
        if kind == INSTANCE:
            place = state.files[frame.file].definitions[frame.owner]
            fields.write(state, one, name, value, tag, place.name == "__init__")
            info = state.classes[objects.first[one]]
            variable, _, _, _ = find_in(state, info.number, name)
            if variable is not None:
                state.solver.watch(variable, set_data, state, one, frame, node, value)
            if "__setattr__" in state.defined_names:
                call_hook(state, one, frame, node, "__setattr__", name, value)
        elif kind == CLASS:
            state.solver.link(value, own_attribute(state, state.classes[one], name))
            patches.note_store(state, frame, node, one, name, value)
        elif kind == MODULE and objects.first[one] >= 0:
            patches.note_store(state, frame, node, one, name, value)
            _store_module(state, objects.first[one], name, value)
        elif kind in _GIVEN:
            state.solver.link(value, state.field(one, name))
        elif kind == SUPER:
            store_attribute((objects.second[one],), state, frame, node, name, value)


def _store_module(state: State, file: int, name: str, value: int) -> None:
    """Store to a name of a module from outside; its functions see it."""
    state.solver.link(value, state.global_variable(file, name))
    for use, (symbol, resolution, _) in state.files[file].names.items():
        is_same = symbol == name and resolution in ("global", "builtin")
        if is_same and state.bodies[file].owner_of.get(use):
            state.solver.link(value, state.base[file] + use)


def delete_attribute(
    found: Iterable[int], state: State, frame: Frame, node: int, name: str
) -> None:
    """Call what runs when an attribute is deleted."""
    for one in found:
        if one >= 0 and state.objects.kind[one] == INSTANCE:
            if "__delattr__" in state.defined_names:
                call_hook(state, one, frame, node, "__delattr__", name, None)
            order = order_of(state, state.objects.first[one])
            variable, _, _, _ = find(state, order, name)
            if variable is not None:
                state.solver.watch(variable, delete_data, state, one, frame, node)
