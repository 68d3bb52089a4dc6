"""Shared variables: definitions that reach a use in another unit, through a cell or the module.

    x = 1                    f runs at any time after its creation: at a RUN of the module (a call,
    def f(): return x        an operator, an import) or after its end. So x@1 and x@3 reach the
    x = 2                    use in f, and x = 0 would not, were it followed by x = 1 at once.
    f(); x = 3; f()

A class body runs at its class statement, and so does a generator expression or a `key=` lambda that
is handed to a builtin which uses it up (`sum`, `sorted`, ...) at the call: such a unit sees
what reaches that point. Any other unit sees what may live at or after its creation (lives.py).

A unit that stores to a variable of another (`global`, `nonlocal`, `:=` in a generator expression)
is followed exactly inside: at its start the variable may have the value of any definition that
others can leave there, and after each of its RUNs the value of a storing unit (and of the owner, if
the owner can go on meanwhile: when one of the two has a `yield` or `await`). The owner
likewise: after a RUN that comes after the creation of a storing unit, its value may be there.

A name that a class body binds is looked up in the module while it is unbound.
Next: data_flow.py.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Sequence
from typing import Any

from codelake.extract.data.block_scan import (
    AROUND,
    FEW_DEFINITIONS,
    MAX_DEFINITIONS,
    MAX_ROWS,
    OUTSIDE,
    UNBOUND,
    Outside,
)
from codelake.extract.data.definitions import FileNames, definitions
from codelake.extract.data.reaching import Reached, reaching
from codelake.extract.data.variables import ADD, DEFINE, NAME, REMOVE, Key
from codelake.extract.flow.control_flow import FlowUnit
from codelake.extract.symbols.symbol_table import SymbolTable

type Row = tuple[int, int, str, str, bool]
type _Place = tuple[int, int, str]  # use, definition, variable

_BUILTINS = frozenset(dir(builtins))
_CONSUMERS = frozenset(
    {
        *("all", "any", "bytes", "dict", "frozenset", "list", "max", "min", "set", "sorted"),
        *("sum", "tuple"),
    }
)
_ORDERS = frozenset({"max", "min", "sorted"})
_COMPARERS = frozenset({"max", "min"})  # of several arguments, none is used up
_UNIT_SCOPES = frozenset({"module", "class", "function", "lambda", "generator_expression"})
_PAUSES = frozenset({ast.Yield, ast.YieldFrom, ast.Await, ast.AsyncFor, ast.AsyncWith})
_FIRST_MARK = -10
_MODULE = 0


class SharedVariables:
    """The units of a file, each solved, and what passes between them."""

    def __init__(self, nodes: Sequence[Any], units: Sequence[FlowUnit], table: SymbolTable) -> None:
        """Read the events of all units and find out who shares what."""
        numbers, _, symbols, _, contexts, _, scopes, _ = table.names
        binding: dict[int, Key] = {
            no: (scope or _MODULE, symbol)
            for no, symbol, context, scope in zip(numbers, symbols, contexts, scopes, strict=True)
            if context != "declare"
        }
        self._file = FileNames(nodes, binding)
        self._file.private = _private_prefixes(table)
        self._units = units
        self._number = {unit.no: number for number, unit in enumerate(units)}
        self._place(table)
        has_star = any(node.__class__ is ast.alias and node.name == "*" for node in nodes)
        if has_star:
            bound = {key for no, key in binding.items() if nodes[no].__class__ is not ast.Name}
            self._file.stars = sorted(
                key
                for key in set(binding.values())
                if key[0] == _MODULE and (key[1] not in _BUILTINS or key in bound)
            )
        self._events = [definitions(self._file, unit) for unit in units]
        self._count()
        self._eager = {} if has_star else self._find_eager(nodes)
        self._marks: dict[tuple[int, Key], int] = {}  # unit, variable -> number of the use
        self._snapshots: dict[int, set[int]] = {}
        self._answers: dict[tuple[int, Key, bool], Sequence[int]] = {}
        self.truncated = 0

    def rows(self) -> list[Row]:
        """Return the rows, ordered by use, definition and variable."""
        self._share()
        self._results = [self._solve(number) for number in range(len(self._units))]
        for number in self._marked:
            for definition, use, _, _ in self._results[number].pairs:
                if use <= _FIRST_MARK:
                    self._snapshots.setdefault(use, set()).add(definition)
        found: dict[_Place, tuple[str, bool]] = {}
        for number, result in enumerate(self._results):
            self._add_rows(number, found)
            self.truncated += result.truncated
        return [
            (definition, use, text, kind, carried)
            for (use, definition, text), (kind, carried) in sorted(found.items())
        ]

    def _place(self, table: SymbolTable) -> None:
        """Find the unit around each unit, and the unit that runs the code of each scope."""
        kinds, opened_by = table.scopes[0], table.scopes[4]
        wanted = self._number.keys() | set(opened_by)
        found: dict[int, tuple[int, int]] = {}  # node -> unit and block of its point
        for number, unit in enumerate(self._units):
            for block, points in enumerate(unit.blocks):
                if not wanted.isdisjoint(points):
                    found |= {no: (number, block) for no in points if no in wanted}
        self._created = [found.get(unit.no, (-1, -1)) for unit in self._units]
        self._inner: list[dict[int, int]] = [{} for _ in self._units]
        for unit, (number, block) in zip(self._units, self._created, strict=True):
            if number >= 0:
                self._inner[number][unit.no] = block
        self._owner: dict[int, int] = {}  # scope -> unit
        for scope, (kind, no) in enumerate(zip(kinds, opened_by, strict=True)):
            if kind in _UNIT_SCOPES:
                self._owner[scope] = self._number.get(no, -1)
            else:
                self._owner[scope] = found.get(no, (-1, -1))[0]

    def _count(self) -> None:
        """Count definitions per unit, and list for each variable the units that touch it."""
        self._counts: list[dict[int, int]] = []
        self._storers: dict[Key, list[int]] = {}
        self._readers: dict[Key, list[int]] = {}
        self._defined: set[Key] = set()
        for number, events in enumerate(self._events):
            counts: dict[int, int] = {}
            for block in events.blocks:
                for operation, variable, _ in block:
                    if operation == DEFINE:
                        counts[variable] = counts.get(variable, 0) + 1
                    elif operation in (ADD, REMOVE):
                        counts[variable] = counts.get(variable, 0) + 2  # never a single one
            self._counts.append(counts)
            keys, owner = events.variables.keys, self._owner
            for variable, key in enumerate(keys):
                if key[0] < 0:
                    continue
                if variable in counts:
                    self._defined.add(key)
                if owner[key[0]] != number:
                    users = self._storers if variable in counts else self._readers
                    users.setdefault(key, []).append(number)

    def _find_eager(self, nodes: Sequence[Any]) -> dict[int, int]:
        """Return the units that a builtin uses up at once, with the point of the call."""
        found: dict[int, int] = {}
        for node in nodes:
            if node.__class__ is not ast.Call:
                continue
            function, consumer = node.func, ""
            if function.__class__ is ast.Name and function.id in _CONSUMERS:
                key = self._file.binding.get(function.no)
                if key == (_MODULE, function.id) and key not in self._defined:
                    consumer = function.id
            elif function.__class__ is ast.Attribute and function.attr == "join":
                value = function.value
                if value.__class__ is ast.Constant and value.value.__class__ in (str, bytes):
                    consumer = "join"
            if not consumer:
                continue
            inner = [item for item in node.args if item.__class__ is ast.GeneratorExp]
            if consumer in _COMPARERS and _are_items(node.args):
                inner = []
            if consumer in _ORDERS:
                inner += [
                    keyword.value
                    for keyword in node.keywords
                    if keyword.arg == "key" and keyword.value.__class__ is ast.Lambda
                ]
            found |= {item.no: node.no for item in inner}
        return found

    def _share(self) -> None:
        """Find for each unit what it shows to others, what others store, and what is marked."""
        units = self._units
        self._shown: list[set[Key]] = [set() for _ in units]
        self._stored_in: list[dict[int, list[Key]]] = [{} for _ in units]
        self._foreign: list[list[Key]] = [[] for _ in units]
        self._marked: dict[int, dict[int, list[tuple[Key, int]]]] = {}
        for key, numbers in self._storers.items():
            owner = self._owner[key[0]]
            for number in numbers:
                self._shown[number].add(key)
                self._foreign[number].append(key)
                if owner >= 0 and (child := self._child(number, owner)) >= 0:
                    if key in self._events[owner].variables.index:
                        self._stored_in[owner].setdefault(units[child].no, []).append(key)
                    self._show(number, key, owner)
        for key, numbers in self._readers.items():
            if key in self._defined:
                for number in numbers:
                    self._show(number, key, self._owner[key[0]])
        for number in range(len(units)):
            for key in self._fallbacks(number):
                self._show(number, key, self._owner[_MODULE])

    def _show(self, number: int, key: Key, owner: int) -> None:
        """Let the owner of a variable tell what another unit sees of it."""
        if owner < 0 or owner == number or key not in self._events[owner].variables.index:
            return
        child = self._child(number, owner)
        if child < 0:
            return
        if not self._at_once(number, owner):
            self._shown[owner].add(key)
        elif (child, key) not in self._marks:
            mark = self._marks[child, key] = _FIRST_MARK - len(self._marks)
            no = self._units[child].no
            point = self._eager.get(no, no)
            self._marked.setdefault(owner, {}).setdefault(point, []).append((key, mark))

    def _child(self, number: int, owner: int) -> int:
        """Return the unit directly inside the owner that is, or holds, a unit."""
        while number >= 0:
            above = self._created[number][0]
            if above == owner:
                return number
            number = above
        return -1

    def _at_once(self, number: int, owner: int) -> bool:
        """Tell whether a unit runs while the owner is at one known point."""
        while number != owner:
            unit = self._units[number]
            if unit.kind != "class" and unit.no not in self._eager:
                return False
            number = self._created[number][0]
        return True

    def _fallbacks(self, number: int) -> list[Key]:
        """Return the module's variables that a class body may see instead of its own."""
        if self._units[number].kind != "class":
            return []
        owner, keys = self._owner, self._events[number].variables.keys
        found = [(_MODULE, key[1]) for key in keys if key[0] > 0 and owner[key[0]] == number]
        return [key for key in found if key in self._defined]

    def _solve(self, number: int) -> Reached:
        """Solve one unit, with what the others do to its variables."""
        unit, events = self._units[number], self._events[number]
        index, counts = events.variables.index, self._counts[number]
        shown = sorted(self._shown[number])
        alone = {key for key in shown if counts.get(index[key]) == 1 and key not in self._storers}
        single = [key for key in shown if key in alone]
        several = [key for key in shown if key not in alone and index[key] in counts]
        foreign, stored_in = self._foreign[number], self._stored_in[number]
        runs = bool(several or stored_in or foreign)
        if runs or number in self._marked:
            marks = self._marked.get(number)
            events = self._events[number] = definitions(self._file, unit, runs, marks)
            index = events.variables.index
        names = {symbol for _, symbol in self._fallbacks(number)}
        unbound = [
            variable
            for key, variable in index.items()
            if key[0] > 0 and key[1] in names and self._owner[key[0]] == number
        ]
        always = [index[key] for key in foreign]
        events.blocks[0] += [(DEFINE, variable, AROUND) for variable in always]
        events.blocks[0] += [(DEFINE, variable, UNBOUND) for variable in unbound]
        created = {no: [index[key] for key in keys] for no, keys in stored_in.items()}
        return reaching(
            events,
            Outside(frozenset(always), created, frozenset(unbound)),
            [index[key] for key in several],
            [index[key] for key in single],
            self._inner[number],
        )

    def _add_rows(self, number: int, rows: dict[_Place, tuple[str, bool]]) -> None:
        """Add the rows of the uses in one unit."""
        result, variables = self._results[number], self._events[number].variables
        keys, owner = variables.keys, self._owner
        texts: dict[int, tuple[str, str]] = {}
        outside: list[tuple[int, Key, bool]] = []
        for definition, use, variable, carried in result.pairs:
            if definition == OUTSIDE:
                key = keys[variable]
                outside.append((use, key, self._goes_on(number, owner[key[0]])))
            elif definition == AROUND:
                outside.append((use, keys[variable], True))
            elif definition == UNBOUND:
                outside.append((use, (_MODULE, keys[variable][1]), True))
            elif use > _FIRST_MARK:
                found = texts.get(variable)
                if found is None:
                    kind, scope = variables.kind(variable), keys[variable][0]
                    if kind == NAME and owner[scope] != number:
                        kind = _kind(scope)
                    found = texts[variable] = variables.text(variable), kind
                place = use, definition, found[0]
                if not carried or place not in rows:
                    rows[place] = found[1], carried
        for variable, uses in result.foreign.items():
            key = keys[variable]
            if key in self._defined and owner[key[0]] != number:
                outside += [(use, key, True) for use in uses]
        for use, key, around in outside:
            if use > _FIRST_MARK:
                found_here = self._elsewhere(number, key, around)
                limit = MAX_DEFINITIONS if len(rows) < MAX_ROWS else FEW_DEFINITIONS
                if len(found_here) > limit:
                    self.truncated += 1
                for definition in found_here[-limit:]:
                    rows.setdefault((use, definition, key[1]), (_kind(key[0]), False))

    def _goes_on(self, number: int, owner: int) -> bool:
        """Tell whether the owner of a variable may go on while another unit runs."""
        return owner != number and owner >= 0 and (self._pauses(number) or self._pauses(owner))

    def _pauses(self, number: int) -> bool:
        unit, nodes = self._units[number], self._file.nodes
        return unit.kind == "generator" or any(
            nodes[no].__class__ in _PAUSES for points in unit.blocks[2:] for no in points
        )

    def _elsewhere(self, number: int, key: Key, around: bool) -> Sequence[int]:
        """Return the definitions of other units that a unit may see of a variable.

        Args:
            number: the unit that sees.
            key: the variable.
            around: whether the definitions of its owner count.
        """
        answer = self._answers.get((number, key, around))
        if answer is not None:
            return answer
        parts: list[Sequence[int]] = []
        owner = self._owner[key[0]] if around else -1
        without = -1
        if owner >= 0 and owner != number and (child := self._child(number, owner)) >= 0:
            if self._at_once(number, owner):
                snapshot = self._snapshots.get(self._marks.get((child, key), 0), set())
                parts.append(sorted(no for no in snapshot if no >= 0))
                without = -1 if snapshot & {AROUND, OUTSIDE} else number
            elif (variable := self._events[owner].variables.index.get(key)) is not None:
                parts.append(self._results[owner].lives.seen(variable, self._units[child].no))
        for storer in self._storers.get(key, ()):
            if storer != without:
                variable = self._events[storer].variables.index[key]
                parts.append(self._results[storer].lives.seen(variable, None))
        answer = parts[0] if len(parts) == 1 else sorted(set().union(*parts))
        self._answers[number, key, around] = answer
        return answer


def _private_prefixes(table: SymbolTable) -> dict[int, str]:
    """Return by unit what `__x` begins with in the innermost class: `_C` in class C."""
    found: dict[int, str] = {}
    prefixes: list[str] = []  # by scope; parents come first
    for kind, name, _, parent, no, *_ in zip(*table.scopes[:5], strict=True):
        prefix = "" if parent is None else prefixes[parent]
        if kind == "class":
            stripped = name.lstrip("_")
            prefix = stripped and f"_{stripped}"
        prefixes.append(prefix)
        if prefix and kind in _UNIT_SCOPES:
            found[no] = prefix
    return found


def _are_items(arguments: Sequence[Any]) -> bool:
    """Tell whether there may be more than one argument."""
    return len(arguments) > 1 or any(item.__class__ is ast.Starred for item in arguments)


def _kind(scope: int) -> str:
    return "global" if scope == _MODULE else "closure"
