"""The processes below this one: who they are, what they use, how they end.

    with adopting_orphans():
        tree = ProcessTree()        children from here on belong to it
        sampler = Sampler(tree)     a thread that looks every 100 ms

Looking must not slow down what it looks at. The kernel walks a process's whole memory for its
PSS, 20 ms for a JVM: so PSS is read again only when the resident set has moved by 2 % or the tree
has other members, which bounds the error of the peak. And a process is asked for its parent once.

A process's memory counts from the second look on: between vfork and exec a child shows all the
memory of its parent, and a JVM that starts a worker would seem twice as large.
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

_MOVED = 0.02
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
    """The processes that this one started, and those they started, from now on."""

    def __init__(self) -> None:
        """Note who is there already."""
        self._foreign = set(psutil.pids())
        self._members: dict[int, psutil.Process] = {}
        self._lock = threading.Lock()

    def look(self) -> list[psutil.Process]:
        """Return who is there now; members stay members when their parent ends."""
        with self._lock:
            pids = set(psutil.pids())
            self._foreign &= pids
            self._members = {pid: p for pid, p in self._members.items() if pid in pids}
            new = [_process(pid) for pid in pids - self._foreign - self._members.keys()]
            self._sort_in({process: _parent(process) for process in new if process})
            return list(self._members.values())

    def _sort_in(self, parents: dict[psutil.Process, int | None]) -> None:
        ours = {os.getpid(), *self._members}
        while grown := [process for process, parent in parents.items() if parent in ours]:
            for process in grown:
                del parents[process]
                self._members[process.pid] = process
                ours.add(process.pid)
        self._foreign |= {process.pid for process in parents}

    def wait_for_orphans(self) -> tuple[float, int]:
        """Return the CPU seconds of the adopted processes, and how many had to be killed."""
        cpu_s = 0.0
        killed: set[psutil.Process] = set()
        limit = time.monotonic() + PATIENCE_S
        while members := self.look():
            if time.monotonic() > limit:
                killed |= self.kill()
            for member in members:
                with suppress(ChildProcessError):  # its parent still runs, and waits for it
                    pid, _, used = os.wait4(member.pid, os.WNOHANG)
                    cpu_s += used.ru_utime + used.ru_stime if pid else 0.0
            time.sleep(_POLL_S)
        return cpu_s, len(killed)

    def kill(self) -> set[psutil.Process]:
        """Kill and return what still runs; the next wait takes it."""
        left = {process for process in self.look() if _runs(process)}
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
        self._members: list[psutil.Process] = []
        self._memory: dict[psutil.Process, tuple[int, int]] = {}
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
        seen_before, self._members = self._members, self._tree.look()
        if self._members != seen_before:
            self._memory = {}
        for process in self._members:
            with suppress(psutil.Error), process.oneshot():
                times = process.cpu_times()
                self.cpu_s[process] = times.user + times.system
                if process not in seen_before:
                    continue
                resident = int(process.memory_info().rss)
                seen, _ = self._memory.get(process, (0, 0))
                if abs(resident - seen) > seen * _MOVED:
                    self._memory[process] = (resident, memory_bytes(process.pid, resident))
        total = sum(size for _, size in self._memory.values())
        self.peak_bytes = max(self.peak_bytes, total)
        self.samples += 1


def parse_pss(text: str) -> int | None:
    """Return the bytes of the `Pss:` line of /proc/PID/smaps_rollup; None when it has none."""
    for line in text.splitlines():
        name, _, value = line.partition(":")
        if name == "Pss":
            return int(value.split()[0]) * 1024
    return None


def memory_bytes(pid: int, resident: int) -> int:
    """Return the proportional set size of a process, else its resident set size."""
    try:
        pss = parse_pss(Path(f"/proc/{pid}/smaps_rollup").read_text())
    except OSError:
        pss = None
    return resident if pss is None else pss


def _process(pid: int) -> psutil.Process | None:
    try:
        return psutil.Process(pid)
    except psutil.Error:
        return None


def _parent(process: psutil.Process) -> int | None:
    try:
        return int(process.ppid())
    except psutil.Error:
        return None


def _runs(process: psutil.Process) -> bool:
    try:
        return bool(process.status() != psutil.STATUS_ZOMBIE)
    except psutil.Error:
        return False
