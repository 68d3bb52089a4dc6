"""Instructions: the bytes of a code object -> opcodes, arguments and jump targets.

    5c 01  2d 00 00 00      LOAD_NAME 1, BINARY_OP 0; a zero opcode is a cache entry

`co_code` is the code before any specialisation, with every cache entry zero, so an instruction is a
code unit whose opcode is not CACHE. A prefix EXTENDED_ARG is an instruction of its own, as in
`dis`, and what it prefixes has the whole argument. Jumps are measured from the end of the caches.
Next: instruction_arguments.py.
"""

from __future__ import annotations

import dis
from bisect import bisect_left
from dataclasses import dataclass
from itertools import compress

JUMPS = frozenset(dis.hasjrel) & frozenset(range(256))
_EXTENDED = dis.EXTENDED_ARG
_TAKES = [opcode in frozenset(dis.hasarg) for opcode in range(256)]
_DIRECTION = {op: -1 if "BACKWARD" in dis.opname[op] else 1 for op in JUMPS}


@dataclass(frozen=True, slots=True)
class Instructions:
    """Columns of one code object; `units` are offsets in code units, of two bytes each."""

    units: list[int]
    opcodes: bytes
    args: list[int | None]
    targets: dict[int, int]


def instructions(code: bytes) -> Instructions:
    """Decode `co_code`.

    Returns:
        The columns, and for each jump the number of the instruction that it goes to.
    """
    every, low = code[::2], code[1::2]
    units = [number for number, opcode in enumerate(every) if opcode]
    opcodes = every.replace(b"\0", b"")
    takes = _TAKES
    args: list[int | None] = [
        low if takes[opcode] else None
        for opcode, low in zip(opcodes, compress(low, every), strict=True)
    ]
    if _EXTENDED in opcodes:
        _extend(opcodes, args)
    jumps = JUMPS
    targets = {}
    for number, opcode in enumerate(opcodes):
        if opcode in jumps:
            after = units[number + 1] if number + 1 < len(units) else len(every)
            target = after + _DIRECTION[opcode] * (args[number] or 0)
            targets[number] = bisect_left(units, target)
    return Instructions(units, opcodes, args, targets)


def _extend(opcodes: bytes, args: list[int | None]) -> None:
    """Give each argument the higher bytes that its prefixes hold."""
    high = 0
    for number, opcode in enumerate(opcodes):
        arg = args[number]
        if high and arg is not None:
            args[number] = arg = arg | high
        high = arg << 8 if opcode == _EXTENDED and arg is not None else 0
