r"""Concrete positions: where each node of a LibCST tree lies, in code points and in raw bytes.

    "x = f(é)\n"   ->  spans[Call] == (4, 8); offsets == [0, 1, ..., 6, 8, 9] for a UTF-8 file

A LibCST node does not know its place: LibCST prints the tree and notes the position before and
after each node. This does the same by counting code points, without encoding every token to UTF-8,
and keeps plain pairs; it costs half of ByteSpanPositionProvider and gives the same places. What was
printed must be the text that was parsed, else a position means nothing: `printed` is compared by
the caller. Printing recurses with the nesting of the source.
"""

from __future__ import annotations

from types import TracebackType

import libcst as cst
from libcst.metadata.span_provider import SpanProvidingCodegenState

from codelake.evidence.spans import Source, SpanMap

type Span = tuple[int, int]


class Positions(SpanProvidingCodegenState):
    """Prints a tree and keeps the span of every node in code points.

    Attributes:
        spans: node -> its first code point and the one after its last, without parentheses.
    """

    def __init__(self, module: cst.Module) -> None:
        """Print a module.

        Args:
            module: the tree, each of whose nodes occurs once.
        """
        super().__init__(module.default_indent, module.default_newline, None)  # type: ignore[arg-type]
        self.spans: dict[cst.CSTNode, Span] = {}
        self.open: list[int] = []
        module._codegen(self)

    def printed(self) -> str:
        """Return the text of the tree."""
        return "".join(self.tokens)

    def add_indent_tokens(self) -> None:
        """Print the indentation."""
        for token in self.indent_tokens:
            self.tokens.append(token)
            self.position += len(token)

    def add_token(self, value: str) -> None:
        """Print a token."""
        self.tokens.append(value)
        self.position += len(value)

    def before_codegen(self, node: cst.CSTNode) -> None:  # noqa: ARG002
        """Remember where a node begins."""
        self.open.append(self.position)

    def after_codegen(self, node: cst.CSTNode) -> None:
        """Keep the span of a node that has not recorded a tighter one itself."""
        start = self.open.pop()
        if node not in self.spans:
            self.spans[node] = (start, self.position)

    def record_syntactic_position(  # type: ignore[override]
        self,
        node: cst.CSTNode,
        *,
        start_node: cst.CSTNode | None = None,
        end_node: cst.CSTNode | None = None,
    ) -> _Recording:
        """Note the span of a node without its parentheses, blanks and comments."""
        return _Recording(self, node, start_node, end_node)


class _Recording:
    """The `with` block in which a node prints what belongs to its span."""

    __slots__ = ("_end", "_first", "_node", "_start", "_state")

    def __init__(
        self,
        state: Positions,
        node: cst.CSTNode,
        start: cst.CSTNode | None,
        end: cst.CSTNode | None,
    ) -> None:
        self._state = state
        self._node = node
        self._start = start
        self._end = end
        self._first = state.position

    def __enter__(self) -> None:
        return None

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is None:
            spans = self._state.spans
            first = self._first if self._start is None else spans[self._start][0]
            last = self._state.position if self._end is None else spans[self._end][1]
            spans[self._node] = (first, last)


def raw_offsets(source: Source, spans: SpanMap) -> list[int] | range:
    """Return the raw byte offset of each code point of the text, and of its end.

    Args:
        source: the decoded file.
        spans: its span map.
    """
    text = source.text
    if text.isascii() and len(text) == len(source.raw) and source.raw == text.encode():
        return range(len(text) + 1)
    offsets: list[int] = []
    for line in range(1, len(spans.starts) - 1):
        characters = spans.line_text(line)
        if line in spans.wide:
            col = 0
            for character in characters:
                offsets.append(spans.locate(line, col)[0])
                col += len(character.encode("utf-8", "surrogatepass"))
        else:
            first = spans.starts[line]
            offsets.extend(range(first, first + len(characters)))
    offsets.append(len(source.raw))
    return offsets
