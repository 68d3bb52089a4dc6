"""Golden graphs: the whole graph of tiny repositories, reviewed line by line.

With CODELAKE_UPDATE_CASES=1 the files are rewritten; read the difference before you keep it.
"""

from __future__ import annotations

import difflib
import os
from pathlib import Path

import pytest

from cases import FOLDER
from codelake.run.query import run_query
from conftest import REPOS, built, rows
from graph_text import graph_text

NAMES = ("greeter", "zoo")


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One lake of all repositories."""
    lake: Path = tmp_path_factory.mktemp("golden") / "lake"
    built([REPOS / name for name in NAMES], lake)
    return lake


@pytest.fixture(scope="module")
def graphs(lake: Path) -> dict[str, list[str]]:
    """The text of each repository's graph."""
    nodes, edges = rows(lake, "cpg_nodes"), rows(lake, "cpg_edges")
    outside = {node["node_id"] for node in nodes if node["node_kind"] == "EXTERNAL"}
    texts = {}
    for name in NAMES:
        own = [edge for edge in edges if edge["repo"] == name]
        used = outside & {edge["dst_node_id"] for edge in own}
        inside = [node for node in nodes if node["repo"] == name or node["node_id"] in used]
        texts[name] = graph_text(inside, own)
    return texts


@pytest.mark.spark
@pytest.mark.parametrize("name", NAMES)
def test_graph(name: str, graphs: dict[str, list[str]]) -> None:
    path = FOLDER / "golden" / f"{name}.txt"
    if os.environ.get("CODELAKE_UPDATE_CASES") == "1":
        path.write_text("\n".join([*graphs[name], ""]), "utf-8")
    expected = path.read_text("utf-8").splitlines()
    changes = difflib.unified_diff(expected, graphs[name], path.name, "found", lineterm="")
    assert expected == graphs[name], "\n".join(changes)


SURFACE = """
select 'imports' as what, importer as of, imported_name as value from import_graph
union all
select 'inherits' as what, class_name as of, base_name as value from inheritance
union all
select 'unused' as what, qualified_name as of, path as value from unused_definitions
union all
select 'complexity' as what, qualified_name as of, cast(complexity as string) as value
from function_sizes
union all
select 'unknown calls' as what, path as of, cast(unknown_call_count as string) as value
from file_quality
union all
select 'odd' as what, anomaly as of, path as value from anomalies
"""


@pytest.mark.spark
def test_surface(lake: Path) -> None:
    assert set(run_query(SURFACE, lake)[1]) == {
        ("imports", "greeter", "greeter.words"),
        ("inherits", "zoo.Dog", "zoo.Animal"),
        ("complexity", "greeter.words.greet", "2"),
        ("complexity", "zoo.Animal.__init__", "1"),
        ("complexity", "zoo.Animal.speak", "1"),
        ("complexity", "zoo.Dog.speak", "1"),
        ("complexity", "zoo.chorus", "2"),
        ("unknown calls", "greeter/__init__.py", "0"),
        ("unknown calls", "greeter/words.py", "0"),
        ("unknown calls", "zoo.py", "0"),
    }
