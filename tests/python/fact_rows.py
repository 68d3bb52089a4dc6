"""Facts as tests see them: extracted from a source, printed, and checked against the tree.

    print_facts(read_facts("x = f(a)\n")) ->
        0 3 = load text='f' | f
        0 4 = load text='a' | a ...

A line is the owner, then `node = op` for an op that makes a value or `op node` for another one,
its columns, and the source of the node.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from codelake.evidence.spans import SpanMap
from codelake.extract.facts.fact_ops import MAKES, OPS
from codelake.extract.facts.facts import facts
from codelake.extract.syntax.syntax_tree import SyntaxTree, syntax_tree
from codelake.sources.decode import SourceText, decode

OWNER_NO, BSTART, BEND = 5, 13, 14  # columns of AST_NODE
INSIDE = {"param", "param_pos", "param_star", "param_key", "param_keys", "returns", "generator"}
REGIONS = {"guard", "narrow"}
MANY = {"either", "compare"}
_OPS = {op.name: op for op in OPS}


class Fact(NamedTuple):
    op: str
    owner: int
    node: int
    value: int | None
    other: int | None
    text: str | None
    idx: int | None


@dataclass(frozen=True)
class File:
    raw: bytes
    tree: ast.Module
    syntax: SyntaxTree
    facts: list[Fact]


def read_facts(raw: bytes) -> File:
    source = decode(raw)
    assert isinstance(source, SourceText)
    tree = ast.parse(source.text)
    syntax = syntax_tree(tree, source.raw, SpanMap(source), "m", 1)
    columns = facts(tree, syntax).facts
    return File(source.raw, tree, syntax, [Fact(*row) for row in zip(*columns, strict=True)])


def print_facts(file: File) -> list[str]:
    return [_line(file, fact) for fact in file.facts]


def _line(file: File, fact: Fact) -> str:
    first = f"{fact.node} = {fact.op}" if fact.op in MAKES else f"{fact.op} {fact.node}"
    given = [
        f"{name}={value!r}"
        for name, value in zip(Fact._fields[3:], fact[3:], strict=True)
        if value is not None
    ]
    nodes = file.syntax.nodes
    text = file.raw[nodes[BSTART][fact.node] : nodes[BEND][fact.node]].decode("utf-8", "replace")
    text = " ".join(text.split())
    text = text if len(text) <= 30 else text[:27] + "..."
    return " ".join([str(fact.owner), first, *given, "|", text])


def check_facts(file: File) -> None:
    """Check a file: the vocabulary, values made once and before use, owners, regions."""
    made: set[int] = set()
    many: Counter[tuple[str, int]] = Counter()
    owners = file.syntax.nodes[OWNER_NO]
    assert [fact.owner for fact in file.facts] == sorted(fact.owner for fact in file.facts)
    for fact in file.facts:
        _check_columns(fact)
        if fact.op in MAKES:
            if fact.op in MANY:
                assert fact.idx == many[fact.op, fact.node], fact
                many[fact.op, fact.node] += 1
            assert fact.node not in made or (fact.op in MANY and fact.idx), fact
            made.add(fact.node)
        if fact.op != "guard":
            assert fact.value is None or fact.value in made, fact
            assert fact.other is None or fact.other in made or fact.op == "each", fact
        if fact.op not in INSIDE and fact.op != "return":
            assert owners[fact.node] == fact.owner, fact
    for node, is_value in _expressions(file.tree):
        assert (node.no in made) is is_value, (ast.dump(node), node.lineno)
    _check_regions(file)


def _check_columns(fact: Fact) -> None:
    """Compare nulls with the table of ops: a dash is null, `or -` may be, the rest is not."""
    op = _OPS[fact.op]
    meanings = (op.value, op.other, op.text, op.idx)
    for meaning, value in zip(meanings, fact[3:], strict=True):
        if meaning == "-":
            assert value is None, fact
        elif not _may_be_null(fact.op, meaning):
            assert value is not None, fact


def _may_be_null(op: str, meaning: str) -> bool:
    optional = ("or -", "when a clause is", "for except*", "when longer ones match")
    return meaning.endswith(optional) or meaning == "key" or op == "each"


def _expressions(tree: ast.Module) -> Iterator[tuple[Any, bool]]:
    """Yield every expression and whether it has a value, by the rules of the language."""
    no_values: set[ast.AST] = set()
    values: set[ast.AST] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            no_values.add(node.value)
        inside = [getattr(node, name, []) for name in ("args", "elts", "bases")]
        for child in [child for part in inside if isinstance(part, list) for child in part]:
            if isinstance(child, ast.Starred):
                no_values.add(child)
        if isinstance(node, ast.AugAssign | ast.For | ast.AsyncFor | ast.comprehension):
            values.add(node.target)
        elif isinstance(node, ast.withitem) and node.optional_vars is not None:
            values.add(node.optional_vars)
        elif isinstance(node, ast.Tuple | ast.List) and isinstance(node.ctx, ast.Store):
            values |= {
                child.value if isinstance(child, ast.Starred) else child for child in node.elts
            }
    for node in ast.walk(tree):
        if isinstance(node, ast.expr):
            context = getattr(node, "ctx", None)
            loaded = context is None or isinstance(context, ast.Load)
            yield node, node in values or (loaded and node not in no_values)


def last_numbers(tree: ast.Module) -> dict[int, int]:
    """Return for each numbered node the number of the last one below it."""
    lasts: dict[int, int] = {}
    stack: list[tuple[Any, bool]] = [(tree, False)]
    best: dict[ast.AST, int] = {}
    while stack:
        node, is_done = stack.pop()
        children = list(ast.iter_child_nodes(node))
        if not is_done:
            stack.append((node, True))
            stack += [(child, False) for child in children]
            continue
        numbers = [best[child] for child in children]
        best[node] = max([getattr(node, "no", -1), *numbers])
        if hasattr(node, "no"):
            lasts[node.no] = best[node]
    return lasts


def _check_regions(file: File) -> None:
    """A region is a run of siblings, whole with all that is below them."""
    if not any(fact.op == "guard" for fact in file.facts):
        return
    lasts = last_numbers(file.tree)
    parents: dict[int, int] = {}
    stack: list[tuple[Any, int]] = [(file.tree, -1)]
    while stack:
        node, above = stack.pop()
        number = getattr(node, "no", above)
        if hasattr(node, "no"):
            parents[number] = above
        stack += [(child, number) for child in ast.iter_child_nodes(node)]
    ends = {(parents[number], last) for number, last in lasts.items()}
    for fact in file.facts:
        if fact.op == "guard":
            first, last = fact.value, fact.other
            assert first is not None and last is not None and first <= last, fact
            assert (parents[first], last) in ends, fact
