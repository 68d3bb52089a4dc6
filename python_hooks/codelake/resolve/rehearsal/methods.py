"""Methods of built-in values: containers keep values as they are, texts need to be known.

Next: collection_methods.py.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from codelake.resolve.rehearsal.collection_methods import DUNDERS, METHODS
from codelake.resolve.rehearsal.operators import compare, guarded
from codelake.resolve.rehearsal.texts import format_method, repr_of, text_of
from codelake.resolve.rehearsal.values import (
    CONTAINERS,
    MISSING,
    TYPE,
    Class,
    GiveUp,
    Instance,
    Iterated,
    Raised,
    Run,
    Unknown,
    error,
    is_error,
    is_known,
    origins,
)

if TYPE_CHECKING:
    from codelake.resolve.rehearsal.machine import Machine

_LARGE = 10_000
_TRUTHS = frozenset({"startswith", "endswith", "find", "rfind", "index", "count", "rindex"})


def run_method(
    machine: Machine, receiver: Any, name: str, arguments: list[Any], keywords: dict[str, Any]
) -> Run:
    """Call a method of a built-in value."""
    machine.tick()
    if isinstance(receiver, Iterated):
        return (yield from _of_iterated(machine, receiver, name, arguments))
    if isinstance(receiver, Class):
        return (yield from _of_class(machine, receiver, name, arguments, keywords))
    if isinstance(receiver, Instance):
        return (yield from _of_instance(machine, receiver, name, arguments, keywords))
    if name in DUNDERS:
        return (yield from DUNDERS[name](machine, receiver, *arguments))
    if isinstance(receiver, str):
        return (yield from _of_text(machine, receiver, name, arguments, keywords))
    for kinds, methods in METHODS:
        if isinstance(receiver, kinds) and name in methods:
            return (yield from methods[name](machine, receiver, *arguments, **keywords))
    if isinstance(receiver, (bytes, int, float, complex, range, tuple, frozenset)):
        return _of_plain(receiver, name, arguments, keywords)
    raise GiveUp(f"{type(receiver).__name__}.{name}")


def _of_plain(receiver: Any, name: str, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    given = [*arguments, *keywords.values()]
    if not is_known(receiver, *given):
        return Unknown(() if name in _TRUTHS else origins(receiver, *given), is_some=True)
    _check_sizes(given)
    return guarded(lambda: getattr(receiver, name)(*arguments, **keywords))


def _check_sizes(given: list[Any]) -> None:
    if any(isinstance(each, int) and abs(each) > _LARGE for each in given):
        raise GiveUp("a text too long")


def _of_text(
    machine: Machine, receiver: str, name: str, arguments: list[Any], keywords: dict[str, Any]
) -> Run:
    if name == "format":
        return (yield from format_method(machine, receiver, arguments, keywords))
    if name == "join":
        items = yield from machine.items(arguments[0])
        items = [each.payload if isinstance(each, Instance) else each for each in items]
        if any(each is MISSING or isinstance(each, CONTAINERS) for each in items):
            raise error(TypeError, "sequence item: expected str instance")
        if is_known(*items):
            return guarded(receiver.join, items)
        return Unknown(origins(*items), is_some=True)
    if name == "format_map":
        given = arguments[0]
        if not isinstance(given, dict):
            raise GiveUp("format_map of an object")
        return (yield from format_method(machine, receiver, [], given))
    if name == "translate" or name == "maketrans":
        return Unknown(origins(*arguments))
    if name == "replace" and isinstance(arguments[0], str) and arguments[0] not in receiver:
        return receiver
    given = [
        each.payload if isinstance(each, Instance) and each.payload is not MISSING else each
        for each in arguments
    ]
    return _of_plain(receiver, name, given, keywords)


def _of_iterated(machine: Machine, one: Iterated, name: str, arguments: list[Any]) -> Run:
    if name in ("__iter__", "__aiter__", "__await__"):
        return one
    is_async = one.kind == "async_generator"
    if is_async:
        return Iterated(_asynchronous(machine, one, name, arguments), "coroutine")
    return (yield from _ask(machine, one, name, arguments, StopIteration))


def _asynchronous(machine: Machine, one: Iterated, name: str, arguments: list[Any]) -> Run:
    plain = {"__anext__": "__next__", "asend": "send", "athrow": "throw", "aclose": "close"}
    return (yield from _ask(machine, one, plain[name], arguments, StopAsyncIteration))


def _ask(
    machine: Machine, one: Iterated, name: str, arguments: list[Any], end: type[BaseException]
) -> Run:
    if name == "close":
        if one.state == "open":
            try:
                value = yield from machine.resume(one, raised=error(GeneratorExit))
            except Raised as raised:
                if not is_error(raised.value.cls, GeneratorExit) and not is_error(
                    raised.value.cls, StopIteration
                ):
                    raise
                value = MISSING
            if value is not MISSING:
                raise error(RuntimeError, "generator ignored GeneratorExit")
        one.state = "done"
        return None
    if name == "throw":
        from codelake.resolve.rehearsal.statements import exception

        made = yield from exception(machine, arguments[0])
        value = yield from machine.resume(one, raised=Raised(made))
    else:
        sent = arguments[0] if name == "send" else None
        value = yield from machine.resume(one, sent)
    if value is MISSING:
        result, one.result = one.result, None
        raise error(end, *([result] if result is not None else []))
    return value


def _of_class(
    machine: Machine, cls: Class, name: str, arguments: list[Any], keywords: dict[str, Any]
) -> Run:
    from codelake.resolve.rehearsal.calling import new_instance, plain_instance
    from codelake.resolve.rehearsal.classes import make

    plain = name.rpartition(".")[2]
    if name == "type.__call__":
        return (yield from plain_instance(machine, cls, arguments, keywords))
    if name == "type.__new__":
        meta, title, bases, names = arguments[:4]
        return (yield from make(machine, title, [*bases], names, meta, keywords))
    if plain in ("__init__", "__init_subclass__", "__set_name__"):
        if name.startswith("object.") or cls.host in (None, object, type):
            return None
        if isinstance(arguments[0], Instance):  # dict.__init__(self, ...)
            return (
                yield from _of_instance(machine, arguments[0], "__init__", arguments[1:], keywords)
            )
    if plain == "__new__":
        if TYPE in cls.mro:
            meta, title, bases, names = arguments[:4]
            return (yield from make(machine, title, [*bases], names, meta, keywords))
        return (yield from new_instance(machine, arguments[0], arguments[1:], keywords))
    if plain == "mro":
        return [*cls.mro]
    if plain == "__subclasses__":
        return [*cls.children]
    if plain == "__call__":
        return (yield from machine.call(cls, arguments, keywords))
    if plain == "fromkeys":
        keys = yield from machine.items(arguments[0])
        value = arguments[1] if len(arguments) > 1 else None
        return dict.fromkeys(keys, value)
    if plain == "from_iterable" or not arguments:
        raise GiveUp(f"{cls.name}.{name}")
    first, *others = arguments  # list.append(xs, x)
    if isinstance(first, Instance):
        if plain in _OBJECT:
            return (yield from _of_instance(machine, first, plain, others, keywords))
        first = first.payload if first.payload is not MISSING else first
    if isinstance(first, Unknown):
        return Unknown(origins(*arguments))
    return (yield from run_method(machine, first, plain, others, keywords))


_OBJECT = frozenset(
    {
        *("__setattr__", "__getattribute__", "__delattr__", "__init__", "__repr__", "__str__"),
        *("__eq__", "__ne__", "__hash__", "__format__"),
    }
)


def _of_instance(
    machine: Machine, one: Instance, name: str, arguments: list[Any], keywords: dict[str, Any]
) -> Run:
    """Call what object, or the built-in class above, gives an instance."""
    from codelake.resolve.rehearsal.attributes import plain_attribute, plain_set
    from codelake.resolve.rehearsal.calling import fill

    if name == "__init__":
        if is_error(one.cls):
            one.names["args"] = tuple(arguments)
            return None
        return (yield from fill(machine, one, arguments, keywords))
    if name == "__setattr__":
        one.names.pop("", None)
        key, value = arguments
        if not isinstance(key, str):
            one.names[f" {len(one.names)}"] = value
            return None
        return (yield from plain_set(machine, one, key, value))
    if name == "__getattribute__":
        return (yield from plain_attribute(machine, one, arguments[0]))
    if name == "__delattr__":
        one.names.pop(arguments[0], None)
        return None
    if name in ("__repr__", "__str__"):
        if is_error(one.cls):
            given = one.names.get("args", ())
            only = isinstance(given, tuple) and len(given) == 1
            return (yield from text_of(machine, given[0] if only else given))
        shown = one.payload if one.payload is not MISSING else None
        return (yield from repr_of(machine, shown)) if shown is not None else "<object>"
    if name in ("__eq__", "__ne__"):
        if one.payload is not MISSING:
            op = ast.Eq if name == "__eq__" else ast.NotEq
            return (yield from compare(machine, op, one.payload, arguments[0]))
        return (one is arguments[0]) is (name == "__eq__")
    if name == "__hash__":
        return 0
    if name == "with_traceback":
        return one
    if name == "add_note":
        one.names.setdefault("__notes__", []).append(arguments[0])
        return None
    if name == "__format__":
        return (yield from text_of(machine, one))
    raise GiveUp(f"object.{name}")
