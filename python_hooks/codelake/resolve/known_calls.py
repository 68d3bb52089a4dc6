"""Known calls: what builtins and the standard library do with what they are handed.

    sorted(xs, key=f)      f is called back with the items; the result is a list of them
    functools.partial(f)   PARTIAL: calling it calls f
    xs.append(x)           x is an item of xs

`_FUNCTIONS` is by external name, `_METHODS` by name of the method of a container. A name that is
not listed gives what known_types.py says, an instance when it looks like a class, else UNKNOWN; a
function that is handed to it is not taken as called.
Next: known_types.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from codelake.resolve import operations
from codelake.resolve.attributes import load_attribute, store_attribute
from codelake.resolve.class_table import add_base, find, new_class, order_of
from codelake.resolve.known_types import call_type, is_class_name, make_type
from codelake.resolve.module_values import module_object
from codelake.resolve.objects import (
    BOUND,
    CACHED,
    CLASS,
    CLASS_METHOD,
    CONTAINER,
    DISPATCH,
    EXTERNAL,
    EXTERNAL_INSTANCE,
    FUNCTION,
    INSTANCE,
    MODULE,
    PARTIAL,
    PROPERTY,
    STATIC,
    SUPER,
    UNKNOWN,
    WRAPPER,
)
from codelake.resolve.state import CALLBACK, IMPLICIT, Frame, Site, State

type Model = Callable[[State, Site], None]


def call_external(state: State, name: str, site: Site) -> None:
    """Call an external name."""
    if not name.endswith(" result"):
        state.edge(site, name, "external")
    model = _FUNCTIONS.get(name)
    if model is not None:
        model(state, site)
        return
    owner, _, method = name.rpartition(".")
    if owner.startswith("builtins.") and method in _METHODS and site.values[0]:
        # an unbound method: dict.get(d, k)
        first, *rest = site.values[0]
        inner = state.site(
            site.frame, site.node, site.result, (tuple(rest), site.values[1]), site.kind
        )
        state.solver.watch(first[0], _unbound, state, method, inner)
        return
    _generic_result(state, name, site)


def _unbound(found: Iterable[int], state: State, method: str, site: Site) -> None:
    for one in found:
        if one >= 0 and state.objects.kind[one] == CONTAINER:
            model = _METHODS.get(method)
            if model is not None:
                model(state, site, one)


def _generic_result(state: State, name: str, site: Site, receiver: int | None = None) -> None:
    objects = state.objects
    found = call_type(name)
    if found == "unknown":
        state.solver.put(site.result, objects.of(UNKNOWN, name))
    elif found is not None:
        state.solver.put(site.result, make_type(state, found, receiver))
    elif is_class_name(name):
        state.solver.put(site.result, objects.instance_of(name))
        _subclass_hooks(state, name, site)
    else:
        state.solver.put(site.result, objects.of(UNKNOWN, name))
        if site.kind == IMPLICIT and site.values[0]:
            # an unknown decorator: what it gives stands for what it decorates
            state.solver.link(site.values[0][0][0], site.result)


def _subclass_hooks(state: State, name: str, site: Site) -> None:
    for keyword, variable in site.values[1]:
        if keyword in _CALLBACK_KEYWORDS:
            callback(state, site, variable, ())
    if name in ("threading.Timer",) and len(site.values[0]) > 1:
        callback(state, site, site.values[0][1][0], ())


_CALLBACK_KEYWORDS = frozenset(
    {"target", "key", "default", "callback", "function", "func", "default_factory", "object_hook",
     "initializer", "object_pairs_hook", "parse_float", "cmp", "onerror", "ignore", "copy_function"}
)  # fmt: skip


def call_external_method(state: State, name: str, receiver: int, site: Site) -> None:
    """Call a method of a class outside, bound to an object."""
    objects = state.objects
    kind = objects.kind[receiver] if receiver >= 0 else EXTERNAL_INSTANCE
    method = name.rpartition(".")[2]
    special = _BOUND.get(name) or _BOUND_BY_NAME.get(method)
    if name == "function.__get__":
        _function_get(state, receiver, site)
        return
    if name.startswith("types.FunctionType."):
        return
    state.edge(site, name, "external")
    if name in _BOUND:
        _BOUND[name](state, site, receiver)
        return
    if kind == CONTAINER and method in _METHODS:
        _METHODS[method](state, site, receiver)
        return
    if kind == INSTANCE and special is not None:
        special(state, site, receiver)
        return
    if kind == INSTANCE and method in _METHODS and name.startswith(("builtins.", "collections.")):
        _METHODS[method](state, site, _items_container(state, receiver))
        return
    for keyword, variable in site.values[1]:
        if keyword in _CALLBACK_KEYWORDS:
            callback(state, site, variable, ())
    if method in _CALLBACK_METHODS and not name.startswith("builtins."):
        for variable, starred in site.values[0]:
            if not starred:
                callback(state, site, variable, ())
    found = call_type(name)
    if found is None and kind == EXTERNAL_INSTANCE and is_class_name(name):
        state.solver.put(site.result, objects.instance_of(name))
    elif found is None and method in ("__enter__", "__aenter__", "__iter__", "__copy__"):
        state.solver.put(site.result, receiver)
    elif found is None and method == "__new__":
        _object_new(state, site, receiver)
    else:
        _generic_result(state, name, site, receiver)


_CALLBACK_METHODS = frozenset(
    {"submit", "apply_async", "call_soon", "call_later", "call_at", "add_done_callback",
     "run_in_executor", "map", "imap", "starmap", "apply", "callback", "push", "add_signal_handler",
     "set_defaults", "connect", "call_soon_threadsafe", "sub", "subn", "create_task"}
)  # fmt: skip


def _items_container(state: State, receiver: int) -> int:
    """Return a container for the items of an instance whose class is a builtin container."""
    made = state.container("builtins.dict", ("items", receiver))
    items = state.field(receiver, " items")
    container = state.containers[made]
    if not state.extra.get(made):
        state.extra[made] = True
        state.solver.link(items, container.every)
        state.solver.link(items, container.loose)
        state.solver.link(container.loose, items)
        state.solver.link(container.every, items)
    return made


# helpers


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
    state.solver.watch(variable, _callback, state, inner)
    return result


def _callback(found: Iterable[int], state: State, site: Site) -> None:
    kept = [
        one
        for one in found
        if one >= 0 and state.objects.kind[one] not in (EXTERNAL, EXTERNAL_INSTANCE)
    ]
    state.call(kept, state, site)
    for one in found:
        if one >= 0 and state.objects.kind[one] == EXTERNAL:
            name = state.objects.first[one]
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
    operations.iterate(state, site.frame, site.node, variable, target, False)
    return target


def made(state: State, site: Site, kind: str) -> int:
    """Return the container that a call makes."""
    return state.container(kind, (site.frame.number, site.node))


def fill(state: State, number: int, variable: int) -> None:
    """Let a variable be items of a container, at unknown positions."""
    state.store_item(number, None, variable)


# builtins


def _collect(kind: str, ordered: bool = False) -> Model:
    def model(state: State, site: Site) -> None:
        number = made(state, site, kind)
        source = argument(site, 0)
        if source is not None:
            if ordered:
                state.solver.watch(source, _copy_positions, state, number)
            fill(state, number, items_of(state, site, source))
            if kind in ("builtins.set", "builtins.frozenset"):
                operations.hashed(state, site.frame, site.node, items_of(state, site, source))
        state.solver.put(site.result, number)

    return model


def _copy_positions(found: Iterable[int], state: State, number: int) -> None:
    """Keep the positions of a sequence that is copied."""
    for one in found:
        if one >= 0 and state.objects.kind[one] == CONTAINER and one != number:
            for key, variable in tuple(state.containers[one].keys.items()):
                if key.startswith("int:"):
                    state.store_item(number, key, variable)


def _dict_call(state: State, site: Site) -> None:
    number = made(state, site, "builtins.dict")
    source = argument(site, 0)
    if source is not None:
        state.solver.watch(source, operations.merge_mapping, state, number)
        pairs = items_of(state, site, source)
        state.solver.watch(pairs, _take_pair, state, number)
    for name, variable in site.values[1]:
        if name is None:
            state.solver.watch(variable, operations.merge_mapping, state, number)
        else:
            state.store_item(number, f"str:{name}", variable)
            state.solver.put(state.containers[number].names, state.objects.known_text(name))
    state.solver.put(site.result, number)


def _take_pair(found: Iterable[int], state: State, number: int) -> None:
    """Let a pair be an entry of a mapping."""
    for one in found:
        if one >= 0 and state.objects.kind[one] == CONTAINER and one != number:
            if state.objects.first[one] not in ("builtins.tuple", "builtins.list"):
                continue
            value, name = state.new(), state.new()
            state.load_item(one, "int:1", value)
            state.load_item(one, "int:0", name)
            state.solver.link(name, state.containers[number].names)
            state.solver.watch(name, _named_entry, state, number, value)
            state.solver.link(value, state.containers[number].every)


def _named_entry(found: Iterable[int], state: State, number: int, value: int) -> None:
    for name in found:
        key = f"str:{state.objects.texts[-name]}" if name < 0 else None
        state.store_item(number, key, value)


def _sorted(state: State, site: Site) -> None:
    number = made(state, site, "builtins.list")
    source = argument(site, 0)
    if source is not None:
        items = items_of(state, site, source)
        fill(state, number, items)
        _compare_items(state, site, items, argument(site, 9, "key"))
    state.solver.put(site.result, number)


def _compare_items(state: State, site: Site, items: int, key: int | None) -> None:
    if key is not None:
        items = callback(state, site, key, (items,))
    operations.call_later(state, items, site.frame, site.node, "__lt__", (items,))


def _best(state: State, site: Site) -> None:
    """Handle min and max: the items themselves, or the arguments."""
    positional = site.values[0]
    items = state.new()
    if len(positional) == 1 and not positional[0][1]:
        operations.iterate(state, site.frame, site.node, positional[0][0], items, False)
    else:
        for variable, starred in positional:
            state.solver.link(items_of(state, site, variable) if starred else variable, items)
    key = argument(site, 9, "key")
    if key is not None:
        callback(state, site, key, (items,))
    else:
        operations.call_later(state, items, site.frame, site.node, "__lt__", (items,))
        operations.call_later(state, items, site.frame, site.node, "__gt__", (items,))
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
        state.solver.watch(function, _callback, state, inner)
        fill(state, number, result)
    state.solver.put(site.result, number)


def _filter(state: State, site: Site) -> None:
    number = made(state, site, "builtins.filter")
    function, source = argument(site, 0), argument(site, 1)
    if function is not None and source is not None:
        items = items_of(state, site, source)
        callback(state, site, function, (items,))
        fill(state, number, items)
        operations.call_later(state, items, site.frame, site.node, "__bool__", ())
    state.solver.put(site.result, number)


def _zip(state: State, site: Site) -> None:
    number = made(state, site, "builtins.zip")
    row = state.container("builtins.tuple", ("row", site.frame.number, site.node))
    for index, (variable, starred) in enumerate(site.values[0]):
        items = items_of(state, site, variable)
        if starred:
            items = items_of(state, site, items)
        state.store_item(row, None if starred else f"int:{index}", items)
    item = state.new()
    state.solver.put(item, row)
    fill(state, number, item)
    state.solver.put(site.result, number)


def _enumerate(state: State, site: Site) -> None:
    source = argument(site, 0)
    if source is not None:
        _pairs(state, site, "builtins.enumerate", None, items_of(state, site, source))


def _pairs(state: State, site: Site, kind: str, first: int | None, second: int) -> None:
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
        variable = operations.method(state, one, "__iter__")
        if variable is not None:
            operations.call_at(state, variable, one, site.frame, site.node, site.result)
        else:
            number = state.container("builtins.list_iterator", (site.frame.number, site.node))
            items = state.new()
            operations.iterate_object(state, site.frame, site.node, one, items, False)
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
        variable = operations.method(state, one, "__next__")
        if variable is not None:
            operations.call_at(state, variable, one, site.frame, site.node, site.result)
        elif one >= 0 and state.objects.kind[one] == CONTAINER:
            state.solver.link(state.containers[one].every, site.result)


def _reversed(state: State, site: Site) -> None:
    source = argument(site, 0)
    if source is not None:
        state.solver.watch(source, _reversed_object, state, site)


def _reversed_object(found: Iterable[int], state: State, site: Site) -> None:
    number = made(state, site, "builtins.reversed")
    for one in found:
        variable = operations.method(state, one, "__reversed__")
        if variable is not None:
            operations.call_at(state, variable, one, site.frame, site.node, site.result)
            continue
        items = state.new()
        operations.iterate_object(state, site.frame, site.node, one, items, False)
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
    operations.call_later(state, items, site.frame, site.node, "__add__", (items,))
    operations.call_later(state, items, site.frame, site.node, "__radd__", (items,))
    state.solver.link(items, site.result)


def _special(name: str, kind: str) -> Model:
    """Make a model of a builtin that calls a special method of its argument."""

    def model(state: State, site: Site) -> None:
        source = argument(site, 0)
        if source is not None:
            state.solver.watch(source, operations.call_special, state, site.frame, site.node, name)
        state.solver.put(site.result, make_type(state, kind))

    return model


def _special_result(name: str) -> Model:
    """Make a model of a builtin whose result is that of a special method."""

    def model(state: State, site: Site) -> None:
        source = argument(site, 0)
        if source is not None:
            state.solver.watch(
                source, operations.call_special, state, site.frame, site.node, name, site.result
            )
            state.solver.watch(source, _same_number, state, site.result)

    return model


def _same_number(found: Iterable[int], state: State, target: int) -> None:
    for one in found:
        if one >= 0 and state.objects.kind[one] == EXTERNAL_INSTANCE:
            state.solver.put(target, one)


def _each_item(name: str | None, kind: str) -> Model:
    """Make a model of a builtin that walks through its argument."""

    def model(state: State, site: Site) -> None:
        source = argument(site, 0)
        if source is not None:
            items = items_of(state, site, source)
            if name is not None:
                state.solver.watch(
                    items, operations.call_special, state, site.frame, site.node, name
                )
        state.solver.put(site.result, make_type(state, kind))

    return model


def _print(state: State, site: Site) -> None:
    if {"__str__", "__repr__"} & state.defined_names:
        for variable, starred in site.values[0]:
            source = items_of(state, site, variable) if starred else variable
            state.solver.watch(
                source, operations.call_special, state, site.frame, site.node, "__str__"
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
    """Load all attributes of a class whose names begin as the text does."""
    for one in found:
        cls = one
        if one >= 0 and state.objects.kind[one] == INSTANCE:
            cls = state.objects.first[one]
        if cls not in state.classes:
            continue
        state.dynamic.add((site.frame.file, site.node))
        state.solver.wide.add(site.result)
        names: dict[str, None] = {}
        for base in state.classes[cls].order:
            if base in state.classes:
                names.update(dict.fromkeys(state.classes[base].attributes))
        for name in names:
            if name.startswith(prefix) and name != prefix:
                load_attribute((one,), state, site.frame, site.node, name, site.result)


def _setattr(state: State, site: Site) -> None:
    source, name, value = argument(site, 0), argument(site, 1), argument(site, 2)
    if source is not None and name is not None and value is not None:
        state.solver.watch(name, _setattr_named, state, site, source, value)


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
    from codelake.resolve.class_table import own_attribute

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
            operations.call_later(state, classes, site.frame, site.node, name, ())


def _globals(state: State, site: Site) -> None:
    file = site.frame.file
    number = state.container("builtins.dict", ("module", file))
    container = state.containers[number]
    for name in sorted(state.index.bound[file]):
        container.keys.setdefault(f"str:{name}", state.global_variable(file, name))
    state.solver.put(site.result, number)


def _import_module(state: State, site: Site) -> None:
    name = argument(site, 0)
    if name is not None:
        state.solver.watch(name, _import_named, state, site)


def _import_named(found: Iterable[int], state: State, site: Site) -> None:
    for one in found:
        if one < 0:
            text = state.objects.texts[-one]
            if text.startswith("."):
                full = state.index.module_of(site.frame.file, text)
                if full is not None and full not in state.index.by_name:
                    full = state.files[site.frame.file].module + text
                text = full or text
            number = module_object(state, text)
            if state.objects.kind[number] == MODULE or "." in text or text.isidentifier():
                state.solver.put(site.result, number)


# decorators and functools


def _property(state: State, site: Site) -> None:
    number = state.objects.of(PROPERTY, site.frame.number, site.node)
    for place, (position, keyword) in {
        "get": (0, "fget"), "set": (1, "fset"), "del": (2, "fdel")}.items():  # fmt: skip
        variable = argument(site, position, keyword)
        if variable is not None:
            state.solver.link(variable, state.field(number, place))
    state.solver.put(site.result, number)


def _property_method(place: str) -> Callable[[State, Site, int], None]:
    def model(state: State, site: Site, receiver: int) -> None:
        number = state.objects.of(PROPERTY, site.frame.number, site.node)
        for other in ("get", "set", "del"):
            if other != place:
                state.solver.link(state.field(receiver, other), state.field(number, other))
        variable = argument(site, 0)
        if variable is not None:
            state.solver.link(variable, state.field(number, place))
        state.solver.put(site.result, number)

    return model


def _holder(kind: int, place: str = "function") -> Model:
    """Make a model of what wraps a function without calling it."""

    def model(state: State, site: Site) -> None:
        variable = argument(site, 0)
        if variable is None:
            if kind == WRAPPER:
                return
            wrapper = state.objects.of(WRAPPER, site.frame.number, site.node)
            state.solver.put(site.result, wrapper)
            return
        number = state.objects.of(kind, site.frame.number, site.node)
        state.solver.link(variable, state.field(number, place))
        state.solver.put(site.result, number)

    return model


def _same(state: State, site: Site) -> None:
    """Give the argument back; without a function, give a decorator that does."""
    variable = argument(site, 0)
    number = state.objects.of(WRAPPER, site.frame.number, site.node)
    if variable is None:
        state.solver.put(site.result, number)
        return
    state.solver.watch(variable, _same_or_wrapper, state, site.result, number)


def _same_or_wrapper(found: Iterable[int], state: State, target: int, wrapper: int) -> None:
    objects = state.objects
    for one in found:
        kind = objects.kind[one] if one >= 0 else 0
        if kind in (FUNCTION, BOUND, CLASS, INSTANCE, PARTIAL, STATIC, CLASS_METHOD, PROPERTY,
                    DISPATCH, EXTERNAL, CACHED):  # fmt: skip
            state.solver.put(target, one)
        else:
            state.solver.put(target, wrapper)


def _wraps(state: State, site: Site) -> None:
    number = state.objects.of(WRAPPER, site.frame.number, site.node)
    variable = argument(site, 0, "wrapped")
    if variable is not None:
        state.solver.link(variable, state.field(number, "function"))
    state.solver.put(site.result, number)


def _update_wrapper(state: State, site: Site) -> None:
    variable = argument(site, 0, "wrapper")
    if variable is not None:
        state.solver.link(variable, site.result)


def _partial(state: State, site: Site) -> None:
    positional, keywords = site.values
    if not positional:
        return
    number = state.objects.of(PARTIAL, site.frame.number, site.node)
    state.extra[number] = (positional[1:], keywords)
    state.solver.link(positional[0][0], state.field(number, "function"))
    state.solver.put(site.result, number)


def _reduce(state: State, site: Site) -> None:
    function, source, start = argument(site, 0), argument(site, 1), argument(site, 2)
    if function is None or source is None:
        return
    first, rest, total = state.new(), state.new(), state.new()
    state.solver.watch(source, _split_first, state, site, first, rest, start is not None)
    if start is not None:
        state.solver.link(start, total)
        state.solver.link(start, site.result)
    state.solver.link(first, rest if start is not None else total)
    result = callback(state, site, function, (total, rest))
    state.solver.link(result, total)
    state.solver.link(result, site.result)


def _split_first(
    found: Iterable[int], state: State, site: Site, first: int, rest: int, started: bool
) -> None:
    """Tell the first item of a sequence from the others, where positions are known."""
    for one in found:
        keys = state.containers[one].keys if one in state.containers else {}
        if "int:1" in keys:
            container = state.containers[one]
            state.load_item(one, "int:0", first)
            state.solver.link(container.loose, rest)
            for key, variable in tuple(keys.items()):
                if key != "int:0":
                    state.solver.link(variable, rest)
        else:
            items = state.new()
            operations.iterate_object(state, site.frame, site.node, one, items, False)
            state.solver.link(items, rest)
            state.solver.link(items, first)
            if not started:
                state.solver.link(items, site.result)


def _singledispatch_register(state: State, site: Site, receiver: int) -> None:
    """Register an implementation: as a decorator, with a class, or with both."""
    place = state.field(receiver, "function")
    for variable, _ in site.values[0]:
        state.solver.watch(variable, _register, state, place)
    second = argument(site, 1)
    first = argument(site, 0)
    if second is None and first is not None:
        state.solver.watch(first, _register_result, state, site, receiver)


def _register(found: Iterable[int], state: State, place: int) -> None:
    for one in found:
        if one >= 0 and state.objects.kind[one] in (FUNCTION, BOUND):
            state.solver.put(place, one)


def _register_result(found: Iterable[int], state: State, site: Site, receiver: int) -> None:
    objects = state.objects
    for one in found:
        kind = objects.kind[one] if one >= 0 else 0
        if kind in (FUNCTION, BOUND):
            state.solver.put(site.result, one)
        else:
            wrapper = objects.of(WRAPPER, site.frame.number, site.node)
            state.extra[wrapper] = state.field(receiver, "function")
            state.solver.put(site.result, wrapper)


def _contextmanager(state: State, site: Site) -> None:
    """Wrap a generator function: calling it runs the function, entering gives what it yields."""
    variable = argument(site, 0)
    if variable is not None:
        state.solver.link(variable, site.result)
        state.solver.watch(variable, _mark_manager, state)


def _mark_manager(found: Iterable[int], state: State) -> None:
    for one in found:
        if one >= 0 and state.objects.kind[one] == FUNCTION:
            state.managers.add(state.objects.first[one])


def _closing(state: State, site: Site) -> None:
    variable = argument(site, 0)
    if variable is not None:
        number = made(state, site, "contextlib.closing")
        fill(state, number, variable)
        state.solver.put(site.result, number)


def _enter_context(state: State, site: Site, _: int) -> None:
    variable = argument(site, 0)
    if variable is not None:
        state.solver.watch(
            variable, operations.enter, state, site.frame, site.node, False, site.result, False
        )
        entered = state.field(-site.frame.number - 1, "exit stack")
        state.solver.link(variable, entered)


def _exit_callback(state: State, site: Site, _: int) -> None:
    if site.values[0]:
        first, *rest = site.values[0]
        inner = state.site(
            site.frame, site.node, state.new(), (tuple(rest), site.values[1]), CALLBACK
        )
        state.solver.watch(first[0], _callback, state, inner)
        state.solver.link(first[0], site.result)


def _callback_at(position: int, keyword: str | None = None, rest: bool = False) -> Model:
    """Make a model of what calls one of its arguments back."""

    def model(state: State, site: Site) -> None:
        variable = argument(site, position, keyword)
        if variable is not None:
            given = tuple(
                value for value, star in site.values[0][position + 1 :] if rest and not star
            )
            state.solver.link(callback(state, site, variable, given), state.new())

    return model


def _substitute(state: State, site: Site) -> None:
    """Handle re.sub: a function is called back with each match."""
    variable = argument(site, 1, "repl")
    if variable is not None:
        match = state.new()
        state.solver.put(match, state.objects.instance_of("re.Match"))
        callback(state, site, variable, (match,))
    state.solver.put(site.result, state.objects.text)


def _substitute_method(state: State, site: Site, _: int) -> None:
    variable = argument(site, 0, "repl")
    if variable is not None:
        match = state.new()
        state.solver.put(match, state.objects.instance_of("re.Match"))
        callback(state, site, variable, (match,))
    state.solver.put(site.result, state.objects.text)


def _format_text(state: State, site: Site, _: int) -> None:
    """Handle str.format: the arguments are formatted."""
    if {"__format__", "__str__", "__repr__"} & state.defined_names:
        given = [variable for variable, star in site.values[0] if not star]
        for variable in (*given, *(one for name, one in site.values[1] if name)):
            state.solver.watch(
                variable, operations.call_special, state, site.frame, site.node, "__format__"
            )
    state.solver.put(site.result, state.objects.text)


def _thread(state: State, site: Site) -> None:
    target = argument(site, 1, "target")
    given = argument(site, 3, "args")
    named = argument(site, 4, "kwargs")
    if target is not None:
        values = (((given, True),) if given is not None else (), ())
        if named is not None:
            values = (values[0], ((None, named),))  # type: ignore[assignment]
        inner = state.site(site.frame, site.node, state.new(), values, CALLBACK)
        state.solver.watch(target, _callback, state, inner)
    state.solver.put(site.result, state.objects.instance_of("threading.Thread"))


def _start_thread(state: State, site: Site, receiver: int) -> None:
    """Start a thread of a class of the repository: its run is called back."""
    order = order_of(state, state.objects.first[receiver])
    variable = find(state, order, "run")[0]
    if variable is not None:
        inner = state.site(site.frame, site.node, state.new(), ((), ()), CALLBACK)
        state.solver.watch(variable, state.call_method, state, inner, receiver)


# asyncio


def _await_result(state: State, site: Site) -> None:
    """Run a coroutine: the result is what it returns."""
    source = argument(site, 0)
    if source is not None:
        state.solver.watch(source, operations.awaited, state, site.frame, site.node, site.result)


def _task(state: State, site: Site) -> None:
    source = argument(site, 0)
    if source is None:
        return
    number = made(state, site, "asyncio.Task")
    result = state.new()
    state.solver.watch(source, operations.awaited, state, site.frame, site.node, result)
    fill(state, number, result)
    state.solver.put(site.result, number)


def _task_method(state: State, site: Site, _: int) -> None:
    _task(state, site)


def _gather(state: State, site: Site) -> None:
    results = state.container("builtins.list", ("gather", site.frame.number, site.node))
    for index, (variable, starred) in enumerate(site.values[0]):
        source = items_of(state, site, variable) if starred else variable
        result = state.new()
        state.solver.watch(source, operations.awaited, state, site.frame, site.node, result)
        state.store_item(results, None if starred else f"int:{index}", result)
    number = made(state, site, "asyncio.Future")
    value = state.new()
    state.solver.put(value, results)
    fill(state, number, value)
    state.solver.put(site.result, number)


def _to_thread(state: State, site: Site) -> None:
    if site.values[0]:
        first, *rest = site.values[0]
        result = state.new()
        inner = state.site(site.frame, site.node, result, (tuple(rest), site.values[1]), CALLBACK)
        state.solver.watch(first[0], _callback, state, inner)
        number = made(state, site, "asyncio.Future")
        fill(state, number, result)
        state.solver.put(site.result, number)


# dataclasses, collections, operator


def _dataclass(state: State, site: Site) -> None:
    variable = argument(site, 0)
    if variable is None:
        wrapper = state.objects.of(WRAPPER, site.frame.number, site.node)
        state.extra[wrapper] = "dataclass"
        state.solver.put(site.result, wrapper)
        return
    state.solver.watch(variable, mark_dataclass, state)
    state.solver.link(variable, site.result)


def mark_dataclass(found: Iterable[int], state: State) -> None:
    """Note that classes are data classes."""
    for one in found:
        if one >= 0 and state.objects.kind[one] == CLASS:
            state.classes[one].traits.add("dataclass")


def _total_ordering(state: State, site: Site) -> None:
    variable = argument(site, 0)
    if variable is not None:
        state.solver.watch(variable, _mark_ordered, state)
        state.solver.link(variable, site.result)


def _mark_ordered(found: Iterable[int], state: State) -> None:
    for one in found:
        if one >= 0 and state.objects.kind[one] == CLASS:
            state.classes[one].traits.add("ordered")


def _enum_value(state: State, site: Site) -> None:
    """Handle enum.member: what it holds is a value, even a function."""
    number = state.objects.of(WRAPPER, site.frame.number, site.node)
    state.extra[number] = "member"
    variable = argument(site, 0)
    if variable is not None:
        state.solver.link(variable, state.field(number, "function"))
    state.solver.put(site.result, number)


def _field(state: State, site: Site) -> None:
    for name, variable in site.values[1]:
        if name == "default":
            state.solver.link(variable, site.result)
        elif name in ("default_factory", "factory"):
            state.solver.link(callback(state, site, variable, ()), site.result)


def _namedtuple(state: State, site: Site) -> None:
    """Make a class with the fields that are given as text."""
    names = argument(site, 1, "field_names")
    number = state.objects.of(CLASS, -site.number, 0)
    info = new_class(state, number, -1)
    info.traits.add("namedtuple")
    add_base(state, info, (state.objects.external("builtins.tuple"),), 0)
    if names is not None:
        state.solver.watch(names, _name_fields, state, info)
    state.solver.put(site.result, number)


def _name_fields(found: Iterable[int], state: State, info: Any) -> None:
    for one in found:
        texts: list[str] = []
        if one < 0:
            texts = state.objects.texts[-one].replace(",", " ").split()
        elif state.objects.kind[one] == CONTAINER:
            keys = state.containers[one].keys
            for index in range(len(keys)):
                held = state.solver.get(keys.get(f"int:{index}", 0))
                texts += [state.objects.texts[-text] for text in held if text < 0]
        if texts and not info.fields:
            info.fields = [(text, 0, False) for text in texts]
            state.stored_names.update(texts)


def _defaultdict(state: State, site: Site) -> None:
    number = made(state, site, "collections.defaultdict")
    factory = argument(site, 0)
    if factory is not None:
        fill(state, number, callback(state, site, factory, ()))
    state.solver.put(site.result, number)


def _deque(state: State, site: Site) -> None:
    _collect("collections.deque")(state, site)


def _chain(state: State, site: Site) -> None:
    number = made(state, site, "itertools.chain")
    for variable, starred in site.values[0]:
        items = items_of(state, site, variable)
        fill(state, number, items_of(state, site, items) if starred else items)
    state.solver.put(site.result, number)


def _chain_nested(state: State, site: Site) -> None:
    number = made(state, site, "itertools.chain")
    source = argument(site, 0)
    if source is not None:
        fill(state, number, items_of(state, site, items_of(state, site, source)))
    state.solver.put(site.result, number)


def _same_items(position: int = 0, function: int | None = None, name: str | None = None) -> Model:
    """Make a model of an iterator that gives the items it is handed, asking a function."""

    def model(state: State, site: Site) -> None:
        number = made(state, site, "itertools.islice")
        source = argument(site, position)
        if source is not None:
            items = items_of(state, site, source)
            fill(state, number, items)
            asked = None if function is None else argument(site, function, name)
            if asked is not None:
                callback(state, site, asked, (items,))
        state.solver.put(site.result, number)

    return model


def _groupby(state: State, site: Site) -> None:
    source, key = argument(site, 0, "iterable"), argument(site, 1, "key")
    if source is None:
        return
    items = items_of(state, site, source)
    first = items if key is None else callback(state, site, key, (items,))
    group = state.container("itertools._grouper", (site.frame.number, site.node))
    fill(state, group, items)
    second = state.new()
    state.solver.put(second, group)
    _pairs(state, site, "itertools.groupby", first, second)


def _operator(name: str) -> Model:
    def model(state: State, site: Site) -> None:
        a, b = argument(site, 0), argument(site, 1)
        if a is not None:
            given = () if b is None else (b,)
            state.solver.watch(a, _operated, state, site, name, given)

    return model


def _operated(
    found: Iterable[int], state: State, site: Site, name: str, given: tuple[int, ...]
) -> None:
    for one in found:
        variable = operations.method(state, one, name)
        if variable is not None:
            operations.call_at(state, variable, one, site.frame, site.node, site.result, given)
        elif one < 0 or state.objects.kind[one] in (EXTERNAL_INSTANCE, CONTAINER):
            if name == "__getitem__" and given:
                operations.load_item(
                    (one,), state, site.frame, site.node, None, given[0], site.result
                )
            else:
                state.solver.put(site.result, one if one >= 0 else state.objects.text)


def _getter(kind: str) -> Model:
    """Make a model of operator.attrgetter, itemgetter and methodcaller."""

    def model(state: State, site: Site) -> None:
        number = state.objects.of(PARTIAL, site.frame.number, site.node)
        state.extra[number] = (site.values[0], site.values[1])
        inner = state.objects.external(f"operator.{kind} result")
        state.solver.put(state.field(number, "function"), inner)
        state.solver.put(site.result, number)

    return model


def _attrgetter_call(state: State, site: Site) -> None:
    *names, (source, _) = site.values[0]
    for name, _ in names:
        state.solver.watch(name, _attr_path, state, site, source)


def _attr_path(found: Iterable[int], state: State, site: Site, source: int) -> None:
    for one in found:
        if one < 0:
            *path, last = state.objects.texts[-one].split(".")
            at = source
            for name in path:
                target = state.new()
                state.solver.watch(at, load_attribute, state, site.frame, site.node, name, target)
                at = target
            state.solver.watch(at, load_attribute, state, site.frame, site.node, last, site.result)


def _itemgetter_call(state: State, site: Site) -> None:
    *keys, (source, _) = site.values[0]
    for key, _ in keys:
        state.solver.watch(
            source, operations.load_item, state, site.frame, site.node, None, key, site.result
        )


def _methodcaller_call(state: State, site: Site) -> None:
    if len(site.values[0]) < 2:
        return
    (name, _), *given, (source, _) = site.values[0]
    state.solver.watch(name, _call_named, state, site, source, tuple(given))


def _call_named(
    found: Iterable[int], state: State, site: Site, source: int, given: tuple[Any, ...]
) -> None:
    for one in found:
        if one < 0:
            method = state.new()
            text = state.objects.texts[-one]
            state.solver.watch(source, load_attribute, state, site.frame, site.node, text, method)
            values = (given, site.values[1])
            inner = state.site(site.frame, site.node, site.result, values, site.kind)
            state.solver.watch(method, state.call, state, inner)


def _object_new(state: State, site: Site, _: int | None = None) -> None:
    """Make an instance of the class that is handed over."""
    cls = argument(site, 0)
    if cls is not None:
        state.solver.watch(cls, _new_instance, state, site)


def _new_instance(found: Iterable[int], state: State, site: Site) -> None:
    from codelake.resolve.contexts import instance_place

    for one in found:
        if one >= 0 and state.objects.kind[one] == CLASS:
            place = instance_place(state, one, site)
            state.solver.put(site.result, state.objects.of(INSTANCE, one, place))


def _type_new(state: State, site: Site, _: int) -> None:
    """Make a class in a metaclass: the classes that have this metaclass."""
    cls = argument(site, 0)
    if cls is not None:
        state.solver.watch(cls, _new_classes, state, site)


def _new_classes(found: Iterable[int], state: State, site: Site) -> None:
    for meta in found:
        for made_class in sorted(state.made_by_meta.get(meta, ())):
            state.solver.put(site.result, made_class)


def _type_call(state: State, site: Site, receiver: int) -> None:
    """Make an instance, as type.__call__ does for a metaclass; its __init__ is called back."""
    if state.objects.kind[receiver] != CLASS:
        return
    inner = state.site(site.frame, site.node, site.result, site.values, CALLBACK)
    from codelake.resolve.calls import construct

    construct(state, receiver, inner)


def _function_get(state: State, receiver: int, site: Site) -> None:
    variable = argument(site, 0)
    if variable is not None:
        state.solver.watch(variable, _bind_function, state, receiver, site.result)


def _bind_function(found: Iterable[int], state: State, function: int, target: int) -> None:
    for one in found:
        if one >= 0:
            state.solver.put(target, state.objects.of(BOUND, function, one))


def _method_type(state: State, site: Site) -> None:
    function, receiver = argument(site, 0), argument(site, 1)
    if function is not None and receiver is not None:
        state.solver.watch(function, _method_of, state, receiver, site.result)


def _method_of(found: Iterable[int], state: State, receiver: int, target: int) -> None:
    for one in found:
        state.solver.watch(receiver, _bind_function, state, one, target)


def _copy(state: State, site: Site) -> None:
    """Copy: what a copy of an object may be is not followed; hooks are called."""
    source = argument(site, 0)
    if source is not None:
        for name in ("__copy__", "__deepcopy__"):
            operations.call_later(state, source, site.frame, site.node, name, ())
        state.solver.link(source, site.result)


# methods of containers


def _append(state: State, site: Site, one: int) -> None:
    variable = argument(site, len(site.values[0]) - 1)
    if variable is not None:
        fill(state, one, variable)
        if state.objects.first[one] in ("builtins.set", "builtins.frozenset"):
            operations.hashed(state, site.frame, site.node, variable)
            every = state.containers[one].every
            operations.call_later(state, every, site.frame, site.node, "__eq__", (variable,))
    state.solver.put(site.result, state.objects.none)


def _extend(state: State, site: Site, one: int) -> None:
    for variable, _ in site.values[0]:
        fill(state, one, items_of(state, site, variable))


def _update(state: State, site: Site, one: int) -> None:
    kind = state.objects.first[one]
    if kind in ("builtins.set", "builtins.frozenset"):
        _extend(state, site, one)
        return
    for variable, _ in site.values[0]:
        state.solver.watch(variable, operations.merge_mapping, state, one)
        state.solver.watch(items_of(state, site, variable), _take_pair, state, one)
    for name, variable in site.values[1]:
        if name is None:
            state.solver.watch(variable, operations.merge_mapping, state, one)
        else:
            state.store_item(one, f"str:{name}", variable)


def _pop(state: State, site: Site, one: int) -> None:
    _get(state, site, one)


def _get(state: State, site: Site, one: int) -> None:
    """Handle get, pop and setdefault: an item by key, or the default."""
    key = argument(site, 0)
    container = state.containers[one]
    is_mapping = state.objects.first[one] in (
        "builtins.dict", "collections.defaultdict", "collections.OrderedDict")  # fmt: skip
    if key is None or not is_mapping:
        state.solver.link(container.every, site.result)
    else:
        operations.load_item((one,), state, site.frame, site.node, None, key, site.result)
    default = argument(site, 1, "default")
    if default is not None:
        state.solver.link(default, site.result)


def _setdefault(state: State, site: Site, one: int) -> None:
    _get(state, site, one)
    key, default = argument(site, 0), argument(site, 1)
    if key is not None and default is not None:
        operations.store_item((one,), state, site.frame, site.node, None, key, default)


def _items(state: State, site: Site, one: int) -> None:
    container = state.containers[one]
    _pairs(state, site, "builtins.dict_items", container.names, container.every)


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
    operations.merge_mapping((one,), state, number)
    state.solver.put(site.result, number)


def _union(state: State, site: Site, one: int) -> None:
    number = made(state, site, state.objects.first[one])
    fill(state, number, state.containers[one].every)
    for variable, _ in site.values[0]:
        fill(state, number, items_of(state, site, variable))
    state.solver.put(site.result, number)


def _sort(state: State, site: Site, one: int) -> None:
    container = state.containers[one]
    _compare_items(state, site, container.every, argument(site, 9, "key"))
    state.solver.link(container.every, container.loose)
    state.solver.put(site.result, state.objects.none)


def _reorder(state: State, _: Site, one: int) -> None:
    container = state.containers[one]
    state.solver.link(container.every, container.loose)


def _search(state: State, site: Site, one: int) -> None:
    variable = argument(site, 0)
    if variable is not None:
        every = state.containers[one].every
        operations.call_later(state, every, site.frame, site.node, "__eq__", (variable,))
    state.solver.put(site.result, state.objects.instance_of("builtins.int"))


def _send(state: State, site: Site, one: int) -> None:
    """Send to a generator: what is sent is the value of its yield."""
    inner = state.extra.get(one)
    variable = argument(site, 0)
    if isinstance(inner, Frame) and variable is not None:
        state.solver.link(variable, inner.sent)
    state.solver.link(state.containers[one].every, site.result)


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
        operations.load_item((one,), state, site.frame, site.node, None, key, site.result)


def _set_item_method(state: State, site: Site, one: int) -> None:
    key, value = argument(site, 0), argument(site, 1)
    if key is not None and value is not None:
        operations.store_item((one,), state, site.frame, site.node, None, key, value)


def _element(state: State, site: Site, one: int) -> None:
    state.solver.link(state.containers[one].every, site.result)


def _done_callback(state: State, site: Site, one: int) -> None:
    variable = argument(site, 0)
    if variable is not None:
        given = state.new()
        state.solver.put(given, one)
        callback(state, site, variable, (given,))


_METHODS: dict[str, Callable[[State, Site, int], None]] = {
    **dict.fromkeys(("append", "add", "insert", "appendleft", "put", "put_nowait"), _append),
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
    **dict.fromkeys(("index", "count", "remove"), _search),
    **dict.fromkeys(("send", "throw"), _send),
    **dict.fromkeys(("asend",), _asend),
    **dict.fromkeys(("__iter__", "__enter__", "__aiter__"), _self),
    "__getitem__": _item_method,
    "__setitem__": _set_item_method,
    **dict.fromkeys(("__next__", "result"), _element),
    "__anext__": _asend,
    "add_done_callback": _done_callback,
}
_BOUND: dict[str, Callable[[State, Site, int], None]] = {
    "builtins.property.setter": _property_method("set"),
    "builtins.property.getter": _property_method("get"),
    "builtins.property.deleter": _property_method("del"),
    "functools.singledispatch.register": _singledispatch_register,
    "contextlib.ExitStack.enter_context": _enter_context,
    "contextlib.ExitStack.callback": _exit_callback,
    "contextlib.ExitStack.push": _enter_context,
    "builtins.object.__new__": _object_new,
    "builtins.type.__new__": _type_new,
    "builtins.type.__call__": _type_call,
    "builtins.str.format": _format_text,
    "re.Pattern.sub": _substitute_method,
    "re.Pattern.subn": _substitute_method,
    "asyncio.TaskGroup.create_task": _task_method,
    "asyncio.AbstractEventLoop.create_task": _task_method,
    "asyncio.AbstractEventLoop.run_until_complete": lambda s, site, _: _await_result(s, site),
}
_BOUND_BY_NAME: dict[str, Callable[[State, Site, int], None]] = {"start": _start_thread}
_OPERATORS = {
    "add": "__add__", "sub": "__sub__", "mul": "__mul__", "truediv": "__truediv__",
    "eq": "__eq__", "ne": "__ne__", "lt": "__lt__", "le": "__le__", "gt": "__gt__",
    "ge": "__ge__", "neg": "__neg__", "contains": "__contains__", "getitem": "__getitem__",
    "and_": "__and__", "or_": "__or__", "xor": "__xor__", "mod": "__mod__", "not_": "__bool__",
    "floordiv": "__floordiv__", "pow": "__pow__", "matmul": "__matmul__", "call": "__call__",
    "iadd": "__iadd__", "truth": "__bool__", "abs": "__abs__", "index": "__index__",
}  # fmt: skip
_FUNCTIONS: dict[str, Model] = {
    "builtins.list": _collect("builtins.list", True),
    "builtins.tuple": _collect("builtins.tuple", True),
    "builtins.set": _collect("builtins.set"),
    "builtins.frozenset": _collect("builtins.frozenset"),
    "builtins.dict": _dict_call,
    "collections.OrderedDict": _dict_call,
    "builtins.sorted": _sorted,
    "builtins.min": _best,
    "builtins.max": _best,
    "builtins.map": _map,
    "itertools.starmap": _starmap,
    "builtins.filter": _filter,
    "builtins.zip": _zip,
    "itertools.zip_longest": _zip,
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
    "builtins.len": _special("__len__", "int"),
    "builtins.repr": _special("__repr__", "str"),
    "builtins.str": _special("__str__", "str"),
    "builtins.format": _special("__format__", "str"),
    "builtins.bool": _special("__bool__", "bool"),
    "builtins.int": _special("__int__", "int"),
    "builtins.float": _special("__float__", "float"),
    "builtins.hash": _special("__hash__", "int"),
    "builtins.bytes": _special("__bytes__", "bytes"),
    "builtins.dir": _special("__dir__", "list[str]"),
    "builtins.abs": _special_result("__abs__"),
    "builtins.round": _special_result("__round__"),
    "builtins.any": _each_item("__bool__", "bool"),
    "builtins.all": _each_item("__bool__", "bool"),
    "builtins.property": _property,
    "builtins.staticmethod": _holder(STATIC),
    "builtins.classmethod": _holder(CLASS_METHOD),
    "abc.abstractmethod": _same,
    "abc.abstractproperty": _property,
    "functools.cached_property": _holder(CACHED, "get"),
    "functools.lru_cache": _same,
    "functools.cache": _same,
    "functools.total_ordering": _total_ordering,
    "functools.wraps": _wraps,
    "functools.update_wrapper": _update_wrapper,
    "functools.partial": _partial,
    "functools.partialmethod": _partial,
    "functools.reduce": _reduce,
    "functools.singledispatch": _holder(DISPATCH),
    "functools.singledispatchmethod": _holder(DISPATCH),
    "functools.cmp_to_key": _same,
    "contextlib.contextmanager": _contextmanager,
    "contextlib.asynccontextmanager": _contextmanager,
    "contextlib.closing": _closing,
    "atexit.register": _callback_at(0, None, True),
    "signal.signal": _callback_at(1),
    "re.sub": _substitute,
    "re.subn": _substitute,
    "copy.copy": _copy,
    "copy.deepcopy": _copy,
    "json.dumps": _callback_at(9, "default"),
    "json.dump": _callback_at(9, "default"),
    "threading.Thread": _thread,
    "multiprocessing.Process": _thread,
    "threading.Timer": _callback_at(1, "function"),
    "heapq.nlargest": _same_items(1, 2, "key"),
    "heapq.nsmallest": _same_items(1, 2, "key"),
    "asyncio.run": _await_result,
    "asyncio.wait_for": _task,
    "asyncio.shield": _task,
    "asyncio.create_task": _task,
    "asyncio.ensure_future": _task,
    "asyncio.gather": _gather,
    "asyncio.to_thread": _to_thread,
    "dataclasses.dataclass": _dataclass,
    "dataclasses.field": _field,
    "collections.namedtuple": _namedtuple,
    "collections.defaultdict": _defaultdict,
    "collections.deque": _deque,
    "itertools.chain": _chain,
    "itertools.chain.from_iterable": _chain_nested,
    "itertools.islice": _same_items(),
    "itertools.cycle": _same_items(),
    "itertools.takewhile": _same_items(1, 0),
    "itertools.dropwhile": _same_items(1, 0),
    "itertools.filterfalse": _same_items(1, 0),
    "itertools.accumulate": _same_items(0, 1, "func"),
    "itertools.groupby": _groupby,
    "importlib.import_module": _import_module,
    "builtins.__import__": _import_module,
    "types.MethodType": _method_type,
    "typing.cast": lambda state, site: _same_second(state, site),
    "enum.member": _enum_value,
    "typing.final": _same,
    "typing.overload": _same,
    "typing.override": _same,
    "typing.runtime_checkable": _same,
    "enum.unique": _same,
    "operator.attrgetter": _getter("attrgetter"),
    "operator.itemgetter": _getter("itemgetter"),
    "operator.methodcaller": _getter("methodcaller"),
    "operator.attrgetter result": _attrgetter_call,
    "operator.itemgetter result": _itemgetter_call,
    "operator.methodcaller result": _methodcaller_call,
    "builtins.object.__new__": _object_new,
    **{f"operator.{name}": _operator(method) for name, method in _OPERATORS.items()},
}


def _same_second(state: State, site: Site) -> None:
    """Handle typing.cast: an instance of the class that is named."""
    cls, value = argument(site, 0), argument(site, 1)
    if value is not None:
        state.solver.link(value, site.result)
    if cls is not None:
        state.casts.append((site.frame, cls, site.result))
