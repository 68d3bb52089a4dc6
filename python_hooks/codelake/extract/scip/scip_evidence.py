"""SCIP evidence: an index and the files of its repository -> Arrow batches, a row per document.

    scip_batches(index, repository, files) -> pa.RecordBatch of GATHERED["scip"], one after another

A document whose path is that of a file has the file's id, and its ranges as bytes of that file. Of
any other document only its description and its faults are kept. The last row, without a document,
is that of the index: who made it, what it counts, symbols of other packages.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from codelake.errors import CodelakeError
from codelake.evidence.gathered import SCIP, SCIP_ARRAYS
from codelake.evidence.rows import NestedColumn
from codelake.extract.scip.scip_index import WIDTHS, ScipPart, scip_index
from codelake.extract.versions import EXTRACTOR_DIGESTS
from codelake.sources.decode import SourceText, decode

_BATCH_ITEMS = 50_000
_OF_FILES = ("occurrences", "symbols", "symbol_names", "relationships", "diagnostics")
"""What is kept of documents that are files only."""


@dataclass(frozen=True, slots=True)
class IndexedFile:
    """A file that a document may stand for."""

    file_id: int
    sha256: str
    content: bytes | None


def index_digest(path: str | Path) -> str:
    """Return the sha256 of an index; a missing one is an error."""
    try:
        with Path(path).open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise CodelakeError(
            "SCIP_INDEX_MISSING",
            f"no index can be read at `{path}`: {error.strerror}.",
            "make one, e.g. `scip-python index . --project-name NAME`",
        ) from None


def check_index(path: str | Path) -> None:
    """Raise an error when a file holds nothing of an index."""
    with Path(path).open("rb") as stream:
        next(scip_index(stream, lambda _: None))


def scip_batches(
    path: str | Path, repository: tuple[str, int], digest: str, files: Mapping[str, IndexedFile]
) -> Iterator[pa.RecordBatch]:
    """Read an index, some documents at a time.

    Args:
        path: the index.
        repository: name and id.
        digest: of the index.
        files: the files of the repository by path.

    Yields:
        Batches of the schema GATHERED["scip"].
    """

    def lookup(name: str) -> SourceText | None:
        file = files.get(name)
        source = decode(file.content) if file is not None and file.content is not None else None
        return source if isinstance(source, SourceText) else None

    batch = _Batch(repository, digest)
    with Path(path).open("rb") as stream:
        for part in scip_index(stream, lookup):
            batch.add(part, files)
            if batch.items >= _BATCH_ITEMS:
                yield batch.finish()
                batch = _Batch(repository, digest)
    if batch.items:
        yield batch.finish()


class _Batch:
    """Collects the rows of some documents."""

    def __init__(self, repository: tuple[str, int], digest: str) -> None:
        self._fixed = (*repository, digest, EXTRACTOR_DIGESTS["scip"])
        self._rows: list[tuple[Any, ...]] = []
        self._arrays = {name: NestedColumn(SCIP.field(f"scip_{name}").type) for name in SCIP_ARRAYS}
        self.items = 0

    def add(self, part: ScipPart, files: Mapping[str, IndexedFile]) -> None:
        """Add the row of one document, or of the index."""
        number = path = file = None
        if part.documents[0]:
            number, path = part.documents[0][0], part.documents[1][0]
            file = files.get(path)
        known = (file.file_id, file.sha256) if file is not None else (None, None)
        self._rows.append((path, *known, number))
        left_out = number is not None and file is None
        for name, column in self._arrays.items():
            columns = getattr(part, name)
            if left_out and name in _OF_FILES:
                columns = [()] * WIDTHS[name]
            column.append(columns)
            self.items += len(columns[0])
        self.items += 1

    def finish(self) -> pa.RecordBatch:
        """Return the batch."""
        repo, number, index, extractor = self._fixed
        paths, ids, digests, documents = zip(*self._rows, strict=True)
        count = len(self._rows)
        columns: dict[str, Any] = {
            "repo": [repo] * count,
            "repository_id": [number] * count,
            "path": paths,
            "file_id": ids,
            "file_sha256": digests,
            "document_idx": documents,
            "index_sha256": [index] * count,
            "extractor_digest": [extractor] * count,
        }
        arrays = [pa.array(columns[name], SCIP.field(name).type) for name in columns]
        arrays += [column.finish() for column in self._arrays.values()]
        return pa.RecordBatch.from_arrays(arrays, schema=SCIP)
