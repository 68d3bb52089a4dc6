"""The JVM of a session: settings that a long life needs. No Spark."""

from __future__ import annotations

import re
import subprocess

from codelake.run.java import find_java
from codelake.run.session import JVM_OPTIONS

TIERED_DEFAULT = 240 << 20


def test_compiled_code_has_the_room_that_java_gives_by_default() -> None:
    # with the first tier only Java reserves 48 MB, and many questions fill that
    java = find_java().home / "bin" / "java"
    done = subprocess.run(
        [java, *JVM_OPTIONS, "-XX:+PrintFlagsFinal", "-version"],
        capture_output=True,
        text=True,
        check=True,
    )
    size = re.search(r"ReservedCodeCacheSize\s*=\s*(\d+)", done.stdout)
    assert size is not None
    assert int(size[1]) >= TIERED_DEFAULT
