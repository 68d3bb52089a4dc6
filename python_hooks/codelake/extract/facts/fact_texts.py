"""Texts of facts: constants, keys and private names as the resolver compares them.

    "abc" -> str:abc    -1 -> int:-1    None -> none    1.5 -> float    "a" * 1000 -> str
    key: d[True] -> int:1, because True == 1; d[x] -> None, any key; d[1:] -> slice:1::
    private: __x in a class _C -> _C__x

Next: fact_walk.py.
"""

from __future__ import annotations

import ast
from typing import Any

from codelake.extract.syntax.node_kinds import TOKENS as TOKENS  # one table of operators

__all__ = ["TOKENS", "integer", "key_text", "literal_text", "private_prefix", "slice_text"]

LIMIT = 128
ANNOTATION_LIMIT = 1024
_SMALL = 1 << 256
_NONE = type(None)


def literal_text(value: Any, limit: int = LIMIT) -> str:
    """Return the typed text of a constant.

    Args:
        value: what ast.Constant holds.
        limit: the longest string that is given with its value, in code points.
    """
    kind = value.__class__
    if kind is str:
        if len(value) > limit or not (value.isascii() or _is_utf8(value)):
            return "str"
        return "str:" + value  # type: ignore[no-any-return]
    if kind is int:
        return f"int:{value}" if value < _SMALL else "int"
    if kind is bool:
        return f"bool:{value}"
    return "none" if kind is _NONE else str(kind.__name__)


def key_text(node: ast.expr) -> str | None:
    """Return the text of a key, None for one that is not known."""
    kind = node.__class__
    if isinstance(node, ast.Constant):
        value: Any = node.value
        if value.__class__ is bool:
            value = int(value)
        text = literal_text(value)
        return text if ":" in text or text == "none" else None
    if kind is ast.UnaryOp:
        number = integer(node)
        return None if number is None else f"int:{number}"
    return slice_text(node) if isinstance(node, ast.Slice) else None


def slice_text(node: ast.Slice) -> str:
    """Return the bounds of a slice when they are constants."""
    bounds = []
    for part in (node.lower, node.upper, node.step):
        if part is None or (isinstance(part, ast.Constant) and part.value is None):
            bounds.append("")
            continue
        number = integer(part)
        if number is None:
            return "slice"
        bounds.append(str(number))
    return "slice:" + ":".join(bounds)


def integer(node: ast.expr) -> int | None:
    """Return a small integer constant, with its sign."""
    sign = 1
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        sign, node = -1, node.operand
    if isinstance(node, ast.Constant) and node.value.__class__ in (int, bool):
        number = int(node.value)  # type: ignore[arg-type]
        return sign * number if number < _SMALL else None
    return None


def private_prefix(class_name: str) -> str | None:
    """Return what goes before private names inside a class; None when nothing does."""
    stripped = class_name.lstrip("_")
    return f"_{stripped}" if stripped else None


def _is_utf8(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
