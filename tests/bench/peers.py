"""A peer on the same tree in the same run, because only ratios survive a noisy machine.

    run_peer(program, tree, ...) -> PeerSample(wall_s=79.2, cpu_s=138.0, max_rss_mb=3710.0)
                                 -> PeerSample(error="exit 1: ...")      and ours goes on

A peer is any program that takes a source tree and prints one JSON line with wall_s, cpu_s and
max_rss_mb; what it says of itself counts, so its own set-up may stay out. It runs in a folder of
the cache, where what it fetches is kept. Next: report.py.
"""

from __future__ import annotations

import json
import math
import os
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from codelake.run.cache import cache_dir
from measure import Usage, measure
from trees import BenchError

FIGURES = ("wall_s", "cpu_s", "max_rss_mb")
_TAIL_LINES = 5


@dataclass(frozen=True, kw_only=True)
class PeerSample:
    """One run of the peer: its figures, or why there are none.

    Attributes:
        tree: what it was given.
        round: the how-maniest repetition, from 0.
        figures: wall_s, cpu_s, max_rss_mb as printed; empty when it failed.
        usage: the same run as seen from outside, set-up included.
        error: why there are no figures.
    """

    tree: str
    round: int
    figures: dict[str, float]
    usage: Usage | None = None
    error: str = ""


def find_peer(program: str) -> list[str]:
    """Return the command of a peer: a name on the path, or a path from the working directory."""
    found = shutil.which(program)
    path = Path(found or program).resolve()
    if not path.is_file():
        raise BenchError(f"there is no peer `{program}`.")
    if os.access(path, os.X_OK):
        return [str(path)]
    if path.suffix == ".py":
        return [sys.executable, str(path)]
    raise BenchError(f"the peer `{program}` is no program: make it executable.")


def run_peer(command: list[str], tree: str, source: Path, round_: int = 0) -> PeerSample:
    """Run a peer on a tree; its failure is a sample too.

    Args:
        command: from `find_peer`.
        tree: the name of the tree.
        source: a copy of the tree that the peer may do with as it likes.
        round_: the how-maniest repetition.
    """
    try:
        done = measure([*command, str(source)], cache_dir("bench", "peer"))
        if done.returncode != 0:
            said = done.stderr.strip() or done.stdout.strip() or "it said nothing"
            last = "\n".join(said.splitlines()[-_TAIL_LINES:])
            error = f"exit {done.returncode}: {last}"
            return PeerSample(tree=tree, round=round_, figures={}, usage=done.usage, error=error)
        figures = parse_peer_line(done.stdout)
    except (OSError, ValueError) as error:
        return PeerSample(tree=tree, round=round_, figures={}, error=str(error))
    return PeerSample(tree=tree, round=round_, figures=figures, usage=done.usage)


def parse_peer_line(stdout: str) -> dict[str, float]:
    """Return the three figures of the last JSON line that a peer printed.

    Raises:
        ValueError: there is no such line, or a figure is missing or no number.
    """
    lines = [line for line in stdout.splitlines() if line.strip().startswith("{")]
    if not lines:
        raise ValueError("it printed no JSON line")
    try:
        printed = json.loads(lines[-1])
    except json.JSONDecodeError as error:
        raise ValueError(f"its last line is no JSON: {error}") from None
    wrong = [name for name in FIGURES if not _is_number(printed.get(name))]
    if wrong:
        raise ValueError(f"its line has no number for {', '.join(wrong)}")
    return {name: float(printed[name]) for name in FIGURES}


def _is_number(value: object) -> bool:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return number and math.isfinite(value) and value >= 0  # type: ignore[operator, arg-type]
