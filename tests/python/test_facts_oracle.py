"""Facts against CPython: a program's facts, interpreted, leave the module that CPython leaves."""

from __future__ import annotations

import inspect
import sys
import types
from collections.abc import Iterator
from typing import Any

import pytest

from cases import Case, load_cases
from fact_interpreter import Interpreter
from fact_rows import check_facts, read_facts
from fact_steps import Unknown

OWN = {"m", "fact_interpreter"}  # the latter where a class is made by a call
PROGRAMS = load_cases("fact_programs")
HIDDEN = {
    *("__module__", "__dict__", "__weakref__", "__doc__", "__qualname__", "__firstlineno__"),
    *("__static_attributes__", "__builtins__", "__name__", "__classcell__", "__orig_bases__"),
    *("__annotate__", "__conditional_annotations__", "__classdictcell__", "__slotnames__"),
}  # fmt: skip


def cpython(source: str) -> dict[str, Any]:
    namespace: dict[str, Any] = {"__name__": "m"}
    exec(compile(source, "m.py", "exec", dont_inherit=True), namespace)
    return namespace


@pytest.mark.parametrize("case", PROGRAMS, ids=lambda case: case.name)
def test_the_facts_of_a_program_make_its_module(
    case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "m", types.ModuleType("m"))  # dataclasses look it up
    file = read_facts(case.source.encode())
    check_facts(file)
    mine, theirs = plain(Interpreter(file).run()), plain(cpython(case.source))
    assert mine == theirs
    assert len(theirs) > 1


def plain(value: Any, above: tuple[int, ...] = ()) -> Any:
    """Return a value as nested lists that can be compared across two runs."""
    if id(value) in above:
        return "..."
    above = (*above, id(value))
    if isinstance(value, Unknown):
        return ["constant", value.kind]
    if isinstance(value, float | complex | bytes):
        return ["constant", type(value).__name__]
    if value is None or isinstance(value, int | str | types.EllipsisType):
        return [type(value).__name__, repr(value)]
    if isinstance(value, list | tuple):
        return [type(value).__name__, *(plain(item, above) for item in value)]
    if isinstance(value, dict):
        items = [(key, item) for key, item in value.items() if key not in HIDDEN]
        pairs = [(plain(_key(key), above), plain(item, above)) for key, item in items]
        return [type(value).__name__, *pairs]
    if isinstance(value, set | frozenset):
        return [type(value).__name__, *sorted(map(repr, value))]
    if isinstance(value, types.FunctionType):
        notes = {key: plain(item, above) for key, item in value.__annotations__.items()}
        return ["function", value.__name__, _parameters(value, above), notes]
    if isinstance(value, type):
        return _class(value, above)
    if isinstance(value, property | classmethod | staticmethod):
        parts = [getattr(value, name, None) for name in ("fget", "fset", "fdel", "__func__")]
        return [type(value).__name__, *(plain(part, above) for part in parts)]
    if isinstance(value, Iterator):
        return type(value).__name__
    state = getattr(value, "__dict__", None)
    if type(value).__module__ not in OWN or state is None:
        return [type(value).__name__, getattr(value, "__name__", "")]
    return [type(value).__name__, plain(dict(state), above)]


def _key(key: Any) -> Any:
    """Return a key as facts know it: True and 1 are one key of a dict."""
    return int(key) if isinstance(key, bool) else key


def _class(value: type, above: tuple[int, ...]) -> Any:
    names = [found.__name__ for found in value.__mro__]
    if value.__module__ not in OWN:
        return ["class", *names]
    members = {key: plain(item, above) for key, item in sorted(vars(value).items())
               if key not in HIDDEN}  # fmt: skip
    return ["class", type(value).__name__, *names, members]


def _parameters(function: Any, above: tuple[int, ...]) -> Any:
    found = inspect.signature(function).parameters.values()
    return [(item.name, str(item.kind), plain(item.default, above)) for item in found]


def test_programs_are_many() -> None:
    assert len(PROGRAMS) >= 50


def test_the_oracle_sees_a_lost_fact() -> None:
    """Dropping any fact changes the module or stops the interpreter."""
    source = (
        b"k, z, i = 'kz1'\na, *b = [1, 2, 3]\nc = {k: a, **{z: b}}\nc[k] += 1\nd = -c[z][int(i)]\n"
    )
    expected = plain(Interpreter(read_facts(source)).run())
    for place in range(len(read_facts(source).facts)):
        file = read_facts(source)
        lost = file.facts.pop(place)
        try:
            found = plain(Interpreter(file).run())
        except Exception:
            continue
        assert found != expected, lost
