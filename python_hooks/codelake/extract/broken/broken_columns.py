"""Broken columns: what a broken file adds to the columns of a whole one.

    t"{x}"           TemplateStr and Interpolation, where Python 3.13 has JoinedStr to offer
    def fé $ ():     the span of the name ends with the name
    x = (1           Problem -> a row of TS_PROBLEM, with raw bytes and code-point columns

Next: broken_tree.py.
"""

from __future__ import annotations

import ast
import unicodedata
from collections.abc import Sequence
from typing import Any

from codelake.evidence.spans import SpanMap
from codelake.extract.broken.ts_tree import Problem
from codelake.extract.syntax.syntax_tree import SyntaxTree

TEXT_LIMIT = 120
_SYNTAX, _PARENT_SYNTAX = 1, 8  # columns of AST_NODE
_DEF_NAME, _NAME_BSTART, _NAME_BEND = 2, 10, 11  # columns of AST_DEF


def with_name_spans(tree: SyntaxTree, spans: SpanMap) -> SyntaxTree:
    """Correct the spans of names whose header goes on in a way that no whole file does.

    Args:
        tree: the columns of a broken file.
        spans: its span map.
    """
    defs = list(tree.defs)
    starts, ends = list(defs[_NAME_BSTART]), list(defs[_NAME_BEND])
    for number, name in enumerate(defs[_DEF_NAME]):
        start = starts[number]
        text = "" if start is None else spans.slice(start, ends[number])
        if start is None or text == name:
            continue
        sizes = range(len(text), 0, -1)
        size = next((k for k in sizes if unicodedata.normalize("NFKC", text[:k]) == name), 0)
        if size:
            ends[number] = start + spans.encoded_length(text[:size])
        else:
            starts[number] = ends[number] = None
    defs[_NAME_BSTART], defs[_NAME_BEND] = starts, ends
    return SyntaxTree(tree.nodes, defs, tree.imports)


def with_templates(tree: SyntaxTree, module: ast.Module) -> SyntaxTree:
    """Name the nodes of t-strings, for which this Python has no classes.

    Args:
        tree: the columns of a broken file.
        module: the tree they were made of.
    """
    names: dict[int, str] = {}
    parents: dict[int, str] = {}
    for node in ast.walk(module):
        if isinstance(node, ast.JoinedStr) and hasattr(node, "is_template"):
            names[node.no] = "TemplateStr"  # type: ignore[attr-defined]
            for value in node.values:
                number: int = value.no  # type: ignore[attr-defined]
                parents[number] = "TemplateStr"
                if isinstance(value, ast.FormattedValue):
                    names[number] = "Interpolation"
                    for part in (value.value, value.format_spec):
                        if part is not None:
                            parents[part.no] = "Interpolation"  # type: ignore[attr-defined]
    if not names:
        return tree
    nodes = list(tree.nodes)
    for column, changes in ((_SYNTAX, names), (_PARENT_SYNTAX, parents)):
        values = list(nodes[column])
        for number, name in changes.items():
            values[number] = name
        nodes[column] = values
    return SyntaxTree(nodes, tree.defs, tree.imports)


def problem_columns(problems: list[Problem], spans: SpanMap) -> Sequence[Sequence[Any]]:
    """Return the problems as columns of TS_PROBLEM, in source order.

    Args:
        problems: what tree-sitter could not fit in.
        spans: the span map of the file.
    """
    rows = []
    for item in problems:
        line = item.start[0]
        bstart, col = _located(spans, *item.start)
        bend, _ = _located(spans, *item.end)
        text = spans.slice(bstart, bend)
        bend = max(bstart, bend - spans.encoded_length(text[len(text.rstrip()) :]))
        text = text.rstrip()[:TEXT_LIMIT]
        rows.append((item.kind, item.node_type, item.parent_type, bstart, bend, line, col, text))
    return list(zip(*sorted(rows, key=lambda row: row[3:5]), strict=True)) if rows else [()] * 8


def _located(spans: SpanMap, line: int, col: int) -> tuple[int, int]:
    """Return the place of a position, which may lie behind the end of its line."""
    width = len(spans.line_text(line).rstrip("\r\n").encode("utf-8", "surrogatepass"))
    return spans.locate(line, min(col, width))
