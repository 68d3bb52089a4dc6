"""Special methods: what Python calls on behalf of syntax and builtins, looked up in the class.

    str(x)        __str__ of x, else its __repr__
    if x: ...     __bool__ of x, else its __len__

Next: iteration.py, operators.py, items.py, managers.py.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from codelake.resolve.class_table import find, find_in
from codelake.resolve.objects import (
    CLASS,
    INSTANCE,
)
from codelake.resolve.state import IMPLICIT, Frame, State

_WITH_CLASS = frozenset({INSTANCE, CLASS})


_NO_VALUES: tuple[Any, Any] = ((), ())


def method(state: State, one: int, name: str) -> int | None:
    """Return the variable of a special method of an instance, or of the metaclass of a class."""
    if one < 0 or (name not in state.defined_names and name not in _ASSIGNED):
        return None
    kind = state.objects.kind[one]
    if kind == INSTANCE:
        return find_in(state, state.objects.first[one], name)[0]
    if kind == CLASS:
        info = state.classes[one]
        for meta in tuple(state.solver.get(info.metaclass)) if info.metaclass >= 0 else ():
            if meta >= 0 and state.objects.kind[meta] == CLASS:
                found = find(state, state.classes[meta].order, name)[0]
                if found is not None:
                    return found
    return None


_ASSIGNED = frozenset({"__iter__", "__hash__", "__bool__", "__radd__", "__ne__", "__str__"})


def call_at(
    state: State,
    variable: int,
    one: int,
    frame: Frame,
    node: int,
    result: int,
    given: tuple[int, ...] = (),
) -> None:
    """Call a special method implicitly at a node, with further arguments.

    All objects whose class finds the same method there share one site.
    """
    key = (variable, frame.number, node, given)
    known = state.special_sites.get(key)
    if known is None:
        values = (tuple([(item, False) for item in given]), ()) if given else _NO_VALUES
        known = state.site(frame, node, result, values, IMPLICIT), set()
        state.special_sites[key] = known
    site, receivers = known
    state.solver.link(site.result, result)
    if one not in receivers:
        receivers.add(one)
        state.solver.watch(variable, state.call_method, state, site, one)


def call_special(
    found: Iterable[int], state: State, frame: Frame, node: int, name: str, result: int = -1
) -> None:
    """Call a special method of the objects; __str__ and __format__ fall back as Python does."""
    kinds = state.objects.kind
    for one in found:
        if one < 0 or kinds[one] not in _WITH_CLASS:
            continue
        for method_name in _FALLBACKS.get(name, (name,)):
            variable = method(state, one, method_name)
            if variable is not None:
                call_at(state, variable, one, frame, node, state.new() if result < 0 else result)
                break


_FALLBACKS = {
    "__str__": ("__str__", "__repr__"),
    "__format__": ("__format__", "__str__", "__repr__"),
    "__bool__": ("__bool__", "__len__"),
    "__iter__": ("__iter__", "__getitem__"),
    "__contains__": ("__contains__", "__iter__", "__getitem__"),
    "__int__": ("__int__", "__index__"),
}


def truth(found: Iterable[int], state: State, frame: Frame, node: int) -> None:
    """Ask objects for their truth."""
    if "__bool__" in state.defined_names or "__len__" in state.defined_names:
        call_special(found, state, frame, node, "__bool__")


def call_later(
    state: State, variable: int, frame: Frame, node: int, name: str, given: tuple[int, ...]
) -> None:
    """Call a special method of whatever arrives at a variable."""
    if name in state.defined_names:
        state.solver.watch(variable, _call_given, state, frame, node, name, given)


def _call_given(
    found: Iterable[int], state: State, frame: Frame, node: int, name: str, given: tuple[int, ...]
) -> None:
    for one in found:
        variable = method(state, one, name)
        if variable is not None:
            call_at(state, variable, one, frame, node, state.new(), given)


def hashed(state: State, frame: Frame, node: int, variable: int) -> None:
    """Hash what goes into a set or becomes a key."""
    call_later(state, variable, frame, node, "__hash__", ())
