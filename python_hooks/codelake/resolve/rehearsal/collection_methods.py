"""Methods of lists, deques, mappings and sets, and special methods that are called by name.

Next: sorting.py.
"""

from __future__ import annotations

import ast
from collections import Counter, deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from codelake.resolve.rehearsal.constructors import update_mapping
from codelake.resolve.rehearsal.items import DefaultDict, entry_of
from codelake.resolve.rehearsal.operators import compare, guarded
from codelake.resolve.rehearsal.sorting import sort
from codelake.resolve.rehearsal.texts import text_of
from codelake.resolve.rehearsal.values import (
    GiveUp,
    Run,
    Unknown,
    error,
    is_known,
)

if TYPE_CHECKING:
    from codelake.resolve.rehearsal.machine import Machine


# lists and the like


def _append(machine: Machine, one: Any, value: Any) -> Run:
    one.append(value)
    return None
    yield


def _append_left(machine: Machine, one: deque[Any], value: Any) -> Run:
    one.appendleft(value)
    return None
    yield


def _extend(machine: Machine, one: Any, values: Any) -> Run:
    one.extend((yield from machine.items(values)))


def _extend_left(machine: Machine, one: deque[Any], values: Any) -> Run:
    one.extendleft((yield from machine.items(values)))


def _insert(machine: Machine, one: Any, index: Any, value: Any) -> Run:
    one.insert(index if isinstance(index, int) else 0, value)
    return None
    yield


def _pop(machine: Machine, one: Any, index: Any = -1) -> Run:
    if not isinstance(index, int):
        raise GiveUp("an item at an unknown position is taken")
    if isinstance(one, deque):
        return guarded(one.pop)
    return guarded(one.pop, index)
    yield


def _pop_left(machine: Machine, one: deque[Any]) -> Run:
    return guarded(one.popleft)
    yield


def _position(machine: Machine, one: Any, value: Any, *bounds: Any) -> Run:
    for index, each in enumerate(one):
        if each is value:
            return index
        same = yield from compare(machine, ast.Eq, each, value)
        if (yield from machine.truth(same)):
            return index
    raise error(ValueError, "not in list")


def _remove(machine: Machine, one: Any, value: Any) -> Run:
    del one[(yield from _position(machine, one, value))]


def _count(machine: Machine, one: Any, value: Any) -> Run:
    found = 0
    for each in one:
        same = yield from compare(machine, ast.Eq, each, value)
        found += bool((yield from machine.truth(same)))
    return found


def _plain(name: str) -> Callable[..., Run]:
    def run(machine: Machine, one: Any, *arguments: Any) -> Run:
        return guarded(getattr(one, name), *arguments)
        yield

    return run


def _copy(machine: Machine, one: Any) -> Run:
    made = one.copy()
    if isinstance(one, DefaultDict):
        made = DefaultDict(one)
        made.factory = one.factory
    return made
    yield


def _sort(machine: Machine, one: list[Any], *, key: Any = None, reverse: Any = False) -> Run:
    one[:] = yield from sort(machine, [*one], key, reverse)


# mappings


def _pop_key(machine: Machine, one: Any, key: Any, *default: Any) -> Run:
    if isinstance(key, Unknown) and key not in one:
        return machine.choose([*default[:1], *one.values()])
    return guarded(one.pop, key, *default)
    yield


def _set_default(machine: Machine, one: Any, key: Any, default: Any = None) -> Run:
    from codelake.resolve.rehearsal.expressions import hashable

    return one.setdefault(hashable(key), default)
    yield


def _update(machine: Machine, one: Any, *arguments: Any, **keywords: Any) -> Run:
    if isinstance(one, Counter):
        raise GiveUp("a counter that is updated")
    yield from update_mapping(machine, one, [*arguments], keywords)


def _view(name: str) -> Callable[..., Run]:
    def run(machine: Machine, one: dict[Any, Any]) -> Run:
        return getattr(one, name)()
        yield

    return run


def _move_to_end(machine: Machine, one: dict[Any, Any], key: Any, last: Any = True) -> Run:
    value = guarded(one.pop, key)
    others = dict(one)
    if last:
        one[key] = value
    else:
        one.clear()
        one[key] = value
        one.update(others)
    return None
    yield


def _pop_item(machine: Machine, one: dict[Any, Any], last: Any = True) -> Run:
    if not one:
        raise error(KeyError, "dictionary is empty")
    key = [*one][-1 if last else 0]
    return key, one.pop(key)
    yield


def _most_common(machine: Machine, one: Counter[Any], *most: Any) -> Run:
    return one.most_common(*most)
    yield


# sets


def _add(machine: Machine, one: set[Any], value: Any) -> Run:
    from codelake.resolve.rehearsal.expressions import hashable

    one.add(hashable(value))
    return None
    yield


def _discard(machine: Machine, one: set[Any], value: Any) -> Run:
    one.discard(value)
    return None
    yield


def _of_sets(name: str) -> Callable[..., Run]:
    def run(machine: Machine, one: Any, *others: Any) -> Run:
        sets = []
        for each in others:
            sets.append(set((yield from machine.items(each))))
        return guarded(getattr(one, name), *sets)

    return run


# special methods that code calls by name


def _length(machine: Machine, one: Any) -> Run:
    return len(one)
    yield


def _item(machine: Machine, one: Any, key: Any) -> Run:
    return (yield from machine.item(one, key))


def _set_item(machine: Machine, one: Any, key: Any, value: Any) -> Run:
    from codelake.resolve.rehearsal.items import set_item

    return (yield from set_item(machine, one, key, value))


def _delete_item(machine: Machine, one: Any, key: Any) -> Run:
    from codelake.resolve.rehearsal.items import delete_item

    return (yield from delete_item(machine, one, key))


def _iterate(machine: Machine, one: Any) -> Run:
    return (yield from machine.iterator(one))


def _contains(machine: Machine, one: Any, value: Any) -> Run:
    return (yield from compare(machine, ast.In, value, one))


def _text(machine: Machine, one: Any) -> Run:
    return (yield from text_of(machine, one))


def _operator(op: type, swapped: bool = False) -> Callable[..., Run]:
    from codelake.resolve.rehearsal.operators import binary

    def run(machine: Machine, one: Any, other: Any) -> Run:
        left, right = (other, one) if swapped else (one, other)
        return (yield from binary(machine, op, left, right))

    return run


def _equal(machine: Machine, one: Any, other: Any) -> Run:
    return (yield from compare(machine, ast.Eq, one, other))


def _hash(machine: Machine, one: Any) -> Run:
    return guarded(hash, one) if is_known(one) else 0
    yield


DUNDERS: dict[str, Callable[..., Run]] = {
    "__len__": _length,
    "__getitem__": _item,
    "__setitem__": _set_item,
    "__delitem__": _delete_item,
    "__iter__": _iterate,
    "__contains__": _contains,
    "__str__": _text,
    "__repr__": _text,
    "__eq__": _equal,
    "__hash__": _hash,
    "__add__": _operator(ast.Add),
    "__mod__": _operator(ast.Mod),
    "__or__": _operator(ast.BitOr),
}
_SEQUENCE: dict[str, Callable[..., Run]] = {
    "append": _append,
    "extend": _extend,
    "insert": _insert,
    "pop": _pop,
    "remove": _remove,
    "index": _position,
    "count": _count,
    "clear": _plain("clear"),
    "copy": _copy,
    "reverse": _plain("reverse"),
    "sort": _sort,
}
METHODS: tuple[tuple[tuple[type, ...], dict[str, Callable[..., Run]]], ...] = (
    (
        (deque,),
        {
            **_SEQUENCE,
            "appendleft": _append_left,
            "extendleft": _extend_left,
            "popleft": _pop_left,
            "rotate": _plain("rotate"),
        },
    ),
    ((list,), _SEQUENCE),
    ((tuple,), {"index": _position, "count": _count}),
    (
        (dict,),
        {
            "get": entry_of,
            "pop": _pop_key,
            "setdefault": _set_default,
            "update": _update,
            "keys": _view("keys"),
            "values": _view("values"),
            "items": _view("items"),
            "popitem": _pop_item,
            "copy": _copy,
            "clear": _plain("clear"),
            "move_to_end": _move_to_end,
            "most_common": _most_common,
        },
    ),
    (
        (set, frozenset),
        {
            "add": _add,
            "discard": _discard,
            "remove": _plain("remove"),
            "pop": _plain("pop"),
            "clear": _plain("clear"),
            "copy": _copy,
            **{
                name: _of_sets(name)
                for name in (
                    *("union", "intersection", "difference", "symmetric_difference"),
                    *("update", "intersection_update", "difference_update"),
                    *("issubset", "issuperset", "isdisjoint"),
                )
            },
        },
    ),
)
