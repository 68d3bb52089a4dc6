"""Syntax tree evidence against CPython: qualified names, signatures, deep nesting, stable ids."""

from __future__ import annotations

import ast
import contextlib
import json
import types
from collections import Counter
from pathlib import Path

import pytest

from cases import load_cases
from codelake.evidence.ids import definition_id, file_id
from codelake.evidence.spans import SpanMap
from codelake.extract.syntax.syntax_tree import syntax_tree
from codelake.sources.decode import SourceText, decode
from test_syntax_tree import extract

NUMBERED = (
    *(ast.expr, ast.stmt, ast.arg, ast.alias, ast.match_case, ast.pattern),
    *(ast.ExceptHandler, ast.type_param),
)
SYNTAX, LINE = 1, 15  # columns of AST_NODE
HIDDEN = {"<genexpr>", "<listcomp>", "<setcomp>", "<dictcomp>"}
STDLIB = [Path(module.__file__ or "") for module in (ast, json, types, pytest)]


def qualnames(code: types.CodeType) -> list[str]:
    found = []
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            found += [] if constant.co_name in HIDDEN else [constant.co_qualname]
            found += qualnames(constant)
    return found


def programs() -> list[tuple[bytes, types.CodeType]]:
    """Return the sources that CPython compiles, each compiled and never executed."""
    texts = [case.source.encode() for case in load_cases("syntax_tree")]
    found = []
    for raw in texts + [path.read_bytes() for path in STDLIB]:
        with contextlib.suppress(SyntaxError, UnicodeError):  # cases of broken files
            found.append((raw, compile(raw, "m.py", "exec", dont_inherit=True)))
    return found


PROGRAMS = programs()


def test_nearly_every_case_is_a_program() -> None:
    assert len(PROGRAMS) > 50


@pytest.mark.parametrize("number", range(len(PROGRAMS)))
def test_names_and_signatures_are_those_of_cpython(number: int, tmp_path: Path) -> None:
    raw, code = PROGRAMS[number]
    definitions = extract(raw, tmp_path)["ast_defs"]
    mine = Counter(item["qualified_name"].removeprefix("m.") for item in definitions[1:])
    theirs = Counter(qualnames(code))
    assert mine <= theirs
    # CPython also has a code object per annotation scope (PEP 695), which defines nothing
    generic = b"type A[" in raw or b"def f[" in raw
    assert generic or mine == theirs
    functions = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
    nodes = [node for node in ast.walk(ast.parse(raw)) if isinstance(node, functions)]
    signatures = [item["signature"] for item in definitions if item["signature"] is not None]
    assert Counter(signatures) == Counter(ast.unparse(node.args) for node in nodes)


DEEP = {
    "attributes": ("x" + ".y" * 5000, None),
    "calls": ("f" + "()" * 900, 903),
    "sum": ("1" + "+1" * 900, 1803),
    "parentheses": ("(" * 5000 + ")" * 5000, None),
    "unary": ("-" * 5000 + "1", None),
    "elif": ("if a: b\n" + "elif a: b\n" * 700, None),
    "nul": ("x = 1\0", None),
}


@pytest.mark.parametrize("name", DEEP)
def test_deep_nesting_is_a_tree_or_an_error(name: str, tmp_path: Path) -> None:
    text, nodes = DEEP[name]
    row = extract(text.encode(), tmp_path)
    refused = [error for error in row["errors"] if error["extractor"] == "ast"]
    assert row["parser"] == ("tree_sitter" if refused else "ast")
    assert nodes is None or len(row["ast_nodes"]) == nodes


def test_an_edit_inside_a_function_keeps_every_other_address(tmp_path: Path) -> None:
    before = extract(b"def f():\n    a\ndef g():\n    b = lambda: c\nd()\n", tmp_path)
    after = extract(
        b"def f():\n    def h(): a\n    a; a\ndef g():\n    b = lambda: c\nd()\n", tmp_path
    )
    assert _ids(before, "f") <= _ids(after, "f")
    assert _ids(before, "f") | _ids(after, "f") == _ids(after, "f")


def test_a_fault_of_codelake_costs_one_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("codelake.extract.source_evidence.parse", lambda _: 1 / 0)
    row = extract(b"x = 1\n", tmp_path)
    assert [error["error_type"] for error in row["errors"]] == ["ZeroDivisionError"]
    assert [node["kind"] for node in row["ast_nodes"]] == ["MODULE"]


def test_a_fault_of_one_extractor_costs_its_arrays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("codelake.extract.source_evidence.control_flow", lambda _: 1 / 0)
    row = extract(b"x = 1\n", tmp_path)
    found = [(error["extractor"], error["error_type"]) for error in row["errors"]]
    assert found == [("flow", "ZeroDivisionError")]
    assert row["flow_edges"] == []
    assert row["facts"]
    assert row["symtable_names"]


@pytest.mark.parametrize("number", range(len(PROGRAMS)))
def test_every_node_of_the_tree_knows_its_row(number: int) -> None:
    source = decode(PROGRAMS[number][0])
    assert isinstance(source, SourceText)
    tree = ast.parse(source.text)
    rows = syntax_tree(tree, source.raw, SpanMap(source), "m", 1).nodes
    for node in ast.walk(tree):
        if isinstance(node, NUMBERED):
            assert rows[SYNTAX][node.no] == type(node).__name__
            assert isinstance(node, ast.match_case) or rows[LINE][node.no] == node.lineno


def test_ids_of_definitions(tmp_path: Path) -> None:
    row = extract(b"class C:\n    def f(self): pass\n", tmp_path)
    file = file_id("r", "m.py")
    expected = [definition_id(file, path) for path in ("", "C", "C.f")]
    assert [item["def_id"] for item in row["ast_defs"]] == expected


def test_a_file_that_is_no_text_keeps_its_names_and_tells_the_error(tmp_path: Path) -> None:
    row = extract(b"x = 1\ny = '\xff'\n", tmp_path)
    assert [node["name"] for node in row["ast_nodes"] if node["kind"] == "NAME"] == ["x", "y"]
    (error,) = row["errors"]
    assert (error["extractor"], error["line"], error["bstart"]) == ("decode", 2, 11)
    assert row["line_starts"] == [0, 6]
    assert row["encoding"] is None


def _ids(row: dict[str, list[dict[str, object]]], without: str) -> set[tuple[object, ...]]:
    """Return path, ordinal, kind and name of every node outside one function."""
    names = [item["def_path"] for item in row["ast_defs"]]
    return {
        (names[node["def_no"]], node["ordinal"], node["kind"], node["name"])
        for node in row["ast_nodes"]
        if not str(names[node["def_no"]]).startswith(without)
    }
