"""Scopes: what the modules of the symbol table share: kinds, flags of CPython, the scope itself.

    Scope("function", node, "f", "", parent).symbol_name("__x")  -> "_C__x" inside class C

The flags are those of CPython's `_symtable`, which is what `symtable` wraps: reading them directly
is many times faster. Three of them are not exported before 3.14; tests read them off small sources.
Next: scope_map.py.
"""

from __future__ import annotations

import _symtable  # type: ignore[import-not-found]
import ast
from collections.abc import Iterator
from typing import Any

MODULE, CLASS, FUNCTION, LAMBDA = "module", "class", "function", "lambda"
TYPE_PARAMETERS, TYPE_ALIAS, TYPE_VARIABLE = "type_parameters", "type_alias", "type_variable"
COMPREHENSIONS = {
    ast.ListComp: "list_comprehension",
    ast.SetComp: "set_comprehension",
    ast.DictComp: "dict_comprehension",
    ast.GeneratorExp: "generator_expression",
}
GENERATOR = COMPREHENSIONS[ast.GeneratorExp]
COMPREHENSION_KINDS = frozenset(COMPREHENSIONS.values())
INLINED_KINDS = COMPREHENSION_KINDS - {GENERATOR}
FUNCTION_KINDS = frozenset({FUNCTION, LAMBDA}) | COMPREHENSION_KINDS

LOAD, STORE, DELETE, DECLARE = "load", "store", "del", "declare"
PARAMETER, IMPORT, DEFINITION = "parameter", "import", "definition"
EVALUATED, SKIPPED, TEXT = 0, 1, 2  # what becomes of the code around a name

USE: int = _symtable.USE
DEF_GLOBAL: int = _symtable.DEF_GLOBAL
DEF_NONLOCAL: int = _symtable.DEF_NONLOCAL
DEF_LOCAL: int = _symtable.DEF_LOCAL
DEF_PARAM: int = _symtable.DEF_PARAM
DEF_IMPORT: int = _symtable.DEF_IMPORT
DEF_ANNOT: int = _symtable.DEF_ANNOT
DEF_FREE_CLASS: int = _symtable.DEF_FREE_CLASS
DEF_BOUND: int = _symtable.DEF_BOUND
DEF_COMP_ITER: int = getattr(_symtable, "DEF_COMP_ITER", 2 << 8)
DEF_TYPE_PARAM: int = getattr(_symtable, "DEF_TYPE_PARAM", 2 << 9)
DEF_COMP_CELL: int = getattr(_symtable, "DEF_COMP_CELL", 2 << 10)
OFFSET: int = _symtable.SCOPE_OFF  # the class of a symbol is above its flags
FREE: int = _symtable.FREE
CELL: int = _symtable.CELL
LOCAL: int = _symtable.LOCAL
GLOBAL_EXPLICIT: int = _symtable.GLOBAL_EXPLICIT
GLOBAL_IMPLICIT: int = _symtable.GLOBAL_IMPLICIT


def _table_type(*names: str) -> int:
    """Return a constant of `_symtable`, which 3.13 renamed."""
    return int(next(getattr(_symtable, name) for name in names if hasattr(_symtable, name)))


TABLE_TYPES: dict[str, int] = {
    MODULE: _symtable.TYPE_MODULE,
    CLASS: _symtable.TYPE_CLASS,
    TYPE_PARAMETERS: _table_type("TYPE_TYPE_PARAMETERS", "TYPE_TYPE_PARAM"),
    TYPE_ALIAS: _table_type("TYPE_TYPE_ALIAS"),
    TYPE_VARIABLE: _table_type("TYPE_TYPE_VARIABLE", "TYPE_TYPE_VAR_BOUND"),
    **dict.fromkeys(FUNCTION_KINDS, _symtable.TYPE_FUNCTION),
}
TABLE_NAMES = {
    MODULE: "top",
    LAMBDA: "lambda",
    "list_comprehension": "listcomp",
    "set_comprehension": "setcomp",
    "dict_comprehension": "dictcomp",
    GENERATOR: "genexpr",
}

type Resolved = tuple[str, str, int | None]  # symbol, resolution, number of the owner
type Occurrence = tuple[int, str, Scope, str, int]  # node_no, name, scope, context, fate


class ScopeMapError(Exception):
    """CPython's table and the syntax tree do not fit: a fault of codelake."""


def read_table(text: str, file: str) -> Any:
    """Return CPython's table of a module; raises what the compiler raises."""
    return _symtable.symtable(text, file, "exec")


# early 3.12 mangles every name in the header of a generic class, later only its type parameters
HEADER_IS_PRIVATE = "_C__x" in read_table("class C[T](__x): pass", "m.py").children[0].symbols


class Scope:
    """A scope: its table, or what was seen of it where CPython has none.

    Attributes:
        kind: one of the names above.
        name: as written; `<lambda>`, `<listcomp>` and the like for the nameless.
        label: how a path calls the scope when it is no definition.
        node: what opens it.
        parent: the scope around it.
        entry: CPython's table, or None.
        inlined: a comprehension merged into the scope around it.
        function_like: whether its names are visible in scopes inside it.
        private: class whose name mangles `__x`; `mangled` limits that to some names.
        visible_class: class whose namespace is searched first (annotation scopes in classes).
        own: flags by name, collected for comprehensions and for scopes without a table.
        named: targets of `:=` in a comprehension, which bind outside it.
        definition: scope of the function or class that type parameters belong to.
    """

    __slots__ = (
        *("as_text", "cells", "children", "definition", "entry", "function_like", "inlined"),
        *("kind", "label", "mangled", "merges", "name", "named", "nested", "node", "number"),
        *("own", "parent", "path", "prefix", "private", "resolved", "symbols", "table"),
        *("uses_super", "visible_class"),
    )

    def __init__(self, kind: str, node: Any, name: str, label: str, parent: Scope | None) -> None:
        """Open a scope inside another."""
        self.kind = kind
        self.node = node
        self.name = name
        self.label = label
        self.parent = parent
        self.entry: Any = None
        self.table: Scope = self  # the scope whose table lists the children of this one
        self.children: Iterator[Any] = iter(())
        self.symbols: dict[str, int] = {}
        self.resolved: dict[str, Resolved] = {}
        self.as_text: dict[str, Resolved] = {}
        self.own: dict[str, int] | None = None
        self.named: set[str] = set()
        self.cells: set[str] = set()
        self.inlined = self.merges = self.uses_super = False
        self.function_like = kind not in (MODULE, CLASS)
        self.definition: Scope | None = None
        self.visible_class: Scope | None = None
        self.private: str | None = None
        self.mangled: set[str] | None = None
        self.nested = False
        self.number = 0
        self.path = self.prefix = ""
        if parent is not None:
            self.private, self.mangled = parent.private, parent.mangled
            self.nested = parent.nested or parent.function_like

    def take(self, entry: Any) -> None:
        """Adopt the table of CPython."""
        self.entry = entry
        self.symbols = entry.symbols
        self.children = iter(entry.children)

    def occurring(self) -> set[str]:
        """Return the symbols that occur in the code of the scope itself."""
        return {symbol for symbol, _, _ in self.resolved.values()}

    def symbol_name(self, name: str) -> str:
        """Return a name as CPython stores it here: `__x` in class C is `_C__x`."""
        private = self.private
        if private is None or name[:2] != "__" or name[-2:] == "__":
            return name
        if self.mangled is not None and name not in self.mangled:
            return name
        stripped = private.lstrip("_")
        return f"_{stripped}{name}" if stripped else name
