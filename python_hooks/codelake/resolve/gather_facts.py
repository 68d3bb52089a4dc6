"""Gathering: what the extractors made of a file -> the parts of its FileFacts.

gather_facts(syntax, table, reaches, facts)
    definitions   from the syntax tree, by number
    parents       number of the parent of each node
    names         node -> (symbol, resolution, scope), from the symbol table
    reaches       use -> definitions, from the data flow; attribute paths apart
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from codelake.evidence.rows import Column
from codelake.extract.symbols.symbol_table import SymbolTable
from codelake.extract.syntax.syntax_tree import SyntaxTree
from codelake.resolve.file_facts import Definition, NameUse

_NAME_KINDS = frozenset({"name", "closure", "global"})


def gather_facts(
    syntax: SyntaxTree, table: SymbolTable, reaches: Sequence[Column], facts: Sequence[Column]
) -> dict[str, Any]:
    """Return definitions, parents, facts, names, reaches and path_reaches of FileFacts.

    Args:
        syntax: the syntax tree of the file.
        table: its symbol table.
        reaches: columns of its data flow.
        facts: columns of its facts.
    """
    by_name: dict[int, list[int]] = {}
    by_path: dict[int, list[int]] = {}
    for definition, use, kind in zip(reaches[0], reaches[1], reaches[3], strict=True):
        chosen = by_name if kind in _NAME_KINDS else by_path
        chosen.setdefault(use, []).append(definition)
    return {
        "definitions": _definitions(syntax),
        "parents": _parents(syntax),
        "facts": list(zip(*facts, strict=True)),
        "names": _names(table),
        "reaches": by_name,
        "path_reaches": by_path,
    }


def _names(table: SymbolTable) -> dict[int, NameUse]:
    nodes, _, symbols, _, contexts, resolutions, scopes, _ = table.names
    rows = zip(nodes, symbols, contexts, resolutions, scopes, strict=True)
    return {
        node: (symbol, resolution, scope)
        for node, symbol, context, resolution, scope in rows
        if context != "declare"
    }


def _definitions(syntax: SyntaxTree) -> list[Definition]:
    def_numbers, ordinals, parents = syntax.nodes[3], syntax.nodes[4], syntax.nodes[6]
    count = len(syntax.defs[0])
    node_of = [0] * count
    last = [0] * count
    around: list[int] = [0] * count
    for number, def_no in enumerate(def_numbers):
        last[def_no] = number
        if ordinals[number] == 0:
            node_of[def_no] = number
            around[def_no] = parents[number] or 0
    for def_no in range(count - 1, 0, -1):
        outer = around[def_no]
        last[outer] = max(last[outer], last[def_no])
    defs: Any = syntax.defs
    rows = zip(defs[1], defs[2], defs[4], defs[6], defs[7], node_of, last, strict=True)
    return [Definition(*row) for row in rows]


def _parents(syntax: SyntaxTree) -> list[int]:
    """Return the number of the parent of each node."""
    def_numbers, ordinals = syntax.nodes[3], syntax.nodes[4]
    number_of = {
        address: number for number, address in enumerate(zip(def_numbers, ordinals, strict=True))
    }
    parents = [0]
    for address in zip(syntax.nodes[6][1:], syntax.nodes[7][1:], strict=True):
        parents.append(number_of[address])
    return parents
