r"""Decoding: the bytes of a file -> its text, exactly as CPython reads it.

    b"# coding: latin-1\nx = '\xe9'\n"
        -> SourceText(text="# coding: latin-1\nx = 'é'\n", encoding="iso-8859-1",
                      bom=False, newline="lf", line_starts=[0, 18])

A byte order mark or a PEP 263 cookie in the first two lines names the encoding; without either it
is UTF-8. The rules are those of CPython's own tokenizer: unlike `tokenize.detect_encoding` before
3.14, bytes that are not UTF-8 may stand beside the cookie. One kindness: a byte order mark may come
with any spelling of UTF-8, where CPython wants `utf-8`. Lines end at \n, \r\n and \r, never at
\f, \v, \x1c or U+2028. The text keeps its line breaks; the byte order mark is not part of it.

What cannot be decoded becomes a DecodeFailure, which still knows its lines, and `lenient` reads it
with stand-ins for the bytes that are no text.
Next: evidence/spans.py.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from itertools import accumulate

from codelake.evidence.stand_ins import lenient_encoding, with_stand_ins

_COOKIE = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
_CONTROLS = bytes({*range(0x20), 0x7F} - {*b"\t\n\v\f\r\x1b"})
_BINARY = 50  # one control character among so many bytes, and a file is no text
_BLANK = re.compile(rb"^[ \t\f]*(?:[#\r\n]|$)")


@dataclass(frozen=True, slots=True)
class SourceText:
    """The text of a file and how it was stored.

    line_starts holds the raw byte offset of each line. The first is 0 even after a byte order mark,
    and nothing follows a final line break, so an empty file has no lines. A text is lenient when it
    has stand-ins (evidence/stand_ins.py).
    """

    raw: bytes
    text: str
    encoding: str
    bom: bool
    newline: str
    line_starts: list[int]
    is_lenient: bool = False


@dataclass(frozen=True, slots=True)
class DecodeFailure:
    """Why the bytes of a file are no text, and what is known about them all the same.

    encoding is what they should be, and "ascii" when nobody knows.
    """

    raw: bytes
    error_type: str
    message: str
    bom: bool
    newline: str
    line_starts: list[int]
    encoding: str
    line: int | None = None
    bstart: int | None = None
    bend: int | None = None


def decode(raw: bytes) -> SourceText | DecodeFailure:
    """Decode the bytes of a Python file.

    Args:
        raw: the file as stored.

    Returns:
        The text, or the reason why there is none.
    """
    bom = raw.startswith(codecs.BOM_UTF8)
    body = raw[3:] if bom else raw
    newline, starts = newline_style(raw), line_starts(raw)
    encoding = "utf-8" if bom else "ascii"
    try:
        encoding = _encoding(body, bom)
        text = body.decode(encoding)
    except UnicodeDecodeError as error:
        start, end = (error.start + 3 * bom, error.end + 3 * bom)
        line = sum(1 for begin in starts if begin <= start) or None
        message = f"{error.encoding} cannot decode byte {raw[start]:#04x}: {error.reason}"
        return DecodeFailure(
            raw, "UnicodeDecodeError", message, bom, newline, starts, encoding, line, start, end
        )
    except (SyntaxError, LookupError, UnicodeError) as error:
        return DecodeFailure(raw, type(error).__name__, str(error), bom, newline, starts, encoding)
    except Exception as error:  # a codec may raise what it likes
        message = f"{type(error).__name__}: {error}"
        return DecodeFailure(raw, "UnicodeError", message, bom, newline, starts, encoding)
    return SourceText(raw, text, encoding, bom, newline, starts)


def lenient(failure: DecodeFailure) -> SourceText | None:
    """Read what can be read of a file that cannot be decoded.

    Args:
        failure: what decode() returned.

    Returns:
        A text with a stand-in for each byte that is no text; None for a binary file.
    """
    raw, bom = failure.raw, failure.bom
    if (len(raw) - len(raw.translate(None, _CONTROLS))) * _BINARY > len(raw):
        return None
    encoding = lenient_encoding(raw, failure.encoding)
    text = with_stand_ins(raw[3:] if bom else raw, encoding)
    return SourceText(raw, text, encoding, bom, failure.newline, failure.line_starts, True)


def line_starts(raw: bytes) -> list[int]:
    r"""Return the byte offset of each line; only \n, \r\n and \r end one."""
    starts = list(accumulate(map(len, raw.splitlines(keepends=True)), initial=0))
    starts.pop()
    return starts


def newline_style(raw: bytes) -> str:
    """Return lf, crlf, cr, mixed or none."""
    crlf = raw.count(b"\r\n")
    counts = {"lf": raw.count(b"\n") - crlf, "crlf": crlf, "cr": raw.count(b"\r") - crlf}
    used = [style for style, count in counts.items() if count]
    if not used:
        return "none"
    return used[0] if len(used) == 1 else "mixed"


def _encoding(body: bytes, bom: bool) -> str:
    cookie = _cookie(body)
    if cookie is None:
        return "utf-8"
    name = _normal_name(cookie)
    try:
        codec = codecs.lookup(name)
    except (LookupError, ValueError):
        raise SyntaxError(f"unknown encoding: {cookie}") from None
    if not codec._is_text_encoding:
        raise SyntaxError(f"encoding is not a text encoding: {cookie}")
    if bom and codec.name != "utf-8":
        raise SyntaxError(f"encoding problem: {cookie} with BOM")
    return "utf-8" if codec.name == "utf-8" else name


def _cookie(body: bytes) -> str | None:
    for line in body[:4096].splitlines()[:2]:
        if match := _COOKIE.match(line):
            return match[1].decode("ascii", "replace")
        if not _BLANK.match(line):
            return None
    return None


def _normal_name(cookie: str) -> str:
    """Spell the usual names one way, as CPython's get_normal_name does."""
    name = cookie[:12].lower().replace("_", "-")
    if name == "utf-8" or name.startswith("utf-8-"):
        return "utf-8"
    latin = ("latin-1", "iso-8859-1", "iso-latin-1")
    if name in latin or name.startswith(tuple(f"{prefix}-" for prefix in latin)):
        return "iso-8859-1"
    return cookie
