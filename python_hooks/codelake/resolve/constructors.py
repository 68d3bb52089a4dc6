"""Constructors: a class that is called -> an instance, as metaclass, __new__ and __init__ say.

    C(1)       C.__new__ with C and 1, where there is one; C.__init__ with the instance and 1
    Data(1)    the fields of a data class, see known_classes.py
    Pet(1)     all members of an enumeration

Next: known_classes.py, contexts.py.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from codelake.resolve.class_table import find, is_instance
from codelake.resolve.contexts import instance_place
from codelake.resolve.enumerations import enum_members
from codelake.resolve.known_builtins import make_dict
from codelake.resolve.known_classes import fill_fields
from codelake.resolve.objects import CLASS, INSTANCE, STATIC
from codelake.resolve.state import Site, State

DEEPEST = 3  # classes that stand for the `__init__` of others, partials of partials


def call_class(state: State, one: int, site: Site) -> None:
    """Call a class: its metaclass may do it, else __new__ and __init__."""
    if site.depth >= DEEPEST:
        return
    info = state.classes[one]
    if info.definition >= 0:
        state.edge(site, info.definition, "constructor")
    elif "namedtuple" in info.traits:
        state.edge(site, "builtins.tuple.__new__", "external")
    key = ("class", one, site.number)
    info.lookups.append(("__init__", _construct_by_meta, state, one, site, key))
    if state.has_metaclasses or info.is_open():  # how it is made may be known later
        state.solver.at_last(_construct_by_meta, state, one, site, key)
    else:
        _construct((), state, one, site, key)


def _construct_by_meta(_: Any, state: State, one: int, site: Site, key: Any) -> None:
    """Let the `__call__` of a metaclass make an instance, where there is one."""
    info = state.classes[one]
    if info.metaclass >= 0:
        for meta in tuple(state.solver.get(info.metaclass)):
            if meta >= 0 and state.objects.kind[meta] == CLASS:
                variable, _, _, _ = find(state, state.classes[meta].order, "__call__")
                if variable is not None:
                    state.solver.watch(variable, state.call_method, state, site, one)
                    return
    _construct((), state, one, site, key)


def _construct(_: Any, state: State, one: int, site: Site, key: Any) -> None:
    info = state.classes[one]
    if "enum" in info.traits and site.values[0]:
        enum_members(state, one, site.result)
        return
    if "typeddict" in info.traits:
        make_dict(state, site)
        return
    variable, _, _, _ = find(state, info.order, "__new__")
    if variable is not None:
        made = state.new()
        if (*key, variable) in state.bound:
            return
        state.bound.add((*key, variable))
        cls = state.new()
        state.solver.put(cls, one)
        positional, keywords = site.values
        values = (((cls, False), *positional), keywords)
        inner = state.site(site.frame, site.node, made, values, site.kind)
        inner.depth = site.depth + 1
        state.solver.watch(variable, _call_new, state, inner)
        state.solver.link(made, site.result)
        state.solver.watch(made, _initialise_made, state, one, site, key)
        return
    made = state.objects.of(INSTANCE, one, instance_place(state, one, site))
    state.solver.put(site.result, made)
    _initialise(state, made, site, key)


def construct(state: State, one: int, site: Site) -> None:
    """Make an instance of a class without asking its metaclass."""
    _construct((), state, one, site, ("class", one, site.number))


def _call_new(found: Iterable[int], state: State, site: Site) -> None:
    for one in found:
        if one >= 0 and state.objects.kind[one] == STATIC:
            state.solver.watch(state.field(one, "function"), state.call, state, site)
        else:
            state.call((one,), state, site)


def _initialise_made(found: Iterable[int], state: State, cls: int, site: Site, key: Any) -> None:
    """Call __init__ of what __new__ has made, if it is an instance of the class."""
    for one in found:
        is_made = one >= 0 and state.objects.kind[one] == INSTANCE
        if is_made and is_instance(state, one, (cls,), False):
            _initialise(state, one, site, key)


def _initialise(state: State, made: int, site: Site, key: Any) -> None:
    """Call __init__ of a new instance, or fill the fields of a data class."""
    cls = state.objects.first[made]
    info = state.classes[cls]
    variable = find(state, info.order, "__init__")[0]
    if variable is None:
        fill_fields(state, made, site)
        return
    place = (*key, variable, made)
    if place in state.bound:
        return
    state.bound.add(place)
    inner = state.site(site.frame, site.node, state.new(), site.values, site.kind)
    inner.depth = site.depth + 1  # a class may have been stored as the `__init__` of another
    state.solver.watch(variable, state.call_method, state, inner, made)
