"""What the tests share: tiny repositories, lakes in temporary folders, one Spark per run.

A test that measures something tells it with the fixture `figures`; all of it stands at the end of
the run, whether the test passes or not.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from deltalake import DeltaTable
from hypothesis import HealthCheck, settings

from codelake.run.build import RunResult, build
from codelake.run.project import OWN_TABLES

# the same examples every time, and a busy machine is no fault of what is tested; to look for more:
# pytest --hypothesis-profile=default
settings.register_profile(
    "codelake", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("codelake")

ROOT = Path(__file__).resolve().parents[2]
REPOS = ROOT / "tests" / "repos"
GRAPH = ("evidence", "resolution", "cpg_nodes", "cpg_edges")
SEEDS = ("edge_methods", "graph_kinds")
GATHERED = ("evidence_repositories", "python_external_interfaces")
ON_REQUEST = {"evidence_bytecode", "evidence_cst", "evidence_scip"}
type Figures = Callable[[str], None]
KEYS = {
    "evidence": "file_id",
    "resolution": "file_id",
    "cpg_nodes": "node_id",
    "cpg_edges": "edge_id",
}


@pytest.fixture
def figures(record_property: Callable[[str, object], None]) -> Figures:
    """Take a line of text about what a test measured."""
    return lambda text: record_property("figure", text)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print what the tests measured."""
    told = {
        report.nodeid.rpartition("::")[2]: [text for name, text in found if name == "figure"]
        for reports in terminalreporter.stats.values()
        for report in reports
        if (found := getattr(report, "user_properties", ())) and report.when == "call"
    }
    if any(told.values()):
        terminalreporter.section("figures")
    for test in sorted(told):
        for text in told[test]:
            terminalreporter.line(f"{test}: {text}")


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A copy of the repository `shop` that a test may change."""
    return Path(shutil.copytree(REPOS / "shop", tmp_path / "shop"))


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    """The folder of a lake that does not exist yet; its name needs care in URLs and in SQL."""
    return tmp_path / "a reader's lake"


@pytest.fixture(scope="session")
def first_build(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A lake that one build of `shop` made; nobody writes to it."""
    lake = tmp_path_factory.mktemp("first") / "lake"
    built([REPOS / "shop"], lake)
    return lake


@pytest.fixture
def shop_lake(first_build: Path, lake: Path) -> Path:
    """A lake that holds `shop`, as a build of it leaves it."""
    return Path(shutil.copytree(first_build, lake))


def built(repos: Sequence[str | Path], lake: Path, **options: Any) -> RunResult:
    """Build in this process and insist on success."""
    result = build(repos, lake, **options)
    assert result.status == "complete", result.errors
    return result


def rows(lake: Path, table: str, columns: list[str] | None = None) -> list[dict[str, Any]]:
    """Return a table's rows, read without Spark, in the order of its key."""
    data = DeltaTable(lake / "codelake" / table).to_pyarrow_table(columns=columns)
    found = data.to_pylist()
    key = KEYS.get(table)
    return (
        sorted(found, key=lambda row: row[key])
        if key and (columns is None or key in columns)
        else found
    )


def versions(lake: Path) -> dict[str, int]:
    """Return the version of every table that a model makes."""
    folders = sorted((lake / "codelake").iterdir())
    return {f.name: DeltaTable(f).version() for f in folders if f.name not in OWN_TABLES}


def same_graph(one: Path, other: Path) -> bool:
    """Say whether two lakes hold the same rows."""
    return all(rows(one, table) == rows(other, table) for table in GRAPH)


@pytest.fixture
def command(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run a command of the project's environment in a process of its own."""

    def run(*arguments: str | Path, lake: Path | None = None, cwd: Path = ROOT, **env: str) -> Any:
        settings = {**os.environ, **env}
        settings["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{settings['PATH']}"
        settings["DBT_TARGET_PATH"] = str(tmp_path / "target")
        settings["DBT_LOG_PATH"] = str(tmp_path / "logs")
        if lake is not None:
            settings["CODELAKE_LAKE"] = str(lake)
        return subprocess.run(
            [str(argument) for argument in arguments],
            cwd=cwd,
            env=settings,
            capture_output=True,
            text=True,
            timeout=600,
        )

    return run
