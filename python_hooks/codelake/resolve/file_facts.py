"""File facts: what resolution reads of one file, and nothing else.

    def f(a): return a     definitions  0 module, 1 function f
                           facts        (function, 0, 1, ...) (param, 1, 2, ...) ...
                           names        node -> (symbol, resolution, binding scope)
                           reaches      use -> definitions that reach it

Nodes are their numbers in the file (preorder). `read_file` (load.py) makes this from a source text;
whoever holds the stored evidence fills the same fields from ast_nodes, ast_defs, facts,
symtable_names and flow_reaches, in that order.
Next: load.py, module_index.py.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

# op, owner_no, node, value, other, text, idx: columns of FACT with node numbers
type Fact = tuple[str, int, int, int | None, int | None, str | None, int | None]
type NameUse = tuple[str, str, int | None]  # symbol, resolution, number of the binding scope

GLOBAL, CLASS_NAME, BUILTIN = "global", "class", "builtin"


class Definition(NamedTuple):
    """One definition of a file, by number.

    Attributes:
        kind: MODULE, CLASS, FUNCTION or LAMBDA.
        name: as written.
        path: its def_path, `C.m`, `f.<locals>.g#1`; empty for the module.
        parent: number of the definition that executes it; None for the module.
        is_async: whether it is an `async def`.
        node: number of its node.
        last: number of the last node below it.
    """

    kind: str
    name: str
    path: str
    parent: int | None
    is_async: bool
    node: int
    last: int


@dataclass(frozen=True, slots=True)
class FileFacts:
    """The evidence of one file.

    Attributes:
        repo: name of the repository.
        path: path of the file in it.
        module: dotted name of its module.
        is_package: whether it is an `__init__` file.
        definitions: by number.
        parents: number of the parent of each node; the module is its own.
        facts: grouped by owner, in the order of evaluation.
        names: occurrence of a name -> its binding.
        reaches: use of a name -> definitions that reach it, in this file.
        path_reaches: use of an attribute path -> the stores of the same unit that reach it.
        other_names: further names under which the module may be imported.
    """

    repo: str
    path: str
    module: str
    is_package: bool
    definitions: Sequence[Definition]
    parents: Sequence[int]
    facts: Sequence[Fact]
    names: Mapping[int, NameUse]
    reaches: Mapping[int, Sequence[int]]
    path_reaches: Mapping[int, Sequence[int]] = field(default_factory=dict)
    other_names: Sequence[str] = ()

    @property
    def size(self) -> int:
        """Return the number of nodes."""
        return len(self.parents)

    @property
    def is_stub(self) -> bool:
        """Tell whether the file only describes another one."""
        return self.path.endswith(".pyi")

    def qualified(self, def_no: int) -> str:
        """Return module and path of a definition."""
        path = self.definitions[def_no].path
        return f"{self.module}.{path}" if path else self.module
