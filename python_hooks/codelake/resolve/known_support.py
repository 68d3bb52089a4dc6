"""Support of known calls: arguments by position or name, callbacks, containers that calls make.

    sorted(xs, key=f)     argument(site, 9, "key") is f; callback(...) calls it with the items

Next: known_builtins.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from codelake.resolve import iteration, special_methods
from codelake.resolve.items import store_by_keys
from codelake.resolve.known_types import call_type, is_class_name, make_type
from codelake.resolve.objects import (
    CONTAINER,
    EXTERNAL,
    EXTERNAL_INSTANCE,
)
from codelake.resolve.state import CALLBACK, Site, State

SPECIAL = {
    f"builtins.{name}": f"__{name}__"
    for name in (
        *("bool", "bytes", "complex", "dir", "float", "format", "hash"),
        *("int", "len", "repr", "str"),
    )
}
"""Builtins whose work is done by a special method of their argument."""

type Model = Callable[[State, Site], None]
type MethodModel = Callable[[State, Site, int], None]


def argument(site: Site, position: int, name: str | None = None) -> int | None:
    """Return the variable of an argument by position or keyword."""
    positional, keywords = site.values
    if 0 <= position < len(positional) and not any(star for _, star in positional[: position + 1]):
        return positional[position][0]
    if name is not None:
        for keyword, variable in keywords:
            if keyword == name:
                return variable
    return None


def callback(state: State, site: Site, variable: int, given: tuple[int, ...]) -> int:
    """Call back what was handed over, and return the variable of its result."""
    result = state.new()
    values = (tuple([(item, False) for item in given]), ())
    inner = state.site(site.frame, site.node, result, values, CALLBACK)
    state.solver.watch(variable, call_back, state, inner)
    return result


def call_back(found: Iterable[int], state: State, site: Site) -> None:
    """Call what was handed over; of externals only the type of the result matters."""
    kept = [
        one
        for one in found
        if one >= 0 and state.objects.kind[one] not in (EXTERNAL, EXTERNAL_INSTANCE)
    ]
    state.call(kept, state, site)
    for one in found:
        if one >= 0 and state.objects.kind[one] == EXTERNAL:
            name = state.objects.first[one]
            if name in SPECIAL and site.values[0]:
                given, frame, node = site.values[0][0][0], site.frame, site.node
                called = special_methods.call_special
                state.solver.watch(given, called, state, frame, node, SPECIAL[name])
            kind = call_type(name)
            if kind is not None and kind != "unknown":
                state.solver.put(site.result, make_type(state, kind))
            elif is_class_name(name):
                _callback_class(state, name, site)


def _callback_class(state: State, name: str, site: Site) -> None:
    if name in _CONTAINER_TYPES:
        made = state.container(name, ("callback", site.number))
        state.solver.put(site.result, made)
    else:
        state.solver.put(site.result, state.objects.instance_of(name))


_CONTAINER_TYPES = frozenset(
    {"builtins.list", "builtins.dict", "builtins.set", "builtins.tuple", "builtins.frozenset"}
)


def items_of(state: State, site: Site, variable: int) -> int:
    """Return a variable with the elements of what is iterated, at the call."""
    target = state.new()
    iteration.iterate(state, site.frame, site.node, variable, target, False)
    return target


def made(state: State, site: Site, kind: str) -> int:
    """Return the container that a call makes."""
    return state.container(kind, (site.frame.number, site.node))


def fill(state: State, number: int, variable: int) -> None:
    """Let a variable be items of a container, at unknown positions."""
    state.store_item(number, None, variable)


def take_pair(found: Iterable[int], state: State, number: int) -> None:
    """Let a pair be an entry of a mapping."""
    for one in found:
        if one >= 0 and state.objects.kind[one] == CONTAINER and one != number:
            if state.objects.first[one] not in ("builtins.tuple", "builtins.list"):
                continue
            value, name = state.new(), state.new()
            state.load_item(one, "int:1", value)
            state.load_item(one, "int:0", name)
            state.solver.link(name, state.containers[number].names)
            state.solver.watch(name, store_by_keys, state, number, value)
            state.solver.link(value, state.containers[number].every)


def compare_items(state: State, site: Site, items: int, key: int | None) -> None:
    """Compare items, or what a key function makes of them."""
    if key is not None:
        items = callback(state, site, key, (items,))
    special_methods.call_later(state, items, site.frame, site.node, "__lt__", (items,))


def pairs(state: State, site: Site, kind: str, first: int | None, second: int) -> int:
    """Let the result of a call be pairs, and return it; without a first part, of a number."""
    number = state.container(kind, ("pairs", site.frame.number, site.node))
    row = state.container("builtins.tuple", ("row", site.frame.number, site.node))
    if first is None:
        first = state.new()
        state.solver.put(first, state.objects.instance_of("builtins.int"))
    state.containers[row].size = 2
    state.store_item(row, "int:0", first)
    state.store_item(row, "int:1", second)
    item = state.new()
    state.solver.put(item, row)
    fill(state, number, item)
    state.solver.put(site.result, number)
    return number


def same_number(found: Iterable[int], state: State, target: int) -> None:
    """Let values of builtin types flow to a variable."""
    for one in found:
        if one >= 0 and state.objects.kind[one] == EXTERNAL_INSTANCE:
            state.solver.put(target, one)
