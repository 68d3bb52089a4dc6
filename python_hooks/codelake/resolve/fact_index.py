"""The index of facts: the facts of a file -> what each node is made by, is given, is stored to.

    x = f(a)       made[call] = the fact, stores[x] = [Source(0, call)]
    xs = (1, 2)    elements(tuple) = [1, 2]

Nothing is judged here: every store counts, in whatever order it runs.
Next: store_order.py.
"""

from __future__ import annotations

from collections import Counter

from codelake.resolve.file_facts import CLASS_NAME, GLOBAL, Fact, FileFacts
from codelake.resolve.steps import Source

PARAMETERS = frozenset({"param", "param_pos", "param_star", "param_key", "param_keys"})
PARTS = frozenset({"arg", "arg_star", "keyword", "keyword_star", "base", "base_star"})
ELEMENTS = frozenset({"element", "element_star", "entry", "entry_star"})
SILENT = frozenset(
    {
        *("guard", "narrow", "generator", "part", "key", "step", "delete", "returns", "slice"),
        *("match_class", "match_sequence", "match_mapping", "match_is"),
        *("match_rest", "annotate"),
    }
)
PATH_STORES = frozenset({"store_attr", "store_item"})
_DEEPEST_KEY = 4


class FactIndex:
    """The facts of one file, by definition and by node.

    Attributes:
        groups: the facts of each definition, in the order of evaluation.
        made: the fact that makes the value of a node.
        same: nodes that have the value of another one; bodies.py finds them.
        owner_of: the definition that a node belongs to.
        stores: what a store, a parameter or an import gives a name.
        stores_of: the stores to a name of a scope.
        star_nodes: imports of all names.
        position: the place of a node in the order of evaluation.
        stores_in_order: the stores of a definition to a name that others see.
        path_stores: the positions of a definition's stores to attributes or to items.
        compound: nodes of which some part may not run.
    """

    def __init__(self, file: FileFacts) -> None:
        """Read the facts."""
        self.file = file
        self.groups: dict[int, list[Fact]] = {}
        self.stores: dict[int, list[Source]] = {}
        self.stores_of: dict[tuple[int | None, str], list[int]] = {}
        self.star_nodes: set[int] = set()
        self.made: dict[int, Fact] = {}
        self.same: dict[int, int] = {}
        self.owner_of: dict[int, int] = {}
        self.path_stores: dict[tuple[int, str], list[int]] = {}
        self.compound: set[int] = set()
        self.position: dict[int, int] = {}
        self.stores_in_order: dict[tuple[int, str], list[int]] = {}
        self._local_stores: dict[tuple[int, str], list[int]] | None = None
        self._elements: dict[int, list[int]] | None = None
        self._copying: dict[int, Fact] | None = None
        self._written: dict[int, tuple[list[int], list[int]]] | None = None
        self._class_names: dict[int, list[str]] | None = None
        self._read(file)

    def _read(self, file: FileFacts) -> None:
        names, groups, stores = file.names, self.groups, self.stores
        compound, made, owner_of, parents = (
            self.compound, self.made, self.owner_of, file.parents)  # fmt: skip
        current, group = -1, []
        for position, fact in enumerate(file.facts):
            op, owner, node, value, other, _, _ = fact
            if owner != current:
                group = groups.setdefault(owner, [])
                current = owner
            group.append(fact)
            if op == "store":
                if value is not None:
                    stores.setdefault(node, []).append(Source(owner, value))
                use = names.get(node)
                if use is not None:
                    self.stores_of.setdefault((use[2], use[0]), []).append(node)
                    if use[1] == GLOBAL or use[1] == CLASS_NAME:
                        self.stores_in_order.setdefault((owner, use[0]), []).append(node)
                self.position[node] = position
                continue
            if op in PATH_STORES:
                self.path_stores.setdefault((owner, op), []).append(position)
            if op in PARAMETERS:
                stores[node] = [Source(owner, node)]
            elif op == "import_star":
                self.star_nodes.add(node)
            elif op == "test":
                compound.add(node)
            elif op == "each":
                if other is not None:
                    compound.add(other)
            elif op == "guard":
                compound.add(node)
            elif op == "enter":
                compound.add(parents[node])  # whoever is entered may suppress an error
            elif op == "match":
                compound.add(parents[node])
            elif op == "store_attr":
                self.position[node] = position
                owner_of.setdefault(node, owner)
                continue
            elif op == "match_rest":
                stores[node] = [Source(owner, value or 0)]
            if op == "match_value":
                continue
            if op not in PARTS and op not in ELEMENTS and op not in SILENT:
                made[node] = fact
                owner_of[node] = owner
                self.position[node] = position

    def value(self, node: int) -> int:
        """Return the node that makes the value of a node."""
        same = self.same
        while node in same:
            node = same[node]
        return node

    def global_values(self, name: str) -> list[int]:
        """Return the values that functions store to a name of the module."""
        return [
            source.value
            for (owner, symbol), nodes in self.stores_in_order.items()
            if owner and symbol == name
            for node in nodes
            if self.file.names[node][1] == GLOBAL
            for source in self.stores.get(node, ())
        ]

    def class_names(self, def_no: int) -> list[str]:
        """Return the names that the body of a class binds."""
        if self._class_names is None:
            self._class_names = {}
            for owner, symbol in self.stores_in_order:
                self._class_names.setdefault(owner, []).append(symbol)
        return self._class_names.get(def_no, [])

    def local_stores(self, def_no: int, name: str) -> list[int]:
        """Return the values that a definition stores to a name of its own."""
        if self._local_stores is None:
            self._local_stores = {}
            for fact in self.file.facts:
                if fact[0] == "store" and fact[1] and fact[3] is not None:
                    self._local_stores.setdefault((fact[1], fact[5] or ""), []).append(fact[3])
        return self._local_stores.get((def_no, name), [])

    def returned(self, def_no: int) -> list[int]:
        """Return the nodes of the values that a definition returns."""
        return [
            fact[3]
            for fact in self.groups.get(def_no, ())
            if fact[0] == "return" and fact[3] is not None
        ]

    def written_arguments(self, node: int) -> tuple[list[int], list[int]]:
        """Return the nodes of the arguments of a call or decorator: positional, keywords."""
        if self._written is None:
            self._written = {}
            for fact in self.file.facts:
                if fact[0] in ("arg", "arg_star"):
                    self._written.setdefault(fact[2], ([], []))[0].append(fact[3] or 0)
                elif fact[0] in ("keyword", "keyword_star"):
                    self._written.setdefault(fact[2], ([], []))[1].append(fact[3] or 0)
                elif fact[0] == "decorate":
                    self._written[fact[2]] = ([fact[4] or 0], [])
        return self._written.get(node, ([], []))

    def elements(self, node: int) -> list[int]:
        """Return the elements of a tuple."""
        if self._elements is None:
            self._elements = {}
            for fact in self.file.facts:
                if fact[0] == "element" and fact[3] is not None:
                    self._elements.setdefault(fact[2], []).append(fact[3])
        return self._elements.get(node, [])

    def copied(self, node: int, value: int) -> int | None:
        """Return the iterable whose items a comprehension gives as they are, and all of them."""
        if self._copying is None:
            facts = self.file.facts
            tested = {fact[2] for fact in facts if fact[0] == "test"}
            counts = Counter(fact[4] for fact in facts if fact[0] == "each")
            self._copying = {
                fact[4] or 0: fact
                for fact in facts
                if fact[0] == "each" and counts[fact[4]] == 1 and fact[4] not in tested
            }
        fact = self._copying.get(node)
        return fact[3] if fact is not None and fact[2] == value else None

    def key_text(self, node: int | None, depth: int = 0) -> str | None:
        """Return the text of a key that is made of constants: a number of a name, a tuple, a sum.

        A text of its own is a value, and needs none.
        """
        fact = None if node is None else self.made.get(self.value(node))
        if fact is None or depth > _DEEPEST_KEY:
            return None
        op, _, made, value, other, text, idx = fact
        if op == "literal":
            known = text is not None and ":" in text and (depth or not text.startswith("str:"))
            return text if known else None
        if op == "tuple":
            texts = [self.key_text(one, depth + 1) for one in self.elements(made)]
            if len(texts) == idx and None not in texts:
                return f"tuple:{texts!r}"
        elif op == "binary" and text == "+":
            parts = [self.key_text(one, depth + 1) or "" for one in (value, other)]
            if all(part.startswith("str:") for part in parts):
                return f"str:{parts[0][4:]}{parts[1][4:]}"
        return None
