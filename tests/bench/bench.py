"""The benchmark: `make bench [PEER=PROGRAM] [TREES="requests django"]`.

    measure.py   one command, its whole process tree
    trees.py     what is built       builds.py   the four builds of a tree, checked
    peers.py     another program     report.py   medians, ratios, tables
    extraction.py  the extractors alone, without Spark

Each round and tree in turn: our cold build, the peer on the same tree, our unchanged and our
edited build, and a build of the syntax layer. `empty` always goes first, as the base of the
ratios, after one build of it that is not counted: that one fills the machine's file cache.
Last come a part of Django and copies of it, cold only: how a build grows.
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.console import Console

from builds import STEPS, Sample, TreeRun
from codelake.errors import CodelakeError
from codelake.run.project import ROOT
from extraction import Extraction, measured
from peers import PeerSample, find_peer, run_peer
from report import (
    growth,
    machine,
    peer_summary,
    print_extraction,
    print_report,
    promises,
    summary,
    without_folders,
)
from trees import EMPTY, GROWN, TREES, WHEELS, BenchError, copy_tree

_WIDTH = 110
"""Of the tables where no terminal says how wide it is."""


class Bench:
    """The samples of one run of the benchmark, as they come in."""

    def __init__(self, peer: list[str] | None) -> None:
        """Begin without samples, and look at the machine before it is busy.

        Args:
            peer: the peer's command, if there is one.
        """
        self.machine = machine()
        self.samples: list[Sample] = []
        self.peer_samples: list[PeerSample] = []
        self.extractions: list[tuple[str, Extraction]] = []
        self._peer = peer

    def run(self, trees: Sequence[str], repeat: int) -> None:
        """Measure the trees, `repeat` times over."""
        if not self.machine["class_archive"]:
            _say("there is no class archive, builds start slowly: run `codelake setup`")
        _say("warm-up: empty, not counted")
        with _scratch() as scratch:
            TreeRun(EMPTY, Path(scratch)).step("cold")
        for round_ in range(repeat):
            for tree in trees:
                with _scratch() as scratch:
                    self._run_tree(tree, Path(scratch), round_)
                    if tree in WHEELS and round_ == 0:
                        self._run_extraction(tree, Path(scratch))

    def _run_tree(self, tree: str, scratch: Path, round_: int) -> None:
        run = TreeRun(tree, scratch, round_)
        for step in STEPS[:1] if tree in GROWN else STEPS:
            sample = run.step(step)
            self.samples.append(sample)
            used = sample.usage
            figures = f"{used.wall_s:.1f} s, cpu {used.cpu_s:.1f} s, peak {used.peak_mb:.0f} MB"
            left = f", {used.killed} processes had to be killed" if used.killed else ""
            _say(f"{tree} {step}: {figures}{left}")
            if step == "cold" and tree not in GROWN and self._peer:
                self._run_peer(tree, scratch / "peer", round_)

    def _run_extraction(self, tree: str, scratch: Path) -> None:
        """Measure the extractors alone, and on Django how they grow."""
        (scratch / "alone").mkdir()
        folder = copy_tree(tree, scratch / "alone")
        for lines in (0, *GROWN.values()) if tree == "django" else (0,):
            taken = measured(folder, lines)
            self.extractions.append((tree, taken))
            _say(f"{tree} extraction of {taken.lines:,} lines: {taken.wall_s} s, x{taken.ratio}")

    def _run_peer(self, tree: str, folder: Path, round_: int) -> None:
        folder.mkdir()
        sample = run_peer(self._peer or [], tree, copy_tree(tree, folder), round_)
        self.peer_samples.append(sample)
        _say(f"{tree} peer: {sample.error or sample.figures}")

    def as_json(self, started: dt.datetime, failure: str) -> dict[str, Any]:
        """Return everything that was measured, for programs."""
        peers = [
            {**asdict(sample), "error": without_folders(sample.error)}
            for sample in self.peer_samples
        ]
        ratios = [
            {**row, "errors": [without_folders(error) for error in row["errors"]]}
            for row in peer_summary(self.samples, self.peer_samples)
        ]
        return {
            "started_at": started.isoformat(timespec="seconds"),
            "failure": without_folders(failure.partition("\n")[0]),
            "machine": self.machine,
            "summary": summary(self.samples),
            "growth": growth(self.samples),
            "promises": promises(self.samples),
            "peer": Path(self._peer[-1]).name if self._peer else None,
            "peer_summary": ratios,
            "extraction": [{"tree": tree, **asdict(taken)} for tree, taken in self.extractions],
            "samples": [asdict(sample) for sample in self.samples],
            "peer_samples": peers,
        }


def main() -> int:
    """Run the benchmark; 1 when a build was not what its step promises."""
    options = _options()
    started = dt.datetime.now(dt.UTC)
    report = options.json or ROOT / "artifacts" / "bench" / f"{started:%Y%m%dT%H%M%SZ}.json"
    failure = ""
    try:
        bench = Bench(find_peer(options.peer) if options.peer else None)
        try:
            bench.run([EMPTY, *(tree for tree in options.trees if tree != EMPTY)], options.repeat)
        except BenchError as error:
            failure = str(error)
        console = Console(highlight=False, markup=False)
        if not console.is_terminal:
            console.width = _WIDTH
        print_report(console, bench.samples, bench.peer_samples)
        print_extraction(console, bench.extractions)
        report.parent.mkdir(parents=True, exist_ok=True)
        report.write_text(json.dumps(bench.as_json(started, failure), indent=2) + "\n")
    except (BenchError, CodelakeError) as error:
        failure = str(error)
    else:
        _say(f"written: {report}")
    if failure:
        print(f"FAILED: {failure}", file=sys.stderr)
    return 1 if failure else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measure builds, and a peer beside them.")
    names = f"any of {', '.join(TREES)}; all by default"
    parser.add_argument(
        "--trees", nargs="+", choices=TREES, default=TREES, metavar="TREE", help=names
    )
    parser.add_argument("--peer", metavar="PROGRAM", help="takes a tree, prints one JSON line")
    parser.add_argument("--repeat", type=_rounds, default=1, metavar="N", help="rounds (default 1)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="default: below artifacts/bench")
    return parser.parse_args()


def _rounds(text: str) -> int:
    if (number := int(text)) < 1:
        raise argparse.ArgumentTypeError("there must be one round or more")
    return number


def _scratch() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="codelake-bench-")


def _say(text: str) -> None:
    print(f"{dt.datetime.now():%H:%M:%S} {text}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
