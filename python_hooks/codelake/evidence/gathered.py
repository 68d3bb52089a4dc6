"""Gathered rows: the schemas of tables that Python writes itself, because their rows are few.

    GATHERED["repositories"]   one row per repository: what was looked at, what it declares
    GATHERED["interfaces"]     one row per imported name that is not the repository's own
    GATHERED["scip"]           one row per document of an index that another tool made

The driver makes these rows while it plans a build, so no Spark job reads or writes them.
Next: run/gather.py.
"""

from __future__ import annotations

import pyarrow as pa

from codelake.evidence import structs

_TEXT, _INT, _LONG = pa.string(), pa.int32(), pa.int64()


def _schema(*fields: tuple[str, pa.DataType]) -> pa.Schema:
    """Return a schema; a name that ends with `?` may be null."""
    return pa.schema(
        [pa.field(name.rstrip("?"), kind, nullable=name.endswith("?")) for name, kind in fields]
    )


REPOSITORIES = _schema(
    ("repo", _TEXT),
    ("repository_id", _LONG),
    ("listed_by", _TEXT),
    ("scope", structs.array(structs.SCOPE_ENTRY)),
    ("projects", structs.array(structs.PROJECT)),
    ("distributions", structs.array(structs.DISTRIBUTION)),
    ("problems", structs.array(_TEXT)),
    ("interfaces_digest", _TEXT),
)

INTERFACES = _schema(
    ("repo", _TEXT),
    ("repository_id", _LONG),
    ("name", _TEXT),
    ("status", _TEXT),
    ("dist_name?", _TEXT),
    ("dist_version?", _TEXT),
    ("how?", _TEXT),
    ("python_version", _TEXT),
    ("rank", _INT),
)

SCIP_ARRAYS: dict[str, pa.DataType] = {
    "metadata": structs.SCIP_METADATA,
    "stats": structs.SCIP_STATS,
    "documents": structs.SCIP_DOCUMENT,
    "occurrences": structs.SCIP_OCCURRENCE,
    "symbols": structs.SCIP_SYMBOL,
    "symbol_names": structs.SCIP_SYMBOL_NAME,
    "relationships": structs.SCIP_RELATIONSHIP,
    "diagnostics": structs.SCIP_DIAGNOSTIC,
    "health": structs.SCIP_HEALTH,
}
"""The arrays of a row of evidence_scip, where each is called `scip_<name>`."""

SCIP = _schema(
    ("repo", _TEXT),
    ("repository_id", _LONG),
    ("path?", _TEXT),
    ("file_id?", _LONG),
    ("file_sha256?", _TEXT),
    ("document_idx?", _INT),
    ("index_sha256", _TEXT),
    ("extractor_digest", _TEXT),
    *((f"scip_{name}", structs.array(struct)) for name, struct in SCIP_ARRAYS.items()),
)

GATHERED: dict[str, pa.Schema] = {
    "repositories": REPOSITORIES,
    "interfaces": INTERFACES,
    "scip": SCIP,
}
"""The schema of each gathered table, by part."""
