"""Promises that Python checks: kept ones hold, and broken ones are left to the view."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import write_deltalake

from codelake.run import promises
from codelake.run.promises import promise_holds

NODES = {
    "node_id": [1, 2, 3, 4, 5, 6],
    "node_kind": ["FUNCTION", "CALL", "CALL", "CALL", "ENTRY", "EXIT"],
    "file_id": [10, 10, 10, 11, 10, 10],
    "owner_id": [None, 1, 1, 9, 1, 1],
}
EDGES = {
    "edge_id": [7, 8],
    "edge_kind": ["CALLS", "AST"],
    "label": ["", ""],
    "src_node_id": [2, 1],
    "dst_node_id": [1, 2],
}
_REASON = pa.list_(pa.struct([("call_id", pa.int64()), ("reason", pa.string())]))
ANSWERS = {
    "file_id": [10, 12],
    "resolution_error": pa.array([None, None], pa.string()),
    "unresolved": pa.array([[{"call_id": 3, "reason": "unknown_name"}], []], _REASON),
}
CHECKS = {
    "chk_duplicate_node_ids": ("cpg_nodes", {**NODES, "node_id": [1, 2, 3, 4, 5, 1]}),
    "chk_duplicate_edge_ids": ("cpg_edges", {**EDGES, "edge_id": [7, 7]}),
    "chk_edges_without_nodes": ("cpg_edges", {**EDGES, "dst_node_id": [2, 14]}),
    "chk_unresolved_repositories": (
        "resolution",
        {**ANSWERS, "resolution_error": ["KeyError", None]},
    ),
    "chk_unanswered_calls": ("cpg_edges", {**EDGES, "label": ["implicit", ""]}),
    "chk_functions_without_ends": ("cpg_nodes", {**NODES, "owner_id": [None, 1, 1, 9, 1, 2]}),
}


@pytest.fixture
def tables(tmp_path: Path) -> Path:
    for name, columns in (("cpg_nodes", NODES), ("cpg_edges", EDGES), ("resolution", ANSWERS)):
        write_deltalake(tmp_path / name, pa.table(columns))
    return tmp_path


@pytest.mark.parametrize("check", CHECKS)
def test_kept_and_broken_promises(check: str, tables: Path) -> None:
    assert promise_holds(check, tables)
    table, broken = CHECKS[check]
    write_deltalake(tables / table, pa.table(broken), mode="overwrite")
    assert not promise_holds(check, tables)


@pytest.mark.parametrize("check", CHECKS)
def test_without_rows_a_promise_holds(check: str, tables: Path) -> None:
    for name in ("cpg_nodes", "cpg_edges", "resolution"):
        data = promises.delta_columns(tables / name)
        write_deltalake(tables / name, data.slice(0, 0), mode="overwrite")
    assert promise_holds(check, tables)


@pytest.mark.parametrize("check", CHECKS)
def test_what_is_not_there_or_too_large_is_left_to_spark(
    check: str, tables: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not promise_holds(check, tmp_path / "nowhere")
    assert not promise_holds("chk_something_new", tables)
    monkeypatch.setattr(promises, "MOST_ROWS", 1)
    assert not promise_holds(check, tables)
