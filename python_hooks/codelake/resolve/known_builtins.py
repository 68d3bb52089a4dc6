"""Known builtins: what builtin functions do with what they are handed.

    sorted(xs, key=f)     f is called back with the items; the result is a list of them
    len(x)                __len__ of x; an int

Next: known_decorators.py.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from codelake.resolve import items, iteration, keyed_items, special_methods
from codelake.resolve.attributes import load_attribute
from codelake.resolve.class_table import add_base, new_class, own_attribute
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
from codelake.resolve.module_values import module_names, module_object
from codelake.resolve.objects import (
    CLASS,
    CONTAINER,
    EXTERNAL_INSTANCE,
    INSTANCE,
    MODULE,
    SEQUENCES,
    SUPER,
)
from codelake.resolve.state import CALLBACK, Frame, Site, State
from codelake.resolve.stored_attributes import store_attribute
from codelake.sources.modules import absolute_module

_FEW = 4  # names or values that are handed on to a setattr and not told apart
_FAR = 3  # copies of what a dynamic getattr gives that may hold all of it
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


def _getattr(state: State, site: Site) -> None:
    source, name = argument(site, 0), argument(site, 1)
    if source is not None and name is not None:
        state.solver.watch(name, _getattr_named, state, site, source)
    default = argument(site, 2)
    if default is not None:
        state.solver.link(default, site.result)


def _getattr_named(found: Iterable[int], state: State, site: Site, source: int) -> None:
    for one in found:
        text = state.objects.texts[-one] if one < 0 else ""
        if text.isidentifier():
            state.solver.watch(
                source, load_attribute, state, site.frame, site.node, text, site.result
            )
        elif one >= 0 and state.objects.kind[one] == EXTERNAL_INSTANCE:
            prefix = state.objects.second[one]
            if isinstance(prefix, str) and len(prefix) >= _PREFIX:
                state.solver.watch(source, _load_prefixed, state, site, prefix)


_PREFIX = 3  # characters of a name that tell enough


def _load_prefixed(found: Iterable[int], state: State, site: Site, prefix: str) -> None:
    """Let what getattr gives be all attributes whose names begin as the text does."""
    if any(_class_of(state, one) in state.classes for one in found):
        state.dynamic.add((site.frame.file, site.node))
    load_prefixed(found, state, site, prefix, site.result)


def _class_of(state: State, one: int) -> int:
    if one >= 0 and state.objects.kind[one] == INSTANCE:
        return int(state.objects.first[one])
    return one


def load_prefixed(found: Iterable[int], state: State, site: Site, prefix: str, target: int) -> None:
    """Load all attributes of a class whose names begin as the text does."""
    for one in found:
        cls = _class_of(state, one)
        if cls not in state.classes:
            continue
        state.solver.widen(target, _FAR)
        names: dict[str, None] = {}
        for base in state.classes[cls].order:
            if base in state.classes:
                names.update(dict.fromkeys(state.classes[base].attributes))
        for name in names:
            if name.startswith(prefix) and name != prefix:
                load_attribute((one,), state, site.frame, site.node, name, target)


def _setattr(state: State, site: Site) -> None:
    source, name, value = argument(site, 0), argument(site, 1), argument(site, 2)
    if source is None or name is None or value is None:
        return
    pair = _pair(state, site, name, value)
    if pair is None:
        state.solver.at_last(_setattr_any, state, site, source, name, value)
    else:
        _setattr_pair(state, site, source, pair)
        root = site.frame.offset + pair.root
        state.solver.at_last(_setattr_unknown, state, site, root, name, source, value)


def _setattr_any(
    _: Iterable[int], state: State, site: Site, source: int, name: int, value: int
) -> None:
    """Store any value to any name; where both are many parameters, as far as callers tell which."""
    frame = site.frame
    nodes = [frame.offset + each.node for each in frame.body.signature.positional]
    if name not in nodes or value not in nodes or _are_few(state, name, value, _FEW):
        _setattr_few((), state, site, source, name, value)
        return
    for caller in tuple(state.sites_of.get(frame.number, ())):
        first = (caller.number, frame.number, 1) in state.bound  # the receiver
        given = [argument(caller, nodes.index(one) - first) for one in (name, value)]
        if given[0] is None or given[1] is None:
            continue
        pair = _pair(state, caller, given[0], given[1])
        if pair is not None:
            _setattr_pair(state, caller, source, pair)
        else:
            _setattr_few((), state, site, source, given[0], given[1])


def _setattr_few(
    _: Iterable[int], state: State, site: Site, source: int, name: int, value: int
) -> None:
    if _are_few(state, name, value, state.limits.names):
        state.solver.watch(name, _setattr_named, state, site, source, value)


def _are_few(state: State, name: int, value: int, most: int) -> bool:
    return min(len(state.solver.get(name)), len(state.solver.get(value))) <= most


def _pair(state: State, site: Site, name: int, value: int) -> keyed_items.Pair | None:
    """Return what two arguments of a call are parts of, None when that is not the same."""
    bodies = state.bodies[site.frame.file]
    written = bodies.written_arguments(site.node)[0]
    nodes = {state.value(site.frame, node): node for node in written}
    if name not in nodes or value not in nodes:
        return None
    return keyed_items.pair_of(bodies, nodes[name], nodes[value])


def _setattr_pair(state: State, site: Site, source: int, pair: keyed_items.Pair) -> None:
    root = site.frame.offset + pair.root
    state.solver.watch(root, _setattr_parts, state, site, source, pair)


def _setattr_parts(
    found: Iterable[int], state: State, site: Site, source: int, pair: keyed_items.Pair
) -> None:
    for each in found:
        name, value = keyed_items.parts(state, site.frame, each, pair)
        state.solver.at_last(_setattr_few, state, site, source, name, value)


def _setattr_unknown(
    _: Iterable[int], state: State, site: Site, root: int, name: int, source: int, value: int
) -> None:
    if not state.solver.get(root):
        _setattr_few((), state, site, source, name, value)


def _setattr_named(found: Iterable[int], state: State, site: Site, source: int, value: int) -> None:
    for one in found:
        text = state.objects.texts[-one] if one < 0 else ""
        if text.isidentifier():
            state.stored_names.add(text)
            state.solver.watch(source, store_attribute, state, site.frame, site.node, text, value)


def _type(state: State, site: Site) -> None:
    positional = site.values[0]
    if len(positional) == 1:
        state.solver.watch(positional[0][0], _type_of, state, site.result)
    elif len(positional) == 3:
        number = state.objects.of(CLASS, -site.number, 0)
        info = new_class(state, number, -1)
        bases = positional[1][0]
        state.solver.watch(items_of(state, site, bases), _type_base, state, info)
        state.solver.watch(positional[2][0], _type_names, state, info)
        state.solver.put(site.result, number)


def _type_base(found: Iterable[int], state: State, info: Any) -> None:
    add_base(state, info, found, 0)


def _type_names(found: Iterable[int], state: State, info: Any) -> None:
    for one in found:
        if one >= 0 and state.objects.kind[one] == CONTAINER:
            for key, variable in tuple(state.containers[one].keys.items()):
                if key.startswith("str:"):
                    state.solver.link(variable, own_attribute(state, info, key[4:]))


def _type_of(found: Iterable[int], state: State, target: int) -> None:
    objects = state.objects
    for one in found:
        kind = objects.kind[one] if one >= 0 else 0
        if one < 0:
            state.solver.put(target, objects.external("builtins.str"))
        elif kind == INSTANCE:
            state.solver.put(target, objects.first[one])
        elif kind in (EXTERNAL_INSTANCE, CONTAINER):
            state.solver.put(target, objects.external(objects.first[one]))
        elif kind == CLASS:
            info = state.classes[one]
            if info.metaclass >= 0:
                state.solver.link(info.metaclass, target)


def _super(state: State, site: Site) -> None:
    """Handle super(): the class around and the first parameter, or the two arguments."""
    frame: Frame | None = site.frame
    if len(site.values[0]) >= 2:
        state.solver.watch(
            site.values[0][0][0], _super_of, state, site.values[0][1][0], site.result
        )
        return
    while frame is not None:
        around = frame.env
        if around is not None and -around.number - 1 in state.extra:
            info = state.extra[-around.number - 1]
            parameters = frame.body.signature.positional
            if parameters and info.__class__.__name__ == "ClassInfo":
                first = frame.offset + parameters[0].node
                state.solver.watch(first, _super_with, state, info.number, site.result)
            return
        frame = around


def _super_of(found: Iterable[int], state: State, receiver: int, target: int) -> None:
    for one in found:
        if one >= 0 and state.objects.kind[one] == CLASS:
            state.solver.watch(receiver, _super_with, state, one, target)


def _super_with(found: Iterable[int], state: State, cls: int, target: int) -> None:
    for one in found:
        if one >= 0 and state.objects.kind[one] in (INSTANCE, CLASS):
            state.solver.put(target, state.objects.of(SUPER, cls, one))


def _isinstance(state: State, site: Site) -> None:
    state.solver.put(site.result, state.objects.instance_of("builtins.bool"))
    classes = argument(site, 1)
    if classes is not None:
        for name in ("__instancecheck__", "__subclasscheck__"):
            special_methods.call_later(state, classes, site.frame, site.node, name, ())


def _globals(state: State, site: Site) -> None:
    state.solver.put(site.result, module_names(state, site.frame.file))


def _vars(state: State, site: Site) -> None:
    """Handle vars(x), which is x.__dict__; of a module without x, and locals(), its names."""
    variable = argument(site, 0)
    if variable is not None:
        frame, node = site.frame, site.node
        state.solver.watch(variable, load_attribute, state, frame, node, "__dict__", site.result)
    elif site.frame.owner == 0:
        _globals(state, site)


def _import_module(state: State, site: Site) -> None:
    name = argument(site, 0)
    if name is not None:
        state.solver.watch(name, _import_named, state, site)


def _reload(state: State, site: Site) -> None:
    module = argument(site, 0, "module")
    if module is not None:
        state.solver.link(module, site.result)


def _import_named(found: Iterable[int], state: State, site: Site) -> None:
    for one in found:
        text = state.objects.texts[-one] if one < 0 else ""
        if text.startswith("."):  # relative to a package, which may be known later
            state.solver.at_last(_import_relative, state, site, text)
        elif text:
            _put_module(state, site, text)


def _import_relative(_: Iterable[int], state: State, site: Site, text: str) -> None:
    """Import relative to the package that is named, else to that of the file or below it."""
    package = argument(site, 1, "package")
    held = () if package is None else state.solver.get(package)
    names = [state.objects.texts[-one] for one in held if one < 0]
    name = text.lstrip(".")
    if not any(names):
        file = site.frame.file
        full = state.index.module_of(file, text)
        if full is not None and full not in state.index.by_name:
            full = state.files[file].module + text
        _put_module(state, site, full or text)
    for each in filter(None, names):
        full = absolute_module(each, True, len(text) - len(name), name or None)
        _put_module(state, site, full or text)


def _put_module(state: State, site: Site, name: str) -> None:
    number = module_object(state, name)
    if state.objects.kind[number] == MODULE or "." in name or name.isidentifier():
        state.solver.put(site.result, number)


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
    "builtins.getattr": _getattr,
    "builtins.setattr": _setattr,
    "builtins.type": _type,
    "builtins.super": _super,
    "builtins.isinstance": _isinstance,
    "builtins.issubclass": _isinstance,
    "builtins.globals": _globals,
    "builtins.vars": _vars,
    "builtins.locals": _vars,
    **{name: _special(name, _RESULTS[name]) for name in SPECIAL},
    "builtins.abs": _special_result("__abs__"),
    "builtins.round": _special_result("__round__"),
    "builtins.any": _each_item("__bool__", "bool"),
    "builtins.all": _each_item("__bool__", "bool"),
    "importlib.import_module": _import_module,
    "importlib.reload": _reload,
    "builtins.__import__": _import_module,
}
