"""Name resolution: scopes and the names in them -> what CPython binds each name to.

    def f(x):                     x in f: cell, for g captures it
        def g(): return x, len    x in g: free, bound in f; len: builtin
        return [x for x in g()]   these x: local to the comprehension

Scopes with a table of CPython take its verdict. For the others (see scope_map.py) the same rules
are applied here: a name bound in the scope is local; otherwise the nearest function-like scope
around it that binds the name owns it, class bodies being skipped; otherwise it is global. A scope
inside may turn a local into a cell.

A table that inlined a comprehension also holds the names of the comprehension. Such a copied name
is told by the flag of iteration variables and is never taken for a binding of its scope. CPython
3.12 and 3.13 sometimes do: in `def f(x): def g(): [x for x in y]; return lambda: x` their lambda
finds an empty cell of g and fails. The answer here is that of the language, and of 3.11: x of f.
Next: symbol_table.py.
"""

from __future__ import annotations

from codelake.extract.symbols.scopes import (
    CELL,
    CLASS,
    COMPREHENSION_KINDS,
    DEF_BOUND,
    DEF_COMP_CELL,
    DEF_COMP_ITER,
    DEF_GLOBAL,
    DEF_LOCAL,
    DEF_NONLOCAL,
    DEF_PARAM,
    DELETE,
    FREE,
    GLOBAL_EXPLICIT,
    GLOBAL_IMPLICIT,
    LOAD,
    LOCAL,
    MODULE,
    OFFSET,
    PARAMETER,
    STORE,
    TEXT,
    USE,
    Occurrence,
    Resolved,
    Scope,
    ScopeMapError,
)

_ELSEWHERE = DEF_GLOBAL | DEF_NONLOCAL
_IMPLICIT_CELLS = ("__class__", "__classdict__")  # a class provides them to its functions
_SEEN = {LOAD: USE, STORE: DEF_LOCAL, DELETE: DEF_LOCAL, PARAMETER: DEF_PARAM}


class Bindings:
    """Who owns which name, in one file."""

    def __init__(self, scopes: list[Scope], names: list[Occurrence], file: str) -> None:
        """Resolve the scopes that have no table, and collect what the module binds.

        Args:
            scopes: from scope_map, parents first.
            names: from scope_map.
            file: what to call the file in an error.
        """
        self._file = file
        self._collect(names)
        for scope in scopes:
            if scope.entry is None:
                self._analyse(scope)
        self.module_names = _module_names(scopes)
        self._capture(scopes)
        _merge_cells(scopes)

    def owner(self, scope: Scope, name: str) -> Scope | None:
        """Return the function-like scope around this one that binds a symbol, if any does."""
        around = scope.parent
        while around is not None:
            if around.function_like:
                flags = _own_flags(around, name)
                if flags & DEF_GLOBAL:
                    return None
                if flags & DEF_BOUND and not flags & DEF_NONLOCAL:
                    return around
            elif around.kind == CLASS and name in _IMPLICIT_CELLS:
                flags = around.symbols.get(name, 0) if scope.table is around else 0
                if not flags & DEF_NONLOCAL:
                    return around
            around = around.parent
        return None

    def binding(self, scope: Scope, symbol: str, kind: int) -> tuple[str, int | None]:
        """Return how code in a scope reaches a symbol, and the number of the scope that owns it.

        Args:
            scope: where the name occurs.
            symbol: the name as stored.
            kind: CPython's class of the symbol there.
        """
        if kind in (LOCAL, CELL):
            if scope.kind == MODULE:
                return "global", 0
            if scope.kind == CLASS:
                return "class", scope.number
            return ("cell" if kind == CELL else "local"), scope.number
        if kind == FREE:
            owner = self.owner(scope, symbol)
            if owner is None and scope.kind == CLASS and symbol in _IMPLICIT_CELLS:
                owner = scope  # early 3.12, for a comprehension that it inlined
            if owner is None:
                raise ScopeMapError(
                    f"{self._file}: no owner of `{symbol}` in {scope.kind} {scope.path}"
                )
            return "free", owner.number
        visible = scope.visible_class
        if kind == GLOBAL_IMPLICIT and visible is not None and _binds(visible, symbol):
            return "class", visible.number
        if symbol in self.module_names:
            return "global", 0
        return ("global" if kind == GLOBAL_EXPLICIT else "builtin"), None

    def resolve(self, scope: Scope, name: str, fate: int) -> Resolved:
        """Return symbol, resolution and owner of a name as written in a scope."""
        symbol = scope.symbol_name(name)
        flags = scope.symbols.get(symbol)
        if flags is not None:
            return symbol, *self.binding(scope, symbol, flags >> OFFSET)
        if fate != TEXT:
            raise ScopeMapError(f"{self._file}: {scope.path}: CPython has no `{symbol}`")
        return symbol, *self.binding(scope, symbol, self._kind(scope, symbol, 0))

    def _collect(self, names: list[Occurrence]) -> None:
        """Gather the flags of comprehensions and of scopes without a table."""
        for _, name, scope, context, fate in names:
            own = scope.own
            if name == "super" and context is LOAD and fate != TEXT and scope.function_like:
                scope.uses_super = True
            if own is not None:
                flags, symbol = _SEEN[context], scope.symbol_name(name)
                if name in scope.named and context is STORE:
                    flags |= self._declared(_frame(scope), symbol)
                elif context is STORE and scope.kind in COMPREHENSION_KINDS:
                    flags |= DEF_COMP_ITER
                elif name == "super":
                    own["__class__"] = own.get("__class__", 0) | USE
                own[symbol] = own.get(symbol, 0) | flags

    def _declared(self, frame: Scope, symbol: str) -> int:
        """Bind the target of `:=` around a comprehension; return how it is declared inside."""
        if frame.own is not None:
            frame.own[symbol] = frame.own.get(symbol, 0) | DEF_LOCAL
        is_global = frame.kind == MODULE or _own_flags(frame, symbol) & DEF_GLOBAL
        return DEF_GLOBAL if is_global else DEF_NONLOCAL

    def _kind(self, scope: Scope, symbol: str, flags: int) -> int:
        """Decide the class of a symbol from its flags, as CPython's analyze_name does."""
        if flags & DEF_GLOBAL:
            return GLOBAL_EXPLICIT
        if flags & DEF_NONLOCAL:
            return FREE
        if flags & DEF_BOUND:
            return LOCAL
        visible = scope.visible_class
        if visible is not None:
            if _own_flags(visible, symbol) & DEF_GLOBAL:
                return GLOBAL_EXPLICIT
            if _binds(visible, symbol):
                return GLOBAL_IMPLICIT
        owner = self.owner(scope, symbol)
        if owner is None or (owner.kind == CLASS and owner is scope.table):
            return GLOBAL_IMPLICIT  # a comprehension inlined into a class knows no __class__
        return FREE

    def _analyse(self, scope: Scope) -> None:
        """Give a scope without a table its symbols."""
        own = scope.own or {}
        for symbol, flags in own.items():
            scope.symbols[symbol] = flags | self._kind(scope, symbol, flags) << OFFSET

    def _capture(self, scopes: list[Scope]) -> None:
        """Make cells of captured names, and let captures pass through scopes without a table.

        A comprehension that is inlined reads the variable of its frame and captures nothing.
        """
        for scope in scopes:
            if scope.inlined:
                continue
            for symbol, flags in scope.symbols.items():
                if flags >> OFFSET == FREE:
                    owner = self.owner(scope, symbol)
                    around = scope.parent
                    while around is not None and around is not owner:
                        if around.entry is None:
                            around.symbols.setdefault(symbol, FREE << OFFSET)
                        around = around.parent
                    if owner is not None and owner.entry is None and owner.function_like:
                        owner.symbols[symbol] = _as_cell(owner.symbols[symbol])


def _frame(scope: Scope) -> Scope:
    """Return the scope around a comprehension in which `:=` binds."""
    around = scope
    while around.kind in COMPREHENSION_KINDS and around.parent is not None:
        around = around.parent
    return around


def _own_flags(scope: Scope, symbol: str) -> int:
    """Return the flags of a symbol without what inlined comprehensions left in the table."""
    if scope.own is not None:
        return scope.own.get(symbol, 0)
    flags = scope.symbols.get(symbol, 0)
    return 0 if flags & DEF_COMP_ITER else flags


def _binds(scope: Scope, symbol: str) -> bool:
    flags = _own_flags(scope, symbol)
    return bool(flags & DEF_BOUND) and not flags & _ELSEWHERE


def _module_names(scopes: list[Scope]) -> frozenset[str]:
    """Return the symbols that the module or a `global` in it binds."""
    found = {
        symbol
        for symbol, flags in scopes[0].symbols.items()
        if flags & DEF_BOUND and not flags & DEF_COMP_ITER
    }
    for scope in scopes:
        for symbol, flags in scope.symbols.items():
            if flags & DEF_GLOBAL and flags & DEF_BOUND:
                found.add(symbol)
    return frozenset(found)


def _merge_cells(scopes: list[Scope]) -> None:
    """Make cells of names in a frame that are cells in a comprehension inlined there."""
    for scope in reversed(scopes):
        if scope.entry is None:
            symbols = scope.symbols
            for symbol in scope.cells & symbols.keys():
                flags = symbols[symbol] | DEF_COMP_CELL
                symbols[symbol] = _as_cell(flags) if flags >> OFFSET == LOCAL else flags
            if scope.inlined and scope.parent is not None:
                mine = {symbol for symbol, flags in symbols.items() if flags >> OFFSET == CELL}
                scope.parent.cells |= scope.cells | mine


def _as_cell(flags: int) -> int:
    return flags & (1 << OFFSET) - 1 | CELL << OFFSET
