r"""SCIP ranges: lines and characters of a document -> raw bytes of the stored file.

    [0, 7, 10] in the text "s = '\U0001f600'; x()\n"
        utf-16: the emoji counts as two    utf-32: as one    utf-8: as four

Lines and characters count from 0. Lines end as in Python: at \n, \r\n and \r. A position past the
end of its line, inside a character, or past the last line has no place in the file; the end of
the file itself has one. Whether an indexer counts a byte order mark is not laid down anywhere; here
it is not counted.
"""

from __future__ import annotations

from collections.abc import Sequence

from codelake.evidence.spans import SpanMap
from codelake.sources.decode import SourceText

type Range = tuple[int, int, int, int]


def whole_range(numbers: Sequence[int]) -> Range | None:
    """Return start line, start character, end line, end character; None when it is no range."""
    if len(numbers) == 3:
        line, start, end = numbers
        found = (line, start, line, end)
    elif len(numbers) == 4:
        found = (numbers[0], numbers[1], numbers[2], numbers[3])
    else:
        return None
    return found if min(found) >= 0 and found[:2] <= found[2:] else None


class Ranges:
    """Places ranges of one document in its file."""

    def __init__(self, source: SourceText, encoding: str | None) -> None:
        """Prepare a file.

        Args:
            source: the file.
            encoding: utf-8, utf-16 or utf-32, the unit of characters; None when it is not known,
                so that only lines of ASCII can be placed.
        """
        self._spans = SpanMap(source)
        self._wide = self._spans.wide
        self._size = len(source.raw)
        self.encoding = encoding
        self._tables: dict[int, dict[int, int]] = {}
        self._widths: dict[int, int] = {}
        self.lines = len(self._spans.starts) - 2 if source.raw else 0

    @property
    def ascii(self) -> bool:
        """Whether every line means the same in all encodings."""
        return not any(line in self._wide for line in range(1, self.lines + 1))

    def place(self, found: Range) -> tuple[int, int] | None:
        """Return the raw bytes of a range, or None when it is outside the file."""
        line, first, end_line, last = found
        start = self._offset(line, first)
        if start is None:
            return None
        if line == end_line and line + 1 in self._widths:  # one line of ASCII
            return (start, start + last - first) if last <= self._widths[line + 1] else None
        end = self._offset(end_line, last)
        return None if end is None else (start, end)

    def _offset(self, line: int, character: int) -> int | None:
        if line >= self.lines:
            return self._size if line == self.lines and character == 0 else None
        line += 1
        width = self._widths.get(line)
        if width is None and line not in self._wide:
            width = self._widths[line] = len(self._spans.line_text(line).rstrip("\r\n"))
        if width is not None:
            return self._spans.starts[line] + character if character <= width else None
        if self.encoding is None:
            return None
        table = self._tables.get(line)
        if table is None:
            table = self._tables[line] = self._table(line)
        column = table.get(character)
        return None if column is None else self._spans.locate(line, column)[0]

    def _table(self, line: int) -> dict[int, int]:
        """Return, for the characters of a line, units of the encoding -> UTF-8 column."""
        table, units, column = {0: 0}, 0, 0
        for letter in self._spans.line_text(line).rstrip("\r\n"):
            size = len(letter.encode("utf-8", "surrogatepass"))
            column += size
            units += {"utf-8": size, "utf-16": 1 + (letter > "\uffff")}.get(self.encoding or "", 1)
            table[units] = column
        return table
