"""What a column name means, wherever it stands: one doc block per meaning.

    columns("repo path owner_id? kind:import_kind")

is four columns: `?` may be null, and `name:meaning` picks another meaning where a name means
something else in that dataset. Columns of the evidence table are described beside its schema.
"""

from __future__ import annotations

from codelake.evidence.rows import DESCRIPTIONS
from codelake.semantic import types as t
from codelake.semantic.ir import Column, Meaning
from codelake.semantic.types import SemanticType


def _evidence(name: str, semantic: SemanticType) -> tuple[str, SemanticType, str]:
    return name, semantic, DESCRIPTIONS[name]


_TABLE: tuple[tuple[str, SemanticType, str], ...] = (
    # identity of repositories and files
    _evidence("repo", t.REPOSITORY_NAME),
    _evidence("repository_id", t.REPOSITORY_ID),
    _evidence("path", t.PATH),
    _evidence("file_id", t.FILE_ID),
    _evidence("file_sha256", t.DIGEST),
    _evidence("size_bytes", t.BYTE_COUNT),
    _evidence("encoding", t.KIND),
    _evidence("newline", t.KIND),
    _evidence("module_name", t.MODULE_NAME),
    _evidence("is_package", t.FLAG),
    _evidence("is_test", t.FLAG),
    _evidence("is_generated", t.FLAG),
    _evidence("extractor_digest", t.DIGEST),
    _evidence("python_version", t.VERSION),
    _evidence("parser", t.ORIGIN),
    _evidence("content", t.BYTES),
    _evidence("line_starts", t.BYTE_OFFSETS),
    _evidence("ast_nodes", t.NESTED),
    _evidence("ast_defs", t.NESTED),
    _evidence("ast_imports", t.NESTED),
    _evidence("symtable_scopes", t.NESTED),
    _evidence("symtable_symbols", t.NESTED),
    _evidence("symtable_names", t.NESTED),
    _evidence("flow_units", t.NESTED),
    _evidence("flow_blocks", t.NESTED),
    _evidence("flow_edges", t.NESTED),
    _evidence("flow_controls", t.NESTED),
    _evidence("flow_reaches", t.NESTED),
    _evidence("facts", t.NESTED),
    _evidence("comments", t.NESTED),
    _evidence("ts_problems", t.NESTED),
    _evidence("errors", t.NESTED),
    # spans
    ("bstart", t.BYTE_OFFSET, "First byte of the span, counted from the start of the file."),
    ("bend", t.BYTE_OFFSET, "Byte after the last one of the span."),
    ("line", t.LINE, "Line of the first character, from 1."),
    ("end_line", t.LINE, "Line of the last character, from 1."),
    ("col", t.COLUMN, "Code points before the first character in its line."),
    ("end_col", t.COLUMN, "Code points before the end of the span in its line."),
    ("line_no", t.LINE, "Number of the line, from 1."),
    ("line_start_byte", t.BYTE_OFFSET, "First byte of the line."),
    ("line_end_byte", t.BYTE_OFFSET, "Byte after the line, its line break included."),
    ("name_bstart", t.BYTE_OFFSET, "First byte of the name in a definition's header."),
    ("name_bend", t.BYTE_OFFSET, "Byte after the name in a definition's header."),
    # nodes
    ("node_id", t.NODE_ID, "Id of the node, unique in the lake, stable under edits elsewhere."),
    ("node_kind", t.KIND, "What the node is: see the kinds of nodes in docs/data_model.md."),
    ("kind", t.KIND, "What the node is: see the kinds of nodes in docs/data_model.md."),
    ("syntax", t.KIND, "Class of Python's `ast` module, for example `Call`."),
    ("name", t.SYMBOL, "Name as written in the source, where the thing has one."),
    ("qualified_name", t.QUALIFIED_NAME, "Dotted name of a definition, module included."),
    (
        "owner_id",
        t.NODE_ID,
        "Innermost definition that executes the node; a module owns itself in ast_nodes.",
    ),
    ("definition_id", t.NODE_ID, "Definition that the node belongs to: itself, if it is one."),
    ("parent_id", t.NODE_ID, "Parent in the syntax tree."),
    ("parent_syntax", t.KIND, "Class of the parent in Python's `ast` module."),
    ("call_id", t.NODE_ID, "The call whose receiver the node is."),
    ("slot", t.LABEL, "Field of the parent that holds the node, for example `args`."),
    ("idx", t.ORDINAL, "Place in the slot, from 0."),
    ("keyword", t.SYMBOL, "Keyword that an argument is passed by."),
    ("ordinal", t.ORDINAL, "Place in the definition, in preorder; the definition itself is 0."),
    ("attrs", t.ATTRIBUTES, "What only this kind has, as text by name."),
    # definitions and imports
    ("def_id", t.NODE_ID, "Node of the definition."),
    ("def_no", t.ORDINAL, "Number of the definition in its file; the module is 0."),
    ("def_path", t.QUALIFIED_NAME, "Name path in the file, `#n` marks the n-th redefinition."),
    ("redefinition", t.ORDINAL, "How many definitions of that name stand before it in its scope."),
    ("is_async", t.FLAG, "Whether it was written with `async`."),
    ("signature", t.TEXT, "Parameters as written, with annotations and defaults."),
    ("returns", t.TEXT, "Return annotation as written."),
    ("import_id", t.NODE_ID, "IMPORT node of the imported name."),
    ("import_kind", t.KIND, "Form of the statement: `import` or `from`."),
    ("module", t.MODULE_NAME, "Module named in the statement; null for `from . import x`."),
    ("import_name", t.SYMBOL, "Name that is imported from the module; null for `import x`."),
    ("asname", t.SYMBOL, "Name after `as`."),
    ("level", t.ORDINAL, "Number of leading dots of a relative import."),
    ("is_star", t.FLAG, "Whether it is `from x import *`."),
    ("absolute_module", t.MODULE_NAME, "Module with leading dots resolved; null above the top."),
    # scopes and names
    ("scope_id", t.SCOPE_ID, "Id of the scope, from its file and scope_path."),
    ("scope_no", t.ORDINAL, "Number of the scope in its file; the module is 0."),
    ("scope_kind", t.KIND, "What opens the scope: module, class, function, lambda, ..."),
    ("scope_name", t.SYMBOL, "Name that CPython's symbol table gives the scope."),
    ("scope_path", t.QUALIFIED_NAME, "Name path of the scope, that of its definition if any."),
    ("parent_scope_id", t.SCOPE_ID, "Scope around it."),
    ("binding_scope_id", t.SCOPE_ID, "Scope that binds the name; null for builtins."),
    ("binding_id", t.BINDING_ID, "The name in the scope that binds it; null for builtins."),
    ("symbol", t.SYMBOL, "Name as CPython stores it: private names of a class are mangled."),
    ("symbol_resolution", t.KIND, "local, cell, free, global_explicit or global_implicit."),
    ("context", t.KIND, "load, store, del, declare, parameter, import or definition."),
    ("resolution", t.KIND, "local, cell, free, global, class or builtin."),
    ("is_evaluated", t.FLAG, "Whether the occurrence runs; text of annotations may not."),
    ("is_nested", t.FLAG, "Whether a function is around it."),
    ("is_optimized", t.FLAG, "Whether its variables have fixed places, as in functions."),
    ("has_children", t.FLAG, "Whether it holds other scopes."),
    ("is_inlined", t.FLAG, "Whether CPython runs it as part of the code around it."),
    ("is_text", t.FLAG, "Whether it exists in the source only, not in CPython's table."),
    ("parameters", t.NAMES, "Parameters of a function."),
    ("locals", t.NAMES, "Local names of a function, parameters included."),
    ("globals", t.NAMES, "Global names that a function uses."),
    ("nonlocals", t.NAMES, "Names that a function declares nonlocal."),
    ("frees", t.NAMES, "Names that a function takes from functions around it."),
    ("methods", t.NAMES, "Functions defined in a class body."),
    ("namespaces", t.NUMBERS_OF, "scope_no of the scopes that the name is bound to."),
    ("is_referenced", t.FLAG, "Whether the scope reads it."),
    ("is_imported", t.FLAG, "Whether an import binds it."),
    ("is_parameter", t.FLAG, "Whether it is a parameter."),
    ("is_type_parameter", t.FLAG, "Whether it is a type parameter."),
    ("is_global", t.FLAG, "Whether it is global here."),
    ("is_nonlocal", t.FLAG, "Whether it is declared nonlocal here."),
    ("is_declared_global", t.FLAG, "Whether it is declared global here."),
    ("is_local", t.FLAG, "Whether it is local here."),
    ("is_annotated", t.FLAG, "Whether it is annotated here."),
    ("is_free", t.FLAG, "Whether a function around owns it."),
    ("is_assigned", t.FLAG, "Whether the scope assigns it."),
    ("is_free_class", t.FLAG, "Whether a class binds it that a function around owns too."),
    ("is_comp_iter", t.FLAG, "Whether it is the target of a comprehension."),
    ("is_comp_cell", t.FLAG, "Whether it is a cell of an inlined comprehension."),
    ("is_namespace", t.FLAG, "Whether it names a scope: a function or class."),
    # flow
    ("unit_id", t.NODE_ID, "Node that opens the unit: module, class, function, lambda, generator."),
    ("unit_kind", t.KIND, "module, class, function, lambda or generator."),
    ("entry_id", t.NODE_ID, "ENTRY node of the unit."),
    ("exit_id", t.NODE_ID, "EXIT node of the unit."),
    ("blocks", t.ORDINAL, "Number of blocks, ENTRY and EXIT included."),
    ("branches", t.ORDINAL, "Number of blocks that can go on in several ways."),
    ("block_no", t.ORDINAL, "Number of the block in its unit; ENTRY is 0, EXIT is 1."),
    ("first_node_id", t.NODE_ID, "First point of the block."),
    ("last_node_id", t.NODE_ID, "Last point of the block."),
    ("size", t.ORDINAL, "Number of points."),
    ("is_reachable", t.FLAG, "Whether a path from ENTRY leads to it."),
    ("idom_block", t.ORDINAL, "Its immediate dominator."),
    ("ipdom_block", t.ORDINAL, "Its immediate post-dominator."),
    ("flow_label", t.LABEL, "true, false, case, loop, exception or finally; null for plain steps."),
    ("variable", t.SYMBOL, "What is defined and used: a name, a path `self.x`, an item `d['k']`."),
    (
        "reach_kind",
        t.KIND,
        "name, closure, global, attribute or subscript; the last two are weaker.",
    ),
    ("is_loop_carried", t.FLAG, "Whether the definition reaches only by going round a loop."),
    # facts
    ("fact_no", t.ORDINAL, "Place of the fact in its file; facts are in evaluation order."),
    ("op", t.KIND, "What the fact says: see extract/facts/fact_ops.py."),
    ("value_id", t.NODE_ID, "Node of the value that the fact takes."),
    ("other_id", t.NODE_ID, "Second node that the fact takes."),
    ("fact_text", t.TEXT, "Name, key or literal of the fact."),
    ("fact_idx", t.ORDINAL, "Position or count that the fact needs."),
    # comments and broken files
    ("comment_kind", t.KIND, "comment, shebang, coding, type_ignore, noqa, pragma, ..."),
    ("comment_text", t.TEXT, "The comment as written, `#` included."),
    ("codes", t.NAMES, "Codes that a mark names, for example those after `noqa:`."),
    ("is_own_line", t.FLAG, "Whether nothing stands before it on its line."),
    ("node_type", t.KIND, "Kind of tree-sitter's node, or the token that is missing."),
    ("parent_type", t.KIND, "Kind of the node around it in tree-sitter's tree."),
    ("problem_text", t.TEXT, "The source at that place, cut at 120 code points."),
    # errors
    ("extractor", t.ORIGIN, "Extractor that could not read the file."),
    ("error_type", t.KIND, "Class of the error."),
    ("message", t.TEXT, "What the extractor said."),
    # edges
    ("edge_id", t.EDGE_ID, "Id of the edge, from kind, ends and label; unique in the lake."),
    ("edge_kind", t.KIND, "What the edge says: see the kinds of edges in docs/data_model.md."),
    ("src_node_id", t.NODE_ID, "Node where the edge starts: what depends or flows."),
    ("dst_node_id", t.NODE_ID, "Node where the edge ends: what it meets."),
    ("label", t.LABEL, "Slot, branch, variable or keyword; empty when there is none."),
    ("edge_ordinal", t.ORDINAL, "Order among edges of the same kind and source, from 0."),
    ("origin", t.ORIGIN, "Reader that saw it, for example `ast`."),
    (
        "method",
        t.METHOD,
        "Tier that concluded the edge; `syntax` is read off the parser, `scan` off the folders.",
    ),
    ("confidence", t.CONFIDENCE, "Precision measured for the method; 1 where the parser decides."),
    ("score", t.SCORE, "Strength among candidates of one answer; larger is better."),
    ("rank", t.ORDINAL, "Place among candidates of one answer, from 1."),
    ("ambiguity_group_id", t.GROUP_ID, "Joins the candidates of one ambiguous answer."),
    ("element", t.KIND, "What the kind is of: `node` or `edge`."),
    ("graph_kind", t.KIND, "Name of the kind, as in node_kind or edge_kind."),
    ("meaning", t.TEXT, "What the kind stands for."),
    ("example", t.TEXT, "A piece of Python that gives one."),
    # checks
    ("copies", t.COUNT, "Number of rows with that id."),
    ("missing_end", t.KIND, "End of the edge that is no node: `src` or `dst`."),
)

MEANINGS: tuple[Meaning, ...] = tuple(
    Meaning(name, semantic.spark, semantic.name, text) for name, semantic, text in _TABLE
)
_BY_NAME = {meaning.name: meaning for meaning in MEANINGS}


def columns(text: str) -> tuple[Column, ...]:
    """Return columns by name: `name`, `name?`, `name:meaning`, `name:meaning?`."""
    return tuple(column(*_split(word)) for word in text.split())


def column(name: str, nullable: bool = False, meaning: str | None = None) -> Column:
    """Return one column; an unknown meaning is reported by the type check."""
    known = _BY_NAME.get(meaning or name)
    if known is None:
        return Column(name, t.VOID, nullable, None, meaning or name)
    return Column(name, known.type, nullable, known.semantic, known.name)


def _split(word: str) -> tuple[str, bool, str | None]:
    name, _, meaning = word.rstrip("?").partition(":")
    return name, word.endswith("?"), meaning or None
