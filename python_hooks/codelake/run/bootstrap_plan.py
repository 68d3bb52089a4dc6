"""What a zero-row bootstrap makes: every dataset of the program, with its role.

    plan_bootstrap(program)[0] -> PlannedDataset(name="ast_defs", role="extract_nested", ...)

    semantic_input       tables of what was read, and the program's own rows
    extract_nested       views over the nested evidence
    relationship_schema  rel_*
    semantic_output      resolution, graph, surface and checks
    internal             run and lake tables that Python writes

Required is what the graph and its checks are made from, but for evidence on request.
"""

from __future__ import annotations

import hashlib
from typing import Literal

import msgspec

from codelake.compile.program import Dataset, Program
from codelake.run.catalogue import relative_location
from codelake.run.project import ON_REQUEST, OWN_TABLES

type Role = Literal[
    "semantic_input", "extract_nested", "relationship_schema", "semantic_output", "internal"
]


class PlannedDataset(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One dataset that a bootstrap looks after; a view has no location."""

    name: str
    role: Role
    required: bool
    location: str | None
    schema_hash: str


def plan_bootstrap(program: Program) -> tuple[PlannedDataset, ...]:
    """Return what a bootstrap makes, sorted by name."""
    needed = program.needed()
    planned = [
        PlannedDataset(
            name=dataset.name,
            role=_role(dataset),
            required=dataset.name in needed and dataset.name not in ON_REQUEST,
            location=dataset.location,
            schema_hash=schema_hash(dataset),
        )
        for dataset in program.datasets
    ]
    planned += [
        PlannedDataset(
            name=name,
            role="internal",
            required=False,
            location=relative_location(name),
            schema_hash="",
        )
        for name in OWN_TABLES
    ]
    return tuple(sorted(planned, key=lambda each: each.name))


def schema_hash(dataset: Dataset) -> str:
    """Hash the columns of a dataset: name, type, nullability, semantic type."""
    text = msgspec.json.encode(dataset.columns, order="deterministic")
    return hashlib.sha256(text).hexdigest()[:16]


def _role(dataset: Dataset) -> Role:
    if dataset.layer == "semantic":
        return "relationship_schema"
    if dataset.layer == "seeds":
        return "semantic_input"
    if dataset.layer == "evidence":
        made = dataset.write is not None and dataset.write.strategy in ("extract", "gather")
        return "semantic_input" if made else "extract_nested"
    return "semantic_output"
