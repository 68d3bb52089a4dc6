"""Every Spark setting, and the one place that opens a session.

    Target("dev", lake)      -> a JVM in this process's hands, all cores of this machine
    Target("warm", lake)     -> a Spark Connect server that stays warm between builds
    Target("cluster", lake)  -> an application on a standalone cluster

The three differ only by `TARGETS`. What a target says may be overridden per machine by
environment variables; nothing else in the project sets a Spark option.
Next: catalogue.py, which tells the new session what the lake holds.
"""

from __future__ import annotations

import logging
import os
import re
import sys
import tempfile
import threading
from concurrent.futures import Future
from dataclasses import dataclass
from enum import IntEnum
from functools import cache
from pathlib import Path
from typing import Any

from codelake.errors import CodelakeError
from codelake.run.cache import cache_dir
from codelake.run.class_archive import archive_options, wait_in_training
from codelake.run.gateway import start_gateway
from codelake.run.jars import delta_jars
from codelake.run.java import find_java
from codelake.run.project import ROOT
from codelake.run.spark_home import spark_home

SQL_SETTINGS = {
    "spark.sql.ansi.enabled": "false",  # dbt-spark insists
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.shuffle.partitions": str(os.cpu_count() or 2),
    "spark.sql.adaptive.coalescePartitions.enabled": "true",
    "spark.sql.parquet.compression.codec": "zstd",
    # a partitioned write keeps the order of its rows instead of sorting them by partition again
    "spark.sql.maxConcurrentOutputFileWriters": "16",
    "spark.databricks.delta.snapshotPartitions": "2",
    # Delta's parser drops bound parameters in Spark's newer way (delta-io/delta#7640)
    "spark.sql.legacy.parameterSubstitution.constantsOnly": "true",
}
"""Settings of every session, whatever runs it. They are part of the environment fingerprint."""

STATIC_SETTINGS = {
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
    "spark.sql.catalogImplementation": "in-memory",
    # each thread's session would keep the files that a name stood for when it first read it
    "spark.sql.filesourceTableRelationCacheSize": "0",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
}
"""Settings that count only when a JVM starts."""

JVM_OPTIONS = (
    *("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xss4m", "-Xlog:disable"),
    *("-Xms1g", "-XX:NewSize=500m"),  # half as much time in the collector
    "-XX:ReservedCodeCacheSize=240m",  # one tier gets 48m, which many queries fill
)
"""For a JVM that lives for one build: quick to start, small; see docs/operations.md."""

LONG_JVM_OPTIONS = ("-XX:+UseParallelGC", "-Xss4m")
"""For a JVM that stays: the second compiler pays off."""

_UNUSABLE = re.compile(r"[\[\]^|\\:\x00-\x1f]|%[0-9A-Fa-f]{2}")


@dataclass(frozen=True)
class Target:
    """A way to run Spark: what profiles.yml offers under the same name."""

    name: str
    doc: str
    master: str = ""
    remote: str = ""
    threads: int = 4

    @property
    def variable(self) -> str:
        """Return the environment variable that overrides the address."""
        return f"CODELAKE_{self.name.upper()}_{'REMOTE' if self.remote else 'MASTER'}"


TARGETS = (
    Target("dev", "One JVM per command on this machine.", master="local[*]"),
    Target(
        "warm",
        "A Spark Connect server that stays warm: `codelake engine start`.",
        remote="sc://127.0.0.1:15002",
    ),
    Target("cluster", "A standalone cluster.", master="spark://127.0.0.1:7077"),
)


def target_address(name: str) -> dict[str, str]:
    """Return the master or remote of a target, as this machine's environment has it."""
    target = next((target for target in TARGETS if target.name == name), None)
    if target is None:
        names = ", ".join(target.name for target in TARGETS)
        raise CodelakeError("TARGET_UNKNOWN", f"there is no target `{name}`.", f"use {names}")
    kind, default = ("remote", target.remote) if target.remote else ("master", target.master)
    return {kind: os.environ.get(target.variable, default)}


class Views(IntEnum):
    """Which views a session knows from its start; each is more work than the one before."""

    OF_BUILD = 0  # none: a build of everything makes what it reads
    AS_NAMED = 1  # those that a query names are registered for it
    ALL = 2


_current: tuple[str, Future[Any], Views] | None = None  # address and lake, session, its views
_lock = threading.Lock()
_local = threading.local()


def jvm_settings(master: str, jvm_options: tuple[str, ...]) -> dict[str, str]:
    """Return all settings for a JVM that Spark's launcher starts."""
    return {
        **_settings(master),
        "spark.driver.memory": _driver_memory(),
        "spark.driver.extraClassPath": os.pathsep.join(map(str, delta_jars())),
        "spark.driver.extraJavaOptions": " ".join(_java_options(jvm_options)),
    }


def _settings(master: str) -> dict[str, str]:
    settings = {
        **STATIC_SETTINGS,
        "spark.sql.warehouse.dir": (Path(tempfile.gettempdir()) / "codelake-warehouse").as_uri(),
        **SQL_SETTINGS,
        "spark.master": master,
        "spark.pyspark.python": sys.executable,
    }
    if not master.startswith("local"):
        settings["spark.jars"] = ",".join(map(str, delta_jars()))
        if host := os.environ.get("CODELAKE_DRIVER_HOST"):
            settings["spark.driver.host"] = settings["spark.driver.bindAddress"] = host
    return settings


def _java_options(options: tuple[str, ...]) -> tuple[str, ...]:
    log4j = (ROOT / "profiles" / "log4j2.properties").as_uri()
    return (*options, f"-Dlog4j2.configurationFile={log4j}")


def _driver_memory() -> str:
    return os.environ.get("CODELAKE_DRIVER_MEMORY", "1536m")


def jvm_environment() -> dict[str, str]:
    """Return the environment of a JVM: the look-up of data sources reads no setting."""
    return {
        "SPARK_HOME": str(spark_home()),
        "JAVA_HOME": str(find_java().home),
        "PYSPARK_PYTHON": sys.executable,
        "PYSPARK_DRIVER_PYTHON": sys.executable,
        "SPARK_LAUNCHER_OPTS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        "SPARK_LOCAL_IP": os.environ.get("SPARK_LOCAL_IP", "127.0.0.1"),
    }


def require_usable(lake: Path) -> None:
    """Refuse the folder of a lake that deltalake or Spark take for another one.

    Raises:
        CodelakeError: LAKE_PATH.
    """
    if found := _UNUSABLE.search(str(lake)):
        raise CodelakeError(
            "LAKE_PATH",
            f"a lake cannot lie in `{lake}`: Delta readers misread {found[0]!r} in a path.",
            "name a folder without : \\ [ ] ^ |, codes like %20 and control characters",
        )


def start(lake: Path, *, master: str = "", remote: str = "", views: Views) -> Future[Any]:
    """Begin to open the session in the background.

    A process has one session at a time: asking for another lake, or for more views than
    were registered, registers anew. A build of everything makes the views it needs.
    """
    global _current
    require_usable(lake)
    key = f"{remote or master} {lake}"
    with _lock:
        if _current is None or _current[0] != key or views > _current[2]:
            future: Future[Any] = Future()
            _current = (key, future, views)
            arguments = (future, lake, master, remote, views)
            threading.Thread(target=_fulfil, args=arguments, name="spark", daemon=True).start()
        return _current[1]


def views_known() -> Views | None:
    """Return which views this process's session knows from its start."""
    return _current[2] if _current else None


def open_session(
    lake: Path, *, master: str = "", remote: str = "", views: Views = Views.OF_BUILD
) -> Any:
    """Return this thread's session on the lake; catalogue and data are shared, settings are not.

    Args:
        lake: the folder of the lake.
        master: a Spark master, when this process runs the driver.
        remote: a Spark Connect address, when a server does.
        views: which views of the lake must be registered.
    """
    logging.getLogger("SQLQueryContextLogger").setLevel(logging.CRITICAL)  # errors are raised
    root = start(lake, master=master, remote=remote, views=views).result()
    if getattr(_local, "root", None) is not root:
        branch = root.newSession if hasattr(root, "newSession") else root.cloneSession
        _local.root, _local.session = root, branch()
    return _local.session


def _fulfil(future: Future[Any], lake: Path, master: str, remote: str, views: Views) -> None:
    try:
        future.set_result(_open(lake, master, remote, views))
    except BaseException as error:
        future.set_exception(error)


def _open(lake: Path, master: str, remote: str, views: Views) -> Any:
    from codelake.compile.program import read_program
    from codelake.run.catalogue import register_lake
    from codelake.run.functions import require_functions

    session = _connect(remote) if remote else _jvm(master).newSession()
    require_functions(session, read_program(ROOT))
    register_lake(session, lake, views=views)
    return session


def _connect(remote: str) -> Any:
    from pyspark.sql import SparkSession

    session = SparkSession.builder.remote(remote).create()
    for key, value in SQL_SETTINGS.items():
        session.conf.set(key, value)
    return session


@cache
def _jvm(master: str) -> Any:
    """Start the process's JVM; its own output goes to a file, errors come as exceptions."""
    os.environ.update(jvm_environment())
    options = (f"-Xmx{_driver_memory()}", *_java_options(JVM_OPTIONS), *archive_options())
    gateway = start_gateway(options, cache_dir("logs") / "spark.log")
    wait_in_training(gateway.proc)
    from pyspark import SparkConf, SparkContext
    from pyspark.sql import SparkSession

    conf = SparkConf(loadDefaults=False).setAppName("codelake")
    conf.setAll(list(_settings(master).items()))
    return SparkSession(SparkContext(conf=conf, gateway=gateway))
