"""Tables that the driver writes: rows of repositories and interfaces. No Spark."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake

from cases import Case, check, parametrize
from codelake.errors import CodelakeError
from codelake.evidence.gathered import GATHERED
from codelake.evidence.rows import EVIDENCE
from codelake.extract.external_names import Import, external_names
from codelake.extract.file_evidence import extract_batch
from codelake.extract.scip import scip_evidence
from codelake.run.gather import plan_gather, write_gathered
from codelake.run.gathering import Gathering, GatherRequest
from codelake.run.scan_plan import scan_request
from codelake.sources.named_paths import named_paths
from codelake.sources.scan import parse_repositories, scan
from test_scip_index import document, index, occurrence

STATE = '{"run_id": "r", "program_hash": "p", "environment_hash": "e", "fingerprint": "f", %s}'
TABLES = {
    "repositories": "evidence_repositories",
    "interfaces": "python_external_interfaces",
    "scip": "evidence_scip",
}
READS = {"interfaces": ("evidence", "evidence_repositories"), "scip": ("evidence",)}


@parametrize("external_names")
def test_names(case: Case) -> None:
    modules, *lines = case.source.splitlines()
    imports = list(_imports("\n".join(lines)))
    check(case, {"names": lambda: external_names(modules.split(), imports)})


def _imports(text: str) -> Iterator[Import]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from ((alias.name, None, 0, False) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                star = alias.name == "*"
                yield node.module, None if star else alias.name, node.level, star


class Lake:
    """A lake in a folder, with its gathered tables."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def plan(self, part: str, contract: str = "c1", **given: Any) -> Gathering:
        flags = {name: given.pop(name) for name in ("empty", "full_refresh") if name in given}
        inputs = READS.get(part, ())
        return plan_gather(
            part,
            GatherRequest(
                path=self.folder / TABLES[part],
                inputs={name: self.folder / name for name in inputs},
                scan=scan_request(given),
                contract=contract,
                fingerprint="f",
                **flags,
            ),
        )

    def run(self, part: str, **given: Any) -> str:
        """Carry a plan out; return its action."""
        found = self.plan(part, **given)
        path = self.folder / TABLES[part]
        if found.plan.create:
            settings = {"codelake.contract": given.get("contract", "c1")}
            DeltaTable.create(
                path,
                GATHERED[part],
                mode="overwrite",
                configuration=settings,
                raise_if_key_not_exists=False,
            )
        if found.plan.action != "none":
            inputs = READS.get(part, ())
            numbers = ", ".join(f'"{i}": {DeltaTable(self.folder / i).version()}' for i in inputs)
            state = STATE % f'"inputs": {{{numbers}}}'
            write_gathered(path, found, state)
        return found.plan.action

    def rows(self, part: str) -> list[dict[str, Any]]:
        return DeltaTable(self.folder / TABLES[part]).to_pyarrow_table().to_pylist()

    def extract(self, *repos: Path) -> None:
        """Write the evidence table, whole."""
        found = [f for r in parse_repositories([str(repo) for repo in repos]) for f in scan(r)]
        data = pa.Table.from_batches([extract_batch(found)], schema=EVIDENCE)
        write_deltalake(self.folder / "evidence", data, mode="overwrite")


@pytest.fixture
def here(tmp_path: Path) -> Lake:
    return Lake(tmp_path / "lake")


@pytest.fixture
def app(tmp_path: Path) -> Path:
    root = tmp_path / "app"
    (root / "src" / "app").mkdir(parents=True)
    (root / "src" / "app" / "__init__.py").write_text("import os, yaml\nfrom app import core\n")
    (root / "src" / "app" / "core.py").write_text("import requests.adapters, nowhere\n")
    (root / "notes.md").write_text("# notes\n")
    (root / "pyproject.toml").write_text(
        '[project]\nname = "app"\ndynamic = ["version"]\nrequires-python = ">=3.11"\n'
        'dependencies = ["requests>=2"]\n[project.optional-dependencies]\nyaml = ["PyYAML"]\n'
    )
    return root


@pytest.fixture
def venv(tmp_path: Path) -> Path:
    info = tmp_path / "venv" / "lib" / "python3.12" / "site-packages" / "PyYAML-6.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Name: PyYAML\nVersion: 6.0\n")
    (info / "RECORD").write_text("yaml/__init__.py,,\nyaml/loader.py,,\n")
    return tmp_path / "venv"


def test_a_repository_is_a_row_and_an_equal_one_is_not_written(here: Lake, app: Path) -> None:
    assert here.run("repositories", repos=str(app)) == "overwrite"
    (row,) = here.rows("repositories")
    scope = {entry["path"]: entry["reason"] for entry in row["scope"]}
    assert scope == {
        "*.md": "NotPython",
        "*.toml": "NotPython",
        "src/app/__init__.py": None,
        "src/app/core.py": None,
    }
    (project,) = row["projects"]
    assert (project["name"], project["version"]) == ("app", None)
    assert project["lowest_python"] == "3.11"
    assert [d["requirement"] for d in project["dependencies"]] == ["requests>=2", "PyYAML"]
    assert project["undetermined"] == ["version: dynamic: the build tool sets it (pyproject.toml)"]
    assert here.run("repositories", repos=str(app)) == "none"
    (app / "more.py").write_text("")
    assert here.run("repositories", repos=str(app)) == "overwrite"
    assert here.run("repositories", repos=str(app), full_refresh=True) == "overwrite"


def test_no_environment_is_read_that_is_not_named(here: Lake, app: Path, venv: Path) -> None:
    here.run("repositories", repos=str(app))
    (row,) = here.rows("repositories")
    assert {one["source"] for one in row["distributions"]} == {"declared"}
    assert here.run("repositories", repos=str(app), environment=str(venv)) == "overwrite"
    (row,) = here.rows("repositories")
    installed = [one for one in row["distributions"] if one["source"] == "environment"]
    assert installed == [
        {
            "source": "environment",
            "name": "PyYAML",
            "version": "6.0",
            "modules": ["yaml", "yaml.loader"],
        }
    ]
    assert sys.prefix not in str(row) and str(venv) not in str(row)
    with pytest.raises(CodelakeError, match="ENVIRONMENT_MISSING"):
        here.run("repositories", repos=str(app), environment=str(app))


def test_other_repositories_and_narrow_builds_change_nothing(
    here: Lake, app: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    assert here.run("repositories", repos=[str(app)], only=["x.py"]) == "none"
    assert here.rows("repositories") == []
    here.run("repositories", repos=[str(app)])
    here.run("repositories", repos=[str(other)])
    assert sorted(row["repo"] for row in here.rows("repositories")) == ["app", "other"]
    (app / "more.py").write_text("")
    assert here.run("repositories", repos=[str(app)], only=["more.py"]) == "none"
    assert here.run("repositories") == "none"
    assert here.run("repositories", repos=[str(app)], empty=True) == "none"
    with pytest.raises(CodelakeError, match=r"CONTRACT_CHANGED: .*so other must"):
        here.plan("repositories", "c2", repos=[str(app)])
    with pytest.raises(CodelakeError, match="CONTRACT_CHANGED"):
        here.plan("repositories", "c2", repos=[str(app), str(other)], only=["x.py"])
    assert here.plan("repositories", "c2", repos=[str(app), str(other)]).plan.create


def test_a_zero_row_build_makes_tables_without_rows(here: Lake, app: Path) -> None:
    for part in TABLES:
        assert here.run(part, repos=[str(app)], empty=True) == "none"
        assert here.rows(part) == []


def test_interfaces_follow_imports_and_distributions(here: Lake, app: Path, venv: Path) -> None:
    def told() -> dict[str, tuple[Any, ...]]:
        fields = ("status", "dist_name", "dist_version", "how")
        return {r["name"]: tuple(r[f] for f in fields) for r in here.rows("interfaces")}

    here.extract(app)
    here.run("repositories", repos=[str(app)])
    assert here.run("interfaces") == "overwrite"
    assert told() == {
        "nowhere": ("unknown", None, None, None),
        "os": ("stdlib", None, None, "stdlib"),
        "requests.adapters": ("distribution", "requests", None, "declared"),
        "yaml": ("distribution", "pyyaml", None, "known_name"),
    }
    assert here.run("interfaces") == "none"
    here.extract(app)
    assert here.plan("interfaces").plan.reason == "inputs equal by key"
    here.run("repositories", repos=[str(app)], environment=[f"app={venv}"])
    assert here.run("interfaces") == "overwrite"
    assert told()["yaml"] == ("distribution", "PyYAML", "6.0", "environment")
    (app / "src" / "app" / "core.py").write_text("import attr\n")
    here.extract(app)
    assert here.run("interfaces") == "overwrite"
    assert told().keys() == {"attr", "os", "yaml"}
    assert here.run("interfaces") == "none"


WIDE = "n = '\U0001f600'; get()\n"


@pytest.fixture
def indexed(here: Lake, tmp_path: Path) -> tuple[Path, Path]:
    """A repository in the lake, and an index that tells of it and of a file that is not there."""
    repo = tmp_path / "o'dd"
    repo.mkdir()
    (repo / "m.py").write_text(WIDE)
    (repo / "plain.py").write_text("get()\n")
    here.extract(repo)
    made = index(
        document("m.py", occurrences=[occurrence([0, 10, 13])]),
        document("plain.py", occurrences=[occurrence([0, 0, 3])]),
        document("gone.py", occurrences=[occurrence([0, 0, 3])]),
    )
    (tmp_path / "index.scip").write_bytes(made)
    return repo, tmp_path / "index.scip"


def _seen(here: Lake) -> dict[str | None, list[tuple[int, int]]]:
    return {
        row["path"]: [(one["bstart"], one["bend"]) for one in row["scip_occurrences"]]
        for row in here.rows("scip")
    }


def test_an_index_is_rows_with_bytes_of_the_files(here: Lake, indexed: tuple[Path, Path]) -> None:
    repo, path = indexed
    assert here.run("scip", repos=[str(repo)]) == "none"
    assert not (here.folder / "evidence_scip").exists()
    assert here.run("scip", repos=[str(repo)], scip=str(path)) == "overwrite"
    start = WIDE.encode().index(b"get")
    assert _seen(here) == {
        "m.py": [(start, start + 3)],
        "plain.py": [(0, 3)],
        "gone.py": [],
        None: [],
    }
    rows = {row["path"]: row for row in here.rows("scip")}
    assert rows["gone.py"]["file_id"] is None and rows["m.py"]["file_id"] is not None
    (health,) = rows["gone.py"]["scip_health"]
    assert health["check_name"] == "document_not_in_repository"
    assert rows[None]["scip_metadata"][0]["tool_name"] == "scip-python"
    assert rows[None]["scip_stats"][0]["documents"] == 3
    assert here.run("scip", repos=[str(repo)], scip=[str(path)]) == "none"
    assert here.run("scip", repos=[str(repo)], scip=[str(path)], full_refresh=True) == "overwrite"


def test_an_index_is_written_some_documents_at_a_time(
    here: Lake, indexed: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    repo, path = indexed
    here.run("scip", repos=[str(repo)], scip=str(path))
    whole = _seen(here)
    monkeypatch.setattr(scip_evidence, "_BATCH_ITEMS", 1)
    assert here.run("scip", repos=[str(repo)], scip=str(path), full_refresh=True) == "overwrite"
    assert _seen(here) == whole


def test_an_index_follows_files_and_its_own_bytes(here: Lake, indexed: tuple[Path, Path]) -> None:
    repo, path = indexed
    given = {"repos": [str(repo)], "scip": [f"{repo.name}={path}"]}
    here.run("scip", **given)
    (repo / "m.py").write_text("x = 12345; get()\n")
    (repo / "gone.py").write_text("get()\n")
    here.extract(repo)
    assert here.run("scip", **given) == "overwrite"
    assert _seen(here)["m.py"] == [(10, 13)]
    assert _seen(here)["gone.py"] == [(0, 3)]
    assert here.run("scip", **given) == "none"
    path.write_bytes(index(document("m.py", occurrences=[occurrence([0, 0, 1])])))
    assert here.run("scip", **given) == "overwrite"
    assert _seen(here) == {"m.py": [(0, 1)], None: []}


def test_without_its_index_what_no_longer_holds_is_dropped(
    here: Lake, indexed: tuple[Path, Path], tmp_path: Path
) -> None:
    repo, path = indexed
    other = tmp_path / "other"
    other.mkdir()
    (other / "plain.py").write_text("get()\n")
    here.extract(repo, other)
    both = [f"{repo.name}={path}", f"other={path}"]
    here.run("scip", repos=[str(repo), str(other)], scip=both)
    assert len(here.rows("scip")) == 8
    assert here.run("scip", repos=[str(repo)]) == "none"
    (repo / "m.py").write_text("x = 1\n")
    here.extract(repo, other)
    assert here.run("scip", repos=[str(repo)]) == "overwrite"
    kept = {(row["repo"], row["path"]) for row in here.rows("scip")}
    assert len(kept) == 7 and (repo.name, "m.py") not in kept
    assert here.run("scip", repos=[str(repo)]) == "none"
    assert here.run("scip", repos=[str(repo)], scip=str(path)) == "overwrite"
    assert len(here.rows("scip")) == 8
    with pytest.raises(CodelakeError, match=r"CONTRACT_CHANGED: .*index of other"):
        here.plan("scip", "c2", repos=[str(repo)], scip=[str(path)])


def test_an_index_that_is_none_is_one_clear_error(here: Lake, indexed: tuple[Path, Path]) -> None:
    repo, path = indexed
    with pytest.raises(CodelakeError, match="SCIP_INDEX_MISSING"):
        here.plan("scip", repos=[str(repo)], scip=str(path / "nowhere"))
    path.write_bytes(b"\x00\x01")
    with pytest.raises(CodelakeError, match="SCIP_INDEX_UNREADABLE"):
        here.plan("scip", repos=[str(repo)], scip=str(path))


def test_paths_go_with_repositories(tmp_path: Path) -> None:
    (tmp_path / "a=b").write_text("")
    odd = str(tmp_path / "a=b")
    names = ["web", "lib"]
    assert named_paths("x", ["web=w", "base"], names, shared=True) == {"web": "w", "lib": "base"}
    assert named_paths("x", ["web=w", "base"], names, shared=False) == {"web": "w", "lib": "base"}
    assert named_paths("x", [odd], ["web"], shared=False) == {"web": odd}
    assert named_paths("x", [], names, shared=False) == {}
    for values, code in [
        (["other=w"], "REPOSITORY_UNKNOWN"),
        (["one", "two"], "REPOSITORY_UNCLEAR"),
        (["web=1", "web=2"], "REPOSITORY_UNCLEAR"),
    ]:
        with pytest.raises(CodelakeError, match=code):
            named_paths("x", values, names, shared=True)
    with pytest.raises(CodelakeError, match="REPOSITORY_UNCLEAR"):
        named_paths("x", ["one"], names, shared=False)
