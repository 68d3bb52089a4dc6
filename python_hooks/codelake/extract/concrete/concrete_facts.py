"""Concrete facts: one walk over a LibCST tree -> references, definitions, imports, calls and more.

    @d
    def f(x: int): "doc"; g(x, *y)

    defs        function f, one decorator, its docstring
    type_exprs  x of f: int
    callsites   g, 2 arguments; call_args: x, *y
    refs        d, int, g, x, y: load

The walk has its own stack and goes by the table of concrete_children.py. It notes nodes; `rows`
turns them into tuples when positions and scopes are known. A reference is what Python's own tree
calls a Name or an Attribute; names that `except` and `match` bind are references of the kind
`capture`. True, False and None are constants, though LibCST has Names for them. Contexts are the
words load, store and del, not LibCST's enumeration.
Next: concrete_tree.py.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import libcst as cst
from libcst.metadata import ExpressionContext, Scope

from codelake.extract.concrete.concrete_children import FIELDS
from codelake.extract.concrete.concrete_positions import Span
from codelake.extract.concrete.concrete_scopes import (
    describe_scope,
    full_names,
    plain,
    qualified_names,
)
from codelake.extract.syntax.node_kinds import VALUE_LIMIT

type _Entry = tuple[Any, ExpressionContext, int | None, str]  # node, context, owner, parent kind
type Rows = dict[str, list[tuple[Any, ...]]]

_LOAD, _STORE, _DEL = ExpressionContext.LOAD, ExpressionContext.STORE, ExpressionContext.DEL
_WORD = {_LOAD: "load", _STORE: "store", _DEL: "del"}
_CONSTANTS = frozenset({"True", "False", "None"})
_CAPTURES = frozenset(
    {"ExceptHandler", "ExceptStarHandler", "MatchAs", "MatchStar", "MatchMapping"}
)
_KEEPS = frozenset(  # the context of a target is that of its parts
    {cst.AssignTarget, cst.AsName, cst.Element, cst.StarredElement, cst.List, cst.Tuple}
)
_STORES: dict[type, frozenset[str]] = {
    cst.Assign: frozenset({"targets"}),
    cst.AnnAssign: frozenset({"target"}),
    cst.AugAssign: frozenset({"target"}),
    cst.NamedExpr: frozenset({"target"}),
    cst.For: frozenset({"target"}),
    cst.CompFor: frozenset({"target"}),
    cst.WithItem: frozenset({"asname"}),
    cst.ExceptHandler: frozenset({"name"}),
    cst.ExceptStarHandler: frozenset({"name"}),
    cst.MatchAs: frozenset({"name"}),
    cst.MatchStar: frozenset({"name"}),
    cst.MatchMapping: frozenset({"rest"}),
    cst.TypeAlias: frozenset({"name"}),
}
_BRACKETED = frozenset({cst.Tuple, cst.GeneratorExp})
_SHAPES: dict[type, str] = {
    cst.Name: "NAME",
    cst.Attribute: "ATTRIBUTE",
    cst.Subscript: "SUBSCRIPT",
}


class Facts:
    """The noteworthy nodes of a tree, each kind in source order.

    Attributes:
        contexts: how each name, attribute and subscript is used.
        future_imports: names imported from `__future__`.
    """

    def __init__(self, module: cst.Module) -> None:
        """Walk a tree.

        Args:
            module: the tree.
        """
        self.contexts: dict[cst.CSTNode, ExpressionContext] = {}
        self.future_imports: list[str] = []
        self._refs: list[tuple[Any, str]] = []
        self._defs: list[tuple[Any, int | None]] = []
        self._imports: list[tuple[Any, ...]] = []
        self._calls: list[cst.Call] = []
        self._types: list[tuple[int | None, Any, str, cst.BaseExpression]] = []
        self._docstrings: list[tuple[int | None, str, cst.BaseExpression]] = []
        self._decorators: list[tuple[int, int, cst.Decorator]] = []
        self._texts: dict[int, str] = {}
        self._act: dict[type, Callable[[Any, int | None], int | None]] = {
            cst.FunctionDef: self._function,
            cst.ClassDef: self._class,
            cst.Param: self._parameter,
            cst.AnnAssign: self._annotated,
            cst.Import: self._import,
            cst.ImportFrom: self._import_from,
        }
        with warnings.catch_warnings():  # of odd escapes in docstrings
            warnings.simplefilter("ignore")
            self._docstring(module.body, None)
            self._walk(module)

    def _walk(self, module: cst.Module) -> None:
        stack: list[_Entry] = [(module, _LOAD, None, "")]
        pop, push = stack.pop, stack.append
        contexts, refs, calls, act = self.contexts, self._refs, self._calls, self._act
        fields, stores, keeps, nothing = FIELDS, _STORES, _KEEPS, frozenset[str]()
        while stack:
            node, context, owner, parent = pop()
            found = node.__class__
            if found is cst.Name:
                contexts[node] = context
                if node.value not in _CONSTANTS:
                    refs.append((node, parent))
                continue
            name = found.__name__
            if found is cst.Attribute:
                contexts[node] = context
                refs.append((node, parent))
                push((node.value, _LOAD, owner, name))
                continue
            if found is cst.Call:
                calls.append(node)
                for argument in reversed(node.args):
                    push((argument.value, _LOAD, owner, "Arg"))
                push((node.func, _LOAD, owner, name))
                continue
            if found in act:
                owner = act[found](node, owner)
            inherited = context if found in keeps else _DEL if found is cst.Del else _LOAD
            stored = stores.get(found, nothing)
            for field in reversed(fields[found]):
                value = getattr(node, field)
                inner = _STORE if field in stored else inherited
                if value.__class__ in fields:
                    if value.__class__ is cst.AsName and name in _CAPTURES:
                        value = value.name
                    push((value, inner, owner, name))
                elif value.__class__ in (list, tuple):
                    for child in reversed(value):
                        push((child, inner, owner, name))

    def _function(self, node: cst.FunctionDef, owner: int | None) -> int:
        number = self._definition(node, owner)
        if node.returns is not None:
            self._types.append((number, None, "return", node.returns.annotation))
        return number

    def _class(self, node: cst.ClassDef, owner: int | None) -> int:
        return self._definition(node, owner)

    def _definition(self, node: cst.FunctionDef | cst.ClassDef, owner: int | None) -> int:
        number = len(self._defs)
        self._defs.append((node, owner))
        self._decorators += [(number, index, item) for index, item in enumerate(node.decorators)]
        self._docstring(node.body.body, number)
        return number

    def _parameter(self, node: cst.Param, owner: int | None) -> int | None:
        if node.annotation is not None:
            self._types.append((owner, node.name, "param", node.annotation.annotation))
        return owner

    def _annotated(self, node: cst.AnnAssign, owner: int | None) -> int | None:
        self._types.append((owner, node.target, "variable", node.annotation.annotation))
        return owner

    def _import(self, node: cst.Import, owner: int | None) -> int | None:
        for alias in node.names:
            name = dotted(alias.name)
            self._imports.append(("import", name, 0, None, _asname(alias), False, node, alias))
        return owner

    def _import_from(self, node: cst.ImportFrom, owner: int | None) -> int | None:
        module = None if node.module is None else dotted(node.module)
        head = ("from", module, len(node.relative))
        if isinstance(node.names, cst.ImportStar):
            self._imports.append((*head, "*", None, True, node, node.names))
            return owner
        for alias in node.names:
            name = dotted(alias.name)
            self._imports.append((*head, name, _asname(alias), False, node, alias))
            if module == "__future__" and name is not None:
                self.future_imports.append(name)
        return owner

    def _docstring(self, body: Sequence[cst.CSTNode], owner: int | None) -> None:
        first = body[0] if body else None
        if isinstance(first, cst.SimpleStatementLine):
            first = first.body[0] if first.body else None
        value = first.value if isinstance(first, cst.Expr) else None
        if isinstance(value, cst.SimpleString | cst.ConcatenatedString):
            text = value.evaluated_value
            if isinstance(text, str):
                clean = inspect.cleandoc(text).encode("utf-8", "backslashreplace").decode()
                self._docstrings.append((owner, clean, value))
                if owner is not None:
                    self._texts[owner] = clean

    def rows(
        self,
        text: str,
        spans: dict[cst.CSTNode, Span],
        offsets: Sequence[int],
        scopes: dict[cst.CSTNode, Scope],
        names: tuple[str, str],
    ) -> Rows:
        """Return the rows of each kind, in the field order of the structs in rows.py.

        Args:
            text: the decoded source.
            spans: code points of each node.
            offsets: raw offset of each code point.
            scopes: scope of each node; empty when LibCST could not tell.
            names: dotted names of the module and of its package.
        """

        def place(node: cst.CSTNode) -> Span:
            start, end = spans[node]
            return offsets[start], offsets[end]

        def value(node: Any) -> tuple[str, int, int]:
            """Return text and span, with the brackets of a tuple or generator as in Python."""
            start, end = spans[node]
            if node.__class__ in _BRACKETED and node.lpar:
                start, end = spans[node.lpar[-1]][0], spans[node.rpar[0]][1]
            return text[start : min(end, start + VALUE_LIMIT)], offsets[start], offsets[end]

        scope_of, described = scopes.get, {}
        refs = []
        for node, parent in self._refs:
            context = self.contexts[node]
            scope = scope_of(node)
            if scope not in described:
                described[scope] = describe_scope(scope)
            if node.__class__ is cst.Attribute:
                kind, name = "attribute", plain(node.attr.value)
            else:
                bound = parent in _CAPTURES and context is _STORE
                kind, name = ("capture" if bound else "name"), plain(node.value)
            refs.append((kind, name, _WORD[context], *described[scope], parent, *place(node)))
        return {
            "refs": refs,
            "defs": [
                self._def_row(number, node, owner, scope_of(node), place, names)
                for number, (node, owner) in enumerate(self._defs)
            ],
            "imports": [
                (*facts, *place(statement), *place(alias))
                for *facts, statement, alias in self._imports
            ],
            "callsites": [
                _call_row(node, scope_of(node.func), place, value, names) for node in self._calls
            ],
            "call_args": [
                (number, index, *_label(item), *value(item.value))
                for number, node in enumerate(self._calls)
                for index, item in enumerate(node.args)
            ],
            "type_exprs": [
                (owner, None if target is None else value(target)[0], role, *value(node))
                for owner, target, role, node in sorted(self._types, key=lambda row: place(row[3]))
            ],
            "docstrings": [
                (owner, self._kind(owner), content, *place(node))
                for owner, content, node in self._docstrings
            ],
            "decorators": [
                (owner, self._kind(owner), index, *value(node))
                for owner, index, node in self._decorators
            ],
        }

    def _kind(self, number: int | None) -> str:
        return "module" if number is None else _kind(self._defs[number][0])

    def _def_row(
        self, number: int, node: Any, owner: int | None, scope: Scope | None, place: Any, names: Any
    ) -> tuple[Any, ...]:
        qualified = qualified_names(scope, node, node.name.value)
        spans = (*place(node), *place(node.name))
        found = (qualified[0], full_names(qualified, *names), self._texts.get(number))
        return (_kind(node), plain(node.name.value), owner, *spans, *found, len(node.decorators))


def _kind(node: cst.FunctionDef | cst.ClassDef) -> str:
    if isinstance(node, cst.ClassDef):
        return "class"
    return "function" if node.asynchronous is None else "async_function"


def _call_row(
    node: cst.Call, scope: Scope | None, place: Any, value: Any, names: Any
) -> tuple[Any, ...]:
    func = node.func
    shape = _SHAPES.get(func.__class__, "OTHER")
    dots = dotted(func) if shape in ("NAME", "ATTRIBUTE") else None
    qualified = ([], []) if dots is None else qualified_names(scope, func, dots)
    spans = (*place(node), *place(func))
    head = (*spans, shape, value(func)[0], dots, len(node.args))
    return (*head, *qualified, full_names(qualified, *names))


def dotted(node: cst.BaseExpression) -> str | None:
    """Return `a.b.c` for a chain of attributes that begins with a name."""
    parts: list[str] = []
    while isinstance(node, cst.Attribute):
        parts.append(node.attr.value)
        node = node.value
    if not isinstance(node, cst.Name):
        return None
    parts.append(node.value)
    return plain(".".join(reversed(parts)))


def _label(argument: cst.Arg) -> tuple[str | None, str | None]:
    keyword = None if argument.keyword is None else plain(argument.keyword.value)
    return keyword, argument.star or None


def _asname(alias: cst.ImportAlias) -> str | None:
    name = None if alias.asname is None else alias.asname.name
    return plain(name.value) if isinstance(name, cst.Name) else None
