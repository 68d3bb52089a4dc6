"""A lake as questions read it, without Spark: tables of the last complete run, views by DuckDB.

    reader = LakeReader(Path("lake"))
    reader.ask("select callee_name from call_graph where caller_name = :name", name="shop.main")
    -> (["callee_name"], [("shop.cart.Cart",)])

A view is what the compiled program says it is, put into DuckDB's words by SQLGlot. A column that
the table of an older program lacks has the default that the catalogue declares.
Next: questions.py, explain.py, statistics.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import duckdb
import sqlglot
from deltalake import DeltaTable

from codelake.compile.program import Dataset, read_program
from codelake.errors import CodelakeError
from codelake.evidence.delta_columns import data_files
from codelake.run.catalogue import (
    is_delta_table,
    lacking_columns,
    require_lake,
    table_location,
)
from codelake.run.project import ROOT
from codelake.run.snapshot import pinned_versions


class LakeReader:
    """One lake at the versions of its last complete run."""

    def __init__(self, lake: Path) -> None:
        """Find the lake.

        Raises:
            CodelakeError: LAKE_MISSING.
        """
        require_lake(lake)
        self._lake = lake
        self._pinned = pinned_versions(lake)
        self._known: set[str] = set()

    def table(self, name: str) -> DeltaTable:
        """Return a table at the version that questions read.

        Raises:
            CodelakeError: TABLE_MISSING.
        """
        path = table_location(self._lake, name)
        if not is_delta_table(path):
            raise CodelakeError(
                "TABLE_MISSING",
                f"the lake at `{self._lake}` has no table `{name}`.",
                "run `codelake build REPO` to its end",
            )
        return DeltaTable(path, version=self._pinned.get(name))

    def ask(self, sql: str, **arguments: Any) -> tuple[list[str], list[tuple[Any, ...]]]:
        """Return the columns and rows of a query in Spark's SQL.

        Args:
            sql: one statement that names tables and views of the program; `:name` is an argument.
            arguments: values for the names.
        """
        self._make_known(re.findall(r"\w+", sql.lower()))
        found = self._db.execute(_in_other_words(sql), arguments or None)
        return [column[0] for column in found.description or ()], found.fetchall()

    def rows(self, sql: str, **arguments: Any) -> list[dict[str, Any]]:
        """Return the rows of a query by the names of their columns."""
        columns, found = self.ask(sql, **arguments)
        return [dict(zip(columns, row, strict=True)) for row in found]

    @cached_property
    def _db(self) -> duckdb.DuckDBPyConnection:
        return duckdb.connect()

    def _make_known(self, words: Iterable[str]) -> None:
        """Make tables and views that are named known, after what views read."""
        for name in words:
            dataset = _datasets().get(name)
            if dataset is not None and name not in self._known:
                self._known.add(name)
                self._db.execute(f"create view {name} as {self._rows_of(dataset)}")

    def _rows_of(self, dataset: Dataset) -> str:
        path = table_location(self._lake, dataset.name)
        if dataset.location is None or not is_delta_table(path):
            self._make_known(dataset.refs if dataset.sql else ())
            return _in_other_words(dataset.sql or _no_rows(dataset))
        files = [str(file) for file in data_files(self.table(dataset.name))]
        if not files:
            return _in_other_words(_no_rows(dataset))
        lacking = lacking_columns(dataset.name, path, self._pinned.get(dataset.name))
        defaults = [f"{text} as {column}" for column, text in lacking.items()]
        columns = _in_other_words(f"select {', '.join(['*', *defaults])}")
        listed = ", ".join("'" + file.replace("'", "''") + "'" for file in files)
        return f"{columns} from read_parquet([{listed}], hive_partitioning = false)"


@cache
def _datasets() -> dict[str, Dataset]:
    return {each.name: each for each in read_program(ROOT).datasets}


def _no_rows(dataset: Dataset) -> str:
    typed = (f"cast(null as {column.type}) as {column.name}" for column in dataset.columns)
    return f"select {', '.join(typed)} where false"


def _in_other_words(sql: str) -> str:
    return sqlglot.transpile(sql, read="spark", write="duckdb")[0]
