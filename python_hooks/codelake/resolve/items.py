"""Items: subscripts and unpacking, in containers and through special methods.

    d["k"]        the item of that key, and those whose keys are not known
    d[Color.RED]  the same: texts, classes, functions and members of enumerations are keys
    a, *b = c     items by position, as far as positions are known

Next: operators.py.
"""

from __future__ import annotations

from collections.abc import Iterable

from codelake.resolve import fields
from codelake.resolve.attributes import load_attribute
from codelake.resolve.class_table import find
from codelake.resolve.enumerations import enum_members
from codelake.resolve.iteration import iterate, iterate_object
from codelake.resolve.known_classes import field_names, match_names
from codelake.resolve.known_types import is_class_name
from codelake.resolve.objects import (
    CLASS,
    CONTAINER,
    EXTERNAL,
    EXTERNAL_INSTANCE,
    FUNCTION,
    INSTANCE,
    MAPPINGS,
    SEQUENCES,
)
from codelake.resolve.special_methods import call_at, call_special, hashed, method
from codelake.resolve.state import Container, Frame, State, Tag, TimedRead

_IN_ORDER = ("builtins.list", "builtins.tuple", "builtins.generator", "builtins.zip")
_PLAIN_KEYS = frozenset({"int", "float", "bool", "bytes", "complex"})
_SLICE_PARTS = 3  # of slice:start:stop:step
_REVERSED = "slice:::-1"
_POSITIONS = 16  # items of joined sequences that are told apart
_MOST_LISTENERS = 50


def load_item(
    found: Iterable[int], state: State, frame: Frame, node: int, key: str | None, key_var: int,
    target: int, strong: tuple[int, ...] | TimedRead | None = None,
) -> None:  # fmt: skip
    """Let `a[k]` flow to a variable; `strong` is what was stored there just before."""
    objects = state.objects
    for one in found:
        kind = objects.kind[one] if one >= 0 else 0
        if kind == CONTAINER and isinstance(strong, TimedRead) and key is not None:
            state.read_in_order(one, key, strong, target)
            state.solver.link(state.containers[one].loose, target)
        elif kind == CONTAINER and strong is not None and not isinstance(strong, TimedRead):
            for value in strong:
                state.solver.link(value, target)
        elif kind == CONTAINER:
            _load_container_item(state, frame, one, node, key, key_var, target)
        elif kind == INSTANCE:
            _load_instance_item(state, frame, one, node, key, key_var, target)
        elif kind == CLASS:
            if state.classes[one].is_open():  # what it is may be known later
                state.solver.at_last(_load_class_item, state, frame, one, node, key_var, target)
            else:
                _load_class_item((), state, frame, one, node, key_var, target)
        elif kind == EXTERNAL:
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
    owner = _owner_of(state, one, "dict")
    if owner is not None and key is not None and key.startswith("str:"):
        fields.read(state, owner, key[4:], target)
    if key is not None and key.startswith("slice"):
        state.solver.put(target, _sliced(state, one, key, (frame.number, node)))
    elif key is None and key_var >= 0:
        state.solver.watch(key_var, _load_by_keys, state, frame, node, one, target)
        if not state.solver.get(key_var):
            state.solver.at_last(_load_unknown, state, one, key_var, target)
    else:
        state.load_item(one, key, target)


def _owner_of(state: State, one: int, kind: str) -> int | None:
    """Return the module (its file) or instance whose names or attributes a mapping holds."""
    place = state.objects.second[one]
    return int(place[1]) if place.__class__ is tuple and place[0] == kind else None


def _load_by_keys(
    found: Iterable[int], state: State, frame: Frame, node: int, one: int, target: int
) -> None:
    """Load by keys that are values: those that are known name their item."""
    container = state.containers[one]
    for key in found:
        text = key_of(state, key)
        if text is None:
            state.solver.link(container.every, target)
        elif text in container.keys:
            state.load_item(one, text, target)
        else:
            state.solver.at_last(_load_known, state, one, text, target)
        if key >= 0 and state.objects.kind[key] == INSTANCE:
            is_mapping = state.objects.first[one] in MAPPINGS
            names = ("__hash__", "__eq__") if is_mapping else ("__index__",)
            for name in names:
                call_special((key,), state, frame, node, name)


def _load_unknown(_: Iterable[int], state: State, one: int, key: int, target: int) -> None:
    if not state.solver.get(key):
        state.solver.link(state.containers[one].every, target)


def _load_known(_: Iterable[int], state: State, one: int, key: str, target: int) -> None:
    """Load by a known key; any item where it is not stored and other keys are not known."""
    container = state.containers[one]
    names = state.solver.get(container.names)
    if key in container.keys or (names and all(key_of(state, name) for name in names)):
        state.load_item(one, key, target)
    else:
        state.solver.link(container.every, target)


def key_of(state: State, key: int) -> str | None:
    """Return the text of a key that is one value: a text, a class, a function, a member."""
    if key < 0:
        return f"str:{state.objects.texts[-key]}"
    kind = state.objects.kind[key]
    is_member = kind == INSTANCE and str(state.objects.second[key]).startswith("member ")
    is_class = kind == EXTERNAL and is_class_name(state.objects.first[key])
    return f"object:{key}" if kind in (CLASS, FUNCTION) or is_member or is_class else None


def key_object(state: State, key: str) -> int | None:
    """Return the object that a key is."""
    kind, _, text = key.partition(":")
    if kind == "str":
        return state.objects.known_text(text)
    if kind == "object":
        return int(text)
    return state.objects.instance_of(f"builtins.{kind}") if kind in _PLAIN_KEYS else None


def _sliced(state: State, one: int, key: str, place: tuple[int, int]) -> int:
    """Return a slice of a container; constant bounds keep the positions."""
    kind = state.objects.first[one]
    made = state.container(kind, place)
    if made == one:
        return made
    source, into = state.containers[one], state.containers[made]
    bounds = _bounds(key, source.size)
    if key == _REVERSED and source.size is not None:
        _take_reversed(state, source, made, source.size)
    elif bounds is None:
        state.solver.link(source.every, into.loose)
        state.solver.link(source.every, into.every)
    else:
        take_part(state, one, made, *bounds)
    return made


def _take_reversed(state: State, source: Container, made: int, size: int) -> None:
    into = state.containers[made]
    for key, variable in tuple(source.keys.items()):
        if key.startswith("int:") and 0 <= int(key[4:]) < size:
            state.store_item(made, f"int:{size - 1 - int(key[4:])}", variable)
    for variable in (into.loose, into.every):
        state.solver.link(source.loose, variable)
    state.solver.watch(source.loose, _loosen, state, source, into)  # it has grown since


def _bounds(key: str, size: int | None) -> tuple[int, int | None] | None:
    """Return the first position of a slice and the one behind it, None when not known."""
    parts = key.split(":")[1:]
    if len(parts) != _SLICE_PARTS or parts[2] not in ("", "1"):
        return None
    lower, upper = (int(part) if part else None for part in parts[:2])
    if size is None and ((lower or 0) < 0 or (upper or 0) < 0):
        return None
    start, stop = (one + (size or 0) if one is not None and one < 0 else one
                   for one in (lower, upper))  # fmt: skip
    return max(0, start or 0), None if stop is None else max(0, stop)


def take_part(
    state: State, one: int, made: int, start: int, stop: int | None, behind: int = 0
) -> None:
    """Let the items of a sequence between two positions be items of another, behind some."""
    source, into = state.containers[one], state.containers[made]

    def listen(key: str, variable: int) -> None:
        index = int(key[4:]) if key.startswith("int:") else -1
        if index < start or (stop is not None and index >= stop):
            return
        if behind:  # in turn: `xs = [f] + xs` may come back, and again
            state.solver.later(_store_behind, state, made, index - start + behind, variable)
        else:
            state.store_item(made, f"int:{index - start}", variable)

    for key, variable in tuple(source.keys.items()):
        listen(key, variable)
    if len(source.listeners) < _MOST_LISTENERS:
        source.listeners.append(listen)
    state.solver.link(source.loose, into.loose)
    state.solver.link(source.loose, into.every)


def _store_behind(_: Iterable[int], state: State, made: int, index: int, value: int) -> None:
    state.store_item(made, f"int:{index}" if index < _POSITIONS else None, value)


def growth(state: State, frame: Frame, node: int, one: int) -> int | None:
    """Return the position at which a call or `+=` adds to a list, where it is known."""
    display, place = state.bodies[frame.file].growing.places.get(node, (-1, -1))
    return place if state.objects.second[one] == (frame.number, display) else None


def settled(state: State, frame: Frame, node: int, one: int) -> int | None:
    """Return the variable of what a method gives out of a container, where that is known."""
    display, value = state.bodies[frame.file].settled.get(node, (-1, -1))
    is_it = state.objects.second[one] == (frame.number, display)
    return state.value(frame, value) if is_it else None


def copy_positions(
    found: Iterable[int], state: State, frame: Frame, node: int, number: int
) -> None:
    """Keep the positions of a sequence that is copied; other items are anywhere."""
    for one in found:
        if _is_in_order(state, one) and one != number:
            take_part(state, one, number, 0, None)
        else:
            iterate_object(state, frame, node, one, state.containers[number].loose, False)


def copy_items(found: Iterable[int], state: State, number: int, item: int) -> None:
    """Keep the positions of a sequence whose items a comprehension gives; others are anywhere."""
    for one in found:
        if _is_in_order(state, one) and one != number:
            take_part(state, one, number, 0, None)
        else:
            state.solver.link(item, state.containers[number].loose)


def _is_in_order(state: State, one: int) -> bool:
    return one in state.containers and state.objects.first[one] in _IN_ORDER


def take_at(found: Iterable[int], state: State, one: int, place: int) -> None:
    """Let the items of sequences be items of a list from a position on."""
    for other in found:
        if other in state.containers and other != one:
            take_part(state, other, one, 0, None, place)


def follow(state: State, one: int, made: int, before: Container) -> None:
    """Let the items of a container be items of a sequence, behind those of another one."""
    source, into = state.containers[one], state.containers[made]
    state.solver.link(source.every, into.every)
    if before.size is None or state.objects.first[one] not in SEQUENCES:
        state.solver.link(source.every, into.loose)
        return
    take_part(state, one, made, 0, None, before.size)
    state.solver.watch(before.loose, _loosen, state, source, into)  # it has grown since


def _loosen(_: Iterable[int], state: State, source: Container, into: Container) -> None:
    state.solver.link(source.every, into.loose)


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
    _: Iterable[int], state: State, frame: Frame, one: int, node: int, key_var: int, target: int
) -> None:
    info = state.classes[one]
    if "enum" in info.traits:
        enum_members(state, one, target)
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
    value: int, tag: Tag | None = None,
) -> None:  # fmt: skip
    """Store to `a[k]`."""
    for one in found:
        kind = state.objects.kind[one] if one >= 0 else 0
        if kind == CONTAINER:
            container = state.containers[one]
            if key is not None and key.startswith("slice"):
                spread(state, frame, node, value, one)
            elif key is None and key_var >= 0:
                state.solver.watch(key_var, store_by_keys, state, one, value)
                state.solver.link(value, container.every)
                state.solver.at_last(_store_unknown, state, one, key_var, value)
                state.solver.link(key_var, container.names)
                hashed(state, frame, node, key_var)
            else:
                state.store_item(one, key, value, tag)
                _store_name(state, one, key, value, tag)
                if key is not None and key.startswith("str:"):
                    text = state.objects.known_text(key[4:])
                    state.solver.put(container.names, text)
        elif kind == INSTANCE:
            variable = method(state, one, "__setitem__")
            if variable is not None:
                given = key_var if key_var >= 0 else state.new()
                call_at(state, variable, one, frame, node, state.new(), (given, value))
            else:
                state.solver.link(value, state.field(one, " items"))


def _store_name(
    state: State, one: int, key: str | None, value: int, tag: Tag | None = None
) -> None:
    """Store to the name or attribute that an entry of `globals()` or `x.__dict__` is."""
    if key is not None and key.startswith("str:"):
        module, owner = _owner_of(state, one, "module"), _owner_of(state, one, "dict")
        if module is not None:
            state.solver.link(value, state.global_variable(module, key[4:]))
        elif owner is not None:
            fields.write(state, owner, key[4:], value, tag)


def store_by_keys(
    found: Iterable[int], state: State, one: int, value: int, is_first: bool = False
) -> None:
    """Store by keys that are values."""
    for key in found:
        state.store_item(one, key_of(state, key), value, is_first=is_first)


def store_entry(state: State, one: int, key: int, value: int) -> None:
    """Store an entry of a display whose key is a value, or not known at all."""
    state.solver.watch(key, store_by_keys, state, one, value, True)
    state.solver.link(value, state.containers[one].every)
    state.solver.at_last(_store_unknown, state, one, key, value)


def _store_unknown(_: Iterable[int], state: State, one: int, key: int, value: int) -> None:
    if not state.solver.get(key):
        state.store_item(one, None, value)


def delete_item(found: Iterable[int], state: State, frame: Frame, node: int) -> None:
    """Call `__delitem__`; what is behind an item that is gone moves."""
    for one in found:
        if one >= 0 and state.objects.kind[one] == CONTAINER:
            move(state, one)
    call_special(found, state, frame, node, "__delitem__")


def move(state: State, one: int) -> None:
    """Let the items of a sequence be at any position."""
    if state.objects.first[one] not in MAPPINGS:
        state.solver.link(state.containers[one].every, state.containers[one].loose)


def merge_mapping(
    found: Iterable[int], state: State, made: int, but: frozenset[str] = frozenset()
) -> None:
    """Let the items of mappings be items of another one, but for some keys."""
    for one in found:
        if one < 0 or state.objects.kind[one] != CONTAINER or one == made:
            continue
        source, into = state.containers[one], state.containers[made]

        def listen(key: str, variable: int, made: int = made) -> None:
            if key in but:
                return
            state.store_item(made, key, variable)
            _store_name(state, made, key, variable)

        for key, variable in tuple(source.keys.items()):
            listen(key, variable)
        if len(source.listeners) < _MOST_LISTENERS:
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
        if kind == CONTAINER and objects.first[one] not in MAPPINGS:
            state.load_item(one, f"int:{index}", target)
        elif kind == INSTANCE and "namedtuple" in state.classes[objects.first[one]].traits:
            names = field_names(state, state.classes[objects.first[one]])
            if -len(names) <= index < len(names):
                load_attribute((one,), state, frame, node, names[index], target)
        elif kind == INSTANCE and _gives_iterator(state, one):
            iterator = state.new()
            place = state.files[frame.file].parents[node]
            variable = method(state, one, "__iter__")
            if variable is not None:
                call_at(state, variable, one, frame, place, iterator)
            state.solver.watch(iterator, unpack, state, frame, node, index, target)
        else:
            place = state.files[frame.file].parents[node]
            iterate_object(state, frame, place, one, target, False)


def _gives_iterator(state: State, one: int) -> bool:
    """Tell whether an instance is iterable, but no iterator itself."""
    return method(state, one, "__iter__") is not None and method(state, one, "__next__") is None


def unpack_rest(
    found: Iterable[int], state: State, frame: Frame, node: int, before: int, behind: int, made: int
) -> None:
    """Let the items that a starred target takes be items of its list."""
    for one in found:
        if one >= 0 and state.objects.kind[one] == CONTAINER:
            size = state.containers[one].size
            stop = None if size is None else size - behind
            state.note_size(state.containers[made], None if stop is None else stop - before)
            take_part(state, one, made, before, stop)
        else:
            state.note_size(state.containers[made], None)
            items = state.new()
            iterate_object(state, frame, node, one, items, False)
            state.store_item(made, None, items)


def match_argument(
    found: Iterable[int], state: State, frame: Frame, node: int, value: int, index: int, target: int
) -> None:
    """Match a positional pattern of a class: the attribute that the class names for it."""
    for cls in found:
        kind = state.objects.kind[cls] if cls >= 0 else 0
        if kind == CLASS:
            names = match_names(state, cls)
            if index < len(names):
                state.solver.watch(value, load_attribute, state, frame, node, names[index], target)
        elif kind == EXTERNAL and index == 0:
            state.solver.link(value, target)
