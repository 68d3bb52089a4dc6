"""Comments: text cases, and CPython's tokenizer and parser as the judge."""

from __future__ import annotations

import ast
import io
import sysconfig
import tokenize
import warnings
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cases import Case, check, load_cases, parametrize
from codelake.evidence.rows import NestedColumn
from codelake.evidence.spans import SpanMap
from codelake.evidence.structs import COMMENT
from codelake.extract.broken.comments import comments
from codelake.sources.decode import SourceText, decode

STDLIB = Path(sysconfig.get_path("stdlib"))
FEW = ["ast", "argparse", "json/decoder", "typing", "test/test_fstring", "test/test_tokenize"]


def read(raw: bytes) -> list[dict[str, Any]]:
    """Return the comments of a file as rows, after checking their spans."""
    source = decode(raw)
    assert isinstance(source, SourceText)
    column = NestedColumn(pa.list_(pa.field("element", COMMENT)))
    column.append(comments(source, SpanMap(source)).rows)
    (rows,) = column.finish().to_pylist()
    lines = [0, *source.line_starts]
    for row in rows:
        assert raw[row["bstart"] : row["bend"]].decode(source.encoding) == row["text"]
        assert row["text"].startswith("#")
        assert row["end_col"] - row["col"] == len(row["text"])
        start = lines[row["line"]] + (3 if source.bom and row["line"] == 1 else 0)
        before = raw[start : row["bstart"]].decode(source.encoding)
        assert len(before) == row["col"]
        assert row["is_own_line"] == (not before.strip(" \t\f"))
    return rows  # type: ignore[no-any-return]


@parametrize("comments")
def test_case(case: Case) -> None:
    check(case, {"comments": lambda: [_line(row) for row in read(case.source.encode())]})


def _line(row: dict[str, Any]) -> str:
    codes = f" {row['codes']}" if row["codes"] else ""
    own = " own" if row["is_own_line"] else ""
    place = f"{row['line']}:{row['col']}-{row['end_col']}"
    return f"{place} {row['kind']} {row['text']!r}{codes}{own}"


def _tokens(text: str) -> list[tuple[int, int, int, str]]:
    """Return the comments as CPython's tokenizer sees them."""
    readline = io.StringIO(text, newline=None).readline
    return [
        (token.start[0], token.start[1], token.end[1], token.string)
        for token in tokenize.generate_tokens(readline)
        if token.type == tokenize.COMMENT
    ]


def _whole(rows: list[dict[str, Any]]) -> list[tuple[int, int, int, str]]:
    """Return the comments without the marks that lie inside another comment."""
    found, end = [], -1
    for row in rows:
        if row["bstart"] >= end:
            found.append((row["line"], row["col"], row["end_col"], row["text"]))
            end = row["bend"]
    return found


def agrees(raw: bytes) -> bool:
    """Compare with tokenizer and parser; return whether Python can read the file."""
    source = decode(raw)
    if not isinstance(source, SourceText):
        return False
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            ast.parse(source.text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return False
        rows = read(raw)
        assert _whole(rows) == _tokens(source.text)
        try:
            ignores = ast.parse(source.text, type_comments=True).type_ignores
        except SyntaxError:  # prose that looks like a type comment
            return True
    mine = [row["line"] for row in rows if row["kind"] == "type_ignore" and _starts(row, rows)]
    assert mine == [item.lineno for item in ignores if isinstance(item, ast.TypeIgnore)]
    return True


def _starts(row: dict[str, Any], rows: list[dict[str, Any]]) -> bool:
    """Return whether a row is a comment of its own: Python looks at the start only."""
    first = next(item for item in rows if item["line"] == row["line"])
    return first is row


@pytest.mark.parametrize("case", load_cases("comments"), ids=lambda case: case.name)
def test_a_case_agrees_with_cpython(case: Case) -> None:
    is_program = not case.name.startswith(("broken", "template"))
    assert agrees(case.source.encode()) == is_program


@pytest.mark.parametrize("name", FEW)
def test_a_module_agrees_with_cpython(name: str) -> None:
    assert agrees((STDLIB / f"{name}.py").read_bytes())


ENCODINGS = {
    "byte_order_mark": "\ufeff# é\nx = 'ü' # ñ 😀\n".encode(),
    "latin_1": "# coding: latin-1\nx = 'ü' # ñ\n".encode("latin-1"),
    "shift_jis": "# coding: shift_jis\nx = '表' # 表\n".encode("shift_jis"),
    "iso_2022_jp": "# coding: iso-2022-jp\nx = '表' # 表\ny # 表\n".encode("iso-2022-jp"),
    "crlf": "# a\r\nx = '''\r\n# no''' # é\r\n".encode(),
    "cr": "# a\rx = '''\r# no''' # é\r".encode(),
    "form_feed": "\f# a\nx\f# é\n".encode(),
    "utf_7": b"# coding: utf-7\nx = '+AOk-' # +AOk-\n",
}


@pytest.mark.parametrize("name", ENCODINGS)
def test_an_encoding_agrees_with_cpython(name: str) -> None:
    raw = ENCODINGS[name]
    assert agrees(raw)
    assert len(read(raw)) >= 2


PIECES = st.sampled_from(
    [
        *("#", " # noqa: E501", "# type: ignore", "\n", "\r", "\r\n", "x", "'", '"', "'''", '"""'),
        *(
            "f'",
            'f"',
            'f"""',
            "{",
            "}",
            ":",
            "!r",
            "\\",
            "(",
            ")",
            "é",
            "😀",
            "\f",
            "\t",
            " ",
            "r'",
        ),
    ]
)


@settings(max_examples=400, deadline=None)
@given(st.lists(PIECES, max_size=20).map("".join))
def test_any_text_has_exact_spans(text: str) -> None:
    agrees(text.encode()) or read(text.encode())


@pytest.mark.parametrize(
    "text", ['f"{' * 20_000, '\\"""\n' * 20_000, "f'{#" * 20_000, "#" * 100_000]
)
def test_hard_input_is_no_fault(text: str) -> None:
    read(text.encode())


@pytest.mark.prove
def test_the_standard_library_agrees_with_cpython() -> None:
    paths = [path for path in sorted(STDLIB.rglob("*.py")) if "site-packages" not in path.parts]
    assert sum(agrees(path.read_bytes()) for path in paths) > 500
