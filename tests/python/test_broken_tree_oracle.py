"""Broken trees against CPython: files that are whole, read as if they were broken.

Two readings of every file must give Python's own tree, position by position (`ast.dump` with
attributes): tree-sitter's tree of the whole file, lowered; and the pieces, each compound
statement taken apart, put together again.
"""

from __future__ import annotations

import ast
import random
import sysconfig
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest

from cases import load_cases
from codelake.evidence.spans import SpanMap
from codelake.extract.broken import broken_tree
from codelake.extract.broken.lower import lower
from codelake.extract.syntax.syntax_tree import syntax_tree
from codelake.sources.decode import SourceText, decode
from conftest import Figures

STDLIB = Path(sysconfig.get_path("stdlib"))
FEW = ["contextlib", "functools", "test/test_named_expressions"]
# files that tree-sitter alone reads otherwise than Python, and why
READ_OTHERWISE = {
    "test_compile.py": "a line that ends with a dot inside brackets, before a line indented less",
    "test_print.py": "`print >> x` is the statement of Python 2 to tree-sitter",
    "topics.py": "one statement longer than PIECE_LIMIT",
}


def _text(path: Path) -> str | None:
    source = decode(path.read_bytes())
    if not isinstance(source, SourceText):
        return None
    text = source.text.replace("\r\n", "\n").replace("\r", "\n")
    return text if text.endswith("\n") else text + "\n"


def _python(text: str) -> ast.Module | None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None


def _lowered(text: str) -> ast.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        body, problems = lower(text, 1)
    assert problems == []
    return ast.Module(body=body, type_ignores=[])


def _pieces(text: str) -> ast.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return broken_tree._Recovery(text).module()


def _same(tree: ast.Module, found: ast.Module) -> bool:
    return ast.dump(tree, include_attributes=True) == ast.dump(found, include_attributes=True)


@pytest.fixture
def apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let Python parse no statement together with its suite."""
    parse = broken_tree._Recovery._parse

    def picky(self: broken_tree._Recovery, text: str, first: int) -> list[ast.stmt] | None:
        found = parse(self, text, first)
        for owner in found or ():
            for body in broken_tree._bodies(owner):
                inner = body
                if body and isinstance(body[0], ast.match_case):
                    inner = [item for case in body for item in case.body]
                is_hole = len(inner) == 1 and isinstance(inner[0], ast.Pass)
                if inner and inner[0].lineno > owner.lineno and not is_hole:
                    return None
        return found

    monkeypatch.setattr(broken_tree._Recovery, "_parse", picky)


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let Python parse nothing: tree-sitter reads every piece."""
    monkeypatch.setattr(broken_tree._Recovery, "_parse", lambda *_: None)


def _cases() -> list[str]:
    texts = [case.source for case in load_cases("syntax_tree")]
    return [text for text in texts if text and _python(text) is not None]


# what tree-sitter's grammar refuses, in our own cases
REFUSED = ("def f[T = int]", "[*Ts = ", "[T = ", "**P = ")


@pytest.mark.parametrize("text", _cases())
def test_tree_sitter_gives_the_tree_of_python(text: str) -> None:
    tree = _python(text)
    assert tree is not None
    if any(mark in text for mark in REFUSED):
        assert lower(text, 1)[1] != []
    else:
        assert _same(tree, _lowered(text))


@pytest.mark.parametrize("name", FEW)
def test_a_module_lowered(name: str) -> None:
    text = _text(STDLIB / f"{name}.py")
    assert text is not None
    tree = _python(text)
    assert tree is not None
    assert _same(tree, _lowered(text))


@pytest.mark.parametrize("name", FEW)
def test_a_module_taken_apart(name: str, apart: None) -> None:
    text = _text(STDLIB / f"{name}.py")
    assert text is not None
    tree = _python(text)
    assert tree is not None
    assert _same(tree, _pieces(text))


@pytest.mark.parametrize("name", FEW)
def test_a_module_taken_apart_and_lowered(name: str, alone: None) -> None:
    text = _text(STDLIB / f"{name}.py")
    assert text is not None
    tree = _python(text)
    assert tree is not None
    assert _same(tree, _pieces(text))


def _differing(read: Callable[[str], ast.Module]) -> tuple[int, set[str]]:
    """Return how many files were read, and the names of those that came out otherwise."""
    count, different = 0, set()
    paths = [path for path in sorted(STDLIB.rglob("*.py")) if "site-packages" not in path.parts]
    tests = [path for path in paths if "test" in path.parts]
    for path in sorted({*paths} - {*tests[::2], *tests[1::4]}):  # one test file in four
        text = _text(path)
        tree = _python(text) if text else None
        if text is None or tree is None:
            continue
        count += 1
        if not _same(tree, read(text)):
            different.add(path.name)
    return count, different


@pytest.mark.prove
def test_the_standard_library_taken_apart(apart: None, figures: Figures) -> None:
    count, different = _differing(_pieces)
    figures(f"{count} files, {len(different)} read otherwise")
    assert count > 500
    assert different == set()


@pytest.mark.prove
def test_the_standard_library_taken_apart_and_lowered(alone: None, figures: Figures) -> None:
    count, different = _differing(_pieces)
    figures(f"{count} files, {len(different)} read otherwise")
    assert count > 500
    assert different <= READ_OTHERWISE.keys()


DAMAGES = ("x = (", "foo(1,", '"abc', "a b", "return [", "if x", ")", "{", 'f"{a', 'print "x"')
KINDS = ("CALL", "NAME", "ATTRIBUTE", "PARAMETER", "IMPORT")
KIND, NAME, LINE, COL, DEF_ID = 0, 2, 15, 17, 0  # columns of AST_NODE and AST_DEF


def _read(text: str) -> tuple[set[int], set[tuple[str, str, int, int]]]:
    """Return the ids of the definitions and the places of the nodes of a text."""
    source = decode(text.encode())
    assert isinstance(source, SourceText)
    spans, tree = SpanMap(source), _python(text)
    if tree is not None:
        found = syntax_tree(tree, source.raw, spans, "m", 1)
    else:
        found = broken_tree.broken_tree(source, spans, "m", 1).tree
    columns = [found.nodes[number] for number in (KIND, NAME, LINE, COL)]
    facts = {item for item in zip(*columns, strict=True) if item[0] in KINDS}
    return {*found.defs[DEF_ID]}, facts


def _damaged(lines: list[str], chance: random.Random) -> tuple[str, int, int]:
    """Insert a bad line or take a character away; return the text, where, and the lines added."""
    number = chance.randrange(len(lines))
    line = lines[number]
    if chance.random() < 0.5 or not line.strip():
        blanks = line[: len(line) - len(line.lstrip())]
        bad = blanks + chance.choice(DAMAGES)
        return "\n".join([*lines[:number], bad, *lines[number:]]), number + 1, 1
    cut = chance.choice([place for place, mark in enumerate(line) if not mark.isspace()])
    short = line[:cut] + line[cut + 1 :]
    return "\n".join([*lines[:number], short, *lines[number + 1 :]]), number + 1, 0


@pytest.mark.prove
def test_damage_to_one_line_costs_little_else(figures: Figures) -> None:
    chance = random.Random(1)
    definitions = lost_definitions = nodes = lost_nodes = broken = 0
    paths = [path for path in sorted(STDLIB.glob("*.py")) if path.stat().st_size > 2000]
    for path in paths * 3:
        text = _text(path)
        if text is None:
            continue
        bad, line, added = _damaged(text.split("\n"), chance)
        if _python(bad) is not None:
            continue
        broken += 1
        ids, facts = _read(text)
        left_ids, left_facts = _read(bad)
        moved = {
            (kind, name, at + added if at >= line else at, col)
            for kind, name, at, col in facts
            if added or at != line
        }
        definitions += len(ids)
        lost_definitions += len(ids - left_ids)
        nodes += len(moved)
        lost_nodes += len(moved - left_facts)
    figures(f"{broken} files; lost {lost_definitions} of {definitions} definitions")
    figures(f"lost {lost_nodes} of {nodes} other nodes")
    assert broken > 150
    assert lost_definitions < 0.02 * definitions, (lost_definitions, definitions)
    assert lost_nodes < 0.005 * nodes, (lost_nodes, nodes)
