"""Materialise: which dataset is a Delta table, and why.

A table costs a commit and a second; a view costs its readers the work again. What is extracted
and what people read is kept, everything between is cheap to derive.
"""

from __future__ import annotations

from dataclasses import replace

from codelake.compile.units import State, Unit
from codelake.semantic.ir import Scan, Seed, walk


def materialise(state: State) -> State:
    """Decide for every unit, with the reason."""
    readers: dict[str, int] = {}
    for unit in state.units:
        for name in unit.refs:
            readers[name] = readers.get(name, 0) + 1
    return state.with_units([_decide(unit, readers.get(unit.name, 0)) for unit in state.units])


def _decide(unit: Unit, readers: int) -> Unit:
    dataset = unit.dataset
    read_by = "no model reads it" if readers == 0 else f"read by {readers} models"
    if readers == 1:
        read_by = "read by 1 model"
    if isinstance(unit.rows, Seed):
        return replace(unit, materialization="seed", reason="rows that are part of the program")
    if dataset.write is not None and dataset.write.strategy == "gather":
        reason = f"the driver makes its few rows and writes them when they differ; {read_by}"
        return replace(unit, materialization="delta_table", reason=reason)
    if any(isinstance(op, Scan) for op in walk(unit.rows)):
        reason = (
            f"extraction is costly, so a file is extracted again only when it changes; {read_by}"
        )
        return replace(unit, materialization="delta_table", reason=reason)
    if unit.profile:
        reason = (
            f"derived from {', '.join(unit.refs)} in one step, kept in the profile {unit.profile}"
        )
        return replace(unit, materialization="delta_table", reason=f"{reason}; {read_by}")
    if dataset.write is not None:
        reason = f"product table, read by people and tools; {read_by}"
        return replace(unit, materialization="delta_table", reason=reason)
    if dataset.check is not None:
        return replace(unit, reason="read once per build, by its test")
    return replace(unit, reason=f"derived from {', '.join(unit.refs)} in one step; {read_by}")
