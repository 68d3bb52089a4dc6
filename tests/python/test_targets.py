"""The targets warm and cluster give the graph of dev. Servers listen on loopback only."""

from __future__ import annotations

import os
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from codelake.run import engine
from codelake.run.session import jvm_environment
from codelake.run.spark_home import spark_home
from conftest import ROOT, built, same_graph

pytestmark = [pytest.mark.spark, pytest.mark.prove]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[str]:
    """A standalone master and two workers of one core on this machine."""
    port = free_port()
    address = f"spark://127.0.0.1:{port}"
    base = [str(spark_home() / "bin" / "spark-class")]
    worker = ["org.apache.spark.deploy.worker.Worker", "--cores", "1", "--memory", "2g"]
    roles = (
        ["org.apache.spark.deploy.master.Master", "--port", str(port)],
        [*worker, "--work-dir", str(tmp_path / "work-1"), address],
        [*worker, "--work-dir", str(tmp_path / "work-2"), address],
    )
    environment = {**os.environ, **jvm_environment()}
    started = []
    try:
        for role in roles:
            with (tmp_path / f"{len(started)}.log").open("wb") as log:
                place = ["--host", "127.0.0.1", "--webui-port", str(free_port())]
                command = [*base, role[0], *place, *role[1:]]
                started.append(subprocess.Popen(command, env=environment, stdout=log, stderr=log))
            time.sleep(6)
        yield address
    finally:
        for process in started:
            process.terminate()
            process.wait()


def build_with(command, repos: list[Path], lake: Path, target: str, **environment: str) -> None:
    done = command("codelake", "build", *repos, "--lake", lake, "--target", target, **environment)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_cluster_gives_the_same_graph(command, cluster: str, tmp_path: Path) -> None:
    there, here = tmp_path / "there", tmp_path / "here"
    repos = [ROOT / "tests" / "repos" / name for name in ("greeter", "shop")]
    build_with(command, repos, there, "cluster", CODELAKE_CLUSTER_MASTER=cluster)
    built(repos, here)
    assert same_graph(there, here)
    logs = [tmp_path.joinpath(work).glob("app-*/*/stderr") for work in ("work-1", "work-2")]
    for texts in ([path.read_text() for path in found] for found in logs):
        assert any("Finished task" in text for text in texts), "a worker that was given nothing"


def test_a_warm_engine_gives_the_same_graph(command, shop: Path, tmp_path: Path) -> None:
    if engine.running():
        pytest.skip("an engine of yours runs on the port that this test needs")
    there, other, here = tmp_path / "there", tmp_path / "other", tmp_path / "here"
    engine.start()
    try:
        build_with(command, [shop], other, "warm")
        build_with(command, [shop], there, "warm")  # the server knew another lake
        build_with(command, [shop], there, "warm")
    finally:
        engine.stop()
    built([shop], here)
    assert same_graph(there, here)
    assert same_graph(other, here)
