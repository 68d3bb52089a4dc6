"""Straight-line ops for the interpreter of facts: one function each, from operands to a value.

    STEPS["binary"](interpreter, frame, Fact("binary", ..., value=3, other=4, text="+"))

A step returns the value of the node, or NOTHING when the op makes none. Keys are taken from their
text wherever they have one, so the texts are tested as well.
"""

from __future__ import annotations

import importlib
import inspect
import operator
import typing
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from fact_rows import Fact
from fact_scopes import Frame

type Step = Callable[[Any, Frame, Fact], Any]
KINDS = {
    "param": inspect.Parameter.POSITIONAL_OR_KEYWORD,
    "param_pos": inspect.Parameter.POSITIONAL_ONLY,
    "param_star": inspect.Parameter.VAR_POSITIONAL,
    "param_key": inspect.Parameter.KEYWORD_ONLY,
    "param_keys": inspect.Parameter.VAR_KEYWORD,
}
_BINARY = {
    **{"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv},
    **{"//": operator.floordiv, "%": operator.mod, "**": operator.pow, "@": operator.matmul},
    **{"<<": operator.lshift, ">>": operator.rshift, "&": operator.and_, "|": operator.or_},
    "^": operator.xor,
}
_INPLACE = {
    **{"+": operator.iadd, "-": operator.isub, "*": operator.imul, "/": operator.itruediv},
    **{"//": operator.ifloordiv, "%": operator.imod, "**": operator.ipow, "@": operator.imatmul},
    **{"<<": operator.ilshift, ">>": operator.irshift, "&": operator.iand, "|": operator.ior},
    "^": operator.ixor,
}
_UNARY = {"-": operator.neg, "+": operator.pos, "~": operator.invert, "not": operator.not_}


class Unknown:
    """A constant whose value the facts do not tell: only its type."""

    def __init__(self, kind: str) -> None:
        self.kind = kind


class ReturnedError(Exception):
    def __init__(self, value: Any) -> None:
        self.value = value


class NoMatchError(Exception):
    pass


NOTHING = object()


def arguments(collected: list[tuple[Fact, Any]]) -> tuple[list[Any], dict[str, Any]]:
    args: list[Any] = []
    keywords: dict[str, Any] = {}
    for fact, value in collected:
        if fact.op in ("arg", "base", "element"):
            args.append(value)
        elif fact.op in ("arg_star", "base_star", "element_star"):
            args.extend(value)
        elif fact.op == "keyword":
            assert fact.text is not None
            keywords[fact.text] = value
        else:
            keywords.update(value)
    return args, keywords


def _literal(_: Any, __: Frame, fact: Fact) -> Any:
    kind, _colon, text = (fact.text or "").partition(":")
    if kind == "none":
        return None
    if not _colon:
        return Ellipsis if kind == "ellipsis" else Unknown(kind)
    return {"str": str, "int": int, "bool": lambda value: value == "True"}[kind](text)


def _key(fact: Fact, frame: Frame) -> Any:
    """Return the key: from its text when it has one, else from its value."""
    if fact.text is not None and fact.text.startswith("slice:"):
        return slice(*(int(part) if part else None for part in fact.text[6:].split(":")))
    if fact.text is not None and fact.text != "slice":
        return _literal(None, None, fact)  # type: ignore[arg-type]
    if fact.op == "store_item":
        return frame.collected.pop(fact.node)[0][1]
    return frame.values[typing.cast(int, fact.other)]


def _container(make: Callable[[list[Any]], Any]) -> Step:
    def step(_: Any, frame: Frame, fact: Fact) -> Any:
        pairs = frame.collected.pop(fact.node, [])
        assert len(pairs) == fact.idx
        assert [item.idx for item, _ in pairs] == list(range(len(pairs)))
        return make(arguments(pairs)[0])

    return step


def _dict(_: Any, frame: Frame, fact: Fact) -> Any:
    made: dict[Any, Any] = {}
    for item, value in frame.collected.pop(fact.node, []):
        if item.op == "entry_star":
            made.update(value)
        else:
            assert item.other is not None
            key = frame.values[item.other]
            assert item.text is None or _key(item, frame) == key
            made[key] = value
    return made


def _fstring(_: Any, frame: Frame, fact: Fact) -> str:
    return "".join(value for _, value in frame.collected.pop(fact.node, []))


def _format(_: Any, frame: Frame, fact: Fact) -> str:
    convert: dict[str | None, Callable[[Any], Any]] = {"r": repr, "s": str, "a": ascii}
    value = convert.get(fact.text, lambda same: same)(frame.values[fact.value or 0])
    return format(value, "" if fact.other is None else frame.values[fact.other])


def _unpack(_: Any, frame: Frame, fact: Fact) -> Any:
    values = frame.values[fact.value or 0]
    assert fact.idx is not None
    if not isinstance(values, Sequence):
        values = frame.values[fact.value or 0] = list(values)
    if fact.op == "unpack":
        return values[fact.idx]
    return list(values)[fact.idx : len(values) - int(fact.text or 0)]


def _slice(_: Any, frame: Frame, fact: Fact) -> slice:
    step = frame.collected.pop(fact.node, [(None, None)])[0][1]
    ends = [None if number is None else frame.values[number] for number in (fact.value, fact.other)]
    found = slice(*ends, step)
    if fact.text != "slice":
        assert _key(fact, frame) == found
    return found


def _import(_: Any, __: Frame, fact: Fact) -> Any:
    module, _colon, name = (fact.text or "").partition(":")
    found = importlib.import_module(module)
    if fact.op == "import":
        return importlib.import_module(module.partition(".")[0])
    return getattr(found, name) if name else found


def _raise(_: Any, frame: Frame, fact: Fact) -> Any:
    if fact.value is None:
        assert frame.caught is not None
        raise frame.caught
    if fact.other is not None:
        raise frame.values[fact.value] from frame.values[fact.other]
    raise frame.values[fact.value]


def _return(_: Any, frame: Frame, fact: Fact) -> Any:
    raise ReturnedError(None if fact.value is None else frame.values[fact.value])


def _await(_: Any, frame: Frame, fact: Fact) -> Any:
    try:
        frame.values[fact.value or 0].send(None)
    except StopIteration as stopped:
        return stopped.value
    raise AssertionError("suspended")


def _insist(holds: Callable[[Frame, Fact, Any], bool]) -> Step:
    def step(_: Any, frame: Frame, fact: Fact) -> Any:
        if not holds(frame, fact, frame.values[fact.node]):
            raise NoMatchError
        return NOTHING

    return step


def _has_size(_: Frame, fact: Fact, value: Any) -> bool:
    if not isinstance(value, Sequence) or isinstance(value, str | bytes):
        return False
    assert fact.idx is not None
    return len(value) >= fact.idx if fact.text else len(value) == fact.idx


def _attr(interpreter: Any, frame: Frame, fact: Fact) -> Any:
    value = frame.values[fact.value or 0]
    if fact.node in interpreter.scopes.patterns and not hasattr(value, fact.text or ""):
        raise NoMatchError
    return getattr(value, fact.text or "")


def _item(interpreter: Any, frame: Frame, fact: Fact) -> Any:
    values, key = frame.values[fact.value or 0], _key(fact, frame)
    if fact.node in interpreter.scopes.patterns and key not in values:
        raise NoMatchError
    return values[key]


def _match_arg(_: Any, frame: Frame, fact: Fact) -> Any:
    value, cls = frame.values[fact.value or 0], frame.values[fact.other or 0]
    names = getattr(cls, "__match_args__", ())
    return value if not names and cls in (int, str, list, dict) else getattr(value, names[fact.idx])


def _match_rest(interpreter: Any, frame: Frame, fact: Fact) -> Any:
    value = frame.values[fact.value or 0]
    keys = [
        _key(item, frame) for item in frame.facts if item.op == "item" and item.value == fact.value
    ]
    rest = {key: item for key, item in value.items() if key not in keys}
    interpreter.home(frame, fact)[fact.text] = rest
    return NOTHING


def _effect(act: Step) -> Step:
    def step(interpreter: Any, frame: Frame, fact: Fact) -> Any:
        act(interpreter, frame, fact)
        return NOTHING

    return step


def _type_parameter(_: Any, frame: Frame, fact: Fact) -> Any:
    kinds = {"typevar": typing.TypeVar, "paramspec": typing.ParamSpec}
    return kinds.get(fact.op, typing.TypeVarTuple)(fact.text or "")  # type: ignore[operator]


STEPS: dict[str, Step] = {
    "delete": _effect(lambda me, frame, fact: me.home(frame, fact).pop(fact.text)),
    "attr": _attr,
    "store_attr": _effect(
        lambda _, frame, fact: setattr(
            frame.values[fact.other], fact.text, frame.values[fact.value]
        )
    ),
    "delete_attr": _effect(lambda _, frame, fact: delattr(frame.values[fact.value], fact.text)),
    "item": _item,
    "store_item": _effect(
        lambda _, frame, fact: operator.setitem(
            frame.values[fact.other], _key(fact, frame), frame.values[fact.value]
        )
    ),
    "delete_item": _effect(
        lambda _, frame, fact: operator.delitem(frame.values[fact.value], _key(fact, frame))
    ),
    "slice": _slice,
    "literal": _literal,
    "list": _container(list),
    "tuple": _container(tuple),
    "set": _container(set),
    "dict": _dict,
    "format": _format,
    "fstring": _fstring,
    "binary": lambda _, frame, fact: _BINARY[fact.text](
        frame.values[fact.value], frame.values[fact.other]
    ),
    "inplace": lambda _, frame, fact: _INPLACE[fact.text](
        frame.values[fact.value], frame.values[fact.other]
    ),
    "unary": lambda _, frame, fact: _UNARY[fact.text](frame.values[fact.value]),
    "same": lambda _, frame, fact: frame.values[fact.value],
    "starred": lambda _, frame, fact: tuple(frame.values[fact.value]),
    "await": _await,
    "decorate": lambda _, frame, fact: frame.values[fact.value](frame.values[fact.other]),
    **dict.fromkeys((*KINDS, "returns", "generator", "narrow"), lambda *_: NOTHING),
    **dict.fromkeys(("typevar", "paramspec", "typevartuple"), _type_parameter),
    "type_alias": lambda _, frame, fact: typing.TypeAliasType(fact.text, frame.values[fact.value]),
    "unpack": _unpack,
    "unpack_star": _unpack,
    "entered": lambda _, frame, fact: frame.collected.pop(fact.value)[0][1],
    "import": _import,
    "import_as": _import,
    "import_from": _import,
    "match_class": _insist(lambda frame, fact, value: isinstance(value, frame.values[fact.value])),
    "match_value": _insist(lambda frame, fact, value: value == frame.values[fact.value]),
    "match_is": _insist(lambda _, fact, value: value is _literal(None, None, fact)),  # type: ignore[arg-type]
    "match_sequence": _insist(_has_size),
    "match_mapping": _insist(lambda _, __, value: isinstance(value, Mapping)),
    "match_arg": _match_arg,
    "match_rest": _match_rest,
    "return": _return,
    "raise": _raise,
}
