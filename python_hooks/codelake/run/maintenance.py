"""Care of tables: fewer files, files by z-order, checkpoints, files that nobody needs any more.

    maintain(lake, "vacuum")               -> what would be removed (a dry run)
    maintain(lake, "vacuum", apply=True)   -> removed, and recorded in run_maintenance

Nothing changes a row, and the snapshot of the last complete run moves on to the new files. The next
build compares its inputs by key and replaces nothing, but resolves once more what it reads whole.
Vacuum keeps at least 168 hours, Delta's own floor, because a reader may be at work on an older
version; it ends time travel, replay and diff before that. Each action holds the lake as a build
does. Clustered tables need Spark, which alone writes to them.
"""

from __future__ import annotations

import datetime as dt
import os
import secrets
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any, Literal

import msgspec
import pyarrow as pa
from deltalake import DeltaTable

from codelake.compile.program import read_program
from codelake.errors import CodelakeError
from codelake.run import lake_lock
from codelake.run.catalogue import is_delta_table, table_location
from codelake.run.clustering import clustering_columns, only_spark_writes
from codelake.run.manifest import last_complete, write_manifest
from codelake.run.project import OWN_TABLES, ROOT
from codelake.run.run_tables import append_rows
from codelake.run.snapshot import pinned_versions
from codelake.run.write_policy import target_file_bytes, zorder_columns

FLOOR_HOURS = 168
"""What vacuum keeps at the least."""

type Action = Literal["optimize", "zorder", "checkpoint", "vacuum"]


class MaintainedTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What an action did, or would do, to one table."""

    name: str
    outcome: Literal["done", "planned", "nothing"]
    version: int
    files_before: int
    files_after: int | None
    detail: str


class MaintenanceReport(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What an action did."""

    kind: Literal["maintenance_report_v1"] = "maintenance_report_v1"
    maintenance_id: str
    action: Action
    applied: bool
    at: dt.datetime
    tables: tuple[MaintainedTable, ...]


MAINTENANCE_SCHEMA = pa.schema(
    [
        ("maintenance_id", pa.string()),
        ("action", pa.string()),
        ("at", pa.timestamp("us", tz="UTC")),
        ("name", pa.string()),
        ("outcome", pa.string()),
        ("version", pa.int64()),
        ("files_before", pa.int64()),
        ("files_after", pa.int64()),
        ("detail", pa.string()),
    ]
)


def maintain(
    lake: Path,
    action: Action,
    *,
    tables: Collection[str] = (),
    columns: Collection[str] = (),
    hours: int = FLOOR_HOURS,
    apply: bool = False,
    session: Callable[[], Any] | None = None,
) -> MaintenanceReport:
    """Take care of tables.

    Args:
        lake: the lake's folder.
        action: optimize, zorder, checkpoint or vacuum.
        tables: which; all of the lake when none are named.
        columns: for zorder, instead of what the tables' policies say.
        hours: for vacuum, how old a file must be.
        apply: do it; otherwise say what would be done.
        session: opens a Spark session, which clustered tables need; one on this machine by default.

    Raises:
        CodelakeError: VACUUM_FLOOR, TABLE_MISSING, LAKE_BUSY, ZORDER_COLUMNS_MISSING,
            ZORDER_CLUSTERED.
    """
    if hours < FLOOR_HOURS:
        message = f"vacuum after {hours} hours would take files from readers at work."
        raise CodelakeError("VACUUM_FLOOR", message, f"keep at least {FLOOR_HOURS} hours")
    lake = lake.resolve()
    paths = _paths(lake, tables)
    now = dt.datetime.now(dt.UTC)
    name = f"{action}-{now:%Y%m%dT%H%M%S}-{secrets.token_hex(4)}"
    if apply:
        lake_lock.acquire(lake, name)
    behind = pinned_versions(lake)
    try:
        done = tuple(
            _kept(path, behind[path.name])
            if action == "vacuum" and path.name in behind
            else _act(action, path, tuple(columns), hours, apply, session or _opener(lake))
            for path in paths
        )
        report = MaintenanceReport(
            maintenance_id=name, action=action, applied=apply, at=now, tables=done
        )
        if apply:
            _move_snapshot(lake, report, behind)
            _record(lake, report)
    finally:
        if apply:
            lake_lock.release(lake)
    return report


def _paths(lake: Path, tables: Collection[str]) -> list[Path]:
    known = [each.name for each in read_program(ROOT).datasets if each.location]
    names = sorted(tables or (*known, *OWN_TABLES))
    paths = [table_location(lake, name) for name in names]
    missing = [path.name for path in paths if not is_delta_table(path)]
    if tables and missing:
        raise CodelakeError("TABLE_MISSING", f"the lake has no {', '.join(missing)}.")
    return [path for path in paths if is_delta_table(path)]


def _move_snapshot(lake: Path, report: MaintenanceReport, behind: Collection[str]) -> None:
    """Let questions read the new files, which hold the rows of the last complete run."""
    last = last_complete(lake)
    if last is None:
        return
    moved = {
        each.name: each.version
        for each in report.tables
        if each.name in last.snapshot and each.name not in behind
    }
    snapshot = {**last.snapshot, **moved}
    if snapshot != last.snapshot:
        write_manifest(lake, msgspec.structs.replace(last, snapshot=snapshot))


def _record(lake: Path, report: MaintenanceReport) -> None:
    shared = {"maintenance_id": report.maintenance_id, "action": report.action, "at": report.at}
    rows = [{**shared, **msgspec.structs.asdict(each)} for each in report.tables]
    append_rows(table_location(lake, "run_maintenance"), rows, MAINTENANCE_SCHEMA)


def _opener(lake: Path) -> Callable[[], Any]:
    from codelake.run.session import Views, open_session, target_address

    address = target_address(os.environ.get("CODELAKE_TARGET", "dev"))
    return lambda: open_session(lake, views=Views.AS_NAMED, **address)


def _act(
    action: Action,
    path: Path,
    columns: tuple[str, ...],
    hours: int,
    apply: bool,
    session: Callable[[], Any],
) -> MaintainedTable:
    by_spark = only_spark_writes(path)
    match action:
        case "optimize" if by_spark:
            return _cluster(path, apply, session)
        case "vacuum" if by_spark:
            return _vacuum_clustered(path, hours, apply, session)
        case "optimize":
            return _optimize(path, apply)
        case "zorder":
            return _zorder(path, columns, apply)
        case "checkpoint":
            return _checkpoint(path, apply)
        case "vacuum":
            return _vacuum(path, hours, apply)


def _optimize(path: Path, apply: bool) -> MaintainedTable:
    """Put small files together."""
    table = DeltaTable(path)
    size = target_file_bytes(table.metadata().configuration) or None
    if not apply:
        files = len(table.file_uris())
        return _told(path, files, "planned" if files > 1 else "nothing", "small files in one")
    before = len(table.file_uris())
    table.optimize.compact(target_size=size)
    return _told(path, before, _if_fewer(path, before), "small files in one")


def _cluster(path: Path, apply: bool, session: Callable[[], Any]) -> MaintainedTable:
    """Lay the rows together by what a table is clustered by; Delta leaves what lies well."""
    by = clustering_columns(path)
    detail = f"clustered by {', '.join(by)}" if by else "small files in one"
    version, before = DeltaTable(path).version(), len(DeltaTable(path).file_uris())
    if apply and before:
        session().sql(f"optimize {_source(path)}")
    moved = DeltaTable(path).version() > version
    planned = "planned" if before and not apply else "nothing"
    return _told(path, before, "done" if moved else planned, detail)


def _source(path: Path) -> str:
    return "delta.`" + str(path).replace("`", "``") + "`"


def _zorder(path: Path, columns: tuple[str, ...], apply: bool) -> MaintainedTable:
    """Write a table's files anew, sorted along a curve through some columns."""
    table = DeltaTable(path)
    before = len(table.file_uris())
    by = columns or zorder_columns(table.metadata().configuration)
    missing = set(by) - {field.name for field in table.schema().fields}
    if missing:
        message = f"`{path.name}` has no {', '.join(sorted(missing))}."
        raise CodelakeError("ZORDER_COLUMNS_MISSING", message, "name --table and --by")
    if by and only_spark_writes(path, table):
        message = f"`{path.name}` is or was clustered, and Delta then orders by nothing else."
        raise CodelakeError("ZORDER_CLUSTERED", message, "use `codelake maintain optimize`")
    if not by or not before:
        return _told(path, before, "nothing", "no columns to order by" if not by else "no rows")
    if apply:
        table.optimize.z_order(by)
    return _told(path, before, "done" if apply else "planned", f"by {', '.join(by)}")


def _checkpoint(path: Path, apply: bool) -> MaintainedTable:
    """Write the state of a log into one file, so that a reader needs no older commits."""
    table = DeltaTable(path)
    there = (path / "_delta_log" / f"{table.version():020}.checkpoint.parquet").exists()
    if apply and not there:
        table.create_checkpoint()
    outcome = "nothing" if there else "done" if apply else "planned"
    return _told(path, len(table.file_uris()), outcome, "state of the log")


def _vacuum(path: Path, hours: int, apply: bool) -> MaintainedTable:
    """Remove files that no version younger than some hours needs."""
    table = DeltaTable(path)
    listed = table.vacuum(retention_hours=hours, dry_run=not apply)
    outcome = "nothing" if not listed else "done" if apply else "planned"
    return _told(path, len(table.file_uris()), outcome, f"{len(listed)} old files")


def _vacuum_clustered(
    path: Path, hours: int, apply: bool, session: Callable[[], Any]
) -> MaintainedTable:
    """Do the same by Spark, which tells the files before it removes them."""
    files = len(DeltaTable(path).file_uris())
    statement = f"vacuum {_source(path)} retain {hours} hours"
    listed = session().sql(f"{statement} dry run").count()
    if apply and listed:
        session().sql(statement)
    outcome = "nothing" if not listed else "done" if apply else "planned"
    return _told(path, files, outcome, f"{listed} old files")


def _kept(path: Path, version: int) -> MaintainedTable:
    """Leave a table alone whose newest version is not the one that questions read."""
    files = len(DeltaTable(path).file_uris())
    return _told(path, files, "nothing", f"questions read version {version}: build first")


def _if_fewer(path: Path, before: int) -> Any:
    return "done" if len(DeltaTable(path).file_uris()) < before else "nothing"


def _told(path: Path, before: int, outcome: Any, detail: str) -> MaintainedTable:
    table = DeltaTable(path)
    return MaintainedTable(
        name=path.name,
        outcome=outcome,
        version=table.version(),
        files_before=before,
        files_after=len(table.file_uris()) if outcome == "done" else None,
        detail=detail,
    )
