"""Checks of the machine and the project, each with what to do when it fails.

codelake doctor -> ok Python 3.13 / ok Java 17 / ok Delta JARs / ok class archive / ok models
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from codelake.errors import CodelakeError
from codelake.run.class_archive import archive_path
from codelake.run.jars import delta_jars
from codelake.run.java import find_java
from codelake.run.staleness import require_fresh


class Finding(msgspec.Struct, frozen=True):
    """The outcome of one check; a `note` never fails."""

    check: str
    outcome: str
    detail: str


def examine(lake: Path) -> list[Finding]:
    """Run every check."""
    checks: list[tuple[str, Callable[[], str]]] = [
        ("python", _python),
        ("java", lambda: f"{find_java().full_version} at {find_java().home}"),
        ("delta jars", lambda: f"{len(delta_jars())} JARs"),
        ("generated files", _models),
        ("lake", lambda: _lake(lake)),
    ]
    return [_run(name, check) for name, check in checks] + _notes()


def _run(name: str, check: Callable[[], str]) -> Finding:
    try:
        return Finding(name, "ok", check())
    except CodelakeError as error:
        return Finding(name, "failed", str(error))


def _python() -> str:
    if not (3, 12) <= sys.version_info[:2] <= (3, 13):
        raise CodelakeError("PYTHON_UNSUPPORTED", "codelake runs on Python 3.12 and 3.13.")
    return ".".join(str(part) for part in sys.version_info[:3])


def _models() -> str:
    require_fresh()
    return "up to date"


def _lake(lake: Path) -> str:
    parent = next(folder for folder in (lake.resolve(), *lake.resolve().parents) if folder.exists())
    if not os.access(parent, os.W_OK):
        raise CodelakeError("LAKE_UNWRITABLE", f"`{lake}` cannot be written.", "choose --lake")
    free = shutil.disk_usage(parent).free // 2**30
    return f"{lake} ({'exists' if lake.exists() else 'new'}, {free} GiB free)"


def _notes() -> list[Finding]:
    archive = archive_path() if _java_found() else None
    there = archive is not None and archive.exists()
    return [
        Finding(
            "class archive",
            "ok" if there else "note",
            "Spark starts quickly" if there else "`codelake setup` makes it: quicker starts",
        )
    ]


def _java_found() -> Any:
    try:
        return find_java()
    except CodelakeError:
        return None
