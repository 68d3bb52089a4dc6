"""Symbol table evidence: a parsed file -> scopes, symbols and the resolution of every name.

    def f(x):                     scopes   0 module, 1 function f
        return len(x)             symbols  module: f local; f: x local, len global_implicit
                                  names    f definition in 0: global, bound in 0
                                           x parameter in 1: local, bound in 1
                                           len load in 1: builtin; x load in 1: local, bound in 1

Everything comes from CPython's own symbol table, read without its slow wrapper classes; scopes that
it does not list are analysed by its rules (scope_map.py, name_resolution.py).

A path of a scope is the def_path of the definition it belongs to; `#n` marks the n-th equal path in
source order. Other scopes are named after what opens them, inside the path of the scope around:
`f.<locals>.<listcomp>`, `C.<generic parameters of f>`.

What no symbol table knows: which names a star import brings (they look like builtins), and names
that the interpreter puts into a namespace, such as `__file__` or, in a class, `__qualname__`.
Next: file_evidence.py.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from codelake.evidence.rows import columns_of
from codelake.extract.parse import ParseFailure
from codelake.extract.symbols.name_resolution import Bindings
from codelake.extract.symbols.scope_map import scope_map
from codelake.extract.symbols.scopes import (
    CLASS,
    DEF_GLOBAL,
    EVALUATED,
    FUNCTION,
    FUNCTION_KINDS,
    GENERATOR,
    LAMBDA,
    MODULE,
    TEXT,
    TYPE_VARIABLE,
    Occurrence,
    Scope,
    read_table,
)
from codelake.extract.symbols.symbol_rows import Part, symbol_rows

_SEPARATORS = {MODULE: "", FUNCTION: ".<locals>.", LAMBDA: ".<locals>."}
_NO_PARTS = (None,) * 5
_LINE_BREAK = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True, slots=True)
class SymbolTable:
    """Columns of the evidence row, in the field order of SCOPE, SYMBOL and NAME_OCCURRENCE."""

    scopes: Sequence[Sequence[Any]]
    symbols: Sequence[Sequence[Any]]
    names: Sequence[Sequence[Any]]


def symbol_table(text: str, tree: ast.Module, file: str = "<module>") -> SymbolTable | ParseFailure:
    """Turn the symbol table of a file into columns.

    Args:
        text: the decoded source.
        tree: its syntax tree, whose nodes are numbered by syntax_tree.
        file: what to call the file in an error.

    Returns:
        The scopes and names in order of their nodes, the symbols by scope; or why CPython refuses
        the names of the file, for example two parameters of one name.

    Raises:
        ScopeMapError: when the table does not fit the tree, which is a fault of codelake.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            top = read_table(text, file)
    except SyntaxError as error:
        return _failure(error, text)
    except (ValueError, RecursionError, MemoryError, OverflowError, SystemError) as error:
        return ParseFailure(type(error).__name__, str(error) or "too much for the symbol table")
    scopes, names = scope_map(top, tree, file)
    bindings = Bindings(scopes, names, file)
    _name_paths(scopes)
    occurrences = _names(names, bindings)
    parts, symbols = symbol_rows(scopes, bindings)
    return SymbolTable(
        columns_of(_scopes(scopes, parts), 17), columns_of(symbols, 21), columns_of(occurrences, 8)
    )


def _failure(error: SyntaxError, text: str) -> ParseFailure:
    """Say why CPython refuses the names; it counts columns in UTF-8 bytes here."""
    lines = _LINE_BREAK.split(text)

    def column(line: int | None, offset: int | None) -> int | None:
        if not line or not offset or line > len(lines):
            return None
        return len(lines[line - 1].encode()[: offset - 1].decode("utf-8", "ignore"))

    start, end = column(error.lineno, error.offset), column(error.end_lineno, error.end_offset)
    place = error.lineno or None, start, error.end_lineno or None, end
    return ParseFailure(type(error).__name__, error.msg or "invalid syntax", *place)


def _name_paths(scopes: list[Scope]) -> None:
    """Give each scope its path; definitions have that of syntax_tree.py."""
    taken: dict[str, int] = {}
    for scope in scopes[1:]:
        parent, kind = scope.parent, scope.kind
        assert parent is not None
        if kind in (FUNCTION, CLASS, LAMBDA):
            binder = parent.parent if parent.definition is scope else parent
            symbol = binder.symbol_name(scope.name) if binder is not None else ""
            is_global = binder is not None and binder.symbols.get(symbol, 0) & DEF_GLOBAL
            path = scope.name if kind != LAMBDA and is_global else parent.prefix + scope.name
        else:
            separator = _SEPARATORS.get(parent.kind, ".")
            path = parent.path + separator + scope.label
        count = taken.get(path, 0)
        taken[path] = count + 1
        scope.path = f"{path}#{count}" if count else path
        if kind in (FUNCTION, CLASS, LAMBDA):
            scope.prefix = scope.path + _SEPARATORS.get(kind, ".")
        elif kind == GENERATOR:
            scope.prefix = f"{parent.prefix}{scope.name}."
        elif kind == TYPE_VARIABLE and parent.definition is not None:
            scope.prefix = parent.definition.prefix
        else:
            scope.prefix = parent.prefix


def _names(names: list[Occurrence], bindings: Bindings) -> list[tuple[Any, ...]]:
    """Resolve every occurrence; a scope remembers its answers."""
    rows: list[tuple[Any, ...]] = []
    resolve = bindings.resolve
    for node_no, name, scope, context, fate in names:
        known = scope.as_text if fate == TEXT else scope.resolved
        found = known.get(name)
        if found is None:
            found = known[name] = resolve(scope, name, fate)
        symbol, resolution, owner = found
        is_evaluated = fate == EVALUATED
        rows.append((node_no, name, symbol, scope.number, context, resolution, owner, is_evaluated))
    return rows


def _scopes(scopes: list[Scope], parts: list[Part]) -> list[tuple[Any, ...]]:
    """Return the scope rows."""
    open_scopes = {scope.parent.number for scope in scopes if scope.parent is not None}
    rows: list[tuple[Any, ...]] = []
    for scope, part in zip(scopes, parts, strict=True):
        number, parent, kind = scope.number, scope.parent, scope.kind
        is_function = kind in FUNCTION_KINDS
        # fmt: off
        rows.append((
            kind, scope.name, scope.path,
            None if parent is None else parent.number, scope.node.no,
            1 if parent is None else scope.node.lineno,
            scope.nested, is_function, number in open_scopes,
            scope.inlined, scope.entry is None and not scope.inlined,
            *(part[:5] if is_function else _NO_PARTS),
            part[5] if kind == CLASS else None,
        ))
        # fmt: on
    return rows
