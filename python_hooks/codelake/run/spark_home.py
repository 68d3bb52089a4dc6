"""A Spark home for our JVMs: the JARs of an installed pyspark, and no Python sources.

    spark_home() -> <cache>/spark/4.2.0    with bin/ and jars/, links into one installation

Spark puts the zipped sources of its home before everything else on a worker's path, and Python
compiles those anew in every process (1.1 s instead of 0.35 s, four times a build); without them
workers import the installed package, compiled once. All environments with one version of pyspark
share the home, and with it the class archive, which fits only JARs at the same place.
pyspark is looked up and not imported: a JVM can start while its half second goes by.
"""

from __future__ import annotations

from functools import cache
from importlib.metadata import Distribution, distribution
from pathlib import Path

from codelake.run.cache import cache_dir


def spark_home() -> Path:
    """Return the home, linked to this environment when nothing usable is linked yet."""
    home = cache_dir("spark", _pyspark().version)
    installed = Path(str(_pyspark().locate_file("pyspark")))
    if not core_jar(home).exists():
        for name in ("bin", "jars"):
            link = home / name
            link.unlink(missing_ok=True)
            link.symlink_to(installed / name)
    return home


def core_jar(home: Path) -> Path:
    """Return the JAR that tells which Spark a home is."""
    return home / "jars" / f"spark-core_2.13-{_pyspark().version}.jar"


@cache
def _pyspark() -> Distribution:
    return distribution("pyspark")
