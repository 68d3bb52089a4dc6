"""Care of tables: a dry run by default, a floor for vacuum, rows as they were, a record."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pyarrow as pa
import pytest
from click.testing import CliRunner
from deltalake import DeltaTable, write_deltalake

from codelake.cli.main import main
from codelake.errors import CodelakeError
from codelake.run import record
from codelake.run.maintenance import maintain
from codelake.run.manifest import last_complete, write_manifest
from codelake.run.snapshot import pinned_versions
from codelake.run.table_digest import table_digest


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    """A lake with one table of four files, in four versions."""
    for number in range(4):
        data = pa.table({"node_id": [number, -number - 1], "path": ["a", "b"]})
        write_deltalake(tmp_path / "codelake" / "cpg_nodes", data, mode="append")
    return tmp_path


def nodes(lake: Path) -> DeltaTable:
    return DeltaTable(lake / "codelake" / "cpg_nodes")


@pytest.mark.parametrize("action", ["optimize", "zorder", "checkpoint", "vacuum"])
def test_nothing_happens_unless_asked_for(lake: Path, action: str) -> None:
    before = sorted(path for path in lake.rglob("*"))
    report = maintain(lake, action, columns=["path"] if action == "zorder" else ())
    assert not report.applied
    assert [table.name for table in report.tables] == ["cpg_nodes"]
    assert sorted(path for path in lake.rglob("*")) == before


def test_fewer_files_hold_the_same_rows(lake: Path) -> None:
    before = table_digest(lake / "codelake" / "cpg_nodes")
    (table,) = maintain(lake, "optimize", apply=True).tables
    assert (table.outcome, table.files_before, table.files_after) == ("done", 4, 1)
    assert table_digest(lake / "codelake" / "cpg_nodes") == before
    (again, *_) = maintain(lake, "optimize", tables=["cpg_nodes"], apply=True).tables
    assert again.outcome == "nothing"


def test_a_z_order_goes_by_columns_of_the_table(lake: Path) -> None:
    assert maintain(lake, "zorder").tables[0].outcome == "nothing"
    with pytest.raises(CodelakeError, match="ZORDER_COLUMNS_MISSING: `cpg_nodes` has no nope"):
        maintain(lake, "zorder", columns=["nope"], apply=True)
    (table,) = maintain(lake, "zorder", columns=["node_id"], apply=True).tables
    assert (table.outcome, table.files_after) == ("done", 1)
    assert nodes(lake).history(1)[0]["operation"] == "OPTIMIZE"


def test_a_checkpoint_is_made_once(lake: Path) -> None:
    assert maintain(lake, "checkpoint", apply=True).tables[0].outcome == "done"
    assert list((lake / "codelake" / "cpg_nodes" / "_delta_log").glob("*.checkpoint.parquet"))
    (table,) = maintain(lake, "checkpoint", tables=["cpg_nodes"], apply=True).tables
    assert table.outcome == "nothing"


def test_vacuum_keeps_a_week(lake: Path) -> None:
    with pytest.raises(CodelakeError, match=r"VACUUM_FLOOR: .*\n.*168 hours"):
        maintain(lake, "vacuum", hours=167)
    maintain(lake, "optimize", apply=True)
    assert maintain(lake, "vacuum", tables=["cpg_nodes"], apply=True).tables[0].outcome == "nothing"
    assert DeltaTable(lake / "codelake" / "cpg_nodes", version=3).to_pyarrow_table().num_rows == 8


def complete_run(lake: Path, version: int) -> None:
    record.new_run()
    run = record._manifest("build", "complete")
    write_manifest(lake, msgspec.structs.replace(run, snapshot={"cpg_nodes": version}))


def test_questions_follow_the_new_files(lake: Path) -> None:
    complete_run(lake, 3)
    maintain(lake, "optimize", apply=True)
    last = last_complete(lake)
    assert last and last.snapshot == {"cpg_nodes": 4}
    assert pinned_versions(lake) == {}


def test_the_version_that_questions_read_is_kept(lake: Path) -> None:
    complete_run(lake, 2)
    (table,) = maintain(lake, "vacuum", apply=True).tables
    assert (table.outcome, table.detail[:24]) == ("nothing", "questions read version 2")
    maintain(lake, "optimize", tables=["cpg_nodes"], apply=True)
    assert pinned_versions(lake) == {"cpg_nodes": 2}


def test_what_was_done_is_recorded(lake: Path) -> None:
    call = ["maintain", "optimize", "--lake", str(lake)]
    assert "add --apply" in CliRunner().invoke(main, call).output
    done = CliRunner().invoke(main, [*call, "--apply", "--format", "json"])
    report = json.loads(done.output)
    rows = DeltaTable(lake / "codelake" / "run_maintenance").to_pyarrow_table().to_pylist()
    assert [(row["name"], row["outcome"], row["files_after"]) for row in rows] == [
        ("cpg_nodes", "done", 1)
    ]
    assert rows[0]["maintenance_id"] == report["maintenance_id"]
    done = CliRunner().invoke(main, ["maintain", "vacuum", "--table", "no", "--lake", str(lake)])
    assert done.output.startswith("TABLE_MISSING")
