"""Blocks: the logical lines of a broken file -> statements with suites, by indentation alone.

    class C:             Block([class C:], suites={0: [Block([def f(self)], ...),
        def f(self)                                    Block([def g(self): pass])]})
            x
        def g(self): pass

A block is one statement: its decorators, its header and its further clauses (`elif`, `except` ...),
each with the blocks of its suite. What is indented although nothing opened a suite goes back into
the last suite of that depth, so a line that broke out of a class or function does not end it.
Next: broken_tree.py.
"""

from __future__ import annotations

from codelake.extract.broken.logical_lines import LogicalLine

_HEADS = frozenset({"async", "class", "def", "for", "if", "try", "while", "with"})
_CLAUSES = frozenset({"elif", "else", "except", "finally"})
DEFINITIONS = frozenset({"async", "class", "def"})


class Block:
    """One statement: logical lines, and the suite below each of them."""

    __slots__ = ("last", "lines", "suites")

    def __init__(self, line: LogicalLine) -> None:
        """Begin with a line."""
        self.lines = [line]
        self.suites: dict[int, list[Block]] = {}
        self.last = line.last

    @property
    def first(self) -> int:
        """The first line of the text that belongs to it."""
        return self.lines[0].first

    @property
    def word(self) -> str:
        """The first word behind its decorators."""
        return next((line.word for line in self.lines if line.word != "@"), "@")

    def takes_suite(self) -> bool:
        """Return whether lines that are indented further belong to it."""
        line = self.lines[-1]
        can_open = line.opens or line.word in _HEADS or line.word in _CLAUSES
        return can_open and len(self.lines) - 1 not in self.suites

    def takes_line(self, line: LogicalLine) -> bool:
        """Return whether a line of the same depth belongs to it."""
        if self.word == "@":
            return line.word == "@" or line.word in DEFINITIONS
        return line.word in _CLAUSES and (self.word in _HEADS or self.word in _CLAUSES)


class _Suite:
    """A suite: whose it is, its depth, its blocks, and the last suite of each depth below it."""

    __slots__ = ("below", "blocks", "indent", "owner")

    def __init__(self, owner: Block | None, indent: int) -> None:
        self.owner = owner
        self.indent = indent
        self.blocks: list[Block] = []
        self.below: dict[int, _Suite] = {}


def broken_blocks(lines: list[LogicalLine]) -> list[Block]:
    """Nest logical lines by their indentation.

    Args:
        lines: the logical lines of a file, in order.

    Returns:
        The blocks at the outermost level.
    """
    root = _Suite(None, 0)
    open_suites = [root]
    for line in lines:
        while line.indent < open_suites[-1].indent:
            open_suites.pop()
        while line.indent > open_suites[-1].indent:
            suite = open_suites[-1]
            inner = _opened(suite, line.indent) or _opened_before(suite, line.indent)
            if inner is None:
                break
            open_suites.append(inner)
        blocks = open_suites[-1].blocks
        if blocks and blocks[-1].takes_line(line):
            blocks[-1].lines.append(line)
        else:
            blocks.append(Block(line))
        open_suites[-1].blocks[-1].last = line.last
        for item in open_suites:
            if item.owner is not None:
                item.owner.last = line.last
    return root.blocks


def _opened(suite: _Suite, indent: int) -> _Suite | None:
    """Return the new suite of the last block, if that waits for one."""
    if not suite.blocks or not suite.blocks[-1].takes_suite():
        return None
    block = suite.blocks[-1]
    inner = suite.below[indent] = _Suite(block, indent)
    block.suites[len(block.lines) - 1] = inner.blocks
    return inner


def _opened_before(suite: _Suite, indent: int) -> _Suite | None:
    """Return the deepest suite that was open below and is not deeper than a line."""
    depth = max((known for known in suite.below if known <= indent), default=None)
    return None if depth is None else suite.below[depth]
