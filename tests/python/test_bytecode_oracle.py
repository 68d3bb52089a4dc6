"""Bytecode evidence against CPython: dis, stack_effect, the running interpreter, the source."""

from __future__ import annotations

import ast
import dis
import gc
import itertools
import os
import random
import subprocess
import sys
import sysconfig
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import pytest

from cases import load_cases
from codelake.evidence.spans import SpanMap
from codelake.extract.bytecode.basic_blocks import CAN_RAISE, basic_blocks
from codelake.extract.bytecode.bytecode import Bytecode, bytecode
from codelake.extract.bytecode.exception_table import exception_table
from codelake.extract.bytecode.instructions import instructions
from codelake.extract.bytecode.stack_effects import PICTURES, stack_effect
from codelake.extract.syntax.syntax_tree import syntax_tree
from codelake.sources.decode import SourceText, decode
from conftest import Figures
from test_bytecode import FILE, by_unit, evidence, extract

STDLIB = Path(sysconfig.get_path("stdlib"))
SAMPLE = (
    *("ast.py", "asyncio/tasks.py", "asyncio/base_events.py", "contextlib.py", "dataclasses.py"),
    *("enum.py", "functools.py", "inspect.py", "argparse.py", "test/test_patma.py"),
    *("test/test_coroutines.py", "test/test_except_star.py", "test/test_type_params.py"),
    *("test/test_grammar.py", "test/test_listcomps.py", "test/test_unpack_ex.py"),
)
NAME = "<codelake>"


def compiled(raw: bytes | str) -> CodeType:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return compile(raw, NAME, "exec", dont_inherit=True, optimize=0)


def nested(code: CodeType) -> list[CodeType]:
    """Return the code objects in preorder."""
    found = [code]
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            found += nested(constant)
    return found


def programs() -> list[tuple[str, bytes]]:
    cases = [(case.name, case.source.encode()) for case in load_cases(FILE)]
    return [(name, raw) for name, raw in cases if name != "refused"]


def sample() -> list[tuple[str, bytes]]:
    found = [(name, STDLIB / name) for name in SAMPLE]
    return [(name, path.read_bytes()) for name, path in found if path.exists()]


# --- dis


def table_of(code: CodeType) -> list[Any]:
    return dis._parse_exception_table(code)  # type: ignore[attr-defined,no-any-return]


def compare_with_dis(code: CodeType) -> int:
    decoded = instructions(code.co_code)
    theirs = list(dis.get_instructions(code))
    assert list(decoded.opcodes) == [item.opcode for item in theirs]
    assert decoded.args == [item.arg for item in theirs]
    offsets = [unit * 2 for unit in decoded.units]
    assert offsets == [item.offset for item in theirs]
    number = {offset: place for place, offset in enumerate(offsets)}
    jumps = frozenset(dis.hasjrel)
    targets = {
        place: number[item.argval] for place, item in enumerate(theirs) if item.opcode in jumps
    }
    assert decoded.targets == targets
    table = exception_table(code.co_exceptiontable, decoded.units)
    mine = [(offsets[e.start], e.target, e.depth, e.lasti) for e in table]
    entries = table_of(code)
    assert mine == [(e.start, number[e.target], e.depth, e.lasti) for e in entries]
    ends = [offsets[e.end] if e.end < len(offsets) else len(code.co_code) for e in table]
    assert ends == [e.end for e in entries]
    return len(theirs)


def compare_columns(raw: bytes) -> Counter[str]:
    """Compare every column of a file with what CPython says of its own code."""
    found, _, source = extract(raw)
    assert isinstance(found, Bytecode), found
    assert found.failures == ()
    codes = nested(compiled(source.text))  # from the text: the tree must give the same
    assert len(codes) == len(found.units[0])
    rows = zip(*found.instructions, strict=True)
    totals: Counter[str] = Counter()
    for unit_no, code in enumerate(codes):
        unit = [column[unit_no] for column in found.units]
        assert unit[3:5] == [code.co_qualname, code.co_name]
        assert unit[14] == code.co_firstlineno
        assert unit[20:22] == [code.co_stacksize, len(code.co_code)]
        compare_with_dis(code)
        line_starts = {start for start, _, line in code.co_lines() if line}
        targets = {*dis.findlabels(code.co_code), *(e.target for e in table_of(code))}
        for theirs in dis.get_instructions(code):
            row = next(rows)
            assert row[0] == unit_no
            assert row[2:6] == (theirs.offset, theirs.opname, theirs.opcode, theirs.arg)
            assert row[16] == (theirs.offset in targets)
            assert row[17] == (theirs.offset in line_starts)
            positions = theirs.positions
            assert positions is not None
            assert row[18] == (positions.lineno or None)
            compare_argument(theirs, row)
            totals["instructions"] += 1
            if source.raw.isascii() and row[22] is not None:
                lines = source.line_starts
                assert row[22] == lines[(positions.lineno or 0) - 1] + (positions.col_offset or 0)
                end = (positions.end_lineno or 0) - 1
                assert row[23] == lines[end] + (positions.end_col_offset or 0)
                totals["spans"] += 1
        totals["units"] += 1
    assert next(rows, None) is None
    return totals


def compare_argument(theirs: dis.Instruction, row: tuple[Any, ...]) -> None:
    kind, integer, double, text, text2, flag, const_type, is_cut, _ = row[6:15]
    value = theirs.argval
    if kind == "none":
        assert theirs.arg is None
    elif kind in ("local", "cell", "free", "name", "global", "attr", "import"):
        assert value == (text if text2 is None else (text, text2))
    elif kind == "const":
        assert const_type == {"ellipsis": "Ellipsis"}.get(
            type(value).__name__, type(value).__name__
        )
        if const_type == "int":
            assert value == (int(text, 0) if integer is None else integer) or is_cut
        elif const_type == "float":
            assert repr(value) == repr(double)
        elif const_type == "bool":
            assert value is flag
        elif const_type == "bytes":
            assert value[:256] == text.encode("latin-1")
        elif const_type == "str":
            assert value.encode("utf-8", "backslashreplace").decode()[:256] == text
            assert is_cut or len(value) <= 256
    elif kind == "compare" and theirs.opname == "COMPARE_OP":
        assert value == text
    elif kind in ("binary_op", "function"):
        assert theirs.argrepr == text
    elif kind == "intrinsic":
        assert theirs.argrepr.partition("_")[2].removeprefix("1_").removeprefix("2_") == text
    elif kind not in ("compare", "jump", "format"):
        assert integer == theirs.arg


@pytest.mark.parametrize("number", range(len(programs())))
def test_every_case_agrees_with_dis(number: int) -> None:
    assert compare_columns(programs()[number][1])["instructions"] > 0


@pytest.mark.parametrize("name", [name for name, _ in sample()][:4])
def test_a_module_of_the_standard_library_agrees_with_dis(name: str) -> None:
    assert compare_columns(dict(sample())[name])["instructions"] > 1000


def test_the_tree_compiles_to_the_code_of_the_text() -> None:
    for name, raw in (*programs(), *sample()[1::3]):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            text = raw.decode()
            tree = compile(ast.parse(text), NAME, "exec", dont_inherit=True, optimize=0)
        assert tree == compiled(text), name  # code objects compare with their positions


def test_units_are_named_like_the_definitions_of_the_tree() -> None:
    """Lambdas are left out: inside type variables the tree names them after another scope."""
    seen = 0
    for _, raw in (*programs(), *sample()[::3]):
        source = decode(raw)
        assert isinstance(source, SourceText)
        parsed = syntax_tree(tree := ast.parse(source.text), raw, SpanMap(source), "m", 1)
        found = bytecode(tree, SpanMap(source), parsed.nodes)
        assert isinstance(found, Bytecode)
        for path, kind, node in zip(*(found.units[place] for place in (2, 5, 7)), strict=True):
            if kind in ("module", "class", "function"):
                def_no, ordinal = (parsed.nodes[place][node] for place in (3, 4))
                assert ordinal == 0
                assert path == parsed.defs[4][def_no]
                seen += 1
    assert seen > 500


# --- stack effects


def test_every_picture_has_the_effect_that_cpython_states() -> None:
    checked = Counter[str]()
    for opcode in PICTURES:
        name = dis.opname[opcode]
        takes_argument = opcode in dis.hasarg
        for arg in [*range(300), 1024, 65535] if takes_argument else [None]:
            if (name in ("COPY", "SWAP") and not arg) or (name, arg) == ("SWAP", 1):
                continue  # never emitted
            if name.startswith(("LIST_", "SET_ADD", "SET_UPDATE", "MAP_ADD", "DICT_")) and not arg:
                continue
            if name == "BUILD_SLICE" and arg not in (2, 3):
                continue
            try:
                theirs = dis.stack_effect(opcode, arg, jump=False)
                assert theirs == dis.stack_effect(opcode, arg, jump=True)
            except ValueError:
                assert arg is not None
                assert arg > 1
                continue  # an argument that the compiler never emits
            if name == "RETURN_GENERATOR":
                theirs = 1  # see stack_effects.py
            effect = stack_effect(opcode, arg)
            assert effect.leaves - effect.takes == theirs, (name, arg)
            checked[name] += 1
    real = {op for name, op in dis.opmap.items() if op < 236 and not name.startswith("INSTR")}
    never = {"CACHE", "RESERVED", "INTERPRETER_EXIT", "EXIT_INIT_CHECK", "ENTER_EXECUTOR"}
    assert {dis.opname[op] for op in real - set(PICTURES)} <= never
    assert set(checked) == {dis.opname[op] for op in PICTURES}


# --- the running interpreter

RUNNABLE = r"""
import contextlib, asyncio
log = []
class M:
    def __init__(self, quiet): self.quiet = quiet
    def __enter__(self): return self
    def __exit__(self, *e): return self.quiet
    async def __aenter__(self): return self
    async def __aexit__(self, *e): return self.quiet
def loops(n):
    for i in range(n):
        if i == 2: continue
        if i > 5: break
        log.append(i)
    else:
        log.append("else")
    while n:
        n -= 1
        if n % 3: continue
    return [x * y for x in range(3) for y in range(3) if x != y], {k: v for k, v in zip("ab", "cd")}
def tries(f):
    try:
        f()
    except (ValueError, KeyError) as e:
        log.append(e)
    except TypeError:
        raise
    else:
        log.append("fine")
    finally:
        log.append("done")
    return 1
def boom(kind):
    raise kind
def early(quiet):
    for i in range(3):
        with M(quiet) as m:
            try:
                if i == 1: return m
                if i == 0: boom(OSError)
            finally:
                log.append(i)
def groups():
    try:
        raise ExceptionGroup("g", [ValueError(1), TypeError(2), OSError(3)])
    except* ValueError as v:
        log.append(v)
    except* (TypeError, OSError):
        log.append("t")
def gen(n):
    try:
        got = yield n
        while got:
            got = yield from inner(got)
    except KeyError:
        yield "key"
    finally:
        log.append("closed")
def inner(x):
    try:
        return (yield x)
    except ValueError:
        return 0
def matcher(x):
    match x:
        case 0 | 1: return "small"
        case [a, *b] if a: return a, b
        case {"k": v, **rest}: return v, rest
        case M(quiet=q): return q
        case str() as s: return s
        case _: return None
def booleans(a, b, c):
    return a and b or c, a < b < c, not a, a if b else c, a is None or b is not None
async def aiter(n):
    for i in range(n):
        await asyncio.sleep(0)
        yield i
async def main():
    async with M(True) as m:
        async for x in aiter(3):
            log.append(x)
            if x == 2: boom(KeyError)
    async for x in aiter(2): pass
    else: log.append("e")
    return [y async for y in aiter(2)], [await asyncio.sleep(0, z) for z in range(2)]
def closure(n):
    total = 0
    def add(k=n):
        nonlocal total
        total += k
        return lambda: total
    return add()()
def run():
    loops(4); loops(9); loops(0)
    tries(lambda: 1); tries(lambda: boom(KeyError))
    for kind in (TypeError, OSError):
        with contextlib.suppress(kind): tries(lambda: boom(kind))
    early(True)
    with contextlib.suppress(OSError): early(False)
    groups()
    g = gen(1); next(g); g.send(2)
    with contextlib.suppress(StopIteration): g.throw(ValueError)
    g = gen(1); next(g); g.throw(KeyError); g.close()
    g = gen(1); next(g); g.send(3)
    with contextlib.suppress(OSError): g.throw(OSError)
    for x in (0, 1, 7, [1, 2], [0], {"k": 1, "z": 2}, M(3), "s"): matcher(x)
    for a in (0, 1, None):
        for b in (0, 2):
            with contextlib.suppress(TypeError): booleans(a, b, 3)
    closure(2)
    x = [1, 2, 3]; x[0], x[1] = x[1], x[0]; a, *b = x; del x[1:]; x[0] += a
    f"{a!r:>{9}}{b}"
    asyncio.run(main())
    class Local(M):
        def __init__(self): super().__init__(1)
    Local()
run()
"""


def observed_steps(text: str) -> tuple[CodeType, dict[CodeType, set[tuple[int, int]]]]:
    """Run a program and return, for each code object, the offsets executed one after another."""
    code = compiled(text)
    mine = set(nested(code))
    steps: dict[CodeType, set[tuple[int, int]]] = {item: set() for item in mine}
    last: dict[FrameType, int] = {}
    tool, events = sys.monitoring.PROFILER_ID, sys.monitoring.events

    def instruction(where: CodeType, offset: int) -> None:
        if where in mine:
            frame = sys._getframe(1)
            if frame in last:
                steps[where].add((last[frame], offset))
            last[frame] = offset

    sys.monitoring.use_tool_id(tool, "codelake")
    try:
        sys.monitoring.register_callback(tool, events.INSTRUCTION, instruction)
        for item in mine:
            sys.monitoring.set_local_events(tool, item, events.INSTRUCTION)
        exec(code, {"__name__": "program"})
    finally:
        for item in mine:
            sys.monitoring.set_local_events(tool, item, 0)
        sys.monitoring.register_callback(tool, events.INSTRUCTION, None)
        sys.monitoring.free_tool_id(tool)
    return code, steps


def allowed_steps(code: CodeType) -> list[dict[int, str]]:
    """Return, for each instruction, the next ones that evidence allows, and how."""
    decoded = instructions(code.co_code)
    blocks = basic_blocks(decoded, exception_table(code.co_exceptiontable, decoded.units))
    direct: list[dict[int, str]] = [{} for _ in decoded.opcodes]
    for number, (first, end) in enumerate(itertools.pairwise(blocks.firsts)):
        for place in range(first, end - 1):
            direct[place][place + 1] = "inside"
        for source, block, kind, _, _ in blocks.edges:
            if source == number:
                for place in range(first, end) if kind == "exception" else [end - 1]:
                    if kind != "exception" or CAN_RAISE[decoded.opcodes[place]]:
                        direct[place][blocks.firsts[block]] = kind
    names = [dis.opname[op] for op in decoded.opcodes]
    found = []
    for place, steps in enumerate(direct):
        steps, waiting = dict(steps), list(steps)
        while waiting:  # over what the interpreter runs without an event
            step = waiting.pop()
            loop_is_over = names[place] == "FOR_ITER" and steps[step] == "branch"
            silent = {"RESUME", "EXTENDED_ARG"} | (
                {"END_FOR", "POP_TOP"} if loop_is_over else set()
            )
            if names[step] in silent:
                waiting += [after for after in direct[step] if after not in steps]
                steps |= {after: steps[step] for after in direct[step] if after not in steps}
                if names[step] == "POP_TOP":
                    waiting.clear()  # the one of the loop, and no other
        found.append(steps)
    return found


def test_every_step_of_a_running_program_is_an_edge_or_inside_a_block() -> None:
    code, steps = observed_steps(RUNNABLE)
    seen: Counter[str] = Counter()
    for item in nested(code):
        units = instructions(item.co_code).units
        number = {unit * 2: place for place, unit in enumerate(units)}
        allowed = allowed_steps(item)
        for before, after in sorted(steps[item]):
            source, target = number[before], number[after]
            names = [dis.opname[item.co_code[units[place] * 2]] for place in (source, target)]
            assert target in allowed[source], (item.co_qualname, source, target, names)
            seen[allowed[source][target]] += 1
    assert min(seen["branch"], seen["next"]) > 40, seen
    assert seen["jump"] > 15, seen
    assert seen["exception"] > 12, seen
    assert seen["inside"] > 500, seen


class Marker:
    """A value that can be recognised on the stack of a suspended generator."""

    def __call__(self, *values: Any, **named: Any) -> Marker:
        return Marker()

    def __getattr__(self, name: str) -> Marker:
        return Marker()

    def __add__(self, other: Any) -> Marker:
        return Marker()


SUSPENDED = [
    "f(A, (yield), B)",
    "A + B.c(C, (yield))",
    "[A, B, (yield), C]",
    "{A: B, C: (yield)}",
    "A[B:(yield)]",
    "f(A, k=B, l=(yield))",
    "(A, [B, (C, (yield))])",
    "A if (yield) else B",
    "A < (B + (yield))",
]


@pytest.mark.parametrize("text", SUSPENDED)
def test_values_alive_at_a_yield_are_on_the_stack_of_the_generator(text: str) -> None:
    source = f"def g():\n    x = {text}\n"
    space: dict[str, Any] = {name: Marker() for name in ("A", "B", "C", "f")}
    exec(compiled(source), space)
    generator = space["g"]()
    next(generator)
    referents = gc.get_referents(generator)
    held = {name for name in ("A", "B", "C", "f") if any(space[name] is item for item in referents)}
    tables = evidence(source.encode())
    code = by_unit(tables["instructions"], 2)[1]
    at = max(row["instr_no"] for row in code if row["opname"] == "YIELD_VALUE")
    alive = {
        code[use["def_instr"]]["arg_str"]
        for use in by_unit(tables["stack_uses"], 2)[1]
        if use["def_instr"] < at < use["use_instr"] and use["def_result"] >= 0
    }
    assert alive & set(space) == held


# --- the source: def-use read as an expression

type Term = frozenset[Any]


def written(node: ast.expr) -> tuple[Term, Term]:
    """Return what a value can be, at least and at most."""
    true, false, most = _written(node)
    return true | false, most


def _written(node: ast.expr) -> tuple[Term, Term, Term]:
    """Return what a value can be when true, when false, and at most."""
    if isinstance(node, ast.BoolOp):
        *first, last = [_written(value) for value in node.values]
        true, false, most = last
        for one_true, one_false, one_most in reversed(first):
            if isinstance(node.op, ast.And):
                false |= one_false
            else:
                true |= one_true
            most |= one_most
        return true, false, most
    if isinstance(node, ast.IfExp):
        one, two = _written(node.body), _written(node.orelse)
        return one[0] | two[0], one[1] | two[1], one[2] | two[2]
    if isinstance(node, ast.Compare):
        operands = [most_of(value) for value in (node.left, *node.comparators)]
        names = [type(op).__name__ for op in node.ops]
        terms = frozenset(
            (name, left, right)
            for name, left, right in zip(names, operands, operands[1:], strict=False)
        )
        last = frozenset({(names[-1], operands[-2], operands[-1])})
        return last, terms, terms
    term = frozenset({_single(node)})
    return term, term, term


def most_of(node: ast.expr) -> Term:
    return _written(node)[2]


def _single(node: ast.expr) -> Any:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.BinOp):
        return type(node.op).__name__, most_of(node.left), most_of(node.right)
    if isinstance(node, ast.Call):
        return "call", most_of(node.func), *(most_of(item) for item in node.args)
    if isinstance(node, ast.Attribute):
        return "attr", node.attr, most_of(node.value)
    if isinstance(node, ast.Subscript):
        return "item", most_of(node.value), most_of(node.slice)
    if isinstance(node, ast.Tuple | ast.List):
        return "build", *(most_of(item) for item in node.elts)
    assert isinstance(node, ast.Await), node
    return "await", most_of(node.value)


OPERATORS = {"+": ast.Add, "*": ast.Mult, "-": ast.Sub, "/": ast.Div, "@": ast.MatMult}
COMPARES = {"<": ast.Lt, "==": ast.Eq, "in": ast.In, "is": ast.Is, ">=": ast.GtE}


def random_expression(choose: random.Random, depth: int) -> ast.expr:
    def more() -> ast.expr:
        return random_expression(choose, depth - 1)

    kind = choose.randrange(10) if depth else 9
    load = ast.Load()
    if kind == 0:
        return ast.BoolOp(choose.choice((ast.And(), ast.Or())), [more() for _ in range(3)])
    if kind == 1:
        return ast.IfExp(more(), more(), more())
    if kind == 2:
        count = choose.randint(1, 3)
        operators = [choose.choice(list(COMPARES.values()))() for _ in range(count)]
        return ast.Compare(more(), operators, [more() for _ in range(count)])
    if kind in (3, 4):
        return ast.BinOp(more(), choose.choice(list(OPERATORS.values()))(), more())
    if kind == 5:
        return ast.Call(more(), [more() for _ in range(choose.randrange(4))], [])
    if kind == 6:
        return ast.Attribute(more(), choose.choice("pqr"), load)
    if kind == 7:
        return ast.Subscript(more(), more(), load)
    if kind == 8:
        items = [more() for _ in range(choose.randrange(1, 4))]
        return choose.choice((ast.Tuple, ast.List))(items, load)
    return ast.Name(choose.choice("abcdefg"), load)


def read_back(text: str) -> Term:
    """Build the expression that a function returns from its stack uses alone."""
    tables = evidence(f"def z(a, b, c, d):\n    return {text}\n".encode())
    code = by_unit(tables["instructions"], 2)[1]
    uses: dict[int, dict[int, list[tuple[int, int]]]] = {}
    for use in by_unit(tables["stack_uses"], 2)[1]:
        operands = uses.setdefault(use["use_instr"], {})
        operands.setdefault(use["operand"], []).append((use["def_instr"], use["def_result"]))
    memo: dict[tuple[int, int], Any] = {}

    def operand(number: int, place: int) -> Term:
        return frozenset(term(*value) for value in uses[number][place])

    def term(number: int, result: int) -> Any:
        key = (number, result)
        if key not in memo:
            memo[key] = made(number, result)
        return memo[key]

    def made(number: int, result: int) -> Any:
        row = code[number]
        name, text = row["opname"], row["arg_str"]
        if name.startswith("LOAD_FAST") or name == "LOAD_GLOBAL":
            return row["arg_str2"] if name == "LOAD_FAST_LOAD_FAST" and result else text
        if name == "BINARY_OP":
            return OPERATORS[text].__name__, operand(number, 0), operand(number, 1)
        if name in ("COMPARE_OP", "CONTAINS_OP", "IS_OP"):
            return COMPARES[text].__name__, operand(number, 0), operand(number, 1)
        if name == "LOAD_ATTR":
            return "attr", text, operand(number, 0)
        if name == "BINARY_SUBSCR":
            return "item", operand(number, 0), operand(number, 1)
        if name.startswith("BUILD_"):
            return "build", *(operand(number, place) for place in range(row["arg_int"]))
        assert name == "CALL", name
        before = sys.version_info < (3, 13)
        callee = operand(number, 1 if before and not _is_method(number) else 0)
        return "call", callee, *(operand(number, 2 + place) for place in range(row["arg_int"]))

    def _is_method(number: int) -> bool:
        return any(code[one]["opname"] == "LOAD_ATTR" for one, _ in uses[number][0])

    returns = [row["instr_no"] for row in code if row["opname"] == "RETURN_VALUE"]
    return frozenset(value for number in returns if number in uses for value in operand(number, 0))


def flat(term: Any) -> Iterator[Any]:
    """Yield every complete choice of a term: sets taken apart."""
    if isinstance(term, frozenset):
        for item in term:
            yield from flat(item)
    elif isinstance(term, tuple):
        choices: list[tuple[Any, ...]] = [()]
        for part in term:
            options = list(flat(part)) if isinstance(part, frozenset) else [part]
            choices = [(*one, option) for one in choices for option in options]
        yield from choices
    else:
        yield term


@pytest.mark.parametrize("seed", range(4))
def test_stack_uses_say_what_the_source_says(seed: int) -> None:
    choose = random.Random(seed)
    exact = 0
    for _ in range(60):
        node = ast.fix_missing_locations(random_expression(choose, choose.randint(1, 4)))
        text = ast.unparse(node)
        least, most = written(ast.parse(text, mode="eval").body)
        choices = {len(set(flat(item))) for item in (least, most)}
        if max(choices) > 2000:
            continue
        found, upper = set(flat(read_back(text))), set(flat(most))
        assert found <= upper, text  # nothing that cannot be
        branches = any(isinstance(n, ast.BoolOp | ast.IfExp | ast.Compare) for n in ast.walk(node))
        if not branches:
            assert found == upper, text
            exact += 1
        outer = {item if not isinstance(item, tuple) else item[0] for item in least}
        heads = {item if not isinstance(item, tuple) else item[0] for item in found}
        assert outer <= heads, text  # nothing that can be is lost
    assert exact > 10


# --- the standard library


def compiles(raw: bytes) -> bool:
    try:
        compiled(raw)
    except (SyntaxError, UnicodeError, ValueError):
        return False
    return True


def test_a_sample_of_the_standard_library_keeps_every_invariant() -> None:
    files = [path for path in sorted(STDLIB.rglob("*.py")) if "site-packages" not in path.parts]
    sources = [raw for path in files[::100] if compiles(raw := path.read_bytes())]
    assert len(sources) > 12
    for raw in sources:
        evidence(raw)


@pytest.mark.prove
def test_the_whole_standard_library_keeps_every_invariant(figures: Figures) -> None:
    totals: Counter[str] = Counter()
    for path in sorted(STDLIB.rglob("*.py")):
        raw = path.read_bytes()
        if not compiles(raw):
            totals["not compiled by CPython"] += 1
            continue
        totals["files"] += 1
        totals.update(compare_columns(raw))
        for name, rows in evidence(raw).items():
            totals[f"rows of {name}"] += len(rows)
    figures(str(dict(totals)))
    assert totals["files"] > 1500
    assert totals["instructions"] > 1_000_000


# --- other processes

PRINT = """
import sys
from test_bytecode import STRUCTS, extract
found = extract(sys.stdin.buffer.read())[0]
print([list(map(list, getattr(found, name))) for name in STRUCTS])
"""


def in_a_process(raw: bytes, *options: str, seed: str = "0") -> list[Any]:
    path = os.pathsep.join(sys.path)
    environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": path}
    command = [sys.executable, *options, "-c", PRINT]
    done = subprocess.run(command, input=raw, env=environment, capture_output=True, check=True)
    found: list[Any] = ast.literal_eval(done.stdout.decode())
    return found


def test_the_seed_of_hashes_changes_nothing() -> None:
    raw = b"x = a in {'b', 'c', 'd'}\nclass C:\n    def f(self): self.z = self.y = {1, (2, 'q')}\n"
    assert in_a_process(raw, seed="1") == in_a_process(raw, seed="2")


def test_a_python_without_columns_gives_lines_and_kinds() -> None:
    raw = b"class C:\n    def f(self): return (x for x in y)\nlambda: 0\n"
    full, bare = in_a_process(raw), in_a_process(raw, "-X", "no_debug_ranges")
    assert full[0][5] == bare[0][5] == ["module", "class", "function", *bare[0][5][3:]]
    assert bare[0][7] == [0, None, None, None, None]
    assert set(bare[1][22]) == {None}
    assert full[1][18] == bare[1][18]
