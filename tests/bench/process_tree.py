"""The processes below this one: who they are, what they use, how they end.

    with adopting_orphans():
        tree = ProcessTree()        children from here on belong to it
        sampler = Sampler(tree)     a thread that looks every 100 ms

Next: measure.py.
"""

from __future__ import annotations

import ctypes
import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil

INTERVAL_S = 0.1
PATIENCE_S = 30.0
"""How long orphans may take to end before they are killed."""

_POLL_S = 0.02
_SET_CHILD_SUBREAPER = 36


@contextmanager
def adopting_orphans() -> Iterator[None]:
    """Make this process the parent of grandchildren whose parent ends; Linux only."""
    if sys.platform != "linux":
        yield
        return
    prctl = ctypes.CDLL(None).prctl
    prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    try:
        yield
    finally:
        prctl(_SET_CHILD_SUBREAPER, 0, 0, 0, 0)


class ProcessTree:
    """The processes below this one, without those that were there before."""

    def __init__(self) -> None:
        """Note who is there already."""
        self._self = psutil.Process()
        self._others = set(self._self.children())

    def processes(self) -> list[psutil.Process]:
        """Return the whole tree."""
        others = self._others.union(*(_below(other) for other in self._others))
        return [child for child in _below(self._self) if child not in others]

    def roots(self) -> list[psutil.Process]:
        """Return the processes whose parent is this one: the command, and what it orphaned."""
        return [child for child in self._self.children() if child not in self._others]

    def wait_for_orphans(self) -> tuple[float, int]:
        """Return the CPU seconds of the adopted processes, and how many had to be killed."""
        cpu_s = 0.0
        killed: set[psutil.Process] = set()
        limit = time.monotonic() + PATIENCE_S
        while roots := self.roots():
            if time.monotonic() > limit:
                killed |= self.kill()
            for root in roots:
                try:
                    pid, _, used = os.wait4(root.pid, os.WNOHANG)
                except ChildProcessError:
                    continue
                cpu_s += used.ru_utime + used.ru_stime if pid else 0.0
            time.sleep(_POLL_S)
        return cpu_s, len(killed)

    def kill(self) -> set[psutil.Process]:
        """Kill and return what still runs; the next wait takes it."""
        left = {process for process in self.processes() if _runs(process)}
        for process in left:
            with suppress(psutil.Error):
                process.kill()
        return left


class Sampler(threading.Thread):
    """Looks at a tree every 100 ms.

    Attributes:
        cpu_s: user and system seconds per process, as last seen.
        peak_bytes: the largest sum of memory.
        samples: how often it looked.
        own_cpu_s: CPU seconds that looking took.
    """

    def __init__(self, tree: ProcessTree) -> None:
        """Prepare to look at a tree."""
        super().__init__(name="sampler", daemon=True)
        self._tree, self._stopped = tree, threading.Event()
        self.cpu_s: dict[psutil.Process, float] = {}
        self.peak_bytes = self.samples = 0
        self.own_cpu_s = 0.0

    def run(self) -> None:
        """Look until stopped."""
        due = time.monotonic()
        while not self._stopped.is_set():
            self._look()
            self.own_cpu_s = time.thread_time()
            due = max(due + INTERVAL_S, time.monotonic())
            self._stopped.wait(due - time.monotonic())

    def stop(self) -> None:
        """End the thread."""
        self._stopped.set()
        self.join()

    def _look(self) -> None:
        total = 0
        for process in self._tree.processes():
            try:
                times = process.cpu_times()
                self.cpu_s[process] = times.user + times.system
                total += memory_bytes(process)
            except psutil.Error:
                continue
        self.peak_bytes = max(self.peak_bytes, total)
        self.samples += 1


def parse_pss(text: str) -> int | None:
    """Return the bytes of the `Pss:` line of /proc/PID/smaps_rollup; None when it has none."""
    for line in text.splitlines():
        name, _, value = line.partition(":")
        if name == "Pss":
            return int(value.split()[0]) * 1024
    return None


def memory_bytes(process: psutil.Process) -> int:
    """Return the proportional set size of a process, else its resident set size."""
    try:
        pss = parse_pss(Path(f"/proc/{process.pid}/smaps_rollup").read_text())
    except OSError:
        pss = None
    return int(process.memory_info().rss) if pss is None else pss


def _below(process: psutil.Process) -> list[psutil.Process]:
    try:
        return list(process.children(recursive=True))
    except psutil.Error:
        return []


def _runs(process: psutil.Process) -> bool:
    try:
        return bool(process.status() != psutil.STATUS_ZOMBIE)
    except psutil.Error:
        return False
