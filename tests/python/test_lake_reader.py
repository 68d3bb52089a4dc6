"""Questions without Spark: the answers of Spark, and of the last complete run alone."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import DeltaTable, Field, write_deltalake
from deltalake.schema import PrimitiveType

from codelake.errors import CodelakeError
from codelake.evidence.delta_columns import delta_columns
from codelake.run.explain import explain
from codelake.run.flows import flows
from codelake.run.lake_reader import LakeReader
from codelake.run.query import run_query
from codelake.run.questions import calls, qualified_name
from codelake.run.statistics import statistics
from conftest import built

pytestmark = pytest.mark.spark

QUESTIONS = (
    "select * from call_graph where path <> :path order by all",
    "select * from definition_users where path <> :path order by all",
    "select * from unresolved_calls where path <> :path order by all",
    "select * from cpg_nodes where coalesce(path, '') <> :path order by node_id",
    "select *, round(precision, 3) as rounded from edge_methods where method <> :path order by all",
)


@pytest.mark.parametrize("sql", QUESTIONS)
def test_spark_answers_the_same(first_build: Path, sql: str) -> None:
    columns, found = LakeReader(first_build).ask(sql, path="none.py")
    expected, wanted = run_query(sql, first_build, arguments={"path": "none.py"})
    assert columns == expected
    assert found == list(wanted)
    assert found or "unresolved_calls" in sql


SPECIAL = """\
import shop


class Gift(shop.Cart):
    def add(self, name, price):
        super().add(name, price)
"""


def test_names_are_found_through_exports_and_bases(shop: Path, shop_lake: Path) -> None:
    (shop / "shop" / "gift.py").write_text(SPECIAL)
    built([shop], shop_lake)
    for name in ("shop.Cart.total", "Gift.total", "gift.Gift.total"):
        assert qualified_name(name, shop_lake) == "shop.cart.Cart.total"
    assert qualified_name("shop.gift.Gift.add", shop_lake) == "shop.gift.Gift.add"
    for name in ("shop.Cart.totals", "Gift.nothing", "shop.cart.Cart.total.x"):
        with pytest.raises(CodelakeError, match="NAME_UNKNOWN"):
            qualified_name(name, shop_lake)


def test_what_a_build_under_way_wrote_is_not_seen(shop_lake: Path) -> None:
    before = everything(shop_lake)
    for table in ("cpg_nodes", "cpg_edges", "evidence", "resolution"):
        path = shop_lake / "codelake" / table
        nothing = delta_columns(path).slice(0, 0)
        write_deltalake(path, nothing, mode="overwrite")
        assert delta_columns(path).num_rows == 0
    assert everything(shop_lake) == before


def everything(lake: Path) -> list[object]:
    node = LakeReader(lake).rows("select node_id from cpg_nodes where name = 'round_down'")[0]
    return [
        calls("Cart.total", "caller", lake),
        flows("Cart.add(price)", "round_down", lake),
        explain(node["node_id"], lake),
        statistics(lake),
    ]


def test_a_table_without_files_has_its_columns(shop_lake: Path) -> None:
    path = shop_lake / "codelake" / "cpg_edges"
    empty = delta_columns(path).slice(0, 0)
    for file in (shop_lake / "_codelake" / "runs").iterdir():
        file.unlink()  # no run is complete: the newest versions are read
    write_deltalake(path, empty, mode="overwrite")
    columns, found = LakeReader(shop_lake).ask("select * from cpg_edges")
    assert (columns, found) == (empty.schema.names, [])


def test_a_column_that_an_older_lake_lacks_has_its_default(shop_lake: Path) -> None:
    path = shop_lake / "codelake" / "evidence"
    for file in (shop_lake / "_codelake" / "runs").iterdir():
        file.unlink()
    less: pa.Table = delta_columns(path).drop_columns(["parser", "is_test"])
    write_deltalake(path, less, mode="overwrite", schema_mode="overwrite")
    DeltaTable(path).alter.add_columns([Field("later", PrimitiveType("string"))])
    found = LakeReader(shop_lake).rows("select parser, is_test from evidence")
    assert {tuple(row.items()) for row in found} == {(("parser", None), ("is_test", False))}
