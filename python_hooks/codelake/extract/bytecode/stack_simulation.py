"""Stack simulation: who produced the values that an instruction uses.

    f(a + b * c)     BINARY_OP * uses LOAD b (0) and LOAD c (1), BINARY_OP + uses LOAD a and *,
                     CALL uses LOAD f, PUSH_NULL and +

The stack is simulated block by block until nothing changes. A slot holds the producer of its value,
through every COPY and SWAP, or a meeting of several where paths join: in `x = a or b` the store
uses both loads. A handler begins with the stack of whatever can raise, cut to the depth that the
table says, then the position of the raising instruction if it says so, then the exception; these
two have the handler's first instruction as producer and a negative result.

Paths that disagree about the depth are a StackError. That is a fault of the
pictures in stack_effects.py, not of the code.
Next: bytecode.py.
"""

from __future__ import annotations

import dis
import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

from codelake.extract.bytecode.basic_blocks import CAN_RAISE, Blocks
from codelake.extract.bytecode.exception_table import Covered
from codelake.extract.bytecode.instructions import Instructions
from codelake.extract.bytecode.stack_effects import FIXED, Effect, stack_effect

EXCEPTION, LASTI = -1, -2  # results that no instruction made
_SHIFT = 28  # a value is instruction + (result << 28), or -1 - meeting where paths differ
_MASK = (1 << _SHIFT) - 1
_SPECIAL = 1 << 62
_SUSPENDS = frozenset({dis.opmap["YIELD_VALUE"], dis.opmap["RETURN_GENERATOR"]})

type _Stack = list[int]
type _Values = list[int]  # what the instructions of a block use, operand by operand


class StackError(Exception):
    """The simulated stack contradicts itself."""


@dataclass(frozen=True, slots=True)
class StackUses:
    """Columns of STACK_USE, and the depth before each instruction (None: never reached)."""

    def_instr: Sequence[int]
    def_result: Sequence[int]
    use_instr: Sequence[int]
    operand: Sequence[int]
    depths: list[int | None]


def stack_simulation(code: Instructions, blocks: Blocks, table: list[Covered]) -> StackUses:
    """Simulate the value stack of a code object.

    Raises:
        StackError: paths disagree, or an opcode is unknown.
    """
    return _Simulation(code, blocks, table).run()


class _Simulation:
    def __init__(self, code: Instructions, blocks: Blocks, table: list[Covered]) -> None:
        self._code = code
        self._blocks = blocks
        self._table = table
        self._effects = _effects(code)
        self._depths: list[int | None] = [None] * len(code.opcodes)
        self._meetings: list[set[int]] = []  # the values that meet in one slot of one block
        self._known: dict[tuple[int, int], int] = {}
        self._entries: dict[int, _Stack] = {0: []}
        self._waiting = [0]
        self._queued = {0}

    def run(self) -> StackUses:
        """Work through the blocks until no entry state changes; lower numbers go first."""
        blocks, table = self._blocks, self._table
        found: list[_Values] = [[]] * (len(blocks.firsts) - 1)
        starts = {first: number for number, first in enumerate(blocks.firsts)}
        while self._waiting:
            number = heapq.heappop(self._waiting)
            self._queued.discard(number)
            stack = self._entries[number].copy()
            values: _Values = []
            found[number] = values
            first, end = blocks.firsts[number], blocks.firsts[number + 1]
            covered = blocks.covers.get(number)
            if covered is None:
                self._run(first, end, stack, values)
            else:
                entry = table[covered]
                self._run_covered(first, end, stack, values, entry, starts[entry.target])
            for after in blocks.successors[number]:
                self._meet(after, stack)
        return self._columns(list(chain.from_iterable(found)))

    def _run_covered(
        self, first: int, end: int, stack: _Stack, values: _Values, entry: Covered, handler: int
    ) -> None:
        """Run a block that a handler covers; it gets the stack of each place that can raise."""
        opcodes = self._code.opcodes
        kept: _Stack | None = None
        for number in range(first, end):
            opcode = opcodes[number]
            if opcode in _SUSPENDS:  # what is thrown into a generator comes after the sent value
                self._run(number, number + 1, stack, values)
            if CAN_RAISE[opcode]:
                if len(stack) < entry.depth:
                    raise StackError(f"instruction {number} lacks what its handler needs")
                if kept != stack[: entry.depth]:
                    kept = stack[: entry.depth]
                    self._enter_handler(handler, entry, kept)
            if opcode not in _SUSPENDS:
                self._run(number, number + 1, stack, values)

    def _enter_handler(self, handler: int, entry: Covered, kept: _Stack) -> None:
        lasti = [entry.target + _SPECIAL * -LASTI] if entry.lasti else []
        self._meet(handler, [*kept, *lasti, entry.target + _SPECIAL * -EXCEPTION])

    def _run(self, first: int, end: int, stack: _Stack, values: _Values) -> None:
        """Run instructions on a stack, which is changed; add the values that they use."""
        depths, effects = self._depths, self._effects
        pop, push, use = stack.pop, stack.append, values.append
        for number in range(first, end):
            depths[number] = depth = len(stack)
            takes, leaves, uses, moves = effects[number]
            if depth < takes:
                raise StackError(f"instruction {number} takes {takes} of {depth} values")
            if uses is None and moves is None:
                if takes == 1:
                    use(pop())
                elif takes:
                    values += stack[-takes:]
                    del stack[-takes:]
                if leaves == 1:
                    push(number)
                elif leaves:
                    stack += [number + (result << _SHIFT) for result in range(leaves)]
                continue
            taken = stack[depth - takes :]
            del stack[depth - takes :]
            values += taken if uses is None else [taken[place] for place in uses]
            fresh = 0
            for move in moves or (-1,) * leaves:
                if move < 0:
                    push(number + (fresh << _SHIFT))
                    fresh += 1
                else:
                    push(taken[move])

    def _meet(self, number: int, stack: _Stack) -> None:
        """Join a state into the entry of a block; slots that differ become meetings."""
        entry = self._entries.get(number)
        if entry is None:
            self._change(number, stack.copy())
        elif entry != stack:
            if len(entry) != len(stack):
                at = self._blocks.firsts[number]
                raise StackError(f"instruction {at} has depth {len(entry)} and {len(stack)}")
            joined = [
                old if old == new else self._meeting(number, slot, old, new)
                for slot, (old, new) in enumerate(zip(entry, stack, strict=True))
            ]
            if joined != entry:
                self._change(number, joined)

    def _meeting(self, number: int, slot: int, old: int, new: int) -> int:
        """Return the value of a slot where another one arrives; it changes once at most."""
        known = self._known.get((number, slot))
        if known is None:
            self._meetings.append({old})
            known = self._known[number, slot] = -len(self._meetings)
        self._meetings[-known - 1].add(new)
        return known

    def _change(self, number: int, entry: _Stack) -> None:
        self._entries[number] = entry
        if number not in self._queued:
            self._queued.add(number)
            heapq.heappush(self._waiting, number)

    def _producers(self, value: int) -> list[int]:
        """Return what a meeting comes from in the end, in the order of the code."""
        found: set[int] = set()
        seen = {value}
        waiting = [value]
        while waiting:
            item = waiting.pop()
            if item >= 0:
                found.add(item)
            else:
                after = self._meetings[-item - 1] - seen
                seen |= after
                waiting += after
        return sorted(found, key=lambda item: (item & _MASK, item))

    def _columns(self, values: _Values) -> StackUses:
        counts = [
            0 if depth is None else effect[0] if effect[2] is None else len(effect[2])
            for effect, depth in zip(self._effects, self._depths, strict=True)
        ]
        users = [number for number, count in enumerate(counts) for _ in range(count)]
        operands = list(chain.from_iterable(map(range, counts)))
        if self._meetings:
            known = {value: self._producers(value) for value in set(values) if value < 0}
            rows = [
                (value, user, operand)
                for met, user, operand in zip(values, users, operands, strict=True)
                for value in known.get(met) or (met,)
            ]
            values, users, operands = ([row[place] for row in rows] for place in range(3))
        results = [value >> _SHIFT and _result(value) for value in values]
        instructions = [value & _MASK for value in values]
        return StackUses(instructions, results, users, operands, self._depths)


def _effects(code: Instructions) -> list[Effect]:
    fixed = FIXED
    try:
        return [
            fixed[opcode] or stack_effect(opcode, arg)
            for opcode, arg in zip(code.opcodes, code.args, strict=True)
        ]
    except KeyError as error:
        raise StackError(f"no stack effect is known of opcode {error}") from None


def _result(value: int) -> int:
    return -(value // _SPECIAL) if value >= _SPECIAL else value >> _SHIFT
