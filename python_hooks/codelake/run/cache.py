"""Where codelake keeps what it can make again: JARs and the class archive.

`CODELAKE_CACHE`, else the user's cache folder, so that a second clone starts quickly.
"""

from __future__ import annotations

import os
from pathlib import Path


def cache_dir(*parts: str) -> Path:
    """Return the cache folder below `parts`, made when it is missing."""
    base = os.environ.get("CODELAKE_CACHE")
    if not base:
        base = str(Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "codelake")
    path = Path(base, *parts)
    path.mkdir(parents=True, exist_ok=True)
    return path
