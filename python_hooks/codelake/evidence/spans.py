r"""Spans: positions of Python's parser -> bytes of the stored file.

    source: b"# coding: latin-1\nd = {'\xe9': name}\n"
    ast says: name at line 2, UTF-8 column 11         SpanMap.locate(2, 11) -> (18 + 10, 10)

The parser counts lines from 1 and columns in UTF-8 bytes of the decoded text. A span of codelake is
raw bytes of the file as stored, plus code-point columns for people. The two agree on every line
that is ASCII, which is nearly all of them; the others are in `wide` and are mapped when asked for:

    if line in spans.wide: offset, column = spans.locate(line, col)
    else:                  offset, column = spans.starts[line] + col, col

A codec that keeps state across lines, or whose text has other line breaks than its bytes, makes
every line wide and is decoded byte by byte, once. Bytes that are no text have stand-ins
(stand_ins.py), each as wide as its byte.
"""

from __future__ import annotations

import codecs
import re
from bisect import bisect_right
from collections.abc import Container
from itertools import accumulate
from typing import Protocol

from codelake.evidence.stand_ins import raw_length, with_stand_ins

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+\Z")
_NON_ASCII = re.compile(rb"[\x80-\xff]")


class Source(Protocol):
    """What a span map needs to know of a file; codelake.sources.decode.SourceText has it."""

    @property
    def raw(self) -> bytes:
        """The file as stored."""

    @property
    def text(self) -> str:
        """The decoded text, without byte order mark, with its line breaks."""

    @property
    def encoding(self) -> str:
        """The codec of the text."""

    @property
    def bom(self) -> bool:
        """Whether a UTF-8 byte order mark comes first."""

    @property
    def line_starts(self) -> list[int]:
        """Raw byte offset of each line."""

    @property
    def is_lenient(self) -> bool:
        """Whether the text has stand-ins for bytes that are no text."""


class SpanMap:
    """Maps (line, UTF-8 column) to (raw offset, code-point column).

    Attributes:
        starts: raw offset of the first character of each line; starts[1] is that of line 1,
            and one more entry marks the end of the file.
        wide: the lines that need `locate`.
    """

    def __init__(self, source: Source) -> None:
        """Index the lines of a file.

        Args:
            source: the decoded file.
        """
        self._raw = source.raw
        self._encoding = source.encoding
        self._lenient = source.is_lenient
        self._utf8 = source.encoding == "utf-8" and not source.is_lenient
        self._tables: dict[int, dict[int, tuple[int, int]]] = {}
        self.starts = _one_based(source.line_starts, 3 * source.bom, len(source.raw))
        self.wide: Container[int] = frozenset()
        self._lines: list[str] = []
        self._characters: list[int] = []
        if self._utf8 or self._lenient:
            if not source.raw.isascii():
                hits = _NON_ASCII.finditer(source.raw, 3 * source.bom)
                self.wide = frozenset(bisect_right(self.starts, hit.start(), 1) - 1 for hit in hits)
        else:
            self._index_other(source)

    def locate(self, line: int, col: int) -> tuple[int, int]:
        """Return the raw offset and the code-point column of a parser position.

        Args:
            line: 1-based line.
            col: UTF-8 byte column in the decoded text.
        """
        if line >= len(self.starts):
            return len(self._raw), 0
        if line not in self.wide:
            return self.starts[line] + col, col
        table = self._tables.get(line)
        if table is None:
            table = self._tables[line] = self._utf8_table(line) if self._utf8 else self._table(line)
        found = table.get(col)
        while found is None:  # inside a character, or past the end of the line
            col -= 1
            found = (self.starts[line], 0) if col <= 0 else table.get(col)
        return found

    def locate_character(self, line: int, column: int) -> tuple[int, int]:
        """Return the raw offset and column of a code-point column, kept inside its line.

        Args:
            line: 1-based line.
            column: 0-based code-point column, as in a SyntaxError.
        """
        if line >= len(self.starts):
            return len(self._raw), 0
        line = max(line, 1)
        text = self.line_text(line).rstrip("\r\n")
        column = min(max(column, 0), len(text))
        return self.locate(line, len(text[:column].encode("utf-8", "surrogatepass")))

    def line_text(self, line: int) -> str:
        """Return the decoded text of a line with its line break."""
        if self._lines:
            return self._lines[line - 1] if line <= len(self._lines) else ""
        end = self.starts[line + 1] if line + 1 < len(self.starts) else len(self._raw)
        return self.slice(self.starts[line], end)

    def end(self) -> tuple[int, int]:
        """Return the last line and its length in code points, without its line break."""
        last = max(len(self.starts) - 2, 1)
        return last, len(self.line_text(last).rstrip("\r\n"))

    def slice(self, bstart: int, bend: int) -> str:
        """Return the decoded text of a raw span."""
        if self._lenient:
            return with_stand_ins(self._raw[bstart:bend], self._encoding)
        return self._raw[bstart:bend].decode(self._encoding, "replace")

    def encoded_length(self, text: str) -> int:
        """Return how many raw bytes a text takes in this file."""
        if self._lenient:
            return raw_length(text, self._encoding)
        return len(text.encode(self._encoding, "replace"))

    def _utf8_table(self, line: int) -> dict[int, tuple[int, int]]:
        begin = self.starts[line]
        text = self.line_text(line)
        columns = accumulate((_utf8_length(character) for character in text), initial=0)
        return {col: (begin + col, number) for number, col in enumerate(columns)}

    def _table(self, line: int) -> dict[int, tuple[int, int]]:
        text = self.line_text(line)
        if self._lenient:
            widths = (raw_length(character, self._encoding) for character in text)
            offsets = list(accumulate(widths, initial=self.starts[line]))
        elif self._characters:
            first = sum(map(len, self._lines[: line - 1]))
            offsets = self._characters[first : first + len(text) + 1]
        else:
            begin, end = self.starts[line], self.starts[line + 1]
            offsets = [
                begin + offset for offset in _boundaries(self._raw[begin:end], self._encoding)
            ]
        columns = accumulate((_utf8_length(character) for character in text), initial=0)
        pairs = zip(columns, offsets, strict=False)
        return {col: (offset, number) for number, (col, offset) in enumerate(pairs)}

    def _index_other(self, source: Source) -> None:
        """Find the wide lines of an encoding other than UTF-8."""
        self._lines = _LINE.findall(source.text)
        ends = self.starts[2:]
        if len(self._lines) == len(ends):
            pieces = [
                source.raw[begin:end] for begin, end in zip(self.starts[1:], ends, strict=False)
            ]
            pairs = list(enumerate(zip(pieces, self._lines, strict=True), start=1))
            if all(_decodes_alone(piece, text, self._encoding) for _, (piece, text) in pairs):
                self.wide = frozenset(
                    line
                    for line, (piece, text) in pairs
                    if not (piece.isascii() and piece.decode("ascii") == text)
                )
                return
        self._characters = _boundaries(source.raw, self._encoding)
        firsts = list(accumulate(map(len, self._lines), initial=0))
        last = len(self._characters) - 1
        self.starts = [0, *(self._characters[min(first, last)] for first in firsts)]
        self.wide = range(1, len(self.starts))


def _one_based(line_starts: list[int], first: int, size: int) -> list[int]:
    starts = [0, *line_starts, size]
    if len(starts) == 2:  # an empty file still has a line 1
        starts.append(size)
    starts[1] = first
    return starts


def _utf8_length(character: str) -> int:
    code = ord(character)
    return 1 if code < 0x80 else 2 if code < 0x800 else 3 if code < 0x10000 else 4


def _decodes_alone(piece: bytes, text: str, encoding: str) -> bool:
    if piece.isascii() and text.isascii():
        return piece.decode("ascii") == text
    try:
        return piece.decode(encoding) == text
    except UnicodeError:
        return False


def _boundaries(raw: bytes, encoding: str) -> list[int]:
    """Return the raw offset of each character and of the end, by decoding byte by byte."""
    decoder = codecs.getincrementaldecoder(encoding)()
    offsets = [0]
    for number in range(len(raw)):
        text = decoder.decode(raw[number : number + 1], number + 1 == len(raw))
        offsets.extend([number + 1] * len(text))
    return offsets
