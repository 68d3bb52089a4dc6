"""Extractors: who fills which column of the evidence.

The names are those of extract/versions.py, whose numbers are raised when one of them changes.
Files that Python cannot parse have their syntax from tree_sitter.
"""

from __future__ import annotations

from codelake.evidence.gathered import GATHERED
from codelake.evidence.rows import BYTECODE, CONCRETE, EVIDENCE, NESTED, PARTS
from codelake.resolve.resolved_rows import RESOLUTION
from codelake.semantic.ir import Extractor

_ARRAYS = {
    "ast": ("ast_nodes", "ast_defs", "ast_imports"),
    "symtable": ("symtable_scopes", "symtable_symbols", "symtable_names"),
    "flow": ("flow_units", "flow_blocks", "flow_edges"),
    "tokens": ("comments",),
    "tree_sitter": ("ts_problems", "errors", "ast_nodes", "ast_defs", "ast_imports"),
}
_NEEDS = {"symtable": ("ast",), "flow": ("ast", "symtable")}


def _identity(part: str, arrays: dict[str, object]) -> Extractor:
    columns = (name for name in PARTS[part].names if name not in arrays)
    return Extractor("decode", part, tuple(columns))


EXTRACTORS: tuple[Extractor, ...] = (
    Extractor("decode", "source", tuple(n for n in EVIDENCE.names if n not in {*NESTED, "facts"})),
    *(
        Extractor(name, "source", columns, _NEEDS.get(name, ()))
        for name, columns in _ARRAYS.items()
    ),
    Extractor("facts", "source", ("facts",), needs=("ast", "symtable")),
    _identity("bytecode", {**BYTECODE}),
    Extractor("bytecode", "bytecode", tuple(BYTECODE)),
    _identity("cst", {**CONCRETE}),
    Extractor("cst", "cst", tuple(CONCRETE)),
    *(Extractor(part, part, tuple(schema.names)) for part, schema in GATHERED.items()),
    Extractor("resolver", "resolution", tuple(RESOLUTION.names), needs=("facts",)),
)
