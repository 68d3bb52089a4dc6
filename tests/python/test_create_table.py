"""The first commit of a table: what its contract says, as Delta's log writes it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake

from codelake.run.create_table import create_table, write_rows

COLUMNS = [
    {
        "name": "id",
        "data_type": "bigint",
        "description": "What it is.",
        "constraints": [{"type": "not_null"}],
    },
    {"name": "share", "data_type": "double", "description": "", "constraints": []},
    {
        "name": "parts",
        "data_type": "array<struct<no:int,names:array<string>>>",
        "description": "Nested.",
        "constraints": None,
    },
    {"name": "attrs", "data_type": "map<string,string>", "description": "", "constraints": []},
]
POLICY = {
    "constraints": {"is_a_share": "share between 0 and 1"},
    "properties": {"codelake.contract": "c1", "delta.dataSkippingStatsColumns": "id"},
}


def actions(path: Path, version: int = 0) -> dict[str, Any]:
    lines = (path / "_delta_log" / f"{version:020}.json").read_text("utf-8").splitlines()
    return {name: action for line in lines for name, action in json.loads(line).items()}


def test_the_contract_stands_in_the_log(tmp_path: Path) -> None:
    create_table(tmp_path / "t", COLUMNS, POLICY, "A table.", "state")
    found = actions(tmp_path / "t")
    assert found["protocol"] == {"minReaderVersion": 1, "minWriterVersion": 3}
    assert found["metaData"]["description"] == "A table."
    assert found["commitInfo"]["userMetadata"] == "state"
    configuration = found["metaData"]["configuration"]
    assert configuration["delta.constraints.is_a_share"] == "share between 0 and 1"
    assert configuration["codelake.contract"] == "c1"
    schema = json.loads(found["metaData"]["schemaString"])
    by_name = {each["name"]: each for each in schema["fields"]}
    assert by_name["id"] == {
        "name": "id",
        "type": "long",
        "nullable": False,
        "metadata": {"comment": "What it is."},
    }
    assert by_name["share"]["nullable"]
    assert by_name["parts"]["type"]["elementType"]["fields"][0]["type"] == "integer"
    assert by_name["attrs"]["type"]["type"] == "map"
    assert DeltaTable(tmp_path / "t").to_pyarrow_table().num_rows == 0


def test_a_table_without_constraints_asks_for_no_newer_writer(tmp_path: Path) -> None:
    create_table(tmp_path / "t", COLUMNS, {}, "A table.", "")
    assert actions(tmp_path / "t")["protocol"]["minWriterVersion"] == 2


def test_the_checksum_is_that_of_an_empty_table(tmp_path: Path) -> None:
    create_table(tmp_path / "t", COLUMNS, POLICY, "A table.", "")
    checksum = json.loads((tmp_path / "t" / "_delta_log" / f"{0:020}.crc").read_text("utf-8"))
    found = actions(tmp_path / "t")
    assert (checksum["numFiles"], checksum["tableSizeBytes"], checksum["allFiles"]) == (0, 0, [])
    assert checksum["metadata"] == found["metaData"]
    assert checksum["protocol"] == found["protocol"]


def test_another_contract_replaces_the_rows_and_keeps_the_history(tmp_path: Path) -> None:
    path = tmp_path / "t"
    create_table(path, COLUMNS[:2], {}, "Before.", "")
    rows = pa.table({"id": pa.array([1], pa.int64()), "share": pa.array([0.5], pa.float64())})
    schema = pa.schema([pa.field("id", pa.int64(), nullable=False), ("share", pa.float64())])
    write_deltalake(path, rows.cast(schema), mode="append")
    create_table(path, COLUMNS[:1], {}, "After.", "")
    table = DeltaTable(path)
    assert (table.version(), table.to_pyarrow_table().num_rows) == (2, 0)
    assert DeltaTable(path, version=1).to_pyarrow_table().num_rows == 1
    assert (path / "_delta_log" / f"{2:020}.crc").exists()


def test_rows_are_read_as_the_types_of_the_columns(tmp_path: Path) -> None:
    path = tmp_path / "t"
    create_table(path, COLUMNS[:2], {}, "A seed.", "")
    write_rows(path, [{"id": "7", "share": "0.25"}, {"id": "8", "share": None}], "s")
    assert DeltaTable(path).to_pyarrow_table().to_pylist() == [
        {"id": 7, "share": 0.25},
        {"id": 8, "share": None},
    ]
    write_rows(path, [{"id": "9", "share": None}], "s")
    assert DeltaTable(path).to_pyarrow_table().num_rows == 1
    with pytest.raises(pa.ArrowInvalid):
        write_rows(path, [{"id": "x", "share": None}], "s")
