"""Columns of a Delta table at one version, read without Spark.

    delta_columns(path, ["repo", "facts"], version=7, repos=["app"]) -> pa.Table
    data_files(DeltaTable(path)) -> [path / "part-00000.parquet", ...]

The log tells the files and each is read for itself. `DeltaTable.to_pyarrow_table` would do the same
and has two faults: it imports pandas, which takes a third of a second in every process of a build,
and its reading threads may still hold Python objects when the interpreter ends, which then aborts
(seen in 5 to 25 of 100 short processes; delta-rs issue 2184).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.parquet as pq
from deltalake import DeltaTable


def delta_columns(
    path: Path,
    columns: Sequence[str] | None = None,
    *,
    version: int | None = None,
    repos: Collection[str] | None = None,
) -> pa.Table:
    """Read a table.

    Args:
        path: the table's folder.
        columns: what to read; all when not given.
        version: which version; the last when not given.
        repos: the values of `repo` whose rows to keep; all when not given.
    """
    table = DeltaTable(path, version=version)
    schema = pa.schema(table.schema())
    names = list(dict.fromkeys(columns or schema.names))
    wanted = [*names, "repo"] if repos is not None and "repo" not in names else names
    partition = table.metadata().partition_columns
    parts = [
        _keep(_read(path, file, wanted, partition, schema), repos) for file in data_files(table)
    ]
    if not parts:
        return pa.schema([schema.field(name) for name in names]).empty_table()
    # Spark writes a column that has no null as one that may have
    return pa.concat_tables([part.select(names) for part in parts], promote_options="default")


def data_files(table: DeltaTable) -> list[Path]:
    """Return the files of a table; its client percent-encodes the folder, and only the folder."""
    root = table.table_uri.removeprefix("file://")
    return [Path(unquote(root), uri.removeprefix(root)) for uri in table.file_uris()]


def _read(
    path: Path, file: Path, wanted: list[str], partition: list[str], schema: pa.Schema
) -> pa.Table:
    """Read a file; what its rows share as a partition stands in its path alone."""
    part = pq.ParquetFile(file).read([name for name in wanted if name not in partition])
    if partition:
        folders = file.relative_to(path.absolute()).parts[:-1]
        values = {name: unquote(value) for name, _, value in (f.partition("=") for f in folders)}
        for name in (each for each in wanted if each in partition):
            value = pa.scalar(values[name]).cast(schema.field(name).type)
            part = part.append_column(name, pa.repeat(value, part.num_rows))
    return part


def _keep(part: pa.Table, repos: Collection[str] | None) -> pa.Table:
    if repos is None:
        return part
    import pyarrow.compute as pc

    return part.filter(pc.is_in(part["repo"], value_set=pa.array(sorted(repos), pa.string())))
