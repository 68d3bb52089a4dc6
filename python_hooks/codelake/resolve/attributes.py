"""Attributes: an object and a name -> what is loaded, with Python's rules of binding.

    c.m       the first class of the order of C that has m; a function becomes BOUND(m, c)
    c.p       a property: an implicit call of its getter
    C.m       the function itself; a class method becomes BOUND(m, C)
    os.path   EXTERNAL("os.path")

What an instance was given itself is found too. An attribute that no class of the repository has
belongs to the first class outside, unless something of that name is stored anywhere: then it is
put off until the rest is settled (`deferred`, see seeds.py).
Next: fields.py, calls.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from codelake.resolve import fields, patches
from codelake.resolve.class_table import ENUMS, find, find_in, order_of, own_attribute
from codelake.resolve.known_types import (
    attribute_type,
    has_attribute,
    lacks_attribute,
    make_type,
)
from codelake.resolve.library_classes import is_library_function
from codelake.resolve.module_values import module_attribute
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
from codelake.resolve.state import IMPLICIT, Frame, State, Tag, TimedRead

_TEXTS = frozenset({"__name__", "__qualname__", "__module__", "__doc__"})
_FUNCTION_TYPE = "types.FunctionType"
_GIVEN = frozenset(
    {FUNCTION, BOUND, PARTIAL, PROPERTY, DISPATCH, CACHED, EXTERNAL, EXTERNAL_INSTANCE}
)


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
            _load_external_instance(state, state.objects.text, frame, node, name, target, one)
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
        _hook(state, one, frame, node, "__getattribute__", name, None)
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
        variable = _in_order(state, frame, node, owner, name, variable)
        _watch_once(state, variable, target, one, frame, node, strong)
        return
    if "enum" in info.traits and name in ("value", "_value_", "name", "_name_"):
        if name in ("name", "_name_"):
            state.solver.put(target, state.objects.text)
        else:
            state.solver.link(state.field(one, "value"), target)
        return
    if outside is not None and (not guess or name not in state.stored_names):
        if not _put_external_attribute(state, outside, target):
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


def bind(
    found: Iterable[int], state: State, one: int, frame: Frame, node: int, target: int,
    only_data: bool = False,
) -> None:  # fmt: skip
    """Let an attribute of a class, read through an instance (or super), flow to a variable."""
    objects = state.objects
    for value in found:
        kind = objects.kind[value] if value >= 0 else 0
        if kind in (PROPERTY, CACHED):
            site = state.site(frame, node, target, ((), ()), IMPLICIT)
            state.solver.watch(state.field(value, "get"), state.call_method, state, site, one)
        elif only_data and not _is_data(state, value):
            continue
        elif kind in (FUNCTION, DISPATCH) or value in state.partial_methods:
            state.solver.put(target, objects.of(BOUND, value, one))
        elif kind == STATIC:
            state.solver.link(state.field(value, "function"), target)
        elif kind == CLASS_METHOD:
            owner = _class_of(state, one)
            state.solver.watch(state.field(value, "function"), _bind_to, state, owner, target)
        elif kind == INSTANCE and "__get__" in state.defined_names:
            descriptor(state, value, one, frame, node, target)
        else:
            state.solver.put(target, value)


def _is_data(state: State, value: int) -> bool:
    """Tell whether an attribute of a class comes before what the instance was given itself."""
    if "__set__" not in state.defined_names or value < 0 or state.objects.kind[value] != INSTANCE:
        return False
    return find_in(state, state.objects.first[value], "__set__")[0] is not None


def _bind_to(found: Iterable[int], state: State, owner: int, target: int) -> None:
    for value in found:
        state.solver.put(target, state.objects.of(BOUND, value, owner))


def _class_of(state: State, one: int) -> int:
    objects = state.objects
    if objects.kind[one] == INSTANCE:
        return int(objects.first[one])
    return one


def descriptor(state: State, value: int, one: int, frame: Frame, node: int, target: int) -> None:
    """Call `__get__` of an instance that is an attribute of a class."""
    variable, _, _, _ = find_in(state, state.objects.first[value], "__get__")
    if variable is None:
        state.solver.put(target, value)
        return
    receiver, owner = state.new(), state.new()
    if state.objects.kind[one] == INSTANCE:
        state.solver.put(receiver, one)
    else:
        state.solver.put(receiver, state.objects.none)
    state.solver.put(owner, _class_of(state, one))
    values = (((receiver, False), (owner, False)), ())
    site = state.site(frame, node, target, values, IMPLICIT)
    state.solver.watch(variable, state.call_method, state, site, value)


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
    if name == "__subclasses__":
        outside = f"builtins.type.{name}"
        state.solver.put(target, state.objects.of(EXTERNAL_METHOD, outside, one))
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
            state.solver.watch(variable, _bind_class, state, one, frame, node, target, name)
        return
    for meta in tuple(state.solver.get(info.metaclass)) if info.metaclass >= 0 else ():
        if meta >= 0 and state.objects.kind[meta] == CLASS:
            found, _, _, _ = find_in(state, meta, name)
            if found is not None:
                _watch_once(state, found, target, one, frame, node, False)
                return
    if "enum" in info.traits and name == "__members__":
        return
    if outside is not None and (not guess or name not in state.stored_names):
        state.solver.put(target, state.objects.of(EXTERNAL_METHOD, outside, one))
    else:
        state.deferred.append((one, name, frame, node, target, outside))


def _bind_class(
    found: Iterable[int], state: State, one: int, frame: Frame, node: int, target: int, member: str
) -> None:
    """Let an attribute, read through its class, flow to a variable."""
    objects = state.objects
    if "enum" not in state.classes[one].traits:
        member = ""
    for value in found:
        kind = objects.kind[value] if value >= 0 else 0
        if kind == STATIC:
            state.solver.link(state.field(value, "function"), target)
        elif kind == CLASS_METHOD:
            state.solver.watch(state.field(value, "function"), _bind_to, state, one, target)
        elif kind == INSTANCE and "__get__" in state.defined_names:
            descriptor(state, value, one, frame, node, target)
        elif member and kind == WRAPPER:
            made = objects.of(INSTANCE, one, f"member {member}")
            state.solver.link(state.field(value, "function"), state.field(made, "value"))
            state.solver.put(target, made)
        elif member and kind not in (FUNCTION, PROPERTY, CACHED, CLASS):
            state.solver.put(target, enum_member(state, one, member, value))
        else:
            state.solver.put(target, value)


def enum_member(state: State, cls: int, name: str, value: int) -> int:
    """Return the member of an enumeration; its value is what was assigned."""
    made = state.objects.of(INSTANCE, cls, f"member {name}")
    state.solver.put(state.field(made, "value"), value)
    return made


def _load_super(
    state: State, one: int, frame: Frame, node: int, name: str, target: int, _: Any
) -> None:
    cls, receiver = state.objects.first[one], state.objects.second[one]
    mine = _class_of(state, receiver)
    info = state.classes.get(mine)
    if info is not None:
        info.lookups.append((name, _from_super, state, cls, receiver, frame, node, name, target))
    _from_super((), state, cls, receiver, frame, node, name, target)


def _from_super(
    _: Any, state: State, cls: int, receiver: int, frame: Frame, node: int, name: str, target: int
) -> None:
    objects = state.objects
    mine = _class_of(state, receiver)
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
            state.solver.watch(variable, _bind_class, state, receiver, frame, node, target, "")
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
        state.solver.put(target, state.container("builtins.dict", ("module", file)))
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


def _load_external(
    state: State, one: int, _: Frame, __: int, name: str, target: int, ___: Any
) -> None:
    base = state.objects.first[one]
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


def _load_external_instance(
    state: State, one: int, frame: Frame, node: int, name: str, target: int, receiver: Any
) -> None:
    base = state.objects.first[one]
    if name == "__class__":
        state.solver.put(target, state.objects.external(base))
        return
    given = state.fields.get((one, name)) if state.objects.second[one] else None
    if given is not None and base == "builtins.ExceptionGroup":
        state.solver.link(given, target)
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
    if not _put_external_attribute(state, outside, target):
        state.solver.put(target, state.objects.of(EXTERNAL_METHOD, outside, number))


def _put_external_attribute(state: State, outside: str, target: int) -> bool:
    """Put the value of a data attribute of a class outside whose type is known."""
    found = attribute_type(outside)
    if found is None:
        return False
    state.solver.put(target, make_type(state, found))
    return True


def _load_container(
    state: State, one: int, frame: Frame, node: int, name: str, target: int, _: Any
) -> None:
    _load_external_instance(state, one, frame, node, name, target, None)


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


def store_attribute(
    found: Iterable[int], state: State, frame: Frame, node: int, name: str, value: int,
    tag: Tag | None = None,
) -> None:  # fmt: skip
    """Store a value to an attribute of the objects."""
    objects = state.objects
    for one in found:
        kind = objects.kind[one] if one >= 0 else 0
        if kind == INSTANCE:
            place = state.files[frame.file].definitions[frame.owner]
            fields.write(state, one, name, value, tag, place.name == "__init__")
            info = state.classes[objects.first[one]]
            variable, _, _, _ = find_in(state, info.number, name)
            if variable is not None:
                state.solver.watch(variable, _set_data, state, one, frame, node, value)
            if "__setattr__" in state.defined_names:
                _hook(state, one, frame, node, "__setattr__", name, value)
        elif kind == CLASS:
            state.solver.link(value, own_attribute(state, state.classes[one], name))
            patches.note_store(state, frame, node, one, name, value)
        elif kind == MODULE and objects.first[one] >= 0:
            patches.note_store(state, frame, node, one, name, value)
            _store_module(state, objects.first[one], name, value)
        elif kind in _GIVEN:
            state.solver.link(value, state.field(one, name))
        elif kind == SUPER:
            store_attribute((objects.second[one],), state, frame, node, name, value)


def _store_module(state: State, file: int, name: str, value: int) -> None:
    """Store to a name of a module from outside; its functions see it."""
    state.solver.link(value, state.global_variable(file, name))
    for use, (symbol, resolution, _) in state.files[file].names.items():
        is_same = symbol == name and resolution in ("global", "builtin")
        if is_same and state.bodies[file].owner_of.get(use):
            state.solver.link(value, state.base[file] + use)


def _set_data(
    found: Iterable[int], state: State, one: int, frame: Frame, node: int, value: int
) -> None:
    """Call what a property or a descriptor does when it is stored to."""
    for item in found:
        kind = state.objects.kind[item] if item >= 0 else 0
        if kind == PROPERTY:
            site = state.site(frame, node, state.new(), (((value, False),), ()), IMPLICIT)
            state.solver.watch(state.field(item, "set"), state.call_method, state, site, one)
        elif kind == INSTANCE and "__set__" in state.defined_names:
            order = order_of(state, state.objects.first[item])
            variable, _, _, _ = find(state, order, "__set__")
            if variable is not None:
                receiver = state.new()
                state.solver.put(receiver, one)
                values = (((receiver, False), (value, False)), ())
                site = state.site(frame, node, state.new(), values, IMPLICIT)
                state.solver.watch(variable, state.call_method, state, site, item)


def _hook(
    state: State, one: int, frame: Frame, node: int, hook: str, name: str, value: int | None
) -> None:
    variable, _, _, _ = find_in(state, state.objects.first[one], hook)
    if variable is None:
        return
    text = state.new()
    state.solver.put(text, state.objects.known_text(name))
    given = ((text, False),) if value is None else ((text, False), (value, False))
    site = state.site(frame, node, state.new(), (given, ()), IMPLICIT)
    state.solver.watch(variable, state.call_method, state, site, one)


def delete_attribute(
    found: Iterable[int], state: State, frame: Frame, node: int, name: str
) -> None:
    """Call what runs when an attribute is deleted."""
    for one in found:
        if one >= 0 and state.objects.kind[one] == INSTANCE:
            if "__delattr__" in state.defined_names:
                _hook(state, one, frame, node, "__delattr__", name, None)
            order = order_of(state, state.objects.first[one])
            variable, _, _, _ = find(state, order, name)
            if variable is not None:
                state.solver.watch(variable, _delete_data, state, one, frame, node)


def _delete_data(found: Iterable[int], state: State, one: int, frame: Frame, node: int) -> None:
    for item in found:
        kind = state.objects.kind[item] if item >= 0 else 0
        if kind == PROPERTY:
            site = state.site(frame, node, state.new(), ((), ()), IMPLICIT)
            state.solver.watch(state.field(item, "del"), state.call_method, state, site, one)
        elif kind == INSTANCE and "__delete__" in state.defined_names:
            order = order_of(state, state.objects.first[item])
            variable, _, _, _ = find(state, order, "__delete__")
            if variable is not None:
                receiver = state.new()
                state.solver.put(receiver, one)
                site = state.site(frame, node, state.new(), (((receiver, False),), ()), IMPLICIT)
                state.solver.watch(variable, state.call_method, state, site, item)


_LOADS: dict[int, Callable[..., None]] = {
    INSTANCE: _load_instance,
    CLASS: _load_class,
    SUPER: _load_super,
    FUNCTION: _load_function,
    BOUND: _load_bound,
    MODULE: _load_module,
    EXTERNAL: _load_external,
    EXTERNAL_INSTANCE: _load_external_instance,
    CONTAINER: _load_container,
    PROPERTY: _load_special,
    PARTIAL: _load_special,
    CACHED: _load_special,
    DISPATCH: _load_special,
    WRAPPER: _load_special,
    STATIC: _load_special,
    CLASS_METHOD: _load_special,
}
