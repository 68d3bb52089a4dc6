"""External interfaces: environments, lock files, and what they say about imported names."""

from __future__ import annotations

import importlib.metadata
import pkgutil
import sys
import sysconfig
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cases import Case, check, parametrize
from codelake.errors import CodelakeError
from codelake.sources.declared import Problem, normalised
from codelake.sources.environment import Distribution, environment
from codelake.sources.interfaces import Known, interfaces, interfaces_digest, read_known
from codelake.sources.known_names import FORMER_MODULES, KNOWN_NAMES
from codelake.sources.lock_files import lock_file

HOST = f"{sys.version_info.major}.{sys.version_info.minor}"
LOCKS = [
    *("requirements.txt", "poetry.lock", "uv.lock", "pdm.lock", "pylock.toml"),
    *("Pipfile.lock", "environment.yml"),
]


def write(root: Path, case: Case) -> dict[str, Path]:
    """Write the files of a case; return the first path of each top folder."""
    files: dict[Path, list[str]] = {}
    first: dict[str, Path] = {}
    for line in case.source.splitlines():
        if line.startswith("-- "):
            path = root / line.removeprefix("-- ")
            files[path] = []
            first.setdefault(path.relative_to(root).parts[0], path)
        elif line:
            files[path].append(line[1:])
    for path, lines in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return first


def names_in(path: Path | None) -> list[str]:
    return path.read_text().split() if path else []


def known_of(root: Path, first: dict[str, Path]) -> Known:
    env = root / "env" if "env" in first else None
    return read_known(env, first.get("lock"), names_in(first.get("declared")))


@parametrize("interfaces")
def test_cases(case: Case, tmp_path: Path) -> None:
    first = write(tmp_path, case)
    known = known_of(tmp_path, first)

    def distributions() -> list[str]:
        groups = {"environment": known.installed, "lock": known.locked}
        return [
            f"{group} {one.name} {one.version or '?'} {' '.join(one.modules)}".rstrip()
            for group, found in groups.items()
            for one in found
        ]

    def problems() -> list[str]:
        return [f"{problem.file}: {problem.message}" for problem in known.problems]

    def rows() -> list[str]:
        found = interfaces(names_in(first.get("ask")), known)
        return [
            " ".join(
                [row.name, row.status]
                + ([row.dist_name, row.dist_version or "?"] if row.dist_name else [])
                + ([f"how={row.how}"] if row.how else [])
                + ([f"python={row.python_version}"] if row.python_version != HOST else [])
                + ([f"rank={row.rank}"] if row.rank != 1 else [])
            )
            for row in found
        ]

    check(case, {"known": distributions, "problems": problems, "rows": rows})


@parametrize("interfaces")
def test_the_digest_follows_content_not_place(case: Case, tmp_path: Path) -> None:
    digests = set()
    for folder in ("one", "two/deeper"):
        root = tmp_path / folder
        root.mkdir(parents=True)
        known = known_of(root, write(root, case))
        digests.add(interfaces_digest(known))
        assert str(tmp_path) not in repr(known)
    assert len(digests) == 1
    more = Known((*known.installed, Distribution("x", "1")), known.locked, known.declared)
    assert interfaces_digest(more) not in digests
    newer = Known(known.installed, (*known.locked, Distribution("x", "1")), known.declared)
    assert interfaces_digest(newer) not in digests
    assert interfaces_digest(newer) != interfaces_digest(more)


def test_nothing_is_read_that_is_not_named() -> None:
    assert read_known() == Known()
    row = interfaces(["pytest"], read_known())[0]
    assert (row.status, row.dist_name) == ("unknown", None)


def test_every_module_of_this_environment_is_found() -> None:
    """Compare with pkgutil and importlib.metadata on the environment that runs the tests."""
    site = sysconfig.get_path("purelib")
    known = read_known(site)
    tops = {module.partition(".")[0] for one in known.installed for module in one.modules}
    modules = pkgutil.iter_modules([site])
    importable = {module.name for module in modules if module.name.isidentifier()}
    unrecorded = {"_virtualenv"} | {name for name in importable if name.startswith("__editable__")}
    assert len(importable) > 50
    assert importable - tops <= unrecorded
    versions = sorted((one.name, one.version) for one in known.installed)
    stated = importlib.metadata.distributions(path=[site])
    assert versions == sorted((one.metadata["Name"], one.version) for one in stated)
    names = {"yaml": "pyyaml", "attr": "attrs", "google.protobuf": "protobuf", "click": "click"}
    found = interfaces(names, known)
    assert {row.name: normalised(row.dist_name or "") for row in found} == names
    assert {row.how for row in found} == {"environment"}


def test_places_that_do_not_exist_are_errors(tmp_path: Path) -> None:
    with pytest.raises(CodelakeError, match="ENVIRONMENT_MISSING"):
        environment(tmp_path)
    with pytest.raises(CodelakeError, match="ENVIRONMENT_MISSING"):
        environment(tmp_path / "none")
    with pytest.raises(CodelakeError, match="LOCK_MISSING"):
        lock_file(tmp_path / "requirements.txt")


def test_environment_of_another_python_is_a_problem(tmp_path: Path) -> None:
    (tmp_path / "lib/python3.9/site-packages").mkdir(parents=True)
    (tmp_path / "pyvenv.cfg").write_text("version = 3.9.18\n")
    assert environment(tmp_path).python_version == "3.9"
    (problem,) = read_known(tmp_path).problems
    assert problem.message == f"is for Python 3.9; the standard library is taken from {HOST}"


def test_lib64_is_read_once_and_links_of_develop_installs_are_followed(tmp_path: Path) -> None:
    site = tmp_path / "lib/python3.12/site-packages"
    site.mkdir(parents=True)
    (tmp_path / "lib64").symlink_to("lib")
    source = tmp_path / "source"
    (source / "dev.egg-info").mkdir(parents=True)
    (source / "dev.egg-info/PKG-INFO").write_text("Name: dev\nVersion: 0.3\n")
    (source / "dev.egg-info/top_level.txt").write_text("dev\n")
    (site / "dev.egg-link").write_text(f"{source}\n.\n")
    assert environment(tmp_path).distributions == (Distribution("dev", "0.3", ("dev",)),)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_byte_order_marks(tmp_path: Path, encoding: str) -> None:
    (tmp_path / "requirements.txt").write_bytes("a==1\n".encode(encoding))
    assert lock_file(tmp_path / "requirements.txt").distributions == (Distribution("a", "1"),)


@pytest.mark.parametrize("name", LOCKS)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(raw=st.binary() | st.text(alphabet="ab1=<>[]{}\"'-:@#.;\\/ \n").map(str.encode))
def test_any_bytes_are_read_or_are_a_problem(tmp_path: Path, name: str, raw: bytes) -> None:
    (tmp_path / name).write_bytes(raw)
    lock = lock_file(tmp_path / name)
    assert all(one.name for one in lock.distributions)
    assert all(problem.message and "/" not in problem.file for problem in lock.problems)


@pytest.mark.parametrize("name", LOCKS)
@pytest.mark.parametrize(
    "raw",
    [b"[" * 100_000, b"{" * 100_000, b"a" * 1_000_000, b"#egg=" * 100_000, b"a-" * 300_000, b"- -"],
    ids=["brackets", "braces", "word", "eggs", "dashes", "options"],
)
def test_hostile_locks_do_not_hang(tmp_path: Path, name: str, raw: bytes) -> None:
    (tmp_path / name).write_bytes(b"dependencies:\n- " + raw if name.endswith("yml") else raw)
    lock_file(tmp_path / name)


def test_problems_are_capped(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_text("?\n" * 1_000)
    problems = lock_file(tmp_path / "requirements.txt").problems
    assert len(problems) == 21
    assert problems[-1] == Problem("requirements.txt", "and 980 problems more")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(metadata=st.binary(), record=st.binary())
def test_any_metadata_is_read(tmp_path: Path, metadata: bytes, record: bytes) -> None:
    folder = tmp_path / "site-packages/some_name-1.0.dist-info"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "METADATA").write_bytes(metadata)
    (folder / "RECORD").write_bytes(record)
    (found,) = environment(tmp_path / "site-packages").distributions
    assert found.name


def test_the_table_has_no_needless_entry() -> None:
    assert list(KNOWN_NAMES) == sorted(KNOWN_NAMES)
    for module, names in KNOWN_NAMES.items():
        assert len(names) > 1 or normalised(names[0]) != normalised(module), module
        assert module.partition(".")[0] not in sys.stdlib_module_names


def test_former_modules_are_gone() -> None:
    for module, version in FORMER_MODULES.items():
        major, minor = map(int, version.split("."))
        assert (module in sys.stdlib_module_names) == (sys.version_info[:2] <= (major, minor))


@given(st.lists(st.text(alphabet="abAB.", min_size=1), max_size=5))
def test_each_name_gets_a_row(names: list[str]) -> None:
    rows = interfaces(names, Known(locked=(Distribution("a", "1"), Distribution("a-b", "2"))))
    assert [row.name for row in rows if row.rank == 1] == sorted(set(names))
