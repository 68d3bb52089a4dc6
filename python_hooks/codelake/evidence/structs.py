"""Structs: what one fact of each extractor is, as an Arrow type.

    SYMTABLE_NAME = _struct(("node", _NODE, _SET), ("name", _TEXT, _SET), ...)
        -> struct<node_def_no int, node_ordinal int, name string, ...>

An extractor gives a node by its number in `ast_nodes`; the row keeps its address, which survives
edits elsewhere, in two fields. NODES tells which fields of a struct those are, and OPTIONAL which
may be null: Delta takes NOT NULL on columns only, so every nested field is nullable as a type.
"""

from __future__ import annotations

import pyarrow as pa

type Field = tuple[str, pa.DataType | None, bool]

NODES: dict[pa.DataType, tuple[int, ...]] = {}
"""Positions of the node numbers in what an extractor gives, by struct."""

GIVEN: dict[pa.DataType, tuple[str, ...]] = {}
"""Names of the columns that an extractor gives, by struct; a node is `<name>_no` there."""

OPTIONAL: dict[pa.DataType, frozenset[str]] = {}
"""Fields that may be null, by struct."""


def _struct(*fields: Field) -> pa.DataType:
    wide: list[Field] = []
    for name, kind, nullable in fields:
        if kind is _NODE:
            wide += [(f"{name}_def_no", _INT, nullable), (f"{name}_ordinal", _INT, nullable)]
        else:
            wide.append((name, kind, nullable))
    made = pa.struct([pa.field(name, kind, nullable=True) for name, kind, _ in wide])
    NODES[made] = tuple(no for no, (_, kind, _) in enumerate(fields) if kind is _NODE)
    GIVEN[made] = tuple(f"{name}_no" if kind is _NODE else name for name, kind, _ in fields)
    OPTIONAL[made] = frozenset(name for name, _, nullable in wide if nullable)
    return made


def array(element: pa.DataType) -> pa.DataType:
    """Return the type of an array as Spark has it."""
    return pa.list_(pa.field("element", element, nullable=True))


_TEXT, _INT, _LONG, _FLAG = pa.string(), pa.int32(), pa.int64(), pa.bool_()
_DOUBLE = pa.float64()
_NODE = None
ATTRS = pa.map_(pa.field("key", _TEXT, nullable=False), pa.field("value", _TEXT, nullable=True))
_NULL, _SET = True, False

AST_NODE = _struct(
    ("kind", _TEXT, _SET),
    ("syntax", _TEXT, _SET),
    ("name", _TEXT, _NULL),
    ("def_no", _INT, _SET),
    ("ordinal", _INT, _SET),
    ("owner_no", _INT, _SET),
    ("parent_def_no", _INT, _NULL),
    ("parent_ordinal", _INT, _NULL),
    ("parent_syntax", _TEXT, _NULL),
    ("slot", _TEXT, _NULL),
    ("idx", _INT, _NULL),
    ("keyword", _TEXT, _NULL),
    ("call_ordinal", _INT, _NULL),
    ("bstart", _INT, _SET),
    ("bend", _INT, _SET),
    ("line", _INT, _SET),
    ("end_line", _INT, _SET),
    ("col", _INT, _SET),
    ("end_col", _INT, _SET),
    ("attrs", ATTRS, _NULL),
)

AST_DEF = _struct(
    ("def_id", _LONG, _SET),
    ("kind", _TEXT, _SET),
    ("name", _TEXT, _SET),
    ("qualified_name", _TEXT, _SET),
    ("def_path", _TEXT, _SET),
    ("redefinition", _INT, _SET),
    ("parent_def_no", _INT, _NULL),
    ("is_async", _FLAG, _SET),
    ("signature", _TEXT, _NULL),
    ("returns", _TEXT, _NULL),
    ("name_bstart", _INT, _NULL),
    ("name_bend", _INT, _NULL),
)

AST_IMPORT = _struct(
    ("def_no", _INT, _SET),
    ("ordinal", _INT, _SET),
    ("kind", _TEXT, _SET),
    ("module", _TEXT, _NULL),
    ("name", _TEXT, _NULL),
    ("asname", _TEXT, _NULL),
    ("level", _INT, _SET),
    ("is_star", _FLAG, _SET),
)

ERROR = _struct(
    ("extractor", _TEXT, _SET),
    ("error_type", _TEXT, _SET),
    ("message", _TEXT, _SET),
    ("line", _INT, _NULL),
    ("col", _INT, _NULL),
    ("bstart", _INT, _NULL),
    ("bend", _INT, _NULL),
)

SYMTABLE_SCOPE = _struct(
    ("scope_id", _LONG, _SET),
    ("kind", _TEXT, _SET),
    ("name", _TEXT, _SET),
    ("scope_path", _TEXT, _SET),
    ("parent_scope_no", _INT, _NULL),
    ("node", _NODE, _SET),
    ("line", _INT, _SET),
    ("is_nested", _FLAG, _SET),
    ("is_optimized", _FLAG, _SET),
    ("has_children", _FLAG, _SET),
    ("is_inlined", _FLAG, _SET),
    ("is_text", _FLAG, _SET),
    ("parameters", array(_TEXT), _NULL),
    ("locals", array(_TEXT), _NULL),
    ("globals", array(_TEXT), _NULL),
    ("nonlocals", array(_TEXT), _NULL),
    ("frees", array(_TEXT), _NULL),
    ("methods", array(_TEXT), _NULL),
)

SYMTABLE_SYMBOL = _struct(
    ("scope_no", _INT, _SET),
    ("name", _TEXT, _SET),
    ("resolution", _TEXT, _SET),
    ("binding_scope_no", _INT, _NULL),
    ("is_referenced", _FLAG, _SET),
    ("is_imported", _FLAG, _SET),
    ("is_parameter", _FLAG, _SET),
    ("is_type_parameter", _FLAG, _SET),
    ("is_global", _FLAG, _SET),
    ("is_nonlocal", _FLAG, _SET),
    ("is_declared_global", _FLAG, _SET),
    ("is_local", _FLAG, _SET),
    ("is_annotated", _FLAG, _SET),
    ("is_free", _FLAG, _SET),
    ("is_assigned", _FLAG, _SET),
    ("is_free_class", _FLAG, _SET),
    ("is_comp_iter", _FLAG, _SET),
    ("is_comp_cell", _FLAG, _SET),
    ("is_namespace", _FLAG, _SET),
    ("is_inlined", _FLAG, _SET),
    ("namespaces", array(_INT), _SET),
)

SYMTABLE_NAME = _struct(
    ("node", _NODE, _SET),
    ("name", _TEXT, _SET),
    ("symbol", _TEXT, _SET),
    ("scope_no", _INT, _SET),
    ("context", _TEXT, _SET),
    ("resolution", _TEXT, _SET),
    ("binding_scope_no", _INT, _NULL),
    ("is_evaluated", _FLAG, _SET),
)

FLOW_UNIT = _struct(
    ("node", _NODE, _SET),
    ("kind", _TEXT, _SET),
    ("entry_ordinal", _INT, _SET),
    ("exit_ordinal", _INT, _SET),
    ("blocks", _INT, _SET),
    ("branches", _INT, _SET),
)

FLOW_BLOCK = _struct(
    ("unit", _NODE, _SET),
    ("block_no", _INT, _SET),
    ("first_def_no", _INT, _SET),
    ("first_ordinal", _INT, _SET),
    ("last_def_no", _INT, _SET),
    ("last_ordinal", _INT, _SET),
    ("size", _INT, _SET),
    ("is_reachable", _FLAG, _SET),
    ("idom_block", _INT, _NULL),
    ("ipdom_block", _INT, _NULL),
)

FLOW_EDGE = _struct(
    ("kind", _TEXT, _SET),
    ("src_def_no", _INT, _SET),
    ("src_ordinal", _INT, _SET),
    ("dst_def_no", _INT, _SET),
    ("dst_ordinal", _INT, _SET),
    ("label", _TEXT, _SET),
    ("reach_kind", _TEXT, _SET),
    ("is_loop_carried", _FLAG, _SET),
)

COMMENT = _struct(
    ("kind", _TEXT, _SET),
    ("text", _TEXT, _SET),
    ("codes", array(_TEXT), _SET),
    ("bstart", _INT, _SET),
    ("bend", _INT, _SET),
    ("line", _INT, _SET),
    ("col", _INT, _SET),
    ("end_col", _INT, _SET),
    ("is_own_line", _FLAG, _SET),
    ("repeat_no", _INT, _SET),
)

TS_PROBLEM = _struct(
    ("kind", _TEXT, _SET),
    ("node_type", _TEXT, _SET),
    ("parent_type", _TEXT, _SET),
    ("bstart", _INT, _SET),
    ("bend", _INT, _SET),
    ("line", _INT, _SET),
    ("col", _INT, _SET),
    ("text", _TEXT, _SET),
)

BC_UNIT = _struct(
    ("unit_no", _INT, _SET),
    ("parent_unit_no", _INT, _NULL),
    ("unit_path", _TEXT, _SET),
    ("qualname", _TEXT, _SET),
    ("name", _TEXT, _SET),
    ("kind", _TEXT, _SET),
    ("magic", _INT, _SET),
    ("node", _NODE, _NULL),
    ("line", _INT, _NULL),
    ("end_line", _INT, _NULL),
    ("col", _INT, _NULL),
    ("end_col", _INT, _NULL),
    ("bstart", _INT, _NULL),
    ("bend", _INT, _NULL),
    ("first_line", _INT, _SET),
    ("argcount", _INT, _SET),
    ("posonlyargcount", _INT, _SET),
    ("kwonlyargcount", _INT, _SET),
    ("nlocals", _INT, _SET),
    ("flags", _INT, _SET),
    ("stacksize", _INT, _SET),
    ("code_size", _INT, _SET),
    ("is_generator", _FLAG, _SET),
    ("is_coroutine", _FLAG, _SET),
    ("is_async_generator", _FLAG, _SET),
    ("varnames", array(_TEXT), _SET),
    ("freevars", array(_TEXT), _SET),
    ("cellvars", array(_TEXT), _SET),
    ("names", array(_TEXT), _SET),
)

BC_INSTRUCTION = _struct(
    ("unit_no", _INT, _SET),
    ("instr_no", _INT, _SET),
    ("offset", _INT, _SET),
    ("opname", _TEXT, _SET),
    ("opcode", _INT, _SET),
    ("arg", _INT, _NULL),
    ("arg_kind", _TEXT, _SET),
    ("arg_int", _LONG, _NULL),
    ("arg_double", _DOUBLE, _NULL),
    ("arg_str", _TEXT, _NULL),
    ("arg_str2", _TEXT, _NULL),
    ("arg_bool", _FLAG, _NULL),
    ("const_type", _TEXT, _NULL),
    ("is_cut", _FLAG, _SET),
    ("arg_repr", _TEXT, _NULL),
    ("jump_target", _INT, _NULL),
    ("is_jump_target", _FLAG, _SET),
    ("starts_line", _FLAG, _SET),
    ("line", _INT, _NULL),
    ("end_line", _INT, _NULL),
    ("col", _INT, _NULL),
    ("end_col", _INT, _NULL),
    ("bstart", _INT, _NULL),
    ("bend", _INT, _NULL),
    ("stack_depth", _INT, _NULL),
)

BC_CONST = _struct(
    ("unit_no", _INT, _SET),
    ("const_no", _INT, _SET),
    ("const_type", _TEXT, _SET),
    ("int_value", _LONG, _NULL),
    ("double_value", _DOUBLE, _NULL),
    ("str_value", _TEXT, _NULL),
    ("bool_value", _FLAG, _NULL),
    ("is_cut", _FLAG, _SET),
    ("value_repr", _TEXT, _SET),
    ("items", array(_TEXT), _NULL),
)

BC_EXCEPTION = _struct(
    ("unit_no", _INT, _SET),
    ("entry_no", _INT, _SET),
    ("start_instr", _INT, _SET),
    ("end_instr", _INT, _SET),
    ("target_instr", _INT, _SET),
    ("depth", _INT, _SET),
    ("lasti", _FLAG, _SET),
)

BC_BLOCK = _struct(
    ("unit_no", _INT, _SET),
    ("block_no", _INT, _SET),
    ("first_instr", _INT, _SET),
    ("last_instr", _INT, _SET),
    ("kind", _TEXT, _SET),
    ("is_reachable", _FLAG, _SET),
)

BC_EDGE = _struct(
    ("unit_no", _INT, _SET),
    ("src_block", _INT, _SET),
    ("dst_block", _INT, _SET),
    ("kind", _TEXT, _SET),
    ("instr_no", _INT, _NULL),
    ("entry_no", _INT, _NULL),
)

BC_STACK_USE = _struct(
    ("unit_no", _INT, _SET),
    ("def_instr", _INT, _SET),
    ("def_result", _INT, _SET),
    ("use_instr", _INT, _SET),
    ("operand", _INT, _SET),
)

BC_LINE = _struct(
    ("unit_no", _INT, _SET),
    ("start_offset", _INT, _SET),
    ("end_offset", _INT, _SET),
    ("line", _INT, _NULL),
)

CST_MANIFEST = _struct(
    ("encoding", _TEXT, _SET),
    ("default_indent", _TEXT, _SET),
    ("default_newline", _TEXT, _SET),
    ("has_trailing_newline", _FLAG, _SET),
    ("future_imports", array(_TEXT), _SET),
    ("module_name", _TEXT, _SET),
    ("package_name", _TEXT, _SET),
    ("libcst_version", _TEXT, _SET),
    ("parsed_python_version", _TEXT, _SET),
)

CST_REF = _struct(
    ("kind", _TEXT, _SET),
    ("text", _TEXT, _SET),
    ("context", _TEXT, _SET),
    ("scope_kind", _TEXT, _NULL),
    ("scope_name", _TEXT, _NULL),
    ("parent_kind", _TEXT, _SET),
    ("bstart", _INT, _SET),
    ("bend", _INT, _SET),
)

CST_DEF = _struct(
    ("kind", _TEXT, _SET),
    ("name", _TEXT, _SET),
    ("container_idx", _INT, _NULL),
    ("bstart", _INT, _SET),
    ("bend", _INT, _SET),
    ("name_bstart", _INT, _SET),
    ("name_bend", _INT, _SET),
    ("qnames", array(_TEXT), _SET),
    ("fqns", array(_TEXT), _SET),
    ("docstring", _TEXT, _NULL),
    ("decorator_count", _INT, _SET),
)

CST_IMPORT = _struct(
    ("kind", _TEXT, _SET),
    ("module", _TEXT, _NULL),
    ("level", _INT, _SET),
    ("name", _TEXT, _NULL),
    ("asname", _TEXT, _NULL),
    ("is_star", _FLAG, _SET),
    ("stmt_bstart", _INT, _SET),
    ("stmt_bend", _INT, _SET),
    ("bstart", _INT, _SET),
    ("bend", _INT, _SET),
)

CST_CALLSITE = _struct(
    ("bstart", _INT, _SET),
    ("bend", _INT, _SET),
    ("callee_bstart", _INT, _SET),
    ("callee_bend", _INT, _SET),
    ("callee_shape", _TEXT, _SET),
    ("callee_text", _TEXT, _SET),
    ("callee_dotted", _TEXT, _NULL),
    ("arg_count", _INT, _SET),
    ("callee_qnames", array(_TEXT), _SET),
    ("callee_qname_sources", array(_TEXT), _SET),
    ("callee_fqns", array(_TEXT), _SET),
)

CST_CALL_ARG = _struct(
    ("call_idx", _INT, _SET),
    ("idx", _INT, _SET),
    ("keyword", _TEXT, _NULL),
    ("star", _TEXT, _NULL),
    ("text", _TEXT, _SET),
    ("bstart", _INT, _SET),
    ("bend", _INT, _SET),
)

CST_TYPE_EXPR = _struct(
    ("owner_idx", _INT, _NULL),
    ("name", _TEXT, _NULL),
    ("role", _TEXT, _SET),
    ("text", _TEXT, _SET),
    ("bstart", _INT, _SET),
    ("bend", _INT, _SET),
)

CST_DOCSTRING = _struct(
    ("owner_idx", _INT, _NULL),
    ("owner_kind", _TEXT, _SET),
    ("docstring", _TEXT, _SET),
    ("bstart", _INT, _SET),
    ("bend", _INT, _SET),
)

CST_DECORATOR = _struct(
    ("owner_idx", _INT, _SET),
    ("owner_kind", _TEXT, _SET),
    ("idx", _INT, _SET),
    ("text", _TEXT, _SET),
    ("bstart", _INT, _SET),
    ("bend", _INT, _SET),
)

SCOPE_ENTRY = _struct(
    ("path", _TEXT, _SET),
    ("kind", _TEXT, _SET),
    ("is_included", _FLAG, _SET),
    ("reason", _TEXT, _NULL),
    ("detail", _TEXT, _NULL),
    ("files", _INT, _NULL),
)

DEPENDENCY = _struct(
    ("name", _TEXT, _NULL),
    ("requirement", _TEXT, _SET),
    ("group", _TEXT, _SET),
    ("origin", _TEXT, _SET),
)

SOURCE_ROOT = _struct(
    ("folder", _TEXT, _SET),
    ("prefix", _TEXT, _SET),
    ("origin", _TEXT, _SET),
)

PROJECT = _struct(
    ("folder", _TEXT, _SET),
    ("is_project", _FLAG, _SET),
    ("name", _TEXT, _NULL),
    ("version", _TEXT, _NULL),
    ("requires_python", _TEXT, _NULL),
    ("lowest_python", _TEXT, _NULL),
    ("dependencies", array(DEPENDENCY), _SET),
    ("packages", array(_TEXT), _SET),
    ("roots", array(SOURCE_ROOT), _SET),
    ("undetermined", array(_TEXT), _SET),
    ("problems", array(_TEXT), _SET),
)

DISTRIBUTION = _struct(
    ("source", _TEXT, _SET),
    ("name", _TEXT, _SET),
    ("version", _TEXT, _NULL),
    ("modules", array(_TEXT), _SET),
)

SCIP_METADATA = _struct(
    ("protocol_version", _INT, _SET),
    ("tool_name", _TEXT, _SET),
    ("tool_version", _TEXT, _SET),
    ("tool_arguments", array(_TEXT), _SET),
    ("project_root", _TEXT, _SET),
    ("text_document_encoding", _TEXT, _NULL),
)

SCIP_STATS = _struct(
    ("documents", _INT, _SET),
    ("occurrences", _INT, _SET),
    ("definitions", _INT, _SET),
    ("symbols", _INT, _SET),
    ("external_symbols", _INT, _SET),
    ("relationships", _INT, _SET),
    ("diagnostics", _INT, _SET),
    ("documents_with_text", _INT, _SET),
    ("documents_without_encoding", _INT, _SET),
    ("assumed_on_wide_lines", _INT, _SET),
    ("corrupt_pieces", _INT, _SET),
)

SCIP_DOCUMENT = _struct(
    ("document_idx", _INT, _SET),
    ("path", _TEXT, _SET),
    ("language", _TEXT, _SET),
    ("position_encoding", _INT, _SET),
    ("encoding_used", _TEXT, _NULL),
    ("in_repository", _FLAG, _SET),
    ("occurrence_count", _INT, _SET),
    ("definition_count", _INT, _SET),
    ("symbol_count", _INT, _SET),
)

SCIP_OCCURRENCE = _struct(
    ("document_idx", _INT, _SET),
    ("idx", _INT, _SET),
    ("symbol", _TEXT, _NULL),
    ("symbol_roles", _INT, _SET),
    ("is_definition", _FLAG, _SET),
    ("is_import", _FLAG, _SET),
    ("is_write", _FLAG, _SET),
    ("is_read", _FLAG, _SET),
    ("is_generated", _FLAG, _SET),
    ("is_test", _FLAG, _SET),
    ("is_forward_definition", _FLAG, _SET),
    ("syntax_kind", _TEXT, _NULL),
    ("override_documentation", array(_TEXT), _SET),
    ("range_raw", array(_INT), _SET),
    ("bstart", _INT, _NULL),
    ("bend", _INT, _NULL),
    ("enclosing_range_raw", array(_INT), _SET),
    ("enclosing_bstart", _INT, _NULL),
    ("enclosing_bend", _INT, _NULL),
)

SCIP_SYMBOL = _struct(
    ("document_idx", _INT, _NULL),
    ("symbol", _TEXT, _SET),
    ("is_external", _FLAG, _SET),
    ("kind", _INT, _SET),
    ("kind_name", _TEXT, _NULL),
    ("display_name", _TEXT, _NULL),
    ("enclosing_symbol", _TEXT, _NULL),
    ("documentation", array(_TEXT), _SET),
    ("signature_text", _TEXT, _NULL),
    ("signature_language", _TEXT, _NULL),
    ("relationship_count", _INT, _SET),
)

SCIP_SYMBOL_NAME = _struct(
    ("symbol", _TEXT, _SET),
    ("scheme", _TEXT, _SET),
    ("manager", _TEXT, _SET),
    ("package", _TEXT, _SET),
    ("version", _TEXT, _SET),
    ("local_id", _TEXT, _NULL),
    ("descriptors", array(_TEXT), _SET),
    ("descriptor_kinds", array(_TEXT), _SET),
    ("disambiguators", array(_TEXT), _SET),
    ("error", _TEXT, _NULL),
)

SCIP_RELATIONSHIP = _struct(
    ("document_idx", _INT, _NULL),
    ("symbol", _TEXT, _SET),
    ("related_symbol", _TEXT, _SET),
    ("is_reference", _FLAG, _SET),
    ("is_implementation", _FLAG, _SET),
    ("is_type_definition", _FLAG, _SET),
    ("is_definition", _FLAG, _SET),
)

SCIP_DIAGNOSTIC = _struct(
    ("document_idx", _INT, _SET),
    ("symbol", _TEXT, _NULL),
    ("severity", _INT, _SET),
    ("severity_name", _TEXT, _NULL),
    ("code", _TEXT, _NULL),
    ("message", _TEXT, _SET),
    ("source", _TEXT, _NULL),
    ("tags", array(_TEXT), _SET),
    ("bstart", _INT, _NULL),
    ("bend", _INT, _NULL),
)

SCIP_HEALTH = _struct(
    ("idx", _INT, _SET),
    ("check_name", _TEXT, _SET),
    ("severity", _TEXT, _SET),
    ("path", _TEXT, _NULL),
    ("count", _INT, _SET),
    ("text", _TEXT, _SET),
)
