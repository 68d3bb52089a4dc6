"""Narrowing: what a test says about a name or path where it is used.

    if isinstance(x, C):      load of x in the body: Narrowing(positive, class node)
        x.go()

It holds for uses in the region of the guard that see the same definitions as the test did.
Next: bodies.py.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import NamedTuple

from codelake.resolve.file_facts import Fact, FileFacts

_POSITIVE = frozenset({"isinstance", "type is", "issubclass"})
_NEGATIVE = frozenset({"not isinstance"})
_GATES = frozenset({"is None", "is not None", "callable", "not callable"})


class Narrowing(NamedTuple):
    """A test: whether it is passed, on which classes; isinstance, issubclass or `type is`."""

    positive: bool
    classes: int
    test: str = "isinstance"


class Gate(NamedTuple):
    """A test of a parameter that must have passed: `is None`, `not callable` ..."""

    parameter: int
    test: str


class Narrowings:
    """The tests of one file, by the name or path that they are about."""

    def __init__(self, file: FileFacts, made: Mapping[int, Fact]) -> None:
        """Collect the tests."""
        self._file = file
        self._made = made
        self._tests: dict[str, list[tuple[int, int, int, Narrowing]]] = {}
        self._gates: list[tuple[int, int, Gate]] = []
        first = last = 0
        for op, _, node, value, other, text, _ in file.facts:
            if op == "guard":
                first, last = value or 0, other or 0
            elif op == "narrow" and text in _GATES:
                reached = file.reaches.get(node, ())
                if len(reached) == 1:
                    self._gates.append((first, last, Gate(reached[0], text)))
            elif op == "narrow" and value is not None:
                positive = text in _POSITIVE
                if positive or text in _NEGATIVE:
                    path = self.path(node)
                    if path is not None:
                        found = Narrowing(positive, value, (text or "").removeprefix("not "))
                        self._tests.setdefault(path, []).append((first, last, node, found))

    def path(self, node: int) -> str | None:
        """Return a dotted path that a node reads, as text."""
        names: list[str] = []
        while True:
            fact = self._made.get(node)
            if fact is None:
                use = self._file.names.get(node)
                return ".".join([use[0], *reversed(names)]) if use and not names else None
            if fact[0] == "load":
                return ".".join([fact[5] or "", *reversed(names)])
            if fact[0] != "attr" or fact[3] is None:
                return None
            names.append(fact[5] or "")
            node = fact[3]

    def of_name(self, node: int, name: str) -> tuple[Narrowing, ...] | None:
        """Return what is known of a name where it is loaded."""
        tests = self._tests.get(name)
        if tests is None:
            return None
        reaches = self._file.reaches
        mine = set(reaches.get(node, ()))
        found = [
            test
            for first, last, tested, test in tests
            if first <= node <= last and (set(reaches.get(tested, ())) == mine or mine == {tested})
        ]
        return tuple(found) or None

    def gates(self, node: int, parameters: Collection[int]) -> tuple[Gate, ...]:
        """Return the tests of parameters behind which a node stands."""
        return tuple(
            gate
            for first, last, gate in self._gates
            if first <= node <= last and gate.parameter in parameters
        )

    def of_path(self, node: int) -> tuple[Narrowing, ...] | None:
        """Return what is known of an attribute path where it is read."""
        if not self._tests:
            return None
        path = self.path(node)
        tests = self._tests.get(path) if path is not None else None
        if tests is None:
            return None
        return tuple(t for first, last, _, t in tests if first <= node <= last) or None
