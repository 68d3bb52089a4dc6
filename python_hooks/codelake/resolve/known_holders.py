"""Known holders: objects of the library that give back what they were handed.

    SimpleNamespace(go=f).go        f
    parser.set_defaults(func=f)     parser.parse_args().func is f
    heappush(heap, x)               x is an item of heap
    weakref.ref(x)()                x
    queue.put(x); queue.get()       x
    ChainMap({"k": x}, d)["k"]      x, or what d has there

Next: container_methods.py.
"""

from __future__ import annotations

from collections.abc import Iterable

from codelake.resolve.items import merge_mapping
from codelake.resolve.known_support import (
    MethodModel,
    Model,
    argument,
    fill,
    items_of,
    made,
)
from codelake.resolve.objects import CONTAINER, EXTERNAL_INSTANCE, PARTIAL
from codelake.resolve.state import Site, State

_ARGUMENTS = "argparse.Namespace"


def _namespace(state: State, site: Site) -> None:
    """Make a namespace of its own for each place."""
    place = (site.frame.number, site.node)
    number = state.objects.of(EXTERNAL_INSTANCE, "types.SimpleNamespace", place)
    _give(state, number, site)
    state.solver.put(site.result, number)


def _set_defaults(state: State, site: Site, _: int) -> None:
    """Give the arguments that any parser returns their defaults."""
    _give(state, state.objects.instance_of(_ARGUMENTS), site)


def _give(state: State, number: int, site: Site) -> None:
    for name, variable in site.values[1]:
        if name is not None:
            state.stored_names.add(name)
            state.solver.link(variable, state.field(number, name))


def _holder(kind: str) -> Model:
    """Make a model of an object that holds what its methods are handed."""

    def model(state: State, site: Site) -> None:
        number = made(state, site, kind)
        default = argument(site, 9, "default")
        if default is not None:
            fill(state, number, default)
        state.solver.put(site.result, number)

    return model


def _set(state: State, site: Site, receiver: int) -> None:
    variable = argument(site, 0)
    if variable is not None:
        _hold((receiver,), state, variable)


def _get(state: State, site: Site, receiver: int) -> None:
    default = argument(site, 0)
    if default is not None:
        state.solver.link(default, site.result)
    if receiver in state.containers:
        state.solver.link(state.containers[receiver].every, site.result)


def _get_later(state: State, site: Site, receiver: int) -> None:
    """Get from a queue of asyncio: awaiting it gives an item."""
    number = made(state, site, "types.CoroutineType")
    if receiver in state.containers:
        fill(state, number, state.containers[receiver].every)
    state.solver.put(site.result, number)


def _push(state: State, site: Site) -> None:
    heap, item = argument(site, 0), argument(site, 1)
    if heap is not None and item is not None:
        state.solver.watch(heap, _hold, state, item)


def _hold(found: Iterable[int], state: State, item: int) -> None:
    for one in found:
        if one >= 0 and state.objects.kind[one] == CONTAINER:
            fill(state, one, item)


def _pop(state: State, site: Site) -> None:
    heap = argument(site, 0)
    if heap is not None:
        state.solver.link(items_of(state, site, heap), site.result)


def _push_and_pop(state: State, site: Site) -> None:
    _push(state, site)
    _pop(state, site)


def _view(kind: str) -> Model:
    """Make a model of a mapping that shows the items of others."""

    def model(state: State, site: Site) -> None:
        number = made(state, site, kind)
        for variable, starred in site.values[0]:
            source = items_of(state, site, variable) if starred else variable
            state.solver.watch(source, merge_mapping, state, number)
        state.solver.put(site.result, number)

    return model


def _reference(state: State, site: Site) -> None:
    """Make a weak reference: what it gives when it is called is what it was made of."""
    number = state.objects.of(PARTIAL, site.frame.number, site.node)
    state.extra[number] = (site.values[0][:1], ())
    state.solver.put(state.field(number, "function"), state.objects.external("weakref.ref result"))
    state.solver.put(site.result, number)


def _referred(state: State, site: Site) -> None:
    variable = argument(site, 0)
    if variable is not None:
        state.solver.link(variable, site.result)


def _tee(state: State, site: Site) -> None:
    """Make several iterators over the same items."""
    source = argument(site, 0)
    if source is None:
        return
    each = state.container("itertools._tee", ("tee", site.frame.number, site.node))
    fill(state, each, items_of(state, site, source))
    copy = state.new()
    state.solver.put(copy, each)
    number = made(state, site, "builtins.tuple")
    fill(state, number, copy)
    state.solver.put(site.result, number)


_VARIABLE = "contextvars.ContextVar"
_QUEUES = tuple(
    f"{module}.{name}"
    for module in ("queue", "asyncio", "multiprocessing")
    for name in ("Queue", "LifoQueue", "PriorityQueue", "SimpleQueue")
)
HOLDERS = frozenset((*_QUEUES, _VARIABLE))
"""Classes whose instances are containers, and have the name of their class."""

FUNCTIONS: dict[str, Model] = {
    **{name: _holder(name) for name in sorted(HOLDERS)},
    "types.SimpleNamespace": _namespace,
    "types.MappingProxyType": _view("builtins.mappingproxy"),
    "collections.ChainMap": _view("collections.ChainMap"),
    "heapq.heappush": _push,
    "heapq.heappop": _pop,
    "heapq.heappushpop": _push_and_pop,
    "heapq.heapreplace": _push_and_pop,
    "itertools.tee": _tee,
    "weakref.ref": _reference,
    "weakref.ref result": _referred,
}
METHODS: dict[str, MethodModel] = {
    "argparse.ArgumentParser.set_defaults": _set_defaults,
    **{f"{name}.get": _get_later for name in _QUEUES if name.startswith("asyncio.")},
    f"{_VARIABLE}.set": _set,
    f"{_VARIABLE}.get": _get,
}
