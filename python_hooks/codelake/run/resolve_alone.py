"""One group of repositories, resolved beside the driver instead of in a task of Spark.

    resolve_alone("<plan file>", table, 0, state, changes)

A group is one task, whatever the number of cores, and for one task Spark starts four Python
processes, takes their rows into the JVM and replays the table's log: a fifth of an edit of Django.
Several groups are Spark's, side by side.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pyarrow as pa

from codelake.errors import CodelakeError
from codelake.resolve.groups import read_resolve_plan
from codelake.resolve.resolve_lake import resolve_group
from codelake.run.replace_rows import write_batches

_LAST = 3  # lines of what the process said


def is_alone(plan_file: str) -> bool:
    """Tell whether a plan has one group."""
    return len(read_resolve_plan(plan_file).groups) == 1


def resolve_alone(plan_file: str, table: Path, salt: int, state: str, changes: Path) -> None:
    """Resolve the group of a plan in a process of its own, and write its rows in one commit.

    Args:
        plan_file: what `plan_resolution` wrote.
        table: folder of the table `resolution`.
        salt: the var `id_salt`.
        state: userMetadata of the commit.
        changes: a file for the rows, which is gone afterwards.

    Raises:
        CodelakeError: RESOLVER_DIED, with what it said last.
    """
    changes.parent.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", __name__, plan_file, str(salt), str(changes)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            said = "\n".join(done.stderr.strip().splitlines()[-_LAST:])
            said = said or f"exit code {done.returncode}"
            raise CodelakeError("RESOLVER_DIED", f"the process that resolves ended: {said}")
        with pa.memory_map(str(changes)) as file:
            write_batches(table, pa.ipc.open_file(file).read_all().to_batches(), "", state)
    finally:
        changes.unlink(missing_ok=True)


def _main(plan_file: str, salt: str, changes: str) -> None:
    plan = read_resolve_plan(plan_file)
    (repos,) = plan.groups
    batch = resolve_group(Path(plan.evidence), plan.version, repos, int(salt))
    with pa.OSFile(changes, "wb") as file, pa.ipc.new_file(file, batch.schema) as writer:
        writer.write_batch(batch)


if __name__ == "__main__":
    _main(*sys.argv[1:])
