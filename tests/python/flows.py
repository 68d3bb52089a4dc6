"""A source through all the extractors that data flow builds on."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Any

from codelake.evidence.spans import SpanMap
from codelake.extract.data.data_flow import DataFlow, data_flow
from codelake.extract.data.numbered_nodes import numbered_nodes
from codelake.extract.flow.control_flow import FlowUnit, control_flow
from codelake.extract.symbols.symbol_table import SymbolTable, symbol_table
from codelake.extract.syntax.syntax_tree import syntax_tree
from codelake.sources.decode import SourceText, decode


@dataclass(frozen=True)
class Analysed:
    tree: ast.Module
    nodes: list[Any]
    units: list[FlowUnit]
    table: SymbolTable
    flow: DataFlow

    @property
    def rows(self) -> list[tuple[int, int, str, str, bool]]:
        return list(zip(*self.flow.reaches, strict=True))


def flow(text: str) -> tuple[list[FlowUnit], list[Any]]:
    tree, _ = _numbered(text)
    return control_flow(tree), numbered_nodes(tree)


def analyse(text: str) -> Analysed:
    tree, source = _numbered(text)
    table = symbol_table(source.text, tree)
    assert isinstance(table, SymbolTable), table
    nodes, units = numbered_nodes(tree), control_flow(tree)
    return Analysed(tree, nodes, units, table, data_flow(nodes, units, table))


def _numbered(text: str) -> tuple[ast.Module, SourceText]:
    source = decode(text.encode())
    assert isinstance(source, SourceText)
    tree = ast.parse(source.text)
    syntax_tree(tree, source.raw, SpanMap(source), "m", 1)
    return tree, source
