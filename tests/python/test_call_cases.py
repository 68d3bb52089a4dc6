"""Call cases: every label against CPython, in both directions, and against the syntax tree."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from call_programs import (
    FOLDERS,
    HELD_OUT,
    SECTIONS,
    TUNING,
    Edge,
    Program,
    areas,
    programs,
)

ALL = [(folder, item) for folder in FOLDERS for a in areas(folder) for item in programs(folder, a)]
AREAS = sorted({area for folder in FOLDERS for area in areas(folder)})
each_program = pytest.mark.parametrize(
    ("folder", "program"), ALL, ids=[f"{folder}-{item.area}-{item.name}" for folder, item in ALL]
)


@pytest.fixture(scope="module")
def traced() -> dict[str, Any]:
    """Run all cases once, in a process of their own."""
    script = Path(__file__).with_name("call_trace.py")
    hooks = script.parents[2] / "python_hooks"
    run = subprocess.run(
        [sys.executable, str(script), *AREAS],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
        env={"PYTHONPATH": str(hooks), "PYTHONDONTWRITEBYTECODE": "1", "PATH": ""},
    )
    assert run.returncode == 0, run.stderr[-4000:]
    found: dict[str, Any] = json.loads(run.stdout)
    return found


def problems(program: Program, seen: dict[str, Any]) -> list[str]:
    """Compare the lines of a case with what was seen."""
    if seen["error"]:
        return [f"the program failed: {seen['error']}"]
    found = {section: set[Edge]() for section in SECTIONS}
    for section, caller, line, col, callee in seen["edges"]:
        found[section].add(Edge(caller, line, col, callee))
    lines = program.lines
    open_sites = {_site(edge) for edge in lines["calls"] if edge.callee == "?"}
    handed = {edge.callee for edge in lines["callbacks"]}
    errors: list[str] = []
    for section, edges in found.items():
        for edge in sorted(edges - lines[section].keys()):
            if edge in lines["dynamic"]:
                continue
            if section == "calls" and _site(edge) in open_sites and edge.callee[:4] == "ext:":
                continue
            if section == "callbacks" and edge.callee in handed:
                continue  # handed over in one place, called in another
            errors.append(f"[{section}] made, not listed: {edge}")
    errors += [
        f"made by others, not listed: {name}" for name in seen["loose"] if name not in handed
    ]
    everything = set().union(*found.values())
    elsewhere = found["callbacks"] - lines["callbacks"].keys()
    entered = {*seen["loose"], *(edge.callee for edge in elsewhere)}
    for section, listed in lines.items():
        for edge, untaken in listed.items():
            made = edge in (everything if section == "dynamic" else found[section])
            made = made or (section == "callbacks" and edge.callee in entered)
            made = made or (not untaken and _is_quiet_class(section, edge, program))
            if edge.callee != "?" and made == untaken:
                errors.append(f"[{section}] {'made' if untaken else 'not made'}: {edge}")
    return errors


def _site(edge: Edge) -> tuple[str, int, int]:
    return edge.caller, edge.line, edge.col


def _is_quiet_class(section: str, edge: Edge, program: Program) -> bool:
    """Return whether a class is called where no event tells of it: by C code, without own code."""
    sources = program.sources().values()
    if not any(edge.callee in source.class_names() for source in sources):
        return False
    (source,) = (source for source in sources if edge.caller in source.names)
    for node in source.nodes.values():
        if (node.lineno, node.col_offset) != (edge.line, edge.col):  # type: ignore[attr-defined]
            continue
        if section == "implicit" and isinstance(node, ast.Raise | ast.ClassDef):
            return True
        if section == "callbacks" and isinstance(node, ast.Call):
            name = edge.callee.rpartition(".")[2]
            given = [*node.args, *(keyword.value for keyword in node.keywords)]
            names = {getattr(item, "id", getattr(item, "attr", "")) for item in given}
            return name in names
    return section == "dynamic"


@pytest.mark.skipif(sys.version_info < (3, 13), reason="places of instructions are those of 3.13")
@each_program
def test_calls(folder: str, program: Program, traced: dict[str, Any]) -> None:
    assert not problems(program, traced[f"{folder}/{program.area}/{program.name}"])


@each_program
def test_lines(folder: str, program: Program) -> None:
    """Every call expression has a line, every line a call expression in its caller."""
    sources = program.sources()
    known = {name for source in sources.values() for name in source.names}
    sites = {
        (source.owner(node), node.lineno, node.col_offset)
        for source in sources.values()
        for node in source.calls.values()
    }
    explicit = {_site(edge) for section in ("calls",) for edge in program.lines[section]}
    assert explicit == sites
    for section, edges in program.lines.items():
        for edge in edges:
            assert edge.caller in known, edge
            assert edge.callee in known or (section == "calls" and edge.callee[:4] in ("?", "ext:"))
            assert section != "callbacks" or _site(edge) in sites, edge
    listed = {(edge.caller, edge.callee) for edges in program.lines.values() for edge in edges}
    for pair in program.never:
        assert pair not in listed, pair
        assert pair[0] in known, pair
        assert pair[1] in known or pair[1].startswith("ext:"), pair


@pytest.mark.parametrize("area", areas())
def test_every_third_case_is_held_out(area: str) -> None:
    tuning, held_out = programs(TUNING, area), programs(HELD_OUT, area)
    assert len(held_out) == (len(tuning) + len(held_out)) // 3
    names = [program.name for program in (*tuning, *held_out)]
    assert len(set(names)) == len(names)
