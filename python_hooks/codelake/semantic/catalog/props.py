"""Properties of nodes, and copies of the edges sorted for one way of asking.

cpg_props          one row per node and property, for whoever wants names and values
cpg_props_map      one row per node, all properties in a map
cpg_edges_by_src   the edges sorted by the node where they start
cpg_edges_by_dst   the edges sorted by the node where they end

All are views; the profile `accelerators` keeps the last three as tables, whose files are skipped
by node: a walk from one node reads a few files of a large lake.
"""

from __future__ import annotations

from codelake.semantic.catalog.columns import columns
from codelake.semantic.catalog.graph import EDGE_TABLE_COLUMNS
from codelake.semantic.ir import Dataset, Explode, Project, Source, Union, Write

_PROFILE = "accelerators"
_OWN = {
    "node_kind": "node_kind",
    "syntax": "syntax",
    "node_name": "name",  # attributes of imports have a `name` of their own
    "qualified_name": "qualified_name",
    "origin": "origin",
}
_PAIRS = ", ".join(f"'{prop}', {column}" for prop, column in _OWN.items())
_PLACE = {"repo": "repo", "path": "path", "file_id": "file_id", "node_id": "node_id"}


def _own(prop: str, column: str) -> Project:
    return Project(
        f"{prop}_props",
        Source("cpg_nodes"),
        {**_PLACE, "prop": f"'{prop}'", "str_value": f"coalesce({column}, '')"},
        where=f"{column} is not null",
    )


_attrs = Project(
    "attribute_props",
    Explode(
        "attributes_exploded",
        Project(
            "nodes_with_attributes",
            Source("cpg_nodes"),
            {**_PLACE, "entries": "map_entries(attrs)"},
            where="attrs is not null",
        ),
        "entries",
        "entry",
    ),
    {**_PLACE, "prop": "entry.key", "str_value": "coalesce(entry.value, '')"},
    where="entry.value is not null",
)

cpg_props = Dataset(
    "cpg_props",
    layer="cpg",
    description="Properties of nodes as names and values.",
    grain="One row per node and property.",
    key=("node_id", "prop"),
    columns=columns("repo path file_id? node_id prop str_value"),
    rows=Union("props", (*(_own(prop, column) for prop, column in _OWN.items()), _attrs)),
)

cpg_props_map = Dataset(
    "cpg_props_map",
    layer="cpg",
    description="All properties of a node in one map.",
    grain="One row per node.",
    key=("node_id",),
    columns=columns("repo path file_id? node_id props"),
    rows=Project(
        "props_of_nodes",
        Source("cpg_nodes"),
        {
            **_PLACE,
            "props": f"map_concat(map({_PAIRS}), coalesce(attrs, map()))",
        },
    ),
    write=Write("replace_by_key", key="file_id", stats=("file_id", "node_id"), profile=_PROFILE),
)


def _sorted_edges(end: str) -> Dataset:
    name = f"{end}_node_id"
    return Dataset(
        f"cpg_edges_by_{end}",
        layer="cpg",
        description=f"The edges of the graph, sorted by {name}.",
        grain="One row per edge.",
        key=("edge_id",),
        columns=EDGE_TABLE_COLUMNS,
        rows=Project(
            f"edges_by_{end}", Source("cpg_edges"), {c.name: c.name for c in EDGE_TABLE_COLUMNS}
        ),
        write=Write(
            "replace_by_key",
            key="file_id",
            stats=("file_id", name),
            profile=_PROFILE,
            order=(name, "edge_kind"),
        ),
    )


DATASETS: tuple[Dataset, ...] = (
    cpg_props,
    cpg_props_map,
    _sorted_edges("src"),
    _sorted_edges("dst"),
)
