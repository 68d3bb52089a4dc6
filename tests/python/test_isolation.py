"""Isolation: files that kill, hang or fill the process that reads them cost only themselves."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from pathlib import Path

import psutil
import pyarrow as pa
import pytest

from codelake.evidence.rows import EVIDENCE
from codelake.extract import isolation
from codelake.extract.file_evidence import extract_batch
from codelake.extract.isolation import Limits, extract_isolated
from codelake.extract.versions import LAYERS
from codelake.sources.scan import ScannedFile

# other libraries of the test process have threads; a Spark worker has none when it forks
pytestmark = pytest.mark.filterwarnings("ignore:.*use of fork:DeprecationWarning")
LIMITS = Limits(seconds=60, seconds_per_megabyte=0, memory_bytes=256 << 20, batch_bytes=60)
QUICK = replace(LIMITS, seconds=4)


def hang() -> None:
    time.sleep(600)


def killed() -> None:
    """End as the kernel ends a process that takes too much."""
    os.kill(os.getpid(), signal.SIGKILL)


def leave() -> None:
    os._exit(3)


def fill() -> None:
    held = [bytearray(64 << 20) for _ in range(64)]
    raise AssertionError(f"{len(held)} blocks were allowed")


def files(folder: Path, count: int) -> list[ScannedFile]:
    found = []
    for number in range(count):
        path = folder / f"m{number:02}.py"
        path.write_text(f"value_{number} = {number}\n")
        found.append(ScannedFile("r", path.name, str(path), path.stat().st_size, ""))
    return found


def misbehave(monkeypatch: pytest.MonkeyPatch, acts: dict[str, Callable[[], None]]) -> None:
    """Let the extraction of some files do harm, as a bug in a C parser would."""

    def harmful(
        batch: Sequence[ScannedFile],
        salt: int = 0,
        begins: Callable[[int], None] | None = None,
        part: str = "source",
        layers: Collection[str] = LAYERS,
    ) -> pa.RecordBatch:
        def begin(number: int) -> None:
            if begins is not None:
                begins(number)
            acts.get(batch[number].path, lambda: None)()

        return extract_batch(batch, salt, begin, part, layers)

    monkeypatch.setattr(isolation, "extract_batch", harmful)


def extracted(found: list[ScannedFile], limits: Limits = LIMITS) -> dict[str, dict[str, object]]:
    batches = list(extract_isolated(found, 0, limits))
    assert all(batch.schema.equals(EVIDENCE) for batch in batches)
    rows = [row for batch in batches for row in batch.to_pylist()]
    assert sorted(row["path"] for row in rows) == [file.path for file in found]
    return {row["path"]: row for row in rows}


def test_rows_are_those_of_one_process(tmp_path: Path) -> None:
    found = files(tmp_path, 9)
    assert list(extracted(found).values()) == extract_batch(found).to_pylist()
    assert list(extract_isolated([])) == []


@pytest.mark.parametrize(
    ("act", "error", "message"),
    [
        (killed, "WorkerKilled", "SIGKILL"),
        (leave, "WorkerFailed", "exit 3"),
        (hang, "TimeoutError", "more than 4 s"),
        (fill, "MemoryError", ""),
    ],
)
@pytest.mark.parametrize("place", [0, 4, 8])
def test_one_bad_file_costs_only_itself(
    act: Callable[[], None],
    error: str,
    message: str,
    place: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = files(tmp_path, 9)
    bad = found[place].path
    misbehave(monkeypatch, {bad: act})
    rows = extracted(found, QUICK if act is hang else LIMITS)
    (failure,) = rows[bad]["errors"]
    assert (failure["extractor"], failure["error_type"]) == ("worker", error)
    assert message in failure["message"]
    assert rows[bad]["content"] == Path(found[place].absolute).read_bytes()
    assert [node["kind"] for node in rows[bad]["ast_nodes"]] == ["MODULE"]
    assert all(not row["errors"] for path, row in rows.items() if path != bad)
    assert all(len(row["ast_nodes"]) > 1 for path, row in rows.items() if path != bad)


def test_several_bad_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = files(tmp_path, 9)
    misbehave(monkeypatch, {"m01.py": killed, "m02.py": leave, "m08.py": killed})
    rows = extracted(found)
    assert {path for path, row in rows.items() if row["errors"]} == {"m01.py", "m02.py", "m08.py"}


def test_a_file_that_fails_once_is_read_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = files(tmp_path, 5)
    seen = tmp_path / "seen"

    def once() -> None:
        if not seen.exists():
            seen.touch()
            killed()

    misbehave(monkeypatch, {"m03.py": once})
    assert not any(row["errors"] for row in extracted(found).values())


def test_no_process_stays_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = files(tmp_path, 9)
    misbehave(monkeypatch, {"m08.py": hang})
    before = children()
    batches = extract_isolated(found, 0, QUICK)
    next(batches)
    assert children() > before
    batches.close()  # as when Spark cancels a task
    assert children() == before


def children() -> set[int]:
    return {child.pid for child in psutil.Process().children()}


@pytest.mark.parametrize("act", [killed, leave, hang])
def test_a_process_that_ends_in_the_middle_of_a_batch_costs_nothing(
    act: Callable[[], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The system may end it for want of memory at any time; its last file is read once more."""
    found = files(tmp_path, 5)
    done, write = tmp_path / "done", isolation._write

    def interrupted(writer: int, data: memoryview) -> None:
        if len(data) > 1000 and not done.exists():
            done.touch()
            write(writer, data[: len(data) // 2])
            act()
        write(writer, data)

    monkeypatch.setattr(isolation, "_write", interrupted)
    assert all(row["errors"] == [] for row in extracted(found).values())
    assert done.exists()
