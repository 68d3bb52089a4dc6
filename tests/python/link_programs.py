"""Link cases: small programs with what their imports, names, types and fields mean.

    -- main.py
    |from lib import f as g
    [imports]
    main:1 f as g -> lib.f        module, line and text of the node, what it leads to

The header of tests/cases/links/README.md gives the rules. Of three cases of an area that were
written one after the other, the third is in links_held_out: whoever improves the resolver reads
links only.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from call_programs import Program, Source
from cases import FOLDER, Case, load_cases

TUNING, HELD_OUT = "links", "links_held_out"
SITES: dict[str, tuple[type[ast.AST], ...]] = {
    "imports": (ast.alias,),
    "names": (ast.Name, ast.Attribute),
    "types": (ast.expr,),
    "reads": (ast.Attribute,),
    "writes": (ast.Attribute,),
}
SECTIONS = (*SITES, "exports", "inherits", "overrides", "annotations")
_LINE = re.compile(r"(.+?) -> (\S+)(?: (\d+))?( !)?$")
_SITE = re.compile(r"(\S+):(\d+) (.+)$")


@dataclass(frozen=True, order=True)
class Link:
    """One line: a place or definition and what it leads to; positions are those of base classes."""

    section: str
    source: str
    target: str

    def __str__(self) -> str:
        return f"[{self.section}] {self.source} -> {self.target}"


@dataclass(frozen=True)
class LinkCase:
    """A case, taken apart."""

    program: Program
    lines: dict[Link, bool]  # is the line marked `!`, which no run shows?
    positions: dict[Link, int]

    @property
    def sections(self) -> set[str]:
        """Return the sections that have lines."""
        return {link.section for link in self.lines}


def link_areas() -> list[str]:
    """Return the names of the files, which are those of the areas."""
    return sorted(path.stem for path in (FOLDER / TUNING).glob("*.test"))


def link_cases(folder: str, area: str) -> list[LinkCase]:
    """Read the cases of one area."""
    return [_taken_apart(area, case) for case in load_cases(f"{folder}/{area}")]


def place(module: str, node: ast.AST) -> str:
    """Name a place: module, line, column, and where it ends."""
    return (
        f"{module}:{node.lineno}:{node.col_offset}"  # type: ignore[attr-defined]
        f"-{node.end_lineno}:{node.end_col_offset}"  # type: ignore[attr-defined]
    )


def annotated(source: Source) -> Iterator[tuple[ast.expr, str]]:
    """Yield the annotations of a file with the definition and name that they belong to."""
    for node in ast.walk(source.tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            name = source.names[source.numbers[node.no]]  # type: ignore[union-attr]
            given = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
            given += [arg for arg in (node.args.vararg, node.args.kwarg) if arg is not None]
            for arg in given:
                if arg.annotation is not None:
                    yield arg.annotation, f"{name} {arg.arg}"
            if node.returns is not None:
                yield node.returns, f"{name} return"
        elif isinstance(node, ast.AnnAssign):
            yield node.annotation, f"{source.owner(node)} {ast.unparse(node.target)}"


def _taken_apart(area: str, case: Case) -> LinkCase:
    files: dict[str, list[str]] = {}
    for line in case.source.splitlines():
        if line.startswith("-- "):
            part = files.setdefault(line[3:], [])
        elif line.startswith("|"):
            part.append(line[1:])
        else:
            assert not line.strip(), f"{area}/{case.name}: {line}"
    joined = {path: "".join(f"{line}\n" for line in text) for path, text in files.items()}
    program = Program(area, case.name, joined, {}, [])
    sources = {source.module: source for source in program.sources().values()}
    lines: dict[Link, bool] = {}
    positions: dict[Link, int] = {}
    for section, texts in case.sections.items():
        assert section in SECTIONS, f"{area}/{case.name}: {section}"
        for text in texts:
            match = _LINE.match(text)
            assert match, f"{area}/{case.name}: {text}"
            origin = _origin(section, match[1], sources)
            link = Link(section, origin, match[2])
            assert link not in lines, f"{area}/{case.name}: twice {text}"
            lines[link] = match[4] is not None
            if match[3] is not None:
                positions[link] = int(match[3])
    return LinkCase(program, lines, positions)


def _origin(section: str, text: str, sources: dict[str, Source]) -> str:
    """Return the place that a text of a line stands for, or a definition as it is."""
    if section not in SITES:
        return text
    match = _SITE.match(text)
    assert match, text
    source, line = sources[match[1]], int(match[2])
    context = ast.Store if section == "writes" else ast.Load
    found = [
        node
        for node in ast.walk(source.tree)
        if isinstance(node, SITES[section])
        and node.lineno == line  # type: ignore[attr-defined]
        and isinstance(getattr(node, "ctx", context()), context)
        and ast.get_source_segment(source.text, node) == match[3]
    ]
    assert len(found) == 1, f"{text}: {len(found)} nodes"
    return place(source.module, found[0])
