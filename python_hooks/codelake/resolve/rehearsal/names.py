"""Names: which names a definition binds, by its syntax alone.

    def f(a):            local: a, x
        nonlocal n       outer: n
        x = n = a        `yield` in the body makes it a generator

Next: machine.py.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from codelake.resolve.rehearsal.values import Names

COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def names_of(node: ast.AST) -> Names:
    """Return the names of a module, class, function, lambda or comprehension; kept in the node."""
    found: Names | None = getattr(node, "rehearsed_names", None)
    if found is None:
        found = _read(node)
        node.rehearsed_names = found  # type: ignore[attr-defined]
    return found


def _read(node: ast.AST) -> Names:
    found = Names()
    if isinstance(node, COMPREHENSIONS):
        for each in node.generators:
            found.local |= {name.id for name in ast.walk(each.target) if isinstance(name, ast.Name)}
        return found
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
        arguments = node.args
        every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        every += [each for each in (arguments.vararg, arguments.kwarg) if each]
        found.local |= {each.arg for each in every}
    body = node.body  # type: ignore[attr-defined]
    _walk(body if isinstance(body, list) else [body], found)
    found.local -= found.globals | found.outer
    return found


def _walk(nodes: Iterable[ast.AST], found: Names, *, nested: bool = False) -> None:
    """Collect what nodes bind.

    Args:
        nodes: statements and expressions of one body.
        found: gets the names.
        nested: whether they stand in a comprehension, where only `:=` binds.
    """
    for node in nodes:
        match node:
            case ast.Global(names=names):
                found.globals |= {*names}
            case ast.Nonlocal(names=names):
                found.outer |= {*names}
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
                if not nested:
                    found.local.add(name)
            case ast.NamedExpr(target=target, value=value):
                found.local.add(target.id)
                _walk([value], found, nested=nested)
                continue
            case ast.alias():
                found.local.add((node.asname or node.name).partition(".")[0])
            case ast.ExceptHandler(name=str(name)):
                found.local.add(name)
            case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                found.local.add(name)
            case ast.MatchMapping(rest=str(name)):
                found.local.add(name)
            case ast.Yield() | ast.YieldFrom():
                found.is_generator = True
        if isinstance(node, _DEFINITIONS):
            found.local.add(node.name)
            outside: list[ast.AST] = [*node.decorator_list]
            if not isinstance(node, ast.ClassDef):
                outside += [*node.args.defaults, *(d for d in node.args.kw_defaults if d)]
            _walk(outside, found, nested=nested)
        elif isinstance(node, ast.Lambda):
            _walk(node.args.defaults, found, nested=nested)
        else:
            is_inner = nested or isinstance(node, COMPREHENSIONS)
            _walk(ast.iter_child_nodes(node), found, nested=is_inner)
