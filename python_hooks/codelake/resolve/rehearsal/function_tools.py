"""Functions of `functools`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from codelake.resolve.rehearsal.expressions import hashable
from codelake.resolve.rehearsal.values import (
    PLAIN,
    Class,
    Function,
    GiveUp,
    Native,
    Partial,
    Property,
    Run,
    class_of,
    error,
)

if TYPE_CHECKING:
    from codelake.resolve.rehearsal.machine import Machine

type _Arguments = list[Any]
type _Keywords = dict[str, Any]


def _partial(machine: Machine, arguments: _Arguments, keywords: _Keywords) -> Run:
    function, *given = arguments
    return Partial(function, given, keywords)
    yield


def _reduce(machine: Machine, arguments: _Arguments, _: _Keywords) -> Run:
    function, values, *start = arguments
    items = yield from machine.items(values)
    if not start and not items:
        raise error(TypeError, "reduce() of empty iterable")
    total = start[0] if start else items.pop(0)
    for each in items:
        total = yield from machine.call(function, [total, each], {})
    return total


def _names_of(function: Any) -> dict[str, Any]:
    found = dict(getattr(function, "names", {}))
    found["__wrapped__"] = function
    node = getattr(function, "node", None)
    if node is not None:
        found["__name__"] = found["__qualname__"] = getattr(node, "name", "<lambda>")
    return found


def _wraps(machine: Machine, arguments: _Arguments, _: _Keywords) -> Run:
    (wrapped, *_rest) = arguments

    def decorate(machine: Machine, given: _Arguments, _: _Keywords) -> Run:
        if hasattr(given[0], "names"):
            given[0].names.update(_names_of(wrapped))
        return given[0]
        yield

    return Native("wraps", decorate)
    yield


def _update_wrapper(machine: Machine, arguments: _Arguments, _: _Keywords) -> Run:
    wrapper, wrapped = arguments[:2]
    if hasattr(wrapper, "names"):
        wrapper.names.update(_names_of(wrapped))
    return wrapper
    yield


def _key(value: Any) -> Any:
    """Return what stands for an argument in a cache."""
    if isinstance(value, PLAIN):
        return type(value), value
    if isinstance(value, tuple):
        return tuple(_key(each) for each in value)
    hashable(value)
    return id(value)


def _cached(function: Any) -> Native:
    results: dict[Any, tuple[Any, Any]] = {}

    def run(machine: Machine, arguments: _Arguments, keywords: _Keywords) -> Run:
        key = _key((*arguments, *sorted(keywords), *(keywords[name] for name in sorted(keywords))))
        if key not in results:
            found = yield from machine.call(function, arguments, keywords)
            results[key] = found, (arguments, keywords)
        return results[key][0]

    def clear(machine: Machine, arguments: _Arguments, _: _Keywords) -> Run:
        results.clear()
        return None
        yield

    made = Native("cache", run)
    made.names.update(_names_of(function), cache_clear=Native("cache_clear", clear))
    return made


def _cache(machine: Machine, arguments: _Arguments, keywords: _Keywords) -> Run:
    if len(arguments) == 1 and isinstance(arguments[0], (Function, Native)):
        return _cached(arguments[0])

    def decorate(machine: Machine, given: _Arguments, _: _Keywords) -> Run:
        return _cached(given[0])
        yield

    return Native("lru_cache", decorate)
    yield


def cached(machine: Machine, arguments: _Arguments, _: _Keywords) -> Run:
    """Return a functools.cached_property."""
    return Property(arguments[0], cached=True)
    yield


def _total_ordering(machine: Machine, arguments: _Arguments, _: _Keywords) -> Run:
    raise GiveUp("total_ordering")
    yield


class Dispatched:
    """functools.singledispatch: by the class of the first argument."""

    def __init__(self, function: Any) -> None:
        self.default = function
        self.by_class: dict[Class, Any] = {}

    def call(self, machine: Machine, arguments: _Arguments, keywords: _Keywords) -> Run:
        """Call the function for the first argument."""
        chosen = self.function_for(machine, arguments)
        return (yield from machine.call(chosen, arguments, keywords))

    def bound_to(self, machine: Machine, receiver: Any, cls: Class) -> Any:
        """Return singledispatchmethod for a receiver: by the class of the argument behind it."""

        def run(machine: Machine, arguments: _Arguments, keywords: _Keywords) -> Run:
            function = self.function_for(machine, arguments)
            return (yield from machine.call(function, [receiver, *arguments], keywords))

        return self if receiver is None else Native("singledispatchmethod", run)

    def function_for(self, machine: Machine, arguments: _Arguments) -> Any:
        """Return the function for the class of the first argument."""
        cls = class_of(arguments[0]) if arguments else None
        if cls is None:
            key = ("dispatched", id(self), id(arguments[0]))
            if key not in machine.kept:
                chosen = machine.choose([self.default, *self.by_class.values()])
                machine.kept[key] = chosen, arguments[0]
            return machine.kept[key][0]
        known = (self.by_class[each] for each in cls.mro if each in self.by_class)
        return next(known, self.default)

    def attribute(self, machine: Machine, name: str) -> Any:
        """Return `register`."""
        if name != "register":
            raise GiveUp(f"singledispatch.{name}")
        return Native("register", self._register)

    def _register(self, machine: Machine, arguments: _Arguments, _: _Keywords) -> Run:
        kind, *function = arguments
        if isinstance(kind, Function):
            function = [kind]
            given = [*kind.node.args.posonlyargs, *kind.node.args.args]
            written = next((each.annotation for each in given if each.annotation), None)
            if written is None:
                raise GiveUp("singledispatch without a class")
            kind = yield from machine.value(written, kind.scope)
        if not isinstance(kind, Class):
            raise GiveUp("singledispatch on something unknown")
        if function:
            self.by_class[kind] = function[0]
            return function[0]

        def decorate(machine: Machine, given: _Arguments, _: _Keywords) -> Run:
            self.by_class[kind] = given[0]
            return given[0]
            yield

        return Native("register", decorate)


def _dispatch(machine: Machine, arguments: _Arguments, _: _Keywords) -> Run:
    return Dispatched(arguments[0])
    yield


class PartialMethod:
    """functools.partialmethod."""

    def __init__(self, function: Any, arguments: _Arguments, keywords: _Keywords) -> None:
        self._given = function, arguments, keywords

    def bound_to(self, machine: Machine, receiver: Any, cls: Class) -> Any:
        """Return the method of a receiver with its arguments."""
        function, arguments, keywords = self._given
        first = [] if receiver is None else [receiver]
        return Partial(function, [*first, *arguments], keywords)


def _partial_method(machine: Machine, arguments: _Arguments, keywords: _Keywords) -> Run:
    function, *given = arguments
    return PartialMethod(function, given, keywords)
    yield


FUNCTIONS: dict[str, Callable[..., Run]] = {
    "functools.partial": _partial,
    "functools.partialmethod": _partial_method,
    "functools.reduce": _reduce,
    "functools.wraps": _wraps,
    "functools.update_wrapper": _update_wrapper,
    "functools.cache": _cache,
    "functools.lru_cache": _cache,
    "functools.total_ordering": _total_ordering,
    "functools.singledispatch": _dispatch,
    "functools.singledispatchmethod": _dispatch,
    "functools.cached_property": cached,
}
