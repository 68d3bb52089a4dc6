"""Call cases: small programs with the calls that CPython makes in them.

    -- main.py                    a file; main.py is the program that runs
    |f()
    [calls]
    main -> main.f 1:0            caller, callee, place; ` !` when no run takes it

The header of every file in tests/cases/calls gives the rules. The cases of an area are in two
files: of three that were written one after the other, the third is in calls_held_out. Who tunes a
resolver reads all but calls_held_out; what is said of its precision comes from calls_held_out only.
The areas of calls_fresh, calls_second and calls_third are their own.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType

from cases import FOLDER, Case, load_cases
from codelake.evidence.spans import SpanMap
from codelake.extract.syntax.syntax_tree import syntax_tree
from codelake.sources.decode import SourceText, decode
from codelake.sources.modules import Layouts, module_name

TUNING, HELD_OUT = "calls", "calls_held_out"
FRESH, SECOND, THIRD = "calls_fresh", "calls_second", "calls_third"
FOLDERS = (TUNING, HELD_OUT, FRESH, SECOND, THIRD)
SECTIONS = ("calls", "implicit", "callbacks", "dynamic")
INSTALLED = "site-packages/"  # files below it are packages of others
_LINE = re.compile(r"(\S+) +-> +(\S+)(?: +(\d+):(\d+))?( !)?$")


@dataclass(frozen=True, order=True)
class Edge:
    """One line: a definition, what it calls, and where."""

    caller: str
    line: int
    col: int
    callee: str

    def __str__(self) -> str:
        return f"{self.caller} -> {self.callee} {self.line}:{self.col}"


@dataclass
class Source:
    """A file with the names that codelake gives to its definitions."""

    path: str
    module: str
    tree: ast.Module
    names: list[str]
    owners: list[int]
    text: str
    numbers: list[int]  # of the definition that each node stands in
    calls: dict[tuple[int, int], ast.Call] = field(default_factory=dict)  # by where they end
    nodes: dict[tuple[int, int, int, int], ast.AST] = field(default_factory=dict)
    classes: dict[tuple[int, int, int, int], ast.ClassDef] = field(default_factory=dict)
    decorators: dict[tuple[int, int, int, int], ast.expr] = field(default_factory=dict)
    functions: dict[tuple[str, int], str] = field(default_factory=dict)
    lambdas: list[tuple[ast.Lambda, str]] = field(default_factory=list)
    with_items: set[ast.expr] = field(default_factory=set)

    def owner(self, node: ast.AST) -> str:
        """Return the definition that executes a node."""
        return self.names[self.owners[node.no]]  # type: ignore[attr-defined]

    def class_names(self) -> set[str]:
        """Return the names of the classes."""
        return {name for (key, _), name in self.functions.items() if key[-1] == " "}

    def definition(self, code: CodeType) -> str | None:
        """Return the function or lambda that a code object belongs to."""
        if code.co_name != "<lambda>":
            return self.functions.get((code.co_name, code.co_firstlineno))
        places = [
            place for place in code.co_positions() if None not in place and place[2:] != (0, 0)
        ]
        found = [
            (_width(node.body), name)
            for node, name in self.lambdas
            if all(_within(place, node.body) for place in places)  # type: ignore[arg-type]
        ]
        return min(found)[1]


@dataclass(frozen=True)
class Program:
    """A case, taken apart."""

    area: str
    name: str
    files: dict[str, str]
    lines: dict[str, dict[Edge, bool]]  # per section: is the line marked `!`?
    never: list[tuple[str, str]]

    def sources(self) -> dict[str, Source]:
        """Return the files of the repository by path."""
        own = [path for path in self.files if not path.startswith(INSTALLED)]
        layouts = Layouts(own)
        return {
            path: _source(path, module_name(path, layouts.of(path)), self.files[path])
            for path in own
            if path.endswith(".py")
        }

    def roots(self) -> list[str]:
        """Return the folders from which modules are imported."""
        own = [path for path in self.files if not path.startswith(INSTALLED)]
        layouts = Layouts(own)
        return sorted({"", *(layouts.of(path).folder for path in own)})


def areas(folder: str = TUNING) -> list[str]:
    """Return the names of the files, which are those of the areas."""
    return sorted(path.stem for path in (FOLDER / folder).glob("*.test"))


def programs(folder: str, area: str) -> list[Program]:
    """Read the cases of one area."""
    if not (FOLDER / folder / f"{area}.test").exists():
        return []
    return [_program(area, case) for case in load_cases(f"{folder}/{area}")]


def _program(area: str, case: Case) -> Program:
    files: dict[str, list[str]] = {}
    for line in case.source.splitlines():
        if line.startswith("-- "):
            part = files.setdefault(line[3:], [])
        elif line.startswith("|"):
            part.append(line[1:])
        else:
            assert not line.strip(), f"{area}/{case.name}: {line}"
    lines: dict[str, dict[Edge, bool]] = {section: {} for section in SECTIONS}
    never: list[tuple[str, str]] = []
    for section, texts in case.sections.items():
        for text in texts:
            match = _LINE.match(text)
            assert match, f"{area}/{case.name}: {text}"
            if section == "not":
                never.append((match[1], match[2]))
                continue
            edge = Edge(match[1], int(match[3]), int(match[4]), match[2])
            assert edge not in lines[section], f"{area}/{case.name}: twice {edge}"
            lines[section][edge] = match[5] is not None
    joined = {path: "".join(f"{line}\n" for line in text) for path, text in files.items()}
    return Program(area, case.name, joined, lines, never)


def _source(path: str, module: str, text: str) -> Source:
    source = decode(text.encode())
    assert isinstance(source, SourceText)
    tree = ast.parse(source.text, path)
    found = syntax_tree(tree, source.raw, SpanMap(source), module, 1)
    paths, numbers, owners = list(found.defs[4]), found.nodes[3], found.nodes[5]
    names = [f"{module}.{path}".replace(".<locals>", "").rstrip(".") for path in paths]
    result = Source(path, module, tree, names, list(owners), source.text, list(numbers))
    for node in _walk(tree):
        place = _place(node)
        if place is None:
            continue
        if not isinstance(result.nodes.get(place), ast.expr) and hasattr(node, "no"):
            result.nodes[place] = node
        if isinstance(node, ast.Call):
            result.calls[place[2], place[3]] = node
        if isinstance(node, ast.With | ast.AsyncWith):
            result.with_items |= {item.context_expr for item in node.items}
        if isinstance(node, ast.Lambda):
            result.lambdas.append((node, names[numbers[node.no]]))  # type: ignore[attr-defined]
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            for item in node.decorator_list:
                result.decorators[_place(item) or place] = item
            name = names[numbers[node.no]]  # type: ignore[union-attr]
            first = min([node.lineno, *(item.lineno for item in node.decorator_list)])
            if isinstance(node, ast.ClassDef):
                result.classes[place] = node
                result.functions[f"{node.name} ", first] = name  # the blank tells a class
            else:
                result.functions[node.name, first] = name
    return result


def _walk(tree: ast.AST) -> Iterator[ast.AST]:
    """Visit statements before the expressions in them."""
    yield tree
    for child in ast.iter_child_nodes(tree):
        yield from _walk(child)


def _place(node: ast.AST) -> tuple[int, int, int, int] | None:
    found = [getattr(node, name, None) for name in ("lineno", "col_offset")]
    found += [getattr(node, name, None) for name in ("end_lineno", "end_col_offset")]
    return None if None in found else tuple(found)  # type: ignore[return-value]


def _within(place: tuple[int, int, int, int], node: ast.expr) -> bool:
    line, end_line, col, end_col = place
    start, end = (node.lineno, node.col_offset), (node.end_lineno or 0, node.end_col_offset or 0)
    return start <= (line, col) and (end_line, end_col) <= end


def _width(node: ast.expr) -> tuple[int, int]:
    return (node.end_lineno or 0) - node.lineno, (node.end_col_offset or 0) - node.col_offset


def write_files(program: Program, folder: Path) -> None:
    """Write a program to disk, packages of others beside it."""
    for path, text in program.files.items():
        own = not path.startswith(INSTALLED)
        target = folder / "repo" / path if own else folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, "utf-8")
