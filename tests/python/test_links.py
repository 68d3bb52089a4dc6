"""Imports, types, fields, comments and symbols in a lake: one build, read line by line."""

from __future__ import annotations

from pathlib import Path

import pytest

from codelake.extract.scip.scip_schema import message
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


SYMBOLS = """[DEFINES_SYMBOL] base.Shape -> base/Shape#
[DEFINES_SYMBOL] main.Square -> main/Square#
[DEFINES_SYMBOL] main.total -> main/total().
[IMPLEMENTS_SYMBOL] main/Square# -> base/Shape#
[REFERENCES_SYMBOL] main:1 -> base/Shape#
[REFERENCES_SYMBOL] main:10 -> main/total().
[REFERENCES_SYMBOL] main:4 -> base/Shape#"""


def _symbol(name: str, module: str = "base") -> str:
    return f"scip-python python p 1 `{module}`/{name}"


def _index() -> bytes:
    """Return an index that is wrong in one place: it takes `Square(2)` for the function."""
    shape, square, total = (
        _symbol("Shape#"),
        _symbol("Square#", "main"),
        _symbol("total().", "main"),
    )
    described = message("SymbolInformation")(symbol=square)
    described.relationships.add(symbol=shape, is_implementation=True)
    return index(
        document("base.py", occurrences=[occurrence([3, 6, 11], shape, 1)]),
        document(
            "main.py",
            occurrences=[
                occurrence([0, 17, 22], shape, 2),
                occurrence([0, 17, 22], shape, 8),
                occurrence([3, 6, 12], square, 1),
                occurrence([3, 13, 18], shape),
                occurrence([8, 4, 9], total, 1),
                occurrence([9, 12, 18], total),
            ],
            symbols=[described],
        ),
    )


def test_links(tmp_path: Path, lake: Path) -> None:
    repo = tmp_path / "shapes"
    repo.mkdir()
    (repo / "base.py").write_text(BASE)
    (repo / "main.py").write_text(MAIN)
    (repo / "broken.py").write_text("def f(:\n")
    (tmp_path / "index.scip").write_bytes(_index())
    built([repo], lake, scip=[tmp_path / "index.scip"])
    nodes = {row["node_id"]: row for row in rows(lake, "cpg_nodes")}

    def name(node: int) -> str:
        row = nodes[node]
        if row["node_kind"] == "SCIP_SYMBOL":
            return str(row["name"].rpartition(" ")[2].replace("`", ""))
        return str(row["qualified_name"] or f"{row['path'].removesuffix('.py')}:{row['line']}")

    expected = [*EDGES.splitlines(), *SYMBOLS.splitlines()]
    kinds = {line[1 : line.index("]")] for line in expected}
    found = set()
    for row in rows(lake, "cpg_edges"):
        if row["edge_kind"] in kinds:
            arrow = f"-{row['label']}->" if row["label"] else "->"
            order = "" if row["ordinal"] is None else f" {row['ordinal']}"
            ends = f"{name(row['src_node_id'])} {arrow} {name(row['dst_node_id'])}{order}"
            found.add(f"[{row['edge_kind']}] {ends}")
    assert set(expected) <= found
    whole = ("[INHERITS]", "[OVERRIDES]", "[DEFINES_", "[REFERENCES_", "[IMPLEMENTS_")
    assert not [line for line in found if line.startswith(whole) and line not in expected]
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
        from cpg_edge_support as s
        join cpg_nodes as n on n.node_id = s.src_node_id
        join cpg_nodes as d on d.node_id = s.dst_node_id
        where s.edge_kind = 'REFERS_TO' and d.qualified_name = 'base.Shape'
          and n.name = 'Shape' and n.line = 4
        """,
        lake,
    )
    assert sorted(row[2] for row in support) == ["held_value", "import_statement", "scip_index"]
    _, compared = run_query(
        "select scip_symbol, resolved_name, agreement from index_agreement", lake
    )
    assert sorted((row[0].rpartition("/")[2], *row[1:]) for row in compared) == [
        ("Shape#", "base.Shape", "same"),
        ("Shape#", "base.Shape", "same"),
        ("total().", "base.Shape.__init__", "other"),
    ]
    _, told = run_query("select qualified_name, status from external_distributions", lake)
    assert {("builtins.list", "stdlib"), ("os", "stdlib")} <= set(told)
