"""Resolving a lake: the evidence table at one version -> rows of `resolution`.

    plan_groups(evidence, 7)                       -> (("app", "lib"), ("tool",))
    resolve_group(evidence, 7, ("app", "lib"))     -> pa.RecordBatch of RESOLUTION

Repositories that import each other are resolved together. Only the columns that resolution reads
are read, through `deltalake`, at a pinned version.
"""

from __future__ import annotations

import traceback
from collections.abc import Sequence
from pathlib import Path

import msgspec
import pyarrow as pa
import pyarrow.dataset as ds
from deltalake import DeltaTable

from codelake.resolve.resolution import Resolution
from codelake.resolve.resolve import resolve
from codelake.resolve.resolved_rows import ResolvedRows
from codelake.resolve.stored_facts import unpack_facts
from codelake.sources.modules import Layouts


class ResolvePlan(msgspec.Struct, frozen=True):
    """What one run of the resolver reads: the plan file of the data source."""

    evidence: str
    version: int
    groups: tuple[tuple[str, ...], ...]


def plan_groups(evidence: Path, version: int) -> tuple[tuple[str, ...], ...]:
    """Return the repositories of a lake, those that import each other in one group.

    Args:
        evidence: folder of the evidence table.
        version: its version.
    """
    table = _read(evidence, version, ["repo", "module_name", "ast_imports"])
    tops: dict[str, set[str]] = {}
    wanted: dict[str, set[str]] = {}
    columns = (table.column(name).to_pylist() for name in ("repo", "module_name", "ast_imports"))
    for repo, module, imports in zip(*columns, strict=True):
        tops.setdefault(repo, set()).add(module.partition(".")[0])
        names = {each["module"].partition(".")[0] for each in imports if each["module"]}
        wanted.setdefault(repo, set()).update(names)
    group_of = {repo: repo for repo in tops}

    def root(repo: str) -> str:
        while group_of[repo] != repo:
            repo = group_of[repo]
        return repo

    for one in sorted(tops):
        for other in sorted(tops):
            if one != other and wanted[one] & (tops[other] - tops[one]):
                first, last = sorted((root(one), root(other)))
                group_of[last] = first
    groups: dict[str, list[str]] = {}
    for repo in sorted(tops):
        groups.setdefault(root(repo), []).append(repo)
    return tuple(tuple(group) for group in groups.values())


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
    table = _read(evidence, version, _COLUMNS, ds.field("repo").isin(list(repos)))
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
    answers = ResolvedRows(files, addresses, file_ids, salt)
    try:
        resolution = resolve(files)
    except Exception as error:  # the other layers of the graph stand without answers
        return answers.batch(Resolution(), _told(error))
    faults = sorted(set(resolution.faults))
    return answers.batch(resolution, "; ".join(faults[:_SHOWN_FAULTS]) or None)


_SHOWN_FAULTS = 5


def _told(error: Exception) -> str:
    """Return what went wrong, and where in the resolver."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__}: {error} ({Path(frame.filename).name}:{frame.lineno})"


def _read(
    path: Path, version: int, columns: list[str], where: ds.Expression | None = None
) -> pa.Table:
    return DeltaTable(path, version=version).to_pyarrow_dataset().to_table(columns, filter=where)
