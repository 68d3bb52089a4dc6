"""Profiles: `full` keeps py_bc_* as tables, `accelerators` edges by end and properties by node."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from deltalake import DeltaTable, write_deltalake
from deltalake.exceptions import DeltaError

from codelake.compile.program import read_program
from codelake.evidence.delta_columns import data_files
from codelake.run.create_table import create_table
from codelake.run.manifest import last_complete
from codelake.run.query import run_query
from conftest import ROOT, built, rows, versions

SORTED = {"cpg_edges_by_src": "src_node_id", "cpg_edges_by_dst": "dst_node_id"}
ACCELERATORS = {"cpg_props_map", *SORTED}
IN_FULL = {d.name: d for d in read_program(ROOT).datasets if d.write and d.write.profile == "full"}


def test_the_nine_datasets_are_views_and_tables() -> None:
    assert sorted(IN_FULL) == [
        *("py_bc_blocks", "py_bc_cfg_edges", "py_bc_code_units", "py_bc_consts"),
        *("py_bc_dfg_edges", "py_bc_exception_table", "py_bc_instruction_attrs"),
        *("py_bc_instructions", "py_bc_line_table"),
    ]
    program = read_program(ROOT)
    assert not IN_FULL.keys() & program.needed()
    for dataset in IN_FULL.values():
        assert dataset.sql and dataset.location
        assert dataset.inputs == ("evidence_bytecode",)


def test_a_partitioned_table_is_made_by_its_contract(tmp_path: Path) -> None:
    not_null = [{"type": "not_null"}]
    columns = [
        {"name": "repo", "data_type": "string", "description": "", "constraints": not_null},
        {"name": "n", "data_type": "int", "description": "", "constraints": []},
    ]
    delta = {"partition": ["repo"], "constraints": {"counts": "n is null or n >= 0"}}
    create_table(tmp_path / "t", columns, delta, "A table.", "{}")
    assert DeltaTable(tmp_path / "t").metadata().partition_columns == ["repo"]
    schema = pa.schema([pa.field("repo", pa.string(), nullable=False), ("n", pa.int32())])

    def write(*found: dict[str, Any]) -> None:
        data = pa.Table.from_pylist(list(found), schema=schema)
        write_deltalake(tmp_path / "t", data, mode="append")

    write({"repo": "a", "n": 0}, {"repo": "b", "n": None})
    with pytest.raises(DeltaError, match="failed validation"):
        write({"repo": "a", "n": -1})


def _said(lake: Path, name: str) -> list[str]:
    return sorted(map(repr, run_query(f"select * from {name}", lake)[1]))


@pytest.mark.spark
def test_tables_of_the_full_profile_say_what_the_views_say(
    shop: Path, lake: Path, tmp_path: Path
) -> None:
    views = tmp_path / "views"
    other = tmp_path / "other"
    other.mkdir()
    for name in ("z.py", "a.py"):
        (other / name).write_text("for n in range(3):\n    print(n)\n")
    built([shop, other], views, extractors=["bytecode"])
    assert not IN_FULL.keys() & versions(views).keys()
    expected = {name: _said(views, name) for name in IN_FULL}
    built([shop, other], lake, profile="full")
    assert {name: _said(lake, name) for name in IN_FULL} == expected
    assert all(expected.values())
    for name, dataset in IN_FULL.items():
        table = DeltaTable(lake / "codelake" / name)
        assert table.metadata().partition_columns == ["repo"]
        promised = {column.name for column in dataset.columns if not column.nullable}
        assert {field.name for field in table.schema().fields if not field.nullable} == promised
        settings = table.metadata().configuration
        assert any(key.startswith("delta.constraints.") for key in settings)
        for file in data_files(table):
            paths = pq.ParquetFile(file).read(columns=["path", "file_id"]).to_pylist()
            assert paths == sorted(paths, key=lambda row: (row["path"], row["file_id"]))

    before = versions(lake)
    built([shop, other], lake, profile="full")
    assert versions(lake) == before

    cart = shop / "shop" / "cart.py"
    cart.write_text(cart.read_text() + "last = 1 if cart else [2]\n")
    result = built([shop], lake)  # a lake that has the tables keeps them up to date
    assert {result.tables[name].action for name in IN_FULL} == {"replace"}
    assert {versions(lake)[name] - before[name] for name in IN_FULL} == {1}
    built([shop], views)
    assert {name: _said(lake, name) for name in IN_FULL} == {
        name: _said(views, name) for name in IN_FULL
    }


@pytest.mark.spark
def test_a_zero_row_build_of_the_full_profile_makes_tables(shop: Path, lake: Path) -> None:
    built([shop], lake, profile="full", empty=True)
    assert IN_FULL.keys() <= versions(lake).keys()
    assert all(rows(lake, name) == [] for name in IN_FULL)
    before = versions(lake)
    built([shop], lake, empty=True)
    assert versions(lake) == before
    built([shop], lake, profile="full")
    assert all(rows(lake, name) for name in IN_FULL)


@pytest.mark.spark
def test_accelerators_hold_the_graph_sorted_for_their_question(shop: Path, lake: Path) -> None:
    first = built([shop], lake)
    assert not ACCELERATORS & (first.tables.keys() | versions(lake).keys())
    answers = {name: _said(lake, name) for name in ACCELERATORS}  # views of the graph

    made = built([shop], lake, profile="accelerators")
    assert {name: made.tables[name].action for name in ACCELERATORS} == dict.fromkeys(
        ACCELERATORS, "overwrite"
    )
    run = last_complete(lake)
    assert run is not None and run.snapshot.keys() >= ACCELERATORS
    assert {name: _said(lake, name) for name in ACCELERATORS} == answers
    assert made.tables["cpg_edges"].action == "none"
    _require_accelerators(lake)

    pricing = shop / "shop" / "pricing.py"
    pricing.write_text(pricing.read_text() + "\n\ndef extra():\n    return print(round_down(1))\n")
    (shop / "shop" / "new.py").write_text("import os\nos.getcwd()\n")
    edited = built([shop], lake)  # a lake that has the tables keeps them up to date
    assert "none" not in {edited.tables[name].action for name in ACCELERATORS}
    _require_accelerators(lake)
    (shop / "shop" / "new.py").unlink()
    built([shop], lake)
    _require_accelerators(lake)


def _require_accelerators(lake: Path) -> None:
    edges = rows(lake, "cpg_edges")
    for name, end in SORTED.items():
        table = DeltaTable(lake / "codelake" / name)
        assert sorted(rows(lake, name), key=lambda row: row["edge_id"]) == edges
        for file in data_files(table):
            ends = pq.ParquetFile(file).read(columns=[end, "edge_kind"]).to_pylist()
            assert ends == sorted(ends, key=lambda row: (row[end], row["edge_kind"]))
        kept = pa.table(table.get_add_actions(flatten=True)).column_names
        assert {each for each in kept if each.startswith("min.")} == {"min.file_id", f"min.{end}"}
    nodes = {row["node_id"]: row for row in rows(lake, "cpg_nodes")}
    for row in rows(lake, "cpg_props_map"):
        node = nodes.pop(row["node_id"])
        props = dict(row["props"])
        assert props["node_kind"] == node["node_kind"]
        assert props["qualified_name"] == node["qualified_name"]
        assert dict(node["attrs"] or ()).items() <= props.items()
    assert nodes == {}
