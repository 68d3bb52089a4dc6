"""Keyed items: a key and a value that are parts of the same object stay together.

    {f.__name__: f for f in fs}        each function at its own name
    for k, v in pairs: d[k] = v        each pair an entry; so with setattr(x, k, v)

The parts are attributes, items of constant keys, what unpacking gives, and texts in other letters.
Where nothing is known of the object, any value is at any key.
Next: operators.py.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from codelake.resolve import items
from codelake.resolve.attributes import load_attribute
from codelake.resolve.bodies import FileBodies
from codelake.resolve.file_facts import Fact
from codelake.resolve.known_texts import CHANGES, changed_text
from codelake.resolve.objects import CONTAINER
from codelake.resolve.special_methods import hashed
from codelake.resolve.state import Frame, State

_SETATTR = 3  # arguments of setattr(x, k, v)
_FARTHEST = 5  # parts of parts
_OPS = frozenset({"attr", "item", "unpack"})

type Path = tuple[tuple[str, Any, int], ...]  # op, name or index, node


class Pair(NamedTuple):
    """The node of an object, and how key and value are found in it."""

    root: int
    key: Path
    value: Path


def pair_of(bodies: FileBodies, key: int | None, value: int) -> Pair | None:
    """Return what key and value are parts of, None when that is not the same."""
    if key is None:
        return None
    values = dict(_sources(bodies, value))
    for root, path in _sources(bodies, key):
        if root in values:
            return Pair(root, path, values[root])
    return None


def _sources(bodies: FileBodies, node: int) -> Iterable[tuple[int, Path]]:
    """Yield a node and what it is a part of, with the way back to it."""
    at = bodies.value(node)
    path: Path = ()
    for _ in range(_FARTHEST):
        yield at, path
        fact = bodies.made.get(at)
        if fact is not None and fact[0] == "call":
            step, fact = "text", _method(bodies, fact)
        elif fact is not None and fact[0] in _OPS:
            step = fact[0]
        else:
            return
        name = None if fact is None else fact[6] if step == "unpack" else fact[5]
        if fact is None or name is None or fact[3] is None:
            return
        path = ((step, name, at), *path)
        at = bodies.value(fact[3])


def _method(bodies: FileBodies, call: Fact) -> Fact | None:
    """Return the look-up of a method of texts that is called without arguments."""
    fact = bodies.made.get(bodies.value(call[3] or 0))
    is_change = fact is not None and fact[0] == "attr" and fact[5] in CHANGES
    return fact if is_change and bodies.written_arguments(call[2]) == ([], []) else None


def is_taken_apart(bodies: FileBodies, def_no: int, node: int) -> bool:
    """Tell whether a loop over a node takes key and value from each of its items."""
    known = bodies.taken_apart.get(def_no)
    if known is None:
        known = bodies.taken_apart[def_no] = frozenset(_taken_apart(bodies, def_no))
    return node in known


def _taken_apart(bodies: FileBodies, def_no: int) -> Iterable[int]:
    keys: dict[int, int] = {}
    for op, _, node, value, other, _, _ in bodies.groups.get(def_no, ()):
        pair = None
        if op == "key":
            keys[node] = value or 0
        elif op == "dictcomp":
            pair = pair_of(bodies, other, value or 0)
        elif op == "store_item":
            pair = pair_of(bodies, keys.get(node), value or 0)
        elif op == "call" and len(given := bodies.written_arguments(node)[0]) == _SETATTR:
            pair = pair_of(bodies, *given[1:])
        fact = None if pair is None else bodies.made.get(pair.root)
        if fact is not None and fact[0] == "each":
            yield bodies.value(fact[3] or 0)


def store(
    found: Iterable[int], state: State, frame: Frame, node: int, pair: Pair, key: int, value: int
) -> None:
    """Store to `a[k]`, where key and value are parts of the same object."""
    for one in found:
        if one >= 0 and state.objects.kind[one] == CONTAINER:
            container = state.containers[one]
            state.solver.link(value, container.every)
            state.solver.link(key, container.names)
            hashed(state, frame, node, key)
            fill(state, frame, one, pair, value)
        else:
            items.store_item((one,), state, frame, node, None, key, value)


def fill(state: State, frame: Frame, one: int, pair: Pair, value: int) -> None:
    """Let the pairs be entries of a mapping."""
    root = frame.offset + pair.root
    state.solver.watch(root, store_parts, state, one, frame, pair)
    state.solver.at_last(_store_unknown, state, one, root, value)


def _store_unknown(_: Iterable[int], state: State, one: int, root: int, value: int) -> None:
    if not state.solver.get(root):
        state.store_item(one, None, value)


def store_parts(found: Iterable[int], state: State, one: int, frame: Frame, pair: Pair) -> None:
    """Store a part of each object at the key that is another part of it."""
    for each in found:
        items.store_entry(state, one, *parts(state, frame, each, pair))


def parts(state: State, frame: Frame, each: int, pair: Pair) -> tuple[int, int]:
    """Return the variables of key and value of an object."""
    return _part(state, frame, each, pair.key), _part(state, frame, each, pair.value)


def _part(state: State, frame: Frame, each: int, path: Path) -> int:
    """Return the variable of a part of an object."""
    at = state.new()
    state.solver.put(at, each)
    for op, text, node in path:
        target = state.field(-frame.number - 1, f"part {node} of {each}")
        state.solver.watch(at, _take, state, frame, node, op, text, target)
        at = target
    return at


def _take(
    found: Iterable[int], state: State, frame: Frame, node: int, op: str, text: Any, target: int
) -> None:
    if op == "text":
        for one in found:
            state.solver.put(target, changed_text(state, one, CHANGES[text]))
    elif op == "attr":
        load_attribute(found, state, frame, node, text, target)
    elif op == "unpack":
        items.unpack(found, state, frame, node, text, target)
    else:
        items.load_item(found, state, frame, node, text, -1, target)
