"""Facts: text cases, with invariants on every one; the vocabulary; deep and long sources."""

from __future__ import annotations

import ast
import sysconfig
import warnings
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest

from cases import Case, check, parametrize
from codelake.evidence.spans import SpanMap
from codelake.extract.facts.fact_ops import OPS
from codelake.extract.facts.facts import COLUMNS, facts
from codelake.extract.syntax.syntax_tree import syntax_tree
from codelake.sources.decode import SourceText, decode
from fact_rows import check_facts, print_facts, read_facts

STDLIB = Path(sysconfig.get_path("stdlib"))
SAMPLE = [
    *("ast.py", "dataclasses.py", "enum.py", "functools.py", "inspect.py", "typing.py"),
    *("asyncio/tasks.py", "test/test_patma.py", "test/test_grammar.py", "test/test_type_params.py"),
]


@parametrize("facts")
def test_case(case: Case) -> None:
    file = read_facts(case.source.encode())
    check_facts(file)
    check(case, {"facts": lambda: print_facts(file)})


@pytest.mark.parametrize("op", OPS, ids=lambda op: op.name)
def test_the_example_of_an_op_has_it(op: object) -> None:
    name, example = op.name, op.example  # type: ignore[attr-defined]
    for source in (example, f"def f():\n    {example}", f"async def f():\n    {example}"):
        try:
            ast.parse(source)
            compile(source, "m", "exec")
        except SyntaxError:
            continue
        assert name in [fact.op for fact in read_facts(source.encode()).facts]
        return
    raise AssertionError("the example is no Python")


def test_op_names_are_unique() -> None:
    assert len({op.name for op in OPS}) == len(OPS)


def test_columns_are_those_of_the_row() -> None:
    file = read_facts(b"x = '\\ud800'\ndef f(a: '\xc3\xa9' = 1): yield a\n")
    assert {len(fact) for fact in file.facts} == {len(COLUMNS)}
    texts = pa.array([fact.text for fact in file.facts], pa.string())
    texts.validate(full=True)


LONG: dict[str, tuple[int, Callable[[int], str]]] = {
    "sum": (900, lambda size: "1" + " + 1" * size),
    "attributes": (900, lambda size: "x" + ".y" * size),
    "calls": (900, lambda size: "f" + "()" * size),
    "elif": (700, lambda size: "if a: b\n" + "elif isinstance(x, C): b\n" * size),
    "conditionals": (700, lambda size: "a if x is None else " * size + "b"),
    "list": (100_000, lambda size: f"[{'a, ' * size}]"),
    "dict": (10_000, lambda size: f"{{{'1: a, ' * size}}}"),
    "arguments": (10_000, lambda size: f"f({'a, ' * size})"),
    "booleans": (5_000, lambda size: " and ".join(["isinstance(x, C)"] * size)),
    "comparisons": (10_000, lambda size: " < ".join(["a"] * size)),
    "alternatives": (
        *(5_000, lambda size: "match v:\n    case " + " | ".join(["1"] * size) + " as x: pass"),
    ),
    "nots": (900, lambda size: "if " + "not " * size + "x is None: y"),
    "targets": (10_000, lambda size: "a = " * size + "v"),
    "statements": (5_000, lambda size: "x is None\n" * size),
    "returns": (5_000, lambda size: "def f(x):\n" + "    if x is None: return\n" * size),
    "lambdas": (900, lambda size: "lambda: " * size + "a"),
    "decorators": (5_000, lambda size: "@d\n" * size + "def f(): pass"),
    "withs": (5_000, lambda size: "with " + ", ".join(["a as b"] * size) + ": pass"),
}


@pytest.mark.parametrize("name", LONG)
def test_long_and_deep_sources(name: str) -> None:
    """Facts grow with the source, evenly; the invariants are checked on short ones."""
    size, source = LONG[name]
    short, longer = (read_facts(source(number).encode()) for number in (20, 30))
    check_facts(longer)
    try:
        whole = read_facts(source(size).encode())
    except (RecursionError, MemoryError):  # nested too deeply for this Python's parser
        pytest.skip("nested too deeply for the parser of this Python, so there is no tree to read")
    growth = len(longer.facts) - len(short.facts)
    assert len(whole.facts) == len(short.facts) + (size - 20) * growth // 10


def test_the_walk_does_not_recurse() -> None:
    """A tree that no parser would give: twenty thousand operators deep."""
    deep: ast.expr = ast.Name("a", ast.Load())
    for _ in range(20_000):
        deep = ast.BinOp(deep, ast.Add(), ast.Attribute(ast.Name("b", ast.Load()), "c", ast.Load()))
    tree = ast.Module([ast.Expr(deep)], [])
    for node in ast.walk(tree):
        node.lineno = node.end_lineno = 1  # type: ignore[attr-defined]
        node.col_offset = node.end_col_offset = 0  # type: ignore[attr-defined]
    source = decode(b"")
    assert isinstance(source, SourceText)
    found = facts(tree, syntax_tree(tree, source.raw, SpanMap(source), "m", 1)).facts
    assert len(found[0]) == 60_001


@pytest.mark.parametrize("name", SAMPLE)
def test_invariants_on_the_standard_library(name: str) -> None:
    check_facts(read_facts((STDLIB / name).read_bytes()))


@pytest.mark.prove
def test_invariants_on_the_whole_standard_library() -> None:
    checked = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for path in sorted(STDLIB.rglob("*.py")):
            if "site-packages" in path.parts:
                continue
            raw = path.read_bytes()
            try:
                compile(raw, str(path), "exec", dont_inherit=True)
            except (SyntaxError, ValueError):  # broken on purpose, data of the parser's tests
                continue
            check_facts(read_facts(raw))
            checked += 1
    assert checked > 500
