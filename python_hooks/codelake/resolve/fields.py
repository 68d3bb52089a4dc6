"""Fields: attributes that instances were given, per instance.

    a.run = f        an instance made at a known place has its own `run`
    def m(self): self.x = 1      on any instance of C (declared): instances of C and below see it

A declared instance (place 0) reads what any instance of its class or below was given. What its
__init__ gives it, only declared instances see: others were given theirs when they were made.
Next: attributes.py.
"""

from __future__ import annotations

from codelake.resolve.objects import INSTANCE
from codelake.resolve.state import State, Tag, TimedRead


def read(state: State, one: int, name: str, target: int) -> None:
    """Let what an instance was given as an attribute flow to a variable."""
    cls, place = state.objects.first[one], state.objects.second[one]
    if place == 0:
        state.solver.link(_declared(state, cls, name), target)
        return
    state.solver.link(state.field(one, name), target)
    state.solver.link(_seen_by(state, cls, name), target)


def read_in_order(state: State, one: int, name: str, read: TimedRead, target: int) -> None:
    """Let an attribute flow to a variable where the module has stored to it in order."""
    state.read_in_order(one, name, read, target)
    state.solver.link(_seen_by(state, state.objects.first[one], name), target)


def write(
    state: State, one: int, name: str, value: int, tag: Tag | None = None, is_first: bool = False
) -> None:
    """Give an instance an attribute; see State.note_write."""
    state.note_write(one, name, value, tag, is_first)
    known = (one, name) in state.fields
    variable = state.field(one, name)
    state.solver.link(value, variable)
    cls, place = state.objects.first[one], state.objects.second[one]
    if place == 0 and not is_first:
        state.solver.link(value, state.field(one, _later(name)))
    objects = state.field_objects.setdefault(name, [])
    if known and one in objects:
        return
    objects.append(one)
    order = state.classes[cls].order
    if place == 0:
        for reader, target in state.instance_reads.get(name, {}).items():
            if cls in state.classes[reader].order:
                state.solver.link(state.field(one, _later(name)), target)
    for reader, target in state.declared_reads.get(name, {}).items():
        if reader in order or (place == 0 and cls in state.classes[reader].order):
            state.solver.link(variable, target)


def _seen_by(state: State, cls: int, name: str) -> int:
    """Return what instances of a class see of attributes given to declared instances."""
    reads = state.instance_reads.setdefault(name, {})
    variable = reads.get(cls)
    if variable is None:
        variable = reads[cls] = state.new()
        order = state.classes[cls].order
        for one in state.field_objects.get(name, ()):
            if state.objects.second[one] == 0 and state.objects.first[one] in order:
                state.solver.link(state.field(one, _later(name)), variable)
    return variable


def _later(name: str) -> str:
    """Name what is given outside of __init__: other instances were given the rest by their own."""
    return f"{name} later"


def _declared(state: State, cls: int, name: str) -> int:
    """Return what a declared instance of a class may have been given."""
    reads = state.declared_reads.setdefault(name, {})
    variable = reads.get(cls)
    if variable is None:
        variable = reads[cls] = state.new()
        order = state.classes[cls].order
        for one in state.field_objects.get(name, ()):
            owner = state.objects.first[one]
            if cls in state.classes[owner].order or (
                state.objects.second[one] == 0 and owner in order
            ):
                state.solver.link(state.field(one, name), variable)
    return variable


def has_any(state: State, one: int, name: str) -> bool:
    """Tell whether an instance was given an attribute, as far as is known."""
    if state.objects.kind[one] != INSTANCE:
        return bool(state.solver.get(state.field(one, name)))
    cls = state.objects.first[one]
    found = state.fields.get((one, name))
    if found is not None and state.solver.get(found):
        return True
    for reads in (state.instance_reads, state.declared_reads):
        variable = reads.get(name, {}).get(cls)
        if variable is not None and state.solver.get(variable):
            return True
    return False
