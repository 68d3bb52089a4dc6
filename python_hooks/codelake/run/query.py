"""One SQL query on a lake: arguments are bound by Spark, never written into the text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from pyspark.errors import PySparkException

from codelake.errors import CodelakeError
from codelake.run.catalogue import (
    register_table,
    register_views,
    require_lake,
    table_location,
)
from codelake.run.project import OWN_TABLES, SCHEMA
from codelake.run.session import Views, open_session, target_address
from codelake.run.snapshot import snapshot


def run_query(
    sql: str,
    lake: Path,
    *,
    target: str = "dev",
    arguments: Mapping[str, Any] | None = None,
    pin: str = "last",
) -> tuple[list[str], Iterable[tuple[Any, ...]]]:
    """Return the column names and rows of a query.

    Args:
        sql: one statement; `:name` stands for an argument.
        lake: the lake's folder.
        target: a target of profiles.yml.
        arguments: values for the names.
        pin: the run whose versions to read, or `latest` for the newest of each table.
    """
    require_lake(lake)
    session = open_session(lake.resolve(), views=Views.AS_NAMED, **target_address(target))
    session.sql(f"use {SCHEMA}")
    register_views(session, sql)
    for name in OWN_TABLES:
        if name in sql:  # a run may have ended since the session opened
            register_table(session, name, table_location(lake, name), files=True)
    try:
        with snapshot(session, lake, pin):
            frame = session.sql(sql, args=dict(arguments or {}))
            return frame.columns, [tuple(row) for row in frame.collect()]
    except PySparkException as error:
        text = str(error).split("\n\nJVM stacktrace:")[0].strip()
        raise CodelakeError("QUERY_FAILED", text) from error
