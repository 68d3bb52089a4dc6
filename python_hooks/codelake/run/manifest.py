"""The manifest of a run: one JSON file beside the lake, from its start to its end.

    <lake>/_codelake/runs/20261116T093000-1f2e3d4c.json

    begin_run   -> status `running`, written before anything else is
    finish_run  -> status `complete` or `failed`, with what was read and written

A run whose process is gone stays `running` in its file. Nobody holds the lake's lock then, so it
is told as `killed`. The versions of the last complete run are the snapshot that questions read.
Next: record.py, which fills it in; run_tables.py, which holds the same in Delta.
"""

from __future__ import annotations

import datetime as dt
from difflib import get_close_matches
from pathlib import Path
from typing import Literal

import msgspec

from codelake.errors import CodelakeError
from codelake.run.lake_lock import holder


class RepositoryInput(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A repository as a run saw it; the digest is over the paths and hashes of its files."""

    repo: str
    root: str | None
    files: int
    digest: str


class TableOutput(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A table after a run: what was done to it, and from which versions of its inputs."""

    name: str
    status: str
    action: str
    reason: str
    version: int | None = None
    rows: int | None = None
    files: int | None = None
    bytes: int | None = None
    digest: str | None = None
    fingerprint: str = ""
    inputs: dict[str, int] = {}
    seconds: float = 0.0


class RunManifest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Everything that is known of one run.

    `snapshot` has the version of every table of the lake: what this run wrote or found up to date,
    and for the rest what the last complete run before it had.
    """

    kind: Literal["run_manifest_v1"] = "run_manifest_v1"
    run_id: str
    command: str
    status: Literal["running", "complete", "failed", "killed"]
    started_at: dt.datetime
    completed_at: dt.datetime | None = None
    program_hash: str
    environment_hash: str
    environment: dict[str, str]
    request: dict[str, str | int | list[str]] = {}
    repositories: tuple[RepositoryInput, ...] = ()
    files_read: int = 0
    outputs: tuple[TableOutput, ...] = ()
    timings: dict[str, float] = {}
    snapshot: dict[str, int] = {}

    def output(self, name: str) -> TableOutput | None:
        """Return what became of a table."""
        return next((each for each in self.outputs if each.name == name), None)

    @property
    def seconds(self) -> float | None:
        """Return how long the run took; None while it has no end."""
        if self.completed_at is None:
            return None
        return round((self.completed_at - self.started_at).total_seconds(), 3)


def runs_folder(lake: Path) -> Path:
    """Return where a lake's manifests are."""
    return lake / "_codelake" / "runs"


def write_manifest(lake: Path, manifest: RunManifest) -> None:
    """Write or replace a manifest, whole or not at all."""
    path = runs_folder(lake) / f"{manifest.run_id}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_suffix(".tmp")
    text = msgspec.json.format(msgspec.json.encode(manifest, order="deterministic"), indent=2)
    draft.write_bytes(text + b"\n")
    draft.replace(path)


def list_runs(lake: Path) -> list[RunManifest]:
    """Return the runs of a lake, newest first."""
    found = [_judged(_decode(path), lake) for path in runs_folder(lake).glob("*.json")]
    return sorted(found, key=lambda run: (run.started_at, run.run_id), reverse=True)


def read_run(lake: Path, run_id: str) -> RunManifest:
    """Return one run, by its id, the beginning of one, or `last` for the last complete one.

    Raises:
        CodelakeError: RUN_UNKNOWN, with the ids that come near.
    """
    if run_id == "last":
        found = last_complete(lake)
        if found is not None:
            return found
    ids = sorted(path.stem for path in runs_folder(lake).glob("*.json"))
    meant = [each for each in ids if each.startswith(run_id)]
    if run_id in ids or len(meant) == 1:
        name = run_id if run_id in ids else meant[0]
        return _judged(_decode(runs_folder(lake) / f"{name}.json"), lake)
    near = meant[:5] or get_close_matches(run_id, ids, n=5, cutoff=0.4)
    fix = f"use one of {', '.join(near)}" if near else "list them with `codelake runs`"
    what = "is the beginning of several runs" if meant else "is no run of this lake"
    raise CodelakeError("RUN_UNKNOWN", f"`{run_id}` {what}.", fix)


def unfinished_runs(lake: Path) -> list[RunManifest]:
    """Return the killed runs that no run after them has noticed."""
    found = [_decode(path) for path in sorted(runs_folder(lake).glob("*.json"))]
    marked = [_judged(run, lake) for run in found if run.status == "running"]
    return [run for run in marked if run.status == "killed"]


def last_complete(lake: Path) -> RunManifest | None:
    """Return the newest complete run that has a snapshot."""
    complete = (run for run in list_runs(lake) if run.status == "complete" and run.snapshot)
    return next(complete, None)


def _decode(path: Path) -> RunManifest:
    try:
        return msgspec.json.decode(path.read_bytes(), type=RunManifest)
    except msgspec.DecodeError as error:
        message = f"`{path.name}` is not a manifest of this codelake: {error}."
        raise CodelakeError("MANIFEST_INVALID", message, "move the file away") from error


def _judged(manifest: RunManifest, lake: Path) -> RunManifest:
    """Return a manifest whose `running` is true."""
    if manifest.status == "running" and holder(lake) != manifest.run_id:
        return msgspec.structs.replace(manifest, status="killed")
    return manifest
