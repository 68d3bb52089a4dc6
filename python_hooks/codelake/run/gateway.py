"""The JVM of a session, started without Spark's launcher.

    start_gateway(("-Xmx1g",), log) -> the gateway that pyspark's SparkContext takes

`spark-submit` starts one JVM to work out the command line of another and puts every JAR of Spark
before it; the machine-learning ones alone register functions by reflection for 1.6 s. Here the
command line is written down, with the JARs that a SQL session reads: 2.5 of the first 7 CPU
seconds of a build go. The warm engine and clusters, which live longer, start the ordinary way.
"""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

from codelake.errors import CodelakeError
from codelake.run.jars import delta_jars
from codelake.run.java import find_java
from codelake.run.spark_home import spark_home

_MAIN = "org.apache.spark.api.python.PythonGatewayServer"

_UNUSED_JARS = (
    # machine learning and graphs
    *("spark-mllib", "spark-graphx", "breeze", "spire", "algebra", "cats-kernel", "arpack", "blas"),
    *("lapack", "JTransforms", "JLargeArrays"),
    # Hive
    *("spark-hive", "hive-", "datanucleus", "derby", "HikariCP", "jdo", "javax.jdo", "jta", "stax"),
    *("libthrift", "libfb303", "commons-dbcp", "antlr-runtime", "ST4", "super-csv", "opencsv"),
    # other ways to run Spark
    *("spark-kubernetes", "kubernetes-", "vertx-", "volcano-", "zjsonpatch", "spark-yarn"),
    *("spark-connect", "connect-repl", "spark-pipelines", "spark-repl", "jline"),
    # pages and stores that are off
    *("jersey-", "hk2-", "rocksdbjni", "leveldbjni"),
)
"""How the names of JARs begin that no statement of codelake reaches."""

_OPENED = (
    *("lang", "lang.invoke", "lang.reflect", "io", "net", "nio", "util", "util.concurrent"),
    "util.concurrent.atomic",
)
_OPENED_INSIDE = ("jdk.internal.ref", "sun.nio.ch", "sun.nio.cs", "sun.util.calendar")
"""Packages of java.base that Spark reaches into; its launcher opens the same."""


def class_path() -> tuple[Path, ...]:
    """Return the JARs of a session, in order."""
    jars = sorted((spark_home() / "jars").glob("*.jar"))
    return (*(jar for jar in jars if not jar.name.startswith(_UNUSED_JARS)), *delta_jars())


def start_gateway(options: tuple[str, ...], log: Path) -> Any:
    """Start a JVM and connect to it; it ends with this process.

    Args:
        options: of the JVM.
        log: the file that its output goes to.

    Returns:
        pyspark's gateway, with the JVM as its `proc`.
    """
    with tempfile.TemporaryDirectory() as folder:
        told = Path(folder) / "connection"
        process = _start(options, log, told)
        from pyspark.java_gateway import launch_gateway  # the JVM starts meanwhile

        port, secret = _connection(process, log, told)
    os.environ |= {"PYSPARK_GATEWAY_PORT": port, "PYSPARK_GATEWAY_SECRET": secret}
    try:
        gateway = launch_gateway()  # type: ignore[no-untyped-call]
    finally:
        del os.environ["PYSPARK_GATEWAY_PORT"], os.environ["PYSPARK_GATEWAY_SECRET"]
    gateway.proc = process
    return gateway


def _start(options: tuple[str, ...], log: Path, told: Path) -> subprocess.Popen[bytes]:
    packages = (*(f"java.{name}" for name in _OPENED), *_OPENED_INSIDE)
    command = [
        str(find_java().home / "bin" / "java"),
        *options,
        *(f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in packages),
        "-Dio.netty.tryReflectionSetAccessible=true",
        *("-cp", os.pathsep.join(map(str, class_path())), _MAIN),
    ]
    environment = {
        **os.environ,
        "SPARK_CONNECT_MODE": "0",
        "_PYSPARK_DRIVER_CONN_INFO_PATH": str(told),
    }
    with log.open("wb") as output:
        return subprocess.Popen(
            command,
            env=environment,
            stdin=subprocess.PIPE,  # the JVM ends when this does
            stdout=output,
            stderr=output,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN),
        )


def _connection(process: subprocess.Popen[bytes], log: Path, told: Path) -> tuple[str, str]:
    """Wait until the JVM has written port and secret."""
    while not told.is_file():
        if process.poll() is not None:
            message = "the JVM ended at its start."
            raise CodelakeError("SPARK_NOT_STARTED", message, f"read {log}")
        time.sleep(0.02)
    data = told.read_bytes()
    length = int.from_bytes(data[4:8])
    return str(int.from_bytes(data[:4])), data[8 : 8 + length].decode()
