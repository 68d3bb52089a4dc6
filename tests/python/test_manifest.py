"""Manifests: from the marker at the start to the record at the end, and who holds the lake."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pyarrow as pa
import pytest
from click.testing import CliRunner
from deltalake import DeltaTable, write_deltalake

from codelake.cli.main import main
from codelake.errors import CodelakeError
from codelake.run import lake_lock, record
from codelake.run import table_digest as table_digest_module
from codelake.run.environment import differences, environment
from codelake.run.manifest import (
    last_complete,
    list_runs,
    read_run,
    runs_folder,
    write_manifest,
)
from codelake.run.table_digest import table_digest
from codelake.run.write_plan import WritePlan
from conftest import ROOT


def result(name: str, status: str = "success") -> SimpleNamespace:
    node = SimpleNamespace(name=name)
    return SimpleNamespace(node=node, status=status, execution_time=0.5, message="why")


def ran(lake: Path, name: str, rows: int, *others: SimpleNamespace, **options: bool) -> str:
    """Record a run that wrote one table; return its id."""
    record.new_run()
    record.begin_run(lake, "build")
    path = lake / "codelake" / name
    write_deltalake(path, pa.table({"id": list(range(rows))}), mode="overwrite")
    record.note_plan(name, path, WritePlan(create=False, action="overwrite", reason="new"))
    record.record_run(lake, "build", [result(name), *others], **options)
    return record.current_run().run_id


def call(*arguments: str | Path) -> Any:
    done = CliRunner().invoke(main, [str(argument) for argument in arguments])
    assert done.exit_code == 0, done.output
    return done.output


def start_and_die(lake: Path, how: str = "os.kill(os.getpid(), 9)", code: int = -9) -> None:
    """Begin a run in a process that ends before the run does."""
    text = (
        "import os; from pathlib import Path; from codelake.run.record import begin_run;"
        f"begin_run(Path({str(lake)!r}), 'build'); {how}"
    )
    assert subprocess.run([sys.executable, "-c", text], cwd=ROOT).returncode == code


def test_a_run_tells_what_it_wrote(tmp_path: Path) -> None:
    run_id = ran(tmp_path, "cpg_nodes", 3)
    found = read_run(tmp_path, run_id)
    assert found.status == "complete"
    assert found.environment == environment()
    (output,) = found.outputs
    assert (output.name, output.version, output.rows, output.files) == ("cpg_nodes", 0, 3, 1)
    assert output.bytes
    assert output.digest == table_digest(tmp_path / "codelake" / "cpg_nodes").digest
    assert found.snapshot == {"cpg_nodes": 0}
    row = DeltaTable(tmp_path / "codelake" / "run_manifest").to_pyarrow_table().to_pylist()[0]
    assert (row["run_id"], row["outputs"][0]["rows"]) == (run_id, 3)
    events = DeltaTable(tmp_path / "codelake" / "run_events").to_pyarrow_table().to_pylist()
    seen = [(e["event"], e["subject"], e["outcome"]) for e in events]
    assert seen == [
        ("plan", "cpg_nodes", "overwrite"),
        ("bootstrap", "run_manifest", "started"),
        ("bootstrap", "run_manifest", "completed"),
    ]


def test_a_killed_run_is_seen_and_the_next_one_records_it(tmp_path: Path) -> None:
    first = ran(tmp_path, "cpg_nodes", 3)
    start_and_die(tmp_path)
    killed, before = list_runs(tmp_path)
    assert (killed.status, before.status) == ("killed", "complete")
    assert last_complete(tmp_path) == read_run(tmp_path, first)
    ran(tmp_path, "cpg_nodes", 4)
    ran(tmp_path, "cpg_nodes", 5)
    assert [run.status for run in list_runs(tmp_path)] == ["complete"] * 2 + ["killed", "complete"]
    rows = DeltaTable(tmp_path / "codelake" / "run_manifest").to_pyarrow_table().to_pylist()
    assert sorted(row["status"] for row in rows) == ["complete"] * 3 + ["killed"]


def test_a_run_that_stops_before_its_end_has_failed(tmp_path: Path) -> None:
    start_and_die(tmp_path, "raise SystemExit(1)", 1)
    (run,) = list_runs(tmp_path)
    assert run.status == "failed" and run.completed_at
    assert lake_lock.holder(tmp_path) is None


def test_a_failed_run_leaves_the_snapshot_as_it_was(tmp_path: Path) -> None:
    ran(tmp_path, "cpg_nodes", 3)
    ran(tmp_path, "cpg_edges", 3)
    ran(tmp_path, "cpg_nodes", 4, result("chk_edges_without_nodes", "fail"))
    last = last_complete(tmp_path)
    assert last and last.snapshot == {"cpg_nodes": 0, "cpg_edges": 0}
    failed = list_runs(tmp_path)[0]
    assert failed.status == "failed"
    assert failed.outputs[1].reason == "why"


def forget_digest(lake: Path, run_id: str) -> None:
    """Leave a manifest as older versions of codelake wrote it."""
    found = read_run(lake, run_id)
    outputs = tuple(msgspec.structs.replace(each, digest=None) for each in found.outputs)
    write_manifest(lake, msgspec.structs.replace(found, outputs=outputs))


def test_a_digest_costs_the_files_that_a_run_wrote(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran(tmp_path, "cpg_nodes", 3)
    seen: list[Path] = []
    honest = table_digest_module._file_sums

    def read(path: Path, partition: dict[str, Any]) -> tuple[int, int, int]:
        seen.append(path)
        return honest(path, partition)

    monkeypatch.setattr(table_digest_module, "_file_sums", read)
    nodes = tmp_path / "codelake" / "cpg_nodes"
    record.new_run()
    record.begin_run(tmp_path, "build")
    write_deltalake(nodes, pa.table({"id": [7]}), mode="append")
    record.note_plan("cpg_nodes", nodes, WritePlan(create=False, action="replace", reason="new"))
    record.record_run(tmp_path, "build", [result("cpg_nodes")])
    assert len(seen) == 1
    last = last_complete(tmp_path)
    assert last and last.outputs[0].digest == table_digest(nodes).digest
    kept = tmp_path / "_codelake" / "digests.json"
    kept.write_text('{"recipe": 0}')  # of another codelake
    assert read_run(tmp_path, ran(tmp_path, "cpg_edges", 2)).outputs[0].digest
    assert sorted(json.loads(kept.read_text())["tables"]) == ["cpg_edges"]


def test_digests_can_be_left_out(tmp_path: Path) -> None:
    found = read_run(tmp_path, ran(tmp_path, "cpg_nodes", 3, digests=False))
    assert (found.status, found.outputs[0].digest) == ("complete", None)
    assert not (tmp_path / "_codelake" / "digests.json").exists()


def test_a_digest_that_fails_leaves_the_run_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OSError("no such file")

    monkeypatch.setattr(table_digest_module, "_file_sums", fail)
    found = read_run(tmp_path, ran(tmp_path, "cpg_nodes", 3))
    assert (found.status, found.outputs[0].digest) == ("complete", None)
    events = DeltaTable(tmp_path / "codelake" / "run_events").to_pyarrow_table().to_pylist()
    assert ("digest", "failed", "no such file") in {
        (event["event"], event["outcome"], event["detail"]) for event in events
    }


def test_commands_list_show_and_digest_runs(tmp_path: Path) -> None:
    one, two = ran(tmp_path, "cpg_nodes", 3), ran(tmp_path, "cpg_nodes", 3)
    listed = json.loads(call("runs", "--lake", tmp_path, "--format", "json"))
    assert [row["run_id"] for row in listed] == [two, one]
    assert listed[0]["written"] == 1
    shown = json.loads(call("run", "last", "--lake", tmp_path, "--format", "json"))
    assert shown["run_id"] == two
    assert "cpg_nodes" in call("run", one, "--lake", tmp_path)
    for run in (one, two):
        forget_digest(tmp_path, run)
        call("digest", run, "--lake", tmp_path)
    digests = {read_run(tmp_path, run).outputs[0].digest for run in (one, two)}
    assert len(digests) == 1 and None not in digests
    file = next((tmp_path / "codelake" / "cpg_nodes").glob("*.parquet"))
    three = ran(tmp_path, "cpg_nodes", 5)
    file.unlink()
    done = CliRunner().invoke(main, ["digest", one, "--lake", str(tmp_path)])
    assert done.exit_code == 0  # it is known
    newest = max((tmp_path / "codelake" / "cpg_nodes").glob("*.parquet"), key=os.path.getmtime)
    newest.unlink()
    forget_digest(tmp_path, three)
    done = CliRunner().invoke(main, ["digest", "--lake", str(tmp_path)])
    assert done.output.startswith("VERSION_GONE")


def test_a_run_that_is_not_there_gets_suggestions(tmp_path: Path) -> None:
    run_id = ran(tmp_path, "cpg_nodes", 1)
    assert read_run(tmp_path, run_id[:-2]).run_id == run_id
    with pytest.raises(CodelakeError, match=f"RUN_UNKNOWN.*\n.*{run_id}"):
        read_run(tmp_path, run_id[:-1] + "x")
    with pytest.raises(CodelakeError, match=r"RUN_UNKNOWN.*\n.*codelake runs"):
        read_run(tmp_path / "none", "last")


def test_a_manifest_of_another_shape_is_refused(tmp_path: Path) -> None:
    run_id = ran(tmp_path, "cpg_nodes", 1)
    path = runs_folder(tmp_path) / f"{run_id}.json"
    path.write_text(path.read_text().replace('"files_read"', '"files_seen"'))
    with pytest.raises(CodelakeError, match=r"MANIFEST_INVALID.*files_seen"):
        list_runs(tmp_path)


def test_one_build_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (
        "import sys; from pathlib import Path; from codelake.run.lake_lock import acquire;"
        f"acquire(Path({str(tmp_path)!r}), 'other-run'); print('held', flush=True);"
        "sys.stdin.read()"
    )
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", text], cwd=ROOT, **pipes) as other:
        assert other.stdout and other.stdout.readline() == b"held\n"
        assert lake_lock.holder(tmp_path) == "other-run"
        with pytest.raises(CodelakeError, match="LAKE_BUSY: other-run is writing"):
            lake_lock.acquire(tmp_path, "mine")
        monkeypatch.setenv(lake_lock.WAIT_VARIABLE, "20")
        other.kill()
        began = time.monotonic()
        lake_lock.acquire(tmp_path, "mine")
        assert time.monotonic() - began < 10
    assert lake_lock.holder(tmp_path) == "mine"
    lake_lock.acquire(tmp_path, "mine again")
    lake_lock.release(tmp_path)
    assert lake_lock.holder(tmp_path) is None


def test_differences_of_environments_are_sentences() -> None:
    before = {"pyspark": "4.1.0", "python": "3.13", "spark.sql.shuffle.partitions": "2"}
    now = {"pyspark": "4.2.0", "python": "3.13", "spark.sql.shuffle.partitions": "8", "x": "1"}
    assert differences(before, now) == ["pyspark was 4.1.0, is 4.2.0", "x was not set, is 1"]
