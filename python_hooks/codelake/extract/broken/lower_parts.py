"""Parts of lowering: what the handlers of all kinds of nodes share.

    Lowering.make(ast.Name, node, id="x", ctx=ast.Load())    a Name at the place of a concrete node
    expr(node)                                               its expression, or Incomplete

Next: lower_expressions.py.
"""

from __future__ import annotations

import ast
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Any

from codelake.extract.broken.ts_tree import ConcreteText, Node


class Incomplete(Exception):
    """A concrete node lacks a part that its node of Python's tree needs."""


class Lowering:
    """The text under work, and the making of nodes with a place in it."""

    def __init__(self, text: ConcreteText) -> None:
        """Take a text."""
        self.text = text

    def make[T: ast.AST](self, cls: type[T], place: Node, /, **fields: Any) -> T:
        """Return a node of Python's tree at the place of a concrete node."""
        return self.at(cls, place.start, place.end, **fields)

    def at[T: ast.AST](self, cls: type[T], start: int, end: int, /, **fields: Any) -> T:
        """Return a node of Python's tree between two offsets."""
        node = cls(**fields)
        position = self.text.position
        node.lineno, node.col_offset = position(start)  # type: ignore[attr-defined]
        node.end_lineno, node.end_col_offset = position(end)  # type: ignore[attr-defined]
        return node

    def unstarred(self, node: ast.expr, place: Node, first: ast.expr) -> ast.expr:
        """Return an expression whose first part may be starred.

        Tree-sitter reads `*a.b` as `(*a).b`; the star goes outside, where Python has it.

        Args:
            node: the expression, already without the star.
            place: the concrete node, star included.
            first: the first part as it was lowered.
        """
        if not isinstance(first, ast.Starred):
            return node
        node.lineno, node.col_offset = first.value.lineno, first.value.col_offset
        return self.make(ast.Starred, place, value=node, ctx=ast.Load())

    def parsed(self, text: str, node: Node, column: int = 0) -> ast.Module:
        """Parse a text with Python and move it to the place of a concrete node.

        Args:
            text: the source of the node, perhaps in parentheses.
            node: the concrete node.
            column: how far the source of the node is into the text.
        """
        try:
            tree = ast.parse(text)
        except (SyntaxError, ValueError, MemoryError, RecursionError):
            raise Incomplete from None
        line, col = self.text.position(node.start)
        item: Any
        for item in ast.walk(tree):
            if hasattr(item, "end_col_offset"):
                if item.lineno == 1:
                    item.col_offset += col - column
                if item.end_lineno == 1:
                    item.end_col_offset += col - column
                item.lineno += line - 1
                item.end_lineno += line - 1
        return tree

    def source(self, node: Node) -> str:
        """Return the text of a concrete node."""
        return self.text.slice(node.start, node.end)

    def name(self, node: Node | None) -> str:
        """Return an identifier as Python normalises it."""
        if node is None or node.missing or node.start == node.end:
            raise Incomplete
        text = self.source(node)
        return text if text.isascii() else unicodedata.normalize("NFKC", text)

    def statements(self, node: Node) -> list[ast.stmt]:
        """Return the statements below a node, strays behind the statement that held them."""
        body: list[ast.stmt] = []
        for child in node.children:
            if isinstance(child.value, ast.stmt):
                body.append(child.value)
            elif child.type == ";" and body:  # part of what encloses the statement
                body[-1].closing = self.text.position(child.end)  # type: ignore[attr-defined]
            body += [as_statement(stray) for stray in child.strays]
        return body


def as_statement(node: ast.AST) -> ast.stmt:
    """Return a statement as it is, an expression as a statement."""
    if isinstance(node, ast.stmt):
        return node
    assert isinstance(node, ast.expr)
    store(node, ast.Load)  # it may have been the target of what was lost
    return ast.copy_location(ast.Expr(value=node), node)


def expr(node: Node | None) -> ast.expr:
    """Return the expression of a concrete node, which must have one."""
    if node is None or not isinstance(node.value, ast.expr):
        raise Incomplete
    return node.value


def field(node: Node, name: str) -> Node | None:
    """Return the child in a field."""
    for child in node.children:
        if child.field == name:
            return child
    return None


def fields(node: Node, name: str) -> list[Node]:
    """Return the children in a field, without the commas between them."""
    return [child for child in node.children if child.field == name and child.type != ","]


def field_of_type(node: Node, kind: str) -> Node | None:
    """Return the first child of a type."""
    return next((child for child in node.children if child.type == kind), None)


def has_token(node: Node, token: str) -> bool:
    """Return whether a token stands right below a node."""
    return any(child.type == token for child in node.children)


def store(target: ast.expr, context: type[ast.expr_context] = ast.Store) -> ast.expr:
    """Mark an expression as a target, with everything inside it that is one."""
    stack: list[ast.expr] = [target]
    while stack:
        item = stack.pop()
        if isinstance(item, ast.Tuple | ast.List):
            stack.extend(item.elts)
        elif isinstance(item, ast.Starred):
            stack.append(item.value)
        elif not isinstance(item, ast.Name | ast.Attribute | ast.Subscript):
            continue
        item.ctx = context()
    return target


def exprs(nodes: Iterable[Node]) -> list[ast.expr]:
    """Return the expressions of concrete nodes, which must all have one."""
    return [expr(node) for node in nodes]


def close[T: ast.AST](node: T, *bodies: Sequence[Any]) -> T:
    """End a compound node where the last of its statements ends."""
    ends = [
        getattr(item, "closing", (item.end_lineno, item.end_col_offset))
        for body in bodies
        for item in body
    ]
    if ends:
        node.end_lineno, node.end_col_offset = max(ends)  # type: ignore[attr-defined]
    return node


def plain(first: ast.expr) -> ast.expr:
    """Return an expression without the star that tree-sitter bound too tightly."""
    return first.value if isinstance(first, ast.Starred) else first


def left_to_parent(_: Lowering, __: Node) -> None:
    """Lower nothing: the parent knows what the node means."""
