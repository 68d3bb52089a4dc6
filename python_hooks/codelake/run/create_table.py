"""The first commit of a table, from its contract, without Spark.

    create_table(path, [{"name": "file_id", "data_type": "bigint", ...}], delta, "What it holds.")
        -> _delta_log/00000000000000000000.json: protocol, schema, comments, properties

`deltalake` writes it in milliseconds. Spark's `create table` takes 2.6 s for the first table of a
build and 0.8 s for each further one (four tables: 3.5 s of a build of requests), because it reads
the new log back as a table. A table that exists with another contract is replaced in one commit,
which takes its rows away and keeps its history. The commit of a clustered table is `deltalake`'s,
made aside, with what it cannot say (clustering.py) added.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa
from deltalake import CommitProperties, DeltaTable, Schema, write_deltalake

from codelake.run.catalogue import is_delta_table
from codelake.run.clustering import clustered, only_spark_writes
from codelake.semantic.types import ArrayOf, MapOf, SparkType, StructOf, parse_type

_NAMES = {"bigint": "long", "int": "integer", "smallint": "short", "tinyint": "byte"}
"""Where Delta's name of a type is not the one of Spark SQL."""

SPARK_NAMES = {delta: spark for spark, delta in _NAMES.items()}
"""The same, from Delta's name."""


def create_table(
    path: Path,
    columns: Iterable[Mapping[str, Any]],
    delta: Mapping[str, Any],
    description: str,
    state: str,
) -> None:
    """Make an empty table, or replace one whose contract was another.

    Args:
        path: the table's folder.
        columns: the contract's, each with name, data_type, description and constraints.
        delta: the write policy; `properties`, `constraints`, `partition` and `cluster` count here.
        description: comment of the table.
        state: userMetadata of the commit.
    """
    constraints = delta.get("constraints") or {}
    properties = {
        **(delta.get("properties") or {}),
        **{f"delta.constraints.{name}": text for name, text in constraints.items()},
    }
    if constraints:
        properties["delta.minWriterVersion"] = "3"  # the first that knows CHECK
    fields = [_field(column) for column in columns]

    def create(folder: Path) -> None:
        DeltaTable.create(
            folder,
            Schema.from_json(json.dumps({"type": "struct", "fields": fields})),
            mode="overwrite",
            partition_by=list(delta.get("partition") or ()),
            description=description,
            configuration=properties,
            raise_if_key_not_exists=False,
            commit_properties=commit_properties(state),
        )

    cluster = list(delta.get("cluster") or ())
    if cluster or (is_delta_table(path) and only_spark_writes(path)):
        with TemporaryDirectory() as aside:
            create(Path(aside))
            _commit(
                path, clustered(_actions(Path(aside) / "_delta_log" / f"{0:020}.json"), cluster)
            )
    else:
        create(path)
    _write_checksum(path)


def _commit(path: Path, actions: list[dict[str, Any]]) -> None:
    """Write the next commit of a table, which takes the files away that the table has."""
    log = path / "_delta_log"
    log.mkdir(parents=True, exist_ok=True)
    version = 0
    if is_delta_table(path):
        table = DeltaTable(path)
        version = table.version() + 1
        gone = {"deletionTimestamp": int(time.time() * 1000), "dataChange": True}
        files = pa.table(table.get_add_actions())["path"].to_pylist()
        actions = [*actions, *({"remove": {"path": file, **gone}} for file in files)]
    draft = log / f".{version:020}.json.tmp"
    draft.write_text("".join(json.dumps(action) + "\n" for action in actions), "utf-8")
    try:
        os.link(draft, log / f"{version:020}.json")  # fails where another writer was first
    finally:
        draft.unlink()


def _write_checksum(path: Path) -> None:
    """Write the version checksum file of an empty table, which saves Spark from counting."""
    commit = path / "_delta_log" / f"{DeltaTable(path).version():020}.json"
    actions: dict[str, Any] = {}
    for action in _actions(commit):
        actions.update(action)
    checksum = {
        "tableSizeBytes": 0,
        "numFiles": 0,
        "numMetadata": 1,
        "numProtocol": 1,
        "setTransactions": [],
        "domainMetadata": [actions["domainMetadata"]] if "domainMetadata" in actions else [],
        "metadata": actions["metaData"],
        "protocol": actions["protocol"],
        "allFiles": [],
    }
    commit.with_suffix(".crc").write_text(json.dumps(checksum), "utf-8")


def _actions(commit: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in commit.read_text("utf-8").splitlines()]


def write_rows(path: Path, rows: Iterable[Mapping[str, Any]], state: str) -> None:
    """Replace what a small table holds, in one commit.

    Args:
        path: the table's folder.
        rows: texts or nulls by column, read as the column's type.
        state: userMetadata of the commit.
    """
    schema = pa.schema(DeltaTable(path).schema())
    texts = {name: pa.array([row[name] for row in rows], pa.string()) for name in schema.names}
    columns = [texts[field.name].cast(field.type) for field in schema]
    data = pa.Table.from_arrays(columns, schema=schema)
    write_deltalake(path, data, mode="overwrite", commit_properties=commit_properties(state))


def commit_properties(state: str) -> CommitProperties:
    """Return what puts a text into a commit's userMetadata."""
    return CommitProperties(custom_metadata={"userMetadata": state})


def _field(column: Mapping[str, Any]) -> dict[str, Any]:
    promises = {str(_part(promise, "type")) for promise in column["constraints"] or ()}
    return {
        "name": column["name"],
        "type": _delta_type(parse_type(column["data_type"])),
        "nullable": "not_null" not in promises,
        "metadata": {"comment": column["description"]} if column["description"] else {},
    }


def _part(promise: Any, name: str) -> Any:
    return promise[name] if isinstance(promise, Mapping) else getattr(promise, name)


def _delta_type(kind: SparkType) -> Any:
    """Return a type as the Delta log writes it; what is nested may be null."""
    match kind:
        case ArrayOf():
            element = _delta_type(kind.element)
            return {"type": "array", "elementType": element, "containsNull": True}
        case MapOf():
            key, value = _delta_type(kind.key), _delta_type(kind.value)
            return {"type": "map", "keyType": key, "valueType": value, "valueContainsNull": True}
        case StructOf():
            fields = [
                {"name": f.name, "type": _delta_type(f.type), "nullable": True, "metadata": {}}
                for f in kind.fields
            ]
            return {"type": "struct", "fields": fields}
    return _NAMES.get(str(kind), str(kind))
