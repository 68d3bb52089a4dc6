"""Definitions: a flow unit -> what each of its points defines, uses and removes, block by block.

    x = f(y)         USE f, USE y, RUN, DEFINE x
    x += 1           USE x, RUN, DEFINE x
    del x            USE x, REMOVE x
    self.a = x       USE x, USE self, DEFINE self.a
    d[i] = x         USE x, USE d, USE i, ADD d[*]        reaches d[0], removes nothing
    except E as e:   DEFINE e where the type has matched, REMOVE e on every way out of the body

An event is (operation, variable, node number). Points that may run other code of the program (RUN)
and points where an inner unit comes to be (CREATE) are listed on demand: they matter to variables
that several units share.

The blocks are those of the flow unit, and more where an effect belongs to an edge: a definition
that happens along one edge only (`except ... as`, the target of a comprehension), one that does
not happen along an exception edge (`import`), and the end of `except ... as`.
Next: block_scan.py.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from codelake.extract.data.access_paths import Paths
from codelake.extract.data.evaluation import MAY_RUN, first_leaf, truth_runs
from codelake.extract.data.variables import (
    ADD,
    CREATE,
    DEFINE,
    REMOVE,
    RUN,
    USE,
    Event,
    Key,
    Variables,
)
from codelake.extract.flow.control_flow import FlowUnit
from codelake.extract.syntax.node_children import parameters

type Marks = Mapping[int, Sequence[tuple[Key, int]]]

_FUNCTIONS = frozenset({ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda})
_PATHS = frozenset({ast.Attribute, ast.Subscript})
_TARGETS = _PATHS | {ast.Name}
_CREATES = _FUNCTIONS | {ast.ClassDef, ast.GeneratorExp}
_MAY_FAIL = _TARGETS | {ast.alias, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef}
_WITH = frozenset({ast.With, ast.AsyncWith})
_NOWHERE: list[int] = []


class FileNames:
    """What the units of a file share.

    Attributes:
        nodes: by number.
        binding: binding scope and symbol of each node that is a name or binds one.
        read_before: point -> augmented target that is read just before it.
        stores: attributes and subscripts that are stored to or deleted.
        handlers: `except ... as` -> number of the last node in it.
        entered: expressions of `with`, whose `__enter__` runs after their point.
        stars: what `import *` may bind: the keys to ADD, empty in a file without one.
        private: unit -> prefix of private names in it, for units in a class.
    """

    def __init__(self, nodes: Sequence[Any], binding: Mapping[int, Key]) -> None:
        """Look through the nodes once."""
        self.nodes = nodes
        self.binding = binding
        self.read_before: dict[int, int] = {}
        self.stores: set[int] = set()
        self.handlers: dict[int, int] = {}
        self.entered: set[int] = set()
        self.stars: list[Key] = []
        self.private: dict[int, str] = {}
        for node in nodes:
            kind = node.__class__
            if kind in _PATHS:
                if node.ctx.__class__ is not ast.Load:
                    self.stores.add(node.no)
            elif kind is ast.AugAssign:
                self.read_before[first_leaf(node.value).no] = node.target.no
            elif kind in _WITH:
                self.entered.update(item.context_expr.no for item in node.items)
            elif kind is ast.ExceptHandler and node.name is not None:
                self.handlers[node.no] = max(getattr(one, "no", 0) for one in ast.walk(node))


class UnitEvents:
    """The events of one unit.

    Attributes:
        unit: the flow unit.
        blocks: events by block; the first blocks are those of the unit.
        successors: of each block.
        variables: the table of variables.
    """

    __slots__ = ("blocks", "successors", "unit", "variables")

    def __init__(self, unit: FlowUnit) -> None:
        """Start without events."""
        self.unit = unit
        self.variables = Variables()
        self.blocks: list[list[Event]] = []
        self.successors: list[list[int]] = [[] for _ in unit.blocks]


def definitions(
    file: FileNames, unit: FlowUnit, runs: bool = False, marks: Marks | None = None
) -> UnitEvents:
    """List the events of a unit.

    Args:
        file: what the units of the file share.
        unit: its flow.
        runs: whether to list RUN and CREATE.
        marks: by point, variables that count as used there, each with a number for the use.

    Returns:
        The events by block.
    """
    reader = _Reader(file, unit, runs, marks or {})
    reader.read()
    return reader.found


class _Reader:
    def __init__(self, file: FileNames, unit: FlowUnit, runs: bool, marks: Marks) -> None:
        self.file = file
        self.found = UnitEvents(unit)
        self._unit = unit
        self._runs = runs
        self._marks = marks
        self._inside: dict[int, list[int]] = {}  # point -> named handlers whose body holds it
        stores = [no for points in unit.blocks for no in points if no in file.stores]
        variables = self.found.variables
        private = file.private.get(unit.no)
        self._paths = (
            Paths(file.nodes, file.binding, variables, stores, private) if stores else None
        )
        if self._paths is not None:
            variables.set_children(self._paths.stored)

    def read(self) -> None:
        """List the events of the blocks, then those of the edges."""
        unit, found = self._unit, self.found
        if self.file.handlers:
            self._find_handlers()
        tests, fails = set(), set()
        for source, _, label in unit.edges:
            if label == "true":
                tests.add(source)
            elif label == "exception":
                fails.add(source)
        found.blocks = [self._entry(), []]
        for points in unit.blocks[2:]:
            found.blocks.append(self._block(points, len(found.blocks) in tests))
        late = {block: events for block in sorted(tests) if (events := self._take(block, True))}
        done = {block: events for block in sorted(fails) if (events := self._take(block, False))}
        if not late and not done and not self._inside:
            for source, target, _ in unit.edges:
                found.successors[source].append(target)
            return
        read_before, blocks = self.file.read_before, unit.blocks
        reads = {  # blocks after which an augmented target is read, which may fail as well
            source
            for source, target, label in unit.edges
            if label is None and blocks[target][0] in read_before
        }
        for source, target, label in unit.edges:
            effects = [late.get(source, []) if label == "true" else []]
            if source in done and label != "exception":
                effects = [done[source]]
            elif source in done and source in reads:
                effects.append(done[source])
            for effect in effects:
                along = list(effect)
                if self._inside:
                    self._leave_along(source, target, label == "true", along)
                if along:
                    found.successors[source].append(len(found.blocks))
                    found.blocks.append(along)
                    found.successors.append([target])
                else:
                    found.successors[source].append(target)

    def number(self, no: int) -> int:
        """Return the variable of a name."""
        return self.found.variables.number(self.file.binding[no])

    def _entry(self) -> list[Event]:
        node = self.file.nodes[self._unit.no]
        if node.__class__ not in _FUNCTIONS:
            return []
        numbers = [parameter.arg.no for parameter in parameters(node.args)]  # type: ignore[attr-defined]
        return [(DEFINE, self.number(no), no) for no in numbers]

    def _block(self, points: Sequence[int], tests: bool) -> list[Event]:
        """List the events of straight code."""
        events: list[Event] = []
        add = events.append
        file, runs, inside, marks = self.file, self._runs, self._inside, self._marks
        nodes, binding, read_before = file.nodes, file.binding, file.read_before
        entered = file.entered if runs else ()
        variable, paths, actions = self.found.variables.number, self._paths, _ACTIONS
        name, load, store = ast.Name, ast.Load, ast.Store
        before = _NOWHERE
        for no in points:
            if inside:
                around = inside.get(no, _NOWHERE)
                if before and before is not around:
                    self._leave(before, around, events)
                before = around
            if no in read_before:
                self._read(nodes[read_before[no]], events)
            node = nodes[no]
            kind = node.__class__
            if kind is name:
                context = node.ctx.__class__
                if context is load:
                    add((USE, variable(binding[no]), no))
                elif context is store:
                    add((DEFINE, variable(binding[no]), no))
                else:
                    add((USE, variable(binding[no]), no))
                    add((REMOVE, variable(binding[no]), no))
                if no in entered:
                    add((RUN, -1, no))
                continue
            if no in marks:
                events += [(USE, variable(key), mark) for key, mark in marks[no]]
            if runs:
                if kind in _CREATES and kind is not ast.GeneratorExp:
                    add((CREATE, -1, no))
                if no in entered or (kind in MAY_RUN and MAY_RUN[kind](node)):
                    add((RUN, -1, no))
                if kind is ast.GeneratorExp:  # the iterable is asked for its iterator before
                    add((CREATE, -1, no))
            if kind in _PATHS:
                if paths is not None:
                    events += paths.events(node)
            elif kind in actions:
                actions[kind](self, node, events)
        if runs and tests and truth_runs(nodes[points[-1]]):
            at = len(events)
            while at and events[at - 1][0] != USE and events[at - 1][2] == points[-1]:
                at -= 1
            events.insert(at, (RUN, -1, points[-1]))
        return events

    def _take(self, block: int, matched: bool) -> list[Event]:
        """Take the definition at the end of a block away, to put it on edges.

        Args:
            block: its number.
            matched: whether the definition belongs to a match, else to success.
        """
        node = self.file.nodes[self._unit.blocks[block][-1]]
        kind = node.__class__
        if kind is ast.ExceptHandler:
            if not matched or node.name is None:
                return []
            return [(DEFINE, self.number(node.no), node.no)]
        if kind not in (_TARGETS if matched else _MAY_FAIL):
            return []
        if not matched:  # these two cannot fail themselves: the exception comes after them
            if kind is ast.Name and node.ctx.__class__ is ast.Store:
                return []
            if kind in _FUNCTIONS and not node.decorator_list:
                return []
        events = self.found.blocks[block]
        at = len(events)
        while at and events[at - 1][0] in (DEFINE, ADD, REMOVE) and events[at - 1][2] == node.no:
            at -= 1
        taken = events[at:]
        del events[at:]
        return taken

    def _read(self, target: Any, events: list[Event]) -> None:
        """List the reading of an augmented target."""
        if target.__class__ is ast.Name:
            events.append((USE, self.number(target.no), target.no))
            return
        if self._runs:
            events.append((RUN, -1, target.no))
        if self._paths is not None:
            events += self._paths.uses(target)

    def _find_handlers(self) -> None:
        handlers, nodes = self.file.handlers, self.file.nodes
        for points in self._unit.blocks:
            for no in points:
                if no in handlers:
                    for inner in range(nodes[no].body[0].no, handlers[no] + 1):
                        self._inside.setdefault(inner, []).append(no)
        if self._inside:  # equal places share one list, so that moving between them is seen fast
            shared: dict[tuple[int, ...], list[int]] = {}
            for inner, around in self._inside.items():
                self._inside[inner] = shared.setdefault(tuple(around), around)

    def _leave(self, before: Sequence[int], around: Sequence[int], events: list[Event]) -> None:
        """End the names of the handlers that are left."""
        for handler in before:
            if handler not in around:
                events.append((REMOVE, self.number(handler), handler))

    def _leave_along(self, source: int, target: int, matched: bool, events: list[Event]) -> None:
        last, first = self._unit.blocks[source][-1], self._unit.blocks[target][0]
        before = self._inside.get(last, _NOWHERE)
        if matched and last in self.file.handlers:
            before = [*before, last]
        if before:
            self._leave(before, self._inside.get(first, _NOWHERE), events)


def _defined(reader: _Reader, node: Any, events: list[Event]) -> None:
    """Definitions, captures, type parameters: the node binds its own name."""
    events.append((DEFINE, reader.number(node.no), node.no))


def _captured(reader: _Reader, node: Any, events: list[Event]) -> None:
    if node.name is not None:
        _defined(reader, node, events)


def _imported(reader: _Reader, node: ast.alias, events: list[Event]) -> None:
    """Bind the name of an alias; a star may bind any."""
    if node.name != "*":
        _defined(reader, node, events)
        return
    number = reader.found.variables.number
    events += [(ADD, number(key), node.no) for key in reader.file.stars]  # type: ignore[attr-defined]


def _matched(reader: _Reader, node: ast.match_case, events: list[Event]) -> None:
    """Bind the rest of mappings, when the whole pattern has matched; of alternatives, one."""
    seen: set[int] = set()
    for pattern in ast.walk(node.pattern):
        if pattern.__class__ is ast.MatchMapping and pattern.rest is not None:  # type: ignore[attr-defined]
            variable = reader.number(pattern.no)  # type: ignore[attr-defined]
            operation = ADD if variable in seen else DEFINE
            events.append((operation, variable, pattern.no))  # type: ignore[attr-defined]
            seen.add(variable)


_ACTIONS: dict[type, Callable[[_Reader, Any, list[Event]], None]] = {
    ast.FunctionDef: _defined,
    ast.AsyncFunctionDef: _defined,
    ast.ClassDef: _defined,
    ast.alias: _imported,
    ast.MatchAs: _captured,
    ast.MatchStar: _captured,
    ast.match_case: _matched,
    ast.TypeVar: _defined,
    ast.ParamSpec: _defined,
    ast.TypeVarTuple: _defined,
}
