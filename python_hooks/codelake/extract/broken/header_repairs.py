r"""Header repairs: a header that was left unfinished -> headers that Python may take.

    def f(self, x=     -> def f(self, x=):     def f(self):     def f():
    class C(Base       -> class C(Base):       class C():       class C:

Only what is behind the header changes, so everything kept keeps its place. The candidates go from
the most text kept to the least.
Next: broken_tree.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from codelake.extract.broken.lexical import Scanner

_MARKS = re.compile(r"""["'#()\[\]{}]""")
_PAIRS = {"(": ")", "[": "]", "{": "}"}
_NAME = re.compile(r"[ \t\f]*((?:async[ \t]+)?def|class)[ \t]+\w+")
_CUTS = 16


def header_repairs(rows: list[str]) -> Iterator[list[str]]:
    """Yield repaired versions of a header, each with as many rows.

    Args:
        rows: the lines of the header.
    """
    text = _without_comment("\n".join(rows)).rstrip()
    size = len(rows)
    base = text.removesuffix(":")
    yield _rows(base + _closers(base) + ":", size)
    name = _NAME.match(text)
    if name is None:
        return
    for _ in range(_CUTS):
        cut = max(base.rfind(mark, name.end()) for mark in (",", "->", "("))
        if cut < 0:
            break
        kept = base[: cut + 1] if base[cut] == "(" else base[:cut]
        yield _rows(kept + _closers(kept) + ":", size)
        base = base[:cut]
    yield _rows(name[0] + (":" if name[1] == "class" else "():"), size)


def closed(rows: list[str]) -> list[str]:
    """Return a text with the brackets closed that it leaves open."""
    text = _without_comment("\n".join(rows)).rstrip()
    return _rows(text + _closers(text), len(rows))


def leading_blanks(text: str) -> str:
    """Return the blanks that a line begins with."""
    return text[: len(text) - len(text.lstrip(" \t\f"))]


def _rows(text: str, size: int) -> list[str]:
    rows = text.split("\n")
    return [*rows, *[""] * (size - len(rows))]


def _without_comment(text: str) -> str:
    """Return a text without the comment that it ends with."""
    scanner = Scanner(text)
    _scan(scanner)
    if scanner.comments and scanner.comments[-1][1] == len(text):
        return text[: scanner.comments[-1][0]]
    return text


def _closers(text: str) -> str:
    """Return what closes the string and the brackets that a text leaves open."""
    return "".join(_PAIRS.get(mark, mark) for mark in reversed(_scan(Scanner(text))))


def _scan(scanner: Scanner) -> list[str]:
    """Note the comments of a text and return its open brackets, and the quote left open."""
    stack: list[str] = []
    position = 0
    while match := _MARKS.search(scanner.text, position):
        mark, position = match[0], match.end()
        if mark == "#":
            position = scanner.comment_end(position - 1)
        elif mark in "\"'":
            start, position = position - 1, scanner.string_end(position - 1)
            if position == len(scanner.text) and not _is_closed(scanner.text[start:], mark):
                stack.append(mark)
        elif mark in _PAIRS:
            stack.append(mark)
        elif stack:
            stack.pop()
    return stack


def _is_closed(text: str, quote: str) -> bool:
    """Return whether a string of one line, which reaches to the end, has its last quote."""
    body = text[1:]
    if not body.endswith(quote):
        return False
    slashes = len(body) - 1 - len(body[:-1].rstrip("\\"))
    return slashes % 2 == 0
