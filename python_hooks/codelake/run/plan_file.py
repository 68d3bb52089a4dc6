"""Plan files: what a planner tells the data source, for as long as the process lives."""

from __future__ import annotations

import atexit
import os
import tempfile
from pathlib import Path


def new_plan_file(purpose: str) -> str:
    """Return the path of a new, empty file that goes when this process ends."""
    handle, path = tempfile.mkstemp(prefix=f"codelake-{purpose}-", suffix=".json")
    os.close(handle)
    atexit.register(Path(path).unlink, missing_ok=True)
    return path
