"""Rows of repositories: what was looked at in the folders of this build.

Rows of other repositories stay, and a build of some files only changes none.
"""

from __future__ import annotations

from collections.abc import Iterable

from codelake.errors import CodelakeError
from codelake.extract.repository_evidence import repository_row
from codelake.run.gathering import Gathering, GatherRequest, held_repositories, replacing
from codelake.run.write_plan import WritePlan
from codelake.sources.named_paths import named_paths
from codelake.sources.scan import parse_repositories


def gather_repositories(request: GatherRequest, create: bool) -> Gathering:
    """Describe the repositories of this build."""
    scan = request.scan
    repositories = parse_repositories(scan.repos)
    names = [repository.name for repository in repositories]
    if scan.only or not names:
        if create and (held := held_repositories(request.path)):
            raise _contract_changed(held)
        reason = "a build of some files only" if scan.only else "no repositories given"
        return Gathering(WritePlan(create=create, action="none", reason=reason))
    if create and (lost := held_repositories(request.path) - {*names}):
        raise _contract_changed(lost)
    environments = named_paths("environment", scan.environment, names, shared=True)
    locks = named_paths("lock_file", scan.lock_file, names, shared=True)
    rows = [
        repository_row(
            repository,
            scan.include,
            scan.exclude,
            scan.max_file_bytes,
            environment=environments.get(repository.name),
            lock_file=locks.get(repository.name),
            salt=scan.id_salt,
        )
        for repository in sorted(repositories, key=lambda repository: repository.name)
    ]
    reason = "files, projects or distributions changed"
    return replacing(request, "repositories", rows, create=create, reason=reason, repos=names)


def _contract_changed(repos: Iterable[str]) -> CodelakeError:
    return CodelakeError(
        "CONTRACT_CHANGED",
        f"`evidence_repositories` was made with another contract, so {', '.join(sorted(repos))} "
        "must be looked at again too.",
        "name all repositories of the lake in one build without `only`",
    )
