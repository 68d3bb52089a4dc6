"""Held: the objects that the value of a node may be, in all frames of its definition.

    def same(x): return x     x of `same(f)` and `same(g)`: two frames, f and g

Next: report_names.py, report_fields.py, report_types.py.
"""

from __future__ import annotations

from collections.abc import Collection

from codelake.resolve.objects import CACHED, CLASS_METHOD, FUNCTION, PROPERTY, STATIC
from codelake.resolve.resolution import Place
from codelake.resolve.state import State

_BEHIND = {PROPERTY: "get", CACHED: "get", STATIC: "function", CLASS_METHOD: "function"}


class Held:
    """Reads values of one file; facts stand grouped by owner, so frames are looked up rarely."""

    def __init__(self, state: State, file: int) -> None:
        """Start with no definition."""
        self._state, self._file = state, file
        self._value = state.bodies[file].value
        self._sets = state.solver.sets
        self._owner = -1
        self._offsets: tuple[int, ...] = ()

    def of(self, owner: int, node: int) -> Collection[int]:
        """Return the objects of a node that a definition executes."""
        if owner != self._owner:
            self._owner = owner
            frames = self._state.frames_of.get(self._state.definition(self._file, owner), ())
            self._offsets = tuple([frame.offset for frame in frames])
        value = self._value(node)
        if len(self._offsets) == 1:
            return self._sets[self._offsets[0] + value] or ()
        found: set[int] = set()
        for offset in self._offsets:
            found.update(self._sets[offset + value] or ())
        return found


def place_of(state: State, definition: int) -> Place:
    """Return file and number of a definition."""
    return Place(state.file_of[definition], state.number_of[definition])


def functions_behind(state: State, variable: int) -> list[int]:
    """Return the definitions of functions that a variable holds, also as methods or properties."""
    objects, found = state.objects, []
    for one in state.solver.get(variable):
        kind = objects.kind[one] if one >= 0 else 0
        if kind == FUNCTION:
            found.append(objects.first[one])
        elif kind in _BEHIND:
            inner = state.fields.get((one, _BEHIND[kind]))
            for each in () if inner is None else state.solver.get(inner):
                if each >= 0 and objects.kind[each] == FUNCTION:
                    found.append(objects.first[each])
    return found
