"""Repository evidence: a repository as a whole -> its row.

    repository_row(Repository("app", "/code/app"))
        -> {"repo": "app", "listed_by": "git", "scope": [...], "projects": [...], ...}

The row tells what a scan includes and leaves out, what the project files declare, and which
distributions are known. Those come from the environment or lock file that the caller names and
from what the projects declare; the environment that codelake runs in is never looked at.
Next: external_names.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from codelake.evidence.ids import repository_id
from codelake.sources.environment import Distribution
from codelake.sources.interfaces import Known, interfaces_digest, read_known
from codelake.sources.listing import listing
from codelake.sources.project import Project, lowest_python
from codelake.sources.scan import INCLUDE, MAX_FILE_BYTES, Repository, scan_projects
from codelake.sources.scope import ScopeRow, scope_manifest

_SOURCES = ("environment", "lock", "declared")


def repository_row(
    repository: Repository,
    include: Sequence[str] = INCLUDE,
    exclude: Sequence[str] = (),
    max_file_bytes: int = MAX_FILE_BYTES,
    *,
    environment: str | None = None,
    lock_file: str | None = None,
    salt: int = 0,
) -> dict[str, Any]:
    """Describe a repository.

    Args:
        repository: what to look at.
        include: globs of files to read.
        exclude: globs of files to leave out.
        max_file_bytes: larger files are skipped.
        environment: a virtual environment or site-packages folder.
        lock_file: a lock file.
        salt: the var `id_salt`.

    Returns:
        A row of the schema REPOSITORIES.
    """
    listed = listing(repository.root)
    found = scan_projects(repository.root, listed.paths)
    needed = {one.name for project in found for one in project.dependencies if one.name}
    known = read_known(environment, lock_file, needed)
    return {
        "repo": repository.name,
        "repository_id": repository_id(repository.name, salt),
        "listed_by": listed.listed_by,
        "scope": [
            _scope_entry(row)
            for row in scope_manifest(repository, include, exclude, max_file_bytes)
        ],
        "projects": [_project(project) for project in found],
        "distributions": list(_distributions(known)),
        "problems": [f"{problem.file}: {problem.message}" for problem in known.problems],
        "interfaces_digest": interfaces_digest(known),
    }


def known_of(distributions: Iterable[Mapping[str, Any]]) -> Known:
    """Return what a row's distributions say, as `interfaces` takes it."""
    groups: dict[str, list[Distribution]] = {source: [] for source in _SOURCES}
    for one in distributions:
        made = Distribution(one["name"], one["version"], tuple(one["modules"]))
        groups[one["source"]].append(made)
    installed, locked, declared = (tuple(groups[source]) for source in _SOURCES)
    return Known(installed, locked, declared)


def _scope_entry(row: ScopeRow) -> dict[str, Any]:
    return {
        "path": row.path,
        "kind": row.kind,
        "is_included": row.included,
        "reason": row.reason,
        "detail": row.detail,
        "files": row.files,
    }


def _project(project: Project) -> dict[str, Any]:
    stated = {field: getattr(project, field) for field in ("name", "version", "requires_python")}
    values = {field: one and one.value for field, one in stated.items()}
    unknown = [
        f"{field}: {one.reason} ({one.origin})"
        for field, one in (*stated.items(), *(("package", one) for one in project.packages))
        if one is not None and one.value is None
    ]
    return {
        "folder": project.folder,
        "is_project": project.is_project,
        **values,
        "lowest_python": lowest_python(values["requires_python"] or ""),
        "dependencies": [
            {"name": d.name, "requirement": d.requirement, "group": d.group, "origin": d.origin}
            for d in project.dependencies
        ],
        "packages": [package.value for package in project.packages if package.value is not None],
        "roots": [
            {"folder": r.folder, "prefix": r.prefix, "origin": r.origin} for r in project.roots
        ],
        "undetermined": unknown,
        "problems": [f"{problem.file}: {problem.message}" for problem in project.problems],
    }


def _distributions(known: Known) -> Iterator[dict[str, Any]]:
    """Yield each distribution of a source once, with all modules that are told of it."""
    groups = zip(_SOURCES, (known.installed, known.locked, known.declared), strict=True)
    for source, group in groups:
        merged: dict[tuple[str, str | None], set[str]] = {}
        for one in group:
            merged.setdefault((one.name, one.version), set()).update(one.modules)
        for (name, version), modules in merged.items():
            yield {"source": source, "name": name, "version": version, "modules": sorted(modules)}
