"""docs/requirements.md: every line has an answer, and every test it names exists."""

from __future__ import annotations

import re
from pathlib import Path

from conftest import ROOT

TESTS = ROOT / "tests" / "python"
LINES = {
    "Zero-row bootstrap": 41,
    "Set-and-forget semantic execution": 38,
    "Best-in-class write path": 55,
    "Programmatic architecture": 15,
    "Bytecode schema features": 29,
}
CITED = re.compile(r"`(test_\w+)::(test_\w+)`")


def answers() -> dict[str, list[str]]:
    """Return the rows of each section: what stands in their second column."""
    text = (ROOT / "docs" / "requirements.md").read_text("utf-8")
    found = {}
    for section in text.split("\n## ")[1:]:
        title, _, body = section.partition("\n")
        rows = [line for line in body.splitlines() if line.startswith("| ")][1:]
        found[title] = [row.strip("| ").split(" | ", 1)[1] for row in rows]
    return found


def has_test(file: Path, name: str) -> bool:
    return file.is_file() and f"def {name}(" in file.read_text("utf-8")


def test_no_line_is_missing() -> None:
    assert {title: len(rows) for title, rows in answers().items()} == LINES


def test_every_line_has_a_test_a_reason_or_waits() -> None:
    for rows in answers().values():
        for answer in rows:
            assert CITED.search(answer) or re.match(r"none: \w|later", answer), answer


def test_every_test_exists() -> None:
    cited = {match for rows in answers().values() for row in rows for match in CITED.findall(row)}
    assert len(cited) > 40
    missing = [
        f"{file}::{name}" for file, name in cited if not has_test(TESTS / f"{file}.py", name)
    ]
    assert missing == []
    assert not has_test(TESTS / "test_requirements.py", "test_that_is_not_here")
