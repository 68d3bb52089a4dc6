"""Tables that the driver writes: few rows, made while a build is planned, no Spark job.

    plan_gather("repositories", request) -> Gathering(plan=WritePlan(...), data=<rows>)

    repositories   from the folders of this build; rows of other repositories stay
    interfaces     from the imports in the evidence and the distributions of the repositories
    scip           from the indexes of this build and the bytes in the evidence

Rows are compared with those of the table, those of an index by digests: equal ones are not written,
so there is no commit when nothing changed. Other tables are read by `deltalake`, at the version
that the commit records.
Next: macros/delta/delta_table.sql, which carries the plan out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from deltalake import DeltaTable, write_deltalake

from codelake.errors import CodelakeError
from codelake.evidence.gathered import GATHERED
from codelake.evidence.ids import repository_id
from codelake.extract.external_names import Import, external_names
from codelake.extract.file_evidence import EXTRACTOR_DIGESTS
from codelake.extract.repository_evidence import known_of, repository_row
from codelake.run.catalogue import is_delta_table
from codelake.run.create_table import commit_properties
from codelake.run.scan_plan import ScanRequest
from codelake.run.write_plan import WritePlan, must_create, plan_write, zero_row_plan
from codelake.sources.interfaces import interfaces
from codelake.sources.named_paths import named_paths
from codelake.sources.scan import parse_repositories

type Row = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class GatherRequest:
    """What a gathered table is planned from.

    Attributes:
        path: the table's folder.
        inputs: the tables it reads.
        scan: the vars that say what to read.
        contract: hash of the columns and constraints declared now.
        fingerprint: the model's, as compiled now.
        empty: a zero-row build.
        full_refresh: write whatever the table holds.
    """

    path: Path
    inputs: Mapping[str, Path]
    scan: ScanRequest
    contract: str
    fingerprint: str
    empty: bool = False
    full_refresh: bool = False


@dataclass(frozen=True)
class Gathering:
    """A plan, and the Arrow data that carries it out.

    Rows that the predicate picks are replaced; all, when there is none.
    """

    plan: WritePlan
    data: Any = None
    predicate: str | None = None


def plan_gather(part: str, request: GatherRequest) -> Gathering:
    """Decide what a gathered table must hold.

    Args:
        part: which table, one of GATHERED.
        request: what is known of it.
    """
    create = must_create(request.path, request.contract)
    if request.empty:
        return Gathering(zero_row_plan(request.path, create))
    return _PLANNERS[part](request, create)


def write_gathered(path: Path, gathering: Gathering, state: str) -> None:
    """Write the rows of a gathered table, in one commit.

    Args:
        path: the table's folder.
        gathering: what `plan_gather` gave.
        state: userMetadata of the commit.
    """
    write_deltalake(
        path,
        gathering.data,
        mode="overwrite",
        predicate=gathering.predicate,
        commit_properties=commit_properties(state),
    )


def _repositories(request: GatherRequest, create: bool) -> Gathering:
    scan = request.scan
    repositories = parse_repositories(scan.repos)
    names = [repository.name for repository in repositories]
    known = {row["repo"]: row for row in _rows(request.path)}
    if scan.only or not names:
        if create and known:
            raise _contract_changed(known)
        reason = "a build of some files only" if scan.only else "no repositories given"
        return Gathering(WritePlan(create=create, action="none", reason=reason))
    kept = {name: row for name, row in known.items() if name not in names}
    if create and kept:
        raise _contract_changed(kept)
    environments = named_paths("environment", scan.environment, names, shared=True)
    locks = named_paths("lock_file", scan.lock_file, names, shared=True)
    made = [
        repository_row(
            repository,
            scan.include,
            scan.exclude,
            scan.max_file_bytes,
            environment=environments.get(repository.name),
            lock_file=locks.get(repository.name),
            salt=scan.id_salt,
        )
        for repository in repositories
    ]
    rows = sorted([*kept.values(), *made], key=lambda row: row["repo"])
    changed = sum(row != known.get(row["repo"]) for row in made)
    return _gathering(request, create, "repositories", rows, f"{changed} repositories changed")


def _interfaces(request: GatherRequest, create: bool) -> Gathering:
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
    known = {
        row["repo"]: known_of(row["distributions"])
        for row in _rows(request.inputs["evidence_repositories"], ["repo", "distributions"])
    }
    rows = [
        {"repo": repo, "repository_id": number, **_interface(found)}
        for (repo, number), names in sorted(_imported(request.inputs["evidence"]).items())
        for found in interfaces(names, known.get(repo, known_of(())))
    ]
    return _gathering(request, create, "interfaces", rows, plan.reason)


def _scip(request: GatherRequest, create: bool) -> Gathering:
    scan = request.scan
    names = [repository.name for repository in parse_repositories(scan.repos)]
    indexes = named_paths("scip", scan.scip, names, shared=False)
    held: dict[str, list[Row]] = {}
    for row in _rows(request.path, list(_SCIP_DIGESTS)):
        held.setdefault(row["repo"], []).append(row)
    if not indexes and not held:
        return Gathering(WritePlan(create=False, action="none", reason="scip was not asked for"))
    if create and (lost := sorted(held.keys() - indexes.keys())):
        raise CodelakeError(
            "CONTRACT_CHANGED",
            f"`evidence_scip` was made with another contract, so the index of {', '.join(lost)} "
            "must be read again too.",
            "name the indexes of all repositories, or remove the table",
        )
    from codelake.extract.scip.scip_evidence import index_digest

    digests = {repo: index_digest(path) for repo, path in indexes.items()}
    files = _file_digests(request.inputs["evidence"])
    stale = {
        repo
        for repo, digest in digests.items()
        if create or request.full_refresh or _index_moved(held.get(repo, []), digest, files)
    }
    gone = {
        (repo, row["path"])
        for repo in sorted(held.keys() - indexes.keys())
        for row in held[repo]
        if row["file_sha256"] not in (None, files.get((repo, row["path"])))
    }
    if not stale and not gone:
        return Gathering(WritePlan(create=create, action="none", reason="no index changed"))
    reason = f"{len(stale)} indexes to read, {len(gone)} documents of files that changed"
    kept = held.keys() - stale
    return Gathering(
        WritePlan(create=create, action="overwrite", reason=reason),
        _documents({repo: (indexes[repo], digests[repo]) for repo in sorted(stale)}, request)
        if stale
        else GATHERED["scip"].empty_table(),
        _either(stale, gone) if kept else None,
    )


_SCIP_DIGESTS = (
    *("repo", "path", "document_idx", "file_sha256"),
    *("index_sha256", "extractor_digest", "scip_stats"),
)


def _index_moved(rows: list[Row], digest: str, files: Mapping[tuple[str, str], str]) -> bool:
    """Say whether an index, its reader, or a file that it describes is another than the rows'."""
    made = (digest, EXTRACTOR_DIGESTS["scip"])
    if not rows or any((row["index_sha256"], row["extractor_digest"]) != made for row in rows):
        return True
    documents = [row for row in rows if row["document_idx"] is not None]
    counted = sum(stats["documents"] for row in rows for stats in row["scip_stats"])
    return len(documents) != counted or any(
        row["file_sha256"] != files.get((row["repo"], row["path"])) for row in documents
    )


def _file_digests(evidence: Path) -> dict[tuple[str, str], str]:
    table = DeltaTable(evidence).to_pyarrow_table(columns=["repo", "path", "file_sha256"])
    repo, path, digest = (table[name].to_pylist() for name in table.column_names)
    return dict(zip(zip(repo, path, strict=True), digest, strict=True))


def _documents(
    indexes: Mapping[str, tuple[str, str]], request: GatherRequest
) -> pa.RecordBatchReader:
    """Return the rows of indexes, read while they are written: one may be larger than memory."""
    from codelake.extract.scip.scip_evidence import IndexedFile, check_index, scip_batches

    for path, _ in indexes.values():
        check_index(path)
    columns = ["repo", "path", "file_id", "file_sha256", "content"]
    # all at once: deltalake reads no table while it writes one
    found = DeltaTable(request.inputs["evidence"]).to_pyarrow_table(
        columns=columns, filters=[("repo", "in", list(indexes))]
    )
    files: dict[str, dict[str, IndexedFile]] = {repo: {} for repo in indexes}
    for repo, name, *rest in zip(*(found[c].to_pylist() for c in columns), strict=True):
        files[repo][name] = IndexedFile(*rest)

    def batches() -> Iterator[pa.RecordBatch]:
        for repo, (path, digest) in indexes.items():
            repository = repo, repository_id(repo, request.scan.id_salt)
            yield from scip_batches(path, repository, digest, files.pop(repo))

    return pa.RecordBatchReader.from_batches(GATHERED["scip"], batches())


def _either(repos: Iterable[str], documents: Iterable[tuple[str, str]]) -> str:
    """Return the condition that picks all rows of repositories, and single documents."""
    parts = [f"repo = {_quoted(repo)}" for repo in sorted(repos)]
    parts += [
        f"(repo = {_quoted(repo)} and path = {_quoted(path)})" for repo, path in sorted(documents)
    ]
    return " or ".join(parts)


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


_PLANNERS: dict[str, Callable[[GatherRequest, bool], Gathering]] = {
    "repositories": _repositories,
    "interfaces": _interfaces,
    "scip": _scip,
}


def _gathering(
    request: GatherRequest, create: bool, part: str, rows: list[Row], reason: str
) -> Gathering:
    """Return the plan that makes a table hold these rows."""
    data = pa.Table.from_pylist(rows, schema=GATHERED[part])
    if not (create or request.full_refresh) and _same(data, DeltaTable(request.path)):
        return Gathering(WritePlan(create=False, action="none", reason="equal rows"))
    if create and not is_delta_table(request.path):
        reason = "new table"
    return Gathering(WritePlan(create=create, action="overwrite", reason=reason), data)


def _same(data: pa.Table, table: DeltaTable) -> bool:
    """Say whether a table holds these rows, in whatever order its files have them."""
    held = table.to_pyarrow_table()
    if held.num_rows != data.num_rows:
        return False
    keys = [(name, "ascending") for name in ("repo", "name", "rank") if name in data.column_names]
    return bool(held.sort_by(keys).to_pylist() == data.sort_by(keys).to_pylist())


def _rows(path: Path, columns: list[str] | None = None) -> list[Row]:
    """Return the rows of a small table."""
    if not is_delta_table(path):
        return []
    return list(DeltaTable(path).to_pyarrow_table(columns=columns).to_pylist())


def _interface(found: Any) -> Row:
    return {
        "name": found.name,
        "status": found.status,
        "dist_name": found.dist_name,
        "dist_version": found.dist_version,
        "how": found.how,
        "python_version": found.python_version,
        "rank": found.rank,
    }


def _imported(evidence: Path) -> dict[tuple[str, int], list[str]]:
    """Return the external names of each repository, by name and id."""
    table = DeltaTable(evidence).to_pyarrow_table(
        columns=["repo", "repository_id", "module_name", "ast_imports"]
    )
    table = table.combine_chunks()
    of_files = list(
        zip(
            *(table[name].to_pylist() for name in ("repo", "repository_id", "module_name")),
            strict=True,
        )
    )
    modules: dict[tuple[str, int], set[str]] = {}
    for repo, number, module in of_files:
        modules.setdefault((repo, number), set()).add(module)
    imports: dict[tuple[str, int], set[Import]] = {key: set() for key in modules}
    for column in table["ast_imports"].chunks:
        found = pc.list_flatten(column)
        files = pc.list_parent_indices(column).to_pylist()
        fields = [found.field(name).to_pylist() for name in ("module", "name", "level", "is_star")]
        for file, *entry in zip(files, *fields, strict=True):
            repo, number, _ = of_files[file]
            imports[repo, number].add(tuple(entry))
    return {key: external_names(modules[key], found) for key, found in imports.items()}


def _contract_changed(rows: Mapping[str, Row]) -> CodelakeError:
    return CodelakeError(
        "CONTRACT_CHANGED",
        f"`evidence_repositories` was made with another contract, so {', '.join(sorted(rows))} "
        "must be looked at again too.",
        "name all repositories of the lake in one build without `only`",
    )
