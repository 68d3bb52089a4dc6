"""What holds a build together: one compile, one source of locations, a fingerprint for each model,
functions that exist, nothing registered that is not in the program.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from codelake.compile.program import PROGRAM_PATH, read_program
from codelake.compile.write import MARK
from codelake.errors import CodelakeError
from codelake.run.catalogue import register_lake, registered_relations, table_location
from codelake.run.functions import require_functions
from codelake.run.session import Views

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "python_hooks" / "codelake"
PROGRAM = read_program(ROOT)
LIGHT = {"codelake.compile.program", "codelake.compile.write", "codelake.compile.plan"}


def _imports(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return found


def test_a_build_reads_the_program_and_compiles_nothing() -> None:
    for path in (*(PACKAGE / "run").glob("*.py"), ROOT / "python_hooks" / "dbt_codelake.py"):
        compiler = {name for name in _imports(path) if name.startswith("codelake.compile")}
        assert compiler <= LIGHT, path.name
        assert "compile_project(" not in path.read_text("utf-8"), path.name


def test_locations_come_from_the_program(tmp_path: Path) -> None:
    for dataset in PROGRAM.datasets:
        if dataset.location:
            assert table_location(tmp_path, dataset.name) == tmp_path / dataset.location
    composed = re.compile(r"/ SCHEMA /|SCHEMA\}/|/ \"codelake\" /")
    modules = [p for folder in ("run", "cli") for p in (PACKAGE / folder).glob("*.py")]
    found = {path.name for path in modules if composed.search(path.read_text("utf-8"))}
    assert found == {"catalogue.py"}


def test_every_model_has_the_fingerprint_of_the_program() -> None:
    for dataset in PROGRAM.datasets:
        if dataset.materialization == "seed":
            continue
        text = (ROOT / "models" / dataset.layer / f"{dataset.name}.yml").read_text("utf-8")
        meta = yaml.safe_load(text)["models"][0]["config"]["meta"]
        assert meta["fingerprint"] == dataset.fingerprint
        assert len(dataset.fingerprint) == 64


class _Registry:
    """Answers like the function registry of a session."""

    def __init__(self, names: tuple[str, ...]) -> None:
        self._names = names

    def __getattr__(self, _: str) -> Any:
        return lambda *_: self

    def mkString(self, _: str) -> str:
        return " ".join(self._names)


class _Session:
    def __init__(self, *functions: str) -> None:
        self._jsparkSession = _Registry(functions)
        self.statements: list[str] = []

    def sql(self, text: str) -> None:
        self.statements.append(text)


def test_a_function_that_the_session_lacks_stops_before_anything_runs() -> None:
    require_functions(_Session(*PROGRAM.functions), PROGRAM)
    fewer = [name for name in PROGRAM.functions if name != "xxhash64"]
    with pytest.raises(CodelakeError, match="this Spark has no function xxhash64"):
        require_functions(_Session(*fewer), PROGRAM)


def test_only_what_the_program_names_is_registered(tmp_path: Path) -> None:
    for name in ("cpg_nodes", "cpg_edges", "stranger"):
        log = tmp_path / "codelake" / name / "_delta_log"
        log.mkdir(parents=True)
        (log / f"{0:020}.json").write_text("{}")
    session = _Session()
    register_lake(session, tmp_path, views=Views.ALL)
    made = [
        text
        for text in session.statements
        if text.startswith(("create table", "create or replace view"))
    ]
    assert len(made) == len(registered_relations())
    assert {"cpg_nodes", "cpg_edges", "call_graph"} <= registered_relations().keys()
    assert registered_relations().keys() <= {dataset.name for dataset in PROGRAM.datasets}
    view = next(text for text in made if "call_graph" in text)
    assert "'codelake.semantic_type.callee_id' = 'NodeId'" in view


def test_every_file_of_the_models_is_generated() -> None:
    by_hand = []
    for path in (ROOT / "models").rglob("*.*"):
        name = path.relative_to(ROOT).as_posix()
        if name != PROGRAM_PATH and MARK not in path.read_text("utf-8").splitlines()[0]:
            by_hand.append(name)
    assert len(by_hand) <= 5, by_hand
    for name in by_hand:
        assert "not generated" in (ROOT / name).read_text("utf-8").splitlines()[0], name


def test_lineage_leads_from_the_evidence_to_every_product_table() -> None:
    below: dict[str, set[str]] = {}
    for dataset in PROGRAM.datasets:
        below[dataset.name] = {*dataset.refs}.union(*(below[ref] for ref in dataset.refs))
        if dataset.layer != "seeds":
            model = ROOT / "models" / dataset.layer / f"{dataset.name}.sql"
            text = model.read_text("utf-8")
            if dataset.layer == "checks":  # what they wait for, they need not read
                text = text.partition("\nwith\n")[2]
            refs = set(re.findall(r"ref\('(\w+)'\)", text))
            assert refs == {*dataset.refs}, dataset.name
    for dataset in PROGRAM.datasets:
        if dataset.layer in ("resolution", "cpg", "surface", "checks"):
            assert "evidence" in below[dataset.name], dataset.name


def test_reading_the_project_imports_neither_spark_nor_delta_nor_arrow() -> None:
    # they would take longer than dbt takes to read the project from its cache
    heavy = ("deltalake", "numpy", "pandas", "pyarrow", "pyspark", "sqlglot")
    code = (
        "import sys, dbt_codelake, dbt.adapters.codelake, codelake.run.build, codelake.cli.main\n"
        f"print(*(name for name in {heavy} if name in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_what_a_build_leaves_behind_is_collected() -> None:
    """Frozen, it would keep the plans of every build of a process in the JVM."""
    text = (
        "import gc, weakref; from codelake.run import collector\n"
        "class Left: pass\n"
        "def build():\n"
        "    with collector.paused(): pass\n"
        "    collector.seldom()\n"
        "    left = Left(); left.itself = left\n"
        "    return weakref.ref(left)\n"
        "found = [build() for _ in range(3)]\n"
        "gc.collect()\n"
        "assert all(one() is None for one in found)\n"
    )
    subprocess.run([sys.executable, "-c", text], check=True)
