"""Blocks: the logical lines of a broken file -> statements with suites, by indentation alone.

    class C:             Block([class C:], suites={0: [Block([def f(self)], ...),
        def f(self)                                    Block([def g(self): pass])]})
            x
        def g(self): pass

A block is one statement: its decorators, its header and its further clauses (`elif`, `except` ...),
each with the blocks of its suite. What is indented although nothing opened a suite goes back into
the last suite of that depth, so a line that broke out of a class does not end it.
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
    """A suite: whose it is, its depth, its blocks, and the suite that was last open below it."""

    __slots__ = ("below", "blocks", "indent", "owner")

    def __init__(self, owner: Block | None, indent: int) -> None:
        self.owner = owner
        self.indent = indent
        self.blocks: list[Block] = []
        self.below: _Suite | None = None


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
        suite = open_suites[-1]
        block = suite.blocks[-1] if suite.blocks else None
        if line.indent > suite.indent and block is not None:
            if block.takes_suite():
                suite.below = _Suite(block, line.indent)
                block.suites[len(block.lines) - 1] = suite.below.blocks
                open_suites.append(suite.below)
                block = None
            elif suite.below is not None and suite.below.indent == line.indent:
                open_suites.append(suite.below)
                block = suite.below.blocks[-1]
        if block is not None and block.takes_line(line):
            block.lines.append(line)
        else:
            open_suites[-1].blocks.append(Block(line))
        open_suites[-1].blocks[-1].last = line.last
        for item in open_suites:
            if item.owner is not None:
                item.owner.last = line.last
    return root.blocks
