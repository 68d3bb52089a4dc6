"""Dominators: a graph and its root -> the immediate dominator of every node.

    0 -> 1 -> 2 -> 4        dominators([[1], [2, 3], [4], [4], []], 0)
         1 -> 3 -> 4        -> [0, 0, 1, 1, 1]

A node dominates another when every path from the root to the other passes through it. The root is
its own immediate dominator here; a node that no path reaches has -1. The algorithm is that of
Lengauer and Tarjan with path compression, O(edges * log(nodes)), without recursion.

Post-dominators are dominators of the reversed graph from its exit. A node that never gets to the
exit (`while True: ...`) would have none, so every terminal strongly connected component without
the exit gets one virtual edge to it: from its first node in a depth-first walk from the entry,
which is the head of a loop.
Next: control_dependence.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PostDominators:
    """Immediate post-dominators, and the nodes that got a virtual edge to the exit."""

    immediate: list[int]
    virtual: list[int]


def dominators(successors: Sequence[Sequence[int]], root: int) -> list[int]:
    """Return the immediate dominator of every node.

    Args:
        successors: for each node the nodes it leads to; duplicates and self loops are fine.
        root: where every path starts.

    Returns:
        One node per node: the root for itself, -1 for a node that the root does not reach.
    """
    order, parents = _depth_first(successors, root)
    size = len(order)
    number = [-1] * len(successors)
    for position, node in enumerate(order):
        number[node] = position
    predecessors: list[list[int]] = [[] for _ in order]
    for position, node in enumerate(order):
        for target in successors[node]:
            predecessors[number[target]].append(position)
    immediate = _lengauer_tarjan(predecessors, parents, size)
    found = [-1] * len(successors)
    for position, node in enumerate(order):
        found[node] = order[immediate[position]]
    return found


def post_dominators(successors: Sequence[Sequence[int]], entry: int, leave: int) -> PostDominators:
    """Return the immediate post-dominators of the nodes that the entry reaches.

    Args:
        successors: for each node the nodes it leads to.
        entry: where every path starts.
        leave: where every path ends; virtual edges lead here.

    Returns:
        The immediate post-dominators (the exit is its own; -1 for unreachable nodes) and the nodes
        with a virtual edge.
    """
    order, _ = _depth_first(successors, entry)
    reversed_edges: list[list[int]] = [[] for _ in successors]
    for node in order:
        for target in successors[node]:
            reversed_edges[target].append(node)
    virtual = _virtual_edges(successors, reversed_edges, order, leave)
    reversed_edges[leave] += virtual
    return PostDominators(dominators(reversed_edges, leave), virtual)


def _depth_first(successors: Sequence[Sequence[int]], root: int) -> tuple[list[int], list[int]]:
    """Return the nodes in preorder and, by position, the position of each one's parent."""
    number = [-1] * len(successors)
    number[root] = 0
    order, parents = [root], [0]
    stack = [(0, iter(successors[root]))]
    while stack:
        position, targets = stack[-1]
        for target in targets:
            if number[target] < 0:
                number[target] = len(order)
                stack.append((len(order), iter(successors[target])))
                order.append(target)
                parents.append(position)
                break
        else:
            stack.pop()
    return order, parents


def _lengauer_tarjan(
    predecessors: Sequence[Sequence[int]], parents: Sequence[int], size: int
) -> list[int]:
    """Return immediate dominators where nodes are positions in a depth-first preorder."""
    semi = list(range(size))
    label = list(range(size))
    ancestor = [-1] * size
    immediate = [0] * size
    buckets: list[list[int]] = [[] for _ in range(size)]

    def lowest(node: int) -> int:
        """Return the node of lowest semidominator on the linked path above, and compress it."""
        if ancestor[node] < 0:
            return node
        path = []
        while ancestor[ancestor[node]] >= 0:
            path.append(node)
            node = ancestor[node]
        top = ancestor[node]
        best = label[node]
        while path:
            node = path.pop()
            if semi[best] < semi[label[node]]:
                label[node] = best
            best = label[node]
            ancestor[node] = top
        return best

    for node in range(size - 1, 0, -1):
        smallest = node
        for before in predecessors[node]:
            candidate = semi[lowest(before)]
            if candidate < smallest:
                smallest = candidate
        semi[node] = smallest
        buckets[smallest].append(node)
        parent = parents[node]
        ancestor[node] = parent
        for waiting in buckets[parent]:
            best = lowest(waiting)
            immediate[waiting] = best if semi[best] < parent else parent
        buckets[parent] = []
    for node in range(1, size):
        if immediate[node] != semi[node]:
            immediate[node] = immediate[immediate[node]]
    return immediate


def _virtual_edges(
    successors: Sequence[Sequence[int]],
    reversed_edges: Sequence[Sequence[int]],
    order: Sequence[int],
    leave: int,
) -> list[int]:
    """Return one node of each terminal component that does not lead to the exit."""
    leads = [False] * len(successors)
    leads[leave] = True
    stack = [leave]
    while stack:
        for node in reversed_edges[stack.pop()]:
            if not leads[node]:
                leads[node] = True
                stack.append(node)
    stuck = [node for node in order if not leads[node]]
    return _terminal_heads(successors, stuck) if stuck else []


def _terminal_heads(successors: Sequence[Sequence[int]], nodes: Sequence[int]) -> list[int]:
    """Return the first node of each strongly connected component that no edge leaves (Tarjan)."""
    position = dict.fromkeys(nodes, -1)
    low: dict[int, int] = {}
    ends: set[int] = set()  # nodes of finished components
    heads: list[int] = []
    count = 0
    for start in nodes:
        if position[start] >= 0:
            continue
        component: list[int] = []
        leaves: list[bool] = []  # per node on the path: does its subtree touch another component
        path: list[tuple[int, int]] = [(start, 0)]
        while path:
            node, step = path.pop()
            if step == 0:
                position[node] = low[node] = count
                count += 1
                component.append(node)
                leaves.append(False)
            targets = successors[node]
            while step < len(targets):
                target = targets[step]
                step += 1
                if position[target] < 0:
                    path += [(node, step), (target, 0)]
                    break
                if target in ends:
                    leaves[-1] = True
                else:
                    low[node] = min(low[node], position[target])
            else:
                leaving = leaves.pop()
                if low[node] == position[node]:
                    while True:
                        member = component.pop()
                        ends.add(member)
                        if member == node:
                            break
                    if not leaving:
                        heads.append(node)
                    if leaves:
                        leaves[-1] = True
                elif leaves:
                    leaves[-1] = leaves[-1] or leaving
                if path:
                    above = path[-1][0]
                    low[above] = min(low[above], low[node])
    return heads
