"""What a session knows of a lake: the schema, its tables by location, its views.

    lake/codelake/cpg_nodes/_delta_log   ->  codelake.cpg_nodes
    program.json: ast_nodes is a view    ->  codelake.ast_nodes

The catalogue is in memory and starts empty, so this runs when a session opens, before dbt fills
its relation cache. Only what the compiled program names is registered. A view whose tables are
not all there yet waits for the build that makes them.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from codelake.compile.program import read_program
from codelake.run.project import ROOT, RUN_TABLE, SCHEMA

_registered: dict[str, str] = {}


def table_location(lake: Path, name: str) -> Path:
    """Return where a table lives in a lake."""
    return lake.resolve() / SCHEMA / name


def is_delta_table(path: Path) -> bool:
    """Say whether a Delta log with a commit is there."""
    return any((path / "_delta_log").glob("*.json"))


def registered_relations() -> dict[str, str]:
    """Return name -> 'table' or 'view' of what the session was told at its start."""
    return dict(_registered)


def register_lake(session: Any, lake: Path, *, views: bool = True) -> None:
    """Tell a new session about the schema, tables and, unless a build makes them, views.

    Without views a table that Python writes is left out too, when no statement reads it: telling
    a session of a table costs about as much as writing a small one.
    """
    program = read_program(ROOT)
    read = program.read_by_spark()
    # a warm server may still know another lake; its tables are external, so their data stays
    session.sql(f"drop schema if exists {SCHEMA} cascade")
    session.sql(f"create schema {SCHEMA}")
    session.sql(f"use {SCHEMA}")
    _registered.clear()
    register_table(session, RUN_TABLE, table_location(lake, RUN_TABLE))
    for dataset in program.datasets:
        gathered = dataset.write is not None and dataset.write.strategy == "gather"
        if gathered and not views and dataset.name not in read:
            continue
        if dataset.location:
            register_table(session, dataset.name, table_location(lake, dataset.name))
        made = dataset.name in _registered
        if dataset.sql and views and not made and all(ref in _registered for ref in dataset.refs):
            session.sql(f"create view {SCHEMA}.{dataset.name} as {dataset.sql}")
            _registered[dataset.name] = "view"


def register_table(session: Any, name: str, path: Path) -> None:
    """Tell a session about a table, when there is one at the path."""
    if is_delta_table(path):
        quoted = str(path).replace("\\", "\\\\").replace("'", "\\'")
        session.sql(f"create table if not exists {SCHEMA}.{name} using delta location '{quoted}'")
        _registered[name] = "table"
