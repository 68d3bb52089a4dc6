"""Guards of a table: its place, its schema, its layout, what may not be written into it."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from dbt_common.exceptions import DbtRuntimeError
from deltalake import DeltaTable, write_deltalake
from deltalake.exceptions import DeltaError

from codelake.compile.program import Column, Dataset
from codelake.errors import CodelakeError
from codelake.run.create_table import create_table
from codelake.run.cursor import SessionCursor
from codelake.run.events import forget_events, noted_events
from codelake.run.schema_policy import compare_schema, guard_table
from codelake.run.session import open_session
from codelake.run.write_policy import read_held, resolve_policy, sync_policy

COLUMNS = {"id": ("bigint", False), "share": ("double", True), "names": ("array<string>", True)}
TYPES = {name: kind for name, (kind, _) in COLUMNS.items()}
DELTA = {
    "constraints": {"is_a_share": "share between 0 and 1"},
    "properties": {"codelake.contract": "c1", "delta.dataSkippingStatsColumns": "id"},
}


def dataset(**columns: tuple[str, bool]) -> Dataset:
    """Return a table with these columns: type, nullability."""
    return Dataset(
        name="t",
        layer="cpg",
        materialization="delta_table",
        location="codelake/t",
        columns=tuple(Column(name, *kind, None) for name, kind in (columns or COLUMNS).items()),
        key=("id",),
        refs=(),
        inputs=(),
        write=None,
        fingerprint="f",
        sql=None,
    )


def made(path: Path, delta: dict[str, Any] | None = None, **columns: tuple[str, bool]) -> Path:
    listed = [
        {
            "name": name,
            "data_type": kind,
            "description": "",
            "constraints": [] if nullable else [{"type": "not_null"}],
        }
        for name, (kind, nullable) in (columns or COLUMNS).items()
    ]
    create_table(path, listed, delta or DELTA, "A table.", "")
    return path


def test_a_table_by_its_contract_is_equal(tmp_path: Path) -> None:
    path = made(tmp_path / "t")
    assert compare_schema(path, dataset()).verdict == "equal"
    guard_table(path, dataset(), "c1", "strict")
    guard_table(tmp_path / "none", dataset(), "c1", "strict")


@pytest.mark.parametrize(
    ("change", "verdict", "told"),
    [
        ({"score": ("double", True)}, "additive", "score double is new"),
        ({"share": ("string", True)}, "mismatch", "share is double, declared is string"),
        ({"id": ("bigint", True)}, "mismatch", "id is not null, declared is nullable"),
        ({"names": None}, "mismatch", "names array<string> is not declared"),
    ],
)
def test_differences_name_each_column(
    tmp_path: Path, change: dict[str, Any], verdict: str, told: str
) -> None:
    path = made(tmp_path / "t")
    wanted = dataset(**{n: k for n, k in {**COLUMNS, **change}.items() if k})
    assert compare_schema(path, wanted).verdict == verdict
    forget_events()
    with pytest.raises(CodelakeError, match="SCHEMA_MISMATCH") as caught:
        guard_table(path, wanted, "c2", "strict")
    assert told in str(caught.value)
    assert [event.outcome for event in noted_events()] == [verdict]
    guard_table(path, wanted, "c2", "overwrite")
    if verdict == "additive":
        guard_table(path, wanted, "c2", "merge")
    else:
        with pytest.raises(CodelakeError, match="SCHEMA_MISMATCH"):
            guard_table(path, wanted, "c2", "merge")
    assert DeltaTable(path).version() == 0


def test_a_column_dropped_by_hand_stops_the_build(tmp_path: Path) -> None:
    path = made(tmp_path / "t")
    held = {"codelake.contract": "c1"}
    rows = pa.table({"id": [1], "share": [0.5]})
    write_deltalake(path, rows, mode="overwrite", schema_mode="overwrite", configuration=held)
    with pytest.raises(CodelakeError, match=r"SCHEMA_DRIFT: .*names array<string> is new"):
        guard_table(path, dataset(), "c1")
    assert DeltaTable(path).to_pyarrow_table().num_rows == 1


def test_a_foreign_folder_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "t"
    path.mkdir()
    guard_table(path, dataset(), "c1")
    (path / "notes.txt").write_text("mine")
    with pytest.raises(CodelakeError, match="LOCATION_NOT_DELTA"):
        guard_table(path, dataset(), "c1")
    assert (path / "notes.txt").read_text() == "mine"
    with pytest.raises(CodelakeError, match="LOCATION_NOT_DELTA"):
        guard_table(path / "notes.txt", dataset(), "c1")


def test_an_unknown_schema_policy_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CodelakeError, match=r"VAR_INVALID.*\n.*strict, merge, overwrite"):
        guard_table(tmp_path / "t", dataset(), "c1", "loose")


@pytest.mark.parametrize("share", [2.0, -0.5])
def test_a_broken_check_leaves_the_last_version(tmp_path: Path, share: float) -> None:
    path = made(tmp_path / "t")
    schema = pa.schema(DeltaTable(path).schema())
    good = pa.Table.from_pylist([{"id": 1, "share": 0.5, "names": []}], schema=schema)
    write_deltalake(path, good, mode="append")
    bad = pa.Table.from_pylist([{"id": 2, "share": share, "names": []}], schema=schema)
    with pytest.raises(DeltaError, match="share"):
        write_deltalake(path, bad, mode="append")
    assert DeltaTable(path).version() == 1
    assert DeltaTable(path).to_pyarrow_table().to_pylist() == good.to_pylist()


# ---------- layout


def test_the_catalogue_decides_unless_the_var_does() -> None:
    delta = {**DELTA, "order": ["id"], "partition": ["names"]}
    policy = resolve_policy("t", TYPES, delta)
    assert (policy.stats, policy.order, policy.partition) == (("id",), ("id",), ("names",))
    assert policy.reasons["stats"] == policy.reasons["order"] == "catalogue"
    assert policy.reasons["bloom"] == "default"
    asked = {"stats": [], "bloom": ["id"], "features": ["change_data_feed"]}
    policy = resolve_policy("t", TYPES, delta, asked)
    assert (policy.stats, policy.reasons["stats"]) == ((), "var write_policy")
    assert policy.properties() == {
        "delta.dataSkippingStatsColumns": "",
        "codelake.order": "id",
        "parquet.bloom.filter.enabled#id": "true",
        "parquet.enable.dictionary#id": "false",
        "delta.enableChangeDataFeed": "true",
    }


@pytest.mark.parametrize(
    ("override", "error"),
    [
        ({"stats": ["nope"]}, r"POLICY_COLUMN_MISSING: stats of `t` names nope.*\n.*id, names"),
        ({"bloom": ["nope"]}, "POLICY_COLUMN_MISSING: bloom"),
        ({"features": ["deletion_vectors"]}, "FEATURE_UNREADABLE"),
        ({"features": ["magic"]}, r"FEATURE_UNKNOWN.*\n.*append_only, change_data_feed"),
        ({"partition": ["id"]}, "POLICY_INVALID: .*partition"),
        ({"stats": "id"}, "POLICY_INVALID"),
        ({"bloom": ["names"]}, "names names in bloom, which is nested"),
        ({"dictionary": ["nope"]}, "POLICY_COLUMN_MISSING: dictionary"),
        ({"dictionary": ["id"], "bloom": ["id"]}, "id in bloom and in dictionary"),
        ({"target_file_bytes": -1}, "target_file_bytes -1"),
    ],
)
def test_a_policy_that_cannot_be_is_refused(override: dict[str, Any], error: str) -> None:
    with pytest.raises(CodelakeError, match=error):
        resolve_policy("t", TYPES, DELTA, override)


def test_statistics_have_a_limit() -> None:
    types = {f"c{number}": "int" for number in range(33)}
    names = list(types)
    with pytest.raises(
        CodelakeError, match=r"POLICY_INVALID: .*33 columns in stats.\n.*at most 32"
    ):
        resolve_policy("t", types, {}, {"stats": names})
    assert len(resolve_policy("t", types, {}, {"stats": names[:32]}).stats) == 32


def synced(path: Path, **override: Any) -> bool:
    """Bring a table in line with the catalogue and an override, without Spark."""
    held = read_held(path)
    policy = resolve_policy("t", TYPES, DELTA, override, held)
    return sync_policy(path, policy, held, lambda: pytest.fail("needs no Spark"))


def test_an_existing_table_takes_a_new_policy_in_one_commit(tmp_path: Path) -> None:
    path = made(tmp_path / "t")
    asked = {"bloom": ["id"], "zorder": ["share"], "dictionary": ["share"], "order": ["id"]}
    assert synced(path, **asked, target_file_bytes=5000)
    held = DeltaTable(path).metadata().configuration
    assert held["parquet.bloom.filter.enabled#id"] == "true"
    assert (held["codelake.zorder"], held["codelake.contract"]) == ("share", "c1")
    assert DeltaTable(path).version() == 1
    assert not synced(path, **asked)


def test_what_nobody_names_stays_as_it_is_and_nothing_ends_it(tmp_path: Path) -> None:
    path = made(tmp_path / "t")
    given = {"bloom": ["id"], "zorder": ["share"], "dictionary": ["share"], "order": ["id"]}
    synced(path, **given, target_file_bytes=5000)
    assert not synced(path)
    policy = resolve_policy("t", TYPES, DELTA, {}, read_held(path))
    assert (policy.order, policy.target_file_bytes) == (("id",), 5000)
    assert policy.reasons["order"] == "table"
    assert synced(path, **{name: [] for name in given}, target_file_bytes=0)
    held = DeltaTable(path).metadata().configuration
    assert held["parquet.bloom.filter.enabled#id"] == "false"
    assert held["parquet.enable.dictionary#id"] == held["parquet.enable.dictionary"] == "true"
    assert not any(held[f"codelake.{name}"] for name in ("order", "zorder", "target_file_bytes"))
    again = resolve_policy("t", TYPES, DELTA, {}, read_held(path))
    assert {again.reasons[name] for name in given} == {"default"}


def test_the_catalogue_reaches_a_table_that_is_there(tmp_path: Path) -> None:
    path = made(tmp_path / "t")
    other = {"properties": {"delta.dataSkippingStatsColumns": "share"}}
    held = read_held(path)
    policy = resolve_policy("t", TYPES, other, {}, held)
    assert sync_policy(path, policy, held, lambda: pytest.fail("needs no Spark"))
    assert read_held(path).properties["delta.dataSkippingStatsColumns"] == "share"


def test_features_are_as_asked_for_and_no_more(tmp_path: Path) -> None:
    plain = DeltaTable(made(tmp_path / "plain")).protocol()
    assert (plain.min_reader_version, plain.min_writer_version) == (1, 3)
    policy = resolve_policy("t", TYPES, DELTA, {"features": ["change_data_feed"]})
    properties = {**DELTA["properties"], **policy.properties()}
    columns = [{"name": "id", "data_type": "bigint", "description": "", "constraints": []}]
    create_table(tmp_path / "feed", columns, {"properties": properties}, "", "")
    for number in (1, 2):
        rows = pa.table({"id": pa.array([number], pa.int64())})
        write_deltalake(tmp_path / "feed", rows, mode="append")
    fed = DeltaTable(tmp_path / "feed")
    assert fed.protocol().min_reader_version == 1
    changes = pa.table(fed.load_cdf(starting_version=1).read_all()).to_pylist()
    assert {(row["id"], row["_change_type"]) for row in changes} == {(1, "insert"), (2, "insert")}


@pytest.mark.spark
def test_spark_writes_what_the_policy_says_and_refuses_what_breaks_a_promise(
    tmp_path: Path,
) -> None:
    path = tmp_path / "lake" / "codelake" / "t"
    asked = {"stats": ["id"], "bloom": ["id"], "order": ["share"]}
    policy = resolve_policy("t", TYPES, DELTA, asked)
    delta = {**DELTA, "properties": {**DELTA["properties"], **policy.properties()}}
    made(path, delta=delta)
    session = open_session(tmp_path / "lake", master="local[*]")
    target = f"insert into delta.`{path}` by name"
    rows = "select id, (id * 7 % 100) / 100 as share, array('n') as names from range(0, 100, 1, 1)"
    session.sql(f"{target} select * from ({rows}) as made sort by share")

    table = DeltaTable(path)
    (file,) = table.file_uris()
    shares = pq.ParquetFile(file).read(["share"])["share"].to_pylist()
    assert shares == sorted(shares)
    (action,) = pa.table(table.get_add_actions(flatten=True)).to_pylist()
    assert (action["min.id"], action["max.id"], action["num_records"]) == (0, 99, 100)
    assert not {"min.share", "min.names"} & action.keys()
    sql = "select path_in_schema, bloom_filter_offset from parquet_metadata($file)"
    blooms = dict(duckdb.execute(sql, {"file": file}).fetchall())
    assert [name for name, offset in blooms.items() if offset] == ["id"]
    assert table.metadata().configuration["codelake.order"] == "share"

    cursor = SessionCursor(
        SimpleNamespace(lake_path=tmp_path / "lake", master="local[*]", remote="")
    )
    for wrong, error in {
        "null as id, 0.5D as share, array('n') as names": "NOT_NULL_CONSTRAINT_VIOLATED.* id",
        "1L as id, 2.0D as share, array('n') as names": "is_a_share",
        "1L as id, 0.5D as share, array('n') as names, 1 as more": "more",
        "1L as id, array('n') as share, array('n') as names": "share",
    }.items():
        with pytest.raises(DbtRuntimeError, match=error) as caught:
            cursor.execute(f"{target} select {wrong}")
        assert "\tat " not in str(caught.value)
    assert DeltaTable(path).version() == 1
    assert DeltaTable(path).to_pyarrow_table().num_rows == 100
