"""Evaluation: which part of an expression comes first, and what may run other code of the program.

    f(a) + b         first: f
    f(), a.b, a + b, x[i], import m       may run a function of this file: RUN
    x = 1, [a, b], lambda: x, a is b      may not

Threads, signals, finalizers and tracing may run anything at any time; they are not considered.
Next: definitions.py.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

_FIRST: dict[type, str] = {
    ast.Attribute: "value",
    ast.Starred: "value",
    ast.Await: "value",
    ast.YieldFrom: "value",
    ast.Yield: "value",
    ast.NamedExpr: "value",
    ast.FormattedValue: "value",
    ast.Subscript: "value",
    ast.BinOp: "left",
    ast.Compare: "left",
    ast.UnaryOp: "operand",
    ast.BoolOp: "values",
    ast.JoinedStr: "values",
    ast.IfExp: "test",
    ast.Call: "func",
    ast.List: "elts",
    ast.Tuple: "elts",
    ast.Set: "elts",
}
_COMPREHENSIONS = frozenset({ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp})


def first_leaf(node: Any) -> Any:
    """Return the part of an expression that is evaluated first."""
    while True:
        kind = node.__class__
        inner: Any = None
        if kind in _FIRST:
            inner = getattr(node, _FIRST[kind])
            if inner.__class__ is list:
                inner = inner[0] if inner else None
        elif kind in _COMPREHENSIONS:
            inner = node.generators[0].iter
        elif kind is ast.Dict and node.values:
            inner = node.values[0] if node.keys[0] is None else node.keys[0]
        elif kind is ast.Lambda:
            inner = next(
                (item for item in (*node.args.defaults, *node.args.kw_defaults) if item), None
            )
        if inner is None:
            return node
        node = inner


def _always(_: Any) -> bool:
    return True


def _is_identity(node: Any) -> bool:
    return all(op.__class__ is ast.Is or op.__class__ is ast.IsNot for op in node.ops)


def _is_unpacked(node: Any) -> bool:
    return node.ctx.__class__ is ast.Store or any(e.__class__ is ast.Starred for e in node.elts)


def _hashes(items: list[Any]) -> bool:
    return any(item.__class__ is not ast.Constant for item in items)


MAY_RUN: dict[type, Callable[[Any], bool]] = {
    ast.Call: _always,
    ast.Attribute: _always,
    ast.Subscript: _always,
    ast.BinOp: _always,
    ast.UnaryOp: _always,
    ast.Compare: lambda node: not _is_identity(node),
    ast.Await: _always,
    ast.Yield: _always,
    ast.YieldFrom: _always,
    ast.FormattedValue: _always,
    ast.GeneratorExp: _always,
    ast.SetComp: _always,
    ast.DictComp: _always,
    ast.Tuple: _is_unpacked,
    ast.List: _is_unpacked,
    ast.Set: lambda node: _hashes(node.elts),
    ast.Dict: lambda node: _hashes(node.keys),
    ast.For: _always,
    ast.AsyncFor: _always,
    ast.With: _always,
    ast.AsyncWith: _always,
    ast.AugAssign: _always,
    ast.alias: _always,
    ast.ImportFrom: _always,
    ast.Raise: _always,
    ast.ClassDef: _always,
    ast.FunctionDef: lambda node: bool(node.decorator_list),
    ast.AsyncFunctionDef: lambda node: bool(node.decorator_list),
    ast.MatchValue: _always,
    ast.MatchClass: _always,
    ast.MatchSequence: _always,
    ast.MatchMapping: _always,
    ast.AnnAssign: lambda node: node.simple == 1,
}


def truth_runs(node: Any) -> bool:
    """Tell whether a branch on a value may run code (`__bool__`, `__len__`)."""
    if node.__class__ is ast.Compare:
        return not _is_identity(node)
    return node.__class__ is not ast.Constant
