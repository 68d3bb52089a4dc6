"""Marked values: `source` makes them, `marks_in` finds them again by their content.

    source("a")             a text of one rare letter, the letter of "a"
    source("a", "x, y")     a text of that shape: letters and digits replaced by the rare letter
    source("a", 7001)       a number whose arithmetic keeps the mark (float: likewise)
    source("a", ["x", 1])   a container of marked values; a dict keeps its keys

A rare letter outlives slices, joins, f-strings and methods, as it stays a letter. A number that
C code copied without its mark, and a text of digits, are known by their value, so cases choose
large ones. Not followed: lengths, comparisons, hashes, positions.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import partial
from types import FunctionType, ModuleType
from typing import Any

_FIRST_LETTER = 0x4E00
_LEAST_KNOWN_NUMBER = 1000
_OPAQUE = type | ModuleType | FunctionType | Iterator
_ESCAPE = re.compile(r"\\u([0-9a-f]{4})")
_BINARY = (
    *("add", "sub", "mul", "truediv", "floordiv", "mod", "divmod", "pow"),
    *("lshift", "rshift", "and", "or", "xor"),
)
_UNARY = ("neg", "pos", "abs", "invert", "round")


class Marks:
    """The marks of one program."""

    def __init__(self) -> None:
        self._letters: dict[str, str] = {}
        self._numbers: dict[str, set[str]] = {}  # digits, labels

    def source(self, label: str = "source", like: Any = "value") -> Any:
        """Return a value like the given one that carries the mark of a label."""
        letter = self._letters.setdefault(label, chr(_FIRST_LETTER + len(self._letters)))
        return self._marked(label, letter, like)

    def marks_in(self, value: Any) -> set[str]:
        """Return the labels of the values that a value is, holds, or was computed from."""
        found: set[str] = set()
        seen: dict[int, Any] = {}
        waiting = [value]
        while waiting:
            one = waiting.pop()
            if id(one) not in seen:
                seen[id(one)] = one
                found |= self._own_marks(one)
                waiting += _parts(one)
        return found

    def _marked(self, label: str, letter: str, like: Any) -> Any:
        match like:
            case str() if like.isdecimal():
                self._know(label, like)
                return like
            case str():
                return re.sub(r"\w", letter, like)
            case bytes():
                return re.sub(r"\w", letter, like.decode()).encode()
            case int() | float():
                self._know(label, str(like))
                return _number(like, frozenset({label}))
            case dict():
                return {key: self._marked(label, letter, one) for key, one in like.items()}
            case list() | tuple() | set():
                return type(like)(self._marked(label, letter, one) for one in like)
        raise TypeError(f"source: cannot mark a {type(like).__name__}")

    def _know(self, label: str, digits: str) -> None:
        if float(digits) >= _LEAST_KNOWN_NUMBER:
            self._numbers.setdefault(digits, set()).add(label)

    def _own_marks(self, value: Any) -> set[str]:
        if isinstance(value, Number):
            return set(value.marks)
        if isinstance(value, bytes | bytearray):
            value = value.decode("utf-8", "ignore")
        if isinstance(value, int | float):
            return self._numbers.get(f"{value:.0f}", set()) if value % 1 == 0 else set()
        if not isinstance(value, str):
            return set()
        text = _ESCAPE.sub(lambda match: chr(int(match[1], 16)), value)
        found = {label for label, letter in self._letters.items() if letter in text}
        return found.union(
            *(self._numbers.get(digits, ()) for digits in re.findall(r"[1-9]\d*", text))
        )


class Number:
    """A number with marks; the classes below are numbers of Python too."""

    marks: frozenset[str]


def _number(value: Any, marks: frozenset[str]) -> Any:
    if type(value) is tuple:
        return tuple(_number(one, marks) for one in value)
    if type(value) not in (int, float):
        return value
    number = (MarkedInt if type(value) is int else MarkedFloat)(value)
    number.marks = marks
    return number


def _kept(base: type, name: str) -> Callable[..., Any]:
    plain = getattr(base, name)

    def method(self: Any, *others: Any) -> Any:
        result = plain(self, *others)
        if result is NotImplemented:
            return result
        marks = self.marks.union(*(one.marks for one in others if isinstance(one, Number)))
        return _number(result, marks)

    return method


def _methods(base: type) -> dict[str, Callable[..., Any]]:
    names = [f"__{side}{name}__" for name in _BINARY for side in ("", "r")]
    names += [f"__{name}__" for name in _UNARY]
    return {name: _kept(base, name) for name in names if hasattr(base, name)}


MarkedInt = type("MarkedInt", (Number, int), _methods(int))
MarkedFloat = type("MarkedFloat", (Number, float), _methods(float))


def _parts(value: Any) -> list[Any]:
    """Return what an object holds: elements, keys, fields, arguments."""
    if isinstance(value, str | bytes | bytearray | int | float | _OPAQUE):
        return []
    parts: list[Any] = [*getattr(value, "__dict__", {}).values()]
    for one in type(value).__mro__:
        names = one.__dict__.get("__slots__", ())
        names = [names] if isinstance(names, str) else names
        parts += [getattr(value, name) for name in names if hasattr(value, name)]
    if isinstance(value, Mapping):
        parts += [*value.keys(), *value.values()]
    elif isinstance(value, Collection):
        parts += value
    elif isinstance(value, partial | BaseException):
        parts += [value.args, getattr(value, "keywords", None)]
    elif hasattr(value, "__self__"):
        parts.append(value.__self__)
    return parts
