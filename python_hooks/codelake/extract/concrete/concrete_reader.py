"""Concrete reader: text -> LibCST tree -> positions, facts, scopes -> rows.

The one place that runs LibCST; imported only when LibCST is asked for. LibCST lets a comment run on
over a lone carriage return, so these are given to it as line feeds, which moves nothing.
"""

from __future__ import annotations

import re
import sys
from importlib.metadata import version
from typing import Any

import libcst as cst

from codelake.evidence.spans import SpanMap
from codelake.extract.concrete.concrete_facts import Facts, Rows
from codelake.extract.concrete.concrete_positions import Positions, raw_offsets
from codelake.extract.concrete.concrete_scopes import concrete_scopes
from codelake.sources.decode import SourceText

_LIBCST = version("libcst")
_LONE_CR = re.compile(r"\r(?!\n)")
_PYTHON = f"{sys.version_info.major}.{sys.version_info.minor}"


class UnfaithfulTreeError(Exception):
    """LibCST's tree does not print the text that was parsed, so its positions mean nothing."""


def read(
    source: SourceText, spans: SpanMap, module: str, package: str
) -> tuple[Rows, Exception | None]:
    """Read a file that is known to be Python and not nested too deeply.

    Args:
        source: the decoded file.
        spans: its span map.
        module: dotted name of the module.
        package: dotted name of its package.

    Returns:
        Rows by kind, and what the scope analysis raised.
    """
    text = _LONE_CR.sub("\n", source.text) if source.newline in ("cr", "mixed") else source.text
    tree = cst.parse_module(text)
    positions = Positions(tree)
    if positions.printed() != text:
        raise UnfaithfulTreeError("LibCST does not print back the text of this file")
    facts = Facts(tree)
    trouble: Exception | None = None
    try:
        scopes = concrete_scopes(tree, facts.contexts)
    except Exception as error:
        scopes, trouble = {}, error
    offsets = raw_offsets(source, spans)
    rows = facts.rows(source.text, positions.spans, offsets, scopes, (module, package))
    newline = "\r" if source.newline == "cr" else tree.default_newline
    layout = (tree.default_indent, newline, tree.has_trailing_newline)
    names: tuple[Any, ...] = (module, package, _LIBCST, _PYTHON)
    rows["manifest"] = [(source.encoding, *layout, facts.future_imports, *names)]
    return rows, trouble
