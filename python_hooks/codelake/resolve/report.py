"""Report: the settled analysis -> rows, in a fixed order.

Next: resolution.py has the rows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from codelake.resolve.decorated import Decorated
from codelake.resolve.held import place_of
from codelake.resolve.objects import MODULE, UNKNOWN
from codelake.resolve.report_classes import report_classes
from codelake.resolve.report_fields import report_fields
from codelake.resolve.report_names import report_names
from codelake.resolve.report_types import report_types
from codelake.resolve.resolution import (
    CallRow,
    PassRow,
    Resolution,
    ResultRow,
    UnresolvedRow,
)
from codelake.resolve.state import EXPLICIT, KEYWORDS, State, Target

_RANKS = {"declared": 1, "dynamic": 2}


def report(state: State) -> Resolution:
    """Make the rows of a settled analysis."""
    result = Resolution(faults=list(state.solver.faults))
    _calls(state, result)
    _passes(state, result)
    _results(state, result)
    decorated = Decorated(state)
    report_names(state, result, decorated)
    report_classes(state, result, decorated)
    report_fields(state, result)
    report_types(state, result)
    return result


def _order(state: State, item: tuple[Target, str]) -> tuple[int, str]:
    target, tier = item
    name = target if isinstance(target, str) else state.name_of(target)
    return _RANKS.get(tier, 0), name


def _calls(state: State, result: Resolution) -> None:
    for file, node, kind in sorted(state.edges):
        targets = state.edges[file, node, kind]
        caller = state.bodies[file].owner_of.get(node, 0)
        if _is_dynamic(state, file, node):
            targets = dict.fromkeys(targets, "dynamic")
        else:
            targets = {
                target: _refined(state, file, node, target) if tier == "function" else tier
                for target, tier in targets.items()
            }
        ordered = sorted(targets.items(), key=lambda item: _order(state, item))
        best = min(_RANKS.get(tier, 0) for tier in targets.values())
        alternatives = _alternatives(state, targets)
        for target, tier in ordered:
            outside = isinstance(target, str)
            result.calls.append(
                CallRow(
                    file,
                    node,
                    caller,
                    None if isinstance(target, str) else place_of(state, target),
                    str(target) if outside else None,
                    kind,
                    tier,
                    _RANKS.get(tier, 0) - best,
                    alternatives,
                )
            )
    for number, file_facts in enumerate(state.files):
        for fact in file_facts.facts:
            if fact[0] == "call" and (number, fact[2], EXPLICIT) not in state.edges:
                reason = _reason(state, number, fact[3] or 0)
                result.unresolved.append(UnresolvedRow(number, fact[2], fact[1], reason))


def _alternatives(state: State, targets: Iterable[Target]) -> int:
    """Count the targets of which one is called.

    `C()` calls the class and its `__init__`, `with` calls `__enter__` and `__exit__`: special
    methods of different names go together.
    """
    names: Counter[str] = Counter()
    for target in targets:
        name = target if isinstance(target, str) else state.name_of(target)
        last = name.rpartition(".")[2]
        names[last if last.startswith("__") and last.endswith("__") else ""] += 1
    return max(names.values())


def _refined(state: State, file: int, node: int, target: Target) -> str:
    """Say how a function without a receiver was found: by its name, an import, or as a value."""
    bodies = state.bodies[file]
    fact = bodies.made.get(node)
    callee = bodies.made.get(fact[3] or 0) if fact is not None else None
    if callee is None or isinstance(target, str):
        return "flow"
    op, name = callee[0], callee[5]
    if op == "item":
        return "container"
    place = state.files[state.file_of[target]].definitions[state.number_of[target]]
    if op == "load":
        if place.name == name and state.file_of[target] == file:
            return "direct"
        for store in state.files[file].reaches.get(callee[2], ()):
            made = bodies.made.get(store)
            if store in bodies.star_nodes or (made is not None and made[0] == "import_from"):
                return "import"
    elif op == "attr":
        held = state.solver.get(state.base[file] + bodies.value(callee[3] or 0))
        if any(one >= 0 and state.objects.kind[one] == MODULE for one in held):
            return "import"
    return "flow"


def _is_dynamic(state: State, file: int, node: int) -> bool:
    """Tell whether what is called was found by a part of its name."""
    fact = state.bodies[file].made.get(node)
    if not state.dynamic or fact is None or fact[0] != "call":
        return False
    return (file, state.bodies[file].value(fact[3] or 0)) in state.dynamic


def _reason(state: State, file: int, callee: int) -> str:
    """Say why nothing is known of what is called."""
    bodies = state.bodies[file]
    node = bodies.value(callee)
    held = state.solver.get(state.base[file] + node)
    if any(one >= 0 and state.objects.kind[one] == UNKNOWN for one in held):
        return "external_value"
    fact = bodies.made.get(node)
    if fact is None:
        return "unknown_value"
    op = fact[0]
    if op.startswith("param"):
        return "unknown_parameter"
    if op == "attr" and fact[3] is not None:
        below = _reason(state, file, fact[3])
        held = state.solver.get(state.base[file] + bodies.value(fact[3]))
        return "unknown_attribute" if held and below != "external_value" else below
    if op == "call":
        return "unknown_result"
    if op == "item":
        return "unknown_item"
    if op == "load":
        return "unknown_name"
    return "unknown_value"


def _passes(state: State, result: Resolution) -> None:
    for (file, node, definition), rows in sorted(state.passes.items()):
        positional, keywords = state.bodies[file].written_arguments(node)
        place = place_of(state, definition)
        for number, parameter, how in rows:
            written = positional
            if number < -len(positional):
                number, written = number + KEYWORDS, keywords
            if -len(written) <= number < 0:
                result.passes.append(PassRow(file, node, written[number], place, parameter, how))


def _results(state: State, result: Resolution) -> None:
    """Say which returned values are the results of which calls."""
    for row in result.calls:
        if row.target is None or row.kind != EXPLICIT:
            continue
        place = state.files[row.target.file].definitions[row.target.def_no]
        if place.kind == "CLASS" or place.name == "__init__":
            continue
        for node in state.bodies[row.target.file].returned(row.target.def_no):
            result.results.append(ResultRow(row.file, row.node, row.target, node))
