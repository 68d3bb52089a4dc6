"""Flow rows: units, blocks, steps and dependences of a file as columns of the evidence.

    unit f at (3, 0), ENTRY -> a -> b -> EXIT
        flow_units  (3, 0), kind function, entry -1, exit -2
        flow_edges  CFG (3, -1) -> (3, 4), (3, 4) -> (3, 5), (3, 5) -> (3, -2)
                    CONTROLS and REACHES edges between the same nodes
                    DOMINATES (3, -1) -> (3, 4), ..., POST_DOMINATES (3, 5) -> (3, 4), ...

Dominance is told where it is asked for: from the immediate dominator of each reachable point to
the point, so all dominators of a point are those on the way back to ENTRY.
All edges stand in one array, because each array that is exploded is one more scan of the table.

ENTRY and EXIT are no nodes of the tree. Their addresses are made from that of their unit (d, o):
(d, -2o - 1) and (d, -2o - 2), so they are as stable as the unit is.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, pairwise
from typing import Any

from codelake.evidence.rows import Addresses, Column, columns_of
from codelake.extract.flow.control_dependence import control_dependence
from codelake.extract.flow.control_flow import ENTRY, EXIT, FlowUnit


def flow_rows(
    units: Sequence[FlowUnit],
    nodes: Sequence[Any],
    addresses: Addresses,
    reaches: Sequence[Column] = ((), (), (), (), ()),
    dominators: bool = False,
) -> dict[str, Sequence[Column]]:
    """Return the columns of flow_units, flow_blocks and flow_edges.

    Args:
        units: the flow graphs of a file.
        nodes: its syntax nodes by number.
        addresses: def_no and ordinal of each node.
        reaches: columns of the data flow: definition, use, variable, kind, is_loop_carried.
        dominators: whether edges of dominance are wanted.
    """
    dependence = control_dependence(units, nodes)
    ends = {unit.no: _ends(unit.no, addresses) for unit in units}
    steps = _steps(units, ends, addresses)
    condition, label, dependent, _ = dependence.controls
    labels = [each or "" for each in label]
    controls = [*_addressed(condition, addresses), *_addressed(dependent, addresses), labels]
    source, use, variable, *detail = reaches
    defined = [*_addressed(source, addresses), *_addressed(use, addresses), variable]
    edges = [
        _of_kind("CFG", steps),
        _of_kind("CONTROLS", controls),
        [["REACHES"] * len(source), *defined, *detail],
    ]
    if dominators:
        edges += _dominance(units, dependence.blocks, ends, addresses)
    return {
        "flow_units": columns_of([_unit(unit, ends[unit.no]) for unit in units], 6),
        "flow_blocks": _blocks(dependence.blocks, ends, addresses),
        "flow_edges": [list(chain(*parts)) for parts in zip(*edges, strict=True)],
    }


def _addressed(numbers: Column, addresses: Addresses) -> list[Column]:
    return [[part[no] for no in numbers] for part in addresses]


def _of_kind(kind: str, columns: list[Column]) -> list[Column]:
    """Put the kind before the columns of edges, and what only REACHES has behind them."""
    count = len(columns[0])
    return [[kind] * count, *columns, [""] * count, [False] * count]


type _Ends = tuple[int, int, int]  # def_no, then the ordinals of ENTRY and EXIT


def _ends(unit: int, addresses: Addresses) -> _Ends:
    ordinal = addresses[1][unit]
    return addresses[0][unit], -2 * ordinal - 1, -2 * ordinal - 2


def _unit(unit: FlowUnit, ends: _Ends) -> tuple[Any, ...]:
    ways = [0] * len(unit.blocks)
    for source, _, _ in unit.edges:
        ways[source] += 1
    branches = sum(count > 1 for count in ways)
    return unit.no, unit.kind, ends[1], ends[2], len(unit.blocks), branches


def _steps(units: Sequence[FlowUnit], ends: dict[int, _Ends], addresses: Addresses) -> list[Column]:
    """Return every step: those inside blocks are plain, those between blocks have labels."""
    def_nos, ordinals = addresses
    sources: list[int] = []
    targets: list[int] = []
    outer: list[tuple[int, int, int, int, str]] = []
    for unit in units:
        blocks = unit.blocks
        for points in blocks:
            sources += points[:-1]
            targets += points[1:]
        def_no, entry, leave = ends[unit.no]
        for source, target, label in unit.edges:
            last, first = blocks[source][-1], blocks[target][0]
            begin = (def_no, entry) if last == ENTRY else (def_nos[last], ordinals[last])
            end = (def_no, leave) if first == EXIT else (def_nos[first], ordinals[first])
            outer.append((*begin, *end, label or ""))
    inner = [*_addressed(sources, addresses), *_addressed(targets, addresses)]
    inner.append([""] * len(sources))
    return [[*one, *other] for one, other in zip(inner, columns_of(outer, 5), strict=True)]


def _dominance(
    units: Sequence[FlowUnit],
    blocks: Sequence[Column],
    ends: dict[int, _Ends],
    addresses: Addresses,
) -> list[list[Column]]:
    """Return the edges to each point from what must run before it, and from what must after it."""
    before: list[tuple[Any, ...]] = []
    after: list[tuple[Any, ...]] = []
    points_of = {unit.no: unit.blocks for unit in units}
    for owner, number, _, _, _, is_reachable, idom, ipdom in zip(*blocks, strict=True):
        if not is_reachable:
            continue

        def address(point: int, owner: int = owner) -> tuple[int, int]:
            def_no, entry, leave = ends[owner]
            if point >= 0:
                return addresses[0][point], addresses[1][point]
            return def_no, entry if point == ENTRY else leave

        places = [address(point) for point in points_of[owner][number]]
        inside = list(pairwise(places))
        before += [(*one, *other, "") for one, other in inside]
        after += [(*other, *one, "") for one, other in inside]
        if idom is not None:
            before.append((*address(points_of[owner][idom][-1]), *places[0], ""))
        if ipdom is not None:
            after.append((*address(points_of[owner][ipdom][0]), *places[-1], ""))
    return [
        _of_kind("DOMINATES", columns_of(before, 5)),
        _of_kind("POST_DOMINATES", columns_of(after, 5)),
    ]


def _blocks(
    columns: Sequence[Column], ends: dict[int, _Ends], addresses: Addresses
) -> list[Column]:
    unit, number, first, last, *rest = columns
    wide: list[list[int]] = [[], [], [], []]
    for points, (def_column, ordinal_column) in ((first, wide[:2]), (last, wide[2:])):
        for owner, point in zip(unit, points, strict=True):
            def_no, entry, leave = ends[owner]
            if point >= 0:
                def_no, ordinal = addresses[0][point], addresses[1][point]
            else:
                ordinal = entry if point == ENTRY else leave
            def_column.append(def_no)
            ordinal_column.append(ordinal)
    return [unit, number, *wide, *rest]
