"""Bytecode evidence: a syntax tree -> what this Python compiles it to, without running it.

    x = f(1)     unit 0 <module>: RESUME, LOAD_NAME f, PUSH_NULL, LOAD_CONST 1, CALL 1,
                 STORE_NAME x, RETURN_CONST; one block; CALL uses LOAD_NAME, PUSH_NULL, LOAD_CONST

Code units in preorder, their instructions with typed arguments and raw spans, constants, exception
tables, basic blocks and edges, uses of the value stack, line tables. Unit and instruction numbers
are positions; they and the opcodes hold for one `magic` of CPython.

Spans are CPython's own positions: none where it gives none, and an empty one at the start of a line
for the prologue of a unit. The module's prologue is on line 0, which is no line. Code that the
compiler drops, such as the body of `if 0:`, has no unit. What `ast.parse` accepts and the compiler
refuses, such as `return` outside a function, is a ParseFailure.
Next: file_evidence.py.
"""

from __future__ import annotations

import ast
import dis
import importlib.util
import inspect
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from types import CodeType
from typing import Any

from codelake.evidence.spans import SpanMap
from codelake.extract.bytecode.basic_blocks import Blocks, basic_blocks
from codelake.extract.bytecode.code_units import CodeUnit, code_units
from codelake.extract.bytecode.constants import constants
from codelake.extract.bytecode.exception_table import exception_table
from codelake.extract.bytecode.instruction_arguments import instruction_arguments
from codelake.extract.bytecode.instructions import instructions
from codelake.extract.bytecode.stack_simulation import StackError, stack_simulation
from codelake.extract.bytecode.unit_nodes import UnitNodes
from codelake.extract.parse import ParseFailure

MAGIC = int.from_bytes(importlib.util.MAGIC_NUMBER[:2], "little")
_FILENAME = "<codelake>"
_TOO_DEEP = "the source is nested too deeply for the compiler"
_OPNAMES = dis.opname[:256]

type Columns = Sequence[Sequence[Any]]
type Place = tuple[int | None, int | None, int | None, int | None, int | None, int | None]

_NOWHERE: Place = (None, None, None, None, None, None)


@dataclass(frozen=True, slots=True)
class Bytecode:
    """Columns of the evidence row, in the field order of the structs named beside them.

    Attributes:
        failures: units whose stack could not be simulated; they lack depths and uses.
    """

    units: Columns  # CODE_UNIT
    instructions: Columns  # INSTRUCTION
    constants: Columns  # CONST
    exceptions: Columns  # EXCEPTION_TABLE
    blocks: Columns  # BC_BLOCK
    edges: Columns  # BC_EDGE
    stack_uses: Columns  # STACK_USE
    lines: Columns  # LINE_TABLE
    failures: Sequence[ParseFailure]


WIDTHS = {
    "units": 29,
    "instructions": 25,
    "constants": 10,
    "exceptions": 7,
    "blocks": 6,
    "edges": 6,
    "stack_uses": 5,
    "lines": 4,
}


def bytecode(tree: ast.Module, spans: SpanMap, nodes: Columns) -> Bytecode | ParseFailure:
    """Compile a syntax tree and describe the code.

    Args:
        tree: what the parser returned.
        spans: the span map of the file.
        nodes: the columns of AST_NODE that `syntax_tree` made of the same tree.

    Returns:
        The columns, or why the compiler refused.
    """
    module = _compiled(tree, spans)
    if isinstance(module, ParseFailure):
        return module
    return _Extraction(spans, UnitNodes(nodes)).run(code_units(module))


def _compiled(tree: ast.Module, spans: SpanMap) -> CodeType | ParseFailure:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found: CodeType = compile(tree, _FILENAME, "exec", dont_inherit=True, optimize=0)
            return found
    except SyntaxError as error:
        line, column = _character(error.lineno, error.offset, spans)
        end_line, end_column = _character(error.end_lineno, error.end_offset, spans)
        message = error.msg or "invalid syntax"
        return ParseFailure(type(error).__name__, message, line, column, end_line, end_column)
    except (RecursionError, MemoryError) as error:
        return ParseFailure(type(error).__name__, _TOO_DEEP)
    except (ValueError, TypeError, OverflowError, SystemError) as error:
        return ParseFailure(type(error).__name__, str(error) or type(error).__name__)


def _character(
    line: int | None, offset: int | None, spans: SpanMap
) -> tuple[int | None, int | None]:
    """Return a place of the compiler, which counts UTF-8 bytes from 1, with its character."""
    if not line or line < 1:
        return None, None
    if offset is None or offset < 1:
        return line, None
    return line, spans.locate(line, offset - 1)[1]


class _Extraction:
    def __init__(self, spans: SpanMap, nodes: UnitNodes) -> None:
        self._spans = spans
        self._nodes = nodes
        self._places: dict[tuple[Any, ...], Place] = {(None, None, None, None): _NOWHERE}
        self._unit_places: dict[int, Place] = {0: nodes.module_place}
        self._columns: dict[str, list[list[Any]]] = {
            name: [[] for _ in range(width)] for name, width in WIDTHS.items() if name != "units"
        }
        self._rows: list[tuple[Any, ...]] = []
        self._failures: list[ParseFailure] = []

    def run(self, units: list[CodeUnit]) -> Bytecode:
        """Add every unit and return the columns."""
        for unit in units:
            self._add_unit(unit)
        rows = list(zip(*self._rows, strict=True))
        return Bytecode(units=rows, **self._columns, failures=tuple(self._failures))

    def _add_unit(self, unit: CodeUnit) -> None:
        code, no = unit.code, unit.no
        decoded = instructions(code.co_code)
        described = constants(unit)
        table = exception_table(code.co_exceptiontable, decoded.units)
        blocks = basic_blocks(decoded, table)
        count = len(decoded.opcodes)
        depths: list[int | None] = [None] * count
        try:
            uses = stack_simulation(decoded, blocks, table)
        except StackError as error:
            message = f"{unit.path or '<module>'}: {error}"
            self._failures.append(ParseFailure("StackError", message, code.co_firstlineno))
        else:
            depths = uses.depths
            by_use = (uses.def_instr, uses.def_result, uses.use_instr, uses.operand)
            self._extend("stack_uses", [no] * len(uses.operand), *by_use)
        lines = list(code.co_lines())
        places = self._place_all(code, decoded.units)
        self._note_children(unit, decoded.opcodes, decoded.args, places)
        starts = {start >> 1 for start, _, line in lines if line}
        jump_targets: list[int | None] = [None] * count
        is_target = [False] * count
        for number, target in decoded.targets.items():
            jump_targets[number] = target
            is_target[target] = True
        for entry in table:
            is_target[entry.target] = True
        self._extend(
            "instructions",
            [no] * count,
            range(count),
            [number * 2 for number in decoded.units],
            map(_OPNAMES.__getitem__, decoded.opcodes),
            decoded.opcodes,
            decoded.args,
            *zip(*instruction_arguments(code, decoded, described), strict=True),
            jump_targets,
            is_target,
            map(starts.__contains__, decoded.units),
            *zip(*places, strict=True),
            depths,
        )
        size = len(described)
        if described:
            columns = zip(*described, strict=True)
            self._extend("constants", [no] * size, range(size), *columns)
        if table:
            size = len(table)
            self._extend("exceptions", [no] * size, range(size), *zip(*table, strict=True))
        self._add_blocks(no, blocks)
        self._extend("lines", [no] * len(lines), *zip(*lines, strict=True))
        self._add_row(unit)

    def _add_row(self, unit: CodeUnit) -> None:
        code = unit.code
        place = self._unit_places.get(unit.no, _NOWHERE)
        node_no, kind = self._nodes.find(code, place, unit.parent is None)
        flags = code.co_flags
        row = (
            unit.no,
            None if unit.parent is None else unit.parent.no,
            unit.path,
            code.co_qualname,
            code.co_name,
            kind,
            MAGIC,
            node_no,
            *place,
            code.co_firstlineno,
            code.co_argcount,
            code.co_posonlyargcount,
            code.co_kwonlyargcount,
            code.co_nlocals,
            flags,
            code.co_stacksize,
            len(code.co_code),
            bool(flags & inspect.CO_GENERATOR),
            bool(flags & inspect.CO_COROUTINE),
            bool(flags & inspect.CO_ASYNC_GENERATOR),
            code.co_varnames,
            code.co_freevars,
            code.co_cellvars,
            code.co_names,
        )
        self._rows.append(row)

    def _add_blocks(self, no: int, blocks: Blocks) -> None:
        firsts = blocks.firsts
        total = len(firsts) - 1
        kinds = ["handler" if number in blocks.handlers else "normal" for number in range(total)]
        kinds[0] = "entry"
        lasts = [first - 1 for first in firsts[1:]]
        numbers = range(total)
        self._extend("blocks", [no] * total, numbers, firsts[:-1], lasts, kinds, blocks.reachable)
        if blocks.edges:
            self._extend("edges", [no] * len(blocks.edges), *zip(*blocks.edges, strict=True))

    def _note_children(
        self, unit: CodeUnit, opcodes: bytes, args: list[int | None], places: list[Place]
    ) -> None:
        """Remember where the units below this one are made: at their first LOAD_CONST."""
        if unit.children:
            load = dis.opmap["LOAD_CONST"]
            for number, arg in enumerate(args):
                if opcodes[number] == load and arg in unit.children:
                    self._unit_places.setdefault(unit.children[arg], places[number])

    def _place_all(self, code: CodeType, units: list[int]) -> list[Place]:
        """Return the place of each instruction; equal positions share one."""
        known, starts, wide = self._places, self._spans.starts, self._spans.wide
        positions = list(code.co_positions())
        found = []
        for position in map(positions.__getitem__, units):
            place = known.get(position)
            if place is None:
                line, end_line, col, end_col = position
                if not line or not end_line:
                    place = _NOWHERE
                elif col is None or end_col is None:
                    place = (line, end_line, None, None, None, None)
                elif line in wide or end_line in wide:
                    bstart, col = self._spans.locate(line, col)
                    bend, end_col = self._spans.locate(end_line, end_col)
                    place = (line, end_line, col, end_col, bstart, bend)
                else:
                    bstart, bend = starts[line] + col, starts[end_line] + end_col
                    place = (line, end_line, col, end_col, bstart, bend)
                known[position] = place
            found.append(place)
        return found

    def _extend(self, name: str, *columns: Any) -> None:
        for mine, new in zip(self._columns[name], columns, strict=True):
            mine.extend(new)
