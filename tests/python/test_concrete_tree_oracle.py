"""Concrete tree evidence against Python's own parser and against LibCST's own providers."""

from __future__ import annotations

import ast
import contextlib
import inspect
import json
import types
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import libcst as cst
import pytest
from libcst import matchers
from libcst.metadata import (
    ByteSpanPositionProvider,
    ExpressionContextProvider,
    MetadataWrapper,
    QualifiedNameProvider,
    ScopeProvider,
)

from cases import load_cases
from codelake.evidence.spans import SpanMap
from codelake.extract.concrete.concrete_children import FIELDS
from codelake.extract.concrete.concrete_facts import Facts
from codelake.extract.concrete.concrete_positions import Positions
from codelake.extract.concrete.concrete_scopes import (
    concrete_scopes,
    describe_scope,
    plain,
    qualified_names,
)
from codelake.extract.concrete.concrete_tree import concrete_tree
from codelake.extract.parse import parse
from codelake.sources.decode import SourceText, decode

STDLIB = Path(json.__file__).parent.parent
SOME = [Path(module.__file__ or "") for module in (json, types, contextlib, cst, pytest)]
CASES = [*load_cases("concrete_tree"), *load_cases("syntax_tree")]
CONTEXTS = {ast.Load: "load", ast.Store: "store", ast.Del: "del"}
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
type Table = dict[str, Counter[tuple[Any, ...]]]


def theirs(tree: ast.Module, spans: SpanMap, raw: bytes) -> Table:
    """Return what Python's parser sees, as multisets.

    Python's definition ends after the semicolon of its last statement, LibCST's before it.
    """

    def place(node: Any) -> tuple[int, int]:
        start, _ = spans.locate(node.lineno, node.col_offset)
        end, _ = spans.locate(node.end_lineno, node.end_col_offset)
        return start, end

    found: dict[str, list[tuple[Any, ...]]] = {name: [] for name in MINE}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            found["names"].append((node.id, CONTEXTS[type(node.ctx)], *place(node)))
        elif isinstance(node, ast.Attribute):
            found["attributes"].append((node.attr, CONTEXTS[type(node.ctx)], *place(node)))
        elif isinstance(node, ast.Call):
            count = len(node.args) + len(node.keywords)
            found["calls"].append((*place(node), *place(node.func), count))
            for item in node.args:
                value = item.value if isinstance(item, ast.Starred) else item
                start, end = place(value)
                if isinstance(value, ast.GeneratorExp) and end == place(node)[1]:
                    inner = raw[start:end]  # the brackets are those of the call
                    start += len(inner) - len(inner[1:].lstrip())
                    end -= len(inner) - len(inner[:-1].rstrip())
                found["args"].append((None, start, end))
            for keyword in node.keywords:
                found["args"].append((keyword.arg, *place(keyword.value)))
        elif isinstance(node, ast.Import):
            for alias in node.names:
                facts = ("import", alias.name, 0, None, alias.asname, False)
                found["imports"].append((*facts, *place(node), *place(alias)))
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                facts = ("from", node.module, node.level, alias.name, alias.asname)
                spot = (*place(node), *place(alias))
                found["imports"].append((*facts, alias.name == "*", *spot))
        elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar):
            found["captures"] += [(node.name,)] if node.name else []
        elif isinstance(node, ast.MatchMapping):
            found["captures"] += [(node.rest,)] if node.rest else []
        elif isinstance(node, ast.arg):
            found["types"] += [(*place(node.annotation),)] if node.annotation else []
        elif isinstance(node, ast.AnnAssign):
            found["types"].append((*place(node.annotation),))
        if isinstance(node, DEFINITIONS):
            start, end = place(node)
            end = start + len(raw[start:end].rstrip(b"; \t\f"))
            found["defs"].append((node.name, start, end, len(node.decorator_list)))
            returns = getattr(node, "returns", None)
            found["types"] += [(*place(returns),)] if returns else []
            for decorator in node.decorator_list:
                found["decorators"].append((place(decorator)[1],))
        if isinstance(node, (*DEFINITIONS, ast.Module)):
            content = ast.get_docstring(node)
            if content is not None:
                clean = content.encode("utf-8", "backslashreplace").decode()
                found["docstrings"].append((clean, *place(node.body[0].value)))  # type: ignore[attr-defined]
    return {name: Counter(rows) for name, rows in found.items()}


def rows(columns: Any) -> Iterator[tuple[Any, ...]]:
    return zip(*columns, strict=True)


MINE = {
    "names": lambda tree: [(*r[1:3], *r[6:]) for r in rows(tree.refs) if r[0] == "name"],
    "attributes": lambda tree: [(*r[1:3], *r[6:]) for r in rows(tree.refs) if r[0] == "attribute"],
    "captures": lambda tree: [(r[1],) for r in rows(tree.refs) if r[0] == "capture"],
    "calls": lambda tree: [(*r[:4], r[7]) for r in rows(tree.callsites)],
    "args": lambda tree: [(r[2], *r[5:]) for r in rows(tree.call_args)],
    "imports": lambda tree: list(rows(tree.imports)),
    "defs": lambda tree: [(r[1], *r[3:5], r[10]) for r in rows(tree.defs)],
    "types": lambda tree: [r[4:] for r in rows(tree.type_exprs)],
    "decorators": lambda tree: [(r[5],) for r in rows(tree.decorators)],
    "docstrings": lambda tree: [r[2:] for r in rows(tree.docstrings)],
}


def compare(raw: bytes, totals: Counter[str]) -> None:
    """Compare the rows of a file that Python's parser reads and LibCST prints back."""
    source = decode(raw)
    if not isinstance(source, SourceText):
        return
    spans, tree = SpanMap(source), parse(source.text)
    found = concrete_tree(source, spans, tree, "m", "")
    if not isinstance(tree, ast.Module):
        assert found.failure == tree
        return
    if found.failure is not None and not found.manifest[0]:
        totals[found.failure.error_type] += 1
        return
    expected = theirs(tree, spans, raw)
    for name, select in MINE.items():
        mine = Counter(select(found))
        totals[name] += mine.total()
        if name == "decorators":  # a decorator in parentheses ends after them
            assert mine.total() == expected[name].total()
        else:
            assert mine == expected[name], name


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.file}-{case.name}")
def test_cases_are_read_as_python_reads_them(case: Any) -> None:
    compare(case.source.encode(), Counter())


@pytest.mark.parametrize("path", SOME, ids=lambda path: path.parent.name + "-" + path.name)
def test_files_are_read_as_python_reads_them(path: Path) -> None:
    totals: Counter[str] = Counter()
    compare(path.read_bytes(), totals)
    assert totals["names"] and totals.total() == sum(totals[name] for name in MINE)


@pytest.mark.prove
def test_the_standard_library_is_read_as_python_reads_it() -> None:
    totals: Counter[str] = Counter()
    for path in sorted(STDLIB.rglob("*.py"))[::4]:
        if "site-packages" not in path.parts:
            compare(path.read_bytes(), totals)
    refused = {name: count for name, count in totals.items() if name not in MINE}
    assert totals["calls"] > 50_000
    assert sum(refused.values()) <= 5, refused


def test_every_class_of_libcst_is_code_or_known_not_to_be() -> None:
    names = {name for name in vars(cst) if _is_node(getattr(cst, name))}
    code = {found.__name__ for found in FIELDS}
    assert names - code - NO_CODE == set()
    assert not code & NO_CODE


PUNCTUATION = """
    Add AddAssign And AssignEqual Asynchronous BitAnd BitAndAssign BitInvert BitOr BitOrAssign
    BitXor BitXorAssign Colon Comma Comment Divide DivideAssign Dot EmptyLine Equal FloorDivide
    FloorDivideAssign GreaterThan GreaterThanEqual In Is IsNot LeftCurlyBrace LeftParen LeftShift
    LeftShiftAssign LeftSquareBracket LessThan LessThanEqual MatrixMultiply MatrixMultiplyAssign
    Minus Modulo ModuloAssign Multiply MultiplyAssign Newline Not NotEqual NotIn Or ParamSlash
    ParamStar ParenthesizedWhitespace Plus Power PowerAssign RightCurlyBrace RightParen RightShift
    RightShiftAssign RightSquareBracket Semicolon SimpleWhitespace Subtract SubtractAssign
    TrailingWhitespace
"""
BY_STATEMENT = {"ImportAlias", "ImportStar", "NameItem"}  # read with the statement around them
OF_LATER_PYTHON = {  # 3.14 and later, which the parser of this Python refuses first
    *("LazyImport", "LazyImportFrom", "StarredDictComp"),
    *("TemplatedString", "TemplatedStringExpression", "TemplatedStringText"),
}
NO_CODE = {*PUNCTUATION.split(), *BY_STATEMENT, *OF_LATER_PYTHON}


def _is_node(found: Any) -> bool:
    return (
        isinstance(found, type)
        and issubclass(found, cst.CSTNode)
        and not inspect.isabstract(found)
        and not found.__name__.startswith(("Base", "_", "CST"))
    )


TEXTS = [case.source for case in CASES] + [path.read_text("utf-8") for path in SOME]


@pytest.mark.parametrize("number", range(len(TEXTS)))
def test_the_lean_walk_gives_what_the_providers_of_libcst_give(number: int) -> None:
    text = TEXTS[number]
    try:
        tree = cst.parse_module(text)
    except cst.ParserSyntaxError:
        return
    wrapper = MetadataWrapper(tree, unsafe_skip_copy=True)
    positions, facts = Positions(tree), Facts(tree)
    assert positions.printed() == tree.code
    offsets = [0]
    for character in tree.code:
        offsets.append(offsets[-1] + len(character.encode("utf-8", "surrogatepass")))
    for node, span in wrapper.resolve(ByteSpanPositionProvider).items():
        start, end = (offsets[place] for place in positions.spans[node])
        assert (start, end - start) == (span.start, span.length)
    if "match " in text or "nonlocal" in text:  # captures, which LibCST takes for reads
        return
    scopes = concrete_scopes(tree, facts.contexts)
    contexts = wrapper.resolve(ExpressionContextProvider)
    their_scopes, names = wrapper.resolve(ScopeProvider), wrapper.resolve(QualifiedNameProvider)
    aliases = {node.name for node in matchers.findall(tree, matchers.TypeAlias())}
    for node, context in facts.contexts.items():
        if node in aliases:  # LibCST takes the name of a type statement for a read
            continue
        assert contexts.get(node) in (context, None)
        assert describe_scope(scopes.get(node)) == describe_scope(their_scopes.get(node))
        lazy: Any = names[node]
        found = {
            (name.name, name.source.name.lower()) for name in (lazy() if callable(lazy) else lazy)
        }
        mine = qualified_names(scopes.get(node), node, "")
        expected = {plain(name) if source != "builtin" else "builtins." for name, source in found}
        assert set(mine[0]) == expected
