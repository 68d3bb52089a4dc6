"""Resolve: the facts of files -> what names, values, calls and types mean across them.

    resolve(read_repository("shop", sources)) -> Resolution(calls=[...], ...)

A points-to analysis: values flow through variables (solver.py), calls are found on the way and
their functions entered (frames.py), until nothing changes; then seeds.py fills in what nobody
calls. Same files, same rows.
Next: state.py, seeds.py, report.py.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from codelake.resolve import calls, constraints, frames, iteration
from codelake.resolve.contexts import limits_of
from codelake.resolve.file_facts import FileFacts
from codelake.resolve.report import report
from codelake.resolve.resolution import Resolution
from codelake.resolve.seeds import settle
from codelake.resolve.state import State


def resolve(files: Sequence[FileFacts]) -> Resolution:
    """Resolve the files of a repository, or of several that import each other."""
    with without_collector():
        state = analyse(files, keeps_steps=False)
        state.release()
        return report(state)


def analyse(files: Sequence[FileFacts], keeps_steps: bool = True) -> State:
    """Run the analysis and return its settled state.

    Args:
        files: what the extractors have seen.
        keeps_steps: whether somebody will ask where values go, see value_steps.py.
    """
    state = State(files)
    state.solver.keeps_steps = keeps_steps
    state.call = calls.call
    state.call_method = calls.call_method
    state.iterate = iteration.iterate
    state.make_frame = frames.make_frame
    state.enter_frame = frames.enter_frame
    state.run_steps = constraints.run_steps
    state.limits = limits_of(sum(len(file.facts) for file in files))
    state.solver.most = state.limits.objects
    for number, file in enumerate(files):
        if not file.is_stub or state.index.by_name.get(file.module) == number:
            frames.enter_frame(state, state.definition(number, 0), None, ())
    settle(state)
    return state


@contextmanager
def without_collector() -> Iterator[None]:
    """Keep the garbage collector from walking through sets that all stay."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
