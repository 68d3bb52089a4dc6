"""Plan: scanned files and what the lake holds -> what to extract and what to delete.

    scanned: a.py (new bytes), b.py        known: a.py, b.py, c.py
        -> ChangePlan(changed=(a.py,), deleted=(id of c.py,), unchanged=1)

A file is unchanged when its id, its content mark and its extractor digest are all known. The mark
is the sha256 of the bytes, or for a skipped file `skip:` and a digest of the reason. So a file that
stays skipped for the same reason is left alone, and one that becomes readable is extracted. The
digest of a file also covers the layout of its repository, because adding `src/__init__.py` renames
modules whose bytes did not change.

Repositories that are not part of this build are left alone, and so is every path that `only` does
not name.
"""

from __future__ import annotations

import hashlib
import heapq
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path

import msgspec

from codelake.errors import PlanError
from codelake.evidence.ids import file_id
from codelake.sources.scan import ScannedFile, matcher

_FILE_COST = 2_000  # bytes that opening and writing one more file is worth


class ChangePlan(msgspec.Struct, frozen=True):
    """What one build has to do to the evidence table; `layers` is what to read beyond syntax."""

    changed: tuple[ScannedFile, ...]
    deleted: tuple[int, ...]
    unchanged: int
    layers: tuple[str, ...] = ()


def plan_changes(
    scanned: Iterable[ScannedFile],
    known: Mapping[int, tuple[str, str, str, str]],
    digest: str,
    only: Sequence[str] = (),
    *,
    repositories: Collection[str] | None = None,
    salt: int = 0,
) -> ChangePlan:
    """Compare the files of a build with the evidence table.

    Args:
        scanned: the files found.
        known: file_id -> (repo, path, file_sha256, extractor_digest) of the table.
        digest: of the extractors of this program.
        only: the globs that narrowed the scan.
        repositories: names of the repositories scanned; needed to notice that the last file of one
            is gone. Those of the scanned files when not given.
        salt: the var `id_salt`.

    Returns:
        The files to extract sorted by repository and path, and the ids to delete, sorted.
    """
    files: dict[int, ScannedFile] = {}
    for file in scanned:
        number = file_id(file.repo, file.path, salt)
        other = files.setdefault(number, file)
        if other is not file:
            raise PlanError(
                "FILE_ID_COLLISION",
                f"{other.repo}:{other.path} and {file.repo}:{file.path} have one id {number}.",
                "choose another var `id_salt`",
            )
    changed = [
        file
        for number, file in files.items()
        if number not in known
        or known[number][2:] != (content_mark(file), file_digest(digest, file))
    ]
    names = {file.repo for file in files.values()} | set(repositories or ())
    narrowed = matcher(only) if only else None
    deleted = [
        number
        for number, (repo, path, _, _) in known.items()
        if number not in files and repo in names and (narrowed is None or narrowed.match_file(path))
    ]
    changed.sort(key=lambda file: (file.repo, file.path))
    return ChangePlan(tuple(changed), tuple(sorted(deleted)), len(files) - len(changed))


def content_mark(file: ScannedFile) -> str:
    """Return the file_sha256 of a file as scanned: its digest, or a mark of why it is skipped."""
    return file.sha256 if file.sha256 is not None else skip_mark(file.skip or ("", ""))


def skip_mark(reason: tuple[str, str]) -> str:
    """Return what stands for the digest of a file that was not read."""
    return "skip:" + hashlib.sha256("\n".join(reason).encode()).hexdigest()[:32]


def file_digest(digest: str, file: ScannedFile) -> str:
    """Return the extractor digest of one file: the program's, and the layout when it matters."""
    mark = file.layout.mark()
    return f"{digest}+{mark}" if mark else digest


def balance(files: Iterable[ScannedFile], parts: int) -> list[list[ScannedFile]]:
    """Split files into at most `parts` lists of about equal work, the same way every time."""
    largest_first = sorted(files, key=lambda file: (-file.size, file.repo, file.path))
    loads = [(0, number) for number in range(max(parts, 1))]
    lists: list[list[ScannedFile]] = [[] for _ in loads]
    for file in largest_first:
        load, number = heapq.heappop(loads)
        lists[number].append(file)
        heapq.heappush(loads, (load + file.size + _FILE_COST, number))
    return [sorted(part, key=lambda file: (file.repo, file.path)) for part in lists if part]


def write_plan(plan: ChangePlan, path: str | Path) -> None:
    """Write a plan as JSON."""
    Path(path).write_bytes(msgspec.json.encode(plan))


def read_plan(path: str | Path) -> ChangePlan:
    """Read a plan that write_plan wrote."""
    try:
        return msgspec.json.decode(Path(path).read_bytes(), type=ChangePlan)
    except (OSError, msgspec.MsgspecError) as error:
        raise PlanError(
            "PLAN_UNREADABLE", f"`{path}` is no change plan: {error}", "build again"
        ) from None
