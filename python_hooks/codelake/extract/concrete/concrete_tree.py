"""Concrete tree evidence: what LibCST, a second parser, sees in a file.

    from a import b as c        imports    from a import b as c
    def f(x: int) -> str:       defs       function f, qualified name m.f
        return c.d(x)           callsites  c.d, 1 argument, qualified name a.b.d by an import

LibCST is an optional extra, off by default: it reads a file about ten times slower than Python
parses and compiles it. Its worth is that it is independent: own parser, own scope analysis, own
positions. Spans are raw bytes of the stored file. Columns named `*_idx` are positions in cst_defs
or cst_callsites, not numbers of the syntax tree.

LibCST's parser recurses in native code, and nesting of a few thousand levels kills its process.
So a file goes to LibCST only when Python's own parser has read it and its tree is no deeper than
MAX_DEPTH, for which a stack of 4 MB is enough. Anything else is a failure, as are sources that
LibCST refuses or cannot print back. When only the scope analysis fails, the rows come without
scopes and qualified names.

Spans are those of Python's own tree, with two exceptions: LibCST leaves out the semicolon that ends
a definition, and the brackets of a call around a lone generator.
Next: file_evidence.py.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any, NoReturn

from codelake.errors import CodelakeError
from codelake.evidence.spans import SpanMap
from codelake.extract.parse import ParseFailure
from codelake.sources.decode import SourceText

MAX_DEPTH = 200
WIDTHS = {
    "manifest": 9,
    "refs": 8,
    "defs": 11,
    "imports": 10,
    "callsites": 11,
    "call_args": 7,
    "type_exprs": 6,
    "docstrings": 5,
    "decorators": 6,
}
_PLACE = re.compile(r"error at (\d+):(\d+)")
_TOO_DEEP = "the source is nested too deeply for LibCST"

type Columns = Sequence[Sequence[Any]]


@dataclass(frozen=True, slots=True)
class ConcreteTree:
    """Columns in the field order of CST_MANIFEST, CST_REF ... CST_DECORATOR, and the failure."""

    manifest: Columns
    refs: Columns
    defs: Columns
    imports: Columns
    callsites: Columns
    call_args: Columns
    type_exprs: Columns
    docstrings: Columns
    decorators: Columns
    failure: ParseFailure | None = None


def concrete_tree(
    source: SourceText,
    spans: SpanMap,
    parsed: ast.Module | ParseFailure,
    module: str,
    package: str,
) -> ConcreteTree:
    """Read a file with LibCST.

    Args:
        source: the decoded file.
        spans: its span map.
        parsed: what Python's own parser made of it.
        module: dotted name of the module.
        package: dotted name of the package that relative imports start from.

    Returns:
        The columns; all empty when there is no tree.

    Raises:
        CodelakeError: LibCST is not installed.
    """
    reader = libcst_reader()
    if isinstance(parsed, ParseFailure):
        return _tree({}, parsed)
    if depth(parsed) > MAX_DEPTH:
        return _tree({}, ParseFailure("RecursionError", _TOO_DEEP))
    try:
        rows, trouble = reader.read(source, spans, module, package)
    except BaseException as error:
        return _tree({}, _failure(error))
    return _tree(rows, None if trouble is None else _failure(trouble))


def libcst_reader() -> ModuleType:
    """Import the modules that need LibCST, or say what to install."""
    try:
        from codelake.extract.concrete import concrete_reader
    except ModuleNotFoundError as error:
        if error.name is not None and error.name.partition(".")[0] == "libcst":
            _refuse(error)
        raise
    return concrete_reader


def _refuse(error: ModuleNotFoundError) -> NoReturn:
    raise CodelakeError(
        "LIBCST_MISSING",
        "the cst evidence needs LibCST, which is not installed.",
        fix="pip install 'codelake[cst]', or leave cst out of the extractors",
    ) from error


def _tree(rows: dict[str, list[tuple[Any, ...]]], failure: ParseFailure | None) -> ConcreteTree:
    columns = {
        name: list(zip(*rows[name], strict=True)) if rows.get(name) else [()] * width
        for name, width in WIDTHS.items()
    }
    return ConcreteTree(**columns, failure=failure)


def _failure(error: BaseException) -> ParseFailure:
    """Return the failure that an error of LibCST stands for; what is not LibCST's is raised.

    LibCST's message has the end of the offending token; the place it reports as data is 1:0.
    """
    name = type(error).__name__
    if isinstance(error, RecursionError | MemoryError):
        return ParseFailure(name, _TOO_DEEP)
    if not isinstance(error, Exception) and name != "PanicException":
        raise error
    message = str(getattr(error, "message", None) or error) or name
    if name != "ParserSyntaxError":
        return ParseFailure(name, message)
    place = _PLACE.search(message)
    line, column = (int(place[1]), max(int(place[2]) - 1, 0)) if place else (None, None)
    return ParseFailure(name, message.partition(": expected one of")[0], line, column)


def depth(tree: ast.AST) -> int:
    """Return how deeply the LibCST tree of a syntax tree will be nested, without recursion.

    LibCST nests `a and b and c` and the clauses of a comprehension, which Python's tree lists.
    """
    deepest = 0
    stack: list[tuple[ast.AST, int]] = [(tree, 1)]
    pop, push = stack.pop, stack.append
    while stack:
        node, level = pop()
        if level > deepest:
            deepest = level
        found = node.__class__
        if found is ast.BoolOp:
            level += len(node.values)  # type: ignore[attr-defined]
        elif found in _COMPREHENSIONS:
            level += len(node.generators)  # type: ignore[attr-defined]
        level += 1
        for value in node.__dict__.values():
            if value.__class__ is list:
                for item in value:
                    if item.__class__ not in _LEAVES:
                        push((item, level))
            elif value.__class__ not in _LEAVES:
                push((value, level))
    return deepest


_COMPREHENSIONS = frozenset({ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp})
_LEAVES = frozenset(
    {str, bytes, int, float, complex, bool, type(None), type(...)}
    | {ast.Name, ast.Constant, ast.Load, ast.Store, ast.Del, ast.Pass, ast.alias}
)
