"""Which Java runs Spark.

    find_java() -> Java(home=..., version=17)

`JAVA_HOME` first, then `java` on the path, then the usual folder of installed Javas. Spark 4
runs on Java 17 and 21; anything else is an error that says what to install.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from codelake.errors import CodelakeError

SUPPORTED = (17, 21)


@dataclass(frozen=True)
class Java:
    """A Java home and the versions it reports."""

    home: Path
    version: int
    full_version: str


@cache
def find_java() -> Java:
    """Return the first usable Java, or raise JAVA_MISSING."""
    seen = []
    for home in _candidates():
        java = _probe(home)
        if java is None:
            continue
        if java.version in SUPPORTED:
            return java
        seen.append(str(java.version))
    found = f"only Java {', '.join(sorted(set(seen)))} was found" if seen else "none was found"
    raise CodelakeError(
        "JAVA_MISSING",
        f"Spark needs Java 17 or 21 and {found}: "
        "install one (Debian: `apt-get install openjdk-17-jre-headless`) or set JAVA_HOME.",
    )


def _candidates() -> Iterator[Path]:
    if home := os.environ.get("JAVA_HOME"):
        yield Path(home)
    if java := shutil.which("java"):
        yield Path(java).resolve().parent.parent
    for parent in (Path("/usr/lib/jvm"), Path("/Library/Java/JavaVirtualMachines")):
        if parent.is_dir():
            for folder in sorted(parent.iterdir()):
                bundle = folder / "Contents" / "Home"
                yield bundle if bundle.is_dir() else folder


def _probe(home: Path) -> Java | None:
    java = home / "bin" / "java"
    if not java.is_file():
        return None
    try:
        done = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=30)
    except (OSError, subprocess.TimeoutExpired):
        return None
    text = done.stderr + done.stdout
    match = re.search(r'version "((\d+)[^"]*)"', text)
    build = re.search(r"\(build ([^)]*)\)", text)
    if match is None:
        return None
    return Java(home, int(match[2]), build[1] if build else match[1])


if __name__ == "__main__":
    import sys

    try:
        find_java()
    except CodelakeError as error:
        sys.exit(error.message)
