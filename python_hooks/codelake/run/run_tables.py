"""The run tables: what manifests and events say, as Delta tables that Python appends to.

    append_runs(lake, [manifest])        -> run_manifest, one row per run
    append_events(lake, run_id, events)  -> run_events, one row per event

A table whose log is missing is made on first use, which is an event of its own. A table of an older
codelake takes new columns.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa
from deltalake import write_deltalake

from codelake.run.catalogue import is_delta_table, table_location
from codelake.run.events import Event, note_event
from codelake.run.manifest import RunManifest
from codelake.run.project import EVENT_TABLE, RUN_TABLE

_TEXT, _WHOLE, _REAL = pa.string(), pa.int64(), pa.float64()
_TIME = pa.timestamp("us", tz="UTC")
_OUTPUT = pa.struct(
    [
        ("name", _TEXT),
        ("status", _TEXT),
        ("action", _TEXT),
        ("reason", _TEXT),
        ("version", _WHOLE),
        ("rows", _WHOLE),
        ("files", _WHOLE),
        ("bytes", _WHOLE),
        ("digest", _TEXT),
        ("fingerprint", _TEXT),
        ("inputs", pa.map_(_TEXT, _WHOLE)),
        ("seconds", _REAL),
    ]
)
_REPOSITORY = pa.struct([("repo", _TEXT), ("root", _TEXT), ("files", _WHOLE), ("digest", _TEXT)])

RUN_SCHEMA = pa.schema(
    [
        pa.field("run_id", _TEXT, nullable=False),
        pa.field("command", _TEXT, nullable=False),
        pa.field("status", _TEXT, nullable=False),
        pa.field("started_at", _TIME, nullable=False),
        pa.field("completed_at", _TIME),
        pa.field("program_hash", _TEXT, nullable=False),
        pa.field("environment_hash", _TEXT, nullable=False),
        pa.field("environment", pa.map_(_TEXT, _TEXT)),
        pa.field("request", _TEXT),
        pa.field("repositories", pa.list_(_REPOSITORY)),
        pa.field("files_read", _WHOLE, nullable=False),
        pa.field("outputs", pa.list_(_OUTPUT)),
        pa.field("timings", pa.map_(_TEXT, _REAL)),
        pa.field("snapshot", pa.map_(_TEXT, _WHOLE)),
    ]
)

EVENT_SCHEMA = pa.schema(
    [
        pa.field("run_id", _TEXT, nullable=False),
        pa.field("at", _TIME, nullable=False),
        pa.field("event", _TEXT, nullable=False),
        pa.field("subject", _TEXT, nullable=False),
        pa.field("outcome", _TEXT, nullable=False),
        pa.field("detail", _TEXT),
    ]
)


def append_runs(lake: Path, manifests: Iterable[RunManifest]) -> None:
    """Append one row per run."""
    rows = [_run_row(manifest) for manifest in manifests]
    append_rows(table_location(lake, RUN_TABLE), rows, RUN_SCHEMA)


def append_events(lake: Path, run_id: str, events: Iterable[Event]) -> None:
    """Append the events of a run."""
    rows = [{"run_id": run_id, **msgspec.structs.asdict(event)} for event in events]
    append_rows(table_location(lake, EVENT_TABLE), rows, EVENT_SCHEMA)


def append_rows(path: Path, rows: list[dict[str, Any]], schema: pa.Schema) -> None:
    """Append rows to an internal table, which is made when it has no log.

    Args:
        path: the table's folder.
        rows: values by column.
        schema: of the table.
    """
    data = pa.Table.from_pylist(rows, schema=schema)
    missing = not is_delta_table(path)
    if missing:
        note_event("bootstrap", path.name, "started", "no log")
    try:
        write_deltalake(path, data, mode="append", schema_mode="merge")
    except Exception as error:
        if missing:
            note_event("bootstrap", path.name, "failed", str(error))
        raise
    if missing:
        note_event("bootstrap", path.name, "completed", "no log")


def _run_row(manifest: RunManifest) -> dict[str, Any]:
    row = msgspec.structs.asdict(manifest)
    outputs = [msgspec.structs.asdict(each) for each in manifest.outputs]
    return {
        **{name: row[name] for name in RUN_SCHEMA.names},
        "environment": sorted(manifest.environment.items()),
        "request": msgspec.json.encode(manifest.request, order="deterministic").decode(),
        "repositories": [msgspec.structs.asdict(each) for each in manifest.repositories],
        "outputs": [{**each, "inputs": sorted(each["inputs"].items())} for each in outputs],
        "timings": sorted(manifest.timings.items()),
        "snapshot": sorted(manifest.snapshot.items()),
    }
