"""Run programs under sys.monitoring and compare what happens with their flow graphs.

    program = Program(text)
    with program.traced():
        ...                      # run program.code
    program.errors               # transitions that no path of the graph explains
    program.seen                 # edges that were taken: unit, source point, target point, label

Between two points that an instruction shows, the graph must have a path of points without an
instruction. Each branch that the interpreter takes must be the label of an edge of that path.
"""

from __future__ import annotations

import ast
import dis
import sys
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import takewhile
from types import CodeType
from typing import Any

from codelake.evidence.spans import SpanMap
from codelake.extract.flow.control_flow import ENTRY, EXIT, FlowUnit, control_flow
from codelake.extract.syntax.syntax_tree import syntax_tree
from codelake.sources.decode import SourceText, decode
from flow_points import HIDDEN, Points, parents, place_of

TOOL = 4
EVENTS = sys.monitoring.events
LOCAL = EVENTS.INSTRUCTION | EVENTS.BRANCH | EVENTS.PY_START | EVENTS.PY_RETURN
STEPS = (  # points that are made of several steps, each shown
    *(ast.With, ast.AsyncWith, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef),
    *(ast.TypeVar, ast.ParamSpec, ast.TypeVarTuple),
)
INSIDE = ("<listcomp>", "<setcomp>", "<dictcomp>", HIDDEN)

type Taken = tuple[int, int, str | None]


class Stop(BaseException):
    """Ends a run that has gone on for long enough."""


def numbered(text: str) -> ast.Module:
    """Parse a text and number its nodes."""
    source = decode(text.encode())
    assert isinstance(source, SourceText)
    tree = ast.parse(source.text)
    syntax_tree(tree, source.raw, SpanMap(source), "m", 1)
    return tree


class Program:
    """A text, its graphs, its code objects, and what was seen of them."""

    def __init__(
        self, text: str, name: str = "m", units: dict[int, FlowUnit] | None = None
    ) -> None:
        """Analyse and compile a text.

        Args:
            text: the source.
            name: how errors call it.
            units: graphs to use instead of those of the text, by number.
        """
        self.tree = tree = numbered(text)
        self.name = name
        tree.parents = parents(tree)  # type: ignore[attr-defined]
        self.nodes = {node.no: node for node in ast.walk(tree) if hasattr(node, "no")}
        self.units = {
            unit.no: Points(tree, (units or {}).get(unit.no, unit), self.nodes)
            for unit in control_flow(tree)
        }
        self.code = compile(text, f"<{name}>", "exec", dont_inherit=True)
        self.codes: list[CodeType] = []
        self.owner: dict[int, Points] = {}  # by identity: hashing code is slow
        self._own(self.code, self.units[0])
        self.branches = {id(code): _branches(code, self.owner[id(code)]) for code in self.codes}
        self.errors: dict[str, None] = {}
        self.seen: dict[int, set[Taken]] = defaultdict(set)
        self.handlers = [
            node.type
            for node in ast.walk(tree)
            if isinstance(node, ast.ExceptHandler) and node.type is not None
        ]
        self.new = 0  # transitions seen for the first time
        self.events = 0
        self.limit = 0
        self._state: dict[int, tuple[int, tuple[bool, ...]]] = {}
        self._steps: dict[tuple[Any, ...], int | None] = {}

    def _own(self, code: CodeType, unit: Points) -> None:
        """Assign each code object to the unit whose node has the place of its making."""
        self.codes.append(code)
        self.owner[id(code)] = unit
        unit.show(code)
        for instruction in dis.get_instructions(code):
            inner = instruction.argval
            if not isinstance(inner, CodeType) or id(inner) in self.owner:
                continue
            if inner.co_name.startswith(INSIDE):
                self._own(inner, unit)
                continue
            where = instruction.positions
            place = (where.lineno, where.end_lineno, where.col_offset, where.end_col_offset)
            for owner in self.units.values():
                if owner.unit.no and place_of(self.nodes[owner.unit.no]) == place:
                    kind, name = owner.unit.kind, inner.co_name
                    wanted = {"lambda": "<lambda>", "generator": "<genexpr>"}
                    node = self.nodes[owner.unit.no]
                    if name == (wanted.get(kind) or node.name):
                        self._own(inner, owner)

    @contextmanager
    def traced(self, limit: int = 100_000) -> Iterator[None]:
        """Watch the code of this program, and no other, for a number of events."""
        monitoring = sys.monitoring
        self.limit = limit
        self.begin()
        monitoring.use_tool_id(TOOL, "flow")
        monitoring.register_callback(TOOL, EVENTS.INSTRUCTION, self._instruction)
        monitoring.register_callback(TOOL, EVENTS.BRANCH, self._branch)
        monitoring.register_callback(TOOL, EVENTS.PY_START, self._start)
        monitoring.register_callback(TOOL, EVENTS.PY_RETURN, self._return)
        monitoring.register_callback(TOOL, EVENTS.PY_UNWIND, self._unwind)
        monitoring.set_events(TOOL, EVENTS.PY_UNWIND)
        for code in self.codes:
            monitoring.set_local_events(TOOL, code, LOCAL)
        try:
            yield
        finally:
            for code in self.codes:
                monitoring.set_local_events(TOOL, code, 0)
            monitoring.set_events(TOOL, 0)
            for event in (EVENTS.INSTRUCTION, EVENTS.BRANCH, EVENTS.PY_START):
                monitoring.register_callback(TOOL, event, None)
            monitoring.register_callback(TOOL, EVENTS.PY_RETURN, None)
            monitoring.register_callback(TOOL, EVENTS.PY_UNWIND, None)
            monitoring.free_tool_id(TOOL)

    def begin(self) -> None:
        """Begin another run: forget its frames, and what it has used of its limit."""
        self.events = 0
        self._state.clear()

    def _frame(self, code: CodeType) -> int:
        frame = sys._getframe(2)
        while not runs_alone(code):  # runs inside the unit around it
            frame = frame.f_back
            code = frame.f_code
        return id(frame)

    def _start(self, code: CodeType, _offset: int) -> None:
        if runs_alone(code):
            self._state[self._frame(code)] = (ENTRY, ())

    def _instruction(self, code: CodeType, offset: int) -> Any:
        self.events += 1
        if self.events > self.limit:
            raise Stop
        unit = self.owner[id(code)]
        shown = unit.shown[id(code)].get(offset)
        if shown is None:
            return sys.monitoring.DISABLE
        frame = self._frame(code)
        before, taken = self._state.get(frame, (None, ()))
        if before is None:
            return None
        for wanted in shown:
            before = self._step(unit, before, taken, wanted, code, offset)
            taken = ()
        self._state[frame] = before, taken
        return None

    def _branch(self, code: CodeType, offset: int, target: int) -> Any:
        branch = self.branches[id(code)].get(offset)
        if branch is None:
            return sys.monitoring.DISABLE
        following, outcome = branch
        if target == following:
            outcome = not outcome
        frame = self._frame(code)
        before, taken = self._state.get(frame, (None, ()))
        if before is not None:
            self._state[frame] = before, (*taken, outcome)
        return None

    def _return(self, code: CodeType, offset: int, _value: object) -> None:
        if self.events <= self.limit and runs_alone(code):
            before, taken = self._state.pop(self._frame(code), (None, ()))
            if before is not None:
                self._step(self.owner[id(code)], before, taken, (EXIT,), code, offset)

    def _unwind(self, code: CodeType, offset: int, _error: BaseException) -> None:
        if id(code) not in self.owner or not runs_alone(code):
            return
        before, taken = self._state.pop(self._frame(code), (None, ()))
        if before is None or self.events > self.limit:
            return
        unit = self.owner[id(code)]
        key = ("unwind", unit.unit.no, before, taken)
        if key not in self._steps:
            self.new += 1
            self._steps[key] = self._path(unit, before, taken, (EXIT,))
            if self._steps[key] is None and not self._may_leave(unit, before):
                self._report(unit, before, taken, (EXIT,), code, offset)

    def _may_leave(self, unit: Points, before: int) -> bool:
        """Return whether an exception may leave the unit here without an edge: no protection."""
        key = ("leave", unit.unit.no, before)
        if key not in self._steps:
            stack, seen, found = [before], {before}, False
            while stack and not found:
                point = stack.pop()
                kept = self._entered(point) or point  # entering a with is not protected by it
                found = all(
                    label != "exception" or target == EXIT for target, label in unit.out[kept]
                )
                for target, _ in unit.out[point]:
                    if target not in seen and target not in unit.visible:
                        seen.add(target)
                        stack.append(target)
            self._steps[key] = int(found)
        return bool(self._steps[key])

    def _entered(self, point: int) -> int | None:
        """Return the With whose first context this point is."""
        node = self.nodes.get(point)
        item = self.tree.parents.get(node)  # type: ignore[attr-defined]
        if not isinstance(item, ast.withitem) or item.context_expr is not node:
            return None
        found = self.tree.parents[item]  # type: ignore[attr-defined]
        return found.no if found.items[0] is item else None

    def _step(
        self,
        unit: Points,
        before: int,
        taken: tuple[bool, ...],
        wanted: tuple[int, ...],
        code: CodeType,
        offset: int,
    ) -> int | None:
        key = (unit.unit.no, before, taken, wanted)
        if key not in self._steps:
            self.new += 1
            self._steps[key] = found = self._path(unit, before, taken, wanted)
            if found is None:
                self._report(unit, before, taken, wanted, code, offset)
        return self._steps[key]

    def _path(
        self, unit: Points, before: int, taken: tuple[bool, ...], wanted: tuple[int, ...]
    ) -> int | None:
        """Find a path to one of the wanted points, and note its edges."""
        if before in wanted and not taken and isinstance(self.nodes.get(before), STEPS):
            return before
        found = self._walk(unit, before, taken, wanted, False)
        return self._walk(unit, before, taken, wanted, True) if found is None else found

    def _walk(
        self,
        unit: Points,
        before: int,
        taken: tuple[bool, ...],
        wanted: tuple[int, ...],
        late: bool,
    ) -> int | None:
        start = (before, 0)
        origin: dict[tuple[int, int], tuple[tuple[int, int], Taken] | None] = {start: None}
        queue = [start]
        for state in queue:
            point, used = state
            labels = {label for _, label in unit.out[point]}
            for target, label in unit.out[point]:
                for count in self._consumed(point, label, labels, taken[used:], late):
                    new = (target, used + count)
                    if target in wanted and new[1] == len(taken):
                        self.seen[unit.unit.no].add((point, target, label))
                        step = origin[state]
                        while step is not None:
                            state, edge = step
                            self.seen[unit.unit.no].add(edge)
                            step = origin[state]
                        return target
                    if target not in unit.visible and new not in origin:
                        origin[new] = (state, (point, target, label))
                        queue.append(new)
        return None

    def _consumed(
        self,
        point: int,
        label: str | None,
        labels: set[str | None],
        taken: tuple[bool, ...],
        late: bool,
    ) -> list[int]:
        """Return how many of the branches taken an edge may stand for.

        A condition of several tests (a sequence pattern: kind, then length) is true when all are;
        the value of a BoolOp may be tested again by the BoolOp around it.
        """
        node = self.nodes.get(point)
        if late and label == "exception" and {"true", "false"} <= labels:
            # after the branch: the rest of an except* group goes on, or an augmented name is read
            return list(range(len(taken) + 1))
        if label not in ("true", "false"):
            return [0]
        if not {"true", "false"} <= labels:  # a constant, which `a and 1 or b` tests all the same
            agreeing = takewhile(lambda outcome: outcome == (label == "true"), taken)
            return list(range(len(list(agreeing)) + 1))
        above = self.tree.parents.get(node)  # type: ignore[attr-defined]
        if isinstance(above, ast.Assert) and _is_literal(node):  # CPython decides, the graph not
            return [0]
        if isinstance(node, ast.AsyncFor) or _is_async_target(self.tree, node):
            return [0]  # the end of an asynchronous loop is an exception
        yes = next((number for number, item in enumerate(taken) if not item), len(taken))
        if label == "true":
            return list(range(1, yes + 1))
        no = next((n for n, item in enumerate(taken[yes:]) if item), len(taken) - yes)
        return list(range(yes + 1, yes + no + 1))

    def unexplained(self, other: Program) -> int:
        """Return how many steps that another program took have no path in this one."""
        steps = [key for key in other._steps if key[0] not in ("leave", "unwind")]
        count = 0
        for number, before, taken, wanted in steps:
            count += self._path(self.units[number], before, taken, wanted) is None
        return count

    def _report(
        self,
        unit: Points,
        before: int,
        taken: tuple[bool, ...],
        wanted: tuple[int, ...],
        code: CodeType,
        offset: int,
    ) -> None:
        names = " or ".join(self.describe(no) for no in wanted)
        where = f"{self.name}: {code.co_qualname}+{offset}"
        self.errors[f"{where}: {self.describe(before)} {list(taken)} -> {names}"] = None

    def describe(self, no: int) -> str:
        """Return a point as people know it."""
        if no < 0:
            return "entry" if no == ENTRY else "exit"
        node = self.nodes[no]
        text = ast.unparse(node).partition("\n")[0][:40]
        return f"{type(node).__name__}@{getattr(node, 'lineno', '')} `{text}`"

    def conditions(self) -> tuple[int, int, list[str]]:
        """Return how many edges of executed conditions there are, how many were taken, the rest."""
        total, taken, missing = 0, 0, []
        for no, unit in self.units.items():
            seen = self.seen.get(no, set())
            executed = {source for source, _, _ in seen} | {target for _, target, _ in seen}
            for point in sorted(executed):
                for target, label in unit.out.get(point, ()):
                    if label in ("true", "false", "case"):
                        total += 1
                        if (point, target, label) in seen:
                            taken += 1
                        else:
                            missing.append(
                                f"{self.name}: {self.describe(point)} -{label}->"
                                f" {self.describe(target)}"
                            )
        return total, taken, missing


def runs_alone(code: CodeType) -> bool:
    """Return whether code may be called by itself; hidden functions rely on that around them."""
    return not code.co_name.startswith(INSIDE)


def _is_async_target(tree: ast.Module, node: ast.AST | None) -> bool:
    parent = tree.parents.get(node)  # type: ignore[attr-defined]
    if not isinstance(parent, ast.comprehension):
        return False
    return parent.target is node and bool(parent.is_async)


def _is_literal(node: ast.AST | None) -> bool:
    if not isinstance(node, ast.expr):
        return False
    try:
        ast.literal_eval(node)
    except ValueError:
        return False
    return not isinstance(node, ast.List | ast.Set | ast.Dict)


def _branches(code: CodeType, unit: Points) -> dict[int, tuple[int, bool]]:
    """Return for each branch where it goes when it does not jump, and what a jump means."""
    found: dict[int, tuple[int, bool]] = {}
    instructions = list(dis.get_instructions(code))
    for number, instruction in enumerate(instructions):
        name, offset = instruction.opname, instruction.offset
        if name != "FOR_ITER" and not name.startswith("POP_JUMP"):
            continue
        following = instructions[number + 1]
        if instruction.positions.lineno is None:  # of except*: is anything left of the group?
            continue
        if following.opname == "RERAISE" and name == "POP_JUMP_IF_TRUE":
            continue  # of with: is the exception swallowed?
        jumping = name in ("POP_JUMP_IF_TRUE", "POP_JUMP_IF_NONE")
        if "NONE" in name:
            jumping = jumping == _true_if_none(instructions, number, unit)
        elif name != "FOR_ITER" and _is_folded_not(instructions, number, unit):
            jumping = not jumping
        found[offset] = following.offset, jumping
    return found


def _compare(instructions: list[dis.Instruction], number: int, unit: Points) -> ast.Compare | None:
    """Return the Compare with one operator that decides a branch."""
    for item in (instructions[number], instructions[max(number - 1, 0)]):
        for (no,) in (shown for shown in unit.shown_at(item) if len(shown) == 1):
            node = unit.node[no]
            if isinstance(node, ast.Compare):
                return node
    return None


def _true_if_none(instructions: list[dis.Instruction], number: int, unit: Points) -> bool:
    compare = _compare(instructions, number, unit)
    if compare is None:  # in an `if` of a comprehension the jump has the place of the element
        for shown in unit.shown_at(instructions[number - 1]):
            above = unit.parent.get(unit.node[shown[0]])
            above = unit.parent.get(above) if isinstance(above, ast.NamedExpr) else above
            compare = above if isinstance(above, ast.Compare) else compare
    if compare is not None:
        return isinstance(compare.ops[-1], ast.Is)
    if unit.shown_at(instructions[number]):  # a MatchSingleton
        return True
    return instructions[number - 1].opname != "COPY"  # MATCH_CLASS, MATCH_KEYS, CHECK_EG_MATCH


def _is_folded_not(instructions: list[dis.Instruction], number: int, unit: Points) -> bool:
    """Return whether CPython has turned `not a in b` into `a not in b`, `not a is b` likewise."""
    compare = _compare(instructions, number, unit)
    if compare is None or len(compare.ops) != 1:
        return False
    if not isinstance(compare.ops[0], ast.Is | ast.IsNot | ast.In | ast.NotIn):
        return False
    folded, node = False, unit.parent[compare]
    while isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        folded, node = not folded, unit.parent[node]
    return folded
