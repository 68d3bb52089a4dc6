"""Views of the evidence on a real lake: each can be read, keeps its key, and meets the tree."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from itertools import batched
from pathlib import Path
from typing import Any

import msgspec
import pytest
from deltalake import DeltaTable, Field, write_deltalake
from deltalake.schema import PrimitiveType

from codelake.compile.program import read_program
from codelake.extract.scip.scip_schema import message
from codelake.extract.versions import ALL_LAYERS
from codelake.run.manifest import last_complete, write_manifest
from codelake.run.query import run_query
from codelake.run.write_plan import CONTRACT
from conftest import REPOS, ROOT, built, rows
from test_scip_index import document, index, occurrence

pytestmark = pytest.mark.spark

BROKEN = """\
import os
from . import pricing


class Half:
    def whole(self, x):
        return os.path.join(x)

    def broken(self
        return pricing.total(
"""
FLOW = """\
import asyncio  # noqa: F401


@asyncio.coroutine
def first(values: list, wanted=None) -> int:
    'Return the first number.'
    for value in values:
        if value is wanted or not value:
            continue
        try:
            return int(value)
        except (TypeError, ValueError) as error:
            print(f"{value!r}: {error}")
        finally:
            values.append(1)
    else:
        return [v for v in values if v]


double = lambda x: x * 2
total = sum(n for n in first([1, 2]) if n)


def apply(task):
    return task()


def counter(start):
    def step():
        nonlocal start
        if start is None:
            raise ValueError("no start")
        start += 1
        yield start

    return step
"""


SHAPES = """\
from pkg import sides


class Shape:
    def __init__(self, edges):
        self.edges = edges

    def count(self):
        return self.edges


class Square(Shape):
    def name(self):
        return sides.word(self)
"""
SIDES = """\
from pkg import shapes


def word(shape):
    return shapes.Shape, shape
    print("never")
"""


SYMBOL = "scip-python python pkg 0 `pkg.flow`/first()."


def scip_index() -> bytes:
    """Return an index of flow.py with something in every table."""
    lines = FLOW.splitlines()
    line = lines.index("def first(values: list, wanted=None) -> int:")
    use = lines.index("total = sum(n for n in first([1, 2]) if n)")
    start = lines[use].index("first")
    unused = message("Diagnostic")(severity=2, message="unused", source="pyright", tags=[1])
    other = message("Relationship")(symbol=SYMBOL.replace("first", "other"), is_implementation=True)
    told = message("SymbolInformation")(symbol=SYMBOL, relationships=[other])
    places = [
        occurrence([line, 4, 9], SYMBOL, 1, diagnostics=[unused]),
        occurrence([use, start, start + 5], SYMBOL),
        occurrence([9999, 0, 1]),
    ]
    return index(document("pkg/flow.py", occurrences=places, symbols=[told]), document("gone.py"))


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("views")
    repo = folder / "repo"
    (repo / "pkg").mkdir(parents=True)
    (repo / "pkg" / "__init__.py").write_text("")
    (repo / "pkg" / "broken.py").write_text(BROKEN)
    (repo / "pkg" / "flow.py").write_text(FLOW)
    (repo / "pkg" / "shapes.py").write_text(SHAPES)
    (repo / "pkg" / "sides.py").write_text(SIDES)
    (repo / "pyproject.toml").write_text('[project]\nname = "pkg"\ndependencies = ["six>=1"]\n')
    (folder / "index.scip").write_bytes(scip_index())
    with_all = {"extractors": ["bytecode", "cst"], "scip": [folder / "index.scip"]}
    with_all["layers"] = [*ALL_LAYERS]
    built([repo], folder / "lake", **with_all)
    return folder / "lake"


@pytest.fixture
def ask(lake: Path) -> Callable[[str], list[tuple[Any, ...]]]:
    return lambda sql: list(run_query(sql, lake)[1])


def test_every_dataset_keeps_its_key(ask: Callable[[str], list[tuple[Any, ...]]]) -> None:
    counted = "select '{0}', count(*), count(distinct struct({1})) from {0}"
    datasets = read_program(ROOT).datasets
    queries = [counted.format(d.name, ", ".join(d.key)) for d in datasets]
    # one plan of all datasets takes Spark longer than several of some
    found = [row for some in batched(queries, 15) for row in ask(" union all ".join(some))]
    assert len(found) == len(datasets)
    assert [row for row in found if row[1] != row[2]] == []
    empty = {name for name, count, _ in found if count == 0}
    # a check without rows is a kept promise, and no token is missing in BROKEN but a bracket
    assert {name for name in empty if not name.startswith("chk_")} <= {"ts_missing"}


NODES = "select node_id from ast_nodes"
ENDS = "select entry_id from flow_units union all select exit_id from flow_units"
REFERENCES = [
    ("symtable_scopes", "node_id", NODES),
    ("symtable_symbols", "scope_id", "select scope_id from symtable_scopes"),
    ("symtable_names", "node_id", NODES),
    ("symtable_names", "scope_id", "select scope_id from symtable_scopes"),
    ("symtable_names", "binding_scope_id", "select scope_id from symtable_scopes"),
    ("flow_units", "unit_id", NODES),
    ("flow_blocks", "unit_id", "select unit_id from flow_units"),
    ("flow_blocks", "first_node_id", f"{NODES} union all {ENDS}"),
    ("flow_cfg_edges", "src_node_id", f"{NODES} union all {ENDS}"),
    ("flow_cfg_edges", "dst_node_id", f"{NODES} union all {ENDS}"),
    ("flow_control_dependences", "src_node_id", NODES),
    ("flow_control_dependences", "dst_node_id", NODES),
    ("flow_reaching_definitions", "src_node_id", NODES),
    ("flow_reaching_definitions", "dst_node_id", NODES),
    ("py_bc_code_units", "code_node_id", NODES),
    ("py_bc_instructions", "code_unit_id", "select code_unit_id from py_bc_code_units"),
    ("py_bc_dfg_edges", "def_instr_id", "select instr_id from py_bc_instructions"),
    ("py_bc_dfg_edges", "use_instr_id", "select instr_id from py_bc_instructions"),
]


def test_every_reference_meets_a_row(ask: Callable[[str], list[tuple[Any, ...]]]) -> None:
    lost = "select '{0}.{1}', count(*) from {0} where {1} not in ({2})"
    found = ask(" union all ".join(lost.format(*reference) for reference in REFERENCES))
    assert [row for row in found if row[1]] == []


def test_a_broken_file_is_in_the_graph(lake: Path) -> None:
    nodes = [row for row in rows(lake, "cpg_nodes") if row["path"] == "pkg/broken.py"]
    told = {row["origin"] for row in nodes if row["node_kind"] == "DIAGNOSTIC"}
    assert told == {"ast"}
    rest = {row["origin"] for row in nodes if row["node_kind"] != "DIAGNOSTIC"}
    assert rest == {"scan", "tree_sitter"}
    named = {row["qualified_name"] for row in nodes if row["qualified_name"]}
    assert {"pkg.broken.Half", "pkg.broken.Half.whole", "pkg.broken.Half.broken"} <= named
    assert {row["name"] for row in nodes if row["node_kind"] == "IMPORT"} >= {"os", "pricing"}
    calls = {row["name"] for row in nodes if row["node_kind"] == "CALL"}
    assert calls == {"os.path.join", "pricing.total"}


def test_a_file_says_who_parsed_it(ask: Callable[[str], list[tuple[Any, ...]]]) -> None:
    found = ask(
        "select path, parser, is_whole, definition_count, import_count, error_type, line "
        "from ast_files order by path"
    )
    assert found == [
        ("pkg/__init__.py", "ast", True, 1, 0, None, None),
        ("pkg/broken.py", "tree_sitter", False, 4, 2, "SyntaxError", 10),
        ("pkg/flow.py", "ast", True, 6, 1, None, None),
        ("pkg/shapes.py", "ast", True, 6, 1, None, None),
        ("pkg/sides.py", "ast", True, 2, 1, None, None),
    ]
    counted = "select file_id, count(*) from ast_nodes group by file_id"
    assert sorted(ask("select file_id, node_count from ast_files")) == sorted(ask(counted))


def test_imports_are_absolute(ask: Callable[[str], list[tuple[Any, ...]]]) -> None:
    found = ask("select path, module, name, absolute_module, origin from python_imports")
    assert sorted(found, key=str) == [
        ("pkg/broken.py", "os", None, "os", "tree_sitter"),
        ("pkg/broken.py", None, "pricing", "pkg", "tree_sitter"),
        ("pkg/flow.py", "asyncio", None, "asyncio", "ast"),
        ("pkg/shapes.py", "pkg", "sides", "pkg", "ast"),
        ("pkg/sides.py", "pkg", "shapes", "pkg", "ast"),
    ]


def test_a_repository_says_what_it_is(ask: Callable[[str], list[tuple[Any, ...]]]) -> None:
    assert ask("select name, dependencies, dependency_names from python_projects") == [
        ("pkg", ["six>=1"], ["six"])
    ]
    assert ask("select source, name, version from python_distributions") == [
        ("declared", "six", None)
    ]
    assert ask("select listed_path, files from scope_manifest where not is_included") == [
        ("*.toml", 1)
    ]
    assert ask(
        "select path, status from python_imports join python_external_interfaces as known "
        "on known.repo = python_imports.repo and known.name = absolute_module order by path"
    ) == [("pkg/broken.py", "stdlib"), ("pkg/flow.py", "stdlib")]


def test_an_index_meets_the_syntax_tree(ask: Callable[[str], list[tuple[Any, ...]]]) -> None:
    found = ask(
        "select seen.scip_symbol, seen.path, def.qualified_name from scip_occurrences as seen "
        "join ast_defs as def on def.file_id = seen.file_id and def.name_bstart = seen.bstart "
        "and def.name_bend = seen.bend where seen.is_definition"
    )
    assert found == [(SYMBOL, "pkg/flow.py", "pkg.flow.first")]
    assert ask("select path, file_id is null from scip_documents order by document_idx") == [
        ("pkg/flow.py", False),
        ("gone.py", True),
    ]
    assert ask("select severity, diagnostic_text from scip_diagnostics") == [("warning", "unused")]
    health = {name for (name,) in ask("select check_name from scip_index_health")}
    assert "document_not_in_repository" in health


def test_a_view_that_breaks_its_contract_is_refused() -> None:
    from codelake.run.adapter import _contract_problems

    promised = {"a": "bigint", "b": "map<string,string>"}
    assert _contract_problems(promised, {"a": "bigint", "b": "map<string, string>"}) == []
    assert _contract_problems(promised, {"a": "int", "c": "string"}) == [
        "missing: b map<string,string>",
        "not promised: c string",
        "a is int, promised is bigint",
    ]
    assert _contract_problems(promised, {"b": "map<string,string>", "a": "bigint"}) == [
        "order is b, a; promised is a, b"
    ]


def test_questions_read_the_defaults_of_columns_that_an_older_lake_lacks(
    first_build: Path, tmp_path: Path
) -> None:
    older = Path(shutil.copytree(first_build, tmp_path / "older"))
    path = older / "codelake" / "evidence"
    lacking = ["comments", "errors", "is_test", "parser"]
    less = DeltaTable(path).to_pyarrow_table().drop_columns(lacking)
    write_deltalake(path, less, mode="overwrite", schema_mode="overwrite")
    sql = """
        select files.path, files.is_test, files.parser, count(comment.line) as comments
        from repo_files as files left join comments as comment on comment.path = files.path
        group by all order by files.path
    """
    columns, found = run_query(sql, older, pin="latest")
    assert columns == ["path", "is_test", "parser", "comments"]
    assert ("shop/cart.py", False, None, 0) in found
    assert run_query("select * from extract_errors", older, pin="latest")[1] == []
    _, whole = run_query(sql, older)  # the last complete run had the columns
    assert {row[0] for row in whole} == {row[0] for row in found} and whole != found
    last = last_complete(older)
    assert last
    snapshot = {**last.snapshot, "evidence": DeltaTable(path).version()}
    write_manifest(older, msgspec.structs.replace(last, snapshot=snapshot))
    DeltaTable(path).alter.add_columns([Field("later", PrimitiveType("string"))])
    assert run_query(sql, older)[1] == found  # a version that lacks them, as of a run
    DeltaTable(path).alter.set_table_properties({CONTRACT: "older"}, raise_if_not_exists=False)
    built([REPOS / "shop"], older, select=("path:models/evidence/evidence.sql", "comments"))
    assert run_query(sql, older)[1] == whole  # made anew by its contract
