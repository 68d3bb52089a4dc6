"""Attributes: an object and a name -> what is loaded.

    c.m       what c was given, and the first `m` in the order of its class: see descriptors.py
    C.m       the first `m` in the order of C, or in that of its metaclass
    mod.f     a name of the module, or what its __getattr__ gives
    os.path   see external_attributes.py

An attribute that no class of the repository has belongs to the first class outside, unless
something of that name is stored anywhere: then it is put off until the rest is settled
(`deferred`, see seeds.py).
Next: descriptors.py, fields.py, stored_attributes.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from codelake.resolve import fields, patches
from codelake.resolve.class_table import find, find_in, order_of, put_line
from codelake.resolve.descriptors import bind, bind_class, call_hook, class_of
from codelake.resolve.external_attributes import (
    load_external,
    load_external_instance,
    put_external_attribute,
)
from codelake.resolve.known_types import has_attribute
from codelake.resolve.module_values import module_attribute, module_names
from codelake.resolve.objects import (
    BOUND,
    CACHED,
    CLASS,
    CLASS_METHOD,
    CONTAINER,
    DISPATCH,
    EXTERNAL,
    EXTERNAL_INSTANCE,
    EXTERNAL_METHOD,
    FUNCTION,
    INSTANCE,
    MODULE,
    PARTIAL,
    PROPERTY,
    STATIC,
    SUPER,
    WRAPPER,
)
from codelake.resolve.own_attributes import has_own
from codelake.resolve.state import IMPLICIT, Frame, State, TimedRead

_TEXTS = frozenset({"__name__", "__qualname__", "__module__", "__doc__"})
_OF_TYPE = frozenset({"__subclasses__", "mro"})  # of `type`, whatever the bases are
_FUNCTION_TYPE = "types.FunctionType"


def load_attribute(
    found: Iterable[int],
    state: State,
    frame: Frame,
    node: int,
    name: str,
    target: int,
    strong: bool | TimedRead = False,
) -> None:
    """Let an attribute of the objects flow to a variable.

    Args:
        found: the objects.
        state: the analysis.
        frame: where the attribute is read.
        node: the place of implicit calls.
        name: of the attribute.
        target: where it goes.
        strong: whether the attribute was given a value just before, which goes there already.
    """
    kinds = state.objects.kind
    for one in found:
        if one < 0:
            load_external_instance(state, state.objects.text, frame, node, name, target, one)
        else:
            load = _LOADS.get(kinds[one])
            if load is not None:
                load(state, one, frame, node, name, target, strong)


def _load_instance(
    state: State, one: int, frame: Frame, node: int, name: str, target: int, strong: Any
) -> None:
    cls = state.objects.first[one]
    info = state.classes[cls]
    if name == "__class__":
        state.solver.put(target, cls)
        return
    if name == "__dict__":
        made = state.attribute_mappings[one] = state.container("builtins.dict", ("dict", one))
        state.solver.put(target, made)
        return
    if "__getattribute__" in state.defined_names:
        call_hook(state, one, frame, node, "__getattribute__", name, None)
    if isinstance(strong, TimedRead) and state.objects.second[one] != 0:
        fields.read_in_order(state, one, name, strong, target)
        strong = strong.is_sure
    elif isinstance(strong, TimedRead) or not strong:
        strong = False
        fields.read(state, one, name, target)
    info.lookups.append((name, _from_class, state, one, frame, node, name, target, strong))
    _from_class((), state, one, frame, node, name, target, strong)


def _from_class(
    _: Any, state: State, one: int, frame: Frame, node: int, name: str, target: int, strong: Any
) -> None:
    """Look an attribute of an instance up in its class."""
    info = state.classes[state.objects.first[one]]
    variable, owner, outside, guess = find_in(state, info.number, name)
    if variable is not None:
        is_open = state.objects.second[one] == 0
        if is_open and (state.classes[owner].definition, name) in state.abstract:
            state.deferred.append((one, name, frame, node, target, None))
        variable = _in_order(state, frame, node, owner, name, variable)
        hidden = strong or has_own(state, one, name)
        _watch_once(state, variable, target, one, frame, node, hidden)
        return
    if "enum" in info.traits and name in ("value", "_value_", "name", "_name_"):
        if name in ("name", "_name_"):
            state.solver.put(target, state.objects.text)
        else:
            state.solver.link(state.field(one, "value"), target)
        return
    if outside is not None and (not guess or name not in state.stored_names):
        if not put_external_attribute(state, outside, target):
            state.solver.put(target, state.objects.of(EXTERNAL_METHOD, outside, one))
        return
    state.deferred.append((one, name, frame, node, target, outside))


def _in_order(state: State, frame: Frame, node: int, owner: int, name: str, variable: int) -> int:
    """Return the variable of an attribute of a class, as the code of a module sees it."""
    if frame.owner != 0:
        return variable
    own = patches.class_values(state, state.classes[owner], name)
    found = patches.read_patched(state, frame, node, owner, name, own)
    return variable if found is None else found


def _watch_once(
    state: State, variable: int, target: int, one: int, frame: Frame, node: int, strong: Any
) -> None:
    key = (variable, target, one)
    if key not in state.bound:
        state.bound.add(key)
        state.solver.watch(variable, bind, state, one, frame, node, target, bool(strong))


def _load_class(
    state: State, one: int, frame: Frame, node: int, name: str, target: int, _: Any
) -> None:
    info = state.classes[one]
    if name in _TEXTS:
        state.solver.put(target, _text_of(state, info.definition, name))
        return
    if name == "__class__":
        state.solver.link(info.metaclass, target)
        return
    if name == "__dict__":
        state.solver.put(target, _class_names(state, one))
        return
    if name in ("__mro__", "__bases__"):
        is_whole = name == "__mro__"
        state.solver.at_last(put_line, state, one, "builtins.tuple", is_whole, target)
        return
    info.lookups.append((name, _from_class_object, state, one, frame, node, name, target))
    if info.is_open():
        state.solver.at_last(_from_class_object, state, one, frame, node, name, target)
    else:
        _from_class_object((), state, one, frame, node, name, target)


def _class_names(state: State, one: int) -> int:
    """Return the mapping of what the body of a class binds: what is about to be replaced."""
    made = state.container("builtins.mappingproxy", ("names of", one))
    info = state.classes[one]
    for name, variable in tuple(info.attributes.items()):
        for value in patches.class_values(state, info, name) or (variable,):
            state.store_named(made, name, value)
    return made


def _from_class_object(
    _: Any, state: State, one: int, frame: Frame, node: int, name: str, target: int
) -> None:
    info = state.classes[one]
    variable, owner, outside, guess = find_in(state, info.number, name)
    if variable is not None:
        variable = _in_order(state, frame, node, owner, name, variable)
        key = (variable, target, one)
        if key not in state.bound:
            state.bound.add(key)
            state.solver.watch(variable, bind_class, state, one, frame, node, target, name)
        return
    for meta in tuple(state.solver.get(info.metaclass)) if info.metaclass >= 0 else ():
        if meta >= 0 and state.objects.kind[meta] == CLASS:
            found, _, _, _ = find_in(state, meta, name)
            if found is not None:
                _watch_once(state, found, target, one, frame, node, False)
                return
    if "enum" in info.traits and name == "__members__":
        return
    if (outside is None or name in _OF_TYPE) and has_attribute("builtins.type", name):
        outside, guess = f"builtins.type.{name}", False
    if outside is not None and (not guess or name not in state.stored_names):
        state.solver.put(target, state.objects.of(EXTERNAL_METHOD, outside, one))
    else:
        state.deferred.append((one, name, frame, node, target, outside))


def _load_super(
    state: State, one: int, frame: Frame, node: int, name: str, target: int, _: Any
) -> None:
    cls, receiver = state.objects.first[one], state.objects.second[one]
    mine = class_of(state, receiver)
    info = state.classes.get(mine)
    if info is not None:
        info.lookups.append((name, _from_super, state, cls, receiver, frame, node, name, target))
    _from_super((), state, cls, receiver, frame, node, name, target)


def _from_super(
    _: Any, state: State, cls: int, receiver: int, frame: Frame, node: int, name: str, target: int
) -> None:
    objects = state.objects
    mine = class_of(state, receiver)
    order = order_of(state, mine)
    if cls not in order:  # a metaclass: the receiver is a class made by it
        order = order_of(state, cls)
    order = order[order.index(cls) + 1 :] if cls in order else order
    variable, _owner, outside, _guess = find(state, order, name)
    if variable is not None:
        is_class = objects.kind[receiver] == CLASS and name != "__new__"
        key = (variable, target, receiver)
        if key in state.bound:
            return
        state.bound.add(key)
        if name == "__new__":
            state.solver.link(variable, target)
        elif is_class and cls in order_of(state, receiver):
            state.solver.watch(variable, bind_class, state, receiver, frame, node, target, "")
        else:
            state.solver.watch(variable, bind, state, receiver, frame, node, target)
    elif outside is not None:
        state.solver.put(target, objects.of(EXTERNAL_METHOD, outside, receiver))


def _load_function(
    state: State, one: int, _: Frame, __: int, name: str, target: int, ___: Any
) -> None:
    if name in _TEXTS:
        state.solver.put(target, _text_of(state, state.objects.first[one], name))
    elif name == "__call__":
        state.solver.put(target, one)
    else:
        state.solver.link(state.field(one, name), target)
        if name not in state.stored_names and name != "__wrapped__":
            outside = f"{_FUNCTION_TYPE}.{name}"
            state.solver.put(target, state.objects.of(EXTERNAL_METHOD, outside, one))


def _text_of(state: State, definition: int, name: str) -> int:
    """Return `__name__` of a definition; one inside of a function may have got another name."""
    if name == "__name__" and definition >= 0:
        found = state.files[state.file_of[definition]].definitions[state.number_of[definition]]
        if "<locals>" not in found.path:
            return state.objects.known_text(found.name)
    return state.objects.text


def _load_bound(
    state: State, one: int, frame: Frame, node: int, name: str, target: int, _: Any
) -> None:
    if name == "__self__":
        state.solver.put(target, state.objects.second[one])
    elif name == "__func__":
        state.solver.put(target, state.objects.first[one])
    elif name == "__call__":
        state.solver.put(target, one)
    elif state.objects.kind[state.objects.first[one]] in (FUNCTION, DISPATCH):
        load_attribute((state.objects.first[one],), state, frame, node, name, target)


def _load_module(
    state: State, one: int, frame: Frame, node: int, name: str, target: int, _: Any
) -> None:
    file, module = state.objects.first[one], state.objects.second[one]
    if name in _TEXTS:
        state.solver.put(target, state.objects.text)
    elif name == "__dict__":
        if file >= 0:
            state.solver.put(target, module_names(state, file))
    elif (found := _patched(state, one, frame, node, name)) is not None:
        state.solver.link(found, target)
    elif not module_attribute(state, file, module, name, target):
        if file < 0 or "__getattr__" not in state.index.bound[file]:
            return
        text = state.new()
        state.solver.put(text, state.objects.known_text(name))
        site = state.site(frame, node, target, (((text, False),), ()), IMPLICIT)
        state.solver.watch(state.global_variable(file, "__getattr__"), state.call, state, site)


def _patched(state: State, one: int, frame: Frame, node: int, name: str) -> int | None:
    """Return the variable of a name of a module that the code of another reads and patches."""
    file = state.objects.first[one]
    if frame.owner != 0 or file < 0:
        return None
    own = patches.module_values(state, file, name)
    return patches.read_patched(state, frame, node, one, name, own)


def _load_container(
    state: State, one: int, frame: Frame, node: int, name: str, target: int, _: Any
) -> None:
    load_external_instance(state, one, frame, node, name, target, None)


def _load_special(
    state: State, one: int, _: Frame, __: int, name: str, target: int, ___: Any
) -> None:
    """Load from a property, a partial and the like: its methods, or what it was given."""
    kind = state.objects.kind[one]
    if kind == PROPERTY and name in ("setter", "getter", "deleter"):
        method = f"builtins.property.{name}"
        state.solver.put(target, state.objects.of(EXTERNAL_METHOD, method, one))
    elif kind == PROPERTY and name in ("fget", "fset", "fdel"):
        state.solver.link(state.field(one, name[1:]), target)
    elif kind == DISPATCH and name == "register":
        method = "functools.singledispatch.register"
        state.solver.put(target, state.objects.of(EXTERNAL_METHOD, method, one))
    elif name in ("func", "__func__", "__wrapped__"):
        state.solver.link(state.field(one, "function"), target)
    else:
        state.solver.link(state.field(one, name), target)


_LOADS: dict[int, Callable[..., None]] = {
    INSTANCE: _load_instance,
    CLASS: _load_class,
    SUPER: _load_super,
    FUNCTION: _load_function,
    BOUND: _load_bound,
    MODULE: _load_module,
    EXTERNAL: load_external,
    EXTERNAL_INSTANCE: load_external_instance,
    CONTAINER: _load_container,
    PROPERTY: _load_special,
    PARTIAL: _load_special,
    CACHED: _load_special,
    DISPATCH: _load_special,
    WRAPPER: _load_special,
    STATIC: _load_special,
    CLASS_METHOD: _load_special,
}
