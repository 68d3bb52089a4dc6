"""Files: the evidence table, and views of what a file is.

evidence          one row per file, nested arrays per extractor; everything starts here
repo_files        the same without bytes and arrays
repo_file_blobs   the bytes
file_line_index   where each line starts and ends
extract_errors    what could not be read
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import replace

import pyarrow as pa

from codelake.evidence.gathered import GATHERED
from codelake.evidence.rows import PARTS, spark_type
from codelake.evidence.structs import OPTIONAL
from codelake.semantic.catalog.columns import column, columns
from codelake.semantic.ir import Column, Dataset, Explode, Project, Scan, Source, Write, here
from codelake.semantic.types import ArrayOf, SparkType, StructOf, parse_type

DEFAULTS = {"is_generated": "false", "is_package": "false", "is_test": "false"}
"""What stands for a column that is never null, in a lake whose table lacks it."""


def evidence_columns(part: str, meanings: Mapping[str, str] | None = None) -> tuple[Column, ...]:
    """Return the columns of an evidence table, with what they mean.

    Args:
        part: which table.
        meanings: of columns whose name means something else there.
    """
    return arrow_columns((PARTS | GATHERED)[part], OPTIONAL, meanings)


def arrow_columns(
    schema: pa.Schema,
    optional: Mapping[pa.DataType, Collection[str]],
    meanings: Mapping[str, str] | None = None,
) -> tuple[Column, ...]:
    """Return the columns of an Arrow schema, with what they mean.

    Args:
        schema: of a table with nested arrays.
        optional: names of the fields of each struct that may be null.
        meanings: of columns whose name means something else there.
    """
    made = []
    for field in schema:
        kind = parse_type(re.sub(" NOT NULL", "", spark_type(field.type)).lower())
        if isinstance(kind, ArrayOf) and isinstance(kind.element, StructOf):
            nulls = optional[field.type.value_type]
            parts = (replace(f, nullable=f.name in nulls) for f in kind.element.fields)
            kind = ArrayOf(StructOf(tuple(parts)))
        meaning = (meanings or {}).get(field.name)
        default = _default(field, kind)
        named = column(field.name, field.nullable, meaning)
        made.append(replace(named, type=kind, default=default))
    return tuple(made)


def _default(field: pa.Field, kind: SparkType) -> str | None:
    """Return what an older lake has for a column; nothing for one that no row can be without."""
    if field.nullable:
        return "null"
    return "array()" if isinstance(kind, ArrayOf) else DEFAULTS.get(field.name)


EVIDENCE_COLUMNS = evidence_columns("source")

evidence = Dataset(
    "evidence",
    layer="evidence",
    description="What every extractor saw in each file, as nested arrays.",
    grain="One row per file.",
    key=("file_id",),
    columns=EVIDENCE_COLUMNS,
    rows=Scan("scanned_files", macro="scanned_files", columns=EVIDENCE_COLUMNS),
    write=Write("extract", key="file_id", part="source"),
)


def evidence_part(name: str, part: str, description: str) -> Dataset:
    """Return the table of evidence that is extracted on request."""
    made = evidence_columns(part)
    return Dataset(
        name,
        layer="evidence",
        description=description,
        grain="One row per file.",
        key=("file_id",),
        columns=made,
        rows=Scan("scanned_files", macro="scanned_files", columns=made),
        write=Write("extract", key="file_id", part=part),
    )


def gathered(
    name: str,
    part: str,
    *,
    description: str,
    grain: str,
    key: tuple[str, ...],
    reads: tuple[Source, ...] = (),
    meanings: Mapping[str, str] | None = None,
) -> Dataset:
    """Return a table whose rows the driver makes; arguments as of Dataset and Write."""
    made = evidence_columns(part, meanings)
    return Dataset(
        name,
        layer="evidence",
        description=description,
        grain=grain,
        key=key,
        columns=made,
        rows=Scan("gathered_rows", macro="gathered_rows", columns=made, reads=reads),
        write=Write("gather", key="repo", part=part),
        place=here(outside=__file__),
    )


_IDENTITY = columns(
    "repo path file_id repository_id file_sha256 size_bytes encoding? newline module_name "
    "is_package is_test is_generated extractor_digest python_version parser?"
)

repo_files = Dataset(
    "repo_files",
    layer="evidence",
    description="Every file that was found, without its bytes.",
    grain="One row per file.",
    key=("file_id",),
    columns=_IDENTITY,
    rows=Project("files", Source("evidence"), {c.name: c.name for c in _IDENTITY}),
)

repo_file_blobs = Dataset(
    "repo_file_blobs",
    layer="evidence",
    description="The bytes of every file, as stored in the repository.",
    grain="One row per file.",
    key=("file_id",),
    columns=columns("file_id repo path content?"),
    rows=Project(
        "blobs",
        Source("evidence"),
        {"file_id": "file_id", "repo": "repo", "path": "path", "content": "content"},
    ),
)

_lines_of_files = Project(
    "lines_of_files",
    Source("evidence"),
    {
        "repo": "repo",
        "path": "path",
        "file_id": "file_id",
        "size_bytes": "size_bytes",
        "line_starts": "line_starts",
    },
)

file_line_index = Dataset(
    "file_line_index",
    layer="evidence",
    description="Where each line of a file starts and ends, in bytes.",
    grain="One row per file and line.",
    key=("file_id", "line_no"),
    columns=columns("repo path file_id line_no line_start_byte line_end_byte"),
    rows=Project(
        "lines",
        Explode(
            "line_starts_of_files",
            _lines_of_files,
            "line_starts",
            element="line_start",
            position="line_pos",
        ),
        {
            "repo": "repo",
            "path": "path",
            "file_id": "file_id",
            "line_no": "line_pos + 1",
            "line_start_byte": "line_start",
            "line_end_byte": "coalesce(get(line_starts, line_pos + 1), cast(size_bytes as int))",
        },
    ),
)

extract_errors = Dataset(
    "extract_errors",
    layer="evidence",
    description="What an extractor could not read, with the place where it is known.",
    grain="One row per error.",
    key=("file_id", "extractor", "error_type", "message", "bstart"),
    columns=columns("repo path file_id extractor error_type message line? col? bstart? bend?"),
    rows=Project(
        "errors_of_extractors",
        Explode(
            "errors_exploded",
            Project(
                "errors_of_files",
                Source("evidence"),
                {"repo": "repo", "path": "path", "file_id": "file_id", "errors": "errors"},
            ),
            "errors",
            element="error",
        ),
        {
            "repo": "repo",
            "path": "path",
            "file_id": "file_id",
            "extractor": "error.extractor",
            "error_type": "error.error_type",
            "message": "error.message",
            "line": "error.line",
            "col": "error.col",
            "bstart": "error.bstart",
            "bend": "error.bend",
        },
    ),
)

DATASETS: tuple[Dataset, ...] = (
    evidence,
    repo_files,
    repo_file_blobs,
    file_line_index,
    extract_errors,
)
