"""Spans: whatever the encoding and the line breaks, the bytes of a name are the name."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codelake.evidence.spans import SpanMap
from codelake.sources.decode import SourceText, decode
from test_syntax_tree import extract

ENCODINGS = ("utf-8", "latin-1", "cp1252", "shift_jis", "gbk", "big5", "euc-jp", "iso2022_jp")
WIDE = {
    "utf-8": "é表𝒳😀ü",
    "latin-1": "éüñ",
    "cp1252": "é€Ÿ",
    "shift_jis": "表ソ能",  # second bytes are a backslash
    "gbk": "表汉字",
    "big5": "功許",
    "euc-jp": "表能",
    "iso2022_jp": "表能",
}


@st.composite
def sources(draw: Any) -> bytes:
    encoding = draw(st.sampled_from(ENCODINGS))
    newline = draw(st.sampled_from(("\n", "\r\n", "\r")))
    text = st.text(WIDE[encoding] + "ab \t\f", max_size=6)
    lines = [f"# coding: {encoding}", draw(st.sampled_from(("", "\f", "# \f x")))]
    for number in range(draw(st.integers(1, 5))):
        comment = draw(text).strip()
        shape = draw(st.sampled_from(SHAPES))
        lines += shape.format(n=number, s=draw(text), c=comment).split("\n")
    raw = newline.join(lines).encode(encoding)
    if draw(st.booleans()):
        raw += newline.encode()
    return b"\xef\xbb\xbf" + raw if encoding == "utf-8" and draw(st.booleans()) else raw


SHAPES = (
    "name{n} = '{s}', other{n}  # {c}",
    "\fdef  func{n}(a='{s}', *b: '{s}'):\n\treturn '{s}', a.b",
    "class Klass{n}('{s}'.x):\n \f  attr = '''{s}\n{s}''', tail",
    "x = f'{s}{{v{n}}}{s}'; y{n}",
    "@deco('{s}')\nasync def g{n}(): pass",
)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(raw=sources())
def test_spans_of_generated_files(raw: bytes, tmp_path_factory: Any) -> None:
    row = extract(raw, tmp_path_factory.mktemp("spans"))  # checks every span
    assert row["errors"] == []
    assert len(row["ast_nodes"]) > 1


@pytest.mark.prove
@settings(max_examples=5_000, deadline=None)
@given(raw=sources())
def test_spans_of_many_generated_files(raw: bytes, tmp_path_factory: Any) -> None:
    assert extract(raw, tmp_path_factory.mktemp("spans"))["errors"] == []


@pytest.mark.parametrize("encoding", [*ENCODINGS, "utf_7", "raw_unicode_escape"])
def test_identifiers_in_every_encoding(encoding: str, tmp_path: Path) -> None:
    letter = WIDE.get(encoding, "é")[0]
    text = (
        f"# coding: {encoding}\n{letter}x = '{letter}'; y{letter} = {letter}x\nclass {letter}: z\n"
    )
    raw = text.encode(encoding)
    if encoding in ("utf_7", "iso2022_jp"):  # their bytes cannot be sliced and decoded
        row_names = _names(raw)
    else:
        row_names = [n["name"] for n in extract(raw, tmp_path)["ast_nodes"] if n["kind"] == "NAME"]
    assert row_names == [f"{letter}x", f"y{letter}", f"{letter}x", "z"]


def test_syntax_error_positions() -> None:
    source = decode("x = 'é𝒳'\r\n".encode())
    assert isinstance(source, SourceText)
    spans = SpanMap(source)
    assert spans.locate_character(1, 7) == (11, 7)
    assert spans.locate_character(1, 99) == (12, 8)
    assert spans.locate_character(2, 3) == (len(source.raw), 0)
    assert spans.locate_character(9, 0) == (len(source.raw), 0)


def test_position_inside_a_character_goes_back() -> None:
    source = decode("é = 1".encode())
    assert isinstance(source, SourceText)
    assert SpanMap(source).locate(1, 1) == (0, 0)


@pytest.mark.parametrize(
    "raw", [b"", b"\xef\xbb\xbf", b"\n", b"\r", b"\f", b"x", b"\xef\xbb\xbfx\n"]
)
def test_small_files(raw: bytes, tmp_path: Path) -> None:
    row = extract(raw, tmp_path)
    assert row["errors"] == []
    assert (row["ast_nodes"][0]["bstart"], row["ast_nodes"][0]["bend"]) == (0, len(raw))


def _names(raw: bytes) -> list[str]:
    """Find names by span, with every character's offset known to the map."""
    source = decode(raw)
    assert isinstance(source, SourceText)
    spans = SpanMap(source)
    found = []
    for node in ast.walk(ast.parse(source.text)):
        if isinstance(node, ast.Name):
            place = spans.locate(node.lineno, node.col_offset)
            end = spans.locate(node.end_lineno or 0, node.end_col_offset or 0)
            text = source.text.splitlines()[node.lineno - 1][place[1] : end[1]]
            assert text == node.id
            assert place[0] < end[0] <= len(raw)
            found.append((place[0], text))
    return [text for _, text in sorted(found)]
