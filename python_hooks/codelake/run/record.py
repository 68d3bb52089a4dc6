"""The record of a run: its id and hashes while it goes on, one row in `run_manifest` at its end.

    current_run() -> Run(run_id="20261116T093000-1f2e3d4c", program_hash=..., ...)
    record_run(lake, results)  -> a row in <lake>/codelake/run_manifest, appended by deltalake

Model by model, `note_plan` keeps what the materialisation decided. A failing record is reported
and changes no build's status.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import os
import platform
import secrets
import sys
import threading
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa
from deltalake import write_deltalake

from codelake.compile.program import read_program
from codelake.run.catalogue import table_location
from codelake.run.project import ROOT, RUN_TABLE
from codelake.run.session import SQL_SETTINGS, STATIC_SETTINGS
from codelake.run.write_plan import WritePlan, table_version

_TOOLS = ("dbt-core", "dbt-spark", "pyspark", "delta-spark", "deltalake", "sqlglot")


class Run(msgspec.Struct, frozen=True):
    """Who writes: goes into every commit's userMetadata."""

    run_id: str
    program_hash: str
    environment_hash: str
    started_at: dt.datetime


class ModelRecord(msgspec.Struct, kw_only=True):
    """What a run did to one table."""

    name: str
    path: str
    action: str
    reason: str
    files: int = 0


_noted: dict[str, ModelRecord] = {}
_lock = threading.Lock()


@cache
def current_run() -> Run:
    """Return this process's run; CODELAKE_RUN_ID lets a caller choose the id."""
    now = dt.datetime.now(dt.UTC)
    run_id = os.environ.get("CODELAKE_RUN_ID") or f"{now:%Y%m%dT%H%M%S}-{secrets.token_hex(4)}"
    return Run(run_id, read_program(ROOT).program_hash, environment_hash(), now)


def new_run() -> None:
    """Forget the run before: one process may build several times."""
    current_run.cache_clear()
    with _lock:
        _noted.clear()


def environment() -> dict[str, str]:
    """Return what the result may depend on besides program and input: versions and settings."""
    versions = {name: version(name) for name in _TOOLS}
    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    return {"python": python, "system": platform.system(), **versions, **SQL_SETTINGS}


def environment_hash() -> str:
    """Return the digest of `environment`."""
    text = "\n".join(f"{key}={value}" for key, value in sorted(environment().items()))
    return hashlib.sha256((text + repr(sorted(STATIC_SETTINGS))).encode()).hexdigest()[:16]


def note_plan(name: str, path: Path, plan: WritePlan) -> None:
    """Keep what the materialisation of a table decided."""
    action = "create" if plan.create and plan.action == "none" else plan.action
    with _lock:
        _noted[name] = ModelRecord(
            name=name, path=str(path), action=action, reason=plan.reason, files=plan.files
        )


def noted() -> dict[str, ModelRecord]:
    """Return what was noted in this run so far."""
    with _lock:
        return dict(_noted)


_OUTPUT = pa.struct(
    [
        pa.field("name", pa.string()),
        pa.field("status", pa.string()),
        pa.field("action", pa.string()),
        pa.field("reason", pa.string()),
        pa.field("delta_version", pa.int64()),
        pa.field("seconds", pa.float64()),
    ]
)

RUN_SCHEMA = pa.schema(
    [
        pa.field("run_id", pa.string(), nullable=False),
        pa.field("command", pa.string(), nullable=False),
        pa.field("status", pa.string(), nullable=False),
        pa.field("started_at", pa.timestamp("us", tz="UTC"), nullable=False),
        pa.field("completed_at", pa.timestamp("us", tz="UTC"), nullable=False),
        pa.field("program_hash", pa.string(), nullable=False),
        pa.field("environment_hash", pa.string(), nullable=False),
        pa.field("environment", pa.map_(pa.string(), pa.string())),
        pa.field("files_read", pa.int64(), nullable=False),
        pa.field("outputs", pa.list_(_OUTPUT)),
    ]
)


def record_run(lake: Path, command: str, results: list[Any]) -> None:
    """Append one row for this run.

    Args:
        lake: the lake's folder.
        command: the dbt command.
        results: dbt's results, each with node, status and execution_time.
    """
    run = current_run()
    notes = noted()
    outputs = [_output(result, notes) for result in results]
    failed = any(output["status"] in ("error", "fail", "runtime error") for output in outputs)
    row = {
        "run_id": run.run_id,
        "command": command,
        "status": "failed" if failed else "complete",
        "started_at": run.started_at,
        "completed_at": dt.datetime.now(dt.UTC),
        "program_hash": run.program_hash,
        "environment_hash": run.environment_hash,
        "environment": sorted(environment().items()),
        "files_read": sum(note.files for note in notes.values()),
        "outputs": outputs,
    }
    path = table_location(lake, RUN_TABLE)
    write_deltalake(path, pa.Table.from_pylist([row], schema=RUN_SCHEMA), mode="append")


def _output(result: Any, notes: dict[str, ModelRecord]) -> dict[str, Any]:
    name = result.node.name
    note = notes.get(name)
    path = Path(note.path) if note else None
    return {
        "name": name,
        "status": str(result.status),
        "action": note.action if note else None,
        "reason": note.reason if note else None,
        "delta_version": table_version(path) if path else None,
        "seconds": round(result.execution_time, 3),
    }
