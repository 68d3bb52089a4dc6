"""Layout: by which columns the files of a table can be found, from how the catalogue looks rows up.

    cpg_edges   stats repo, path, file_id    rows are written file by file
                zorder node ids              joins look them up, and hashes lie in every file

Statistics cost time on every write, so a column has them only where files differ by it: rows are
written file by file, so the place of a file always does, and names that begin with a module do
where something looks for them. A hashed id lies between the smallest and the largest of every
file: only sorting makes it findable, which is left to maintenance.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from codelake.compile.passes.derive import is_stored
from codelake.compile.units import Choice, Layout, State, Unit
from codelake.semantic.check import MOST_STATS
from codelake.semantic.lineage import Lineage, Place

_PLACE = ("RepositoryName", "Path", "FileId")
_BY_MODULE = ("ModuleName", "QualifiedName")
_HASHED = ("NodeId", "EdgeId", "ScopeId", "BindingId", "CodeUnitId", "InstructionId")
_MOST_ORDERED = 2

type Uses = Counter[tuple[Place, str]]


def layout(state: State) -> State:
    """Choose the columns of every table."""
    lineage = Lineage(state.known, is_stored)
    found: Uses = Counter()
    for unit in state.units:
        found.update((use.place, use.how) for use in lineage.uses(unit.dataset))
    return state.with_units([_choose(unit, found) for unit in state.units])


def _choose(unit: Unit, found: Uses) -> Unit:
    if unit.materialization != "delta_table":
        return unit
    stats = _stats(unit, found)
    zorder = _ordered(unit, found)
    taken = {each.column for each in zorder}
    return replace(
        unit,
        layout=Layout(
            stats, zorder, tuple(c for c in _bloom(unit, found) if c.column not in taken)
        ),
    )


def _stats(unit: Unit, found: Uses) -> tuple[Choice, ...]:
    write = unit.dataset.write
    if write is not None and write.stats is not None:
        return tuple(Choice(name, "named in the catalogue") for name in write.stats)
    folders = write.partition if write else ()
    chosen = []
    for column in unit.dataset.columns:
        sought = _times(unit, column.name, found, "lookup", "probe", "filter")
        if column.name in folders:
            continue
        if write is not None and column.name in (write.key, *write.order):
            chosen.append(Choice(column.name, "rows are replaced and laid out by it"))
        elif column.semantic in _PLACE:
            chosen.append(Choice(column.name, "rows are written file by file"))
        elif column.semantic in _BY_MODULE and sought:
            chosen.append(Choice(column.name, f"follows the files; {_said(sought)}"))
    return tuple(chosen[:MOST_STATS])


def _ordered(unit: Unit, found: Uses) -> tuple[Choice, ...]:
    times = {
        column.name: _times(unit, column.name, found, "lookup", "probe")
        for column in unit.dataset.columns
        if column.semantic in _HASHED
    }
    best = sorted((name for name in times if times[name]), key=lambda n: (-times[n], n))
    return tuple(
        Choice(name, f"a hash that lies in every file; {_said(times[name])}")
        for name in best[:_MOST_ORDERED]
    )


def _bloom(unit: Unit, found: Uses) -> tuple[Choice, ...]:
    """Choose ids that are asked for by value; text is dictionary-encoded, which has no filter."""
    chosen = []
    for column in unit.dataset.columns:
        if column.semantic in _HASHED:
            times = _times(unit, column.name, found, "lookup", "probe", "filter")
            is_key = unit.dataset.key == (column.name,)
            if times or is_key:
                reason = _said(times) if times else "the key, asked for by value"
                chosen.append(Choice(column.name, reason))
    return tuple(chosen)


def _times(unit: Unit, column: str, found: Uses, *hows: str) -> int:
    return sum(found[Place(unit.name, column), how] for how in hows)


def _said(times: int) -> str:
    return f"{times} dataset{'s' if times != 1 else ''} look{'s' * (times == 1)} rows up by it"
