"""Scope: a repository -> what a scan includes, and what it leaves out with the reason.

    app/core.py      file    included
    app/old.py       file    Excluded           app/old*       (the glob)
    huge.py          file    FileTooLarge       9000000 bytes are more than max_file_bytes = ...
    node_modules/    folder  IgnoredByGit
    *.md             suffix  NotPython          12 files

Every Python file that was listed has a row, and every folder that was not followed. A folder that
git does not track at all, or that the walk leaves out, is one row whatever it holds. Other files
are counted by suffix: a row for each would tell little and cost much. Nothing is read here, only
listed and asked for its status, so a file that cannot be opened later may still be included; its
error row in the evidence tells. Globs that narrow one build (`only`) change nothing here.

Reasons of files: Excluded, NotIncluded (Python, but no include glob names it), Untracked,
IgnoredByGit, TrackedButMissing, and those of scan.py. Reasons of folders: Untracked, IgnoredByGit,
NestedRepository, Submodule, ToolFolder, BuildOutput, VirtualEnvironment, LinkedFolder,
UnreadableFolder.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from codelake.sources.listing import listing, untracked
from codelake.sources.scan import (
    INCLUDE,
    MAX_FILE_BYTES,
    Checker,
    Repository,
    UnreadableError,
    matcher,
    printable,
)

_PYTHON = matcher(INCLUDE)
_SUFFIX = re.compile(r".+(\.[A-Za-z0-9_+-]{1,12})\Z", re.DOTALL)


@dataclass(frozen=True, slots=True)
class ScopeRow:
    """One line of the manifest.

    Attributes:
        repo: name of the repository.
        path: printable POSIX path; folders end with `/`, suffixes start with `*`.
        kind: file, folder or suffix.
        included: whether the file is extracted.
        reason: why not; None when included.
        detail: the glob or the message behind the reason.
        files: how many files a suffix stands for; 1 for a file, None for a folder.
        listed_by: git or walk.
    """

    repo: str
    path: str
    kind: str
    included: bool
    reason: str | None
    detail: str | None
    files: int | None
    listed_by: str


def scope_manifest(
    repository: Repository,
    include: Sequence[str] = INCLUDE,
    exclude: Sequence[str] = (),
    max_file_bytes: int = MAX_FILE_BYTES,
) -> list[ScopeRow]:
    """Tell what a scan with the same arguments includes and leaves out.

    Args:
        repository: what to look at.
        include: gitignore-style globs of files to read.
        exclude: globs of files to leave out.
        max_file_bytes: larger files are skipped.

    Returns:
        Rows sorted by path and kind.
    """
    return sorted(
        _Scope(repository, include, exclude, max_file_bytes).rows(),
        key=lambda row: (row.path, row.kind),
    )


class _Scope:
    def __init__(
        self,
        repository: Repository,
        include: Sequence[str],
        exclude: Sequence[str],
        max_file_bytes: int,
    ) -> None:
        self._repository = repository
        self._exclude = [glob for glob in exclude if glob]
        self._wanted, self._refused = matcher(include), matcher(self._exclude)
        self._checker = Checker(repository.root, max_file_bytes)
        self._listing = listing(repository.root)

    def rows(self) -> Iterator[ScopeRow]:
        others: Counter[str] = Counter()
        for path in self._listing.paths:
            shown = printable(path)
            if self._is_python(shown):
                yield self._row(shown, *self._judge(path, shown))
            else:
                others[_suffix(shown)] += 1
        for suffix, count in others.items():
            yield self._row(suffix, "NotPython", kind="suffix", files=count)
        left_out = self._listing.left_out
        if self._listing.listed_by == "git":
            left_out = left_out + untracked(self._repository.root)
        for path, reason in left_out:
            shown = printable(path)
            if shown.endswith("/"):
                yield self._row(shown, reason, kind="folder", files=None)
            elif self._is_python(shown):
                yield self._row(shown, reason)

    def _is_python(self, path: str) -> bool:
        return bool(self._wanted.match_file(path) or _PYTHON.match_file(path))

    def _judge(self, path: str, shown: str) -> tuple[str | None, str | None]:
        """Return reason and detail of a listed file, in the order in which a scan asks."""
        if not self._wanted.match_file(shown):
            return "NotIncluded", None
        verdict = self._refused.check_file(shown)
        if verdict.include:
            return "Excluded", None if verdict.index is None else self._exclude[verdict.index]
        if not os.path.lexists(f"{self._repository.root}/{path}"):
            return "TrackedButMissing", None
        if shown != path:
            return "UndecodableFileName", "the name of the file is not UTF-8"
        try:
            self._checker.check(path)
        except UnreadableError as error:
            return error.reason
        return None, None

    def _row(
        self,
        path: str,
        reason: str | None,
        detail: str | None = None,
        kind: str = "file",
        files: int | None = 1,
    ) -> ScopeRow:
        return ScopeRow(
            self._repository.name,
            path,
            kind,
            reason is None,
            reason,
            detail,
            files,
            self._listing.listed_by,
        )


def _suffix(path: str) -> str:
    """Return the glob of a file's suffix; `*` for names without one."""
    match = _SUFFIX.match(path.rpartition("/")[2].lstrip("."))
    return f"*{match[1]}" if match else "*"
