"""Isolation: files -> evidence, whatever a file does to the process that reads it.

    extract_isolated([a.py, kills.py, b.py])  ->  batches with a row for each of the three;
                                                  kills.py has an error of `worker`

A child process extracts and sends Arrow batches through a pipe, with a word before each file it
begins. When the child dies, or one file takes too long, the file it was at is tried once more
in a child of its own; when that fails as well, its row says why. The files whose batch had not
arrived go to the next child. A child may take only so much memory beyond what it was born with,
so that a greedy file raises MemoryError in it instead of exhausting the machine.
"""

from __future__ import annotations

import gc
import os
import resource
import select
import signal
import struct
import sys
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import pyarrow as pa

from codelake.extract.file_evidence import extract_batch, failure_batch
from codelake.extract.versions import LAYERS
from codelake.sources.scan import ScannedFile

_FRAME = struct.Struct("<BQ")  # what, number: a file's index, or the length of what follows
_BEGINS, _BATCH, _DONE, _FAILED = range(4)
_PIPE_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Limits:
    """What one file may take, and how many bytes of source make a batch."""

    seconds: float = 60.0
    seconds_per_megabyte: float = 30.0
    memory_bytes: int = 2 << 30
    batch_bytes: int = 1_000_000

    def time_for(self, file: ScannedFile) -> float:
        """Return the seconds that a file may take."""
        return self.seconds + self.seconds_per_megabyte * file.size / 1_000_000


@dataclass(frozen=True, slots=True)
class _Work:
    """What a child is to do with its files."""

    salt: int
    limits: Limits
    part: str
    layers: tuple[str, ...]


def extract_isolated(
    files: Sequence[ScannedFile],
    salt: int = 0,
    limits: Limits | None = None,
    part: str = "source",
    layers: Collection[str] = LAYERS,
) -> Iterator[pa.RecordBatch]:
    """Extract files in child processes.

    Args:
        files: what to read.
        salt: the var `id_salt`.
        limits: of time and memory for one file.
        part: which evidence to read.
        layers: of the graph beyond syntax that are wanted.

    Yields:
        Record batches of the part that hold each file once.
    """
    limits = limits or Limits()
    work = _Work(salt, limits, part, tuple(layers))
    waiting = list(files)
    while waiting:
        child = _Child(waiting, work)
        yield from child.batches()
        waiting = waiting[child.finished :]
        if child.failure is None:
            continue
        culprit = waiting.pop(child.current - child.finished)
        alone = _Child([culprit], work)
        yield from alone.batches()
        if alone.failure is not None:
            yield failure_batch(culprit, alone.failure, salt, part, layers)


class _NoPandas:
    """Keeps pyarrow from importing pandas to see whether a list is a Series: half a second."""

    def find_spec(self, name: str, *_: object) -> None:
        if name == "pandas":
            raise ModuleNotFoundError(name)


class _Child:
    """One process that extracts some files, seen from its parent.

    Attributes:
        finished: how many files have arrived.
        current: the file that was begun last.
        failure: error type and message when the process died or was ended.
    """

    def __init__(self, files: Sequence[ScannedFile], work: _Work) -> None:
        self._files, self._work = files, work
        self.finished = self.current = 0
        self.failure: tuple[str, str] | None = None

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Start the process and yield its batches until it ends one way or another."""
        reader, writer = os.pipe()
        process = os.fork()
        if process == 0:
            os.close(reader)
            _extract_all(writer, self._files, self._work)
        os.close(writer)
        alive = True
        try:
            while (frame := self._frame(reader)) is not None:
                what, number = frame
                if what == _BEGINS:
                    self.current = number
                    continue
                if what == _DONE:
                    alive = False
                    os.waitpid(process, 0)
                    return
                if (data := self._read(reader, number)) is None:
                    break
                if what == _FAILED:
                    error, _, message = data.decode().partition("\n")
                    self.failure = (error, message)
                    return
                with pa.ipc.open_stream(pa.py_buffer(data)) as stream:
                    yield stream.read_next_batch()
                self.finished = self.current + 1
            if self.failure is None:  # the pipe ended without a last word
                alive = False
                self.failure = _death(os.waitpid(process, 0)[1])
        finally:
            os.close(reader)
            if alive:
                os.kill(process, signal.SIGKILL)
                os.waitpid(process, 0)

    def _frame(self, reader: int) -> tuple[int, int] | None:
        """Return the next frame; None when there will be none, in time or at all."""
        header = self._read(reader, _FRAME.size)
        return None if header is None else _FRAME.unpack(header)

    def _read(self, reader: int, size: int) -> bytes | None:
        """Return so many bytes; None when they do not come, in time or at all."""
        allowed = self._work.limits.time_for(self._files[self.current])
        parts = bytearray()
        while len(parts) < size:
            if not select.select([reader], [], [], allowed)[0]:
                self.failure = ("TimeoutError", f"reading the file took more than {allowed:.0f} s")
                return None
            part = os.read(reader, min(size - len(parts), _PIPE_BYTES))
            if not part:
                return None
            parts += part
        return bytes(parts)


def _extract_all(writer: int, files: Sequence[ScannedFile], work: _Work) -> NoReturn:
    """Extract in the child, and never return into the code of the parent."""
    status = 1
    try:
        _limit_memory(work.limits.memory_bytes)
        gc.freeze()
        sys.meta_path.insert(0, _NoPandas())
        begun, size = 0, 0
        for number, file in enumerate(files):
            size += file.size
            if size < work.limits.batch_bytes and number + 1 < len(files):
                continue
            _extract(writer, files[begun : number + 1], begun, work)
            begun, size = number + 1, 0
        _send(writer, _DONE, 0)
        status = 0
    except Exception as error:
        text = f"{type(error).__name__}\n{error}".encode("utf-8", "replace")
        _send(writer, _FAILED, len(text))
        _write(writer, memoryview(text))
    finally:
        os._exit(status)


def _extract(writer: int, files: Sequence[ScannedFile], first: int, work: _Work) -> None:
    """Send one batch, with a word before each file."""

    def begins(number: int) -> None:
        _send(writer, _BEGINS, first + number)

    batch = extract_batch(files, work.salt, begins, work.part, work.layers)
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema) as stream:
        stream.write_batch(batch)
    data = sink.getvalue()
    _send(writer, _BATCH, data.size)
    _write(writer, memoryview(data))


def _limit_memory(extra: int) -> None:
    """Allow the process so many bytes of data beyond what it has."""
    pages = int(Path("/proc/self/statm").read_text().split()[5])
    limit = pages * os.sysconf("SC_PAGE_SIZE") + extra
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, (limit, hard))


def _death(status: int) -> tuple[str, str]:
    """Return error type and message for what waitpid says."""
    if os.WIFSIGNALED(status):
        name = signal.Signals(os.WTERMSIG(status)).name
        return "WorkerKilled", f"reading the file ended its process with {name}"
    return "WorkerFailed", f"reading the file ended its process, exit {os.WEXITSTATUS(status)}"


def _send(writer: int, what: int, number: int) -> None:
    _write(writer, memoryview(_FRAME.pack(what, number)))


def _write(writer: int, data: memoryview) -> None:
    while data:
        data = data[os.write(writer, data[:_PIPE_BYTES]) :]
