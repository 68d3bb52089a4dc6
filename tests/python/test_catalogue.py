"""What a session is told of a lake: tables that are there, defaults of columns, older names."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import write_deltalake

from codelake.compile.program import read_program
from codelake.evidence.delta_columns import delta_columns
from codelake.evidence.rows import EVIDENCE
from codelake.run.catalogue import (
    ALIAS_VARIABLE,
    lacking_columns,
    register_lake,
    register_table,
    register_version,
    register_views,
    registered_relations,
)
from codelake.run.events import forget_events, noted_events
from codelake.run.lake_tables import lake_rows, write_lake_tables
from codelake.run.project import ROOT
from codelake.run.schema_policy import compare_schema
from codelake.run.session import Views


class Session:
    """Keeps the statements that it is given."""

    def __init__(self) -> None:
        self.statements: list[str] = []

    def sql(self, text: str) -> None:
        self.statements.append(text)


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    """A lake with a seed's table, and the nodes without most of their columns."""
    kinds = {"element": ["node"], "kind": ["FILE"], "meaning": ["m"], "example": ["e"]}
    write_deltalake(tmp_path / "codelake" / "graph_kinds", pa.table(kinds))
    nodes = pa.table({"node_id": pa.array([1], pa.int64())})
    write_deltalake(tmp_path / "codelake" / "cpg_nodes", nodes)
    return tmp_path


def test_only_what_is_there_is_registered(lake: Path) -> None:
    (lake / "codelake" / "cpg_edges").mkdir()
    forget_events()
    session = Session()
    register_lake(session, lake)
    tables = {name for name, kind in registered_relations().items() if kind == "table"}
    assert tables == {"graph_kinds", "cpg_nodes"}
    seen = [(e.event, e.subject, e.outcome) for e in noted_events()]
    assert seen == [
        ("registration", "graph_kinds", "table"),
        ("registration", "cpg_nodes", "table"),
    ]
    assert not any("_v1" in text for text in session.statements)


def test_a_query_brings_the_views_that_it_names(lake: Path) -> None:
    edges = pa.table({"edge_id": pa.array([1], pa.int64())})
    write_deltalake(lake / "codelake" / "cpg_edges", edges)
    session = Session()
    register_lake(session, lake, views=Views.AS_NAMED)
    assert "view" not in registered_relations().values()
    register_views(session, "select * from Call_Graph, ast_nodes")
    views = [name for name, kind in registered_relations().items() if kind == "view"]
    assert views == ["call_graph"]  # there is no evidence under ast_nodes
    before = len(session.statements)
    register_views(session, "select * from call_graph")
    assert len(session.statements) == before
    register_views(session, "show views")
    assert {"cpg_props", "call_ambiguity"} <= registered_relations().keys()


def test_older_names_are_views_when_asked_for(lake: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(ALIAS_VARIABLE, "1")
    session = Session()
    register_lake(session, lake)
    assert registered_relations()["cpg_nodes_v1"] == "view"
    made = "create view codelake.cpg_nodes_v1 as select * from codelake.cpg_nodes"
    assert made in session.statements
    assert "graph_kinds_v1" not in registered_relations()


def test_the_lake_tables_show_columns_constraints_and_drift(lake: Path) -> None:
    program = read_program(ROOT)
    found = lake_rows(lake, program)
    assert [row["table_name"] for row in found["lake_tables"]] == ["cpg_nodes", "graph_kinds"]
    columns = {(row["table_name"], row["column_name"]): row for row in found["lake_columns"]}
    node_id = columns["cpg_nodes", "node_id"]
    assert (node_id["data_type"], node_id["logged_type"]) == ("bigint", "bigint")
    assert node_id["semantic_type"] == "NodeId" and node_id["logged_semantic_type"] is None
    assert not node_id["is_as_declared"]  # the log lets it be null
    assert columns["cpg_nodes", "path"]["logged_type"] is None
    assert columns["ast_nodes", "node_id"]["kind"] == "view"
    assert columns["cpg_edges", "edge_id"]["kind"] == "missing table"
    promises = [
        (row["constraint_type"], row["columns"], row["is_enforced"])
        for row in found["lake_constraints"]
        if row["table_name"] == "cpg_nodes"
    ]
    assert promises[0] == ("KEY", ["node_id"], False)
    assert ("NOT NULL", ["node_id"], False) in promises  # promised, and not in the log
    dataset = program.dataset("cpg_nodes")
    assert dataset and compare_schema(lake / "codelake" / "cpg_nodes", dataset).problems


def test_the_lake_tables_are_written_when_they_change(lake: Path) -> None:
    program = read_program(ROOT)
    assert len(write_lake_tables(lake, program)) == 3
    assert write_lake_tables(lake, program) == []
    nodes = pa.table({"node_id": pa.array([1], pa.int64()), "path": ["a"]})
    path = lake / "codelake" / "cpg_nodes"
    write_deltalake(path, nodes, mode="overwrite", schema_mode="overwrite")
    assert write_lake_tables(lake, program) == ["lake_columns"]
    held = delta_columns(lake / "codelake" / "lake_columns").to_pylist()
    assert any(row["logged_type"] == "string" and row["column_name"] == "path" for row in held)


def test_for_a_build_a_table_without_files_is_a_view_without_rows(lake: Path) -> None:
    path = lake / "codelake" / "resolution"
    rows = pa.table(
        {"repo": pa.array([], pa.string()), "links": pa.array([], pa.list_(pa.int64()))}
    )
    write_deltalake(path, rows)
    session = Session()
    register_table(session, "resolution", path, files=True)
    columns = "cast(null as string) as `repo`, cast(null as array<bigint>) as `links`"
    made = f"create view codelake.resolution as select {columns} where false"
    assert session.statements == ["drop table if exists codelake.resolution", made]
    write_deltalake(path, pa.table({"repo": ["a"], "links": [[1]]}), mode="append")
    register_table(session, "resolution", path, files=True)
    dropped, made = session.statements[2:]
    assert dropped == "drop view if exists codelake.resolution"
    assert made.startswith("create table codelake.resolution (`repo` string,")
    assert "using parquet location" in made


COMMENTS = (
    "cast(array() as array<struct<kind:string,text:string,codes:array<string>,bstart:int,bend:int,"
    "line:int,col:int,end_col:int,is_own_line:boolean,repeat_no:int>>) as comments"
)


def older(path: Path, data: pa.Table, *lacking: str) -> None:
    """Write a table of evidence as a program left it that knew less columns."""
    write_deltalake(path, data.drop_columns(lacking), mode="overwrite", schema_mode="overwrite")


def test_a_table_that_lacks_columns_is_a_view_with_their_defaults(tmp_path: Path) -> None:
    path = tmp_path / "codelake" / "evidence"
    older(path, EVIDENCE.empty_table(), "comments", "is_test", "parser")
    forget_events()
    session = Session()
    register_table(session, "evidence", path)
    flag, null = "cast(false as boolean) as is_test", "cast(null as string) as parser"
    rows = f"select *, {COMMENTS}, {flag}, {null} from delta.`{path}`"
    made = f"create view codelake.evidence as {rows}"
    assert session.statements == ["drop table if exists codelake.evidence", made]
    (event,) = noted_events()
    assert (event.outcome, event.detail) == ("defaults", f"{COMMENTS}, {flag}, {null}")
    assert registered_relations()["evidence"] == "table"

    older(path, EVIDENCE.empty_table())
    register_version(session, "evidence", path, 0)  # as a question after a killed build
    register_table(session, "evidence", path)
    dropped = "drop view if exists codelake.evidence"
    assert session.statements[2:4] == [dropped, f"{made} version as of 0"]
    assert session.statements[4] == dropped
    assert session.statements[5].startswith("create table if not exists codelake.evidence using")


def test_a_column_that_no_row_can_be_without_has_no_default(tmp_path: Path) -> None:
    older(tmp_path / "evidence", EVIDENCE.empty_table(), "file_id", "repo", "file_sha256")
    assert lacking_columns("evidence", tmp_path / "evidence") == {}
    assert lacking_columns("cpg_nodes", tmp_path / "evidence") == {}


def test_evidence_that_nobody_asked_for_has_no_rows(lake: Path) -> None:
    write_deltalake(lake / "codelake" / "evidence", EVIDENCE.empty_table())
    session = Session()
    register_lake(session, lake, views=Views.AS_NAMED)
    register_views(session, "select * from scip_documents")
    made = [text for text in session.statements if "codelake.evidence_scip" in text]
    assert len(made) == 1 and made[0].endswith("where false")
    assert "scip_documents" in registered_relations()
    assert "evidence_scip" not in registered_relations()  # dbt makes a table of it when asked to
    write_deltalake(lake / "codelake" / "evidence_scip", pa.table({"repo": ["r"]}))
    register_table(session, "evidence_scip", lake / "codelake" / "evidence_scip")
    assert "drop view if exists codelake.evidence_scip" in session.statements


def test_an_empty_lake_has_no_views_of_nothing(lake: Path) -> None:
    session = Session()
    register_lake(session, lake, views=Views.AS_NAMED)
    register_views(session, "select * from scip_documents")
    assert "scip_documents" not in registered_relations()
