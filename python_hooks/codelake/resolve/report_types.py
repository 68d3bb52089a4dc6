"""Report of types: classes with their orders, overrides, fields, and types of expressions.

    self.items.append(x)     items: field of Cart, read; its type: builtins.list

Next: resolution.py.
"""

from __future__ import annotations

from codelake.resolve.objects import (
    CLASS,
    CONTAINER,
    EXTERNAL_INSTANCE,
    FUNCTION,
    INSTANCE,
    NONE,
)
from codelake.resolve.resolution import (
    BaseRow,
    FieldRow,
    OverrideRow,
    Place,
    Resolution,
    TypeRow,
)
from codelake.resolve.state import ClassInfo, State

_MOST = 8  # types of one expression
_VALUES = frozenset(
    {
        *("load", "attr", "call", "item", "binary", "inplace", "unary", "either", "await"),
        *("each", "unpack", "unpack_star", "entered", "handler", "list", "tuple", "set", "dict"),
        *("listcomp", "setcomp", "dictcomp", "genexp", "literal", "fstring", "compare", "yield"),
        *("param", "param_pos", "param_star", "param_key", "param_keys", "match", "same"),
    }
)


def report_types(state: State, result: Resolution) -> None:
    """Add the rows of classes, fields and types."""
    own = _own_fields(state)
    for number in sorted(state.classes):
        info = state.classes[number]
        if info.definition >= 0:
            _bases(state, result, info)
            _overrides(state, result, info)
    result.bases = sorted(set(result.bases), key=str)
    result.overrides = sorted(set(result.overrides))
    _fields(state, result, own)
    _types(state, result)


def _place(state: State, definition: int) -> Place:
    return Place(state.file_of[definition], state.number_of[definition])


def _bases(state: State, result: Resolution, info: ClassInfo) -> None:
    file, def_no = _place(state, info.definition)
    direct = {one for bases in info.bases.values() for one in bases}
    for position, one in enumerate(info.order):
        if state.objects.kind[one] == CLASS:
            definition = state.classes[one].definition
            place = _place(state, definition) if definition >= 0 else None
            row = BaseRow(file, def_no, position, place, None, one in direct)
        else:
            name = state.objects.first[one]
            row = BaseRow(file, def_no, position, None, name, one in direct)
        result.bases.append(row)


def _functions(state: State, variable: int) -> list[int]:
    objects = state.objects
    return [
        objects.first[one]
        for one in state.solver.get(variable)
        if one >= 0 and objects.kind[one] == FUNCTION
    ]


def _overrides(state: State, result: Resolution, info: ClassInfo) -> None:
    for name, variable in info.attributes.items():
        mine = _functions(state, variable)
        if not mine:
            continue
        for base in info.order[1:]:
            above = state.classes.get(base)
            if above is not None and name in above.attributes:
                for theirs in _functions(state, above.attributes[name]):
                    for method in mine:
                        if method != theirs:
                            row = OverrideRow(_place(state, method), _place(state, theirs))
                            result.overrides.append(row)
                break


def _own_fields(state: State) -> dict[int, set[str]]:
    """Return the attributes that the methods of each class give to their first parameter."""
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
                cls = state.definition(number, place.parent)
                found.setdefault(cls, set()).add(text)
    for info in state.classes.values():
        for name, variable in info.attributes.items():
            if info.definition >= 0 and not _functions(state, variable):
                found.setdefault(info.definition, set()).add(name)
    return found


def _owner(state: State, cls: int, name: str, own: dict[int, set[str]]) -> Place | None:
    """Return the class of an order, seen from its base, to which a field belongs."""
    for one in reversed(state.classes[cls].order):
        info = state.classes.get(one)
        if info is not None and info.definition >= 0 and name in own.get(info.definition, ()):
            return _place(state, info.definition)
    return None


def _fields(state: State, result: Resolution, own: dict[int, set[str]]) -> None:
    objects = state.objects
    for number, file in enumerate(state.files):
        bodies, base = state.bodies[number], state.base[number]
        for op, _, node, value, other, text, _ in file.facts:
            if op == "attr":
                receiver, access = value, "read"
            elif op == "store_attr":
                receiver, access = other, "write"
            else:
                continue
            owners = set()
            for one in state.solver.get(base + bodies.value(receiver or 0)):
                kind = objects.kind[one] if one >= 0 else 0
                cls = objects.first[one] if kind == INSTANCE else one
                if kind in (INSTANCE, CLASS):
                    owner = _owner(state, cls, text or "", own)
                    if owner is not None:
                        owners.add(owner)
            for owner in sorted(owners)[:_MOST]:
                result.fields.append(FieldRow(number, node, owner, text or "", access))


def _types(state: State, result: Resolution) -> None:
    objects, sets = state.objects, state.solver.sets
    names: dict[int, tuple[Place | None, str | None] | None] = {}
    for number, file in enumerate(state.files):
        bodies = state.bodies[number]
        seen: set[int] = set()
        for op, owner, node, _, _, _, _ in file.facts:
            if op not in _VALUES or node in seen:
                continue
            seen.add(node)
            value = bodies.value(node)
            found: set[tuple[Place | None, str | None]] = set()
            for frame in state.frames_of.get(state.definition(number, owner), ()):
                for one in sets[frame.offset + value] or ():
                    if one < 0:
                        one = objects.text
                    if one not in names:
                        names[one] = _type(state, one)
                    kind = names[one]
                    if kind is not None:
                        found.add(kind)
                if len(found) > _MOST:
                    break
            if 0 < len(found) <= _MOST:
                for place, name in sorted(found, key=str):
                    result.types.append(TypeRow(number, node, place, name))


def _type(state: State, one: int) -> tuple[Place | None, str | None] | None:
    """Return the class of an object."""
    objects = state.objects
    kind = objects.kind[one]
    if kind == INSTANCE:
        definition = state.classes[objects.first[one]].definition
        return (_place(state, definition), None) if definition >= 0 else None
    if kind in (EXTERNAL_INSTANCE, CONTAINER):
        return None, objects.first[one]
    if kind == NONE:
        return None, "builtins.NoneType"
    if kind == CLASS:
        return None, "builtins.type"
    if kind == FUNCTION:
        return None, "types.FunctionType"
    return None
