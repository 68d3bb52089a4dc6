"""The Delta JARs, fetched once by their Maven coordinates.

    delta_jars() -> (Path("delta-spark_4.2_2.13-4.4.0.jar"), ...)

Spark's own resolver (Ivy) fetches the coordinates and everything they depend on; only what Spark
does not ship itself is kept. Ivy costs two seconds at every start, so later sessions take the
kept files and never ask it again.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from codelake.errors import CodelakeError
from codelake.run.cache import cache_dir
from codelake.run.java import find_java

COORDINATES = "io.delta:delta-spark_4.2_2.13:4.4.0"
"""The newest Delta whose JARs are published for Spark 4.2."""

_KEPT_GROUPS = ("io.delta_", "io.unitycatalog_")

_RESOLVE = """
import sys
from pyspark.sql import SparkSession
builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
builder = builder.config("spark.jars.packages", sys.argv[1]).config("spark.jars.ivy", sys.argv[2])
builder.getOrCreate().stop()
"""


def delta_jars() -> tuple[Path, ...]:
    """Return the kept JARs, fetching them on first use."""
    folder = cache_dir("jars", COORDINATES.replace(":", "_"))
    if not (folder / "complete").exists():
        _fetch(folder)
    return tuple(sorted(folder.glob("*.jar")))


def _fetch(folder: Path) -> None:
    print(f"Fetching {COORDINATES} and what it needs (once) ...", file=sys.stderr)
    with tempfile.TemporaryDirectory() as ivy:
        done = subprocess.run(
            [sys.executable, "-c", _RESOLVE, COORDINATES, ivy],
            env={**os.environ, "JAVA_HOME": str(find_java().home), "SPARK_LOCAL_IP": "127.0.0.1"},
            capture_output=True,
            text=True,
        )
        jars = [jar for jar in Path(ivy, "jars").glob("*.jar") if jar.name.startswith(_KEPT_GROUPS)]
        if done.returncode or not jars:
            raise CodelakeError(
                "JARS_UNRESOLVED",
                f"Maven gave no JARs for {COORDINATES}: {done.stderr.strip()[-400:]}",
                fix="check that this machine reaches a Maven repository, then run it again",
            )
        for jar in jars:
            shutil.copy2(jar, folder / jar.name)
    (folder / "complete").touch()
