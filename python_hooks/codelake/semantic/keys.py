"""Keys and grain: which columns tell the rows of an operation apart.

    edges (edge_id) joined with nodes (node_id) on src_node_id = node_id   ->  (edge_id)
    the same on src_node_id = parent_id, which is no key of nodes          ->  (edge_id, node_id)

The second join can give several rows for one edge and must say so with `many`. Keys are followed
through plain columns, filters by a constant and hashes of a key. What cannot be followed (the
elements of an array) has no derived key: there the key that is declared counts as a promise.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from sqlglot import exp

from codelake.semantic.expressions import ExpressionError, column_path, parse, render
from codelake.semantic.functions import expand
from codelake.semantic.ir import (
    Aggregate,
    Dataset,
    Explode,
    Fan,
    Op,
    Project,
    Rank,
    Relate,
    Scan,
    Seed,
    Source,
    Union,
)

type Key = frozenset[str]


@dataclass(frozen=True, slots=True)
class Grain:
    """What is known of the rows of an operation.

    `keys` tell rows apart, none when that is unknown; `broken` did so until a join multiplied
    rows; `constants` have one value in all rows, as SQL text.
    """

    keys: frozenset[Key] = frozenset()
    broken: frozenset[Key] = frozenset()
    constants: Mapping[str, str] = field(default_factory=dict)

    def covers(self, names: Iterable[str]) -> bool:
        """Tell whether some columns hold a key, so that their values pick at most one row."""
        given = {*names, *self.constants}
        return any(key <= given for key in self.keys)


def grain(op: Op, known: Mapping[str, Dataset]) -> Grain:
    """Return what is known of the rows of an operation.

    Args:
        op: the operation.
        known: all datasets by name, whose declared keys hold.
    """
    match op:
        case Source():
            found = known.get(op.name)
            return Grain(frozenset({frozenset(found.key)}) if found else frozenset())
        case Scan() | Seed() | Fan():
            return Grain()
        case Explode():
            return _explode(op, grain(op.input, known))
        case Project():
            return _project(op, grain(op.input, known))
        case Relate():
            return _relate(op, grain(op.left, known), grain(op.right, known))
        case Union():
            return _union([grain(each, known) for each in op.inputs])
        case Aggregate():
            below = grain(op.input, known)
            kept = {n: v for n, v in below.constants.items() if n in op.by}
            return Grain(frozenset({frozenset(op.by)}), constants=kept)
        case Rank():
            below = grain(op.input, known)
            numbered = frozenset({*op.by, op.column})
            return Grain(below.keys | {numbered}, below.broken, below.constants)


def _explode(op: Explode, below: Grain) -> Grain:
    """Tell elements apart by their place; without one, an array may hold one at most."""
    if op.position is None:
        return Grain(constants=below.constants)
    keys = frozenset(key | {op.position} for key in below.keys)
    return Grain(keys, below.keys | below.broken, below.constants)


def _project(op: Project, below: Grain) -> Grain:
    fixed = {**below.constants, **_fixed(op.where)}
    trees = {name: _tree(text) for name, text in op.columns}
    named: dict[str, list[str]] = {}
    for name, tree in trees.items():
        if isinstance(tree, exp.Column) and len(column_path(tree)) == 1:
            named.setdefault(column_path(tree)[0], []).append(name)
    hashes = {name: _hashed(tree) for name, tree in trees.items()}
    constants = {name: render(t) for name, t in trees.items() if isinstance(t, exp.Literal)}
    constants |= {new: fixed[old] for old, news in named.items() if old in fixed for new in news}

    def moved(keys: frozenset[Key]) -> set[Key]:
        made: set[Key] = set()
        for free in (key - fixed.keys() for key in keys):
            if all(old in named for old in free):
                made |= set(map(frozenset, product(*(named[old] for old in sorted(free)))))
        return made

    keys = moved(below.keys)
    for free in (key - fixed.keys() for key in below.keys):
        keys |= {frozenset({name}) for name, parts in hashes.items() if parts and free <= parts}
    return Grain(frozenset(keys), frozenset(moved(below.broken)), constants)


def _tree(text: str) -> Any:
    try:
        return parse(expand(text))
    except ExpressionError:  # has been reported
        return None


def _fixed(where: str | None) -> dict[str, str]:
    """Return the columns that a filter holds at one value."""
    tree = _tree(where) if where else None
    parts = tree.flatten() if isinstance(tree, exp.And) else (tree,)
    found = {}
    for part in parts:
        if isinstance(part, exp.EQ) and isinstance(part.this, exp.Column):
            path = column_path(part.this)
            if len(path) == 1 and isinstance(part.expression, exp.Literal):
                found[path[0]] = render(part.expression)
    return found


def _hashed(tree: Any) -> Key:
    """Return the columns that a hash is made of: it tells apart what they do."""
    if not isinstance(tree, exp.Anonymous) or str(tree.this) != "xxhash64":
        return frozenset()
    plain = [each for each in tree.expressions if isinstance(each, exp.Column)]
    return frozenset(column_path(each)[0] for each in plain if len(column_path(each)) == 1)


def meets_one(op: Relate, right: Grain) -> bool:
    """Tell whether a row of the left meets at most one of the right."""
    return right.covers(other for _, other in op.on)


def _relate(op: Relate, left: Grain, right: Grain) -> Grain:
    if op.how == "anti":
        return left
    constants = {n: v for n, v in right.constants.items() if n in op.take and op.how == "inner"}
    constants |= left.constants
    if meets_one(op, right):
        return Grain(left.keys, left.broken, constants)
    names = {other: one for one, other in op.on} | {name: name for name in op.take}
    keys = {
        one | {names[n] for n in other if n in names}
        for one in left.keys
        for other in right.keys
        if other <= {*names, *right.constants}
    }
    return Grain(frozenset(keys), left.keys | left.broken, constants)


def _union(inputs: list[Grain]) -> Grain:
    """Join keys where a constant tells the branches apart."""
    shared = set.intersection(*({*each.constants} for each in inputs)) if inputs else set()
    tags = [n for n in shared if len({each.constants[n] for each in inputs}) == len(inputs)]
    constants = {
        n: inputs[0].constants[n]
        for n in shared
        if len({each.constants[n] for each in inputs}) == 1
    }
    if not tags or not all(each.keys for each in inputs):
        return Grain(constants=constants)
    tag = min(tags)
    chosen = [min(each.keys, key=lambda key: (len(key), sorted(key))) for each in inputs]
    return Grain(frozenset({frozenset({tag}).union(*chosen)}), constants=constants)
