"""Known reflection: builtins that are told the name of a thing, or tell what a thing is.

    getattr(x, "go")          x.go; of a name known in part, all attributes that begin so
    setattr(x, name, value)   each value at its own name, as far as names and values are told apart
    type(x), super(), vars(m), import_module("a.b")

Next: keyed_items.py.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from codelake.resolve import keyed_items, special_methods
from codelake.resolve.attributes import load_attribute
from codelake.resolve.class_table import add_base, new_class, own_attribute
from codelake.resolve.known_support import (
    Model,
    argument,
    items_of,
)
from codelake.resolve.module_values import module_names, module_object
from codelake.resolve.objects import (
    CLASS,
    CONTAINER,
    EXTERNAL_INSTANCE,
    INSTANCE,
    MODULE,
    SUPER,
)
from codelake.resolve.state import Frame, Site, State
from codelake.resolve.stored_attributes import store_attribute
from codelake.sources.modules import absolute_module

_FEW = 4  # names or values that are handed on to a setattr and not told apart
_FAR = 3  # copies of what a dynamic getattr gives that may hold all of it
_PREFIX = 3  # characters of a name that tell enough


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


FUNCTIONS: dict[str, Model] = {
    "builtins.getattr": _getattr,
    "builtins.setattr": _setattr,
    "builtins.type": _type,
    "builtins.super": _super,
    "builtins.isinstance": _isinstance,
    "builtins.issubclass": _isinstance,
    "builtins.globals": _globals,
    "builtins.vars": _vars,
    "builtins.locals": _vars,
    "importlib.import_module": _import_module,
    "importlib.reload": _reload,
    "builtins.__import__": _import_module,
}
