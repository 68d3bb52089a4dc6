"""From samples to a table and to JSON: medians, spreads, ratios.

    summary(samples)            -> per tree and step: wall, CPU, peak, rows, wall to `empty`'s
    peer_summary(samples, ...)  -> per tree: the peer's figures over those of our cold build

Neither host name nor absolute path goes into the JSON.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from statistics import median
from typing import Any

import psutil
from rich.console import Console
from rich.table import Table

from builds import STEPS, Sample
from codelake import __version__
from codelake.run.class_archive import archive_path
from codelake.run.environment import environment
from codelake.run.java import find_java
from extraction import Extraction
from peers import FIGURES, PeerSample
from trees import EMPTY, GROWN, TREES

SLOWEST = 8
_PROMISES = {"checks_s": re.compile("^(is_empty_)?chk_"), "record_s": re.compile("on-run-end")}
OURS = {"wall_s": "wall_s", "cpu_s": "cpu_s", "max_rss_mb": "peak_mb"}
"""The peer's figure -> ours."""


def summary(samples: Sequence[Sample]) -> list[dict[str, Any]]:
    """Return one row per tree and step: medians, spreads (largest minus smallest), wall ratio."""
    rows = []
    for tree, step in ((tree, step) for tree in TREES for step in STEPS):
        group = [s for s in samples if (s.tree, s.step) == (tree, step)]
        if not group:
            continue
        row: dict[str, Any] = {"tree": tree, "step": step, "files_read": group[-1].files_read}
        for name in ("wall_s", "cpu_s", "peak_mb"):
            values = [getattr(sample.usage, name) for sample in group]
            row[name] = round(median(values), 3)
            row[f"{name}_spread"] = round(max(values) - min(values), 3)
        rows.append({**row, "rows": group[-1].rows})
    base = {row["step"]: row["wall_s"] for row in rows if row["tree"] == EMPTY}
    return [{**row, "wall_ratio": ratio(row["wall_s"], base.get(row["step"]))} for row in rows]


def peer_summary(
    samples: Sequence[Sample], peer_samples: Sequence[PeerSample]
) -> list[dict[str, Any]]:
    """Return one row per tree: the peer's medians, their ratio to our cold build, its errors."""
    ours = {row["tree"]: row for row in summary(samples) if row["step"] == "cold"}
    rows = []
    for tree in TREES:
        group = [sample for sample in peer_samples if sample.tree == tree]
        if not group:
            continue
        row: dict[str, Any] = {"tree": tree}
        for name in FIGURES:
            values = [sample.figures[name] for sample in group if sample.figures]
            row[name] = round(median(values), 3) if values else None
            row[f"{name}_ratio"] = ratio(row[name], ours.get(tree, {}).get(OURS[name]))
        row["errors"] = [sample.error for sample in group if sample.error]
        rows.append(row)
    return rows


def growth(samples: Sequence[Sample]) -> list[dict[str, Any]]:
    """Return for parts and copies of Django what a line costs in a cold build, above `empty`."""
    rows = {row["tree"]: row for row in summary(samples) if row["step"] == "cold"}
    lines = {sample.tree: sample.lines for sample in samples}
    grown = sorted((t for t in rows if t == "django" or t in GROWN), key=lambda t: lines[t])
    if len(grown) < 2 or EMPTY not in rows:
        return []
    found: list[dict[str, Any]] = [{"tree": tree, "lines": lines[tree]} for tree in grown]
    for row in found:
        for figure in ("wall_s", "cpu_s"):
            above = rows[row["tree"]][figure] - rows[EMPTY][figure]
            row[f"{figure[:-2]}_us_a_line"] = round(above / row["lines"] * 1e6, 1)
    return found


def slowest_models(samples: Sequence[Sample], tree: str) -> list[tuple[str, float]]:
    """Return the models that took longest in a tree's cold builds, by median seconds."""
    group = [s.timings for s in samples if (s.tree, s.step) == (tree, "cold")]
    names = sorted({name for timings in group for name in timings})
    taken = [(name, median(t[name] for t in group if name in t)) for name in names]
    return sorted(taken, key=lambda item: (-item[1], item[0]))[:SLOWEST]


def promises(samples: Sequence[Sample]) -> list[dict[str, Any]]:
    """Return what checks and the record of the run take of each cold build, at most.

    Their seconds are added up as if nothing ran beside them, and set against the wall time.
    """
    rows = []
    for tree in TREES:
        group = [s for s in samples if (s.tree, s.step) == (tree, "cold")]
        if group:
            taken = {
                kind: median(
                    sum(s for name, s in each.timings.items() if pattern.search(name))
                    for each in group
                )
                for kind, pattern in _PROMISES.items()
            }
            wall = median(sample.usage.wall_s for sample in group)
            rows.append({"tree": tree, **taken, "share": ratio(sum(taken.values()), wall)})
    return rows


def ratio(value: float | None, base: float | None) -> float | None:
    """Return value over base; None when there is nothing to compare."""
    return round(value / base, 2) if value is not None and base else None


def machine() -> dict[str, Any]:
    """Return what the figures depend on besides the program."""
    return {
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else None,
        "memory_mb": psutil.virtual_memory().total // 2**20,
        "load_1m": round(os.getloadavg()[0], 2),
        "java": find_java().full_version,
        "class_archive": archive_path().exists(),
        "codelake": __version__,
        **environment(),
    }


def without_folders(text: str) -> str:
    """Return a text in which every absolute path is cut down to its last part."""
    return re.sub(r"(?<![\w.])(?:/[^\s/:'\"]+)+/", "", text)


def print_report(
    console: Console, samples: Sequence[Sample], peer_samples: Sequence[PeerSample]
) -> None:
    """Print the table of builds, that of the peer, and the slowest models of each cold build."""
    rows = summary(samples)
    header = ("tree", "step", "wall s", "cpu s", "peak MB", "files", "nodes", "edges", "x empty")
    console.print(_table(header, [_build_cells(row) for row in rows], texts=2))
    if peer_samples:
        peer_rows = peer_summary(samples, peer_samples)
        _print_peer(console, peer_rows)
    if grown := growth(samples):
        header = ("growth of", "lines", "wall us a line above empty", "cpu us")
        cells = [(r["tree"], f"{r['lines']:,}", *map(str, list(r.values())[2:])) for r in grown]
        console.print()
        console.print(_table(header, cells, texts=1))
    header = ("promises, cold", "checks s", "record s", "of the wall, at most")
    cells = [
        (r["tree"], _number(r["checks_s"]), _number(r["record_s"]), f"{r['share'] or 0:.0%}")
        for r in promises(samples)
    ]
    console.print()
    console.print(_table(header, cells, texts=1))
    for tree in dict.fromkeys(row["tree"] for row in rows if row["step"] == "cold"):
        console.print(f"\nslowest models, {tree} cold")
        taken = slowest_models(samples, tree)
        console.print(_table(("model", "s"), [(n, f"{s:.2f}") for n, s in taken], texts=1))


def print_extraction(console: Console, taken: Sequence[tuple[str, Extraction]]) -> None:
    """Print what the extractors take alone."""
    header = ("extraction of", "lines", "wall s", "cpu s", "MB a worker", "x parse", "us a line")
    cells = [
        (
            tree,
            f"{each.lines:,}",
            _number(each.wall_s),
            _number(each.cpu_s),
            f"{each.worker_mb:.0f}",
            _number(each.ratio),
            f"{each.cpu_s / max(each.lines, 1) * 1e6:.0f}",
        )
        for tree, each in taken
    ]
    if cells:
        console.print()
        console.print(_table(header, cells, texts=1))


def _print_peer(console: Console, rows: Sequence[dict[str, Any]]) -> None:
    names = [name for figure in FIGURES for name in (figure, f"{figure}_ratio")]
    header = ("peer on", "wall s", "x ours", "cpu s", "x ours", "MB", "x ours")
    console.print()
    cells = [(row["tree"], *(_number(row[name]) for name in names)) for row in rows]
    console.print(_table(header, cells, texts=1))
    for row in rows:
        for error in row["errors"]:
            console.print(f"the peer failed on {row['tree']}: {error}")


def _build_cells(row: dict[str, Any]) -> tuple[str, ...]:
    figures = [_spread(row[name], row[f"{name}_spread"]) for name in ("wall_s", "cpu_s")]
    return (
        row["tree"],
        row["step"],
        *figures,
        f"{row['peak_mb']:.0f}",
        str(row["files_read"]),
        f"{row['rows']['cpg_nodes']:,}",
        f"{row['rows']['cpg_edges']:,}",
        _number(row["wall_ratio"]),
    )


def _spread(value: float, spread: float) -> str:
    return f"{value:.2f} (~{spread:.2f})" if spread else f"{value:.2f}"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:,.2f}"


def _table(header: Sequence[str], rows: Iterable[Sequence[str]], texts: int) -> Table:
    """Make a table whose first columns are texts and whose others are numbers."""
    table = Table(box=None, header_style="bold", pad_edge=False)
    for number, name in enumerate(header):
        table.add_column(name, justify="left" if number < texts else "right", no_wrap=True)
    for row in rows:
        table.add_row(*row)
    return table
