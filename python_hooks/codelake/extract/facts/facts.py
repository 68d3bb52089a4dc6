"""Facts for the resolver: a numbered syntax tree -> what the code does with values.

    def f(x):           owner 0: function node=f idx=1, store node=f text=f
        return x.y      owner 1: param node=x text=x idx=0, load node=x text=x,
                                 attr node=x.y value=x text=y, return value=x.y

Facts come in the order of evaluation, by the definition that executes them, in the order of their
numbers; fact_ops.py is the vocabulary. With the scope of each name occurrence (symbol_table), the
imports and the definitions they are all that resolution reads: the value of every expression that
is evaluated is made by a fact, and every operand of a fact was made before it.

All branches are there, a loop body once. Constants that are statements make no value. Type
comments are not read.
Next: fact_ops.py, fact_walk.py.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import Any

from codelake.extract.facts.assignment_facts import ASSIGNMENTS, TARGETS
from codelake.extract.facts.definition_facts import DEFINITIONS, LAMBDA_AND_ALIAS, begin
from codelake.extract.facts.expression_facts import EXPRESSIONS
from codelake.extract.facts.fact_walk import Fact, Handler, PairHandler, Walk
from codelake.extract.facts.pattern_facts import PATTERNS
from codelake.extract.facts.statement_facts import BLOCKS, STATEMENTS
from codelake.extract.syntax.syntax_tree import SyntaxTree

_HANDLERS: dict[type, Handler] = EXPRESSIONS | STATEMENTS | ASSIGNMENTS | LAMBDA_AND_ALIAS
_PAIRS: dict[type, PairHandler] = TARGETS | BLOCKS | DEFINITIONS | PATTERNS
_DEF_NO = 3  # column of AST_NODE


COLUMNS = ("op", "owner_no", "node", "value", "other", "text", "idx")
"""What each fact consists of."""


@dataclass(frozen=True, slots=True)
class Facts:
    """Facts as columns, in the order of COLUMNS."""

    facts: Sequence[Sequence[Any]]


def facts(tree: ast.Module, syntax: SyntaxTree) -> Facts:
    """Turn the syntax tree of a file into facts.

    Args:
        tree: the module, numbered by `syntax_tree`.
        syntax: what `syntax_tree` made of it.

    Returns:
        The facts, grouped by owner, in the order of evaluation.
    """
    walk = Walk(syntax.nodes[_DEF_NO])
    groups: list[list[Fact]] = [[] for _ in syntax.defs[0]]
    walk.later.append((0, tree, len(syntax.nodes[0]) - 1, None))
    while walk.later:
        number, node, last, private = walk.later.pop()
        group = groups[number]
        walk.emit = group.append
        walk.yields = False
        begin(walk, node, last, private)
        _run(walk)
        if walk.yields:
            group.insert(0, ("generator", node.no, None, None, None, None))
    columns: list[list[Any]] = [[] for _ in COLUMNS]
    op, owner, *others = columns
    for number, group in enumerate(groups):
        if group:
            first, *rest = zip(*group, strict=True)
            op.extend(first)
            owner.extend(repeat(number, len(group)))
            for column, values in zip(others, rest, strict=True):
                column.extend(values)
    return Facts(columns)


def _run(walk: Walk) -> None:
    """Work through the stack."""
    stack, emit = walk.stack, walk.emit
    pop, handlers, pairs = stack.pop, _HANDLERS, _PAIRS
    while stack:
        entry = pop()
        kind = entry.__class__
        if kind is tuple:
            emit(entry)
        elif kind is list:
            node, number = entry
            pairs[node.__class__](walk, node, number)
        else:
            handlers[kind](walk, entry)
