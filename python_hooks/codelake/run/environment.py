"""What a result may depend on besides program and input, and what differs between two runs.

    environment()           -> {"python": "3.13", "pyspark": "4.2.0", ...}
    differences(old, new)   -> ["pyspark was 4.2.0, is 4.2.1"]

Some settings change how Spark works and never what it finds: they are recorded, they are part of
the hash, and a replay does not stop for them.
"""

from __future__ import annotations

import hashlib
import platform
import sys
from collections.abc import Mapping
from importlib.metadata import version

from codelake.run.session import SQL_SETTINGS, STATIC_SETTINGS

_TOOLS = ("dbt-core", "dbt-spark", "pyspark", "delta-spark", "deltalake", "sqlglot")

NEUTRAL = frozenset(
    {
        "spark.sql.shuffle.partitions",
        "spark.sql.adaptive.coalescePartitions.enabled",
        "spark.databricks.delta.snapshotPartitions",
        "spark.sql.maxConcurrentOutputFileWriters",
        "spark.sql.parquet.compression.codec",
    }
)
"""Settings that the rows of a table must not depend on; tests/python/test_prove.py shows it."""


def environment() -> dict[str, str]:
    """Return versions and settings."""
    versions = {name: version(name) for name in _TOOLS}
    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    return {"python": python, "system": platform.system(), **versions, **SQL_SETTINGS}


def environment_hash() -> str:
    """Return the digest of `environment`."""
    text = "\n".join(f"{key}={value}" for key, value in sorted(environment().items()))
    return hashlib.sha256((text + repr(sorted(STATIC_SETTINGS))).encode()).hexdigest()[:16]


def differences(before: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
    """Return what differs between two environments and may change a result, as sentences."""
    found = []
    for name in sorted({*before, *now} - NEUTRAL):
        old, new = before.get(name), now.get(name)
        if old != new:
            found.append(f"{name} was {old or 'not set'}, is {new or 'not set'}")
    return found
