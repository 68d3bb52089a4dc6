"""The scope manifest: every Python file and every folder left out, with the reason."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from codelake.sources.scan import Repository, scan
from codelake.sources.scope import ScopeRow, scope_manifest


def write(root: Path, *paths: str) -> None:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(f"# {path}\n")


def git(root: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=root, check=True, capture_output=True)


def lines(rows: list[ScopeRow]) -> list[str]:
    return [
        " ".join(
            [row.path, row.kind, row.reason or "included"]
            + ([f"({row.detail})"] if row.detail else [])
            + ([str(row.files)] if row.kind == "suffix" else [])
        )
        for row in rows
    ]


def test_walk(tmp_path: Path) -> None:
    write(tmp_path, "a.py", "pkg/b.pyi", "pkg/old_x.py", "README.md", "pkg/x.MD", "Makefile")
    write(tmp_path, "build/x.py", "pkg/__pycache__/a.pyc", "env/pyvenv.cfg", "env/x.py", ".hidden")
    write(tmp_path, "big.py", "weird.name with spaces")
    (tmp_path / "big.py").write_bytes(b"#" * 100)
    (tmp_path / "link").symlink_to("pkg")
    (tmp_path / "out.py").symlink_to("/etc/hostname")
    os.mkfifo(tmp_path / "fifo.py")
    repository = Repository("r", str(tmp_path))
    rows = scope_manifest(repository, ["*.py"], ["", "docs/", "# x", "old_*"], max_file_bytes=50)
    assert lines(rows) == [
        "* suffix NotPython 3",
        "*.MD suffix NotPython 1",
        "*.md suffix NotPython 1",
        "a.py file included",
        "big.py file FileTooLarge (100 bytes are more than max_file_bytes = 50)",
        "build/ folder BuildOutput",
        "env/ folder VirtualEnvironment",
        "fifo.py file NotRegularFile (the path is no regular file)",
        "link/ folder LinkedFolder",
        "out.py file SymlinkOutsideRepository (the link leads out of the repository)",
        "pkg/__pycache__/ folder ToolFolder",
        "pkg/b.pyi file NotIncluded",
        "pkg/old_x.py file Excluded (old_*)",
    ]
    assert {row.listed_by for row in rows} == {"walk"}


def test_git(tmp_path: Path) -> None:
    write(tmp_path, "a.py", "gone.py", "part/t.py", "part/u.py", "part/i.log", "new.py", "new.txt")
    write(tmp_path, "fresh/deep/x.py", "ignored/x.py", "secret.py", "inner/q.py", "\u00e9.py")
    (tmp_path / ".gitignore").write_text("ignored/\n*.log\nsecret.py\n")
    git(tmp_path, "init")
    git(tmp_path, "add", ".gitignore", "a.py", "gone.py", "part/t.py", "\u00e9.py")
    git(tmp_path, "update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},module")
    git(tmp_path / "inner", "init")
    (tmp_path / "gone.py").unlink()
    marker = tmp_path / ".git/ran"
    git(tmp_path, "config", "core.fsmonitor", f"touch {marker}; true")
    rows = scope_manifest(Repository("r", str(tmp_path)))
    assert lines(rows) == [
        "* suffix NotPython 1",
        "a.py file included",
        "fresh/ folder Untracked",
        "gone.py file TrackedButMissing",
        "ignored/ folder IgnoredByGit",
        "inner/ folder NestedRepository",
        "module/ folder Submodule",
        "new.py file Untracked",
        "part/t.py file included",
        "part/u.py file Untracked",
        "secret.py file IgnoredByGit",
        "\u00e9.py file included",
    ]
    assert {row.listed_by for row in rows} == {"git"}
    assert not marker.exists()


def test_unreadable_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, "a.py", "closed/b.py")
    scandir = os.scandir

    def refuse(path: str) -> object:
        if path.endswith("/closed/"):
            raise PermissionError(13, "Permission denied", path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)
    rows = scope_manifest(Repository("r", str(tmp_path)))
    assert lines(rows) == ["a.py file included", "closed/ folder UnreadableFolder"]


@pytest.mark.parametrize("tracked", [False, True])
@pytest.mark.parametrize("exclude", [[], ["", "*_b.py"], ["pkg/", "!pkg/keep.py"], ["*", "!a.py"]])
def test_included_is_what_a_scan_reads(tmp_path: Path, tracked: bool, exclude: list[str]) -> None:
    write(tmp_path, "a.py", "a_b.py", "pkg/keep.py", "pkg/x.pyw", "pkg/s.pyi", "n.txt")
    (tmp_path / "gone.py").symlink_to("nowhere")
    Path(os.fsdecode(bytes(tmp_path) + b"/\xff.py")).write_bytes(b"")
    if tracked:
        git(tmp_path, "init")
        git(tmp_path, "add", ".")
    repository = Repository("r", str(tmp_path))
    rows = scope_manifest(repository, exclude=exclude)
    files = scan(repository, exclude=exclude)
    assert [row.path for row in rows if row.included] == [
        file.path for file in files if file.skip is None
    ]
    skipped = {file.path: file.skip for file in files if file.skip is not None}
    said = {row.path: (row.reason, row.detail) for row in rows if row.path in skipped}
    assert said == skipped
    assert len({(row.path, row.kind) for row in rows}) == len(rows)
