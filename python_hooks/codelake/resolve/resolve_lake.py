"""Resolving a lake: the evidence table at one version -> rows of `resolution`.

    resolve_group(evidence, 7, ("app", "lib")) -> pa.RecordBatch of RESOLUTION

Only the columns that resolution reads are read, at a pinned version.
"""

from __future__ import annotations

import traceback
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa

from codelake.evidence.delta_columns import delta_columns
from codelake.evidence.rows import Addresses
from codelake.resolve.file_facts import FileFacts
from codelake.resolve.resolution import Resolution
from codelake.resolve.resolve import resolve
from codelake.resolve.resolved_rows import ResolvedRows
from codelake.resolve.stored_facts import unpack_facts
from codelake.sources.modules import Layouts

_COLUMNS = ["repo", "path", "file_id", "module_name", "is_package", "facts"]


def resolve_group(
    evidence: Path, version: int, repos: Sequence[str], salt: int = 0
) -> pa.RecordBatch:
    """Resolve repositories together.

    Args:
        evidence: folder of the evidence table.
        version: its version.
        repos: names of the repositories.
        salt: the var `id_salt`.

    Returns:
        One row per file that has facts.
    """
    files, addresses, file_ids = read_group(evidence, version, repos)
    answers = ResolvedRows(files, addresses, file_ids, salt)
    try:
        resolution = resolve(files)
    except Exception as error:  # the other layers of the graph stand without answers
        return answers.batch(Resolution(), _told(error))
    faults = sorted(set(resolution.faults))
    return answers.batch(resolution, "; ".join(faults[:_SHOWN_FAULTS]) or None)


def read_group(
    evidence: Path, version: int, repos: Sequence[str]
) -> tuple[list[FileFacts], list[Addresses], list[int]]:
    """Return the facts of repositories, with the addresses of nodes and the id of each file."""
    table = delta_columns(evidence, _COLUMNS, version=version, repos=repos)
    rows = sorted(zip(*(table.column(name).to_pylist() for name in _COLUMNS), strict=True))
    layouts = {repo: Layouts([row[1] for row in rows if row[0] == repo]) for repo in repos}
    files, addresses, file_ids = [], [], []
    for repo, path, file_id, module, is_package, facts in rows:
        if facts is None:
            continue
        others = tuple(name for name in layouts[repo].module_names(path) if name != module)
        found, places = unpack_facts(
            facts,
            repo=repo,
            path=path,
            module=module,
            is_package=is_package,
            other_names=others,
        )
        files.append(found)
        addresses.append(places)
        file_ids.append(file_id)
    return files, addresses, file_ids


_SHOWN_FAULTS = 5


def _told(error: Exception) -> str:
    """Return what went wrong, and where in the resolver."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__}: {error} ({Path(frame.filename).name}:{frame.lineno})"
