"""Listing: the root of a repository -> the paths of its files, before any filter.

    work tree of git     -> the tracked files below the root (`git ls-files`)
    anything else        -> a walk that leaves out caches, environments and build output

Nothing of the repository runs: git is called without file system monitor, hooks, lazy fetching or
settings from the caller's environment, and a repository that git refuses is walked instead. Names
are what the file system holds, so names that are not UTF-8 come with surrogates.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator

TOOL_FOLDERS = frozenset({".git", ".hg", ".svn", ".tox", ".nox", ".eggs", ".venv"}) | {
    *(".mypy_cache", ".pytest_cache", ".ruff_cache", "__pycache__"),
    *("node_modules", "site-packages"),
}
TOP_FOLDERS = frozenset({"build", "dist", "venv"})
_GITLINK = b"160000"
_SAFE = ("core.fsmonitor=false", "core.hooksPath=/dev/null", "protocol.allow=never")
_GIT = ["git", *(part for setting in _SAFE for part in ("-c", setting))]
_GIT += ["ls-files", "-z", "--cached", "--stage"]


def listing(root: str) -> list[str]:
    """Return the relative POSIX paths of a repository's files, sorted.

    Args:
        root: absolute path of the repository.
    """
    return sorted(_tracked(root) or _walk(root))


def _tracked(root: str) -> set[str]:
    """Return what git tracks below the root; nothing when git is absent or refuses."""
    environment = {key: text for key, text in os.environ.items() if not key.startswith("GIT_")}
    environment |= {
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_NO_REPLACE_OBJECTS": "1",
    }
    try:
        done = subprocess.run(_GIT, cwd=root, env=environment, capture_output=True, check=False)
    except OSError:
        return set()
    if done.returncode != 0:
        return set()
    paths = set()
    for entry in done.stdout.split(b"\0"):
        facts, _, path = entry.partition(b"\t")
        if path and not facts.startswith(_GITLINK):
            paths.add(os.fsdecode(path))
    return paths


def _walk(root: str) -> Iterator[str]:
    pending = [""]
    while pending:
        folder = pending.pop()
        for entry in _entries(root, folder):
            path = f"{folder}{entry.name}"
            if entry.is_dir(follow_symlinks=False):
                if not _is_left_out(folder, entry):
                    pending.append(f"{path}/")
            elif not _is_linked_folder(entry):
                yield path


def _entries(root: str, folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(os.path.join(root, folder)) as found:  # noqa: PTH118
            return list(found)
    except OSError:
        return []


def _is_left_out(folder: str, entry: os.DirEntry[str]) -> bool:
    if entry.name in TOOL_FOLDERS or (not folder and entry.name in TOP_FOLDERS):
        return True
    return os.path.lexists(f"{entry.path}/pyvenv.cfg")


def _is_linked_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_symlink() and entry.is_dir()
    except OSError:  # a loop
        return False
