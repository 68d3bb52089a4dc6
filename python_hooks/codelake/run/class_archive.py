"""The JVM's class-data-sharing archive: Spark starts in half the time with it.

    archive_options() -> ("-XX:SharedArchiveFile=...",)         the archive is there
                      -> ("-XX:ArchiveClassesAtExit=...",)      inside `train`
                      -> ()                                     otherwise

The archive holds the parsed classes of one whole small build. It fits one Java build and one set
of JARs at one place, so its name carries both: another set makes another archive, and old ones go.
A missing or unreadable archive costs time, never a build.
"""

from __future__ import annotations

import atexit
import hashlib
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from codelake.run.cache import cache_dir
from codelake.run.gateway import class_path
from codelake.run.java import find_java
from codelake.run.spark_home import core_jar, spark_home

_TRAINING = "CODELAKE_CLASS_ARCHIVE_TRAINING"

_SAMPLE = '''"""A module for the training build."""


def double(value: int) -> int:
    """Return twice the value."""
    return value * 2


print([double(n) for n in range(3) if n])
'''


def archive_path() -> Path:
    """Return where this machine's archive is or will be."""
    jars = " ".join(map(str, class_path()))
    identity = f"{find_java().full_version} {jars} {core_jar(spark_home()).stat().st_mtime_ns}"
    digest = hashlib.sha256(identity.encode()).hexdigest()[:12]
    return cache_dir("classes") / f"spark-{digest}.jsa"


def wait_in_training(process: subprocess.Popen[bytes]) -> None:
    """In a training build, end only after the JVM, which writes the archive when it ends."""
    if os.environ.get(_TRAINING):
        atexit.register(_wait, process)


def _wait(process: subprocess.Popen[bytes]) -> None:
    if process.stdin:
        process.stdin.close()
    process.wait(timeout=120)


def archive_options() -> tuple[str, ...]:
    """Return the JVM options that use, or in a training build write, the archive."""
    if target := os.environ.get(_TRAINING):
        return (f"-XX:ArchiveClassesAtExit={target}",)
    archive = archive_path()
    return (f"-XX:SharedArchiveFile={archive}",) if archive.exists() else ()


def train() -> Path | None:
    """Make the archive with one small build in a process of its own; None when that fails."""
    archive = archive_path()
    with tempfile.TemporaryDirectory() as scratch:
        repository, lake = Path(scratch, "sample"), Path(scratch, "lake")
        repository.mkdir()
        (repository / "sample.py").write_text(_SAMPLE)
        made = Path(scratch, "classes.jsa")
        subprocess.run(
            [sys.executable, "-m", "codelake.cli.main", "build", repository, "--lake", lake],
            env={**os.environ, _TRAINING: str(made)},
            capture_output=True,
        )
        if not made.exists():
            return None
        for old in archive.parent.glob("*.jsa"):
            old.unlink()
        partial = archive.with_suffix(".part")
        partial.write_bytes(made.read_bytes())
        partial.rename(archive)
    return archive
