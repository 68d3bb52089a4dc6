"""Labelled programs: their files, the pairs they state, and the pairs that a run shows.

    -- main.py                      the files; main.py runs as `__main__`
    |sink("1", source("a"))
    |sink("2", "plain")
    [flows]                         these sources reach these sinks
    a -> 1
    [not]                           these do not, whatever value the source has
    a -> 2

A value flows when the argument of the sink is it, holds it, or is computed from it: by copies,
containers, attributes, calls, arithmetic, texts. What only decides which code runs, or which
element is taken, does not flow. Lengths, comparisons and truth values are not labelled.

A program knows three more builtins. `source(label, like)` and `sink(label, value)` may leave out
the label, which is then "source" or "sink"; marks.py tells what `like` does. `maybe()` is a
condition nobody can know: the program runs once for each way that its first six may go.
Every pair stands in one section, once. ` !` behind a pair of [flows]: no run can show it.
"""

from __future__ import annotations

import ast
import builtins
import importlib
import runpy
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from cases import FOLDER, Case, load_cases
from marks import Marks

Pair = tuple[str, str]
_MOST_CONDITIONS = 6


def programs(folder: str) -> list[Case]:
    """Read the cases of every file of a folder."""
    return [
        case
        for path in sorted((FOLDER / folder).glob("*.test"))
        for case in load_cases(f"{folder}/{path.stem}")
    ]


def parametrize_programs(folder: str) -> pytest.MarkDecorator:
    """Run a test once for each program of a folder."""
    found = programs(folder)
    return pytest.mark.parametrize(
        "case", found, ids=[f"{Path(one.file).name}-{one.name}" for one in found]
    )


def files_of(case: Case) -> dict[str, str]:
    """Return the files of a program by path."""
    files: dict[str, str] = {}
    for line in case.source.splitlines():
        if line.startswith("-- "):
            path = line.removeprefix("-- ")
            files[path] = ""
        elif line and line[0] != "#":
            assert line[0] == "|", f"{case.name}: `{line}` is neither a path nor content"
            files[path] += line[1:] + "\n"
    return files


def stated(case: Case, section: str) -> dict[Pair, bool]:
    """Return the pairs of a section, and of each whether a run can show it."""
    pairs: dict[Pair, bool] = {}
    for line in case.sections.get(section, []):
        source, arrow, sink = line.removesuffix(" !").partition(" -> ")
        assert arrow and (source, sink) not in pairs, f"{case.name}: `{line}`"
        pairs[source, sink] = not line.endswith(" !")
    return pairs


def labels(files: dict[str, str], function: str) -> list[str]:
    """Return the labels of the calls of `source` or `sink`, in order."""
    found = []
    for text in files.values():
        for node in ast.walk(ast.parse(text)):
            match node:
                case ast.Call(func=ast.Name(id=name), args=args) if name == function:
                    labelled = len(args) > (function == "sink")
                    found.append(ast.literal_eval(args[0]) if labelled else function)
    return found


def observed(files: dict[str, str], folder: Path) -> set[Pair]:
    """Run a program in every way; return the pairs that were seen."""
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, "utf-8")
    seen: set[Pair] = set()
    taken: list[bool] | None = []
    while taken is not None:
        _run(folder, taken, seen)
        taken = _next(taken)
    return seen


def _run(folder: Path, taken: list[bool], seen: set[Pair]) -> None:
    """Run once, follow the conditions given, and add those that came after."""
    marks = Marks()
    asked = 0

    def maybe() -> bool:
        nonlocal asked
        asked += 1
        if asked > _MOST_CONDITIONS:
            return False
        if asked > len(taken):
            taken.append(False)
        return taken[asked - 1]

    def sink(*args: Any) -> None:
        label, value = args if len(args) == 2 else ("sink", *args)
        seen.update((mark, label) for mark in marks.marks_in(value))

    with _builtins(source=marks.source, sink=sink, maybe=maybe), _modules_of(folder):
        runpy.run_path(str(folder / "main.py"), run_name="__main__")


def _next(taken: list[bool]) -> list[bool] | None:
    """Return the conditions of the next run: the last one that was false turns true."""
    while taken and taken[-1]:
        taken = taken[:-1]
    return [*taken[:-1], True] if taken else None


@contextmanager
def _builtins(**functions: Any) -> Iterator[None]:
    for name, function in functions.items():
        setattr(builtins, name, function)
    try:
        yield
    finally:
        for name in functions:
            delattr(builtins, name)


@contextmanager
def _modules_of(folder: Path) -> Iterator[None]:
    """Import from a folder, and forget its modules afterwards."""
    hidden = {name: sys.modules.pop(name) for name in _own_names(folder) & {*sys.modules}}
    before = set(sys.modules)
    sys.path.insert(0, str(folder))
    importlib.invalidate_caches()
    try:
        yield
    finally:
        sys.path.remove(str(folder))
        for name in set(sys.modules) - before:
            place = getattr(sys.modules[name], "__file__", None) or ""
            if not place or Path(place).is_relative_to(folder):
                del sys.modules[name]
        sys.modules.update(hidden)


def _own_names(folder: Path) -> set[str]:
    """Return the top modules of a folder, which hide those of the same name."""
    return {path.stem for path in folder.iterdir()}
