"""The shape of a relation: what every kind of edge is declared with.

    Relation("rel_receivers", "RECEIVER", meaning, example, ways=(
        Way("ast_nodes", src="call_id", dst="node_id"),
    ))

A way is one manner in which the relation comes about: the dataset that shows it, both ends, and
the condition. An end that may be null there is tested for null by itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from codelake.semantic.catalog.columns import columns
from codelake.semantic.ir import Column, Dataset, Kind, Op, Place, Project, Source, Union, here

EDGE_COLUMNS = columns(
    "edge_kind src_node_id dst_node_id label ordinal:edge_ordinal? repo path file_id bstart? bend? "
    "origin method rank ambiguity_group_id?"
)


@dataclass(frozen=True, slots=True)
class Way:
    """One manner in which a relation comes about; its own `origin` and `method` go first.

    `values` are expressions for further columns of an edge, and go before everything else.
    """

    source: Dataset
    src: str
    dst: str
    when: str | None = None
    label: str = "''"
    ordinal: str = "cast(null as int)"
    bstart: str = "bstart"
    bend: str = "bend"
    name: str = ""
    origin: str = ""
    method: str = ""
    values: Mapping[str, str] = field(default_factory=dict)
    place: Place = field(default_factory=here, compare=False)


@dataclass(frozen=True, slots=True)
class Relation:
    """One kind of edge, or several that stand in one dataset and are told apart there.

    `origin` and `method` say where it comes from; how far to trust a method is in confidence.py.
    """

    name: str
    edge_kind: str = ""
    meaning: str = ""
    example: str = ""
    ways: tuple[Way, ...] = ()
    origin: str = "ast"
    method: str = "syntax"
    kinds: tuple[Kind, ...] = ()
    place: Place = field(default_factory=here, compare=False)

    @property
    def edge_kinds(self) -> tuple[Kind, ...]:
        """Return the kinds of edges that the relation brings."""
        return self.kinds or (Kind(self.edge_kind, self.meaning, self.example),)


def relation_dataset(relation: Relation) -> Dataset:
    """Return the view of a relation."""
    steps: tuple[Op, ...] = tuple(_project(relation, way) for way in relation.ways)
    rows = steps[0]
    if len(steps) > 1:
        rows = Union(relation.name.removeprefix("rel_"), steps, place=relation.place)
    key = ("src_node_id", "dst_node_id", "label")
    return Dataset(
        relation.name,
        layer="semantic",
        description=_description(relation),
        grain="One row per edge.",
        key=("edge_kind", *key) if relation.kinds else key,
        columns=EDGE_COLUMNS,
        rows=rows,
        place=relation.place,
    )


def _description(relation: Relation) -> str:
    if relation.edge_kind:
        return f"{relation.edge_kind} edges: {relation.meaning}"
    return f"{', '.join(kind.name for kind in relation.kinds)} edges."


def _project(relation: Relation, way: Way) -> Project:
    own = {
        "edge_kind": f"'{relation.edge_kind}'",
        "src_node_id": way.src,
        "dst_node_id": way.dst,
        "label": way.label,
        "ordinal": way.ordinal,
        "bstart": way.bstart,
        "bend": way.bend,
        "origin": f"'{way.origin or relation.origin}'",
        "method": f"'{way.method or relation.method}'",
        "rank": "1",
        "ambiguity_group_id": "cast(null as bigint)",
        **way.values,
    }
    values = [(c.name, own.get(c.name, c.name)) for c in EDGE_COLUMNS]
    name = way.name or relation.name.removeprefix("rel_")
    where = _where(way)
    return Project(name, Source(way.source.name, way.place), tuple(values), where, place=way.place)


def _where(way: Way) -> str | None:
    """Join the condition of a way with the null tests of its ends."""
    parts = [f"({way.when})" if " or " in (way.when or "") else way.when] if way.when else []
    for end in dict.fromkeys((way.src, way.dst, way.label)):
        found: Column | None = way.source.column(end)
        if found is not None and found.nullable:
            parts.append(f"{end} is not null")
    return " and ".join(part for part in parts if part) or None
