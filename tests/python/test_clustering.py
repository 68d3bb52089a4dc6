"""Clustered tables: what their log says from the first commit to the last, and who reads them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake
from deltalake.exceptions import DeltaError

from codelake.errors import CodelakeError
from codelake.run.clustering import clustering_columns, only_spark_writes
from codelake.run.create_table import create_table
from codelake.run.maintenance import maintain
from codelake.run.session import open_session
from codelake.run.spark_write import spark_write
from codelake.run.write_policy import read_held, resolve_policy, sync_policy
from conftest import rows, same_graph, versions

TYPES = {"id": "bigint", "share": "double", "name": "string", "names": "array<string>"}
COLUMNS = [
    {"name": name, "data_type": kind, "description": "", "constraints": []}
    for name, kind in TYPES.items()
]
DELTA: dict[str, Any] = {
    "constraints": {"is_a_share": "share between 0 and 1"},
    "properties": {"codelake.contract": "c1", "delta.dataSkippingStatsColumns": "id,share"},
}


def actions(path: Path, version: int) -> dict[str, Any]:
    lines = (path / "_delta_log" / f"{version:020}.json").read_text("utf-8").splitlines()
    return {name: action for line in lines for name, action in json.loads(line).items()}


def made(path: Path, *cluster: str, **properties: str) -> Path:
    given = {**DELTA["properties"], **properties}
    create_table(path, COLUMNS, {**DELTA, "properties": given, "cluster": cluster}, "A table.", "s")
    return path


def test_the_first_commit_is_that_of_a_clustered_table(tmp_path: Path) -> None:
    path = made(tmp_path / "t", "share", "id")
    found = actions(path, 0)
    assert found["protocol"] == {
        "minReaderVersion": 1,
        "minWriterVersion": 7,
        "writerFeatures": [
            *("appendOnly", "checkConstraints", "clustering", "domainMetadata", "invariants")
        ],
    }
    domain = found["domainMetadata"]
    assert (domain["domain"], domain["removed"]) == ("delta.clustering", False)
    assert json.loads(domain["configuration"])["clusteringColumns"] == [["share"], ["id"]]
    assert found["commitInfo"]["userMetadata"] == "s"
    checksum = json.loads((path / "_delta_log" / f"{0:020}.crc").read_text("utf-8"))
    assert checksum["domainMetadata"] == [domain]
    assert checksum["protocol"] == found["protocol"]
    assert sorted(file.name for file in (path / "_delta_log").iterdir()) == [
        f"{0:020}.crc",
        f"{0:020}.json",
    ]
    assert clustering_columns(path) == ("share", "id")


def test_other_tables_are_as_they_were(tmp_path: Path) -> None:
    path = made(tmp_path / "t")
    assert actions(path, 0)["protocol"] == {"minReaderVersion": 1, "minWriterVersion": 3}
    assert not only_spark_writes(path)
    assert clustering_columns(path) == ()


def test_readers_read_it_and_deltalake_does_not_write_it(tmp_path: Path) -> None:
    path = made(tmp_path / "t", "id")
    dataset = DeltaTable(path).to_pyarrow_dataset()
    assert pl.read_delta(str(path)).shape == (0, 4)
    assert duckdb.sql("select count(*) from dataset").fetchall() == [(0,)]
    row = pa.Table.from_pylist([{"id": 1}], schema=dataset.schema)
    with pytest.raises(DeltaError, match="Unsupported table features"):
        write_deltalake(path, row, mode="append")  # the day it does, rows can go that way


def test_another_contract_takes_the_rows_and_another_clustering(tmp_path: Path) -> None:
    path = tmp_path / "t"
    made(path)
    schema = pa.schema(DeltaTable(path).schema())
    row = pa.Table.from_pylist([{"id": 1, "share": 0.5}], schema=schema)
    write_deltalake(path, row, mode="append")
    for cluster in (("id",), ("share",), ()):
        made(path, *cluster, **{"codelake.contract": f"c{len(cluster)}"})
        table = DeltaTable(path)
        assert clustering_columns(path) == cluster
        assert only_spark_writes(path)  # the feature stays
        assert (table.to_pyarrow_table().num_rows, table.file_uris()) == (0, [])
    assert DeltaTable(path).version() == 4
    assert DeltaTable(path, version=1).to_pyarrow_table().num_rows == 1


def test_a_checkpoint_keeps_it(tmp_path: Path) -> None:
    path = made(tmp_path / "t", "id", "share")
    DeltaTable(path).create_checkpoint()
    (path / "_delta_log" / f"{0:020}.json").unlink()
    assert clustering_columns(path) == ("id", "share")


@pytest.mark.parametrize(
    ("delta", "override", "error"),
    [
        ({}, {"cluster": ["nope"]}, "POLICY_COLUMN_MISSING: cluster of `t` names nope"),
        ({}, {"cluster": ["id"], "zorder": ["share"]}, r"both cluster \(var .*and zorder \(var "),
        ({"cluster": ["id"]}, {"zorder": ["id"]}, r"cluster \(catalogue\) and zorder \(var write"),
        ({"partition": ["name"]}, {"cluster": ["id"]}, r"cluster .*and partition \(catalogue\)"),
        ({}, {"cluster": ["names"]}, "names names in cluster, which is nested"),
        ({}, {"cluster": ["id"], "stats": ["share"]}, "clusters by id without statistics"),
        ({"strategy": "gather"}, {"cluster": ["id"]}, "only Spark writes clustered tables"),
    ],
)
def test_what_cannot_be_clustered_is_refused(
    delta: dict[str, Any], override: dict[str, Any], error: str
) -> None:
    with pytest.raises(CodelakeError, match=error):
        resolve_policy("t", TYPES, {**DELTA, **delta}, override)


def test_at_most_four_columns() -> None:
    types = {f"c{number}": "int" for number in range(5)}
    with pytest.raises(CodelakeError, match="5 columns in cluster"):
        resolve_policy("t", types, {}, {"cluster": list(types)})


def test_the_var_wins_over_the_catalogue_and_that_over_the_table(tmp_path: Path) -> None:
    held = read_held(made(tmp_path / "t", "share"))
    declared = {**DELTA, "cluster": ["id"]}
    for delta, override, wanted in (
        (declared, {"cluster": ["name"]}, (("name",), "var write_policy")),
        (declared, {}, (("id",), "catalogue")),
        (DELTA, {}, (("share",), "table")),
        (DELTA, {"cluster": []}, ((), "var write_policy")),
    ):
        policy = resolve_policy("t", TYPES, delta, override, held)
        assert (policy.cluster, policy.reasons["cluster"]) == wanted
    policy = resolve_policy("t", TYPES, declared, {"cluster": ["name"]})
    assert policy.stats == ("id", "share", "name")  # Delta clusters by what has statistics
    assert policy.reasons["stats"] == "catalogue, and what it is clustered by"


def test_a_z_order_of_a_clustered_table_is_refused(tmp_path: Path) -> None:
    made(tmp_path / "codelake" / "cpg_nodes", "id")
    with pytest.raises(CodelakeError, match="ZORDER_CLUSTERED: `cpg_nodes` is or was clustered"):
        maintain(tmp_path, "zorder", columns=["id"])


@pytest.mark.spark
def test_spark_keeps_the_columns_whatever_it_writes(tmp_path: Path) -> None:
    lake = tmp_path / "a reader's lake"
    path = made(lake / "codelake" / "cpg_nodes")
    session = open_session(lake, master="local[*]")

    def sync(**override: list[str]) -> None:
        held = read_held(path)
        policy = resolve_policy("t", TYPES, DELTA, override, held)
        sync_policy(path, policy, held, lambda: session)

    def write(start: int, end: int, predicate: str = "", *, append: bool = False) -> None:
        text = "id, (id * 7 % 100) / 100D as share, string(id % 3) as name, array('n') as names"
        frame = session.sql(f"select {text} from range({start}, {end})")
        spark_write(frame, path, predicate, "state", append=append)

    sync(cluster=["id"])  # an existing table
    assert clustering_columns(path) == ("id",)
    write(0, 100, append=True)
    write(0, 200)
    write(10, 20, "id >= 10 and id < 20")
    assert clustering_columns(path) == ("id",)
    before = DeltaTable(path).version()
    sync()
    assert DeltaTable(path).version() == before
    sync(bloom=["name"])  # properties go through Spark as well
    assert read_held(path).properties["parquet.bloom.filter.enabled#name"] == "true"
    assert DeltaTable(path).version() == before + 1

    (planned,) = maintain(lake, "optimize").tables
    assert (planned.outcome, planned.detail) == ("planned", "clustered by id")
    (done,) = maintain(lake, "optimize", apply=True, session=lambda: session).tables
    assert done.outcome == "done"
    added = actions(path, DeltaTable(path).version())
    assert added["add"]["clusteringProvider"] == "liquid"
    assert json.loads(added["commitInfo"]["operationParameters"]["clusterBy"]) == ["id"]
    (again,) = maintain(
        lake, "vacuum", tables=["cpg_nodes"], apply=True, session=lambda: session
    ).tables
    assert again.outcome == "nothing"
    assert clustering_columns(path) == ("id",)
    assert sorted(row["id"] for row in DeltaTable(path).to_pyarrow_table().to_pylist()) == list(
        range(200)
    )
    sync(cluster=[])
    assert clustering_columns(path) == ()


@pytest.mark.spark
def test_builds_keep_a_clustering(
    shop: Path, lake: Path, first_build: Path, command: Callable[..., Any]
) -> None:
    nodes = lake / "codelake" / "cpg_nodes"

    def build(*options: str, **given: Any) -> dict[str, Any]:
        asked = json.dumps({"repos": [f"shop={shop}"], **given})
        done = command("dbt", "build", "--vars", asked, *options, lake=lake)
        assert done.returncode == 0, done.stdout
        assert clustering_columns(nodes) == ("file_id", "bstart")
        manifests = sorted((lake / "_codelake" / "runs").glob("*.json"))
        outputs = json.loads(manifests[-1].read_text("utf-8"))["outputs"]
        return {each["name"]: each["action"] for each in outputs}

    build(write_policy={"cpg_nodes": {"cluster": ["file_id", "bstart"]}})
    assert actions(nodes, 0)["domainMetadata"]["domain"] == "delta.clustering"  # from the start
    assert same_graph(lake, first_build)
    events = rows(lake, "run_events")
    (policy,) = [e for e in events if (e["event"], e["subject"]) == ("policy", "cpg_nodes")]
    assert json.loads(policy["detail"])["cluster"] == ["file_id", "bstart"]
    assert json.loads(policy["detail"])["reasons"]["cluster"] == "var write_policy"
    (row,) = [r for r in rows(lake, "lake_tables") if r["table_name"] == "cpg_nodes"]
    assert row["clustering_columns"] == ["file_id", "bstart"]
    assert {"clustering", "domainMetadata"} <= set(row["features"])
    assert [r["table_name"] for r in rows(lake, "lake_tables") if r["clustering_columns"]] == [
        "cpg_nodes"
    ]

    before = versions(lake)
    assert build()["cpg_nodes"] == "none"
    assert versions(lake) == before
    new = shop / "shop" / "new.py"
    new.write_text("import os\nos.getcwd()\n")
    assert build()["cpg_nodes"] == "replace"
    new.unlink()
    assert build()["cpg_nodes"] == "replace"
    assert same_graph(lake, first_build)
    assert build("--full-refresh")["cpg_nodes"] == "overwrite"
    assert same_graph(lake, first_build)
    done = command("codelake", "maintain", "optimize", "--apply", "--lake", lake)
    assert done.returncode == 0, done.stdout
    assert clustering_columns(nodes) == ("file_id", "bstart")
    assert build()["cpg_nodes"] == "none"
    assert same_graph(lake, first_build)
