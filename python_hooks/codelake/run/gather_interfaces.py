"""Rows of interfaces: where the names come from that files import and the repository lacks.

They follow from two tables, read at the versions that the commit records. When these moved on, the
repositories whose files or distributions differ are looked at again, and no other.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

import pyarrow.compute as pc

from codelake.extract.external_names import Import, external_names
from codelake.extract.repository_evidence import known_of
from codelake.run.gathering import Gathering, GatherRequest, Row, held_table, replacing
from codelake.run.write_plan import WritePlan, digests, last_state, plan_write
from codelake.sources.interfaces import Interface, interfaces

_DIGESTS = {
    "evidence": ("file_id", "repo", "file_sha256", "extractor_digest"),
    "evidence_repositories": ("repo", "repo", "interfaces_digest"),
}
"""Per input: its key, the repository, and what tells whether the rows of a key are the same."""


def gather_interfaces(request: GatherRequest, create: bool) -> Gathering:
    """Find where imported names come from."""
    plan = plan_write(
        request.path,
        contract=request.contract,
        fingerprint=request.fingerprint,
        key="",
        inputs=request.inputs,
        full_refresh=request.full_refresh,
    )
    if plan.action == "none":
        return Gathering(plan)
    repos = None if create or request.full_refresh else _moved(request)
    if repos is not None and not repos:
        return Gathering(WritePlan(create=False, action="none", reason="inputs equal by key"))
    table = held_table(
        request.inputs["evidence_repositories"], ["repo", "distributions"], repos=repos
    )
    known = {row["repo"]: known_of(row["distributions"]) for row in table.to_pylist()}
    rows = [
        {"repo": repo, "repository_id": number, **_row(found)}
        for (repo, number), names in sorted(_imported(request.inputs["evidence"], repos).items())
        for found in interfaces(names, known.get(repo, known_of(())))
    ]
    return replacing(request, "interfaces", rows, create=create, reason=plan.reason, repos=repos)


def _moved(request: GatherRequest) -> set[str] | None:
    """Return the repositories whose input rows differ from those recorded; None when unknown."""
    state = last_state(request.path)
    if state is None or state.fingerprint != request.fingerprint:
        return None
    moved: set[str] = set()
    for name, path in request.inputs.items():
        try:
            before = digests(path, _DIGESTS[name], version=state.inputs[name])
        except Exception:  # deltalake raises several kinds for a vacuumed or truncated log
            return None
        moved |= {repo for _, (repo, *_) in before.items() ^ digests(path, _DIGESTS[name]).items()}
    return moved


def _row(found: Interface) -> Row:
    return {
        "name": found.name,
        "status": found.status,
        "dist_name": found.dist_name,
        "dist_version": found.dist_version,
        "how": found.how,
        "python_version": found.python_version,
        "rank": found.rank,
    }


def _imported(evidence: Path, repos: Collection[str] | None) -> dict[tuple[str, int], list[str]]:
    """Return the external names of each repository, by its name and id."""
    columns = ["repo", "repository_id", "module_name", "ast_imports"]
    table = held_table(evidence, columns, repos=repos).combine_chunks()
    files = list(zip(*(table[name].to_pylist() for name in columns[:3]), strict=True))
    modules: dict[tuple[str, int], set[str]] = {}
    for repo, number, module in files:
        modules.setdefault((repo, number), set()).add(module)
    imports: dict[tuple[str, int], set[Import]] = {key: set() for key in modules}
    for column in table["ast_imports"].chunks:
        entries: Any = pc.list_flatten(column)
        fields = [entries.field(f).to_pylist() for f in ("module", "name", "level", "is_star")]
        parents = pc.list_parent_indices(column).to_pylist()
        for file, module, name, level, is_star in zip(parents, *fields, strict=True):
            imports[files[file][:2]].add((module, name, level, is_star))
    return {key: external_names(modules[key], found) for key, found in imports.items()}
