"""Listing: the root of a repository -> the paths of its files, before any filter.

    work tree of git     -> the tracked files below the root (`git ls-files`)
    anything else        -> a walk that leaves out caches, environments and build output

Nothing of the repository runs: git is called without file system monitor, hooks, lazy fetching or
settings from the caller's environment, and a repository that git refuses is walked instead. Names
are what the file system holds, so names that are not UTF-8 come with surrogates. What is left out
is told with its reason; that of git's untracked files only on demand, as it reads the work tree.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass

TOOL_FOLDERS = frozenset({".git", ".hg", ".svn", ".tox", ".nox", ".eggs", ".venv"}) | {
    *(".mypy_cache", ".pytest_cache", ".ruff_cache", "__pycache__"),
    *("node_modules", "site-packages"),
}
TOP_FOLDERS = frozenset({"build", "dist", "venv"})
_GITLINK = b"160000"
_SAFE = ("core.fsmonitor=false", "core.hooksPath=/dev/null", "protocol.allow=never")
_GIT = ["git", *(part for setting in _SAFE for part in ("-c", setting)), "ls-files", "-z"]
_OTHERS = ("--others", "--exclude-standard", "--directory", "--no-empty-directory")


@dataclass(frozen=True, slots=True)
class Listing:
    """The files of a repository.

    Attributes:
        paths: relative POSIX paths, sorted.
        listed_by: git or walk.
        left_out: (path, reason) of what was seen and not followed, sorted; folders end with `/`.
    """

    paths: list[str]
    listed_by: str
    left_out: list[tuple[str, str]]


def listing(root: str) -> Listing:
    """List the files of a repository.

    Args:
        root: absolute path of the repository.
    """
    left_out: list[tuple[str, str]] = []
    if paths := _tracked(root, left_out):
        return Listing(sorted(paths), "git", sorted(left_out))
    left_out.clear()
    return Listing(sorted(_walk(root, left_out)), "walk", sorted(left_out))


def untracked(root: str) -> list[tuple[str, str]]:
    """Return (path, reason) of what git does not track in a work tree, whole folders as one.

    Args:
        root: absolute path of the repository.
    """
    found = []
    for reason, options in (("Untracked", ()), ("IgnoredByGit", ("--ignored",))):
        for entry in (_git(root, *_OTHERS, *options) or b"").split(b"\0"):
            path = os.fsdecode(entry)
            if path.endswith("/") and os.path.lexists(f"{root}/{path}.git"):
                found.append((path, "NestedRepository"))
            elif path:
                found.append((path, reason))
    return sorted(set(found))


def _tracked(root: str, left_out: list[tuple[str, str]]) -> set[str]:
    """Return what git tracks below the root; nothing when git is absent or refuses."""
    paths = set()
    for entry in (_git(root, "--cached", "--stage") or b"").split(b"\0"):
        facts, _, path = entry.partition(b"\t")
        if path and facts.startswith(_GITLINK):
            left_out.append((f"{os.fsdecode(path)}/", "Submodule"))
        elif path:
            paths.add(os.fsdecode(path))
    return paths


def _git(root: str, *options: str) -> bytes | None:
    environment = {key: text for key, text in os.environ.items() if not key.startswith("GIT_")}
    environment |= {
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_NO_REPLACE_OBJECTS": "1",
    }
    command = [*_GIT, *options]
    try:
        done = subprocess.run(command, cwd=root, env=environment, capture_output=True, check=False)
    except OSError:
        return None
    return done.stdout if done.returncode == 0 else None


def _walk(root: str, left_out: list[tuple[str, str]]) -> Iterator[str]:
    pending = [""]
    while pending:
        folder = pending.pop()
        entries = _entries(root, folder)
        if entries is None:
            left_out.append((folder or "./", "UnreadableFolder"))
            continue
        for entry in entries:
            path = f"{folder}{entry.name}"
            if entry.is_dir(follow_symlinks=False):
                if reason := _left_out(folder, entry):
                    left_out.append((f"{path}/", reason))
                else:
                    pending.append(f"{path}/")
            elif _is_linked_folder(entry):
                left_out.append((f"{path}/", "LinkedFolder"))
            else:
                yield path


def _entries(root: str, folder: str) -> list[os.DirEntry[str]] | None:
    try:
        with os.scandir(os.path.join(root, folder)) as found:  # noqa: PTH118
            return list(found)
    except OSError:
        return None


def _left_out(folder: str, entry: os.DirEntry[str]) -> str | None:
    if os.path.lexists(f"{entry.path}/pyvenv.cfg"):
        return "VirtualEnvironment"
    if entry.name in TOOL_FOLDERS:
        return "ToolFolder"
    return "BuildOutput" if not folder and entry.name in TOP_FOLDERS else None


def _is_linked_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_symlink() and entry.is_dir()
    except OSError:  # a loop
        return False
