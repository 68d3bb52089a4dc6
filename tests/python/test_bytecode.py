"""Bytecode evidence: text cases for each Python, with invariants on every one.

A unit prints its blocks, their instructions with the producers of each operand, and their edges:

    4 CALL 1 <- 1 2 {3|5}        operand 2 is the value of 3 or of 5
    9.1 is the second result of 9, 9!exc and 9!lasti are what a handler at 9 finds
"""

from __future__ import annotations

import ast
import contextlib
import itertools
import sys
from collections import defaultdict
from functools import partial
from typing import Any

import pyarrow as pa
import pytest

from cases import Case, check, load_cases, parametrize
from codelake.evidence import structs
from codelake.evidence.spans import SpanMap
from codelake.evidence.structs import GIVEN
from codelake.extract.bytecode.basic_blocks import CAN_RAISE
from codelake.extract.bytecode.bytecode import WIDTHS, Bytecode, bytecode
from codelake.extract.bytecode.stack_effects import stack_effect
from codelake.extract.bytecode.stack_simulation import StackError
from codelake.extract.parse import ParseFailure
from codelake.extract.syntax.syntax_tree import syntax_tree
from codelake.sources.decode import SourceText, decode
from timing import cpu_seconds

type Row = dict[str, Any]
type Evidence = dict[str, list[Row]]

STRUCTS = {
    "units": structs.BC_UNIT,
    "instructions": structs.BC_INSTRUCTION,
    "constants": structs.BC_CONST,
    "exceptions": structs.BC_EXCEPTION,
    "blocks": structs.BC_BLOCK,
    "edges": structs.BC_EDGE,
    "stack_uses": structs.BC_STACK_USE,
    "lines": structs.BC_LINE,
}
FILES = ("bytecode", "bytecode_before_3_13")
FILE = FILES[sys.version_info < (3, 13)]
SYNTAX = {  # kind of unit -> class of its node
    "module": {"Module"},
    "class": {"ClassDef"},
    "function": {"FunctionDef", "AsyncFunctionDef"},
    "lambda": {"Lambda"},
    "generator_expression": {"GeneratorExp"},
    "list_comprehension": {"ListComp"},
    "set_comprehension": {"SetComp"},
    "dict_comprehension": {"DictComp"},
    "type_parameters": {"FunctionDef", "AsyncFunctionDef", "ClassDef", "TypeAlias"},
    "type_alias": {"TypeAlias"},
    "type_variable": {"TypeVar", "ParamSpec", "TypeVarTuple"},
}


def extract(raw: bytes) -> tuple[Bytecode | ParseFailure, list[str], SourceText]:
    """Return the columns, the class of each node, and the source."""
    source = decode(raw)
    assert isinstance(source, SourceText)
    tree = ast.parse(source.text)
    spans = SpanMap(source)
    nodes = syntax_tree(tree, source.raw, spans, "m", 1).nodes
    return bytecode(tree, spans, nodes), list(nodes[1]), source


def evidence(raw: bytes) -> Evidence:
    """Return the rows as Arrow stores them, after checking every invariant."""
    found, syntax, source = extract(raw)
    assert isinstance(found, Bytecode), found
    assert found.failures == ()
    tables = {name: table(getattr(found, name), kind) for name, kind in STRUCTS.items()}
    check_invariants(tables, syntax, source)
    return tables


def table(columns: Any, kind: pa.DataType) -> list[Row]:
    rows = zip(*columns, strict=True)
    return [dict(zip(GIVEN[kind], map(_listed, row), strict=True)) for row in rows]


def _listed(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def by_unit(found: list[Row], count: int) -> list[list[Row]]:
    parts: list[list[Row]] = [[] for _ in range(count)]
    for row in found:
        parts[row["unit_no"]].append(row)
    return parts


@parametrize(FILE)
def test_case(case: Case) -> None:
    raw = case.source.encode()
    sections = {
        "code": lambda: _code(evidence(raw)),
        "units": lambda: [_unit(unit) for unit in evidence(raw)["units"]],
        "constants": lambda: [_constant(row) for row in evidence(raw)["constants"]],
        "arguments": lambda: [_argument(row) for row in evidence(raw)["instructions"]],
        "spans": lambda: _spans(evidence(raw)["instructions"], raw),
        "lines": lambda: [_line(row) for row in evidence(raw)["lines"]],
        "failure": lambda: [str(extract(raw)[0])],
    }
    check(case, sections)


def test_the_cases_are_the_same_for_each_python() -> None:
    first, second = ([(case.name, case.source) for case in load_cases(file)] for file in FILES)
    assert first == second
    assert len(first) >= 40


def check_invariants(tables: Evidence, syntax: list[str], source: SourceText) -> None:
    units = tables["units"]
    assert [unit["unit_no"] for unit in units] == list(range(len(units)))
    assert len({unit["unit_path"] for unit in units}) == len(units)
    parts = {name: by_unit(tables[name], len(units)) for name in STRUCTS if name != "units"}
    for number, unit in enumerate(units):
        assert (unit["parent_unit_no"] is None) == (number == 0)
        assert unit["parent_unit_no"] is None or unit["parent_unit_no"] < number
        assert syntax[unit["node_no"]] in SYNTAX[unit["kind"]], unit
        mine = {name: parts[name][number] for name in parts}
        check_blocks(mine)
        check_stack(mine, unit)
        check_places(mine, source)


def check_blocks(mine: Evidence) -> None:
    code, blocks, edges = mine["instructions"], mine["blocks"], mine["edges"]
    covered = [n for block in blocks for n in range(block["first_instr"], block["last_instr"] + 1)]
    assert covered == list(range(len(code)))  # blocks partition the instructions, in order
    assert [block["kind"] for block in blocks].count("entry") == 1
    first_of = {block["first_instr"]: block["block_no"] for block in blocks}
    out = defaultdict(list)
    for edge in edges:
        assert 0 <= edge["dst_block"] < len(blocks)
        out[edge["src_block"]].append((edge["kind"], edge["dst_block"]))
        assert (edge["kind"] == "exception") == (edge["entry_no"] is not None)
        assert (edge["instr_no"] is not None) or edge["kind"] in ("next", "exception")
    for row in code:
        target = row["jump_target"]
        if target is not None:
            assert target in first_of
            assert code[target]["is_jump_target"]
    for block in blocks:
        last = code[block["last_instr"]]
        number, name, target = block["block_no"], last["opname"], last["jump_target"]
        kinds = [item for item in out[number] if item[0] != "exception"]
        for row in code[block["first_instr"] : block["last_instr"]]:
            assert row["jump_target"] is None  # every jump ends its block
        if target is None:
            ends = name.startswith(("RETURN_VALUE", "RETURN_CONST", "RAISE", "RERAISE"))
            assert kinds == ([] if ends else [("next", number + 1)])
        elif name.startswith("JUMP"):
            assert kinds == [("jump", first_of[target])]
        else:
            assert kinds == [("branch", first_of[target]), ("next", number + 1)]
        handlers = [
            first_of[entry["target_instr"]]
            for entry in mine["exceptions"]
            if entry["start_instr"] <= block["first_instr"] < entry["end_instr"]
        ]
        inside = code[block["first_instr"] : block["last_instr"] + 1]
        raises = any(CAN_RAISE[row["opcode"]] for row in inside)
        found = [item[1] for item in out[number] if item[0] == "exception"]
        assert found == (handlers if raises else [])
    handlers = {first_of[entry["target_instr"]] for entry in mine["exceptions"]}
    assert handlers == {block["block_no"] for block in blocks if block["kind"] == "handler"}


def check_stack(mine: Evidence, unit: Row) -> None:
    code = mine["instructions"]
    uses: dict[int, dict[int, list[Row]]] = defaultdict(lambda: defaultdict(list))
    for use in mine["stack_uses"]:
        uses[use["use_instr"]][use["operand"]].append(use)
        produced = stack_effect(code[use["def_instr"]]["opcode"], code[use["def_instr"]]["arg"])
        fresh = produced.leaves if produced.moves is None else produced.moves.count(-1)
        assert use["def_result"] < fresh
        if use["def_result"] < 0:
            assert any(e["target_instr"] == use["def_instr"] for e in mine["exceptions"])
    for block in mine["blocks"]:
        for row in code[block["first_instr"] : block["last_instr"] + 1]:
            reached = row["stack_depth"] is not None
            assert reached == block["is_reachable"]
            effect = stack_effect(row["opcode"], row["arg"])
            wanted = effect.takes if effect.uses is None else len(effect.uses)
            assert sorted(uses[row["instr_no"]]) == (list(range(wanted)) if reached else [])
            if reached:
                assert effect.takes <= row["stack_depth"] <= unit["stacksize"]
    ends = {block["block_no"]: code[block["last_instr"]] for block in mine["blocks"]}
    starts = {block["block_no"]: code[block["first_instr"]] for block in mine["blocks"]}
    entries = mine["exceptions"]
    for edge in mine["edges"]:
        last, first = ends[edge["src_block"]], starts[edge["dst_block"]]
        if last["stack_depth"] is not None:  # the depth is the same on every path
            effect = stack_effect(last["opcode"], last["arg"])
            depth = last["stack_depth"] - effect.takes + effect.leaves
            if edge["kind"] == "exception":
                entry = entries[edge["entry_no"]]
                depth = entry["depth"] + entry["lasti"] + 1
            assert first["stack_depth"] == depth


def check_places(mine: Evidence, source: SourceText) -> None:
    for row in mine["instructions"]:
        assert (row["bstart"] is None) == (row["bend"] is None) == (row["col"] is None)
        if row["bstart"] is not None:
            assert 0 <= row["bstart"] <= row["bend"] <= len(source.raw), row
            assert 1 <= row["line"] <= row["end_line"]
    spans = [(row["start_offset"], row["end_offset"]) for row in mine["lines"]]
    assert all(end == start for (_, end), (start, _) in itertools.pairwise(spans))


def _code(tables: Evidence) -> list[str]:
    lines = []
    count = len(tables["units"])
    parts = {name: by_unit(tables[name], count) for name in STRUCTS if name != "units"}
    for number, unit in enumerate(tables["units"]):
        if count > 1:
            lines.append(f"unit {unit['unit_path']!r}")
        mine = {name: parts[name][number] for name in parts}
        producers = _producers(mine["stack_uses"])
        for block in mine["blocks"]:
            mark = "" if block["is_reachable"] else " unreachable"
            kind = "" if block["kind"] == "normal" else f" {block['kind']}"
            lines.append(f"block {block['block_no']}{kind}{mark}")
            for row in mine["instructions"][block["first_instr"] : block["last_instr"] + 1]:
                text = [str(row["instr_no"]), row["opname"], row["arg_repr"] or ""]
                used = producers.get(row["instr_no"])
                lines.append(" ".join(["", *filter(None, text), *(["<-", *used] if used else [])]))
            lines += [
                f" -{edge['kind']}-> {edge['dst_block']}"
                for edge in mine["edges"]
                if edge["src_block"] == block["block_no"]
            ]
    return lines


def _producers(uses: list[Row]) -> dict[int, list[str]]:
    found: dict[int, list[list[str]]] = defaultdict(list)
    marks = {0: "", -1: "!exc", -2: "!lasti"}
    for use in uses:
        operands = found[use["use_instr"]]
        while len(operands) <= use["operand"]:
            operands.append([])
        result = use["def_result"]
        operands[use["operand"]].append(f"{use['def_instr']}{marks.get(result, f'.{result}')}")
    return {
        number: [names[0] if len(names) == 1 else f"{{{'|'.join(names)}}}" for names in operands]
        for number, operands in found.items()
    }


def _unit(unit: Row) -> str:
    flags = [name for name in ("generator", "coroutine", "async_generator") if unit[f"is_{name}"]]
    counts = "/".join(str(unit[f"{name}argcount"]) for name in ("", "posonly", "kwonly"))
    lists = [f"{name}={unit[name]}" for name in ("varnames", "cellvars", "freevars") if unit[name]]
    text = [repr(unit["unit_path"]), unit["kind"], f"node={unit['node_no']}", counts]
    place = f"{unit['line']}:{unit['col']}-{unit['end_line']}:{unit['end_col']}"
    return " ".join([*text, place, f"first={unit['first_line']}", *flags, *lists])


def _constant(row: Row) -> str:
    named = {key: row[key] for key in row if key not in ("unit_no", "const_no", "const_type")}
    given = [f"{key}={value!r}" for key, value in named.items() if value not in (None, False)]
    if row["bool_value"] is False:
        given.insert(0, "bool_value=False")
    return " ".join([f"{row['unit_no']}.{row['const_no']}", row["const_type"], *given])


def _argument(row: Row) -> str:
    keys = ("arg_int", "arg_double", "arg_str", "arg_str2", "arg_bool", "const_type")
    given = [f"{key}={row[key]!r}" for key in keys if row[key] is not None]
    cut = ["cut"] if row["is_cut"] else []
    return " ".join([row["opname"], row["arg_kind"], *given, *cut])


def _spans(found: list[Row], raw: bytes) -> list[str]:
    lines = []
    for row in found:
        text = [f"{row['unit_no']}.{row['instr_no']}", row["opname"]]
        if row["bstart"] is not None:
            place = f"{row['line']}:{row['col']}-{row['end_line']}:{row['end_col']}"
            text += [place, repr(raw[row["bstart"] : row["bend"]].decode())]
        lines.append(" ".join([*text, *(["starts"] if row["starts_line"] else [])]))
    return lines


def _line(row: Row) -> str:
    return f"{row['unit_no']} {row['start_offset']}..{row['end_offset']} line {row['line']}"


def test_the_widths_are_those_of_the_rows() -> None:
    assert {name: len(GIVEN[kind]) for name, kind in STRUCTS.items()} == WIDTHS


REFUSED = {
    "return 1": ("'return' outside function", 1, 0),
    "é = 'éé'; return 1": ("'return' outside function", 1, 10),
    "x = 1\nbreak": ("'break' outside loop", 2, 0),
    "def f():\n    nonlocal x": ("no binding for nonlocal 'x' found", 2, 4),
    "def f(a, a): pass": ("duplicate argument 'a' in function definition", 1, None),
    "await f()": ("'await' outside function", 1, 0),
    "def f():\n from m import *": ("import * only allowed at module level", 2, None),
}


@pytest.mark.parametrize("text", REFUSED)
def test_what_the_compiler_refuses_is_a_failure_with_a_place(text: str) -> None:
    found = extract(text.encode())[0]
    assert isinstance(found, ParseFailure)
    message, line, column = REFUSED[text]
    assert (found.error_type, found.message, found.line) == ("SyntaxError", message, line)
    assert column is None or found.column == column


def test_code_that_is_too_deep_is_a_failure_or_evidence() -> None:
    found = set()
    for count in (900, 1500, 3000):
        shapes = ("a" + "+a" * count, "x" + ".y" * count, "if a: b\n" + "elif a: b\n" * count)
        for text in shapes:
            with contextlib.suppress(RecursionError, MemoryError):  # of the parser
                result = extract(text.encode())[0]
                name = "error_type" if isinstance(result, ParseFailure) else "__class__"
                found.add(str(getattr(result, name)))
    assert found <= {"RecursionError", "MemoryError", str(Bytecode)}
    assert str(Bytecode) in found


def test_what_exhausts_the_compiler_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    from codelake.extract.bytecode import bytecode as module

    for kind in (RecursionError, MemoryError, ValueError, SystemError, OverflowError):

        def refuse(*arguments: Any, kind: type[Exception] = kind, **options: Any) -> None:
            raise kind

        monkeypatch.setattr(module, "compile", refuse, raising=False)
        found = extract(b"x = 1")[0]
        assert isinstance(found, ParseFailure)
        assert found.error_type == kind.__name__


LONG = {
    "statements": "x = f(a, b)\n",
    "branches": "if a: b\n",
    "tries": "try: a\nexcept B as e: c\n",
    "values": "x = a or b\n",
    "loops": "for x in y:\n    try: a\n    finally: b\n",
}


@pytest.mark.parametrize("name", LONG)
def test_long_code_is_linear(name: str) -> None:
    def seconds(count: int) -> float:
        source = decode((LONG[name] * count).encode())
        assert isinstance(source, SourceText)
        tree, spans = ast.parse(source.text), SpanMap(source)
        nodes = syntax_tree(tree, source.raw, spans, "m", 1).nodes
        assert isinstance(bytecode(tree, spans, nodes), Bytecode)
        return cpu_seconds(partial(bytecode, tree, spans, nodes))

    assert seconds(200 * 8) < 8 * 4 * max(
        seconds(200), 0.01
    )  # a quadratic algorithm takes 64 times as long


def test_long_expressions_have_evidence() -> None:
    many = "a, " * 10_000
    values = ("or ".join(["a "] * 10_000), "< ".join(["a "] * 3_000))
    for text in (f"x = [{many}]", f"f({many})", "a." * 500 + "b", *values):
        found, _, _ = extract(text.encode())
        assert isinstance(found, Bytecode)
        assert not found.failures


def test_a_contradiction_costs_the_stack_of_one_unit(monkeypatch: pytest.MonkeyPatch) -> None:
    from codelake.extract.bytecode import bytecode as module

    simulate = module.stack_simulation
    seen = []

    def broken(*arguments: Any) -> Any:
        seen.append(arguments)
        if len(seen) == 2:
            raise StackError("instruction 1 has depth 1 and 2")
        return simulate(*arguments)

    monkeypatch.setattr(module, "stack_simulation", broken)
    found, _, _ = extract(b"def f(): return g()\nx = f()\n")
    assert isinstance(found, Bytecode)
    (failure,) = found.failures
    assert failure.message == "f: instruction 1 has depth 1 and 2"
    assert set(found.stack_uses[0]) == {0}
    depths = list(zip(found.instructions[0], found.instructions[-1], strict=True))
    assert all((unit == 1) == (depth is None) for unit, depth in depths)


def test_surrogates_and_huge_values_fit_in_arrow() -> None:
    text = f"a = '\\ud800x'\nb = 0x{'f' * 5000}\nc = '{'é' * 300}'\nd = 0x{2**63:x}\ne = -2**63\n"
    found = {
        row["str_value"] or row["int_value"]: row for row in evidence(text.encode())["constants"]
    }
    assert not found["\\ud800x"]["is_cut"]
    huge = found["0x" + "f" * 254]
    assert (huge["int_value"], huge["is_cut"]) == (None, True)
    assert found["é" * 256]["is_cut"]
    assert found[-(2**63)]["const_type"] == "int"
    assert found[str(2**63)]["int_value"] is None


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "latin-1", "utf-16"])
def test_spans_are_raw_bytes_in_every_encoding(encoding: str) -> None:
    cookie = {"latin-1": "# coding: latin-1\n", "utf-16": ""}.get(encoding, "")
    text = f"{cookie}é = 'ü' + naïve(ß)\r\nx = é\r"
    if encoding == "utf-16":  # Python reads no such file: a control that must not decode
        assert not isinstance(decode(text.encode(encoding)), SourceText)
        return
    raw = text.encode(encoding)
    named = [
        (row["arg_str"], raw[row["bstart"] : row["bend"]].decode(encoding))
        for row in evidence(raw)["instructions"]
        if row["opname"].endswith("_NAME")
    ]
    assert named == [(name, name) for name in ("naïve", "ß", "é", "é", "x")]
