"""Literals: concrete nodes -> constants and f-strings of Python's tree.

    0777        Constant(511), the octal number of Python 2
    f"{x!r}"    JoinedStr([FormattedValue(Name("x"), "r")])

Strings are handed to Python's own parser, each alone, because only it knows the value of every
escape and the parts of an f-string. A string that it refuses (a t-string before 3.14, `ur""`) is
made of what tree-sitter saw. Python 2 backticks are their content.
Next: lower_expressions.py.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from codelake.extract.broken.lower_parts import Incomplete, Lowering, expr, exprs, field
from codelake.extract.broken.ts_tree import Node

_CONSTANTS: dict[str, Any] = {"true": True, "false": False, "none": None, "ellipsis": ...}


def _constant(lowering: Lowering, node: Node) -> ast.expr:
    return lowering.make(ast.Constant, node, value=_CONSTANTS[node.type])


def _number(lowering: Lowering, node: Node) -> ast.expr:
    text = lowering.source(node)
    for candidate in (text, text.rstrip("lL"), "0o" + text.rstrip("lL").lstrip("0")):
        try:
            value = ast.literal_eval(candidate)
        except (SyntaxError, ValueError, MemoryError):
            continue
        return lowering.make(ast.Constant, node, value=value)
    raise Incomplete


def _string(lowering: Lowering, node: Node) -> ast.expr:
    """Let Python read a string; else take it apart as tree-sitter did."""
    text = lowering.source(node)
    if text.startswith("`"):
        return parsed_expression(lowering, f" {text[1:-1]} ", node)
    with suppress(Incomplete):
        return parsed_expression(lowering, text, node)
    start, *middle, end = node.children or (node, node)
    if start.type != "string_start" or end.missing:
        raise Incomplete
    if "t" in lowering.source(start).lower():
        opening = lowering.source(start).replace("t", "f").replace("T", "F")
        with suppress(Incomplete):
            found = parsed_expression(lowering, opening + text[len(opening) :], node)
            found.is_template = True  # type: ignore[attr-defined]
            return found
    if any(child.type == "interpolation" for child in middle):
        return lowering.make(ast.JoinedStr, node, values=_joined(lowering, middle))
    content = "".join(lowering.source(child) for child in middle)
    return lowering.make(ast.Constant, node, value=content)


def _joined(lowering: Lowering, parts: list[Node]) -> list[ast.expr]:
    values: list[ast.expr] = []
    for part in parts:
        if part.type in ("interpolation", "format_expression"):
            if isinstance(part.value, ast.expr):
                values.append(part.value)
        elif part.end > part.start:
            value = lowering.source(part)
            values.append(lowering.make(ast.Constant, part, value=value))
    return values


def _interpolation(lowering: Lowering, node: Node) -> ast.expr:
    value = expr(field(node, "expression"))
    conversion, spec = field(node, "type_conversion"), field(node, "format_specifier")
    code = -1 if conversion is None else ord(lowering.source(conversion)[-1])
    given = spec.value if spec is not None else None
    return lowering.make(ast.FormattedValue, node, value=value, conversion=code, format_spec=given)


def _format_specifier(lowering: Lowering, node: Node) -> ast.expr:
    parts = [child for child in node.children if child.type != ":"]
    return lowering.make(ast.JoinedStr, node, values=_joined(lowering, parts))


def _concatenated(lowering: Lowering, node: Node) -> ast.expr:
    try:
        return parsed_expression(lowering, lowering.source(node), node)
    except Incomplete:
        parts = exprs(child for child in node.children if child.type == "string")
    values: list[ast.expr] = []
    for part in parts:
        values += part.values if isinstance(part, ast.JoinedStr) else [part]
    texts: list[Any] = [part.value for part in parts if isinstance(part, ast.Constant)]
    if len(texts) == len(parts) and len({type(text) for text in texts}) == 1:
        empty: Any = type(texts[0])()
        return lowering.make(ast.Constant, node, value=empty.join(texts))
    return lowering.make(ast.JoinedStr, node, values=values)


def parsed_expression(lowering: Lowering, text: str, node: Node) -> ast.expr:
    """Parse an expression with Python.

    Args:
        lowering: the text under work.
        text: the source of the expression.
        node: its concrete node.
    """
    (statement,) = lowering.parsed(f"({text})", node, 1).body
    if not isinstance(statement, ast.Expr):
        raise Incomplete
    return statement.value


LITERALS: dict[str, Callable[[Lowering, Node], Any]] = {
    **dict.fromkeys(_CONSTANTS, _constant),
    "integer": _number,
    "float": _number,
    "string": _string,
    "interpolation": _interpolation,
    "format_expression": _interpolation,
    "format_specifier": _format_specifier,
    "concatenated_string": _concatenated,
}
