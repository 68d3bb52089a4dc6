"""Clustered tables: what the Delta log says of them, and how one comes to be.

    clustering_columns(path)   -> ("file_id", "bstart"), from the domain metadata `delta.clustering`
    only_spark_writes(path)    -> whether `deltalake` refuses to write to it
    clustered(actions, ["id"]) -> the first commit of a table, made that of a clustered one

Clustering is a feature of writers alone: `deltalake`, Polars and DuckDB read such a table as any
other, but `deltalake` 1.6 commits nothing to it. So its rows, its properties and its care go
through Spark. Spark's plain overwrite forgets the columns, one with `replaceWhere` keeps them.
A table that was clustered once keeps the feature, and stays with Spark.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from deltalake import DeltaTable

DOMAIN = "delta.clustering"
FEATURES = ("clustering", "domainMetadata")
MAX_COLUMNS = 4
"""Delta's own limit."""

_LEGACY = {
    2: ("appendOnly", "invariants"),
    3: ("appendOnly", "checkConstraints", "invariants"),
    4: ("appendOnly", "changeDataFeed", "checkConstraints", "generatedColumns", "invariants"),
}
"""What a writer version below 7 stands for, as features."""


def only_spark_writes(path: Path, table: DeltaTable | None = None) -> bool:
    """Tell whether `deltalake` refuses to write to a table.

    Args:
        path: the table's folder.
        table: the same, where somebody opened it already.
    """
    named = (table or DeltaTable(path)).protocol().writer_features or ()
    return bool(set(FEATURES) & set(named))


def clustering_columns(path: Path, table: DeltaTable | None = None) -> tuple[str, ...]:
    """Return the columns by which a table is clustered; none when it is not.

    Args:
        path: the table's folder.
        table: the same, where somebody opened it already.
    """
    table = table or DeltaTable(path)
    if not only_spark_writes(path, table):
        return ()
    log = path / "_delta_log"
    for version in range(table.version(), -1, -1):
        commit = log / f"{version:020}.json"
        lines = commit.read_text("utf-8").splitlines() if commit.exists() else ()
        found = _columns(json.loads(line).get("domainMetadata") for line in lines)
        if found is not None:
            return found
        checkpoints = sorted(log.glob(f"{version:020}.checkpoint*.parquet"))
        if checkpoints:
            return _columns(row for file in checkpoints for row in _domains(file)) or ()
    return ()


def clustered(actions: list[dict[str, Any]], columns: Sequence[str]) -> list[dict[str, Any]]:
    """Return the actions of a first commit with clustering added.

    Args:
        actions: as `deltalake` wrote them.
        columns: by which the table is to be clustered.
    """
    configuration = {"clusteringColumns": [[name] for name in columns], "domainName": DOMAIN}
    domain = {"domain": DOMAIN, "configuration": json.dumps(configuration), "removed": False}
    made = [
        {"protocol": _with_features(action["protocol"])} if "protocol" in action else action
        for action in actions
    ]
    return [*made, {"domainMetadata": domain}]


def _with_features(protocol: dict[str, Any]) -> dict[str, Any]:
    had = protocol.get("writerFeatures") or _LEGACY[protocol["minWriterVersion"]]
    return {**protocol, "minWriterVersion": 7, "writerFeatures": sorted({*had, *FEATURES})}


def _columns(domains: Iterable[dict[str, Any] | None]) -> tuple[str, ...] | None:
    for domain in domains:
        if domain and domain["domain"] == DOMAIN:
            named = json.loads(domain["configuration"])["clusteringColumns"]
            return () if domain["removed"] else tuple(".".join(parts) for parts in named)
    return None


def _domains(checkpoint: Path) -> list[dict[str, Any] | None]:
    file = pq.ParquetFile(checkpoint)
    if "domainMetadata" not in file.schema_arrow.names:
        return []
    found: list[dict[str, Any] | None] = file.read(["domainMetadata"])["domainMetadata"].to_pylist()
    return found
