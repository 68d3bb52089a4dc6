"""File evidence: scanned files -> one Arrow batch, a row per file.

    extract_batch([ScannedFile("app", "app/core.py", ...)]) -> pa.RecordBatch of EVIDENCE

Each file is read once, decoded once and parsed once. A file that was skipped, cannot be read,
decoded or parsed is a row all the same, with the reason in `errors` (of scan, decode or ast).
When a file changed after the scan, its row tells the digest of the bytes read, so the next build
sees the difference.
"""

from __future__ import annotations

import ast
import gc
import hashlib
import platform
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pyarrow as pa

from codelake.evidence.ids import file_id, repository_id
from codelake.evidence.rows import EVIDENCE, NESTED, NestedColumn, no_facts
from codelake.evidence.spans import SpanMap
from codelake.extract.parse import ParseFailure, parse
from codelake.extract.syntax_tree import SyntaxTree, syntax_tree
from codelake.sources.decode import DecodeFailure, SourceText, decode
from codelake.sources.modules import is_generated, is_package, is_test, module_name
from codelake.sources.plan import file_digest, skip_mark
from codelake.sources.scan import ScannedFile, UnreadableError, read_regular

PYTHON_VERSION = ".".join(platform.python_version_tuple()[:2])
EXTRACTOR_VERSIONS = {"ast": 1, "decode": 1, "ids": 1, "modules": 1}  # raise when output changes
EXTRACTOR_DIGEST = hashlib.sha256(
    repr((PYTHON_VERSION, sorted(EXTRACTOR_VERSIONS.items()))).encode()
).hexdigest()[:16]

type _Error = tuple[str, str, str, int | None, int | None, int | None, int | None]

_NESTED = [field.name for field in EVIDENCE if pa.types.is_list(field.type)]
_EMPTY_TREE = SyntaxTree([()] * 20, [()] * 12, [()] * 8)


def extract_batch(
    files: Sequence[ScannedFile], salt: int = 0, begins: Callable[[int], None] | None = None
) -> pa.RecordBatch:
    """Extract files into one batch.

    Args:
        files: what to read, in the order of the rows.
        salt: the var `id_salt`.
        begins: called with the position of each file before it is read.

    Returns:
        A record batch whose schema is EVIDENCE.
    """

    def rows() -> Iterator[dict[str, Any]]:
        for number, file in enumerate(files):
            if begins is not None:
                begins(number)
            yield _row(file, salt)

    return _batch(rows())


def failure_batch(file: ScannedFile, reason: tuple[str, str], salt: int = 0) -> pa.RecordBatch:
    """Return the batch of a file that no process could read: its bytes, a module, an error.

    Args:
        file: what was to be read.
        reason: error type and message.
        salt: the var `id_salt`.
    """
    return _batch([_row(file, salt, given_up=reason)])


def _batch(rows: Iterable[dict[str, Any]]) -> pa.RecordBatch:
    flat: dict[str, list[Any]] = {name: [] for name in EVIDENCE.names if name not in _NESTED}
    nested = {name: NestedColumn(EVIDENCE.field(name).type) for name in _NESTED}
    with _without_collector():
        for row in rows:
            for name, value in row.items():
                if name in flat:
                    flat[name].append(value)
                else:
                    nested[name].append(value)
        arrays = [
            nested[field.name].finish()
            if field.name in nested
            else pa.array(flat[field.name], field.type)
            for field in EVIDENCE
        ]
    return pa.RecordBatch.from_arrays(arrays, schema=EVIDENCE)


def _row(file: ScannedFile, salt: int, given_up: tuple[str, str] | None = None) -> dict[str, Any]:
    """Return the row of one file; nested values are columns."""
    number = file_id(file.repo, file.path, salt)
    module = module_name(file.path, file.layout)
    raw, reason = _read(file)
    errors: list[_Error] = []
    tree, source = _EMPTY_TREE, None
    if raw is None:
        errors.append(("scan", *reason, None, None, None, None))
    elif given_up is not None:
        errors.append(("worker", *given_up, None, None, None, None))
        tree = syntax_tree(None, raw, None, module, number)
    else:
        source = decode(raw)
        tree = _tree(source, module, number, errors)
    return {
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
        "extractor_digest": file_digest(EXTRACTOR_DIGEST, file),
        "python_version": PYTHON_VERSION,
        "parser": None,
        "content": raw,
        "line_starts": ([] if source is None else source.line_starts,),
        **{name: no_facts(name) for name in NESTED},
        "ast_nodes": tree.nodes,
        "ast_defs": tree.defs,
        "ast_imports": tree.imports,
        "errors": list(zip(*errors, strict=True)) if errors else [()] * 7,
    }


def _read(file: ScannedFile) -> tuple[bytes | None, tuple[str, str]]:
    """Return the bytes of a file, or None and the reason."""
    if file.skip is not None:
        return None, file.skip
    try:
        return read_regular(file.absolute), ("", "")
    except UnreadableError as error:
        return None, error.reason


def _tree(
    source: SourceText | DecodeFailure, module: str, number: int, errors: list[_Error]
) -> SyntaxTree:
    if isinstance(source, DecodeFailure):
        place = (source.line, None, source.bstart, source.bend)
        errors.append(("decode", source.error_type, source.message, *place))
        return syntax_tree(None, source.raw, None, module, number)
    try:
        spans = SpanMap(source)
        tree = parse(source.text)
        if isinstance(tree, ast.Module):
            return syntax_tree(tree, source.raw, spans, module, number)
        errors.append(("ast", tree.error_type, tree.message, *_place(tree, spans)))
        return syntax_tree(None, source.raw, spans, module, number)
    except Exception as error:  # a fault of codelake costs one file, not the build
        errors.append(("ast", type(error).__name__, str(error), None, None, None, None))
        return syntax_tree(None, source.raw, None, module, number)


def _place(
    failure: ParseFailure, spans: SpanMap
) -> tuple[int | None, int | None, int | None, int | None]:
    """Return line, column and raw span of a syntax error, as far as Python tells."""
    if failure.line is None:
        return None, None, None, None
    bstart, col = spans.locate_character(failure.line, failure.column or 0)
    bend = bstart
    if failure.end_line is not None and failure.end_column is not None:
        bend, _ = spans.locate_character(failure.end_line, failure.end_column)
    return failure.line, col, bstart, max(bstart, bend)


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
