"""Operations: operators, items, iteration, with, await, truth -> implicit calls and values.

    a + b         __add__ of a, or __radd__ of b
    for x in y    __iter__ of y, then __next__ of what it gives
    with m as x   __enter__ and __exit__ of m

Special methods are looked up in the class. Builtin values give builtin values: a text plus a text
is a text. Next: known_calls.py.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from codelake.resolve.attributes import load_attribute
from codelake.resolve.class_table import find, find_in, is_instance, order_of
from codelake.resolve.known_types import call_type, make_type
from codelake.resolve.objects import (
    CLASS,
    CONTAINER,
    EXTERNAL,
    EXTERNAL_INSTANCE,
    GENERIC,
    INSTANCE,
    UNKNOWN,
)
from codelake.resolve.state import IMPLICIT, Frame, State

_BINARY = {
    "+": "add", "-": "sub", "*": "mul", "/": "truediv", "//": "floordiv", "%": "mod",
    "**": "pow", "@": "matmul", "&": "and", "|": "or", "^": "xor", "<<": "lshift", ">>": "rshift",
}  # fmt: skip
_COMPARE = {
    "==": ("__eq__", "__eq__"), "!=": ("__ne__", "__ne__"), "<": ("__lt__", "__gt__"),
    "<=": ("__le__", "__ge__"), ">": ("__gt__", "__lt__"), ">=": ("__ge__", "__le__"),
}  # fmt: skip
_UNARY = {"-": "__neg__", "+": "__pos__", "~": "__invert__"}
_NUMBERS = frozenset({"builtins.int", "builtins.float", "builtins.bool", "builtins.complex"})
_SEQUENCES = frozenset({"builtins.list", "builtins.tuple", "builtins.set", "builtins.frozenset"})
_WITH_CLASS = frozenset({INSTANCE, CLASS})
_NO_VALUES: tuple[Any, Any] = ((), ())


def method(state: State, one: int, name: str) -> int | None:
    """Return the variable of a special method of an instance, or of the metaclass of a class."""
    if one < 0 or (name not in state.defined_names and name not in _ASSIGNED):
        return None
    kind = state.objects.kind[one]
    if kind == INSTANCE:
        return find_in(state, state.objects.first[one], name)[0]
    if kind == CLASS:
        info = state.classes[one]
        for meta in tuple(state.solver.get(info.metaclass)) if info.metaclass >= 0 else ():
            if meta >= 0 and state.objects.kind[meta] == CLASS:
                found = find(state, state.classes[meta].order, name)[0]
                if found is not None:
                    return found
    return None


_ASSIGNED = frozenset({"__iter__", "__hash__", "__bool__", "__radd__", "__ne__", "__str__"})


def call_at(
    state: State,
    variable: int,
    one: int,
    frame: Frame,
    node: int,
    result: int,
    given: tuple[int, ...] = (),
) -> None:
    """Call a special method implicitly at a node, with further arguments."""
    key = (variable, one, frame.number, node, given)
    known = state.special_results.get(key)
    if known is not None:
        state.solver.link(known, result)
        return
    state.special_results[key] = result
    values = (tuple([(item, False) for item in given]), ()) if given else _NO_VALUES
    site = state.site(frame, node, result, values, IMPLICIT)
    state.solver.watch(variable, state.call_method, state, site, one)


def call_special(
    found: Iterable[int], state: State, frame: Frame, node: int, name: str, result: int = -1
) -> None:
    """Call a special method of the objects; __str__ and __format__ fall back as Python does."""
    kinds = state.objects.kind
    for one in found:
        if one < 0 or kinds[one] not in _WITH_CLASS:
            continue
        for method_name in _FALLBACKS.get(name, (name,)):
            variable = method(state, one, method_name)
            if variable is not None:
                call_at(state, variable, one, frame, node, state.new() if result < 0 else result)
                break


_FALLBACKS = {
    "__str__": ("__str__", "__repr__"),
    "__format__": ("__format__", "__str__", "__repr__"),
    "__bool__": ("__bool__", "__len__"),
    "__iter__": ("__iter__", "__getitem__"),
    "__contains__": ("__contains__", "__iter__", "__getitem__"),
    "__int__": ("__int__", "__index__"),
}


def truth(found: Iterable[int], state: State, frame: Frame, node: int) -> None:
    """Ask objects for their truth."""
    if "__bool__" in state.defined_names or "__len__" in state.defined_names:
        call_special(found, state, frame, node, "__bool__")


# operators


def binary(
    state: State, frame: Frame, node: int, value: Any, other: Any, text: str, _: Any
) -> None:
    """Handle `a + b`."""
    name = _BINARY[text]
    _operate(state, frame, node, (f"__{name}__",), f"__r{name}__", value, other)


def inplace(
    state: State, frame: Frame, node: int, value: Any, other: Any, text: str, _: Any
) -> None:
    """Handle `a += b`."""
    name = _BINARY[text.rstrip("=") if text not in _BINARY else text]
    names = (f"__i{name}__", f"__{name}__")
    _operate(state, frame, node, names, f"__r{name}__", value, other)


def _operate(
    state: State, frame: Frame, node: int, names: tuple[str, ...], reflected: str,
    left: int, right: int,
) -> None:  # fmt: skip
    a, b, target = frame.offset + left, frame.offset + right, frame.offset + node
    state.solver.watch(a, _left, state, frame, node, names, reflected, a, b, target)
    state.solver.watch(b, _right, state, frame, node, names, reflected, a, b, target)


def _left(
    found: Iterable[int], state: State, frame: Frame, node: int, names: tuple[str, ...],
    reflected: str, a: int, b: int, target: int,
) -> None:  # fmt: skip
    objects = state.objects
    for one in found:
        kind = objects.kind[one] if one >= 0 else EXTERNAL_INSTANCE
        if kind in (INSTANCE, CLASS):
            for name in names:
                variable = method(state, one, name)
                if variable is None:
                    continue
                if not _goes_right(state, one, b, reflected):
                    call_at(state, variable, one, frame, node, target, (b,))
                break
            if kind == CLASS:  # a union of types
                state.solver.put(target, one)
        elif kind == CONTAINER:
            _concatenate(state, frame, node, one, a, b, target)
        elif kind == EXTERNAL_INSTANCE:
            _builtin_result(state, frame, node, one, names[-1], b, target)
        elif kind in (EXTERNAL, GENERIC) and names[-1] == "__or__":
            state.solver.put(target, one)


def _builtin_result(
    state: State, frame: Frame, node: int, one: int, name: str, b: int, target: int
) -> None:
    objects = state.objects
    base = "builtins.str" if one < 0 else objects.first[one]
    if base in _NUMBERS:
        state.solver.watch(b, _number_result, state, one, target)
    elif base in ("builtins.str", "builtins.bytes"):
        prefix = objects.texts[-one] if one < 0 else ""
        if name == "__mod__":
            prefix = prefix.partition("%")[0]
        if prefix.isidentifier():
            state.solver.put(target, objects.of(EXTERNAL_INSTANCE, base, prefix))
        else:
            state.solver.put(target, objects.instance_of(base))
        if name == "__mod__" and {"__str__", "__repr__"} & state.defined_names:
            state.solver.watch(b, _formatted, state, frame, node)
    else:
        kind = call_type(f"{base}.{name}")
        state.solver.put(target, make_type(state, kind) if kind else objects.instance_of(base))


def _formatted(found: Iterable[int], state: State, frame: Frame, node: int) -> None:
    """Call __str__ of what `%` puts into a text."""
    for one in found:
        if one >= 0 and state.objects.kind[one] == CONTAINER:
            every = state.containers[one].every
            state.solver.watch(every, call_special, state, frame, node, "__str__")
        else:
            call_special((one,), state, frame, node, "__str__")


def _number_result(found: Iterable[int], state: State, one: int, target: int) -> None:
    for other in found:
        if other >= 0 and state.objects.kind[other] == EXTERNAL_INSTANCE:
            name = state.objects.first[other]
            wider = other if name in ("builtins.float", "builtins.complex") else one
            state.solver.put(target, wider if name in _NUMBERS else other)
        elif other >= 0 and state.objects.kind[other] == CONTAINER:
            state.solver.put(target, other)


def _concatenate(
    state: State, frame: Frame, node: int, one: int, a: int, b: int, target: int
) -> None:
    """Add containers: the result holds the items of both."""
    objects = state.objects
    kind = objects.first[one]
    if frame.offset + state.bodies[frame.file].value(node) == target and a != b:
        made = state.container(kind, (frame.number, node))
        source, into = state.containers[one], state.containers[made]
        for variable in (into.loose, into.every):
            state.solver.link(source.every, variable)
        state.solver.link(source.names, into.names)
        state.solver.watch(b, _join, state, made)
        state.solver.put(target, made)


def _join(found: Iterable[int], state: State, made: int) -> None:
    for one in found:
        if one >= 0 and state.objects.kind[one] == CONTAINER and one != made:
            source, into = state.containers[one], state.containers[made]
            for variable in (into.loose, into.every):
                state.solver.link(source.every, variable)
            state.solver.link(source.names, into.names)


def _goes_right(state: State, one: int, b: int, reflected: str) -> bool:
    """Tell whether every right operand is of a subclass with a reflected method of its own."""
    rights = [item for item in state.solver.get(b) if item >= 0]
    return bool(rights) and all(_is_sub(state, one, item, reflected) for item in rights)


def _is_sub(state: State, one: int, other: int, reflected: str) -> bool:
    objects = state.objects
    if objects.kind[one] != INSTANCE or objects.kind[other] != INSTANCE:
        return False
    left, right = objects.first[one], objects.first[other]
    if left == right or left not in order_of(state, right):
        return False
    mine, theirs = method(state, one, reflected), method(state, other, reflected)
    return theirs is not None and theirs != mine


def _right(
    found: Iterable[int], state: State, frame: Frame, node: int, names: tuple[str, ...],
    reflected: str, a: int, _: int, target: int,
) -> None:  # fmt: skip
    for one in found:
        variable = method(state, one, reflected)
        if variable is not None:
            state.solver.watch(
                a, _right_late, state, frame, node, names, reflected, one, variable, a, target
            )


def _right_late(
    found: Iterable[int], state: State, frame: Frame, node: int, names: tuple[str, ...],
    reflected: str, one: int, variable: int, a: int, target: int,
) -> None:  # fmt: skip
    for left in found:
        if all(method(state, left, name) is None for name in names) or (
            left >= 0 and _is_sub(state, left, one, reflected)
        ):
            call_at(state, variable, one, frame, node, target, (a,))


def compare(
    state: State, frame: Frame, node: int, value: Any, other: Any, text: str, _: Any
) -> None:
    """Handle `a < b`, `a in b`."""
    target = frame.offset + node
    state.solver.put(target, state.objects.instance_of("builtins.bool"))
    a, b = frame.offset + value, frame.offset + other
    if text in ("in", "not in"):
        if {"__contains__", "__iter__", "__getitem__", "__eq__"} & state.defined_names:
            state.solver.watch(b, _contains, state, frame, node, a)
    elif text in _COMPARE:
        names = _COMPARE[text]
        if not {*names, "__eq__", *_ORDERED}.isdisjoint(state.defined_names):
            state.solver.watch(a, _compared, state, frame, node, names, b, target)
            if text not in ("==", "!="):
                state.solver.watch(b, _compared_right, state, frame, node, names, a, target)


def _compared(
    found: Iterable[int], state: State, frame: Frame, node: int, names: tuple[str, str], b: int,
    target: int,
) -> None:  # fmt: skip
    for one in found:
        variable = method(state, one, names[0])
        if variable is None and names[0] == "__ne__":
            variable = method(state, one, "__eq__")
        if variable is None:
            variable = _total_order(state, one, names[0])
        if variable is not None:
            call_at(state, variable, one, frame, node, target, (b,))


def _total_order(state: State, one: int, name: str) -> int | None:
    """Return the method on which functools.total_ordering builds a comparison."""
    if name not in _ORDERED or one < 0 or state.objects.kind[one] != INSTANCE:
        return None
    order = order_of(state, state.objects.first[one])
    if not any("ordered" in state.classes[cls].traits for cls in order if cls in state.classes):
        return None
    return next((found for other in _ORDERED if (found := method(state, one, other))), None)


_ORDERED = ("__lt__", "__le__", "__gt__", "__ge__")


def _compared_right(
    found: Iterable[int], state: State, frame: Frame, node: int, names: tuple[str, str], a: int,
    target: int,
) -> None:  # fmt: skip
    for one in found:
        variable = method(state, one, names[1])
        lefts = tuple(state.solver.get(a))
        if variable is not None and any(method(state, one, names[0]) is None for one in lefts):
            call_at(state, variable, one, frame, node, target, (a,))


def _contains(found: Iterable[int], state: State, frame: Frame, node: int, a: int) -> None:
    for one in found:
        if one >= 0 and state.objects.kind[one] == CONTAINER:
            if "__eq__" in state.defined_names:
                kind = state.objects.first[one]
                hashes = kind in ("builtins.set", "builtins.dict", "builtins.frozenset")
                container = state.containers[one]
                items = container.names if kind == "builtins.dict" else container.every
                if hashes:
                    call_later(state, a, frame, node, "__hash__", ())
                call_later(state, items, frame, node, "__eq__", (a,))
            continue
        for name in ("__contains__", "__iter__", "__getitem__"):
            variable = method(state, one, name)
            if variable is not None:
                result = state.new()
                call_at(
                    state, variable, one, frame, node, result, (a,) if name != "__iter__" else ()
                )
                if name == "__iter__":
                    state.solver.watch(result, _next, state, frame, node, state.new(), "__next__")
                break


def call_later(
    state: State, variable: int, frame: Frame, node: int, name: str, given: tuple[int, ...]
) -> None:
    """Call a special method of whatever arrives at a variable."""
    if name in state.defined_names:
        state.solver.watch(variable, _call_given, state, frame, node, name, given)


def _call_given(
    found: Iterable[int], state: State, frame: Frame, node: int, name: str, given: tuple[int, ...]
) -> None:
    for one in found:
        variable = method(state, one, name)
        if variable is not None:
            call_at(state, variable, one, frame, node, state.new(), given)


def hashed(state: State, frame: Frame, node: int, variable: int) -> None:
    """Hash what goes into a set or becomes a key."""
    call_later(state, variable, frame, node, "__hash__", ())


def unary(state: State, frame: Frame, node: int, value: Any, other: Any, text: str, _: Any) -> None:
    """Handle `-a` and `not a`."""
    source, target = frame.offset + value, frame.offset + node
    if text == "not":
        state.solver.put(target, state.objects.instance_of("builtins.bool"))
        state.solver.watch(source, truth, state, frame, other)
        return
    name = _UNARY[text]
    state.solver.watch(source, _unary, state, frame, node, name, target)


def _unary(
    found: Iterable[int], state: State, frame: Frame, node: int, name: str, target: int
) -> None:
    for one in found:
        variable = method(state, one, name)
        if variable is not None:
            call_at(state, variable, one, frame, node, target)
        elif one >= 0 and state.objects.kind[one] == EXTERNAL_INSTANCE:
            state.solver.put(target, one)


# items


def load_item(
    found: Iterable[int], state: State, frame: Frame, node: int, key: str | None, key_var: int,
    target: int,
) -> None:  # fmt: skip
    """Let `a[k]` flow to a variable."""
    objects = state.objects
    for one in found:
        kind = objects.kind[one] if one >= 0 else 0
        if kind == CONTAINER:
            _load_container_item(state, frame, one, node, key, key_var, target)
        elif kind == INSTANCE:
            _load_instance_item(state, frame, one, node, key, key_var, target)
        elif kind == CLASS:
            _load_class_item(state, frame, one, node, key_var, target)
        elif kind in (EXTERNAL, GENERIC):
            state.solver.put(target, one)  # a generic alias
        elif one < 0 or (kind == EXTERNAL_INSTANCE and objects.first[one] == "builtins.str"):
            state.solver.put(target, objects.text)
        elif kind == EXTERNAL_INSTANCE and objects.first[one] == "builtins.bytes":
            sliced = key is not None and key.startswith("slice")
            state.solver.put(target, one if sliced else objects.instance_of("builtins.int"))
        elif kind == EXTERNAL_INSTANCE and objects.first[one] == "re.Match":
            state.solver.put(target, objects.text)


def _load_container_item(
    state: State, frame: Frame, one: int, node: int, key: str | None, key_var: int, target: int
) -> None:
    if key is not None and key.startswith("slice"):
        state.solver.put(target, _sliced(state, one, key, (frame.number, node)))
    elif key is None and key_var >= 0:
        state.solver.watch(key_var, _load_by_keys, state, frame, node, one, target)
        if not state.solver.get(key_var):
            state.solver.link(state.containers[one].every, target)
    else:
        state.load_item(one, key, target)


def _load_by_keys(
    found: Iterable[int], state: State, frame: Frame, node: int, one: int, target: int
) -> None:
    """Load by keys that are values: texts with a known value name their item."""
    container = state.containers[one]
    for key in found:
        text = f"str:{state.objects.texts[-key]}" if key < 0 else ""
        if key < 0 and text in container.keys:
            state.load_item(one, text, target)
        else:
            state.solver.link(container.every, target)
        if key >= 0 and state.objects.kind[key] == INSTANCE:
            is_mapping = state.objects.first[one] == "builtins.dict"
            names = ("__hash__", "__eq__") if is_mapping else ("__index__",)
            for name in names:
                call_special((key,), state, frame, node, name)


def _sliced(state: State, one: int, key: str, place: tuple[int, int]) -> int:
    """Return a slice of a container; one from a constant on keeps the positions."""
    kind = state.objects.first[one]
    made = state.container(kind, place)
    if made == one:
        return made
    source, into = state.containers[one], state.containers[made]
    lower, _, rest = key.removeprefix("slice:").partition(":")
    if key != "slice" and rest == ":" and (lower == "" or lower.isdigit()):
        start = int(lower or 0)
        state.solver.link(source.loose, into.loose)
        state.solver.link(source.loose, into.every)

        def listen(name: str, variable: int) -> None:
            if name.startswith("int:") and int(name[4:]) >= start:
                state.store_item(made, f"int:{int(name[4:]) - start}", variable)

        for name, variable in tuple(source.keys.items()):
            listen(name, variable)
        if len(source.listeners) < 50:
            source.listeners.append(listen)
        return made
    state.solver.link(source.every, into.loose)
    state.solver.link(source.every, into.every)
    return made


def _load_instance_item(
    state: State, frame: Frame, one: int, node: int, key: str | None, key_var: int, target: int
) -> None:
    variable = method(state, one, "__getitem__")
    if variable is not None:
        given = key_var if key_var >= 0 else state.new()
        call_at(state, variable, one, frame, node, target, (given,))
        return
    info = state.classes[state.objects.first[one]]
    if "namedtuple" in info.traits and key is not None and key.startswith("int:"):
        from codelake.resolve.known_classes import field_names

        names = field_names(state, info)
        index = int(key[4:])
        if -len(names) <= index < len(names):
            load_attribute((one,), state, frame, node, names[index], target)
        return
    items = state.fields.get((one, " items"))
    if items is not None:
        state.solver.link(items, target)
    missing = method(state, one, "__missing__")
    if missing is not None:
        given = key_var if key_var >= 0 else state.new()
        call_at(state, missing, one, frame, node, target, (given,))
    state.solver.link(state.field(one, " items"), target)


def _load_class_item(
    state: State, frame: Frame, one: int, node: int, key_var: int, target: int
) -> None:
    info = state.classes[one]
    if "enum" in info.traits:
        from codelake.resolve.known_classes import enum_members

        for member in enum_members(state, one):
            state.solver.put(target, member)
        return
    variable = method(state, one, "__getitem__")
    if variable is not None:
        call_at(state, variable, one, frame, node, target, (key_var,) if key_var >= 0 else ())
        return
    variable = find(state, info.order, "__class_getitem__")[0]
    if variable is not None:
        call_at(state, variable, one, frame, node, target, (key_var,) if key_var >= 0 else ())
    else:
        state.solver.put(target, one)


def store_item(
    found: Iterable[int], state: State, frame: Frame, node: int, key: str | None, key_var: int,
    value: int,
) -> None:  # fmt: skip
    """Store to `a[k]`."""
    for one in found:
        kind = state.objects.kind[one] if one >= 0 else 0
        if kind == CONTAINER:
            container = state.containers[one]
            if key is not None and key.startswith("slice"):
                spread(state, frame, node, value, one)
            elif key is None and key_var >= 0:
                state.solver.watch(key_var, _store_by_keys, state, one, value)
                state.solver.link(value, container.every)
                state.solver.link(key_var, container.names)
                hashed(state, frame, node, key_var)
            else:
                state.store_item(one, key, value)
                if key is not None and key.startswith("str:"):
                    text = state.objects.known_text(key[4:])
                    state.solver.put(container.names, text)
            module = state.objects.second[one]
            if module.__class__ is tuple and module[0] == "module" and key:
                state.solver.link(value, state.global_variable(module[1], key[4:]))
        elif kind == INSTANCE:
            variable = method(state, one, "__setitem__")
            if variable is not None:
                given = key_var if key_var >= 0 else state.new()
                call_at(state, variable, one, frame, node, state.new(), (given, value))
            else:
                state.solver.link(value, state.field(one, " items"))


def _store_by_keys(found: Iterable[int], state: State, one: int, value: int) -> None:
    for key in found:
        if key < 0:
            state.store_item(one, f"str:{state.objects.texts[-key]}", value)
            state.solver.link(value, state.containers[one].every)
        else:
            state.store_item(one, None, value)


def delete_item(found: Iterable[int], state: State, frame: Frame, node: int) -> None:
    """Call `__delitem__`."""
    call_special(found, state, frame, node, "__delitem__")


def merge_mapping(found: Iterable[int], state: State, made: int) -> None:
    """Let the items of mappings be items of another one."""
    for one in found:
        if one < 0 or state.objects.kind[one] != CONTAINER or one == made:
            continue
        source, into = state.containers[one], state.containers[made]

        def listen(key: str, variable: int, made: int = made) -> None:
            state.store_item(made, key, variable)

        for key, variable in tuple(source.keys.items()):
            listen(key, variable)
        if len(source.listeners) < 50:
            source.listeners.append(listen)
        state.solver.link(source.loose, into.loose)
        state.solver.link(source.loose, into.every)
        state.solver.link(source.names, into.names)


def spread(state: State, frame: Frame, node: int, variable: int, made: int) -> None:
    """Let the items of what is unpacked be items of a container."""
    container = state.containers[made]
    items = state.new()
    iterate(state, frame, node, variable, items, False)
    state.solver.link(items, container.loose)
    state.solver.link(items, container.every)


def unpack(
    found: Iterable[int], state: State, frame: Frame, node: int, index: int, target: int
) -> None:
    """Let the item at an index of what is taken apart flow to a variable."""
    objects = state.objects
    for one in found:
        kind = objects.kind[one] if one >= 0 else 0
        if kind == CONTAINER and objects.first[one] != "builtins.dict":
            state.load_item(one, f"int:{index}", target)
        elif kind == INSTANCE and "namedtuple" in state.classes[objects.first[one]].traits:
            from codelake.resolve.known_classes import field_names

            names = field_names(state, state.classes[objects.first[one]])
            if -len(names) <= index < len(names):
                load_attribute((one,), state, frame, node, names[index], target)
        else:
            place = state.files[frame.file].parents[node]
            iterate_object(state, frame, place, one, target, False)


def unpack_rest(
    found: Iterable[int], state: State, frame: Frame, node: int, before: int, behind: int, made: int
) -> None:
    """Let the items that a starred target takes be items of its list."""
    for one in found:
        if one >= 0 and state.objects.kind[one] == CONTAINER:
            container = state.containers[one]
            last = None if container.size is None else container.size - behind

            def listen(key: str, variable: int, last: int | None = last) -> None:
                if key.startswith("int:"):
                    index = int(key[4:])
                    if index >= before and (last is None or index < last):
                        state.store_item(made, f"int:{index - before}", variable)

            for key, variable in tuple(container.keys.items()):
                listen(key, variable)
            container.listeners.append(listen)
            state.solver.link(container.loose, state.containers[made].loose)
            state.solver.link(container.loose, state.containers[made].every)
        else:
            items = state.new()
            iterate_object(state, frame, node, one, items, False)
            state.store_item(made, None, items)


# iteration


def iterate(
    state: State, frame: Frame, node: int, variable: int, target: int, is_async: bool
) -> None:
    """Let the elements of what is iterated flow to a variable; the calls happen at a node."""
    state.solver.watch(variable, _iterate, state, frame, node, target, is_async)


def _iterate(
    found: Iterable[int], state: State, frame: Frame, node: int, target: int, is_async: bool
) -> None:
    for one in found:
        iterate_object(state, frame, node, one, target, is_async)


def iterate_object(
    state: State, frame: Frame, node: int, one: int, target: int, is_async: bool
) -> None:
    """Let the elements of one object flow to a variable."""
    objects = state.objects
    kind = objects.kind[one] if one >= 0 else 0
    if one < 0:
        state.solver.put(target, objects.text)
    elif kind == CONTAINER:
        container = state.containers[one]
        is_mapping = objects.first[one] in ("builtins.dict", "collections.defaultdict")
        state.solver.link(container.names if is_mapping else container.every, target)
    elif kind == EXTERNAL_INSTANCE:
        name = objects.first[one]
        if name in ("builtins.str", "io.TextIOWrapper", "io.StringIO"):
            state.solver.put(target, objects.text)
        elif name in ("builtins.range", "builtins.bytes"):
            state.solver.put(target, objects.instance_of("builtins.int"))
    elif kind == INSTANCE:
        _iterate_instance(state, frame, node, one, target, is_async)
    elif kind == CLASS:
        variable = method(state, one, "__iter__")
        if variable is not None:
            _iterate_by(state, frame, node, one, variable, target, "__next__")
        elif "enum" in state.classes[one].traits:
            from codelake.resolve.known_classes import enum_members

            for member in enum_members(state, one):
                state.solver.put(target, member)


def _iterate_instance(
    state: State, frame: Frame, node: int, one: int, target: int, is_async: bool
) -> None:
    first, then = ("__aiter__", "__anext__") if is_async else ("__iter__", "__next__")
    variable = method(state, one, first)
    if variable is not None:
        _iterate_by(state, frame, node, one, variable, target, then)
        return
    variable = method(state, one, "__getitem__")
    if variable is not None:
        index = state.new()
        state.solver.put(index, state.objects.instance_of("builtins.int"))
        call_at(state, variable, one, frame, node, target, (index,))
        return
    info = state.classes[state.objects.first[one]]
    if "namedtuple" in info.traits:
        from codelake.resolve.known_classes import field_names

        for name in field_names(state, info):
            load_attribute((one,), state, frame, node, name, target)
    else:
        state.solver.link(state.field(one, " items"), target)


def _iterate_by(
    state: State, frame: Frame, node: int, one: int, variable: int, target: int, then: str
) -> None:
    iterator = state.new()
    call_at(state, variable, one, frame, node, iterator)
    state.solver.watch(iterator, _next, state, frame, node, target, then)


def _next(
    found: Iterable[int], state: State, frame: Frame, node: int, target: int, then: str
) -> None:
    for one in found:
        kind = state.objects.kind[one] if one >= 0 else 0
        if kind == INSTANCE:
            variable = method(state, one, then)
            if variable is not None:
                result = state.new() if then == "__anext__" else target
                call_at(state, variable, one, frame, node, result)
                if then == "__anext__":
                    state.solver.watch(result, _awaited, state, frame, node, target)
        else:
            iterate_object(state, frame, node, one, target, False)


def delegate(found: Iterable[int], state: State, frame: Frame, target: int) -> None:
    """Let what a generator returns be the value of `yield from`, and pass what is sent."""
    for one in found:
        inner = state.extra.get(one) if one >= 0 else None
        if isinstance(inner, Frame):
            state.solver.link(inner.result, target)
            state.solver.link(frame.sent, inner.sent)


# with, await, raise, match


def enter(
    found: Iterable[int], state: State, frame: Frame, node: int, is_async: bool, result: int,
    leaves: bool = True,
) -> None:  # fmt: skip
    """Enter and leave context managers."""
    first, last = ("__aenter__", "__aexit__") if is_async else ("__enter__", "__exit__")
    objects = state.objects
    for one in found:
        kind = objects.kind[one] if one >= 0 else 0
        if kind == INSTANCE:
            variable = method(state, one, first)
            if variable is not None:
                made = state.new() if is_async else result
                call_at(state, variable, one, frame, node, made)
                if is_async:
                    state.solver.watch(made, _awaited, state, frame, node, result)
            else:
                order = order_of(state, objects.first[one])
                if find(state, order, first)[2] is not None:
                    state.solver.put(result, one)
            variable = method(state, one, last) if leaves else None
            if variable is not None:
                given = tuple(state.new() for _ in range(3))
                call_at(state, variable, one, frame, node, state.new(), given)
        elif kind == CONTAINER:
            if isinstance(state.extra.get(one), Frame):  # under contextlib.contextmanager
                state.solver.link(state.containers[one].every, result)
            elif objects.first[one] == "contextlib.closing":
                state.solver.link(state.containers[one].every, result)
                call_later(state, state.containers[one].every, frame, node, "close", ())
            else:
                state.solver.put(result, one)
        elif kind == EXTERNAL_INSTANCE:
            state.solver.put(result, one)
            if objects.first[one] in ("contextlib.ExitStack", "contextlib.AsyncExitStack"):
                entered = state.field(-frame.number - 1, "exit stack")
                call_later(state, entered, frame, node, "__exit__", ())
                call_later(state, entered, frame, node, "__aexit__", ())


def await_step(
    state: State, frame: Frame, node: int, value: Any, _: Any, __: str, ___: Any
) -> None:
    """Handle `await a`."""
    state.solver.watch(frame.offset + value, _awaited, state, frame, node, frame.offset + node)


def _awaited(found: Iterable[int], state: State, frame: Frame, node: int, target: int) -> None:
    awaited(found, state, frame, node, target)


def awaited(found: Iterable[int], state: State, frame: Frame, node: int, target: int) -> None:
    """Let the result of awaitables flow to a variable."""
    for one in found:
        kind = state.objects.kind[one] if one >= 0 else 0
        if kind == CONTAINER:
            state.solver.link(state.containers[one].every, target)
        elif kind == INSTANCE:
            variable = method(state, one, "__await__")
            if variable is not None:
                made = state.new()
                call_at(state, variable, one, frame, node, made)
                state.solver.watch(made, delegate, state, frame, target)
        elif kind in (EXTERNAL_INSTANCE, UNKNOWN):
            state.solver.put(target, one)


def raise_step(
    state: State, frame: Frame, node: int, value: Any, other: Any, _: str, __: Any
) -> None:
    """Handle `raise C` and `raise c`."""
    for part in (value, other):
        if part is not None:
            state.solver.watch(frame.offset + part, _raised, state, frame, node)


def _raised(found: Iterable[int], state: State, frame: Frame, node: int) -> None:
    for one in found:
        kind = state.objects.kind[one] if one >= 0 else 0
        if kind == CLASS:
            site = state.site(frame, node, state.raised, ((), ()), IMPLICIT)
            state.call((one,), state, site)
        elif kind == INSTANCE:
            state.solver.put(state.raised, one)


def handler_step(
    state: State, frame: Frame, node: int, value: Any, _: Any, __: str, ___: Any
) -> None:
    """Handle `except C as e`: instances of C that are raised anywhere."""
    if value is None:
        return
    target = frame.offset + node
    state.solver.watch(frame.offset + value, _caught, state, frame, target)


def _caught(found: Iterable[int], state: State, frame: Frame, target: int) -> None:
    objects = state.objects
    for one in found:
        kind = objects.kind[one] if one >= 0 else 0
        if kind == CONTAINER:
            key = ("caught", one, target)
            if key not in state.bound:
                state.bound.add(key)
                state.solver.watch(state.containers[one].every, _caught, state, frame, target)
        elif kind == CLASS:
            state.solver.watch(state.raised, _pass_raised, state, one, target)
            state.caught.append((target, one))
        elif kind == EXTERNAL:
            state.solver.put(target, objects.instance_of(objects.first[one]))
            state.solver.watch(state.raised, _pass_raised, state, one, target)


def _pass_raised(found: Iterable[int], state: State, cls: int, target: int) -> None:
    for one in found:
        if is_instance(state, one, (cls,), False):
            state.solver.put(target, one)


def match_argument(
    found: Iterable[int], state: State, frame: Frame, node: int, value: int, index: int, target: int
) -> None:
    """Match a positional pattern of a class: the attribute that the class names for it."""
    from codelake.resolve.known_classes import match_names

    for cls in found:
        kind = state.objects.kind[cls] if cls >= 0 else 0
        if kind == CLASS:
            names = match_names(state, cls)
            if index < len(names):
                state.solver.watch(value, load_attribute, state, frame, node, names[index], target)
        elif kind == EXTERNAL and index == 0:
            state.solver.link(value, target)
