"""Syntax tree evidence: a parsed file -> nodes, definitions and imports.

    def f(x):        MODULE (0,0)
        return x     FUNCTION f (1,0), PARAMETER x (1,1), STATEMENT Return (1,2), NAME x (1,3)

One preorder walk with its own stack, so nesting costs no recursion. An address is def_no, ordinal:
definitions are numbered in preorder and have ordinal 0, every other node counts from 1 inside the
innermost definition whose subtree holds it. Decorators, defaults, annotations and bases lie below
their definition but are executed by the one around it, and `owner_no` says so.

Names of definitions follow CPython's `__qualname__`, so a lambda inside a generator expression is
`<genexpr>.<lambda>`, and `global f; def f` makes a module-level f. A def_path adds `#n` to
the n-th redefinition of a path. The parent_def_no of a definition is its owner: a lambda in the
default of f belongs to the definition around f.

Every node of Python's tree that becomes a row gets its position in the array as the attribute
`no`, by which the other extractors of the file refer to it.

A child lies inside the span of its parent, with these exceptions of Python's own positions: a
decorator is before its definition, a default after its parameter, and strings that are concatenated
implicitly share one JoinedStr.
Next: file_evidence.py.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from codelake.evidence.ids import definition_id
from codelake.evidence.rows import columns_of
from codelake.evidence.spans import SpanMap
from codelake.extract.syntax.node_children import (
    CHILDREN,
    FIELDS,
    Child,
    arguments,
    listed,
    parameters,
)
from codelake.extract.syntax.node_kinds import (
    DESCRIBE,
    KIND,
    SYNTAX,
    Attrs,
    Decorator,
    ImportedName,
    Parameter,
)
from codelake.extract.syntax.signatures import name_span, signature

type _Definition = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
type _Address = tuple[int, int, str]  # def_no, ordinal, syntax of a parent
type _Entry = tuple[Any, str, int, str | None, int | None, _Scope, _Address]
type _Scoped = tuple[Child, _Scope]

_DEFINITIONS = frozenset({ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda})


@dataclass(frozen=True, slots=True)
class SyntaxTree:
    """Columns of the evidence row, in the field order of AST_NODE, AST_DEF and AST_IMPORT."""

    nodes: Sequence[Sequence[Any]]
    defs: Sequence[Sequence[Any]]
    imports: Sequence[Sequence[Any]]


class _Scope:
    """Where names of definitions are made: who executes the code, and the prefix of its names."""

    __slots__ = ("globals", "outer", "owner_no", "path", "prefix")

    def __init__(self, owner_no: int, prefix: str, path: str, outer: _Scope | None = None) -> None:
        self.owner_no = owner_no
        self.prefix = prefix
        self.path = path
        self.outer = outer
        self.globals: set[str] = set()


def syntax_tree(
    tree: ast.Module | None, raw: bytes, spans: SpanMap | None, module: str, file: int
) -> SyntaxTree:
    """Turn the syntax tree of a file into columns.

    Args:
        tree: what the parser returned; None when it failed, which leaves only the MODULE node.
        raw: the file as stored.
        spans: its span map; None when the bytes could not be decoded.
        module: dotted name of the module.
        file: file_id.

    Returns:
        The nodes in preorder, the definitions by number, the imports in source order.
    """
    walk = _Walk(raw, spans, module, file)
    walk.start(tree)
    return SyntaxTree(
        columns_of(walk.nodes, 20), columns_of(walk.defs, 12), columns_of(walk.imports, 8)
    )


class _Walk:
    def __init__(self, raw: bytes, spans: SpanMap | None, module: str, file: int) -> None:
        self._raw = raw
        self._spans = spans
        self._module = module
        self._file = file
        self._paths: dict[str, int] = {}
        self._docstrings: set[int] = set()
        self.nodes: list[tuple[Any, ...]] = []
        self.defs: list[tuple[Any, ...]] = []
        self.imports: list[tuple[Any, ...]] = []

    def start(self, tree: ast.Module | None) -> None:
        """Add the module, then everything below it."""
        last, width = self._spans.end() if self._spans is not None else (1, 0)
        name = self._module.rpartition(".")[2]
        place = (0, len(self._raw), 1, last, 0, width)
        root = (None, None, None, None, None, None, None)
        self.nodes.append(("MODULE", "Module", name, 0, 0, 0, *root, *place, None))
        scope = self._add_definition("MODULE", name, None)
        if tree is not None and self._spans is not None:
            tree.no = 0  # type: ignore[attr-defined]
            self._note_docstring(tree.body)
            address = (0, 0, "Module")
            body = listed(tree.body, "body")
            self._run([(*child, None, scope, address) for child in reversed(body)], self._spans)

    def _run(self, stack: list[_Entry], spans: SpanMap) -> None:
        """Work through the stack: emit a node, push its children in reverse."""
        starts, wide, locate = spans.starts, spans.wide, spans.locate
        counters, docstrings, shapes = [0], self._docstrings, _SHAPES
        number = 0
        emit, pop, push = self.nodes.append, stack.pop, stack.append
        while stack:
            node, slot, idx, keyword, call, scope, parent = pop()
            found = node.__class__
            kind, syntax, describe, fields, expand, act = shapes[found]
            name: str | None = None
            attrs: Attrs | None = None
            if describe is not None:
                kind, name, attrs = describe(node)
            line, end_line = node.lineno, node.end_lineno
            col, end_col = node.col_offset, node.end_col_offset
            if line in wide:
                bstart, col = locate(line, col)
            else:
                bstart = starts[line] + col
            if end_line in wide:
                bend, end_col = locate(end_line, end_col)
            else:
                bend = starts[end_line] + end_col
            def_no, parent_ordinal, parent_syntax = parent
            parent_def, receiver, scoped = def_no, None, None
            if act is None:
                ordinal = counters[def_no] = counters[def_no] + 1
                if kind == "LITERAL" and id(node) in docstrings:
                    kind = "DOCSTRING"
            elif found in _DEFINITIONS:
                def_no, ordinal = len(counters), 0
                counters.append(0)
                scoped = self._define(node, scope, bstart)
            else:
                ordinal = counters[def_no] = counters[def_no] + 1
                scoped = act(self, node, def_no, ordinal, scope)
            if call is not None and slot == "func":  # an attribute hands the call to its value
                receiver, call = call, None
            # fmt: off
            emit((
                kind, syntax, name, def_no, ordinal, scope.owner_no,
                parent_def, parent_ordinal, parent_syntax, slot, idx, keyword, call,
                bstart, bend, line, end_line, col, end_col, attrs,
            ))
            # fmt: on
            number += 1
            node.no = number
            address = (def_no, ordinal, syntax)
            if scoped is not None:
                for (item, slot, idx, keyword), inner in reversed(scoped):
                    push((item, slot, idx, keyword, None, inner, address))
            elif found is ast.Call:
                for item, slot, idx, keyword in reversed(
                    arguments(node.args, node.keywords, "args")
                ):
                    push((item, slot, idx, keyword, None, scope, address))
                func = node.func
                receiver = ordinal if func.__class__ is ast.Attribute else None
                push((func, "func", 0, None, receiver, scope, address))
            elif expand is not None:
                for item, slot, idx, keyword in reversed(expand(node)):
                    push((item, slot, idx, keyword, None, scope, address))
            else:
                for field in fields:
                    value = getattr(node, field)
                    if value.__class__ is list:
                        idx = len(value)
                        for item in reversed(value):
                            idx -= 1
                            push((item, field, idx, None, None, scope, address))
                    elif value is not None:
                        push((value, field, 0, None, receiver, scope, address))

    def _define(self, node: _Definition, scope: _Scope, bstart: int) -> list[_Scoped]:
        """Add a definition and return its children, each with the scope that executes it."""
        if isinstance(node, ast.Lambda):
            found = parameters(node.args)
            inner = self._add_definition("LAMBDA", "<lambda>", scope, text=signature(found))
            children = listed(found, "args")
            return _in(inner, [*children, (node.body, "body", 0, None)])
        kind = KIND[node.__class__]
        span = name_span(self._raw, self._spans, bstart, node.name) if self._spans else None
        self._note_docstring(node.body)
        decorators = listed(
            [self._decorator(item) for item in node.decorator_list], "decorator_list"
        )
        type_parameters = listed(node.type_params, "type_params")
        body = listed(node.body, "body")
        if isinstance(node, ast.ClassDef):
            inner = self._add_definition(kind, node.name, scope, span=span)
            bases = arguments(node.bases, node.keywords, "bases")
            header = [*_in(inner, type_parameters), *_in(scope, bases)]
        else:
            found = parameters(node.args)
            is_async = isinstance(node, ast.AsyncFunctionDef)
            returns = None if node.returns is None else self._source(node.returns)
            inner = self._add_definition(
                kind, node.name, scope, is_async, signature(found), returns, span
            )
            header = _in(inner, [*type_parameters, *listed(found, "args")])
            if node.returns is not None:
                header.append(((node.returns, "returns", 0, None), scope))
        return [*_in(scope, decorators), *header, *_in(inner, body)]

    def _add_definition(
        self,
        kind: str,
        name: str,
        scope: _Scope | None,
        is_async: bool = False,
        text: str | None = None,
        returns: str | None = None,
        span: tuple[int, int] | None = None,
    ) -> _Scope:
        """Add a row of ast_defs and return the scope that the definition opens."""
        number = len(self.defs)
        if scope is None:  # the module
            qualname = path = prefix = ""
            redefinition, full = 0, self._module
        else:
            is_global = kind != "LAMBDA" and name in scope.globals
            qualname = name if is_global else scope.prefix + name
            path = name if is_global else scope.path + name
            redefinition = self._paths.get(path, 0)
            self._paths[path] = redefinition + 1
            if redefinition:
                path = f"{path}#{redefinition}"
            full = f"{self._module}.{qualname}" if self._module else qualname
            prefix = "." if kind == "CLASS" else ".<locals>."
        owner = None if scope is None else scope.owner_no
        start, end = span or (None, None)
        identity = (definition_id(self._file, path), kind, name, full, path, redefinition, owner)
        self.defs.append((*identity, is_async, text, returns, start, end))
        return _Scope(number, qualname + prefix, path + prefix, scope)

    def _decorator(self, expression: ast.expr) -> Decorator:
        """Find the `@`: the first thing on its line, at or before the expression."""
        if self._spans is not None:
            starts = self._spans.starts
            for line in range(expression.lineno, 0, -1):
                text = self._raw[starts[line] : starts[line + 1]]
                if text.lstrip(b" \t\f").startswith(b"@"):
                    return Decorator(expression, line, text.index(b"@"))
        return Decorator(expression, expression.lineno, expression.col_offset)

    def _source(self, node: ast.expr) -> str:
        """Return the source text of an expression on one line."""
        if self._spans is None or node.end_lineno is None or node.end_col_offset is None:
            return ""
        bstart, _ = self._spans.locate(node.lineno, node.col_offset)
        bend, _ = self._spans.locate(node.end_lineno, node.end_col_offset)
        text = self._spans.slice(bstart, bend)
        return text if node.lineno == node.end_lineno else " ".join(text.split())

    def _note_docstring(self, body: list[ast.stmt]) -> None:
        if body and isinstance(body[0], ast.Expr):
            value = body[0].value
            if isinstance(value, ast.Constant) and isinstance(value.value, str):
                self._docstrings.add(id(value))


def _in(scope: _Scope, children: Sequence[Child]) -> list[_Scoped]:
    return [(child, scope) for child in children]


def _parameter(_: _Walk, node: Parameter, __: int, ___: int, scope: _Scope) -> list[_Scoped]:
    """Annotations and defaults are executed around the function."""
    outer = scope.outer or scope
    parts = ((node.arg.annotation, "annotation"), (node.default, "default"))
    return [((part, slot, 0, None), outer) for part, slot in parts if part is not None]


def _generator(_: _Walk, node: ast.GeneratorExp, __: int, ___: int, scope: _Scope) -> list[_Scoped]:
    """Give names inside a generator expression their prefix; its first iterable is outside."""
    name = "<genexpr>."
    inner = _Scope(scope.owner_no, scope.prefix + name, scope.path + name, scope)
    first = node.generators[0].iter
    children = CHILDREN[ast.GeneratorExp](node)
    return [(child, scope if child[0] is first else inner) for child in children]


def _global(_: _Walk, node: ast.Global, __: int, ___: int, scope: _Scope) -> None:
    """Remember names that bind in the module; Python wants them declared before use."""
    scope.globals.update(node.names)


def _imported(walk: _Walk, node: ImportedName, def_no: int, ordinal: int, _: _Scope) -> None:
    """Add a row of ast_imports."""
    alias, statement = node.alias, node.statement
    if isinstance(statement, ast.Import):
        walk.imports.append((def_no, ordinal, "import", alias.name, None, alias.asname, 0, False))
        return
    facts = (statement.module, alias.name, alias.asname, statement.level, alias.name == "*")
    walk.imports.append((def_no, ordinal, "from", *facts))


def _opens_scope(*_: Any) -> None:
    """Mark a definition; _run numbers it and calls _define."""


_ACTIONS: dict[type, Callable[[_Walk, Any, int, int, _Scope], list[_Scoped] | None]] = {
    **dict.fromkeys(_DEFINITIONS, _opens_scope),
    Parameter: _parameter,
    ast.GeneratorExp: _generator,
    ast.Global: _global,
    ImportedName: _imported,
}
_SHAPES = {
    found: (
        *(kind, SYNTAX[found], DESCRIBE.get(found)),
        *(FIELDS.get(found, ())[::-1], CHILDREN.get(found), _ACTIONS.get(found)),
    )
    for found, kind in KIND.items()
}
