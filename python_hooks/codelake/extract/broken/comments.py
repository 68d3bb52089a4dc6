r"""Comments: what people and tools wrote beside the code.

    import os  # noqa: F401      noqa, codes ["F401"], at the bytes of `# noqa: F401`
    #!/usr/bin/env python        shebang, on the first line only
    # type: ignore[attr-defined] type_ignore, codes ["attr-defined"]

The spans are those of CPython's COMMENT tokens. A mark further on in a comment, as in
`# type: ignore # noqa: E501`, is a row of its own, from its `#` to the end of the comment. Rows of
one kind and text are numbered, so that an id needs no position.

| kind | comment | codes |
|---|---|---|
| shebang | `#!` at the first byte of the text | |
| coding | PEP 263, in the first two lines | the encoding as written |
| type_ignore | `# type: ignore` as CPython reads it | those in brackets |
| noqa | `# noqa`, also `# flake8: noqa` and `# ruff: noqa` | those after the colon |
| type_comment | any other `# type: ...` | |
| pragma | a tool and its wish: `pragma: no cover`, `fmt: off`, `pylint: disable=x` | the wishes |
| region | `# region name` and `# endregion` of editors | |
| comment | anything else | |

What a prose comment happens to begin with a mark (`# region of Spain`) is taken for one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from codelake.evidence.spans import SpanMap
from codelake.extract.broken.lexical import comment_spans
from codelake.sources.decode import SourceText

_LINE_BREAK = re.compile(r"\r\n|\r|\n")
_CODING = re.compile(r"#.*?coding[:=][ \t]*([-\w.]+)", re.ASCII)
_TOOLS = (
    "autopep8|black|codespell|coverage|cython|distutils|doctest|fmt|isort|mypy|pragma|pylint|"
    "pyright|pytype|ruff|flake8|ty|yapf"
)
_WORDS = "noinspection|nosec|nosemgrep|pyre-fixme|pyre-ignore|pyre-strict|pyre-unsafe"
_MARK = re.compile(
    rf"""\#[ \t]*(?:
        type:[ \t]*(?P<ignore>ignore(?![^\W_]))(?:[ \t]*\[(?P<ignored>[^\]]*)\])?
      | (?P<type>type:)
      | (?:(?:flake8|ruff):[ \t]*)?(?P<noqa>(?i:noqa)\b)(?:[ \t]*:[ \t]*(?P<silenced>[^\#]*))?
      | (?P<region>(?:end)?region\b)
      | (?P<pragma>(?:{_TOOLS}):|(?:{_WORDS})(?![\w-]):?)[ \t]*(?P<wish>[^\#]*)
    )""",
    re.VERBOSE,
)
_RULE = re.compile(r"[ \t,]*([A-Za-z]+[0-9]+|[a-z]+(?:-[a-z0-9]+)+)")
_BRACKETS = re.compile(r"\[([^\]]*)\]")
_SWITCH = re.compile(r"[\w-]*(?:disable|enable)[\w-]*[ \t]*=")


@dataclass(frozen=True, slots=True)
class Comments:
    """Columns of the evidence row, in the field order of COMMENT."""

    rows: Sequence[Sequence[Any]]


def comments(source: SourceText, spans: SpanMap) -> Comments:
    """Return the comments of a file, whether it can be parsed or not.

    Args:
        source: the decoded file.
        spans: its span map.

    Returns:
        One row per comment, in source order.
    """
    text = source.text
    found = comment_spans(text)
    if not found:
        return Comments([()] * 10)
    rows: list[tuple[Any, ...]] = []
    line_starts = _line_starts(source, spans)
    starts, wide = spans.starts, spans.wide
    line, last = 1, len(line_starts) - 1
    for start, end in found:
        while line < last and line_starts[line + 1] <= start:
            line += 1
        first = line_starts[line]
        col, end_col = start - first, end - first
        whole = text[start:end]
        own = not text[first:start].strip(" \t\f")
        if line in wide:
            (bstart, _), (bend, _) = (
                spans.locate_character(line, col),
                spans.locate_character(line, end_col),
            )
        else:
            bstart, bend = starts[line] + col, starts[line] + end_col
        kind, codes = _kind(whole, line, col, text)
        rows.append((kind, whole, codes, bstart, bend, line, col, end_col, own))
        again = whole.find("#", 1)
        while again >= 0:
            kind, codes = _mark(whole, again)
            if kind != "comment":
                inner = bstart + again
                if line in wide:
                    inner, _ = spans.locate_character(line, col + again)
                place = (inner, bend, line, col + again, end_col, False)
                rows.append((kind, whole[again:], codes, *place))
            again = whole.find("#", again + 1)
    return Comments([*zip(*rows, strict=True), _repeats(rows)])


def _repeats(rows: Sequence[tuple[Any, ...]]) -> list[int]:
    """Return the number of each row among those of the same kind and text, from 0."""
    seen: Counter[tuple[str, str]] = Counter()
    numbers = []
    for kind, text, *_ in rows:
        numbers.append(seen[kind, text])
        seen[kind, text] += 1
    return numbers


def _line_starts(source: SourceText, spans: SpanMap) -> list[int]:
    """Return the offset of each line in code points; that of line 1 is at [1]."""
    if source.text.isascii() and not spans.wide:
        skipped = spans.starts[1]
        return [start - skipped for start in spans.starts]
    return [0, 0, *(match.end() for match in _LINE_BREAK.finditer(source.text)), len(source.text)]


def _kind(whole: str, line: int, col: int, text: str) -> tuple[str, list[str]]:
    if line <= 2:
        if line == 1 and col == 0 and whole.startswith("#!"):
            return "shebang", []
        if (coding := _CODING.match(whole)) and _may_declare(text, line, whole):
            return "coding", [coding[1]]
    return _mark(whole, 0)


def _may_declare(text: str, line: int, whole: str) -> bool:
    """Return whether only blanks and comments stand before a declaration of the encoding."""
    lines = _LINE_BREAK.split(text, maxsplit=2)[:2]
    mine = lines[line - 1].lstrip(" \t\f")
    before = lines[0].lstrip(" \t\f") if line == 2 else ""
    if line == 2 and _CODING.match(before):
        return False
    return mine.startswith(whole) and (not before or before.startswith("#"))


def _mark(whole: str, start: int) -> tuple[str, list[str]]:
    match = _MARK.match(whole, start)
    if match is None:
        return "comment", []
    if match["ignore"]:
        return "type_ignore", _parts(match["ignored"])
    if match["type"]:
        return "type_comment", []
    if match["noqa"]:
        return "noqa", _rules(match["silenced"] or "")
    if match["region"]:
        return "region", []
    wish = match["wish"]
    if inside := _BRACKETS.search(wish):
        wish = inside[1]
    elif switch := _SWITCH.match(wish):
        wish = wish[switch.end() :]
    elif match["pragma"].startswith("nosec"):
        return "pragma", _rules(wish)
    return "pragma", _parts(wish)


def _rules(text: str) -> list[str]:
    """Return the rules that a list begins with; what follows them is prose."""
    found, position = [], 0
    while match := _RULE.match(text, position):
        found.append(match[1])
        position = match.end()
    return found


def _parts(text: str | None) -> list[str]:
    return [part for item in (text or "").split(",") if (part := item.strip(" \t\"'"))]
