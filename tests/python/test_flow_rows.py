"""Flow rows: steps between addresses, with ENTRY and EXIT made from the address of their unit."""

from __future__ import annotations

import ast

import pytest

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


def rows(
    raw: bytes, dominators: bool = False
) -> tuple[dict[str, list[dict]], dict[tuple[int, int], str]]:
    """Return the rows by array, and what stands at each address."""
    source = decode(raw)
    assert isinstance(source, SourceText)
    tree = ast.parse(source.text)
    syntax = syntax_tree(tree, source.raw, SpanMap(source), "m", 1)
    addresses = syntax.nodes[3], syntax.nodes[4]
    units, nodes = control_flow(tree), numbered_nodes(tree)
    found = flow_rows(units, nodes, addresses, dominators=dominators)
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


LOOP = b"""\
def f(a, b):
    while a:
        if b:
            break
        c
    else:
        d
    return e
    dead
"""


def edges(found: dict[str, list[dict]], kind: str) -> set[tuple[tuple[int, int], tuple[int, int]]]:
    """Return the edges inside of f; its own node (1, 0) is a point of the module."""
    return {
        ((edge["src_def_no"], edge["src_ordinal"]), (edge["dst_def_no"], edge["dst_ordinal"]))
        for edge in found["flow_edges"]
        if edge["kind"] == kind
        and edge["src_def_no"] == edge["dst_def_no"] == 1
        and edge["src_ordinal"] * edge["dst_ordinal"] != 0
    }


def reached(steps: set, start: tuple[int, int], without: tuple[int, int] | None) -> set:
    """Return what can be reached from a point without another one."""
    seen, todo = {start}, [start]
    while todo:
        at = todo.pop()
        for source, target in steps:
            if source == at and target not in seen and target != without:
                seen.add(target)
                todo.append(target)
    return seen


@pytest.mark.parametrize(("kind", "end"), [("DOMINATES", -1), ("POST_DOMINATES", -2)])
def test_dominance_is_what_no_way_goes_around(kind: str, end: int) -> None:
    found, _ = rows(LOOP, dominators=True)
    steps = edges(found, "CFG")
    alive = reached(steps, (1, -1), None)
    if kind == "POST_DOMINATES":
        steps = {(target, source) for source, target in steps}
    immediate = {point: above for above, point in edges(found, kind)}
    assert immediate.keys() == alive - {(1, end)}
    for point in immediate:
        chain = [point]
        while chain[-1] in immediate:
            chain.append(immediate[chain[-1]])
        naive = {one for one in alive if point not in reached(steps, (1, end), one)}
        assert {*chain[1:]} == naive - {point} | {(1, end)}


def test_dominance_is_told_on_request() -> None:
    found, _ = rows(LOOP)
    assert not edges(found, "DOMINATES") | edges(found, "POST_DOMINATES")
