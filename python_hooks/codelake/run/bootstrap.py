"""Zero-row bootstrap: prove a lake before the first file is read.

    bootstrap(lake) -> BootstrapReport(status="ok", datasets=(...), ...)

    plan      every dataset of the program, with role and schema hash (bootstrap_plan.py)
    execute   a zero-row build: makes what is missing, registers, compiles every view, keeps rows
    validate  columns, nullability and semantic types of each log against the contract; no row read
    report    JSON beside the lake, and rows in `run_bootstrap`

A required dataset that fails makes the report fail; an optional one, and a check that depends on
rows, is advisory. A table that lost its log is moved to `_codelake/lost/` and made anew.
`seeded_minimal_rows` puts one typed row into named tables that are empty, sees that it can be
written and read, and takes it out again: no later build meets a row that nobody extracted.
"""

from __future__ import annotations

import datetime as dt
import time
from collections.abc import Collection
from pathlib import Path
from typing import Any, Literal

import msgspec
import pyarrow as pa
from deltalake import DeltaTable, write_deltalake

from codelake.compile.program import Dataset, Program, read_program
from codelake.errors import CodelakeError
from codelake.run import lake_lock
from codelake.run.bootstrap_plan import PlannedDataset, Role, plan_bootstrap
from codelake.run.build import RunResult, build
from codelake.run.catalogue import is_delta_table, table_location
from codelake.run.clustering import only_spark_writes
from codelake.run.manifest import last_complete
from codelake.run.project import OWN_TABLES, ROOT
from codelake.run.run_tables import append_rows
from codelake.run.schema_policy import compare_schema

type Mode = Literal["strict_zero_rows", "seeded_minimal_rows"]
type Status = Literal["created", "recreated", "validated", "seeded", "compiled", "absent", "failed"]


class DatasetOutcome(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What became of one dataset."""

    name: str
    role: Role
    required: bool
    status: Status
    detail: str
    location: str | None
    schema_hash: str
    version: int | None
    rows: int | None


class BootstrapReport(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a bootstrap found."""

    kind: Literal["zero_row_bootstrap_validation_v1"] = "zero_row_bootstrap_validation_v1"
    run_id: str
    status: Literal["ok", "failed"]
    mode: Mode
    event_time: dt.datetime
    seconds: float
    program_hash: str
    planned: int
    failures: tuple[str, ...]
    advisories: tuple[str, ...]
    seeded: tuple[str, ...]
    datasets: tuple[DatasetOutcome, ...]


REPORT_SCHEMA = pa.schema(
    [
        ("run_id", pa.string()),
        ("event_time", pa.timestamp("us", tz="UTC")),
        ("report_status", pa.string()),
        ("mode", pa.string()),
        ("name", pa.string()),
        ("role", pa.string()),
        ("required", pa.bool_()),
        ("status", pa.string()),
        ("detail", pa.string()),
        ("location", pa.string()),
        ("schema_hash", pa.string()),
        ("version", pa.int64()),
        ("rows", pa.int64()),
    ]
)


def bootstrap(lake: Path, *, seeded: Collection[str] = (), target: str = "dev") -> BootstrapReport:
    """Make what a lake lacks, without reading a file, and check all of it.

    Args:
        lake: the lake's folder.
        seeded: tables that get one typed row for the time of the check.
        target: a target of profiles.yml.

    Raises:
        CodelakeError: DATASET_UNKNOWN when a seeded name is no table of the program.
    """
    began = time.monotonic()
    program = read_program(ROOT)
    plan = plan_bootstrap(program)
    _require_tables(seeded, plan)
    lake = lake.resolve()
    before = {each.name for each in plan if is_delta_table(table_location(lake, each.name))}
    lost = _set_lost_tables_aside(lake, plan)
    result = build([], lake, empty=True, target=target)
    lake_lock.acquire(lake, result.run_id)
    try:
        found = [
            _outcome(lake, each, program.dataset(each.name), result, before, lost) for each in plan
        ]
        found = [_seeded(lake, each) if each.name in seeded else each for each in found]
        report = _report(program, result, found, bool(seeded), began)
        write_report(lake, report)
    finally:
        lake_lock.release(lake)
    return report


def write_report(lake: Path, report: BootstrapReport) -> None:
    """Write a report as JSON beside the lake, and as rows."""
    path = lake / "_codelake" / "bootstrap" / f"{report.run_id}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(msgspec.json.format(msgspec.json.encode(report), indent=2))
    shared = {"run_id": report.run_id, "event_time": report.event_time}
    shared |= {"report_status": report.status, "mode": report.mode}
    rows = [{**shared, **msgspec.structs.asdict(each)} for each in report.datasets]
    append_rows(table_location(lake, "run_bootstrap"), rows, REPORT_SCHEMA)


def _require_tables(seeded: Collection[str], plan: tuple[PlannedDataset, ...]) -> None:
    tables = {each.name for each in plan if each.location and each.role != "internal"}
    unknown = sorted(set(seeded) - tables)
    if unknown:
        message = f"{', '.join(unknown)}: no table that can have a row."
        raise CodelakeError("DATASET_UNKNOWN", message, f"use {', '.join(sorted(tables))}")


def _set_lost_tables_aside(lake: Path, plan: tuple[PlannedDataset, ...]) -> dict[str, str]:
    """Move what is left of tables that a run wrote and whose log is gone; return where to."""
    last = last_complete(lake)
    ours = {*OWN_TABLES, *(last.snapshot if last else ())}
    moved = {}
    for each in plan:
        path = table_location(lake, each.name)
        gone = path.is_dir() and not is_delta_table(path) and any(path.iterdir())
        if each.location and gone and each.name in ours:
            aside = lake / "_codelake" / "lost" / f"{each.name}-{time.time_ns()}"
            aside.parent.mkdir(parents=True, exist_ok=True)
            path.rename(aside)
            moved[each.name] = str(aside.relative_to(lake))
    return moved


def _outcome(
    lake: Path,
    planned: PlannedDataset,
    dataset: Dataset | None,
    result: RunResult,
    before: set[str],
    lost: dict[str, str],
) -> DatasetOutcome:
    """Judge one dataset after the zero-row build."""
    name, path = planned.name, table_location(lake, planned.name)
    table = DeltaTable(path) if planned.location and is_delta_table(path) else None
    built = result.statuses.get(name)
    status: Status
    if built not in (None, "success", "pass"):
        status, detail = "failed", result.reasons.get(name) or "something that it reads failed"
    elif table is None:
        view = dataset is not None and dataset.sql is not None
        status, detail = ("compiled" if view and built else "absent"), ""
    else:
        problems = _problems(path, dataset, table) if dataset else ""
        status = "failed" if problems else "validated" if name in before else "created"
        detail = problems
        if name in lost and not problems:
            status, detail = "recreated", f"its log was gone; its files are in {lost[name]}"
    if status == "absent" and planned.required:
        status, detail = "failed", "the build did not make it"
    return DatasetOutcome(
        name=name,
        role=planned.role,
        required=planned.required,
        status=status,
        detail=detail,
        location=planned.location,
        schema_hash=planned.schema_hash,
        version=table.version() if table else None,
        rows=_count(table) if table else None,
    )


def _problems(path: Path, dataset: Dataset, table: DeltaTable) -> str:
    """Compare a log with the contract: columns first, then what they mean."""
    found = compare_schema(path, dataset)
    if found.verdict != "equal":
        return str(found)
    held = table.metadata().configuration
    if dataset.materialization == "seed":
        return ""
    wrong = [
        f"{column.name} means {held.get(key)}, declared is {column.semantic_type}"
        for column in dataset.columns
        if column.semantic_type
        and held.get(key := f"codelake.semantic_type.{column.name}") != column.semantic_type
    ]
    return "; ".join(wrong)


def _seeded(lake: Path, outcome: DatasetOutcome) -> DatasetOutcome:
    """Put one typed row into an empty table, read it, and take it out again."""
    path = table_location(lake, outcome.name)
    if outcome.status == "failed" or outcome.rows:
        return outcome
    if only_spark_writes(path):
        return msgspec.structs.replace(outcome, detail="clustered: only Spark writes rows")
    row = minimal_row(pa.schema(DeltaTable(path).schema()))
    try:
        write_deltalake(path, row, mode="append")
        version = DeltaTable(path).version()
        count = _count(DeltaTable(path))
        DeltaTable(path).delete()
    except Exception as error:  # a CHECK that no minimal row meets
        return msgspec.structs.replace(outcome, status="failed", detail=str(error))
    detail = f"{count} row in version {version}, taken out again"
    now = DeltaTable(path).version()
    return msgspec.structs.replace(outcome, status="seeded", detail=detail, version=now)


def minimal_row(schema: pa.Schema) -> pa.Table:
    """Return one row of a schema: null where it may be, else nothing of the type."""
    values = [
        pa.nulls(1, field.type) if field.nullable else pa.array([_nothing(field.type)], field.type)
        for field in schema
    ]
    return pa.Table.from_arrays(values, schema=schema)


def _nothing(kind: pa.DataType) -> Any:
    if pa.types.is_list(kind) or pa.types.is_map(kind):
        return []
    if pa.types.is_struct(kind):
        return {field.name: _nothing(field.type) for field in kind}
    if pa.types.is_string(kind):
        return ""
    if pa.types.is_binary(kind):
        return b""
    return False if pa.types.is_boolean(kind) else 0


def _count(table: DeltaTable) -> int:
    actions = pa.table(table.get_add_actions(flatten=True))
    return sum(actions["num_records"].to_pylist()) if actions.num_rows else 0


def _report(
    program: Program,
    result: RunResult,
    found: list[DatasetOutcome],
    seeding: bool,
    began: float,
) -> BootstrapReport:
    failed = [each for each in found if each.status == "failed"]
    failures = [f"{each.name}: {each.detail}" for each in failed if each.required]
    advisories = [f"{each.name}: {each.detail}" for each in failed if not each.required]
    names = {each.name for each in found}
    advisories += [
        f"{name}: depends on rows: {result.reasons.get(name, '')}"
        for name, status in sorted(result.statuses.items())
        if name not in names and status not in ("success", "pass", "skipped")
    ]
    return BootstrapReport(
        run_id=result.run_id,
        status="failed" if failures else "ok",
        mode="seeded_minimal_rows" if seeding else "strict_zero_rows",
        event_time=dt.datetime.now(dt.UTC),
        seconds=round(time.monotonic() - began, 3),
        program_hash=program.program_hash,
        planned=len(found),
        failures=tuple(failures),
        advisories=tuple(advisories),
        seeded=tuple(each.name for each in found if each.status == "seeded"),
        datasets=tuple(found),
    )
