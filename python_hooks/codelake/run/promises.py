"""Promises of the graph that Python sees faster than Spark, on tables that fit into memory.

    promise_holds("chk_duplicate_node_ids", lake / "codelake")  -> True: no need to ask Spark

A check is a view whose rows are broken promises. For a million edges the three that look at ids
take two seconds here, and up to eighteen as statements in a cold JVM. False means: not known to
hold, so ask the view, which also tells what is wrong.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
from deltalake import DeltaTable

from codelake.evidence.delta_columns import delta_columns

MOST_ROWS = 20_000_000
"""Larger tables are left to Spark: an id takes 8 bytes, and three columns are looked at."""


def promise_holds(check: str, tables: Path) -> bool:
    """Tell whether a check is known to have no rows.

    Args:
        check: its name.
        tables: the folder of the lake's tables.
    """
    seen = _CHECKS.get(check)
    return seen is not None and seen(tables)


def _is_unique(table: str, key: str) -> Callable[[Path], bool]:
    def holds(tables: Path) -> bool:
        found = _columns(tables / table, key)
        return found is not None and pc.count_distinct(found[key]).as_py() == found.num_rows

    return holds


def _has_ends(tables: Path) -> bool:
    nodes = _columns(tables / "cpg_nodes", "node_id")
    edges = _columns(tables / "cpg_edges", "src_node_id", "dst_node_id")
    if nodes is None or edges is None:
        return False
    return all(_are_in(edges[end], nodes["node_id"]) for end in ("src_node_id", "dst_node_id"))


def _is_resolved(tables: Path) -> bool:
    found = _columns(tables / "resolution", "resolution_error")
    return found is not None and found["resolution_error"].null_count == found.num_rows


def _is_answered(tables: Path) -> bool:
    nodes = _columns(tables / "cpg_nodes", "node_id", "node_kind", "file_id")
    edges = _columns(tables / "cpg_edges", "src_node_id", "edge_kind", "label")
    answers = _columns(tables / "resolution", "file_id", "resolution_error", "unresolved")
    if nodes is None or edges is None or answers is None:
        return False
    resolved = answers.filter(pc.is_null(answers["resolution_error"]))["file_id"]
    calls = nodes.filter(pc.equal(nodes["node_kind"], "CALL"))
    calls = calls.filter(pc.is_in(calls["file_id"], value_set=resolved.combine_chunks()))
    explicit = pc.and_(pc.equal(edges["edge_kind"], "CALLS"), pc.equal(edges["label"], ""))
    reasons = pc.list_flatten(answers["unresolved"]).combine_chunks()
    known = pa.chunked_array(
        [
            edges.filter(explicit)["src_node_id"].combine_chunks(),
            pc.struct_field(reasons, "call_id"),
        ]
    )
    return _are_in(calls["node_id"], known)


def _has_flow_ends(tables: Path) -> bool:
    nodes = _columns(tables / "cpg_nodes", "node_id", "node_kind", "file_id", "owner_id")
    if nodes is None:
        return False
    of_kind = {
        kind: nodes.filter(pc.equal(nodes["node_kind"], kind))
        for kind in ("FUNCTION", "ENTRY", "EXIT")
    }
    functions = of_kind["FUNCTION"]
    flowing = pc.is_in(functions["file_id"], value_set=of_kind["ENTRY"]["file_id"].combine_chunks())
    functions = functions.filter(flowing)["node_id"]
    return all(
        _are_in(functions, owners) and pc.count_distinct(owners).as_py() == len(owners)
        for owners in (of_kind["ENTRY"]["owner_id"], of_kind["EXIT"]["owner_id"])
    )


def _are_in(values: pa.ChunkedArray, known: pa.ChunkedArray) -> bool:
    found = pc.is_in(values, value_set=known.combine_chunks())
    return bool(pc.all(found, min_count=0).as_py())


def _columns(path: Path, *names: str) -> pa.Table | None:
    """Return columns of a table; None when it is not there or too large."""
    if not DeltaTable.is_deltatable(str(path)):
        return None
    actions = pa.table(DeltaTable(path).get_add_actions(flatten=True))
    counts = actions["num_records"] if "num_records" in actions.column_names else None
    if counts is not None and (pc.sum(counts).as_py() or 0) > MOST_ROWS:
        return None
    return delta_columns(path, names)


_CHECKS: dict[str, Callable[[Path], bool]] = {
    "chk_duplicate_node_ids": _is_unique("cpg_nodes", "node_id"),
    "chk_duplicate_edge_ids": _is_unique("cpg_edges", "edge_id"),
    "chk_edges_without_nodes": _has_ends,
    "chk_unresolved_repositories": _is_resolved,
    "chk_unanswered_calls": _is_answered,
    "chk_functions_without_ends": _has_flow_ends,
}
