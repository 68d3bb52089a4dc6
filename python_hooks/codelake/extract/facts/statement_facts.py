"""Facts of the other statements: control flow, with, try, match, and what guards a block.

    for x in y: ...      y, each x of y, store x, body
    with a as b: ...     a, enter a, entered b of a, store b, body
    except E as x: ...   E, handler, store x, body, delete x

All branches are there, one after the other. An `if`, and a `try` with handlers, puts a guard in
front of each block.
Next: definition_facts.py.
"""

from __future__ import annotations

import ast
from typing import Any

from codelake.extract.facts.condition_facts import narrowed, region, regions_of_try
from codelake.extract.facts.fact_walk import Handler, PairHandler, Walk


def _expression(walk: Walk, node: Any) -> None:
    """Evaluate an expression; a constant alone is a docstring or nothing."""
    if node.value.__class__ is not ast.Constant:
        walk.push(node.value)


def _return(walk: Walk, node: Any) -> None:
    value = node.value
    walk.push(("return", node.no, None if value is None else value.no, None, None, None))
    if value is not None:
        walk.push(value)


def _raise(walk: Walk, node: Any) -> None:
    exception, cause = node.exc, node.cause
    parts = [None if part is None else part.no for part in (exception, cause)]
    walk.push(("raise", node.no, *parts, None, None))
    for part in (cause, exception):
        if part is not None:
            walk.push(part)


def _assert(walk: Walk, node: Any) -> None:
    if node.msg is not None:
        walk.push(node.msg)
    walk.push(("test", node.no, node.test.no, None, None, None))
    walk.push(node.test)


def _nothing(_: Walk, __: Any) -> None:
    """Do nothing: pass, break, continue, global, nonlocal."""


def _if(walk: Walk, node: Any, last: int) -> None:
    push, test, body, orelse = walk.push, node.test, node.body, node.orelse
    end = last
    if orelse:
        end = orelse[0].no - 1
        walk.block(orelse, last)
        for fact in reversed(region(node, test, False, orelse[0].no, last)):
            push(fact)
    walk.block(body, end)
    for fact in reversed(region(node, test, True, body[0].no, end)):
        push(fact)
    push(("test", node.no, test.no, None, None, None))
    push(test)


def _while(walk: Walk, node: Any, last: int) -> None:
    push, test, body, orelse = walk.push, node.test, node.body, node.orelse
    end = orelse[0].no - 1 if orelse else last
    walk.block(orelse, last)
    walk.block(body, end)
    if narrowed(test, True):
        for fact in reversed(region(node, test, True, body[0].no, end)):
            push(fact)
    push(("test", node.no, test.no, None, None, None))
    push(test)


def _for(walk: Walk, node: Any, last: int) -> None:
    push, target, orelse = walk.push, node.target, node.orelse
    walk.block(orelse, last)
    walk.block(node.body, orelse[0].no - 1 if orelse else last)
    kind = "async" if node.__class__ is ast.AsyncFor else None
    push([target, target.no])
    push(("each", target.no, node.iter.no, node.no, kind, None))
    push(node.iter)


def _with(walk: Walk, node: Any, last: int) -> None:
    push = walk.push
    kind = "async" if node.__class__ is ast.AsyncWith else None
    walk.block(node.body, last)
    for item in reversed(node.items):
        manager, target = item.context_expr, item.optional_vars
        if target is not None:
            push([target, target.no])
            push(("entered", target.no, manager.no, None, kind, None))
        push(("enter", manager.no, None, None, kind, None))
        push(manager)


def _try(walk: Walk, node: Any, last: int) -> None:
    """Push the blocks from the last to the first, each with its guard before it."""
    push = walk.push
    group = "group" if node.__class__ is ast.TryStar else None
    ends = []
    for block in (node.finalbody, node.orelse):
        ends.append(last)
        last = block[0].no - 1 if block else last
    limits = [last]
    for handler in reversed(node.handlers):
        limits.append(handler.no - 1)
    limits.reverse()
    guards = regions_of_try(node, [*limits, ends[1]]) if node.handlers else []
    walk.block(node.finalbody, ends[0])
    walk.block(node.orelse, ends[1])
    if node.orelse:
        push(guards[-1])
    for position in range(len(node.handlers) - 1, -1, -1):
        handler = node.handlers[position]
        name = None if handler.name is None else walk.name(handler.name)
        number, caught = handler.no, handler.type
        if name is not None:
            push(("delete", number, None, None, name, None))
        walk.block(handler.body, limits[position + 1])
        push(guards[position + 1])
        if name is not None:
            push(("store", number, number, None, name, None))
        push(("handler", number, None if caught is None else caught.no, None, group, None))
        if caught is not None:
            push(caught)
    walk.block(node.body, limits[0])
    if guards:
        push(guards[0])


STATEMENTS: dict[type, Handler] = {
    ast.Expr: _expression,
    ast.Return: _return,
    ast.Raise: _raise,
    ast.Assert: _assert,
    ast.Pass: _nothing,
    ast.Break: _nothing,
    ast.Continue: _nothing,
    ast.Global: _nothing,
    ast.Nonlocal: _nothing,
}
BLOCKS: dict[type, PairHandler] = {
    ast.If: _if,
    ast.While: _while,
    ast.For: _for,
    ast.AsyncFor: _for,
    ast.With: _with,
    ast.AsyncWith: _with,
    ast.Try: _try,
    ast.TryStar: _try,
}
