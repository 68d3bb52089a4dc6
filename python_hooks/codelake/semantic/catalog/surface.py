"""Surface: what people ask, as views over the graph.

call_graph      who calls what, by qualified name, with the place of the call
unknown_calls   calls of which no target is known, with the place and the reason

surface_modules.py, surface_definitions.py and surface_values.py have the others.
"""

from __future__ import annotations

from codelake.semantic.catalog.columns import columns
from codelake.semantic.ir import Dataset, Op, Project, Relate, Source, Union

_targets = Project(
    "call_targets",
    Source("cpg_edges"),
    {
        "call_id": "src_node_id",
        "callee_id": "dst_node_id",
        "call_kind": "if(label = '', 'explicit', label)",
        "method": "method",
        "confidence": "confidence",
        "rank": "rank",
    },
    where="edge_kind = 'CALLS'",
)
_decorated = Project(
    "decorated_calls",
    Relate(
        "calls_of_decorated",
        Project(
            "called_names",
            Source("cpg_edges"),
            {"call_id": "src_node_id", "called_id": "dst_node_id"},
            where="edge_kind = 'AST' and label = 'func'",
        ),
        Project(
            "decorated_names",
            Source("cpg_edges"),
            {
                "func_id": "src_node_id",
                "callee_id": "dst_node_id",
                **{c: c for c in ("method", "confidence", "rank")},
            },
            where="edge_kind = 'REFERS_TO' and label = 'decorated'",
        ),
        on=(("called_id", "func_id"),),
        take=("callee_id", "method", "confidence", "rank"),
        many=True,
    ),
    {
        "call_id": "call_id",
        "callee_id": "callee_id",
        "call_kind": "'decorated'",
        **{c: c for c in ("method", "confidence", "rank")},
    },
    note="the call runs what a decorator made of the callee",
)
_edges = Union("call_edges", (_targets, _decorated))


def _nodes(step: str, /, **taken: str) -> Project:
    return Project(step, Source("cpg_nodes"), taken)


def _with(name: str, rows: Op, nodes: Project, key: str) -> Relate:
    taken = tuple(column for column, _ in nodes.columns if column != key)
    return Relate(name, rows, nodes, on=((key, key),), take=taken)


_sites = _nodes(
    "call_sites", call_id="node_id", caller_id="owner_id", repo="repo", path="path", line="line"
)
_callers = _nodes("callers", caller_id="node_id", caller_name="qualified_name")
_callees = _nodes(
    "callees", callee_id="node_id", callee_name="qualified_name", callee_kind="node_kind"
)

_COLUMNS = columns(
    "repo path line? caller_id? caller_name:qualified_name? call_id callee_id "
    "callee_name:qualified_name? callee_kind:node_kind call_kind method confidence rank?"
)

call_graph = Dataset(
    "call_graph",
    layer="surface",
    description="Who calls what: every candidate of every call, with the place of the call.",
    grain="One row per call, callee and kind of call.",
    key=("call_id", "callee_id", "call_kind"),
    columns=_COLUMNS,
    rows=Project(
        "calls_by_name",
        _with(
            "calls_to_callees",
            _with(
                "calls_of_callers",
                _with("calls_at_sites", _edges, _sites, "call_id"),
                _callers,
                "caller_id",
            ),
            _callees,
            "callee_id",
        ),
        {c.name: c.name for c in _COLUMNS},
    ),
)

_UNKNOWN_COLUMNS = columns(
    "repo path line? call_id name? caller_id? caller_name:qualified_name? unknown_reason"
)

unknown_calls = Dataset(
    "unknown_calls",
    layer="surface",
    description="Calls of which no target is known: where they stand, and why.",
    grain="One row per call.",
    key=("call_id",),
    columns=_UNKNOWN_COLUMNS,
    rows=Project(
        "unknown_calls_by_name",
        Relate(
            "unknown_calls_of_callers",
            Relate(
                "unknown_calls_at_sites",
                Source("unresolved_calls"),
                _nodes("sites", call_id="node_id", caller_id="owner_id", line="line", name="name"),
                on=(("call_id", "call_id"),),
                take=("caller_id", "line", "name"),
            ),
            _callers,
            on=(("caller_id", "caller_id"),),
            how="left",
            take=("caller_name",),
        ),
        {c.name: c.name for c in _UNKNOWN_COLUMNS},
    ),
)

DATASETS: tuple[Dataset, ...] = (call_graph, unknown_calls)
