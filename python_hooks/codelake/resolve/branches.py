"""Branches: steps that no run takes, since constants or conditions rule them out.

    "" and x               x is not the result
    if ready: a = x        the same name is tested twice, and means the same both times:
    if not ready: use(a)   x does not arrive at use

Only names are compared, not expressions. A name that a loop sets anew is left out.
Next: value_search.py.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from codelake.resolve.blocks import Blocks
from codelake.resolve.file_facts import FileFacts
from codelake.resolve.state import State

_FALSE = frozenset({"str:", "str", "int:0", "float:0.0", "bool:False", "none", "bytes:"})

_COMPREHENSIONS = ("listcomp", "setcomp", "dictcomp", "genexp")

type _Test = tuple[str, int, bool]  # name, its only definition, outcome
type _TestedRead = tuple[int, int, str, bool]  # read, its object, the key, whether it is that
type _Region = tuple[int, int, _Test]


def closed_steps(state: State) -> set[tuple[int, int]]:
    """Return the steps between variables that never happen."""
    closed: dict[int, list[tuple[int, int]]] = {}
    for number, file in enumerate(state.files):
        value = state.bodies[number].value
        pairs = [*_short_cuts(file), *_excluded(state, number)]
        closed[number] = [(value(source), target) for source, target in pairs]
    found = {
        (frame.offset + source, frame.offset + target)
        for frame in state.frames
        for source, target in closed[frame.file]
        if state.bodies[frame.file].owner_of.get(target) == frame.owner
    }
    tested: dict[tuple[int, int], list[_TestedRead]] = defaultdict(list)
    for number, file in enumerate(state.files):
        for read in _tested_keys(file):
            tested[number, state.bodies[number].owner_of.get(read[0], 0)].append(read)
    for frame in state.frames:
        for item, base, key, is_equal in tested.get((frame.file, frame.owner), ()):
            for one in state.solver.get(state.value(frame, base)):
                container = state.containers.get(one)
                for other, place in container.keys.items() if container else ():
                    if (other == key) is not is_equal:
                        found.add((place, frame.offset + item))
    return found


def _tested_keys(file: FileFacts) -> Iterator[_TestedRead]:
    """Yield reads `a[k]` where `k` was compared with a text: read, `a`, the text, the outcome."""
    texts: dict[int, str] = {}
    compared: dict[int, tuple[int, str, bool]] = {}
    tests: dict[int, list[tuple[int, str, bool]]] = defaultdict(list)
    regions: list[tuple[int, int, int, str, bool]] = []
    comprehensions = {fact[2] for fact in file.facts if fact[0] in _COMPREHENSIONS}
    for op, _, node, value, other, text, idx in file.facts:
        if op == "literal" and (text or "").startswith("str:"):
            texts[node] = text or ""
        elif op == "compare" and text in ("==", "!=") and other in texts and not idx:
            compared[node] = (value or 0, texts[other], text == "==")
        elif op == "test" and value in compared:
            tests[node].append(compared[value])
            if node in comprehensions:
                regions.append((value + 1, node, *compared[value]))
        elif op == "guard" and text in ("condition", "not condition") and len(tests[node]) == 1:
            name, key, is_equal = tests[node][0]
            outcome = is_equal is (text == "condition")
            regions.append((value or 0, -(other or 0), name, key, outcome))
    if not regions:
        return
    for op, _, node, value, other, text, _ in file.facts:
        if op != "item" or text is not None or value is None or other is None:
            continue
        for first, last, name, key, is_equal in regions:
            inside = first <= node <= -last if last <= 0 else _is_below(file, node, last)
            mine, theirs = file.reaches.get(other, ()), file.reaches.get(name, ())
            if inside and mine and [*mine] == [*theirs] and len(mine) == 1:
                yield node, value, key, is_equal


def _is_below(file: FileFacts, node: int, other: int) -> bool:
    while node > other:
        node = file.parents[node]
    return node == other


def _short_cuts(file: FileFacts) -> Iterator[tuple[int, int]]:
    """Yield operands of `and` and `or` that are not the result."""
    truths: dict[int, bool] = {}
    operands: dict[int, list[tuple[int, str]]] = defaultdict(list)
    for op, _, node, value, _, text, _ in file.facts:
        if op == "literal" and not (text or "").startswith("ellipsis"):
            truths[node] = text not in _FALSE
        elif op == "either" and value is not None and text in ("and", "or"):
            operands[node].append((value, text))
    for node, parts in operands.items():
        is_decided = False
        for value, text in parts:
            ends = truths.get(value) is (text == "or")
            if is_decided or (value in truths and not ends and value != parts[-1][0]):
                yield value, node
            is_decided = is_decided or (value in truths and ends)


def _excluded(state: State, number: int) -> Iterator[tuple[int, int]]:
    """Yield values that a name is given where a test is true, and its uses where it is false."""
    file, bodies = state.files[number], state.bodies[number]
    regions = [*_regions(file)]
    if len(regions) < 2:
        return
    for load, stores in file.reaches.items():
        mine = [test for first, last, test in regions if first <= load <= last]
        if not mine or len(stores) < 2:
            continue
        for store in stores:
            others = [test for first, last, test in regions if first <= store <= last]
            if any((name, at, not outcome) in mine for name, at, outcome in others):
                for source in bodies.stores.get(store, ()):
                    if source.owner == bodies.owner_of.get(load):
                        yield source.value, load


def _regions(file: FileFacts) -> Iterator[_Region]:
    """Yield the regions where a name was tested, with the outcome."""
    loads: dict[int, str] = {}
    tested: dict[int, int] = {}
    blocks: Blocks | None = None
    for op, _, node, value, other, text, _ in file.facts:
        if op == "load":
            loads[node] = text or ""
        elif op == "unary" and text == "not" and value in loads:
            tested[node] = value
        elif op == "test" and value is not None:
            tested[node] = tested.get(value, value)
        elif op == "guard" and text in ("condition", "not condition") and node in tested:
            name = loads.get(tested[node])
            stores = file.reaches.get(tested[node], ())
            if name is None or len(stores) != 1 or value is None or other is None:
                continue
            blocks = blocks or Blocks(file)
            if blocks.loop(stores[0]) is None:
                yield value, other, (name, stores[0], text == "condition")
