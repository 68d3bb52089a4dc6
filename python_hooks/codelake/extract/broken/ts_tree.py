r"""Concrete tree: a text -> tree-sitter's tree as plain objects, and its problems.

    x = (1 +         ERROR node over the statement: Problem("error", "ERROR", "module", ...)
    f(a              missing `)`: Problem("missing", ")", "argument_list", ...)

The tree is copied with a cursor, node by node, into objects of ours, because nodes of the binding
are not safe to keep (py-tree-sitter 0.26 reads freed memory). Its progress callback crashes the
process (0.25 and 0.26), so a parse cannot be stopped: what is handed over must be short, and
broken_tree.py sees to that.

Positions are those of Python's `ast`: a line, and a column in UTF-8 bytes.
Next: lower.py.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate
from typing import Any, NamedTuple

import tree_sitter
import tree_sitter_python

_EXTRA = frozenset({"comment", "line_continuation"})
_LANGUAGE = tree_sitter.Language(tree_sitter_python.language())


class Node:
    """A node of the concrete tree; `value` is what it means, once lowered.

    Attributes:
        type: tree-sitter's name of the node; of a token, its text.
        field: the field of the parent that holds it, or None.
        start: offset in the bytes of the text.
        end: offset behind it.
        is_token: whether it is a keyword or a mark.
        missing: whether tree-sitter invented it.
        children: nodes and tokens in source order, without comments.
        value: node of Python's tree, or a part of one.
        strays: well-formed pieces below it that found no place.
    """

    __slots__ = (
        *("children", "end", "field", "is_token", "missing", "start", "strays", "type", "value"),
    )

    def __init__(self, found: tree_sitter.Node, field: str | None) -> None:
        """Copy a node without its children."""
        self.type = found.type
        self.field = field
        self.start = found.start_byte
        self.end = found.end_byte
        self.is_token = not found.is_named
        self.missing = found.is_missing
        self.children: list[Node] = []
        self.value: Any = None
        self.strays: list[Any] = []


class Problem(NamedTuple):
    """Something tree-sitter could not fit in; start and end are (line, UTF-8 column)."""

    kind: str
    node_type: str
    parent_type: str
    start: tuple[int, int]
    end: tuple[int, int]


class ConcreteText:
    """The bytes of a text and where its lines begin.

    Attributes:
        data: the text in UTF-8, with the prefix.
        prefix: how long the prefix is.
        begin: where the text begins, blanks left out.
    """

    def __init__(self, text: str, first_line: int, prefix: str = "") -> None:
        r"""Index the lines.

        Args:
            text: the source, whose lines end with \n.
            first_line: the number of its first line.
            prefix: a line that is put before it.
        """
        self.data = (prefix + text).encode("utf-8", "surrogatepass")
        self.prefix = len(prefix)
        self.begin = len(self.data) - len(self.data[self.prefix :].lstrip())
        self._first = first_line - bool(prefix)
        lengths = map(len, self.data.split(b"\n"))
        self._starts = list(accumulate((length + 1 for length in lengths), initial=0))

    def position(self, offset: int) -> tuple[int, int]:
        """Return line and UTF-8 column of an offset."""
        row = bisect_right(self._starts, offset) - 1
        return self._first + row, offset - self._starts[row]

    def slice(self, start: int, end: int) -> str:
        """Return the text between two offsets."""
        return self.data[start:end].decode("utf-8", "replace")


def concrete_tree(text: ConcreteText) -> tuple[list[Node], list[Problem]]:
    """Parse a text with tree-sitter.

    Args:
        text: a short text, with or without errors.

    Returns:
        The nodes, children before their parents, so that the module is the last; and the problems
        in source order.
    """
    tree = tree_sitter.Parser(_LANGUAGE).parse(text.data)
    cursor = tree.walk()
    done: list[Node] = []
    problems: list[Problem] = []
    path: list[Node] = []
    while True:
        found = cursor.node
        if found is None:
            break
        node = Node(found, cursor.field_name)
        if node.type not in _EXTRA:
            parent = path[-1] if path else None
            if parent is not None:
                parent.children.append(node)
            if node.missing or (node.type == "ERROR" and not _inside_error(path)):
                problems.append(_problem(text, node, parent))
        if cursor.goto_first_child():
            path.append(node)
            continue
        done.append(node)
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return done, problems
            done.append(path.pop())
    return done, problems


def _inside_error(path: list[Node]) -> bool:
    """Return whether the parent is an error too: one report is enough."""
    return bool(path) and path[-1].type == "ERROR"


def _problem(text: ConcreteText, node: Node, parent: Node | None) -> Problem:
    kind = "missing" if node.missing else "error"
    above = parent.type if parent is not None and parent.start >= text.prefix else "module"
    return Problem(kind, node.type, above, text.position(node.start), text.position(node.end))
