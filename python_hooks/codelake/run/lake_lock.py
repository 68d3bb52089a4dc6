"""One build at a time: the lock of a lake.

    acquire(lake, "20261116T093000-1f2e3d4c")   # a second build is refused: LAKE_BUSY
    release(lake)

The lock is the operating system's on `<lake>/_codelake/lock`, so it goes with its process, however
that ends. The file names the run that holds it. CODELAKE_LOCK_WAIT says how many seconds a build
waits for another one; it is refused at once when not set.
"""

from __future__ import annotations

import fcntl
import os
import time
from pathlib import Path

from codelake.errors import CodelakeError

WAIT_VARIABLE = "CODELAKE_LOCK_WAIT"

_held: dict[Path, int] = {}


def lock_file(lake: Path) -> Path:
    """Return the file that stands for a lake's lock."""
    return lake.resolve() / "_codelake" / "lock"


def acquire(lake: Path, run_id: str) -> None:
    """Take a lake for this process, or name the run in the lock that it has taken already.

    Raises:
        CodelakeError: LAKE_BUSY when another process has it, LAKE_UNWRITABLE when no file can be
            made or filled there.
    """
    path = lock_file(lake)
    handle = _held.get(path)
    if handle is None:
        handle = _open(path, lake)
        try:
            _wait(handle, path, lake)
        except BaseException:
            os.close(handle)
            raise
        _held[path] = handle
    try:
        os.truncate(handle, 0)
        os.pwrite(handle, run_id.encode(), 0)
    except OSError as error:
        release(lake)
        raise _unwritable(lake, error) from error


def release(lake: Path) -> None:
    """Give a lake back, when this process has it."""
    handle = _held.pop(lock_file(lake), None)
    if handle is not None:
        os.truncate(handle, 0)
        os.close(handle)


def holder(lake: Path) -> str | None:
    """Return the id of the run that holds a lake; None when it is free."""
    path = lock_file(lake)
    if path not in _held:
        try:
            with path.open("rb") as file:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            return None
        except FileNotFoundError:
            return None
        except BlockingIOError:
            pass
    return path.read_text("utf-8")


def _open(path: Path, lake: Path) -> int:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise _unwritable(lake, error) from error


def _unwritable(lake: Path, error: OSError) -> CodelakeError:
    message = f"`{lake}` cannot be written: {error.strerror}."
    return CodelakeError("LAKE_UNWRITABLE", message, "choose another --lake")


def _wait(handle: int, path: Path, lake: Path) -> None:
    # somebody who asks `holder` has the lock for a moment, hence half a second
    until = time.monotonic() + float(os.environ.get(WAIT_VARIABLE) or 0.5)
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            if time.monotonic() >= until:
                owner = path.read_text("utf-8") or "another build"
                raise CodelakeError(
                    "LAKE_BUSY",
                    f"{owner} is writing to `{lake}`.",
                    f"wait for it, or set {WAIT_VARIABLE} to the seconds to wait",
                ) from None
            time.sleep(0.1)
