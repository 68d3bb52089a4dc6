"""Symbols: what a SCIP index says, as one more source of the graph.

symbol_occurrences    an occurrence with the node of the syntax tree at its place
symbol_relationships  which symbol implements which
symbols_seen          SCIP_SYMBOL nodes
rel_symbol_*          DEFINES_SYMBOL, REFERENCES_SYMBOL, IMPLEMENTS_SYMBOL edges
support_of_index      edges of the resolver for which the index speaks too
index_agreement       what index and resolver say of one name: the same, or something else

    def get(): ...      FUNCTION get -DEFINES_SYMBOL-> `p.m`/get().
    get()               NAME get -REFERENCES_SYMBOL-> `p.m`/get().

A lake without an index has no rows here, and Spark leaves them out of its plans. An attribute is
found by its last name, since that is the place that an index names.
"""

from __future__ import annotations

from codelake.semantic.catalog.columns import columns
from codelake.semantic.catalog.relations import Relation, Way
from codelake.semantic.ir import Aggregate, Dataset, Op, Project, Rank, Relate, Source, Union

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
        "token_start": "if(kind = 'ATTRIBUTE', bend - octet_length(name), bstart)",
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
        Aggregate(
            "occurrences_once",
            Relate(
                "occurrences_at_nodes",
                _places,
                Union("named_places", (_definitions, _names)),
                on=(("file_id", "node_file_id"), ("bstart", "token_start"), ("bend", "token_end")),
                take=("node_id",),
                many=True,
            ),
            by=tuple(c.name for c in _COLUMNS),
            note="an index may name a symbol twice at one place, with other roles",
        ),
        {c.name: c.name for c in _COLUMNS},
    ),
)

_PAIR = columns("repo path file_id symbol_id related_id scip_symbol related_symbol")

symbol_relationships = Dataset(
    "symbol_relationships",
    layer="resolution",
    description="Symbols that implement others, as an index says.",
    grain="One row per pair.",
    key=("symbol_id", "related_id"),
    columns=_PAIR,
    rows=Project(
        "implementations",
        Rank(
            "implementations_once",
            Project(
                "implementations_in_files",
                Source("scip_symbol_relationships"),
                {
                    "repo": "repo",
                    "path": "coalesce(path, '')",
                    "file_id": "coalesce(file_id, 0)",
                    "document_idx": "document_idx",
                    "item_no": "item_no",
                    "scip_symbol": "scip_symbol",
                    "related_symbol": "related_symbol",
                    "symbol_id": "scip_symbol_id(coalesce(file_id, 0), scip_symbol)",
                    "related_id": "scip_symbol_id(coalesce(file_id, 0), related_symbol)",
                },
                where="is_implementation and path is not null and file_id is not null",
            ),
            by=("symbol_id", "related_id"),
            order=("repo", "document_idx", "item_no"),
            column="rank",
        ),
        {c.name: c.name for c in _PAIR},
        where="rank = 1",
    ),
)


def _seen(name: str, source: Op, node: str, symbol: str) -> Project:
    return Project(name, source, {"node_id": node, "scip_symbol": symbol})


_related = Source("symbol_relationships")

symbols_seen = Dataset(
    "symbols_seen",
    layer="resolution",
    description="What an index has a name for.",
    grain="One row per symbol.",
    key=("node_id",),
    columns=columns("node_id scip_symbol"),
    rows=Aggregate(
        "symbols_once",
        Union(
            "symbols_of_index",
            (
                _seen("symbols_at_places", _places, "symbol_id", "scip_symbol"),
                _seen("symbols_that_implement", _related, "symbol_id", "scip_symbol"),
                _seen("symbols_implemented", _related, "related_id", "related_symbol"),
            ),
        ),
        by=("node_id", "scip_symbol"),
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

_referenced = Project(
    "referenced",
    Source("symbol_occurrences"),
    {
        **_FILE,
        "name_id": "node_id",
        "symbol_id": "symbol_id",
        "scip_symbol": "scip_symbol",
        "bstart": "bstart",
    },
    where="not is_definition",
)
_defined = Project(
    "defined",
    Source("symbol_occurrences"),
    {"definition_id": "node_id", "defined_symbol_id": "symbol_id"},
    where="is_definition",
)

_links = Project(
    "definitions_found",
    Source("cpg_edges"),
    {c: c for c in ("edge_id", "edge_kind", "src_node_id", "dst_node_id")},
    where="edge_kind = 'IMPORTS' or (edge_kind = 'REFERS_TO' and method = 'held_value')",
)

support_of_index = Project(
    "support_of_index",
    Aggregate(
        "edges_once",
        Relate(
            "symbols_at_both_ends",
            Relate(
                "symbols_of_names",
                _links,
                _referenced,
                on=(("src_node_id", "name_id"),),
                take=("symbol_id",),
                many=True,
            ),
            _defined,
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
)
"""Rows of cpg_edge_support: an index speaks for an edge when it has one symbol at both ends."""

_definition_ids = Project("definitions", Source("ast_defs"), {"def_id": "def_id"})
_indexed = Aggregate(
    "names_with_indexed_definitions",
    Relate(
        "names_with_definitions",
        Relate(
            "names_that_define_nothing",
            _referenced,
            _definition_ids,
            on=(("name_id", "def_id"),),
            how="anti",
        ),
        Relate(
            "defined_functions_and_classes",
            _defined,
            _definition_ids,
            on=(("definition_id", "def_id"),),
        ),
        on=(("symbol_id", "defined_symbol_id"),),
        take=("definition_id",),
        many=True,
        note="overloads share a symbol",
    ),
    by=("repo", "path", "file_id", "name_id", "bstart", "scip_symbol", "definition_id"),
)
_calls = Project(
    "calls_found",
    Source("cpg_edges"),
    {"call_id": "src_node_id", "end_id": "dst_node_id"},
    where="edge_kind = 'CALLS'",
)
_called = Relate(
    "called_names",
    Project(
        "names_that_are_called",
        Source("cpg_edges"),
        {"call_id": "src_node_id", "named_id": "dst_node_id"},
        where="edge_kind = 'AST' and label = 'func'",
    ),
    _calls,
    on=(("call_id", "call_id"),),
    take=("end_id",),
    many=True,
)
_ENDS = {"named_id": "named_id", "end_id": "end_id"}
_resolved = Relate(
    "names_with_resolved_definitions",
    Union(
        "ends_of_names",
        (
            Project("ends_of_links", _links, {"named_id": "src_node_id", "end_id": "dst_node_id"}),
            Project("ends_of_properties", _calls, {"named_id": "call_id", "end_id": "end_id"}),
            Project("ends_of_calls", _called, _ENDS),
        ),
    ),
    Project(
        "resolved_definitions",
        Source("cpg_nodes"),
        {"resolved_id": "node_id", "resolved": "qualified_name"},
    ),
    on=(("end_id", "resolved_id"),),
    take=("resolved",),
)

index_agreement = Dataset(
    "index_agreement",
    layer="surface",
    description="What an index and the resolver say of a name, attribute or import that the index "
    "leads to a definition: the same, another one, or the resolver nothing.",
    grain="One row per name and symbol.",
    key=("node_id", "scip_symbol"),
    columns=columns("repo path file_id node_id bstart? scip_symbol resolved_name? agreement"),
    rows=Project(
        "names_compared",
        Aggregate(
            "names_once",
            Relate(
                "names_with_both",
                _indexed,
                _resolved,
                on=(("name_id", "named_id"),),
                how="left",
                take=("end_id", "resolved"),
                many=True,
            ),
            by=("repo", "path", "file_id", "name_id", "bstart", "scip_symbol"),
            measures={
                "resolved_name": "min(resolved)",
                "ends": "count(end_id)",
                "is_same": "max(coalesce(end_id = definition_id, false))",
            },
        ),
        {
            **_FILE,
            "node_id": "name_id",
            "bstart": "bstart",
            "scip_symbol": "scip_symbol",
            "resolved_name": "resolved_name",
            "agreement": "case when is_same then 'same' when ends = 0 then 'index_only' "
            "else 'other' end",
        },
    ),
)

DATASETS: tuple[Dataset, ...] = (
    symbol_occurrences,
    symbol_relationships,
    symbols_seen,
    index_agreement,
)
