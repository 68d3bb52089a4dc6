"""Growing lists: at which positions a list gets what it is given behind its display.

    xs = [f]
    xs.append(g)       position 1
    xs += [h]          position 2
    xs[-1]             position 2

Only lists of a name that nobody else uses, as long as nothing happens under a condition and the
list goes nowhere else; all other lists have what they are given anywhere.
Next: container_methods.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Protocol

from codelake.resolve.file_facts import Fact, NameUse

_METHODS = frozenset({"append", "extend"})


class GrowingLists:
    """The positions of one file.

    Attributes:
        places: call or `+=` -> display of the list, first position.
        displays: of the lists that grow.
        reads: subscript with a negative number -> key of the position.
    """

    def __init__(self) -> None:
        """Start without lists."""
        self.places: dict[int, tuple[int, int]] = {}
        self.displays: set[int] = set()
        self.reads: dict[int, str] = {}


class _Always(Protocol):
    def __call__(self, node: int, owner: int) -> bool: ...


class _List:
    __slots__ = ("display", "open_loads", "size")

    def __init__(self, display: int, size: int) -> None:
        self.display = display
        self.size = size
        self.open_loads: set[int] = set()


def growing_lists(
    groups: Mapping[int, Iterable[Fact]],
    names: Mapping[int, NameUse],
    always: _Always,
) -> GrowingLists:
    """Find the positions.

    Args:
        groups: facts of each definition, in the order of evaluation.
        names: occurrence of a name -> its binding.
        always: tells whether a node of a definition is under no condition.
    """
    found = GrowingLists()
    if not any(
        fact[0] == "inplace" or (fact[0] == "attr" and fact[5] in _METHODS)
        for group in groups.values()
        for fact in group
    ):
        return found
    users: dict[tuple[int | None, str], set[int]] = {}
    for owner, group in groups.items():
        for fact in group:
            if fact[0] == "load" and fact[2] in names:
                symbol, _, scope = names[fact[2]]
                users.setdefault((scope, symbol), set()).add(owner)
    for owner, group in groups.items():
        _Walk(found, names, users, partial(always, owner=owner)).run(group)
    return found


class _Walk:
    """One definition."""

    def __init__(
        self,
        found: GrowingLists,
        names: Mapping[int, NameUse],
        users: Mapping[tuple[int | None, str], set[int]],
        always: Callable[[int], bool],
    ) -> None:
        self._found, self._names, self._users, self._always = found, names, users, always
        self._sizes: dict[int, int] = {}  # of displays
        self._starred: set[int] = set()
        self._lists: dict[str, _List] = {}
        self._loads: dict[int, _List] = {}
        self._methods: dict[int, tuple[_List, str]] = {}
        self._arguments: dict[int, list[Fact]] = {}
        self._grown: set[int] = set()  # `+=` that gives the list itself

    def run(self, group: Iterable[Fact]) -> None:
        """Walk through the facts."""
        for fact in group:
            op, _, node, value, other, text, idx = fact
            if op == "load":
                held = self._lists.get(text or "")
                if held is not None:
                    self._loads[node] = held
                    held.open_loads.add(node)
            elif op == "element_star":
                self._starred.add(node)
            elif op in ("list", "tuple"):
                if node not in self._starred:
                    self._sizes[node] = idx or 0
            elif op == "store":
                self._store(node, value, text or "")
            elif op in ("arg", "arg_star", "keyword", "keyword_star"):
                self._arguments.setdefault(node, []).append(fact)
            elif op == "each" and value in self._loads:
                self._loads[value].open_loads.discard(value)
            elif op == "item" and value in self._loads:
                self._read(node, self._loads[value], value, text)
            elif op == "attr" and text in _METHODS and value in self._loads:
                self._loads[value].open_loads.discard(value)
                self._methods[node] = self._loads[value], text
            elif op == "call" and value in self._methods:
                held, method = self._methods[value]
                self._grow(node, held, self._given(node, method))
            elif op == "inplace" and value in self._loads:
                held = self._loads[value]
                held.open_loads.discard(value)
                self._grow(node, held, self._sizes.get(other or 0) if text == "+" else None)
                self._grown.add(node)

    def _store(self, node: int, value: int | None, name: str) -> None:
        use = self._names.get(node)
        if value in self._grown:
            return
        self._lists.pop(name, None)
        size = self._sizes.get(value or 0)
        if use is None or size is None or not self._always(node):
            return
        if len(self._users.get((use[2], use[0]), ())) == 1:
            self._lists[name] = _List(value or 0, size)

    def _read(self, node: int, held: _List, load: int, text: str | None) -> None:
        held.open_loads.discard(load)
        if text is None or not text.startswith("int:-") or held.size < 0:
            return
        if not held.open_loads and self._always(node):
            self._found.reads[node] = f"int:{held.size + int(text[4:])}"

    def _given(self, call: int, method: str) -> int | None:
        """Return how many items a call adds."""
        given = self._arguments.get(call, [])
        if len(given) != 1 or given[0][0] != "arg":
            return None
        return 1 if method == "append" else self._sizes.get(given[0][3] or 0)

    def _grow(self, node: int, held: _List, count: int | None) -> None:
        if held.size < 0:
            return
        if count is None or held.open_loads or not self._always(node):
            held.size = -1  # from now on, positions are not known
            return
        self._found.places[node] = held.display, held.size
        self._found.displays.add(held.display)
        held.size += count
