"""The rows of a query, written to a table by Spark in one commit.

    spark_write(frame, table, "", state, append=False)                  all rows of the table
    spark_write(frame, table, "file_id in (1, 2)", state, append=False) those that a predicate names

Spark's plain overwrite forgets by what a table is clustered, so all rows of such a table are
replaced where `true`. Where rows of some keys are replaced, the rows that stay in a file are
written again as they lay, and as a file of their own, which leaves every file sorted that was.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
from deltalake import DeltaTable

from codelake.run.clustering import only_spark_writes
from codelake.run.write_policy import target_file_bytes

_ONE_FILE_PER_TASK = {
    "spark.sql.files.maxPartitionBytes": str(2**50),
    "spark.sql.files.openCostInBytes": str(2**50),
}
"""Spark reads small files together, and would write what stays of them into one."""


def spark_write(frame: Any, path: Path, predicate: str, state: str, *, append: bool) -> None:
    """Write rows to a table.

    Args:
        frame: a Spark DataFrame of the new rows.
        path: the table's folder.
        predicate: which rows to replace; empty for all.
        state: userMetadata of the commit.
        append: the table has no rows yet.
    """
    writer = frame.write.format("delta").option("userMetadata", state)
    writer = writer.mode("append" if append else "overwrite")
    if not append and (predicate or only_spark_writes(path)):
        writer = writer.option("replaceWhere", predicate or "true")
    if rows := rows_per_file(path):
        writer = writer.option("maxRecordsPerFile", rows)
    with _settings(frame.sparkSession, _ONE_FILE_PER_TASK if predicate else {}):
        writer.save(str(path))


def rows_per_file(path: Path) -> int:
    """Return how many rows a file of the wanted size takes; 0 when it may have any size.

    What a row takes is known from the last version, so a table without rows gives 0.
    """
    table = DeltaTable(path)
    size = target_file_bytes(table.metadata().configuration)
    actions = pa.table(table.get_add_actions(flatten=True)).to_pylist() if size else []
    held = sum(action["size_bytes"] for action in actions)
    rows = sum(action["num_records"] or 0 for action in actions)
    return max(1, size * rows // held) if rows else 0


@contextmanager
def _settings(session: Any, wanted: dict[str, str]) -> Iterator[None]:
    before = {key: session.conf.get(key) for key in wanted}
    for key, value in wanted.items():
        session.conf.set(key, value)
    try:
        yield
    finally:
        for key, value in before.items():
            session.conf.set(key, value)
