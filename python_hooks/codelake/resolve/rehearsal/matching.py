"""Patterns of `match`."""

from __future__ import annotations

import ast
from collections import deque
from typing import TYPE_CHECKING, Any

from codelake.resolve.rehearsal.items import entry_of
from codelake.resolve.rehearsal.operators import compare
from codelake.resolve.rehearsal.values import (
    CONTAINERS,
    MISSING,
    PLAIN,
    Class,
    External,
    GiveUp,
    Instance,
    Raised,
    Run,
    Scope,
    Unknown,
    class_of,
    is_error,
    number_of,
)

if TYPE_CHECKING:
    from codelake.resolve.rehearsal.machine import Machine


def match(
    machine: Machine, pattern: ast.pattern, value: Any, scope: Scope, found: dict[str, Any]
) -> Run:
    """Tell whether a value fits a pattern; collect what its names are bound to."""
    machine.tick()
    place = scope.module.file, number_of(pattern)
    match pattern:
        case ast.MatchValue(value=node):
            wanted = yield from machine.value(node, scope)
            equal = yield from compare(machine, ast.Eq, value, wanted)
            return (yield from machine.truth(equal))
        case ast.MatchSingleton(value=wanted):
            same = yield from compare(machine, ast.Is, value, wanted)
            return same
        case ast.MatchAs(pattern=inner, name=name):
            if inner is not None and not (yield from match(machine, inner, value, scope, found)):
                return False
            if name is not None:
                found[name] = machine.arrive(value, place)
            return True
        case ast.MatchOr(patterns=several):
            for each in several:
                if (yield from match(machine, each, value, scope, found)):
                    return True
            return False
        case ast.MatchSequence(patterns=several):
            return (yield from _sequence(machine, several, value, scope, found))
        case ast.MatchMapping():
            return (yield from _mapping(machine, pattern, value, scope, found))
        case ast.MatchClass():
            return (yield from _class(machine, pattern, value, scope, found))
    raise GiveUp("another pattern")


def _sequence(
    machine: Machine, several: list[ast.pattern], value: Any, scope: Scope, found: dict[str, Any]
) -> Run:
    stars = [n for n, each in enumerate(several) if isinstance(each, ast.MatchStar)]
    if isinstance(value, Unknown):
        if not machine.decide(("sequence", value, len(several), bool(stars))):
            return False
        items: list[Any] = [Unknown(value.origins) for _ in several]
        for n in stars:
            items[n] = [items[n]]
    elif isinstance(_held(value), (list, tuple, deque, range)):
        items = [*_held(value)]
        if (len(items) != len(several) and not stars) or len(items) < len(several) - 1:
            return False
        if stars:
            first, behind = stars[0], len(several) - stars[0] - 1
            middle = items[first : len(items) - behind]
            items = [*items[:first], middle, *items[len(items) - behind :]]
    elif isinstance(value, Instance) and (
        value.cls.is_open or value.cls.find("__getitem__") is not MISSING
    ):
        raise GiveUp("a sequence of its own")
    else:
        return False
    for each, item in zip(several, items, strict=True):
        if isinstance(each, ast.MatchStar):
            if each.name is not None:
                found[each.name] = item
        elif not (yield from match(machine, each, item, scope, found)):
            return False
    return True


def _mapping(
    machine: Machine, pattern: ast.MatchMapping, value: Any, scope: Scope, found: dict[str, Any]
) -> Run:
    if isinstance(value, Unknown):
        if not machine.decide(("mapping", value, id(pattern))):
            return False
        for each in pattern.patterns:
            one = Unknown(value.origins)
            if not (yield from match(machine, each, one, scope, found)):
                return False
        if pattern.rest:
            found[pattern.rest] = {Unknown(): Unknown(value.origins)}
        return True
    if isinstance(value, Instance) and value.cls.find("__getitem__") is not MISSING:
        raise GiveUp("a mapping of its own")
    value = _held(value)
    if not isinstance(value, dict):
        return False
    rest = dict(value)
    for node, each in zip(pattern.keys, pattern.patterns, strict=True):
        key = yield from machine.value(node, scope)
        if key not in value and not any(isinstance(one, Unknown) for one in value):
            return False
        rest.pop(key, None)
        part = yield from entry_of(machine, value, key, MISSING)
        if part is MISSING or not (yield from match(machine, each, part, scope, found)):
            return False
    if pattern.rest:
        found[pattern.rest] = rest
    return True


def _class(
    machine: Machine, pattern: ast.MatchClass, value: Any, scope: Scope, found: dict[str, Any]
) -> Run:
    cls = yield from machine.value(pattern.cls, scope)
    if isinstance(value, Unknown) or isinstance(cls, External):
        key = getattr(cls, "full", getattr(cls, "name", ""))
        if not machine.decide(
            ("instance", value if isinstance(value, Unknown) else id(value), key)
        ):
            return False
    elif not isinstance(cls, Class) or not is_instance(value, cls):
        return False
    names = []
    if pattern.patterns:
        if isinstance(cls, Class) and cls.host in (str, bytes, int, float, bool, list, tuple, dict):
            if not (yield from match(machine, pattern.patterns[0], value, scope, found)):
                return False
        else:
            given = cls.find("__match_args__") if isinstance(cls, Class) else MISSING
            if given is MISSING and isinstance(cls, Class):
                fields = cls.trait("fields")
                given = [each.name for each in fields if each.is_positional] if fields else MISSING
                given = cls.trait("fields_of_tuple") or given
            if given is MISSING or len(given) < len(pattern.patterns):
                raise GiveUp("positions of a class")
            names = [*zip(given, pattern.patterns, strict=False)]
    names += zip(pattern.kwd_attrs, pattern.kwd_patterns, strict=True)
    for name, each in names:
        try:
            part = yield from machine.attribute(value, name)
        except Raised as raised:
            if is_error(raised.value.cls, AttributeError):
                return False
            raise
        if not (yield from match(machine, each, part, scope, found)):
            return False
    return True


def _held(value: Any) -> Any:
    """Return the container that an instance is besides."""
    is_more = isinstance(value, Instance) and value.payload is not MISSING
    return value.payload if is_more else value


def is_instance(value: Any, cls: Class) -> bool:
    """Tell whether a known value is an instance of a known class."""
    if isinstance(value, Instance):
        return cls in value.cls.mro
    if cls.host is not None and isinstance(value, (*PLAIN, *CONTAINERS)):
        return isinstance(value, cls.host)
    own = class_of(value)
    return (own is not None and cls in own.mro) or cls.host is object
