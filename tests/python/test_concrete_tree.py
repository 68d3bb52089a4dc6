"""Concrete tree evidence: text cases, with invariants on every one, encodings and failures."""

from __future__ import annotations

import ast
import subprocess
import sys
import unicodedata
from pathlib import Path
from typing import Any

import pytest

from cases import Case, check, parametrize
from codelake.errors import CodelakeError
from codelake.evidence import structs
from codelake.evidence.rows import NestedColumn
from codelake.evidence.spans import SpanMap
from codelake.extract.concrete import concrete_tree as module
from codelake.extract.concrete.concrete_tree import (
    MAX_DEPTH,
    WIDTHS,
    ConcreteTree,
    concrete_tree,
    depth,
)
from codelake.extract.parse import parse
from codelake.sources.decode import SourceText, decode

type Row = dict[str, Any]
STRUCTS = {
    "manifest": structs.CST_MANIFEST,
    "refs": structs.CST_REF,
    "defs": structs.CST_DEF,
    "imports": structs.CST_IMPORT,
    "callsites": structs.CST_CALLSITE,
    "call_args": structs.CST_CALL_ARG,
    "type_exprs": structs.CST_TYPE_EXPR,
    "docstrings": structs.CST_DOCSTRING,
    "decorators": structs.CST_DECORATOR,
}


def extract(raw: bytes, name: str = "p.m", package: str = "p") -> ConcreteTree:
    source = decode(raw)
    assert isinstance(source, SourceText)
    found = concrete_tree(source, SpanMap(source), parse(source.text), name, package)
    check_invariants(tables(found), raw, source.encoding)
    return found


def tables(found: ConcreteTree) -> dict[str, list[Row]]:
    """Return the rows of every table by way of Arrow, as the evidence table would hold them."""
    result = {}
    for name, struct in STRUCTS.items():
        column = NestedColumn(structs.array(struct))
        column.append(getattr(found, name))
        array = column.finish()
        array.validate(full=True)
        (result[name],) = array.to_pylist()
    return result


def check_invariants(found: dict[str, list[Row]], raw: bytes, encoding: str) -> None:
    """Spans lie in the file and hold what they name; indexes point at rows."""

    def text(row: Row, prefix: str = "") -> str:
        start, end = row[f"{prefix}bstart"], row[f"{prefix}bend"]
        assert 0 <= start <= end <= len(raw)
        return unicodedata.normalize("NFKC", raw[start:end].decode(encoding))

    for row in found["refs"]:
        name, found_text = row["text"], text(row)
        assert found_text == name if row["kind"] != "attribute" else found_text.endswith(name)
        assert row["context"] in ("load", "store", "del")
    definitions = found["defs"]
    for number, row in enumerate(definitions):
        assert text(row, "name_") == row["name"]
        assert text(row).startswith(("def", "async", "class"))
        if row["container_idx"] is not None:
            outer = definitions[row["container_idx"]]
            assert row["container_idx"] < number
            assert outer["bstart"] < row["bstart"] <= row["bend"] <= outer["bend"]
    for row in found["imports"]:
        assert row["stmt_bstart"] < row["bstart"] <= row["bend"] <= row["stmt_bend"]
        assert text(row, "stmt_").startswith(("import", "from"))
    calls = found["callsites"]
    for row in calls:
        assert text(row).endswith(")")
        assert row["bstart"] <= row["callee_bstart"] < row["callee_bend"] < row["bend"]
        assert len(row["callee_qnames"]) == len(row["callee_qname_sources"])
        assert row["callee_qnames"] == sorted(row["callee_qnames"])
    counted = [0] * len(calls)
    for row in found["call_args"]:
        call = calls[row["call_idx"]]
        assert row["idx"] == counted[row["call_idx"]]
        counted[row["call_idx"]] += 1
        assert call["callee_bend"] < row["bstart"] < row["bend"] <= call["bend"]
    assert counted == [row["arg_count"] for row in calls]
    for name in ("call_args", "type_exprs", "decorators"):
        for row in found[name]:
            assert text(row).startswith(unicodedata.normalize("NFKC", row["text"])[:200])
    for row in found["docstrings"] + found["decorators"]:
        kind = "module" if row["owner_idx"] is None else definitions[row["owner_idx"]]["kind"]
        assert row["owner_kind"] == kind


@parametrize("concrete_tree")
def test_case(case: Case) -> None:
    found = extract(case.source.encode())
    printed = tables(found)
    sections = {name: (lambda name=name: [_line(row) for row in printed[name]]) for name in STRUCTS}
    sections["failure"] = lambda: [] if found.failure is None else [_failure(found)]
    check(case, sections)


def _line(row: Row) -> str:
    """Print a row: values that are set, spans as start..end."""
    parts = []
    for key, value in row.items():
        prefix, _, last = key.rpartition("bstart")
        if key.endswith("bend") or value is None or value is False or value == []:
            continue
        if key in ("level", "decorator_count", "arg_count") and value == 0:
            continue
        if prefix + last != key:
            parts.append(f"{prefix.rstrip('_') or 'at'}={value}..{row[prefix + 'bend']}")
        elif key in ("libcst_version", "parsed_python_version"):
            parts.append(key)
        else:
            parts.append(f"{key}={value!r}")
    return " ".join(parts)


def _failure(found: ConcreteTree) -> str:
    assert found.failure is not None
    return f"{found.failure.error_type} at {found.failure.line}:{found.failure.column}"


def test_columns_fit_the_structs() -> None:
    assert {name: struct.num_fields for name, struct in STRUCTS.items()} == WIDTHS
    empty = extract(b"x = (\n")
    assert empty.failure is not None
    assert all(not found for found in tables(empty).values())


ENCODED = [
    ("utf-8", b"# caf\xc3\xa9 \xf0\x9f\x90\x8d\n", ""),
    ("utf-8", b"\xef\xbb\xbf# bom\n", ""),
    ("iso-8859-1", b"# coding: latin-1 \xe9\n", ""),
    ("cp1252", b"# coding: cp1252 \x80\n", ""),
    ("shift_jis", b"# coding: shift_jis\n", "\u8868"),
    ("iso2022_jp", b"# coding: iso2022_jp\n", "\u8868\u793a"),
    ("utf-7", b"# coding: utf-7\n", "\u8868"),
]


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize(("encoding", "head", "letters"), ENCODED)
def test_spans_are_raw_bytes_in_every_encoding(
    encoding: str, head: bytes, letters: str, newline: str
) -> None:
    special = letters or "\xe9"
    lines = [f"s = '{special}'; call(s, '{special}', name)", f"def f(a: '{special}'): '{special}'"]
    body = "".join(f"{line}\n" for line in lines)
    raw = head.replace(b"\n", newline.encode()) + body.replace("\n", newline).encode(encoding)
    source = decode(raw)
    assert isinstance(source, SourceText)
    found = tables(extract(raw))  # the invariants slice every span
    arguments = [raw[row["bstart"] : row["bend"]].decode(encoding) for row in found["call_args"]]
    assert arguments == ["s", f"'{special}'", "name"]
    spans = SpanMap(source)
    for node in ast.walk(ast.parse(source.text)):
        if isinstance(node, ast.Name):
            start = spans.locate(node.lineno, node.col_offset)[0]
            assert start in [row["bstart"] for row in found["refs"] if row["text"] == node.id]


BLOCKS = "".join(" " * level + "if a:\n" for level in range(95))
DEEP = {
    "attributes": ("x" + ".y" * 5000, True),
    "calls": ("f" + "()" * 900, True),
    "sum": ("1" + "+1" * 900, True),
    "and": ("a" + " and a" * 50_000, True),
    "comprehension": ("[a " + "for a in b " * 900 + "]", True),
    "parentheses": ("(" * 5000 + ")" * 5000, True),
    "unary": ("-" * 5000 + "1", True),
    "not": ("not " * 1000 + "1", True),
    "lambda": ("lambda: " * 1000 + "1", True),
    "conditional": ("a if b else " * 1000 + "c", True),
    "power": ("1" + "**1" * 1000, True),
    "subscript": ("a" + "[0]" * 1000, True),
    "elif": ("if a: b\n" + "elif a: b\n" * 700, True),
    "strings": ("x = (" + "'a' " * 5000 + ")", True),
    "some strings": ("x = (" + "'a' " * 100 + ")", False),
    "some sum": ("1" + "+1" * (MAX_DEPTH // 2), False),
    "some parentheses": ("(" * 150 + "a" + ")" * 150, False),
    "some elif": ("if a: b\n" + "elif a: b\n" * (MAX_DEPTH // 2), False),
    "blocks": (BLOCKS + " " * 95 + "(lambda: " * 90 + "1" + ")" * 90, False),
    "comparison": ("a" + " < a" * 3000, False),
    "elements": ("x = [" + "a, " * 10_000 + "]", False),
    "assignments": ("a = " * 3000 + "1", False),
}


@pytest.mark.parametrize("name", DEEP)
def test_deep_nesting_is_a_tree_or_a_failure(name: str) -> None:
    text, fails = DEEP[name]
    assert (extract(text.encode()).failure is not None) == fails


def test_depth_counts_what_libcst_nests() -> None:
    flat = depth(ast.parse("a"))
    assert depth(ast.parse("a and a and a")) > flat + 2
    assert depth(ast.parse("[a for a in b for a in b for a in b]")) > flat + 3
    assert depth(ast.parse("[a, a, a, a, a, a]")) == depth(ast.parse("[a]"))


@pytest.mark.parametrize("raw", [b"\\\nx = 1\n", b"\fx = 1\n", b"if a:\n  b\n  \\\n  c\n"])
def test_a_source_that_is_not_printed_back_is_a_failure(raw: bytes) -> None:
    found = extract(raw)  # LibCST drops some continuation lines and form feeds
    assert found.failure is not None
    assert found.failure.error_type == "UnfaithfulTreeError"


@pytest.mark.parametrize("size", [100, 20_000])
def test_a_string_annotation_cannot_kill_the_process(size: int) -> None:
    hint = "(" * size + "int" + ")" * size
    found = extract(f"x: '{hint}' = f(g)\ny: 'a' '{hint}' = 1\n".encode())
    assert found.failure is None
    assert [row["text"] for row in tables(found)["refs"]] == ["x", "f", "g", "y"]


def test_the_place_of_an_error_is_that_of_the_parser() -> None:
    found = extract(b"x = 1\n(y): int\n")  # Python's parser takes it, LibCST does not
    assert found.failure is not None
    assert (found.failure.line, found.failure.column) == (2, 4)


def test_without_scopes_the_rest_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    from codelake.extract.concrete import concrete_reader

    monkeypatch.setattr(concrete_reader, "concrete_scopes", lambda *_: 1 / 0)
    found = extract(b"def f(): g(x)\n")
    assert found.failure is not None
    assert found.failure.error_type == "ZeroDivisionError"
    (call,) = tables(found)["callsites"]
    assert (call["callee_dotted"], call["callee_qnames"]) == ("g", [])
    assert {row["scope_kind"] for row in tables(found)["refs"]} == {None}


def test_a_nonlocal_at_module_level_costs_only_the_scopes() -> None:
    found = extract(b"nonlocal x\nf(x)\n")  # CPython refuses it after parsing
    assert found.failure is not None
    assert found.failure.error_type == "NotImplementedError"
    assert len(tables(found)["callsites"]) == 1


def test_an_interrupt_is_not_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    from codelake.extract.concrete import concrete_reader

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(concrete_reader, "read", interrupt)
    with pytest.raises(KeyboardInterrupt):
        extract(b"x\n")


def test_without_libcst_the_error_says_what_to_install() -> None:
    program = (
        "import sys; sys.modules['libcst'] = None\n"
        "import ast\n"
        "from codelake.errors import CodelakeError\n"
        "from codelake.evidence.spans import SpanMap\n"
        "from codelake.extract.concrete.concrete_tree import concrete_tree\n"
        "from codelake.sources.decode import decode\n"
        "source = decode(b'x')\n"
        "try: concrete_tree(source, SpanMap(source), ast.parse('x'), 'm', '')\n"
        "except CodelakeError as error: print(error)\n"
    )
    folder = str(Path(module.__file__).parents[2])
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, env={"PYTHONPATH": folder}
    )
    assert done.stdout.startswith("LIBCST_MISSING: "), done.stderr
    assert "fix: pip install" in done.stdout


def test_another_missing_module_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "codelake.extract.concrete.concrete_reader", None)
    monkeypatch.delattr("codelake.extract.concrete.concrete_reader", raising=False)
    with pytest.raises(ModuleNotFoundError) as raised:
        extract(b"x\n")
    assert not isinstance(raised.value, CodelakeError)
