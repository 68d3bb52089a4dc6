"""Scope map: the syntax tree and CPython's symbol table -> which scope each name occurs in.

    def f(a=b):                    scopes: module > f > <listcomp>
        return [a for a in x]      module: f, b;  f: parameter a, x;  <listcomp>: both other a

The walk visits the tree in the order in which CPython's `symtable.c` does (defaults before
decorators, the value of a dict comprehension before its key, ...) and takes the children of each
table in turn. Type, name and line must agree and no child may be left over, or a ScopeMapError
names the place: nothing is guessed.

Two sorts of scopes have no table of their own, and `entry` is None: list, set and dict
comprehensions, which CPython 3.12 merges into the scope around them, and whatever stands in an
annotation that `from __future__ import annotations` keeps as text.
Next: name_resolution.py.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from typing import Any

from codelake.extract.symbols.scopes import (
    CLASS,
    COMPREHENSION_KINDS,
    COMPREHENSIONS,
    DECLARE,
    DEF_PARAM,
    DEFINITION,
    DELETE,
    EVALUATED,
    FUNCTION,
    HEADER_IS_PRIVATE,
    IMPORT,
    INLINED_KINDS,
    LAMBDA,
    LOAD,
    MODULE,
    PARAMETER,
    SKIPPED,
    STORE,
    TABLE_NAMES,
    TABLE_TYPES,
    TEXT,
    TYPE_ALIAS,
    TYPE_PARAMETERS,
    TYPE_VARIABLE,
    USE,
    Occurrence,
    Scope,
    ScopeMapError,
)


def scope_map(top: Any, tree: ast.Module, file: str) -> tuple[list[Scope], list[Occurrence]]:
    """Find the scopes of a file and the names that occur in them.

    Args:
        top: table of the module, from `_symtable.symtable`.
        tree: the syntax tree, whose nodes are numbered.
        file: what to call the file in an error.

    Returns:
        The scopes in preorder of the nodes that open them, the names in order of their nodes.

    Raises:
        ScopeMapError: when table and tree do not fit.
    """
    walk = _Walk(top, tree, file)
    walk.run()
    walk.finish()
    return walk.scopes, walk.names


class _Walk:
    def __init__(self, top: Any, tree: ast.Module, file: str) -> None:
        self._file = file
        self._future = _keeps_annotations(tree)
        module = Scope(MODULE, tree, "<module>", "", None)
        self._check(module, top)
        module.take(top)
        self.scopes = [module]
        self.names: list[Occurrence] = []
        self.scope = module
        self.fate = EVALUATED
        self.stack: list[Any] = tree.body[::-1]

    def run(self) -> None:
        """Work through the stack: nodes, scopes to go back to, scopes to open, fates of code."""
        stack, pop, note = self.stack, self.stack.pop, self.names.append
        push, extend = stack.append, stack.extend
        plain, special, contexts = _PLAIN, _SPECIAL, _CONTEXTS
        name_class, scope, fate = ast.Name, self.scope, self.fate
        while stack:
            node = pop()
            found = node.__class__
            if found is name_class:
                note((node.no, node.id, scope, contexts[node.ctx.__class__], fate))
                continue
            fields = plain.get(found)
            if fields is not None:
                for field in fields:
                    value = getattr(node, field)
                    if value.__class__ is list:
                        extend(value[::-1])
                    elif value is not None:
                        push(value)
            elif found is tuple:
                scope = self.scope = self._open(*node)
            elif found is Scope:
                scope = self.scope = node
            elif found is int:
                fate = self.fate = node
            else:
                special[found](self, node)

    def finish(self) -> None:
        """Check that every table was used up, and bring scopes and names in order."""
        for scope in self.scopes:
            left = next(scope.children, None)
            if left is not None:
                raise self._mismatch(scope, f"`{left.name}` at line {left.lineno} was not found")
        self.scopes.sort(key=lambda scope: scope.node.no)
        self.names.sort(key=lambda name: name[0])
        for number, scope in enumerate(self.scopes):
            scope.number = number

    def note(self, node: ast.AST, name: str, context: str) -> None:
        """Add the occurrence of a name."""
        self.names.append((node.no, name, self.scope, context, self.fate))  # type: ignore[attr-defined]

    def later(self, *items: Any) -> None:
        """Put items on the stack, so that they come in the given order."""
        self.stack.extend(items[::-1])

    def annotations(self, *nodes: ast.expr | None, fate: int = EVALUATED) -> list[Any]:
        """Return annotations as items of the stack; text when the future import says so."""
        found = [node for node in nodes if node is not None]
        return [TEXT if self._future else fate, *found, EVALUATED] if found else []

    def _open(self, kind: str, node: Any, name: str, label: str) -> Scope:
        parent = self.scope
        scope = Scope(kind, node, name, label, parent)
        if kind == CLASS:
            scope.private, scope.mangled = name, None
        elif kind == TYPE_PARAMETERS:
            scope.visible_class = parent if parent.kind == CLASS else None
            if node.__class__ is ast.ClassDef:
                scope.private = name
                if not HEADER_IS_PRIVATE:
                    scope.mangled = {item.name for item in node.type_params}
        elif kind in (TYPE_ALIAS, TYPE_VARIABLE):
            seen_by_alias = kind == TYPE_ALIAS and parent.kind == CLASS
            scope.visible_class = parent if seen_by_alias else parent.visible_class
        if parent.kind == TYPE_PARAMETERS and kind in (FUNCTION, CLASS):
            parent.definition = scope
        if kind in COMPREHENSION_KINDS:
            scope.own = {".0": DEF_PARAM}
        if self.fate == TEXT:
            scope.own = scope.own or {}
        elif kind in INLINED_KINDS and parent.visible_class is None:
            scope.inlined = True
            scope.table = parent.table
            parent.table.merges = True
        else:
            entry = next(parent.table.children, None)
            if entry is None:
                raise self._mismatch(scope, "the table around it has no more children")
            self._check(scope, entry)
            scope.take(entry)
            if kind in COMPREHENSION_KINDS and scope.symbols.get("__classdict__", 0) & USE:
                scope.visible_class = parent.visible_class  # 3.14; before, it sees no class
        self.scopes.append(scope)
        return scope

    def _check(self, scope: Scope, entry: Any) -> None:
        """Compare a table with what the tree says."""
        line = 0 if scope.kind == MODULE else scope.node.lineno
        expected = TABLE_TYPES[scope.kind], TABLE_NAMES.get(scope.kind, scope.name), line
        if (entry.type, entry.name, entry.lineno) != expected:
            found = f"type {entry.type} `{entry.name}` at line {entry.lineno}"
            raise self._mismatch(scope, f"CPython has {found}")

    def _mismatch(self, scope: Scope, reason: str) -> ScopeMapError:
        line = getattr(scope.node, "lineno", 1)
        return ScopeMapError(f"{self._file}:{line}: {scope.kind} `{scope.name}`: {reason}")


def _keeps_annotations(tree: ast.Module) -> bool:
    """Tell whether `from __future__ import annotations` is there; it has to be on top."""
    return any(
        alias.name == "annotations"
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and node.module == "__future__" and not node.level
        for alias in node.names
    )


def _parameters(args: ast.arguments) -> list[ast.arg]:
    found = [*args.posonlyargs, *args.args, *args.kwonlyargs]
    found += [arg for arg in (args.vararg, args.kwarg) if arg is not None]
    return found


def _type_parameters(node: Any, name: str) -> list[Any]:
    """Open the scope of type parameters, when there are any."""
    if not node.type_params:
        return []
    label = f"<generic parameters of {name}>"
    return [(TYPE_PARAMETERS, node, name, label), *node.type_params]


def _function(walk: _Walk, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
    walk.note(node, node.name, DEFINITION)
    args = node.args
    typed = [*args.posonlyargs, *args.args, args.vararg, args.kwarg, *args.kwonlyargs]
    annotations = walk.annotations(*[arg.annotation for arg in typed if arg is not None])
    walk.later(
        *args.defaults,
        *args.kw_defaults,
        *node.decorator_list,
        *_type_parameters(node, node.name),
        *annotations,
        *walk.annotations(node.returns),
        (FUNCTION, node, node.name, ""),
        *_parameters(args),
        *node.body,
        walk.scope,
    )


def _lambda(walk: _Walk, node: ast.Lambda) -> None:
    args = node.args
    opening = (LAMBDA, node, "<lambda>", "")
    walk.later(
        *args.defaults, *args.kw_defaults, opening, *_parameters(args), node.body, walk.scope
    )


def _class(walk: _Walk, node: ast.ClassDef) -> None:
    walk.note(node, node.name, DEFINITION)
    walk.later(
        *node.decorator_list,
        *_type_parameters(node, node.name),
        *node.bases,
        *node.keywords,
        (CLASS, node, node.name, ""),
        *node.body,
        walk.scope,
    )


def _comprehension(walk: _Walk, node: Any) -> None:
    """Visit the first iterable outside, everything else inside."""
    kind = COMPREHENSIONS[node.__class__]
    first, *others = node.generators
    name = f"<{TABLE_NAMES[kind]}>"
    items = [first.iter, (kind, node, name, name), first.target, *first.ifs]
    for clause in others:
        items += [clause.target, clause.iter, *clause.ifs]
    items += [node.value, node.key] if node.__class__ is ast.DictComp else [node.elt]
    walk.later(*items, walk.scope)


def _type_alias(walk: _Walk, node: ast.TypeAlias) -> None:
    name = node.name.id
    opening = (TYPE_ALIAS, node, name, f"<type alias {name}>")
    walk.later(node.name, *_type_parameters(node, name), opening, node.value, walk.scope)


def _type_parameter(walk: _Walk, node: Any) -> None:
    """Open the scopes of bound and default (3.13), which are called like the parameter."""
    walk.note(node, node.name, PARAMETER)
    for field, word in (("default_value", "default"), ("bound", "bound")):
        value = getattr(node, field, None)
        if value is not None:
            opening = (TYPE_VARIABLE, node, node.name, f"<{word} of {node.name}>")
            walk.later(opening, value, walk.scope)


def _named_expression(walk: _Walk, node: ast.NamedExpr) -> None:
    target = node.target
    walk.note(target, target.id, STORE)
    if walk.scope.kind in COMPREHENSION_KINDS:
        walk.scope.named.add(target.id)
    walk.later(node.value)


def _annotated(walk: _Walk, node: ast.AnnAssign) -> None:
    """Take a bare annotation for a declaration; inside functions it is never evaluated."""
    target, value = node.target, node.value
    items: list[Any] = []
    if not isinstance(target, ast.Name):
        items.append(target)
    elif value is not None:
        walk.note(target, target.id, STORE)
    else:  # `(x): int` does not even declare: CPython's table ignores it
        walk.fate = EVALUATED if node.simple else TEXT
        walk.note(target, target.id, DECLARE)
        walk.fate = EVALUATED
    fate = SKIPPED if walk.scope.function_like else EVALUATED
    walk.later(*items, *walk.annotations(node.annotation, fate=fate), value)


def _declaration(walk: _Walk, node: ast.Global | ast.Nonlocal) -> None:
    for name in node.names:
        walk.note(node, name, DECLARE)


def _import(walk: _Walk, node: ast.Import | ast.ImportFrom) -> None:
    """Note what is bound: a by `import a.b`; what a star binds only the other module knows."""
    for alias in node.names:
        if alias.name != "*":
            walk.note(alias, (alias.asname or alias.name).partition(".")[0], IMPORT)


def _handler(walk: _Walk, node: ast.ExceptHandler) -> None:
    if node.name is not None:
        walk.note(node, node.name, STORE)
    walk.later(node.type, *node.body)


def _parameter(walk: _Walk, node: ast.arg) -> None:
    walk.note(node, node.arg, PARAMETER)


def _match_as(walk: _Walk, node: ast.MatchAs) -> None:
    if node.name is not None:
        walk.note(node, node.name, STORE)
    walk.later(node.pattern)


def _match_star(walk: _Walk, node: ast.MatchStar) -> None:
    if node.name is not None:
        walk.note(node, node.name, STORE)


def _match_mapping(walk: _Walk, node: ast.MatchMapping) -> None:
    if node.rest is not None:
        walk.note(node, node.rest, STORE)
    walk.later(*node.keys, *node.patterns)


# CPython 3.12 looks at `else` before the handlers, later versions go by the source
_TRY = ("body", "handlers", "orelse", "finalbody")
_TRY_ORDER = _TRY if sys.version_info >= (3, 13) else ("body", "orelse", "handlers", "finalbody")

_PLAIN_IN_ORDER: dict[type, tuple[str, ...]] = {
    type(None): (),
    ast.Return: ("value",),
    ast.Delete: ("targets",),
    ast.Assign: ("targets", "value"),
    ast.AugAssign: ("target", "value"),
    ast.For: ("target", "iter", "body", "orelse"),
    ast.AsyncFor: ("target", "iter", "body", "orelse"),
    ast.While: ("test", "body", "orelse"),
    ast.If: ("test", "body", "orelse"),
    ast.With: ("items", "body"),
    ast.AsyncWith: ("items", "body"),
    ast.withitem: ("context_expr", "optional_vars"),
    ast.Match: ("subject", "cases"),
    ast.match_case: ("pattern", "guard", "body"),
    ast.Raise: ("exc", "cause"),
    ast.Try: _TRY_ORDER,
    ast.TryStar: _TRY_ORDER,
    ast.Assert: ("test", "msg"),
    ast.Expr: ("value",),
    ast.Pass: (),
    ast.Break: (),
    ast.Continue: (),
    ast.BoolOp: ("values",),
    ast.BinOp: ("left", "right"),
    ast.UnaryOp: ("operand",),
    ast.IfExp: ("test", "body", "orelse"),
    ast.Dict: ("keys", "values"),
    ast.Set: ("elts",),
    ast.List: ("elts",),
    ast.Tuple: ("elts",),
    ast.Await: ("value",),
    ast.Yield: ("value",),
    ast.YieldFrom: ("value",),
    ast.Compare: ("left", "comparators"),
    ast.Call: ("func", "args", "keywords"),
    ast.keyword: ("value",),
    ast.FormattedValue: ("value", "format_spec"),
    ast.JoinedStr: ("values",),
    ast.Constant: (),
    ast.Attribute: ("value",),
    ast.Subscript: ("value", "slice"),
    ast.Starred: ("value",),
    ast.Slice: ("lower", "upper", "step"),
    ast.MatchValue: ("value",),
    ast.MatchSingleton: (),
    ast.MatchSequence: ("patterns",),
    ast.MatchClass: ("cls", "patterns", "kwd_patterns"),
    ast.MatchOr: ("patterns",),
}
_PLAIN = {found: fields[::-1] for found, fields in _PLAIN_IN_ORDER.items()}
_CONTEXTS = {ast.Load: LOAD, ast.Store: STORE, ast.Del: DELETE}
_SPECIAL: dict[type, Callable[[_Walk, Any], None]] = {
    ast.FunctionDef: _function,
    ast.AsyncFunctionDef: _function,
    ast.Lambda: _lambda,
    ast.ClassDef: _class,
    **dict.fromkeys(COMPREHENSIONS, _comprehension),
    ast.TypeAlias: _type_alias,
    ast.TypeVar: _type_parameter,
    ast.ParamSpec: _type_parameter,
    ast.TypeVarTuple: _type_parameter,
    ast.NamedExpr: _named_expression,
    ast.AnnAssign: _annotated,
    ast.Global: _declaration,
    ast.Nonlocal: _declaration,
    ast.Import: _import,
    ast.ImportFrom: _import,
    ast.ExceptHandler: _handler,
    ast.arg: _parameter,
    ast.MatchAs: _match_as,
    ast.MatchStar: _match_star,
    ast.MatchMapping: _match_mapping,
}
