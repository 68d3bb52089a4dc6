"""Fuse: union branches that read the same rows become one scan.

    union(rel_a, rel_b, rel_c)            rel_a, rel_b filter ast_nodes, rel_c filters repo_files
    -> union(fan(ast_nodes: a, b), c)     ast_nodes is scanned and exploded once

A branch is first followed through views that only project, filter or unite, down to the dataset
it reads. The views stay as they are; only the reader above them no longer goes through them.
Columns that every branch gives alike are moved out of the fan.
"""

from __future__ import annotations

from dataclasses import replace

from codelake.compile.units import State
from codelake.semantic.functions import expand
from codelake.semantic.ir import (
    Aggregate,
    Branch,
    Dataset,
    Explode,
    Fan,
    Op,
    Pairs,
    Project,
    Rank,
    Relate,
    Source,
    Union,
)


def fuse(state: State) -> State:
    """Rewrite the unions of every unit."""
    views = {unit.name: unit.dataset for unit in state.units if unit.dataset.write is None}
    return state.with_units(
        [replace(unit, rows=_rewrite(unit.rows, views)) for unit in state.units]
    )


def _rewrite(op: Op, views: dict[str, Dataset]) -> Op:
    match op:
        case Union():
            return _fuse_union(op, views)
        case Project():
            below = _rewrite(op.input, views)
            if below is op.input:
                return op
            return Project(op.name, below, op.columns, op.where, op.note, op.place)
        case Aggregate():
            below = _rewrite(op.input, views)
            if below is op.input:
                return op
            return Aggregate(op.name, below, op.by, op.measures, op.having, op.note, op.place)
        case Relate():
            left, right = _rewrite(op.left, views), _rewrite(op.right, views)
            if left is op.left and right is op.right:
                return op
            return replace(op, left=left, right=right)
        case Explode() | Rank():
            below = _rewrite(op.input, views)
            return op if below is op.input else replace(op, input=below)
        case _:
            return op


def _fuse_union(op: Union, views: dict[str, Dataset]) -> Op:
    groups: dict[str, list[Project]] = {}
    others: list[Op] = []
    for each in op.inputs:
        flat = _flatten(each, views)
        if flat is None:
            others.append(_rewrite(each, views))
            continue
        for branch in flat:
            groups.setdefault(branch.input.name, []).append(branch)
    if all(len(branches) == 1 for branches in groups.values()):
        rest = tuple(_rewrite(each, views) for each in op.inputs)
        same = all(a is b for a, b in zip(rest, op.inputs, strict=True))
        return op if same else replace(op, inputs=rest)
    alone = not others and len(groups) == 1
    made: list[Op] = []
    for source, branches in groups.items():
        if len(branches) == 1:
            made.append(branches[0])
        else:
            name = op.name if alone else f"{op.name}_of_{source}"
            made.append(_fan(name, op, branches))
    return made[0] if alone else replace(op, inputs=(*made, *others))


def _flatten(op: Op, views: dict[str, Dataset]) -> list[Project] | None:
    """Return the projections of single datasets that an input consists of, if it does."""
    if isinstance(op, Project) and isinstance(op.input, Source):
        return [op]
    if isinstance(op, Source) and op.name in views:
        return _flatten(views[op.name].rows, views)
    if isinstance(op, Union):
        parts = [_flatten(each, views) for each in op.inputs]
        found = [branch for part in parts if part is not None for branch in part]
        return None if any(part is None for part in parts) else found
    return None


def _fan(name: str, union: Union, branches: list[Project]) -> Fan:
    plain = [{column: expand(text) for column, text in each.columns} for each in branches]
    order = tuple(column for column, _ in branches[0].columns)
    alike = [column for column in order if len({each[column] for each in plain}) == 1]

    def own(columns: dict[str, str]) -> Pairs:
        return tuple((column, columns[column]) for column in order if column not in alike)

    return Fan(
        name,
        branches[0].input,
        element="found",
        shared=tuple((column, plain[0][column]) for column in alike),
        branches=tuple(
            Branch(each.name, own(columns), expand(each.where) if each.where else None)
            for each, columns in zip(branches, plain, strict=True)
        ),
        order=order,
        note=union.note,
        place=union.place,
    )
