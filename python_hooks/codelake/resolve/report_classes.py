"""Report of classes: their orders, and which methods override which.

    class B(A):             B: bases A, position 1
        def run(self): ...  B.run overrides A.run

Next: report_fields.py.
"""

from __future__ import annotations

from codelake.resolve.held import functions_behind, place_of
from codelake.resolve.objects import CLASS
from codelake.resolve.resolution import BaseRow, OverrideRow, Resolution
from codelake.resolve.state import ClassInfo, State


def report_classes(state: State, result: Resolution) -> None:
    """Add the rows of bases and overrides."""
    for number in sorted(state.classes):
        info = state.classes[number]
        if info.definition >= 0:
            _bases(state, result, info)
            _overrides(state, result, info)
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


def _overrides(state: State, result: Resolution, info: ClassInfo) -> None:
    for name, variable in info.attributes.items():
        mine = functions_behind(state, variable)
        if not mine:
            continue
        for base in info.order[1:]:
            above = state.classes.get(base)
            if above is not None and name in above.attributes:
                for theirs in functions_behind(state, above.attributes[name]):
                    for method in mine:
                        if method != theirs:
                            row = OverrideRow(place_of(state, method), place_of(state, theirs))
                            result.overrides.append(row)
                break
