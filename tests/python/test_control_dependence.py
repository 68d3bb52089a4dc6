"""Control dependence: text cases with invariants, and what it means in a run.

Oracle: a condition that some statement depends on is one whose outcome decides whether the
statement runs; see test_dominators.py for the definition on random graphs.
"""

from __future__ import annotations

import ast
from functools import partial
from typing import Any

import pytest

from cases import Case, check, parametrize
from codelake.extract.flow.control_dependence import ControlDependence, control_dependence
from flows import Analysed, analyse, flow
from timing import cpu_seconds


@parametrize("control_dependence")
def test_case(case: Case) -> None:
    found = analyse(case.source)
    result = control_dependence(found.units, found.nodes)
    check_invariants(found, result)
    lines = {
        "control": lambda: [_control(found, row) for row in rows(result.controls)],
        "blocks": lambda: [_block(found, row) for row in rows(result.blocks)],
    }
    check(case, lines)


def rows(columns: Any) -> list[tuple[Any, ...]]:
    return list(zip(*columns, strict=True))


def check_invariants(found: Analysed, result: ControlDependence) -> None:
    """Every block once, trees rooted in ENTRY and EXIT, conditions in the unit of dependents."""
    blocks = {(row[0], row[1]): row for row in rows(result.blocks)}
    assert len(blocks) == len(result.blocks[0]) == sum(len(unit.blocks) for unit in found.units)
    for (unit, number), row in blocks.items():
        *_, reachable, above, below = row
        assert (above is not None) == (reachable and number != 0)
        assert below is None or number != 1
        seen = {number}
        while above is not None:
            assert above not in seen
            seen.add(above)
            above = blocks[unit, above][6]
        assert not reachable or 0 in seen
    points = {
        (unit.no, no): number
        for unit in found.units
        for number, block in enumerate(unit.blocks)
        for no in block
    }
    for condition, label, dependent, unit in rows(result.controls):
        assert label in (None, "true", "false", "case", "loop", "exception", "finally")
        source, target = points[unit, condition], points[unit, dependent]
        assert blocks[unit, source][5] and blocks[unit, target][5]
    assert len(set(rows(result.controls))) == len(rows(result.controls))


def _control(found: Analysed, row: tuple[Any, ...]) -> str:
    condition, label, dependent, _ = row
    return f"{_point(found, condition)} -{label or ''}-> {_point(found, dependent)}"


def _block(found: Analysed, row: tuple[Any, ...]) -> str:
    unit, number, first, last, size, reachable, above, below = row
    name = type(found.nodes[unit]).__name__
    span = _point(found, first) + (f" .. {_point(found, last)}" if first != last else "")
    state = f"idom={above} ipdom={below}" if reachable else "unreachable"
    return f"{name} {number}: {span} ({size}) {state}"


def _point(found: Analysed, no: int) -> str:
    if no < 0:
        return {-1: "ENTRY", -2: "EXIT"}[no]
    node = found.nodes[no]
    if isinstance(node, ast.expr) and not isinstance(node, ast.GeneratorExp | ast.Lambda):
        return f"{ast.unparse(node)}@{node.lineno}"
    line = getattr(node, "lineno", None) or node.pattern.lineno
    return f"{type(node).__name__}@{line}"


SHAPES = {
    "straight": lambda n: "x = 1\n" * n,
    "branches": lambda n: "if c:\n    x = 1\n" * n,
    "elif": lambda n: "if a: b\n" + "elif a: b\n" * (n // 200),
    "returns": lambda n: "def f(c):\n" + "    if c:\n        return 1\n" * n,
    "loops": lambda n: "while c:\n    if d: break\n" * n,
    "tries": lambda n: "try:\n    f()\nexcept E:\n    g()\n" * n,
    "handlers": lambda n: "def f():\n" + "    try: f()\n    except E: return\n" * n,
}


@pytest.mark.parametrize("shape", SHAPES)
def test_large_sources_take_linear_time(shape: str) -> None:
    seconds = []
    for size in (400, 3200):
        units, nodes = flow(SHAPES[shape](size))
        result = control_dependence(units, nodes)
        seconds.append(cpu_seconds(partial(control_dependence, units, nodes)))
        assert len(result.controls[0]) <= 10 * size
    assert seconds[1] < 25 * max(seconds[0], 0.03), seconds
