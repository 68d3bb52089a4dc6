"""Operators: `a + b`, `a < b`, `a in b`, `-a` -> special methods and results.

    a + b         __add__ of a, or __radd__ of b

Builtin values give builtin values: a text plus a text is a text.
Next: managers.py.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from codelake.resolve.class_table import order_of
from codelake.resolve.items import (
    follow,
    growth,
    merge_mapping,
    move,
    spread,
    take_at,
    take_part,
)
from codelake.resolve.iteration import take_next
from codelake.resolve.known_types import call_type, make_type
from codelake.resolve.objects import (
    CLASS,
    CONTAINER,
    EXTERNAL,
    EXTERNAL_INSTANCE,
    INSTANCE,
    MAPPINGS,
    SEQUENCES,
)
from codelake.resolve.special_methods import call_at, call_later, call_special, method, truth
from codelake.resolve.state import Frame, State

_BINARY = {
    "+": "add", "-": "sub", "*": "mul", "/": "truediv", "//": "floordiv", "%": "mod",
    "**": "pow", "@": "matmul", "&": "and", "|": "or", "^": "xor", "<<": "lshift", ">>": "rshift",
}  # fmt: skip


_COMPARE = {
    "==": ("__eq__", "__eq__"), "!=": ("__ne__", "__ne__"), "<": ("__lt__", "__gt__"),
    "<=": ("__le__", "__ge__"), ">": ("__gt__", "__lt__"), ">=": ("__ge__", "__le__"),
}  # fmt: skip


_UNARY = {"-": "__neg__", "+": "__pos__", "~": "__invert__"}


_FEW = 3  # sequences of an operand whose positions are kept


_GROWING = frozenset({"builtins.list", "builtins.set", "collections.deque", *MAPPINGS})


_NUMBERS = frozenset({"builtins.int", "builtins.float", "builtins.bool", "builtins.complex"})


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
            if len(names) > 1 and objects.first[one] in _GROWING:
                _grow(state, frame, node, one, b, target)
                if names[-1] == "__mul__":
                    move(state, one)
            else:
                _concatenate(state, frame, node, one, a, b, target, names[-1] == "__add__")
        elif kind == EXTERNAL_INSTANCE:
            _builtin_result(state, frame, node, one, names[-1], b, target)
        elif kind == EXTERNAL and names[-1] == "__or__":
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
            move(state, other)
            state.solver.put(target, other)


def _grow(state: State, frame: Frame, node: int, one: int, b: int, target: int) -> None:
    """Add to a container itself, as `+=` and `|=` do."""
    place = growth(state, frame, node, one)
    if place is not None:
        state.solver.watch(b, take_at, state, one, place)
    elif state.objects.first[one] in MAPPINGS:
        state.solver.watch(b, merge_mapping, state, one)
    else:
        spread(state, frame, node, b, one)
    state.solver.put(target, one)


def _concatenate(
    state: State, frame: Frame, node: int, one: int, a: int, b: int, target: int, adds: bool
) -> None:
    """Add or multiply containers: the result holds the items of both."""
    objects = state.objects
    kind = objects.first[one]
    if frame.offset + state.bodies[frame.file].value(node) == target and a != b:
        made = state.container(kind, (frame.number, node))
        if adds and kind in SEQUENCES and one != made and len(state.solver.get(a)) <= _FEW:
            take_part(state, one, made, 0, None)
            state.solver.watch(b, _join_behind, state, b, one, made)
            state.solver.put(target, made)
            return
        _join((one,), state, made)
        if (made, b) not in state.bound:
            state.bound.add((made, b))
            state.solver.watch(b, _join, state, made)
            state.solver.put(target, made)


def _join(found: Iterable[int], state: State, made: int) -> None:
    """Let the items of containers be items of another: of mappings by key, else anywhere."""
    if state.objects.first[made] in MAPPINGS:
        merge_mapping(found, state, made)
        return
    for one in found:
        if one >= 0 and state.objects.kind[one] == CONTAINER and one != made:
            source, into = state.containers[one], state.containers[made]
            for variable in (into.loose, into.every):
                state.solver.link(source.every, variable)


def _join_behind(found: Iterable[int], state: State, b: int, first: int, made: int) -> None:
    """Let the items of sequences follow those of the first, whose number may be known."""
    if len(state.solver.get(b)) > _FEW:
        _join(found, state, made)
        return
    for one in found:
        if one >= 0 and state.objects.kind[one] == CONTAINER and one != made:
            follow(state, one, made, state.containers[first])


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
                hashes = kind in ("builtins.set", "builtins.frozenset", *MAPPINGS)
                container = state.containers[one]
                items = container.names if kind in MAPPINGS else container.every
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
                    state.solver.watch(
                        result, take_next, state, frame, node, state.new(), "__next__"
                    )
                break


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
