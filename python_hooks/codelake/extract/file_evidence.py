"""File evidence: scanned files -> one Arrow batch, a row per file.

    extract_batch([ScannedFile("app", "app/core.py", ...)]) -> pa.RecordBatch of EVIDENCE
    extract_batch([...], part="bytecode")                   -> of the table evidence_bytecode

Each file is read once, decoded once and parsed once. A file that was skipped, cannot be read,
decoded or parsed is a row all the same, with the reason in `errors` (of scan, decode or ast), and
with what can be seen all the same (undecodable.py, broken/).
When a file changed after the scan, its row tells the digest of the bytes read, so the next build
sees the difference.
"""

from __future__ import annotations

import gc
import hashlib
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pyarrow as pa

from codelake.evidence.ids import file_id, repository_id
from codelake.evidence.rows import ARRAYS, PARTS, Addresses, NestedColumn, no_facts
from codelake.extract.source_evidence import (
    SourceEvidence,
    Where,
    read_bytecode,
    read_concrete,
    read_source,
)
from codelake.extract.syntax.syntax_tree import syntax_tree
from codelake.extract.undecodable import Reader, read_undecodable
from codelake.extract.versions import LAYERS, PYTHON_VERSION, extractor_digest
from codelake.sources.decode import DecodeFailure, SourceText, decode
from codelake.sources.modules import is_generated, is_package, is_test, module_name
from codelake.sources.plan import file_digest, skip_mark
from codelake.sources.scan import ScannedFile, UnreadableError, read_regular

READERS: dict[str, Reader] = {
    "source": read_source,
    "bytecode": read_bytecode,
    "cst": read_concrete,
}
"""What reads a decoded file, by part of the evidence."""

type _Row = tuple[dict[str, Any], Addresses]


def extract_batch(
    files: Sequence[ScannedFile],
    salt: int = 0,
    begins: Callable[[int], None] | None = None,
    part: str = "source",
    layers: Collection[str] = LAYERS,
) -> pa.RecordBatch:
    """Extract files into one batch.

    Args:
        files: what to read, in the order of the rows.
        salt: the var `id_salt`.
        begins: called with the position of each file before it is read.
        part: which evidence to read, one of PARTS.
        layers: of the graph beyond syntax; the arrays of others stay empty.

    Returns:
        A record batch of the part's schema.
    """

    def rows() -> Iterator[_Row]:
        for number, file in enumerate(files):
            if begins is not None:
                begins(number)
            yield _row(file, salt, part, layers)

    return _batch(rows(), PARTS[part])


def failure_batch(
    file: ScannedFile,
    reason: tuple[str, str],
    salt: int = 0,
    part: str = "source",
    layers: Collection[str] = LAYERS,
) -> pa.RecordBatch:
    """Return the batch of a file that no process could read: its bytes, a module, an error.

    Args:
        file: what was to be read.
        reason: error type and message.
        salt: the var `id_salt`.
        part: which evidence was to be read.
        layers: that were to be read.
    """
    return _batch([_row(file, salt, part, layers, given_up=reason)], PARTS[part])


def _batch(rows: Iterable[_Row], schema: pa.Schema) -> pa.RecordBatch:
    columns: dict[str, Any] = {
        field.name: NestedColumn(field.type) if pa.types.is_list(field.type) else []
        for field in schema
    }
    with _without_collector():
        for row, addresses in rows:
            for name, column in columns.items():
                if isinstance(column, NestedColumn):
                    column.append(row[name], addresses)
                else:
                    column.append(row[name])
        arrays = [
            column.finish()
            if isinstance(column, NestedColumn)
            else pa.array(column, schema.field(name).type)
            for name, column in columns.items()
        ]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def _row(
    file: ScannedFile,
    salt: int,
    part: str,
    layers: Collection[str],
    given_up: tuple[str, str] | None = None,
) -> _Row:
    """Return the row of one file: its columns, and the addresses of its nodes."""
    number = file_id(file.repo, file.path, salt)
    module = module_name(file.path, file.layout)
    raw, reason = _read(file)
    source, found = None, SourceEvidence()
    if raw is None:
        found.errors.append(("scan", *reason, None, None, None, None))
    else:
        source = decode(raw)
        package = module if is_package(file.path) else module.rpartition(".")[0]
        where = Where(module, package, number)
        if given_up is not None:
            found.take_tree(syntax_tree(None, raw, None, module, number))
            found.errors.append(("worker", *given_up, None, None, None, None))
        elif isinstance(source, DecodeFailure):
            found = read_undecodable(source, where, READERS[part], layers)
        else:
            found = READERS[part](source, where, layers)
    errors = list(zip(*found.errors, strict=True)) if found.errors else None
    arrays = {**found.arrays, "errors": errors}
    columns = {
        "repo": file.repo,
        "path": file.path,
        "file_id": number,
        "repository_id": repository_id(file.repo, salt),
        "file_sha256": skip_mark(reason) if raw is None else hashlib.sha256(raw).hexdigest(),
        "size_bytes": file.size if raw is None else len(raw),
        "encoding": source.encoding if isinstance(source, SourceText) else None,
        "newline": "none" if source is None else source.newline,
        "module_name": module,
        "is_package": is_package(file.path),
        "is_test": is_test(file.path),
        "is_generated": raw is not None and is_generated(raw),
        "extractor_digest": file_digest(extractor_digest(part, layers), file),
        "python_version": PYTHON_VERSION,
        "parser": found.parser,
        "content": raw,
        "facts": found.facts,
        "line_starts": ([] if source is None else source.line_starts,),
        "def_ids": (found.def_ids,),
    }
    for name, struct in ARRAYS[part].items():
        columns[name] = arrays.get(name) or no_facts(struct)
    return columns, found.addresses


def _read(file: ScannedFile) -> tuple[bytes | None, tuple[str, str]]:
    """Return the bytes of a file, or None and the reason."""
    if file.skip is not None:
        return None, file.skip
    try:
        return read_regular(file.absolute), ("", "")
    except UnreadableError as error:
        return None, error.reason


@contextmanager
def _without_collector() -> Iterator[None]:
    """Keep the cyclic collector from walking trees that hold no cycles."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
