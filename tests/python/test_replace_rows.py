"""Replacing the rows of some keys: one commit, other rows and promises kept."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from deltalake import DeltaTable
from deltalake.exceptions import DeltaError

from codelake.run.create_table import create_table
from codelake.run.replace_rows import replace_rows

COLUMNS = [
    {"name": "file_id", "data_type": "bigint", "constraints": []},
    {"name": "name", "data_type": "string", "constraints": [{"type": "not_null"}]},
    {"name": "share", "data_type": "double", "constraints": []},
    {"name": "parts", "data_type": "array<struct<a:int,b:string>>", "constraints": []},
]
ALL = "file_id in (1, 2, 3) or file_id is null"


class Frame:
    """Stands for a DataFrame: writes its rows as Spark does, with columns that may be null."""

    def __init__(self, *rows: tuple[int | None, str | None, float]) -> None:
        kinds = {"share": pa.float64(), "name": pa.string(), "file_id": pa.int64()}
        parts = pa.list_(pa.struct([("a", pa.int32()), ("b", pa.string())]))
        columns = {
            "parts": pa.array([[{"a": 1, "b": row[1]}] for row in rows], parts),
            **{
                name: pa.array([row[place] for row in rows], kinds[name])
                for place, name in enumerate(("file_id", "name", "share"))
            },
        }
        self._table = pa.table(columns)  # the order of its columns is not the table's
        self.write = self

    def mode(self, mode: str) -> Frame:
        assert mode == "overwrite"
        return self

    def parquet(self, folder: str) -> None:
        Path(folder).mkdir(parents=True)
        if self._table.num_rows:
            pq.write_table(self._table, Path(folder) / "part-0.parquet")


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "codelake" / "things"
    columns = [{**column, "description": ""} for column in COLUMNS]
    bloom = {"parquet.bloom.filter.enabled#name": "true"}
    delta = {"constraints": {"is_a_share": "share between 0 and 1"}, "properties": bloom}
    create_table(path, columns, delta, "Things.", "made")
    replace(path, ALL, (1, "a", 0.1), (2, "b", 0.2), (None, "outside", 0.3))
    return path


def replace(path: Path, predicate: str, *rows: Any) -> None:
    changes = path.parents[1] / "changes"
    try:
        replace_rows(Frame(*rows), path, predicate, json.dumps({"run": 1}), changes)
    finally:
        assert not changes.exists()


def held(path: Path) -> set[tuple[int | None, str]]:
    rows = DeltaTable(path).to_pyarrow_table().to_pylist()
    assert all(row["parts"] == [{"a": 1, "b": row["name"]}] for row in rows)
    return {(row["file_id"], row["name"]) for row in rows}


def test_rows_of_other_keys_stay_and_there_is_one_commit(table: Path) -> None:
    before = DeltaTable(table).version()
    replace(table, "file_id in (2) or file_id is null", (2, "new", 0.5), (None, "far", 1.0))
    assert held(table) == {(1, "a"), (2, "new"), (None, "far")}
    assert DeltaTable(table).version() == before + 1
    assert json.loads(DeltaTable(table).history(1)[0]["userMetadata"]) == {"run": 1}


def test_keys_without_new_rows_are_gone(table: Path) -> None:
    replace(table, "file_id in (2) or file_id is null")
    assert held(table) == {(1, "a")}


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ((2, "b", 1.5), "1 rows failed validation"),  # CHECK
        ((2, None, 0.5), "'name' with null values"),
        ((1, "b", 0.5), "1 rows failed validation"),  # a row that the predicate does not name
    ],
)
def test_a_broken_promise_leaves_the_table_as_it_was(table: Path, row: Any, reason: str) -> None:
    before = DeltaTable(table).version()
    with pytest.raises(DeltaError, match=reason):
        replace(table, "file_id in (2)", row)
    assert DeltaTable(table).version() == before
    assert held(table) == {(1, "a"), (2, "b"), (None, "outside")}


def test_files_are_written_as_the_policy_says(table: Path) -> None:
    replace(table, ALL, (1, "a", 0.1))
    (file,) = DeltaTable(table).file_uris()
    sql = "select path_in_schema, compression, bloom_filter_offset from parquet_metadata($file)"
    found = duckdb.execute(sql, {"file": file}).fetchall()
    assert {compression for _, compression, _ in found} == {"ZSTD"}
    assert [name for name, _, offset in found if offset] == ["name"]
