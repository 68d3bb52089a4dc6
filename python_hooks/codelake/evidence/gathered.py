"""Gathered rows: the schemas of tables that Python writes itself, because their rows are few.

    GATHERED["repositories"]   one row per repository: what was looked at, what it declares
    GATHERED["interfaces"]     one row per imported name that is not the repository's own

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

GATHERED: dict[str, pa.Schema] = {"repositories": REPOSITORIES, "interfaces": INTERFACES}
"""The schema of each gathered table, by part."""
