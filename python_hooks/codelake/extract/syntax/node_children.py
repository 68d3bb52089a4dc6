"""Children: each class of Python's syntax tree -> its children in source order.

    f(a, *b, k=c)   ->  (f, "func", 0, None), (a, "args", 0, None), (*b, "args", 1, "*"),
                        (c, "keywords", 0, "k")

A child is (node, slot, index in the slot, keyword). FIELDS lists the fields of the classes whose
fields are in source order already; CHILDREN holds a function for the others. The helper classes
`arguments`, `keyword`, `comprehension` and `withitem` are no nodes: their parts hang from the node
that holds them. Definitions and calls are in
syntax_tree.py: the first open a scope, the second mark their receiver.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from codelake.extract.syntax.node_kinds import Case, Decorator, ImportedName, Parameter

type Child = tuple[Any, str, int, str | None]

FIELDS: dict[type, tuple[str, ...]] = {
    ast.Return: ("value",),
    ast.Delete: ("targets",),
    ast.Assign: ("targets", "value"),
    ast.TypeAlias: ("name", "type_params", "value"),
    ast.AugAssign: ("target", "value"),
    ast.AnnAssign: ("target", "annotation", "value"),
    ast.For: ("target", "iter", "body", "orelse"),
    ast.AsyncFor: ("target", "iter", "body", "orelse"),
    ast.While: ("test", "body", "orelse"),
    ast.If: ("test", "body", "orelse"),
    ast.Raise: ("exc", "cause"),
    ast.Try: ("body", "handlers", "orelse", "finalbody"),
    ast.TryStar: ("body", "handlers", "orelse", "finalbody"),
    ast.Assert: ("test", "msg"),
    ast.Expr: ("value",),
    ast.ExceptHandler: ("type", "body"),
    ast.Global: (),
    ast.Nonlocal: (),
    ast.Pass: (),
    ast.Break: (),
    ast.Continue: (),
    ImportedName: (),
    ast.BoolOp: ("values",),
    ast.NamedExpr: ("target", "value"),
    ast.BinOp: ("left", "right"),
    ast.UnaryOp: ("operand",),
    ast.IfExp: ("body", "test", "orelse"),
    ast.Set: ("elts",),
    ast.List: ("elts",),
    ast.Tuple: ("elts",),
    ast.Await: ("value",),
    ast.Yield: ("value",),
    ast.YieldFrom: ("value",),
    ast.Compare: ("left", "comparators"),
    ast.FormattedValue: ("value", "format_spec"),
    ast.JoinedStr: ("values",),
    ast.Constant: (),
    ast.Attribute: ("value",),
    ast.Subscript: ("value", "slice"),
    ast.Starred: ("value",),
    ast.Name: (),
    ast.Slice: ("lower", "upper", "step"),
    ast.MatchValue: ("value",),
    ast.MatchSingleton: (),
    ast.MatchSequence: ("patterns",),
    ast.MatchStar: (),
    ast.MatchAs: ("pattern",),
    ast.MatchOr: ("patterns",),
    ast.TypeVar: tuple(name for name in ast.TypeVar._fields if name != "name"),
    ast.ParamSpec: tuple(name for name in ast.ParamSpec._fields if name != "name"),
    ast.TypeVarTuple: tuple(name for name in ast.TypeVarTuple._fields if name != "name"),
    Case: ("pattern", "guard", "body"),
    Decorator: ("expression",),
}


def listed(nodes: Sequence[Any], slot: str) -> list[Child]:
    """Return nodes as the children of one slot."""
    return [(node, slot, number, None) for number, node in enumerate(nodes)]


def arguments(args: Sequence[ast.expr], keywords: Sequence[ast.keyword], slot: str) -> list[Child]:
    """Return the arguments of a call or the bases of a class, by position in the source."""
    children: list[Child] = [
        (node, slot, number, "*" if node.__class__ is ast.Starred else None)
        for number, node in enumerate(args)
    ]
    if not keywords:
        return children
    named: list[Child] = [
        (keyword.value, "keywords", number, keyword.arg or "**")
        for number, keyword in enumerate(keywords)
    ]
    mixed = bool(args) and _place(args[-1]) > _place(keywords[0])
    children += named
    return sorted(children, key=lambda child: _place(child[0])) if mixed else children


def parameters(args: ast.arguments) -> list[Parameter]:
    """Return the parameters of a function in the order of its signature."""
    plain = [(arg, "positional_only") for arg in args.posonlyargs]
    plain += [(arg, "positional_or_keyword") for arg in args.args]
    defaults: list[ast.expr | None] = [None] * (len(plain) - len(args.defaults))
    defaults += args.defaults
    found = [
        Parameter(arg, kind, default) for (arg, kind), default in zip(plain, defaults, strict=True)
    ]
    if args.vararg is not None:
        found.append(Parameter(args.vararg, "var_positional", None))
    found += [
        Parameter(arg, "keyword_only", default)
        for arg, default in zip(args.kwonlyargs, args.kw_defaults, strict=True)
    ]
    if args.kwarg is not None:
        found.append(Parameter(args.kwarg, "var_keyword", None))
    return found


def clauses(generators: Sequence[ast.comprehension]) -> list[Child]:
    """Return the parts of the `for` and `if` clauses of a comprehension."""
    children: list[Child] = []
    tests = 0
    for number, generator in enumerate(generators):
        children.append((generator.target, "target", number, None))
        children.append((generator.iter, "iter", number, None))
        for test in generator.ifs:
            children.append((test, "ifs", tests, None))
            tests += 1
    return children


def _place(node: ast.expr | ast.keyword) -> tuple[int, int]:
    return node.lineno, node.col_offset


def _import(node: ast.Import | ast.ImportFrom) -> list[Child]:
    return listed([ImportedName(alias, node) for alias in node.names], "names")


def _dict(node: ast.Dict) -> list[Child]:
    children: list[Child] = []
    for number, (key, value) in enumerate(zip(node.keys, node.values, strict=True)):
        if key is not None:
            children.append((key, "keys", number, None))
        children.append((value, "values", number, "**" if key is None else None))
    return children


def _comprehension(node: ast.ListComp | ast.SetComp | ast.GeneratorExp) -> list[Child]:
    return [(node.elt, "elt", 0, None), *clauses(node.generators)]


def _dict_comprehension(node: ast.DictComp) -> list[Child]:
    pair: list[Child] = [(node.key, "key", 0, None), (node.value, "value", 0, None)]
    return pair + clauses(node.generators)


def _with(node: ast.With | ast.AsyncWith) -> list[Child]:
    children: list[Child] = []
    for number, item in enumerate(node.items):
        children.append((item.context_expr, "context_expr", number, None))
        if item.optional_vars is not None:
            children.append((item.optional_vars, "optional_vars", number, None))
    return children + listed(node.body, "body")


def _match(node: ast.Match) -> list[Child]:
    cases = [Case(case) for case in node.cases]
    return [(node.subject, "subject", 0, None), *listed(cases, "cases")]


def _match_mapping(node: ast.MatchMapping) -> list[Child]:
    children: list[Child] = []
    for number, (key, pattern) in enumerate(zip(node.keys, node.patterns, strict=True)):
        children.append((key, "keys", number, None))
        children.append((pattern, "patterns", number, None))
    return children


def _match_class(node: ast.MatchClass) -> list[Child]:
    named: list[Child] = [
        (pattern, "kwd_patterns", number, keyword)
        for number, (keyword, pattern) in enumerate(
            zip(node.kwd_attrs, node.kwd_patterns, strict=True)
        )
    ]
    return [(node.cls, "cls", 0, None), *listed(node.patterns, "patterns"), *named]


CHILDREN: dict[type, Callable[[Any], list[Child]]] = {
    ast.Import: _import,
    ast.ImportFrom: _import,
    ast.Dict: _dict,
    ast.ListComp: _comprehension,
    ast.SetComp: _comprehension,
    ast.GeneratorExp: _comprehension,
    ast.DictComp: _dict_comprehension,
    ast.With: _with,
    ast.AsyncWith: _with,
    ast.Match: _match,
    ast.MatchMapping: _match_mapping,
    ast.MatchClass: _match_class,
}
