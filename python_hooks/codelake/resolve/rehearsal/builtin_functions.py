"""Functions of `builtins`."""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Callable, Iterator, KeysView
from typing import TYPE_CHECKING, Any

from codelake.resolve.rehearsal.attributes import delete_attribute, set_attribute
from codelake.resolve.rehearsal.matching import is_instance
from codelake.resolve.rehearsal.operators import binary, compare, guarded
from codelake.resolve.rehearsal.sorting import extreme, sort
from codelake.resolve.rehearsal.texts import formatted, repr_of, text_of
from codelake.resolve.rehearsal.values import (
    CONTAINERS,
    MISSING,
    Bound,
    Class,
    External,
    Function,
    GiveUp,
    Instance,
    Iterated,
    Method,
    Native,
    Partial,
    Raised,
    Run,
    Scope,
    Super,
    Unknown,
    UnknownItems,
    Wrapper,
    Yielded,
    error,
    is_error,
    is_known,
    origins,
)

if TYPE_CHECKING:
    from codelake.resolve.rehearsal.machine import Machine

type _Arguments = list[Any]
type _Keywords = dict[str, Any]


def _len(machine: Machine, arguments: _Arguments, _: _Keywords) -> Run:
    (value,) = arguments
    found = yield from machine.special(value, "__len__")
    if found is not MISSING:
        return found
    if isinstance(value, Instance) and value.payload is not MISSING:
        value = value.payload
    if isinstance(value, (*CONTAINERS, str, bytes, range)):
        return len(value)
    if isinstance(value, (Unknown, External)):
        return Unknown()
    if isinstance(value, Class) and value.trait("members") is not None:
        return len(value.trait("members"))
    if isinstance(value, Instance) and value.cls.is_open:
        return Unknown()
    hidden = getattr(value, "length", None)
    if hidden is not None:
        return hidden()
    raise error(TypeError, "object has no len()")


def _print(machine: Machine, arguments: _Arguments, keywords: _Keywords) -> Run:
    file = keywords.get("file")
    if file is None:
        for each in arguments:
            yield from text_of(machine, each)
        return None
    arguments += [keywords[name] for name in ("sep", "end") if keywords.get(name) is not None]
    hidden = getattr(file, "write", None)
    if hidden is not None:
        for each in arguments:
            hidden((yield from text_of(machine, each)))
    elif isinstance(file, (Instance, Unknown)):
        write = yield from machine.attribute(file, "write")
        for each in arguments:
            yield from machine.call(write, [each], {})
    return None


def _isinstance(machine: Machine, arguments: _Arguments, _: _Keywords) -> Run:
    value, kinds = arguments
    for kind in kinds if isinstance(kinds, tuple) else (kinds,):
        if (yield from _is_kind(machine, value, kind)):
            return True
    return False


def _is_kind(machine: Machine, value: Any, kind: Any) -> Run:
    if kind is None:
        return value is None
    if isinstance(kind, tuple):
        return (yield from _isinstance(machine, [value, kind], {}))
    if isinstance(value, Unknown):
        return machine.decide(("instance", value, getattr(kind, "name", getattr(kind, "full", 0))))
    if isinstance(kind, Class):
        if kind.meta is not None and kind.meta.find("__instancecheck__") is not MISSING:
            raise GiveUp("__instancecheck__")
        if kind.traits.get("protocol"):
            return machine.decide(("instance", id(value), id(kind)))
        return is_instance(value, kind)
    if isinstance(kind, External):
        return _is_of_outside(machine, value, kind.full)
    return machine.decide(("instance", id(value), id(kind)))


def _is_of_outside(machine: Machine, value: Any, full: str) -> bool:
    name = full.rpartition(".")[2]
    known = {
        "Mapping": dict,
        "MutableMapping": dict,
        "Sequence": (list, tuple, str, bytes, range, deque),
        "Iterable": (*CONTAINERS, str, bytes, range, Iterator, Iterated),
        "Collection": (*CONTAINERS, str, bytes, range),
        "Set": (set, frozenset, KeysView),
        "Number": (int, float, complex),
        "Awaitable": Iterated,
    }
    if name == "Callable" and not isinstance(value, External):
        if isinstance(value, Instance):
            return value.cls.find("__call__") is not MISSING
        return isinstance(value, (Function, Bound, Native, Partial, Class, Method))
    if name in known and not isinstance(value, (Instance, External)):
        return isinstance(value, known[name])  # type: ignore[arg-type]
    return machine.decide(("instance", id(value), full))


def _issubclass(machine: Machine, arguments: _Arguments, _: _Keywords) -> Run:
    cls, kinds = arguments
    for kind in kinds if isinstance(kinds, tuple) else (kinds,):
        if not isinstance(cls, Class) or not isinstance(kind, Class):
            return machine.decide()
        if kind in cls.mro:
            return True
    return False
    yield


def _getattr(machine: Machine, arguments: _Arguments, _: _Keywords) -> Run:
    owner, name, *default = arguments
    if not isinstance(name, str):
        raise GiveUp("an attribute of unknown name")
    try:
        return (yield from machine.attribute(owner, name))
    except Raised as raised:
        if default and is_error(raised.value.cls, AttributeError):
            return default[0]
        raise


def _hasattr(machine: Machine, arguments: _Arguments, _: _Keywords) -> Run:
    owner, name = arguments
    if isinstance(owner, (Unknown, External)) or not isinstance(name, str):
        return machine.decide()
    return (yield from _getattr(machine, [owner, name, MISSING], {})) is not MISSING


def _setattr(machine: Machine, arguments: _Arguments, _: _Keywords) -> Run:
    owner, name, value = arguments
    if not isinstance(name, str):
        raise GiveUp("an attribute of unknown name")
    yield from set_attribute(machine, owner, name, value)


def _delattr(machine: Machine, arguments: _Arguments, _: _Keywords) -> Run:
    yield from delete_attribute(machine, *arguments)


def _iter(machine: Machine, arguments: _Arguments, _: _Keywords) -> Run:
    if len(arguments) == 1:
        return (yield from machine.iterator(arguments[0]))

    def until(machine: Machine) -> Run:
        function, last = arguments
        while True:
            value = yield from machine.call(function, [], {})
            same = yield from compare(machine, ast.Eq, value, last)
            if (yield from machine.truth(same)):
                return
            yield Yielded(value)

    return Iterated(until(machine), "lazy")


def _next(machine: Machine, arguments: _Arguments, _: _Keywords) -> Run:
    iterator, *default = arguments
    if not isinstance(iterator, (Iterated, Instance, UnknownItems, Unknown)) and not hasattr(
        iterator, "__next__"
    ):
        raise error(TypeError, "not an iterator")
    if isinstance(iterator, Unknown):
        return Unknown(origins(iterator))
    value = yield from machine.following(iterator)
    if value is not MISSING:
        return value
    if default:
        return default[0]
    result = getattr(iterator, "result", None)
    raise error(StopIteration, *([result] if result is not None else []))


def _aiter(machine: Machine, arguments: _Arguments, _: _Keywords) -> Run:
    found = yield from machine.special(arguments[0], "__aiter__")
    return arguments[0] if found is MISSING else found


def _anext(machine: Machine, arguments: _Arguments, _: _Keywords) -> Run:
    one, *default = arguments

    def run() -> Run:
        from codelake.resolve.rehearsal.statements import asynchronous

        iterator = yield from asynchronous(machine, one)
        value = yield from iterator.following(machine)
        if value is MISSING:
            if default:
                return default[0]
            raise error(StopAsyncIteration)
        return value

    return Iterated(run(), "coroutine")
    yield


def lazy(make: Callable[..., Run]) -> Callable[..., Run]:
    """Let a function of iterators be evaluated item by item."""

    def run(machine: Machine, arguments: _Arguments, keywords: _Keywords) -> Run:
        return Iterated(make(machine, *arguments, **keywords), "lazy")
        yield

    return run


def _map(machine: Machine, function: Any, *values: Any) -> Run:
    iterators = []
    for value in values:
        iterators.append((yield from machine.iterator(value)))
    while True:
        given = []
        for iterator in iterators:
            item = yield from machine.following(iterator)
            if item is MISSING:
                return
            given.append(item)
        yield Yielded((yield from machine.call(function, given, {})))


def _filter(machine: Machine, function: Any, values: Any) -> Run:
    iterator = yield from machine.iterator(values)
    while (item := (yield from machine.following(iterator))) is not MISSING:
        kept = item if function is None else (yield from machine.call(function, [item], {}))
        if (yield from machine.truth(kept)):
            yield Yielded(item)


def _zip(machine: Machine, *values: Any, strict: Any = False) -> Run:
    iterators = []
    for value in values:
        iterators.append((yield from machine.iterator(value)))
    while iterators:
        given: list[Any] = []
        for iterator in iterators:
            item = yield from machine.following(iterator)
            if item is MISSING:
                if strict is True:
                    for each in iterators[1:] if not given else ():
                        if (yield from machine.following(each)) is not MISSING:
                            given.append(MISSING)
                            break
                    if given:
                        raise error(ValueError, "zip() argument of another length")
                return
            given.append(item)
        yield Yielded(tuple(given))


def _enumerate(machine: Machine, values: Any, start: Any = 0) -> Run:
    iterator = yield from machine.iterator(values)
    count = start
    while (item := (yield from machine.following(iterator))) is not MISSING:
        yield Yielded((count, item))
        count = count + 1 if isinstance(count, int) else Unknown()


def _reversed(machine: Machine, arguments: _Arguments, _: _Keywords) -> Run:
    (value,) = arguments
    found = yield from machine.special(value, "__reversed__")
    if found is not MISSING:
        return found
    if isinstance(value, Unknown):
        return value
    return iter((yield from machine.items(value))[::-1])


def _sorted(machine: Machine, arguments: _Arguments, keywords: _Keywords) -> Run:
    items = yield from machine.items(arguments[0])
    key, reverse = keywords.get("key"), keywords.get("reverse", False)
    return (yield from sort(machine, items, key, reverse))


def _extreme(is_least: bool) -> Callable[..., Run]:
    def run(machine: Machine, arguments: _Arguments, keywords: _Keywords) -> Run:
        items = arguments
        if len(arguments) == 1:
            items = yield from machine.items(arguments[0])
        default = [keywords["default"]] if "default" in keywords else []
        return (yield from extreme(machine, items, keywords.get("key"), is_least, default))

    return run


def _sum(machine: Machine, arguments: _Arguments, keywords: _Keywords) -> Run:
    values, *start = arguments
    total = start[0] if start else keywords.get("start", 0)
    for each in (yield from machine.items(values)):
        total = yield from binary(machine, ast.Add, total, each)
    return total


def _any(is_all: bool) -> Callable[..., Run]:
    def run(machine: Machine, arguments: _Arguments, _: _Keywords) -> Run:
        iterator = yield from machine.iterator(arguments[0])
        while (item := (yield from machine.following(iterator))) is not MISSING:
            if (yield from machine.truth(item)) is not is_all:
                return not is_all
        return is_all

    return run


def _of_numbers(name: str) -> Callable[..., Run]:
    import builtins

    action = getattr(builtins, name)

    def run(machine: Machine, arguments: _Arguments, keywords: _Keywords) -> Run:
        found = yield from machine.special(arguments[0], f"__{name}__", *arguments[1:])
        if found is not MISSING:
            return found
        if is_known(*arguments):
            if name == "pow" and any(isinstance(n, int) and abs(n) > 100 for n in arguments):
                raise GiveUp("a number too large")
            return guarded(action, *arguments)
        made = Unknown(origins(*arguments))
        return (made, Unknown(made.origins)) if name == "divmod" else made

    return run


def _repr(machine: Machine, arguments: _Arguments, _: _Keywords) -> Run:
    return (yield from repr_of(machine, arguments[0]))


def _format(machine: Machine, arguments: _Arguments, _: _Keywords) -> Run:
    return (yield from formatted(machine, arguments[0], (*arguments, "")[1]))


def _callable(machine: Machine, arguments: _Arguments, _: _Keywords) -> Run:
    (value,) = arguments
    if isinstance(value, Unknown):
        return machine.decide(("callable", value))
    if isinstance(value, Instance):
        return value.cls.find("__call__") is not MISSING
    return isinstance(value, (Function, Bound, Native, Partial, Class, Method, External))
    yield


def _id(machine: Machine, arguments: _Arguments, _: _Keywords) -> Run:
    machine.kept.setdefault(("id", id(arguments[0])), arguments[0])
    return id(arguments[0])
    yield


def _hash(machine: Machine, arguments: _Arguments, _: _Keywords) -> Run:
    found = yield from machine.special(arguments[0], "__hash__")
    return Unknown() if found is MISSING else found


def _vars(machine: Machine, arguments: _Arguments, _: _Keywords) -> Run:
    if not arguments:
        raise GiveUp("vars()")
    names = getattr(arguments[0], "names", None)
    return Unknown(origins(arguments[0])) if names is None else names
    yield


def _dir(machine: Machine, arguments: _Arguments, _: _Keywords) -> Run:
    value = arguments[0] if arguments else None
    if not isinstance(value, (Instance, Class)):
        raise GiveUp("dir()")
    cls = value.cls if isinstance(value, Instance) else value
    own = value.names if isinstance(value, Instance) else {}
    return sorted({*own}.union(*(each.names for each in cls.mro)))
    yield


def _outside(name: str) -> Callable[..., Run]:
    def run(machine: Machine, arguments: _Arguments, keywords: _Keywords) -> Run:
        raise GiveUp(name)
        yield

    return run


def _super(machine: Machine, arguments: _Arguments, _: _Keywords) -> Run:
    cls, receiver = arguments
    return Super(cls, receiver)
    yield


def super_of(machine: Machine, scope: Scope, arguments: _Arguments) -> Run:
    """Return super() of the method around."""
    if arguments:
        return Super(*arguments)
    at: Scope | None = scope
    while at is not None and (at.kind != "function" or at.owner is None):
        at = at.parent
    if at is None or at.owner is None:
        raise error(RuntimeError, "super(): no arguments")
    given = at.node.args  # type: ignore[attr-defined]
    positional = [*given.posonlyargs, *given.args]
    if not positional:
        raise GiveUp("super() without a first parameter")
    return Super(at.owner, at.names[positional[0].arg])
    yield


def globals_of(machine: Machine, scope: Scope, arguments: _Arguments) -> Run:
    """Return globals()."""
    return scope.module.names
    yield


def locals_of(machine: Machine, scope: Scope, arguments: _Arguments) -> Run:
    """Return locals(), or vars() without an argument."""
    if arguments:
        return (yield from _vars(machine, arguments, {}))
    return scope.names if scope.kind != "function" else dict(scope.names)


def _wrapper(kind: str) -> Callable[..., Run]:
    def run(machine: Machine, arguments: _Arguments, _: _Keywords) -> Run:
        return Wrapper(kind, arguments[0])
        yield

    return run


SCOPED: dict[str, Callable[..., Run]] = {
    "builtins.super": super_of,
    "builtins.globals": globals_of,
    "builtins.locals": locals_of,
    "builtins.vars": locals_of,
}
_FUNCTIONS: dict[str, Callable[..., Run]] = {
    "len": _len,
    "print": _print,
    "isinstance": _isinstance,
    "issubclass": _issubclass,
    "getattr": _getattr,
    "hasattr": _hasattr,
    "setattr": _setattr,
    "delattr": _delattr,
    "iter": _iter,
    "next": _next,
    "aiter": _aiter,
    "anext": _anext,
    "map": lazy(_map),
    "filter": lazy(_filter),
    "zip": lazy(_zip),
    "enumerate": lazy(_enumerate),
    "reversed": _reversed,
    "sorted": _sorted,
    "min": _extreme(True),
    "max": _extreme(False),
    "sum": _sum,
    "any": _any(False),
    "all": _any(True),
    "abs": _of_numbers("abs"),
    "round": _of_numbers("round"),
    "divmod": _of_numbers("divmod"),
    "pow": _of_numbers("pow"),
    "chr": _of_numbers("chr"),
    "ord": _of_numbers("ord"),
    "hex": _of_numbers("hex"),
    "bin": _of_numbers("bin"),
    "repr": _repr,
    "ascii": _repr,
    "format": _format,
    "callable": _callable,
    "id": _id,
    "hash": _hash,
    "vars": _vars,
    "dir": _dir,
    "super": _super,
    "globals": _outside("globals"),
    "locals": _outside("locals"),
    "eval": _outside("eval"),
    "exec": _outside("exec"),
    "compile": _outside("compile"),
    "__import__": _outside("__import__"),
    "staticmethod": _wrapper("static"),
    "classmethod": _wrapper("class"),
}
FUNCTIONS = {f"builtins.{name}": run for name, run in _FUNCTIONS.items()}
"""What the rehearsal knows of builtins, by qualified name."""
