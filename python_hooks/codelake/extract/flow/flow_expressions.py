"""Flow of expressions: operands, then the operation; conditions jump as CPython's do.

    f(a, k=b).c          f, a, b, f(a, k=b), f(a, k=b).c
    x = a and b          a -true-> b -> `a and b`; a -false-> `a and b`
    if a and not b:      a -true-> b; a -false-> else; b -true-> else; b -false-> body
    a < b < c            a -> b -true-> c -> Compare; b -false-> Compare (in a test: else)
    x if t else y        t -true-> x -> IfExp; t -false-> y -> IfExp
    (n := v)             v, n (bound), NamedExpr
    lambda x=d: y        d, Lambda; y is in a unit of its own

An action evaluates a node as a value and ends with its point in the current block. `test` evaluates
a node as a condition: BoolOp, `not` and IfExp are then no points, since only their operands are
evaluated. The same holds for a BoolOp that is an operand, but not the last, of another one.
Comprehensions are in flow_comprehensions.py, targets of assignments in flow_targets.py.
Next: flow_comprehensions.py.
"""

from __future__ import annotations

import ast
from typing import Any

from codelake.extract.flow.flow_builder import Action, Builder
from codelake.extract.flow.flow_constants import constant

_CHUNK = 15  # CPython builds a longer display piece by piece, so hashing happens in between
_TRUTH_IS_SAFE = frozenset({ast.List, ast.Tuple, ast.Set, ast.Dict, ast.JoinedStr, ast.Lambda})


def _name(build: Builder, node: ast.Name) -> None:
    if build.catch is None:
        build.points.append(node.no)  # type: ignore[attr-defined]
    else:
        build.raising(node.no)  # type: ignore[attr-defined]


def _constant(build: Builder, node: ast.Constant) -> None:
    if build.closed:
        build.reopen()
    build.points.append(node.no)  # type: ignore[attr-defined]


def _value(build: Builder, node: Any) -> None:
    """Attribute, Starred, Await, YieldFrom: one operand."""
    build.stack += (node.no, node.value)


def _binary(build: Builder, node: Any) -> None:
    build.stack += (node.no, node.right, node.left)


def _unary(build: Builder, node: Any) -> None:
    build.stack += (node.no, node.operand)


def _subscript(build: Builder, node: Any) -> None:
    build.stack += (node.no, node.slice, node.value)


def _yield(build: Builder, node: Any) -> None:
    build.stack.append(node.no)
    if node.value is not None:
        build.stack.append(node.value)


def _call(build: Builder, node: Any) -> None:
    """Positional arguments come first, wherever keywords stand, as in CPython."""
    push = build.stack.append
    push(node.no)
    for keyword in reversed(node.keywords):
        push(keyword.value)
    build.stack += reversed(node.args)
    push(node.func)


def _display(build: Builder, node: Any) -> None:
    """Make a list or tuple, which cannot fail."""
    build.stack.append((Builder.point, node.no))
    build.stack += reversed(node.elts)


def _set(build: Builder, node: Any) -> None:
    build.stack.append(node.no)
    if len(node.elts) <= _CHUNK or build.catch is None:
        build.stack += reversed(node.elts)
    else:
        for item in reversed(node.elts):
            build.stack += (_MAY_RAISE, item)


def _dict(build: Builder, node: Any) -> None:
    stack = build.stack
    stack.append(node.no)
    pieces = build.catch is not None and (len(node.keys) > _CHUNK or None in node.keys)
    for key, value in zip(reversed(node.keys), reversed(node.values), strict=True):
        if pieces:
            stack.append(_MAY_RAISE)
        stack.append(value)
        if key is not None:
            stack.append(key)


def _joined(build: Builder, node: Any) -> None:
    build.stack.append((Builder.point, node.no))
    build.stack += reversed(node.values)


def _formatted(build: Builder, node: Any) -> None:
    build.stack.append(node.no)
    if node.format_spec is not None:
        build.stack.append(node.format_spec)
    build.stack.append(node.value)


def _slice(build: Builder, node: Any) -> None:
    build.stack.append((Builder.point, node.no))
    for part in (node.step, node.upper, node.lower):
        if part is not None:
            build.stack.append(part)


def _named(build: Builder, node: Any) -> None:
    build.stack += ((Builder.point, node.no), (Builder.point, node.target.no), node.value)


def _lambda(build: Builder, node: Any) -> None:
    build.units.append(("lambda", node))
    build.stack.append((Builder.point, node.no))
    push_defaults(build, node.args)


def push_defaults(build: Builder, args: ast.arguments) -> None:
    """Plan the defaults of parameters: the positional ones, then the keyword-only ones."""
    for default in reversed(args.kw_defaults):
        if default is not None:
            build.stack.append(default)
    build.stack += reversed(args.defaults)


def _conditional(build: Builder, node: Any) -> None:
    yes, no, done = build.new(), build.new(), build.new()
    build.stack += (
        (Builder.point, node.no),
        (Builder.fall, done),
        node.orelse,
        (Builder.start, no),
        (_close, done),
        node.body,
        (Builder.start, yes),
        (test, node.test, yes, no),
    )


def _close(build: Builder, block: int) -> None:
    build.edge(build.current, block, None)


def _compare(build: Builder, node: Any) -> None:
    if len(node.ops) == 1:
        build.stack += (node.no, node.comparators[0], node.left)
        return
    done = build.new()
    build.stack += (node.no, (Builder.fall, done))
    _push_chain(build, node, done)
    build.stack.append(node.left)


def _push_chain(build: Builder, node: Any, no: int) -> None:
    """Plan the operands after the first: all but the last decide whether to go on."""
    stack = build.stack
    stack.append(node.comparators[-1])
    for operand in reversed(node.comparators[:-1]):
        block = build.new()
        stack += ((Builder.start, block), (Builder.branch, block, no), _MAY_RAISE, operand)


def _boolean(build: Builder, node: Any) -> None:
    done = build.new()
    stack = build.stack
    stack += ((Builder.point, node.no), (Builder.fall, done), node.values[-1])
    is_and = node.op.__class__ is ast.And
    for operand in reversed(node.values[:-1]):
        block = build.new()
        yes, no = (block, done) if is_and else (done, block)
        stack += ((Builder.start, block), (_operand, operand, yes, no))


def _operand(build: Builder, node: ast.expr, yes: int, no: int) -> None:
    """Evaluate an operand of a BoolOp: its value may become that of the BoolOp."""
    if node.__class__ is ast.BoolOp:
        _push_boolean(build, node, yes, no, _operand)
    else:
        _evaluate(build, node, yes, no)


def test(build: Builder, node: ast.expr, yes: int, no: int) -> None:
    """Evaluate a condition and go to one of two blocks."""
    found = node.__class__
    if found is ast.BoolOp:
        _push_boolean(build, node, yes, no, test)
    elif found is ast.UnaryOp and node.op.__class__ is ast.Not:  # type: ignore[attr-defined]
        build.stack.append((test, node.operand, no, yes))  # type: ignore[attr-defined]
    elif found is ast.IfExp:
        first, second = build.new(), build.new()
        build.stack += (
            (test, node.orelse, yes, no),  # type: ignore[attr-defined]
            (Builder.start, second),
            (test, node.body, yes, no),  # type: ignore[attr-defined]
            (Builder.start, first),
            (test, node.test, first, second),  # type: ignore[attr-defined]
        )
    elif found is ast.Compare and len(node.ops) > 1:  # type: ignore[attr-defined]
        build.stack += ((Builder.branch, yes, no), node.no)  # type: ignore[attr-defined]
        _push_chain(build, node, no)
        build.stack.append(node.left)  # type: ignore[attr-defined]
    else:
        _evaluate(build, node, yes, no)


def _push_boolean(build: Builder, node: Any, yes: int, no: int, action: Any) -> None:
    is_and = node.op.__class__ is ast.And
    stack = build.stack
    stack.append((action, node.values[-1], yes, no))
    for operand in reversed(node.values[:-1]):
        block = build.new()
        jumps = (block, no) if is_and else (yes, block)
        stack += ((Builder.start, block), (action, operand, *jumps))


def _evaluate(build: Builder, node: ast.expr, yes: int, no: int) -> None:
    """Evaluate a value and branch on its truth, which may be known beforehand."""
    found = node.__class__
    truth = constant(node)
    if truth is not None:
        build.stack += ((_decided, yes, no, truth), node)
    elif found in _TRUTH_IS_SAFE:
        build.stack += ((Builder.branch, yes, no), node)
    else:
        build.stack += ((Builder.branch, yes, no), _MAY_RAISE, node)


def _decided(build: Builder, yes: int, no: int, truth: bool) -> None:
    build.jump(yes if truth else no, "true" if truth else "false")


def possible(build: Builder, node: ast.expr, yes: int, no: int) -> None:
    """Evaluate the condition of an assert, which decides even if it is constant."""
    if constant(node) is None:
        test(build, node, yes, no)
    else:
        build.stack += ((Builder.branch, yes, no), node)


_MAY_RAISE = (Builder.may_raise,)

EXPRESSIONS: dict[type, Action] = {
    ast.Name: _name,
    ast.Constant: _constant,
    ast.Attribute: _value,
    ast.Starred: _value,
    ast.Await: _value,
    ast.YieldFrom: _value,
    ast.Yield: _yield,
    ast.Call: _call,
    ast.BinOp: _binary,
    ast.UnaryOp: _unary,
    ast.BoolOp: _boolean,
    ast.Compare: _compare,
    ast.IfExp: _conditional,
    ast.NamedExpr: _named,
    ast.Lambda: _lambda,
    ast.Subscript: _subscript,
    ast.Slice: _slice,
    ast.List: _display,
    ast.Tuple: _display,
    ast.Set: _set,
    ast.Dict: _dict,
    ast.JoinedStr: _joined,
    ast.FormattedValue: _formatted,
}
