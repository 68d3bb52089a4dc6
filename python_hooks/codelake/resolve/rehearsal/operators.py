"""Operators: of values of this Python as they are, of objects by their special methods.

Something unknown makes the result unknown, with the origins of both sides; of a comparison it is
a truth value that holds nothing of either.
"""

from __future__ import annotations

import ast
import operator
from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from codelake.resolve.rehearsal.texts import percent
from codelake.resolve.rehearsal.values import (
    CONTAINERS,
    MISSING,
    PLAIN,
    Class,
    External,
    GiveUp,
    Instance,
    Run,
    Unknown,
    error,
    headed,
    origins,
)

if TYPE_CHECKING:
    from codelake.resolve.rehearsal.machine import Machine

_LARGEST = 10_000
_BINARY: dict[type, tuple[str, Callable[[Any, Any], Any]]] = {
    ast.Add: ("add", operator.add),
    ast.Sub: ("sub", operator.sub),
    ast.Mult: ("mul", operator.mul),
    ast.Div: ("truediv", operator.truediv),
    ast.FloorDiv: ("floordiv", operator.floordiv),
    ast.Mod: ("mod", operator.mod),
    ast.Pow: ("pow", operator.pow),
    ast.LShift: ("lshift", operator.lshift),
    ast.RShift: ("rshift", operator.rshift),
    ast.BitAnd: ("and", operator.and_),
    ast.BitOr: ("or", operator.or_),
    ast.BitXor: ("xor", operator.xor),
    ast.MatMult: ("matmul", operator.matmul),
}
_COMPARE: dict[type, tuple[str, str, Callable[[Any, Any], Any]]] = {
    ast.Eq: ("eq", "eq", operator.eq),
    ast.NotEq: ("ne", "ne", operator.ne),
    ast.Lt: ("lt", "gt", operator.lt),
    ast.LtE: ("le", "ge", operator.le),
    ast.Gt: ("gt", "lt", operator.gt),
    ast.GtE: ("ge", "le", operator.ge),
}
_UNARY: dict[type, tuple[str, Callable[[Any], Any]]] = {
    ast.USub: ("neg", operator.neg),
    ast.UAdd: ("pos", operator.pos),
    ast.Invert: ("invert", operator.invert),
}
_HOST = (*PLAIN, *CONTAINERS)


def guarded(action: Callable[..., Any], *arguments: Any) -> Any:
    """Do something with values of this Python; its errors are errors of the code."""
    try:
        made = action(*arguments)
    except RecursionError:
        raise GiveUp("too deep") from None
    except (ArithmeticError, LookupError, TypeError, ValueError, AttributeError) as failed:
        raise error(type(failed), *failed.args) from None
    if isinstance(made, (str, bytes, list, tuple)) and len(made) > _LARGEST:
        raise GiveUp("a value too large")
    return made


def binary(machine: Machine, op: type, left: Any, right: Any, *, in_place: bool = False) -> Run:
    """Return `left op right`."""
    name, action = _BINARY[op]
    names = [f"__i{name}__", f"__{name}__"] if in_place else [f"__{name}__"]
    is_below = _is_below(left, right, f"__r{name}__")
    if in_place:
        found = yield from machine.special(left, names[0], right)
        if found is not MISSING and found is not NotImplemented:
            return found
    if is_below:
        found = yield from machine.special(right, f"__r{name}__", left)
        if found is not MISSING and found is not NotImplemented:
            return found
    found = yield from machine.special(left, f"__{name}__", right)
    if found is not MISSING and found is not NotImplemented:
        return found
    is_same = isinstance(left, Instance) and isinstance(right, Instance) and left.cls is right.cls
    found = MISSING
    if not is_below and not is_same:
        found = yield from machine.special(right, f"__r{name}__", left)
    if in_place and isinstance(left, Instance) and isinstance(left.payload, (list, set, dict)):
        yield from binary(machine, op, left.payload, right, in_place=True)
        return left
    if found is not MISSING and found is not NotImplemented:
        return found
    left, right = _payload(left), _payload(right)
    if op is ast.Mod and isinstance(left, str):
        return (yield from percent(machine, left, right))
    if all(_is_type(one) for one in (left, right)) and any(
        isinstance(one, (Class, tuple)) for one in (left, right)
    ):
        if op is not ast.BitOr or (left is None and right is None):
            raise error(TypeError, "unsupported operand")
        return (left, right)  # of types, as `int | None`
    if isinstance(left, _HOST) and isinstance(right, _HOST):
        return _of_host(op, action, left, right, in_place)
    if isinstance(left, (Unknown, External)) or isinstance(right, (Unknown, External)):
        if in_place and isinstance(left, (list, set)):
            left.append(Unknown(origins(right))) if isinstance(left, list) else left.add(
                Unknown(origins(right))
            )
            return left
        if in_place and isinstance(left, Unknown) and isinstance(right, CONTAINERS):
            left.origins |= origins(right)
            return left
        machine.may_raise(left, right)
        made = Unknown(origins(left, right), is_some=True)
        return headed(made, left, right) if op is ast.Add else made
    if any(isinstance(one, Instance) and one.cls.is_open for one in (left, right)):
        return Unknown(origins(left, right))
    raise error(TypeError, "unsupported operand")


def _is_type(value: Any) -> bool:
    if isinstance(value, tuple):
        return bool(value) and all(_is_type(one) for one in value)
    return value is None or isinstance(value, (Class, External))


def _is_below(left: Any, right: Any, name: str) -> bool:
    """Tell whether the right side is asked first: its class extends that of the left one."""
    if not (isinstance(left, Instance) and isinstance(right, Instance)) or left.cls is right.cls:
        return False
    return left.cls in right.cls.mro and right.cls.find(name) is not left.cls.find(name)


def _payload(value: Any) -> Any:
    is_more = isinstance(value, Instance) and value.payload is not MISSING
    return value.payload if is_more else value


def _of_host(op: type, action: Any, left: Any, right: Any, in_place: bool) -> Any:
    _check_size(op, left, right)
    if isinstance(left, Counter) and isinstance(right, Counter) and not _is_plain((left, right)):
        both = ([one[key] for one in (left, right) if key in one] for key in {**left, **right})
        made = (each[0] if len(each) == 1 else Unknown(origins(*each)) for each in both)
        return Counter(dict(zip({**left, **right}, made, strict=True)))
    if in_place and isinstance(left, (list, set, dict)):
        name = f"__i{_BINARY[op][0]}__"
        if hasattr(left, name):
            kinds = (set, frozenset) if isinstance(left, set) else dict
            if not isinstance(left, list) and not isinstance(right, kinds):
                raise error(TypeError, "unsupported operand")
            return guarded(getattr(left, name), right)
    return guarded(action, left, right)


def _check_size(op: type, left: Any, right: Any) -> None:
    """Give up before a result that would not fit into memory is computed."""
    numbers = [abs(one) for one in (left, right) if isinstance(one, int)]
    others = [len(one) for one in (left, right) if isinstance(one, (str, bytes, list, tuple))]
    if op is ast.Mult and others:
        size = others[0] * (numbers or [1])[0]
    elif op in (ast.Pow, ast.LShift):
        size = max(numbers, default=0) * 50
    elif op is ast.Mult:
        size = sum(one.bit_length() for one in numbers)
    else:
        size = sum(others)
    if size > _LARGEST:
        raise GiveUp("a value too large")


def unary(machine: Machine, op: type, value: Any) -> Run:
    """Return `op value`."""
    name, action = _UNARY[op]
    found = yield from machine.special(value, f"__{name}__")
    if found is not MISSING:
        return found
    if isinstance(value, (Unknown, External)):
        return Unknown(origins(value))
    if not isinstance(value, _HOST):
        raise error(TypeError, "bad operand")
    return guarded(action, value)


def compare(machine: Machine, op: type, left: Any, right: Any) -> Run:
    """Return `left op right`, which holds nothing of either."""
    if op in (ast.Is, ast.IsNot):
        found = _is(left, right)
        if found is None:
            return _either(machine, ("is", left, right), op is ast.IsNot)
        return found is (op is ast.Is)
    if op in (ast.In, ast.NotIn):
        found = yield from _contains(machine, right, left)
        if isinstance(found, bool):
            return found is (op is ast.In)
        return _either(machine, found, op is ast.NotIn)
    name, other, action = _COMPARE[op]
    sides = [(left, name, right), (right, other, left)]
    if _is_below(left, right, f"__{other}__"):
        sides.reverse()
    for one, method, another in sides:
        found = yield from machine.special(one, f"__{method}__", another)
        if found is not MISSING and found is not NotImplemented:
            return found
    if op is ast.NotEq:
        equal = yield from compare(machine, ast.Eq, left, right)
        return not (yield from machine.truth(equal))
    left, right = _payload(left), _payload(right)
    if isinstance(left, _HOST) and isinstance(right, _HOST):
        if _is_plain(left) and _is_plain(right):
            return guarded(action, left, right)
        if op is ast.Eq:
            return (yield from _equal_parts(machine, left, right))
        if isinstance(left, (list, tuple)) and type(left) is type(right):
            return (yield from _in_order(machine, op, left, right))
        return Unknown()
    if left is right and not isinstance(left, (Unknown, External)):
        return op is ast.Eq
    if left is right and op is ast.Eq:
        return True
    if op is ast.Eq and (_begins_otherwise(left, right) or _begins_otherwise(right, left)):
        return False
    if isinstance(left, (Unknown, External)) or isinstance(right, (Unknown, External)):
        return _either(machine, (op, _key(left), _key(right)), False)
    if op is ast.Eq:
        return bool(left == right) if not isinstance(left, Instance) else False
    raise error(TypeError, f"'{name}' not supported")


def _begins_otherwise(text: Any, known: Any) -> bool:
    is_other = isinstance(text, Unknown) and isinstance(known, str)
    return is_other and not known.startswith(text.head)


def _either(machine: Machine, key: Any, is_turned: bool) -> bool:
    try:
        hash(key)
    except TypeError:
        key = None
    return machine.decide(key) is not is_turned


def _key(value: Any) -> Any:
    return (
        value
        if isinstance(value, (Unknown, *PLAIN)) and not isinstance(value, slice)
        else id(value)
    )


def _is(left: Any, right: Any) -> bool | None:
    if left is right:
        return True
    for one, other in ((left, right), (right, left)):
        if isinstance(one, (Unknown, External)):
            if other is None and isinstance(one, Unknown) and one.is_some:
                return False
            if isinstance(other, (Instance, *CONTAINERS)) and not isinstance(one, External):
                return False  # made by the code itself
            if isinstance(other, External) and isinstance(one, External):
                return one.full == other.full
            return None
    if isinstance(left, PLAIN) and isinstance(right, PLAIN):
        return type(left) is type(right) and left == right
    return bool(left == right) if not isinstance(left, (*_HOST, Instance)) else False


def _is_plain(value: Any) -> bool:
    if isinstance(value, CONTAINERS):
        found = [*value, *value.values()] if isinstance(value, dict) else value
        return all(_is_plain(each) for each in found)
    return isinstance(value, PLAIN)


def _equal_parts(machine: Machine, left: Any, right: Any) -> Run:
    """Compare containers that hold other things than plain values."""
    if isinstance(left, (list, tuple)) and isinstance(right, (list, tuple)):
        if len(left) != len(right) or isinstance(left, list) is not isinstance(right, list):
            return False
        for one, other in zip(left, right, strict=True):
            equal = yield from compare(machine, ast.Eq, one, other)
            if not (yield from machine.truth(equal)):
                return False
        return True
    if isinstance(left, PLAIN) or isinstance(right, PLAIN):
        return False
    return machine.decide()


def _in_order(machine: Machine, op: type, left: Any, right: Any) -> Run:
    """Compare sequences by the first items that differ, else by length."""
    for one, other in zip(left, right, strict=False):
        equal = yield from compare(machine, ast.Eq, one, other)
        if not (yield from machine.truth(equal)):
            return (yield from compare(machine, op, one, other))
    return (yield from compare(machine, op, len(left), len(right)))


def _contains(machine: Machine, container: Any, item: Any) -> Run:
    """Return a bool, or the key of an unknown answer."""
    found = yield from machine.special(container, "__contains__", item)
    if found is not MISSING:
        return (yield from machine.truth(found))
    container = _payload(container)
    if isinstance(container, Class) and container.trait("members") is not None:
        return any(item is each for each in container.traits["members"].values())
    if isinstance(container, (Unknown, External)):
        return ("in", _key(container), _key(item))
    if isinstance(container, str):
        if isinstance(item, str):
            return item in container
        return ("in", container, _key(item))
    if isinstance(container, (dict, set, frozenset)):
        if isinstance(item, PLAIN):
            is_in = guarded(lambda: item in container)
            return is_in or any(
                isinstance(each, Unknown) and machine.decide((ast.Eq, each, item))
                for each in container
            )
        if any(item is each for each in container):
            return True
        if isinstance(item, (Unknown, External)):
            return ("in", id(container), _key(item)) if container else False
        return item in container
    iterator = yield from machine.iterator(container)
    is_open = False
    while (each := (yield from machine.following(iterator))) is not MISSING:
        if each is item:
            return True
        if isinstance(each, Unknown) or isinstance(item, Unknown):
            is_open = True
            continue
        if (yield from machine.truth((yield from compare(machine, ast.Eq, each, item)))):
            return True
    return ("in", id(container), _key(item)) if is_open else False
