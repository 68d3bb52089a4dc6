"""Statements: concrete nodes -> statements of Python's tree.

    if a: x              If(a, [x], orelse=[If(b, [y])]), as Python nests what is
    elif b: y            one list of clauses here

A compound statement ends where its last statement ends.
Next: lower.py.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from codelake.extract.broken.lower_definitions import DEFINITIONS, type_parameters
from codelake.extract.broken.lower_expressions import binary_operator, tuple_of
from codelake.extract.broken.lower_imports import IMPORTS
from codelake.extract.broken.lower_parts import (
    Incomplete,
    Lowering,
    close,
    expr,
    exprs,
    field,
    field_of_type,
    fields,
    has_token,
    left_to_parent,
    store,
)
from codelake.extract.broken.lower_patterns import pattern, sequence
from codelake.extract.broken.ts_tree import Node


def _values(node: Node) -> list[Node]:
    return [child for child in node.children if isinstance(child.value, ast.expr)]


def _block(lowering: Lowering, node: Node) -> list[ast.stmt]:
    return lowering.statements(node)


def _expression_statement(lowering: Lowering, node: Node) -> ast.stmt:
    statement = next((item for item in node.children if isinstance(item.value, ast.stmt)), None)
    if statement is not None:
        if isinstance(statement.value, ast.Assign):
            statement.value.targets.reverse()
        assert isinstance(statement.value, ast.stmt)
        return statement.value
    values = _values(node)
    if not values:
        raise Incomplete
    value = expr(values[0])
    if len(values) > 1 or has_token(node, ","):
        value = tuple_of(lowering, values, node.start, node.end)
    return lowering.make(ast.Expr, node, value=value)


def _assignment(lowering: Lowering, node: Node) -> ast.stmt:
    """Lower an assignment; the targets of a chain are in reverse until the statement ends."""
    left, right, kind = field(node, "left"), field(node, "right"), field(node, "type")
    target = store(expr(left))
    if kind is not None:
        is_simple = isinstance(target, ast.Name) and left is not None and left.type == "identifier"
        value = None if right is None else expr(right)
        return lowering.make(
            ast.AnnAssign,
            node,
            target=target,
            annotation=expr(kind),
            value=value,
            simple=int(is_simple),
        )
    if right is not None and isinstance(right.value, ast.Assign):
        targets = right.value.targets
        targets.append(target)
        value = right.value.value
    else:
        targets, value = [target], expr(right)
    return lowering.make(ast.Assign, node, targets=targets, value=value, type_comment=None)


def _augmented(lowering: Lowering, node: Node) -> ast.stmt:
    target, value = store(expr(field(node, "left"))), expr(field(node, "right"))
    token = field(node, "operator")
    operator = binary_operator(token.type.removesuffix("=") if token is not None else "")
    return lowering.make(ast.AugAssign, node, target=target, op=operator, value=value)


def _return(lowering: Lowering, node: Node) -> ast.stmt:
    values = _values(node)
    return lowering.make(ast.Return, node, value=expr(values[0]) if values else None)


def _delete(lowering: Lowering, node: Node) -> ast.stmt:
    values = _values(node)
    if not values:
        raise Incomplete
    targets = [expr(values[0])]
    if values[0].type == "expression_list" and isinstance(targets[0], ast.Tuple):
        targets = targets[0].elts
    return lowering.make(ast.Delete, node, targets=[store(item, ast.Del) for item in targets])


def _raise(lowering: Lowering, node: Node) -> ast.stmt:
    cause = field(node, "cause")
    values = [item for item in _values(node) if item is not cause]
    return lowering.make(
        ast.Raise,
        node,
        exc=expr(values[0]) if values else None,
        cause=expr(cause) if cause is not None else None,
    )


def _assert(lowering: Lowering, node: Node) -> ast.stmt:
    values = exprs(_values(node))
    if not values:
        raise Incomplete
    return lowering.make(
        ast.Assert, node, test=values[0], msg=values[1] if len(values) > 1 else None
    )


def _plain(cls: type[ast.stmt]) -> Callable[[Lowering, Node], ast.stmt]:
    return lambda lowering, node: lowering.make(cls, node)


def _declaration(cls: type[ast.stmt]) -> Callable[[Lowering, Node], ast.stmt]:
    def lower(lowering: Lowering, node: Node) -> ast.stmt:
        names = [lowering.name(item) for item in node.children if item.type == "identifier"]
        if not names:
            raise Incomplete
        return lowering.make(cls, node, names=names)

    return lower


def _print(lowering: Lowering, node: Node) -> ast.stmt:
    """Lower the statement of Python 2 to the call of Python 3."""
    word, chevron = node.children[0], field_of_type(node, "chevron")
    keywords = []
    if chevron is not None:
        stream = expr(_values(chevron)[0] if _values(chevron) else None)
        keywords = [lowering.make(ast.keyword, chevron, arg="file", value=stream)]
    return _called(lowering, node, word, exprs(fields(node, "argument")), keywords)


def _exec(lowering: Lowering, node: Node) -> ast.stmt:
    return _called(lowering, node, node.children[0], exprs(_values(node)), [])


def _called(
    lowering: Lowering, node: Node, word: Node, args: list[ast.expr], keywords: list[ast.keyword]
) -> ast.stmt:
    name = lowering.make(ast.Name, word, id=lowering.name(word), ctx=ast.Load())
    call = lowering.make(ast.Call, node, func=name, args=args, keywords=keywords)
    return lowering.make(ast.Expr, node, value=call)


def _type_alias(lowering: Lowering, node: Node) -> ast.stmt:
    left, right = field(node, "left"), field(node, "right")
    inner = left.children[0] if left is not None and left.children else None
    if inner is None:
        raise Incomplete
    parameters = None
    if inner.type == "generic_type":
        inner, parameters = inner.children[0], inner.children[-1]
    name = store(expr(inner))
    if not isinstance(name, ast.Name):  # `type(x).y = z` is taken for one
        (statement,) = lowering.parsed(lowering.source(node), node).body
        return statement
    found = type_parameters(lowering, parameters)
    return lowering.make(ast.TypeAlias, node, name=name, type_params=found, value=expr(right))


def _suite(_: Lowering, node: Node) -> list[ast.stmt]:
    """Return the body of an else or finally clause."""
    block = field_of_type(node, "block")
    return block.value if block is not None else []


def _body(node: Node, name: str) -> list[ast.stmt]:
    block = field(node, name)
    return block.value if block is not None and isinstance(block.value, list) else []


def _if(lowering: Lowering, node: Node) -> ast.stmt:
    other: list[ast.stmt] = []
    for clause in reversed(fields(node, "alternative")):
        if clause.type == "else_clause":
            other = clause.value or []
        else:
            other = [_branch(lowering, clause, other)]
    return _branch(lowering, node, other)


def _branch(lowering: Lowering, node: Node, other: list[ast.stmt]) -> ast.stmt:
    test, body = expr(field(node, "condition")), _body(node, "consequence")
    return close(lowering.make(ast.If, node, test=test, body=body, orelse=other), body, other)


def _for(lowering: Lowering, node: Node) -> ast.stmt:
    cls = ast.AsyncFor if has_token(node, "async") else ast.For
    body, other = _body(node, "body"), _body(node, "alternative")
    found = lowering.make(
        cls,
        node,
        target=store(expr(field(node, "left"))),
        iter=expr(field(node, "right")),
        body=body,
        orelse=other,
        type_comment=None,
    )
    return close(found, body, other)


def _while(lowering: Lowering, node: Node) -> ast.stmt:
    body, other = _body(node, "body"), _body(node, "alternative")
    test = expr(field(node, "condition"))
    return close(lowering.make(ast.While, node, test=test, body=body, orelse=other), body, other)


def _try(lowering: Lowering, node: Node) -> ast.stmt:
    body = _body(node, "body")
    handlers = [item.value for item in node.children if isinstance(item.value, ast.ExceptHandler)]
    other, final = (
        clause.value if (clause := field_of_type(node, kind)) is not None else []
        for kind in ("else_clause", "finally_clause")
    )
    is_group = any(
        item.type == "except_group_clause" or has_token(item, "*") for item in node.children
    )
    cls = ast.TryStar if is_group else ast.Try
    found = lowering.make(
        cls, node, body=body, handlers=handlers, orelse=other or [], finalbody=final or []
    )
    return close(found, body, handlers, other or [], final or [])


def _except(lowering: Lowering, node: Node) -> ast.ExceptHandler:
    block = field_of_type(node, "block")
    body = block.value if block is not None else []
    given = [item for item in node.children if item.type not in ("block", "ERROR")]
    values = [item for item in given if isinstance(item.value, ast.expr | tuple)]
    kind: ast.expr | None = None
    name: str | None = None
    if values and isinstance(values[0].value, tuple):
        kind, alias = values[0].value
        name = alias.id if isinstance(alias, ast.Name) else None
    elif len(values) == 2 and (has_token(node, "as") or _is_old_name(values[1])):
        kind, alias = expr(values[0]), expr(values[1])
        name = alias.id if isinstance(alias, ast.Name) else None
    elif len(values) > 1:
        kind = tuple_of(lowering, values, values[0].start, values[-1].end)
    elif values:
        kind = expr(values[0])
    found = lowering.make(ast.ExceptHandler, node, type=kind, name=name, body=body)
    return close(found, body)


def _is_old_name(node: Node) -> bool:
    """Return whether the second of `except A, b:` is the name that Python 2 binds."""
    return isinstance(node.value, ast.Name) and not node.value.id[:1].isupper()


def _with(lowering: Lowering, node: Node) -> ast.stmt:
    clause = field_of_type(node, "with_clause")
    body = _body(node, "body")
    items = [
        item.value
        for item in (clause.children if clause is not None else ())
        if isinstance(item.value, ast.withitem)
    ]
    if not items:
        raise Incomplete
    cls = ast.AsyncWith if has_token(node, "async") else ast.With
    return close(lowering.make(cls, node, items=items, body=body, type_comment=None), body)


def _with_clause(_: Lowering, node: Node) -> list[ast.withitem]:
    return [item.value for item in node.children if isinstance(item.value, ast.withitem)]


def _with_item(_: Lowering, node: Node) -> ast.withitem:
    value = field(node, "value")
    if value is not None and isinstance(value.value, tuple):
        context, target = value.value
        return ast.withitem(context_expr=context, optional_vars=store(target))
    return ast.withitem(context_expr=expr(value), optional_vars=None)


def _match(lowering: Lowering, node: Node) -> ast.stmt:
    subjects, block = fields(node, "subject"), field(node, "body")
    cases = [
        item.value
        for item in (block.children if block is not None else ())
        if isinstance(item.value, ast.match_case)
    ]
    if not subjects or not cases:
        raise Incomplete
    subject = expr(subjects[0])
    commas = [child.end for child in node.children if child.type == ","]
    if commas:
        end = max([subjects[-1].end, *commas])
        subject = tuple_of(lowering, subjects, subjects[0].start, end)
    found = lowering.make(ast.Match, node, subject=subject, cases=cases)
    return close(found, cases[-1].body)


def _case(lowering: Lowering, node: Node) -> ast.match_case:
    patterns = [item for item in node.children if item.type == "case_pattern"]
    body, guard = _body(node, "consequence"), field(node, "guard")
    if not patterns or not body:
        raise Incomplete
    commas = [child.end for child in node.children if child.type == ","]
    found = (
        sequence(lowering, patterns, max([patterns[-1].end, *commas]))
        if commas
        else pattern(lowering, patterns[0])
    )
    return ast.match_case(
        pattern=found, guard=expr(guard) if guard is not None else None, body=body
    )


STATEMENTS: dict[str, Callable[[Lowering, Node], Any]] = {
    **DEFINITIONS,
    **IMPORTS,
    "module": _block,
    "block": _block,
    "expression_statement": _expression_statement,
    "assignment": _assignment,
    "augmented_assignment": _augmented,
    "return_statement": _return,
    "delete_statement": _delete,
    "raise_statement": _raise,
    "assert_statement": _assert,
    "pass_statement": _plain(ast.Pass),
    "break_statement": _plain(ast.Break),
    "continue_statement": _plain(ast.Continue),
    "global_statement": _declaration(ast.Global),
    "nonlocal_statement": _declaration(ast.Nonlocal),
    "print_statement": _print,
    "chevron": left_to_parent,
    "exec_statement": _exec,
    "type_alias_statement": _type_alias,
    "if_statement": _if,
    "elif_clause": left_to_parent,
    "else_clause": _suite,
    "finally_clause": _suite,
    "for_statement": _for,
    "while_statement": _while,
    "try_statement": _try,
    "except_clause": _except,
    "except_group_clause": _except,
    "with_statement": _with,
    "with_clause": _with_clause,
    "with_item": _with_item,
    "match_statement": _match,
    "case_clause": _case,
}
