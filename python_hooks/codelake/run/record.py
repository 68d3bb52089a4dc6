"""The record of a run: its id and hashes while it goes on, its manifest from start to end.

    current_run()              -> Run(run_id="20261116T093000-1f2e3d4c", program_hash=..., ...)
    begin_run(lake, "build")   -> the lake's lock, and a manifest that says `running`
    record_run(lake, "build", results) -> the manifest complete, rows in run_manifest, run_events

Model by model, `note_plan` keeps what the materialisation decided. A failing record is reported
and changes no build's status. What writes tables is imported when a run ends: it begins before
Spark does, and with every dbt command.
Next: manifest.py, run_tables.py.
"""

from __future__ import annotations

import atexit
import datetime as dt
import hashlib
import os
import secrets
import threading
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from codelake.compile.program import read_program
from codelake.errors import CodelakeError
from codelake.run import lake_lock
from codelake.run.catalogue import is_delta_table, table_location
from codelake.run.environment import environment, environment_hash
from codelake.run.events import forget_events, note_event, noted_events
from codelake.run.manifest import (
    RepositoryInput,
    RunManifest,
    TableOutput,
    last_complete,
    read_run,
    runs_folder,
    unfinished_runs,
    write_manifest,
)
from codelake.run.project import ROOT

if TYPE_CHECKING:
    from codelake.run.write_plan import WritePlan

_BAD = ("error", "fail", "runtime error")


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
_request: dict[str, Any] = {}
_killed: list[RunManifest] = []
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
    forget_events()
    with _lock:
        _noted.clear()
        _request.clear()


def begin_run(lake: Path, command: str) -> None:
    """Take the lake for this run, and leave a marker that outlives a kill.

    Runs that were killed before get their row in the run tables with this one's.

    Raises:
        CodelakeError: LAKE_BUSY or LAKE_UNWRITABLE.
    """
    lake_lock.acquire(lake, current_run().run_id)
    try:
        _killed[:] = unfinished_runs(lake)
        for killed in _killed:
            write_manifest(lake, killed)
        write_manifest(lake, _manifest(command, "running"))
        atexit.register(abandon_run, lake)
    except OSError as error:
        message = f"`{lake}` cannot be written: {error.strerror}."
        raise CodelakeError("LAKE_UNWRITABLE", message, "choose another --lake") from error


def abandon_run(lake: Path) -> None:
    """Give the lake back; a run that stopped before its end has failed, and was not killed."""
    run_id = current_run().run_id
    if (runs_folder(lake) / f"{run_id}.json").exists():
        found = read_run(lake, run_id)
        if found.status == "running":
            now = dt.datetime.now(dt.UTC)
            done = msgspec.structs.replace(found, status="failed", completed_at=now)
            write_manifest(lake, done)
    lake_lock.release(lake)


def note_request(values: Mapping[str, Any]) -> None:
    """Keep what the run was asked to read."""
    with _lock:
        _request.update(values)


def note_plan(name: str, path: Path, plan: WritePlan) -> None:
    """Keep what the materialisation of a table decided."""
    action = "create" if plan.create and plan.action == "none" else plan.action
    note_event("plan", name, action, plan.reason)
    with _lock:
        _noted[name] = ModelRecord(
            name=name, path=str(path), action=action, reason=plan.reason, files=plan.files
        )


def noted() -> dict[str, ModelRecord]:
    """Return what was noted in this run so far."""
    with _lock:
        return dict(_noted)


def record_run(
    lake: Path,
    command: str,
    results: list[Any],
    *,
    digests: bool = True,
    compliance: bool = False,
) -> None:
    """Complete the manifest, append to the run tables, and give the lake back.

    Args:
        lake: the lake's folder.
        command: the dbt command.
        results: dbt's results, each with node, status and execution_time.
        digests: whether the manifest has the digest of each table.
        compliance: whether the run has a compliance pack.
    """
    try:
        manifest = _record(lake, command, results, digests=digests)
        if compliance:
            from codelake.run.compliance import write_envelope

            write_envelope(lake, manifest, noted_events())
    finally:
        lake_lock.release(lake)


def _record(lake: Path, command: str, results: list[Any], *, digests: bool) -> RunManifest:
    from codelake.run.digests import digest_outputs
    from codelake.run.lake_tables import write_lake_tables
    from codelake.run.run_tables import append_events, append_runs

    notes = noted()
    failed = any(str(result.status) in _BAD for result in results)
    outputs = tuple(
        _output(result, notes.get(result.node.name))
        for result in results
        if result.node.name in notes or str(result.status) in _BAD
    )
    if digests and not failed:
        outputs = digest_outputs(lake, outputs)
    before = last_complete(lake)
    versions = {each.name: each.version for each in outputs if each.version is not None}
    manifest = msgspec.structs.replace(
        _manifest(command, "failed" if failed else "complete"),
        completed_at=dt.datetime.now(dt.UTC),
        request=msgspec.convert(dict(_request), dict[str, str | int | list[str]]),
        repositories=_repositories(lake),
        files_read=sum(note.files for note in notes.values()),
        outputs=outputs,
        timings={result.node.name: round(result.execution_time, 3) for result in results},
        snapshot={**(before.snapshot if before else {}), **versions},
    )
    write_manifest(lake, manifest)
    append_runs(lake, [*_killed, manifest])
    write_lake_tables(lake, read_program(ROOT))
    append_events(lake, manifest.run_id, noted_events())
    return manifest


def _manifest(command: str, status: Any) -> RunManifest:
    run = current_run()
    return RunManifest(
        run_id=run.run_id,
        command=command,
        status=status,
        started_at=run.started_at,
        program_hash=run.program_hash,
        environment_hash=run.environment_hash,
        environment=environment(),
    )


def _output(result: Any, note: ModelRecord | None) -> TableOutput:
    """Return what became of a table, or why a model or check that is none failed."""
    output = TableOutput(
        name=result.node.name,
        status=str(result.status),
        action=note.action if note else "none",
        reason=note.reason if note else str(result.message or ""),
        seconds=round(result.execution_time, 3),
    )
    import pyarrow as pa
    from deltalake import DeltaTable

    from codelake.run.write_plan import last_state

    path = Path(note.path) if note else None
    if path is None or not is_delta_table(path):
        return output
    table = DeltaTable(path)
    actions = pa.table(table.get_add_actions(flatten=True))
    state = last_state(path)
    return msgspec.structs.replace(
        output,
        version=table.version(),
        rows=sum(actions["num_records"].to_pylist()) if actions.num_rows else 0,
        files=actions.num_rows,
        bytes=sum(actions["size_bytes"].to_pylist()),
        fingerprint=state.fingerprint if state else "",
        inputs=state.inputs if state else {},
    )


def _repositories(lake: Path) -> tuple[RepositoryInput, ...]:
    """Return the repositories in the evidence, each with a digest over its files."""
    from codelake.evidence.delta_columns import delta_columns
    from codelake.sources.scan import parse_repositories

    path = table_location(lake, "evidence")
    if not is_delta_table(path):
        return ()
    roots = {each.name: str(each.root) for each in parse_repositories(_request.get("repos", ()))}
    files: dict[str, list[str]] = {}
    for row in delta_columns(path, ("repo", "path", "file_sha256")).to_pylist():
        files.setdefault(row["repo"], []).append(f"{row['path']}\0{row['file_sha256']}")
    return tuple(
        RepositoryInput(
            repo=repo,
            root=roots.get(repo),
            files=len(listed),
            digest=hashlib.sha256("\n".join(sorted(listed)).encode()).hexdigest(),
        )
        for repo, listed in sorted(files.items())
    )
