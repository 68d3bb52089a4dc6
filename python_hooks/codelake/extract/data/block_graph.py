"""Block graph: the successors of blocks -> an order to work in, and the way bits flow.

    0 -> 2 -> 3 -> 2, 3 -> 1        order 0, 2, 3, 1; the edge 3 -> 2 is a back edge

A back edge is one that leads to a block that comes no later in reverse post order.
Next: block_scan.py.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from codelake.extract.flow.dominators import dominators


class BlockGraph:
    """The reachable part of a graph of blocks, whose first block is the entry.

    Attributes:
        order: the reachable blocks in reverse post order.
        predecessors: of each block.
        forward: the same without back edges.
        has_loops: whether there is a back edge.
    """

    def __init__(self, successors: Sequence[Sequence[int]]) -> None:
        """Order the blocks."""
        self._successors = successors
        self._tree: _Tree | None = None
        self.order = reverse_postorder(successors)
        self.predecessors: list[list[int]] = [[] for _ in successors]
        self.forward: list[list[int]] = [[] for _ in successors]
        self.has_loops = False
        place = {block: number for number, block in enumerate(self.order)}
        for block in self.order:
            for target in successors[block]:
                self.predecessors[target].append(block)
                if place[target] > place[block]:
                    self.forward[target].append(block)
                else:
                    self.has_loops = True

    def dominates(self, block: int, other: int) -> bool:
        """Tell whether every way to a block passes through another one."""
        if self._tree is None:
            self._tree = _Tree(dominators(self._successors, 0))
        return self._tree.above(block, other)

    def propagate(
        self, gen: Mapping[int, int], kill: Mapping[int, int], forward: bool = False
    ) -> list[int]:
        """Return the bits that enter each block.

        Args:
            gen: bits that a block adds.
            kill: bits that a block removes before.
            forward: whether to ignore back edges.
        """
        size = len(self._successors)
        entering, leaving = [0] * size, [0] * size
        predecessors = self.forward if forward else self.predecessors
        changed = True
        while changed:
            changed = False
            for block in self.order:
                found = 0
                for before in predecessors[block]:
                    found |= leaving[before]
                entering[block] = found
                if block in kill:
                    found &= ~kill[block]
                if block in gen:
                    found |= gen[block]
                if found != leaving[block]:
                    leaving[block] = found
                    changed = self.has_loops and not forward
        return entering


class _Tree:
    """The tree of dominators, with places in a walk by which ancestors are told."""

    def __init__(self, immediate: Sequence[int]) -> None:
        """Walk the tree and note when each node is entered and left."""
        below: list[list[int]] = [[] for _ in immediate]
        for node, above in enumerate(immediate):
            if above >= 0 and above != node:
                below[above].append(node)
        self._first = [-1] * len(immediate)
        self._last = [-1] * len(immediate)
        count = 0
        stack = [0]
        while stack:
            node = stack.pop()
            if node < 0:
                self._last[~node] = count
                continue
            self._first[node] = count
            count += 1
            stack.append(~node)
            stack += below[node]

    def above(self, node: int, other: int) -> bool:
        """Tell whether a node dominates another."""
        return self._first[node] <= self._first[other] < self._last[node]


def reverse_postorder(successors: Sequence[Sequence[int]]) -> list[int]:
    """Return the blocks that the first one reaches, each before what it leads to, loops apart."""
    seen = [False] * len(successors)
    seen[0] = True
    order: list[int] = []
    stack = [(0, iter(successors[0]))]
    while stack:
        block, targets = stack[-1]
        for target in targets:
            if not seen[target]:
                seen[target] = True
                stack.append((target, iter(successors[target])))
                break
        else:
            order.append(block)
            stack.pop()
    order.reverse()
    return order
