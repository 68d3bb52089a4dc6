"""Lives: when the definitions of a unit can be seen by the code of other units.

    x = 1; f(); x = 2        x = 1 lives at the RUN of f(); x = 2 lives at the end
    def g(): return x        created after both: g sees x = 2 only

Code of another unit runs at a RUN of this one, or after its end. A unit that is created here runs
after its creation only. So a definition is seen by an inner unit when it lives at a RUN that
comes after the creation on some path, or at the end of a path with the creation on it.
Next: shared_variables.py.
"""

from __future__ import annotations

from collections.abc import Sequence

_BUDGET = 3_000_000  # visits of blocks and definitions for one unit; beyond it all are seen
ANYWHERE = -1


class Lives:
    """How long definitions live, for the variables that other units read.

    Attributes:
        at_end: variable -> definitions that may be there at the end, with their block.
        at_run: variable -> definition, block and position of the last RUN that sees it.
        created: inner unit -> block and position of its creation.
    """

    def __init__(self, successors: Sequence[Sequence[int]]) -> None:
        """Start without definitions.

        Args:
            successors: of each block.
        """
        self.at_end: dict[int, list[tuple[int, int]]] = {}
        self.at_run: dict[int, list[tuple[int, int, int]]] = {}
        self.created: dict[int, tuple[int, int]] = {}
        self._successors = successors
        self._reached: dict[int, set[int]] = {}
        self._all: dict[int, list[int]] = {}
        self._budget = _BUDGET

    def seen(self, variable: int, unit: int | None) -> list[int]:
        """Return the definitions that another unit may see.

        Args:
            variable: its number in this unit.
            unit: the inner unit that sees, by number of its node; None for any other unit.
        """
        at_end, at_run = self.at_end.get(variable, ()), self.at_run.get(variable, ())
        if unit is not None and unit not in self.created:  # in code that nothing reaches
            return []
        self._budget -= len(at_end) + len(at_run)
        if unit is None or self._budget < 0:
            if variable not in self._all:
                found = {no for no, _ in at_end} | {no for no, _, _ in at_run}
                self._all[variable] = sorted(found)
            return self._all[variable]
        block, position = self.created[unit]
        found = {no for no, at in at_end if self._meet(at, block)}
        for no, at, run in at_run:
            if (at == block and run > position) or self._leads(block, at):
                found.add(no)
        return sorted(found)

    def _meet(self, first: int, second: int) -> bool:
        """Tell whether some path passes through both blocks."""
        return first == second or self._leads(first, second) or self._leads(second, first)

    def _leads(self, source: int, target: int) -> bool:
        """Tell whether a path of one edge or more leads from one block to another."""
        if source == 0 or target == ANYWHERE:
            return True
        reached = self._reached.get(source)
        if reached is None:
            if self._budget <= 0:
                return True
            reached = set()
            stack = [source]
            while stack:
                for block in self._successors[stack.pop()]:
                    if block not in reached:
                        reached.add(block)
                        stack.append(block)
            self._budget -= len(reached)
            self._reached[source] = reached
        return target in reached
