"""Report of types: the classes of values, and the classes that annotations are made of.

    def pay(cart: "Cart | None"):      the annotation: Cart
        return cart.owner              cart.owner: User

Types of values are told where they say something that the syntax does not: of parameters, names,
attributes, items and calls, when the class is one of the repositories or of a library. Left out are
literals and built-in types, the first parameter of methods, and values of more than four types:
they would be six times as many.
Next: resolution.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from codelake.resolve.held import Held, place_of
from codelake.resolve.known_holders import HOLDERS
from codelake.resolve.objects import CLASS, CONTAINER, EXTERNAL_INSTANCE, INSTANCE
from codelake.resolve.resolution import AnnotationRow, Place, Resolution, TypeRow
from codelake.resolve.state import State
from codelake.resolve.type_expressions import type_parts

_MOST = 4  # types of one expression
_PARAMETERS = frozenset({"param", "param_pos", "param_star", "param_key", "param_keys"})
_VALUES = frozenset({"load", "attr", "call", "item", *_PARAMETERS})
_PLAIN = ("builtins.", "types.")
_VARIABLES: frozenset[tuple[Place | None, str | None] | None] = frozenset(
    (None, f"{module}.{name}")
    for module in ("typing", "typing_extensions")
    for name in ("TypeVar", "NewType", "ParamSpec", "TypeVarTuple")
)


def report_types(state: State, result: Resolution) -> None:
    """Add the rows of types and annotations."""
    names: dict[int, tuple[Place | None, str | None] | None] = {}
    for number, file in enumerate(state.files):
        held, firsts = Held(state, number), _first_parameters(state, number)
        value_of = state.bodies[number].value
        annotations = list(_annotations(state, number))
        noted = {node for _, node in annotations}
        for op, owner, node, _, _, _, _ in file.facts:
            if op not in _VALUES or value_of(node) in firsts:
                continue
            found = set()
            for one in held.of(owner, node):
                if one >= 0:
                    if one not in names:
                        names[one] = _class_of(state, one)
                    found.add(names[one])
            found.discard(None)
            if not found.isdisjoint(_VARIABLES) and _is_within(file.parents, node, noted):
                found -= _VARIABLES  # it stands for its bound there
            if 0 < len(found) <= _MOST:
                for place, name in sorted((each for each in found if each), key=str):
                    result.types.append(TypeRow(number, node, place, name))
        for frame_of, node in annotations:
            frames = state.frames_of.get(state.definition(number, frame_of))
            for path, one in type_parts(state, frames[0], node) if frames else ():
                row = AnnotationRow(number, node, path, *_named(state, one))
                result.annotations.append(row)


def _is_within(parents: Sequence[int], node: int, tops: set[int]) -> bool:
    """Tell whether a node is one of some nodes, or below one."""
    while node not in tops and node:
        node = parents[node]
    return node in tops


def _first_parameters(state: State, file: int) -> set[int]:
    """Return the first parameters of the methods of a file."""
    definitions, bodies = state.files[file].definitions, state.bodies[file]
    found = set()
    for number, place in enumerate(definitions):
        around = definitions[place.parent or 0].kind
        if place.kind == "FUNCTION" and around == "CLASS":
            found |= {each.node for each in bodies.body(number).signature.positional[:1]}
    return found


def _class_of(state: State, one: int) -> tuple[Place | None, str | None] | None:
    """Return the class of an object, when it is worth telling."""
    objects = state.objects
    if objects.kind[one] == INSTANCE:
        definition = state.classes[objects.first[one]].definition
        return (place_of(state, definition), None) if definition >= 0 else None
    if objects.kind[one] == EXTERNAL_INSTANCE and not objects.first[one].startswith(_PLAIN):
        return None, objects.first[one]
    if objects.kind[one] == CONTAINER and objects.first[one] in HOLDERS:
        return None, objects.first[one]
    return None


def _annotations(state: State, file: int) -> Iterator[tuple[int, int]]:
    """Yield the annotations of a file, each with the definition that executes it."""
    definitions = state.files[file].definitions
    for op, owner, _, value, other, _, _ in state.files[file].facts:
        if op in _PARAMETERS:
            if other is not None:
                yield definitions[owner].parent or 0, other
        elif op == "returns":
            yield definitions[owner].parent or 0, value or 0
        elif op == "annotate":
            yield owner, value or 0


def _named(state: State, one: int) -> tuple[Place | None, str | None]:
    if state.objects.kind[one] == CLASS:
        return place_of(state, state.classes[one].definition), None
    return None, state.objects.first[one]
