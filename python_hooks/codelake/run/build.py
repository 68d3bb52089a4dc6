"""One build as a call.

    build(["../app"], lake="lake") -> RunResult(status="complete", tables={...}, ...)

Runs `dbt build` in this process, so its events can drive a progress bar and Spark can start
while dbt still reads the project. `dbt build --vars '{repos: [../app]}'` does the same work.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from codelake.compile.program import read_program
from codelake.errors import CodelakeError
from codelake.run import collector, lake_lock, record, session
from codelake.run.catalogue import is_delta_table
from codelake.run.project import ROOT
from codelake.sources.named_paths import named_paths
from codelake.sources.scan import parse_repositories


class TableResult(msgspec.Struct, frozen=True):
    """A Delta table after a build."""

    location: str
    version: int | None
    action: str
    reason: str


class RunResult(msgspec.Struct, frozen=True, kw_only=True):
    """What a build did."""

    run_id: str
    status: str
    lake: str
    files_read: int
    seconds: float
    tables: dict[str, TableResult]
    timings: dict[str, float]
    errors: list[str]
    statuses: dict[str, str] = {}

    @property
    def reasons(self) -> dict[str, str]:
        """Return why models and checks failed, by name."""
        return dict(error.split(": ", 1) for error in self.errors)


def build(
    repos: Sequence[str | Path],
    lake: str | Path = "lake",
    *,
    only: Sequence[str] = (),
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
    layers: Sequence[str] = (),
    extractors: Sequence[str] = (),
    environment: Sequence[str | Path] = (),
    lock_file: Sequence[str | Path] = (),
    scip: Sequence[str | Path] = (),
    profile: str = "default",
    select: Sequence[str] = (),
    target: str = "dev",
    empty: bool = False,
    full_refresh: bool = False,
    on_event: Callable[[Any], None] | None = None,
) -> RunResult:
    """Extract repositories and build their graph.

    Args:
        repos: folders, each `path` or `name=path`.
        lake: the folder of the lake; a relative one is below the working directory.
        only: globs that narrow this build; other files keep their rows.
        include: globs of files to read instead of the default.
        exclude: globs of files to leave out.
        layers: of the graph: syntax, names, flow, calls; all when empty, syntax in any case.
        extractors: evidence beyond what the graph needs: bytecode, cst.
        environment: virtual environments that tell where imported names come from, each `path`
            or `name=path` of one repository.
        lock_file: lock files that tell the same, likewise.
        scip: SCIP indexes, each `name=path` of one repository; a path alone where there is one.
        profile: `full` keeps the views py_bc_* as tables, `accelerators` cpg_edges_by_* and
            cpg_props_map.
        select: dbt selectors; all models when empty.
        target: a target of profiles.yml.
        empty: make and check every table without reading a file.
        full_refresh: read every file and write every table again.
        on_event: called with each dbt event.

    Returns:
        Status, tables with their versions, timings; `status` is `failed` when a model or a
        check failed, with the reasons in `errors`.
    """
    started = time.monotonic()
    lake = Path(lake).resolve()
    repositories = parse_repositories([str(repo) for repo in repos])
    scan: dict[str, Any] = {"repos": [f"{r.name}={r.root}" for r in repositories]}
    asked = {"only": only, "include": include, "exclude": exclude}
    asked |= {"layers": layers, "extractors": extractors}
    scan |= {name: list(values) for name, values in asked.items() if values}
    scan["build_profile"] = profile
    names = [repository.name for repository in repositories]
    beside = {"environment": environment, "lock_file": lock_file, "scip": scip}
    for option, given in beside.items():
        values = [str(path) for path in given]
        found = named_paths(option, values, names, shared=option != "scip")
        scan[option] = [f"{name}={_existing(option, path)}" for name, path in found.items()]
    record.new_run()
    lake_lock.acquire(lake, record.current_run().run_id)
    _start_spark_early(lake, target, select)
    from codelake.run.scan_plan import SCAN_VARIABLE  # Spark starts while this is imported

    settings = {
        "CODELAKE_LAKE": str(lake),
        "CODELAKE_TARGET": target,  # as `--target` dbt would read the whole project anew
        SCAN_VARIABLE: msgspec.json.encode(scan).decode(),
    }
    arguments = ["build", "--log-level", "none", "--no-write-json"]  # the lake has its own record
    arguments += ["--project-dir", str(ROOT), "--profiles-dir", str(ROOT / "profiles")]
    arguments += ["--log-path", str(lake / "_codelake" / "logs")]
    arguments += ["--empty"] if empty else []
    arguments += ["--full-refresh"] if full_refresh else []
    if select:
        arguments += ["--select", *select]
    elif not empty:  # dbt takes 25 ms for each view that a build has no use for
        arguments += ["--exclude", *sorted(read_program(ROOT).unread())]
    try:
        with _environment(settings):
            outcome = _invoke(arguments, on_event)
    finally:
        record.abandon_run(lake)
    return _result(lake, outcome, round(time.monotonic() - started, 3))


def _existing(option: str, path: str) -> Path:
    """Return an absolute path, since dbt works in another folder."""
    found = Path(path).expanduser().resolve()
    if not found.exists():
        message = f"`{option}` names `{path}`, where nothing is."
        raise CodelakeError("PATH_MISSING", message, "check the path")
    return found


def _start_spark_early(lake: Path, target: str, select: Sequence[str]) -> None:
    """Begin to start the JVM before dbt is even imported."""
    views = session.Views.AS_NAMED if select else session.Views.OF_BUILD
    session.start(lake, views=views, **session.target_address(target))


@contextmanager
def _environment(settings: dict[str, str]) -> Iterator[None]:
    """Set environment variables for dbt, which reads them, and put the old ones back."""
    before = {name: os.environ.get(name) for name in settings}
    os.environ.update(settings)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _invoke(arguments: list[str], on_event: Callable[[Any], None] | None) -> Any:
    with collector.paused():
        from dbt.cli.main import dbtRunner

    outcome = dbtRunner(callbacks=[on_event] if on_event else []).invoke(arguments)
    if outcome.exception is not None:
        text = str(outcome.exception).strip()
        raise CodelakeError("BUILD_STOPPED", text) from outcome.exception
    return outcome


def _result(lake: Path, outcome: Any, seconds: float) -> RunResult:
    from codelake.run.write_plan import table_version

    tables = {
        name: TableResult(note.path, table_version(Path(note.path)), note.action, note.reason)
        for name, note in sorted(record.noted().items())
        if is_delta_table(Path(note.path))
    }
    results = list(outcome.result.results)
    bad = [r for r in results if str(r.status) in ("error", "fail", "runtime error")]
    return RunResult(
        run_id=record.current_run().run_id,
        status="complete" if outcome.success else "failed",
        lake=str(lake),
        files_read=sum(note.files for note in record.noted().values()),
        seconds=seconds,
        tables=tables,
        timings={r.node.name: round(r.execution_time, 3) for r in results},
        errors=[f"{r.node.name}: {(r.message or '').strip()}" for r in bad],
        statuses={r.node.name: str(r.status) for r in results},
    )
