"""Bodies: the facts of a file -> for each definition the steps that make its constraints.

    def f(a, *b):          Signature(positional=[a], star=b)
        x = a
        return g(x, k=1)   load g, call (x is a, literally), return

Names are settled here as far as one file tells: a load has the values of the definitions that
reach it as sources. A load of one local value is that value (`same`), so straight-line code needs
no constraints for names. Stores make a step only where others can see them: in the module, in a
class, through `global` and `nonlocal`. Of several stores to a name of a module or class only the
last that always happens, and those behind it, are seen from outside.
Next: narrowing.py, constraints.py.
"""

from __future__ import annotations

import builtins
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from codelake.resolve.blocks import Blocks
from codelake.resolve.file_facts import BUILTIN, CLASS_NAME, GLOBAL, Fact, FileFacts
from codelake.resolve.growing_lists import GrowingLists, growing_lists
from codelake.resolve.guards import dead_regions
from codelake.resolve.narrowing import Narrowing, Narrowings
from codelake.resolve.settled_items import Reads, settled_items

BUILTIN_NAMES = frozenset(dir(builtins))
_PARAMETERS = frozenset({"param", "param_pos", "param_star", "param_key", "param_keys"})
_PARTS = frozenset({"arg", "arg_star", "keyword", "keyword_star", "base", "base_star"})
_ELEMENTS = frozenset({"element", "element_star", "entry", "entry_star"})
_SILENT = frozenset(
    {
        *("guard", "narrow", "generator", "part", "key", "step", "delete", "returns", "slice"),
        *("match_class", "match_sequence", "match_mapping", "match_is"),
        *("match_rest", "annotate"),
    }
)
_PLACED = frozenset({"test", "unary", "each", "yield_from"})  # implicit calls at an operand
_PATH_STORES = frozenset({"store_attr", "store_item"})
_EVALUATING = frozenset({"attr", "binary", "call", "inplace", "item", "list", "tuple", "unary"})
_RUNS = frozenset({"call", "decorate", "await", "yield", "yield_from", "enter"})

type Step = tuple[str, int, Any, Any, str | None, Any]


class Source(NamedTuple):
    """A value that a load may have: made by a node of a definition, or `star` for an import."""

    owner: int
    value: int


class Timed(NamedTuple):
    """What a module has stored to a path by itself before a read, and whether it surely has."""

    path: str
    values: tuple[int, ...]
    is_sure: bool


class Parameter(NamedTuple):
    """A parameter; default and annotation are nodes of the definition around."""

    op: str
    node: int
    name: str
    default: int | None
    annotation: int | None


@dataclass(slots=True)
class Signature:
    """The parameters of a function, by the ways in which arguments reach them."""

    positional: list[Parameter] = field(default_factory=list)
    star: Parameter | None = None
    keyword_only: list[Parameter] = field(default_factory=list)
    keywords: Parameter | None = None
    by_name: dict[str, Parameter] = field(default_factory=dict)

    def add(self, parameter: Parameter) -> None:
        """Add the next parameter."""
        op = parameter.op
        if op == "param_star":
            self.star = parameter
        elif op == "param_keys":
            self.keywords = parameter
        elif op == "param_key":
            self.keyword_only.append(parameter)
        else:
            self.positional.append(parameter)
        if op in ("param", "param_key"):
            self.by_name[parameter.name] = parameter

    def all(self) -> Iterable[Parameter]:
        """Return all parameters."""
        yield from self.positional
        yield from self.keyword_only
        if self.star is not None:
            yield self.star
        if self.keywords is not None:
            yield self.keywords


class Arguments(NamedTuple):
    """What a call hands over: (value, is it starred?) and (name or None, value)."""

    positional: tuple[tuple[int, bool], ...] = ()
    keywords: tuple[tuple[str | None, int], ...] = ()


NO_ARGUMENTS = Arguments()
OF_FIRST, OF_OTHERS = 1, 2
_DEEPEST_KEY = 4
_ADDING = frozenset({"append", "appendleft", "add", "extend", "insert", "setdefault", "update"})


@dataclass(slots=True)
class Body:
    """What a definition does.

    Attributes:
        steps: in the order of evaluation.
        signature: its parameters.
        is_generator: whether it yields.
        returns: annotation of the result, a node of the definition around.
        returned: nodes of returned values.
        makes: whether it makes functions or classes.
        annotations: (target, annotation, object or None, name, has a value?).
        result_of: what the result may depend on, OF_FIRST and OF_OTHERS of the parameters.
        gives: whether it stores to attributes of what it is handed, or adds to what they hold.
        forwards: whether it returns a parameter itself, or stores by a name that it is handed.
    """

    steps: list[Step] = field(default_factory=list)
    signature: Signature = field(default_factory=Signature)
    is_generator: bool = False
    returns: int | None = None
    returned: list[int] = field(default_factory=list)
    makes: bool = False
    annotations: list[tuple[int, int, int | None, str | None, bool]] = field(default_factory=list)
    result_of: int = 0
    gives: bool = False
    forwards: bool = False


class FileBodies:
    """The bodies of one file, and what its names mean inside of it."""

    def __init__(self, file: FileFacts) -> None:
        """Index the facts; bodies are made when they are asked for."""
        self.file = file
        self.groups: dict[int, list[Fact]] = {}
        self.stores: dict[int, list[Source]] = {}
        self.stores_of: dict[tuple[int | None, str], list[int]] = {}
        self.star_nodes: set[int] = set()
        self.made: dict[int, Fact] = {}
        self.same: dict[int, int] = {}
        self.owner_of: dict[int, int] = {}
        self.patterns: dict[int, int] = {}
        self.timed_keys: set[str] = set()
        self._growing: GrowingLists | None = None
        self._settled: Reads | None = None
        self._replacing: dict[tuple[int, int | None, str], list[int]] | None = None
        self._blocks: Blocks | None = None
        self._store_paths: dict[int, str] = {}
        self._path_stores: dict[tuple[int, str], list[int]] = {}  # in order
        self._local_stores: dict[tuple[int, str], list[int]] | None = None
        self._elements: dict[int, list[int]] | None = None
        self._written: dict[int, tuple[list[int], list[int]]] | None = None
        self._class_names: dict[int, list[str]] | None = None
        self._known: dict[int, Body] = {}
        self._compound: set[int] = set()
        self._position: dict[int, int] = {}
        self._stores_in_order: dict[tuple[int, str], list[int]] = {}
        self._read(file)
        self.dead = dead_regions(file.facts)
        self.hidden = self._hidden()
        self.narrowings = Narrowings(file, self.made)

    def _read(self, file: FileFacts) -> None:
        names, groups, stores = file.names, self.groups, self.stores
        compound, made, owner_of, parents = (
            self._compound, self.made, self.owner_of, file.parents)  # fmt: skip
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
                        self._stores_in_order.setdefault((owner, use[0]), []).append(node)
                self._position[node] = position
                continue
            if op in _PATH_STORES:
                self._path_stores.setdefault((owner, op), []).append(position)
            if op in _PARAMETERS:
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
                self._position[node] = position
                owner_of.setdefault(node, owner)
                continue
            elif op == "match_rest":
                stores[node] = [Source(owner, value or 0)]
            if op == "match_value":
                continue
            if op not in _PARTS and op not in _ELEMENTS and op not in _SILENT:
                made[node] = fact
                owner_of[node] = owner
                self._position[node] = position

    def _hidden(self) -> set[int]:
        """Return the stores to names of the module and of classes that nobody outside sees."""
        hidden: set[int] = set()
        for (owner, _), nodes in self._stores_in_order.items():
            if len(nodes) == 1:
                continue
            opener = self.file.definitions[owner].node
            for place in range(len(nodes) - 1, 0, -1):
                if self.always(nodes[place], opener):
                    hidden.update(nodes[:place])
                    break
        return hidden

    @property
    def growing(self) -> GrowingLists:
        """Return the positions of what lists are given."""
        if self._growing is None:
            definitions = self.file.definitions
            self._growing = growing_lists(
                self.groups,
                self.file.names,
                lambda node, owner: self.always(node, definitions[owner].node),
            )
        return self._growing

    @property
    def settled(self) -> Reads:
        """Return the reads of lists and dicts whose value is known."""
        if self._settled is None:
            self._settled = settled_items(self.groups, self.file.names, self._surely)
        return self._settled

    def _surely(self, node: int, owner: int) -> bool:
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

    def always(self, node: int, opener: int) -> bool:
        """Tell whether a node of a definition is under no condition."""
        parents, compound = self.file.parents, self._compound
        at = parents[node]
        while at != opener and at:
            if at in compound:
                return False
            at = parents[at]
        return True

    def body(self, def_no: int) -> Body:
        """Return the body of a definition."""
        found = self._known.get(def_no)
        if found is None:
            found = self._known[def_no] = self._make(def_no)
        return found

    def bound_values(self, def_no: int, name: str) -> list[int]:
        """Return the values that the module or a class has under a name, as others see it."""
        nodes = self._stores_in_order.get((def_no, name), ())
        return [
            self.value(source.value)
            for node in nodes
            if node not in self.hidden
            for source in self.stores.get(node, ())
        ]

    def global_values(self, name: str) -> list[int]:
        """Return the values that functions store to a name of the module."""
        return [
            source.value
            for (owner, symbol), nodes in self._stores_in_order.items()
            if owner and symbol == name
            for node in nodes
            if self.file.names[node][1] == GLOBAL
            for source in self.stores.get(node, ())
        ]

    def class_names(self, def_no: int) -> list[str]:
        """Return the names that the body of a class binds."""
        if self._class_names is None:
            self._class_names = {}
            for owner, symbol in self._stores_in_order:
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

    def _key_text(self, node: int | None, depth: int = 0) -> str | None:
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
            texts = [self._key_text(one, depth + 1) for one in self.elements(made)]
            if len(texts) == idx and None not in texts:
                return f"tuple:{texts!r}"
        elif op == "binary" and text == "+":
            parts = [self._key_text(one, depth + 1) or "" for one in (value, other)]
            if all(part.startswith("str:") for part in parts):
                return f"str:{parts[0][4:]}{parts[1][4:]}"
        return None

    def value(self, node: int) -> int:
        """Return the node that makes the value of a node."""
        same = self.same
        while node in same:
            node = same[node]
        return node

    def _make(self, def_no: int) -> Body:
        body = Body()
        parts: dict[int, list[Fact]] = {}
        group = self.groups.get(def_no, ())
        runs = [self._position[fact[2]] for fact in group if fact[0] in _RUNS]
        same, steps, signature = self.same, body.steps, body.signature
        if def_no == 0:
            self._note_paths(group)
        keys: dict[int, int] = {}
        operands: dict[int, int] = {}
        for fact in group:
            if fact[0] == "match_class" and fact[3] is not None:
                self.patterns[fact[2]] = fact[3]
        for fact in group:
            op, _, node, value, other, text, idx = fact
            if op == "load":
                self._load(body, def_no, node, text or "")
                continue
            if op in _PARTS or op in _ELEMENTS:
                parts.setdefault(node, []).append(fact)
                continue
            if value is not None and value in same:
                value = same[value]
            if other is not None and other in same:
                other = same[other]
            if op == "same":
                same[node] = value  # type: ignore[assignment]
            elif op == "call":
                steps.append((op, node, value, self._arguments(parts.pop(node, ())), None, None))
            elif op == "attr":
                strong = self._timed(node) if def_no == 0 else self._strong(def_no, node, runs)
                narrow = self.narrowings.of_path(node)
                steps.append((op, node, value, narrow, text, strong))
            elif op == "item":
                strong = None
                text = self.growing.reads.get(node, text) or self._key_text(other)
                if text is not None:
                    strong = self._timed(node) if def_no == 0 else self._strong(def_no, node, runs)
                if node in self.settled:
                    strong = (self.value(self.settled[node][1]),)
                steps.append((op, node, value, other, text, strong))
            elif op == "store":
                self._store(steps, def_no, node, value, fact[3])
            elif op in _PARAMETERS:
                signature.add(Parameter(op, node, text or "", fact[3], fact[4]))
            elif op == "function" or op == "lambda":
                body.makes = True
                steps.append((op, node, value, other, text, idx))
            elif op == "class":
                body.makes = True
                steps.append((op, node, parts.pop(node, ()), None, text, idx))
            elif op in ("list", "tuple", "set", "dict"):
                found = [(*part[:3], same.get(part[3], part[3]), part[4],  # type: ignore
                          part[5] or self._key_text(part[4]), part[6])
                         for part in parts.pop(node, ())]  # fmt: skip
                steps.append((op, node, found, None, text, idx))
            elif op == "return":
                if value is not None:
                    body.returned.append(value)
                    parameters = {one.node for one in signature.all()}
                    gates = self.narrowings.gates(node, parameters) if parameters else ()
                    steps.append((op, node, value, gates, None, None))
            elif op == "part":
                if idx == 0:
                    keys[node] = fact[3] or 0
            elif op == "fstring":
                steps.append((op, node, keys.get(node), None, None, idx))
            elif op == "generator":
                body.is_generator = True
            elif op == "returns":
                body.returns = value
            elif op == "annotate":
                body.annotations.append((node, value or 0, other, text, bool(idx)))
            elif op == "key":
                keys[node] = value or 0
            elif op == "store_item":
                tag = self._store_paths.get(node) if def_no == 0 else None
                text = text or self._key_text(keys.get(node))
                steps.append((op, node, value, other, text, (keys.get(node), tag)))
            elif op == "store_attr":
                tag = self._store_paths.get(node) if def_no == 0 else None
                steps.append((op, node, value, other, text, tag))
            elif op == "either":
                if idx and text != "if":  # the operand before is asked for its truth
                    asked = operands[node]
                    steps.append(("test", node, same.get(asked, asked), asked, None, None))
                    if text == "and":  # and is false, when it is the result
                        steps[:] = [one for one in steps if one[0] != op or one[1] != node]
                operands[node] = fact[3] or 0
                steps.append((op, node, value, None, text, idx))
            elif op in _PLACED:
                steps.append((op, node, value, fact[3], text, idx))
            elif op not in _SILENT:
                steps.append((op, node, value, other, text, idx))
        _note_dependence(body)
        return body

    def _arguments(self, facts: Iterable[Fact]) -> Arguments:
        positional: list[tuple[int, bool]] = []
        keywords: list[tuple[str | None, int]] = []
        for op, _, _, value, _, text, _ in facts:
            number = self.same.get(value or 0, value or 0)
            if op == "arg":
                positional.append((number, False))
            elif op == "arg_star":
                positional.append((number, True))
            else:
                keywords.append((text, number))
        if not positional and not keywords:
            return NO_ARGUMENTS
        return Arguments(tuple(positional), tuple(keywords))

    def _load(self, body: Body, def_no: int, node: int, name: str) -> None:
        """Settle a name: the same value as another node, or a step with sources."""
        reached = self.file.reaches.get(node)
        narrow = self.narrowings.of_name(node, name)
        if reached is None:
            self._unreached(body, def_no, node, name, narrow)
            return
        if len(reached) > 1 and self.dead:
            reached = [one for one in reached if not self.dead.holds(one)] or reached
        if len(reached) > 1:
            reached = self._not_replaced(def_no, node, reached)
        if len(reached) == 1 and narrow is None:
            found = self.stores.get(reached[0])
            if found is not None and len(found) == 1 and found[0].owner == def_no:
                value = found[0].value
                if self._position.get(value, node) < self._position[node] or value == reached[0]:
                    self.same[node] = self.value(value)
                    return
        sources: list[Source] = []
        for one in reached:
            if one in self.star_nodes:
                sources.append(Source(-1, one))
            else:
                sources += self.stores.get(one, ())
        body.steps.append(("load", node, tuple(sources), narrow, name, None))

    def _not_replaced(self, def_no: int, node: int, reached: Sequence[int]) -> Sequence[int]:
        """Leave out what a definition stored to its name before it called what stores to it too."""
        if self._replacing is None:
            self._replacing = self._find_replacing()
        symbol, _, scope = self.file.names[node]
        here = self._position[node]
        calls = self._replacing.get((def_no, scope, symbol), ())
        last = max((one for one in calls if one < here), default=-1)
        if last < 0:
            return reached
        return [
            one
            for one in reached
            if self._position.get(one, here) > last
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
                        position = self._position[fact[2]]
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

    def _unreached(
        self, body: Body, def_no: int, node: int, name: str, narrow: tuple[Narrowing, ...] | None
    ) -> None:
        """Settle a name that no definition reaches: a builtin, not evaluated, or never reached."""
        symbol, resolution, scope = self.file.names.get(node, (name, BUILTIN, None))
        if resolution == BUILTIN or (
            resolution == GLOBAL and symbol in BUILTIN_NAMES and def_no == 0
        ):
            body.steps.append(("builtin", node, None, narrow, symbol, None))
        elif resolution == GLOBAL:
            body.steps.append(("global", node, None, narrow, symbol, None))
        else:
            sources: list[Source] = []
            for one in self.stores_of.get((scope, symbol), ()):
                sources += self.stores.get(one, ())
            body.steps.append(("load", node, tuple(sources), narrow, symbol, None))

    def _store(
        self, steps: list[Step], def_no: int, node: int, value: int | None, raw: int | None
    ) -> None:
        """Make a step of a store that other definitions can see."""
        use = self.file.names.get(node)
        if use is None or value is None:
            return
        symbol, resolution, _ = use
        if resolution == GLOBAL:
            if def_no == 0 and node in self.hidden:
                return
            if self.dead and self.dead.holds(node):
                return
            steps.append(("store_global", node, value, raw if def_no else None, symbol, None))
        elif resolution == CLASS_NAME:
            if node not in self.hidden:
                steps.append(("store_class", node, value, None, symbol, None))
        elif resolution == "free":
            steps.append(("store_outer", node, value, raw, symbol, None))

    def _note_paths(self, group: Sequence[Fact]) -> None:
        """Find the paths that the module both stores to and reads, such as `a.b` or `d['k']`."""
        for op, _, node, _, other, text, _ in group:
            if op in _PATH_STORES and other is not None and text is not None:
                path = self._path(other)
                if path is not None:
                    self._store_paths[node] = (
                        f"{path}[{text}]" if op == "store_item" else (f"{path}.{text}")
                    )
        self.timed_keys.update(
            fact[5] or ""
            for fact in group
            if fact[0] in _PATH_STORES and fact[2] in self._store_paths
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

    def _timed(self, node: int) -> Timed | None:
        """Return what the module has stored to a path before it is read, in order of execution."""
        path = self._path(node)
        if path is None or path not in self._store_paths.values():
            return None
        here = self._position.get(node, 0)
        values, before = [], []
        for one in self.file.path_reaches.get(node, ()):
            there = self._position.get(one, here)
            fact = self.file.facts[there]
            if fact[0] not in _PATH_STORES or fact[1] != 0 or fact[3] is None:
                continue
            values.append(self.value(fact[3]))
            if there < here:
                before.append(one)
        return Timed(path, tuple(values), self.surely_before(before, node))

    def surely_before(self, nodes: Sequence[int], use: int) -> bool:
        """Tell whether one of some nodes has run when a later one does."""
        if nodes and self._blocks is None:
            self._blocks = Blocks(self.file)
        return self._blocks is not None and self._blocks.surely_before(nodes, use)

    def _strong(self, def_no: int, node: int, runs: Sequence[int]) -> tuple[int, ...] | None:
        """Return what an attribute or item has just been given, when nothing ran meanwhile."""
        reached = self.file.path_reaches.get(node)
        if not reached or not self.surely_before(reached, node):
            return None
        here = self._position.get(node, 0)
        values = []
        for one in reached:
            there = self._position.get(one)
            if there is None or there > here:
                return None
            if bisect_left(runs, here) != bisect_left(runs, there):
                return None
            fact = self.file.facts[there]
            if fact[0] not in _PATH_STORES or fact[1] != def_no or fact[3] is None:
                return None
            values.append(self.value(fact[3]))
        first = min(self._position[one] for one in reached)
        return None if self._stored_otherwise(def_no, node, first) else tuple(values)

    def _stored_otherwise(self, def_no: int, node: int, first: int) -> bool:
        """Tell whether a definition stores to a path by another name, which may be the same."""
        here, (op, _, _, base, _, key, _) = self._position[node], self.made[node]
        path = self._path(base or 0)
        for position in self._path_stores.get((def_no, f"store_{op}"), ()):
            fact = self.file.facts[position]
            is_same = op == "item" and (key is None or fact[5] is None or "slice" in fact[5])
            if position < first or not (is_same or fact[5] == key):
                continue
            if self._path(fact[4] or 0) != path and (position < here or self._repeats(fact[2])):
                return True
        return False

    def _repeats(self, node: int) -> bool:
        return self._blocks is not None and self._blocks.loop(node) is not None


def _note_dependence(body: Body) -> None:
    """Find out whether the result of a function depends on its parameters.

    Values are followed through the steps once, in order; a value carried by a loop may be missed,
    which costs precision only.
    """
    parameters = list(body.signature.all())
    if not parameters:
        return
    marks = {parameter.node: OF_OTHERS for parameter in parameters}
    marks[parameters[0].node] = OF_FIRST
    result = 0
    adding: set[int] = set()
    for op, node, value, other, text, _ in body.steps:
        mark = 0
        if value.__class__ is int:
            mark = marks.get(value, 0)
        elif value.__class__ is tuple and op == "load":
            for source in value:
                mark |= marks.get(source.value, 0)
        elif value.__class__ is list:
            for part in value:
                mark |= marks.get(part[3], 0)
        if other.__class__ is int:
            mark |= marks.get(other, 0)
        elif other.__class__ is Arguments:
            for number, _star in other.positional:
                mark |= marks.get(number, 0)
            for _name, number in other.keywords:
                mark |= marks.get(number, 0)
        if op == "return" or op == "yield":
            result |= mark
        elif op == "store_attr" or op == "store_item":
            body.gives = body.gives or bool(mark)
        elif op == "call" and value in adding:  # self.items.append(x)
            body.gives = body.gives or mark == OF_FIRST | OF_OTHERS
        elif op == "attr" and text in _ADDING:
            adding.add(node)
        elif op == "builtin" and text == "setattr":
            body.forwards = True
        if mark:
            marks[node] = mark
    body.result_of = result
    nodes = {parameter.node for parameter in parameters[1:]}
    body.forwards = body.forwards or not nodes.isdisjoint(body.returned)
