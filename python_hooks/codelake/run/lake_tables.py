"""What a lake holds, as tables: its tables, their columns and their constraints.

    write_lake_tables(lake, program) -> lake_tables, lake_columns, lake_constraints

Rows come from the Delta logs and the compiled program; no row of a table is read. They are written
when a run ends, and only when they are not there yet, so a quiet build adds no commit.

    lake_tables       one row per table: protocol, features, layout
    lake_columns      one row per column of a table or view: type, semantic type, what the log says
    lake_constraints  one row per promise: NOT NULL and CHECK, which Delta enforces, and keys
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
from deltalake import DeltaTable, write_deltalake

from codelake.compile.program import Dataset, Program
from codelake.evidence.delta_columns import delta_columns
from codelake.run.catalogue import is_delta_table, table_location
from codelake.run.clustering import clustering_columns
from codelake.run.schema_policy import logged_columns

type Logged = dict[str, tuple[str, bool]]

_CHECK = "delta.constraints."
_SEMANTIC = "codelake.semantic_type."
_TEXT, _FLAG, _WHOLE = pa.string(), pa.bool_(), pa.int32()


def _schema(**fields: pa.DataType) -> pa.Schema:
    return pa.schema([pa.field(name, kind) for name, kind in fields.items()])


SCHEMAS = {
    "lake_tables": _schema(
        table_name=_TEXT,
        layer=_TEXT,
        min_reader_version=_WHOLE,
        min_writer_version=_WHOLE,
        features=pa.list_(_TEXT),
        partition_columns=pa.list_(_TEXT),
        clustering_columns=pa.list_(_TEXT),
        properties=pa.map_(_TEXT, _TEXT),
    ),
    "lake_columns": _schema(
        table_name=_TEXT,
        column_name=_TEXT,
        ordinal=_WHOLE,
        kind=_TEXT,
        data_type=_TEXT,
        is_nullable=_FLAG,
        semantic_type=_TEXT,
        logged_type=_TEXT,
        logged_semantic_type=_TEXT,
        is_as_declared=_FLAG,
    ),
    "lake_constraints": _schema(
        table_name=_TEXT,
        constraint_name=_TEXT,
        constraint_type=_TEXT,
        columns=pa.list_(_TEXT),
        expression=_TEXT,
        is_enforced=_FLAG,
    ),
}


def write_lake_tables(lake: Path, program: Program) -> list[str]:
    """Bring the three tables up to date.

    Returns:
        The names of those that changed.
    """
    rows = lake_rows(lake, program)
    changed = []
    for name, schema in SCHEMAS.items():
        path = table_location(lake, name)
        data = pa.Table.from_pylist(rows[name], schema=schema)
        if is_delta_table(path) and delta_columns(path).to_pylist() == data.to_pylist():
            continue
        write_deltalake(path, data, mode="overwrite", schema_mode="overwrite")
        changed.append(name)
    return changed


def lake_rows(lake: Path, program: Program) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of the three tables, by table."""
    found: dict[str, list[dict[str, Any]]] = {name: [] for name in SCHEMAS}
    for dataset in sorted(program.datasets, key=lambda each: each.name):
        path = table_location(lake, dataset.name)
        table = DeltaTable(path) if dataset.location and is_delta_table(path) else None
        held = table.metadata().configuration if table else {}
        logged = logged_columns(path) if table else None
        found["lake_columns"] += _columns(dataset, logged, held)
        found["lake_constraints"] += _constraints(dataset, logged, held)
        if table:
            found["lake_tables"].append(_table(dataset, path, table, held))
    return found


def _table(dataset: Dataset, path: Path, table: DeltaTable, held: dict[str, str]) -> dict[str, Any]:
    protocol = table.protocol()
    named = {*(protocol.reader_features or ()), *(protocol.writer_features or ())}
    layout = {
        key: value
        for key, value in held.items()
        if not key.startswith((_CHECK, _SEMANTIC)) and key != "delta.minWriterVersion"
    }
    return {
        "table_name": dataset.name,
        "layer": dataset.layer,
        "min_reader_version": protocol.min_reader_version,
        "min_writer_version": protocol.min_writer_version,
        "features": sorted(named),
        "partition_columns": table.metadata().partition_columns,
        "clustering_columns": list(clustering_columns(path, table)),
        "properties": sorted(layout.items()),
    }


def _columns(
    dataset: Dataset, logged: Logged | None, held: dict[str, str]
) -> Iterator[dict[str, Any]]:
    for ordinal, column in enumerate(dataset.columns):
        kind, nullable = (logged or {}).get(column.name, (None, None))
        seen = held.get(f"{_SEMANTIC}{column.name}")
        as_declared = (kind, nullable) == (column.type.lower().replace(" ", ""), column.nullable)
        yield {
            "table_name": dataset.name,
            "column_name": column.name,
            "ordinal": ordinal,
            "kind": "table" if logged else "view" if dataset.sql else "missing table",
            "data_type": column.type,
            "is_nullable": column.nullable,
            "semantic_type": column.semantic_type,
            "logged_type": kind,
            "logged_semantic_type": seen,
            "is_as_declared": as_declared if logged else None,
        }


def _constraints(
    dataset: Dataset, logged: Logged | None, held: dict[str, str]
) -> Iterator[dict[str, Any]]:
    """Yield the key of every dataset, and what Delta enforces on a table."""

    def row(name: str, kind: str, columns: list[str], text: str, enforced: bool) -> dict[str, Any]:
        return {
            "table_name": dataset.name,
            "constraint_name": name,
            "constraint_type": kind,
            "columns": columns,
            "expression": text,
            "is_enforced": enforced,
        }

    if dataset.key:
        yield row("key", "KEY", list(dataset.key), "", False)
    if logged is None:
        return
    for column in dataset.columns:
        if not column.nullable:
            name, (_, nullable) = column.name, logged.get(column.name, ("", True))
            yield row(f"{name}_not_null", "NOT NULL", [name], f"{name} is not null", not nullable)
    for key, text in sorted(held.items()):
        if key.startswith(_CHECK):
            yield row(key.removeprefix(_CHECK), "CHECK", [], text, True)
