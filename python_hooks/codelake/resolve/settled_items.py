"""Settled items: which value a list or dict holds at a read, in straight code.

    d = {"a": f}
    d.update(a=g)
    d["a"]()             g
    xs = [f]
    xs.insert(0, h)
    xs.pop()()           f

Only lists and dicts of a name that nobody else uses, as long as they go nowhere else and nothing is
done to them under a condition; every other read has all that was ever put there. What the code of
other modules does to the names of a module is not seen.
Next: settled_methods.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Protocol

from codelake.resolve.file_facts import BUILTIN, Fact, NameUse
from codelake.resolve.settled_methods import METHODS, Displays, Done, Held

_CHANGES = frozenset({"store_item", "delete_item", "inplace"})
_DISPLAYS = frozenset({"list", "tuple", "dict", "literal"})
_PARTS = frozenset({"element", "entry", "arg", "keyword"})
_STARS = frozenset({"element_star", "entry_star", "arg_star", "keyword_star"})
_USES = frozenset({"each", "test", "compare", "unary", "binary", "unpack", "unpack_star"})
_QUIET = frozenset({"copy", "count", "index", "items", "keys", "values"})
_READERS = frozenset(
    {
        "all",
        "any",
        "enumerate",
        "isinstance",
        "len",
        "list",
        "print",
        "sorted",
        "sum",
        "tuple",
        "zip",
    }
)

type Reads = dict[int, tuple[int, int]]  # subscript or call -> display, node of the value


class _Sure(Protocol):
    def __call__(self, node: int, owner: int) -> bool: ...


def settled_items(
    groups: Mapping[int, Iterable[Fact]], names: Mapping[int, NameUse], surely: _Sure
) -> Reads:
    """Find the reads whose value is known.

    Args:
        groups: facts of each definition, in the order of evaluation.
        names: occurrence of a name -> its binding.
        surely: tells whether a node of a definition is evaluated once whenever that runs.
    """
    reads: Reads = {}
    changing = {owner: group for owner, group in groups.items() if any(map(_is_change, group))}
    if not changing:
        return reads
    users: dict[tuple[int | None, str], set[int]] = {}
    for owner, group in groups.items():
        for fact in group:
            if fact[0] in ("load", "store", "delete") and fact[2] in names:
                symbol, _, scope = names[fact[2]]
                users.setdefault((scope, symbol), set()).add(owner)
    own = {node for node, use in names.items() if len(users.get((use[2], use[0]), ())) == 1}
    outer = {node for node, use in names.items() if use[1] == BUILTIN}
    for owner, group in changing.items():
        _Walk(reads, own, outer, partial(surely, owner=owner)).run(group)
    return reads


def _is_change(fact: Fact) -> bool:
    """Tell whether a fact changes what is held, or asks for it with a default."""
    return fact[0] in _CHANGES or (fact[0] == "attr" and (fact[5] in METHODS or fact[5] == "get"))


class _Walk:
    """One definition; `own` are names that nobody else uses, `builtin` those of nobody here."""

    def __init__(
        self, reads: Reads, own: set[int], builtin: set[int], surely: Callable[[int], bool]
    ) -> None:
        self._reads, self._own, self._builtin, self._surely = reads, own, builtin, surely
        self._displays = Displays()
        self._held: dict[str, Held] = {}
        self._all: list[Held] = []
        self._nodes: dict[int, Held] = {}  # loads of held names, and methods
        self._methods: dict[int, str] = {}
        self._readers: set[int] = set()
        self._grown: set[int] = set()  # `+=` that gives the list itself

    def run(self, group: Iterable[Fact]) -> None:
        """Walk through the facts."""
        for fact in group:
            op, _, node, value, other, _, _ = fact
            step = _STEPS.get(op)
            if step is not None:
                step(self, fact)
            elif op in _PARTS or op in _STARS:
                self._displays.parts.setdefault(node, []).append(fact)
                if op in _STARS:
                    self._use(value)
            elif op in _DISPLAYS:
                self._displays.made[node] = fact
            elif op in _USES:
                self._use(value)
                self._use(other)
        for held in self._all:
            if held.open:
                self._forget(held)

    def load(self, fact: Fact) -> None:
        """Handle the load of a name."""
        node, name = fact[2], fact[5] or ""
        held = self._held.get(name)
        if held is not None:
            self._nodes[node] = held
            held.open.add(node)
        elif name in _READERS and node in self._builtin:
            self._readers.add(node)

    def store(self, fact: Fact) -> None:
        """Handle a store to a name, or its end."""
        _, _, node, value, _, text, _ = fact
        name = text or ""
        if value in self._grown and name in self._held:
            return
        self._drop(self._held.get(name))
        other = self._made_at(value)
        if other is not None:  # another name for the same
            self._drop(other)
        elif node in self._own and self._surely(node):
            self._hold(name, value or 0)

    def _hold(self, name: str, display: int) -> None:
        held = Held(name, display, self._displays.elements(display))
        if self._displays.is_dict(display):
            held.merge(self._displays.parts.get(display, ()))
        elif held.items is None or self._displays.kind(display) != "list":
            return
        self._held[name] = held
        self._all.append(held)

    def same(self, fact: Fact) -> None:
        """Handle `(xs := [])`, which goes elsewhere too."""
        self._drop(self._made_at(fact[3]))

    def attr(self, fact: Fact) -> None:
        """Handle the look-up of a method."""
        _, _, node, value, _, text, _ = fact
        held = self._nodes.get(value or 0)
        name = text or ""
        if held is not None and (name in METHODS or name in _QUIET or name == "get"):
            self._use(value)
            held.open.add(node)
            self._nodes[node] = held
            self._methods[node] = name

    def call(self, fact: Fact) -> None:
        """Handle a call: of a method, or of a builtin that only reads."""
        _, _, node, value, _, _, _ = fact
        if value in self._readers:
            for part in self._displays.parts.get(node, ()):
                self._use(part[3])
        name = self._methods.get(value or 0)
        if name in METHODS:
            method = METHODS[name]
            self._change(value, node, lambda held: method(self._displays, held, node))
        elif name is not None:
            held = self._use(value)
            if held is not None and name == "get":
                self._read(held, node, held.entry(self._displays, node))

    def item(self, fact: Fact) -> None:
        """Handle `xs[0]`."""
        held = self._use(fact[3])
        if held is not None:
            self._read(held, fact[2], held.at(fact[5]))

    def store_item(self, fact: Fact) -> None:
        """Handle `xs[0] = v`."""
        _, _, node, value, other, text, _ = fact
        self._change(other, node, lambda held: held.put(self._displays, text, value))

    def delete_item(self, fact: Fact) -> None:
        """Handle `del xs[0]`."""
        _, _, node, value, _, text, _ = fact
        self._change(value, node, lambda held: held.delete(text))

    def inplace(self, fact: Fact) -> None:
        """Handle `xs += v`."""
        _, _, node, value, other, text, _ = fact
        self._grown.add(node)
        self._change(value, node, lambda held: held.grow(self._displays, text, other))

    def _change(self, one: int | None, node: int, change: Callable[[Held], Done]) -> None:
        held = self._use(one)
        if held is None:
            return
        self._forget(held)
        is_known, value = change(held) if self._surely(node) else (False, None)
        self._read(held, node, value)
        if not is_known:
            self._drop(held)

    def _read(self, held: Held, node: int, value: int | None) -> None:
        if held.open or self._held.get(held.name) is not held:
            self._drop(held)
        elif value is not None:
            self._reads[node] = held.display, value
            if not self._surely(node):
                held.pending.add(node)

    def _use(self, node: int | None) -> Held | None:
        """Take note that a node that stands for a list or dict is used up."""
        held = self._nodes.get(node or 0)
        if held is not None:
            held.open.discard(node or 0)
        return held

    def _made_at(self, display: int | None) -> Held | None:
        return next((held for held in self._all if held.display == display), None)

    def _drop(self, held: Held | None) -> None:
        """Follow a list or dict no longer."""
        if held is not None:
            self._forget(held)
            if self._held.get(held.name) is held:
                del self._held[held.name]

    def _forget(self, held: Held) -> None:
        """Give up the reads that may happen after what is done now."""
        for node in held.pending:
            self._reads.pop(node, None)
        held.pending.clear()


_STEPS: dict[str, Callable[[_Walk, Fact], None]] = {
    "load": _Walk.load,
    "store": _Walk.store,
    "delete": _Walk.store,
    "same": _Walk.same,
    "attr": _Walk.attr,
    "call": _Walk.call,
    "item": _Walk.item,
    "store_item": _Walk.store_item,
    "delete_item": _Walk.delete_item,
    "inplace": _Walk.inplace,
}
