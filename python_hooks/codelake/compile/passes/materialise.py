"""Materialise: which dataset is a Delta table, and why.

    ast_nodes   2 statements of a build read it, 404,658 rows: deriving them once more costs 0.8 s,
                a table of them 3.1 s                                            -> view

What is extracted and what people read is kept. Everything between is a view, unless so many
statements derive so many rows of it again that a table is cheaper. The costs are measured on two
cores (docs/operations.md); row counts come from semantic/row_counts.py, never from a lake.
"""

from __future__ import annotations

from dataclasses import replace

from codelake.compile.units import State, Unit
from codelake.semantic.ir import (
    Aggregate,
    Explode,
    Project,
    Rank,
    Relate,
    Scan,
    Seed,
    Write,
    sources,
    walk,
)

TABLE_SECONDS = 1.5
"""A commit of one more table: its log is replayed, its files are listed."""
ROW_WRITTEN, ROW_READ = 4e-6, 0.5e-6
_ROW_MADE = {Explode: 1e-6, Project: 1e-6, Relate: 3e-6, Aggregate: 3e-6, Rank: 3e-6}
"""Seconds per row and step."""
_KEY = "file_id"
_READ = {0: "no statement of a build reads it", 1: "one statement of a build reads it"}


def materialise(state: State) -> State:
    """Decide for every unit, with the reason."""
    counts = _row_counts(state)
    statements = _statements(state)
    seconds: dict[str, float] = {}
    units = []
    for unit in state.units:
        rows = counts[unit.name]
        made = _decide(unit, len(statements[unit.name]), rows, seconds)
        units.append(replace(made, row_count=rows))
    return state.with_units(units)


def _row_counts(state: State) -> dict[str, int]:
    """Return the rows of each dataset: as counted, else those of the largest one it reads."""
    counts: dict[str, int] = {}
    for unit in state.units:
        below = max((counts[name] for name in sources(unit.rows)), default=0)
        counts[unit.name] = state.catalogue.row_counts.get(unit.name, below)
    return counts


def _is_statement(unit: Unit) -> bool:
    """Tell whether a build reads this dataset's rows itself: a table is written, a check tested."""
    dataset = unit.dataset
    return dataset.check is not None or (dataset.write is not None and not dataset.write.profile)


def _statements(state: State) -> dict[str, set[str]]:
    """Return the statements of a build that derive each dataset, through views."""
    found: dict[str, set[str]] = {unit.name: set() for unit in state.units}
    for unit in reversed(state.units):
        derived = {unit.name} if _is_statement(unit) else found[unit.name]
        for name in sources(unit.rows):
            found[name] |= derived
    return found


def _decide(unit: Unit, readers: int, rows: int, seconds: dict[str, float]) -> Unit:
    """Decide for one unit; `seconds` holds what deriving each dataset before it costs."""
    dataset = unit.dataset
    again = rows * sum(_ROW_MADE.get(type(op), 0.0) for op in walk(unit.rows))
    again += sum(seconds[name] for name in sources(unit.rows))
    kept = TABLE_SECONDS + rows * (ROW_WRITTEN + ROW_READ * readers)
    read = _READ.get(readers, f"{readers} statements of a build read it")
    seconds[unit.name] = again

    def table(reason: str) -> Unit:
        seconds[unit.name] = rows * ROW_READ
        return replace(unit, materialization="delta_table", reason=f"{reason}; {read}")

    if isinstance(unit.rows, Seed):
        seconds[unit.name] = 0.0
        return replace(unit, materialization="seed", reason="rows that are part of the program")
    if dataset.write is not None and dataset.write.strategy == "gather":
        return table("the driver makes its few rows and writes them when they differ")
    if any(isinstance(op, Scan) for op in walk(unit.rows)):
        return table("extraction is costly, so a file is extracted again only when it changes")
    if unit.profile:
        made = table(f"kept in the profile {unit.profile}, a view in the others")
        seconds[unit.name] = again
        return made
    if dataset.write is not None:
        return table("product table, read by people and tools")
    if dataset.check is not None:
        return replace(unit, reason="read once per build, by its test")
    if readers <= 1:
        return replace(unit, reason=f"{read}: nothing is derived twice")
    costs = (
        f"deriving {rows:,} rows again costs {again * (readers - 1):.1f} s, a table {kept:.1f} s"
    )
    if again * (readers - 1) <= kept or dataset.column(_KEY) is None:
        return replace(unit, reason=f"{read}; {costs}")
    stored = replace(dataset, write=Write("replace_by_key", key=_KEY))
    return replace(table(costs), dataset=stored)
