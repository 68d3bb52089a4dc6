"""Control-flow evidence: one graph per module, class body, function, lambda and generator.

    if ready:        entry -> ready
        go()         ready -true-> go -> go() -> Expr -> exit
                     ready -false-> exit

A flow point is a node of the syntax tree at the moment when its evaluation completes, in exactly
the order of CPython. Each node is at most one point. What runs when:

    expression       operands, then itself; a condition has no point for BoolOp, not, IfExp
    name             loaded, bound or deleted; a parameter is bound at ENTRY
    target           value first, then left to right: object, index, store; a tuple when unpacked
    Assign, Expr, AnnAssign, Delete, Pass       when the statement is done
    AugAssign        value, AugAssign (computed), target (stored)
    Return, Raise, Break, Continue              then what they leave through, then where they go
    Assert           test; when false: message, Assert
    Import           each alias; ImportFrom: ImportFrom (imported), each alias (bound)
    For              iterable, For (asks for the next item), target, body
    comprehension    iterable, target (asks for the next item), ifs, element, the whole (finished)
    With             context, target, ..., body, With (`__exit__` of all items)
    ExceptHandler    type, ExceptHandler (matched and bound), body
    match            subject; per case its patterns, captures, match_case (matched), guard, body
    definition       decorators, type parameters, defaults, annotations, bases, keywords, itself
    no point         If, While, Try, Match, Import, Global, Nonlocal, arg, `*x` as a target, `_`

In a function defaults come before type parameters, in a class bases come after them. Bounds of
type parameters and values of type aliases are lazy, annotations of variables in functions and
postponed annotations are never evaluated: they are no points, and what they hold is no unit.

    label            from                          to
    true, false      a condition, For, a pattern   where its truth leads; of a For: item, exhausted
    true, false      an ExceptHandler              its body; the next handler or out
    case             match_case                    its guard or body
    exception        a point that raises           the first handler, finally or with around it
    finally          return, break, continue       the finally or with on the way
    finally          the end of a finally or with  where what was in flight goes on
    loop             the end of a body, continue   the head of the loop
    none                                           what comes next

A branch that leads straight back to the head of a loop or into a finally keeps its `true` or
`false`. A constant condition, as far as CPython decides it when it compiles, has one edge only;
that of an assert, which can be turned off, has both. Code that cannot be reached has blocks
without a way from the entry.

Exceptions have edges inside a try or with only, from all points but constants, stores to names,
displays of lists and tuples, lambdas, and undecorated functions. Outside, only Raise, Assert and
exceptions that go on after a handler, finally or with lead to the exit. KeyboardInterrupt and
other signals, and the failure to find memory, are not seen.

Imprecise: a `finally` or with exists once, so what enters it in one way may seem to leave it in
another, but not for the data flow, which has `by_way`; `except BaseException` may seem not to
match; an except* that took all may seem to raise.
The data flow relies on all of this: data_flow.py.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Any

from codelake.extract.flow.flow_builder import ENTRY, EXIT, Action, Builder, Edge
from codelake.extract.flow.flow_comprehensions import COMPREHENSIONS, generator_body
from codelake.extract.flow.flow_expressions import EXPRESSIONS
from codelake.extract.flow.flow_statements import STATEMENTS
from codelake.extract.flow.flow_try import PROTECTED
from codelake.extract.flow.match_patterns import MATCHES

__all__ = [
    "ENTRY",
    "EXIT",
    "FlowUnit",
    "control_flow",
    "reachable",
]

_ACTIONS: dict[type, Action] = {
    **EXPRESSIONS,
    **COMPREHENSIONS,
    **STATEMENTS,
    **PROTECTED,
    **MATCHES,
}


@dataclass(frozen=True, slots=True)
class FlowUnit:
    """The graph of one unit.

    Attributes:
        kind: module, class, function, lambda or generator (a generator expression).
        no: number of the node that opens it.
        blocks: straight runs of flow points; block 0 is [ENTRY], block 1 is [EXIT].
        edges: source block, target block, label.
        by_way: the graph with a copy of each finally and with for each way through it (a node is in
            several blocks then); None when that makes no difference.
    """

    kind: str
    no: int
    blocks: list[list[int]]
    edges: list[Edge]
    by_way: FlowUnit | None = None


def control_flow(tree: ast.Module) -> list[FlowUnit]:
    """Build the graphs of a file.

    Args:
        tree: the syntax tree, whose nodes have been numbered by syntax_tree().

    Returns:
        The units in source preorder, the module first.
    """
    pending: list[tuple[str, Any]] = [("module", tree)]
    postponed = _postpones_annotations(tree)
    units = []
    for kind, node in pending:  # grows while it is read
        build = Builder(_ACTIONS, pending)
        build.postponed = postponed
        _build(build, kind, node)
        by_way = None
        if build.forks:
            again = Builder(_ACTIONS, [])
            again.postponed, again.splits = postponed, True
            _build(again, kind, node)
            by_way = FlowUnit(kind, node.no, *again.finish())
        units.append(FlowUnit(kind, node.no, *build.finish(), by_way))
    return sorted(units, key=lambda unit: unit.no)


def _build(build: Builder, kind: str, node: Any) -> None:
    if kind == "lambda":
        build.stack.append(node.body)
    elif kind == "generator":
        generator_body(build, node)
    else:
        build.annotates = kind != "function"
        build.stack += reversed(node.body)
    build.run()


def reachable(unit: FlowUnit) -> list[bool]:
    """Return for each block whether it can be reached from the entry."""
    following: list[list[int]] = [[] for _ in unit.blocks]
    for source, target, _ in unit.edges:
        following[source].append(target)
    found = [False] * len(unit.blocks)
    found[0] = True
    stack = [0]
    while stack:
        for target in following[stack.pop()]:
            if not found[target]:
                found[target] = True
                stack.append(target)
    return found


def _postpones_annotations(tree: ast.Module) -> bool:
    return any(
        node.__class__ is ast.ImportFrom
        and node.module == "__future__"  # type: ignore[attr-defined]
        and any(alias.name == "annotations" for alias in node.names)  # type: ignore[attr-defined]
        for node in tree.body
    )
