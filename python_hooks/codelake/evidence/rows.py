"""Rows: the Arrow schema of the evidence table, one row per file, and its builder.

    EVIDENCE                      the schema, with the nullability that Spark expects
    spark_type(EVIDENCE.field("line_starts").type)           -> "ARRAY<INT>"
    spark_ddl(EVIDENCE)           -> "repo STRING NOT NULL, path STRING NOT NULL, ..."

Nested arrays are built as columns over a whole batch of files: NestedColumn takes one tuple of
lists per file and makes one list<struct> array of them. structs.py says what is in each.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate, chain
from typing import Any

import pyarrow as pa

from codelake.evidence import structs
from codelake.evidence.structs import ATTRS, NODES

type Column = Sequence[Any]
type Addresses = tuple[Sequence[int], Sequence[int]]  # def_no and ordinal of each node

NESTED: dict[str, pa.DataType] = {
    "ast_nodes": structs.AST_NODE,
    "ast_defs": structs.AST_DEF,
    "ast_imports": structs.AST_IMPORT,
    "symtable_scopes": structs.SYMTABLE_SCOPE,
    "symtable_symbols": structs.SYMTABLE_SYMBOL,
    "symtable_names": structs.SYMTABLE_NAME,
    "flow_units": structs.FLOW_UNIT,
    "flow_blocks": structs.FLOW_BLOCK,
    "flow_edges": structs.FLOW_EDGE,
    "comments": structs.COMMENT,
    "ts_problems": structs.TS_PROBLEM,
    "errors": structs.ERROR,
}
"""The arrays of a row, each with the struct of one fact."""

BYTECODE: dict[str, pa.DataType] = {
    "bc_units": structs.BC_UNIT,
    "bc_instructions": structs.BC_INSTRUCTION,
    "bc_consts": structs.BC_CONST,
    "bc_exceptions": structs.BC_EXCEPTION,
    "bc_blocks": structs.BC_BLOCK,
    "bc_edges": structs.BC_EDGE,
    "bc_stack_uses": structs.BC_STACK_USE,
    "bc_lines": structs.BC_LINE,
    "errors": structs.ERROR,
}
"""The arrays of a row of evidence_bytecode."""

CONCRETE: dict[str, pa.DataType] = {
    "cst_manifest": structs.CST_MANIFEST,
    "cst_refs": structs.CST_REF,
    "cst_defs": structs.CST_DEF,
    "cst_imports": structs.CST_IMPORT,
    "cst_callsites": structs.CST_CALLSITE,
    "cst_call_args": structs.CST_CALL_ARG,
    "cst_type_exprs": structs.CST_TYPE_EXPR,
    "cst_docstrings": structs.CST_DOCSTRING,
    "cst_decorators": structs.CST_DECORATOR,
    "errors": structs.ERROR,
}
"""The arrays of a row of evidence_cst."""

ARRAYS = {"source": NESTED, "bytecode": BYTECODE, "cst": CONCRETE}
"""The arrays of each evidence table, by part."""

_TEXT, _INT, _LONG, _FLAG = pa.string(), pa.int32(), pa.int64(), pa.bool_()
_NULL, _SET = True, False


def _fields(*rows: tuple[str, pa.DataType, bool]) -> list[pa.Field]:
    return [pa.field(name, kind, nullable=nullable) for name, kind, nullable in rows]


EVIDENCE = pa.schema(
    _fields(
        ("repo", _TEXT, _SET),
        ("path", _TEXT, _SET),
        ("file_id", _LONG, _SET),
        ("repository_id", _LONG, _SET),
        ("file_sha256", _TEXT, _SET),
        ("size_bytes", _LONG, _SET),
        ("encoding", _TEXT, _NULL),
        ("newline", _TEXT, _SET),
        ("module_name", _TEXT, _SET),
        ("is_package", _FLAG, _SET),
        ("is_test", _FLAG, _SET),
        ("is_generated", _FLAG, _SET),
        ("extractor_digest", _TEXT, _SET),
        ("python_version", _TEXT, _SET),
        ("parser", _TEXT, _NULL),
        ("content", pa.binary(), _NULL),
        ("facts", pa.binary(), _NULL),
        ("line_starts", structs.array(_INT), _SET),
        *((name, structs.array(struct), _SET) for name, struct in NESTED.items()),
    )
)

_PART_COLUMNS = _fields(
    ("repo", _TEXT, _SET),
    ("path", _TEXT, _SET),
    ("file_id", _LONG, _SET),
    ("file_sha256", _TEXT, _SET),
    ("extractor_digest", _TEXT, _SET),
    ("python_version", _TEXT, _SET),
    ("def_ids", structs.array(_LONG), _SET),
)


def _part(arrays: dict[str, pa.DataType]) -> pa.Schema:
    lists = ((name, structs.array(struct), _SET) for name, struct in arrays.items())
    return pa.schema([*_PART_COLUMNS, *_fields(*lists)])


PARTS: dict[str, pa.Schema] = {
    "source": EVIDENCE,
    "bytecode": _part(BYTECODE),
    "cst": _part(CONCRETE),
}
"""The schema of each evidence table: the one that every build fills, and those on request."""

DESCRIPTIONS = {
    "repo": "Name of the repository.",
    "path": "POSIX path of the file relative to the repository's root.",
    "file_id": "Id of the file: xxhash64 of salt, repo and path.",
    "repository_id": "Id of the repository: xxhash64 of salt and repo.",
    "file_sha256": "Digest of the bytes read, or `skip:` and a mark of why the file was not read.",
    "size_bytes": "Size of the file in bytes.",
    "encoding": "Codec of the text; null when the file was not read or cannot be decoded.",
    "newline": "Line breaks: lf, crlf, cr, mixed or none.",
    "module_name": "Dotted name of the module that the file holds.",
    "is_package": "Whether the file makes its folder a package.",
    "is_test": "Whether the path is that of a test or of its support files.",
    "is_generated": "Whether a comment in the first five lines says that a program wrote the file.",
    "extractor_digest": "Digest of the extractors and the repository layout that made this row.",
    "python_version": "Minor version of the Python whose grammar and standard library count.",
    "parser": "Reader of the syntax: ast, tree_sitter where Python cannot parse; null where none.",
    "content": "The bytes of the file as stored; null when it was skipped.",
    "facts": "What the resolver works on, as msgpack; null when the file has no whole tree.",
    "line_starts": "Byte offset of each line; the first is 0, and nothing follows the last break.",
    "ast_nodes": "Nodes of the syntax tree in preorder, addressed by (def_no, ordinal).",
    "ast_defs": "Definitions in preorder; the position in the array is the def_no, the module 0.",
    "ast_imports": "One entry per imported name, addressed as its IMPORT node.",
    "symtable_scopes": "Scopes of CPython's symbol table; the place in the array is the scope_no.",
    "symtable_symbols": "Names of each scope, with CPython's flags.",
    "symtable_names": "Every occurrence of a name, with the scope that binds it.",
    "flow_units": "Modules, class bodies, functions, lambdas and generators: one flow graph each.",
    "flow_blocks": "Straight runs of the flow graphs, with dominators.",
    "flow_edges": "Steps of evaluation; conditions with what they decide; definitions with uses.",
    "comments": "Comments, and the marks for tools among them.",
    "ts_problems": "Errors and missing tokens that tree-sitter saw in a file Python cannot parse.",
    "def_ids": "Ids of the definitions of the file by number, for addresses of nodes.",
    "bc_units": "Code objects in preorder; the place in the array is the unit_no.",
    "bc_instructions": "Instructions with typed arguments and exact places.",
    "bc_consts": "Constants of the code objects.",
    "bc_exceptions": "Entries of the exception tables.",
    "bc_blocks": "Basic blocks.",
    "bc_edges": "Steps between basic blocks.",
    "bc_stack_uses": "Instructions and the instructions whose results they take from the stack.",
    "bc_lines": "Line tables of the code objects.",
    "cst_manifest": "How LibCST read the file; one element, or none when it could not.",
    "cst_refs": "Names and attributes that LibCST saw.",
    "cst_defs": "Functions and classes that LibCST saw.",
    "cst_imports": "Imported names that LibCST saw.",
    "cst_callsites": "Calls that LibCST saw, with the qualified names of what is called.",
    "cst_call_args": "Arguments of those calls.",
    "cst_type_exprs": "Annotations that LibCST saw.",
    "cst_docstrings": "Docstrings that LibCST saw.",
    "cst_decorators": "Decorators that LibCST saw.",
    "errors": "What could not be read, by extractor, with a span when one is known.",
}

_SCALARS = {
    pa.string(): "STRING",
    pa.int32(): "INT",
    pa.int64(): "BIGINT",
    pa.bool_(): "BOOLEAN",
    pa.binary(): "BINARY",
    pa.float64(): "DOUBLE",
}


def columns_of(rows: Sequence[tuple[Any, ...]], width: int) -> list[Column]:
    """Return the columns of rows; as many empty ones as the width says when there are none."""
    return list(zip(*rows, strict=True)) if rows else [()] * width


def no_facts(struct: pa.DataType) -> list[Column]:
    """Return the columns of an array without elements, as its extractor would give them."""
    return [()] * (struct.num_fields - len(NODES[struct]))


def spark_type(kind: pa.DataType) -> str:
    """Return the Spark DDL of an Arrow type, e.g. `STRUCT<a: STRING NOT NULL>`."""
    if pa.types.is_struct(kind):
        fields = (kind.field(number) for number in range(kind.num_fields))
        return f"STRUCT<{', '.join(_member(field, ': ') for field in fields)}>"
    if pa.types.is_map(kind):
        return f"MAP<{spark_type(kind.key_type)}, {spark_type(kind.item_type)}>"
    if pa.types.is_list(kind):
        return f"ARRAY<{spark_type(kind.value_type)}>"
    return _SCALARS[kind]


def spark_ddl(schema: pa.Schema) -> str:
    """Return the column list of a `create table` statement."""
    return ", ".join(_member(field, " ") for field in schema)


def _member(field: pa.Field, separator: str) -> str:
    null = "" if field.nullable else " NOT NULL"
    return f"{field.name}{separator}{spark_type(field.type)}{null}"


class NestedColumn:
    """Builds a list<struct> (or list<int>) array from the columns of one file after another."""

    def __init__(self, kind: pa.DataType) -> None:
        """Start an empty column.

        Args:
            kind: the list type, as in EVIDENCE.
        """
        self._kind = kind
        element = kind.value_type
        self._fields = list(element) if pa.types.is_struct(element) else []
        self._nodes = NODES.get(element, ())
        self._columns: list[list[Any]] = [[] for _ in self._fields or (None,)]
        self._offsets = [0]

    def append(self, columns: Sequence[Column], addresses: Addresses | None = None) -> None:
        """Add one file: a sequence of values for each field, all of one length.

        Args:
            columns: as an extractor gives them, a node as its number in `ast_nodes`; an attrs
                column is a sequence of None or (keys, values) tuples.
            addresses: what the node numbers stand for.
        """
        if self._nodes:
            columns = _widened(columns, self._nodes, addresses or ((), ()))
        for mine, new in zip(self._columns, columns, strict=True):
            mine.extend(new)
        self._offsets.append(len(self._columns[0]))

    def finish(self) -> pa.ListArray:
        """Return the array."""
        if self._fields:
            arrays = [
                _BUILDERS.get(field.type, pa.array)(column, field.type)
                for field, column in zip(self._fields, self._columns, strict=True)
            ]
            values = pa.StructArray.from_arrays(arrays, fields=self._fields)
        else:
            values = pa.array(self._columns[0], self._kind.value_type)
        offsets = pa.array(self._offsets, pa.int32())
        return pa.ListArray.from_arrays(offsets, values, type=self._kind)


def _widened(
    columns: Sequence[Column], nodes: tuple[int, ...], addresses: Addresses
) -> list[Column]:
    """Replace each column of node numbers by one of def_no and one of ordinal."""
    wide: list[Column] = []
    for position, column in enumerate(columns):
        if position not in nodes:
            wide.append(column)
        else:
            wide += (
                [None if number is None else part[number] for number in column]
                for part in addresses
            )
    return wide


def _attrs_array(column: Column, kind: pa.DataType) -> pa.MapArray:
    present = [pair for pair in column if pair is not None]
    keys = pa.array(list(chain.from_iterable([pair[0] for pair in present])), _TEXT)
    values = pa.array(list(chain.from_iterable([pair[1] for pair in present])), _TEXT)
    sizes = [0 if pair is None else len(pair[0]) for pair in column]
    offsets = pa.array(list(accumulate(sizes, initial=0)), pa.int32())
    nulls = pa.array([pair is None for pair in column], _FLAG)
    return pa.MapArray.from_arrays(offsets, keys, values, type=kind, mask=nulls)


_BUILDERS: dict[pa.DataType, Callable[[Column, pa.DataType], pa.Array]] = {ATTRS: _attrs_array}
