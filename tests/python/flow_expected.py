"""Which nodes must be flow points, and of which unit: a second opinion, by the rules of the docs.

    if a and not b: x = f(c)     a, b, f, c, f(c), x, the Assign; neither `a and not b` nor the If

Nodes are looked at one by one with the role that they play; nothing is said of their order.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

VALUE, TEST, OPERAND, STORE, DELETE = "value", "test", "operand", "store", "delete"
STATEMENTS_WITHOUT_POINT = (
    *(ast.If, ast.While, ast.Try, ast.TryStar, ast.Match),
    *(ast.Import, ast.Global, ast.Nonlocal),
)


class _Walk:
    def __init__(self, tree: ast.Module) -> None:
        self.postponed = any(
            isinstance(node, ast.ImportFrom)
            and node.module == "__future__"
            and any(alias.name == "annotations" for alias in node.names)
            for node in tree.body
        )
        self.stack: list[tuple[Any, int, bool, str]] = []
        self.unit, self.annotates = 0, True

    def add(self, nodes: Any, role: str = VALUE) -> None:
        for node in nodes if isinstance(nodes, list) else [nodes]:
            if node is not None:
                self.stack.append((node, self.unit, self.annotates, role))

    def open(self, node: Any, nodes: Any, role: str = VALUE) -> None:
        """Add nodes of the unit that a node opens."""
        unit, annotates = self.unit, self.annotates
        self.unit, self.annotates = node.no, isinstance(node, ast.ClassDef)
        self.add(nodes, role)
        self.unit, self.annotates = unit, annotates


def expected_points(tree: ast.Module) -> Iterator[tuple[Any, int]]:
    """Yield every node that must be a point, with the number of its unit."""
    walk = _Walk(tree)
    walk.add(tree.body)
    while walk.stack:
        node, walk.unit, walk.annotates, role = walk.stack.pop()
        if _visit(walk, node, role):
            yield node, walk.unit


def _visit(walk: _Walk, node: Any, role: str) -> bool:
    """Add the parts of a node and return whether it is a point itself."""
    if isinstance(node, ast.stmt):
        _statement(walk, node)
        return not isinstance(node, STATEMENTS_WITHOUT_POINT)
    if isinstance(node, ast.pattern):
        return _pattern(walk, node)
    if role in (STORE, DELETE):
        return _target(walk, node, role)
    if isinstance(node, ast.expr):
        return _expression(walk, node, role)
    if isinstance(node, ast.ExceptHandler):
        walk.add(node.type)
        walk.add(node.body)
    elif isinstance(node, ast.match_case):
        walk.add(node.pattern)
        walk.add(node.guard, TEST)
        walk.add(node.body)
    return True  # also aliases and type parameters


def _statement(walk: _Walk, node: Any) -> None:
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            walk.add([*node.decorator_list, *node.type_params])
            _defaults(walk, node.args)
            if not walk.postponed:
                args = [arg for arg in ast.walk(node.args) if isinstance(arg, ast.arg)]
                direct = [arg for arg in args if arg in _arguments(node.args)]
                walk.add([arg.annotation for arg in direct])
                walk.add(node.returns)
            walk.open(node, node.body)
        case ast.ClassDef():
            walk.add([*node.decorator_list, *node.type_params, *node.bases])
            walk.add([keyword.value for keyword in node.keywords])
            walk.open(node, node.body)
        case ast.If() | ast.While():
            walk.add(node.test, TEST)
            walk.add(node.body + node.orelse)
        case ast.For() | ast.AsyncFor():
            walk.add(node.target, STORE)
            walk.add(node.iter)
            walk.add(node.body + node.orelse)
        case ast.With() | ast.AsyncWith():
            for item in node.items:
                walk.add(item.context_expr)
                walk.add(item.optional_vars, STORE)
            walk.add(node.body)
        case ast.Assign():
            walk.add(node.value)
            walk.add(node.targets, STORE)
        case ast.AugAssign():
            walk.add(node.value)
            walk.add(node.target, STORE)
        case ast.AnnAssign():
            walk.add(node.value)
            if walk.annotates and not walk.postponed:
                walk.add(node.annotation)
            if node.value is not None:
                walk.add(node.target, STORE)
            elif not isinstance(node.target, ast.Name):
                walk.add(node.target.value)
                walk.add(getattr(node.target, "slice", None))
        case ast.TypeAlias():
            walk.add(node.name, STORE)
            walk.add(node.type_params)
        case ast.Delete():
            walk.add(node.targets, DELETE)
        case ast.Assert():
            walk.add(node.test, TEST)
            walk.add(node.msg)
        case _:
            walk.add(list(ast.iter_child_nodes(node)))


def _arguments(args: ast.arguments) -> list[ast.arg | None]:
    return [*args.posonlyargs, *args.args, args.vararg, *args.kwonlyargs, args.kwarg]


def _defaults(walk: _Walk, args: ast.arguments) -> None:
    walk.add([*args.defaults, *args.kw_defaults])


def _pattern(walk: _Walk, node: Any) -> bool:
    if isinstance(node, ast.MatchAs | ast.MatchStar):
        walk.add(getattr(node, "pattern", None))
        return node.name is not None
    walk.add(list(ast.iter_child_nodes(node)))
    return not isinstance(node, ast.MatchOr)


def _target(walk: _Walk, node: Any, role: str) -> bool:
    if isinstance(node, ast.Tuple | ast.List):
        walk.add(node.elts, role)
        return role == STORE
    if isinstance(node, ast.Starred):
        walk.add(node.value, role)
        return False
    if not isinstance(node, ast.Name):
        walk.add(node.value)
        walk.add(getattr(node, "slice", None))
    return True


def _expression(walk: _Walk, node: Any, role: str) -> bool:
    tested = role == TEST
    match node:
        case ast.BoolOp():
            inside = role if role != VALUE else OPERAND
            walk.add(node.values[:-1], inside)
            walk.add(node.values[-1], role)
            return role == VALUE
        case ast.UnaryOp(op=ast.Not()):
            walk.add(node.operand, TEST if tested else VALUE)
            return not tested
        case ast.IfExp():
            walk.add(node.test, TEST)
            walk.add([node.body, node.orelse], TEST if tested else VALUE)
            return not tested
        case ast.Lambda():
            _defaults(walk, node.args)
            walk.open(node, node.body)
        case ast.NamedExpr():
            walk.add(node.value)
            walk.add(node.target, STORE)
        case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
            _comprehension(walk, node)
        case _:
            parts = [child for child in ast.iter_child_nodes(node) if hasattr(child, "no")]
            walk.add(parts)
            walk.add([keyword.value for keyword in getattr(node, "keywords", ())])
    return True


def _comprehension(walk: _Walk, node: Any) -> None:
    is_generator = isinstance(node, ast.GeneratorExp)
    into = walk.open if is_generator else lambda _, nodes, role=VALUE: walk.add(nodes, role)
    into(node, [getattr(node, part, None) for part in ("elt", "key", "value")])
    for number, clause in enumerate(node.generators):
        into(node, clause.target, STORE)
        into(node, clause.ifs, TEST)
        source = clause.iter
        if number == 0:
            walk.add(source)
        elif (
            isinstance(source, ast.List | ast.Tuple)
            and len(source.elts) == 1
            and not isinstance(source.elts[0], ast.Starred)
            and not clause.is_async
        ):
            into(node, source.elts)  # an assignment, without a list
        else:
            into(node, source)
