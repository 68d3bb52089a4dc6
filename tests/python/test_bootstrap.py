"""Zero-row bootstrap: the plan, an empty lake, a full one, a damaged one."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import msgspec
import pyarrow as pa
import pytest
from click.testing import CliRunner
from deltalake import DeltaTable, write_deltalake

from codelake.cli.main import main
from codelake.compile.program import read_program
from codelake.errors import CodelakeError
from codelake.run.bootstrap import (
    BootstrapReport,
    DatasetOutcome,
    _report,
    bootstrap,
    minimal_row,
)
from codelake.run.bootstrap_plan import plan_bootstrap
from codelake.run.build import RunResult
from codelake.run.create_table import create_table
from codelake.run.project import OWN_TABLES, ROOT
from conftest import GATHERED, GRAPH, ON_REQUEST, SEEDS, built, rows, versions


def test_the_plan_is_sorted_and_has_every_role() -> None:
    program = read_program(ROOT)
    plan = plan_bootstrap(program)
    assert list(plan) == sorted(plan, key=lambda each: each.name)
    assert {each.name for each in plan} == {each.name for each in program.datasets} | {*OWN_TABLES}
    found = {each.name: (each.role, each.required) for each in plan}
    assert found["evidence"] == ("semantic_input", True)
    assert found["evidence_cst"] == ("semantic_input", False)
    assert found["ast_nodes"][0] == "extract_nested"
    assert found["cpg_edges"] == ("semantic_output", True)
    assert found["run_manifest"] == ("internal", False)
    assert "relationship_schema" in {role for role, _ in found.values()}
    assert len({each.schema_hash for each in plan if each.role != "internal"}) > 50


def test_a_minimal_row_fits_every_table_of_the_graph(tmp_path: Path) -> None:
    schema = pa.schema(
        [
            pa.field("id", pa.int64(), nullable=False),
            pa.field("name", pa.string(), nullable=False),
            pa.field("flag", pa.bool_(), nullable=False),
            pa.field("raw", pa.binary(), nullable=False),
            pa.field("parts", pa.list_(pa.struct([("no", pa.int32())])), nullable=False),
            pa.field("attrs", pa.map_(pa.string(), pa.string()), nullable=False),
            pa.field("share", pa.float64()),
        ]
    )
    write_deltalake(tmp_path / "t", minimal_row(schema))
    (row,) = DeltaTable(tmp_path / "t").to_pyarrow_table().to_pylist()
    assert row == {
        **{"id": 0, "name": "", "flag": False, "raw": b""},
        **{"parts": [], "attrs": [], "share": None},
    }


def test_only_tables_can_be_seeded(tmp_path: Path) -> None:
    with pytest.raises(CodelakeError, match="DATASET_UNKNOWN: ast_nodes, nope: no table"):
        bootstrap(tmp_path / "lake", seeded=["nope", "ast_nodes", "evidence"])
    assert not (tmp_path / "lake").exists()


def test_required_datasets_fail_hard_and_the_rest_advises() -> None:
    program = read_program(ROOT)
    result = RunResult(
        run_id="r",
        status="failed",
        lake="lake",
        files_read=0,
        seconds=1.0,
        tables={},
        timings={},
        errors=["is_empty_chk_x: 3 rows", "cpg_edges: no", "call_graph: no"],
        statuses={"is_empty_chk_x": "fail", "cpg_edges": "error", "call_graph": "error"},
    )
    found = [
        DatasetOutcome(
            **{name: getattr(each, name) for name in each.__struct_fields__},
            status="failed",
            detail=result.reasons[each.name],
            version=None,
            rows=None,
        )
        for each in plan_bootstrap(program)
        if each.name in ("cpg_edges", "call_graph")
    ]
    report = _report(program, result, found, False, 0.0)
    assert (report.status, report.failures) == ("failed", ("cpg_edges: no",))
    assert report.advisories == ("call_graph: no", "is_empty_chk_x: depends on rows: 3 rows")
    advised = _report(program, result, [each for each in found if not each.required], False, 0.0)
    assert advised.status == "ok"


def statuses(report: BootstrapReport) -> dict[str, str]:
    return {each.name: each.status for each in report.datasets if each.location}


@pytest.mark.spark
def test_a_lake_is_proven_empty_filled_damaged_and_repaired(shop: Path, lake: Path) -> None:
    made = {*GRAPH, *GATHERED, *SEEDS} | ON_REQUEST
    report = bootstrap(lake, seeded=["cpg_nodes"])
    assert report.status == "ok", report.failures
    assert (report.mode, report.seeded) == ("seeded_minimal_rows", ("cpg_nodes",))
    found = statuses(report)
    assert {found[name] for name in made - {"cpg_nodes"}} == {"created"}
    assert all(rows(lake, table) == [] for table in made)
    compiled = [each for each in report.datasets if each.status == "compiled"]
    assert len(compiled) > 50
    file = lake / "_codelake" / "bootstrap" / f"{report.run_id}.json"
    assert msgspec.json.decode(file.read_bytes(), type=BootstrapReport) == report
    assert len(rows(lake, "run_bootstrap")) == report.planned

    built([shop], lake)
    before = {table: rows(lake, table) for table in made}
    assert {table for table, held in before.items() if not held} == ON_REQUEST
    numbers = versions(lake)

    tables = lake / "codelake"
    shutil.rmtree(tables / "resolution" / "_delta_log")
    shutil.rmtree(tables / "evidence_cst")
    column = {"name": "edge_id", "data_type": "string", "description": "", "constraints": []}
    create_table(tables / "cpg_edges", [column], {}, "", "")
    done = CliRunner().invoke(main, ["bootstrap", "--lake", str(lake), "--format", "json"])
    assert done.exit_code == 3
    damaged = json.loads(done.output)
    assert damaged["mode"] == "strict_zero_rows"
    found = {each["name"]: each["status"] for each in damaged["datasets"] if each["location"]}
    assert found["resolution"] == "recreated"
    assert found["evidence_cst"] == "created"
    assert found["cpg_edges"] == "failed"
    assert any("cpg_edges: " in each and "CONTRACT_CHANGED" in each for each in damaged["failures"])
    assert found["evidence"] == found["cpg_nodes"] == "validated"
    lost = next((lake / "_codelake" / "lost").iterdir())
    assert list(lost.glob("*.parquet"))
    same = made - {"resolution", "evidence_cst", "cpg_edges"}
    assert {table: versions(lake)[table] for table in same} == {t: numbers[t] for t in same}

    built([shop], lake)
    assert {table: rows(lake, table) for table in made} == before
