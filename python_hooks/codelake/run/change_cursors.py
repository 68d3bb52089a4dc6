"""How far each consumer has read the changes of a table: rows of `run_cursors`.

    read_cursors(lake)                   -> {("search", "cpg_nodes"): Cursor(version=4, ...)}
    move_cursor(lake, cursor, previous)  -> one row more, unless somebody else moved it meanwhile

Rows are only appended, so all that a consumer ever took stays on record; the last one counts.
"""

from __future__ import annotations

import datetime as dt
import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa

from codelake.errors import CodelakeError
from codelake.evidence.delta_columns import delta_columns
from codelake.run.catalogue import is_delta_table, table_location
from codelake.run.project import CURSOR_TABLE
from codelake.run.run_tables import append_rows


class Cursor(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A consumer has the rows of a table at a version.

    `table_id` is Delta's, `columns` a hash of the names and types that the table had.

    `from_version` is the version that it had before; None when it took the whole table.
    """

    consumer: str
    table_name: str
    table_id: str
    columns: str
    from_version: int | None
    version: int
    run_id: str
    changes: int
    at: dt.datetime


CURSOR_SCHEMA = pa.schema(
    [
        pa.field("number", pa.int64(), nullable=False),
        pa.field("consumer", pa.string(), nullable=False),
        pa.field("table_name", pa.string(), nullable=False),
        pa.field("table_id", pa.string(), nullable=False),
        pa.field("columns", pa.string(), nullable=False),
        pa.field("from_version", pa.int64()),
        pa.field("version", pa.int64(), nullable=False),
        pa.field("run_id", pa.string(), nullable=False),
        pa.field("changes", pa.int64(), nullable=False),
        pa.field("at", pa.timestamp("us", tz="UTC"), nullable=False),
    ]
)


def read_cursors(lake: Path) -> dict[tuple[str, str], Cursor]:
    """Return the last cursor of each consumer and table, in the order of both."""
    found = {
        (row["consumer"], row["table_name"]): msgspec.convert(
            {name: value for name, value in row.items() if name != "number"}, Cursor
        )
        for row in sorted(_rows(lake), key=lambda row: row["number"])
    }
    return dict(sorted(found.items()))


def move_cursor(lake: Path, cursor: Cursor, previous: Cursor | None) -> None:
    """Record that a consumer has read on.

    Args:
        lake: the lake's folder.
        cursor: where it is now.
        previous: where it was when its changes were read.

    Raises:
        CodelakeError: CURSOR_MOVED when it is elsewhere by now, LAKE_UNWRITABLE.
    """
    with _one_writer(lake):
        if read_cursors(lake).get((cursor.consumer, cursor.table_name)) != previous:
            raise CodelakeError(
                "CURSOR_MOVED",
                f"`{cursor.consumer}` has read `{cursor.table_name}` elsewhere meanwhile.",
                "drop what was read here, and read again",
            )
        row = {"number": len(_rows(lake)) + 1, **msgspec.structs.asdict(cursor)}
        append_rows(table_location(lake, CURSOR_TABLE), [row], CURSOR_SCHEMA)


def _rows(lake: Path) -> list[dict[str, Any]]:
    path = table_location(lake, CURSOR_TABLE)
    return delta_columns(path).to_pylist() if is_delta_table(path) else []


@contextmanager
def _one_writer(lake: Path) -> Iterator[None]:
    """Keep other consumers waiting; a build has a lock of its own and is not in the way."""
    path = lake / "_codelake" / "cursors.lock"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = path.open("ab")
    except OSError as error:
        message = f"`{lake}` cannot be written: {error.strerror}."
        raise CodelakeError("LAKE_UNWRITABLE", message, "read with --peek") from error
    with file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
