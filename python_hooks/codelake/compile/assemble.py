"""What the passes decided -> the compiled program."""

from __future__ import annotations

from codelake.compile import program as p
from codelake.compile.emit_sql import DBT, PLAIN, emit_sql
from codelake.compile.units import Choice, State, Unit
from codelake.semantic.ir import Column
from codelake.semantic.steps import known_of


def assemble(state: State, source_digest: str, files: dict[str, str]) -> p.Program:
    """Return the program of a compiled catalogue.

    Args:
        state: after the last pass.
        source_digest: hash of what it was compiled from.
        files: digest of every generated file by its path.
    """
    datasets = tuple(_dataset(state, unit) for unit in state.units)
    return p.Program(
        version=p.VERSION,
        source_digest=source_digest,
        program_hash=p.program_hash(datasets),
        datasets=datasets,
        outputs=tuple(unit.name for unit in state.units if _is_output(unit)),
        joins=tuple(join for unit in state.units for join in _joins(unit)),
        parameters=tuple(
            p.Parameter(each.name, str(each.type), each.default, each.choices, each.meaning)
            for each in state.catalogue.parameters
        ),
        decisions=tuple(map(_decision, state.units)),
        files=files,
    )


def dataset_sql(state: State, unit: Unit, *, plain: bool = False) -> str:
    """Return the select of a unit: as a model, or in the plain SQL of a session."""
    columns = tuple(c.name for c in unit.dataset.columns)
    return emit_sql(unit.rows, columns, known_of(state.catalogue), PLAIN if plain else DBT)


def _is_output(unit: Unit) -> bool:
    """Tell whether people read a dataset for its own sake, or a build tests it."""
    return unit.dataset.layer in ("cpg", "surface", "checks")


def _dataset(state: State, unit: Unit) -> p.Dataset:
    dataset, view = unit.dataset, unit.materialization == "view"
    write = dataset.write
    return p.Dataset(
        name=unit.name,
        layer=dataset.layer,
        materialization=unit.materialization,
        location=None if view else f"codelake/{unit.name}",
        columns=tuple(
            p.Column(c.name, str(c.type), c.nullable, c.semantic) for c in dataset.columns
        ),
        key=dataset.key,
        refs=unit.refs,
        inputs=unit.inputs,
        write=p.Write(write.strategy, write.key, write.profile) if write else None,
        fingerprint=unit.fingerprint,
        sql=dataset_sql(state, unit, plain=True) if view or unit.profile else None,
    )


def _joins(unit: Unit) -> list[p.Join]:
    return [p.Join(unit.name, j.step, j.right, j.on, j.how, j.strategy, j.many) for j in unit.joins]


def _decision(unit: Unit) -> p.Decision:
    return p.Decision(
        dataset=unit.name,
        reason=unit.reason,
        row_count=unit.row_count,
        key_is_derived=unit.key_is_derived,
        extractors=unit.extractors,
        functions=unit.functions,
        stats=_reasons(unit.layout.stats),
        zorder=_reasons(unit.layout.zorder),
        bloom=_reasons(unit.layout.bloom),
        defaults={c.name: f"cast({c.default} as {c.type})" for c in _with_default(unit)},
    )


def _with_default(unit: Unit) -> list[Column]:
    return [] if unit.materialization == "view" else [c for c in unit.dataset.columns if c.default]


def _reasons(choices: tuple[Choice, ...]) -> dict[str, str]:
    return {each.column: each.reason for each in choices}
