"""Report of names: imports, exports and what names refer to.

    from app import run     (file, node) -> app/core.py run, whatever __init__ files are between

A decorated definition counts beside what its decorators made of it. Attributes are names too,
except where they are called: calls tell that.
Next: report_types.py.
"""

from __future__ import annotations

from collections.abc import Iterable

from codelake.resolve.decorated import Decorated
from codelake.resolve.file_facts import GLOBAL
from codelake.resolve.guards import Regions
from codelake.resolve.held import Held
from codelake.resolve.objects import BOUND, CLASS, EXTERNAL, FUNCTION, MODULE
from codelake.resolve.resolution import (
    DECORATED,
    ExportRow,
    ImportRow,
    NameRow,
    Place,
    Resolution,
)
from codelake.resolve.state import State

_IMPORTS = frozenset({"import", "import_as", "import_from", "import_star"})
_MOST = 8  # definitions of one name


def report_names(state: State, result: Resolution, decorated: Decorated) -> None:
    """Add the rows of imports, exports and names."""
    for number, file in enumerate(state.files):
        held = Held(state, number)
        called = {fact[3] for fact in file.facts if fact[0] == "call"}
        for op, owner, node, value, _, text, _ in file.facts:
            if op in _IMPORTS:
                _import(state, result, decorated, number, op, node, text or "")
            elif op == "load":
                places = _places(state, held.of(owner, node))
                if len(places) <= _MOST:
                    result.names += [NameRow(number, node, place) for place in places]
                for place in decorated.of_load(number, node):
                    if place not in places:
                        result.names.append(NameRow(number, node, place, DECORATED))
            elif op == "attr":
                places = _places(state, held.of(owner, node))
                if len(places) <= _MOST and node not in called:
                    result.names += [NameRow(number, node, place) for place in places]
                if value is not None:
                    receivers = held.of(owner, value)
                    for place in decorated.of_attribute(receivers, text or ""):
                        if place not in places:
                            result.names.append(NameRow(number, node, place, DECORATED))
        _exports(state, result, decorated, number)


def _places(state: State, found: Iterable[int]) -> list[Place]:
    """Return the functions, methods and classes among objects."""
    kinds, firsts = state.objects.kind, state.objects.first
    places = set()
    for one in found:
        if one >= 0 and kinds[one] == BOUND:
            one = firsts[one]
        if one >= 0 and kinds[one] in (FUNCTION, CLASS) and firsts[one] >= 0:
            places.add(Place(state.file_of[firsts[one]], state.number_of[firsts[one]]))
    return sorted(places)


def _import(
    state: State,
    result: Resolution,
    decorated: Decorated,
    file: int,
    op: str,
    node: int,
    text: str,
) -> None:
    index = state.index
    if op in ("import", "import_as"):
        module = index.by_name.get(text)
        outside = None if module is not None or text in index.packages else text
        result.imports.append(ImportRow(file, node, module, None, outside))
        return
    source, _, name = text.rpartition(":") if op == "import_from" else (text, "", "")
    full = index.module_of(file, source)
    if full is None:
        return
    module = index.by_name.get(full)
    if op == "import_star":
        result.imports.append(ImportRow(file, node, module, None, full if module is None else None))
        return
    found = tuple(state.solver.get(state.base[file] + node))
    places = sorted({*_places(state, found), *decorated.of_import(file, node)})
    for place in places:
        result.imports.append(ImportRow(file, node, module, place, None))
    kinds, firsts = state.objects.kind, state.objects.first
    for one in found:
        if one >= 0 and kinds[one] == MODULE and firsts[one] >= 0:
            result.imports.append(ImportRow(file, node, firsts[one], None, None))
            places.append(Place(firsts[one], 0))
        elif one >= 0 and kinds[one] == EXTERNAL:
            result.imports.append(ImportRow(file, node, None, None, firsts[one]))
            places.append(Place(-1, 0))
    if not places:
        outside = f"{full}.{name}" if module is None else None
        result.imports.append(ImportRow(file, node, module, None, outside))


def _exports(state: State, result: Resolution, decorated: Decorated, file: int) -> None:
    index, kinds, firsts = state.index, state.objects.kind, state.objects.first
    alive = _alive(state, file)
    for name in sorted(index.public_names(file)):
        source = index.star_source(file, name)
        if name in index.bound[file] and name not in alive and source is None:
            continue
        variable = state.globals[file].get(name)
        if variable is None and source is not None:
            variable = state.globals[source[1]].get(name)
        found = () if variable is None else state.solver.get(variable)
        ends: list[tuple[Place | None, str | None]] = [
            (place, None)
            for place in sorted({*_places(state, found), *decorated.of_name(file, name)})
        ]
        has_value = not state.files[file].is_stub
        for one in sorted(found):
            kind = kinds[one] if one >= 0 else 0
            if kind == MODULE and firsts[one] >= 0:
                ends.append((Place(firsts[one], 0), None))
            elif kind == EXTERNAL:
                ends.append((None, firsts[one]))
            has_value = has_value and kind != MODULE  # a folder without a file has no node
        if not ends and has_value:
            ends.append((Place(_holder(state, file, name), 0), None))
        result.exports += [ExportRow(file, name, *end) for end in ends]


def _holder(state: State, file: int, name: str) -> int:
    """Return the module that a value which is no definition is taken from, as IMPORTS does."""
    index, bodies = state.index, state.bodies[file]
    if name not in index.bound[file]:
        source = index.star_source(file, name)
        below = index.by_name.get(f"{state.files[file].module}.{name}", file)
        return below if source is None else source[1]
    for store in bodies.stores_of.get((0, name), ()):
        made = bodies.made.get(store)
        if made is not None and made[0] == "import_from" and store not in bodies.hidden:
            full = index.module_of(file, (made[5] or "").rpartition(":")[0])
            return index.by_name.get(full or "", file)
    return file


def _alive(state: State, file: int) -> set[str]:
    """Return the names that a module binds when it runs, and does not delete in the end."""
    facts = state.files[file]
    typing = Regions(
        (fact[3], fact[4])
        for fact in facts.facts
        if fact[0] == "guard" and fact[3] is not None and fact[4] is not None
        and (fact[5] or "").endswith("TYPE_CHECKING") and not (fact[5] or "").startswith("not ")
    )  # fmt: skip
    alive: set[str] = set()
    for op, owner, node, _, _, _, _ in facts.facts:
        if op != "store" and (op != "delete" or owner):
            continue
        use = facts.names.get(node)
        if use is None or use[1] != GLOBAL:
            continue
        if op == "store" and not (typing and typing.holds(node)):
            alive.add(use[0])
        elif op == "delete" and facts.parents[facts.parents[node]] == 0:
            alive.discard(use[0])
    return alive
