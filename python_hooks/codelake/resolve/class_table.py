"""Classes: statements -> bases, method resolution order, attributes.

    class D(B, C): ...     order D, B, C, A, object (C3), as far as the bases are known

Bases arrive like other values; an order that changes is worked out again for subclasses too, and
what was looked up before is looked up again. Where C3 finds no order, the first mention counts.
Next: attributes.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from codelake.resolve.enumerations import make_member
from codelake.resolve.known_types import external_bases, has_attribute, is_from_object
from codelake.resolve.library_classes import is_library_class, is_subclass
from codelake.resolve.objects import (
    CLASS,
    CONTAINER,
    EXTERNAL,
    EXTERNAL_INSTANCE,
    FUNCTION,
    INSTANCE,
    UNKNOWN,
)
from codelake.resolve.state import IMPLICIT, ClassInfo, Frame, State

ENUMS = frozenset({"enum.Enum", "enum.IntEnum", "enum.Flag", "enum.IntFlag", "enum.StrEnum"})
_TUPLES = frozenset({"typing.NamedTuple"})
_DICTS = frozenset({"typing.TypedDict", "typing_extensions.TypedDict"})
OBJECT = "builtins.object"


def define(state: State, frame: Frame, node: int, value: Any, _: Any, __: str, idx: Any) -> None:
    """Make the class of a class statement and run its body."""
    definition = state.definition(frame.file, idx)
    number = state.objects.of(CLASS, definition, frame.number)
    info = new_class(state, number, definition)
    bodies = state.bodies[frame.file]
    made, is_new = _frame(state, definition, frame)
    info.frame = made
    if is_new:
        state.extra[-made.number - 1] = info
        for name in bodies.class_names(idx):
            info.attributes[name] = state.new()
        state.run_steps(state, made)
        info.fields = [(name, note, given) for _, note, base, name, given in made.body.annotations
                       if base is None and name is not None]  # fmt: skip
    info.metaclass = state.new()
    state.solver.watch(info.metaclass, _has_metaclass, state, info, frame, node)
    info.positions = sum(1 for part in value if part[0] == "base")
    for op, _owner, _node, base, _other, text, position in value:
        variable = state.value(frame, base)
        if op == "base":
            state.solver.watch(variable, _add_base, state, info, position, frame, node)
        elif op == "base_star":
            state.iterate(state, frame, base, variable, target := state.new(), False)
            state.solver.watch(target, _add_base, state, info, position, frame, node)
        elif text == "metaclass":
            state.solver.link(variable, info.metaclass)
        else:
            info.keywords.append((text, variable))
    if "__set_name__" in state.defined_names:
        for name, variable in info.attributes.items():
            state.solver.watch(variable, _set_name, state, frame, node, number, name)
    state.solver.put(frame.offset + node, number)


def new_class(state: State, number: int, definition: int) -> ClassInfo:
    """Add a class to the table."""
    info = state.classes.get(number)
    if info is None:
        info = state.classes[number] = ClassInfo(number, definition)
        _recompute(state, info)
    return info


def own_attribute(state: State, info: ClassInfo, name: str) -> int:
    """Return the variable of an attribute of a class itself; a new one is looked up again."""
    variable = info.attributes.get(name)
    if variable is None:
        variable = info.attributes[name] = state.new()
        _look_up_again(state, info, name)
    return variable


def add_base(state: State, info: ClassInfo, found: Iterable[int], position: int) -> None:
    """Add bases at a position."""
    bases = info.bases.setdefault(position, [])
    changed = False
    for one in found:
        if one < 0 or one in bases:
            continue
        kind = state.objects.kind[one]
        if kind in (CLASS, EXTERNAL) and one not in bases and one != info.number:
            bases.append(one)
            changed = True
            if kind == CLASS:
                base = state.classes[one]
                base.subclasses.append(info.number)
                info.traits |= base.traits & {"enum", "namedtuple", "typeddict"}
                if base.metaclass >= 0 and info.metaclass >= 0:
                    state.solver.link(base.metaclass, info.metaclass)
            else:
                name = state.objects.first[one]
                if name in ENUMS:
                    info.traits.add("enum")
                elif name in _TUPLES:
                    info.traits.add("namedtuple")
                elif name in _DICTS:
                    info.traits.add("typeddict")
    if changed:
        _recompute(state, info)


type Found = tuple[int | None, int, str | None, bool]


def find_in(state: State, cls: int, name: str) -> Found:
    """Look an attribute up in a class of the repository; see find."""
    info = state.classes[cls]
    found = info.found.get(name)
    if found is None:
        found = info.found[name] = find(state, info.order, name)
    return found


def find(state: State, order: Sequence[int], name: str) -> Found:
    """Look an attribute up along an order.

    Returns:
        Its variable, the class that has it, or the external name of it, and whether the latter is
        a guess: the first class outside whose attributes are not known.
    """
    guess: str | None = None
    kinds, firsts = state.objects.kind, state.objects.first
    for one in order:
        if kinds[one] == CLASS:
            variable = state.classes[one].attributes.get(name)
            if variable is not None:
                return variable, one, None, False
        else:
            outside = firsts[one]
            if is_from_object(outside, name):
                continue
            known = has_attribute(outside, name)
            if known:
                if guess is not None and outside == OBJECT:
                    break
                return None, one, f"{outside}.{name}", False
            if known is None and guess is None:
                guess = f"{outside}.{name}"
    return None, -1, guess, True


def is_instance(
    state: State, number: int, tested: Iterable[int], of_class: bool, depth: int = 0
) -> bool | None:
    """Tell whether an object is an instance (or a subclass) of tested classes; None: unknown."""
    verdict: bool | None = False
    empty = True
    for one in tested:
        empty = False
        found = _is_one(state, number, one, of_class, depth)
        if found:
            return True
        if found is None:
            verdict = None
    return None if empty else verdict


def order_of(state: State, number: int) -> tuple[int, ...]:
    """Return the resolution order of a class object."""
    info = state.classes.get(number)
    return info.order if info is not None else (number,)


def put_line(
    _: Iterable[int], state: State, cls: int, kind: str, is_whole: bool, target: int
) -> None:
    """Put the resolution order of a class, or its direct bases in their order."""
    info = state.classes[cls]
    direct = [one for position in sorted(info.bases) for one in info.bases[position]]
    line = info.order if is_whole else direct or info.order[-1:]
    made = state.container(kind, ("line", cls, is_whole))
    state.containers[made].size = len(line)
    for index, one in enumerate(line):
        item = state.new()
        state.solver.put(item, one)
        state.store_item(made, f"int:{index}", item, is_first=True)
    state.solver.put(target, made)


def _is_one(state: State, number: int, tested: int, of_class: bool, depth: int) -> bool | None:
    objects = state.objects
    if tested < 0 or depth > 3:
        return None
    kind = objects.kind[tested]
    if kind == CONTAINER:
        container = state.containers[tested]
        held = state.solver.get(container.every)
        return is_instance(state, number, held, of_class, depth + 1)
    if kind not in (CLASS, EXTERNAL):
        return None
    if number < 0:
        mine: tuple[int, ...] = (objects.external("builtins.str"),)
    elif of_class:
        if objects.kind[number] not in (CLASS, EXTERNAL):
            return None if objects.kind[number] == UNKNOWN else False
        mine = order_of(state, number)
    elif objects.kind[number] == INSTANCE:
        mine = order_of(state, objects.first[number])
    elif objects.kind[number] in (EXTERNAL_INSTANCE, CONTAINER):
        mine = (objects.external(objects.first[number]),)
    elif objects.kind[number] == UNKNOWN or (
        objects.kind[number] in (FUNCTION, CLASS) and kind == EXTERNAL
    ):
        return None
    else:
        return False
    if tested in mine:
        return True
    if kind == CLASS:
        outside = objects.first[mine[0]]
        is_known = objects.kind[mine[0]] == CLASS or outside.startswith("builtins.")
        return False if is_known or is_library_class(outside) else None
    return _is_outside(state, mine, objects.first[tested])


def _is_outside(state: State, order: Sequence[int], name: str) -> bool | None:
    """Tell whether an order has a class outside, or one below it; None: unknown."""
    objects = state.objects
    verdict: bool | None = False
    for one in order:
        if objects.kind[one] == EXTERNAL and objects.first[one] != OBJECT:
            outside = objects.first[one]
            found = name in external_bases(outside) or is_subclass(outside, name)
            if found:
                return True
            if found is None and not _are_builtins(outside, name):
                verdict = None
    if len(order) > 1 and not name.startswith("builtins."):
        return None  # a class of the repository may be one by its methods
    return verdict


def _are_builtins(*names: str) -> bool:
    return all(name.startswith("builtins.") for name in names)


def _frame(state: State, definition: int, env: Frame) -> tuple[Frame, bool]:
    return state.make_frame(state, definition, env, env.context)


def _add_base(
    found: Iterable[int], state: State, info: ClassInfo, position: int, frame: Frame, node: int
) -> None:
    add_base(state, info, found, position)
    if "enum" in info.traits:
        state.solver.later(_make_members, state, info, frame, node)
    if "__init_subclass__" in state.defined_names:
        state.solver.later(_init_subclass, state, info, frame, node)


def _init_subclass(_: Any, state: State, info: ClassInfo, frame: Frame, node: int) -> None:
    """Call `__init_subclass__` of the classes above."""
    variable = find(state, info.order[1:], "__init_subclass__")[0]
    if variable is None:
        return
    key = ("init_subclass", info.number, variable)
    if key in state.bound:
        return
    state.bound.add(key)
    values = ((), tuple(info.keywords))
    site = state.site(frame, node, state.new(), values, IMPLICIT)
    state.solver.watch(variable, state.call_method, state, site, info.number)


def _make_members(_: Any, state: State, info: ClassInfo, frame: Frame, node: int) -> None:
    """Call `__init__` of an enumeration for each of its members."""
    variable = find(state, info.order, "__init__")[0]
    key = ("members", info.number, variable)
    if variable is None or key in state.bound:
        return
    state.bound.add(key)
    for name, values in info.attributes.items():
        if not name.startswith("_"):
            state.solver.watch(values, make_member, state, info, name, variable, frame, node)


def _has_metaclass(
    found: Iterable[int], state: State, info: ClassInfo, frame: Frame, node: int
) -> None:
    """Call what makes a class in a metaclass, with name, bases and what the body binds."""
    for meta in found:
        if meta < 0 or state.objects.kind[meta] != CLASS:
            continue
        name, bases, names = state.new(), state.new(), state.new()
        file, def_no = state.file_of[info.definition], state.number_of[info.definition]
        text = state.files[file].definitions[def_no].name
        state.solver.put(name, state.objects.known_text(text))
        state.solver.at_last(put_line, state, info.number, "builtins.tuple", False, bases)
        namespace = state.container("builtins.dict", ("names", info.number))
        for each, given in tuple(info.attributes.items()):
            state.store_named(namespace, each, given)
        state.solver.put(names, namespace)
        values = (((name, False), (bases, False), (names, False)), tuple(info.keywords))
        site = state.site(frame, node, state.new(), values, IMPLICIT)
        state.edge(site, state.classes[meta].definition, "metaclass")
        for method in ("__prepare__", "__new__", "__init__"):
            variable, _, _, _ = find(state, state.classes[meta].order, method)
            if variable is not None:
                receiver = info.number if method == "__init__" else meta
                if method == "__new__":
                    state.made_by_meta.setdefault(meta, set()).add(info.number)
                state.solver.watch(variable, state.call_method, state, site, receiver)
        _look_up_again(state, info, None)


def _set_name(
    found: Iterable[int], state: State, frame: Frame, node: int, owner: int, name: str
) -> None:
    for one in found:
        if one >= 0 and state.objects.kind[one] == INSTANCE:
            order = order_of(state, state.objects.first[one])
            variable, _, _, _ = find(state, order, "__set_name__")
            if variable is not None:
                cls, text = state.new(), state.new()
                state.solver.put(cls, owner)
                state.solver.put(text, state.objects.known_text(name))
                values = (((cls, False), (text, False)), ())
                site = state.site(frame, node, state.new(), values, IMPLICIT)
                state.solver.watch(variable, state.call_method, state, site, one)


def _recompute(state: State, info: ClassInfo) -> None:
    objects = state.objects
    bases = [one for position in sorted(info.bases) for one in info.bases[position]]
    orders = [
        list(state.classes[one].order) if objects.kind[one] == CLASS else _outside(state, one)
        for one in bases
    ]
    last = objects.external(OBJECT)
    orders = [[one for one in order if one != last] for order in orders]
    merged = linearise([*orders, [one for one in bases if one != last]])
    order = (info.number, *(one for one in merged if one != info.number), last)
    if order != info.order:
        info.order = order
        _look_up_again(state, info, None)
        for sub in tuple(info.subclasses):
            _recompute(state, state.classes[sub])


def _outside(state: State, number: int) -> list[int]:
    name = state.objects.first[number]
    return [number, *(state.objects.external(base) for base in external_bases(name))]


def linearise(orders: list[list[int]]) -> list[int]:
    """Merge orders as C3 does; where that fails, keep the order of first mention."""
    rest = [order[::-1] for order in orders if order]  # the head of each is at its end
    if len(rest) == 2 and len(rest[1]) == 1 and rest[0][-1] == rest[1][0]:
        return orders[0] if orders[0] else orders[1]
    behind: dict[int, int] = {}  # in how many orders something else comes before
    for order in rest:
        for one in order[:-1]:
            behind[one] = behind.get(one, 0) + 1
    found: list[int] = []
    while rest:
        head = next((order[-1] for order in rest if not behind.get(order[-1])), None)
        if head is None:
            head = rest[0][-1]
        found.append(head)
        for order in rest:
            if order[-1] == head:
                order.pop()
                if order:
                    behind[order[-1]] -= 1
            elif head in order:
                order.remove(head)
                behind[head] -= 1
        rest = [order for order in rest if order]
    return found


def _look_up_again(state: State, info: ClassInfo, name: str | None) -> None:
    """Repeat the lookups of a class and its subclasses, of one name or of all."""
    stack, seen = [info], {info.number}
    while stack:
        at = stack.pop()
        at.found.clear()
        for entry in tuple(at.lookups):
            if name is None or entry[0] == name:
                state.solver.later(entry[1], *entry[2:])
        if name is not None or at is info:
            for sub in at.subclasses:
                if sub not in seen:
                    seen.add(sub)
                    stack.append(state.classes[sub])
