"""Thin shell that Spark finds by name: the data source `codelake`.

    create temporary view scanned using codelake options (plan '<plan file>')
    create temporary view scanned using codelake options (plan '<plan file>', part 'resolution')

Files in, evidence rows out: the plan file (codelake/run/scan_plan.py) names the files; each
partition is a list of about the same number of bytes, each Arrow batch the evidence of some.
Evidence in, answers out: the plan file (codelake/run/resolve_plan.py) names groups of repositories
that import each other; each is a partition.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec
import pyarrow as pa
from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition

from codelake.evidence.rows import PARTS, spark_ddl
from codelake.extract.isolation import extract_isolated
from codelake.resolve.resolve_lake import ResolvePlan, resolve_group
from codelake.resolve.resolved_rows import RESOLUTION
from codelake.sources.plan import balance, read_plan
from codelake.sources.scan import ScannedFile

_PARTITION_BYTES = 1_000_000
_WORKER_BYTES = 250_000
"""Below this a second Python worker costs more than it brings."""


@dataclass
class FilesPartition(InputPartition):
    """The files that one task reads."""

    files: list[ScannedFile]


class CodelakeReader(DataSourceReader):
    """Turns the plan into partitions and partitions into Arrow batches."""

    def __init__(self, options: dict[str, str]) -> None:
        self._plan = options["plan"]
        self._salt = int(options.get("id_salt", "0"))
        self._parallelism = int(options.get("parallelism", "2"))
        self._part = options["part"]

    def partitions(self) -> list[InputPartition]:
        """Split the plan's files into lists of about the same number of bytes."""
        files = read_plan(self._plan).changed
        size = sum(file.size for file in files)
        rounds = -(-size // (_PARTITION_BYTES * self._parallelism))
        parts = max(rounds * self._parallelism, 1) if size > _WORKER_BYTES else 1
        return [FilesPartition(part) for part in balance(files, parts)] or [FilesPartition([])]

    def read(self, partition: FilesPartition) -> Iterator[pa.RecordBatch]:
        """Extract one partition, a batch at a time, so that memory stays bounded."""
        return extract_isolated(partition.files, self._salt, part=self._part)


@dataclass
class GroupPartition(InputPartition):
    """The repositories that one task resolves together."""

    repos: tuple[str, ...]


class ResolutionReader(DataSourceReader):
    """Resolves each group of repositories in a task of its own."""

    def __init__(self, options: dict[str, str]) -> None:
        self._salt = int(options.get("id_salt", "0"))
        self._plan = msgspec.json.decode(Path(options["plan"]).read_bytes(), type=ResolvePlan)

    def partitions(self) -> list[InputPartition]:
        """Return a partition per group."""
        return [GroupPartition(repos) for repos in self._plan.groups]

    def read(self, partition: GroupPartition) -> Iterator[pa.RecordBatch]:
        """Resolve one group."""
        plan = self._plan
        yield resolve_group(Path(plan.evidence), plan.version, partition.repos, self._salt)


class DefaultSource(DataSource):
    """The data source, registered by Spark because of this module's name."""

    @classmethod
    def name(cls) -> str:
        """Return the format's name in SQL."""
        return "codelake"

    def schema(self) -> str:
        """Return the row of the part as Spark DDL."""
        return spark_ddl(RESOLUTION if self._resolves() else PARTS[self.options["part"]])

    def reader(self, schema: object) -> DataSourceReader:  # noqa: ARG002
        """Return the reader of one scan."""
        return ResolutionReader(self.options) if self._resolves() else CodelakeReader(self.options)

    def _resolves(self) -> bool:
        return bool(self.options["part"] == "resolution")
