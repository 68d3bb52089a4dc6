"""Kinds: the vocabulary of the graph as one small table, to read and to join."""

from __future__ import annotations

from codelake.semantic.catalog.columns import columns
from codelake.semantic.ir import Dataset, Kind, Seed

_COLUMNS = columns("element kind:graph_kind meaning example")


def graph_kinds(node_kinds: tuple[Kind, ...], edge_kinds: tuple[Kind, ...]) -> Dataset:
    """Return the seed of all kinds of nodes and edges."""
    listed = [("node", kind) for kind in node_kinds] + [("edge", kind) for kind in edge_kinds]
    rows = tuple((element, kind.name, kind.meaning, kind.example) for element, kind in listed)
    return Dataset(
        "graph_kinds",
        layer="seeds",
        description="Kinds of nodes and edges in the graph, each with its meaning and an example.",
        grain="One row per element and kind.",
        key=("element", "kind"),
        columns=_COLUMNS,
        rows=Seed("graph_kinds", _COLUMNS, rows),
    )
