"""Imports, types, fields, comments and symbols in a lake: one build, read line by line."""

from __future__ import annotations

from pathlib import Path

import pytest

from codelake.run.query import run_query
from conftest import built, rows
from test_scip_index import document, index, occurrence

pytestmark = pytest.mark.spark

BASE = """import os


class Shape:
    def __init__(self, size: int) -> None:
        self.size = size

    def area(self) -> float:  # to be refined
        return 0.0
"""
MAIN = """from base import Shape


class Square(Shape):
    def area(self) -> float:
        return self.size * self.size


def total(shapes: "list[Shape]", path: str):
    shape = Square(2)
    return shape
"""
EDGES = """[EXPORTS] base -Shape-> base.Shape
[EXPORTS] base -os-> os
[EXPORTS] main -Shape-> base.Shape
[EXPORTS] main -Square-> main.Square
[EXPORTS] main -total-> main.total
[HAS_TYPE] main:10 -> main.Square
[HAS_TYPE] main:11 -> main.Square
[HAS_TYPE] main:9 -> builtins.list
[HAS_TYPE] main:9 -> builtins.str
[HAS_TYPE] main:9 -[0]-> base.Shape
[IMPORTS] base:1 -> os
[IMPORTS] main:1 -> base.Shape
[INHERITS] main.Square -> base.Shape 1
[OVERRIDES] main.Square.area -> base.Shape.area
[READS_FIELD] main:6 -> base.Shape.size
[WRITES_FIELD] base:6 -> base.Shape.size"""


def _symbol(name: str) -> str:
    return f"scip-python python p 1 `base`/{name}#"


def test_links(tmp_path: Path, lake: Path) -> None:
    repo = tmp_path / "shapes"
    repo.mkdir()
    (repo / "base.py").write_text(BASE)
    (repo / "main.py").write_text(MAIN)
    (repo / "broken.py").write_text("def f(:\n")
    made = index(
        document("base.py", occurrences=[occurrence([3, 6, 11], _symbol("Shape"), 1)]),
        document("main.py", occurrences=[occurrence([3, 13, 18], _symbol("Shape"))]),
    )
    (tmp_path / "index.scip").write_bytes(made)
    built([repo], lake, scip=[tmp_path / "index.scip"])
    nodes = {row["node_id"]: row for row in rows(lake, "cpg_nodes")}

    def name(node: int) -> str:
        row = nodes[node]
        return str(row["qualified_name"] or f"{row['path'].removesuffix('.py')}:{row['line']}")

    kinds = {line[1 : line.index("]")] for line in EDGES.splitlines()}
    found = set()
    for row in rows(lake, "cpg_edges"):
        if row["edge_kind"] in kinds:
            arrow = f"-{row['label']}->" if row["label"] else "->"
            order = "" if row["ordinal"] is None else f" {row['ordinal']}"
            ends = f"{name(row['src_node_id'])} {arrow} {name(row['dst_node_id'])}{order}"
            found.add(f"[{row['edge_kind']}] {ends}")
    assert set(EDGES.splitlines()) <= found
    assert not [line for line in found if line.startswith(("[INHERITS]", "[OVERRIDES]"))
                and line not in EDGES]  # fmt: skip
    by_kind = {
        kind: [row for row in nodes.values() if row["node_kind"] == kind]
        for kind in ("COMMENT", "DIAGNOSTIC", "FIELD", "TYPE_EXPR")
    }
    assert [dict(row["attrs"]) for row in by_kind["COMMENT"]] == [{"text": "# to be refined"}]
    assert {row["path"] for row in by_kind["DIAGNOSTIC"]} == {"broken.py"}
    assert [row["qualified_name"] for row in by_kind["FIELD"]] == ["base.Shape.size"]
    assert len(by_kind["TYPE_EXPR"]) == 6
    _, support = run_query(
        """
        select n.path, n.line, s.method
        from (
            select * from cpg_edge_support union all select * from symbol_support
        ) as s
        join cpg_nodes as n on n.node_id = s.src_node_id
        join cpg_nodes as d on d.node_id = s.dst_node_id
        where s.edge_kind = 'REFERS_TO' and d.qualified_name = 'base.Shape'
          and n.name = 'Shape' and n.line = 4
        """,
        lake,
    )
    assert sorted(row[2] for row in support) == ["held_value", "import_statement", "scip_index"]
    _, told = run_query("select qualified_name, status from external_distributions", lake)
    assert {("builtins.list", "stdlib"), ("os", "stdlib")} <= set(told)
