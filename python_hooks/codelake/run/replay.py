"""Replay: build a run again, aside, from the same input, and compare row by row.

    replay(lake, "20261116T0930") -> ReplayReport(status="equal", tables=(...))

Same program, same input versions, same environment: same tables. What differs of the three is told
and the replay refused, unless it is wanted all the same. The input is the evidence that the run
had, as its version stands in the lake; `from_source` reads the repositories again, provided their
files are still those of the run.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import Any, Literal

import msgspec
from deltalake import DeltaTable

from codelake.compile.program import Program, read_program
from codelake.errors import CodelakeError
from codelake.evidence.delta_columns import data_files
from codelake.run.build import build
from codelake.run.catalogue import is_delta_table, table_location
from codelake.run.digests import digest_run
from codelake.run.environment import differences, environment
from codelake.run.manifest import RunManifest, read_run
from codelake.run.project import ROOT
from codelake.run.table_digest import table_digest

_INPUTS = ("extract", "gather")
"""Strategies of the tables that hold what was read."""


class ReplayedTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One table of a run and of its replay."""

    name: str
    role: Literal["input", "output"]
    version: int
    rows: int
    digest: str
    replayed_rows: int | None
    replayed_digest: str | None

    @property
    def is_equal(self) -> bool:
        """Say whether both have the same rows."""
        return self.digest == self.replayed_digest


class ReplayReport(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a replay found."""

    kind: Literal["replay_report_v1"] = "replay_report_v1"
    run_id: str
    status: Literal["equal", "different"]
    source: Literal["evidence", "repositories"]
    differences: tuple[str, ...]
    tables: tuple[ReplayedTable, ...]


def replay(
    lake: Path, run_id: str, *, from_source: bool = False, anyway: bool = False, target: str = "dev"
) -> ReplayReport:
    """Build a run again and compare.

    Args:
        lake: the lake's folder.
        run_id: of a complete run, as for `read_run`.
        from_source: read the repositories again instead of the lake's evidence.
        anyway: replay although program or environment differ.
        target: a target of profiles.yml.

    Raises:
        CodelakeError: RUN_INCOMPLETE, REPLAY_REFUSED with what differs, VERSION_GONE.
    """
    program = read_program(ROOT)
    run = read_run(lake, run_id)
    if run.status != "complete":
        raise CodelakeError("RUN_INCOMPLETE", f"{run.run_id} is {run.status}.", "take another run")
    found = what_differs(run, program)
    if found and not anyway:
        raise _refused(run, found, "check out what it was built with, or replay with --anyway")
    run = digest_run(lake, run.run_id)
    inputs = {
        each.name for each in program.datasets if each.write and each.write.strategy in _INPUTS
    }
    with tempfile.TemporaryDirectory(prefix="codelake-replay-") as folder:
        aside = Path(folder) / "lake"
        options: dict[str, Any] = {"target": target, "profile": run.request["build_profile"]}
        if from_source:
            options |= _asked(run)
            repos = [f"{each.repo}={each.root}" for each in run.repositories if each.root]
        else:
            repos = []
            for name in sorted(inputs & run.snapshot.keys()):
                source = table_location(lake, name)
                copy_version(source, table_location(aside, name), run.snapshot[name])
        result = build(repos, aside, **options)
        if result.status != "complete":
            raise CodelakeError("BUILD_FAILED", "; ".join(result.errors))
        if from_source:
            _require_same_files(run, read_run(aside, result.run_id))
        tables = tuple(_compared(run, aside, inputs))
    equal = all(table.is_equal for table in tables)
    return ReplayReport(
        run_id=run.run_id,
        status="equal" if equal else "different",
        source="repositories" if from_source else "evidence",
        differences=tuple(found),
        tables=tables,
    )


def what_differs(run: RunManifest, program: Program) -> list[str]:
    """Return what of program and environment is not what a run had, as sentences."""
    found = []
    if run.program_hash != program.program_hash:
        now = {each.name: each.fingerprint for each in program.datasets}
        models = sorted(
            output.name
            for output in run.outputs
            if output.fingerprint and not output.fingerprint.startswith(now.get(output.name, "-"))
        )
        which = ", ".join(models) if models else "views only"
        found.append(f"the program is another: {which}")
    return found + differences(run.environment, environment())


def copy_version(source: Path, target: Path, version: int) -> None:
    """Give a table at one version another place, by links where the file system has them.

    Args:
        source: the table's folder.
        target: the new folder.
        version: the newest version that the copy has.
    """
    log, copy = source / "_delta_log", target / "_delta_log"
    copy.mkdir(parents=True)
    for file in sorted(log.iterdir()):
        number = file.name.partition(".")[0]
        if number.isdigit() and int(number) <= version:
            shutil.copy(file, copy / file.name)
    for file in data_files(DeltaTable(source, version=version)):
        relative = file.relative_to(source)
        place = target / relative
        place.parent.mkdir(parents=True, exist_ok=True)
        try:
            os.link(file, place)
        except OSError:
            shutil.copy(file, place)


def _asked(run: RunManifest) -> dict[str, Any]:
    names = ("only", "include", "exclude", "extractors", "environment", "lock_file", "scip")
    return {name: run.request[name] for name in names if run.request.get(name)}


def _require_same_files(run: RunManifest, again: RunManifest) -> None:
    now = {each.repo: each.digest for each in again.repositories}
    moved = [each.repo for each in run.repositories if now.get(each.repo) != each.digest]
    if moved:
        found = [f"the files of {repo} are not those of the run" for repo in moved]
        raise _refused(run, found, "replay without --from-source")


def _refused(run: RunManifest, found: list[str], fix: str) -> CodelakeError:
    return CodelakeError("REPLAY_REFUSED", f"{run.run_id}: {'; '.join(found)}.", fix)


def _compared(run: RunManifest, aside: Path, inputs: set[str]) -> Any:
    for output in run.outputs:
        if output.version is None or output.digest is None:
            continue
        path = table_location(aside, output.name)
        again = table_digest(path) if is_delta_table(path) else None
        yield ReplayedTable(
            name=output.name,
            role="input" if output.name in inputs else "output",
            version=output.version,
            rows=output.rows or 0,
            digest=output.digest,
            replayed_rows=again.rows if again else None,
            replayed_digest=again.digest if again else None,
        )
