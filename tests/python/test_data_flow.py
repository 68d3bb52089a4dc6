"""Data flow: text cases, invariants on each, and what happens when the cases run.

A case may have a section `run`: each line is a run of its own, `inputs; run(); calls`, and `run()`
executes the source (it comes first if it is not there). `raises: ` expects an exception.
"""

from __future__ import annotations

import ast
from typing import Any

import pytest

from cases import Case, check, load_cases, parametrize
from codelake.semantic.catalog import confidence
from conftest import Figures
from flows import Analysed, analyse
from traced import Traced

CASES = load_cases("data_flow")
KINDS = {"name", "closure", "global", "attribute", "subscript"}


@parametrize("data_flow")
def test_case(case: Case) -> None:
    found = analyse(case.source)
    check_invariants(found)
    lines = {"run": lambda: case.sections["run"], "reach": lambda: printed(found)}
    check(case, lines)


@parametrize("data_flow")
def test_every_pair_of_a_run_is_reported(case: Case) -> None:
    missed, _, _ = compared(case)
    assert missed == []


def test_nearly_every_reported_pair_happens_in_a_run(figures: Figures) -> None:
    reported = seen = 0
    never: list[str] = []
    for case in CASES:
        _, found, rest = compared(case)
        reported += found
        seen += found - len(rest)
        never += [f"{case.name}: {line}" for line in rest]
    figures(f"{seen} of {reported} reported pairs happened ({seen / reported:.1%})")
    assert len(CASES) >= 90
    assert seen >= 0.95 * reported, (seen, reported, never)
    stored = {method: (right, size) for method, right, size, _ in confidence.MEASURED}
    assert stored["reaching_definition"] == stored["reaching_place"] == (seen, reported)


def compared(case: Case) -> tuple[list[str], int, list[str]]:
    """Run a case: pairs that were missed, number of reported pairs, pairs that never happened."""
    found = analyse(case.source)
    labels = {(row[0], row[1]): text for row, text in zip(found.rows, printed(found), strict=True)}
    traced = Traced(found.tree, found.table)
    for line in case.sections.get("run", ["run()"]):
        execute(traced, line)
    record = traced.recorder
    observed = {(number, use) for use, numbers in record.names for number in numbers} | {
        (number, use) for use, number in record.paths
    }
    missed = [
        describe(found, numbers[0], use)
        for use, numbers in sorted(record.names)
        if not any((number, use) in labels for number in numbers)
    ]
    missed += [
        describe(found, number, use)
        for use, number in sorted(record.certain)
        if (number, use) not in labels
    ]
    return missed, len(labels), [text for pair, text in labels.items() if pair not in observed]


def execute(traced: Traced, line: str) -> None:
    space = traced.namespace()
    space["run"] = lambda: exec(traced.code, space)
    raises = line.startswith("raises: ")
    line = line.removeprefix("raises: ")
    if "run()" not in line:
        line = f"run(); {line}"
    if raises:
        with pytest.raises(Exception):  # noqa: B017
            exec(line, space)
    else:
        exec(line, space)


def printed(found: Analysed) -> list[str]:
    """Print each row: definition -> use (variable), and what is not the usual."""
    lines = []
    for definition, use, variable, kind, carried in found.rows:
        line = f"{place(found, definition)} -> {place(found, use)}"
        line += "" if kind == "name" else f" {kind}"
        line += "" if kind in ("name", "closure", "global") else f" {variable}"
        lines.append(line + (" loop" if carried else ""))
    return lines


def place(found: Analysed, no: int) -> str:
    """Return a short text for a node: what it binds or says, its line, its column if needed."""
    node = found.nodes[no]
    text = _text(node)
    twins = [
        other
        for other in found.nodes
        if other is not None
        and getattr(other, "lineno", None) == node.lineno
        and other.no != no
        and type(other) is not ast.Expr
        and _text(other) == text
    ]
    return f"{text}@{node.lineno}" + (f":{node.col_offset}" if twins else "")


def _text(node: Any) -> str:
    match node:
        case ast.Name():
            return node.id
        case ast.arg():
            return node.arg
        case ast.alias():
            return (node.asname or node.name).partition(".")[0]
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef() | ast.ExceptHandler():
            return str(node.name)
        case ast.MatchAs() | ast.MatchStar() | ast.TypeVar() | ast.ParamSpec() | ast.TypeVarTuple():
            return str(node.name)
        case ast.MatchMapping():
            return f"**{node.rest}"
        case ast.Attribute() | ast.Subscript():
            return ast.unparse(node)
    return type(node).__name__


def describe(found: Analysed, definition: int, use: int) -> str:
    return f"{place(found, definition)} -> {place(found, use)}"


def check_invariants(found: Analysed) -> None:
    rows = found.rows
    assert rows == sorted(rows, key=lambda row: (row[1], row[0], row[2]))
    assert len({row[:3] for row in rows}) == len(rows)
    assert found.flow.truncated == 0
    for definition, use, variable, kind, _ in rows:
        assert kind in KINDS
        source, target = found.nodes[definition], found.nodes[use]
        assert isinstance(target, ast.Name | ast.Attribute | ast.Subscript)
        if kind in ("attribute", "subscript"):
            assert isinstance(source, ast.Attribute | ast.Subscript)
            assert isinstance(source.ctx, ast.Store)
        else:
            assert variable == _text(target) or variable.endswith(_text(target))
            assert not isinstance(source, ast.Name) or isinstance(source.ctx, ast.Store)
