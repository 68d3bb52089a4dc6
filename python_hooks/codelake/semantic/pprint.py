"""The IR as text: one line per step, its parts indented.

    calls = project ast_nodes
      node_id
      label = coalesce(keyword, '')
      where kind = 'CALL'

Equal meaning gives equal text (recipes expanded, expressions in canonical form), so the text is
what a fingerprint hashes. Descriptions, notes, places and statistics columns are not in it.
"""

from __future__ import annotations

from collections.abc import Iterable

from codelake.semantic.functions import expand
from codelake.semantic.ir import (
    Aggregate,
    Dataset,
    Explode,
    Fan,
    Op,
    Pairs,
    Project,
    Rank,
    Relate,
    Scan,
    Seed,
    Source,
    Union,
    walk,
)


def pprint_rows(op: Op) -> str:
    """Print an operation and everything below it, inputs first."""
    seen: dict[str, None] = {}
    for each in walk(op):
        seen.setdefault("\n".join(_step(each)))
    return "\n".join(seen) + "\n"


def pprint_dataset(dataset: Dataset, rows: Op | None = None) -> str:
    """Print a dataset's contract and rows."""
    head = [f"dataset {dataset.name} in {dataset.layer}"]
    for column in dataset.columns:
        null = "" if column.nullable else " not null"
        semantic = f" as {column.semantic}" if column.semantic else ""
        head.append(f"  {column.name} {column.type}{null}{semantic}")
    head.append(f"  key {', '.join(dataset.key)}")
    if dataset.write:
        part = f" of {dataset.write.part}" if dataset.write.part else ""
        head.append(f"  write {dataset.write.strategy}{part} by {dataset.write.key}")
        head += [f"  partition {name}" for name in dataset.write.partition]
        head += [f"  order {name}" for name in dataset.write.order]
        head += [f"  cluster {name}" for name in dataset.write.cluster]
        head += [f"  profile {dataset.write.profile}"] if dataset.write.profile else []
    head += [f"  constraint {name}: {expand(text)}" for name, text in dataset.constraints]
    return "\n".join(head) + "\n" + pprint_rows(rows or dataset.rows)


def _pairs(columns: Pairs, indent: str = "  ") -> Iterable[str]:
    for name, text in columns:
        plain = expand(text)
        yield f"{indent}{name}" if plain == name else f"{indent}{name} = {plain}"


def _step(op: Op) -> list[str]:
    match op:
        case Source():
            return [f"source {op.name}"]
        case Scan():
            return [f"{op.name} = scan {op.macro}", *(f"  {c.name} {c.type}" for c in op.columns)]
        case Seed():
            return [f"{op.name} = seed", *(f"  {row!r}" for row in op.rows)]
        case Explode():
            position = f" at {op.position}" if op.position else ""
            head = f"{op.name} = explode {op.input.name}"
            return [f"{head} {expand(op.array)} as {op.element}{position}"]
        case Project():
            lines = [f"{op.name} = project {op.input.name}", *_pairs(op.columns)]
            return lines + ([f"  where {expand(op.where)}"] if op.where else [])
        case Relate():
            lines = [f"{op.name} = relate {op.left.name} {op.how} {op.right.name}"]
            lines += [f"  on {left} = {right}" for left, right in op.on]
            lines += [f"  spans {op.spans}"] if op.spans else []
            lines += ["  many"] if op.many else []
            return lines + [f"  take {name}" for name in op.take]
        case Union():
            return [f"{op.name} = union {', '.join(each.name for each in op.inputs)}"]
        case Aggregate():
            lines = [f"{op.name} = aggregate {op.input.name} by {', '.join(op.by)}"]
            lines += _pairs(op.measures)
            return lines + ([f"  having {expand(op.having)}"] if op.having else [])
        case Rank():
            head = f"{op.name} = rank {op.input.name} by {', '.join(op.by)}"
            return [f"{head} as {op.column}", *(f"  order {each}" for each in op.order)]
        case Fan():
            lines = [f"{op.name} = fan {op.input.name} as {op.element}", *_pairs(op.shared)]
            for branch in op.branches:
                where = f" where {expand(branch.where)}" if branch.where else ""
                lines += [f"  branch {branch.name}{where}", *_pairs(branch.columns, "    ")]
            return lines
