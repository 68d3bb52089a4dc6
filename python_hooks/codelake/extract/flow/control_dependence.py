"""Control dependence: the flow units of a file -> their blocks, and which condition decides what.

    if ready:        ready -true-> Expr go()      go() runs only when ready is true
        go()         stop() runs either way: it depends on nothing
    stop()

A block depends on an edge of the flow graph when it runs for certain once the edge is taken, and
not for certain at the block that the edge leaves (Ferrante, Ottenstein and Warren): the blocks
from the edge's target up the tree of post-dominators, short of the post-dominator of its source.
The work is linear in the size of the output.

Rows name points, not blocks. The condition is the last point of the controlling block. Of a
dependent block the rows list the statements in it, and its last point when the block branches
(an inner condition); a block with neither is told by its last point. An expression inside a
statement has no row: it depends on what its statement depends on, or on the conditions in it.

An exception that leaves the unit does not count, for a call outside `try` has no edge for it
either: edges to EXIT from a `with` or from the last handler, and those labelled `exception` beside
another way to go on. `raise` and `assert` do count. (The end of a `finally` keeps its edge to
EXIT, which may be a return: what follows a try with `finally` depends on that end.) Inside `try`,
a handler depends on the points that may raise, with the label `exception`; what runs because they
did not raise has no row for it, else every expression would depend on the one before.

A loop without exit gets a virtual edge to EXIT, so that post-dominators exist. What depends on
every real edge of such a block is not decided by it and has no row.
Next: data_flow.py.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from codelake.evidence.rows import columns_of
from codelake.extract.flow.control_flow import FlowUnit
from codelake.extract.flow.dominators import dominators, post_dominators

ENTRY_BLOCK, EXIT_BLOCK = 0, 1

type _Label = str | None
type _Dependence = tuple[int, _Label, int]  # controlling block, label, dependent block


@dataclass(frozen=True, slots=True)
class ControlDependence:
    """Columns as control_flow numbers nodes: blocks with dominators, then dependences."""

    blocks: Sequence[Sequence[Any]]
    controls: Sequence[Sequence[Any]]


def control_dependence(units: Sequence[FlowUnit], nodes: Sequence[ast.AST]) -> ControlDependence:
    """Find dominators, post-dominators and control dependences.

    Args:
        units: the control flow of a file.
        nodes: its syntax nodes by number.

    Returns:
        One entry per block, one per condition, label and dependent point.
    """
    blocks: list[tuple[Any, ...]] = []
    controls: list[tuple[int, _Label, int, int]] = []
    for unit in units:
        successors: list[list[int]] = [[] for _ in unit.blocks]
        for source, target, _ in unit.edges:
            successors[source].append(target)
        immediate = dominators(successors, ENTRY_BLOCK)
        edges = [edge for edge in unit.edges if not _escapes(edge, unit, successors, nodes)]
        kept = successors
        if len(edges) < len(unit.edges):
            kept = [[] for _ in unit.blocks]
            for source, target, _ in edges:
                kept[source].append(target)
        post = post_dominators(kept, ENTRY_BLOCK, EXIT_BLOCK)
        _add_blocks(unit, immediate, post.immediate, blocks)
        raising = {source for source, _, label in unit.edges if label == "exception"}
        found = [
            dependence
            for dependence in block_dependences(edges, immediate, post.immediate, post.virtual)
            if dependence[1] is not None or dependence[0] not in raising
        ]
        _add_controls(unit, successors, found, nodes, controls)
    return ControlDependence(columns_of(blocks, 8), columns_of(controls, 4))


def block_dependences(
    edges: Sequence[tuple[int, int, _Label]],
    immediate: Sequence[int],
    post: Sequence[int],
    virtual: Sequence[int],
) -> list[_Dependence]:
    """Return which block depends on which labelled edge.

    Args:
        edges: source, target and label.
        immediate: immediate dominators; -1 marks an unreachable block, which decides nothing.
        post: immediate post-dominators.
        virtual: blocks with a virtual edge to the exit.

    Returns:
        Controlling block, label and dependent block, each once, in the order of the edges.
    """
    found: dict[_Dependence, None] = {}
    walks: dict[int, list[set[int]]] = {block: [] for block in virtual}
    for source, target, label in edges:
        if immediate[source] < 0:
            continue
        stop, block = post[source], target
        if source in walks:
            walks[source].append(set())
        while block != stop:
            found[source, label, block] = None
            if source in walks:
                walks[source][-1].add(block)
            block = post[block]
    always = {block: set.intersection(*sets) for block, sets in walks.items() if sets}
    return [key for key in found if key[2] not in always.get(key[0], ())]


def _escapes(
    edge: tuple[int, int, _Label],
    unit: FlowUnit,
    successors: Sequence[Sequence[int]],
    nodes: Sequence[ast.AST],
) -> bool:
    """Tell whether an edge stands for an exception that leaves the unit by itself."""
    source, target, label = edge
    if target != EXIT_BLOCK or len(successors[source]) < 2:
        return False
    if label == "false":
        return isinstance(nodes[unit.blocks[source][-1]], ast.ExceptHandler)
    return label == "exception"


def _add_blocks(
    unit: FlowUnit, immediate: Sequence[int], post: Sequence[int], rows: list[tuple[Any, ...]]
) -> None:
    for number, points in enumerate(unit.blocks):
        reachable = immediate[number] >= 0
        # the root of a tree has no immediate dominator, nor has a block outside of it
        above = immediate[number] if reachable and number != ENTRY_BLOCK else None
        below = post[number] if post[number] >= 0 and number != EXIT_BLOCK else None
        first, last = (points[0], points[-1]) if points else (None, None)
        rows.append((unit.no, number, first, last, len(points), reachable, above, below))


def _add_controls(
    unit: FlowUnit,
    successors: Sequence[Sequence[int]],
    found: Sequence[_Dependence],
    nodes: Sequence[ast.AST],
    rows: list[tuple[int, _Label, int, int]],
) -> None:
    points: dict[int, list[int]] = {}
    for source, label, block in found:
        if block not in points:
            points[block] = _told(unit.blocks[block], len(successors[block]) > 1, nodes)
        condition = unit.blocks[source][-1]
        rows += [(condition, label, point, unit.no) for point in points[block]]


def _told(points: Sequence[int], branches: bool, nodes: Sequence[ast.AST]) -> list[int]:
    """Return the points that speak for a block."""
    told = [point for point in points if isinstance(nodes[point], ast.stmt)]
    if points and (branches or not told) and told[-1:] != [points[-1]]:
        told.append(points[-1])
    return told
