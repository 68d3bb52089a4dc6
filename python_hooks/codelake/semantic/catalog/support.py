"""Support: everything that speaks for an edge, and where outside names come from.

cpg_edge_support        the method of each edge, and other sources that lead to the same end
external_distributions  distribution of each EXTERNAL node, where something names it

    from lib import f      REFERS_TO NAME f -> FUNCTION lib.f is what the values show (held_value),
    f()                    and what the import says that binds the name (import_statement)
"""

from __future__ import annotations

from codelake.semantic.catalog.columns import columns
from codelake.semantic.catalog.symbols import support_of_index
from codelake.semantic.ir import Aggregate, Dataset, Op, Project, Relate, Source, Union

SUPPORT_COLUMNS = columns("edge_id edge_kind src_node_id dst_node_id origin method confidence?")
_TAKEN = {c.name: c.name for c in SUPPORT_COLUMNS}


def _edges(name: str, kind: str, taken: dict[str, str], where: str = "") -> Project:
    condition = f"edge_kind = '{kind}'" + (f" and {where}" if where else "")
    return Project(name, Source("cpg_edges"), taken, where=condition)


_definitions_of_names = _edges(
    "definitions_of_names",
    "REFERS_TO",
    {c: c for c in ("edge_id", "edge_kind", "src_node_id", "dst_node_id")},
    "method = 'held_value'",
)
_bindings_of_names = _edges(
    "bindings_of_names",
    "REFERS_TO",
    {"name_id": "src_node_id", "binding_id": "dst_node_id"},
    "method = 'symbol_table'",
)
_bound = Relate(
    "names_with_bindings",
    _definitions_of_names,
    _bindings_of_names,
    on=(("src_node_id", "name_id"),),
    take=("binding_id",),
    many=True,
)
_binders = _edges(
    "binders",
    "BINDS",
    {
        "binder_id": "src_node_id",
        "bound_id": "dst_node_id",
        "origin": "origin",
        "method": "method",
        "confidence": "confidence",
    },
)
_imports = _edges(
    "imports_of_definitions",
    "IMPORTS",
    {
        "import_id": "src_node_id",
        "imported_id": "dst_node_id",
        "origin": "origin",
        "method": "method",
        "confidence": "confidence",
    },
)
_SAYS = ("origin", "method", "confidence")

_by_own_binding: Op = Relate(
    "bound_by_definitions",
    _bound,
    _binders,
    on=(("binding_id", "bound_id"), ("dst_node_id", "binder_id")),
    take=_SAYS,
    many=True,
)
_by_import: Op = Relate(
    "bound_by_imports",
    Relate(
        "names_with_binders",
        _bound,
        Project("places_that_bind", _binders, {"binder_id": "binder_id", "bound_id": "bound_id"}),
        on=(("binding_id", "bound_id"),),
        take=("binder_id",),
        many=True,
    ),
    _imports,
    on=(("binder_id", "import_id"), ("dst_node_id", "imported_id")),
    take=_SAYS,
    many=True,
)

cpg_edge_support = Dataset(
    "cpg_edge_support",
    layer="cpg",
    description="What speaks for an edge: its own method, and other sources with the same end.",
    grain="One row per edge, origin and method.",
    key=("edge_id", "origin", "method"),
    columns=SUPPORT_COLUMNS,
    rows=Aggregate(
        "support_once",
        Union(
            "support",
            (
                Project("support_of_methods", Source("cpg_edges"), _TAKEN),
                Project("support_of_bindings", _by_own_binding, _TAKEN),
                Project("support_of_imports", _by_import, _TAKEN),
                support_of_index,
            ),
        ),
        by=tuple(_TAKEN)[:-1],
        measures={"confidence": "max(confidence)"},
    ),
)

_FIRST = "substring_index({}, '.', 1)"

external_distributions = Dataset(
    "external_distributions",
    layer="surface",
    description="Distribution that each EXTERNAL node comes from, where one is named for it.",
    grain="One row per EXTERNAL node.",
    key=("node_id",),
    columns=columns("node_id qualified_name status dist_name? dist_version?"),
    rows=Project(
        "distributions_of_externals",
        Relate(
            "externals_with_distributions",
            Project(
                "externals",
                Source("cpg_nodes"),
                {
                    "node_id": "node_id",
                    "qualified_name": "coalesce(qualified_name, '')",
                    "top_name": _FIRST.format("coalesce(qualified_name, '')"),
                },
                where="node_kind = 'EXTERNAL'",
            ),
            Aggregate(
                "distributions_of_top_names",
                Project(
                    "interfaces",
                    Source("python_external_interfaces"),
                    {
                        "module_top": _FIRST.format("name"),
                        "status": "status",
                        "dist_name": "dist_name",
                        "dist_version": "dist_version",
                    },
                    where="rank = 1 and status <> 'unknown'",
                ),
                by=("module_top",),
                measures={
                    "status": "min(status)",
                    "dist_name": "min(dist_name)",
                    "dist_version": "min(dist_version)",
                    "last_name": "max(dist_name)",
                },
            ),
            on=(("top_name", "module_top"),),
            how="left",
            take=("status", "dist_name", "dist_version", "last_name"),
        ),
        {
            "node_id": "node_id",
            "qualified_name": "qualified_name",
            "status": "coalesce(status, if(top_name = 'builtins', 'stdlib', 'unknown'))",
            "dist_name": "if(dist_name = last_name, dist_name, null)",
            "dist_version": "if(dist_name = last_name, dist_version, null)",
        },
    ),
)

DATASETS: tuple[Dataset, ...] = (cpg_edge_support, external_distributions)
