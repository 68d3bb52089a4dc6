"""Numbered nodes: a syntax tree whose nodes know their numbers -> the nodes by number.

    x = 1        [Module, Assign, Name, Constant]

Extractors refer to nodes by `no`; this is the way back from a number to its node.
"""

from __future__ import annotations

import ast
from typing import Any

_TEXT = frozenset(
    {
        *("arg", "attr", "asname", "conversion", "ctx", "id", "is_async", "kind", "kwd_attrs"),
        *("level", "module", "name", "op", "ops", "rest", "simple", "tag", "type_comment"),
        "type_ignores",
    }
)
_LEAVES = (ast.Name, ast.Constant, ast.alias, ast.Global, ast.Nonlocal, ast.MatchSingleton)


def numbered_nodes(tree: ast.Module) -> list[Any]:
    """Return the nodes of a tree by number.

    Args:
        tree: the syntax tree, whose nodes have been numbered by syntax_tree().

    Returns:
        The node of each number.
    """
    nodes: list[Any] = []
    numbers: list[int] = []
    stack: list[Any] = [tree]
    pop, push, extend, fields_of = stack.pop, stack.append, stack.extend, _FIELDS
    while stack:
        node = pop()
        if node is None:
            continue
        try:
            numbers.append(node.no)
            nodes.append(node)
        except AttributeError:  # arguments, keyword, comprehension, withitem
            pass
        for field in fields_of[node.__class__]:
            value = getattr(node, field)
            if value.__class__ is list:
                extend(value)
            elif value is not None:
                push(value)
    found: list[Any] = [None] * (max(numbers) + 1)
    for number, node in zip(numbers, nodes, strict=True):
        found[number] = node
    return found


def _node_fields(kind: type[ast.AST]) -> tuple[str, ...]:
    if kind in _LEAVES:
        return ()
    if kind is ast.TypeAlias:
        return "name", "type_params", "value"
    return tuple(field for field in kind._fields if field not in _TEXT)


_FIELDS = {
    kind: _node_fields(kind)
    for kind in vars(ast).values()
    if isinstance(kind, type) and issubclass(kind, ast.AST)
}
