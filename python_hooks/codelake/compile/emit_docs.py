"""The catalogue -> docs/data_model.md."""

from __future__ import annotations

from collections.abc import Iterable

from codelake.compile.units import State, Unit
from codelake.semantic.ir import Column, Kind
from codelake.semantic.types import SEMANTIC_TYPES


def emit_data_model(state: State) -> str:
    """Write the page on datasets, columns, kinds and semantic types."""
    texts = {m.name: m.text for m in state.catalogue.meanings}
    parts = [
        "# The data model",
        "Every dataset of the program, in build order, as declared in "
        "`python_hooks/codelake/semantic/catalog/`.",
        "## Kinds of nodes",
        _kinds(state.catalogue.node_kinds),
        "## Kinds of edges",
        _kinds(state.catalogue.edge_kinds),
        "## Datasets",
        _table(
            ("Dataset", "Layer", "Kept as", "What it holds"),
            [_summary(unit) for unit in state.units],
        ),
    ]
    for unit in state.units:
        parts += [f"### {unit.name}", f"{unit.dataset.description} {unit.dataset.grain}"]
        parts.append(f"Key: {', '.join(f'`{k}`' for k in unit.dataset.key)}. {_kept(unit)}")
        rows = [_row(column, texts) for column in unit.dataset.columns]
        parts.append(_table(("Column", "Type", "Null", "Meaning"), rows))
    used = {c.semantic for unit in state.units for c in unit.dataset.columns}
    rows = [(f"`{t.name}`", t.meaning) for t in SEMANTIC_TYPES if t.name in used]
    parts += ["## Semantic types", _table(("Type", "Meaning"), rows)]
    return "\n\n".join(parts) + "\n"


def _kinds(kinds: Iterable[Kind]) -> str:
    rows = [(f"`{k.name}`", k.meaning, k.example) for k in kinds]
    return _table(("Kind", "Meaning", "Example"), rows)


def _summary(unit: Unit) -> tuple[str, ...]:
    kept = "view" if unit.materialization == "view" else "Delta table"
    kept = f"view; table in `{unit.profile}`" if unit.profile else kept
    anchor = f"[`{unit.name}`](#{unit.name})"
    return anchor, unit.dataset.layer, kept, unit.dataset.description


def _kept(unit: Unit) -> str:
    kept = "View" if unit.materialization == "view" else "Delta table"
    kept = f"Delta table in the profile `{unit.profile}`, else a view" if unit.profile else kept
    read = f" Reads {', '.join(f'`{name}`' for name in unit.refs)}." if unit.refs else ""
    return f"{kept}: {unit.reason}.{read}"


def _row(column: Column, texts: dict[str, str]) -> tuple[str, ...]:
    kind = str(column.type)
    short = kind if len(kind) <= 40 else f"{kind.split('<')[0]}<struct>"
    null = "yes" if column.nullable else "no"
    return f"`{column.name}`", f"`{short}`", null, texts[column.meaning or column.name]


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    def line(cells: Iterable[str]) -> str:
        return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"

    return "\n".join([line(head), "|" + "---|" * len(head), *map(line, rows)])
