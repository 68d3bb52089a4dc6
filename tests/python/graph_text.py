"""A whole graph as text, for people: nodes in the order of the source, then edges by kind.

    [nodes]
    words.py 4:0 FUNCTION greeter.words.greet
    [CALLS]
    zoo.py 17:6 CALL list -> EXTERNAL builtins.list, external

A node without a place is named by what it belongs to. Ids, byte offsets and digests stay out, so a
line changes when the graph says something else.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

type Row = dict[str, Any]

_HIDDEN = ("sha256", "module_name", "is_package", "is_test", "is_generated", "newline", "encoding")


def graph_text(nodes: list[Row], edges: list[Row]) -> list[str]:
    """Return the lines of a graph."""
    by_id = {node["node_id"]: node for node in nodes}
    names = {number: _name(node, by_id) for number, node in by_id.items()}
    order = {number: _order(node, names[number]) for number, node in by_id.items()}
    lines = ["[nodes]"]
    for number in sorted(by_id, key=lambda number: order[number]):
        attrs = [f"{key}={value}" for key, value in sorted(by_id[number]["attrs"] or ())]
        shown = [each for each in attrs if not each.startswith(_HIDDEN)]
        lines.append(" ".join([names[number], *shown]))
    kinds: dict[str, list[tuple[Any, str]]] = defaultdict(list)
    for edge in edges:
        ends = edge["src_node_id"], edge["dst_node_id"]
        label = f" -{edge['label']}-> " if edge["label"] else " -> "
        method = "" if edge["method"] in ("syntax", "scan") else f", {edge['method']}"
        text = f"{names[ends[0]]}{label}{names[ends[1]]}{method}"
        kinds[edge["edge_kind"]].append(((order[ends[0]], order[ends[1]], text), text))
    for kind, found in sorted(kinds.items()):
        lines += [f"[{kind}]", *(text for _, text in sorted(found))]
    return lines


def _name(node: Row, by_id: dict[int, Row]) -> str:
    """Return place, kind and name of a node."""
    kind = node["node_kind"]
    name = node["qualified_name"] or node["name"] or node["syntax"] or ""
    if node["col"] is not None:
        return f"{node['path']} {node['line']}:{node['col']} {kind} {name}"
    owner = by_id.get(node["owner_id"]) if node["owner_id"] is not None else None
    if owner is not None:
        around = owner["qualified_name"] or f"{owner['syntax']} {owner['line']}:{owner['col']}"
        return f"{node['path']} {kind} {name} of {around}".replace("  ", " ")
    return f"{node['path']} {kind} {name}".strip()


def _order(node: Row, name: str) -> tuple[Any, ...]:
    has_place = node["bstart"] is not None
    ends = (node["bstart"], -node["bend"]) if has_place else (0, 0)
    return node["path"], has_place, *ends, node["node_kind"], name
