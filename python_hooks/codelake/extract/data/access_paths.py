"""Access paths: attributes and subscripts below a name -> events on `self.x`, `d['k']`, `d[*]`.

    self.x = 1; self.x        DEFINE self.x; USE self.x
    d['k'] = 1; d[i] = 2      DEFINE d['k']; ADD d[*]
    d['k']; d[j]              USE d['k'], USE d[*]; USE d['k'], USE d[*]
    self = other              a new value of self ends self.x (variables.py)
    self.__x = 1              in class C: DEFINE self._C__x, as CPython stores it

A path is a name and steps: attributes and subscripts with constant keys. Weaker than a name: a call
may change what a path leads to, and another path may lead to the same place; neither is
followed. Equal keys are one (`1`, `1.0`, `True`); a negative number is no constant here, for it may
be an index from the end, nor is a slice.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from codelake.extract.data.variables import (
    ADD,
    ANY_STEP,
    DEFINE,
    REMOVE,
    USE,
    Event,
    Key,
    Variables,
)


class Paths:
    """The paths that a unit stores to."""

    def __init__(
        self,
        nodes: Sequence[Any],
        binding: Mapping[int, Key],
        variables: Variables,
        stores: Iterable[int],
        private: str | None = None,
    ) -> None:
        """Find the paths of all stores and give them numbers.

        Args:
            nodes: by number.
            binding: variable of each name.
            variables: takes the new ones.
            stores: attributes and subscripts that are stored to.
            private: prefix of private names in the class around, if any.
        """
        self._private = private
        self._binding = binding
        self._variables = variables
        self._known: dict[int, int | None] = {}  # node number -> variable of its path
        self._elements: dict[int, list[int]] = {}
        self.stored: set[int] = set()
        for no in stores:
            node = nodes[no]
            if node.ctx.__class__ is ast.Del:
                continue
            path = self._store(node)
            if path is not None and path not in self.stored:
                self.stored.add(path)
                if node.__class__ is ast.Subscript:
                    self._elements.setdefault(-1 - variables.keys[path][0], []).append(path)

    def events(self, node: Any) -> list[Event]:
        """Return the events of an attribute or subscript."""
        context = node.ctx.__class__
        if context is ast.Load:
            return self.uses(node)
        step = self._step(node)
        base = self._path(node.value)
        path = None if base is None else self._variables.index.get((-1 - base, step))
        if context is ast.Del:
            events = self.uses(node)
            if path in self.stored and step != ANY_STEP:
                events.append((REMOVE, path, node.no))
            return events
        if path is None:
            return []
        return [(ADD if step == ANY_STEP else DEFINE, path, node.no)]

    def uses(self, node: Any) -> list[Event]:
        """Return the events of a reading."""
        base = self._path(node.value)
        if base is None:
            return []
        step = self._step(node)
        if step == ANY_STEP:
            return [(USE, path, node.no) for path in self._elements.get(base, ())]
        index, stored = self._variables.index, self.stored
        keys = [(-1 - base, step)]
        if step[0] == "[":
            keys.append((-1 - base, ANY_STEP))
        return [(USE, index[key], node.no) for key in keys if index.get(key) in stored]

    def _store(self, node: Any) -> int | None:
        """Return the path of a store, with every path on the way to it."""
        steps = []
        while node.__class__ is not ast.Name:
            if node.__class__ not in _STEPS:
                return None
            steps.append(self._step(node))
            if steps[-1] == ANY_STEP and len(steps) > 1:  # below an element that is not known
                return None
            node = node.value
        number = self._variables.number
        path = number(self._binding[node.no])
        for step in reversed(steps):
            path = number((-1 - path, step))
        return path

    def _path(self, node: Any) -> int | None:
        """Return the variable of an expression, if a store begins with it."""
        if node.__class__ is ast.Name:
            return self._variables.index.get(self._binding[node.no])
        chain = []
        known = self._known
        path: int | None = None
        while node.__class__ in _STEPS:
            if node.no in known:
                path = known[node.no]
                break
            chain.append(node)
            node = node.value
        else:
            if node.__class__ is ast.Name:
                path = self._variables.index.get(self._binding[node.no])
        for node in reversed(chain):
            step = self._step(node)
            if path is not None:
                key = (-1 - path, step)
                path = None if step == ANY_STEP else self._variables.index.get(key)
            known[node.no] = path
        return path

    def _step(self, node: Any) -> str:
        """Return one step of a path as text."""
        if node.__class__ is not ast.Attribute:
            return _subscript(node.slice)
        name = node.attr
        if self._private is not None and name[:2] == "__" and name[-2:] != "__":
            name = self._private + name
        return f".{name}"


_STEPS = frozenset({ast.Attribute, ast.Subscript})


def _subscript(key: Any) -> str:
    """Return a subscript as text."""
    if key.__class__ is ast.Constant:
        return f"[{_constant(key.value)}]"
    items = key.elts if key.__class__ is ast.Tuple else ()
    if items and all(item.__class__ is ast.Constant for item in items):
        return f"[{', '.join(_constant(item.value) for item in items)}]"
    return ANY_STEP


def _constant(value: Any) -> str:
    """Return one text for equal keys."""
    if value.__class__ in (bool, float, complex) and value == value.real:
        real = value.real
        if real.__class__ is not float or real.is_integer():
            value = int(real)
    return repr(value)
