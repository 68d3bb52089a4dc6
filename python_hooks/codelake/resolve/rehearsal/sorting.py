"""Sorting by keys that the code computes; what is unknown may come before or behind."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from codelake.resolve.rehearsal.operators import compare, guarded
from codelake.resolve.rehearsal.values import GiveUp, Run, error, is_known

if TYPE_CHECKING:
    from codelake.resolve.rehearsal.machine import Machine

_MOST_UNKNOWN = 6


def keys_of(machine: Machine, items: list[Any], key: Any) -> Run:
    """Return the key of each item."""
    if key is None:
        return [*items]
    found = []
    for each in items:
        found.append((yield from machine.call(key, [each], {})))
    return found


def sort(machine: Machine, items: list[Any], key: Any, reverse: Any) -> Run:
    """Return items in order."""
    keys = yield from keys_of(machine, items, key)
    if is_known(*keys):
        order = guarded(
            lambda: sorted(range(len(keys)), key=keys.__getitem__, reverse=bool(reverse))
        )
        return [items[index] for index in order]
    if len(items) > _MOST_UNKNOWN:
        raise GiveUp("an unknown order of many")
    found: list[int] = []
    for index in range(len(items)):
        place = len(found)
        while place:
            one, other = keys[index], keys[found[place - 1]]
            less = yield from compare(machine, ast.Gt if reverse else ast.Lt, one, other)
            if not (yield from machine.truth(less)):
                break
            place -= 1
        found.insert(place, index)
    return [items[index] for index in found]


def extreme(
    machine: Machine, items: list[Any], key: Any, is_least: bool, default: list[Any]
) -> Run:
    """Return the least or greatest item."""
    if not items:
        if default:
            return default[0]
        raise error(ValueError, "arg is an empty sequence")
    keys = yield from keys_of(machine, items, key)
    best = 0
    for index in range(1, len(items)):
        op = ast.Lt if is_least else ast.Gt
        better = yield from compare(machine, op, keys[index], keys[best])
        if (yield from machine.truth(better)):
            best = index
    return items[best]
