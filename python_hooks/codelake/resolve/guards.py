"""Guards: regions of a file that never happen on the Python that is analysed.

    if sys.version_info < (3,): ...      guard text `version < 3`: dead

Only the version is decided; platforms and TYPE_CHECKING are all taken as possible.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable

from codelake.resolve.file_facts import Fact

_VERSION = re.compile(r"(not )?version(\[0\]|\[:[123]\])? (<=|>=|==|!=|<|>) ([\d.]+)$")
_PYTHON = (3, 12)


class Regions:
    """Ranges of node numbers."""

    def __init__(self, ranges: Iterable[tuple[int, int]]) -> None:
        """Keep the ranges in order."""
        self._ranges = sorted(ranges)
        self._starts = [first for first, _ in self._ranges]

    def __bool__(self) -> bool:
        return bool(self._ranges)

    def holds(self, node: int) -> bool:
        """Tell whether a node lies in one of the ranges."""
        place = bisect_right(self._starts, node)
        return any(node <= last for _, last in self._ranges[:place])


def dead_regions(facts: Iterable[Fact]) -> Regions:
    """Return the regions whose guard is false."""
    return Regions(
        (fact[3], fact[4])
        for fact in facts
        if fact[0] == "guard" and fact[3] is not None and fact[4] is not None
        and _is_false(fact[5] or "")
    )  # fmt: skip


def _is_false(text: str) -> bool:
    if text in ("False", "not True"):
        return True
    match = _VERSION.match(text)
    if match is None:
        return False
    negated, part, token, number = match.groups()
    bound = tuple(int(item) for item in number.split(".") if item)
    version: tuple[int, ...] = _PYTHON
    if part == "[0]":
        version = _PYTHON[:1]
    elif part:
        version = (*_PYTHON, 99)[: int(part[2])]
    elif token in ("==", "!="):
        return False
    holds = {
        "<": version < bound,
        "<=": version <= bound,
        ">": version > bound,
        ">=": version >= bound,
        "==": version == bound,
        "!=": version != bound,
    }[token]
    return holds is (negated is not None)
