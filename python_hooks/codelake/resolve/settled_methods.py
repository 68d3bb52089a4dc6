"""Settled methods: what a list or dict whose content is known holds afterwards.

    xs.insert(0, h)      h is first
    d.update(a=g)        the entry of "a" is g
    xs[1:] = [f, g]      the rest is f and g

Each gives back whether the content is still known, and the value that comes out, if one does.
Next: growing_lists.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from codelake.resolve.file_facts import Fact

_SLICE_PARTS = 3

type Done = tuple[bool, int | None]


@dataclass(eq=False, slots=True)
class Held:
    """What a list (`items`) or dict (`entries`) of a name holds, as nodes of values.

    Attributes:
        name: the name.
        display: the node that makes it.
        items: of a list.
        entries: of a dict, by typed text.
        is_complete: whether a dict has no other keys.
        open: nodes that stand for it and are not used yet.
        pending: reads that may happen again, after what follows.
    """

    name: str
    display: int
    items: list[int] | None = None
    entries: dict[str, int] = field(default_factory=dict)
    is_complete: bool = True
    open: set[int] = field(default_factory=set)
    pending: set[int] = field(default_factory=set)

    def at(self, key: str | None) -> int | None:
        """Return the value at a key."""
        if key is None or key.startswith("slice"):
            return None
        if self.items is None:
            return self.entries.get(key)
        index = _index(self.items, key)
        return None if index is None else self.items[index]

    def put(self, displays: Displays, key: str | None, value: int | None) -> Done:
        """Store to `xs[key]`."""
        if key is None or value is None:
            return False, None
        if self.items is None:
            self.entries[key] = value
            return True, None
        if key.startswith("slice"):
            new, part = displays.elements(value), _slice(key)
            if new is not None and part is not None:
                self.items[part] = new
            return new is not None and part is not None, None
        index = _index(self.items, key)
        if index is not None:
            self.items[index] = value
        return index is not None, None

    def delete(self, key: str | None) -> Done:
        """Delete `xs[key]`."""
        if key is None or self.items is None:
            return self.entries.pop(key or "", None) is not None, None
        where = _slice(key) if key.startswith("slice") else _index(self.items, key)
        if where is not None:
            del self.items[where]
        return where is not None, None

    def grow(self, displays: Displays, operator: str | None, other: int | None) -> Done:
        """Add with `+=` or `|=`."""
        if self.items is None:
            is_known = operator == "|" and displays.is_dict(other)
            if is_known:
                self.merge(displays.parts.get(other or 0, ()))
            return is_known, None
        new = displays.elements(other) if operator == "+" else None
        self.items += new or ()
        return new is not None, None

    def merge(self, parts: Iterable[Fact]) -> None:
        """Add the entries of a dict display, or keywords."""
        for op, _, _, value, _, text, _ in parts:
            key = f"str:{text}" if op == "keyword" else text
            if op in ("entry_star", "keyword_star") or key is None or value is None:
                self.entries.clear()
                self.is_complete = False
            else:
                self.entries[key] = value

    def entry(self, displays: Displays, call: int) -> int | None:
        """Return the value at the key that a call names, or its default."""
        given = displays.positional(call)
        key = displays.text(given[0]) if given else None
        if self.items is not None or given is None or key is None:
            return None
        if key not in self.entries and self.is_complete and len(given) > 1:
            return given[1]
        return self.entries.get(key)


class Displays:
    """Displays, literals and arguments, by the nodes that they belong to."""

    def __init__(self) -> None:
        """Start empty."""
        self.made: dict[int, Fact] = {}
        self.parts: dict[int, list[Fact]] = {}

    def kind(self, node: int | None) -> str | None:
        """Return the op of a display or literal."""
        fact = self.made.get(node or 0)
        return None if fact is None else fact[0]

    def is_dict(self, node: int | None) -> bool:
        """Tell whether a node is a dict display."""
        return self.kind(node) == "dict"

    def elements(self, node: int | None) -> list[int] | None:
        """Return the elements of a list or tuple display, None when there is a star."""
        parts = self.parts.get(node or 0, [])
        is_known = self.kind(node) in ("list", "tuple") and _are(parts, "element")
        return [part[3] or 0 for part in parts] if is_known else None

    def positional(self, call: int) -> list[int] | None:
        """Return the arguments of a call, None when not all are positional."""
        parts = self.parts.get(call, [])
        return [part[3] or 0 for part in parts] if _are(parts, "arg") else None

    def text(self, node: int) -> str | None:
        """Return the typed text of a literal with a value."""
        fact = self.made.get(node)
        text = fact[5] if fact is not None and fact[0] == "literal" else None
        return text if text is not None and ":" in text else None


def _are(parts: Iterable[Fact], op: str) -> bool:
    return all(part[0] == op for part in parts)


def _append(displays: Displays, held: Held, call: int) -> Done:
    given = displays.positional(call)
    if held.items is None or given is None or len(given) != 1:
        return False, None
    held.items.append(given[0])
    return True, None


def _extend(displays: Displays, held: Held, call: int) -> Done:
    given = displays.positional(call)
    return held.grow(displays, "+", given[0]) if given else (False, None)


def _insert(displays: Displays, held: Held, call: int) -> Done:
    given = displays.positional(call) or []
    place = _number(displays.text(given[0])) if len(given) > 1 else None
    if held.items is None or place is None:
        return False, None
    held.items.insert(place, given[1])
    return True, None


def _pop(displays: Displays, held: Held, call: int) -> Done:
    given = displays.positional(call)
    if given is None:
        return False, None
    key = displays.text(given[0]) if given else "int:-1"
    if held.items is None:
        value = held.entry(displays, call)
        held.entries.pop(key or "", None)
        return key is not None, value
    index = _index(held.items, key or "")
    return index is not None, None if index is None else held.items.pop(index)


def _setdefault(displays: Displays, held: Held, call: int) -> Done:
    value, given = held.entry(displays, call), displays.positional(call)
    key = displays.text(given[0]) if given else None
    if value is None or key is None:
        return False, None
    held.entries[key] = value
    return True, value


def _update(displays: Displays, held: Held, call: int) -> Done:
    for part in displays.parts.get(call, ()):
        if part[0] == "arg" and displays.is_dict(part[3]):
            held.merge(displays.parts.get(part[3] or 0, ()))
        elif part[0] == "keyword":
            held.merge([part])
        else:
            return False, None
    return held.items is None, None


def _clear(_: Displays, held: Held, __: int) -> Done:
    held.entries.clear()
    held.is_complete = True
    if held.items is not None:
        held.items.clear()
    return True, None


def _reverse(_: Displays, held: Held, __: int) -> Done:
    if held.items is not None:
        held.items.reverse()
    return held.items is not None, None


METHODS: dict[str, Callable[[Displays, Held, int], Done]] = {
    "append": _append,
    "extend": _extend,
    "insert": _insert,
    "pop": _pop,
    "setdefault": _setdefault,
    "update": _update,
    "clear": _clear,
    "reverse": _reverse,
}


def _number(text: str | None) -> int | None:
    return int(text[4:]) if text is not None and text.startswith("int:") else None


def _index(items: list[int], key: str) -> int | None:
    """Return the index that a typed text is, where it is in a list."""
    number = _number(key)
    return number if number is not None and -len(items) <= number < len(items) else None


def _slice(key: str) -> slice | None:
    """Return the slice that a key is, None for steps and for bounds that are not constant."""
    parts = key.split(":")[1:]
    if len(parts) != _SLICE_PARTS or parts[2]:
        return None
    return slice(*(int(part) if part else None for part in parts[:2]))
