"""Report of fields: which attributes read and write which fields of which classes.

    class A:
        def __init__(self): self.x = 1     writes A.x
    class B(A):
        def get(self): return self.x       reads A.x

A field belongs to the class nearest to the root of the order that gives it a value: in its body,
or to the first parameter of its methods; else to the class of the instance that gets it elsewhere.
Methods, properties and nested classes are no fields.
Next: report_types.py.
"""

from __future__ import annotations

from collections.abc import Iterable

from codelake.resolve.held import Held, functions_behind, place_of
from codelake.resolve.objects import CLASS, INSTANCE
from codelake.resolve.resolution import FieldRow, Resolution
from codelake.resolve.state import ClassInfo, State

_MOST = 8  # classes that the field of one attribute may belong to


def report_fields(state: State, result: Resolution) -> None:
    """Add the rows of fields."""
    fields = _Fields(state)
    found: list[tuple[int, int, str, str, set[int]]] = []
    for number, file in enumerate(state.files):
        held = Held(state, number)
        for op, owner, node, value, other, text, _ in file.facts:
            if op == "attr":
                receiver, access = value, "read"
            elif op == "store_attr":
                receiver, access = other, "write"
            else:
                continue
            if receiver is None or text is None:
                continue
            classes = _classes(state, held.of(owner, receiver))
            if classes:
                found.append((number, node, text, access, classes))
                if access == "write":
                    fields.give(classes, text)
    for number, node, name, access, classes in found:
        owners = {fields.owner(cls, name) for cls in classes} - {-1}
        for place in sorted(place_of(state, each) for each in owners)[:_MOST]:
            result.fields.append(FieldRow(number, node, place, name, access))


class _Fields:
    """The fields of classes, and to which class of an order each belongs."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._own = _own_fields(state)
        self._orders: dict[int, list[ClassInfo]] = {}
        self._owners: dict[tuple[int, str], int] = {}

    def _order(self, cls: int) -> list[ClassInfo]:
        """Return the classes of the repositories in an order, seen from the base."""
        order = self._orders.get(cls)
        if order is None:
            found = [self._state.classes.get(one) for one in self._state.classes[cls].order]
            order = [info for info in reversed(found) if info and info.definition >= 0]
            self._orders[cls] = order
        return order

    def owner(self, cls: int, name: str) -> int:
        """Return the definition of the class that a field belongs to, -1 when it is no field."""
        found = self._owners.get((cls, name))
        if found is None:
            own = self._own
            found = -1
            for info in self._order(cls):
                if name in own.get(info.definition, ()):
                    found = info.definition
                    break
            self._owners[cls, name] = found
        return found

    def give(self, classes: set[int], name: str) -> None:
        """Note a field that is given from outside to instances whose classes do not have it."""
        for cls in classes:
            definition = self._state.classes[cls].definition
            if definition < 0 or self.owner(cls, name) >= 0:
                continue
            if not any(name in info.attributes for info in self._order(cls)):
                self._own.setdefault(definition, set()).add(name)
                for key in [key for key in self._owners if key[1] == name]:
                    del self._owners[key]


def _classes(state: State, found: Iterable[int]) -> set[int]:
    """Return the classes of the repository whose attribute is meant."""
    objects = state.objects
    classes = set()
    for one in found:
        kind = objects.kind[one] if one >= 0 else 0
        if kind == INSTANCE:
            classes.add(objects.first[one])
        elif kind == CLASS:
            classes.add(one)
    return classes


def _own_fields(state: State) -> dict[int, set[str]]:
    """Return the attributes that each class gives itself, or its methods their first parameter."""
    found: dict[int, set[str]] = {}
    for number, file in enumerate(state.files):
        bodies = state.bodies[number]
        for op, owner, _, _, other, text, _ in file.facts:
            if op != "store_attr" or other is None or text is None:
                continue
            place = file.definitions[owner]
            if place.parent is None or file.definitions[place.parent].kind != "CLASS":
                continue
            parameters = bodies.body(owner).signature.positional
            if parameters and bodies.value(other) == parameters[0].node:
                found.setdefault(state.definition(number, place.parent), set()).add(text)
    for info in state.classes.values():
        if info.definition >= 0:
            names = {name for name in info.attributes if _is_data(state, info, name)}
            names |= {name for name, _, _ in info.fields}
            found.setdefault(info.definition, set()).update(names)
    return found


def _is_data(state: State, info: ClassInfo, name: str) -> bool:
    variable = info.attributes[name]
    return not functions_behind(state, variable) and not any(
        one >= 0
        and state.objects.kind[one] == CLASS
        and _is_inside(state, state.classes[one].definition, info.definition)
        for one in state.solver.get(variable)
    )


def _is_inside(state: State, inner: int, outer: int) -> bool:
    if inner < 0 or state.file_of[inner] != state.file_of[outer]:
        return False
    place = state.files[state.file_of[inner]].definitions[state.number_of[inner]]
    return place.parent == state.number_of[outer]
