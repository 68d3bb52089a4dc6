"""What the compiler decides of the catalogue: lineage, layout, extractors, functions, order."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from codelake.compile.assemble import dataset_sql
from codelake.compile.pipeline import run_pipeline
from codelake.compile.plan import make_plan, print_plan
from codelake.compile.program import read_program
from codelake.compile.units import State
from codelake.errors import CodelakeError
from codelake.extract.versions import EXTRACTOR_VERSIONS
from codelake.run.scan_plan import PROFILE_PARTS
from codelake.semantic.catalog import catalogue
from codelake.semantic.catalog.columns import columns
from codelake.semantic.ir import Dataset, Op, Project, Relate, Source

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = read_program(ROOT)


@pytest.fixture(scope="module")
def state() -> State:
    return run_pipeline(catalogue())


def _with(rows: Op) -> State:
    """Compile the catalogue with one more view."""
    whole = catalogue()
    view = Dataset(
        "namesakes",
        layer="surface",
        description="Nodes that share their name with a definition.",
        grain="One row per node and definition.",
        key=("node_id", "owner_id"),
        columns=columns("node_id owner_id?"),
        rows=rows,
    )
    return run_pipeline(replace(whole, datasets=(*whole.datasets, view)))


def test_statistics_cost_what_they_did(state: State) -> None:
    found = {u.name: [c.column for c in u.layout.stats] for u in state.units if u.layout.stats}
    for name in ("evidence", "resolution", "cpg_edges"):
        assert found[name] == ["repo", "path", "file_id"]
    assert found["cpg_nodes"] == ["qualified_name", "repo", "path", "file_id"]  # distributions
    assert all(len(names) <= 4 for names in found.values())


def test_deleting_a_join_changes_sql_layout_and_lineage_together() -> None:
    both = {"node_id": "node_id", "owner_id": "owner_id"}
    definitions = Project(
        "definitions",
        Source("cpg_nodes"),
        {"definition_id": "node_id", "definition_name": "qualified_name"},
    )
    joined = Relate(
        "by_name",
        Source("cpg_nodes"),
        definitions,
        on=(("qualified_name", "definition_name"),),
        take=("definition_id",),
        many=True,
    )
    found = {"node_id": "node_id", "owner_id": "definition_id"}
    with_join = _with(Project("found", joined, found))
    without = _with(Project("found", Source("cpg_nodes"), both))
    results = []
    for made in (with_join, without):
        unit = made.unit("namesakes")
        told = {choice.column: choice.reason for choice in made.unit("cpg_nodes").layout.stats}
        times = int(re.findall(r"\d+", told["qualified_name"])[0])
        strategies = [join.strategy for join in unit.joins]
        results.append((times, strategies, " join " in dataset_sql(made, unit)))
    (more, *joined_sql), (fewer, *plain_sql) = results
    assert more > fewer  # one more dataset looks nodes up by their qualified name
    assert joined_sql == [["symbol match"], True]
    assert plain_sql == [[], False]


def test_the_graph_needs_no_evidence_on_request() -> None:
    plan = make_plan(PROGRAM, ("cpg_nodes", "cpg_edges"))
    assert plan.evidence == ("evidence",)
    assert {"ast", "facts", "flow", "resolver", "symtable", "tree_sitter"} <= {*plan.extractors}
    assert not {"bytecode", "cst"} & {*plan.extractors}
    # an index is one more source where a build names one: no file is read again for it
    scip = next(step for step in plan.steps if step.name == "evidence_scip")
    assert "driver" in scip.why
    assert make_plan(PROGRAM, ("py_bc_instructions",)).evidence == ("evidence_bytecode",)


def test_tables_of_a_profile_say_which_evidence_it_reads() -> None:
    tables = [d.name for d in PROGRAM.datasets if d.write and d.write.profile == "full"]
    evidence = {name.removeprefix("evidence_") for name in make_plan(PROGRAM, tables).evidence}
    assert evidence == {*PROFILE_PARTS["full"]}


def test_extractors_are_those_whose_versions_are_kept() -> None:
    for extractor in catalogue().extractors:
        if extractor.part in EXTRACTOR_VERSIONS:
            assert extractor.name in EXTRACTOR_VERSIONS[extractor.part], extractor


def test_a_plan_is_in_build_order_and_holds_what_it_reads() -> None:
    for outputs in ((), ("call_graph",), ("chk_edges_without_nodes", "repo_files")):
        seen: set[str] = set()
        plan = make_plan(PROGRAM, outputs)
        for step in plan.steps:
            assert {*step.reads} <= seen
            assert step.why
            seen.add(step.name)
        assert {*plan.outputs} <= seen
        assert not seen & {*plan.unread}


def test_unknown_output_names_the_known_ones() -> None:
    with pytest.raises(CodelakeError, match="OUTPUT_UNKNOWN: there is no dataset `cpg_node`"):
        make_plan(PROGRAM, ("cpg_node",))


def test_commands_print_the_plan_and_the_difference(
    command: Callable[..., subprocess.CompletedProcess[str]],
) -> None:
    text = command("codelake", "plan", "cpg_edges").stdout
    assert text == print_plan(make_plan(PROGRAM, ("cpg_edges",)))
    found = json.loads(command("codelake", "plan", "--format", "json").stdout)
    assert found["program_hash"] == PROGRAM.program_hash
    assert [step["name"] for step in found["steps"]][-1] in PROGRAM.outputs
    assert command("codelake", "compile", "--diff").stdout == ""
