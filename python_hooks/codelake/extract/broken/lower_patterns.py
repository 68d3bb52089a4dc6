"""Patterns: concrete nodes -> patterns of `match`, and targets that look like them.

    case [a, *rest]: ...        MatchSequence([MatchAs("a"), MatchStar("rest")])
    [a, *rest] = x              List([Name("a"), Starred(Name("rest"))])

Tree-sitter names both `list_pattern`; below a case its elements are case patterns.
Next: lower_statements.py.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from codelake.extract.broken.lower_expressions import binary_operator
from codelake.extract.broken.lower_parts import Incomplete, Lowering, expr, field, fields, has_token
from codelake.extract.broken.ts_tree import Node

_KEYS = ("string", "concatenated_string", "integer", "float", "true", "false", "none")


def pattern(lowering: Lowering, node: Node) -> ast.pattern:
    """Return what a concrete node means below a case."""
    value = node.value
    if isinstance(value, ast.pattern):
        return value
    if node.type == "_":
        return lowering.make(ast.MatchAs, node, pattern=None, name=None)
    if node.type == "dotted_name":
        return _dotted_pattern(lowering, node)
    if isinstance(value, ast.List | ast.Tuple) and not value.elts:
        return lowering.make(ast.MatchSequence, node, patterns=[])
    if isinstance(value, ast.Constant) and (value.value is None or value.value.__class__ is bool):
        return lowering.make(ast.MatchSingleton, node, value=value.value)
    return lowering.make(ast.MatchValue, node, value=expr(node))


def sequence(lowering: Lowering, nodes: list[Node], end: int) -> ast.pattern:
    """Return the only pattern of a case, or a sequence without brackets."""
    patterns = [pattern(lowering, node) for node in nodes]
    return lowering.at(ast.MatchSequence, nodes[0].start, end, patterns=patterns)


def _dotted_pattern(lowering: Lowering, node: Node) -> ast.pattern:
    value = dotted(lowering, node)
    if isinstance(value, ast.Name):
        name = None if value.id == "_" else value.id
        return lowering.make(ast.MatchAs, node, pattern=None, name=name)
    return lowering.make(ast.MatchValue, node, value=value)


def dotted(lowering: Lowering, node: Node) -> ast.expr:
    """Return a dotted name as an expression."""
    names = [child for child in node.children if child.type == "identifier"]
    if not names:
        raise Incomplete
    value = expr(names[0])
    for child in names[1:]:
        value = lowering.at(
            ast.Attribute,
            node.start,
            child.end,
            value=value,
            attr=lowering.name(child),
            ctx=ast.Load(),
        )
    return value


def _case_pattern(lowering: Lowering, node: Node) -> Any:
    parts = [child for child in node.children if child.type != "ERROR"]
    if len(parts) == 2 and parts[0].type == "-":
        return _negative(lowering, parts[0], parts[1])
    if len(parts) != 1:
        raise Incomplete
    if parts[0].type == "keyword_pattern":
        return parts[0].value
    return pattern(lowering, parts[0])


def _negative(lowering: Lowering, minus: Node, number: Node) -> ast.pattern:
    value = lowering.at(ast.UnaryOp, minus.start, number.end, op=ast.USub(), operand=expr(number))
    return lowering.at(ast.MatchValue, minus.start, number.end, value=value)


def _union(lowering: Lowering, node: Node) -> ast.pattern:
    found: list[ast.pattern] = []
    minus: Node | None = None
    for child in node.children:
        if child.type == "-":
            minus = child
        elif child.type not in ("|", "ERROR"):
            item = pattern(lowering, child) if minus is None else _negative(lowering, minus, child)
            found.append(item)
            minus = None
    if len(found) < 2:
        raise Incomplete
    return lowering.make(ast.MatchOr, node, patterns=found)


def _complex(lowering: Lowering, node: Node) -> ast.pattern:
    tokens = [child for child in node.children if child.type != "ERROR"]
    first: ast.expr
    if tokens[0].type == "-":
        minus, number, operator, second = tokens
        first = lowering.at(
            ast.UnaryOp, minus.start, number.end, op=ast.USub(), operand=expr(number)
        )
    else:
        number, operator, second = tokens
        first = expr(number)
    value = lowering.make(
        ast.BinOp, node, left=first, op=binary_operator(operator.type), right=expr(second)
    )
    return lowering.make(ast.MatchValue, node, value=value)


def _as_pattern(lowering: Lowering, node: Node) -> Any:
    """Lower `x as y`: below a case a pattern, elsewhere a pair for `with` and `except`."""
    alias = field(node, "alias")
    first = node.children[0]
    if alias is not None:
        return expr(first), expr(alias)
    name = lowering.name(node.children[-1])
    return lowering.make(ast.MatchAs, node, pattern=pattern(lowering, first), name=name)


def _collection(cls: type[ast.expr]) -> Callable[[Lowering, Node], ast.AST]:
    def lower(lowering: Lowering, node: Node) -> ast.AST:
        cases = [child for child in node.children if child.type == "case_pattern"]
        if not cases:
            elements = [item.value for item in node.children if isinstance(item.value, ast.expr)]
            is_group = cls is ast.Tuple and len(elements) == 1 and not has_token(node, ",")
            if is_group and elements[0].__class__ is not ast.Starred:
                return elements[0]
            return lowering.make(cls, node, elts=elements, ctx=ast.Load())
        patterns = [pattern(lowering, item) for item in cases]
        is_group = cls is ast.Tuple and len(patterns) == 1 and not has_token(node, ",")
        if is_group and not isinstance(patterns[0], ast.MatchStar):
            return patterns[0]
        return lowering.make(ast.MatchSequence, node, patterns=patterns)

    return lower


def _splat(lowering: Lowering, node: Node) -> Any:
    name = lowering.source(node.children[-1])
    if has_token(node, "**"):
        return name
    return lowering.make(ast.MatchStar, node, name=None if name == "_" else name)


def _dict_pattern(lowering: Lowering, node: Node) -> ast.pattern:
    keys: list[ast.expr] = []
    minus: Node | None = None
    for child in node.children:
        if child.field == "key":
            if child.type == "-":
                minus = child
                continue
            item = pattern(lowering, child) if minus is None else _negative(lowering, minus, child)
            if isinstance(item, ast.MatchValue):
                keys.append(item.value)
            elif child.type in _KEYS:
                keys.append(expr(child))
            else:
                raise Incomplete
            minus = None
    values = [pattern(lowering, item) for item in fields(node, "value")]
    if len(keys) != len(values):
        raise Incomplete
    rest = next((item.value for item in node.children if item.type == "splat_pattern"), None)
    return lowering.make(ast.MatchMapping, node, keys=keys, patterns=values, rest=rest)


def _keyword_pattern(lowering: Lowering, node: Node) -> tuple[str, ast.pattern]:
    name, *rest = [child for child in node.children if child.type not in ("=", "ERROR")]
    if len(rest) == 2 and rest[0].type == "-":
        return lowering.name(name), _negative(lowering, rest[0], rest[1])
    if len(rest) != 1:
        raise Incomplete
    return lowering.name(name), pattern(lowering, rest[0])


def _class_pattern(lowering: Lowering, node: Node) -> ast.pattern:
    patterns: list[ast.pattern] = []
    names: list[str] = []
    named: list[ast.pattern] = []
    for child in node.children[1:]:
        if child.type != "case_pattern":
            continue
        if isinstance(child.value, tuple):
            names.append(child.value[0])
            named.append(child.value[1])
        else:
            patterns.append(pattern(lowering, child))
    return lowering.make(
        ast.MatchClass,
        node,
        cls=dotted(lowering, node.children[0]),
        patterns=patterns,
        kwd_attrs=names,
        kwd_patterns=named,
    )


PATTERNS: dict[str, Callable[[Lowering, Node], Any]] = {
    "case_pattern": _case_pattern,
    "union_pattern": _union,
    "complex_pattern": _complex,
    "as_pattern": _as_pattern,
    "list_pattern": _collection(ast.List),
    "tuple_pattern": _collection(ast.Tuple),
    "splat_pattern": _splat,
    "dict_pattern": _dict_pattern,
    "keyword_pattern": _keyword_pattern,
    "class_pattern": _class_pattern,
}
