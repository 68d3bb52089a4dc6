"""Resolution alone: time, memory and candidates per call, on folders of sources.

    python tests/bench/resolution.py FOLDER ...

Reading is the extractors in process, resolving is what a build does with their stored facts.
"""

from __future__ import annotations

import gc
import resource
import statistics
import sys
import time
from collections import Counter
from pathlib import Path

from codelake.resolve.load import read_folder, read_repository
from codelake.resolve.report import report
from codelake.resolve.resolve import analyse


def main() -> None:
    """Measure each folder."""
    for name in sys.argv[1:]:
        _measure(Path(name))


def _memory() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _measure(folder: Path) -> None:
    start = time.process_time()
    sources = read_folder(folder)
    files = read_repository(folder.name, sources)
    loaded, before = time.process_time(), _memory()
    gc.disable()  # as resolve() does
    state = analyse(files, keeps_steps=False)
    state.release()
    settled = time.process_time()
    result = report(state)
    done = time.process_time()
    gc.enable()
    lines = sum(raw.count(b"\n") for raw in sources.values())
    print(f"{folder.name}: {len(files)} files, {lines} lines, "
          f"{sum(len(file.facts) for file in files)} facts")  # fmt: skip
    print(f"  read {loaded - start:.1f} s ({before:.0f} MB), resolve {settled - loaded:.1f} s, "
          f"report {done - settled:.1f} s, peak {_memory():.0f} MB")  # fmt: skip
    sites: Counter[tuple[int, int]] = Counter()
    own: Counter[tuple[int, int]] = Counter()
    for row in result.calls:
        if row.kind == "explicit":
            sites[row.file, row.node] += 1
            own[row.file, row.node] += row.target is not None
    counts = sorted(sites.values())
    total = len(counts) + len(result.unresolved)
    many = sum(1 for count in counts if count > 10)
    inside = sum(1 for count in own.values() if count)
    print(f"  calls {total}, resolved {len(counts) / total:.3f} (into the repository "
          f"{inside / total:.3f}), median {statistics.median(counts)}, "
          f"mean {statistics.mean(counts):.2f}, above 10: {many / len(counts):.4f}, "
          f"most {counts[-1]}")  # fmt: skip
    print("  faults", result.faults[:3])
    print("  unresolved", Counter(row.reason for row in result.unresolved).most_common(9))
    print("  tiers", Counter(row.tier for row in result.calls).most_common())
    links = ("imports", "exports", "names", "overrides", "fields", "types", "annotations")
    print("  links", {name: len(getattr(result, name)) for name in links})
    print(f"  frames {len(state.frames)}, copies {state.copies}, "
          f"variables {len(state.solver.sets)}, objects {len(state.objects.kind)}, "
          f"full {len(state.solver.full)}")  # fmt: skip


if __name__ == "__main__":
    main()
