"""Definitions: concrete nodes -> functions, classes and their parameters.

    def f(a, /, *rest, k=1): ...     arguments(posonlyargs=[a], vararg=rest, kwonlyargs=[k], ...)

Python 2 parameters that are tuples have no place in Python's tree and are left out.
Next: lower_statements.py.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from codelake.extract.broken.lower_expressions import no_parameters
from codelake.extract.broken.lower_parts import (
    Incomplete,
    Lowering,
    close,
    expr,
    field,
    has_token,
    left_to_parent,
)
from codelake.extract.broken.ts_tree import Node

_DEFAULT: dict[str, Any] = {"default_value": None} if "default_value" in ast.TypeVar._fields else {}


def _argument(lowering: Lowering, name: Node, kind: Node | None = None) -> ast.arg:
    """Return a parameter; the star before it and its default lie outside."""
    text = lowering.name(name)
    if kind is None:
        return lowering.make(ast.arg, name, arg=text, annotation=None, type_comment=None)
    return lowering.at(
        ast.arg, name.start, kind.end, arg=text, annotation=expr(kind), type_comment=None
    )


def _parameters(lowering: Lowering, node: Node) -> ast.arguments:
    found = no_parameters()
    is_keyword_only = False
    for child in node.children:
        kind = child.type
        if kind == "positional_separator":
            found.posonlyargs, found.args = found.args, []
        elif kind == "keyword_separator":
            is_keyword_only = True
        elif kind == "identifier":
            _add(found, _argument(lowering, child), None, is_keyword_only)
        elif kind == "list_splat_pattern":
            found.vararg = _argument(lowering, child.children[-1])
            is_keyword_only = True
        elif isinstance(child.value, tuple):
            argument, default, stars = child.value
            if stars == "*":
                found.vararg = argument
                is_keyword_only = True
            elif stars == "**":
                found.kwarg = argument
            else:
                _add(found, argument, default, is_keyword_only)
    return found


def _add(
    found: ast.arguments, argument: ast.arg, default: ast.expr | None, is_keyword_only: bool
) -> None:
    if is_keyword_only:
        found.kwonlyargs.append(argument)
        found.kw_defaults.append(default)
        return
    if default is not None:
        found.defaults.append(default)
    elif found.defaults:  # an error of Python: a default must not be lost or moved
        raise Incomplete
    found.args.append(argument)


def _default_parameter(lowering: Lowering, node: Node) -> tuple[ast.arg, ast.expr, str]:
    name = field(node, "name")
    if name is None or name.type != "identifier":
        raise Incomplete
    return _argument(lowering, name, field(node, "type")), expr(field(node, "value")), ""


def _typed_parameter(lowering: Lowering, node: Node) -> tuple[ast.arg, None, str]:
    name = next(child for child in node.children if child.type != "ERROR")
    stars = ""
    if name.type != "identifier":
        stars = name.children[0].type if name.children else ""
        name = name.children[-1] if name.children else name
    return _argument(lowering, name, field(node, "type")), None, stars


def _dictionary_splat_pattern(lowering: Lowering, node: Node) -> tuple[ast.arg, None, str]:
    return _argument(lowering, node.children[-1]), None, "**"


def type_parameters(lowering: Lowering, node: Node | None) -> list[ast.type_param]:
    """Return the type parameters in brackets."""
    found: list[ast.type_param] = []
    for child in node.children if node is not None else ():
        if child.type != "type" or not child.children:
            continue
        inner = child.children[0]
        if isinstance(child.value, ast.Name):
            found.append(_type_variable(lowering, child, child.value, None))
        elif isinstance(child.value, tuple) and isinstance(child.value[0], ast.Name):
            found.append(_type_variable(lowering, child, *child.value))
        elif inner.type == "splat_type":
            cls = ast.ParamSpec if has_token(inner, "**") else ast.TypeVarTuple
            name = lowering.name(inner.children[-1])
            found.append(lowering.make(cls, child, name=name, **_DEFAULT))
    return found


def _type_variable(
    lowering: Lowering, node: Node, name: ast.Name, bound: ast.expr | None
) -> ast.type_param:
    return lowering.make(ast.TypeVar, node, name=name.id, bound=bound, **_DEFAULT)


def _function(lowering: Lowering, node: Node) -> ast.stmt:
    cls: type[Any] = ast.AsyncFunctionDef if has_token(node, "async") else ast.FunctionDef
    given, returns = field(node, "parameters"), field(node, "return_type")
    body = field(node, "body")
    found = lowering.make(
        cls,
        node,
        name=lowering.name(field(node, "name")),
        args=given.value if given is not None and given.value is not None else no_parameters(),
        body=body.value if body is not None else [],
        decorator_list=[],
        returns=returns.value if returns is not None else None,
        type_comment=None,
        type_params=type_parameters(lowering, field(node, "type_parameters")),
    )
    return close(found, found.body)  # type: ignore[no-any-return]


def _class(lowering: Lowering, node: Node) -> ast.stmt:
    given, body = field(node, "superclasses"), field(node, "body")
    bases, keywords = given.value if given is not None and given.value else ([], [])
    found = lowering.make(
        ast.ClassDef,
        node,
        name=lowering.name(field(node, "name")),
        bases=bases,
        keywords=keywords,
        body=body.value if body is not None else [],
        decorator_list=[],
        type_params=type_parameters(lowering, field(node, "type_parameters")),
    )
    return close(found, found.body)


def _decorated(_: Lowering, node: Node) -> ast.stmt:
    definition = field(node, "definition")
    if definition is None or not isinstance(
        definition.value, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    ):
        raise Incomplete
    decorators = [child for child in node.children if child.type == "decorator"]
    definition.value.decorator_list = [
        item.value for item in decorators if isinstance(item.value, ast.expr)
    ]
    return definition.value


def _decorator(_: Lowering, node: Node) -> ast.expr:
    for child in node.children:
        if isinstance(child.value, ast.expr):
            return child.value
    raise Incomplete


DEFINITIONS: dict[str, Callable[[Lowering, Node], Any]] = {
    "parameters": _parameters,
    "lambda_parameters": _parameters,
    "default_parameter": _default_parameter,
    "typed_default_parameter": _default_parameter,
    "typed_parameter": _typed_parameter,
    "dictionary_splat_pattern": _dictionary_splat_pattern,
    "positional_separator": left_to_parent,
    "keyword_separator": left_to_parent,
    "type_parameter": left_to_parent,
    "function_definition": _function,
    "class_definition": _class,
    "decorated_definition": _decorated,
    "decorator": _decorator,
}
