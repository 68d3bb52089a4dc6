"""Facts of expressions: each class of expression -> its parts in order, then its own fact.

    f(a, *b, k=c)   f, a, arg, b, arg_star, c, keyword, call

Python evaluates all positional arguments before the keywords, wherever they stand, and the first
iterable of a comprehension before everything else in it. An operand of `and`, `or` and of a
conditional expression may not happen; its facts are there all the same.
Next: assignment_facts.py.
"""

from __future__ import annotations

import ast
from typing import Any

from codelake.extract.facts.condition_facts import last_number, narrowed, region
from codelake.extract.facts.fact_texts import TOKENS, key_text, literal_text, slice_text
from codelake.extract.facts.fact_walk import Handler, Walk


def _name(walk: Walk, node: Any) -> None:
    name = node.id
    if walk.private is not None:
        name = walk.name(name)
    walk.emit(("load", node.no, None, None, name, None))


def _constant(walk: Walk, node: Any) -> None:
    walk.emit(("literal", node.no, None, None, literal_text(node.value), None))


def _attribute(walk: Walk, node: Any) -> None:
    name = node.attr
    if walk.private is not None:
        name = walk.name(name)
    value = node.value
    walk.push(("attr", node.no, value.no, None, name, None))
    walk.push(value)


def _subscript(walk: Walk, node: Any) -> None:
    key, value = node.slice, node.value
    walk.push(("item", node.no, value.no, key.no, key_text(key), None))
    walk.push(key)
    walk.push(value)


def _slice(walk: Walk, node: Any) -> None:
    push = walk.push
    lower, upper, step = node.lower, node.upper, node.step
    bounds = (None if part is None else part.no for part in (lower, upper))
    push(("slice", node.no, *bounds, slice_text(node), None))
    if step is not None:
        push(("step", node.no, step.no, None, None, None))
        push(step)
    for part in (upper, lower):
        if part is not None:
            push(part)


def _call(walk: Walk, node: Any) -> None:
    push, number, args = walk.push, node.no, node.args
    push(("call", number, node.func.no, None, None, len(args) + len(node.keywords)))
    for keyword in reversed(node.keywords):
        value = keyword.value
        op = "keyword_star" if keyword.arg is None else "keyword"
        push((op, number, value.no, None, keyword.arg, None))
        push(value)
    if args:
        _listed(walk, number, args, "arg", "arg_star")
    push(node.func)


def _listed(walk: Walk, number: int, nodes: list[Any], op: str, starred: str) -> None:
    """Push what goes into a call or a container, by position."""
    push = walk.push
    for position in range(len(nodes) - 1, -1, -1):
        node = nodes[position]
        if node.__class__ is ast.Starred:
            node = node.value
            push((starred, number, node.no, None, None, position))
        else:
            push((op, number, node.no, None, None, position))
        push(node)


def _container(op: str) -> Handler:
    def handle(walk: Walk, node: Any) -> None:
        walk.push((op, node.no, None, None, None, len(node.elts)))
        _listed(walk, node.no, node.elts, "element", "element_star")

    return handle


def _dict(walk: Walk, node: Any) -> None:
    push, number, keys = walk.push, node.no, node.keys
    push(("dict", number, None, None, None, len(keys)))
    for position in range(len(keys) - 1, -1, -1):
        key, value = keys[position], node.values[position]
        if key is None:
            push(("entry_star", number, value.no, None, None, position))
            push(value)
        else:
            push(("entry", number, value.no, key.no, key_text(key), position))
            push(value)
            push(key)


def _fstring(walk: Walk, node: Any) -> None:
    push, parts = walk.push, node.values
    push(("fstring", node.no, None, None, None, len(parts)))
    for position in range(len(parts) - 1, -1, -1):
        push(("part", node.no, parts[position].no, None, None, position))
        push(parts[position])


def _formatted(walk: Walk, node: Any) -> None:
    spec = node.format_spec
    conversion = chr(node.conversion) if node.conversion > 0 else None
    number = None if spec is None else spec.no
    walk.push(("format", node.no, node.value.no, number, conversion, None))
    if spec is not None:
        walk.push(spec)
    walk.push(node.value)


def _comprehension(op: str) -> Handler:
    def handle(walk: Walk, node: Any) -> None:
        text = None
        if op == "genexp" and any(clause.is_async for clause in node.generators):
            text = "async"
        walk.push((op, node.no, node.elt.no, None, text, None))
        walk.push(node.elt)
        _clauses(walk, node)

    return handle


def _dict_comprehension(walk: Walk, node: Any) -> None:
    walk.push(("dictcomp", node.no, node.value.no, node.key.no, None, None))
    walk.push(node.value)
    walk.push(node.key)
    _clauses(walk, node)


def _clauses(walk: Walk, node: Any) -> None:
    """Push the `for` and `if` clauses; a test narrows names in the element."""
    push, generators = walk.push, node.generators
    first = node.no + 1
    last = generators[0].target.no - 1
    for position in range(len(generators) - 1, -1, -1):
        clause = generators[position]
        for test in reversed(clause.ifs):
            if narrowed(test, True):
                for fact in reversed(region(node, test, True, first, last)):
                    push(fact)
            push(("test", node.no, test.no, None, None, None))
            push(test)
        target, iterable = clause.target, clause.iter
        kind = "async" if clause.is_async else None
        push([target, target.no])
        push(("each", target.no, iterable.no, node.no, kind, position))
        push(iterable)


def _binary(walk: Walk, node: Any) -> None:
    left, right = node.left, node.right
    walk.push(("binary", node.no, left.no, right.no, TOKENS[node.op.__class__], None))
    walk.push(right)
    walk.push(left)


def _unary(walk: Walk, node: Any) -> None:
    walk.push(("unary", node.no, node.operand.no, None, TOKENS[node.op.__class__], None))
    walk.push(node.operand)


def _compare(walk: Walk, node: Any) -> None:
    push, ops = walk.push, node.ops
    operands = [node.left, *node.comparators]
    for step in range(len(ops) - 1, -1, -1):
        left, right = operands[step], operands[step + 1]
        push(("compare", node.no, left.no, right.no, TOKENS[ops[step].__class__], step))
        push(right)
    push(node.left)


def _boolean(walk: Walk, node: Any) -> None:
    push, values = walk.push, node.values
    is_and = node.op.__class__ is ast.And
    text, final = ("and" if is_and else "or"), len(values) - 1
    for position in range(final, -1, -1):
        value = values[position]
        if position < final and narrowed(value, is_and):
            end = last_number(node, walk.ends)
            facts = region(node, value, is_and, values[position + 1].no, end)
            for fact in reversed(facts):
                push(fact)
        push(("either", node.no, value.no, None, text, position))
        push(value)


def _conditional(walk: Walk, node: Any) -> None:
    push, test = walk.push, node.test
    number, body, orelse = node.no, node.body, node.orelse
    push(("either", number, orelse.no, None, "if", 1))
    push(orelse)
    if narrowed(test, False):
        for fact in reversed(region(node, test, False, orelse.no, last_number(node, walk.ends))):
            push(fact)
    push(("either", number, body.no, None, "if", 0))
    push(body)
    if narrowed(test, True):
        for fact in reversed(region(node, test, True, body.no, test.no - 1)):
            push(fact)
    push(("test", number, test.no, None, None, None))
    push(test)


def _walrus(walk: Walk, node: Any) -> None:
    walk.push(("same", node.no, node.value.no, None, None, None))
    walk.push([node.target, node.value.no])
    walk.push(node.value)


def _of_value(op: str) -> Handler:
    def handle(walk: Walk, node: Any) -> None:
        walk.push((op, node.no, node.value.no, None, None, None))
        walk.push(node.value)

    return handle


def _yield(walk: Walk, node: Any) -> None:
    walk.yields = True
    value = node.value
    walk.push(("yield", node.no, None if value is None else value.no, None, None, None))
    if value is not None:
        walk.push(value)


def _yield_from(walk: Walk, node: Any) -> None:
    walk.yields = True
    walk.push(("yield_from", node.no, node.value.no, None, None, None))
    walk.push(node.value)


EXPRESSIONS: dict[type, Handler] = {
    ast.Name: _name,
    ast.Constant: _constant,
    ast.Attribute: _attribute,
    ast.Subscript: _subscript,
    ast.Slice: _slice,
    ast.Call: _call,
    ast.List: _container("list"),
    ast.Tuple: _container("tuple"),
    ast.Set: _container("set"),
    ast.Dict: _dict,
    ast.JoinedStr: _fstring,
    ast.FormattedValue: _formatted,
    ast.ListComp: _comprehension("listcomp"),
    ast.SetComp: _comprehension("setcomp"),
    ast.GeneratorExp: _comprehension("genexp"),
    ast.DictComp: _dict_comprehension,
    ast.BinOp: _binary,
    ast.UnaryOp: _unary,
    ast.Compare: _compare,
    ast.BoolOp: _boolean,
    ast.IfExp: _conditional,
    ast.NamedExpr: _walrus,
    ast.Starred: _of_value("starred"),
    ast.Await: _of_value("await"),
    ast.Yield: _yield,
    ast.YieldFrom: _yield_from,
}
