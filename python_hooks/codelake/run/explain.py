"""What a lake knows of one node or edge: every piece of evidence behind it, without Spark.

    explain(-4611686018427387904, lake)
    node  kind         FUNCTION
    node  place        shop/cart.py:24:4
    ...
    edge  CALLS in     2, method direct, confidence 0.995

Each row is (about, what, value).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from deltalake import DeltaTable

from codelake.errors import CodelakeError
from codelake.evidence.delta_columns import data_files, delta_columns
from codelake.run.project import SCHEMA

COLUMNS = ["about", "what", "value"]
_LONGEST = 200  # bytes of code

type _Row = tuple[str, str, str]


def explain(number: int, lake: Path) -> tuple[list[str], list[_Row]]:
    """Return what is known of a node or edge.

    Args:
        number: its id.
        lake: the lake's folder.

    Raises:
        CodelakeError: LAKE_MISSING or ID_UNKNOWN.
    """
    tables = lake / SCHEMA
    if not DeltaTable.is_deltatable(str(tables / "cpg_nodes")):
        raise CodelakeError(
            "LAKE_MISSING", f"there is no lake at `{lake}`.", "run `codelake build REPO` first"
        )
    node = _one(tables / "cpg_nodes", "node_id", number)
    if node is not None:
        return COLUMNS, [*_node(tables, node), *_edges_of(tables, number)]
    edge = _one(tables / "cpg_edges", "edge_id", number)
    if edge is None:
        raise CodelakeError(
            "ID_UNKNOWN",
            f"no node or edge of `{lake}` has the id {number}.",
            "take one from cpg_nodes.node_id or cpg_edges.edge_id",
        )
    return COLUMNS, list(_edge(tables, edge))


def _one(path: Path, key: str, number: int) -> dict[str, Any] | None:
    """Return the row of an id; the other columns are read only where it stands."""
    for file in data_files(DeltaTable(path)):
        keys = pq.read_table(file, columns=[key])[key]
        place = pc.index(keys, pa.scalar(number, pa.int64())).as_py()
        if place >= 0:
            found: dict[str, Any] = pq.read_table(file).slice(place, 1).to_pylist()[0]
            return found
    return None


def _node(tables: Path, node: dict[str, Any]) -> Iterator[_Row]:
    yield "node", "kind", node["node_kind"]
    for name in ("syntax", "name", "qualified_name"):
        if node[name]:
            yield "node", name, node[name]
    yield "node", "repo", node["repo"]
    if node["line"] is not None:
        yield "node", "place", f"{node['path']}:{node['line']}:{node['col'] or 0}"
    elif node["path"]:
        yield "node", "place", node["path"]
    yield "node", "origin", node["origin"]
    for name, value in node["attrs"] or ():
        yield "node", name, str(value)
    if node["file_id"] is None:
        return
    file = _one(tables / "evidence", "file_id", node["file_id"])
    if file is None:
        return
    if node["bstart"] is not None:
        code = (file["content"] or b"")[node["bstart"] : node["bend"]][:_LONGEST]
        yield "node", "code", " ".join(code.decode("utf-8", "replace").split())
    yield "file", "sha256", file["file_sha256"]
    yield "file", "parser", str(file["parser"])
    yield "file", "extractors", file["extractor_digest"]
    for error in file["errors"]:
        yield "file", f"error of {error['extractor']}", error["message"]
    for reason in _unresolved(tables, node):
        yield "node", "no target is known", reason


def _unresolved(tables: Path, node: dict[str, Any]) -> Iterator[str]:
    if node["node_kind"] == "CALL":
        row = _one(tables / "resolution", "file_id", node["file_id"])
        for entry in row["unresolved"] if row else ():
            if entry["call_id"] == node["node_id"]:
                yield entry["reason"]


def _edges_of(tables: Path, number: int) -> Iterator[_Row]:
    """Yield how many edges of each kind and method begin and end at a node."""
    wanted = ["src_node_id", "dst_node_id", "edge_kind", "method", "origin", "confidence"]
    edges = delta_columns(tables / "cpg_edges", wanted)
    for end, way in (("src_node_id", "out"), ("dst_node_id", "in")):
        found = edges.filter(pc.equal(edges[end], number)).to_pylist()
        counts = Counter(
            (row["edge_kind"], row["origin"], row["method"], row["confidence"]) for row in found
        )
        for (kind, origin, method, confidence), count in sorted(counts.items()):
            yield (
                "edge",
                f"{kind} {way}",
                f"{count}, seen by {origin}, method {method}, confidence {confidence:.3f}",
            )


def _edge(tables: Path, edge: dict[str, Any]) -> Iterator[_Row]:
    yield "edge", "kind", edge["edge_kind"]
    for end, name in (("src_node_id", "from"), ("dst_node_id", "to")):
        node = _one(tables / "cpg_nodes", "node_id", edge[end])
        yield "edge", name, "no node" if node is None else _place(node)
    if edge["label"]:
        yield "edge", "label", edge["label"]
    yield "edge", "origin", edge["origin"]
    yield "edge", "method", edge["method"]
    yield "edge", "confidence", f"{edge['confidence']:.3f}"
    methods = delta_columns(tables / "edge_methods").to_pylist()
    for row in methods:
        if row["method"] == edge["method"]:
            yield (
                "method",
                "measured",
                f"{row['right_count']} of {row['sample_size']} right, on {row['measured_on']}",
            )
            yield (
                "method",
                "interval",
                f"{row['precision_low']:.3f} to {row['precision_high']:.3f}",
            )
    if edge["ambiguity_group_id"] is not None:
        yield from _candidates(tables, edge)


def _candidates(tables: Path, edge: dict[str, Any]) -> Iterator[_Row]:
    edges = delta_columns(
        tables / "cpg_edges", ["ambiguity_group_id", "edge_kind", "dst_node_id", "rank"]
    )
    same = pc.and_(
        pc.equal(edges["ambiguity_group_id"], edge["ambiguity_group_id"]),
        pc.equal(edges["edge_kind"], edge["edge_kind"]),
    )
    for row in sorted(edges.filter(same).to_pylist(), key=lambda row: row["rank"]):
        node = _one(tables / "cpg_nodes", "node_id", row["dst_node_id"])
        if node is not None:
            yield "candidate", f"rank {row['rank']}", _place(node)


def _place(node: dict[str, Any]) -> str:
    """Say what a node is and where it stands."""
    name = node["qualified_name"] or node["name"] or ""
    at = f" at {node['path']}:{node['line']}" if node["line"] is not None else ""
    return f"{node['node_kind']} {name}{at} ({node['node_id']})"
