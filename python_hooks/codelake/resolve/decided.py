"""Decided conditions: whose outcome is known when a function is run by one call.

    def show(x, kind="text"):
        if kind == "raw":      show(a): false, since kind is "text"
            return x           show(b, "raw"): true, and nothing behind the return runs
        return escape(x)

Known are constants, names that are given one constant only, and parameters, by the argument of the
call. Comparisons, `not`, `and`, `or` and sums of them are computed. Cases of a `match` are decided
where they compare with constants.
Next: clock.py.
"""

from __future__ import annotations

import operator
from ast import literal_eval
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from codelake.resolve.blocks import Blocks
from codelake.resolve.bodies import Parameter
from codelake.resolve.file_facts import Fact
from codelake.resolve.state import Frame, State

type Region = tuple[int, int]

_DEEPEST = 12
_LONGEST = 200
EVERY_NODE = 1 << 40
_UNKNOWN: Any = object()
_CONSTANTS = {"none": None, "bool:True": True, "bool:False": False}
_COMPARED: dict[str, Callable[[Any, Any], Any]] = {
    **{"==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le},
    **{">": operator.gt, ">=": operator.ge, "is": operator.is_, "is not": operator.is_not},
    **{"in": lambda a, b: a in b, "not in": lambda a, b: a not in b},
}
_COMPUTED: dict[str, Callable[[Any, Any], Any]] = {
    **{"+": operator.add, "-": operator.sub, "*": operator.mul},
    **{"//": operator.floordiv, "%": operator.mod},
}


class Decided:
    """Outcomes of the conditions of a repository."""

    def __init__(
        self,
        state: State,
        given: Mapping[tuple[int, int], list[int]],
        frame_of: Callable[[int], Frame | None],
        node_of: Callable[[int], tuple[int, int] | None],
    ) -> None:
        """Take the analysis.

        Args:
            state: the analysis.
            given: the arguments of each parameter, by the place that calls.
            frame_of: the frame whose node a variable is.
            node_of: file and number of that node.
        """
        self._state, self._given = state, given
        self._frame_of, self._node_of = frame_of, node_of
        self._operands: dict[int, dict[int, list[tuple[int, str]]]] = {}
        self._chains: dict[int, set[int]] = {}
        self._cases: dict[int, dict[int, list[tuple[int, int, list[int], bool]]]] = {}

    def truth(self, frame: Frame, node: int, place: int) -> bool | None:
        """Return the truth of an expression, without the `not`s in front of it.

        Args:
            frame: who evaluates it.
            node: the expression.
            place: the call that runs the frame.
        """
        made = self._state.bodies[frame.file].made
        while node in made and made[node][0] == "unary" and made[node][5] == "not":
            node = made[node][3] or 0
        return self.outcome(frame, node, place)

    def outcome(self, frame: Frame, node: int, place: int) -> bool | None:
        """Return the truth of an expression."""
        found = self._value(frame, node, place, 0)
        return None if found is _UNKNOWN else bool(found)

    def is_filled(self, frame: Frame, node: int, place: int) -> bool:
        """Tell whether an iterable is a display with an item, or a `range` that is not empty."""
        bodies = self._state.bodies[frame.file]
        node = bodies.value(node)
        fact = bodies.made.get(node)
        if fact is None or fact[0] not in ("list", "tuple", "set", "call"):
            return False
        if fact[0] != "call":
            return bool(bodies.elements(node))
        held = self._state.solver.get(self._state.value(frame, fact[3] or 0))
        given = bodies.written_arguments(node)[0]
        values = [self._value(frame, each, place, 0) for each in given]
        if self._state.objects.external("builtins.range") not in held or len(held) != 1:
            return False
        return all(isinstance(each, int) for each in values) and _is_counted(values)

    def position(self, frame: Frame, node: int, place: int) -> str | None:
        """Return the text of a key that is a whole number, as facts write it."""
        found = self._value(frame, node, place, 0)
        is_number = isinstance(found, int) and not isinstance(found, bool)
        return f"int:{found}" if is_number else None

    def choices(self, number: int) -> Mapping[int, list[tuple[int, str]]]:
        """Return the operands of the expressions of a file with `if`, `and` and `or`."""
        if number not in self._operands:
            known = self._operands[number] = defaultdict(list)
            for op, _, at, value, _, text, _ in self._state.files[number].facts:
                if op == "either" and value is not None:
                    known[at].append((value, text or ""))
        return self._operands[number]

    def cases(self, frame: Frame, subject: int, place: int, blocks: Blocks) -> Iterator[Region]:
        """Yield the regions of a match statement that do not run.

        Args:
            frame: who runs it.
            subject: the node of its first pattern.
            place: the call that runs the frame.
            blocks: of the file.
        """
        is_over = False
        for case, value, wanted, is_plain in self._cases_of(frame.file).get(subject, ()):
            found = self._value(frame, value, place, 0)
            if is_over:
                yield case, blocks.last[case]
            elif found is not _UNKNOWN and wanted:
                values = [self._value(frame, each, place, 0) for each in wanted]
                if _UNKNOWN in values:
                    return
                if found not in values:
                    yield case, blocks.last[case]
                else:
                    is_over = is_plain
                    if not is_plain:
                        return

    def _cases_of(self, number: int) -> dict[int, list[tuple[int, int, list[int], bool]]]:
        """Return the cases of each match statement of a file, by its first pattern."""
        if number in self._cases:
            return self._cases[number]
        file, made = self._state.files[number], self._state.bodies[number].made
        tests = {fact[2] for fact in file.facts if fact[0] == "test"}
        values = {fact[2]: fact[3] or 0 for fact in file.facts if fact[0] == "match_value"}
        tops = [fact for fact in file.facts if fact[0] == "match" and fact[3] is not None]
        inner: dict[int, list[int]] = defaultdict(list)
        found: dict[int, list[tuple[int, int, list[int], bool]]] = defaultdict(list)
        for _, _, node, value, _, _, _ in tops:
            if value in made and made[value][0] == "match":
                inner[value].append(node)
        first: dict[int, int] = {}
        for _, _, node, value, _, _, _ in tops:
            if value is None or (value in made and made[value][0] == "match"):
                continue
            case = file.parents[node]
            key = first.setdefault(file.parents[case], node)
            parts = inner.get(node) or [node]
            wanted = [values[each] for each in parts if each in values]
            is_value = len(wanted) == len(parts)
            found[key].append((case, value, wanted if is_value else [], case not in tests))
        self._cases[number] = found
        return found

    def _value(self, frame: Frame, node: int, place: int, depth: int) -> Any:
        """Return a constant that an expression is, or _UNKNOWN."""
        if depth > _DEEPEST:
            return _UNKNOWN
        bodies = self._state.bodies[frame.file]
        node = bodies.value(node)
        fact = bodies.made.get(node)
        if fact is None:
            return _UNKNOWN
        op, _, _, value, other, text, idx = fact
        if op == "literal":
            return _constant(text or "")
        if op.startswith("param"):
            return self._argument(frame, node, place, depth) if op != "param_star" else _UNKNOWN
        if op == "load":
            return self._name(frame, node)
        if op == "unpack" and value is not None and idx is not None:
            parts = bodies.elements(bodies.value(value))
            is_known = 0 <= idx < len(parts)
            return self._value(frame, parts[idx], place, depth + 1) if is_known else _UNKNOWN
        if op == "either" and text in ("and", "or"):
            return self._joined(frame, node, place, depth)
        if op == "unary" and value is not None:
            found = self._value(frame, value, place, depth + 1)
            if found is _UNKNOWN or text not in ("not", "-"):
                return _UNKNOWN
            return (not found) if text == "not" else _computed(operator.sub, 0, found)
        if op in ("compare", "binary") and value is not None and other is not None and not idx:
            if op == "compare" and node in self._chained(frame.file):
                return _UNKNOWN
            action = (_COMPARED if op == "compare" else _COMPUTED).get(text or "")
            ends = [self._value(frame, each, place, depth + 1) for each in (value, other)]
            return _UNKNOWN if action is None else _computed(action, *ends)
        return _UNKNOWN

    def _chained(self, number: int) -> set[int]:
        """Return the comparisons of a file with more than two operands."""
        if number not in self._chains:
            self._chains[number] = {
                fact[2]
                for fact in self._state.files[number].facts
                if fact[0] == "compare" and fact[6]
            }
        return self._chains[number]

    def _joined(self, frame: Frame, node: int, place: int, depth: int) -> Any:
        result: Any = _UNKNOWN
        is_open = False
        for value, text in self.choices(frame.file)[node]:
            result = self._value(frame, value, place, depth + 1)
            if result is _UNKNOWN:
                is_open = True
            elif bool(result) is (text == "or"):
                return result  # of its truth at least
        return _UNKNOWN if is_open else result

    def _argument(self, frame: Frame, node: int, place: int, depth: int) -> Any:
        """Return what a call hands to a parameter."""
        given = self._given.get((frame.offset + node, place), ())
        if len(given) == 1:
            caller, at = self._frame_of(given[0]), self._node_of(given[0])
            if caller is None or at is None:
                return _UNKNOWN
            return self._value(caller, at[1], -1, depth + 1)
        if given or place < 0:
            return _UNKNOWN
        sites = self._state.sites_of.get(frame.number, ())
        mine = [site for site in sites if site.frame.offset + site.node == place]
        if not mine or any(_has_stars(site.values) for site in mine):
            return _UNKNOWN
        parameter = next((one for one in _parameters(frame) if one.node == node), None)
        if parameter is None or parameter.default is None or frame.env is None:
            return _UNKNOWN
        fact = self._state.bodies[frame.file].made.get(parameter.default)
        is_literal = fact is not None and fact[0] == "literal"
        return _constant(fact[5] or "") if fact is not None and is_literal else _UNKNOWN

    def _name(self, frame: Frame, node: int) -> Any:
        """Return the constant that a name is given, when it is one only."""
        bodies, file = self._state.bodies[frame.file], self._state.files[frame.file]
        use = file.names.get(node)
        if use is None or use[0] in self._state.stored_names:
            return _UNKNOWN
        stores = bodies.stores_of.get((use[2], use[0]), ())
        sources = [source for store in stores for source in bodies.stores.get(store, ())]
        if len(stores) != 1 or len(sources) != 1:
            return _UNKNOWN
        fact = bodies.made.get(bodies.value(sources[0].value))
        return _constant(fact[5] or "") if fact is not None and fact[0] == "literal" else _UNKNOWN


class Branches:
    """What one run of a frame leaves out, found while its facts are read in order.

    Attributes:
        decided: the `if`s whose outcome is known.
        closed: operands of `a if b else c` that are not taken, and that expression.
    """

    def __init__(self, decided: Decided, frame: Frame, place: int, blocks: Blocks) -> None:
        """Start at the beginning of the frame."""
        self._of, self._frame, self._place, self._blocks = decided, frame, place, blocks
        self._dead: list[Region] = []
        self._tests: dict[int, bool | None] = {}
        self.decided: set[int] = set()
        self.closed: list[tuple[int, int]] = []
        self._repeated: set[int] = set()

    def is_repeated(self, loop: int) -> bool:
        """Tell whether a loop surely runs once at least."""
        return loop in self._repeated

    def skips(self, fact: Fact) -> bool:
        """Tell whether the run leaves out what a fact is about."""
        op, _, node, value, other, text, _ = fact
        if op == "guard":
            self._guard(node, value, other, text or "")
            return False
        if any(first <= node <= last for first, last in self._dead):
            return True
        if op == "test" and value is not None and self._blocks.loop(node) is None:
            self._tests[node] = self._of.truth(self._frame, value, self._place)
            self._choose(node, value)
        elif op == "each" and other is not None and value is not None:
            if self._of.is_filled(self._frame, value, self._place):
                self._repeated.add(other)
        elif op == "match":
            self._dead += self._of.cases(self._frame, node, self._place, self._blocks)
        elif op in ("return", "raise") and self._blocks.only_under(node, self.decided):
            self._dead.append((self._blocks.last[node] + 1, EVERY_NODE))
        return False

    def _choose(self, node: int, test: int) -> None:
        """Leave out the operand of `a if b else c` that is not taken."""
        arms = self._of.choices(self._frame.file).get(node, ())
        if len(arms) == 2 and arms[0][1] == "if":
            outcome = self._of.outcome(self._frame, test, self._place)
            if outcome is not None:
                other = arms[1 if outcome else 0][0]
                self.decided.add(node)
                self._dead.append((other, self._blocks.last[other]))
                self.closed.append((other, node))

    def _guard(self, node: int, first: int | None, last: int | None, text: str) -> None:
        outcome = self._tests.get(node)
        if outcome is None or first is None or last is None:
            return
        if text in ("condition", "not condition"):
            self.decided.add(node)
            if outcome is not (text == "condition"):
                self._dead.append((first, last))


def _is_counted(bounds: list[int]) -> bool:
    try:
        return len(range(*bounds)) > 0
    except (TypeError, ValueError, OverflowError):
        return False


def _parameters(frame: Frame) -> list[Parameter]:
    return [*frame.body.signature.positional, *frame.body.signature.keyword_only]


def _has_stars(values: Any) -> bool:
    return any(star for _, star in values[0]) or any(name is None for name, _ in values[1])


def _constant(text: str) -> Any:
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    kind, has_value, value = text.partition(":")
    if kind == "str" and len(value) < _LONGEST:
        return value if has_value else _UNKNOWN
    if kind == "int" and has_value and len(value) < _LONGEST:
        return literal_eval(value)
    return _UNKNOWN


def _computed(action: Callable[[Any, Any], Any], one: Any, other: Any) -> Any:
    if one is _UNKNOWN or other is _UNKNOWN:
        return _UNKNOWN
    if action is operator.mul and not all(isinstance(each, int | float) for each in (one, other)):
        return _UNKNOWN
    try:
        return action(one, other)
    except (TypeError, ValueError, ArithmeticError):
        return _UNKNOWN
