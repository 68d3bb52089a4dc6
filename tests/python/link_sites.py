"""Sites: a file of a case, compiled so that each expression tells its value.

    x.y          __seen__("main:1:0-1:3", __receiver__("main:1:0-1:3", "y", False, x).y)
    import a     import a; __bound__("main:1:7-1:8", "a", "", a)
    @d           @__decorated__("main.f")
    def f()      @d @__original__("main.f"): what decorators were handed, and what they made

Annotations and patterns stay as they are: Python reads them in its own way.
Next: link_trace.py.
"""

from __future__ import annotations

import ast
import copy
from typing import Any

from call_programs import Source
from link_programs import place


class Sites(ast.NodeTransformer):
    """Wraps the expressions of a file."""

    def __init__(self, source: Source) -> None:
        self.module = source.module
        self.source = source
        self.is_package = source.path.endswith("__init__.py")
        self.tree = copy.deepcopy(source.tree)

    def wrapped(self) -> ast.Module:
        """Return the tree to compile."""
        return ast.fix_missing_locations(self.visit(self.tree))  # type: ignore[no-any-return]

    def _told(self, hook: str, node: ast.AST, *given: Any) -> ast.Call:
        parts: list[ast.expr] = [
            one if isinstance(one, ast.expr) else ast.Constant(one)
            for one in (place(self.module, node), *given)
        ]
        return ast.copy_location(ast.Call(ast.Name(hook, ast.Load()), parts, []), node)

    def _value(self, node: Any) -> ast.AST:
        self.generic_visit(node)
        return self._told("__seen__", node, node) if _is_loaded(node) else node

    visit_Name = visit_Call = visit_Subscript = visit_BinOp = _value

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        store = isinstance(node.ctx, ast.Store)
        inner = self.visit(node.value)
        if not isinstance(node.ctx, ast.Del):
            inner = self._told("__receiver__", node, node.attr, store, inner)
        node.value = inner
        return self._told("__seen__", node, node) if _is_loaded(node) else node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        if isinstance(node.target, ast.Attribute):
            inner = self.visit(node.target.value)
            for store in (False, True):
                inner = self._told("__receiver__", node.target, node.target.attr, store, inner)
            node.target.value = inner
        else:
            node.target = self.visit(node.target)
        node.value = self.visit(node.value)
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        node.target = self.visit(node.target)
        if node.value is not None:
            node.value = self.visit(node.value)
        return node

    def _same(self, node: Any) -> ast.AST:
        return node  # type: ignore[no-any-return]

    visit_arg = visit_TypeAlias = visit_TypeVar = visit_ParamSpec = visit_TypeVarTuple = _same

    def _function(self, node: Any) -> ast.AST:
        returns, node.returns = node.returns, None
        self._decorated(node)
        node.returns = returns
        return node  # type: ignore[no-any-return]

    visit_FunctionDef = visit_AsyncFunctionDef = _function

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        return self._decorated(node)

    def _decorated(self, node: Any) -> ast.AST:
        """Let what decorators are handed, and what they make of it, be noted."""
        self.generic_visit(node)
        if node.decorator_list:
            name = ast.Constant(self.source.names[self.source.numbers[node.no]])
            first, *_, last = [*node.decorator_list, node.decorator_list[-1]]
            node.decorator_list = [
                _hook("__decorated__", name, first),
                *node.decorator_list,
                _hook("__original__", name, last),
            ]
        return node  # type: ignore[no-any-return]

    def visit_match_case(self, node: ast.match_case) -> ast.AST:
        if node.guard is not None:
            node.guard = self.visit(node.guard)
        node.body = [self.visit(one) for one in node.body]
        return node

    def visit_Import(self, node: ast.Import) -> list[ast.AST]:
        told = [
            ast.Expr(self._told("__bound__", alias, alias.name, "", None)) for alias in node.names
        ]
        return [node, *told]

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.AST | list[ast.AST]:
        if node.module == "__future__":
            return node
        found: list[ast.AST] = [node]
        module = self._absolute(node)
        for alias in node.names:
            name = "" if alias.name == "*" else alias.name
            bound = ast.Name(alias.asname or alias.name, ast.Load()) if name else None
            found.append(ast.Expr(self._told("__bound__", alias, module, name, bound)))
        return found

    def _absolute(self, node: ast.ImportFrom) -> str:
        parts = self.module.split(".")
        kept = len(parts) - node.level + self.is_package
        above = parts[:kept] if node.level else []
        return ".".join([*above, *([node.module] if node.module else [])])


def _hook(name: str, given: ast.expr, place: ast.expr) -> ast.Call:
    return ast.copy_location(ast.Call(ast.Name(name, ast.Load()), [given], []), place)


def _is_loaded(node: Any) -> bool:
    return isinstance(getattr(node, "ctx", ast.Load()), ast.Load)


def own_fields(source: Source) -> dict[str, set[str]]:
    """Return the attributes that each class gives to itself or, in methods, to its instances."""
    found: dict[str, set[str]] = {}
    for node in ast.walk(source.tree):
        if isinstance(node, ast.ClassDef):
            name = source.names[source.numbers[node.no]]  # type: ignore[attr-defined]
            found[name] = {key for one in node.body for key in _given(one)}
    return found


def _given(node: ast.stmt) -> set[str]:
    """Return what a statement of a class body gives to the class or its instances."""
    if isinstance(node, ast.Assign | ast.AnnAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        return {one.id for each in targets for one in ast.walk(each) if isinstance(one, ast.Name)}
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        first = [*node.args.posonlyargs, *node.args.args][:1]
        return {
            one.attr
            for one in ast.walk(node)
            if isinstance(one, ast.Attribute)
            and isinstance(one.ctx, ast.Store)
            and isinstance(one.value, ast.Name)
            and first
            and one.value.id == first[0].arg
        }
    return set()
