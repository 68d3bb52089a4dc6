"""Flow of comprehensions: loops inside an expression.

    [e for a, b in it if c]      it -> `a, b`
                                 `a, b` -true-> a -> b -> c; `a, b` -false-> ListComp
                                 c -true-> e; c -false-> `a, b`; e -loop-> `a, b`

A `for` of a comprehension has no node, so its target (of a tuple, the tuple itself) is the
point that asks for the next item: bound along `true`, exhausted along `false`. Lists, sets and
dictionaries are made in the unit around them, and their node is the point of the finished result. A
generator expression is a unit; its first iterable is evaluated outside. A later `for x in [y]` with
one element is an assignment, as CPython compiles it: y, x, no loop and no list.
Next: flow_targets.py.
"""

from __future__ import annotations

import ast
from typing import Any

from codelake.extract.flow.flow_builder import Action, Builder
from codelake.extract.flow.flow_expressions import test
from codelake.extract.flow.flow_targets import bind, bind_elements

_SINGLE = frozenset({ast.List, ast.Tuple})


def _comprehension(build: Builder, node: Any) -> None:
    build.stack += ((Builder.point, node.no), (_loops, node), node.generators[0].iter)


def _generator(build: Builder, node: Any) -> None:
    build.units.append(("generator", node))
    build.stack += (node.no, node.generators[0].iter)


def generator_body(build: Builder, node: ast.GeneratorExp) -> None:
    """Build the unit of a generator expression."""
    build.stack.append((_loops, node))


def _loops(build: Builder, node: Any) -> None:
    """Run all loops; afterwards the current block is the one that the first leaves to."""
    build.stack.append((_loop, node, 0, None))


def _loop(build: Builder, node: Any, number: int, outer: int | None) -> None:
    """Run one loop, whose iterable has been evaluated, with everything inside it."""
    clause = node.generators[number]
    head, body, after = build.new(), build.new(), build.new()
    build.fall(head)
    target = clause.target
    build.raising(target.no)
    build.branch(body, after)
    build.start(body)
    stack = build.stack
    stack += (
        (_leave, after, outer),
        (Builder.jump, head, "loop"),
        (_inside, node, number, head),
    )
    found = target.__class__
    if found is ast.Attribute or found is ast.Subscript:  # stored to without a point of its own
        stack += (target.slice,) if found is ast.Subscript else ()
        stack.append(target.value)
    elif found is not ast.Name:
        bind_elements(build, target)


def _leave(build: Builder, after: int, outer: int | None) -> None:
    build.start(after)
    if outer is not None:
        build.jump(outer, "loop")


def _inside(build: Builder, node: Any, number: int, head: int) -> None:
    """Filter an item, then run the next loop or the element."""
    stack = build.stack
    if number + 1 < len(node.generators):
        _push_next(build, node, number + 1, head)
    elif node.__class__ is ast.DictComp:
        stack += ((Builder.may_raise,), node.value, node.key)
    elif node.__class__ is ast.SetComp:
        stack += ((Builder.may_raise,), node.elt)
    else:
        stack.append(node.elt)
    for condition in reversed(node.generators[number].ifs):
        block = build.new()
        stack += ((Builder.start, block), (test, condition, block, head))


def _push_next(build: Builder, node: Any, number: int, outer: int) -> None:
    clause = node.generators[number]
    source = clause.iter
    single = source.__class__ in _SINGLE and len(source.elts) == 1 and not clause.is_async
    if single and source.elts[0].__class__ is not ast.Starred:
        build.stack += ((_inside, node, number, outer), (bind, clause.target), source.elts[0])
    else:
        build.stack += ((_loop, node, number, outer), source)


COMPREHENSIONS: dict[type, Action] = {
    ast.ListComp: _comprehension,
    ast.SetComp: _comprehension,
    ast.DictComp: _comprehension,
    ast.GeneratorExp: _generator,
}
