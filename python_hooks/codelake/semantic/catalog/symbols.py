"""Symbols: what a SCIP index says, as nodes and edges beside the graph.

symbol_occurrences   an occurrence with the node of the syntax tree at its place
symbol_nodes         SCIP_SYMBOL nodes
rel_symbol_*         DEFINES_SYMBOL, REFERENCES_SYMBOL, IMPLEMENTS_SYMBOL edges
symbol_support       edges of the graph for which the index speaks too

    def get(): ...      FUNCTION get -DEFINES_SYMBOL-> `p.m`/get().
    get()               NAME get -REFERENCES_SYMBOL-> `p.m`/get().

They are views: a lake without an index has none of them, and its build pays nothing for them.
An attribute is found by its last name, since that is the place that an index names.
"""

from __future__ import annotations

from codelake.semantic.catalog.columns import columns
from codelake.semantic.catalog.relations import Relation, Way, relation_dataset
from codelake.semantic.catalog.support import SUPPORT_COLUMNS, definitions_of_names
from codelake.semantic.ir import Aggregate, Dataset, Project, Relate, Source, Union

_SYMBOL = "scip_symbol_id(file_id, coalesce(scip_symbol, ''))"
_FILE = {"repo": "repo", "path": "path", "file_id": "file_id"}

_places = Project(
    "places_of_symbols",
    Source("scip_occurrences"),
    {
        **_FILE,
        "symbol_id": _SYMBOL,
        "scip_symbol": "coalesce(scip_symbol, '')",
        "is_definition": "is_definition",
        "bstart": "bstart",
        "bend": "bend",
    },
    where="scip_symbol is not null and bstart is not null",
)
_definitions = Project(
    "named_definitions",
    Source("ast_defs"),
    {
        "node_id": "def_id",
        "node_file_id": "file_id",
        "token_start": "name_bstart",
        "token_end": "name_bend",
    },
    where="name_bstart is not null",
)
_names = Project(
    "named_nodes",
    Source("ast_nodes"),
    {
        "node_id": "node_id",
        "node_file_id": "file_id",
        "token_start": "if(kind = 'ATTRIBUTE', bend - length(name), bstart)",
        "token_end": "bend",
    },
    where="kind in ('NAME', 'ATTRIBUTE', 'IMPORT', 'PARAMETER')",
)

_COLUMNS = columns("repo path file_id node_id symbol_id scip_symbol is_definition bstart? bend?")

symbol_occurrences = Dataset(
    "symbol_occurrences",
    layer="resolution",
    description="Occurrences of symbols in an index, with the node at their place.",
    grain="One row per node and symbol.",
    key=("node_id", "symbol_id", "is_definition"),
    columns=_COLUMNS,
    rows=Project(
        "occurrences_of_nodes",
        Relate(
            "occurrences_at_nodes",
            _places,
            Union("named_places", (_definitions, _names)),
            on=(("file_id", "node_file_id"), ("bstart", "token_start"), ("bend", "token_end")),
            take=("node_id",),
            many=True,
        ),
        {c.name: c.name for c in _COLUMNS},
    ),
)

symbol_nodes = Dataset(
    "symbol_nodes",
    layer="resolution",
    description="SCIP_SYMBOL nodes: what an index has a name for.",
    grain="One row per symbol.",
    key=("node_id",),
    columns=columns("node_id node_kind scip_symbol"),
    rows=Project(
        "symbols",
        Aggregate("symbols_once", _places, by=("symbol_id", "scip_symbol")),
        {"node_id": "symbol_id", "node_kind": "'SCIP_SYMBOL'", "scip_symbol": "scip_symbol"},
    ),
)

symbol_relationships = Dataset(
    "symbol_relationships",
    layer="resolution",
    description="Symbols that implement others, as an index says.",
    grain="One row per pair and file.",
    key=("file_id", "symbol_id", "related_id"),
    columns=columns("repo path file_id symbol_id related_id"),
    rows=Project(
        "implementations",
        Source("scip_symbol_relationships"),
        {
            "repo": "repo",
            "path": "coalesce(path, '')",
            "file_id": "coalesce(file_id, 0)",
            "symbol_id": "scip_symbol_id(coalesce(file_id, 0), scip_symbol)",
            "related_id": "scip_symbol_id(coalesce(file_id, 0), related_symbol)",
        },
        where="is_implementation and path is not null",
    ),
)


def _relation(name: str, kind: str, meaning: str, example: str, way: Way) -> Relation:
    return Relation(
        name,
        kind,
        meaning=meaning,
        example=example,
        ways=(way,),
        origin="scip",
        method="scip_index",
    )


_NO_PLACE = "cast(null as int)"

RELATIONS: tuple[Relation, ...] = (
    _relation(
        "rel_symbol_definitions",
        "DEFINES_SYMBOL",
        "definition, name or parameter -> SCIP_SYMBOL.",
        "`def get(): ...`: FUNCTION get -> `p.m`/get().",
        Way(symbol_occurrences, "node_id", "symbol_id", when="is_definition"),
    ),
    _relation(
        "rel_symbol_references",
        "REFERENCES_SYMBOL",
        "name, attribute or import -> SCIP_SYMBOL.",
        "`get()`: NAME get -> `p.m`/get().",
        Way(symbol_occurrences, "node_id", "symbol_id", when="not is_definition"),
    ),
    _relation(
        "rel_symbol_implementations",
        "IMPLEMENTS_SYMBOL",
        "SCIP_SYMBOL -> the symbol that it implements.",
        "`class B(A): ...`: `p.m`/B# -> `p.m`/A#",
        Way(symbol_relationships, "symbol_id", "related_id", bstart=_NO_PLACE, bend=_NO_PLACE),
    ),
)

symbol_support = Dataset(
    "symbol_support",
    layer="surface",
    description="REFERS_TO edges for which an index speaks: it has one symbol at both ends.",
    grain="One row per edge.",
    key=("edge_id",),
    columns=SUPPORT_COLUMNS,
    rows=Project(
        "edges_with_symbols",
        Aggregate(
            "edges_once",
            Relate(
                "symbols_at_both_ends",
                Relate(
                    "symbols_of_names",
                    definitions_of_names,
                    Project(
                        "referenced",
                        Source("symbol_occurrences"),
                        {"name_id": "node_id", "symbol_id": "symbol_id"},
                        where="not is_definition",
                    ),
                    on=(("src_node_id", "name_id"),),
                    take=("symbol_id",),
                    many=True,
                ),
                Project(
                    "defined",
                    Source("symbol_occurrences"),
                    {"definition_id": "node_id", "defined_symbol_id": "symbol_id"},
                    where="is_definition",
                ),
                on=(("symbol_id", "defined_symbol_id"), ("dst_node_id", "definition_id")),
                many=True,
            ),
            by=("edge_id", "edge_kind", "src_node_id", "dst_node_id"),
        ),
        {
            **{c: c for c in ("edge_id", "edge_kind", "src_node_id", "dst_node_id")},
            "origin": "'scip'",
            "method": "'scip_index'",
            "confidence": "cast(null as double)",
        },
    ),
)

DATASETS: tuple[Dataset, ...] = (
    symbol_occurrences,
    symbol_nodes,
    symbol_relationships,
    *map(relation_dataset, RELATIONS),
    symbol_support,
)
