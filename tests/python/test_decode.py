"""Decoding: encodings, cookies and line breaks as CPython reads them."""

from __future__ import annotations

import pytest

from codelake.sources.decode import DecodeFailure, SourceText, decode, line_starts, newline_style

READABLE = {
    "plain": (b"x = 1\n", "utf-8", "x = 1\n"),
    "empty": (b"", "utf-8", ""),
    "bom": (b"\xef\xbb\xbfx", "utf-8", "x"),
    "bom_and_cookie": (b"\xef\xbb\xbf# coding: utf-8\n", "utf-8", "# coding: utf-8\n"),
    "other_spelling": (b"# coding: utf8\n'\xc3\xa9'", "utf-8", "# coding: utf8\n'é'"),
    "latin": (b"# coding: latin-1\n'\xe9'", "iso-8859-1", "# coding: latin-1\n'é'"),
    "second_line": (b"#!/bin/x\n# vim: set fileencoding=cp1252 :\n'\x80'", "cp1252", None),
    "cookie_after_cr": (b"#\r# coding=koi8-r\r'\xc1'", "koi8-r", None),
    "bytes_beside_cookie": (b"# \xe9 coding: latin-1\n", "iso-8859-1", "# é coding: latin-1\n"),
    "shift_jis": ("# coding: shift_jis\n'表'".encode("shift_jis"), "shift_jis", None),
    "third_line_is_too_late": (b"\n\n# coding: latin-1\n", "utf-8", None),
    "code_hides_second_line": (b"x\n# coding: latin-1\n", "utf-8", None),
    "utf8_dialect": (b"# coding: UTF-8-mac\n", "utf-8", None),
}
UNREADABLE = {
    "not_utf8": (b"x\n'\xe9'\n", "UnicodeDecodeError", 2, 3),
    "not_utf8_after_bom": (b"\xef\xbb\xbf\xff", "UnicodeDecodeError", 1, 3),
    "unknown": (b"# coding: klingon\n", "SyntaxError", None, None),
    "bom_conflict": (b"\xef\xbb\xbf# coding: latin-1\n", "SyntaxError", None, None),
    "no_text_codec": (b"# coding: hex\n41", "SyntaxError", None, None),
    "undefined": (b"# coding: undefined\n41", "UnicodeError", None, None),
}


@pytest.mark.parametrize("name", READABLE)
def test_readable(name: str) -> None:
    raw, encoding, text = READABLE[name]
    source = decode(raw)
    assert isinstance(source, SourceText)
    assert source.encoding == encoding
    assert text is None or source.text == text
    compile(raw, name, "exec", dont_inherit=True)  # Python agrees; nothing is executed


@pytest.mark.parametrize("name", UNREADABLE)
def test_unreadable(name: str) -> None:
    raw, error_type, line, bstart = UNREADABLE[name]
    source = decode(raw)
    assert isinstance(source, DecodeFailure)
    assert (source.error_type, source.line, source.bstart) == (error_type, line, bstart)
    assert source.line_starts == line_starts(raw)
    with pytest.raises((SyntaxError, UnicodeError)):
        compile(raw, name, "exec", dont_inherit=True)


def test_any_spelling_of_utf8_goes_with_a_bom() -> None:
    source = decode(b"\xef\xbb\xbf# coding: U8\n")
    assert isinstance(source, SourceText)
    assert source.encoding == "utf-8"


def test_only_three_line_breaks() -> None:
    raw = "a\fb\vc\x1cd\u2028e\x85f\ng\r\nh\ri".encode()
    starts = line_starts(raw)
    assert [raw[start : start + 1] for start in starts] == [b"a", b"g", b"h", b"i"]


@pytest.mark.parametrize(
    ("raw", "style"),
    [(b"a", "none"), (b"a\n", "lf"), (b"a\r\n", "crlf"), (b"a\r", "cr"), (b"a\r\nb\n", "mixed")],
)
def test_newline_style(raw: bytes, style: str) -> None:
    assert newline_style(raw) == style
