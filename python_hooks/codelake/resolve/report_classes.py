"""Report of classes: their orders, and which methods override which.

    class B(A):             B: bases A, position 1
        def run(self): ...  B.run overrides A.run

A decorated method is the one in the body of the class, not what the decorator made of it.
Next: report_fields.py.
"""

from __future__ import annotations

from codelake.resolve.decorated import Decorated
from codelake.resolve.held import functions_behind, place_of
from codelake.resolve.objects import CLASS
from codelake.resolve.resolution import BaseRow, OverrideRow, Resolution
from codelake.resolve.state import ClassInfo, State


def report_classes(state: State, result: Resolution, decorated: Decorated) -> None:
    """Add the rows of bases and overrides."""
    for number in sorted(state.classes):
        info = state.classes[number]
        if info.definition >= 0:
            _bases(state, result, info)
            _overrides(state, result, decorated, info)
    result.bases = sorted(set(result.bases), key=str)
    result.overrides = sorted(set(result.overrides))


def _bases(state: State, result: Resolution, info: ClassInfo) -> None:
    file, def_no = place_of(state, info.definition)
    direct = {one for bases in info.bases.values() for one in bases}
    for position, one in enumerate(info.order):
        if state.objects.kind[one] == CLASS:
            definition = state.classes[one].definition
            place = place_of(state, definition) if definition >= 0 else None
            row = BaseRow(file, def_no, position, place, None, one in direct)
        else:
            name = state.objects.first[one]
            row = BaseRow(file, def_no, position, None, name, one in direct)
        result.bases.append(row)


def _overrides(state: State, result: Resolution, decorated: Decorated, info: ClassInfo) -> None:
    for name in info.attributes:
        mine = _methods(state, decorated, info, name)
        if not mine:
            continue
        for base in info.order[1:]:
            above = state.classes.get(base)
            if above is not None and name in above.attributes:
                for theirs in _methods(state, decorated, above, name):
                    for method in mine:
                        if method != theirs:
                            row = OverrideRow(place_of(state, method), place_of(state, theirs))
                            result.overrides.append(row)
                break


def _methods(state: State, decorated: Decorated, info: ClassInfo, name: str) -> list[int]:
    """Return the methods of a class by a name: those of its body, else those that it holds.

    What a decorator or metaclass made and gave to the class is no method that somebody wrote.
    """
    found = functions_behind(state, info.attributes[name])
    if info.definition < 0 or (not found and name not in decorated.method_names):
        return found
    own = decorated.of_class(info, name)
    if own:
        return own
    file, number = place_of(state, info.definition)
    if name in state.bodies[file].class_names(number):
        return found
    return [one for one in found if not _is_local(state, one)]


def _is_local(state: State, definition: int) -> bool:
    file, number = place_of(state, definition)
    definitions = state.files[file].definitions
    return definitions[definitions[number].parent or 0].kind in ("FUNCTION", "LAMBDA")
