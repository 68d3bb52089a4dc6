"""Bodies: the facts of a file -> for each definition the steps that make its constraints.

    def f(a, *b):          Signature(positional=[a], star=b)
        x = a
        return g(x, k=1)   load g, call (x is a, literally), return

Names are settled here as far as one file tells: a load has the values of the definitions that
reach it as sources. A load of one local value is that value (`same`), so straight-line code needs
no constraints for names. Stores make a step only where others can see them: in the module, in a
class, through `global` and `nonlocal`.
Next: narrowing.py, constraints.py.
"""

from __future__ import annotations

import builtins
from collections.abc import Iterable

from codelake.resolve.dependence import note_dependence
from codelake.resolve.fact_index import ELEMENTS, PARAMETERS, PARTS, SILENT
from codelake.resolve.file_facts import BUILTIN, CLASS_NAME, GLOBAL, Fact, FileFacts
from codelake.resolve.growing_lists import GrowingLists, growing_lists
from codelake.resolve.narrowing import Narrowing, Narrowings
from codelake.resolve.settled_items import Reads, settled_items
from codelake.resolve.steps import NO_ARGUMENTS, Arguments, Body, Parameter, Source, Step
from codelake.resolve.store_order import StoreOrder

BUILTIN_NAMES = frozenset(dir(builtins))
_PLACED = frozenset({"test", "unary", "each", "yield_from"})  # implicit calls at an operand
_RUNS = frozenset({"call", "decorate", "await", "yield", "yield_from", "enter"})


class FileBodies(StoreOrder):
    """The bodies of one file, and what its names mean inside of it.

    Attributes:
        patterns: the class of each class pattern.
        narrowings: what tests say.
    """

    def __init__(self, file: FileFacts) -> None:
        """Index the facts; bodies are made when they are asked for."""
        super().__init__(file)
        self.patterns: dict[int, int] = {}
        self.narrowings = Narrowings(file, self.made)
        self._growing: GrowingLists | None = None
        self._settled: Reads | None = None
        self._known: dict[int, Body] = {}
        self.taken_apart: dict[int, frozenset[int]] = {}  # see keyed_items.py
        self.own_names: dict[int, frozenset[str]] = {}  # see own_attributes.py

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
            self._settled = settled_items(self.groups, self.file.names, self.surely)
        return self._settled

    def body(self, def_no: int) -> Body:
        """Return the body of a definition."""
        found = self._known.get(def_no)
        if found is None:
            found = self._known[def_no] = self._make(def_no)
        return found

    def _make(self, def_no: int) -> Body:
        body = Body()
        parts: dict[int, list[Fact]] = {}
        group = self.groups.get(def_no, ())
        runs = [self.position[fact[2]] for fact in group if fact[0] in _RUNS]
        same, steps, signature = self.same, body.steps, body.signature
        if def_no == 0:
            self.note_paths(group)
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
            if op in PARTS or op in ELEMENTS:
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
                strong = self.timed(node) if def_no == 0 else self.strong(def_no, node, runs)
                narrow = self.narrowings.of_path(node)
                steps.append((op, node, value, narrow, text, strong))
            elif op == "item":
                strong = None
                text = self.growing.reads.get(node, text) or self.key_text(other)
                if text is not None:
                    strong = self.timed(node) if def_no == 0 else self.strong(def_no, node, runs)
                if node in self.settled:
                    strong = (self.value(self.settled[node][1]),)
                steps.append((op, node, value, other, text, strong))
            elif op == "store":
                self._store(steps, def_no, node, value, fact[3])
            elif op in PARAMETERS:
                signature.add(Parameter(op, node, text or "", fact[3], fact[4]))
            elif op == "function" or op == "lambda":
                body.makes = True
                steps.append((op, node, value, other, text, idx))
            elif op == "class":
                body.makes = True
                steps.append((op, node, parts.pop(node, ()), None, text, idx))
            elif op in ("list", "tuple", "set", "dict"):
                found = [(*part[:3], same.get(part[3], part[3]), part[4],  # type: ignore
                          part[5] or self.key_text(part[4]), part[6])
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
                tag = self.store_paths.get(node) if def_no == 0 else None
                text = text or self.key_text(keys.get(node))
                steps.append((op, node, value, other, text, (keys.get(node), tag)))
            elif op == "store_attr":
                tag = self.store_paths.get(node) if def_no == 0 else None
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
            elif op not in SILENT:
                steps.append((op, node, value, other, text, idx))
        note_dependence(body)
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
            reached = self.not_replaced(def_no, node, reached)
        if len(reached) == 1 and narrow is None:
            found = self.stores.get(reached[0])
            if found is not None and len(found) == 1 and found[0].owner == def_no:
                value = found[0].value
                if self.position.get(value, node) < self.position[node] or value == reached[0]:
                    self.same[node] = self.value(value)
                    return
        sources: list[Source] = []
        for one in reached:
            if one in self.star_nodes:
                sources.append(Source(-1, one))
            else:
                sources += self.stores.get(one, ())
        body.steps.append(("load", node, tuple(sources), narrow, name, None))

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
