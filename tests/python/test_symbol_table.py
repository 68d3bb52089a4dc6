"""Symbol table evidence: text cases, invariants on every one, the flags of `symtable` itself."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import symtable
import sys
import warnings
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pytest

from cases import Case, check, load_cases, parametrize
from codelake.evidence import structs
from codelake.evidence.spans import SpanMap
from codelake.evidence.structs import GIVEN
from codelake.extract.parse import ParseFailure
from codelake.extract.symbols.name_resolution import Bindings
from codelake.extract.symbols.scope_map import scope_map
from codelake.extract.symbols.scopes import (
    COMPREHENSION_KINDS,
    DEF_COMP_CELL,
    DEF_COMP_ITER,
    DEF_TYPE_PARAM,
    INLINED_KINDS,
    OFFSET,
    Scope,
    ScopeMapError,
    read_table,
)
from codelake.extract.symbols.symbol_table import SymbolTable, symbol_table
from codelake.extract.syntax.syntax_tree import SyntaxTree, syntax_tree
from codelake.sources.decode import SourceText, decode

type Row = dict[str, Any]

SYNTAX, NAME, LINE, COL = 1, 2, 15, 17  # columns of AST_NODE
DEF_PATH = 4  # column of AST_DEF
BINDERS = {"store", "parameter", "import", "definition"}


@dataclass
class File:
    """A file with its evidence as rows."""

    text: str
    tree: ast.Module
    nodes: SyntaxTree
    scopes: list[Row]
    symbols: list[Row]
    names: list[Row]

    @cached_property
    def hidden_parents(self) -> set[int]:
        """Scopes around those that CPython's table does not list."""
        hidden = [row for row in self.scopes if row["is_inlined"] or row["is_text"]]
        return {row["parent_scope_no"] for row in hidden}

    @cached_property
    def leftovers(self) -> list[set[str]]:
        """Iteration variables that inlined comprehensions leave in each scope."""
        own: list[set[str]] = [set() for _ in self.scopes]
        bound: list[set[str]] = [set() for _ in self.scopes]
        left: list[set[str]] = [set() for _ in self.scopes]
        for row in self.symbols:
            if not row["is_inlined"]:
                own[row["scope_no"]].add(row["name"])
                if row["is_comp_iter"]:
                    bound[row["scope_no"]].add(row["name"])
        for number, scope in reversed(list(enumerate(self.scopes))):
            left[number] -= own[number]
            if scope["is_inlined"]:
                left[scope["parent_scope_no"]] |= bound[number] | left[number]
        return left

    def is_spoiled(self, number: int, symbol: str, owner: int | None) -> bool:
        """Tell whether CPython takes a leftover between a name and its owner for the owner.

        A fault of 3.12 and 3.13: they fail at run time where 3.11 finds the variable.
        """
        around = self.scopes[number]["parent_scope_no"]
        while around not in (None, owner):
            if symbol in self.leftovers[around]:
                return True
            around = self.scopes[around]["parent_scope_no"]
        return False

    @cached_property
    def syntax(self) -> list[ast.AST]:
        """Every node of Python's tree."""
        return list(ast.walk(self.tree))

    @cached_property
    def by_no(self) -> dict[int, Any]:
        """Nodes by their row."""
        return {node.no: node for node in self.syntax if hasattr(node, "no")}


def numbered(raw: bytes) -> tuple[SourceText, ast.Module, SyntaxTree]:
    source = decode(raw)
    if not isinstance(source, SourceText):
        raise SyntaxError(source.message)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree = ast.parse(source.text)
    return source, tree, syntax_tree(tree, source.raw, SpanMap(source), "m", 1)


def extract(raw: bytes, file: str = "m.py") -> File | ParseFailure:
    """Extract a file and check the invariants."""
    source, tree, nodes = numbered(raw)
    found = symbol_table(source.text, tree, file)
    if isinstance(found, ParseFailure):
        return found
    rows = File(source.text, tree, nodes, *_rows(found))
    check_invariants(rows)
    return rows


def _rows(table: SymbolTable) -> Iterator[list[Row]]:
    scope = GIVEN[structs.SYMTABLE_SCOPE][1:]  # the id is made later
    symbol, name = GIVEN[structs.SYMTABLE_SYMBOL], GIVEN[structs.SYMTABLE_NAME]
    for fields, columns in (scope, table.scopes), (symbol, table.symbols), (name, table.names):
        yield [dict(zip(fields, row, strict=True)) for row in zip(*columns, strict=True)]


NEW = pytest.mark.skipif(sys.version_info < (3, 13), reason="cases of CPython 3.13")


def cases() -> list[Case]:
    newer = load_cases("symbol_table_3_13") if sys.version_info >= (3, 13) else []
    return load_cases("symbol_table") + newer


EACH = pytest.mark.parametrize("case", cases(), ids=lambda case: case.name)


@parametrize("symbol_table")
def test_case(case: Case) -> None:
    check_case(case)


@NEW
@parametrize("symbol_table_3_13")
def test_case_of_3_13(case: Case) -> None:
    check_case(case)


def check_case(case: Case) -> None:
    found = extract(case.source.encode())
    if isinstance(found, ParseFailure):
        check(case, {"errors": lambda: [_error(found)]})
    else:
        sections = {
            "scopes": lambda: [_scope(found, number) for number in range(len(found.scopes))],
            "symbols": lambda: [_symbol(row) for row in found.symbols],
            "names": lambda: [_name(found, row) for row in found.names],
        }
        check(case, sections)


def check_invariants(file: File) -> None:
    """Parents first, unique paths and symbols, every name has its symbol, owners bind."""
    scopes, symbols = file.scopes, {(row["scope_no"], row["name"]): row for row in file.symbols}
    assert len(symbols) == len(file.symbols)
    assert len({scope["scope_path"] for scope in scopes}) == len(scopes)
    assert [scope["parent_scope_no"] is None for scope in scopes] == [True] + [False] * (
        len(scopes) - 1
    )
    for number, scope in enumerate(scopes[1:], 1):
        assert scope["parent_scope_no"] < number
        assert scopes[scope["parent_scope_no"]]["has_children"]
        assert scope["line"] == file.nodes.nodes[LINE][scope["node_no"]]
    check_occurrences(file, symbols)
    check_completeness(file)
    for row in file.symbols:
        owner = row["binding_scope_no"]
        if row["resolution"] in ("local", "cell"):
            assert owner == row["scope_no"]
        elif row["resolution"] == "free":
            owned = symbols.get((owner, row["name"]))
            implicit = scopes[owner]["kind"] == "class" and row["name"].startswith("__class")
            assert implicit or (owned is not None and owned["resolution"] in ("local", "cell"))
            scope = scopes[row["scope_no"]]
            captures = not (row["is_inlined"] or scope["is_inlined"] or scope["is_text"])
            captures = captures and not file.is_spoiled(row["scope_no"], row["name"], owner)
            assert implicit or not captures or owned["resolution"] == "cell"
        else:
            assert owner in (None, 0) or scopes[owner]["kind"] == "class"


def check_occurrences(file: File, symbols: dict[tuple[int, str], Row]) -> None:
    """Nodes in order, names as in the tree, a symbol with the right flags for each."""
    order = [row["node_no"] for row in file.names]
    assert order == sorted(order)
    for row in file.names:
        node_no, name = row["node_no"], row["name"]
        syntax, text = file.nodes.nodes[SYNTAX][node_no], file.nodes.nodes[NAME][node_no]
        assert syntax in ("Global", "Nonlocal", "alias", "MatchMapping") or text == name
        symbol = symbols.get((row["scope_no"], row["symbol"]))
        if symbol is None:
            assert not row["is_evaluated"]
            continue
        if row["is_evaluated"]:
            assert symbol[FLAG_OF[row["context"]]] or row["context"] in ("declare", "parameter")
            assert not symbol["is_inlined"]
        if row["context"] == "parameter":
            assert symbol["is_parameter"] or symbol["is_type_parameter"]
        if row["resolution"] in ("local", "cell", "free"):
            assert symbol["resolution"] == row["resolution"]
        if row["context"] in BINDERS and row["is_evaluated"]:
            assert row["binding_scope_no"] is not None
        assert (row["resolution"] == "builtin") <= (row["binding_scope_no"] is None)


def check_completeness(file: File) -> None:
    """Every flag of a symbol comes from a name that occurs, or from a known implicit source."""
    seen: dict[tuple[int, str], set[str]] = defaultdict(set)
    in_text = "annotations" in {row["name"] for row in file.names if row["context"] == "import"}
    for row in file.names:
        number, symbol, context = row["scope_no"], row["symbol"], row["context"]
        if not row["is_evaluated"] and (in_text or context == "declare"):
            continue
        if context == "declare":
            syntax = file.nodes.nodes[SYNTAX][row["node_no"]]
            context = "store" if syntax == "Name" else "declare"
        seen[number, symbol].add(context)
        in_function = file.scopes[number]["kind"] not in ("module", "class")
        if row["name"] == "super" and context == "load" and in_function:
            seen[number, "__class__"].add("load")
        if context == "store" and row["resolution"] in ("free", "global"):
            # `:=` in a comprehension binds in the function around
            while file.scopes[number]["kind"] in COMPREHENSION_KINDS:
                number = file.scopes[number]["parent_scope_no"]
            if number:
                seen[number, symbol].add("store")
    for row in file.symbols:
        contexts = seen.get((row["scope_no"], row["name"]), set())
        scope = file.scopes[row["scope_no"]]
        if scope["is_text"] or row["name"] in IMPLICIT:
            continue
        if row["is_inlined"]:
            assert not contexts and row["scope_no"] in file.hidden_parents, row
            continue
        is_type_parameter = row["is_type_parameter"]
        assert row["is_referenced"] == ("load" in contexts), row
        assert row["is_imported"] == ("import" in contexts), row
        assert (row["is_parameter"] or is_type_parameter) == ("parameter" in contexts), row
        binds = bool(contexts & {"store", "del", "definition"}) or is_type_parameter
        assert row["is_assigned"] == binds, row


IMPLICIT = {".0", ".defaults", ".kwdefaults", ".type_params", ".generic_base"}
IMPLICIT |= {"__classdict__", "__type_params__"}
FLAG_OF = {
    "load": "is_referenced",
    "store": "is_assigned",
    "del": "is_assigned",
    "definition": "is_assigned",
    "import": "is_imported",
    "parameter": "is_parameter",
    "declare": "is_assigned",
}


def analysed(file: File) -> list[Scope]:
    """Return the scopes with CPython's own entries."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scopes, names = scope_map(read_table(file.text, "m.py"), file.tree, "m.py")
    Bindings(scopes, names, "m.py")
    return scopes


METHODS = {  # names of the public methods of symtable.Symbol
    "is_referenced": "is_referenced",
    "is_imported": "is_imported",
    "is_parameter": "is_parameter",
    "is_global": "is_global",
    "is_nonlocal": "is_nonlocal",
    "is_declared_global": "is_declared_global",
    "is_local": "is_local",
    "is_annotated": "is_annotated",
    "is_free": "is_free",
    "is_assigned": "is_assigned",
}
PARTS = ("parameters", "locals", "globals", "nonlocals", "frees")


def compare_with_symtable(file: File) -> int:
    """Compare every field with the public classes of `symtable`; return how many symbols."""
    compared = 0
    by_scope: dict[int, dict[str, Row]] = {number: {} for number in range(len(file.scopes))}
    for row in file.symbols:
        by_scope[row["scope_no"]][row["name"]] = row
    for scope in analysed(file):
        row, rows = file.scopes[scope.number], by_scope[scope.number]
        if scope.entry is None:
            assert row["is_text"] or (row["is_inlined"] and scope.kind in INLINED_KINDS)
            continue
        table = symtable._newSymbolTable(scope.entry, "m.py")
        compare_scopes(file, scope, table)
        assert set(rows) == set(table.get_identifiers())
        for name, mine in rows.items():
            # a function called `top` is not a module, though symtable takes it for one
            flags, is_module = scope.entry.symbols[name], scope.kind == "module"
            theirs = symtable.Symbol(name, flags, (), module_scope=is_module)
            for field, method in METHODS.items():
                assert mine[field] == getattr(theirs, method)(), (row["scope_path"], name, field)
            compare_namespaces(file, scope, table, mine)
            compared += 1
    return compared


def compare_scopes(file: File, scope: Scope, table: symtable.SymbolTable) -> None:
    row = file.scopes[scope.number]
    hidden = scope.number in file.hidden_parents
    assert row["is_nested"] == table.is_nested()
    assert row["is_optimized"] == table.is_optimized()
    assert row["line"] == (table.get_lineno() or 1)
    assert row["has_children"] == bool(table.has_children() or hidden)
    if isinstance(table, symtable.Function):
        for part in PARTS:
            theirs = getattr(table, f"get_{part}")()
            assert sorted(row[part]) == sorted(theirs)
            direct = [name for name in row[part] if scope.entry.symbols[name] % (1 << OFFSET)]
            assert [name for name in theirs if name in direct] == direct
    else:
        assert all(row[part] is None for part in PARTS)
    assert (row["methods"] is not None) == isinstance(table, symtable.Class)


def compare_namespaces(file: File, scope: Scope, table: symtable.SymbolTable, mine: Row) -> None:
    """Compare namespaces, but with mangled names, and without those of expressions."""
    named = [
        child
        for child in table._table.children  # type: ignore[attr-defined]
        if scope.symbol_name(child.name) == mine["name"]
        and child.name != "lambda"
        and ".0" not in child.varnames  # an expression
        and not (scope.kind == "type_parameters" and child.type != TYPE_VARIABLE)
    ]
    assert mine["is_namespace"] == bool(named) == bool(mine["namespaces"])
    lines = sorted(child.lineno for child in named)
    assert sorted(file.scopes[number]["line"] for number in mine["namespaces"]) == lines


TYPE_VARIABLE = next(
    child.type
    for child in read_table("type A[T: int] = T", "m.py").children[0].children
    if child.name == "T"
)


@EACH
def test_flags_are_those_of_symtable(case: Case) -> None:
    file = extract(case.source.encode())
    if isinstance(file, File):
        compare_with_symtable(file)


def test_unexported_flags() -> None:
    """Read the three flags that `_symtable` hides before 3.14 off small sources."""

    def low(entry: Any, name: str) -> int:
        return int(entry.symbols[name]) % (1 << OFFSET)

    (generic,) = read_table("def f[T](): pass", "m.py").children
    assert low(generic, "T") == DEF_TYPE_PARAM | symtable.DEF_LOCAL
    (generator,) = read_table("(x for x in y)", "m.py").children
    assert low(generator, "x") == DEF_COMP_ITER | symtable.DEF_LOCAL | symtable.USE
    (function,) = read_table("def f(x): [lambda: x for x in y]", "m.py").children
    assert low(function, "x") == DEF_COMP_CELL | symtable.DEF_PARAM
    assert symtable.SCOPE_OFF == OFFSET


@EACH
def test_paths_are_those_of_the_definitions(case: Case) -> None:
    file = extract(case.source.encode())
    if isinstance(file, File):
        compare_paths(file)


def compare_paths(file: File) -> int:
    """Compare scope_path with def_path for each definition; return how many."""
    kinds, paths = file.nodes.nodes[0], file.nodes.defs[DEF_PATH]
    starts = [no for no, kind in enumerate(kinds) if file.nodes.nodes[4][no] == 0]
    mine = {
        row["node_no"]: row["scope_path"]
        for row in file.scopes
        if row["kind"] in ("module", "class", "function", "lambda")
    }
    assert mine == dict(zip(starts, paths, strict=True))
    return len(mine)


def test_a_table_that_does_not_fit_is_a_fault() -> None:
    text = "def f(): pass\nlambda: 1\n"
    _, tree, _ = numbered(text.encode())
    for other in ("def g(): pass\n", "\ndef f(): pass\n", "class f: pass\n", "def f(): pass\n"):
        with pytest.raises(ScopeMapError, match=r"^m\.py:\d+: "):
            scope_map(read_table(other, "m.py"), tree, "m.py")
    with pytest.raises(ScopeMapError, match="was not found"):
        scope_map(read_table(text + "lambda: 2", "m.py"), tree, "m.py")


DEEP = {
    "sum": "x" + "+x" * 900,
    "attributes": "x" + ".y" * 900,
    "elif": "if a: b\n" + "elif a: b\n" * 700,
    "lambdas": "lambda: " * 90 + "x",
    "comprehensions": "[" * 60 + "x" + " for x in x]" * 60,
    "functions": "".join(" " * depth + f"def f{depth}(x{depth}):\n" for depth in range(90))
    + " " * 90
    + "return x0",
}


@pytest.mark.parametrize("name", DEEP)
def test_deep_nesting(name: str) -> None:
    assert isinstance(extract(DEEP[name].encode()), File)


@pytest.mark.parametrize("count", [6000, 100_000])
def test_what_the_parser_bears_is_a_table_or_a_reason(count: int) -> None:
    wide = extract(("x = [" + "y, " * count + "]").encode())
    assert isinstance(wide, File)
    assert len(wide.names) == count + 1
    try:
        long = extract(("z" + "+z" * (count // 2)).encode())
    except (RecursionError, MemoryError):  # of ast.parse, which parse.py reports
        return
    assert isinstance(long, File) or long.error_type in ("RecursionError", "MemoryError")


def test_every_kind_of_scope_has_a_case() -> None:
    found = set()
    for case in cases():
        file = extract(case.source.encode())
        found |= {row["kind"] for row in file.scopes} if isinstance(file, File) else set()
    kinds = {"module", "class", "function", "lambda"}
    kinds |= {"type_parameters", "type_alias", "type_variable"}
    assert found == kinds | COMPREHENSION_KINDS


def _scope(file: File, number: int) -> str:
    row = file.scopes[number]
    parts = [f"{number} {row['kind']} `{row['name']}`", repr(row["scope_path"])]
    parts += [f"in={row['parent_scope_no']}"] if row["parent_scope_no"] is not None else []
    parts += [f"{file.nodes.nodes[SYNTAX][row['node_no']]}:{row['line']}"]
    parts += [
        flag
        for flag in ("is_nested", "is_optimized", "has_children", "is_inlined", "is_text")
        if row[flag]
    ]
    parts += [f"{part}={','.join(row[part])}" for part in (*PARTS, "methods") if row[part]]
    return " ".join(parts)


def _symbol(row: Row) -> str:
    owner = "-" if row["binding_scope_no"] is None else row["binding_scope_no"]
    parts = [f"{row['scope_no']} {row['name']} {row['resolution']} {owner}"]
    parts += [name for name, value in row.items() if value is True]
    parts += [f"namespaces={row['namespaces']}"] if row["namespaces"] else []
    return " ".join(parts)


def _name(file: File, row: Row) -> str:
    node = row["node_no"]
    place = f"{file.nodes.nodes[LINE][node]}:{file.nodes.nodes[COL][node]}"
    owner = "-" if row["binding_scope_no"] is None else row["binding_scope_no"]
    stored = f" ({row['symbol']})" if row["symbol"] != row["name"] else ""
    text = f"{place} {row['context']} {row['name']}{stored} in {row['scope_no']}"
    skipped = "" if row["is_evaluated"] else " unevaluated"
    return f"{text}: {row['resolution']} {owner}{skipped}"


def _error(failure: ParseFailure) -> str:
    place = f"{failure.line}:{failure.column}-{failure.end_line}:{failure.end_column}"
    return f"{failure.error_type} {place} {failure.message}"


def test_equal_in_every_process() -> None:
    """Free variables of CPython come from sets of strings, whose order changes with the seed."""
    program = (
        "import sys; from test_symbol_table import extract; print(extract(sys.stdin.buffer.read()))"
    )
    names = ", ".join(f"v{number}" for number in range(40))
    source = f"def f({names}):\n class C:\n  def g(self): return [lambda: ({names})]\n"
    printed = set()
    for seed in ("1", "2"):
        paths = os.pathsep.join(path for path in sys.path if path)
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": paths}
        done = subprocess.run(
            [sys.executable, "-c", program],
            input=source.encode(),
            env=environment,
            capture_output=True,
            check=True,
        )
        printed.add(re.sub(rb" at 0x\w+", b"", done.stdout))
    assert len(printed) == 1
