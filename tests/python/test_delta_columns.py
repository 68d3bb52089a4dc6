"""Columns of a Delta table: the same rows as `deltalake` gives, and a process that ends well."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake

from codelake.evidence.delta_columns import delta_columns
from conftest import ROOT

ROWS = pa.table(
    {
        "repo": ["a b", "a b", "c%20=d", "é"],
        "part": pa.array([1, 2, 2, 2], pa.int32()),
        "n": [1, None, 3, 4],
    }
)
READER = """
import sys
from pathlib import Path
from codelake.evidence.delta_columns import delta_columns
print(delta_columns(Path(sys.argv[1]), ["n"]).num_rows)
"""
ABORTING = {"to_pyarrow_table", "to_pyarrow_dataset"}


@pytest.mark.parametrize("partition", [None, ["repo"], ["repo", "part"]])
def test_columns_are_those_of_the_table(tmp_path: Path, partition: list[str] | None) -> None:
    table = tmp_path / "a table"
    write_deltalake(table, ROWS, partition_by=partition)
    write_deltalake(table, ROWS.slice(0, 1), mode="append")
    order = [("repo", "ascending"), ("n", "ascending")]
    for version, columns in ((0, None), (1, ["n", "repo"]), (1, ["n"]), (None, ["part"])):
        held = DeltaTable(table, version=version).to_pyarrow_table()
        found = delta_columns(table, columns, version=version)
        shown = columns or ROWS.schema.names
        assert found.schema.names == shown
        assert found.schema.types == held.select(shown).schema.types
        if columns is None:
            assert found.sort_by(order).to_pylist() == held.sort_by(order).to_pylist()
    kept = delta_columns(table, ["n"], repos=["a b"])
    assert sorted(kept["n"].to_pylist(), key=str) == [1, 1, None]
    assert delta_columns(table, ["n"], repos=[]).num_rows == 0


def test_a_process_that_reads_ends_well(tmp_path: Path) -> None:
    write_deltalake(tmp_path / "t", ROWS)
    for _ in range(20):
        done = subprocess.run([sys.executable, "-c", READER, tmp_path / "t"], capture_output=True)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"4\n", b"")


def test_the_product_reads_tables_this_way_alone() -> None:
    for file in (ROOT / "python_hooks").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            name = node.attr if isinstance(node, ast.Attribute) else ""
            assert name not in ABORTING, f"{file.name}:{node.lineno} may abort at the end"
