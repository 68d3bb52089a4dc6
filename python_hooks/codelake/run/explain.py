"""What a lake knows of one node or edge: every piece of evidence behind it, without Spark.

    explain(-4611686018427387904, lake)
    node  kind         FUNCTION
    node  place        shop/cart.py:24:4
    ...
    edge  CALLS in     2, method direct, confidence 0.995

Each row is (about, what, value).
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from codelake.errors import CodelakeError
from codelake.run.lake_reader import LakeReader

COLUMNS = ["about", "what", "value"]
_LONGEST = 200  # bytes of code
_ENDS = """
select edge_kind, origin, method, confidence, count(*) as edges
from cpg_edges
where {end} = :number
group by edge_kind, origin, method, confidence
order by edge_kind, origin, method, confidence
"""
_CANDIDATES = """
select dst_node_id, rank
from cpg_edges
where ambiguity_group_id = :group_id and edge_kind = :kind
order by rank
"""

type _Row = tuple[str, str, str]


def explain(number: int, lake: Path) -> tuple[list[str], list[_Row]]:
    """Return what is known of a node or edge.

    Args:
        number: its id.
        lake: the lake's folder.

    Raises:
        CodelakeError: LAKE_MISSING or ID_UNKNOWN.
    """
    reader = LakeReader(lake)
    node = _one(reader, "cpg_nodes", "node_id", number)
    if node is not None:
        return COLUMNS, [*_node(reader, node), *_edges_of(reader, number)]
    edge = _one(reader, "cpg_edges", "edge_id", number)
    if edge is None:
        raise CodelakeError(
            "ID_UNKNOWN",
            f"no node or edge of `{lake}` has the id {number}.",
            "take one from cpg_nodes.node_id or cpg_edges.edge_id",
        )
    return COLUMNS, list(_edge(reader, edge))


def _one(reader: LakeReader, table: str, key: str, number: int) -> dict[str, Any] | None:
    """Return the row of an id."""
    return next(
        iter(reader.rows(f"select * from {table} where {key} = :number", number=number)), None
    )


def _node(reader: LakeReader, node: dict[str, Any]) -> Iterator[_Row]:
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
    for name, value in (node["attrs"] or {}).items():
        yield "node", name, str(value)
    if node["file_id"] is None:
        return
    file = _one(reader, "evidence", "file_id", node["file_id"])
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
    reasons = "select unknown_reason from unresolved_calls where call_id = :number"
    for row in reader.rows(reasons, number=node["node_id"]):
        yield "node", "no target is known", row["unknown_reason"]


def _edges_of(reader: LakeReader, number: int) -> Iterator[_Row]:
    """Yield how many edges of each kind and method begin and end at a node."""
    for end, way in (("src_node_id", "out"), ("dst_node_id", "in")):
        for row in reader.rows(_ENDS.format(end=end), number=number):
            seen = f"seen by {row['origin']}, method {row['method']}"
            confidence = f"confidence {row['confidence']:.3f}"
            yield "edge", f"{row['edge_kind']} {way}", f"{row['edges']}, {seen}, {confidence}"


def _edge(reader: LakeReader, edge: dict[str, Any]) -> Iterator[_Row]:
    yield "edge", "kind", edge["edge_kind"]
    for end, name in (("src_node_id", "from"), ("dst_node_id", "to")):
        node = _one(reader, "cpg_nodes", "node_id", edge[end])
        yield "edge", name, "no node" if node is None else _place(node)
    if edge["label"]:
        yield "edge", "label", edge["label"]
    yield "edge", "origin", edge["origin"]
    yield "edge", "method", edge["method"]
    yield "edge", "confidence", f"{edge['confidence']:.3f}"
    measured = "select * from edge_methods where method = :method"
    for row in reader.rows(measured, method=edge["method"]):
        yield (
            "method",
            "measured",
            f"{row['right_count']} of {row['sample_size']} right, on {row['measured_on']}",
        )
        yield "method", "interval", f"{row['precision_low']:.3f} to {row['precision_high']:.3f}"
    group = edge["ambiguity_group_id"]
    if group is not None:
        for row in reader.rows(_CANDIDATES, group_id=group, kind=edge["edge_kind"]):
            node = _one(reader, "cpg_nodes", "node_id", row["dst_node_id"])
            if node is not None:
                yield "candidate", f"rank {row['rank']}", _place(node)


def _place(node: dict[str, Any]) -> str:
    """Say what a node is and where it stands."""
    name = node["qualified_name"] or node["name"] or ""
    at = f" at {node['path']}:{node['line']}" if node["line"] is not None else ""
    return f"{node['node_kind']} {name}{at} ({node['node_id']})"
