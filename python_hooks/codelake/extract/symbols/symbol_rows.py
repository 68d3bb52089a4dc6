"""Symbol rows: analysed scopes -> one row per scope and symbol, with every flag of symtable.

    def f(x): y = x     f: x local, is_parameter, is_local, is_referenced; y local, is_assigned

The flags mean what `symtable.Symbol` says they mean. Two things differ from that wrapper, where it
compares names as text: a method `__m` is the namespace of its mangled symbol, and a variable
called `genexpr` is not the namespace of a generator expression.

The order is that of CPython's table, except that names which only pass through a scope (a closure
inside needs them) come last, sorted: CPython takes those from a set.
Next: symbol_table.py.
"""

from __future__ import annotations

from typing import Any

from codelake.extract.symbols.name_resolution import Bindings
from codelake.extract.symbols.scopes import (
    CELL,
    CLASS,
    COMPREHENSION_KINDS,
    DEF_ANNOT,
    DEF_BOUND,
    DEF_COMP_CELL,
    DEF_COMP_ITER,
    DEF_FREE_CLASS,
    DEF_IMPORT,
    DEF_LOCAL,
    DEF_NONLOCAL,
    DEF_PARAM,
    DEF_TYPE_PARAM,
    FREE,
    FUNCTION,
    GLOBAL_EXPLICIT,
    GLOBAL_IMPLICIT,
    LAMBDA,
    LOCAL,
    MODULE,
    OFFSET,
    TYPE_PARAMETERS,
    TYPE_VARIABLE,
    USE,
    Scope,
)

# parameters, locals, globals, nonlocals and frees of a scope, and its methods
type Part = tuple[list[str], list[str], list[str], list[str], list[str], list[str]]

_RESOLUTIONS = {
    LOCAL: "local",
    CELL: "cell",
    FREE: "free",
    GLOBAL_EXPLICIT: "global_explicit",
    GLOBAL_IMPLICIT: "global_implicit",
}
_FACTS = (1 << OFFSET) - 1 & ~(DEF_COMP_CELL | DEF_FREE_CLASS)  # what the scope's own code says
_IMPLICIT = frozenset({"__classdict__", ".type_params", ".generic_base", ".format"})


def symbol_rows(
    scopes: list[Scope], bindings: Bindings
) -> tuple[list[Part], list[tuple[Any, ...]]]:
    """Return the names of each scope by part, and the rows of SYMBOL.

    Args:
        scopes: numbered and analysed, with the names that occur in them resolved.
        bindings: who owns which name.
    """
    inside = _namespaces(scopes)
    parts: list[Part] = []
    rows: list[tuple[Any, ...]] = []
    tables: dict[bool, dict[int, tuple[Any, ...]]] = {True: {}, False: {}}
    nothing: list[int] = []
    for scope in scopes:
        number, is_module, resolved = scope.number, scope.kind == MODULE, scope.resolved
        table, own_scopes = tables[is_module], inside[number]
        part: Part = ([], [], [], [], [], [])
        parameters, local, in_module, nonlocals, frees, methods = part
        for symbol, flags in _in_order(scope):
            facts = table.get(flags)
            if facts is None:
                facts = table[flags] = _facts(flags, is_module)
            kind = flags >> OFFSET
            if kind in (LOCAL, CELL):
                local.append(symbol)
                owner: int | None = number
            else:
                (frees if kind == FREE else in_module).append(symbol)
                found = resolved.get(symbol)
                if found is None or found[0] != symbol:
                    found = (symbol, *bindings.binding(scope, symbol, kind))
                owner = found[2]
            if flags & DEF_PARAM:
                parameters.append(symbol)
            elif flags & DEF_NONLOCAL:
                nonlocals.append(symbol)
            opened = own_scopes.get(symbol, nothing) if own_scopes else nothing
            copied = scope.merges and _is_copied(scope, symbol, flags)
            if opened and kind == LOCAL and any(_is_function(scopes[inner]) for inner in opened):
                methods.append(symbol)
            rows.append((number, symbol, facts[0], owner, *facts[1], bool(opened), copied, opened))
        parts.append(part)
    return parts, rows


def _facts(flags: int, is_module: bool) -> tuple[str, tuple[bool, ...]]:
    """Return the resolution class and the flags in the order of SYMBOL."""
    kind = flags >> OFFSET
    bound_here = is_module and bool(flags & DEF_BOUND)
    return _RESOLUTIONS[kind], (
        bool(flags & USE),
        bool(flags & DEF_IMPORT),
        bool(flags & DEF_PARAM),
        bool(flags & DEF_TYPE_PARAM),
        kind in (GLOBAL_IMPLICIT, GLOBAL_EXPLICIT) or bound_here,
        bool(flags & DEF_NONLOCAL),
        kind == GLOBAL_EXPLICIT,
        kind in (LOCAL, CELL) or bound_here,
        bool(flags & DEF_ANNOT),
        kind == FREE,
        bool(flags & DEF_LOCAL),
        bool(flags & DEF_FREE_CLASS),
        bool(flags & DEF_COMP_ITER),
        bool(flags & DEF_COMP_CELL),
    )


def _in_order(scope: Scope) -> list[tuple[str, int]]:
    """Return the symbols, those that only pass through sorted at the end."""
    items = list(scope.symbols.items())
    passing = [item for item in items if not item[1] & _FACTS]
    if passing:
        items = [item for item in items if item[1] & _FACTS] + sorted(passing)
    return items


def _is_copied(scope: Scope, symbol: str, flags: int) -> bool:
    """Tell whether the scope has a symbol only because a comprehension was inlined into it."""
    facts = flags & _FACTS
    if scope.own is not None:
        return bool(facts) and symbol not in scope.own
    if facts & DEF_COMP_ITER:
        return True
    if facts != USE or symbol in _IMPLICIT or symbol in scope.occurring():
        return False
    return symbol != "__class__" or not scope.uses_super


def _namespaces(scopes: list[Scope]) -> list[dict[str, list[int]]]:
    """Return for each scope which of its symbols are names of scopes inside it."""
    found: list[dict[str, list[int]]] = [{} for _ in scopes]
    for scope in scopes[1:]:
        parent, kind = scope.parent, scope.kind
        if parent is None or kind == LAMBDA or kind in COMPREHENSION_KINDS:
            continue
        if kind == TYPE_VARIABLE or parent.kind != TYPE_PARAMETERS:
            symbol = parent.symbol_name(scope.name)
            found[parent.number].setdefault(symbol, []).append(scope.number)
    return found


def _is_function(scope: Scope) -> bool:
    if scope.kind == TYPE_PARAMETERS:
        return scope.definition is not None and scope.definition.kind == FUNCTION
    return scope.kind == FUNCTION and scope.parent is not None and scope.parent.kind == CLASS
