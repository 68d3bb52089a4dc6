r"""Lowering: tree-sitter's concrete tree -> statements of Python's own syntax tree.

    print "a" % x     Expr(Call(Name("print"), [BinOp(...)]))
    f(a b)            Expr(Call(Name("f"), [Name("b")])), Expr(Name("a"))

A broken file so has a tree of the same classes and positions as a whole one, and the same code
makes its nodes, names and ids. A node that lacks a part it needs is left out; its well-formed
parts, and those inside an ERROR, become expression statements behind the statement that holds them.

Python 2 is read as what it means today: the print and exec statements are calls. In `except A, b:`
b is a name when it begins in lower case, as in Python 2, and an exception otherwise (PEP 758).

Nodes arrive children first, so nothing recurses.
Next: lower_expressions.py, lower_patterns.py, lower_statements.py; used by broken_tree.py.
"""

from __future__ import annotations

import ast
import keyword
from collections.abc import Callable, Iterator
from typing import Any

from codelake.extract.broken.lower_expressions import EXPRESSIONS
from codelake.extract.broken.lower_parts import Incomplete, Lowering, as_statement
from codelake.extract.broken.lower_patterns import PATTERNS
from codelake.extract.broken.lower_statements import STATEMENTS
from codelake.extract.broken.ts_tree import ConcreteText, Node, Problem, concrete_tree

_HANDLERS: dict[str, Callable[[Lowering, Node], Any]] = {**EXPRESSIONS, **PATTERNS, **STATEMENTS}
_PREFIX = "if 1:\n"
_BINDERS = frozenset({"def", "class", "import", "from", "as", ".", "global", "nonlocal"})


def lower(text: str, first_line: int) -> tuple[list[ast.stmt], list[Problem]]:
    r"""Read a text that Python cannot parse.

    Args:
        text: whole lines that end with \n; they may be indented.
        first_line: the number of the first of them.

    Returns:
        Its statements, and what tree-sitter could not fit in.
    """
    is_indented = text[:1] in (" ", "\t", "\f")
    concrete = ConcreteText(text, first_line, _PREFIX if is_indented else "")
    nodes, problems = concrete_tree(concrete)
    lowering = Lowering(concrete)
    for node in nodes:
        _lower_node(lowering, node)
    root = nodes[-1]
    body: list[ast.stmt] = (
        root.value if root.type == "module" else [as_statement(stray) for stray in root.strays]
    )
    if is_indented:
        body = _without_prefix(body, first_line)
        start = concrete.position(concrete.begin)
        problems = [item._replace(start=max(item.start, start)) for item in problems]
    return body, problems


def _lower_node(lowering: Lowering, node: Node) -> None:
    """Give a node its value, and pass on the strays of its children."""
    if node.missing or node.is_token:
        return
    handler = _HANDLERS.get(node.type)
    if handler is None:
        if node.children:
            node.strays = list(_fragments(node))
        return
    children = node.children
    node.strays = [stray for child in children for stray in child.strays]
    try:
        node.value = handler(lowering, node)
    except Incomplete:
        node.strays = list(_fragments(node))
    if node.type in _PLACES_STRAYS:
        node.strays = []


def _fragments(node: Node) -> Iterator[Any]:
    """Yield the well-formed pieces right below a node, in source order."""
    before = ""
    for child in node.children:
        is_name = child.type == "identifier"
        if not (is_name and (before in _BINDERS or _is_reserved(child))):
            yield from _pieces(child.value)
        yield from child.strays
        before = child.type


def _is_reserved(node: Node) -> bool:
    return isinstance(node.value, ast.Name) and keyword.iskeyword(node.value.id)


def _pieces(value: Any) -> Iterator[Any]:
    """Yield the statements and expressions of a value that is a part of a node."""
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, ast.expr | ast.stmt):
            yield item
        elif isinstance(item, list | tuple):
            stack.extend(reversed(item))
        elif isinstance(item, ast.AST):
            stack.extend(reversed([getattr(item, name, None) for name in item._fields]))


def _without_prefix(body: list[ast.stmt], first_line: int) -> list[ast.stmt]:
    found: list[ast.stmt] = []
    for statement in body:
        if statement.lineno >= first_line:
            found.append(statement)
        elif isinstance(statement, ast.If):
            found += [item for item in statement.body if item.lineno >= first_line]
            found += statement.orelse
    return found


_PLACES_STRAYS = frozenset({"module", "block"})
