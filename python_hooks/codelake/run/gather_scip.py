"""Rows of SCIP indexes: a document each, with the bytes that the evidence has of its file.

An index is read again when it, its reader or a file that it describes is another. Of an index that
a build does not name, documents of files that changed are dropped: their ranges would lie.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pyarrow as pa

from codelake.errors import CodelakeError
from codelake.evidence.gathered import GATHERED
from codelake.evidence.ids import repository_id
from codelake.extract.versions import EXTRACTOR_DIGESTS
from codelake.run.catalogue import is_delta_table
from codelake.run.gathering import Gathering, GatherRequest, Row, held_table, picking
from codelake.run.write_plan import WritePlan
from codelake.sources.named_paths import named_paths
from codelake.sources.scan import parse_repositories

_DIGESTS = (
    *("repo", "path", "document_idx", "file_sha256"),
    *("index_sha256", "extractor_digest", "scip_stats"),
)


def gather_scip(request: GatherRequest, create: bool) -> Gathering:
    """Read the indexes that changed, or whose files did."""
    scan = request.scan
    names = [repository.name for repository in parse_repositories(scan.repos)]
    indexes = named_paths("scip", scan.scip, names, shared=False)
    held: dict[str, list[Row]] = {}
    if is_delta_table(request.path):
        for row in held_table(request.path, list(_DIGESTS)).to_pylist():
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
    from codelake.extract.scip.scip_evidence import index_digest  # loads protobuf

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
        picking(stale, gone) if kept else None,
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
    columns = ["repo", "path", "file_sha256"]
    table = held_table(evidence, columns)
    repo, path, digest = (table[name].to_pylist() for name in columns)
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
    found = held_table(request.inputs["evidence"], columns, repos=indexes.keys())
    files: dict[str, dict[str, IndexedFile]] = {repo: {} for repo in indexes}
    for repo, name, *rest in zip(*(found[c].to_pylist() for c in columns), strict=True):
        files[repo][name] = IndexedFile(*rest)

    def batches() -> Iterator[pa.RecordBatch]:
        for repo, (path, digest) in indexes.items():
            repository = repo, repository_id(repo, request.scan.id_salt)
            yield from scip_batches(path, repository, digest, files.pop(repo))

    return pa.RecordBatchReader.from_batches(GATHERED["scip"], batches())
