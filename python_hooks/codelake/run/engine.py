"""The warm engine: one Spark Connect server that stays between builds.

    start() -> Engine(pid=..., address="sc://127.0.0.1:15002")

A JVM that has built once builds several times faster. The server listens on loopback only, takes
its settings from session.py like every other target, and is ended by its own id, which is kept in
the cache folder. Nothing needs it.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
from pathlib import Path

import msgspec

from codelake.errors import CodelakeError
from codelake.run.cache import cache_dir
from codelake.run.session import LONG_JVM_OPTIONS, jvm_environment, jvm_settings
from codelake.run.spark_home import spark_home

PORT = 15002
_SERVER = "org.apache.spark.sql.connect.service.SparkConnectServer"
_START_SECONDS = 60
_STOP_SECONDS = 20


class Engine(msgspec.Struct, frozen=True):
    """A running server."""

    pid: int
    port: int

    @property
    def address(self) -> str:
        """Return what the target `warm` connects to."""
        return f"sc://127.0.0.1:{self.port}"


def running() -> Engine | None:
    """Return the server that was started, if it still runs."""
    try:
        engine = msgspec.json.decode(_file().read_bytes(), type=Engine)
    except (OSError, msgspec.MsgspecError):
        return None
    command = Path(f"/proc/{engine.pid}/cmdline")
    try:
        os.kill(engine.pid, 0)
    except OSError:
        return None
    if command.exists() and _SERVER.encode() not in command.read_bytes():
        return None  # the id was given to another process since
    return engine


def start(port: int = PORT) -> Engine:
    """Start a server, unless one runs, and wait until it answers."""
    if engine := running():
        return engine
    settings = jvm_settings("local[*]", LONG_JVM_OPTIONS)
    settings["spark.connect.grpc.binding.address"] = "127.0.0.1"
    settings["spark.connect.grpc.binding.port"] = str(port)
    command = [str(spark_home() / "bin" / "spark-submit"), "--class", _SERVER]
    for key, value in settings.items():
        command += ["--conf", f"{key}={value}"]
    log = cache_dir("logs") / "engine.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            [*command, "--name", "codelake engine", "spark-internal"],
            env={**os.environ, **jvm_environment()},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
    engine = Engine(process.pid, port)
    deadline = time.monotonic() + _START_SECONDS
    while not _answers(port):
        if process.poll() is not None or time.monotonic() > deadline:
            process.kill()
            raise CodelakeError("ENGINE_NOT_STARTED", "the server did not start.", f"read {log}")
        time.sleep(0.2)
    _file().write_bytes(msgspec.json.encode(engine))
    return engine


def stop() -> bool:
    """End the server that was started; False when none runs."""
    engine = running()
    if engine is None:
        return False
    os.kill(engine.pid, signal.SIGTERM)
    deadline = time.monotonic() + _STOP_SECONDS
    while running() is not None and time.monotonic() < deadline:
        time.sleep(0.1)
    if running() is not None:
        os.kill(engine.pid, signal.SIGKILL)
    _file().unlink(missing_ok=True)
    return True


def _file() -> Path:
    return cache_dir("engine") / "engine.json"


def _answers(port: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(0.5)
        return probe.connect_ex(("127.0.0.1", port)) == 0
