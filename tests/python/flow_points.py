"""Which instructions of CPython show which flow points, by exact position and kind.

    x = f(a)        LOAD_NAME f, LOAD_NAME a, CALL and STORE_NAME x show f, a, f(a) and x;
                    the Assign and folded constants have no instruction of their own

A point without an instruction is invisible: the bytecode passes it silently. Each rule that hides
or moves a point says why. The table is for CPython 3.12 and 3.13.
"""

from __future__ import annotations

import ast
import dis
from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise
from types import CodeType

from codelake.extract.flow.control_flow import ENTRY, EXIT, FlowUnit

type Place = tuple[int | None, int | None, int | None, int | None]
type Shown = dict[int, list[tuple[int, ...]]]  # offset -> points in order, each with candidates

LOADS = frozenset(
    [
        "LOAD_NAME",
        "LOAD_GLOBAL",
        "LOAD_FAST",
        "LOAD_FAST_CHECK",
        "LOAD_DEREF",
        "LOAD_CLASSDEREF",
        "LOAD_CLOSURE",
        "LOAD_FROM_DICT_OR_DEREF",
        "LOAD_FROM_DICT_OR_GLOBALS",
    ]
)
STORES = frozenset(["STORE_NAME", "STORE_GLOBAL", "STORE_FAST", "STORE_DEREF"])
DELETES = frozenset(["DELETE_NAME", "DELETE_GLOBAL", "DELETE_FAST", "DELETE_DEREF"])
COMPARES = frozenset(
    ["COMPARE_OP", "IS_OP", "CONTAINS_OP", "POP_JUMP_IF_NONE", "POP_JUMP_IF_NOT_NONE"]
)
CALLS = frozenset({"CALL", "CALL_KW", "CALL_FUNCTION_EX"})
HIDDEN = "<generic parameters of "
HIDDEN_CALLS = frozenset(f"{HIDDEN}{name}" for name in CALLS)
SUPER = {  # one instruction for two names of one line; it has the position of the first
    "LOAD_FAST_LOAD_FAST": (LOADS, ast.Load),
    "STORE_FAST_LOAD_FAST": (STORES, ast.Load),
    "STORE_FAST_STORE_FAST": (STORES, ast.Store),
}
BUILDS = frozenset(["BUILD_LIST", "BUILD_TUPLE", "BUILD_SET", "BUILD_MAP", "BUILD_CONST_KEY_MAP"])
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
LOOPS = (ast.For, ast.AsyncFor, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)

SIMPLE: dict[type, frozenset[str]] = {
    ast.BinOp: frozenset({"BINARY_OP", "BUILD_STRING"}),  # "%s" % (a,) becomes an f-string
    ast.UnaryOp: frozenset({"UNARY_NEGATIVE", "UNARY_NOT", "UNARY_INVERT", "CALL_INTRINSIC_1"}),
    ast.JoinedStr: frozenset({"BUILD_STRING"}),
    ast.FormattedValue: frozenset({"FORMAT_SIMPLE", "FORMAT_WITH_SPEC", "FORMAT_VALUE"}),
    ast.Lambda: frozenset({"MAKE_FUNCTION"}),
    ast.GeneratorExp: frozenset({"CALL"}),
    ast.Slice: frozenset({"BUILD_SLICE"}),
    ast.Await: frozenset({"GET_AWAITABLE"}),
    ast.Yield: frozenset({"YIELD_VALUE"}),
    ast.YieldFrom: frozenset({"GET_YIELD_FROM_ITER"}),
    ast.AugAssign: frozenset({"BINARY_OP"}),
    ast.AnnAssign: frozenset({"STORE_SUBSCR"}),
    ast.Raise: frozenset({"RAISE_VARARGS"}),
    ast.ExceptHandler: frozenset({"CHECK_EXC_MATCH", "CHECK_EG_MATCH"}),
    ast.MatchSequence: frozenset({"MATCH_SEQUENCE"}),
    ast.MatchMapping: frozenset({"MATCH_MAPPING"}),
    ast.MatchClass: frozenset({"MATCH_CLASS"}),
    ast.MatchValue: frozenset({"COMPARE_OP"}),
    ast.MatchSingleton: frozenset({"IS_OP", "POP_JUMP_IF_NONE", "POP_JUMP_IF_NOT_NONE"}),
    ast.TypeVar: frozenset({"CALL_INTRINSIC_1", "CALL_INTRINSIC_2"}),
    ast.ParamSpec: frozenset({"CALL_INTRINSIC_1", "CALL_INTRINSIC_2"}),
    ast.TypeVarTuple: frozenset({"CALL_INTRINSIC_1", "CALL_INTRINSIC_2"}),
    ast.TypeAlias: frozenset({"CALL_INTRINSIC_1"}),
}
ATTRIBUTE = {
    ast.Load: frozenset({"LOAD_ATTR", "LOAD_METHOD", "LOAD_SUPER_ATTR"}),
    ast.Store: frozenset({"STORE_ATTR"}),
    ast.Del: frozenset({"DELETE_ATTR"}),
}
SUBSCRIPT = {
    ast.Load: frozenset({"BINARY_SUBSCR", "BINARY_SLICE"}),
    ast.Store: frozenset({"STORE_SUBSCR", "STORE_SLICE"}),
    ast.Del: frozenset({"DELETE_SUBSCR"}),
}
NAME = {ast.Load: LOADS, ast.Store: STORES, ast.Del: DELETES}


class Points:
    """The points of one unit, with their nodes, edges and places."""

    def __init__(self, tree: ast.Module, unit: FlowUnit, nodes: dict[int, ast.AST]) -> None:
        self.unit = unit
        self.node = nodes
        self.parent = tree.parents  # type: ignore[attr-defined]
        self.own = [no for block in unit.blocks for no in block if no >= 0]
        self.out = successors(unit)
        self.meetings = {
            target for jumps in self.out.values() for target, label in jumps if label == "false"
        }
        self.rules: dict[Place, list[tuple[frozenset[str], str | None, int]]] = defaultdict(list)
        self.names: dict[tuple[str, type, int], list[int]] = defaultdict(list)
        for no in self.own:
            self._add(no, nodes[no])
        self.visible: set[int] = {ENTRY, EXIT}
        self.shown: dict[int, Shown] = {}  # by identity of the code
        self.at: dict[tuple[str, int, Place], list[tuple[int, ...]]] = {}

    def _add(self, no: int, node: ast.AST) -> None:
        for place, kinds, name in self._rules(node):
            self.rules[place].append((kinds, name, no))
        if isinstance(node, ast.Name) and not self._hidden(node):
            self.names[node.id, type(node.ctx), node.lineno].append(no)

    def _rules(self, node: ast.AST) -> Iterator[tuple[Place, frozenset[str], str | None]]:
        """Yield where and as what a point is shown: place, instructions, name that is stored."""
        if self._hidden(node):
            return
        place = place_of(node)
        parent = self.parent.get(node)
        if self._iterates(node):  # the target of a comprehension: the instruction of its loop
            yield place_of(parent.iter), frozenset({"FOR_ITER"}), None
            yield place_of(self.parent[parent]), frozenset({"GET_ANEXT"}), None
        elif isinstance(node, ast.For):
            yield place_of(node.iter), frozenset({"FOR_ITER"}), None
        elif isinstance(node, ast.AsyncFor):
            yield place, frozenset({"GET_ANEXT"}), None
        elif isinstance(node, ast.Name):
            yield place, NAME[type(node.ctx)], node.id
        elif isinstance(node, ast.Attribute):
            yield attribute_place(node, node), ATTRIBUTE[type(node.ctx)], None
        elif isinstance(node, ast.Call):
            attribute = isinstance(node.func, ast.Attribute)
            spot = attribute_place(node, node.func) if attribute else place
            yield spot, CALLS, None
            yield place, frozenset({"CALL_FUNCTION_EX"}), None
        elif isinstance(node, ast.Subscript):
            yield place, SUBSCRIPT[type(node.ctx)], None
        elif isinstance(node, ast.Compare):
            yield place, COMPARES, None
        elif isinstance(node, ast.Tuple | ast.List) and isinstance(node.ctx, ast.Store):
            yield place, frozenset({"UNPACK_SEQUENCE", "UNPACK_EX"}), None
        elif isinstance(node, ast.Tuple | ast.List | ast.Set | ast.Dict):
            yield place, BUILDS, None
        elif isinstance(node, ast.With | ast.AsyncWith):
            yield place, frozenset({"WITH_EXIT"}), None  # 3.12
            for item in node.items:
                yield place_of(item.context_expr), frozenset({"WITH_EXIT"}), None
        elif isinstance(node, SCOPES[:3]):
            yield place, STORES, node.name
            # the code around type parameters calls their hidden function, which makes the class
            yield place, HIDDEN_CALLS if node.type_params else CALLS, None
            for decorator in node.decorator_list:
                if not isinstance(decorator, ast.Call):
                    yield place_of(decorator), frozenset({"CALL"}), None
        elif isinstance(node, ast.alias) and isinstance(parent, ast.Import):
            yield place_of(parent), frozenset({"IMPORT_NAME"}), node.name
        elif isinstance(node, ast.alias):
            yield place_of(parent), frozenset({"IMPORT_FROM"}), node.name
            if node.name == "*":
                yield place_of(parent), frozenset({"CALL_INTRINSIC_1"}), None
        elif isinstance(node, ast.ImportFrom):
            yield place, frozenset({"IMPORT_NAME"}), None
        elif isinstance(node, ast.Return):
            yield place, frozenset({"RETURN_VALUE", "RETURN_CONST"}), None
        elif isinstance(node, ast.Assert):
            yield place_of(node.test), frozenset({"RAISE_VARARGS"}), None
        elif isinstance(node, ast.MatchAs | ast.MatchStar):
            top = self._top_pattern(node)
            yield place_of(top), STORES, node.name
        elif isinstance(node, ast.Constant):  # code without a place has that of what is before it
            yield place, frozenset({"LOAD_CONST"}), repr(node.value)
        elif type(node) in SIMPLE:
            yield place, SIMPLE[type(node)], None

    def _iterates(self, node: ast.AST) -> bool:
        parent = self.parent.get(node)
        return (
            isinstance(parent, ast.comprehension)
            and parent.target is node
            and not once(self.parent[parent], parent)
        )

    def _hidden(self, node: ast.AST) -> bool:
        """Return whether CPython shows a point at another moment than that of the point."""
        parent = self.parent.get(node)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            # `a, b = c, d` may store to locals in any order, `a, a = b` but once: nothing can tell
            return isinstance(parent, ast.Tuple | ast.List) and (
                not isinstance(self.parent.get(parent), ast.For | ast.AsyncFor | ast.comprehension)
                or [getattr(item, "id", None) for item in parent.elts].count(node.id) > 1
            )
        if isinstance(node, ast.Compare) and len(node.ops) > 1:
            # in a value, all outcomes of the chain meet here, not only its last comparison
            return node.no in self.meetings
        if isinstance(node, ast.Return):
            # the value waits for `finally` and `__exit__`, then it is returned
            return self._inside_cleanup(node)
        if isinstance(node, ast.MatchAs | ast.MatchStar):
            # several names are stored in the order in which they lie on the stack
            return len(captures(self._top_pattern(node))) != 1
        if isinstance(node, ast.List | ast.Tuple | ast.Set) and isinstance(
            getattr(node, "ctx", ast.Load()), ast.Load
        ):
            # made in several steps, of which none is the last in every version
            return any(isinstance(item, ast.Starred) for item in node.elts) or len(node.elts) > 15
        if isinstance(node, ast.Dict):
            return None in node.keys or len(node.keys) > 15
        return False

    def _inside_cleanup(self, node: ast.AST) -> bool:
        while node in self.parent and not isinstance(node, SCOPES):
            parent = self.parent[node]
            if isinstance(parent, ast.With | ast.AsyncWith):
                return True
            if isinstance(parent, ast.Try | ast.TryStar) and node not in parent.finalbody:
                return True  # also an `except ... as name` unbinds the name on the way
            if isinstance(parent, ast.ExceptHandler):
                return True
            node = parent
        return False

    def _top_pattern(self, node: ast.AST) -> ast.AST:
        while not isinstance(self.parent[node], ast.match_case):
            node = self.parent[node]
        return node

    def show(self, code: CodeType) -> Shown:
        """Map the instructions of a code object to points."""
        found: Shown = {}
        turns: dict[tuple[Place, int], int] = defaultdict(int)
        instructions = list(dis.get_instructions(code))
        for number, instruction in enumerate(instructions):
            place = _positions(instruction)
            kind = _kind(instructions, number, place)
            if kind in SUPER:
                first, context = SUPER[kind]
                pair = [self._match(place, first, instruction.argval[0])]
                name = instruction.argval[1]
                pair.append(tuple(self.names.get((unmangled(name), context, place[0]), ())))
                shown = [item for item in pair if item]
            else:
                name = instruction.argval if isinstance(instruction.argval, str) else None
                if kind == "LOAD_CONST":
                    name = repr(instruction.argval)
                kinds = {kind, f"{HIDDEN}{kind}"} if code.co_name.startswith(HIDDEN) else {kind}
                shown = [self._match(place, frozenset(kinds), name)]
            shown = [self._last_of_several(item, place, kind, turns) for item in shown]
            shown = [item for item in shown if item]
            if kind.startswith("JUMP_BACKWARD"):  # watched, so that every loop can be ended
                found[instruction.offset] = []
            if shown:
                self.at[kind, instruction.offset, place] = shown
                found[instruction.offset] = shown
                for item in shown:
                    self.visible.update(item)
        self.shown[id(code)] = found
        return found

    def shown_at(self, instruction: dis.Instruction) -> list[tuple[int, ...]]:
        """Return the points that an instruction shows."""
        key = (instruction.opname, instruction.offset, _positions(instruction))
        return self.at.get(key, [])

    def _match(self, place: Place, kinds: frozenset[str], name: str | None) -> tuple[int, ...]:
        return tuple(
            no
            for accepted, wanted, no in self.rules.get(place, ())
            if kinds & accepted and (wanted is None or wanted in (name, unmangled(name)))
        )

    def _last_of_several(
        self, item: tuple[int, ...], place: Place, kind: str, turns: dict[tuple[Place, int], int]
    ) -> tuple[int, ...]:
        """Drop what is not the last step of its point: comparisons of a chain share a place."""
        kept = []
        for no in item:
            node = self.node[no]
            if isinstance(node, ast.Compare) and len(node.ops) > 1:
                turns[place, no] += 1
                if turns[place, no] % len(node.ops):
                    continue
            if isinstance(node, ast.Call) and kind in CALLS:
                parent = self.parent.get(node)
                decorates = isinstance(parent, SCOPES[:3]) and node in parent.decorator_list
                turns[place, no] += 1
                if decorates and turns[place, no] % 2 == 0:  # the decorator is applied
                    kept.append(parent.no)
                    continue
            kept.append(no)
        return tuple(kept)


def _kind(instructions: list[dis.Instruction], number: int, place: Place) -> str:
    """Return the name of an instruction; the call of `__exit__` has one of its own."""
    name = instructions[number].opname
    if name == "WITH_EXCEPT_START":
        return "WITH_EXIT"
    if name in DELETES and instructions[number - 1].opname in STORES:
        return "UNBIND"  # the end of `except ... as name`, at the place of what is before it
    if name == "CALL" and instructions[number].arg == 2 and number >= 3:
        before = instructions[number - 3 : number]
        if all(
            item.opname == "LOAD_CONST" and item.argval is None and _positions(item) == place
            for item in before
        ):
            return "WITH_EXIT"
    return name


def _positions(instruction: dis.Instruction) -> Place:
    found = instruction.positions
    if found is None:
        return (None, None, None, None)
    return (found.lineno, found.end_lineno, found.col_offset, found.end_col_offset)


def place_of(node: ast.AST) -> Place:
    """Return the place of a node, as an instruction gives it."""
    if not hasattr(node, "lineno"):
        return (-1, -1, -1, -1)
    return (node.lineno, node.end_lineno, node.col_offset, node.end_col_offset)


def attribute_place(node: ast.expr, attribute: ast.Attribute) -> Place:
    """Return the place that CPython gives to an attribute or method call over several lines."""
    line, end_line, column, end_column = place_of(node)
    if line == attribute.end_lineno:
        return line, end_line, column, end_column
    end = attribute.end_col_offset
    return attribute.end_lineno, end_line, end - len(attribute.attr), end


def unmangled(name: str | None) -> str | None:
    """Return the name as the source has it: `_C__x` is `__x` inside class C."""
    if name and name.startswith("_") and "__" in name[1:] and not name.startswith("__"):
        return name[name.index("__", 1) :]
    return name


def once(node: ast.AST, clause: ast.comprehension) -> bool:
    """Return whether a `for x in [y]` of a comprehension is an assignment."""
    return (
        node.generators.index(clause) > 0  # type: ignore[attr-defined]
        and isinstance(clause.iter, ast.List | ast.Tuple)
        and len(clause.iter.elts) == 1
        and not isinstance(clause.iter.elts[0], ast.Starred)
        and not clause.is_async
    )


def captures(pattern: ast.AST) -> list[str]:
    """Return the names that a pattern binds, one entry per place."""
    found = [
        node.name
        for node in ast.walk(pattern)
        if isinstance(node, ast.MatchAs | ast.MatchStar) and node.name
    ]
    return found + [
        node.rest for node in ast.walk(pattern) if isinstance(node, ast.MatchMapping) and node.rest
    ]


def successors(unit: FlowUnit) -> dict[int, list[tuple[int, str | None]]]:
    """Return the edges between points, those inside a block included."""
    found: dict[int, list[tuple[int, str | None]]] = {}
    for block in unit.blocks:
        for source, target in pairwise(block):
            found[source] = [(target, None)]
        found[block[-1]] = []
    for source, target, label in unit.edges:
        found[unit.blocks[source][-1]].append((unit.blocks[target][0], label))
    return found


def parents(tree: ast.AST) -> dict[ast.AST, ast.AST]:
    """Return the parent of each node."""
    return {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
