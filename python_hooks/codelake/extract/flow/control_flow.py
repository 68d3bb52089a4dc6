"""Control-flow evidence: one graph per module, class body, function, lambda and generator.

if ready:        entry -> ready
    go()         ready -true-> go -> go() -> Expr -> exit
                 ready -false-> exit
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

__all__ = ["ENTRY", "EXIT", "FlowUnit", "control_flow", "reachable"]

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
    """

    kind: str
    no: int
    blocks: list[list[int]]
    edges: list[Edge]


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
        if kind == "lambda":
            build.stack.append(node.body)
        elif kind == "generator":
            generator_body(build, node)
        else:
            build.annotates = kind != "function"
            build.stack += reversed(node.body)
        build.run()
        units.append(FlowUnit(kind, node.no, *build.finish()))
    return sorted(units, key=lambda unit: unit.no)


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
