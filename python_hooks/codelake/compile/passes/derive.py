"""Derive: what follows from the rows of each dataset.

joins        the join graph, each with its strategy, from the most selective down
functions    the Spark functions that its SQL calls
extractors   the readers of files that must have run for it
key          whether its key follows from what it reads, or is a promise of the extractor
"""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from codelake.compile.units import Join, State, Unit
from codelake.semantic.expressions import parse
from codelake.semantic.extractors import extractors_of
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
    walk,
)
from codelake.semantic.keys import grain, meets_one
from codelake.semantic.lineage import Lineage, Place, sources_of

_NAMES = ("Symbol", "QualifiedName", "ModuleName")


def is_stored(dataset: Dataset) -> bool:
    """Tell whether every build finds the rows of a dataset in the lake."""
    profile = dataset.write is not None and dataset.write.profile != ""
    return not profile and (dataset.write is not None or isinstance(dataset.rows, Scan | Seed))


def _is_evidence(dataset: Dataset) -> bool:
    return dataset.write is not None and dataset.write.part != ""


def derive(state: State) -> State:
    """Derive joins, functions, extractors and keys of every unit."""
    known = state.known
    lineage = Lineage(known, is_stored)
    needed: dict[str, set[str]] = {}
    units = []
    for unit in state.units:
        columns = lineage.reads(unit.dataset)
        own = set(extractors_of(columns, state.catalogue))
        if _is_evidence(unit.dataset):
            filled = (Place(unit.name, column.name) for column in unit.dataset.columns)
            own |= {*extractors_of(filled, state.catalogue)}
        below = {place.dataset for place in columns if not _is_evidence(known[place.dataset])}
        needed[unit.name] = own.union(*(needed.get(name, ()) for name in below))
        units.append(
            replace(
                unit,
                joins=tuple(_joins(unit, known)),
                functions=_functions(unit.rows),
                extractors=tuple(sorted(needed[unit.name])),
                key_is_derived=grain(unit.dataset.rows, known).covers(unit.dataset.key),
            )
        )
    return state.with_units(units)


def _joins(unit: Unit, known: dict[str, Dataset]) -> list[Join]:
    return [
        Join(
            op.name,
            op.left.name,
            op.right.name,
            op.on,
            op.how,
            _strategy(op, known),
            op.many,
        )
        for op in walk(unit.dataset.rows)
        if isinstance(op, Relate)
    ]


def _strategy(op: Relate, known: dict[str, Dataset]) -> str:
    """Name how a join finds its rows; each costs more than the one before."""
    if meets_one(op, grain(op.right, known)):
        return "foreign key"
    if op.spans:
        return "contained span"
    meanings = {
        column.semantic
        for _, other in op.on
        for place in sources_of(op.right, other)
        if (column := known[place.dataset].column(place.column)) is not None
    }
    if "ByteOffset" in meanings:
        return "equal span"
    return "symbol match" if meanings & {*_NAMES} else "equal columns"


def _functions(rows: Op) -> tuple[str, ...]:
    """Return the Spark functions that the SQL of some rows calls, sorted."""
    found: set[str] = set()
    for op in walk(rows):
        for text in _texts(op):
            tree = parse(expand(text))
            found |= {str(call.this).lower() for call in tree.find_all(exp.Anonymous)}
            found |= {
                "if" for each in tree.find_all(exp.If) if not isinstance(each.parent, exp.Case)
            }
        if isinstance(op, Explode):
            found.add("posexplode" if op.position else "explode")
        if isinstance(op, Rank):
            found.add("row_number")
        if isinstance(op, Fan):
            found |= {"array", "explode", "struct"}
    return tuple(sorted(found - {"var"}))


def _texts(op: Op) -> list[str]:
    match op:
        case Explode():
            return [op.array]
        case Project():
            return [*(text for _, text in op.columns), *([op.where] if op.where else [])]
        case Aggregate():
            return [*(text for _, text in op.measures), *([op.having] if op.having else [])]
        case Fan():
            texts = [text for branch in op.branches for _, text in branch.columns]
            texts += [branch.where for branch in op.branches if branch.where]
            return [*texts, *(text for _, text in op.shared)]
        case _:
            return []
