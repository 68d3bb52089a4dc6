"""Project files and the module names that follow from them."""

from __future__ import annotations

import copy
import importlib.util
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import Case, check, parametrize
from codelake.sources.declared import Declared, Problem, Stated, folder_path
from codelake.sources.listing import listing
from codelake.sources.modules import Layouts, absolute_module, module_name
from codelake.sources.project import (
    PROJECT_FILES,
    Project,
    lowest_python,
    project_rows,
    projects,
)
from codelake.sources.pyproject import pyproject, read_toml
from codelake.sources.scan import Repository, scan, scan_projects
from codelake.sources.setup_files import setup_cfg, setup_py

READERS = {"pyproject.toml": pyproject, "setup.py": setup_py, "setup.cfg": setup_cfg}


def files_of(case: Case) -> dict[str, bytes]:
    """Read `-- path` lines, each followed by its content behind bars."""
    files: dict[str, str] = {}
    for line in case.source.splitlines():
        if line.startswith("-- "):
            path = line.removeprefix("-- ")
            files[path] = ""
        elif line:
            assert line[0] == "|", f"{case.name}: `{line}` is neither a path nor content"
            files[path] += line[1:] + "\n"
    return {path: text.encode() for path, text in files.items()}


def read_all(files: dict[str, bytes]) -> tuple[Project, ...]:
    return projects(files, files.__getitem__)


@parametrize("project")
def test_cases(case: Case) -> None:
    files = files_of(case)
    found = read_all(files)
    layouts = Layouts(files, found, "checkout")

    def stated() -> list[str]:
        rows = project_rows(found)
        return [
            f"{folder or '.'} {field} = {value if value is not None else '?'} ({origin})"
            + (f": {reason}" if reason else "")
            for folder, field, value, origin, reason in rows
        ]

    def modules() -> list[str]:
        lines = []
        for path in sorted(path for path in files if path.endswith((".py", ".pyi"))):
            first, *others = layouts.module_names(path)
            assert first == module_name(path, layouts.of(path))
            lines.append(f"{path} -> {first}" + (f" | {' '.join(others)}" if others else ""))
        return lines

    check(case, {"stated": stated, "modules": modules})


@parametrize("project")
def test_order_of_files_does_not_matter(case: Case) -> None:
    files = files_of(case)
    backwards = dict(reversed(files.items()))
    found = read_all(files)
    assert read_all(backwards) == found
    one, two = Layouts(files, found, "r"), Layouts(backwards, reversed(found), "r")
    assert [one.of(path) for path in files] == [two.of(path) for path in files]
    for path in files:
        assert (one.of(path).folder == "") or path.startswith(f"{one.of(path).folder}/")
        assert path.startswith(one.project_of(path))


@pytest.mark.parametrize("name", PROJECT_FILES)
@given(raw=st.binary() | st.text().map(str.encode))
def test_any_bytes_are_read_or_are_a_problem(name: str, raw: bytes) -> None:
    declared = READERS[name](raw, name)
    assert isinstance(declared, Declared)
    assert all(problem.file == name and problem.message for problem in declared.problems)


def places(tree: object, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    yield path
    members = tree.items() if isinstance(tree, dict) else ()
    for key, member in members or (enumerate(tree) if isinstance(tree, list) else ()):
        yield from places(member, (*path, key))


@parametrize("project")
def test_values_of_the_wrong_type_are_passed_over(
    case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Put values of every type in every place of every pyproject.toml."""
    texts = [raw for path, raw in files_of(case).items() if path.endswith("pyproject.toml")]
    for tree in [read_toml(raw, "") for raw in texts]:
        for path in places(tree) if isinstance(tree, dict) else ():
            for value in (1, True, "x", "..", [1], ["x", 1], [[]], {}, {"x": 1}, {"x": {"y": "z"}}):
                changed = {"": copy.deepcopy(tree)}
                inner: Any = changed
                for key in ("", *path)[:-1]:
                    inner = inner[key]
                inner[("", *path)[-1]] = value
                if isinstance(changed[""], dict):
                    monkeypatch.setattr(tomllib, "loads", lambda _, now=changed: now[""])
                    assert isinstance(pyproject(b"", "p"), Declared)


@pytest.mark.parametrize(
    ("name", "raw", "message"),
    [
        ("pyproject.toml", b"[project\n", "no TOML: "),
        ("pyproject.toml", b"x = " + b"[" * 100_000, "no TOML: "),
        ("pyproject.toml", b"\xff", "not UTF-8: "),
        ("setup.cfg", b"name = x\n", "no INI file: "),
        ("setup.cfg", b"[a]\nb=1\nb=2\n", "no INI file: "),
        ("setup.cfg", b"\xff", "not UTF-8: "),
        ("setup.py", b"print 'x'\n", "Missing parentheses in call to 'print'"),
        ("setup.py", b"x = " + b"(" * 100_000, ""),
        ("setup.py", b"# coding: none\n", "unknown encoding: none"),
    ],
)
def test_a_broken_file_is_a_problem(name: str, raw: bytes, message: str) -> None:
    (problem,) = READERS[name](raw, name).problems
    assert problem.file == name
    assert problem.message.startswith(message)
    (project,) = projects([name, "src/a.py"], lambda path: raw)
    assert not project.is_project
    assert project.problems == (problem,)


def test_deep_and_long_values_are_unknown() -> None:
    deep = "setup(name=" + "+".join(["'a'"] * 5_000) + ")"
    declared = setup_py(deep.encode(), "setup.py")
    unknown = Stated(None, "setup.py", "nested too deeply")
    assert declared.name == unknown or declared.problems  # CPython 3.12 refuses to parse it
    doubled = "\n".join(["a0 = 'x'", *(f"a{n + 1} = a{n} + a{n}" for n in range(60))])
    declared = setup_py(f"{doubled}\nsetup(name=a60, version=a3)".encode(), "setup.py")
    assert declared.name is not None
    assert (declared.name.value, declared.name.reason) == (None, "computed by `a60`")
    assert declared.version is not None
    assert declared.version.value == "x" * 8


def test_an_unreadable_file_is_a_problem() -> None:
    problem = Problem("setup.py", "FileTooLarge: ...")
    (project,) = projects(["setup.py"], lambda path: problem)
    assert (project.is_project, project.problems) == (False, (problem,))


@pytest.mark.parametrize(
    ("requirement", "lowest"),
    [
        (">=3.9", "3.9"),
        (">=3.9,<4", "3.9"),
        (" >= 3.10 , != 3.11.* ", "3.10"),
        (">=3.8 <3.13", "3.8"),
        ("~=3.11.2", "3.11"),
        ("==3.12.*", "3.12"),
        ("^3.10", "3.10"),
        ("~3.9", "3.9"),
        ("3.11.*", "3.11"),
        ("^2.7 || ^3.6", "2.7"),
        (">=3", "3.0"),
        (">3.7", "3.7"),
        ("<4", None),
        ("!=3.10.*", None),
        ("*", None),
        ("", None),
        (">=" + "9" * 5_000, "9999.0"),
    ],
)
def test_lowest_python(requirement: str, lowest: str | None) -> None:
    assert lowest_python(requirement) == lowest


@given(st.text())
def test_lowest_python_reads_any_text(requirement: str) -> None:
    lowest = lowest_python(requirement)
    assert lowest is None or lowest.replace(".", "").isdecimal()


@pytest.mark.parametrize(
    ("text", "path"),
    [("src", "src"), ("./src/", "src"), (".", ""), ("", ""), ("a\\b", "a/b"), ("a/../b", "b")],
)
def test_folder_path(text: str, path: str) -> None:
    assert folder_path(text) == path
    assert all(folder_path(out) is None for out in ("/src", "..", "../a", "a/../..", "C:\\x"))


def test_scan_names_modules_by_project(tmp_path: Path) -> None:
    for path, text in {
        "pyproject.toml": "[project]\nname = 'app'\n[tool.setuptools]\npackage-dir = {app = 'lib'}",
        "lib/__init__.py": "",
        "lib/core.py": "",
        "tools/setup.py": "from setuptools import setup\nsetup(package_dir={'': 'code'})",
        "tools/code/t/__init__.py": "",
    }.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    files = {file.path: file for file in scan(Repository("r", str(tmp_path)))}
    names = {path: module_name(path, file.layout) for path, file in files.items()}
    assert names == {
        "lib/__init__.py": "app",
        "lib/core.py": "app.core",
        "tools/code/t/__init__.py": "t",
        "tools/setup.py": "setup",
    }
    assert len({file.layout.mark() for file in files.values()}) == 3
    (tmp_path / "tools/setup.py").unlink()
    (tmp_path / "tools/setup.py").symlink_to("/etc/hostname")
    tools = scan_projects(str(tmp_path), listing(str(tmp_path)).paths)[1]
    assert "SymlinkOutsideRepository" in tools.problems[0].message


PARTS = st.sampled_from(["a", "b", "web", "x_1"])
DOTTED = st.lists(PARTS, min_size=1, max_size=4).map(".".join)


@given(DOTTED, st.booleans(), st.integers(1, 6), DOTTED | st.none())
def test_absolute_module_is_what_importlib_says(
    name: str, is_package: bool, level: int, module: str | None
) -> None:
    package = name if is_package else name.rpartition(".")[0]
    try:
        expected = importlib.util.resolve_name("." * level + (module or ""), package)
    except ImportError:
        expected = None
    assert absolute_module(name, is_package, level, module) == expected
    assert absolute_module(name, is_package, 0, module) == module


def test_module_names_are_those_of_python(tmp_path: Path) -> None:
    """Start Python on each root and import every module under the name we give."""
    files = {
        "pyproject.toml": "[tool.poetry]\npackages = [{include = 'p', from = 'lib'}]\n",
        "lib/p/__init__.py": "from . import a\n",
        "lib/p/a.py": "from .sub import b\n",
        "lib/p/sub/b.py": "",
        "ns/q/r.py": "",
        "web/manage.py": "from site_app import models\n",
        "web/site_app/__init__.py": "",
        "web/site_app/models.py": "",
    }
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    for file in scan(Repository("r", str(tmp_path))):
        name = module_name(file.path, file.layout)
        code = f"import importlib; print(importlib.import_module({name!r}).__file__)"
        done = subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONPATH": str(tmp_path / file.layout.folder)},
            cwd="/",
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout.strip() == str(tmp_path / file.path)
