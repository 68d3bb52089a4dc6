"""Thin shell that Spark finds by name: the data source `codelake`.

    create temporary view scanned using codelake options (plan '<plan file>')
    create temporary view scanned using codelake options (plan '<plan file>', part 'resolution')

Files in, evidence rows out: the plan file (codelake/run/scan_plan.py) names the files; each
partition is a list of about the same number of bytes, each Arrow batch the evidence of some.
Evidence in, answers out: the plan file (codelake/run/resolve_plan.py) names groups of repositories
that import each other; each is a partition.

Spark starts a Python process to look the source up, one to make it, one to plan and those that
read, so only the last import what reads.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition

if TYPE_CHECKING:
    import pyarrow as pa

    from codelake.sources.scan import ScannedFile

_PARTITION_BYTES = 1_000_000
_WORKER_BYTES = 250_000
"""Below this a second Python worker costs more than it brings."""


@dataclass
class FilesPartition(InputPartition):
    """The files that one task reads."""

    files: list[ScannedFile]
    layers: tuple[str, ...]


class CodelakeReader(DataSourceReader):
    """Turns the plan into partitions and partitions into Arrow batches."""

    def __init__(self, options: dict[str, str]) -> None:
        self._plan = options["plan"]
        self._salt = int(options.get("id_salt", "0"))
        self._parallelism = int(options.get("parallelism", "2"))
        self._part = options["part"]

    def partitions(self) -> list[InputPartition]:
        """Split the plan's files into lists of about the same number of bytes."""
        from codelake.sources.plan import balance, read_plan

        plan = read_plan(self._plan)
        size = sum(file.size for file in plan.changed)
        rounds = -(-size // (_PARTITION_BYTES * self._parallelism))
        parts = max(rounds * self._parallelism, 1) if size > _WORKER_BYTES else 1
        lists = balance(plan.changed, parts) or [[]]
        return [FilesPartition(files, plan.layers) for files in lists]

    def read(self, partition: FilesPartition) -> Iterator[pa.RecordBatch]:
        """Extract one partition, a batch at a time, so that memory stays bounded."""
        from codelake.extract.isolation import extract_isolated

        files, layers = partition.files, partition.layers
        return extract_isolated(files, self._salt, part=self._part, layers=layers)


@dataclass
class GroupPartition(InputPartition):
    """The repositories that one task resolves together, and the evidence they are in."""

    evidence: str
    version: int
    repos: tuple[str, ...]


class ResolutionReader(DataSourceReader):
    """Resolves each group of repositories in a task of its own."""

    def __init__(self, options: dict[str, str]) -> None:
        self._salt = int(options.get("id_salt", "0"))
        self._plan = options["plan"]

    def partitions(self) -> list[InputPartition]:
        """Return a partition per group."""
        from codelake.resolve.groups import read_resolve_plan

        plan = read_resolve_plan(self._plan)
        groups = plan.groups or ((),)
        return [GroupPartition(plan.evidence, plan.version, repos) for repos in groups]

    def read(self, partition: GroupPartition) -> Iterator[pa.RecordBatch]:
        """Resolve one group."""
        from codelake.resolve.resolve_lake import resolve_group

        evidence = Path(partition.evidence)
        if partition.repos:
            yield resolve_group(evidence, partition.version, partition.repos, self._salt)


class DefaultSource(DataSource):
    """The data source, registered by Spark because of this module's name."""

    @classmethod
    def name(cls) -> str:
        """Return the format's name in SQL."""
        return "codelake"

    def schema(self) -> str:
        """Return the row of the part as Spark DDL."""
        from codelake.evidence.rows import PARTS, spark_ddl

        if not self._resolves():
            return spark_ddl(PARTS[self.options["part"]])
        from codelake.resolve.resolved_rows import RESOLUTION

        return spark_ddl(RESOLUTION)

    def reader(self, schema: object) -> DataSourceReader:  # noqa: ARG002
        """Return the reader of one scan."""
        return ResolutionReader(self.options) if self._resolves() else CodelakeReader(self.options)

    def _resolves(self) -> bool:
        return bool(self.options["part"] == "resolution")
