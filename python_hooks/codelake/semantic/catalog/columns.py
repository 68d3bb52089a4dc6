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
    _evidence("content", t.BYTES),
    _evidence("line_starts", t.BYTE_OFFSETS),
    _evidence("ast_nodes", t.NESTED),
    _evidence("ast_defs", t.NESTED),
    _evidence("ast_imports", t.NESTED),
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
