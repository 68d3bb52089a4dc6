"""Dead code: what stands behind a return or raise of the same block.

    def f():
        return 1
        g()          never runs

Blocks of loops are left out: their `else` cannot be told from their body here.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from codelake.resolve.file_facts import FileFacts
from codelake.resolve.guards import Regions

_LEAVES = ("return", "raise")


def behind_leaving(file: FileFacts) -> Regions:
    """Return the ranges of nodes that never run since their block was left before."""
    return Regions(_behind(file))


def _behind(file: FileFacts) -> Iterator[tuple[int, int]]:
    blocks: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for op, _, node, value, other, _, _ in file.facts:
        if op == "guard" and value is not None and other is not None:
            blocks[node].append((value, other))
    for each in file.definitions:
        if each.kind == "FUNCTION":
            blocks[each.node].append((each.node, each.last))
    for op, _, node, _, _, _, _ in file.facts:
        if op in _LEAVES:
            parent = file.parents[node]
            for first, last in blocks.get(parent, ()):
                if first <= node <= last:
                    behind = range(node + 1, last + 1)
                    start = next((one for one in behind if file.parents[one] == parent), None)
                    if start is not None:
                        yield start, last
