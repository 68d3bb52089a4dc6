"""Activations for the interpreter of facts, and what it knows from other evidence.

`Scopes` stands in for symbol_table and syntax_tree: which names are declared global or nonlocal,
which belong to a comprehension, and where statements and patterns end.
"""

from __future__ import annotations

import ast
from typing import Any

from fact_rows import Fact, File, last_numbers


class Scopes:
    """What symbol_table and syntax_tree tell: declared scopes, comprehension targets, extents."""

    def __init__(self, file: File) -> None:
        self.names = list(file.syntax.defs[2])
        self.lasts = last_numbers(file.tree)
        self.targets: set[int] = set()  # names bound by a comprehension
        self.declared: dict[tuple[int, str], str] = {}  # (def_no, name) -> global or nonlocal
        self.bodies: dict[int, tuple[int, int]] = {}  # for -> its body
        self.branches: dict[int, tuple[tuple[int, int], tuple[int, int]]] = {}
        self.handlers: dict[int, list[tuple[int, int]]] = {}
        self.orelse: dict[int, tuple[int, int]] = {}  # of a try
        self.final: dict[int, tuple[int, int]] = {}
        self.not_evaluated: list[tuple[int, int]] = []  # annotations of local variables
        self.generic: dict[int, int] = {}  # type parameter used in the header of its definition
        self.cases: dict[int, tuple[int, int, int]] = {}  # pattern -> its case, end of the match
        self.managers: dict[int, int] = {}  # context expression -> with
        self.alternatives: dict[int, list[int]] = {}
        self.patterns: set[int] = set()
        owners, kinds, numbers = file.syntax.nodes[5], file.syntax.defs[1], file.syntax.nodes[3]
        for found in ast.walk(file.tree):
            node: Any = found
            if isinstance(node, ast.pattern):
                self.patterns.add(node.no)
            if isinstance(node, ast.comprehension):
                stores = [item for item in ast.walk(node.target) if isinstance(item, ast.Name)]
                self.targets |= {item.no for item in stores if isinstance(item.ctx, ast.Store)}
            elif isinstance(node, ast.Global | ast.Nonlocal):
                for name in node.names:
                    self.declared[owners[node.no], name] = type(node).__name__.lower()
            elif isinstance(node, ast.AnnAssign) and kinds[owners[node.no]] == "FUNCTION":
                self.not_evaluated.append(self.below(node.annotation))
            elif isinstance(node, ast.FunctionDef) and node.type_params:
                names = {parameter.name for parameter in node.type_params}
                for item in ast.walk(node):
                    if isinstance(item, ast.Name) and item.id in names:
                        self.generic[item.no] = numbers[node.no]
            elif isinstance(node, ast.For):
                self.bodies[node.no] = (node.no + 1, self.lasts[node.body[-1].no])
            elif isinstance(node, ast.IfExp):
                self.branches[node.no] = (self.below(node.body), self.below(node.orelse))
            elif isinstance(node, ast.Try | ast.TryStar):
                self.handlers[node.no] = [self.below(item) for item in node.handlers]
                for found_in, block in ((self.orelse, node.orelse), (self.final, node.finalbody)):
                    if block:
                        found_in[node.no] = (block[0].no, self.lasts[block[-1].no])
            elif isinstance(node, ast.Match):
                for case in node.cases:
                    self.cases[case.pattern.no] = (*self.below(case), self.lasts[node.no])
            elif isinstance(node, ast.With):
                self.managers |= {item.context_expr.no: node.no for item in node.items}
            elif isinstance(node, ast.MatchOr):
                numbers = [item.no for item in node.patterns]
                self.alternatives |= dict.fromkeys(numbers, numbers)

    def below(self, node: Any) -> tuple[int, int]:
        return node.no, self.lasts[node.no]


class Scope:
    """Names of one activation: kind is module, function, class or comprehension."""

    def __init__(self, kind: str, number: int, names: Any, outer: Scope | None) -> None:
        self.kind = kind
        self.number = number
        self.names = names
        self.outer = outer
        self.made_class: Any = None
        self.first: Any = None

    def module(self) -> Scope:
        scope = self
        while scope.outer is not None:
            scope = scope.outer
        return scope


class Frame:
    """One activation of a definition: its facts, its values so far."""

    def __init__(self, facts: list[Fact], scope: Scope) -> None:
        self.facts = facts
        self.scope = scope
        self.values: dict[int, Any] = {}
        self.collected: dict[int, list[tuple[Fact, Any]]] = {}
        self.tests: dict[int, list[bool]] = {}
        self.skipped: dict[int, tuple[int, int]] = {}
        self.caught: BaseException | None = None
