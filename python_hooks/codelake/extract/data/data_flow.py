"""Data-flow evidence: the units of a file -> which definition reaches which use.

    x = 1                    x@1 -> x@4 name
    if c:                    x@3 -> x@4 name
        x = 2
    print(x)

A row says that the value at the use may be the one of the definition. Kinds:

    name        a variable of the unit itself: exact along the flow graph, with kills, and with a
                copy of each `finally` for each way through it
    closure     a variable of a function around; global: of the module (shared_variables.py)
    attribute   a path like `self.x`; subscript: `d['k']` (access_paths.py); weaker: calls and other
                names of the same object are not considered, and only stores of the same unit

Definitions are stored names, parameters, definitions of functions and classes, aliases of imports,
captures of patterns, names of exceptions, type parameters. `del` and the end of an `except ... as`
remove. `from m import *` may define every global name of the file that is not a builtin.
Uses are loads, `del`, and the targets of augmented assignments, which also define.

Not seen: code in `exec`, `globals()[...] = v`, stores from other files, annotations that are not
evaluated, bounds and values of type parameters and type aliases, which are evaluated on demand. Two
runs of one comprehension or one class body are not told apart, nor the ways through a `finally`
that makes a function, class, lambda or generator, or that lies in another `finally`:

    try: x = f()             x@0 -> x@3 as well, where x = 0 is before: it could not return
    finally: h = lambda: x
    print(x)

At most MAX_DEFINITIONS per use.
Next: file_evidence.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from codelake.extract.data.shared_variables import SharedVariables
from codelake.extract.flow.control_flow import FlowUnit
from codelake.extract.symbols.symbol_table import SymbolTable


@dataclass(frozen=True, slots=True)
class DataFlow:
    """What reaches what, and how much was left out.

    Attributes:
        reaches: columns of definition, use, variable, kind and is_loop_carried.
        truncated: number of uses that more definitions reach than were kept.
    """

    reaches: Sequence[Sequence[Any]]
    truncated: int


NO_DATA_FLOW = DataFlow(((), (), (), (), ()), 0)
"""Of a file without a symbol table."""


def data_flow(nodes: Sequence[Any], units: Sequence[FlowUnit], table: SymbolTable) -> DataFlow:
    """Find the definitions that reach each use.

    Args:
        nodes: the nodes of the file by number.
        units: its control flow.
        table: its symbol table.

    Returns:
        One entry per definition, use and variable, ordered by use.
    """
    shared = SharedVariables(nodes, [unit.by_way or unit for unit in units], table)
    rows = shared.rows()
    columns = list(zip(*rows, strict=True)) if rows else [()] * 5
    return DataFlow(columns, shared.truncated)
