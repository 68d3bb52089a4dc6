"""Kinds: the vocabulary of nodes and edges, as two small tables to read and to join."""

from __future__ import annotations

from codelake.semantic.catalog.columns import columns
from codelake.semantic.ir import Dataset, Kind, Seed


def kind_datasets(
    node_kinds: tuple[Kind, ...], edge_kinds: tuple[Kind, ...]
) -> tuple[Dataset, ...]:
    """Return `node_kinds` and `edge_kinds`."""
    return (_dataset("node", node_kinds), _dataset("edge", edge_kinds))


def _dataset(what: str, kinds: tuple[Kind, ...]) -> Dataset:
    listed = columns(f"{what}_kind meaning example")
    rows = tuple((kind.name, kind.meaning, kind.example) for kind in kinds)
    return Dataset(
        f"{what}_kinds",
        layer="seeds",
        description=f"Kinds of {what}s in the graph, each with its meaning and an example.",
        grain=f"One row per {what}_kind.",
        key=(f"{what}_kind",),
        columns=listed,
        rows=Seed(f"{what}_kinds", listed, rows),
    )
