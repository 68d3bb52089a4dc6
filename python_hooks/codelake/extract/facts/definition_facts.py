"""Facts of definitions: how functions, classes and types are made, and what they begin with.

    @d                     by the owner: d, B, base, class, decorate, store C
    class C(B, k=1): ...   under the number of C: type parameters, then the body
    def f(a=b) -> c: ...   by the owner: b, c, function, store f
                           under the number of f: param a, returns, then the body

Defaults, annotations, bases and decorators are evaluated by the owner, in Python's order:
decorators, defaults, annotations. Annotations are there whether Python evaluates them or not
(it does not for local variables, nor with `from __future__ import annotations`).
Next: pattern_facts.py.
"""

from __future__ import annotations

import ast
from typing import Any

from codelake.extract.facts.assignment_facts import push_annotation
from codelake.extract.facts.fact_texts import private_prefix
from codelake.extract.facts.fact_walk import Fact, Handler, PairHandler, Walk
from codelake.extract.syntax.node_children import parameters

_PARAMETERS = {
    "positional_only": "param_pos",
    "positional_or_keyword": "param",
    "var_positional": "param_star",
    "keyword_only": "param_key",
    "var_keyword": "param_keys",
}


def begin(walk: Walk, node: Any, last: int, private: str | None) -> None:
    """Push the body of a definition, and what is bound before it.

    Args:
        walk: the walk.
        node: the module, function, lambda or class.
        last: number of the last node below it.
        private: prefix of private names around it.
    """
    kind = node.__class__
    walk.private = private_prefix(node.name) if kind is ast.ClassDef else private
    if kind is ast.Lambda:
        walk.push(("return", node.no, node.body.no, None, None, None))
        walk.push(node.body)
        _parameters(walk, node.args)
        return
    walk.block(node.body, last)
    if kind is ast.FunctionDef or kind is ast.AsyncFunctionDef:
        if node.returns is not None:
            walk.push(("returns", node.no, node.returns.no, None, None, None))
        _parameters(walk, node.args)
    if kind is not ast.Module:
        _type_parameters(walk, node.type_params)


def _parameters(walk: Walk, args: ast.arguments) -> None:
    facts: list[Fact] = []
    for position, parameter in enumerate(parameters(args)):
        arg: Any = parameter.arg
        default: Any = parameter.default
        value = None if default is None else default.no
        annotation = None if arg.annotation is None else arg.annotation.no
        op = _PARAMETERS[parameter.kind]
        facts.append((op, arg.no, value, annotation, walk.name(arg.arg), position))
    walk.stack.extend(reversed(facts))


def _function(walk: Walk, node: Any, last: int) -> None:
    number = walk.put_off(node, last)
    kind = "async" if node.__class__ is ast.AsyncFunctionDef else None
    _decorated(walk, node)
    walk.push(("function", node.no, None, None, kind, number))
    if node.returns is not None:
        push_annotation(walk, node.returns)
    _header(walk, node.args)
    _push_all(walk, node.decorator_list)


def _lambda(walk: Walk, node: Any) -> None:
    number = walk.put_off(node, node.no)
    walk.push(("lambda", node.no, None, None, None, number))
    _header(walk, node.args)


def _class(walk: Walk, node: Any, last: int) -> None:
    push, number = walk.push, walk.put_off(node, last)
    _decorated(walk, node)
    push(("class", node.no, None, None, None, number))
    for keyword in reversed(node.keywords):
        op = "keyword_star" if keyword.arg is None else "keyword"
        push((op, node.no, keyword.value.no, None, keyword.arg, None))
        push(keyword.value)
    for position in range(len(node.bases) - 1, -1, -1):
        base = node.bases[position]
        op = "base"
        if base.__class__ is ast.Starred:
            op, base = "base_star", base.value
        push((op, node.no, base.no, None, None, position))
        push(base)
    _push_all(walk, node.decorator_list)


def _decorated(walk: Walk, node: Any) -> None:
    """Push the application of the decorators, innermost first, and the store of the result.

    A decorator is the node before its expression.
    """
    decorators = node.decorator_list
    final = decorators[0].no - 1 if decorators else node.no
    walk.push(("store", node.no, final, None, walk.name(node.name), None))
    size = len(decorators)
    for position in range(size):
        expression = decorators[position].no
        inner = decorators[position + 1].no - 1 if position + 1 < size else node.no
        walk.push(("decorate", expression - 1, expression, inner, None, size - 1 - position))


def _header(walk: Walk, args: ast.arguments) -> None:
    """Push the defaults, then the annotations of the parameters; last first."""
    given = [args.vararg, *args.kwonlyargs, args.kwarg]
    for arg in reversed([*args.posonlyargs, *args.args, *given]):
        if arg is not None and arg.annotation is not None:
            push_annotation(walk, arg.annotation)
    _push_all(walk, [default for default in args.kw_defaults if default is not None])
    _push_all(walk, args.defaults)


def _push_all(walk: Walk, nodes: list[ast.expr]) -> None:
    walk.stack.extend(reversed(nodes))


def _type_parameters(walk: Walk, nodes: list[ast.type_param]) -> None:
    for node in reversed(nodes):
        _type_parameter(walk, node)


def _type_parameter(walk: Walk, node: Any) -> None:
    push, name = walk.push, walk.name(node.name)
    bound, default = getattr(node, "bound", None), getattr(node, "default_value", None)
    numbers = [None if part is None else part.no for part in (bound, default)]
    push(("store", node.no, node.no, None, name, None))
    push((node.__class__.__name__.lower(), node.no, *numbers, name, None))
    for part in (default, bound):
        if part is not None:
            push_annotation(walk, part)


def _type_alias(walk: Walk, node: Any) -> None:
    value, target = node.value, node.name
    walk.push([target, node.no])
    walk.push(("type_alias", node.no, value.no, None, walk.name(target.id), None))
    push_annotation(walk, value)
    _type_parameters(walk, node.type_params)


LAMBDA_AND_ALIAS: dict[type, Handler] = {ast.Lambda: _lambda, ast.TypeAlias: _type_alias}
DEFINITIONS: dict[type, PairHandler] = {
    ast.FunctionDef: _function,
    ast.AsyncFunctionDef: _function,
    ast.ClassDef: _class,
}
