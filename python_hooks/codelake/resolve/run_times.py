"""Run times: between which statements of a module a function may run.

    1  def f(): ...
    2  f()             f runs at 2 and 3, so nothing that it does is seen at 1
    3  f()

Only calls are counted: who is called by nobody, or from the top of another module, runs at any
time, and so does what is left of a generator or coroutine after its call.
Next: value_times.py.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable

from codelake.resolve.state import State

EVER = 1 << 60
type Span = tuple[int, int]
ANY_TIME: Span = (-1, EVER)


def run_times(state: State, top_time: Callable[[tuple[int, int]], int]) -> dict[int, Span]:
    """Return the first and last time of each definition that runs between two statements.

    Args:
        state: the analysis.
        top_time: when a node at the top of the module runs; -1 for other nodes.
    """
    sites: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for (file, node, _), targets in state.edges.items():
        for target in targets:
            if isinstance(target, int):
                sites[target].append((file, node))
    spans: dict[int, Span] = {}
    changed = len(sites) <= _MOST
    while changed:
        changed = False
        for definition in sorted(sites):
            span = _span(state, definition, sites[definition], spans, top_time)
            if span != spans.get(definition):
                spans[definition] = span
                changed = True
    return {one: span for one, span in spans.items() if span != ANY_TIME}


_MOST = 5000  # definitions; a script has fewer


def _span(
    state: State,
    definition: int,
    sites: list[tuple[int, int]],
    spans: dict[int, Span],
    top_time: Callable[[tuple[int, int]], int],
) -> Span:
    first, last = EVER, -1
    for file, node in sites:
        time = top_time((file, node))
        if time >= 0:
            first, last = min(first, time), max(last, time)
            continue
        caller = state.definition(file, state.bodies[file].owner_of.get(node, 0))
        known = spans.get(caller)
        if known is None and caller != definition:
            return ANY_TIME
        if known is not None:
            first, last = min(first, known[0]), max(last, known[1])
    if first > last:
        return ANY_TIME
    body = state.bodies[state.file_of[definition]].body(state.number_of[definition])
    place = state.files[state.file_of[definition]].definitions[state.number_of[definition]]
    return first, EVER if body.is_generator or place.is_async else last
