"""Flow rows: steps between addresses, with ENTRY and EXIT made from the address of their unit."""

from __future__ import annotations

import ast

from codelake.evidence.spans import SpanMap
from codelake.evidence.structs import FLOW_BLOCK, FLOW_EDGE, FLOW_UNIT, GIVEN
from codelake.extract.data.numbered_nodes import numbered_nodes
from codelake.extract.flow.control_flow import control_flow
from codelake.extract.flow.flow_rows import flow_rows
from codelake.extract.syntax.syntax_tree import syntax_tree
from codelake.sources.decode import SourceText, decode

SOURCE = b"""\
def f(a):
    if a:
        return 1
    a
g = (x for x in f)
"""
STRUCTS = {
    "flow_units": FLOW_UNIT,
    "flow_blocks": FLOW_BLOCK,
    "flow_edges": FLOW_EDGE,
}


def rows(raw: bytes) -> tuple[dict[str, list[dict]], dict[tuple[int, int], str]]:
    """Return the rows by array, and what stands at each address."""
    source = decode(raw)
    assert isinstance(source, SourceText)
    tree = ast.parse(source.text)
    syntax = syntax_tree(tree, source.raw, SpanMap(source), "m", 1)
    addresses = syntax.nodes[3], syntax.nodes[4]
    found = flow_rows(control_flow(tree), numbered_nodes(tree), addresses)
    named = {
        name: [dict(zip(GIVEN[kind], row, strict=True)) for row in zip(*found[name], strict=True)]
        for name, kind in STRUCTS.items()
    }
    texts = [syntax.nodes[2][no] or syntax.nodes[1][no] for no in range(len(syntax.nodes[0]))]
    return named, dict(zip(zip(*addresses, strict=True), texts, strict=True))


def test_steps_name_addresses() -> None:
    found, texts = rows(SOURCE)
    ends = {
        (unit["node_no"], name): (unit[f"{name}_ordinal"])
        for unit in found["flow_units"]
        for name in ("entry", "exit")
    }
    assert [unit["kind"] for unit in found["flow_units"]] == ["module", "function", "generator"]
    assert len(set(ends.values())) == 4  # those of definitions are -1 and -2, told apart by def_no
    steps = [
        (
            texts.get((edge["src_def_no"], edge["src_ordinal"]), "end"),
            texts.get((edge["dst_def_no"], edge["dst_ordinal"]), "end"),
            edge["label"],
        )
        for edge in found["flow_edges"]
        if edge["src_def_no"] == 1 and edge["kind"] == "CFG"
    ]
    assert ("end", "a", "") in steps
    assert ("a", "Constant", "true") in steps
    assert ("a", "a", "false") in steps
    assert ("Return", "end", "") in steps
    function = [(edge["src_ordinal"], edge["dst_ordinal"]) for edge in found["flow_edges"]]
    assert any(source == -1 for source, _ in function)
    assert any(target == -2 for _, target in function)


def test_blocks_and_conditions() -> None:
    found, _ = rows(SOURCE)
    blocks = [block for block in found["flow_blocks"] if block["unit_no"] == 1]
    assert blocks[0]["first_ordinal"] == blocks[0]["last_ordinal"] == -1
    assert blocks[1]["first_ordinal"] == -2
    assert blocks[0]["idom_block"] is None
    assert blocks[1]["ipdom_block"] is None
    assert all(block["is_reachable"] for block in blocks)
    assert {edge["label"] for edge in found["flow_edges"] if edge["kind"] == "CONTROLS"} >= {
        "true",
        "false",
    }
