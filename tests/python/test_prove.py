"""Long proofs, with a small seeded sample of each among the ordinary tests.

make prove    random edit series, kills at random moments, the whole standard library
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import sysconfig
import time
from pathlib import Path

import psutil
import pytest
from deltalake import DeltaTable

from codelake.run.manifest import last_complete, list_runs
from codelake.run.table_digest import table_digest
from conftest import GRAPH, ROOT, built, rows, same_graph

pytestmark = pytest.mark.spark

SNIPPETS = (
    "\n\ndef added_{n}(a, *b, c=1, **d):\n    return [a for a in b if a] + [lambda: c]\n",
    "\nX_{n} = {{'k': (yield_ := {n})}}\n",
    "\n\nclass Added{n}(dict):\n    '''Doc {n}.'''\n    @property\n    def p(self): return 1\n",
    "\nthis is no Python {n}\n",
    "\r\nwindows_{n} = '\u00fc\U0001f600'\r\n",
)
VICTIMS = ("driver", "jvm", "worker")


def edit(repo: Path, dice: random.Random, step: int) -> None:
    """Change one thing in a repository: edit, add, rename or delete a file."""
    files = sorted(path for path in repo.rglob("*.py"))
    chosen = dice.choice(files)
    match dice.choice(("append", "append", "cut", "add", "rename", "delete")):
        case "append":
            text = dice.choice(SNIPPETS).format(n=step)
            chosen.write_bytes(chosen.read_bytes() + text.encode())
        case "cut":
            lines = chosen.read_bytes().splitlines(keepends=True)
            chosen.write_bytes(b"".join(lines[: len(lines) // 2]))
        case "add":
            chosen.with_name(f"added_{step}.py").write_text(SNIPPETS[0].format(n=step))
        case "rename":
            chosen.rename(chosen.with_name(f"renamed_{step}.py"))
        case "delete" if len(files) > 2:
            chosen.unlink()


def prove_edits(repo: Path, tmp_path: Path, steps: int, edits: int, seed: int) -> None:
    """Compare an increment after each of a series of edits with a fresh build."""
    dice = random.Random(seed)
    lake = tmp_path / "lake"
    built([repo], lake)
    for step in range(steps):
        for number in range(edits):
            edit(repo, dice, step * edits + number)
        built([repo], lake)
        fresh = tmp_path / f"fresh-{step}"
        built([repo], fresh)
        assert same_graph(lake, fresh), f"seed {seed}, step {step}"
        shutil.rmtree(fresh)


def prove_kills(repo: Path, tmp_path: Path, kills: int, seed: int) -> None:
    """Kill builds at random moments; tables stay whole, and the next build completes."""
    dice = random.Random(seed)
    lake = tmp_path / "lake"
    built([repo], lake)
    for step in range(kills):
        edit(repo, dice, step)
        command = [sys.executable, "-m", "codelake.cli.main", "build", repo, "--lake", lake]
        process = psutil.Popen(
            command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        time.sleep(dice.uniform(2, 14))
        victim = choose_victim(process, dice.choice(VICTIMS))
        victim.send_signal(signal.SIGKILL)
        assert process.wait(timeout=120) is not None, victim  # a build never waits for the dead
        time.sleep(1)  # the JVM notices that its parent is gone
        assert list_runs(lake)[0].status in ("killed", "complete", "failed")
        good = last_complete(lake)
        assert good
        for table in GRAPH:
            path, version = lake / "codelake" / table, good.snapshot[table]
            assert table_digest(path, version).rows > 0
        if step % 5 == 4 or step == kills - 1:
            built([repo], lake)
            fresh = tmp_path / f"fresh-{step}"
            built([repo], fresh)
            assert same_graph(lake, fresh), f"seed {seed}, step {step}"


def choose_victim(build: psutil.Process, kind: str) -> psutil.Process:
    """Return the build itself, its JVM, or a Python worker of Spark; itself when there is none."""
    if not build.is_running():
        return build
    below = build.children(recursive=True)
    jvms = [each for each in below if each.name() == "java"]
    workers = [each for jvm in jvms for each in jvm.children(recursive=True)]
    found = {"driver": [build], "jvm": jvms, "worker": workers}[kind] or [build]
    return found[-1]


def test_a_few_random_edits(shop: Path, tmp_path: Path) -> None:
    prove_edits(shop, tmp_path, steps=2, edits=5, seed=7)


def test_killed_builds(shop: Path, tmp_path: Path) -> None:
    prove_kills(shop, tmp_path, kills=3, seed=3)


@pytest.mark.prove
@pytest.mark.parametrize(("steps", "edits"), [(10, 20), (12, 1), (12, 3)])
def test_long_edit_series(shop: Path, tmp_path: Path, steps: int, edits: int) -> None:
    prove_edits(shop, tmp_path, steps=steps, edits=edits, seed=steps + edits)


@pytest.mark.prove
def test_many_killed_builds(shop: Path, tmp_path: Path) -> None:
    prove_kills(shop, tmp_path, kills=30, seed=1)


@pytest.mark.prove
def test_digests_do_not_depend_on_threads_or_partitions(shop: Path, tmp_path: Path) -> None:
    text = (
        "import sys; from codelake.run import session;"
        "session.SQL_SETTINGS['spark.sql.shuffle.partitions'] = sys.argv[3];"
        "from codelake.run.build import build;"
        "sys.exit(build([sys.argv[1]], sys.argv[2]).status != 'complete')"
    )
    found = []
    for threads, partitions in ((1, 1), (2, 7), (4, 2)):
        lake = tmp_path / f"lake-{threads}"
        settings = {**os.environ, "CODELAKE_DEV_MASTER": f"local[{threads}]"}
        command = [sys.executable, "-c", text, str(shop), str(lake), str(partitions)]
        subprocess.run(command, cwd=ROOT, env=settings, check=True)
        found.append({table: table_digest(lake / "codelake" / table) for table in GRAPH})
    assert found[0] == found[1] == found[2]


@pytest.mark.prove
def test_the_standard_library(tmp_path: Path) -> None:
    source = Path(sysconfig.get_path("stdlib"))
    repo = tmp_path / "stdlib"
    skipped = shutil.ignore_patterns("site-packages", "__pycache__", "lib2to3")
    shutil.copytree(source, repo, ignore=skipped, symlinks=True)
    lake = tmp_path / "lake"
    result = built([repo], lake)
    assert result.files_read > 1500
    content = {
        row["file_id"]: row for row in rows(lake, "evidence", ["file_id", "content", "encoding"])
    }
    nodes = DeltaTable(lake / "codelake" / "cpg_nodes").to_pyarrow_dataset()
    columns = ["file_id", "name", "bstart", "bend", "node_kind", "path"]
    wrong = []
    checked = 0
    for batch in nodes.to_batches(columns=columns):
        for row in batch.to_pylist():
            if row["node_kind"] == "NAME":
                file = content[row["file_id"]]
                found = file["content"][row["bstart"] : row["bend"]]
                text = found.decode(file["encoding"] or "latin-1")  # none: it cannot be decoded
                checked += 1
                if text != row["name"] and text.isascii():
                    wrong.append((row["path"], row["bstart"], text, row["name"]))
    assert checked > 500_000
    assert wrong == []
