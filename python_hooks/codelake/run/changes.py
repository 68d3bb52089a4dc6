"""What changed in a table since a consumer last looked, by key.

    read_changes(lake, "cpg_nodes", "search")
        -> Changes(rows=change_type, node_id, ..., cursor=Cursor(version=5), previous=Cursor(4))

    feed, 4 to 5           delete 1, insert 1 (alike), delete 2, insert 2, insert 3, delete 4
    what is told           update 2, insert 3, delete 4

Builds replace the rows of whole files, and sometimes all, so Delta's change feed tells of many rows
that went and came back as they were: the first and the last word on each key count. A deleted row
is told as it was, any other as it is. The feed is read up to the version of the last complete run,
so a build that is under way or was killed is not seen.

A consumer that is new gets the whole table as inserts. One that cannot go on, because a part of the
feed is gone, is told to start over; what it then gets is the whole table again.
Next: change_cursors.py, which keeps how far each has read.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from deltalake import DeltaTable

from codelake.compile.program import read_program
from codelake.errors import CodelakeError
from codelake.evidence.delta_columns import delta_columns
from codelake.run.catalogue import is_delta_table, table_location
from codelake.run.change_cursors import Cursor, read_cursors
from codelake.run.manifest import RunManifest, last_complete
from codelake.run.project import ROOT
from codelake.run.table_digest import row_hashes
from codelake.run.write_policy import FEATURES

CHANGE_TYPE = "change_type"
"""The column that says what became of a row: insert, update or delete."""

_FEED = FEATURES["change_data_feed"]
_GONE = ("delete", "update_preimage")


@dataclass(frozen=True)
class Changes:
    """The changed rows in the order of their keys, and where the consumer is with and without."""

    rows: pa.Table
    key: tuple[str, ...]
    cursor: Cursor
    previous: Cursor | None


@dataclass(frozen=True)
class Lag:
    """A cursor, the version that questions read, and why it cannot go on from where it is."""

    cursor: Cursor
    newest: int | None
    gap: str


def read_changes(lake: Path, table: str, consumer: str, *, restart: bool = False) -> Changes:
    """Return what a consumer has not seen of a table.

    Args:
        lake: the lake's folder.
        table: one that has a key and the change feed.
        consumer: any name.
        restart: begin anew with the whole table.

    Raises:
        CodelakeError: TABLE_MISSING, FEED_OFF or FEED_GAP.
    """
    key = _key(table)
    run = last_complete(lake)
    path = table_location(lake, table)
    if run is None or table not in run.snapshot or not is_delta_table(path):
        message = f"no complete run of this lake has made `{table}`."
        raise CodelakeError("TABLE_MISSING", message, "run `codelake build REPO` first")
    until = run.snapshot[table]
    now = DeltaTable(path, version=until)
    if not _is_fed(now.metadata().configuration):
        policy = f"{{write_policy: {{{table}: {{features: [change_data_feed]}}}}}}"
        message = f"`{table}` keeps no change feed at version {until}."
        raise CodelakeError("FEED_OFF", message, f"run `dbt build --vars '{policy}'`")
    previous = read_cursors(lake).get((consumer, table))
    since = None if restart or previous is None else previous.version
    if since is not None and previous is not None and (gap := find_gap(path, previous, until)):
        raise CodelakeError(
            "FEED_GAP",
            f"`{consumer}` has read `{table}` up to version {since}, and {gap}.",
            "begin anew with --restart, which gives the whole table as inserts",
        )
    if since is None:
        held = delta_columns(path, version=until)
        rows = _told(held, np.full(held.num_rows, "insert"), key)
    else:
        rows = net_changes(_feed(now, since, until), key)
    return Changes(rows, key, _cursor(consumer, table, now, since, run, rows.num_rows), previous)


def list_cursors(lake: Path) -> list[Lag]:
    """Return every cursor with how far the lake has gone on since."""
    run = last_complete(lake)
    found = []
    for cursor in read_cursors(lake).values():
        path = table_location(lake, cursor.table_name)
        newest = run.snapshot.get(cursor.table_name) if run and is_delta_table(path) else None
        gap = "the table is gone" if newest is None else find_gap(path, cursor, newest)
        found.append(Lag(cursor, newest, gap))
    return found


def find_gap(path: Path, cursor: Cursor, until: int) -> str:
    """Say why the changes from a cursor to a version are not all there; empty when they are."""
    table = DeltaTable(path, version=until)
    if str(table.metadata().id) != cursor.table_id:
        return "the table was made anew since"
    if _columns(table) != cursor.columns:
        return "the table has other columns by now"
    if until < cursor.version:
        return f"questions read version {until} by now"
    for version in range(cursor.version + 1, until + 1):
        commit = path / "_delta_log" / f"{version:020}.json"
        if not commit.exists():
            return f"the log of version {version} was removed"
        actions = [json.loads(line) for line in commit.read_text("utf-8").splitlines()]
        settings = [each["metaData"]["configuration"] for each in actions if "metaData" in each]
        if not all(map(_is_fed, settings)):
            return f"the feed was off from version {version}"
        if missing := [name for name in _files(actions) if not (path / name).exists()]:
            return f"{len(missing)} files with changes of version {version} were removed"
    return ""


def net_changes(feed: pa.Table, key: Sequence[str]) -> pa.Table:
    """Return what a feed comes to: at most one row per key, in the order of the keys.

    A key of one number is compared exactly, others and whole rows by 64-bit hashes.

    Args:
        feed: rows with `_change_type` and `_commit_version`, in any order.
        key: the columns that tell rows apart.
    """
    rows = feed.drop_columns([name for name in feed.column_names if name.startswith("_")])
    gone = np.isin(feed["_change_type"].to_numpy(), _GONE)
    keys, hashes = row_hashes(rows.select(key)), row_hashes(rows)
    order = np.lexsort((~gone, feed["_commit_version"].to_numpy(), keys))
    differs = keys[order][1:] != keys[order][:-1]
    edge = np.ones(min(len(order), 1), bool)
    first, last = order[np.append(edge, differs)], order[np.append(differs, edge)]
    had, has = gone[first], ~gone[last]
    kinds = np.where(had & has, "update", np.where(has, "insert", "delete"))
    changed = (had | has) & ~(had & has & (hashes[first] == hashes[last]))
    places = np.where(has, last, first)[changed]
    return _told(rows.take(pa.array(places)), kinds[changed], key)


def _told(rows: pa.Table, kinds: Any, key: Sequence[str]) -> pa.Table:
    named = rows.add_column(0, CHANGE_TYPE, pa.array(kinds, pa.string()))
    order = pc.sort_indices(named, sort_keys=[(name, "ascending") for name in key])
    return named.take(order)


def _feed(now: DeltaTable, since: int, until: int) -> pa.Table:
    """Return the feed after a version up to another, with the types of the table."""
    held = pa.schema(now.schema())
    own = [pa.field("_change_type", pa.string()), pa.field("_commit_version", pa.int64())]
    schema = pa.schema([*(field.with_nullable(True) for field in held), *own])
    if since == until:
        return schema.empty_table()
    read = now.load_cdf(starting_version=since + 1, ending_version=until)
    return pa.table(read.read_all()).select(schema.names).cast(schema)


def _files(actions: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Yield the files that a commit's changes are read from: its own feed, else what it moved."""
    fed = [each["cdc"] for each in actions if "cdc" in each]
    moved = (each.get("add") or each.get("remove") for each in actions)
    for file in fed or [each for each in moved if each and each["dataChange"]]:
        yield unquote(file["path"])


def _columns(table: DeltaTable) -> str:
    text = pa.schema(table.schema()).to_string(show_field_metadata=False)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _is_fed(configuration: dict[str, str]) -> bool:
    return configuration.get(_FEED) == "true"


def _key(table: str) -> tuple[str, ...]:
    dataset = read_program(ROOT).dataset(table)
    if dataset is None or not dataset.location:
        tables = (each.name for each in read_program(ROOT).datasets if each.location)
        message = f"`{table}` is no table of the program."
        raise CodelakeError("TABLE_MISSING", message, f"use one of {', '.join(sorted(tables))}")
    return dataset.key


def _cursor(
    consumer: str, table: str, now: DeltaTable, since: int | None, run: RunManifest, count: int
) -> Cursor:
    return Cursor(
        consumer=consumer,
        table_name=table,
        table_id=str(now.metadata().id),
        columns=_columns(now),
        from_version=since,
        version=now.version(),
        run_id=run.run_id,
        changes=count,
        at=dt.datetime.now(dt.UTC),
    )
