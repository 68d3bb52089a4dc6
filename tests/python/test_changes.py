"""The changes of a table by consumer: what they come to, how far each has read, what stops one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from deltalake import DeltaTable, write_deltalake

from codelake.cli.main import main
from codelake.compile.program import read_program
from codelake.errors import CodelakeError
from codelake.run import record
from codelake.run.change_cursors import move_cursor, read_cursors
from codelake.run.changes import read_changes
from codelake.run.create_table import create_table
from codelake.run.manifest import write_manifest
from codelake.run.project import ROOT
from codelake.run.replace_rows import replace_rows
from conftest import KEYS, built

FEED = {"delta.enableChangeDataFeed": "true"}
type Node = tuple[int, int, str]  # node_id, file_id, name


class Frame:
    """Stands for a DataFrame of nodes: writes its rows as Spark does."""

    def __init__(self, data: pa.Table) -> None:
        self._data = data
        self.write = self

    def mode(self, _: str) -> Frame:
        return self

    def parquet(self, folder: str) -> None:
        Path(folder).mkdir(parents=True)
        pq.write_table(self._data, Path(folder) / "part-0.parquet")


def path_of(lake: Path) -> Path:
    return lake / "codelake" / "cpg_nodes"


def create(lake: Path, properties: dict[str, str]) -> None:
    dataset = read_program(ROOT).dataset("cpg_nodes")
    assert dataset
    columns = [
        {"name": c.name, "data_type": c.type, "description": "", "constraints": []}
        for c in dataset.columns
    ]
    create_table(path_of(lake), columns, {"properties": properties}, "", "")


def data(lake: Path, *nodes: Node) -> pa.Table:
    schema = pa.schema(DeltaTable(path_of(lake)).schema())
    listed = [
        {"node_id": i, "file_id": file, "name": name, "attrs": [("b", "2"), ("a", name)]}
        for i, file, name in nodes
    ]
    return pa.Table.from_pylist(listed, schema=schema)


def finish(lake: Path) -> None:
    """Let the present version be that of a complete run."""
    record.new_run()
    version = DeltaTable(path_of(lake)).version()
    manifest = record._manifest("build", "complete")
    write_manifest(lake, msgspec.structs.replace(manifest, snapshot={"cpg_nodes": version}))


def replace(lake: Path, file: int, *nodes: Node) -> None:
    frame = Frame(data(lake, *nodes))
    replace_rows(frame, path_of(lake), f"file_id in ({file})", "{}", lake / "changes")
    finish(lake)


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    create(tmp_path, FEED)
    nodes = data(tmp_path, (1, 7, "a"), (2, 7, "b"), (4, 8, "d"))
    write_deltalake(path_of(tmp_path), nodes, mode="append")
    finish(tmp_path)
    return tmp_path


def told(lake: Path, consumer: str = "me", **options: bool) -> list[tuple[str, int, str]]:
    """Read as the command does, and take it as read."""
    found = read_changes(lake, "cpg_nodes", consumer, **options)
    move_cursor(lake, found.cursor, found.previous)
    listed = found.rows.to_pylist()
    return [(row["change_type"], row["node_id"], row["name"]) for row in listed]


def call(lake: Path, *arguments: str) -> Any:
    return CliRunner().invoke(main, ["changes", *arguments, "--lake", str(lake)])


def test_a_consumer_gets_all_then_what_became_of_each_key(lake: Path) -> None:
    assert told(lake) == [("insert", 1, "a"), ("insert", 2, "b"), ("insert", 4, "d")]
    assert told(lake) == []
    replace(lake, 7, (1, 7, "a"), (2, 7, "new"), (3, 7, "c"))  # 1 goes and comes back alike
    replace(lake, 8)
    assert told(lake) == [("update", 2, "new"), ("insert", 3, "c"), ("delete", 4, "d")]
    assert told(lake, "other") == [("insert", 1, "a"), ("insert", 2, "new"), ("insert", 3, "c")]


def test_only_the_first_and_the_last_word_on_a_key_count(lake: Path) -> None:
    told(lake)
    replace(lake, 7, (2, 7, "once"), (3, 7, "short"))
    replace(lake, 7, (1, 7, "a"), (2, 7, "twice"))
    assert told(lake) == [("update", 2, "twice")]


def test_an_overwrite_of_equal_rows_and_care_of_files_change_nothing(lake: Path) -> None:
    told(lake)
    same = DeltaTable(path_of(lake)).to_pyarrow_table()
    write_deltalake(path_of(lake), same.take([2, 0, 1]), mode="overwrite")
    write_deltalake(path_of(lake), data(lake, (5, 9, "e")), mode="append")
    DeltaTable(path_of(lake)).optimize.compact()
    finish(lake)
    assert told(lake) == [("insert", 5, "e")]


def test_what_no_complete_run_wrote_is_not_seen(lake: Path) -> None:
    told(lake)
    write_deltalake(path_of(lake), data(lake, (5, 9, "e")), mode="append")
    assert told(lake) == []
    finish(lake)
    assert told(lake) == [("insert", 5, "e")]


def _made_anew(lake: Path) -> None:
    create(lake, {**FEED, "codelake.contract": "another"})


def _column_dropped(lake: Path) -> None:
    less = DeltaTable(path_of(lake)).to_pyarrow_table().drop_columns(["attrs"])
    write_deltalake(path_of(lake), less, mode="overwrite", schema_mode="overwrite")


def _off_for_a_while(lake: Path) -> None:
    for value in ("false", "true"):
        DeltaTable(path_of(lake)).alter.set_table_properties({"delta.enableChangeDataFeed": value})


def _log_cleaned(lake: Path) -> None:
    replace(lake, 7)
    replace(lake, 8)
    table = DeltaTable(path_of(lake))
    table.create_checkpoint()
    for version in range(table.version()):
        (path_of(lake) / "_delta_log" / f"{version:020}.json").unlink()


def _vacuumed(lake: Path) -> None:
    replace(lake, 7)
    table = DeltaTable(path_of(lake))
    table.vacuum(0, dry_run=False, enforce_retention_duration=False, full=True)


def _older_version(lake: Path) -> None:
    record.new_run()
    manifest = record._manifest("build", "complete")
    write_manifest(lake, msgspec.structs.replace(manifest, snapshot={"cpg_nodes": 0}))


@pytest.mark.parametrize(
    ("harm", "reason"),
    [
        (_made_anew, "the table was made anew"),
        (_column_dropped, "the table has other columns"),
        (_off_for_a_while, "the feed was off from version 2"),
        (_log_cleaned, "the log of version 2 was removed"),
        (_vacuumed, "1 files with changes of version 2 were removed"),
        (_older_version, "questions read version 0 by now"),
    ],
    ids=lambda value: getattr(value, "__name__", "")[1:],
)
def test_a_gap_stops_a_consumer_until_it_starts_over(lake: Path, harm: Any, reason: str) -> None:
    told(lake)
    harm(lake)
    if harm is not _older_version:
        finish(lake)
    with pytest.raises(
        CodelakeError, match=rf"FEED_GAP: `me` .* version 1, and {reason}.*\n.*--res"
    ):
        told(lake)
    (shown,) = json.loads(call(lake, "--list", "--format", "json").output)
    assert reason in shown["gap"] and shown["behind"] is None
    whole = DeltaTable(path_of(lake), version=shown["newest"]).to_pyarrow_table()
    held = sorted(zip(whole["node_id"].to_pylist(), whole["name"].to_pylist(), strict=True))
    assert told(lake, restart=True) == [("insert", *each) for each in held]
    assert told(lake) == []


def test_a_table_without_the_feed_says_how_to_get_it(tmp_path: Path) -> None:
    done = call(tmp_path, "cpg_nodes", "--consumer", "me")
    assert done.output.startswith("TABLE_MISSING: no complete run")
    create(tmp_path, {})
    finish(tmp_path)
    done = call(tmp_path, "cpg_nodes", "--consumer", "me")
    assert done.exit_code == 1
    assert (
        "FEED_OFF" in done.output and "{cpg_nodes: {features: [change_data_feed]}}" in done.output
    )
    assert call(tmp_path, "nothing", "--consumer", "me").output.startswith("TABLE_MISSING")
    assert call(tmp_path, "cpg_nodes").exit_code == 2


def test_the_command_moves_the_cursor_only_past_what_it_printed(lake: Path) -> None:
    asked = ("cpg_nodes", "--consumer", "me", "--format", "json")
    assert len(json.loads(call(lake, *asked, "--peek").stdout)) == 3
    cut = call(lake, *asked, "--limit", "2")
    assert len(json.loads(cut.stdout)) == 2
    assert "1 not shown and nothing consumed" in cut.stderr
    assert read_cursors(lake) == {}
    printed = json.loads(call(lake, *asked).stdout)
    assert printed[0]["attrs"] == {"b": "2", "a": "a"}
    assert json.loads(call(lake, *asked).stdout) == []
    replace(lake, 8)
    (shown,) = json.loads(call(lake, "--list", "--format", "json").stdout)
    assert (shown["version"], shown["newest"], shown["behind"], shown["gap"]) == (1, 2, 1, "")


def test_two_readers_of_one_consumer_do_not_both_move_on(lake: Path) -> None:
    one, two = (read_changes(lake, "cpg_nodes", "me") for _ in range(2))
    move_cursor(lake, one.cursor, one.previous)
    with pytest.raises(CodelakeError, match="CURSOR_MOVED"):
        move_cursor(lake, two.cursor, two.previous)
    kept = DeltaTable(lake / "codelake" / "run_cursors").to_pyarrow_table().to_pylist()
    assert [(row["number"], row["version"], row["changes"]) for row in kept] == [(1, 1, 3)]


@pytest.mark.spark
def test_builds_give_the_difference_of_their_versions_by_key(
    command: Any, shop: Path, lake_of_builds: Path
) -> None:
    lake, tables = lake_of_builds, ("evidence", "cpg_nodes", "cpg_edges")
    policy = {table: {"features": ["change_data_feed"]} for table in tables}
    asked = json.dumps({"repos": [f"shop={shop}"], "write_policy": policy})
    done = command("dbt", "build", "--vars", asked, lake=lake)
    assert done.returncode == 0, done.stdout + done.stderr
    before = {table: by_key(lake, table) for table in tables}
    for table in tables:
        assert consumed(lake, table) == {key: ("insert", row) for key, row in before[table].items()}

    cart = shop / "shop" / "cart.py"
    text = cart.read_text()
    more = "\n\ndef total_of(cart):\n    return cart.total()\n"
    for edited, action, kinds in (
        (text + more, "replace", {"insert", "update"}),
        (text, "overwrite", {"delete", "update"}),
    ):
        cart.write_text(edited)
        result = built([f"shop={shop}"], lake, full_refresh=action == "overwrite")
        assert {result.tables[table].action for table in tables} == {action}
        seen = set()
        for table in tables:
            after, told = by_key(lake, table), consumed(lake, table)
            assert told == difference(before[table], after), table
            assert len(told) < len(after)
            seen |= {kind for kind, _ in told.values()}
            before[table] = after
        assert seen >= kinds


@pytest.fixture
def lake_of_builds(tmp_path: Path) -> Path:
    return tmp_path / "built"


def by_key(lake: Path, table: str) -> dict[int, dict[str, Any]]:
    held = DeltaTable(lake / "codelake" / table).to_pyarrow_table()
    return {row[KEYS[table]]: row for row in held.to_pylist(maps_as_pydicts="strict")}


def consumed(lake: Path, table: str) -> dict[int, tuple[str, dict[str, Any]]]:
    found = read_changes(lake, table, "me")
    move_cursor(lake, found.cursor, found.previous)
    listed = found.rows.to_pylist(maps_as_pydicts="strict")
    assert len({row[KEYS[table]] for row in listed}) == len(listed)
    return {row[KEYS[table]]: (row.pop("change_type"), row) for row in listed}


def difference(before: dict[int, Any], after: dict[int, Any]) -> dict[int, tuple[str, Any]]:
    """Return what a dictionary of rows must be told to become another."""
    gone = {key: ("delete", row) for key, row in before.items() if key not in after}
    kinds = {key: "update" if key in before else "insert" for key in after}
    told = {key: (kinds[key], row) for key, row in after.items() if before.get(key) != row}
    return gone | told
