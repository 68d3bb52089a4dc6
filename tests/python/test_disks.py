"""A full disk and a read-only lake: one clear error, and the last version as it was.

Where this machine lets us mount, the disk is a small tmpfs; elsewhere something stands in for it (a
limit on the size of files, a refused system call), and the figures say why.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake

from codelake.errors import CodelakeError
from codelake.run import lake_lock, record
from codelake.run.manifest import list_runs
from conftest import ROOT, Figures, built, rows, same_graph, versions


class Disk:
    """A small disk: a tmpfs where mounting works; `missing` says why it does not."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()
        self.missing = self._mount("-t", "tmpfs", "-o", "size=1m", "codelake-test")

    def _mount(self, *arguments: str) -> str:
        try:
            done = subprocess.run(
                ["mount", *arguments, str(self.folder)], capture_output=True, text=True
            )
        except OSError as error:
            return str(error)
        return "" if done.returncode == 0 else done.stderr.strip() or "mount failed"

    def change(self, options: str) -> None:
        """Give the disk another size, or make it read-only."""
        assert self._mount("-o", f"remount,{options}") == ""

    def fill(self) -> Path:
        """Take all that is free, and return the file that holds it."""
        path = self.folder / "filler"
        with path.open("wb", buffering=0) as file:
            for size in (4096, 1):
                try:
                    while file.write(b"x" * size):
                        pass
                except OSError as error:
                    assert error.errno == errno.ENOSPC
        return path

    def take_down(self) -> None:
        """Unmount it."""
        if not self.missing:
            subprocess.run(["umount", "--lazy", str(self.folder)], check=True)


@pytest.fixture
def disk(tmp_path: Path, figures: Figures) -> Iterator[Disk]:
    found = Disk(tmp_path / "disk")
    if found.missing:
        figures(f"no disk could be mounted, something stands in for it: {found.missing}")
    yield found
    found.take_down()


def test_a_full_disk_leaves_the_last_version(disk: Disk) -> None:
    path = disk.folder / "t"
    write_deltalake(path, pa.table({"id": [1], "share": [0.5]}))
    limit = (
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000));"
    )
    text = (
        "import random, resource, signal; from pathlib import Path;"
        "from codelake.run.create_table import write_rows;"
        f"{limit if disk.missing else ''}"
        "rows = [{'id': str(n), 'share': str(random.random())} for n in range(200_000)];"
        f"write_rows(Path({str(path)!r}), rows, '')"
    )
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True)
    assert done.returncode == 1
    why = "File too large" if disk.missing else "No space left on device"
    assert why in done.stderr
    assert DeltaTable(path).version() == 0
    assert DeltaTable(path).to_pyarrow_table().to_pylist() == [{"id": 1, "share": 0.5}]


def refused(number: int) -> Callable[..., int]:
    def call(*_: object) -> int:
        raise OSError(number, os.strerror(number))

    return call


def test_no_run_begins_on_a_full_disk(disk: Disk, monkeypatch: pytest.MonkeyPatch) -> None:
    lake = disk.folder / "lake"
    lake.mkdir()
    if disk.missing:
        monkeypatch.setattr(lake_lock.os, "pwrite", refused(errno.ENOSPC))
    else:
        disk.fill()
    with pytest.raises(CodelakeError, match=r"LAKE_UNWRITABLE: .*No space left on device"):
        record.begin_run(lake, "build")
    assert lake_lock.holder(lake) is None


def test_no_run_begins_on_a_read_only_lake(
    disk: Disk, command: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    lake = disk.folder / "lake"
    write_deltalake(lake / "codelake" / "cpg_nodes", pa.table({"node_id": [1]}))
    if disk.missing:
        monkeypatch.setattr(lake_lock.os, "open", refused(errno.EROFS))
    else:
        disk.change("ro")
        asked = json.dumps({"repos": [str(ROOT / "tests" / "repos" / "shop")]})
        done = command("dbt", "build", "--vars", asked, lake=lake)
        assert done.returncode != 0
        assert "LAKE_UNWRITABLE" in done.stdout and "Read-only file system" in done.stdout
    with pytest.raises(CodelakeError, match=r"LAKE_UNWRITABLE: .*Read-only file system"):
        record.begin_run(lake, "build")
    assert DeltaTable(lake / "codelake" / "cpg_nodes").version() == 0
    assert rows(lake, "cpg_nodes") == [{"node_id": 1}]


@pytest.mark.spark
def test_a_disk_that_fills_during_a_build_leaves_the_last_versions(
    disk: Disk, shop: Path, first_build: Path, command: Callable[..., Any]
) -> None:
    if disk.missing:
        pytest.skip(f"no disk could be mounted: {disk.missing}")
    disk.change("size=64m")
    lake = Path(shutil.copytree(first_build, disk.folder / "lake"))
    before = versions(lake)
    new = shop / "shop" / "new.py"
    new.write_text("".join(f"def f{n}(a):\n    return a + {n}\n\n\n" for n in range(400)))
    held = sum(file.stat().st_blocks * 512 for file in lake.rglob("*") if file.is_file())
    disk.change(f"size={held + 500_000}")
    asked = json.dumps({"repos": [f"shop={shop}"]})
    done = command("dbt", "build", "--full-refresh", "--vars", asked, lake=lake)
    assert done.returncode != 0
    assert "No space left on device" in done.stdout, done.stdout
    assert "LAKE_UNWRITABLE" not in done.stdout  # it began
    assert "\tat " not in done.stdout
    moved = {name for name, version in versions(lake).items() if version != before[name]}
    assert "cpg_edges" not in moved  # the last to be written
    for name, version in before.items():
        assert DeltaTable(lake / "codelake" / name).to_pyarrow_table().num_rows >= 0
        then = DeltaTable(lake / "codelake" / name, version=version).to_pyarrow_table()
        assert then.num_rows == len(rows(first_build, name))
    assert list_runs(lake)[0].status != "complete"

    disk.change("size=64m")
    new.unlink()
    built([f"shop={shop}"], lake)
    assert same_graph(lake, first_build)
