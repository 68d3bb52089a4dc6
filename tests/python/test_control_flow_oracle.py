"""Control-flow evidence against CPython: programs are run, and every step must be in the graph.

Every case is run with values that do anything (chaos.py), and modules of the standard library are
run by small drivers (flow_drivers.py) as well. A step that no path explains is an error; an edge of
a condition that no run takes is counted, and there may be few of them.
"""

from __future__ import annotations

import ast
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from cases import load_cases
from chaos import explore
from codelake.extract.flow.control_flow import FlowUnit
from codelake.extract.flow.flow_builder import Edge
from codelake.semantic.catalog import confidence
from conftest import Figures
from flow_drivers import DRIVERS, drive, source
from flow_trace import Program
from trees import copy_tree

# generators that a run leaves behind may raise when they are closed
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")

CASES = {case.name: case.source for case in load_cases("control_flow")}
ENOUGH = 0.95  # of the edges out of conditions that were executed
SHORT = ["colorsys", "copy", "fnmatch", "graphlib", "heapq", "json.scanner", "textwrap"]


@cache
def explored(name: str) -> Program:
    program = Program(CASES[name], name)
    explore(program, 250, 600)
    return program


@pytest.mark.parametrize("name", CASES)
def test_a_case_runs_as_its_graph_says(name: str) -> None:
    assert not list(explored(name).errors)


def test_conditions_of_cases_go_both_ways(figures: Figures) -> None:
    found = assert_precise([explored(name) for name in CASES], figures)
    stored = {method: (right, size) for method, right, size, _ in confidence.MEASURED}
    assert stored["evaluation_order"] == stored["control_dependence"] == found


def assert_precise(programs: list[Program], figures: Figures) -> tuple[int, int]:
    """Tell, check and return which part of the edges out of conditions was taken."""
    counts = [program.conditions() for program in programs]
    total, taken = sum(item[0] for item in counts), sum(item[1] for item in counts)
    missing = [line for item in counts for line in item[2]]
    figures(f"{taken} of {total} edges out of executed conditions taken ({taken / total:.1%})")
    assert total > 400
    assert taken >= ENOUGH * total, missing
    return taken, total


@pytest.mark.parametrize("name", SHORT)
def test_a_module_runs_as_its_graph_says(name: str) -> None:
    program = drive(name)
    explore(program, 40)
    assert not list(program.errors)
    assert sum(map(len, program.seen.values())) > 50


def noticed(program: Program, unit: FlowUnit, edges: list[Edge]) -> bool:
    """Return whether the steps of a program show that a unit has other edges."""
    graphs = {unit.no: replace(unit, edges=edges)}
    return Program(CASES[program.name], program.name, graphs).unexplained(program) > 0


NOTICED = ("true", "false", "loop", "exception")


@pytest.mark.parametrize(
    "name", ["while_else_break", "try_handlers", "match_sequence", "with_break"]
)
def test_the_oracle_misses_no_edge_that_was_taken(name: str) -> None:
    """Leave out one edge after the other: the run must notice each that it had taken."""
    program = explored(name)
    count = 0
    for points in program.units.values():
        unit = points.unit
        for edge in unit.edges:
            begin, end, label = edge
            taken = (unit.blocks[begin][-1], unit.blocks[end][0], label)
            leaves = end == 1 and label == "exception"  # may do so without an edge
            if taken in program.seen[unit.no] and label in NOTICED and not leaves:
                edges = [item for item in unit.edges if item != edge]
                assert noticed(program, unit, edges), (name, edge)
                count += 1
    assert count > 3


SWAPPED = {"true": "false", "false": "true"}


@pytest.mark.parametrize("name", ["and_in_test", "compare_chain_test", "for_loop", "match_guard"])
def test_the_oracle_knows_true_from_false(name: str) -> None:
    program = explored(name)
    unit = program.units[0].unit
    edges = [(begin, end, SWAPPED.get(label or "", label)) for begin, end, label in unit.edges]
    assert noticed(program, unit, edges)
    assert not noticed(program, unit, unit.edges)


@pytest.mark.prove
def test_modules_run_as_their_graphs_say(figures: Figures) -> None:
    programs = []
    for name in DRIVERS:
        program = drive(name)
        explore(program, 400)
        assert not list(program.errors)
        programs.append(program)
    assert_precise(programs, figures)


@pytest.mark.prove
def test_all_of_django_runs_as_its_graphs_say(tmp_path: Path) -> None:
    count, errors = run_folder(copy_tree("django", tmp_path), 8)
    assert not errors
    assert count > 800


@pytest.mark.prove
def test_the_standard_library_runs_as_its_graphs_say() -> None:
    count, errors = run_folder(Path(ast.__file__).parent, 4)
    assert not errors
    assert count > 500


def run_folder(folder: Path, rounds: int) -> tuple[int, list[str]]:
    """Run every code object of every file that CPython compiles."""
    count, errors = 0, []
    for path in sorted(folder.rglob("*.py")):
        inner = path.relative_to(folder).parts
        raw = path.read_bytes()
        if {"site-packages", "test", "idlelib"} & set(inner) or len(raw) > 300_000:
            continue
        try:
            text = raw.decode()
            compile(raw, "m", "exec", dont_inherit=True)
        except (SyntaxError, UnicodeError, ValueError):
            continue
        program = Program(text, "/".join(inner))
        explore(program, rounds, 2000)
        errors += program.errors
        count += 1
    return count, errors


def test_sources_of_drivers_are_there() -> None:
    assert all(source(name) for name in DRIVERS)
