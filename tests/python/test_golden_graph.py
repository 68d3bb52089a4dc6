"""Golden graphs: the whole graph of tiny repositories, reviewed line by line.

With CODELAKE_UPDATE_CASES=1 the files are rewritten; read the difference before you keep it.
"""

from __future__ import annotations

import difflib
import os
from pathlib import Path

import pytest

from cases import FOLDER
from conftest import REPOS, built, rows
from graph_text import graph_text

NAMES = ("greeter", "zoo")


@pytest.fixture(scope="module")
def graphs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """The text of each repository's graph, all from one lake."""
    lake: Path = tmp_path_factory.mktemp("golden") / "lake"
    built([REPOS / name for name in NAMES], lake)
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
