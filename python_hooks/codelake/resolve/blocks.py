"""Blocks: what of a file is repeated, and what happens under a condition only.

    if ready:
        a.b = 1        under a condition
    else:
        a.b = 2        of both stores one runs: either() is the `if`
    for i in c:
        a.b = 3        repeated: loop() is the `for`

Next: store_order.py.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import permutations

from codelake.resolve.file_facts import FileFacts

type Region = tuple[int, int]


class Blocks:
    """What of a file is repeated, and what happens under a condition only."""

    def __init__(self, file: FileFacts) -> None:
        """Read the facts."""
        self._parents = file.parents
        self.last = [*range(file.size)]
        for node in range(file.size - 1, 0, -1):
            parent = file.parents[node]
            self.last[parent] = max(self.last[parent], self.last[node])
        self._openers = {each.node for each in file.definitions}
        self._loops: dict[int, tuple[int, int]] = {}  # loop -> what runs before it
        self._maybe: set[int] = set()
        self._arms: dict[int, dict[str, Region]] = defaultdict(dict)
        tests, others, names, main = set(), set(), set(), set()
        for op, _, node, value, other, text, idx in file.facts:
            if op == "guard" and text is not None and value is not None and other is not None:
                self._arms[node][text] = (value, other)
            if op == "each" and other is not None and value is not None and not idx:
                self._loops[other] = (value, self.last[value])
            elif (op == "load" and text == "__name__") or (op == "compare" and value in names):
                names.add(node)
            elif op == "test" and value in names:
                main.add(node)
            elif op == "test":
                tests.add(node)
            elif op in ("guard", "either"):
                others.add(node)
            elif op == "enter":
                within = file.parents[node]
                self._arms[within]["with"] = (within, self.last[within])
                self._maybe.add(within)  # whoever is entered may suppress an error
            elif op == "match":
                case = file.parents[node]
                self._maybe |= {case, file.parents[case]}  # `case _` has no pattern of its own
        self._loops |= dict.fromkeys(tests - others, (-1, -1))
        self._maybe |= (tests | others | self._loops.keys()) - main

    def loop(self, node: int) -> int | None:
        """Return the outermost loop of a definition that repeats a node."""
        found, at = None, node
        while at and at not in self._openers:
            before = self._loops.get(at)
            if before is not None and not before[0] <= node <= before[1]:
                found = at
            at = self._parents[at]
        return found

    def either(self, one: int, other: int) -> int | None:
        """Return the `if` of which one node always runs, or else the other node."""
        outer = self._conditions(one)
        if not outer or outer != self._conditions(other):
            return None
        arms = self._arms.get(outer[0], {})
        then, otherwise = arms.get("condition"), arms.get("not condition")
        is_fit = then and otherwise and _holds(then, one) and _holds(otherwise, other)
        return outer[0] if is_fit else None

    def surely_before(self, nodes: Sequence[int], use: int) -> bool:
        """Tell whether one of some nodes has run when a later one does."""
        if any(self._is_beside(self._conditions(one), one, use) for one in nodes):
            return True
        for one, other in permutations(nodes, 2):
            is_sure = self.either(one, other) is not None
            if is_sure and self._is_beside(self._conditions(one)[1:], one, use):
                return True
        return False

    def _is_beside(self, conditions: Sequence[int], one: int, use: int) -> bool:
        """Tell whether a node is in the same arms of some conditions as another one."""
        arms = [self._arms.get(each, {}).values() for each in conditions]
        return all(any(_holds(arm, one) and _holds(arm, use) for arm in each) for each in arms)

    def _conditions(self, node: int) -> list[int]:
        """Return the conditions of a definition that a node is under, the nearest first."""
        found, at = [], self._parents[node]
        while at and at not in self._openers:
            if at in self._maybe:
                found.append(at)
            at = self._parents[at]
        return found


def _holds(region: Region, node: int) -> bool:
    return region[0] <= node <= region[1]
