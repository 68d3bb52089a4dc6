"""Text cases: `[case name]`, a source, and sections of expected lines.

    [case name]         the source, up to the first section
    x = 1
    [nodes]             a section: the lines a suite prints for it
    0.0 MODULE m

Blank lines at the end of a part do not count. Each suite runs every section of a case through
its own printer. With CODELAKE_UPDATE_CASES=1 the file is rewritten with what was printed; read
the difference before you keep it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent.parent / "cases"
_CASE = re.compile(r"^\[case (\w+)\]$")
_SECTION = re.compile(r"^\[([a-z_]+)\]$")


@dataclass(frozen=True)
class Case:
    file: str
    name: str
    source: str
    sections: dict[str, list[str]]


def load_cases(file: str) -> list[Case]:
    """Read the cases of tests/cases/FILE.test."""
    cases: list[Case] = []
    part: list[str] = []
    for line in (FOLDER / f"{file}.test").read_text("utf-8").splitlines():
        if match := _CASE.match(line):
            part = []
            cases.append(Case(file, match[1], "", {"": part}))
        elif (match := _SECTION.match(line)) and cases:
            part = cases[-1].sections[match[1]] = []
        else:
            part.append(line)
    return [_finished(case) for case in cases]


def parametrize(file: str) -> pytest.MarkDecorator:
    """Run a test once for each case of a file."""
    cases = load_cases(file)
    assert len({case.name for case in cases}) == len(cases), "two cases have one name"
    return pytest.mark.parametrize("case", cases, ids=lambda case: case.name)


def check(case: Case, printers: Mapping[str, Callable[[], list[str]]]) -> None:
    """Compare every section of a case with what its printer says."""
    assert case.sections, f"case {case.name} expects nothing"
    printed = {section: printers[section]() for section in case.sections}
    if os.environ.get("CODELAKE_UPDATE_CASES") == "1":
        _update(case, printed)
    else:
        assert printed == case.sections


def _finished(case: Case) -> Case:
    trimmed = {name: "\n".join(lines).rstrip("\n") for name, lines in case.sections.items()}
    source = trimmed.pop("")
    sections = {name: text.split("\n") if text else [] for name, text in trimmed.items()}
    return Case(case.file, case.name, source + "\n" if source else "", sections)


def _update(case: Case, printed: Mapping[str, list[str]]) -> None:
    path = FOLDER / f"{case.file}.test"
    lines = [f"[case {case.name}]", *case.source.splitlines()]
    for section, expected in printed.items():
        lines += [f"[{section}]", *expected]
    text = path.read_text("utf-8")
    pattern = re.compile(rf"^\[case {case.name}\]$.*?(?=^\[case |\Z)", re.MULTILINE | re.DOTALL)
    path.write_text(pattern.sub(lambda _: "\n".join([*lines, "", ""]), text), "utf-8")
