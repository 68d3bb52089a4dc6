"""Resolution: the table of answers across files, views of it, and the relations it brings.

resolution        one row per file, nested arrays; made by codelake/resolve from the evidence
resolved_links    every answer as an edge
unresolved_calls  calls without a target, and why
externals_seen    what files use that lies outside all repositories
resolved_fields   fields of classes that something reads or writes
"""

from __future__ import annotations

from codelake.resolve.resolved_rows import ARRAYS, RESOLUTION
from codelake.semantic.catalog.files import arrow_columns
from codelake.semantic.catalog.nested import nested_view
from codelake.semantic.catalog.relations import Relation, Way
from codelake.semantic.ir import Dataset, Kind, Scan, Source, Write

_OPTIONAL = {struct: [each.name for each in struct if each.nullable] for struct in ARRAYS.values()}
_COLUMNS = arrow_columns(RESOLUTION, _OPTIONAL)

resolution = Dataset(
    "resolution",
    layer="resolution",
    description="What names, values and calls mean across files, as nested arrays.",
    grain="One row per file that has facts.",
    key=("file_id",),
    columns=_COLUMNS,
    rows=Scan("resolved_files", "scanned_files", _COLUMNS, reads=(Source("evidence"),)),
    write=Write("resolve", key="file_id", part="resolution"),
)

resolved_links = nested_view(
    "resolved_links",
    "links",
    element="link",
    description="Every answer of resolution, as an edge of the graph.",
    grain="One row per kind, ends and label.",
    key=("kind", "src_node_id", "dst_node_id", "label"),
    table="resolution",
    layer="resolution",
    with_columns={},
    shape="kind:link_kind src_node_id dst_node_id label ordinal:edge_ordinal? method rank "
    "ambiguity_group_id=group_id?",
    values={},
)

unresolved_calls = nested_view(
    "unresolved_calls",
    "unresolved",
    element="entry",
    description="Calls of which no target is known, and why.",
    grain="One row per call.",
    key=("call_id",),
    table="resolution",
    layer="resolution",
    with_columns={},
    shape="call_id unknown_reason=reason",
    values={},
)

externals_seen = nested_view(
    "externals_seen",
    "externals",
    element="name",
    description="What a file uses that lies outside all repositories.",
    grain="One row per file and name.",
    key=("file_id", "node_id"),
    table="resolution",
    layer="resolution",
    with_columns={},
    shape="node_id outside_name=name",
    values={},
)

resolved_fields = nested_view(
    "resolved_fields",
    "fields",
    element="entry",
    description="Fields of classes that something reads or writes.",
    grain="One row per field.",
    key=("node_id",),
    table="resolution",
    layer="resolution",
    with_columns={},
    shape="node_id class_id name:field_name qualified_name",
    values={},
)

DATASETS: tuple[Dataset, ...] = (
    resolution,
    resolved_links,
    unresolved_calls,
    externals_seen,
    resolved_fields,
)

RELATIONS: tuple[Relation, ...] = (
    Relation(
        "rel_resolved",
        kinds=(
            Kind(
                "CALLS",
                "call -> what it calls: a definition or an EXTERNAL name. The label tells "
                "`implicit` calls of special methods and `callback`s.",
                "`f(x)`: CALL f -> FUNCTION f; `C()`: CALL C -> CLASS C, FUNCTION C.__init__",
            ),
            Kind(
                "PASSES",
                "argument -> the PARAMETER that it is bound to.",
                "`f(x)` with `def f(a)`: NAME x -> PARAMETER a",
            ),
            Kind(
                "RESULT_OF",
                "returned expression -> a call whose result it may be.",
                "`def f(): return y` and `f()`: NAME y -> CALL f",
            ),
            Kind(
                "IMPORTS",
                "imported name -> MODULE, definition or EXTERNAL that it brings, through "
                "re-exports: a decorated one, and what its decorator made. A name that holds "
                "another value leads to the MODULE.",
                "`from shop import Cart`: IMPORT Cart -> CLASS shop.cart.Cart",
            ),
            Kind(
                "EXPORTS",
                "module -> what `from module import *` takes from it; the label is the name. "
                "A plain value leads to the MODULE that it is taken from.",
                "`from .cart import Cart` in `shop`: MODULE shop -Cart-> CLASS shop.cart.Cart",
            ),
            Kind(
                "INHERITS",
                "class -> direct base; the ordinal is the place of the base in the method "
                "resolution order.",
                "`class B(A): ...`: CLASS B -> CLASS A, ordinal 1",
            ),
            Kind(
                "OVERRIDES",
                "method -> the method that it hides, next in the order of its class.",
                "`f` in `class B(A)`: FUNCTION B.f -> FUNCTION A.f",
            ),
            Kind(
                "READS_FIELD",
                "attribute -> FIELD whose value it reads.",
                "`self.total` in `Cart`: ATTRIBUTE -> FIELD Cart.total",
            ),
            Kind(
                "WRITES_FIELD",
                "attribute -> FIELD that it gives a value.",
                "`self.total = 0` in `Cart`: ATTRIBUTE -> FIELD Cart.total",
            ),
            Kind(
                "HAS_TYPE",
                "expression or TYPE_EXPR -> CLASS or EXTERNAL. The label is the place in the "
                "arguments of a TYPE_EXPR.",
                "`x: list[Cart]`: TYPE_EXPR -> EXTERNAL builtins.list, -[0]-> CLASS Cart",
            ),
        ),
        ways=(
            Way(
                resolved_links,
                "src_node_id",
                "dst_node_id",
                label="label",
                ordinal="ordinal",
                bstart="cast(null as int)",
                bend="cast(null as int)",
                values={
                    "edge_kind": "kind",
                    "method": "method",
                    "rank": "rank",
                    "ambiguity_group_id": "ambiguity_group_id",
                },
            ),
        ),
        origin="resolver",
    ),
)
