"""Known calls: an external name or method that is called -> its model, or its known type.

    os.path.join(a)       a text, says known_types.py
    app.App()             an instance, since it looks like a class
    app.run()             UNKNOWN; a function that is handed to it is not taken as called

The models are in known_builtins.py, known_reflection.py, known_decorators.py, known_library.py,
known_holders.py, known_texts.py and container_methods.py.
Next: known_types.py.
"""

from __future__ import annotations

from collections.abc import Iterable

from codelake.resolve import (
    known_builtins,
    known_decorators,
    known_holders,
    known_library,
    known_reflection,
    known_texts,
)
from codelake.resolve.container_methods import METHODS
from codelake.resolve.known_classes import hold_arguments
from codelake.resolve.known_decorators import object_new
from codelake.resolve.known_library import start_thread
from codelake.resolve.known_support import MethodModel, Model, argument, callback, items_of
from codelake.resolve.known_types import call_type, is_class_name, make_type
from codelake.resolve.library_classes import is_exception
from codelake.resolve.objects import (
    CONTAINER,
    EXTERNAL_INSTANCE,
    INSTANCE,
    UNKNOWN,
)
from codelake.resolve.state import IMPLICIT, Site, State


def call_external(state: State, name: str, site: Site) -> None:
    """Call an external name."""
    if not name.endswith(" result"):
        state.edge(site, name, "external")
    model = FUNCTIONS.get(name)
    if model is None and site.kind == IMPLICIT and name.endswith("property"):
        model = FUNCTIONS["functools.cached_property"]  # one by its name
    if model is None and name.endswith(".__new__"):
        model = object_new  # `str.__new__(cls, text)`
    if model is not None:
        model(state, site)
        return
    owner, _, method = name.rpartition(".")
    if owner.startswith("builtins.") and method in METHODS and site.values[0]:
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
            model = METHODS.get(method)
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
    if is_exception(name):
        hold_arguments(state, state.objects.instance_of(name), site)
    for keyword, variable in site.values[1]:
        if keyword in _CALLBACK_KEYWORDS:
            callback(state, site, variable, ())
    if name in ("threading.Timer",) and len(site.values[0]) > 1:
        callback(state, site, site.values[0][1][0], ())
    if name in ("builtins.ExceptionGroup", "builtins.BaseExceptionGroup"):
        members = argument(site, 1)
        if members is not None:  # `except*` takes it apart
            state.solver.link(items_of(state, site, members), state.grouped)


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
    if name.startswith("types.FunctionType.") and method != "__get__":
        if method in _CACHE_METHODS:
            state.edge(site, f"functools._lru_cache_wrapper.{method}", "external")
        return
    state.edge(site, name, "external")
    if name in _BOUND:
        _BOUND[name](state, site, receiver)
        return
    if kind == CONTAINER and method in METHODS:
        METHODS[method](state, site, receiver)
        return
    if kind == INSTANCE and method == "__init__" and is_exception(name.rpartition(".")[0]):
        hold_arguments(state, receiver, site)
        return
    if kind == INSTANCE and special is not None:
        special(state, site, receiver)
        return
    if kind == INSTANCE and method in METHODS and name.startswith(("builtins.", "collections.")):
        METHODS[method](state, site, _items_container(state, receiver))
        return
    for keyword, variable in site.values[1]:
        if keyword in _CALLBACK_KEYWORDS:
            callback(state, site, variable, ())
    found = call_type(name)
    if found is None and kind == EXTERNAL_INSTANCE and is_class_name(name):
        state.solver.put(site.result, objects.instance_of(name))
    elif found is None and method in ("__enter__", "__aenter__", "__iter__", "__copy__"):
        state.solver.put(site.result, receiver)
    elif found is None and method == "__new__":
        object_new(state, site, receiver)
    else:
        _generic_result(state, name, site, receiver)


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


_CACHE_METHODS = frozenset({"cache_clear", "cache_info", "cache_parameters"})
_BOUND_BY_NAME: dict[str, MethodModel] = {"start": start_thread}


FUNCTIONS: dict[str, Model] = {
    **known_builtins.FUNCTIONS,
    **known_reflection.FUNCTIONS,
    **known_decorators.FUNCTIONS,
    **known_library.FUNCTIONS,
    **known_holders.FUNCTIONS,
}
_BOUND: dict[str, MethodModel] = {
    **known_decorators.METHODS,
    **known_library.METHODS,
    **known_holders.METHODS,
    **known_texts.METHODS,
}
