"""Items: subscripts and unpacking, in containers and through special methods.

    d["k"]        the item of that key, and those whose keys are not known
    a, *b = c     items by position, as far as positions are known

Next: operators.py.
"""

from __future__ import annotations

from collections.abc import Iterable

from codelake.resolve.attributes import load_attribute
from codelake.resolve.class_table import find
from codelake.resolve.iteration import iterate, iterate_object
from codelake.resolve.objects import (
    CLASS,
    CONTAINER,
    EXTERNAL,
    EXTERNAL_INSTANCE,
    INSTANCE,
)
from codelake.resolve.special_methods import call_at, call_special, hashed, method
from codelake.resolve.state import Frame, State, Tag, TimedRead


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
            _load_class_item(state, frame, one, node, key_var, target)
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
                state.solver.watch(key_var, _store_by_keys, state, one, value)
                state.solver.link(value, container.every)
                state.solver.link(key_var, container.names)
                hashed(state, frame, node, key_var)
            else:
                state.store_item(one, key, value, tag)
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
