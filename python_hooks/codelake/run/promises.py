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
    known = nodes["node_id"].combine_chunks()
    return all(
        bool(pc.all(pc.is_in(edges[end], value_set=known), min_count=0).as_py())
        for end in ("src_node_id", "dst_node_id")
    )


def _is_resolved(tables: Path) -> bool:
    found = _columns(tables / "resolution", "resolution_error")
    return found is not None and found["resolution_error"].null_count == found.num_rows


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
}
