"""Dead code: what stands behind a return or raise of its block, and cases that cannot match.

    def f():
        return 1
        g()                        never runs; nor what follows `fail()`, if fail always raises

    match Token("name", x):
        case Token("number", y):   never matches, since only other texts arrive there

Blocks of loops are left out: their `else` cannot be told from their body here.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from codelake.resolve.file_facts import FileFacts
from codelake.resolve.guards import Regions
from codelake.resolve.state import Frame, State

_LEAVES = ("return", "raise")
_ENDS = frozenset({"sys.exit", "os._exit", "os.abort", "builtins.exit", "builtins.quit"})


def behind_leaving(state: State, number: int) -> Regions:
    """Return the ranges of nodes that never run since their block was left before."""
    file = state.files[number]
    leaves = [fact[2] for fact in file.facts if fact[0] in _LEAVES]
    for (where, node, _), targets in state.edges.items():
        if where == number and all(_never_returns(state, target) for target in targets):
            leaves.append(file.parents[node])
    return Regions(_behind(file, leaves))


def _never_returns(state: State, target: int | str) -> bool:
    """Tell whether a function always raises."""
    if isinstance(target, str):
        return target in _ENDS
    file, number = state.files[state.file_of[target]], state.number_of[target]
    bodies = state.bodies[state.file_of[target]]
    group = bodies.groups.get(number, ())
    place = file.definitions[number]
    if place.is_async or any(fact[0] in ("return", "yield", "yield_from") for fact in group):
        return False
    raises = [fact[2] for fact in group if fact[0] == "raise"]
    return place.kind == "FUNCTION" and any(file.parents[node] == place.node for node in raises)


def _behind(file: FileFacts, leaves: Iterable[int]) -> Iterator[tuple[int, int]]:
    blocks: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for op, _, node, value, other, _, _ in file.facts:
        if op == "guard" and value is not None and other is not None:
            blocks[node].append((value, other))
    for each in file.definitions:
        if each.kind == "FUNCTION":
            blocks[each.node].append((each.node, each.last))
    for node in leaves:
        parent = file.parents[node]
        for first, last in blocks.get(parent, ()):
            if first <= node <= last:
                behind = range(node + 1, last + 1)
                start = next((one for one in behind if file.parents[one] == parent), None)
                if start is not None:
                    yield start, last


def impossible_cases(state: State) -> Regions:
    """Return the ranges of variables of cases whose texts do not arrive."""
    return Regions(
        found
        for frame in state.frames
        for op, node, value, _, _, _ in frame.body.steps
        if op == "match_value" and _differs(state, frame.offset + node, frame.offset + value)
        for found in _case(state, frame, node)
    )


def _differs(state: State, subject: int, wanted: int) -> bool:
    """Tell whether only texts with a known value arrive at a pattern, and never the right one."""
    held, texts = set(state.solver.get(subject)), set(state.solver.get(wanted))
    known = bool(held) and bool(texts) and all(one < 0 for one in held | texts)
    return known and not held & texts


def _case(state: State, frame: Frame, pattern: int) -> Iterator[tuple[int, int]]:
    """Yield the variables of the case that a pattern stands in, unless it has alternatives."""
    file = state.files[frame.file]
    made = state.bodies[frame.file].made
    at = pattern
    while at and (at not in made or made[at][0] != "match"):
        at = file.parents[at]
    case = file.parents[at]
    others = [one for one in made if made[one][0] == "match" and file.parents[one] == case]
    if not at or others != [at]:
        return
    last = case
    while last + 1 < file.size and file.parents[last + 1] >= case:
        last += 1
    yield frame.offset + case, frame.offset + last
