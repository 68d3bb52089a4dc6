"""Texts: what str(), repr(), format() and `%` make of values."""

from __future__ import annotations

import re
import string
from typing import TYPE_CHECKING, Any

from codelake.resolve.rehearsal.values import (
    CONTAINERS,
    MISSING,
    PLAIN,
    GiveUp,
    Instance,
    Run,
    Unknown,
    error,
    headed,
    is_error,
    is_known,
    origins,
)

if TYPE_CHECKING:
    from codelake.resolve.rehearsal.machine import Machine

_LONG = re.compile(r"\d{4}")
_PERCENT = re.compile(r"%(?:\((\w+)\))?[-#0 +]*(?:\*|\d+)?(?:\.(?:\*|\d+))?([a-zA-Z%])")


def text_of(machine: Machine, value: Any) -> Run:
    """Return str(value)."""
    if isinstance(value, str):
        return value
    if isinstance(value, Instance):
        found = yield from machine.special(value, "__str__")
        if found is not MISSING:
            return found
        if is_error(value.cls):
            return (yield from _of_error(machine, value))
        if isinstance(value.payload, (str, int, float)):
            return str(value.payload)
        if isinstance(value.payload, Unknown):
            return value.payload
    return (yield from repr_of(machine, value))


def _of_error(machine: Machine, value: Instance) -> Run:
    given = value.names.get("args", ())
    if isinstance(given, tuple) and len(given) == 1:
        if is_error(value.cls, KeyError):
            return (yield from repr_of(machine, given[0]))
        return (yield from text_of(machine, given[0]))
    return (yield from repr_of(machine, given)) if given else ""


def repr_of(machine: Machine, value: Any) -> Run:
    """Return repr(value)."""
    if is_known(value):
        return repr(value)
    if isinstance(value, Unknown):
        return Unknown(origins(value), value.structure, is_some=True)
    if isinstance(value, CONTAINERS):
        texts: list[Any] = []
        parts = [*value, *value.values()] if isinstance(value, dict) else [*value]
        for each in parts:
            machine.tick()
            texts.append((yield from repr_of(machine, each)))
        return Unknown(origins(*texts), is_some=True)
    if isinstance(value, Instance):
        return (yield from _of_instance(machine, value))
    return Unknown(is_some=True)


def _of_instance(machine: Machine, value: Instance) -> Run:
    found = yield from machine.special(value, "__repr__")
    if found is not MISSING:
        return found
    fields = value.cls.trait("fields")
    if fields is not None:
        shown = [value.names.get(each.name) for each in fields if each.is_shown]
        texts: list[Any] = []
        for each in shown:
            texts.append((yield from repr_of(machine, each)))
        return Unknown(origins(*texts), is_some=True)
    if is_error(value.cls):
        given = yield from repr_of(machine, value.names.get("args", ()))
        return Unknown(origins(given), is_some=True)
    if value.cls.trait("members") is not None:
        return Unknown(is_some=True)
    if value.payload is not MISSING and value.cls.trait("fields_of_tuple") is None:
        return (yield from repr_of(machine, value.payload))
    if value.payload is not MISSING:
        return Unknown(origins(value.payload), is_some=True)
    if value.cls.is_open or value.cls.trait("shows_names"):
        return Unknown(origins(value))
    return Unknown(is_some=True)


def formatted(machine: Machine, value: Any, spec: Any) -> Run:
    """Return format(value, spec)."""
    if isinstance(value, Instance):
        found = yield from machine.special(value, "__format__", spec)
        if found is not MISSING:
            return found
        value = yield from text_of(machine, value)
    if isinstance(spec, Unknown) or isinstance(value, Unknown):
        return Unknown(origins(value, spec), is_some=True)
    if not isinstance(value, PLAIN) or isinstance(value, (slice, range)):
        value = yield from text_of(machine, value)
        if not isinstance(value, str):
            return value
    if _LONG.search(spec):
        raise GiveUp("a text too long")
    from codelake.resolve.rehearsal.operators import guarded

    return guarded(format, value, spec)


def joined(*texts: Any) -> Any:
    """Return the texts in one."""
    if is_known(*texts):
        return "".join(texts)
    return headed(Unknown(origins(*texts), is_some=True), *texts)


def percent(machine: Machine, pattern: str, given: Any) -> Run:
    """Return `pattern % given`: only what the pattern names comes in."""
    fields = [match[0] for match in _PERCENT.finditer(pattern)]
    if any(_LONG.search(each) or "*" in each for each in fields):
        raise GiveUp("a text too long")
    if is_known(given):
        from codelake.resolve.rehearsal.operators import guarded

        return guarded(lambda: pattern % given)
    values = list(given) if isinstance(given, tuple) else [given]
    texts: list[Any] = []
    for match in _PERCENT.finditer(pattern):
        name, kind = match.groups()
        if kind == "%":
            continue
        if name is not None:
            value = yield from machine.item(given, name)
        elif not values:
            raise error(TypeError, "not enough arguments for format string")
        else:
            value = values.pop(0)
        of = repr_of if kind in "ra" else text_of
        texts.append((yield from of(machine, value)))
    return headed(Unknown(origins(*texts), is_some=True), pattern.partition("%")[0], None)


def format_method(
    machine: Machine, pattern: str, arguments: list[Any], keywords: dict[str, Any]
) -> Run:
    """Return pattern.format(*arguments, **keywords)."""
    texts: list[Any] = []
    count = 0
    for literal, field, spec, conversion in string.Formatter().parse(pattern):
        texts.append(literal)
        if field is None:
            continue
        first, rest = _split(field)
        if first == "":
            first, count = str(count), count + 1
        if first.isdigit():
            if int(first) >= len(arguments):
                raise error(IndexError, "Replacement index out of range")
            value = arguments[int(first)]
        elif first not in keywords:
            raise error(KeyError, first)
        else:
            value = keywords[first]
        for is_attribute, name in rest:
            if is_attribute:
                value = yield from machine.attribute(value, name)
            else:
                value = yield from machine.item(value, int(name) if name.isdigit() else name)
        if conversion == "r":
            value = yield from repr_of(machine, value)
        elif conversion == "s":
            value = yield from text_of(machine, value)
        spec = (yield from format_method(machine, spec, arguments, keywords)) if spec else ""
        texts.append((yield from formatted(machine, value, spec)))
    return joined(*texts)


def _split(field: str) -> tuple[str, list[tuple[bool, str]]]:
    """Return the name at the start of a field, and the attributes and items behind it."""
    first = re.match(r"[^.\[]*", field)[0]  # type: ignore[index]
    rest = re.findall(r"\.(\w+)|\[([^\]]*)\]", field[len(first) :])
    return first, [(bool(name), name or item) for name, item in rest]
