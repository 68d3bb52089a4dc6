"""Source evidence: one decoded file -> the arrays of its row.

    read_source(source, Where("app.core", "app", 7)) -> SourceEvidence(parser="ast", ...)

Each extractor works on the one tree that the parser made. What CPython refuses, and a fault of an
extractor, costs that extractor's arrays and is an error of the file; the others stay.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from codelake.evidence.ids import scope_id
from codelake.evidence.rows import Addresses, Column
from codelake.evidence.spans import SpanMap
from codelake.extract.broken.broken_tree import broken_tree
from codelake.extract.broken.comments import comments
from codelake.extract.bytecode.bytecode import bytecode
from codelake.extract.concrete.concrete_tree import concrete_tree
from codelake.extract.data.block_scan import MAX_DEFINITIONS
from codelake.extract.data.data_flow import NO_DATA_FLOW, data_flow
from codelake.extract.data.numbered_nodes import numbered_nodes
from codelake.extract.facts.facts import facts
from codelake.extract.flow.control_flow import control_flow
from codelake.extract.flow.flow_rows import flow_rows
from codelake.extract.parse import ParseFailure, parse
from codelake.extract.symbols.symbol_table import SymbolTable, symbol_table
from codelake.extract.syntax.syntax_tree import SyntaxTree, syntax_tree
from codelake.extract.versions import LAYERS
from codelake.resolve.stored_facts import pack_facts
from codelake.sources.decode import SourceText

type Error = tuple[str, str, str, int | None, int | None, int | None, int | None]

_DEF_NO, _ORDINAL = 3, 4  # columns of AST_NODE
_NOWHERE = (None, None, None, None)
_SCOPE_PATH = 2  # column that symbol_table gives of a scope


@dataclass(frozen=True, slots=True)
class Where:
    """What a file is called: its module, the package around that, and its file_id."""

    module: str
    package: str
    file: int


@dataclass(slots=True)
class SourceEvidence:
    """What the extractors saw in one file.

    Attributes:
        parser: who read the syntax: ast or tree_sitter; None when nobody could.
        arrays: columns by array, as the extractors give them.
        addresses: def_no and ordinal of each node number.
        facts: what the resolver reads, encoded.
        def_ids: id of each definition, by def_no.
        errors: what could not be read.
    """

    parser: str | None = None
    arrays: dict[str, Sequence[Column]] = field(default_factory=dict)
    addresses: Addresses = ((), ())
    def_ids: Sequence[int] = ()
    facts: bytes | None = None
    errors: list[Error] = field(default_factory=list)

    def take_tree(self, tree: SyntaxTree) -> None:
        """Keep nodes, definitions and imports."""
        self.arrays |= {
            "ast_nodes": tree.nodes,
            "ast_defs": tree.defs,
            "ast_imports": tree.imports,
        }
        self.take_addresses(tree)

    def take_addresses(self, tree: SyntaxTree) -> None:
        """Keep what node numbers stand for."""
        self.addresses = tree.nodes[_DEF_NO], tree.nodes[_ORDINAL]
        self.def_ids = tree.defs[0]

    @contextmanager
    def attempt(self, extractor: str) -> Iterator[None]:
        """Let a fault of one extractor cost its arrays only."""
        try:
            yield
        except Exception as error:
            name = type(error).__name__
            self.errors.append((extractor, name, str(error) or name, *_NOWHERE))


def read_source(
    source: SourceText, where: Where, layers: Collection[str] = LAYERS
) -> SourceEvidence:
    """Run the default extractors on a file.

    Args:
        source: the decoded file.
        where: what it is called.
        layers: of the graph beyond syntax that are wanted.

    Returns:
        The arrays of all extractors that succeeded, and the errors of the others.
    """
    found = SourceEvidence()
    found.take_tree(syntax_tree(None, source.raw, None, where.module, where.file))
    with found.attempt("ast"):
        spans = SpanMap(source)
        tree = parse(source.text)
        if isinstance(tree, ParseFailure):
            _note(found, "ast", tree, spans)
            _read_broken(found, source, spans, where)
        else:
            syntax = syntax_tree(tree, source.raw, spans, where.module, where.file)
            found.take_tree(syntax)
            found.parser = "ast"
            if layers:
                _read_tree(found, source, tree, syntax, where.file, spans, layers)
        with found.attempt("tokens"):
            found.arrays["comments"] = comments(source, spans).rows
    return found


def read_broken(source: SourceText, where: Where) -> SourceEvidence:
    """Read a file that Python refuses; arguments as in read_source."""
    found = SourceEvidence()
    found.take_tree(syntax_tree(None, source.raw, None, where.module, where.file))
    spans = SpanMap(source)
    _read_broken(found, source, spans, where)
    with found.attempt("tokens"):
        found.arrays["comments"] = comments(source, spans).rows
    return found


def read_bytecode(source: SourceText, where: Where, _: Collection[str] = ()) -> SourceEvidence:
    """Compile a file, without running it, and describe the code; arguments as in read_source."""
    found = SourceEvidence()
    with found.attempt("bytecode"):
        spans = SpanMap(source)
        tree = parse(source.text)
        if isinstance(tree, ParseFailure):
            _note(found, "bytecode", tree, spans)
            return found
        syntax = syntax_tree(tree, source.raw, spans, where.module, where.file)
        found.take_addresses(syntax)
        code = bytecode(tree, spans, syntax.nodes)
        if isinstance(code, ParseFailure):
            _note(found, "bytecode", code, spans)
            return found
        for failure in code.failures:
            _note(found, "bytecode", failure, spans)
        found.arrays |= {
            "bc_units": code.units,
            "bc_instructions": code.instructions,
            "bc_consts": code.constants,
            "bc_exceptions": code.exceptions,
            "bc_blocks": code.blocks,
            "bc_edges": code.edges,
            "bc_stack_uses": code.stack_uses,
            "bc_lines": code.lines,
        }
    return found


def read_concrete(source: SourceText, where: Where, _: Collection[str] = ()) -> SourceEvidence:
    """Read a file with LibCST; arguments as in read_source."""
    found = SourceEvidence()
    with found.attempt("cst"):
        spans = SpanMap(source)
        tree = concrete_tree(source, spans, parse(source.text), where.module, where.package)
        if tree.failure is not None:
            _note(found, "cst", tree.failure, spans)
        found.arrays |= {
            "cst_manifest": tree.manifest,
            "cst_refs": tree.refs,
            "cst_defs": tree.defs,
            "cst_imports": tree.imports,
            "cst_callsites": tree.callsites,
            "cst_call_args": tree.call_args,
            "cst_type_exprs": tree.type_exprs,
            "cst_docstrings": tree.docstrings,
            "cst_decorators": tree.decorators,
        }
    return found


def _read_tree(
    found: SourceEvidence,
    source: SourceText,
    tree: ast.Module,
    syntax: SyntaxTree,
    file: int,
    spans: SpanMap,
    layers: Collection[str],
) -> None:
    """Run the extractors that need a whole tree; symbol tables are behind all of them."""
    nodes = numbered_nodes(tree)
    table: SymbolTable | ParseFailure | None = None
    data = NO_DATA_FLOW
    with found.attempt("symtable"):
        table = symbol_table(source.text, tree)
        if isinstance(table, ParseFailure):
            _note(found, "symtable", table, spans)
        elif "names" in layers:
            found.arrays |= _symbols(table, file)
    if not {"flow", "calls"} & {*layers}:
        return
    with found.attempt("flow"):
        units = control_flow(tree)
        if isinstance(table, SymbolTable):
            data = data_flow(nodes, units, table)
        if "flow" in layers:
            dominators = "dominators" in layers
            found.arrays |= flow_rows(units, nodes, found.addresses, data.reaches, dominators)
        if data.truncated:
            message = f"{data.truncated} uses keep only the last {MAX_DEFINITIONS} definitions"
            found.errors.append(("flow", "TooManyDefinitions", message, *_NOWHERE))
    with found.attempt("facts"):
        if "calls" in layers and isinstance(table, SymbolTable):
            found.facts = pack_facts(syntax, table, data.reaches, facts(tree, syntax).facts)


def _read_broken(found: SourceEvidence, source: SourceText, spans: SpanMap, where: Where) -> None:
    """Take what tree-sitter can recover."""
    with found.attempt("tree_sitter"):
        broken = broken_tree(source, spans, where.module, where.file)
        found.take_tree(broken.tree)
        found.parser = "tree_sitter"
        found.arrays["ts_problems"] = broken.problems
        if broken.failure is not None:
            _note(found, "tree_sitter", broken.failure, spans)


def _symbols(table: SymbolTable, file: int) -> dict[str, Sequence[Column]]:
    ids = [scope_id(file, path) for path in table.scopes[_SCOPE_PATH]]
    return {
        "symtable_scopes": [ids, *table.scopes],
        "symtable_symbols": table.symbols,
        "symtable_names": table.names,
    }


def _note(found: SourceEvidence, extractor: str, failure: ParseFailure, spans: SpanMap) -> None:
    place = _place(failure, spans)
    found.errors.append((extractor, failure.error_type, failure.message, *place))


def _place(failure: ParseFailure, spans: SpanMap) -> Any:
    """Return line, column and raw span of a syntax error, as far as Python tells."""
    if failure.line is None:
        return None, None, None, None
    bstart, col = spans.locate_character(failure.line, failure.column or 0)
    bend = bstart
    if failure.end_line is not None and failure.end_column is not None:
        bend, _ = spans.locate_character(failure.end_line, failure.end_column)
    return failure.line, col, bstart, max(bstart, bend)
