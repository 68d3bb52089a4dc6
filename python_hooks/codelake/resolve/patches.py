"""Patches: what the code of a module stores to attributes of modules and classes, in order.

    lib.work()            the work that lib has
    lib.work = fake       a patch, under no condition
    lib.work()            fake only

Such a read sees the patches of its own module that come before it, and what the class or module
has of itself unless a patch before surely replaced it. What other modules patch, and what is
stored inside of functions or under a condition, is seen at any time. Functions see all.
Next: stored_attributes.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from codelake.resolve.state import ClassInfo, Frame, Patch, State


def note_store(state: State, frame: Frame, node: int, owner: int, name: str, value: int) -> None:
    """Note a store to an attribute of a module or class."""
    opener = state.files[frame.file].definitions[0].node
    if frame.owner != 0 or not state.bodies[frame.file].always(node, opener):
        state.solver.link(value, _elsewhere(state, owner, name))
        return
    patch = Patch(frame.file, node, value)
    state.patches.setdefault((owner, name), []).append(patch)
    state.patched_by.setdefault((frame.file, node), set()).add(owner)
    for file, read, target in state.patch_reads.get((owner, name), ()):
        if file != patch.file or patch.node < read:
            state.solver.link(value, target)


def read_patched(
    state: State, frame: Frame, node: int, owner: int, name: str, own: Sequence[int]
) -> int | None:
    """Return the variable of an attribute that a module reads and patches itself.

    Args:
        state: the analysis.
        frame: where the attribute is read.
        node: the place of it.
        owner: the module or class.
        name: of the attribute.
        own: variables of what the owner gives it.
    """
    if frame.owner != 0 or not own or name not in state.bodies[frame.file].timed_keys:
        return None
    target = state.new()
    state.solver.link(_elsewhere(state, owner, name), target)
    state.solver.at_last(_settle, state, (owner, name), frame.file, node, target, tuple(own))
    return target


def class_values(state: State, info: ClassInfo, name: str) -> list[int]:
    """Return the variables of what the body of a class binds a name to."""
    if info.frame is None:
        return []
    bodies, frame = state.bodies[info.frame.file], info.frame
    return [frame.offset + one for one in bodies.bound_values(frame.owner, name)]


def module_values(state: State, file: int, name: str) -> list[int]:
    """Return the variables of what a module binds a name to, also inside of its functions."""
    bodies = state.bodies[file]
    found = [state.base[file] + one for one in bodies.bound_values(0, name)]
    shared = [
        state.shared_variable(file, one, frame.number)
        for frame in state.frames_of.get(state.definition(file, 0), ())
        for one in bodies.global_values(name)
    ]
    return [*found, *shared] if found else []


def _elsewhere(state: State, owner: int, name: str) -> int:
    return state.field(owner, f"{name} elsewhere")


def _settle(
    _: Any, state: State, key: tuple[int, str], file: int, node: int, target: int,
    own: tuple[int, ...],
) -> None:  # fmt: skip
    """Let what is there at a place of a module flow to the read, when the patches are known."""
    patches = state.patches.get(key, [])
    before = sorted(one for one in patches if one.file == file and one.node < node)
    sure = [one for one in before if len(state.patched_by[one.file, one.node]) == 1]
    first = sure[-1] if sure else None
    for one in patches:
        if one.file != file or (one in before and (first is None or one >= first)):
            state.solver.link(one.value, target)
    for variable in () if sure else own:
        state.solver.link(variable, target)
    state.patch_reads.setdefault(key, []).append((file, node, target))
