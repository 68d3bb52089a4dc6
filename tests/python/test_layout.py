"""Each field of a write policy, read back from the log, the footers or the rows that writers left.

Both writers are asked: Spark (`spark_write`) and `deltalake` (`replace_rows`, which takes the rows
of a Spark frame from a folder; here Arrow puts them there).
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from deltalake import DeltaTable

from codelake.evidence.delta_columns import data_files
from codelake.run.create_table import create_table
from codelake.run.maintenance import maintain
from codelake.run.replace_rows import replace_rows
from codelake.run.session import open_session
from codelake.run.spark_write import rows_per_file, spark_write
from codelake.run.write_policy import resolve_policy
from conftest import GRAPH

TYPES = {"id": "bigint", "file_id": "bigint", "name": "string"}
COLUMNS = [
    {"name": name, "data_type": kind, "description": "", "constraints": []}
    for name, kind in TYPES.items()
]
CATALOGUE = {"properties": {"delta.dataSkippingStatsColumns": "file_id"}}
type Write = Callable[..., None]


class Frame:
    """Rows that can be written as Parquet files, as a Spark frame can."""

    def __init__(self, rows: pa.Table) -> None:
        self.rows = rows

    @property
    def write(self) -> Frame:
        """Return what takes the mode."""
        return self

    def mode(self, _: str) -> Frame:
        """Return what writes."""
        return self

    def parquet(self, folder: str) -> None:
        """Write one file."""
        Path(folder).mkdir(parents=True)
        pq.write_table(self.rows, Path(folder) / "part-0.parquet")


def numbered(start: int, end: int) -> pa.Table:
    numbers = range(start, end)
    return pa.table(
        {
            "id": [number * 2654435761 % 2**40 for number in numbers],
            "file_id": [number // 100 for number in numbers],
            "name": [f"name {number % 7}" for number in numbers],
        }
    )


def made(path: Path, **policy: Any) -> Path:
    found = resolve_policy("t", TYPES, CATALOGUE, policy)
    properties = {**CATALOGUE["properties"], **found.properties()}
    create_table(path, COLUMNS, {"properties": properties}, "A table.", "")
    return path


@pytest.fixture
def by_deltalake(tmp_path: Path) -> Write:
    def write(path: Path, rows: pa.Table, predicate: str = "") -> None:
        replace_rows(Frame(rows), path, predicate, "", tmp_path / "changes")

    return write


@pytest.fixture
def by_spark(tmp_path: Path) -> Write:
    session = open_session(tmp_path / "lake", master="local[*]")

    def write(path: Path, rows: pa.Table, predicate: str = "", order: str = "") -> None:
        pq.write_table(rows, tmp_path / "rows.parquet")
        frame = session.read.parquet(str(tmp_path / "rows.parquet")).repartition(2, "id")
        frame = frame.sortWithinPartitions(order) if order else frame
        spark_write(frame, path, predicate, "", append=False)

    return write


def footers(path: Path) -> list[dict[str, dict[str, Any]]]:
    """Return, per file, what its footer says of each column."""
    sql = """
        select path_in_schema, encodings, dictionary_page_offset, bloom_filter_offset
        from parquet_metadata($file)
    """
    return [
        {
            name: {"dictionary": bool(page) or "DICTIONARY" in coded, "bloom": bool(bloom)}
            for name, coded, page, bloom in duckdb.execute(sql, {"file": str(file)}).fetchall()
        }
        for file in data_files(DeltaTable(path))
    ]


def added(path: Path) -> list[dict[str, Any]]:
    return pa.table(DeltaTable(path).get_add_actions(flatten=True)).to_pylist()


def stats(path: Path) -> set[str]:
    """Return the columns of which some file of the last version has a minimum or maximum."""
    return {
        key.partition(".")[2]
        for action in added(path)
        for key, value in action.items()
        if key.startswith(("min.", "max.")) and value is not None
    }


def check_stats(tmp_path: Path, write: Write) -> None:
    for asked, wanted in (
        ({}, {"file_id"}),  # from the catalogue
        ({"stats": ["id", "name"]}, {"id", "name"}),
        ({"stats": []}, set()),
    ):
        path = made(tmp_path / f"stats {len(wanted)}", **asked)
        write(path, numbered(0, 500))
        assert stats(path) == wanted
        write(path, numbered(100, 200), "file_id = 1")
        assert stats(path) == wanted
        assert sum(action["num_records"] for action in added(path)) == 500


def check_footers(tmp_path: Path, write: Write) -> None:
    path = made(tmp_path / "coded", dictionary=["name"], bloom=["id"])
    for rows, predicate in ((numbered(0, 500), ""), (numbered(100, 200), "file_id = 1")):
        write(path, rows, predicate)
        for footer in footers(path):
            assert [name for name in footer if footer[name]["dictionary"]] == ["name"]
            assert [name for name in footer if footer[name]["bloom"]] == ["id"]
    plain = made(tmp_path / "plain")
    write(plain, numbered(0, 500))
    assert all(not column["bloom"] for footer in footers(plain) for column in footer.values())
    assert all(footer["file_id"]["dictionary"] for footer in footers(plain))


def test_deltalake_keeps_statistics_to_those_asked_for(tmp_path: Path, by_deltalake: Write) -> None:
    check_stats(tmp_path, by_deltalake)


def test_deltalake_writes_dictionaries_and_filters_where_asked_for(
    tmp_path: Path, by_deltalake: Write
) -> None:
    check_footers(tmp_path, by_deltalake)


def test_deltalake_ends_files_at_the_wanted_size(tmp_path: Path, by_deltalake: Write) -> None:
    rows = numbered(0, 60_000)
    whole, shaped = made(tmp_path / "whole"), made(tmp_path / "shaped", target_file_bytes=60_000)
    for path in (whole, shaped):
        by_deltalake(path, rows)
    assert len(added(whole)) == 1
    sizes = [action["size_bytes"] for action in added(shaped)]
    assert len(sizes) > 2
    assert max(sizes) < 90_000
    assert sum(action["num_records"] for action in added(shaped)) == 60_000
    before = len(sizes)
    by_deltalake(shaped, numbered(0, 100), "file_id = 0")
    assert max(action["size_bytes"] for action in added(shaped)) < 90_000
    assert len(added(shaped)) >= before


def test_maintenance_goes_by_the_wanted_size_and_the_wanted_order(
    tmp_path: Path, by_deltalake: Write
) -> None:
    path = made(tmp_path / "codelake" / "cpg_nodes", target_file_bytes=60_000, zorder=["id"])
    for start in range(0, 8000, 1000):
        by_deltalake(path, numbered(start, start + 1000), f"file_id >= {start // 100}")
    assert len(added(path)) == 8
    (table,) = maintain(tmp_path, "optimize", apply=True).tables
    assert table.outcome == "done"
    assert 1 < len(added(path)) < 8
    maintain(tmp_path, "zorder", tables=["cpg_nodes"], apply=True)
    for file in data_files(DeltaTable(path)):
        ids = pq.ParquetFile(file).read(["id"])["id"].to_pylist()
        assert ids == sorted(ids)


@pytest.mark.spark
def test_spark_writes_each_field_that_is_asked_for(tmp_path: Path, by_spark: Write) -> None:
    check_stats(tmp_path, by_spark)
    check_footers(tmp_path, by_spark)

    path = made(tmp_path / "shaped", target_file_bytes=60_000)
    assert rows_per_file(path) == 0
    by_spark(path, numbered(0, 60_000))
    most = rows_per_file(path)
    assert 0 < most < 20_000
    by_spark(path, numbered(0, 60_000))
    assert max(action["num_records"] for action in added(path)) == most
    assert max(action["size_bytes"] for action in added(path)) < 120_000
    assert sum(action["num_records"] for action in added(path)) == 60_000


@pytest.mark.spark
def test_files_stay_sorted_when_rows_are_replaced(tmp_path: Path, by_spark: Write) -> None:
    path = made(tmp_path / "sorted", order=["id"])
    by_spark(path, numbered(0, 1000), order="id")
    assert len(added(path)) == 2
    for number in (1, 2):
        rows = numbered(number * 100, number * 100 + 100)
        by_spark(path, rows, f"file_id = {number}", order="id")
        held = [pq.ParquetFile(file).read() for file in data_files(DeltaTable(path))]
        assert all(part["id"].to_pylist() == sorted(part["id"].to_pylist()) for part in held)
        assert len(held) > 2  # what stays of two files is two files
        assert sorted(pa.concat_tables(held)["id"].to_pylist()) == sorted(
            numbered(0, 1000)["id"].to_pylist()
        )


@pytest.mark.spark
def test_a_build_keeps_statistics_by_lineage(first_build: Path) -> None:
    for name in GRAPH:
        path = first_build / "codelake" / name
        listed = DeltaTable(path).metadata().configuration["delta.dataSkippingStatsColumns"]
        assert stats(path) == set(listed.split(","))
