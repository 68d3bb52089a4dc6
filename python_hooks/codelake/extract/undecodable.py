r"""Undecodable files: bytes that are no text -> what can be read of them all the same.

    b"def f(): return '\xe9'"      as a broken file: FUNCTION f with its place and its id
    b"def f(): pass  # \xe9"       as a whole one: an import compiles bytes, and Python then minds
                                   no byte of a comment (as a script it refuses this file)
    b"def caf\xe9(): pass"         FUNCTION `caf\xe9`, a name that no other can be taken for
    b"\x89PNG\r\n\x1a\n..."        a MODULE and no more

Every byte that is no text has a stand-in while the file is read (evidence/stand_ins.py), and is
written `\xNN` in names and texts. Spans are exact. The failure to decode is an error of the file.
Next: file_evidence.py.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from codelake.evidence.ids import definition_id
from codelake.evidence.stand_ins import escaped
from codelake.extract.parse import ParseFailure, parse
from codelake.extract.source_evidence import SourceEvidence, Where, read_broken, read_source
from codelake.extract.syntax.syntax_tree import SyntaxTree, syntax_tree
from codelake.sources.decode import DecodeFailure, SourceText, lenient

type Reader = Callable[[SourceText, Where, Collection[str]], SourceEvidence]

_TREE = ("ast_nodes", "ast_defs", "ast_imports")
_DEF_PATH = 4  # column of AST_DEF


def read_undecodable(
    failure: DecodeFailure, where: Where, read: Reader, layers: Collection[str]
) -> SourceEvidence:
    """Read a file that cannot be decoded.

    Args:
        failure: why not.
        where: what the file is called.
        read: what reads a whole file, for one part of the evidence.
        layers: of the graph beyond syntax that are wanted.

    Returns:
        What was seen, with the failure as the first error.
    """
    found = SourceEvidence()
    source = lenient(failure)
    if source is not None and not isinstance(parse(failure.raw), ParseFailure):
        found = read(source, where, layers)
    elif source is not None and read is read_source:
        found = read_broken(source, where)
    if read is read_source and "ast_nodes" not in found.arrays:
        found.take_tree(syntax_tree(None, failure.raw, None, where.module, where.file))
    place = (failure.line, None, failure.bstart, failure.bend)
    found.errors.insert(0, ("decode", failure.error_type, failure.message, *place))
    found.arrays = {name: _escaped(columns) for name, columns in found.arrays.items()}
    if read is read_source:
        nodes, defs, imports = (found.arrays[name] for name in _TREE)
        ids = [definition_id(where.file, path) for path in defs[_DEF_PATH]]
        found.take_tree(SyntaxTree(nodes, [ids, *defs[1:]], imports))
    return found


def _escaped(value: Any) -> Any:
    """Return a value without stand-ins."""
    if isinstance(value, str):
        return escaped(value)
    if isinstance(value, list | tuple):
        return [_escaped(item) for item in value]
    if isinstance(value, dict):
        return {name: _escaped(item) for name, item in value.items()}
    return value
