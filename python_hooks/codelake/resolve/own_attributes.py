"""Own attributes: what every instance of a class is surely given itself.

    class C:
        go = f                     hidden by what the instance has
        def __init__(self, go):
            self.go = go

That is what `__init__` stores before anything else may read it: outside of conditions, before it
returns, hands `self` on or calls a method of it. Data classes have all their fields.
Next: attributes.py.
"""

from __future__ import annotations

from codelake.resolve.bodies import FileBodies
from codelake.resolve.class_table import find_in
from codelake.resolve.known_classes import field_names
from codelake.resolve.objects import FUNCTION
from codelake.resolve.state import State


def has_own(state: State, one: int, name: str) -> bool:
    """Tell whether an instance surely has an attribute that hides that of its class."""
    if state.objects.second[one] == 0 or name in state.deleted_names:
        return False
    info = state.classes[state.objects.first[one]]
    variable = find_in(state, info.number, "__init__")[0]
    if variable is None:
        kinds = {trait for cls in info.order if cls in state.classes
                 for trait in state.classes[cls].traits}  # fmt: skip
        return bool(kinds & {"dataclass", "namedtuple"}) and name in field_names(state, info)
    found = tuple(state.solver.get(variable))
    if len(found) != 1 or found[0] < 0 or state.objects.kind[found[0]] != FUNCTION:
        return False
    definition = state.objects.first[found[0]]
    bodies = state.bodies[state.file_of[definition]]
    return name in _surely_stored(bodies, state.number_of[definition])


def _surely_stored(bodies: FileBodies, def_no: int) -> frozenset[str]:
    """Return the attributes that a method gives its first parameter before they may be read."""
    known = bodies.own_names.get(def_no)
    if known is None:
        known = bodies.own_names[def_no] = frozenset(_stored(bodies, def_no))
    return known


def _stored(bodies: FileBodies, def_no: int) -> set[str]:
    parameters = bodies.body(def_no).signature.positional
    receiver = parameters[0].node if parameters else -1
    opener = bodies.file.definitions[def_no].node
    names: set[str] = set()
    read: set[str] = set()
    for op, _, node, value, other, text, _ in bodies.groups.get(def_no, ()):
        if op == "store_attr" and bodies.value(other or 0) == receiver:
            if text not in read and bodies.always(node, opener):
                names.add(text or "")
        elif op == "attr" and bodies.value(value or 0) == receiver:
            read.add(text or "")
        elif op == "call":
            callee = bodies.made.get(bodies.value(value or 0))
            if callee and callee[0] == "attr" and bodies.value(callee[3] or 0) == receiver:
                break
        elif op == "return" or (op in _HANDED and bodies.value(value or 0) == receiver):
            break
    return names


_HANDED = frozenset({"arg", "keyword", "arg_star"})
