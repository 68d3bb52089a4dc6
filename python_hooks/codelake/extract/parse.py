"""Parsing: text -> Python's own syntax tree, or the reason why there is none.

    "x = (1"  ->  ParseFailure("SyntaxError", "'(' was never closed", line=1, column=4, ...)

Whatever the parser raises is a failure of this one file: SyntaxError and its kin with a place,
RecursionError and MemoryError for nesting that exhausts the parser, ValueError for odd input.
"""

from __future__ import annotations

import ast
import warnings
from dataclasses import dataclass

_NO_MESSAGE = {
    "MemoryError": "the source is nested too deeply for the parser",
    "RecursionError": "the source is nested too deeply for the parser",
}


@dataclass(frozen=True, slots=True)
class ParseFailure:
    """Why a text has no syntax tree; columns are 0-based code points."""

    error_type: str
    message: str
    line: int | None = None
    column: int | None = None
    end_line: int | None = None
    end_column: int | None = None


def parse(text: str | bytes) -> ast.Module | ParseFailure:
    """Parse a module without executing anything of it.

    Args:
        text: the decoded source, or the file as stored.

    Returns:
        The tree, or the failure.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except SyntaxError as error:
        return ParseFailure(
            type(error).__name__,
            error.msg or "invalid syntax",
            error.lineno or None,
            _zero_based(error.offset),
            error.end_lineno or None,
            _zero_based(error.end_offset),
        )
    except (ValueError, RecursionError, MemoryError, OverflowError, SystemError) as error:
        name = type(error).__name__
        return ParseFailure(name, _NO_MESSAGE.get(name) or str(error) or name)


def _zero_based(offset: int | None) -> int | None:
    return offset - 1 if offset is not None and offset > 0 else None
