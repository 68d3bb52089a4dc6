"""Known decorators and what makes classes: property, functools, contextlib, dataclasses, type.

    @property             PROPERTY: reading the attribute calls the function
    partial(f, 1)         PARTIAL: calling it calls f
    @contextmanager       entering gives what the function yields

Next: known_library.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from codelake.resolve import dispatch, managers
from codelake.resolve.class_table import own_attribute, put_line
from codelake.resolve.constructors import construct
from codelake.resolve.contexts import instance_place
from codelake.resolve.known_support import (
    MethodModel,
    Model,
    argument,
    call_back,
    callback,
    fill,
    made,
)
from codelake.resolve.objects import (
    BOUND,
    CACHED,
    CLASS,
    CLASS_METHOD,
    DISPATCH,
    EXTERNAL,
    FUNCTION,
    INSTANCE,
    PARTIAL,
    PROPERTY,
    STATIC,
    WRAPPER,
)
from codelake.resolve.state import CALLBACK, ClassInfo, Site, State


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


def _entered_value(kind: str) -> Model:
    """Make a model of a context manager that gives what it was made of."""

    def model(state: State, site: Site) -> None:
        variable = argument(site, 0, "enter_result")
        if variable is not None:
            number = made(state, site, kind)
            fill(state, number, variable)
            state.solver.put(site.result, number)

    return model


def _enter_context(state: State, site: Site, _: int) -> None:
    variable = argument(site, 0)
    if variable is not None:
        state.solver.watch(
            variable, managers.enter, state, site.frame, site.node, False, site.result, False
        )
        entered = state.field(-site.frame.number - 1, "exit stack")
        state.solver.link(variable, entered)


def _exit_callback(state: State, site: Site, _: int) -> None:
    if site.values[0]:
        first, *rest = site.values[0]
        inner = state.site(
            site.frame, site.node, state.new(), (tuple(rest), site.values[1]), CALLBACK
        )
        state.solver.watch(first[0], call_back, state, inner)
        state.solver.link(first[0], site.result)


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


def object_new(state: State, site: Site, _: int | None = None) -> None:
    """Make an instance of the class that is handed over."""
    cls = argument(site, 0)
    if cls is not None:
        state.solver.watch(cls, _new_instance, state, site)


def _new_instance(found: Iterable[int], state: State, site: Site) -> None:
    for one in found:
        if one >= 0 and state.objects.kind[one] == CLASS:
            place = instance_place(state, one, site)
            state.solver.put(site.result, state.objects.of(INSTANCE, one, place))


def _type_new(state: State, site: Site, _: int | None = None) -> None:
    """Make a class in a metaclass: the classes that have this metaclass."""
    cls, names = argument(site, 0), argument(site, 3)
    if cls is not None:
        state.solver.watch(cls, _new_classes, state, site)
        if names is not None:
            state.solver.watch(names, _take_names, state)


def _take_names(found: Iterable[int], state: State) -> None:
    """Let the entries of a namespace be attributes of the class whose body it began with."""
    for one in found:
        place = state.objects.second[one] if one in state.containers else None
        if isinstance(place, tuple) and place[0] == "names":
            info, container = state.classes[place[1]], state.containers[one]

            def listen(key: str, variable: int, info: ClassInfo = info) -> None:
                if key.startswith("str:"):
                    state.solver.link(variable, own_attribute(state, info, key[4:]))

            for key, variable in tuple(container.keys.items()):
                listen(key, variable)
            container.listeners.append(listen)


def _new_classes(found: Iterable[int], state: State, site: Site) -> None:
    for meta in found:
        for made_class in sorted(state.made_by_meta.get(meta, ())):
            state.solver.put(site.result, made_class)


def _type_call(state: State, site: Site, receiver: int) -> None:
    """Make an instance, as type.__call__ does for a metaclass; its __init__ is called back."""
    if state.objects.kind[receiver] != CLASS:
        return
    inner = state.site(site.frame, site.node, site.result, site.values, CALLBACK)
    construct(state, receiver, inner)


def _function_get(state: State, site: Site, receiver: int) -> None:
    """Bind a function to what its __get__ is handed."""
    variable = argument(site, 0)
    if variable is not None:
        state.solver.watch(variable, _bind_function, state, receiver, site.result)


def _bind_function(found: Iterable[int], state: State, function: int, target: int) -> None:
    for one in found:
        if one >= 0:
            state.solver.put(target, state.objects.of(BOUND, function, one))


def _subclasses(state: State, site: Site, receiver: int) -> None:
    number = made(state, site, "builtins.list")
    state.solver.put(site.result, number)
    state.solver.at_last(_fill_subclasses, state, receiver, number)


def _fill_subclasses(_: Iterable[int], state: State, cls: int, number: int) -> None:
    found = state.new()
    for one in state.classes[cls].subclasses:
        state.solver.put(found, one)
    fill(state, number, found)


def _mro(state: State, site: Site, receiver: int) -> None:
    state.solver.at_last(put_line, state, receiver, "builtins.list", True, site.result)


def _method_type(state: State, site: Site) -> None:
    function, receiver = argument(site, 0), argument(site, 1)
    if function is not None and receiver is not None:
        state.solver.watch(function, _method_of, state, receiver, site.result)


def _method_of(found: Iterable[int], state: State, receiver: int, target: int) -> None:
    for one in found:
        state.solver.watch(receiver, _bind_function, state, one, target)


def _partialmethod(state: State, site: Site) -> None:
    _partial(state, site)
    number = state.objects.of(PARTIAL, site.frame.number, site.node)
    state.partial_methods.add(number)


FUNCTIONS: dict[str, Model] = {
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
    "functools.partialmethod": _partialmethod,
    "functools.singledispatch": _holder(DISPATCH),
    "functools.singledispatchmethod": _holder(DISPATCH),
    "functools.cmp_to_key": _same,
    "contextlib.contextmanager": _contextmanager,
    "contextlib.asynccontextmanager": _contextmanager,
    "contextlib.closing": _entered_value("contextlib.closing"),
    "contextlib.nullcontext": _entered_value("contextlib.nullcontext"),
    "dataclasses.dataclass": _dataclass,
    "dataclasses.field": _field,
    "types.MethodType": _method_type,
    "enum.member": _enum_value,
    "typing.final": _same,
    "typing.overload": _same,
    "typing.override": _same,
    "typing.runtime_checkable": _same,
    "enum.unique": _same,
    "builtins.type.__new__": _type_new,
}
METHODS: dict[str, MethodModel] = {
    "builtins.property.setter": _property_method("set"),
    "builtins.property.getter": _property_method("get"),
    "builtins.property.deleter": _property_method("del"),
    "functools.singledispatch.register": dispatch.register,
    "contextlib.ExitStack.enter_context": _enter_context,
    "contextlib.ExitStack.callback": _exit_callback,
    "contextlib.ExitStack.push": _enter_context,
    "builtins.object.__new__": object_new,
    "builtins.type.__new__": _type_new,
    "builtins.type.__call__": _type_call,
    "builtins.type.__subclasses__": _subclasses,
    "builtins.type.mro": _mro,
    "types.FunctionType.__get__": _function_get,
}
