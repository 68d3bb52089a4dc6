"""Scan, plan and module names."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from codelake.errors import CodelakeError
from codelake.evidence.ids import file_id
from codelake.extract.file_evidence import extract_batch
from codelake.extract.versions import EXTRACTOR_DIGESTS
from codelake.sources.modules import Layout, is_generated, is_package, is_test, module_name
from codelake.sources.plan import (
    ChangePlan,
    balance,
    content_mark,
    file_digest,
    plan_changes,
    read_plan,
    write_plan,
)
from codelake.sources.scan import Repository, ScannedFile, parse_repositories, scan


def write(root: Path, *paths: str) -> None:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(f"# {path}\n")


def git(root: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=root, check=True, capture_output=True)


def paths(files: list[ScannedFile]) -> list[str]:
    return [file.path for file in files]


def reasons(files: list[ScannedFile]) -> dict[str, str]:
    return {file.path: file.skip[0] for file in files if file.skip}


def test_parse_repositories(tmp_path: Path) -> None:
    write(tmp_path, "a/x.py", "b/a/x.py", "k=v/x.py")
    one, two = parse_repositories([f"{tmp_path}/a", f"other={tmp_path}/b/a"])
    assert (one.name, two.name) == ("a", "other")
    assert parse_repositories([f"{tmp_path}/k=v"])[0].name == "k=v"
    with pytest.raises(CodelakeError, match="REPOSITORY_NAME_TWICE") as caught:
        parse_repositories([f"{tmp_path}/a", f"{tmp_path}/b/a"])
    assert "fix: give one another name: other-a=" in str(caught.value)
    with pytest.raises(CodelakeError, match="REPOSITORY_MISSING"):
        parse_repositories([f"{tmp_path}/none"])


def test_walk_leaves_out_tools_and_build_output(tmp_path: Path) -> None:
    kept = ["a.py", "pkg/build/b.py", "pkg/s.pyi", "w.pyw"]
    write(tmp_path, *kept, "n.txt", "build/x.py", "dist/x.py", ".tox/x.py", "pkg/__pycache__/x.py")
    write(tmp_path, "env/pyvenv.cfg", "env/lib/x.py", "node_modules/x.py")
    assert paths(scan(Repository("r", str(tmp_path)))) == sorted(kept)


def test_git_lists_tracked_files_only(tmp_path: Path) -> None:
    write(tmp_path, "a.py", "b.py", "build/c.py", "sub/d.py", "untracked.py", "old.py")
    git(tmp_path, "init")
    git(tmp_path, "add", "a.py", "b.py", "build/c.py", "sub/d.py", "old.py")
    (tmp_path / "old.py").unlink()
    marker = tmp_path / "ran"
    git(tmp_path, "config", "core.fsmonitor", f"touch {marker}; true")
    root = Repository("r", str(tmp_path))
    assert paths(scan(root)) == ["a.py", "b.py", "build/c.py", "sub/d.py"]
    assert not marker.exists()
    assert paths(scan(root, exclude=["b.py", "build/"])) == ["a.py", "sub/d.py"]
    assert paths(scan(root, only=["sub/**"])) == ["sub/d.py"]
    assert paths(scan(Repository("s", str(tmp_path / "sub")))) == ["d.py"]


def test_untracked_folder_of_a_work_tree_is_walked(tmp_path: Path) -> None:
    write(tmp_path, "new/x.py")
    git(tmp_path, "init")
    assert paths(scan(Repository("r", str(tmp_path / "new")))) == ["x.py"]


def test_submodules_are_skipped(tmp_path: Path) -> None:
    write(tmp_path, "a.py", "sub.py/b.py")
    git(tmp_path, "init")
    git(tmp_path, "add", "a.py")
    entry = f"160000,{'1' * 40},sub.py"
    git(tmp_path, "update-index", "--add", "--cacheinfo", entry)
    assert paths(scan(Repository("r", str(tmp_path)))) == ["a.py"]


def test_what_is_skipped_says_why(tmp_path: Path) -> None:
    root = tmp_path / "root"
    write(tmp_path, "root/real.py", "root/big.py", "outside.py")
    (root / "big.py").write_bytes(b"#" * 100)
    (root / "in.py").symlink_to("real.py")
    (root / "out.py").symlink_to("../outside.py")
    (root / "gone.py").symlink_to("nowhere.py")
    (root / "loop.py").symlink_to("loop.py")
    (root / "folder").symlink_to("..")
    os.mkfifo(root / "fifo.py")
    Path(os.fsdecode(bytes(root) + b"/\xff.py")).write_bytes(b"")
    files = scan(Repository("r", str(root)), max_file_bytes=50)
    assert reasons(files) == {
        "\\xff.py": "UndecodableFileName",
        "big.py": "FileTooLarge",
        "fifo.py": "NotRegularFile",
        "gone.py": "DanglingSymlink",
        "loop.py": "SymlinkLoop",
        "out.py": "SymlinkOutsideRepository",
    }
    assert paths(files) == [*sorted([*reasons(files), "in.py", "real.py"])]
    by_path = {file.path: file for file in files}
    assert by_path["in.py"].sha256 == by_path["real.py"].sha256
    rows = extract_batch(files).to_pylist()
    assert {row["path"]: row["errors"][0]["error_type"] for row in rows if row["errors"]} == (
        reasons(files)
    )


def test_folder_replaced_by_a_link_stays_inside(tmp_path: Path) -> None:
    write(tmp_path, "r/pkg/a.py", "secret/a.py")
    git(tmp_path / "r", "init")
    git(tmp_path / "r", "add", ".")
    (tmp_path / "r/pkg/a.py").unlink()
    (tmp_path / "r/pkg").rmdir()
    (tmp_path / "r/pkg").symlink_to(tmp_path / "secret")
    files = scan(Repository("r", str(tmp_path / "r")))
    assert reasons(files) == {"pkg/a.py": "SymlinkOutsideRepository"}


def known(files: list[ScannedFile]) -> dict[int, tuple[str, str, str, str]]:
    """Return what the evidence table would hold after these files."""
    rows = extract_batch(files).to_pylist()
    names = ("repo", "path", "file_sha256", "extractor_digest")
    return {row["file_id"]: tuple(row[name] for name in names) for row in rows}


def plan(root: Path, before: dict[int, tuple[str, str, str, str]], *only: str) -> ChangePlan:
    files = scan(Repository("r", str(root)), only=only)
    return plan_changes(files, before, EXTRACTOR_DIGESTS["source"], only, repositories=["r"])


def test_plan_follows_edits(tmp_path: Path) -> None:
    write(tmp_path, "a.py", "b.py", "sub/c.py")
    (tmp_path / "gone.py").symlink_to("nowhere")
    before = known(scan(Repository("r", str(tmp_path))))
    assert plan(tmp_path, before) == ChangePlan((), (), 4)
    other = {file_id("q", "z.py"): ("q", "z.py", "0", "0")}
    (tmp_path / "a.py").write_text("x")
    (tmp_path / "b.py").unlink()
    (tmp_path / "sub/c.py").unlink()
    (tmp_path / "gone.py").unlink()
    write(tmp_path, "gone.py")
    made = plan(tmp_path, before | other)
    assert [file.path for file in made.changed] == ["a.py", "gone.py"]
    assert made.deleted == tuple(sorted(file_id("r", path) for path in ("b.py", "sub/c.py")))
    narrow = plan(tmp_path, before | other, "sub/")
    assert (narrow.changed, narrow.deleted) == ((), (file_id("r", "sub/c.py"),))
    write_plan(made, tmp_path / "plan.json")
    assert read_plan(tmp_path / "plan.json") == made
    with pytest.raises(CodelakeError, match="PLAN_UNREADABLE"):
        read_plan(tmp_path / "a.py")


def test_plan_of_an_emptied_repository_and_of_a_new_program(tmp_path: Path) -> None:
    write(tmp_path, "a.py")
    before = known(scan(Repository("r", str(tmp_path))))
    files = scan(Repository("r", str(tmp_path)))
    assert len(plan_changes(files, before, "newer").changed) == 1
    (tmp_path / "a.py").unlink()
    assert plan(tmp_path, before).deleted == (file_id("r", "a.py"),)


def test_a_new_package_renames_modules_that_did_not_change(tmp_path: Path) -> None:
    write(tmp_path, "src/app/a.py")
    before = known(scan(Repository("r", str(tmp_path))))
    write(tmp_path, "src/__init__.py")
    assert [file.path for file in plan(tmp_path, before).changed] == [
        "src/__init__.py",
        "src/app/a.py",
    ]


def test_marks_match_rows(tmp_path: Path) -> None:
    write(tmp_path, "a.py")
    (tmp_path / "l.py").symlink_to("nowhere")
    files = scan(Repository("r", str(tmp_path)))
    rows = extract_batch(files).to_pylist()
    assert [row["file_sha256"] for row in rows] == [content_mark(file) for file in files]
    digests = [file_digest(EXTRACTOR_DIGESTS["source"], file) for file in files]
    assert [row["extractor_digest"] for row in rows] == digests


def test_balance() -> None:
    files = [ScannedFile("r", f"{n}.py", "", size * 10_000, "") for n, size in enumerate(range(9))]
    parts = balance(files, 3)
    assert sorted(file.path for part in parts for file in part) == [f"{n}.py" for n in range(9)]
    sizes = [sum(file.size for file in part) for part in parts]
    assert max(sizes) - min(sizes) <= 20_000
    assert balance(reversed(files), 3) == parts
    assert balance(files[:1], 5) == [files[:1]]
    assert balance([], 2) == []


@pytest.mark.parametrize(
    ("path", "layout", "name"),
    [
        ("src/app/core.py", Layout("src"), "app.core"),
        ("src/app/core.py", Layout(), "src.app.core"),
        ("app/__init__.py", Layout(), "app"),
        ("app/__main__.py", Layout(), "app.__main__"),
        ("__init__.py", Layout("", "root"), "root"),
        ("sub/a.pyi", Layout("", "root"), "root.sub.a"),
        ("src.py", Layout(), "src"),
        ("my-tool.py", Layout(), "my-tool"),
        ("bin/tool", Layout(), "bin.tool"),
    ],
)
def test_module_name(path: str, layout: Layout, name: str) -> None:
    assert module_name(path, layout) == name


def test_roles() -> None:
    assert is_package("a/__init__.pyi")
    assert not is_package("a/init.py")
    tests = ["tests/a.py", "a/test/b.py", "test_x.py", "x_test.py", "a/conftest.py"]
    assert all(is_test(path) for path in tests)
    assert not any(is_test(path) for path in ["testing/a.py", "attest.py", "latest_tests.py"])
    assert is_generated(b"#!x\n# Code Generated by protoc. DO NOT EDIT.\n")
    assert not is_generated(b"x = 'generated by'\n" + b"\n" * 5 + b"# @generated\n")


def test_a_file_that_changes_after_the_scan_tells_its_own_digest(tmp_path: Path) -> None:
    write(tmp_path, "a.py", "b.py")
    files = scan(Repository("r", str(tmp_path)))
    (tmp_path / "a.py").write_text("x = 1\n")
    (tmp_path / "b.py").unlink()
    after, gone = extract_batch(files).to_pylist()
    assert after["file_sha256"] == scan(Repository("r", str(tmp_path)))[0].sha256
    assert gone["content"] is None
    assert gone["errors"][0]["error_type"] == "FileNotFoundError"
