r"""Logical lines: where statements begin in a text that may be broken, and how far they reach.

    x = f(1,            line 1 to 2, indent 0
          2)
    def g(              line 3, indent 0: `return` cannot stand in brackets, so they were not closed
        return 1        line 4, indent 4

A bracket that is left open would swallow the rest of the file. It ends before a line that begins
with a word no expression holds (`def`, `return`, `import` ...). The lines of such a statement are
then gone through again, and one that is not indented further than its first begins a statement.
A text without errors is split exactly as Python splits it.

Comments, blank lines, the marks of a merge conflict and lines of a template (`{% if x %}`) are no
logical lines; `noise` tells where the latter are.
Next: broken_tree.py.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import NamedTuple

from codelake.extract.broken.lexical import Scanner

_MARKS = re.compile(r"""["'#()\[\]{}\n\\]""")
_INDENT = re.compile(r"[ \t\f]*")
_WORD = re.compile(r"\w+|@|.", re.DOTALL)
_BREAKS = re.compile(
    r"""[ \t\f]*(?:
        (?:async[ \t]+)?def[ \t]+\w | class[ \t]+\w+[ \t]*[:(\[] | from[ \t]+[\w.]+[ \t]+import\b
      | (?:else|try|finally)[ \t]*:
      | (?:assert|break|continue|del|elif|except|global|import)\b
      | (?:nonlocal|pass|raise|return|while|with)\b
    )""",
    re.VERBOSE,
)
_HEADER = re.compile(
    r"[ \t\f]*(?:@\w|(?:if|for|async[ \t]+for)\b[^\n]*:[ \t]*(?:\#[^\n]*)?$)", re.M
)
_NOISE = re.compile(
    r"(?:<{7}|={7}|>{7}|\|{7})(?:[ \t][^\n]*)?$|[ \t]*\{[%#][^\n]*[%#]\}[ \t]*$", re.M
)


class LogicalLine(NamedTuple):
    """A statement or the header of one; lines count from 1 and both belong to it."""

    first: int
    last: int
    indent: int
    word: str
    opens: bool  # whether it ends with a colon


class LogicalLines(NamedTuple):
    """The logical lines in order, the lines that are noise, and how many strings are doubtful."""

    lines: list[LogicalLine]
    noise: list[int]
    doubts: int


def logical_lines(text: str, *, is_wary: bool = False) -> LogicalLines:
    r"""Split a text into logical lines.

    Args:
        text: the decoded source, whose lines end with \n.
        is_wary: as in lexical.py.

    Returns:
        The logical lines, and the noise.
    """
    return _Splitter(text, is_wary).split()


class _Splitter:
    def __init__(self, text: str, is_wary: bool) -> None:
        self._text = text
        self._scanner = Scanner(text, is_wary=is_wary)
        self._starts = [0, *(match.end() for match in re.finditer("\n", text))]
        self._found = LogicalLines([], [], 0)
        self._comment: tuple[int, int] | None = None  # the last one of the statement

    def split(self) -> LogicalLines:
        position, size = 0, len(self._text)
        while position < size:
            end, is_open = self._statement(position, size, is_eager=False)
            if is_open:  # go through it again, and break earlier
                stop = end
                while position < stop:
                    end, _ = self._statement(position, stop, is_eager=True)
                    self._add(position, end)
                    position = end
            else:
                self._add(position, end)
                position = end
        return self._found._replace(doubts=self._scanner.doubts)

    def _statement(self, start: int, stop: int, *, is_eager: bool) -> tuple[int, bool]:
        """Return the end of the statement that begins here, and whether it left brackets open."""
        text, depth, position = self._text, 0, start
        if _NOISE.match(text, start):
            return self._line_end(start, stop), False
        indent = _indent(text, start)
        self._comment = None
        while match := _MARKS.search(text, position, stop):
            mark, position = match[0], match.end()
            if mark == "\n":
                if depth == 0:
                    return position, False
                if _BREAKS.match(text, position) or self._breaks(position, indent, is_eager):
                    return position, True
            elif mark == "#":
                begin, position = position - 1, self._scanner.comment_end(position - 1)
                self._comment = begin, position
            elif mark in "\"'":
                position = self._scanner.string_end(position - 1)
            elif mark in "([{":
                depth += 1
            elif mark == "\\":
                position += 1  # a line break, or a stray backslash
            else:
                depth = max(depth - 1, 0)
        return stop, depth > 0 and not is_eager

    def _breaks(self, position: int, indent: int, is_eager: bool) -> bool:
        """Return whether a line inside brackets looks like the next statement."""
        text = self._text
        blank = _INDENT.match(text, position)
        following = text[blank.end() : blank.end() + 1] if blank else ""
        if following in ("", "\n", "#", ")", "]", "}") or _indent(text, position) > indent:
            return False
        return (
            is_eager
            or _HEADER.match(text, position) is not None
            or bool(_NOISE.match(text, position))
        )

    def _add(self, start: int, end: int) -> None:
        """Add the logical line between two offsets, unless it is blank, a comment or noise."""
        text = self._text
        blank = _INDENT.match(text, start)
        begin = blank.end() if blank else start
        if text[begin : begin + 1] in ("", "\n", "#"):
            return
        first = bisect_right(self._starts, start)
        if _NOISE.match(text, start):
            self._found.noise.append(first)
            return
        last = bisect_right(self._starts, max(end - 1, start))
        word = _WORD.match(text, begin)
        self._found.lines.append(
            LogicalLine(
                first, last, _indent(text, start), word[0] if word else "", self._opens(start, end)
            )
        )

    def _opens(self, start: int, end: int) -> bool:
        """Return whether the last mark of a logical line, before any comment, is a colon."""
        text = self._text[start:end].rstrip()
        if self._comment is not None and self._comment[1] >= start + len(text):
            text = self._text[start : self._comment[0]].rstrip()
        return text.endswith(":")

    def _line_end(self, start: int, stop: int) -> int:
        found = self._text.find("\n", start, stop)
        return stop if found < 0 else found + 1


def _indent(text: str, start: int) -> int:
    """Return the column of the first mark, as Python counts tabs and form feeds."""
    column = 0
    blank = _INDENT.match(text, start)
    for character in blank[0] if blank else "":
        column = (
            0 if character == "\f" else column + 1 if character == " " else (column // 8 + 1) * 8
        )
    return column
