"""What a lake holds, in numbers, read without Spark.

statistics(lake)     files  read by ast     4
                     nodes  CALL            17
                     calls  unknown_name    1
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pyarrow as pa
from deltalake import DeltaTable

from codelake.errors import CodelakeError
from codelake.evidence.delta_columns import delta_columns
from codelake.run.project import SCHEMA

COLUMNS = ["about", "what", "rows"]

type _Row = tuple[str, str, int]


def statistics(lake: Path) -> tuple[list[str], list[_Row]]:
    """Return how many files, nodes, edges and calls without a target there are, by kind.

    Raises:
        CodelakeError: LAKE_MISSING.
    """
    tables = lake / SCHEMA
    if not DeltaTable.is_deltatable(str(tables / "cpg_nodes")):
        raise CodelakeError(
            "LAKE_MISSING", f"there is no lake at `{lake}`.", "run `codelake build REPO` first"
        )
    files = delta_columns(tables / "evidence", ["repo", "parser"])
    return COLUMNS, [
        *_counted("repository", files, "repo"),
        *_counted("files read by", files, "parser"),
        *_counted("nodes", delta_columns(tables / "cpg_nodes", ["node_kind"]), "node_kind"),
        *_counted("edges", delta_columns(tables / "cpg_edges", ["edge_kind"]), "edge_kind"),
        *_unknown(tables / "resolution"),
    ]


def _counted(about: str, table: pa.Table, column: str) -> list[_Row]:
    counts = table[column].value_counts().to_pylist()
    return sorted((about, str(row["values"]), row["counts"]) for row in counts)


def _unknown(path: Path) -> list[_Row]:
    reasons: Counter[str] = Counter()
    for entries in delta_columns(path, ["unresolved"])["unresolved"].to_pylist():
        reasons.update(entry["reason"] for entry in entries)
    return sorted(("calls without a target", reason, count) for reason, count in reasons.items())
