"""Broken trees: text cases with invariants, and a whole file broken in every way that counts."""

from __future__ import annotations

import random
import re
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from cases import Case, check, parametrize
from codelake.evidence.rows import NestedColumn
from codelake.evidence.spans import SpanMap
from codelake.evidence.structs import AST_DEF, AST_IMPORT, AST_NODE, TS_PROBLEM
from codelake.extract.broken import broken_tree as module_under_test
from codelake.extract.broken.broken_tree import BrokenTree, broken_tree
from codelake.extract.parse import parse
from codelake.extract.syntax.syntax_tree import syntax_tree
from codelake.sources.decode import SourceText, decode
from test_syntax_tree import Row, _facts, _nodes, check_invariants

KINDS = {
    *("CLASS", "FUNCTION", "LAMBDA", "PARAMETER", "IMPORT", "CALL"),
    *("NAME", "ATTRIBUTE", "DECORATOR"),
}


def recover(raw: bytes) -> tuple[Row, BrokenTree]:
    """Return the evidence of a broken file as rows, after checking it."""
    source = decode(raw)
    assert isinstance(source, SourceText)
    found = broken_tree(source, SpanMap(source), "m", 1)
    row: Row = {"content": raw, "encoding": source.encoding}
    columns = [
        ("ast_nodes", AST_NODE, found.tree.nodes),
        ("ast_defs", AST_DEF, found.tree.defs),
        ("ast_imports", AST_IMPORT, found.tree.imports),
        ("problems", TS_PROBLEM, found.problems),
    ]
    for name, kind, values in columns:
        column = NestedColumn(pa.list_(pa.field("element", kind)))
        column.append(values)
        (row[name],) = column.finish().to_pylist()
    check_invariants(row)
    _check_problems(row)
    return row, found


def _check_problems(row: Row) -> None:
    for item in row["problems"]:
        assert 0 <= item["bstart"] <= item["bend"] <= len(row["content"])
        assert item["kind"] in ("error", "missing")
        text = row["content"][item["bstart"] : item["bend"]].decode(row["encoding"])
        assert text[:120] == item["text"]


@parametrize("broken_tree")
def test_case(case: Case) -> None:
    source = decode(case.source.encode())
    assert isinstance(source, SourceText)
    if "whole" not in case.name:
        assert not hasattr(parse(source.text), "body"), "Python can parse it"
    row, found = recover(case.source.encode())
    sections = {
        "nodes": lambda: _nodes(row),
        "defs": lambda: [_facts(item, "def_id", "def_path") for item in row["ast_defs"]],
        "imports": lambda: [_facts(item, "", "kind") for item in row["ast_imports"]],
        "problems": lambda: [_facts(item, "", "kind") for item in row["problems"]],
        "failure": lambda: [str(found.failure)],
    }
    check(case, sections)


WHOLE = '''"""Doc."""
from __future__ import annotations
import os.path as p, sys
from . import a as b, c
if sys: from x import *
@p.d(1)
class A(Base, metaclass=M):
    """Doc."""
    x: int = 1
    @property
    def one(self, a=b(c), *args: int, **kw) -> str:
        def inner(): return lambda y: y.z(self)
        return [inner(k=v) for v in (lambda: w)()]
    async def two(self):
        async with s as t: await t.u()
        if self.v:
            def three(): pass
        elif p: pass
        else:
            def three(): pass
    def two(self): return f"{self.one(1)!r:>{w}}"
def last(q):
    global late
    def late(): pass
    try:
        match q:
            case A(x=1): return q()
    except (E, F) as e: raise G(e) from e
    finally: q.close()
end(1)
'''
DAMAGES = (
    "x = (",
    "def h(",
    "class K(B",
    "foo(1,",
    '"abc',
    "a b c",
    "$ ? !",
    "return (",
    "if x",
    ")",
)


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_bad_line_anywhere_costs_no_definition(damage: str) -> None:
    """Every definition that starts outside the damage keeps its id, name and parameters."""
    lines = WHOLE.split("\n")
    whole = _definitions(_tree(WHOLE))
    tried = 0
    for number in range(len(lines) - 1):
        blanks = re.match(" *", lines[number])
        assert blanks is not None
        if number in (6, 10, 17):  # between a decorator and its definition, or before an elif
            continue
        text = "\n".join([*lines[:number], blanks[0] + damage, *lines[number:]])
        row, _ = recover(text.encode())
        found = _definitions(row)
        assert whole.items() <= found.items(), (number, damage)
        tried += 1
    assert tried > 25


def test_a_broken_line_costs_only_itself() -> None:
    """Cut each line of a file short: what does not start on that line stays as it was."""
    whole = _tree(WHOLE)
    lines = WHOLE.split("\n")
    kept = 0
    for number, line in enumerate(lines):
        if len(line.strip()) < 4 or '"""' in line:  # three quotes may pair with the next three
            continue
        cut = line[: len(line) - 1]
        text = "\n".join([*lines[:number], cut, *lines[number + 1 :]])
        if hasattr(parse(text), "body"):
            continue
        row, _ = recover(text.encode())
        expected = {item for item in _facts_of(whole) if item[3] != number + 1}
        assert expected <= {*_facts_of(row)}, line
        kept += 1
    assert kept > 8


def _tree(text: str) -> Row:
    source = decode(text.encode())
    assert isinstance(source, SourceText)
    found = syntax_tree(parse(source.text), source.raw, SpanMap(source), "m", 1)  # type: ignore[arg-type]
    names = [field.name for field in AST_NODE], [field.name for field in AST_DEF]
    return {
        "ast_nodes": [
            dict(zip(names[0], item, strict=True)) for item in zip(*found.nodes, strict=True)
        ],
        "ast_defs": [
            dict(zip(names[1], item, strict=True)) for item in zip(*found.defs, strict=True)
        ],
    }


def _definitions(row: Row) -> dict[int, tuple[Any, ...]]:
    keys = ("def_path", "qualified_name", "kind", "signature", "is_async", "returns")
    return {item["def_id"]: tuple(item[key] for key in keys) for item in row["ast_defs"]}


def _facts_of(row: Row) -> list[tuple[Any, ...]]:
    """Return kind, name, definition, line and column of the nodes that matter."""
    paths = [item["def_path"] for item in row["ast_defs"]]
    return [
        (node["kind"], node["name"], paths[node["def_no"]], node["line"], node["col"])
        for node in row["ast_nodes"]
        if node["kind"] in KINDS
    ]


ENCODINGS = {
    "byte_order_mark": "\ufeffé = ü(\ndef ñ(): ö.ß\n".encode(),
    "latin_1": "# coding: latin-1\né = ü(\ndef ñ(): ö.ß\n".encode("latin-1"),
    "crlf": "é = ü(\r\ndef ñ(): ö.ß\r\n".encode(),
    "cr": "é = ü(\rdef ñ(): ö.ß\r".encode(),
    "form_feed": "é = ü(\n\fdef ñ(): ö.ß\n".encode(),
    "nul": "é = ü(\0\ndef ñ(): ö.ß\n".encode(),
    "astral": "é = ü('😀',\ndef ñ(): '😀'; ö.ß\n".encode(),
    "shift_jis": "# coding: shift_jis\né = (\ndef ñ(): ö.ß('表')\n".encode("shift_jis", "ignore"),
    "no_last_line_break": "é = ü(\ndef ñ(): ö.ß".encode(),
}


@pytest.mark.parametrize("name", ENCODINGS)
def test_spans_are_bytes_of_the_stored_file(name: str) -> None:
    row, _ = recover(ENCODINGS[name])  # checks that every span decodes to its name
    kinds = {(node["kind"], node["name"]) for node in row["ast_nodes"]}
    if name != "shift_jis":
        assert {("FUNCTION", "ñ"), ("NAME", "ö"), ("ATTRIBUTE", "ß")} <= kinds
        assert (("CALL", "ü") in kinds) == (name != "nul")


HARD = {
    "brackets": "(" * 50_000,
    "balanced": "(" * 20_000 + ")" * 20_000,
    "sum": "1" + "+1" * 8_000 + " $",
    "attributes": "x" + ".y" * 8_000 + " $",
    "nested_calls": "x(a, " * 2_000 + ")" * 2_000 + " $",
    "nested_ifs": "".join(" " * depth + "if x:\n" for depth in range(500)) + " " * 500 + "$$",
    "elif": "if a: b\n" + "elif a: b\n" * 2_000 + "$\n",
    "half_definitions": "def f(\n" * 1_000,
    "f_strings": 'f"{' * 20_000,
    "quotes": '\\"""\n' * 1_000,
    "operators": "a " + "& b ^ c " * 2_000 + "$",
    "targets": "a=" * 8_000 + "1 $",
    "random": "".join(chr(random.Random(1).randrange(1, 256)) for _ in range(8_000)),
}


@pytest.mark.parametrize("name", HARD)
def test_hard_input_is_no_fault(name: str) -> None:
    recover(HARD[name].encode())


def test_a_piece_that_is_too_long_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module_under_test, "PIECE_LIMIT", 50)
    text = "def f(): pass\nx = [" + "1, " * 20 + "$]\ndef g(): pass\n"
    row, found = recover(text.encode())
    assert [item["name"] for item in row["ast_defs"]] == ["m", "f", "g"]
    assert found.failure is not None
    assert (found.failure.error_type, found.failure.line) == ("TooLarge", 2)


def test_all_pieces_together_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module_under_test, "TOTAL_LIMIT", 12)
    row, found = recover(b"a $ b\nc $ d\ne $ f\n")
    assert {item["name"] for item in row["ast_nodes"]} >= {"a", "b", "c", "d"}
    assert found.failure is not None
    assert found.failure.line == 3


TOKENS = st.sampled_from(
    [
        *("def f", "class C", "(", ")", "[", "]", "{", "}", ":", ",", "=", "\n", "\n    ", "\n  "),
        *("if", "else", "x", "y.z", "lambda", '"', "'", '"""', 'f"{', "#", "\\", "@", "async "),
        *("match x", "case 1", "try", "except", "return ", "import a", "from b import c", "*", "é"),
        *("\r", "\f", "\t", "\0", "😀", "print x", "1L", "`a`", "<<<<<<< a\n", "=======\n", "$"),
    ]
)


@settings(max_examples=80, deadline=None)
@example("def fé<<<<<<< a\n")
@example("class Cy.zdef f:")
@example("@y.z\ndef f")
@given(st.lists(TOKENS, max_size=25).map("".join))
def test_any_text_keeps_the_invariants(text: str) -> None:
    first, _ = recover(text.encode())
    second, _ = recover(text.encode())
    assert first == second
