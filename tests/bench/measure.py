"""Measure one command over its whole process tree.

    measure(["codelake", "build", "app"], cwd) -> Finished(returncode=0, usage=Usage(...))

wall    from the start of the command to its end; what it leaves behind to end by itself is `tail`
cpu     user and system time of every process. A process that was waited for hands its time to
        the one that waited; a JVM that outlives its Python is waited for by nobody. So this
        process adopts such orphans (Linux: child subreaper) and waits for them. Where a parent
        throws its children's times away, the times last seen in the samples are the larger sum
        and count: both sums are lower bounds.
peak    the largest sum of proportional set sizes over the tree, taken every 100 ms: pages that
        forked workers share count once. Resident set sizes where the system has no PSS.
Next: process_tree.py, builds.py.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from process_tree import ProcessTree, Sampler, adopting_orphans


@dataclass(frozen=True)
class Usage:
    """What a process tree used.

    Attributes:
        wall_s: seconds until the command ended.
        tail_s: seconds from there until the last process of its tree was gone.
        cpu_s: user and system seconds of the tree.
        peak_mb: largest sampled memory of the tree in MiB.
        samples: how often it was looked at.
        sampling_s: CPU seconds that looking took, in this process.
        killed: processes that had not ended when patience did.
    """

    wall_s: float
    tail_s: float
    cpu_s: float
    peak_mb: float
    samples: int
    sampling_s: float
    killed: int


@dataclass(frozen=True)
class Finished:
    """A command that ended, with what it printed."""

    returncode: int
    stdout: str
    stderr: str
    usage: Usage


def measure(
    command: Sequence[str], cwd: Path, environment: Mapping[str, str] | None = None
) -> Finished:
    """Run a command and measure its process tree.

    Args:
        command: the program and its arguments.
        cwd: the working directory.
        environment: the environment; this process's when None.
    """
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err, adopting_orphans():
        tree = ProcessTree()
        started = time.monotonic()
        process = subprocess.Popen(
            command, cwd=cwd, env=environment, stdin=subprocess.DEVNULL, stdout=out, stderr=err
        )
        sampler = Sampler(tree)
        try:
            sampler.start()
            _, status, used = os.wait4(process.pid, 0)
            ended = time.monotonic()
            process.returncode = os.waitstatus_to_exitcode(status)
            orphans_cpu_s, killed = tree.wait_for_orphans()
            settled = time.monotonic()
        finally:
            sampler.stop()
            tree.kill()
        waited_cpu_s = used.ru_utime + used.ru_stime + orphans_cpu_s
        usage = Usage(
            wall_s=round(ended - started, 3),
            tail_s=round(settled - ended, 3),
            cpu_s=round(max(waited_cpu_s, sum(sampler.cpu_s.values())), 3),
            peak_mb=round(sampler.peak_bytes / 2**20, 1),
            samples=sampler.samples,
            sampling_s=round(sampler.own_cpu_s, 3),
            killed=killed,
        )
        return Finished(process.returncode, _text(out), _text(err), usage)


def _text(stream: IO[bytes]) -> str:
    stream.seek(0)
    return stream.read().decode("utf-8", "replace")
