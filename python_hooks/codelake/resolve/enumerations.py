"""Enumerations: a class of the traits "enum" and its attributes -> members.

    class Pet(Enum):
        DOG = Dog()       Pet.DOG is an instance of Pet, its value is what was assigned
    for pet in Pet: ...   all members

Next: descriptors.py.
"""

from __future__ import annotations

from codelake.resolve.objects import CLASS_METHOD, CONTAINER, FUNCTION, INSTANCE, PROPERTY, STATIC
from codelake.resolve.state import IMPLICIT, ClassInfo, Frame, State

_NO_MEMBERS = (FUNCTION, PROPERTY, STATIC, CLASS_METHOD)


def enum_member(state: State, cls: int, name: str, value: int) -> int:
    """Return the member of an enumeration; its value is what was assigned."""
    made = state.objects.of(INSTANCE, cls, f"member {name}")
    state.solver.put(state.field(made, "value"), value)
    return made


def enum_members(state: State, cls: int, target: int) -> None:
    """Let the members of an enumeration flow to a variable."""
    for name, variable in tuple(state.classes[cls].attributes.items()):
        if not name.startswith("_"):
            state.solver.watch(variable, _give_member, state, cls, name, target)


def _give_member(found: set[int], state: State, cls: int, name: str, target: int) -> None:
    for value in found:
        if value < 0 or state.objects.kind[value] not in _NO_MEMBERS:
            state.solver.put(target, enum_member(state, cls, name, value))


def make_member(
    found: set[int], state: State, info: ClassInfo, name: str, method: int, frame: Frame, node: int
) -> None:
    """Call `__init__` of a member with its value, or with the items of a tuple."""
    for value in found:
        kind = state.objects.kind[value] if value >= 0 else 0
        if kind in _NO_MEMBERS:
            continue
        given = state.new()
        state.solver.put(given, value)
        is_tuple = kind == CONTAINER and state.objects.first[value] == "builtins.tuple"
        site = state.site(frame, node, state.new(), (((given, is_tuple),), ()), IMPLICIT)
        member = enum_member(state, info.number, name, value)
        state.solver.watch(method, state.call_method, state, site, member)
