"""Runs that can be repeated, compared, and read while another one is half done."""

from __future__ import annotations

import json
from pathlib import Path

import duckdb
import polars
import pytest
from click.testing import CliRunner
from deltalake import DeltaTable, write_deltalake

from codelake.cli.main import main
from codelake.run.query import run_query
from codelake.run.replay import replay
from conftest import built, rows

pytestmark = pytest.mark.spark


def test_a_run_is_replayed_compared_and_read_as_it_was(shop: Path, tmp_path: Path) -> None:
    lake = tmp_path / "lake"  # Polars does not find files in a folder with blanks
    first = built([shop], lake)
    pricing = shop / "shop" / "pricing.py"
    pricing.write_text(pricing.read_text() + "\n\ndef extra(n):\n    return round_down(n)\n")
    second = built([shop], lake)

    again = replay(lake, first.run_id)
    assert again.status == "equal", again
    assert {"cpg_nodes", "cpg_edges", "resolution"} <= {
        table.name for table in again.tables if table.role == "output" and table.rows
    }

    call = ["diff", first.run_id, second.run_id, "--lake", str(lake), "--format", "json"]
    found = json.loads(CliRunner().invoke(main, call).output)
    assert {name: found["definitions"][0][name] for name in ("change", "kind", "name")} == {
        "change": "appeared",
        "kind": "FUNCTION",
        "name": "shop.pricing.extra",
    }
    assert [(c["name"], c["target"]) for c in found["calls"]] == [
        ("shop.pricing.extra", "shop.pricing.round_down")
    ]

    nodes = lake / "codelake" / "cpg_nodes"
    edges = polars.read_delta(str(lake / "codelake" / "cpg_edges"))
    counted = {
        "polars": polars.scan_delta(str(nodes)).collect().height,
        "duckdb": duckdb.sql("select count(*) from edges").fetchone(),
    }
    assert counted == {"polars": len(rows(lake, "cpg_nodes")), "duckdb": (edges.height,)}

    write_deltalake(nodes, DeltaTable(nodes).to_pyarrow_table().slice(0, 1), mode="overwrite")
    counted = "select count(*) from cpg_nodes where name = 'extra' and node_kind = 'FUNCTION'"
    pins = {"last": 1, first.run_id: 0, "latest": 0}
    for pin, expected in pins.items():
        assert list(run_query(counted, lake, pin=pin)[1]) == [(expected,)], pin
    assert list(run_query("select count(*) from cpg_nodes", lake, pin="latest")[1]) == [(1,)]
