"""Four builds of one tree, each a process of its own: cold, unchanged, edited, syntax.

    TreeRun("flask", scratch).step("cold") -> Sample(usage, files_read, rows, timings, ...)

A build that is not complete, an unchanged one that reads or commits, an edited one that reads
other than one file: each is a BenchError, since its times would mean nothing. `syntax` is a cold
build of the syntax layer alone, in a lake of its own.
Next: report.py.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path

import msgspec
from deltalake import DeltaTable

from codelake.run.build import RunResult
from codelake.run.catalogue import is_delta_table, table_location
from codelake.run.project import OWN_TABLES
from measure import Finished, Usage, measure
from trees import BenchError, append_line, copy_tree, count_lines

STEPS = ("cold", "unchanged", "edited", "syntax")
"""Of a tree; one of GROWN has the first only."""
COUNTED = ("cpg_nodes", "cpg_edges", "evidence")
_TAIL_LINES = 20


@dataclass(frozen=True, kw_only=True)
class Sample:
    """One measured build.

    Attributes:
        tree: what was built.
        step: which of the four builds.
        round: the how-maniest repetition, from 0.
        run_id: the build's own name for itself.
        lines: of Python in the tree.
        usage: wall, CPU and memory of the process tree.
        build_s: what the build says it took, without the start of Python.
        files_read: files that went through the extractor.
        rows: rows per counted table afterwards.
        versions: Delta version per table afterwards.
        timings: seconds per model and check.
    """

    tree: str
    step: str
    round: int
    run_id: str
    lines: int
    usage: Usage
    build_s: float
    files_read: int
    rows: dict[str, int]
    versions: dict[str, int]
    timings: dict[str, float]


class TreeRun:
    """A scratch copy of a tree and a fresh lake for it."""

    def __init__(self, tree: str, scratch: Path, round_: int = 0) -> None:
        """Copy the tree into the scratch folder."""
        self.tree, self.round = tree, round_
        self.source = copy_tree(tree, scratch)
        self._scratch, self._lake = scratch, scratch / "lake"

    def step(self, step: str) -> Sample:
        """Build, measure and check one step."""
        if step == "edited":
            append_line(self.source)
        if step == "syntax":
            self._lake = self._scratch / "syntax-lake"
        before = self._versions()
        command = [sys.executable, "-m", "codelake.cli.main", "build", str(self.source)]
        command += ["--lake", str(self._lake), "--format", "json"]
        command += ["--layer", "syntax"] if step == "syntax" else []
        # dbt's parse cache of its own: neither helped nor disturbed by other builds
        environment = {**os.environ, "DBT_TARGET_PATH": str(self._scratch / "target")}
        done = measure(command, self._scratch, environment)
        result = read_result(done, f"{self.tree} {step}")
        versions = self._versions()
        if found := problems(step, result, before, versions):
            raise BenchError(f"{self.tree} {step}: {'; '.join(found)}.\n{_tail(done.stderr)}")
        return Sample(
            tree=self.tree,
            step=step,
            round=self.round,
            run_id=result.run_id,
            lines=count_lines(self.source),
            usage=done.usage,
            build_s=result.seconds,
            files_read=result.files_read,
            rows={name: count_rows(table_location(self._lake, name)) for name in COUNTED},
            versions=versions,
            timings=result.timings,
        )

    def _versions(self) -> dict[str, int]:
        """Return the version of every table that lies in the lake, whoever wrote it."""
        logs = sorted(table_location(self._lake, "any").parent.glob("*/_delta_log"))
        tables = [log.parent for log in logs if is_delta_table(log.parent)]
        return {table.name: DeltaTable(table).version() for table in tables}


def read_result(done: Finished, which: str) -> RunResult:
    """Return what a build printed, or raise BenchError with the end of its stderr."""
    try:
        result = msgspec.json.decode(done.stdout, type=RunResult)
    except msgspec.DecodeError as error:
        told = f"exit {done.returncode} and no result on stdout ({error})."
        raise BenchError(f"{which}: {told}\n{_tail(done.stdout)}\n{_tail(done.stderr)}") from None
    if result.status != "complete" or done.returncode != 0:
        told = "\n".join([*result.errors, _tail(done.stderr)])
        raise BenchError(f"{which}: exit {done.returncode}, status {result.status}.\n{told}")
    return result


def problems(
    step: str, result: RunResult, before: dict[str, int], after: dict[str, int]
) -> list[str]:
    """Say what makes a complete build no fair sample of its step.

    Args:
        step: one of STEPS.
        result: what the build says.
        before: version per table before it.
        after: version per table after it.
    """
    found = []
    expected = {"unchanged": 0, "edited": 1}.get(step)
    if expected is not None and result.files_read != expected:
        found.append(f"read {result.files_read} files instead of {expected}")
    if step in ("cold", "syntax") and result.files_read == 0:
        found.append("read no file")
    moved = [name for name in sorted(after) if before.get(name) != after[name]]
    if step == "unchanged" and (wrote := [name for name in moved if name not in OWN_TABLES]):
        found.append(f"committed a new version of {', '.join(wrote)}")
    return found


def count_rows(table: Path) -> int:
    """Count the rows of a Delta table without Spark, from the footers of its files."""
    return int(DeltaTable(table).to_pyarrow_dataset().count_rows())


def _tail(text: str) -> str:
    lines = text.strip().splitlines()[-_TAIL_LINES:]
    return "\n".join(f"  {line}" for line in lines) or "  (nothing printed)"
