"""The order of stores: what a later store replaces, as far as one file tells.

    go = f             hidden: others see g
    go = g
    def use(a):
        a.b = f
        a.b()          strong: f alone
        other(a)
        a.b()          not any more, `other` may have stored to it

Only stores that surely run replace others. The code of modules runs once and in order, so there
the stores before a read are told from those behind it (`timed`); in functions a read knows what has
been stored right before, when nothing that might store too ran meanwhile (`strong`).
Next: bodies.py.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from codelake.resolve.blocks import Blocks
from codelake.resolve.fact_index import PATH_STORES, FactIndex
from codelake.resolve.file_facts import GLOBAL, Fact, FileFacts
from codelake.resolve.guards import dead_regions
from codelake.resolve.steps import Timed

_EVALUATING = frozenset({"attr", "binary", "call", "inplace", "item", "list", "tuple", "unary"})


class StoreOrder(FactIndex):
    """The stores of one file, and which of them replace others.

    Attributes:
        dead: what never runs.
        hidden: stores to names of the module and of classes that nobody outside sees.
        store_paths: by store of the module, its path, such as `a.b`.
        timed_keys: the last parts of these paths.
    """

    def __init__(self, file: FileFacts) -> None:
        """Find the stores that nobody outside sees."""
        super().__init__(file)
        self.dead = dead_regions(file.facts)
        self.hidden = self._hidden()
        self.timed_keys: set[str] = set()
        self.store_paths: dict[int, str] = {}
        self._replacing: dict[tuple[int, int | None, str], list[int]] | None = None
        self._blocks: Blocks | None = None

    def _hidden(self) -> set[int]:
        """Return the stores to names of the module and of classes that nobody outside sees."""
        hidden: set[int] = set()
        for (owner, _), nodes in self.stores_in_order.items():
            if len(nodes) == 1:
                continue
            opener = self.file.definitions[owner].node
            for place in range(len(nodes) - 1, 0, -1):
                if self.always(nodes[place], opener):
                    hidden.update(nodes[:place])
                    break
        return hidden

    def always(self, node: int, opener: int) -> bool:
        """Tell whether a node of a definition is under no condition."""
        parents, compound = self.file.parents, self.compound
        at = parents[node]
        while at != opener and at:
            if at in compound:
                return False
            at = parents[at]
        return True

    def surely(self, node: int, owner: int) -> bool:
        """Tell whether a simple statement of a definition, in no block, evaluates a node once."""
        parents, made = self.file.parents, self.made
        opener = self.file.definitions[owner].node
        at = node
        while at != opener and parents[at] in made and made[parents[at]][0] in _EVALUATING:
            at = parents[at]
        if parents[at] != opener:
            if at in made and made[at][0] == "inplace":
                return False  # in a block
            at = parents[at]
        return parents[at] == opener and self.always(node, opener)

    def surely_before(self, nodes: Sequence[int], use: int) -> bool:
        """Tell whether one of some nodes has run when a later one does."""
        if nodes and self._blocks is None:
            self._blocks = Blocks(self.file)
        return self._blocks is not None and self._blocks.surely_before(nodes, use)

    def bound_values(self, def_no: int, name: str) -> list[int]:
        """Return the values that the module or a class has under a name, as others see it."""
        nodes = self.stores_in_order.get((def_no, name), ())
        return [
            self.value(source.value)
            for node in nodes
            if node not in self.hidden
            for source in self.stores.get(node, ())
        ]

    def not_replaced(self, def_no: int, node: int, reached: Sequence[int]) -> Sequence[int]:
        """Leave out what a definition stored to its name before it called what stores to it too."""
        if self._replacing is None:
            self._replacing = self._find_replacing()
        symbol, _, scope = self.file.names[node]
        here = self.position[node]
        calls = self._replacing.get((def_no, scope, symbol), ())
        last = max((one for one in calls if one < here), default=-1)
        if last < 0:
            return reached
        return [
            one
            for one in reached
            if self.position.get(one, here) > last
            or any(source.owner != def_no for source in self.stores.get(one, ()))
        ] or reached

    def _find_replacing(self) -> dict[tuple[int, int | None, str], list[int]]:
        """Find calls, under no condition, of functions that always store to names around them."""
        found: dict[tuple[int, int | None, str], list[int]] = {}
        stored = {owner: names for owner in self.groups if (names := self._surely_stored(owner))}
        if not stored:
            return found
        for owner, group in self.groups.items():
            opener = self.file.definitions[owner].node
            for fact in group:
                if fact[0] != "call" or not self.always(fact[2], opener):
                    continue
                reached = self.file.reaches.get(fact[3] or 0, ())
                sources = self.stores.get(reached[0], ()) if len(reached) == 1 else ()
                made = self.made.get(sources[0].value) if len(sources) == 1 else None
                if made is not None and made[0] == "function":
                    for scope, symbol in stored.get(made[6] or 0, ()):
                        position = self.position[fact[2]]
                        found.setdefault((owner, scope, symbol), []).append(position)
        return found

    def _surely_stored(self, def_no: int) -> list[tuple[int | None, str]]:
        """Return the names of others that a function stores to whenever it is called."""
        place = self.file.definitions[def_no]
        names: list[tuple[int | None, str]] = []
        if place.kind != "FUNCTION" or place.is_async:
            return names
        for op, _, node, _, _, _, _ in self.groups[def_no]:
            if op in ("return", "raise", "generator"):
                break
            use = self.file.names.get(node) if op == "store" else None
            if use is not None and use[1] in (GLOBAL, "free") and self.always(node, place.node):
                names.append((use[2], use[0]))
        return names

    def note_paths(self, group: Sequence[Fact]) -> None:
        """Find the paths that the module both stores to and reads, such as `a.b` or `d['k']`."""
        for op, _, node, _, other, text, _ in group:
            if op in PATH_STORES and other is not None and text is not None:
                path = self._path(other)
                if path is not None:
                    self.store_paths[node] = (
                        f"{path}[{text}]" if op == "store_item" else (f"{path}.{text}")
                    )
        self.timed_keys.update(
            fact[5] or ""
            for fact in group
            if fact[0] in PATH_STORES and fact[2] in self.store_paths
        )

    def _path(self, node: int) -> str | None:
        fact = self.made.get(node)
        parts: list[str] = []
        while fact is not None and fact[0] in ("attr", "item") and fact[5] and fact[3] is not None:
            parts.append(f".{fact[5]}" if fact[0] == "attr" else f"[{fact[5]}]")
            fact = self.made.get(fact[3])
        if fact is None or fact[0] != "load":
            return None
        return (fact[5] or "") + "".join(reversed(parts))

    def timed(self, node: int) -> Timed | None:
        """Return what the module has stored to a path before it is read, in order of execution."""
        path = self._path(node)
        if path is None or path not in self.store_paths.values():
            return None
        here = self.position.get(node, 0)
        values, before = [], []
        for one in self.file.path_reaches.get(node, ()):
            there = self.position.get(one, here)
            fact = self.file.facts[there]
            if fact[0] not in PATH_STORES or fact[1] != 0 or fact[3] is None:
                continue
            values.append(self.value(fact[3]))
            if there < here:
                before.append(one)
        return Timed(path, tuple(values), self.surely_before(before, node))

    def strong(self, def_no: int, node: int, runs: Sequence[int]) -> tuple[int, ...] | None:
        """Return what an attribute or item has just been given, when nothing ran meanwhile."""
        reached = self.file.path_reaches.get(node)
        if not reached or not self.surely_before(reached, node):
            return None
        here = self.position.get(node, 0)
        values = []
        for one in reached:
            there = self.position.get(one)
            if there is None or there > here:
                return None
            if bisect_left(runs, here) != bisect_left(runs, there):
                return None
            fact = self.file.facts[there]
            if fact[0] not in PATH_STORES or fact[1] != def_no or fact[3] is None:
                return None
            values.append(self.value(fact[3]))
        first = min(self.position[one] for one in reached)
        return None if self._stored_otherwise(def_no, node, first) else tuple(values)

    def _stored_otherwise(self, def_no: int, node: int, first: int) -> bool:
        """Tell whether a definition stores to a path by another name, which may be the same."""
        here, (op, _, _, base, _, key, _) = self.position[node], self.made[node]
        path = self._path(base or 0)
        for position in self.path_stores.get((def_no, f"store_{op}"), ()):
            fact = self.file.facts[position]
            is_same = op == "item" and (key is None or fact[5] is None or "slice" in fact[5])
            if position < first or not (is_same or fact[5] == key):
                continue
            if self._path(fact[4] or 0) != path and (position < here or self._repeats(fact[2])):
                return True
        return False

    def _repeats(self, node: int) -> bool:
        return self._blocks is not None and self._blocks.loop(node) is not None
