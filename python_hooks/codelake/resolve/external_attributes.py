"""External attributes: something outside of the repository and a name -> what is loaded.

    os.path            EXTERNAL("os.path")
    path.parent        a pathlib.Path too, since its type is known
    path.joinpath      EXTERNAL_METHOD("pathlib.Path.joinpath", path)

What the repository has stored there itself is found as well.
Next: known_types.py, stored_attributes.py.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from codelake.resolve import fields
from codelake.resolve.class_table import ENUMS
from codelake.resolve.known_types import (
    attribute_type,
    has_attribute,
    lacks_attribute,
    make_type,
)
from codelake.resolve.library_classes import is_exception, is_library_function
from codelake.resolve.module_values import loaded_modules
from codelake.resolve.objects import EXTERNAL_INSTANCE, EXTERNAL_METHOD
from codelake.resolve.state import Frame, State


def load_external(
    state: State, one: int, _: Frame, __: int, name: str, target: int, ___: Any
) -> None:
    """Load from a module, class or function outside."""
    base = state.objects.first[one]
    if base == "sys" and name == "modules":
        state.solver.put(target, loaded_modules(state))
        return
    found = attribute_type(f"{base}.{name}")
    is_given = name in state.stored_names
    if is_given:
        state.solver.link(state.field(one, name), target)
    if found is not None:
        state.solver.put(target, make_type(state, found))
    elif is_given and not is_library_function(f"{base}.{name}"):
        state.solver.at_last(_put_unless_given, state, one, name, target)
    else:
        _put_unless_given((), state, one, name, target, is_given=False)


def _put_unless_given(
    _: Iterable[int], state: State, one: int, name: str, target: int, *, is_given: bool = True
) -> None:
    """Put what something outside has, unless the repository has stored it there."""
    base = state.objects.first[one]
    if not (is_given and fields.has_any(state, one, name)) and not lacks_attribute(base, name):
        state.solver.put(target, state.objects.external(f"{base}.{name}"))


def load_external_instance(
    state: State, one: int, frame: Frame, node: int, name: str, target: int, receiver: Any
) -> None:
    """Load from an instance of a class outside."""
    base = state.objects.first[one]
    if name == "__class__":
        state.solver.put(target, state.objects.external(base))
        return
    given = state.fields.get((one, name)) if state.objects.second[one] else None
    if given is not None and base == "builtins.ExceptionGroup":
        state.solver.link(given, target)
    if base == "builtins.StopIteration" and name == "value":
        state.solver.link(state.field(one, name), target)
        return
    if name == "args" and is_exception(base):
        state.solver.link(state.field(one, name), target)
        return
    known = has_attribute(base, name)
    is_given = name in state.stored_names and state.objects.kind[one] == EXTERNAL_INSTANCE
    if known is False and base not in ENUMS:  # a call of them makes a class
        if is_given and not base.startswith("builtins."):
            state.solver.link(state.field(one, name), target)
        return
    number = receiver if receiver.__class__ is int and receiver < 0 else one
    outside = f"{base}.{name}"
    if is_given and not known:
        state.solver.link(state.field(one, name), target)
        state.deferred.append((one, name, frame, node, target, outside))
        return
    if not put_external_attribute(state, outside, target):
        state.solver.put(target, state.objects.of(EXTERNAL_METHOD, outside, number))


def put_external_attribute(state: State, outside: str, target: int) -> bool:
    """Put the value of a data attribute of a class outside whose type is known."""
    found = attribute_type(outside)
    if found is None:
        return False
    state.solver.put(target, make_type(state, found))
    return True
