"""Bytecode: the table of it, and views with one row per code object, instruction and so on.

The table is filled on request (`codelake build --with bytecode`). Numbers of units, blocks and
instructions hold for the Python that compiled the file; `magic` says which one. In the profile
`full` the datasets are tables: a folder per repository, sorted by path and file.
"""

from __future__ import annotations

from dataclasses import replace

from codelake.semantic.catalog.columns import columns
from codelake.semantic.catalog.files import evidence_part
from codelake.semantic.catalog.nested import FILE, nested_view, optional_node
from codelake.semantic.ir import Dataset, Project, Source, Union, Write

_TABLE = "evidence_bytecode"
_PATHS = {"unit_paths": "bc_units.unit_path"}
_SPAN = "bstart? bend? line? end_line? col? end_col?"
_UNIT = "code_unit_id(file_id, unit_paths[{0}.unit_no])"
_INSTRUCTION = "instruction_id(file_id, unit_paths[{0}.unit_no], {0}.{1})"

_WRITE = Write(
    "replace_by_key",
    key="file_id",
    profile="full",
    partition=("repo",),
    order=("path", "file_id"),
)
_SPAN_IN_ORDER = ("span_in_order", "bstart is null or bend >= bstart")


def _in_full(dataset: Dataset, *constraints: tuple[str, str]) -> Dataset:
    """Return a dataset that the profile `full` keeps as a table."""
    return replace(dataset, write=_WRITE, constraints=constraints)


evidence_bytecode = evidence_part(
    _TABLE, "bytecode", "What this Python compiles each file to, as nested arrays."
)

py_bc_code_units = nested_view(
    "py_bc_code_units",
    "bc_units",
    table=_TABLE,
    element="unit",
    description="Code objects.",
    grain="One row per code object.",
    key=("code_unit_id",),
    with_columns={"def_ids": "def_ids", **_PATHS},
    shape="code_unit_id parent_code_unit_id? code_node_id? unit_path qualname "
    f"name:code_name kind:code_kind magic {_SPAN} first_line argcount posonlyargcount "
    "kwonlyargcount nlocals code_flags=flags stacksize code_size is_generator is_coroutine "
    "is_async_generator varnames freevars cellvars names",
    values={
        "code_unit_id": "code_unit_id(file_id, unit.unit_path)",
        "parent_code_unit_id": "case when unit.parent_unit_no is not null "
        "then code_unit_id(file_id, unit_paths[unit.parent_unit_no]) end",
        "code_node_id": optional_node("unit.node"),
    },
)

py_bc_instructions = nested_view(
    "py_bc_instructions",
    "bc_instructions",
    table=_TABLE,
    element="instr",
    description="Instructions, with typed arguments and exact places.",
    grain="One row per instruction.",
    key=("instr_id",),
    with_columns=_PATHS,
    shape="instr_id code_unit_id instr_no offset opname opcode arg? arg_kind arg_int? arg_double? "
    "arg_str? arg_str2? arg_bool? const_type? is_cut arg_repr? jump_target? is_jump_target "
    f"starts_line stack_depth? {_SPAN}",
    values={
        "instr_id": _INSTRUCTION.format("instr", "instr_no"),
        "code_unit_id": _UNIT.format("instr"),
    },
)


def _attribute(attr: str, kind: str, where: str, **values: str) -> Project:
    nulls = {
        "int_value": "cast(null as bigint)",
        "double_value": "cast(null as double)",
        "str_value": "cast(null as string)",
        "bool_value": "cast(null as boolean)",
    }
    own = {"instr_id": "instr_id", "attr": f"'{attr}'", "attr_kind": kind}
    return Project(
        f"{attr}s", Source("py_bc_instructions"), {**FILE, **own, **nulls, **values}, where
    )


py_bc_instruction_attrs = Dataset(
    "py_bc_instruction_attrs",
    layer="evidence",
    description="Attributes of instructions, each in the column of its type.",
    grain="One row per instruction and attribute.",
    key=("instr_id", "attr"),
    columns=columns(
        "repo path file_id instr_id attr attr_kind int_value? double_value? str_value? bool_value?"
    ),
    rows=Union(
        "attributes",
        (
            _attribute(
                "argument",
                "case when arg_bool is not null then 'bool' when arg_double is not null "
                "then 'double' when arg_str is not null then 'str' else 'int' end",
                "arg is not null",
                int_value="case when arg_bool is null and arg_double is null and arg_str is null "
                "then coalesce(arg_int, cast(arg as bigint)) end",
                double_value="arg_double",
                str_value="arg_str",
                bool_value="arg_bool",
            ),
            _attribute("argument2", "'str'", "arg_str2 is not null", str_value="arg_str2"),
            _attribute(
                "jump_target",
                "'int'",
                "jump_target is not null",
                int_value="cast(jump_target as bigint)",
            ),
            _attribute(
                "stack_depth",
                "'int'",
                "stack_depth is not null",
                int_value="cast(stack_depth as bigint)",
            ),
        ),
    ),
)

py_bc_consts = nested_view(
    "py_bc_consts",
    "bc_consts",
    table=_TABLE,
    element="const",
    description="Constants of code objects.",
    grain="One row per code object and constant.",
    key=("code_unit_id", "const_no"),
    with_columns=_PATHS,
    shape="code_unit_id const_no const_type int_value? double_value? str_value? bool_value? is_cut "
    "value_repr items?",
    values={"code_unit_id": _UNIT.format("const")},
)

py_bc_exception_table = nested_view(
    "py_bc_exception_table",
    "bc_exceptions",
    table=_TABLE,
    element="entry",
    description="Entries of exception tables.",
    grain="One row per code object and entry.",
    key=("code_unit_id", "entry_no"),
    with_columns=_PATHS,
    shape="code_unit_id entry_no start_instr end_instr target_instr depth lasti",
    values={"code_unit_id": _UNIT.format("entry")},
)

py_bc_blocks = nested_view(
    "py_bc_blocks",
    "bc_blocks",
    table=_TABLE,
    element="block",
    description="Basic blocks of code objects.",
    grain="One row per code object and block.",
    key=("code_unit_id", "block_no"),
    with_columns=_PATHS,
    shape="code_unit_id block_no first_instr last_instr kind:bc_block_kind is_reachable",
    values={"code_unit_id": _UNIT.format("block")},
)

py_bc_cfg_edges = nested_view(
    "py_bc_cfg_edges",
    "bc_edges",
    table=_TABLE,
    element="edge",
    description="Steps between basic blocks.",
    grain="One row per code object, step and kind.",
    key=("code_unit_id", "src_block", "dst_block", "kind", "entry_no"),
    with_columns=_PATHS,
    shape="code_unit_id src_block dst_block kind:bc_edge_kind deciding_instr=instr_no? entry_no?",
    values={"code_unit_id": _UNIT.format("edge")},
)

py_bc_dfg_edges = nested_view(
    "py_bc_dfg_edges",
    "bc_stack_uses",
    table=_TABLE,
    element="stack_use",
    description="Instructions and the instructions whose results they take from the stack.",
    grain="One row per use, operand and maker.",
    key=("use_instr_id", "operand", "def_instr_id", "def_result"),
    with_columns=_PATHS,
    shape="code_unit_id def_instr_id def_result use_instr_id operand",
    values={
        "code_unit_id": _UNIT.format("stack_use"),
        "def_instr_id": _INSTRUCTION.format("stack_use", "def_instr"),
        "use_instr_id": _INSTRUCTION.format("stack_use", "use_instr"),
    },
)

py_bc_line_table = nested_view(
    "py_bc_line_table",
    "bc_lines",
    table=_TABLE,
    element="entry",
    description="Line tables of code objects.",
    grain="One row per code object and range of code.",
    key=("code_unit_id", "start_offset"),
    with_columns=_PATHS,
    shape="code_unit_id start_offset end_offset line?",
    values={"code_unit_id": _UNIT.format("entry")},
)

bytecode_errors = nested_view(
    "bytecode_errors",
    "errors",
    table=_TABLE,
    element="error",
    description="Files that the compiler refused, with the place where it is known.",
    grain="One row per error.",
    key=("file_id", "extractor", "error_type", "message", "bstart"),
    with_columns={},
    shape="extractor error_type message line? col? bstart? bend?",
    values={},
)

DATASETS: tuple[Dataset, ...] = (
    evidence_bytecode,
    _in_full(py_bc_code_units, _SPAN_IN_ORDER, ("first_line_counts", "first_line >= 0")),
    _in_full(
        py_bc_instructions,
        _SPAN_IN_ORDER,
        ("places_count_from_zero", "offset >= 0 and instr_no >= 0"),
        ("stack_has_a_depth", "stack_depth is null or stack_depth >= 0"),
    ),
    _in_full(
        py_bc_instruction_attrs,
        ("kind_has_a_column", "attr_kind in ('int', 'double', 'str', 'bool')"),
    ),
    _in_full(py_bc_consts, ("places_count_from_zero", "const_no >= 0")),
    _in_full(
        py_bc_exception_table,
        ("range_in_order", "start_instr >= 0 and end_instr >= start_instr"),
        ("stack_has_a_depth", "depth >= 0"),
    ),
    _in_full(py_bc_blocks, ("range_in_order", "first_instr >= 0 and last_instr >= first_instr")),
    _in_full(py_bc_cfg_edges, ("blocks_count_from_zero", "src_block >= 0 and dst_block >= 0")),
    _in_full(py_bc_dfg_edges, ("places_are_known", "def_result >= -2 and operand >= 0")),
    _in_full(
        py_bc_line_table, ("range_in_order", "start_offset >= 0 and end_offset >= start_offset")
    ),
    bytecode_errors,
)
