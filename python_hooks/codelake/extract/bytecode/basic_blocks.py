"""Basic blocks: instructions -> blocks that run as a whole, and the edges between them.

    if a: b        0 entry  RESUME LOAD_NAME TO_BOOL POP_JUMP_IF_FALSE   0 -branch-> 2, 0 -next-> 1
    c              1        LOAD_NAME POP_TOP                            1 -next-> 2
                   2        LOAD_NAME POP_TOP RETURN_CONST

A block begins at the entry, at every jump target and handler, after every jump, conditional or
not, after a return or raise, and where the covering handler changes. Edges are those of the
compiler: FOR_ITER branches to the END_FOR, which the interpreter steps over. A covered block has an
exception edge unless it consists of instructions that cannot raise, such as moves on the stack;
a trace function that raises is not considered.
Next: stack_simulation.py.
"""

from __future__ import annotations

import dis
from dataclasses import dataclass

from codelake.extract.bytecode.exception_table import Covered
from codelake.extract.bytecode.instructions import JUMPS, Instructions

_UNCONDITIONAL = frozenset(op for op in JUMPS if dis.opname[op].startswith("JUMP"))
_ENDS = frozenset(
    dis.opmap[name] for name in ("RETURN_VALUE", "RETURN_CONST", "RAISE_VARARGS", "RERAISE")
)
_SILENT = frozenset(
    (
        *("NOP", "EXTENDED_ARG", "COPY", "SWAP", "POP_TOP", "PUSH_NULL", "PUSH_EXC_INFO"),
        *("POP_EXCEPT", "KW_NAMES", "LOAD_CONST", "LOAD_FAST", "LOAD_FAST_AND_CLEAR"),
        *("LOAD_FAST_LOAD_FAST", "LOAD_CLOSURE", "STORE_FAST", "STORE_FAST_LOAD_FAST"),
        *("STORE_FAST_STORE_FAST", "STORE_DEREF", "COPY_FREE_VARS", "IS_OP", "END_FOR"),
        *("END_SEND", "JUMP_FORWARD", "JUMP_BACKWARD_NO_INTERRUPT", "POP_JUMP_IF_NONE"),
        *("POP_JUMP_IF_NOT_NONE", "RETURN_CONST", "RETURN_VALUE"),
    )
)
CAN_RAISE = [name not in _SILENT for name in dis.opname[:256]]
_BREAKS = [op in JUMPS or op in _ENDS for op in range(256)]

type Edge = tuple[int, int, str, int | None, int | None]


@dataclass(frozen=True, slots=True)
class Blocks:
    """The blocks of one code object.

    Attributes:
        firsts: number of the first instruction of each block, and one past the last.
        handlers: blocks at which a handler begins.
        covers: the entry of the exception table that covers a block, if it can raise.
        edges: source, destination, kind, deciding instruction, entry of the exception table.
        reachable: whether a path leads to the block from the entry.
    """

    firsts: list[int]
    handlers: frozenset[int]
    covers: dict[int, int]
    edges: list[Edge]
    successors: list[list[int]]
    reachable: list[bool]


def basic_blocks(code: Instructions, table: list[Covered]) -> Blocks:
    """Split a code object into blocks."""
    opcodes, targets = code.opcodes, code.targets
    count = len(opcodes)
    breaks = _BREAKS
    leaders = {number for number, op in enumerate(opcodes, 1) if breaks[op]}
    leaders.update((0, count), targets.values())
    for entry in table:
        leaders.update(entry[:3])
    firsts = sorted(leaders)
    number_of = {first: number for number, first in enumerate(firsts)}
    covers = {}
    for entry_no, entry in enumerate(table):
        for number in range(number_of[entry.start], number_of[entry.end]):
            if any(CAN_RAISE[op] for op in opcodes[firsts[number] : firsts[number + 1]]):
                covers[number] = entry_no
    edges: list[Edge] = []
    total = len(firsts) - 1
    successors: list[list[int]] = [[] for _ in range(total)]
    for number in range(total):
        last = firsts[number + 1] - 1
        opcode = opcodes[last]
        out = successors[number]
        if (target := targets.get(last)) is not None:
            block = number_of[target]
            out.append(block)
            if opcode in _UNCONDITIONAL:
                edges.append((number, block, "jump", last, None))
            else:
                edges.append((number, block, "branch", last, None))
                edges.append((number, number + 1, "next", last, None))
                out.append(number + 1)
        elif opcode not in _ENDS:
            edges.append((number, number + 1, "next", None, None))
            out.append(number + 1)
        if (covered := covers.get(number)) is not None:
            edges.append((number, number_of[table[covered].target], "exception", None, covered))
    handlers = frozenset(number_of[entry.target] for entry in table)
    reachable = _reachable(successors, {n: number_of[table[e].target] for n, e in covers.items()})
    return Blocks(firsts, handlers, covers, edges, successors, reachable)


def _reachable(successors: list[list[int]], handler: dict[int, int]) -> list[bool]:
    found = [False] * len(successors)
    stack = [0]
    while stack:
        number = stack.pop()
        if not found[number]:
            found[number] = True
            stack.extend(successors[number])
            if number in handler:
                stack.append(handler[number])
    return found
