"""Expressions: concrete nodes -> expressions of Python's tree.

    boolean_operator(boolean_operator(a, and, b), and, c)     BoolOp(And, [a, b, c])

Where tree-sitter binds operators otherwise than Python does, the operation is put right.
Next: lower_patterns.py.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from codelake.extract.broken.lower_literals import LITERALS, parsed_expression
from codelake.extract.broken.lower_parts import (
    Incomplete,
    Lowering,
    expr,
    exprs,
    field,
    fields,
    has_token,
    plain,
    store,
)
from codelake.extract.broken.ts_tree import Node

_BINARY: dict[str, type[ast.operator]] = {
    "+": ast.Add,
    "-": ast.Sub,
    "*": ast.Mult,
    "@": ast.MatMult,
    "/": ast.Div,
    "%": ast.Mod,
    "//": ast.FloorDiv,
    "**": ast.Pow,
    "|": ast.BitOr,
    "&": ast.BitAnd,
    "^": ast.BitXor,
    "<<": ast.LShift,
    ">>": ast.RShift,
}
_UNARY: dict[str, type[ast.unaryop]] = {"+": ast.UAdd, "-": ast.USub, "~": ast.Invert}
_COMPARE: dict[str, type[ast.cmpop]] = {
    "<": ast.Lt,
    "<=": ast.LtE,
    "==": ast.Eq,
    "!=": ast.NotEq,
    "<>": ast.NotEq,
    ">=": ast.GtE,
    ">": ast.Gt,
    "in": ast.In,
    "not in": ast.NotIn,
    "is": ast.Is,
    "is not": ast.IsNot,
}
_REREAD = 500  # bytes


def binary_operator(token: str) -> ast.operator:
    """Return the operator of a token such as `+`."""
    if token not in _BINARY:
        raise Incomplete
    return _BINARY[token]()


def tuple_of(lowering: Lowering, nodes: list[Node], start: int, end: int) -> ast.expr:
    """Return the only expression, or a tuple without parentheses."""
    return lowering.at(ast.Tuple, start, end, elts=exprs(nodes), ctx=ast.Load())


def identifier(lowering: Lowering, node: Node) -> ast.expr:
    """Lower a name, unless it is the rest of a word that tree-sitter cut (`0xg`)."""
    before = lowering.text.data[node.start - 1 : node.start]
    if before.isalnum() or before == b"_":
        raise Incomplete
    return lowering.make(ast.Name, node, id=lowering.name(node), ctx=ast.Load())


def _attribute(lowering: Lowering, node: Node) -> ast.expr:
    first, attr = expr(field(node, "object")), lowering.name(field(node, "attribute"))
    found = lowering.make(ast.Attribute, node, value=plain(first), attr=attr, ctx=ast.Load())
    return lowering.unstarred(found, node, first)


def _subscript(lowering: Lowering, node: Node) -> ast.expr:
    first = expr(field(node, "value"))
    inside = fields(node, "subscript")
    if not inside:
        raise Incomplete
    index = _index(lowering, node, inside)
    found = lowering.make(ast.Subscript, node, value=plain(first), slice=index, ctx=ast.Load())
    return lowering.unstarred(found, node, first)


def _index(lowering: Lowering, node: Node, inside: list[Node]) -> ast.expr:
    """Return what stands in the brackets: one expression, or a tuple up to its last comma."""
    commas = [child for child in node.children if child.type == ","]
    if not commas and not isinstance(inside[0].value, ast.Starred):
        return expr(inside[0])
    end = max([inside[-1].end, *(comma.end for comma in commas)])
    return tuple_of(lowering, inside, inside[0].start, end)


def _slice(lowering: Lowering, node: Node) -> ast.expr:
    parts: list[ast.expr | None] = [None, None, None]
    number = 0
    for child in node.children:
        if child.type == ":":
            number += 1
        elif number < 3 and child.type != "ERROR":
            parts[number] = expr(child)
    lower, upper, step = parts
    return lowering.make(ast.Slice, node, lower=lower, upper=upper, step=step)


def _call(lowering: Lowering, node: Node) -> ast.expr:
    first, given = expr(field(node, "function")), field(node, "arguments")
    if given is None or given.value is None:
        raise Incomplete
    args, keywords = ([given.value], []) if given.type == "generator_expression" else given.value
    found = lowering.make(ast.Call, node, func=plain(first), args=args, keywords=keywords)
    return lowering.unstarred(found, node, first)


def _argument_list(_: Lowering, node: Node) -> tuple[list[ast.expr], list[ast.keyword]]:
    args, keywords = [], []
    for child in node.children:
        if isinstance(child.value, ast.keyword):
            keywords.append(child.value)
        elif isinstance(child.value, ast.expr):
            args.append(child.value)
    return args, keywords


def _keyword_argument(lowering: Lowering, node: Node) -> ast.keyword:
    name, value = lowering.name(field(node, "name")), expr(field(node, "value"))
    return lowering.make(ast.keyword, node, arg=name, value=value)


def _dictionary_splat(lowering: Lowering, node: Node) -> ast.keyword:
    return lowering.make(ast.keyword, node, arg=None, value=_only(node))


def _only(node: Node) -> ast.expr:
    for child in node.children:
        if isinstance(child.value, ast.expr):
            return child.value
    raise Incomplete


def _starred(lowering: Lowering, node: Node) -> ast.expr:
    return lowering.make(ast.Starred, node, value=_only(node), ctx=ast.Load())


def _parenthesized(_: Lowering, node: Node) -> Any:
    for child in node.children:
        if isinstance(child.value, tuple):  # `(x as y)`
            return child.value
    return _only(node)


def _sequence(cls: type[ast.expr]) -> Callable[[Lowering, Node], ast.expr]:
    def lower(lowering: Lowering, node: Node) -> ast.expr:
        elements = [item.value for item in node.children if isinstance(item.value, ast.expr)]
        context = {} if cls is ast.Set else {"ctx": ast.Load()}
        return lowering.make(cls, node, elts=elements, **context)

    return lower


def _dictionary(lowering: Lowering, node: Node) -> ast.expr:
    keys: list[ast.expr | None] = []
    values = []
    for child in node.children:
        if isinstance(child.value, ast.keyword):
            keys.append(None)
            values.append(child.value.value)
        elif isinstance(child.value, tuple):
            keys.append(child.value[0])
            values.append(child.value[1])
    return lowering.make(ast.Dict, node, keys=keys, values=values)


def _pair(_: Lowering, node: Node) -> tuple[ast.expr, ast.expr]:
    return expr(field(node, "key")), expr(field(node, "value"))


def _comprehension(cls: type[ast.expr]) -> Callable[[Lowering, Node], ast.expr]:
    def lower(lowering: Lowering, node: Node) -> ast.expr:
        generators: list[ast.comprehension] = []
        for child in node.children:
            if isinstance(child.value, ast.comprehension):
                generators.append(child.value)
            elif child.type == "if_clause" and generators:
                generators[-1].ifs.append(expr(child))
        body = field(node, "body")
        if not generators or body is None:
            raise Incomplete
        if cls is ast.DictComp:
            if not isinstance(body.value, tuple):
                raise Incomplete
            key, value = body.value
            return lowering.make(cls, node, key=key, value=value, generators=generators)
        return lowering.make(cls, node, elt=expr(body), generators=generators)

    return lower


def _for_in(lowering: Lowering, node: Node) -> ast.comprehension:
    target, iterables = store(expr(field(node, "left"))), fields(node, "right")
    if not iterables:
        raise Incomplete
    source = expr(iterables[0])
    if len(iterables) > 1:  # Python 2
        source = tuple_of(lowering, iterables, iterables[0].start, iterables[-1].end)
    is_async = int(has_token(node, "async"))
    return ast.comprehension(target=target, iter=source, ifs=[], is_async=is_async)


def _boolean(lowering: Lowering, node: Node) -> ast.expr:
    left, right = field(node, "left"), field(node, "right")
    token = field(node, "operator")
    operator = ast.And() if token is not None and token.type == "and" else ast.Or()
    first = expr(left)
    is_same = isinstance(first, ast.BoolOp) and isinstance(first.op, type(operator))
    if is_same and left is not None and left.type == "boolean_operator":
        assert isinstance(first, ast.BoolOp)
        values = first.values  # the inner operation is not used again
        values.append(expr(right))
    else:
        values = [plain(first), expr(right)]
    found = lowering.make(ast.BoolOp, node, op=operator, values=values)
    return lowering.unstarred(found, node, first)


def _binary(lowering: Lowering, node: Node) -> ast.expr:
    token = field(node, "operator")
    first, right = expr(field(node, "left")), expr(field(node, "right"))
    operator = binary_operator(token.type if token is not None else "")
    if isinstance(operator, ast.BitAnd | ast.BitXor) and _mixes(node):
        with suppress(Incomplete):
            return parsed_expression(lowering, lowering.source(node), node)
    found = lowering.make(ast.BinOp, node, left=plain(first), op=operator, right=right)
    return lowering.unstarred(found, node, first)


def _mixes(node: Node) -> bool:
    """Return whether `&` and `^` meet, which tree-sitter binds the wrong way round.

    Python reads such an operation again, unless it is long: each operator would cost that much.
    """
    if node.end - node.start > _REREAD:
        return False
    inner = [child for child in node.children if child.type == "binary_operator"]
    return any(has_token(child, "&") or has_token(child, "^") for child in inner)


def _unary(lowering: Lowering, node: Node) -> ast.expr:
    token = field(node, "operator")
    operand = expr(field(node, "argument"))
    operator = _UNARY[token.type]() if token is not None else ast.Not()
    return lowering.make(ast.UnaryOp, node, op=operator, operand=operand)


def _compare(lowering: Lowering, node: Node) -> ast.expr:
    operators = [_COMPARE[token.type]() for token in fields(node, "operators")]
    values = [item.value for item in node.children if isinstance(item.value, ast.expr)]
    if len(values) != len(operators) + 1:
        raise Incomplete
    first, *others = values
    found = lowering.make(ast.Compare, node, left=plain(first), ops=operators, comparators=others)
    return lowering.unstarred(found, node, first)


def _conditional(lowering: Lowering, node: Node) -> ast.expr:
    values = [item.value for item in node.children if isinstance(item.value, ast.expr)]
    if len(values) != 3:
        raise Incomplete
    first, test, other = values
    found = lowering.make(ast.IfExp, node, test=test, body=plain(first), orelse=other)
    return lowering.unstarred(found, node, first)


def _named_expression(lowering: Lowering, node: Node) -> ast.expr:
    target, value = store(expr(field(node, "name"))), expr(field(node, "value"))
    return lowering.make(ast.NamedExpr, node, target=target, value=value)


def _await(lowering: Lowering, node: Node) -> ast.expr:
    return lowering.make(ast.Await, node, value=_only(node))


def _yield(lowering: Lowering, node: Node) -> ast.expr:
    if has_token(node, "from"):
        return lowering.make(ast.YieldFrom, node, value=_only(node))
    values = [item.value for item in node.children if isinstance(item.value, ast.expr)]
    return lowering.make(ast.Yield, node, value=values[0] if values else None)


def _lambda(lowering: Lowering, node: Node) -> ast.expr:
    given, body = field(node, "parameters"), expr(field(node, "body"))
    arguments = given.value if given is not None else no_parameters()
    if arguments is None:
        raise Incomplete
    return lowering.make(ast.Lambda, node, args=arguments, body=body)


def no_parameters() -> ast.arguments:
    """Return an empty list of parameters."""
    return ast.arguments(
        posonlyargs=[], args=[], vararg=None, kwonlyargs=[], kw_defaults=[], kwarg=None, defaults=[]
    )


def _type(_: Lowering, node: Node) -> Any:
    for child in node.children:
        if child.value is not None:
            return child.value
    raise Incomplete


def _generic_type(lowering: Lowering, node: Node) -> ast.expr | None:
    name, parameters = node.children[0], node.children[-1]
    if any(isinstance(child.value, tuple) for child in parameters.children):
        return None  # `X[T: int]`, which only a type alias says
    inside = [child for child in parameters.children if isinstance(child.value, ast.expr)]
    if not inside:
        raise Incomplete
    index = _index(lowering, parameters, inside)
    return lowering.make(ast.Subscript, node, value=expr(name), slice=index, ctx=ast.Load())


def _union_type(lowering: Lowering, node: Node) -> ast.expr:
    left, right = expr(node.children[0]), expr(node.children[-1])
    return lowering.make(ast.BinOp, node, left=left, op=ast.BitOr(), right=right)


def _member_type(lowering: Lowering, node: Node) -> ast.expr:
    value, attr = expr(node.children[0]), lowering.name(node.children[-1])
    return lowering.make(ast.Attribute, node, value=value, attr=attr, ctx=ast.Load())


def _constrained_type(_: Lowering, node: Node) -> tuple[ast.expr, ast.expr]:
    return expr(node.children[0]), expr(node.children[-1])


EXPRESSIONS: dict[str, Callable[[Lowering, Node], Any]] = {
    "identifier": identifier,
    **LITERALS,
    "attribute": _attribute,
    "subscript": _subscript,
    "slice": _slice,
    "call": _call,
    "argument_list": _argument_list,
    "keyword_argument": _keyword_argument,
    "dictionary_splat": _dictionary_splat,
    "list_splat": _starred,
    "list_splat_pattern": _starred,
    "parenthesized_list_splat": _parenthesized,
    "parenthesized_expression": _parenthesized,
    "as_pattern_target": _parenthesized,
    "if_clause": _parenthesized,
    "tuple": _sequence(ast.Tuple),
    "expression_list": _sequence(ast.Tuple),
    "pattern_list": _sequence(ast.Tuple),
    "list": _sequence(ast.List),
    "set": _sequence(ast.Set),
    "dictionary": _dictionary,
    "pair": _pair,
    "list_comprehension": _comprehension(ast.ListComp),
    "set_comprehension": _comprehension(ast.SetComp),
    "generator_expression": _comprehension(ast.GeneratorExp),
    "dictionary_comprehension": _comprehension(ast.DictComp),
    "for_in_clause": _for_in,
    "boolean_operator": _boolean,
    "binary_operator": _binary,
    "unary_operator": _unary,
    "not_operator": _unary,
    "comparison_operator": _compare,
    "conditional_expression": _conditional,
    "named_expression": _named_expression,
    "await": _await,
    "yield": _yield,
    "lambda": _lambda,
    "type": _type,
    "generic_type": _generic_type,
    "union_type": _union_type,
    "member_type": _member_type,
    "constrained_type": _constrained_type,
    "splat_type": _starred,
}
