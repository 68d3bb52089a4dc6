"""What a session knows of a lake: the schema, its tables by location, its views.

    lake/codelake/cpg_nodes/_delta_log   ->  codelake.cpg_nodes
    program.json: ast_nodes is a view    ->  codelake.ast_nodes

The catalogue is in memory and starts empty, so this runs when a session opens, before dbt fills
its relation cache. Only what the compiled program names is registered. A view whose tables are
not all there yet waits for the build that makes them; evidence that nobody asked for is a view
without rows, so that what reads it has none either.

Whoever asks gets Delta tables, with their history. A build of everything writes by path and reads
each table as the files of one version: Spark then skips the replay of a log that `deltalake` has
read already, which took a sixth of the CPU time of a small build.

A table of an older program may lack columns that views read. Whoever asks gets a view of it, with
the declared default of each (`cast(array() as ...) as comments`); a build makes the table anew.
"""

from __future__ import annotations

import json
import os
import re
import threading
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from codelake.compile.program import Dataset, Program, read_program
from codelake.errors import CodelakeError
from codelake.run.events import note_event
from codelake.run.project import ON_REQUEST, OWN_TABLES, ROOT, SCHEMA
from codelake.run.session import Views

if TYPE_CHECKING:
    from deltalake import DeltaTable

ALIAS_VARIABLE = "CODELAKE_LEGACY_ALIASES"
"""Set, it adds a view `<name>_v1` of each dataset of evidence and graph, for older readers."""

_registering = threading.Lock()  # Spark replaces no view that another thread is making
_registered: dict[str, str] = {}
_as_view: set[str] = set()  # tables that a view stands for
_not_asked_for: set[str] = set()  # of ON_REQUEST, tables that the lake lacks


def table_location(lake: Path, name: str) -> Path:
    """Return where a table lives in a lake."""
    return lake.resolve() / relative_location(name)


def relative_location(name: str) -> str:
    """Return where a table lives below any lake: as compiled; tables of runs are not models."""
    return _locations().get(name) or f"{SCHEMA}/{name}"


@cache
def _locations() -> dict[str, str | None]:
    return {dataset.name: dataset.location for dataset in read_program(ROOT).datasets}


def require_lake(lake: Path) -> None:
    """Insist on a lake.

    Raises:
        CodelakeError: LAKE_MISSING.
    """
    if not (lake / SCHEMA).is_dir():
        raise CodelakeError(
            "LAKE_MISSING",
            f"there is no lake at `{lake}`.",
            "run `codelake build REPO` first, or name the folder of a lake with --lake",
        )


def is_delta_table(path: Path) -> bool:
    """Say whether a Delta log with a commit is there."""
    return any((path / "_delta_log").glob("*.json"))


def registered_relations() -> dict[str, str]:
    """Return name -> 'table' or 'view' of what the session was told at its start."""
    return dict(_registered)


def register_lake(session: Any, lake: Path, *, views: Views = Views.ALL) -> None:
    """Tell a new session about the schema, tables and, when all are wanted, views.

    For a build of everything a table is the files of its last version, and one that Python writes
    and no statement reads is left out.
    """
    build = views == Views.OF_BUILD
    program = read_program(ROOT)
    read = program.read_by_spark()
    # a warm server may still know another lake; its tables are external, so their data stays
    session.sql(f"drop schema if exists {SCHEMA} cascade")
    session.sql(f"create schema {SCHEMA}")
    session.sql(f"use {SCHEMA}")
    _registered.clear()
    _as_view.clear()
    _not_asked_for.clear()
    if not build and is_delta_table(table_location(lake, "evidence")):
        _not_asked_for.update(n for n in ON_REQUEST if not is_delta_table(table_location(lake, n)))
    for name in () if build else OWN_TABLES:
        register_table(session, name, table_location(lake, name), files=True)
    for dataset in program.datasets:
        gathered = dataset.write is not None and dataset.write.strategy == "gather"
        if gathered and build and dataset.name not in read:
            continue
        if dataset.location:
            path = table_location(lake, dataset.name)
            register_table(session, dataset.name, path, files=build)
        if views == Views.ALL:
            _register_view(session, dataset)
    if views == Views.ALL and os.environ.get(ALIAS_VARIABLE):
        _register_aliases(session, program)


def register_views(session: Any, sql: str) -> None:
    """Tell a session about the views that a query names, and what they read.

    A view takes a cold session a twentieth of a second, and there are a hundred. A query that
    lists what there is gets all of them.
    """
    program = read_program(ROOT)
    words = set(re.findall(r"\w+", sql.lower()))
    listing = "show" in words or os.environ.get(ALIAS_VARIABLE)
    wanted = {each.name for each in program.datasets} if listing else words
    for dataset in reversed(program.datasets):
        if dataset.name in wanted:
            wanted |= {*dataset.refs}
    with _registering:
        for dataset in program.datasets:
            if dataset.name in wanted:
                _register_view(session, dataset)
        if os.environ.get(ALIAS_VARIABLE):
            _register_aliases(session, program)


def _register_view(session: Any, dataset: Dataset) -> None:
    """Make a view, unless it is there, is no view, or a table it reads is missing."""
    if dataset.name in _not_asked_for:
        register_rowless(session, dataset)
    known = dataset.name in _registered
    if dataset.sql and not known and all(r in _registered or r in _as_view for r in dataset.refs):
        kept = _properties(dataset)
        session.sql(f"use {SCHEMA}")  # it names what it reads without the schema
        # a build in this process may have made it
        session.sql(f"create or replace view {SCHEMA}.{dataset.name} {kept} as {dataset.sql}")
        _registered[dataset.name] = "view"


def _register_aliases(session: Any, program: Program) -> None:
    """Give the datasets that people read their older names as well."""
    for dataset in program.datasets:
        alias = f"{dataset.name}_v1"
        made = alias in _registered or dataset.name not in _registered
        if dataset.layer in ("evidence", "cpg") and not made:
            session.sql(f"create view {SCHEMA}.{alias} as select * from {SCHEMA}.{dataset.name}")
            _registered[alias] = "view"


def _properties(dataset: Dataset) -> str:
    """Return the clause that keeps what the columns of a view mean."""
    named = ", ".join(
        f"'codelake.semantic_type.{column.name}' = '{column.semantic_type}'"
        for column in dataset.columns
        if column.semantic_type
    )
    return f"tblproperties ({named})" if named else ""


def register_table(session: Any, name: str, path: Path, *, files: bool = False) -> None:
    """Tell a session about a table, when there is one at the path.

    Args:
        session: the session.
        name: the table's.
        path: its folder.
        files: register the files of the last version, whatever the name stood for before.
    """
    if not is_delta_table(path):
        return
    _registered[name] = "table"
    _not_asked_for.discard(name)
    defaults = {} if files else lacking_columns(name, path)
    note_event(
        "registration",
        name,
        "files" if files else "defaults" if defaults else "table",
        _listed(defaults),
    )
    if files or defaults or name in _as_view:
        _forget_table(session, name)
    if defaults:
        _register_rows(session, name, path, defaults)
    else:
        session.sql(_registration(name, path, files=files))


def register_rowless(session: Any, dataset: Dataset) -> None:
    """Give the name of evidence that nobody asked for to a view without rows."""
    if dataset.name not in _as_view:
        columns = [(column.name, column.type) for column in dataset.columns]
        session.sql(_without_rows(dataset.name, columns))
        _as_view.add(dataset.name)


def release_table(session: Any, name: str) -> bool:
    """Take the view away that stands for a table, and say whether there was one."""
    was_view = name in _as_view
    if was_view:
        _forget_table(session, name)
    return was_view


def register_version(session: Any, name: str, path: Path, version: int) -> None:
    """Let the name of a table stand for one version of it, until it is registered anew."""
    _forget_table(session, name)
    _register_rows(session, name, path, lacking_columns(name, path, version), version)


def lacking_columns(name: str, path: Path, version: int | None = None) -> dict[str, str]:
    """Return the declared columns that a table lacks, each with what stands for it.

    Args:
        name: the table's.
        path: its folder.
        version: which version; the last when not given.
    """
    declared = _defaults().get(name)
    if not declared:
        return {}
    from deltalake import DeltaTable

    table = DeltaTable(path, version=version)
    held = {field.name for field in table.schema().fields}
    return {column: text for column, text in declared.items() if column not in held}


@cache
def _defaults() -> dict[str, dict[str, str]]:
    return {each.dataset: each.defaults for each in read_program(ROOT).decisions}


def _listed(defaults: dict[str, str]) -> str:
    return ", ".join(f"{text} as {column}" for column, text in defaults.items())


def _forget_table(session: Any, name: str) -> None:
    """Make a name free, whatever stands for the table."""
    session.sql(f"drop {'view' if name in _as_view else 'table'} if exists {SCHEMA}.{name}")
    _as_view.discard(name)


def _register_rows(
    session: Any, name: str, path: Path, defaults: dict[str, str], version: int | None = None
) -> None:
    """Give a table's name to a view of its rows, with what stands for columns that it lacks."""
    columns = f"*, {_listed(defaults)}" if defaults else "*"
    source = "delta.`" + str(path).replace("`", "``") + "`"
    as_of = "" if version is None else f" version as of {version}"
    session.sql(f"create view {SCHEMA}.{name} as select {columns} from {source}{as_of}")
    _as_view.add(name)


def _registration(name: str, path: Path, *, files: bool) -> str:
    """Return the statement that gives a table its name.

    A table without files becomes a view without rows: Spark then leaves out of a statement all
    that depends on it, where a Delta table would be read for each time that it is named.
    """
    from deltalake import DeltaTable

    from codelake.evidence.delta_columns import data_files

    relation = f"{SCHEMA}.{name}"
    table = DeltaTable(path) if files else None
    if table is None or not _holds_plain_files(table, path):
        given = f"{relation} using delta location {_quoted(str(path))}"
        return f"create table if not exists {given}"
    columns = _columns(table)
    names = [file.name for file in data_files(table)]
    if not names:
        _as_view.add(name)
        return _without_rows(name, columns)
    typed = ", ".join(f"`{column}` {kind}" for column, kind in columns)
    location = _quoted(f"{path}/{{{','.join(names)}}}")
    return f"create table {relation} ({typed}) using parquet location {location}"


def _without_rows(name: str, columns: list[tuple[str, str]]) -> str:
    nothing = ", ".join(f"cast(null as {kind}) as `{column}`" for column, kind in columns)
    return f"create view {SCHEMA}.{name} as select {nothing} where false"


def view_schema(session: Any, relation: str) -> Any:
    """Return the columns of a view as its creation found them; a server analyses it once more."""
    from pyspark.sql.types import StructType

    java = getattr(session, "_jsparkSession", None)
    if java is None:
        return session.table(relation).schema
    name = java.sessionState().sqlParser().parseTableIdentifier(relation)
    known = java.sessionState().catalog().getTableMetadata(name)
    return StructType.fromJson(json.loads(known.schema().json()))


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


_LISTED_FILES = 32  # Spark lists more files than this in a job of its own
_GLOB = set("{}[]*?\\,")


def _holds_plain_files(table: DeltaTable, path: Path) -> bool:
    """Tell whether files alone are what a table holds, few enough to be named."""
    from codelake.evidence.delta_columns import data_files

    files = data_files(table)
    plain = table.protocol().min_reader_version == 1 and not table.metadata().partition_columns
    if not plain or len(files) > _LISTED_FILES or _GLOB & set(str(path)):
        return False
    return all(file.parent == path and not _GLOB & set(file.name) for file in files)


def _columns(table: DeltaTable) -> list[tuple[str, str]]:
    """Return the columns of a table with their types, as SQL writes them."""
    from pyspark.sql.types import StructType

    schema = StructType.fromJson(json.loads(table.schema().to_json()))
    return [(field.name, field.dataType.simpleString()) for field in schema]
