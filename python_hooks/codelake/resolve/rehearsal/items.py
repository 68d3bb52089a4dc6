"""Items: `a[k]`, `a[k] = v` and `del a[k]`."""

from __future__ import annotations

import ast
from collections import Counter, deque
from typing import TYPE_CHECKING, Any

from codelake.resolve.rehearsal.environment import ENVIRONMENT
from codelake.resolve.rehearsal.operators import guarded
from codelake.resolve.rehearsal.values import (
    CONTAINERS,
    MISSING,
    Class,
    External,
    GiveUp,
    Instance,
    Run,
    Super,
    Unknown,
    error,
    origins,
)

if TYPE_CHECKING:
    from codelake.resolve.rehearsal.machine import Machine


_STATE = ("sys.modules",)  # that other names tell of, too


class DefaultDict(dict[Any, Any]):
    """collections.defaultdict, whose factory the rehearsal calls."""

    factory: Any = None


def item(machine: Machine, value: Any, key: Any) -> Run:
    """Return `value[key]`."""
    if isinstance(value, Instance):
        found = yield from machine.special(value, "__getitem__", key)
        if found is not MISSING:
            return found
        if value.payload is MISSING:
            if value.cls.is_open:
                return Unknown(origins(value))
            raise error(TypeError, "not subscriptable")
        missing = value.cls.find("__missing__")
        if missing is not MISSING and isinstance(value.payload, dict) and key not in value.payload:
            return (yield from machine.call(missing, [value, key], {}))
        return (yield from _of_container(machine, value.payload, key))
    if isinstance(value, Class):
        return (yield from _of_class(machine, value, key))
    if isinstance(value, Unknown):
        if isinstance(key, (str, int)):
            if f"[{key!r}]" not in value.names:
                machine.may_raise(key)
            return value.names.setdefault(f"[{key!r}]", Unknown(value.origins))
        return Unknown(origins(value))
    if isinstance(value, External):
        if value.full in _STATE:
            raise GiveUp(value.full)
        if value.full == ENVIRONMENT:
            return (yield from item(machine, machine.unknown(value.full), key))
        return value  # a generic alias, or something outside
    if isinstance(value, Super):
        method = yield from machine.attribute(value, "__getitem__")
        return (yield from machine.call(method, [key], {}))
    if isinstance(value, (*CONTAINERS, str, bytes, range)):
        return (yield from _of_container(machine, value, key))
    hidden = getattr(value, "item", None)
    if hidden is not None:
        return (yield from hidden(machine, key))
    raise error(TypeError, f"'{type(value).__name__}' object is not subscriptable")


def _of_class(machine: Machine, value: Class, key: Any) -> Run:
    members = value.trait("members")
    if members is not None:
        if isinstance(key, str) and key in members:
            return members[key]
        if isinstance(key, Unknown):
            return machine.choose([*members.values()])
        raise error(KeyError, key)
    if value.meta is not None and (method := value.meta.find("__getitem__")) is not MISSING:
        return (yield from machine.call(method, [value, key], {}))
    method = value.find("__class_getitem__")
    if method is not MISSING:
        bound = yield from machine.attribute(value, "__class_getitem__")
        return (yield from machine.call(bound, [key], {}))
    return value


def _of_container(machine: Machine, value: Any, key: Any) -> Run:
    if isinstance(key, Unknown) and not (isinstance(value, dict) and key in value):
        return (yield from _by_unknown(machine, value, key))
    if isinstance(key, slice) and any(
        isinstance(each, Unknown) for each in (key.start, key.stop, key.step)
    ):
        return value if isinstance(value, str) else type(value)(value)
    if isinstance(value, dict):
        guarded(hash, key)
        if key in value:
            return value[key]
        if any(isinstance(each, Unknown) and each.is_any for each in value):
            return Unknown(origins(*value.values()))
        same = _same_unknown(machine, value, key)
        if same is not MISSING:
            return value[same]
        if isinstance(value, Counter):
            return 0
        if isinstance(value, DefaultDict) and value.factory is not None:
            made = yield from machine.call(value.factory, [], {})
            return value.setdefault(key, made)
        raise error(KeyError, key)
    if isinstance(value, (set, frozenset)):
        raise error(TypeError, "not subscriptable")
    if isinstance(key, Instance) and key.payload is not MISSING:
        key = key.payload
    if isinstance(value, deque) and isinstance(key, slice):
        raise error(TypeError, "deques have no slices")
    return guarded(lambda: value[key])


def _same_unknown(machine: Machine, value: dict[Any, Any], key: Any) -> Any:
    """Return a key that nobody knows and that may be one which is missing, or MISSING."""
    for each in value:
        if isinstance(each, Unknown) and machine.decide((ast.Eq, each, key)):
            return each
    return MISSING


def _by_unknown(machine: Machine, value: Any, key: Unknown) -> Run:
    """Return one of the items, or what a defaultdict makes for a new key."""
    if isinstance(value, (str, bytes, range)):
        return Unknown(origins(value)) if value else machine_error()
    if isinstance(value, DefaultDict):
        made = yield from machine.call(value.factory, [], {})
        value[key] = made
        return made
    values = [*value.values()] if isinstance(value, dict) else [*value]
    if isinstance(value, dict) and machine.tries and machine.decide():
        raise error(KeyError, key)
    if not values:
        raise error(KeyError if isinstance(value, dict) else IndexError, key)
    return machine.choose(values)


def machine_error() -> Any:
    """Raise an IndexError in the code."""
    raise error(IndexError, "index out of range")


def set_item(machine: Machine, value: Any, key: Any, given: Any) -> Run:
    """Do `value[key] = given`."""
    from codelake.resolve.rehearsal.expressions import hashable

    if isinstance(value, Instance):
        found = yield from machine.special(value, "__setitem__", key, given)
        if found is not MISSING:
            return
        if value.payload is MISSING:
            if value.cls.is_open:
                value.names[f"[{id(key)}]"] = given
                return
            raise error(TypeError, "no item assignment")
        value = value.payload
    if isinstance(value, External):
        if value.full in _STATE:
            raise GiveUp(value.full)
        value = machine.unknown(value.full)
    if isinstance(value, Unknown):
        if isinstance(key, (str, int)):
            value.names[f"[{key!r}]"] = given
        else:
            value.origins |= origins(given)
        return
    hidden = getattr(value, "set_item", None)
    if hidden is not None:
        hidden(key, given)
    elif isinstance(value, dict):
        value[hashable(key)] = given
    elif isinstance(value, (list, deque)):
        if isinstance(key, Unknown):
            yield from _replace_some(machine, value, given)
        elif isinstance(key, slice):
            given = yield from machine.items(given)
            guarded(value.__setitem__, key, given)
        else:
            guarded(value.__setitem__, key, given)
    elif isinstance(value, Super):
        method = yield from machine.attribute(value, "__setitem__")
        yield from machine.call(method, [key, given], {})
    else:
        raise error(TypeError, "no item assignment")


def _replace_some(machine: Machine, value: Any, given: Any) -> Run:
    for index in range(len(value)):
        if index == len(value) - 1 or machine.decide():
            value[index] = given
            return
    return
    yield


def delete_item(machine: Machine, value: Any, key: Any) -> Run:
    """Do `del value[key]`."""
    found = yield from machine.special(value, "__delitem__", key)
    if found is not MISSING:
        return
    if isinstance(value, Instance) and value.payload is not MISSING:
        value = value.payload
    if isinstance(value, Unknown):
        value.names.pop(f"[{key!r}]", None)
    elif isinstance(value, (dict, list, deque)):
        if isinstance(key, Unknown) and not (isinstance(value, dict) and key in value):
            return
        guarded(value.__delitem__, key)
    else:
        raise error(TypeError, "no item deletion")


def entry_of(machine: Machine, one: Any, key: Any, default: Any = None) -> Run:
    """Return `one.get(key, default)` of a dict."""
    if isinstance(key, Unknown) and key not in one:
        return machine.choose([default, *one.values()])
    guarded(hash, key)
    if key not in one and any(isinstance(each, Unknown) and each.is_any for each in one):
        return machine.choose([default, Unknown(origins(*one.values()))])
    if key not in one:
        key = _same_unknown(machine, one, key)
    return one.get(key, default)
    yield
