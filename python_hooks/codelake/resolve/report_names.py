"""Report of names: imports, exports and what names refer to.

    from app import run     (file, node) -> app/core.py run, whatever __init__ files are between

A decorated definition counts beside what its decorators made of it. Attributes are names too,
except where they are called: calls tell that.
Next: report_types.py.
"""

from __future__ import annotations

from collections.abc import Iterable

from codelake.resolve.decorated import Decorated
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
    names = state.globals[file]
    for name in sorted(state.index.public_names(file)):
        variable = names.get(name)
        if variable is None:
            source = state.index.star_source(file, name)
            variable = None if source is None else state.globals[source[1]].get(name)
        if variable is None:
            continue
        found = state.solver.get(variable)
        for place in sorted({*_places(state, found), *decorated.of_name(file, name)}):
            result.exports.append(ExportRow(file, name, place, None))
        for one in sorted(found):
            kind = state.objects.kind[one] if one >= 0 else 0
            if kind == MODULE and state.objects.first[one] >= 0:
                result.exports.append(
                    ExportRow(file, name, Place(state.objects.first[one], 0), None)
                )
            elif kind == EXTERNAL:
                result.exports.append(ExportRow(file, name, None, state.objects.first[one]))
