"""Known builtins: what builtin functions do with what they are handed.

    sorted(xs, key=f)     f is called back with the items; the result is a list of them
    len(x)                __len__ of x; an int

Next: known_reflection.py, known_decorators.py.
"""

from __future__ import annotations

from collections.abc import Iterable

from codelake.resolve import items, iteration, special_methods
from codelake.resolve.known_support import (
    SPECIAL,
    Model,
    argument,
    call_back,
    callback,
    compare_items,
    fill,
    items_of,
    made,
    pairs,
    same_number,
    take_pair,
)
from codelake.resolve.known_types import make_type
from codelake.resolve.objects import (
    CONTAINER,
    SEQUENCES,
)
from codelake.resolve.state import CALLBACK, Site, State

_ROWS = 16  # of a zip that are told apart


def collect(kind: str, ordered: bool = False) -> Model:
    """Make a model of a container that is made of what it is handed."""

    def model(state: State, site: Site) -> None:
        number = made(state, site, kind)
        source = argument(site, 0)
        if source is not None:
            if ordered:
                _copy_sequence(state, site, source, number)
            else:
                fill(state, number, items_of(state, site, source))
            if kind in ("builtins.set", "builtins.frozenset"):
                special_methods.hashed(state, site.frame, site.node, items_of(state, site, source))
        state.solver.put(site.result, number)

    return model


def _copy_sequence(state: State, site: Site, source: int, number: int) -> None:
    """Make a list or tuple of what is handed over; its length is asked for first."""
    special_methods.call_later(state, source, site.frame, site.node, "__len__", ())
    state.solver.link(items_of(state, site, source), state.containers[number].every)
    state.solver.watch(source, items.copy_positions, state, site.frame, site.node, number)


def make_dict(state: State, site: Site, kind: str = "builtins.dict") -> None:
    """Make a mapping of another one, of pairs and of keywords."""
    number = made(state, site, kind)
    source = argument(site, 0)
    if source is not None:
        state.solver.watch(source, items.merge_mapping, state, number)
        pairs = items_of(state, site, source)
        state.solver.watch(pairs, take_pair, state, number)
    for name, variable in site.values[1]:
        if name is None:
            state.solver.watch(variable, items.merge_mapping, state, number)
        else:
            state.store_named(number, name, variable)
    state.solver.put(site.result, number)


def _from_keys(state: State, site: Site) -> None:
    """Make a mapping that has one value at each of the keys."""
    number = made(state, site, "builtins.dict")
    source, value = argument(site, 0), argument(site, 1)
    if source is not None and value is not None:
        keys = items_of(state, site, source)
        state.solver.link(keys, state.containers[number].names)
        items.store_entry(state, number, keys, value)
    state.solver.put(site.result, number)


def _ordered_dict(state: State, site: Site) -> None:
    make_dict(state, site, "collections.OrderedDict")


def _sorted(state: State, site: Site) -> None:
    number = made(state, site, "builtins.list")
    source = argument(site, 0)
    if source is not None:
        special_methods.call_later(state, source, site.frame, site.node, "__len__", ())
        items = items_of(state, site, source)
        fill(state, number, items)
        compare_items(state, site, items, argument(site, 9, "key"))
    state.solver.put(site.result, number)


def _best(state: State, site: Site) -> None:
    """Handle min and max: the items themselves, or the arguments."""
    positional = site.values[0]
    items = state.new()
    if len(positional) == 1 and not positional[0][1]:
        iteration.iterate(state, site.frame, site.node, positional[0][0], items, False)
    else:
        for variable, starred in positional:
            state.solver.link(items_of(state, site, variable) if starred else variable, items)
    key = argument(site, 9, "key")
    if key is not None:
        callback(state, site, key, (items,))
    else:
        special_methods.call_later(state, items, site.frame, site.node, "__lt__", (items,))
        special_methods.call_later(state, items, site.frame, site.node, "__gt__", (items,))
    default = argument(site, 9, "default")
    if default is not None:
        state.solver.link(default, site.result)
    state.solver.link(items, site.result)


def _map(state: State, site: Site) -> None:
    number = made(state, site, "builtins.map")
    function = argument(site, 0)
    if function is not None:
        given = tuple(
            items_of(state, site, variable) for variable, star in site.values[0][1:] if not star
        )
        fill(state, number, callback(state, site, function, given))
    state.solver.put(site.result, number)


def _starmap(state: State, site: Site) -> None:
    number = made(state, site, "builtins.map")
    function, source = argument(site, 0), argument(site, 1)
    if function is not None and source is not None:
        rows = items_of(state, site, source)
        result = state.new()
        inner = state.site(site.frame, site.node, result, (((rows, True),), ()), CALLBACK)
        state.solver.watch(function, call_back, state, inner)
        fill(state, number, result)
    state.solver.put(site.result, number)


def _filter(state: State, site: Site) -> None:
    number = made(state, site, "builtins.filter")
    function, source = argument(site, 0), argument(site, 1)
    if function is not None and source is not None:
        items = items_of(state, site, source)
        callback(state, site, function, (items,))
        fill(state, number, items)
        state.solver.watch(items, special_methods.truth, state, site.frame, site.node)
    state.solver.put(site.result, number)


def _zip(state: State, site: Site) -> None:
    """Make rows: of items at the same position where those are known, else of any items."""
    state.solver.put(site.result, made(state, site, "builtins.zip"))
    if not site.values[0] or any(starred for _, starred in site.values[0]):
        _zip_any((), state, site)
        return
    for variable, _ in site.values[0]:
        state.solver.watch(variable, _zip_in_order, state, site)
    state.solver.at_last(_zip_in_order, state, site, True)


def _zip_in_order(_: Iterable[int], state: State, site: Site, is_last: bool = False) -> None:
    columns = [tuple(state.solver.get(variable)) for variable, _ in site.values[0]]
    if not is_last and not all(columns):
        return
    sizes = [max((_known_size(state, one) for one in held), default=-1) for held in columns]
    if min(sizes) < 0 or any(_known_size(state, one) < 0 for held in columns for one in held):
        _zip_any((), state, site)
        return
    number = made(state, site, "builtins.zip")
    for index in range(min(sizes)):
        row = state.container("builtins.tuple", ("row", site.frame.number, site.node, index))
        state.containers[row].size = len(columns)
        for place, held in enumerate(columns):
            cell = state.key_variable(state.containers[row], f"int:{place}")
            for one in held:
                state.load_item(one, f"int:{index}", cell)
        state.solver.put(state.key_variable(state.containers[number], f"int:{index}"), row)
    for held in columns:
        for one in held:  # it may grow
            state.solver.watch(state.containers[one].loose, _zip_any, state, site)


def _known_size(state: State, one: int) -> int:
    """Return the number of items of a list or tuple, -1 when it is not known to be small."""
    container = state.containers.get(one)
    if container is None or state.objects.first[one] not in SEQUENCES or container.size is None:
        return -1
    return container.size if container.size <= _ROWS else -1


def _zip_any(_: Iterable[int], state: State, site: Site) -> None:
    number = made(state, site, "builtins.zip")
    if ("zip", site.number) in state.bound:
        return
    state.bound.add(("zip", site.number))
    row = state.container("builtins.tuple", ("row", site.frame.number, site.node))
    for index, (variable, starred) in enumerate(site.values[0]):
        items = items_of(state, site, variable)
        if starred:
            items = items_of(state, site, items)
        state.store_item(row, None if starred else f"int:{index}", items)
    item = state.new()
    state.solver.put(item, row)
    fill(state, number, item)


def _zip_longest(state: State, site: Site) -> None:
    state.solver.put(site.result, made(state, site, "builtins.zip"))
    _zip_any((), state, site)


def _enumerate(state: State, site: Site) -> None:
    source = argument(site, 0)
    if source is not None:
        pairs(state, site, "builtins.enumerate", None, items_of(state, site, source))


def _iter(state: State, site: Site) -> None:
    source = argument(site, 0)
    if source is None:
        return
    if len(site.values[0]) > 1:
        number = made(state, site, "builtins.callable_iterator")
        fill(state, number, callback(state, site, source, ()))
        state.solver.put(site.result, number)
        return
    state.solver.watch(source, _iter_object, state, site)


def _iter_object(found: Iterable[int], state: State, site: Site) -> None:
    for one in found:
        variable = special_methods.method(state, one, "__iter__")
        if variable is not None:
            special_methods.call_at(state, variable, one, site.frame, site.node, site.result)
        else:
            number = state.container("builtins.list_iterator", (site.frame.number, site.node))
            items = state.new()
            iteration.iterate_object(state, site.frame, site.node, one, items, False)
            fill(state, number, items)
            state.solver.put(site.result, number)


def _next(state: State, site: Site) -> None:
    source = argument(site, 0)
    if source is not None:
        state.solver.watch(source, _next_object, state, site)
    default = argument(site, 1)
    if default is not None:
        state.solver.link(default, site.result)


def _next_object(found: Iterable[int], state: State, site: Site) -> None:
    for one in found:
        variable = special_methods.method(state, one, "__next__")
        if variable is not None:
            special_methods.call_at(state, variable, one, site.frame, site.node, site.result)
        elif one >= 0 and state.objects.kind[one] == CONTAINER:
            iteration.resume(state, one, site.result)


def _reversed(state: State, site: Site) -> None:
    source = argument(site, 0)
    if source is not None:
        state.solver.watch(source, _reversed_object, state, site)


def _reversed_object(found: Iterable[int], state: State, site: Site) -> None:
    number = made(state, site, "builtins.reversed")
    for one in found:
        variable = special_methods.method(state, one, "__reversed__")
        if variable is not None:
            special_methods.call_at(state, variable, one, site.frame, site.node, site.result)
            continue
        items = state.new()
        iteration.iterate_object(state, site.frame, site.node, one, items, False)
        fill(state, number, items)
        state.solver.put(site.result, number)


def _sum(state: State, site: Site) -> None:
    source = argument(site, 0)
    if source is None:
        return
    items = items_of(state, site, source)
    start = argument(site, 1, "start")
    total = state.new()
    if start is not None:
        state.solver.link(start, total)
        state.solver.link(start, site.result)
    special_methods.call_later(state, items, site.frame, site.node, "__add__", (items,))
    special_methods.call_later(state, items, site.frame, site.node, "__radd__", (items,))
    state.solver.link(items, site.result)


def _special(builtin: str, kind: str) -> Model:
    """Make a model of a builtin that calls a special method of its argument."""
    name = SPECIAL[builtin]

    def model(state: State, site: Site) -> None:
        source = argument(site, 0)
        if source is not None:
            state.solver.watch(
                source, special_methods.call_special, state, site.frame, site.node, name
            )
        state.solver.put(site.result, make_type(state, kind))

    return model


def _special_result(name: str) -> Model:
    """Make a model of a builtin whose result is that of a special method."""

    def model(state: State, site: Site) -> None:
        source = argument(site, 0)
        if source is not None:
            state.solver.watch(
                source,
                special_methods.call_special,
                state,
                site.frame,
                site.node,
                name,
                site.result,
            )
            state.solver.watch(source, same_number, state, site.result)

    return model


def _each_item(name: str | None, kind: str) -> Model:
    """Make a model of a builtin that walks through its argument."""

    def model(state: State, site: Site) -> None:
        source = argument(site, 0)
        if source is not None:
            items = items_of(state, site, source)
            if name is not None:
                state.solver.watch(
                    items, special_methods.call_special, state, site.frame, site.node, name
                )
        state.solver.put(site.result, make_type(state, kind))

    return model


def _print(state: State, site: Site) -> None:
    if {"__str__", "__repr__"} & state.defined_names:
        for variable, starred in site.values[0]:
            source = items_of(state, site, variable) if starred else variable
            state.solver.watch(
                source, special_methods.call_special, state, site.frame, site.node, "__str__"
            )
    state.solver.put(site.result, state.objects.none)


_RESULTS = {name: name.rpartition(".")[2] for name in SPECIAL} | {
    "builtins.dir": "list[str]",
    "builtins.format": "str",
    "builtins.hash": "int",
    "builtins.len": "int",
    "builtins.repr": "str",
}

FUNCTIONS: dict[str, Model] = {
    "builtins.list": collect("builtins.list", True),
    "builtins.tuple": collect("builtins.tuple", True),
    "builtins.set": collect("builtins.set"),
    "builtins.frozenset": collect("builtins.frozenset"),
    "builtins.dict": make_dict,
    "builtins.dict.fromkeys": _from_keys,
    "collections.OrderedDict": _ordered_dict,
    "builtins.sorted": _sorted,
    "builtins.min": _best,
    "builtins.max": _best,
    "builtins.map": _map,
    "itertools.starmap": _starmap,
    "builtins.filter": _filter,
    "builtins.zip": _zip,
    "itertools.zip_longest": _zip_longest,
    "builtins.enumerate": _enumerate,
    "builtins.iter": _iter,
    "builtins.next": _next,
    "builtins.reversed": _reversed,
    "builtins.sum": _sum,
    "builtins.print": _print,
    **{name: _special(name, _RESULTS[name]) for name in SPECIAL},
    "builtins.abs": _special_result("__abs__"),
    "builtins.round": _special_result("__round__"),
    "builtins.any": _each_item("__bool__", "bool"),
    "builtins.all": _each_item("__bool__", "bool"),
}
