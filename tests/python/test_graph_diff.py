"""Differences of two graphs by id, on tables written by hand; copies of versions; pins."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import msgspec
import pyarrow as pa
import pytest
from click.testing import CliRunner
from deltalake import DeltaTable, write_deltalake

from codelake.cli.main import main
from codelake.compile.program import read_program
from codelake.errors import CodelakeError
from codelake.run import record
from codelake.run.graph_diff import Change, Graph, GraphDiff, diff_graphs
from codelake.run.manifest import RepositoryInput, RunManifest, write_manifest
from codelake.run.project import ROOT
from codelake.run.replay import _require_same_files, copy_version, replay, what_differs
from codelake.run.revisions import is_revision, unpack_revision
from codelake.run.snapshot import pinned_versions

NODES = ("node_id", "node_kind", "qualified_name", "owner_id", "line")
EDGES = ("edge_id", "edge_kind", "src_node_id", "dst_node_id", "label")

MODULE = (1, "MODULE", "m", None, 1)
FUNCTION = (2, "FUNCTION", "m.f", 1, 2)
CALL = (3, "CALL", None, 2, 3)
TARGET = (4, "EXTERNAL", "os.getcwd", None, None)


def write(lake: Path, nodes: list[tuple], edges: list[tuple]) -> None:
    kinds = {"edge_id": pa.int64(), "owner_id": pa.int64(), "line": pa.int32()}
    for name, columns, rows in (("cpg_nodes", NODES, nodes), ("cpg_edges", EDGES, edges)):
        listed = [dict(zip(columns, row, strict=True)) for row in rows]
        schema = pa.schema(
            [(c, kinds.get(c, pa.int64() if c.endswith("_id") else pa.string())) for c in columns]
        )
        data = pa.Table.from_pylist(listed, schema=schema)
        write_deltalake(lake / "codelake" / name, data, mode="overwrite")


def differences(tmp_path: Path, nodes: list[tuple], edges: list[tuple]) -> GraphDiff:
    """Compare the graph of one function with another graph."""
    write(tmp_path, [MODULE, FUNCTION, CALL, TARGET], [(7, "CALLS", 3, 4, "")])
    write(tmp_path, nodes, edges)
    old, new = ({"cpg_nodes": number, "cpg_edges": number} for number in (0, 1))
    return diff_graphs(Graph(tmp_path, old), Graph(tmp_path, new))


def test_equal_graphs_do_not_differ_wherever_things_stand(tmp_path: Path) -> None:
    nodes = [MODULE, (*FUNCTION[:4], 22), (*CALL[:4], 23), TARGET]
    found = differences(tmp_path, nodes, [(7, "CALLS", 3, 4, "")])
    assert (found.counts, found.definitions, found.calls) == ((), (), ())


def test_a_new_call_changes_the_function_that_has_it(tmp_path: Path) -> None:
    nodes = [MODULE, FUNCTION, CALL, TARGET, (5, "CALL", None, 2, 4), (6, "FUNCTION", "m.g", 1, 9)]
    edges = [(7, "CALLS", 3, 4, ""), (8, "CALLS", 5, 6, ""), (9, "REACHES", 3, 5, "x")]
    found = differences(tmp_path, nodes, edges)
    assert [(c.kind, c.appeared, c.vanished, c.changed) for c in found.counts] == [
        ("CALL", 1, 0, 0),
        ("FUNCTION", 1, 0, 0),
        ("CALLS", 1, 0, 0),
        ("REACHES", 1, 0, 0),
    ]
    assert found.definitions == (
        Change("appeared", "FUNCTION", "m.g"),
        Change("changed", "FUNCTION", "m.f"),
        Change("changed", "MODULE", "m"),
    )
    assert found.calls == (Change("appeared", "CALLS", "m.f", "m.g"),)
    assert found.flows == (Change("appeared", "REACHES", "m.f", "m.f", "x"),)


def test_a_call_whose_id_moved_on_is_the_same_call(tmp_path: Path) -> None:
    nodes = [MODULE, FUNCTION, (5, "CALL", None, 2, 3), TARGET]
    found = differences(tmp_path, nodes, [(8, "CALLS", 5, 4, "")])
    assert found.calls == ()
    assert Change("changed", "FUNCTION", "m.f") in found.definitions


def test_what_vanished_is_told_by_its_old_names(tmp_path: Path) -> None:
    found = differences(tmp_path, [MODULE], [])
    assert found.definitions[0] == Change("changed", "MODULE", "m")
    assert Change("vanished", "FUNCTION", "m.f") in found.definitions
    assert found.calls == (Change("vanished", "CALLS", "m.f", "os.getcwd"),)


def run(lake: Path, run_id: str, snapshot: dict[str, int], **more: object) -> RunManifest:
    record.new_run()
    manifest = record._manifest("build", "complete")
    done = msgspec.structs.replace(manifest, run_id=run_id, snapshot=snapshot, **more)
    write_manifest(lake, done)
    return done


def test_runs_are_compared_by_their_versions(tmp_path: Path) -> None:
    write(tmp_path, [MODULE], [])
    write(tmp_path, [MODULE, FUNCTION], [])
    for number in (0, 1):
        run(tmp_path, f"run-{number}", {"cpg_nodes": number, "cpg_edges": number})
    call = ["diff", "run-0", "run-1", "--lake", str(tmp_path)]
    done = CliRunner().invoke(main, [*call, "--format", "json"])
    assert json.loads(done.output)["definitions"][0]["name"] == "m.f"
    assert "appeared  FUNCTION   m.f" in CliRunner().invoke(main, call).output


def test_pins_are_the_tables_that_moved_on(tmp_path: Path) -> None:
    assert pinned_versions(tmp_path) == {}
    write(tmp_path, [MODULE], [])
    run(tmp_path, "run-0", {"cpg_nodes": 0, "cpg_edges": 0})
    assert pinned_versions(tmp_path) == {}
    write_deltalake(
        tmp_path / "codelake" / "cpg_edges",
        DeltaTable(tmp_path / "codelake" / "cpg_edges").to_pyarrow_table(),
        mode="overwrite",
    )
    assert pinned_versions(tmp_path) == {"cpg_edges": 0}
    assert pinned_versions(tmp_path, "run-0") == {"cpg_edges": 0}
    assert pinned_versions(tmp_path, "latest") == {}


def test_a_copy_of_a_version_has_its_rows_and_history(tmp_path: Path) -> None:
    for count in (1, 2, 3):
        data = pa.table({"id": list(range(count)), "repo": ["a"] * count})
        write_deltalake(tmp_path / "t", data, mode="overwrite", partition_by=["repo"])
        if count == 2:
            DeltaTable(tmp_path / "t").create_checkpoint()
    copy_version(tmp_path / "t", tmp_path / "copy", 1)
    copied = DeltaTable(tmp_path / "copy")
    assert (copied.version(), copied.to_pyarrow_table().num_rows) == (1, 2)


def test_a_replay_is_refused_with_what_differs(tmp_path: Path) -> None:
    now = read_program(ROOT)
    same = run(tmp_path, "run-0", {})
    assert what_differs(same, now) == []
    run(tmp_path, "run-1", {}, program_hash="p", environment={**same.environment, "pyspark": "1"})
    with pytest.raises(
        CodelakeError,
        match=r"REPLAY_REFUSED: run-1: the program is another: "
        r"views only; pyspark was 1, is 4",
    ):
        replay(tmp_path, "run-1")
    files = RepositoryInput(repo="app", root="app", files=1, digest="d")
    with pytest.raises(CodelakeError, match=r"REPLAY_REFUSED: .*the files of app are not those"):
        _require_same_files(msgspec.structs.replace(same, repositories=(files,)), same)
    run(tmp_path, "run-2", {}, status="failed")
    with pytest.raises(CodelakeError, match="RUN_INCOMPLETE: run-2 is failed"):
        replay(tmp_path, "run-2")


def test_a_revision_is_unpacked_without_touching_the_work_tree(tmp_path: Path) -> None:
    repo = tmp_path / "app"
    repo.mkdir()
    author = ["-c", "user.name=a", "-c", "user.email=a@b"]
    for arguments in (["init", "-q"], ["add", "."], [*author, "commit", "-qm", "one"]):
        (repo / "m.py").write_text("one = 1\n")
        subprocess.run(["git", "-C", str(repo), *arguments], check=True)
    (repo / "m.py").write_text("two = 2\n")
    unpack_revision(repo, "HEAD", tmp_path / "tree")
    assert (tmp_path / "tree" / "m.py").read_text() == "one = 1\n"
    assert (repo / "m.py").read_text() == "two = 2\n"
    assert is_revision(f"{repo}@HEAD") and not is_revision("20261116T0930@x")
    with pytest.raises(CodelakeError, match="REVISION_UNKNOWN"):
        unpack_revision(repo, "nowhere", tmp_path / "other")
