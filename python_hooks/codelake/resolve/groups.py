"""Which repositories of a lake are resolved together: those that import each other.

    plan_groups(evidence, 7) -> (("app", "lib"), ("tool",))

Next: resolve_lake.py, which resolves one group.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from codelake.evidence.delta_columns import delta_columns


class ResolvePlan(msgspec.Struct, frozen=True):
    """What one run of the resolver reads: the plan file of the data source."""

    evidence: str
    version: int
    groups: tuple[tuple[str, ...], ...]


def plan_groups(evidence: Path, version: int) -> tuple[tuple[str, ...], ...]:
    """Return the repositories of a lake that have facts, those that import each other in one group.

    Args:
        evidence: folder of the evidence table.
        version: its version.
    """
    read = ["repo", "module_name", "ast_imports"]
    table = delta_columns(evidence, [*read, "facts"], version=version)
    table = table.filter(table["facts"].is_valid())
    tops: dict[str, set[str]] = {}
    wanted: dict[str, set[str]] = {}
    columns = (table.column(name).to_pylist() for name in read)
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


def read_resolve_plan(path: str) -> ResolvePlan:
    """Return what a plan file says."""
    return msgspec.json.decode(Path(path).read_bytes(), type=ResolvePlan)
