"""Symbol table evidence against CPython's compiler: opcodes at exact positions, code objects.

Two witnesses. The compiler's first output (`_testinternalcapi.compiler_codegen`, 3.13) still holds
dead code and has no superinstructions, so there every evaluated name must have an instruction of
its family at its place, and the names of one scope must be in one instruction sequence. The
finished code objects (`compile`, `dis`) have names: parameters, cells, free variables, mangling.
Nothing is executed.
"""

from __future__ import annotations

import ast
import dis
import sys
import sysconfig
import types
import warnings
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cases import Case, load_cases
from codelake.extract.parse import ParseFailure
from conftest import Figures
from test_symbol_table import EACH, File, Row, compare_paths, compare_with_symtable, extract

codegen = pytest.importorskip("_testinternalcapi").compiler_codegen
STDLIB = Path(sysconfig.get_path("stdlib"))
SAMPLE = ["ast.py", "dataclasses.py", "typing.py", "enum.py", "functools.py", "test/test_scope.py"]
SAMPLE += ["test/test_type_params.py", "test/test_listcomps.py", "test/test_named_expressions.py"]
SAMPLE += ["test/test_patma.py", "test/test_super.py", "test/test_type_aliases.py"]

type Span = tuple[int, int, int, int]  # line, end line, UTF-8 columns
type Op = tuple[str, int, int]  # opcode, operand, number of the instruction sequence

ACTION = {"load": "LOAD", "store": "STORE", "del": "DELETE", "definition": "STORE"}
ACTION |= {"import": "STORE", "parameter": "STORE"}
NAMELESS = {"LOAD_FAST_AND_CLEAR", "STORE_FAST_MAYBE_NULL", "LOAD_CLOSURE", "MAKE_CELL"}
FAMILIES = {"FAST", "FAST_CHECK", "DEREF", "GLOBAL", "NAME"}
FAMILIES |= {"FROM_DICT_OR_DEREF", "FROM_DICT_OR_GLOBALS"}


def family(opname: str) -> tuple[str, str] | None:
    """Split LOAD_FAST into LOAD and FAST; None for what reads or writes no variable."""
    action, _, rest = opname.partition("_")
    if action not in ("LOAD", "STORE", "DELETE") or rest not in FAMILIES:
        return None
    return action, rest.removesuffix("_CHECK")


def sequences(code: Any) -> Iterator[tuple[int, Any]]:
    """Number the instruction sequences of a module, outer ones first."""
    todo, number = [code], 0
    while todo:
        found = todo.pop()
        yield number, found
        todo += found.get_nested()
        number += 1


class Checker:
    """Checks the names of one file against the compiler's instructions."""

    def __init__(self, file: File) -> None:
        self.file = file
        self.symbols = {(row["scope_no"], row["name"]): row for row in file.symbols}
        self.checked = self.spoiled = 0
        self.ops: dict[Span, list[Op]] = defaultdict(list)
        self.sequences_of: dict[int, set[int]] = {}
        self.frame_of: dict[int, int] = {}
        self.operands: dict[tuple[int, str, int], str] = {}
        self.patterns = {
            id(inner): case.pattern
            for node in file.syntax
            if isinstance(node, ast.match_case)
            for case in [node]
            for inner in ast.walk(case.pattern)
        }
        self.aliases = {
            id(node.name): node for node in file.syntax if isinstance(node, ast.TypeAlias)
        }
        self.imports = {
            id(alias): node
            for node in file.syntax
            if isinstance(node, ast.Import | ast.ImportFrom)
            for alias in node.names
        }

    def frame(self, number: int) -> int:
        """Return the scope whose code object runs the code of a scope."""
        while self.file.scopes[number]["is_inlined"]:
            number = self.file.scopes[number]["parent_scope_no"]
        return number

    def sees_class(self, number: int) -> bool:
        """Tell whether a scope looks into the class around it first."""
        return (number, "__classdict__") in self.symbols

    def expected(self, row: Row) -> str:
        """Return the family of instructions that a resolution stands for."""
        scopes, scope, resolution = self.file.scopes, row["scope_no"], row["resolution"]
        frame = self.frame(scope)
        kind, is_load = scopes[frame]["kind"], row["context"] == "load"
        merged = frame != scope
        if resolution == "local":
            return "FAST"
        if resolution == "cell":
            return "FROM_DICT_OR_DEREF" if is_load and self.sees_class(frame) else "DEREF"
        if resolution == "class":
            return "NAME" if frame == row["binding_scope_no"] else "FROM_DICT_OR_GLOBALS"
        if resolution == "free":
            owner = row["binding_scope_no"]
            if merged and self.frame(owner) == frame and scopes[owner]["kind"] != "class":
                owned = self.symbols[owner, row["symbol"]]["resolution"]
                return "FAST" if owned == "local" else "DEREF"
            in_class = kind == "class" and not merged
            return (
                "FROM_DICT_OR_DEREF"
                if is_load and (in_class or self.sees_class(frame))
                else "DEREF"
            )
        if self.symbols[scope, row["symbol"]]["resolution"] == "global_explicit":
            return "GLOBAL"
        if self.sees_class(frame):
            return "FROM_DICT_OR_GLOBALS"
        return (
            "GLOBAL" if kind not in ("module", "class") or (kind == "class" and merged) else "NAME"
        )

    def place(self, node: Any) -> Any:
        """Return the node whose position the compiler gives to the binding of a name."""
        if isinstance(node, ast.alias):
            return self.imports[id(node)]
        if id(node) in self.aliases:
            return self.aliases[id(node)]
        return self.patterns.get(id(node), node) if isinstance(node, ast.pattern) else node

    def run(self) -> int:
        """Check every evaluated name; return how many."""
        instructions, _ = codegen(self.file.tree, "m.py", 0)
        for number, found in sequences(instructions):
            for opcode, operand, line, end_line, col, end_col in found.get_instructions():
                if family(dis.opname[opcode]):
                    span = line, end_line, col, end_col
                    self.ops[span].append((dis.opname[opcode], operand, number))
        for row in self.file.names:
            node = self.file.by_no[row["node_no"]]
            silent = isinstance(node, ast.arg) or row["context"] == "declare"
            if row["name"] == "__debug__" or silent:
                continue
            place = row["scope_no"], row["symbol"], row["binding_scope_no"]
            if row["resolution"] == "free" and self.file.is_spoiled(*place):
                self.spoiled += 1
            else:
                self.check(row, node)
        return self.checked

    def check(self, row: Row, node: Any) -> None:
        place = self.place(node)
        span = place.lineno, place.end_lineno, place.col_offset, place.end_col_offset
        found = self.ops.get(span, [])
        if not row["is_evaluated"]:
            assert not (isinstance(node, ast.Name) and found), (row, found)
            return
        assert (row["scope_no"], row["symbol"]) in self.symbols
        action, expected = ACTION[row["context"]], self.expected(row)
        mine = [op for op in found if family(op[0]) == (action, expected)]
        assert mine, (row, action, expected, found)
        if isinstance(node, ast.Name) and node.id != "super":
            families = {family(op[0]) for op in found}
            usual = {(action, expected)}
            if row["context"] == "store":  # an augmented assignment loads first
                loads = self.expected({**row, "context": "load"})
                usual.add(("LOAD", loads))
            if expected.startswith("FROM_DICT") and self.sees_class(row["scope_no"]):
                usual.add(("LOAD", "DEREF"))  # of __classdict__
            assert families <= usual, (row, families)
            self.same_code(row, mine)
        self.checked += 1

    def same_code(self, row: Row, mine: list[Op]) -> None:
        """One scope, the same instruction sequences; one operand, one symbol."""
        frame = self.frame(row["scope_no"])
        every = {sequence for _, _, sequence in mine}  # a scope in `finally` is compiled twice
        assert self.sequences_of.setdefault(frame, every) == every, row
        for opname, operand, sequence in mine:
            assert self.frame_of.setdefault(sequence, frame) == frame, row
            table = family(opname)[1]  # type: ignore[index]
            key = sequence, {"NAME": "GLOBAL"}.get(table, table), operand
            key = (*key[:2], operand >> 1) if opname == "LOAD_GLOBAL" else key
            assert self.operands.setdefault(key, row["symbol"]) == row["symbol"], row


def codes(code: types.CodeType) -> Iterator[types.CodeType]:
    todo = [code]
    while todo:
        found = todo.pop()
        yield found
        todo += [item for item in found.co_consts if isinstance(item, types.CodeType)]


def code_name(row: Row) -> str:
    return (
        f"<generic parameters of {row['name']}>"
        if row["kind"] == "type_parameters"
        else row["name"]
    )


def check_code_objects(file: File, code: types.CodeType) -> int:
    """Compare variables of code objects with the scopes; dead code has no code object."""
    symbols: dict[int, dict[str, Row]] = defaultdict(dict)
    for row in file.symbols:
        symbols[row["scope_no"]][row["name"]] = row
    merged: dict[int, list[int]] = {number: [number] for number in range(len(file.scopes))}
    for number, scope in reversed(list(enumerate(file.scopes))):
        if scope["is_inlined"]:
            merged[scope["parent_scope_no"]] += merged[number]
    expected: Counter[Any] = Counter()
    known: dict[Any, list[tuple[set[str], set[str], set[str]]]] = defaultdict(list)
    for number, scope in enumerate(file.scopes):
        if scope["is_inlined"] or scope["is_text"]:
            continue
        mine, node = list(symbols[number].values()), file.by_no[scope["node_no"]]
        everything = [row for inner in merged[number] for row in symbols[inner].values()]
        decorators = getattr(node, "decorator_list", []) if scope["kind"] in DECORATED else []
        first = min([scope["line"], *(item.lineno for item in decorators)])
        needed = {
            row["name"] for row in mine if row["resolution"] == "free" or row["is_free_class"]
        }
        cells = {row["name"] for row in everything if row["resolution"] == "cell"} - CLASS_CELLS
        parameters = tuple(row["name"] for row in mine if row["is_parameter"])
        if scope["kind"] == "type_parameters":  # they get their defaults when there are some
            parameters = ()
        key = code_name(scope), first, parameters, frozenset(needed)
        expected[key] += 1
        slots = {row["name"] for row in mine if row["resolution"] in ("local", "cell")}
        # an inlined comprehension saves what its frame has in the slots of its names
        slots |= {row["name"] for row in everything if row["scope_no"] != number}
        shared = {row["name"] for row in mine if row["is_comp_cell"]}  # may be free here, too
        known[key].append((slots, cells, shared))
    found: Counter[Any] = Counter()
    for item in codes(code):
        count = item.co_argcount + item.co_kwonlyargcount
        count += bool(item.co_flags & 4) + bool(item.co_flags & 8)
        count = 0 if item.co_name.startswith("<generic") else count
        cells = set(item.co_cellvars) - CLASS_CELLS
        key = (
            item.co_name,
            item.co_firstlineno,
            item.co_varnames[:count],
            frozenset(item.co_freevars),
        )
        found[key] += 1
        assert any(
            set(item.co_varnames) <= slots and mine <= cells <= mine | shared
            for slots, mine, shared in known[key]
        ), (item, key, known[key])
    assert found <= expected, found - expected
    return found.total()


CLASS_CELLS = {"__class__", "__classdict__"}  # no symbols of the class that provides them
DECORATED = ("function", "class", "type_parameters")


def check_names_of_code(file: File, code: types.CodeType) -> int:
    """Compare the names of finished instructions with the symbols at their positions."""
    named: dict[Span, set[str]] = defaultdict(set)
    for item in codes(code):
        for op in dis.get_instructions(item):
            place = op.positions
            if place is None or not family(op.opname) or not isinstance(op.argval, str):
                continue
            span = place.lineno, place.end_lineno, place.col_offset, place.end_col_offset
            named[span].add(op.argval)  # type: ignore[index]
    compared = 0
    caught = {row["symbol"] for row in file.names if is_handler(file.by_no[row["node_no"]])}
    for row in file.names:
        node = file.by_no[row["node_no"]]
        if isinstance(node, ast.Name) and node.id not in ("super", "__debug__"):
            span = node.lineno, node.end_lineno, node.col_offset, node.end_col_offset
            found = named.get(span, set())  # type: ignore[arg-type]
            # what ends an except clause has no place and inherits that of the instruction before
            assert row["symbol"] in found or found <= caught, (row, found)
            compared += row["symbol"] in found
    return compared


def is_handler(node: ast.AST) -> bool:
    return isinstance(node, ast.ExceptHandler)


def check_file(raw: bytes, file: str) -> Counter[str]:
    """Run every oracle on a file that CPython compiles."""
    total: Counter[str] = Counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found = extract(raw, file)
        except (SyntaxError, ValueError):
            return total + Counter(unparsed=1)
        try:
            code = compile(raw, "m.py", "exec", dont_inherit=True, optimize=0)
        except (SyntaxError, SystemError):
            return total + Counter(uncompiled=1)
        assert isinstance(found, File)
        total["files"] = 1
        total["scopes"] = len(found.scopes)
        total["names"] = len(found.names)
        total["symbols"] = compare_with_symtable(found)
        total["paths"] = compare_paths(found)
        total["code objects"] = check_code_objects(found, code)
        total["names in dis"] = check_names_of_code(found, code)
        if sys.version_info >= (3, 13):
            checker = Checker(found)
            total["names in codegen"] = checker.run()
            total["spoiled names"] = checker.spoiled
    return total


@EACH
def test_case_against_the_compiler(case: Case) -> None:
    total = check_file(case.source.encode(), case.name)
    assert ("errors" in case.sections) == bool(total["uncompiled"])


def test_errors_are_those_of_the_compiler() -> None:
    for case in load_cases("symbol_table"):
        if "errors" in case.sections:
            failure = extract(case.source.encode())
            assert isinstance(failure, ParseFailure)
            with pytest.raises(SyntaxError) as refused:
                compile(case.source, "m.py", "exec", dont_inherit=True)
            assert (refused.value.msg, refused.value.lineno) == (failure.message, failure.line)


@pytest.mark.parametrize("name", SAMPLE)
def test_module_against_the_compiler(name: str) -> None:
    total = check_file((STDLIB / name).read_bytes(), name)
    assert total["names in dis"] > 100


@pytest.mark.prove
def test_standard_library_against_the_compiler(figures: Figures) -> None:
    total: Counter[str] = Counter()
    for path in sorted(STDLIB.rglob("*.py")):
        if "site-packages" not in path.parts:
            total += check_file(path.read_bytes(), str(path))
    figures(str(dict(total)))
    assert total["files"] > 1500
    assert total["uncompiled"] + total["unparsed"] < 30
