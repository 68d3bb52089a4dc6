"""A new relation is one declaration: one file of the catalogue changes, and the project builds."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from conftest import REPOS, ROOT, rows

pytestmark = pytest.mark.spark

_CATALOGUE = "python_hooks/codelake/semantic/catalog/syntax.py"
_RELATION = """
RELATIONS += (
    Relation(
        "rel_assertions",
        "ASSERTS",
        meaning="definition -> assert statement in it.",
        example="`def f(): assert x`: FUNCTION f -> STATEMENT assert",
        ways=(Way(ast_nodes, "owner_id", "node_id", when="syntax = 'Assert'"),),
    ),
)
"""


def test_a_relation_is_added_in_one_file_and_built(command, lake: Path, tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    for name in ("models", "macros", "seeds", "profiles", "python_hooks", "docs"):
        shutil.copytree(ROOT / name, project / name)
    shutil.copy2(ROOT / "dbt_project.yml", project)
    (project / "profiles.yml").symlink_to("profiles/profiles.yml")
    declared = project / _CATALOGUE
    declared.write_text(declared.read_text("utf-8") + _RELATION, "utf-8")
    hooks = str(project / "python_hooks")

    compiled = command("codelake", "compile", cwd=project, PYTHONPATH=hooks)
    assert compiled.returncode == 0, compiled.stderr
    assert (project / "models" / "semantic" / "rel_assertions.sql").is_file()
    assert "'ASSERTS' as edge_kind" in (project / "models/cpg/cpg_edges.sql").read_text("utf-8")
    assert "`ASSERTS`" in (project / "docs" / "data_model.md").read_text("utf-8")

    arguments = ("build", REPOS / "shop", "--lake", lake)
    built = command("codelake", *arguments, cwd=project, PYTHONPATH=hooks)
    assert built.returncode == 0, built.stdout + built.stderr
    edges = rows(lake, "cpg_edges", ["edge_kind", "path"])
    found = {edge["path"] for edge in edges if edge["edge_kind"] == "ASSERTS"}
    assert found == {"tests/test_cart.py"}
