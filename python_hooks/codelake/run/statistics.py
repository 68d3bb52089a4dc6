"""What a lake holds, in numbers, read without Spark.

statistics(lake)     files  read by ast     4
                     nodes  CALL            17
                     calls  unknown_name    1
"""

from __future__ import annotations

from pathlib import Path

from codelake.run.lake_reader import LakeReader

COLUMNS = ["about", "what", "rows"]
_COUNTED = (
    ("repository", "evidence", "repo"),
    ("files read by", "evidence", "parser"),
    ("nodes", "cpg_nodes", "node_kind"),
    ("edges", "cpg_edges", "edge_kind"),
    ("calls without a target", "unresolved_calls", "unknown_reason"),
)


def statistics(lake: Path) -> tuple[list[str], list[tuple[str, str, int]]]:
    """Return how many files, nodes, edges and calls without a target there are, by kind.

    Raises:
        CodelakeError: LAKE_MISSING.
    """
    reader = LakeReader(lake)
    return COLUMNS, [
        (about, str(what), count)
        for about, relation, column in _COUNTED
        for what, count in reader.ask(
            f"select {column}, count(*) from {relation} group by {column} order by {column}"
        )[1]
    ]
