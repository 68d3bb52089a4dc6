"""Extraction alone: every default extractor over a tree, without Spark.

    python tests/bench/extraction.py FOLDER [LINES]    one JSON line

Two numbers are comparable across machines: the ratio of our CPU time to that of `ast.parse` plus
`compile` of the same files in the same run, and how CPU time per line grows with the number of
LINES, made by taking some of the files, or all of them several times. Wall time is that of as
many workers as there are cores.
"""

from __future__ import annotations

import ast
import json
import multiprocessing
import os
import resource
import subprocess
import sys
import time
import warnings
from dataclasses import asdict, dataclass
from pathlib import Path

import msgspec

from codelake.extract.isolation import extract_isolated
from codelake.sources.plan import balance
from codelake.sources.scan import Repository, ScannedFile, scan


@dataclass(frozen=True)
class Extraction:
    """What the extraction of one tree took."""

    files: int
    lines: int
    wall_s: float
    cpu_s: float
    worker_mb: float
    reference_s: float
    ratio: float


def measured(folder: Path, lines: int = 0) -> Extraction:
    """Measure a tree in a process of its own, so that memory starts from nothing."""
    command = [sys.executable, __file__, str(folder), str(lines)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return Extraction(**json.loads(done.stdout))


def extraction(folder: Path, lines: int = 0) -> Extraction:
    """Extract a tree in as many workers as there are cores, and parse it once for comparison."""
    found = [file for file in scan(Repository("bench", str(folder))) if file.skip is None]
    files, total = _sized(found, lines)
    before, started = _children_cpu(), time.perf_counter()
    parts = balance(files, (os.cpu_count() or 1) * max(1, len(files) // 200))
    with multiprocessing.Pool(os.cpu_count()) as pool:
        rows = sum(pool.imap_unordered(_extract, parts))
        pool.close()
        pool.join()
    wall = time.perf_counter() - started
    cpu = _children_cpu() - before
    if rows != len(files):
        raise SystemExit(f"{rows} rows of {len(files)} files")
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    reference = _reference(files)
    figures = (round(value, 2) for value in (wall, cpu, peak, reference, cpu / reference))
    return Extraction(len(files), total, *figures)


def _sized(files: list[ScannedFile], wanted: int) -> tuple[list[ScannedFile], int]:
    """Return every n-th file, or all of them several times, to make so many lines."""
    counts = {file.path: Path(file.absolute).read_bytes().count(b"\n") for file in files}
    whole = sum(counts.values())
    if not wanted:
        return files, whole
    if wanted < whole:
        chosen = files[:: max(1, whole // wanted)]
        return chosen, sum(counts[file.path] for file in chosen)
    copies = round(wanted / whole)
    made = [
        msgspec.structs.replace(file, path=f"copy{number}/{file.path}")
        for number in range(copies)
        for file in files
    ]
    return made, whole * copies


def _extract(files: list[ScannedFile]) -> int:
    return sum(batch.num_rows for batch in extract_isolated(files))


def _children_cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _reference(files: list[ScannedFile]) -> float:
    """Return the CPU seconds of `ast.parse` and `compile` of the files."""
    sources = [Path(file.absolute).read_bytes() for file in files]
    warnings.simplefilter("ignore")
    started = time.process_time()
    for source in sources:
        try:
            ast.parse(source)
            compile(source, "<bench>", "exec", dont_inherit=True)
        except (SyntaxError, ValueError):
            continue
    return time.process_time() - started


if __name__ == "__main__":
    print(json.dumps(asdict(extraction(Path(sys.argv[1]), int((*sys.argv, "0")[2])))))
