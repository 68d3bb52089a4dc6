"""Constructors: what calls of built-in classes make, as `str(x)`, `list(x)`, `ValueError(x)`."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from codelake.resolve.rehearsal.operators import guarded
from codelake.resolve.rehearsal.texts import text_of
from codelake.resolve.rehearsal.values import (
    MISSING,
    Class,
    External,
    GiveUp,
    Instance,
    Property,
    Run,
    Unknown,
    builtin_class,
    class_of,
    error,
    is_error,
    is_known,
    origins,
)

if TYPE_CHECKING:
    from codelake.resolve.rehearsal.machine import Machine

_LONGEST = 5_000


def construct(machine: Machine, cls: Class, arguments: list[Any], keywords: dict[str, Any]) -> Run:
    """Make a value of a built-in class."""
    maker = _MAKERS.get(cls.host)  # type: ignore[arg-type]
    if maker is not None:
        return (yield from maker(machine, arguments, keywords))
    if is_error(cls):
        made = Instance(cls)
        made.names["args"] = tuple(arguments)
        if cls.host in (StopIteration, StopAsyncIteration):
            made.names["value"] = arguments[0] if arguments else None
        if cls.host is SystemExit:
            made.names["code"] = arguments[0] if arguments else None
        made.names.update(keywords)
        return made
    raise GiveUp(f"an instance of {cls.name}")


def _text(machine: Machine, arguments: list[Any], keywords: dict[str, Any]) -> Run:
    if not arguments:
        return ""
    if len(arguments) > 1 or keywords:
        return Unknown(origins(*arguments))
    return (yield from text_of(machine, arguments[0]))


def _number(kind: type) -> Callable[..., Run]:
    special = f"__{kind.__name__}__"

    def make(machine: Machine, arguments: list[Any], keywords: dict[str, Any]) -> Run:
        if not arguments:
            return kind()
        value = arguments[0]
        found = yield from machine.special(value, special)
        if found is not MISSING:
            return found
        if isinstance(value, Instance) and value.payload is not MISSING:
            value = value.payload
        if isinstance(value, (Unknown, External)) or not is_known(*arguments, *keywords.values()):
            return may_fail(machine, Unknown(origins(value)), ValueError, value)
        if isinstance(value, str) and len(value) > 1000:
            raise GiveUp("a number too long")
        return guarded(kind, value, *arguments[1:])

    return make


def may_fail(machine: Machine, made: Any, kind: type[BaseException], value: Any) -> Any:
    """Return what is made of something unknown, or raise, where a `try` may catch it."""
    if machine.tries and machine.decide():
        machine.has_raised = True
        raise error(kind, Unknown(origins(value)))
    return made


def _bool(machine: Machine, arguments: list[Any], keywords: dict[str, Any]) -> Run:
    if not arguments:
        return False
    return (yield from machine.truth(arguments[0]))


def _collected(kind: Callable[[list[Any]], Any]) -> Callable[..., Run]:
    def make(machine: Machine, arguments: list[Any], keywords: dict[str, Any]) -> Run:
        from codelake.resolve.rehearsal.expressions import hashable

        if not arguments:
            return kind([])
        value = arguments[0]
        if isinstance(value, range) and len(value) > _LONGEST:
            raise GiveUp("a range too long")
        if isinstance(value, Unknown) and kind in (list, tuple):
            return Unknown(origins(value))
        items = yield from machine.items(value)
        if kind in (set, frozenset):
            items = [hashable(each) for each in items]
        return kind(items)

    return make


def _dict(machine: Machine, arguments: list[Any], keywords: dict[str, Any]) -> Run:
    made: dict[Any, Any] = {}
    yield from update_mapping(machine, made, arguments, keywords)
    return made


def update_mapping(
    machine: Machine, made: dict[Any, Any], arguments: list[Any], keywords: dict[str, Any]
) -> Run:
    """Put mappings, pairs and keywords into a dict, as dict() and update() do."""
    from codelake.resolve.rehearsal.expressions import hashable, machine_update

    for each in arguments:
        is_mapping = isinstance(each, (dict, Unknown, External))
        if isinstance(each, Instance):
            is_mapping = isinstance(each.payload, dict) or each.cls.find("keys") is not MISSING
        if is_mapping:
            yield from machine_update(machine, made, each)
            continue
        for pair in (yield from machine.items(each)):
            items = yield from machine.items(pair)
            if len(items) != 2:
                raise error(ValueError, "dictionary update sequence element")
            made[hashable(items[0])] = items[1]
    made.update(keywords)


def _deque(machine: Machine, arguments: list[Any], keywords: dict[str, Any]) -> Run:
    items = (yield from machine.items(arguments[0])) if arguments else []
    most = arguments[1] if len(arguments) > 1 else keywords.get("maxlen")
    if not (most is None or isinstance(most, int)):
        raise GiveUp("a deque of unknown size")
    return deque(items, most)


def _counter(machine: Machine, arguments: list[Any], keywords: dict[str, Any]) -> Run:
    from codelake.resolve.rehearsal.expressions import hashable

    made: Counter[Any] = Counter()
    for each in arguments:
        if isinstance(each, dict):
            dict.update(made, each)
        else:
            made.update([hashable(one) for one in (yield from machine.items(each))])
    dict.update(made, keywords)
    return made


def _type(machine: Machine, arguments: list[Any], keywords: dict[str, Any]) -> Run:
    if len(arguments) == 1:
        found = class_of(arguments[0])
        if found is not None:
            return found
        return External("type of something")
    from codelake.resolve.rehearsal.classes import make

    name, bases, names = arguments
    if not isinstance(name, str) or not isinstance(names, dict):
        raise GiveUp("a class of unknown names")
    return (yield from make(machine, name, [*bases], dict(names), None, keywords))


def _object(machine: Machine, arguments: list[Any], keywords: dict[str, Any]) -> Run:
    return Instance(builtin_class(object))
    yield


def _range(machine: Machine, arguments: list[Any], keywords: dict[str, Any]) -> Run:
    if any(isinstance(each, Unknown) for each in arguments):
        return Unknown()
    return guarded(range, *arguments)
    yield


def _slice(machine: Machine, arguments: list[Any], keywords: dict[str, Any]) -> Run:
    return slice(*arguments)
    yield


def _bytes(machine: Machine, arguments: list[Any], keywords: dict[str, Any]) -> Run:
    if not arguments:
        return b""
    if isinstance(arguments[0], bytes):
        return arguments[0]
    return Unknown(origins(*arguments))
    yield


def _property(machine: Machine, arguments: list[Any], keywords: dict[str, Any]) -> Run:
    parts = [*arguments, None, None, None]
    names = ("fget", "fset", "fdel")
    return Property(*(keywords.get(name, part) for name, part in zip(names, parts, strict=False)))
    yield


_MAKERS: dict[type, Callable[..., Run]] = {
    str: _text,
    int: _number(int),
    float: _number(float),
    complex: _number(complex),
    bool: _bool,
    list: _collected(list),
    tuple: _collected(tuple),
    set: _collected(set),
    frozenset: _collected(frozenset),
    dict: _dict,
    deque: _deque,
    Counter: _counter,
    type: _type,
    object: _object,
    range: _range,
    slice: _slice,
    bytes: _bytes,
    bytearray: _bytes,
    property: _property,
}
