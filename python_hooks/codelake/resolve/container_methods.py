"""Methods of containers: what they put in and give out.

    xs.append(x)          x is an item of xs
    d.get("k", f)         the item of that key, or f

Next: known_calls.py.
"""

from __future__ import annotations

from collections.abc import Callable

from codelake.resolve import items, iteration, keyed_items, special_methods
from codelake.resolve.known_support import (
    argument,
    callback,
    compare_items,
    fill,
    items_of,
    made,
    pairs,
    take_pair,
)
from codelake.resolve.objects import MAPPINGS
from codelake.resolve.state import Frame, Site, State

_ROWS = 12  # entries of mappings that a loop tells apart


def _append(state: State, site: Site, one: int) -> None:
    variable = argument(site, len(site.values[0]) - 1)
    if variable is not None:
        place = items.growth(state, site.frame, site.node, one)
        state.store_item(one, None if place is None else f"int:{place}", variable)
        if state.objects.first[one] in ("builtins.set", "builtins.frozenset"):
            special_methods.hashed(state, site.frame, site.node, variable)
            every = state.containers[one].every
            special_methods.call_later(state, every, site.frame, site.node, "__eq__", (variable,))
    state.solver.put(site.result, state.objects.none)


def _insert(state: State, site: Site, one: int) -> None:
    _append(state, site, one)
    items.move(state, one)


def _extend(state: State, site: Site, one: int) -> None:
    place = items.growth(state, site.frame, site.node, one)
    for variable, _ in site.values[0]:
        if place is not None:
            state.solver.watch(variable, items.take_at, state, one, place)
        else:
            fill(state, one, items_of(state, site, variable))


def _update(state: State, site: Site, one: int) -> None:
    kind = state.objects.first[one]
    if kind in ("builtins.set", "builtins.frozenset"):
        _extend(state, site, one)
        return
    for variable, _ in site.values[0]:
        state.solver.watch(variable, items.merge_mapping, state, one)
        state.solver.watch(items_of(state, site, variable), take_pair, state, one)
    for name, variable in site.values[1]:
        if name is None:
            state.solver.watch(variable, items.merge_mapping, state, one)
        else:
            state.store_named(one, name, variable)


def _get(state: State, site: Site, one: int) -> None:
    """Handle get, pop and setdefault: an item by key, or the default."""
    key = argument(site, 0)
    container = state.containers[one]
    is_mapping = state.objects.first[one] in MAPPINGS
    settled = items.settled(state, site.frame, site.node, one)
    if settled is not None:
        state.solver.link(settled, site.result)
        items.move(state, one)
        return
    if key is None or not is_mapping:
        state.solver.link(container.every, site.result)
        if key is not None:
            items.move(state, one)
    else:
        items.load_item((one,), state, site.frame, site.node, None, key, site.result)
    default = argument(site, 1, "default")
    if default is not None:
        state.solver.link(default, site.result)


def _setdefault(state: State, site: Site, one: int) -> None:
    _get(state, site, one)
    key, default = argument(site, 0), argument(site, 1)
    if key is not None and default is not None:
        items.store_item((one,), state, site.frame, site.node, None, key, default)


def _items(state: State, site: Site, one: int) -> None:
    """Give the entries as pairs; those of known keys by themselves, where that matters."""
    container = state.containers[one]
    if not keyed_items.is_taken_apart(state.bodies[site.frame.file], site.frame.owner, site.node):
        pairs(state, site, "builtins.dict_items", container.names, container.every)
        return
    rest = state.new()
    state.solver.link(container.loose, rest)
    number = pairs(state, site, "builtins.dict_items", container.names, rest)
    if ("items", site.number, one) in state.bound:
        return
    state.bound.add(("items", site.number, one))
    rows: set[str] = state.extra.setdefault(number, set())

    def listen(key: str, variable: int) -> None:
        name = items.key_object(state, key)
        if name is None or (len(rows) >= _ROWS and key not in rows):
            state.solver.link(variable, rest)
            return
        rows.add(key)
        row = state.container("builtins.tuple", ("row", site.frame.number, site.node, key))
        state.containers[row].size = 2
        state.solver.put(state.key_variable(state.containers[row], "int:0"), name)
        state.store_item(row, "int:1", variable)
        item = state.new()
        state.solver.put(item, row)
        fill(state, number, item)

    for key, variable in tuple(container.keys.items()):
        listen(key, variable)
    container.listeners.append(listen)


def _popitem(state: State, site: Site, one: int) -> None:
    container = state.containers[one]
    row = state.container("builtins.tuple", ("row", site.frame.number, site.node))
    state.store_item(row, "int:0", container.names)
    state.store_item(row, "int:1", container.every)
    state.solver.put(site.result, row)


def _keys(state: State, site: Site, one: int) -> None:
    number = made(state, site, "builtins.dict_keys")
    fill(state, number, state.containers[one].names)
    state.solver.put(site.result, number)


def _values(state: State, site: Site, one: int) -> None:
    number = made(state, site, "builtins.dict_values")
    fill(state, number, state.containers[one].every)
    state.solver.put(site.result, number)


def _copy_container(state: State, site: Site, one: int) -> None:
    number = made(state, site, state.objects.first[one])
    items.merge_mapping((one,), state, number)
    state.solver.put(site.result, number)


def _union(state: State, site: Site, one: int) -> None:
    number = made(state, site, state.objects.first[one])
    fill(state, number, state.containers[one].every)
    for variable, _ in site.values[0]:
        fill(state, number, items_of(state, site, variable))
    state.solver.put(site.result, number)


def _sort(state: State, site: Site, one: int) -> None:
    container = state.containers[one]
    compare_items(state, site, container.every, argument(site, 9, "key"))
    items.move(state, one)
    state.solver.put(site.result, state.objects.none)


def _reorder(state: State, _: Site, one: int) -> None:
    items.move(state, one)


def _remove(state: State, site: Site, one: int) -> None:
    _search(state, site, one)
    items.move(state, one)


def _search(state: State, site: Site, one: int) -> None:
    variable = argument(site, 0)
    if variable is not None:
        every = state.containers[one].every
        special_methods.call_later(state, every, site.frame, site.node, "__eq__", (variable,))
    state.solver.put(site.result, state.objects.instance_of("builtins.int"))


def _send(state: State, site: Site, one: int) -> None:
    """Send to a generator: what is sent is the value of its yield."""
    inner = state.extra.get(one)
    variable = argument(site, 0)
    if isinstance(inner, Frame) and variable is not None:
        state.solver.link(variable, inner.sent)
    iteration.resume(state, one, site.result)


def _asend(state: State, site: Site, one: int) -> None:
    inner = state.extra.get(one)
    variable = argument(site, 0)
    if isinstance(inner, Frame) and variable is not None:
        state.solver.link(variable, inner.sent)
    number = made(state, site, "types.CoroutineType")
    fill(state, number, state.containers[one].every)
    state.solver.put(site.result, number)


def _self(state: State, site: Site, one: int) -> None:
    state.solver.put(site.result, one)


def _item_method(state: State, site: Site, one: int) -> None:
    key = argument(site, 0)
    if key is not None:
        items.load_item((one,), state, site.frame, site.node, None, key, site.result)


def _set_item_method(state: State, site: Site, one: int) -> None:
    key, value = argument(site, 0), argument(site, 1)
    if key is not None and value is not None:
        items.store_item((one,), state, site.frame, site.node, None, key, value)


def _element(state: State, site: Site, one: int) -> None:
    iteration.resume(state, one, site.result)


def _done_callback(state: State, site: Site, one: int) -> None:
    variable = argument(site, 0)
    if variable is not None:
        given = state.new()
        state.solver.put(given, one)
        callback(state, site, variable, (given,))


METHODS: dict[str, Callable[[State, Site, int], None]] = {
    **dict.fromkeys(("append", "add", "put", "put_nowait", "set_result"), _append),
    **dict.fromkeys(("insert", "appendleft"), _insert),
    **dict.fromkeys(("extend", "extendleft"), _extend),
    **dict.fromkeys(("update", "intersection_update"), _update),
    **dict.fromkeys(("get", "pop", "popleft", "get_nowait"), _get),
    "setdefault": _setdefault,
    "items": _items,
    "popitem": _popitem,
    "keys": _keys,
    "values": _values,
    **dict.fromkeys(("copy", "__copy__"), _copy_container),
    **dict.fromkeys(("union", "difference", "intersection", "symmetric_difference"), _union),
    "sort": _sort,
    **dict.fromkeys(("reverse", "rotate"), _reorder),
    **dict.fromkeys(("index", "count"), _search),
    "remove": _remove,
    **dict.fromkeys(("send", "throw"), _send),
    **dict.fromkeys(("asend",), _asend),
    **dict.fromkeys(("__iter__", "__enter__", "__aiter__"), _self),
    "__getitem__": _item_method,
    "__setitem__": _set_item_method,
    **dict.fromkeys(("__next__", "result"), _element),
    "__anext__": _asend,
    "add_done_callback": _done_callback,
}
