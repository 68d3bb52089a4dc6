"""Control-flow evidence: text cases, with invariants on every one; deep and long input."""

from __future__ import annotations

import ast
import re
from collections import Counter, defaultdict
from functools import partial
from pathlib import Path

import pytest

from cases import Case, check, load_cases, parametrize
from codelake.extract.flow.control_flow import (
    ENTRY,
    EXIT,
    FlowUnit,
    control_flow,
    reachable,
)
from flow_expected import expected_points
from flow_trace import numbered
from timing import cpu_seconds
from trees import copy_tree

LABELS = {None, "true", "false", "case", "loop", "exception", "finally"}


@parametrize("control_flow")
def test_case(case: Case) -> None:
    tree = numbered(case.source)
    units = control_flow(tree)
    assert_sound(tree, units)
    check(case, {"cfg": lambda: printed(case.source, tree, units)})


def test_there_are_enough_cases() -> None:
    assert len(load_cases("control_flow")) >= 120


def printed(text: str, tree: ast.Module, units: list[FlowUnit]) -> list[str]:
    """Print the edges of each unit; straight runs of points stand on one line."""
    nodes = {node.no: node for node in ast.walk(tree) if hasattr(node, "no")}
    lines = []
    for unit in units:
        names = point_names(text, unit, nodes)
        if unit.no:
            name = getattr(nodes[unit.no], "name", "")
            lines.append(f"{unit.kind} {name}".strip() + ":")
        live = reachable(unit)
        for number, block in enumerate(unit.blocks):
            if number == 1:
                continue
            mark = "" if live[number] else "dead: "
            chain = " -> ".join(names[point] for point in block)
            jumps = [edge for edge in unit.edges if edge[0] == number]
            if [label for _, _, label in jumps] == [None]:
                lines.append(f"{mark}{chain} -> {names[unit.blocks[jumps[0][1]][0]]}")
                continue
            lines += [mark + chain] if len(block) > 1 or not jumps else []
            for _, target, label in jumps:
                arrow = f"-{label}->" if label else "->"
                lines.append(f"{mark}{names[block[-1]]} {arrow} {names[unit.blocks[target][0]]}")
    return lines


def point_names(text: str, unit: FlowUnit, nodes: dict[int, ast.AST]) -> dict[int, str]:
    """Name each point by its source, with its place where two would have one name."""
    points = [no for block in unit.blocks for no in block if no >= 0]
    plain = {no: _name(text, nodes[no]) for no in points}
    used = Counter(plain.values())
    names = {ENTRY: "entry", EXIT: "exit"}
    for no, name in plain.items():
        node = nodes[no]
        node = node.pattern if isinstance(node, ast.match_case) else node
        place = f"@{node.lineno}:{node.col_offset}"
        names[no] = name if used[name] == 1 else name + place
    return names


def _name(text: str, node: ast.AST) -> str:
    source = re.sub(r"\s+", " ", ast.get_source_segment(text, node) or "")
    if isinstance(getattr(node, "ctx", None), ast.Store):
        return f"{source}="
    if isinstance(getattr(node, "ctx", None), ast.Del):
        return f"~{source}"
    match node:
        case ast.Constant() | ast.JoinedStr():
            return ast.unparse(node)  # inside f-strings places differ between versions
        case ast.FormattedValue():
            return f"{{{ast.unparse(node.value)}}}"
        case ast.Expr() | ast.Assign() | ast.AnnAssign() | ast.Delete():
            return f"{source};"
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            return f"def {node.name}"
        case ast.ClassDef():
            return f"class {node.name}"
        case ast.For() | ast.AsyncFor():
            return f"for {ast.unparse(node.target)}"
        case ast.With() | ast.AsyncWith():
            return f"with {', '.join(ast.unparse(item) for item in node.items)}"
        case ast.ExceptHandler():
            return f"except {ast.unparse(node.type)}" if node.type else "except"
        case ast.ImportFrom():
            return f"from {'.' * node.level}{node.module or ''}"
        case ast.TypeAlias():
            return f"type {node.name.id}"
        case ast.match_case():
            return f"case {ast.unparse(node.pattern)}"
        case ast.MatchValue():
            return f"== {source}"
        case ast.MatchSingleton():
            return f"is {source}"
        case ast.MatchAs():
            return f"as {node.name}"
        case ast.MatchStar():
            return f"as *{node.name}"
        case ast.MatchSequence() | ast.MatchMapping() | ast.MatchClass():
            return f"match {source}"
    return source


def assert_sound(tree: ast.Module, units: list[FlowUnit]) -> None:
    """Check what must hold of any graph."""
    assert [unit.no for unit in units] == sorted({unit.no for unit in units})
    assert (units[0].kind, units[0].no) == ("module", 0)
    points = [(no, unit.no) for unit in units for block in unit.blocks for no in block if no >= 0]
    assert len({no for no, _ in points}) == len(points), "a node is two points"
    for unit in units:
        _assert_unit(unit)
    assert sorted(points) == sorted((node.no, unit) for node, unit in expected_points(tree))


def _assert_unit(unit: FlowUnit) -> None:
    blocks, edges = unit.blocks, unit.edges
    assert blocks[:2] == [[ENTRY], [EXIT]]
    assert all(block and min(block) >= 0 for block in blocks[2:])
    assert len(set(edges)) == len(edges)
    out: dict[int, list[tuple[int, str | None]]] = defaultdict(list)
    into: Counter[int] = Counter()
    for source, target, label in edges:
        assert 0 <= source < len(blocks) and 0 <= target < len(blocks) and label in LABELS
        assert source != 1, "something follows the exit"
        assert target != 0, "something precedes the entry"
        out[source].append((target, label))
        into[target] += 1
    assert out[0], "the entry leads nowhere"
    for block in range(2, len(blocks)):
        assert out[block], "a run ends without an edge"
        labels = [label for _, label in out[block]]
        kinds = set(labels) - {"exception"}
        if kinds & {"true", "false"}:
            assert kinds <= {"true", "false"}, labels
        if "case" in kinds:
            assert labels == ["case"]
        (target, label), *others = out[block]
        straight = not others and label is None and target > 1 and into[target] == 1
        assert not straight, "a run could be longer"


def flow(text: str) -> list[FlowUnit]:
    tree = numbered(text)
    units = control_flow(tree)
    assert_sound(tree, units)
    return units


DEEP = {
    "sum": "x = " + "a + " * 900 + "a",
    "attributes": "x" + ".y" * 900,
    "calls": "f" + "()" * 900,
    "unary": "x = " + "-" * 900 + "a",
    "not": "x = " + "not " * 900 + "a",
    "not_test": "if " + "not " * 900 + "a: b",
    "power": "x = " + "a ** " * 900 + "a",
    "conditional": "x = " + "a if b else " * 900 + "c",
    "conditional_test": "if " + "a if b else " * 900 + "c: d",
    "lambda": "x = " + "lambda: " * 900 + "a",
    "parentheses": "x = " + "(a and " * 90 + "b" + ")" * 90,
    "lists": "x = " + "[" * 90 + "]" * 90,
    "comprehensions": "x = " + "[" * 60 + "a" + " for b in c]" * 60,
    "targets": "(" * 60 + "a" + ",)" * 60 + " = b",
    "patterns": "match a:\n case " + "[" * 60 + "b" + "]" * 60 + ": c",
    "elif": "if a: b\n" + "elif a: b\n" * 900,
    "nested": "\n".join(" " * level + "try:" for level in range(15))
    + "\n"
    + " " * 15
    + "a\n"
    + "".join(" " * level + "finally: b\n" for level in reversed(range(15))),
}


@pytest.mark.parametrize("name", DEEP)
def test_depth_costs_no_recursion(name: str) -> None:
    units = flow(DEEP[name])
    assert sum(len(block) for unit in units for block in unit.blocks) > 3


LONG = {
    "statements": ("x = a\n", "", "x = a\n"),
    "ifs": ("", "", "if a: b\n"),
    "tries": ("", "", "try: a\nexcept E: b\nfinally: c\n"),
    "loops": ("", "", "while a:\n if b: break\nelse: c\n"),
    "elements": ("x = [", "]", "a, "),
    "pairs": ("try: x = {", "}\nexcept: b", "1: a, "),
    "and": ("x = a", "", " and a"),
    "and_test": ("if a", ": b", " and a"),
    "chain": ("x = a", "", " < a"),
    "cases": ("match a:\n", "", " case {'k': 1, **r} if g: b\n"),
    "alternatives": ("match a:\n case 1", ": b", " | 1"),
    "items": ("with a", ": b", ", a"),
    "handlers": ("try: a\n", "", "except E: b\n"),
    "stars": ("try: a\n", "", "except* E: b\n"),
    "body": ("try:\n", "finally: b", " a()\n"),
    "returns": ("def f():\n try:\n", "  a\n finally: b", "  if a: return\n"),
    "clauses": ("[a", "]", " for a in b if c"),
    "arguments": ("f(", ")", "*a, "),
}


@pytest.mark.parametrize("name", LONG)
def test_time_grows_with_length_only(name: str) -> None:
    first, last, piece = LONG[name]
    seconds = []
    for count in (200, 2000):
        tree = numbered(first + piece * count + last)
        seconds.append(cpu_seconds(partial(control_flow, tree)))
    assert seconds[1] < 30 * seconds[0] + 0.05, seconds


@pytest.mark.prove
def test_a_hundred_thousand_statements() -> None:
    (unit,) = control_flow(numbered("if a: b\n" * 50_000 + "x = a\n" * 50_000))
    assert len(unit.blocks) == 3 + 2 * 50_000


@pytest.mark.prove
def test_invariants_over_django(tmp_path: Path) -> None:
    files = sorted(copy_tree("django", tmp_path).rglob("*.py"))
    assert _check_files(files) > 800


@pytest.mark.prove
def test_invariants_over_the_standard_library() -> None:
    files = sorted(Path(ast.__file__).parent.rglob("*.py"))
    assert _check_files([path for path in files if "site-packages" not in path.parts]) > 1000


def _check_files(files: list[Path]) -> int:
    count = 0
    for path in files:
        try:
            text = path.read_bytes().decode("utf-8")
            compile(text.encode(), str(path), "exec", dont_inherit=True)
        except (SyntaxError, UnicodeError, ValueError):  # tests of the parser
            continue
        flow(text)
        count += 1
    return count
