"""Plain dbt, each command in a new process, on the lake that the one before left."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from codelake.run import lake_lock
from codelake.run.manifest import list_runs
from conftest import ON_REQUEST, REPOS, ROOT, rows, versions

pytestmark = pytest.mark.spark


def test_commands_work_in_any_order_on_a_lake(command, lake: Path, tmp_path: Path) -> None:
    def dbt(*arguments: str) -> str:
        done = command("dbt", *arguments, lake=lake)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    listed = dbt("ls", "--output", "name").split()
    assert {"evidence", "cpg_nodes", "chk_edges_without_nodes"} <= set(listed)
    dbt("build", "--empty")
    assert rows(lake, "cpg_nodes") == []
    repos = json.dumps({"repos": [str(REPOS / "shop")]})  # dbt reads the project anew for vars
    dbt("build", "--vars", repos)
    before = versions(lake)
    counts = {table: len(rows(lake, table)) for table in before}
    assert {table for table, count in counts.items() if not count} == ON_REQUEST
    dbt("build", "--vars", repos)

    shown = dbt("show", "--output", "json", "--inline", "select * from {{ ref('ast_defs') }}")
    assert '"qualified_name": "shop.cart.Cart.add"' in shown
    dbt("docs", "generate")
    catalog = json.loads((tmp_path / "target" / "catalog.json").read_text())
    assert "model.codelake.cpg_edges" in catalog["nodes"]
    assert catalog["nodes"]["model.codelake.ast_nodes"]["columns"]["node_id"]["type"] == "bigint"
    tested = dbt("test")
    assert tested.count(" PASS is_empty_chk_") == 6
    dbt("run", "--select", "cpg_nodes", "chk_duplicate_node_ids", "call_graph")
    dbt("build", "--empty")
    dbt("build")
    assert versions(lake) == before
    assert {table: len(rows(lake, table)) for table in before} == counts

    runs = list_runs(lake)
    assert len(runs) == 6 and {run.status for run in runs} == {"complete"}
    assert runs[0].snapshot == before
    lake_lock.acquire(lake, "somebody-else")
    done = command("dbt", "build", lake=lake)
    lake_lock.release(lake)
    assert done.returncode != 0
    assert "LAKE_BUSY: somebody-else is writing" in done.stdout + done.stderr


def test_stale_models_are_refused_before_anything_runs(command, tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    for name in ("models", "macros", "seeds", "profiles", "python_hooks", "docs"):
        shutil.copytree(ROOT / name, project / name)
    shutil.copy2(ROOT / "dbt_project.yml", project)
    (project / "profiles.yml").symlink_to("profiles/profiles.yml")
    model = project / "models" / "cpg" / "cpg_nodes.sql"
    hooks = str(project / "python_hooks")
    assert command("dbt", "ls", cwd=project, PYTHONPATH=hooks).returncode == 0
    model.write_text(model.read_text() + "-- edited by hand\n")
    done = command("dbt", "ls", cwd=project, PYTHONPATH=hooks)
    assert done.returncode != 0
    assert "MODELS_STALE" in done.stdout
    assert "models/cpg/cpg_nodes.sql" in done.stdout
    assert "codelake compile" in done.stdout
