"""Exception table: `co_exceptiontable` -> which instructions are covered by which handler.

    try: f()          (start=2, end=8, target=9, depth=0, lasti=False)
    except: g()

Entries are four numbers of 6-bit groups, highest first, 0x40 marking that more follow. `start`,
`end` (exclusive) and `target` are instructions; when one in the range raises, the stack is
cut to `depth`, the position of the instruction is pushed if `lasti`, then the exception.
Next: basic_blocks.py.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import NamedTuple


class Covered(NamedTuple):
    """One entry of the table, in instruction numbers."""

    start: int
    end: int
    target: int
    depth: int
    lasti: bool


def exception_table(table: bytes, units: list[int]) -> list[Covered]:
    """Decode an exception table.

    Args:
        table: `co_exceptiontable`.
        units: offset of each instruction in code units.
    """
    numbers: list[int] = []
    value = 0
    for byte in table:
        value = value << 6 | byte & 0x3F
        if not byte & 0x40:
            numbers.append(value)
            value = 0
    entries = []
    for at in range(0, len(numbers), 4):
        start, length, target, depth = numbers[at : at + 4]
        first, end = bisect_left(units, start), bisect_left(units, start + length)
        handler = bisect_left(units, target)
        entries.append(Covered(first, end, handler, depth >> 1, bool(depth & 1)))
    return entries
