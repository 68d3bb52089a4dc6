"""Quality: how much of each file is known, how sure calls are, and what looks odd.

file_quality     per file: errors, nodes, calls, and how many calls have no known target
call_ambiguity   how many calls have how many candidates, before anybody picks one
anomalies        places that deserve a look

Views that no build reads: what they show is no broken promise.
"""

from __future__ import annotations

from codelake.semantic.catalog.columns import columns
from codelake.semantic.ir import Aggregate, Dataset, Op, Project, Relate, Source, Union

_MANY = 10  # candidates of one call
_PLACE = {name: name for name in ("repo", "path", "line", "node_id", "name")}


def _per_file(step: str, rows: Op, measure: str) -> Aggregate:
    return Aggregate(step, rows, by=("file_id",), measures={measure: "count(*)"})


def _with(step: str, left: Op, right: Aggregate, measure: str) -> Relate:
    return Relate(step, left, right, on=(("file_id", "file_id"),), how="left", take=(measure,))


_calls = Project(
    "calls",
    Source("cpg_nodes"),
    {**_PLACE, "file_id": "file_id"},
    where="node_kind = 'CALL'",
)
_files = Project(
    "files",
    Source("repo_files"),
    {name: name for name in ("repo", "path", "file_id", "parser")},
)
_measured = _with(
    "files_with_unknown_calls",
    _with(
        "files_with_calls",
        _with(
            "files_with_nodes",
            _with(
                "files_with_errors",
                _files,
                _per_file("errors_of_files", Source("extract_errors"), "error_total"),
                "error_total",
            ),
            _per_file("nodes_of_files", Source("cpg_nodes"), "node_total"),
            "node_total",
        ),
        _per_file("calls_of_files", _calls, "call_total"),
        "call_total",
    ),
    _per_file("unknown_calls_of_files", Source("unresolved_calls"), "unknown_total"),
    "unknown_total",
)

file_quality = Dataset(
    "file_quality",
    layer="surface",
    description="How much of each file was read, and how many of its calls have a known target.",
    grain="One row per file.",
    key=("file_id",),
    columns=columns(
        "repo path file_id parser? error_count node_count call_count unknown_call_count"
    ),
    rows=Project(
        "files_measured",
        _measured,
        {
            **{name: name for name in ("repo", "path", "file_id", "parser")},
            "error_count": "coalesce(error_total, 0)",
            "node_count": "coalesce(node_total, 0)",
            "call_count": "coalesce(call_total, 0)",
            "unknown_call_count": "coalesce(unknown_total, 0)",
        },
    ),
)

_candidates = Aggregate(
    "candidates_of_calls",
    Project(
        "call_edges",
        Source("cpg_edges"),
        {
            "repo": "repo",
            "path": "path",
            "node_id": "src_node_id",
            "group_id": "ambiguity_group_id",
        },
        where="edge_kind = 'CALLS' and label = ''",
    ),
    by=("repo", "path", "node_id"),
    measures={"candidate_count": "greatest(count(group_id), cast(1 as bigint))"},
    note="a class and its __init__ are both called: no group",
)

call_ambiguity = Dataset(
    "call_ambiguity",
    layer="surface",
    description="How many calls have how many candidates.",
    grain="One row per repository and number of candidates.",
    key=("repo", "candidate_count"),
    columns=columns("repo candidate_count call_count"),
    rows=Aggregate(
        "calls_by_candidates",
        _candidates,
        by=("repo", "candidate_count"),
        measures={"call_count": "count(*)"},
    ),
)


def _anomaly(step: str, what: str, rows: Op, where: str | None = None) -> Project:
    return Project(step, rows, {"anomaly": f"'{what}'", **_PLACE}, where)


_places = Project(
    "places", Source("cpg_nodes"), {"place_id": "node_id", "line": "line", "name": "name"}
)


def _nodes_of(step: str, rows: Op) -> Relate:
    return Relate(step, rows, _places, on=(("node_id", "place_id"),), take=("line", "name"))


_dead = _nodes_of(
    "dead_blocks",
    Project(
        "blocks_never_reached",
        Source("flow_blocks"),
        {"repo": "repo", "path": "path", "node_id": "first_node_id"},
        where="not is_reachable",
    ),
)
_wide = _nodes_of(
    "wide_calls",
    Project(
        "calls_with_many_candidates",
        _candidates,
        {"repo": "repo", "path": "path", "node_id": "node_id"},
        where=f"candidate_count > {_MANY}",
    ),
)

anomalies = Dataset(
    "anomalies",
    layer="surface",
    description="Places that deserve a look: dead code, calls with many candidates.",
    grain="One row per anomaly and node.",
    key=("anomaly", "node_id"),
    columns=columns("anomaly repo path line? node_id name?"),
    rows=Union(
        "anomalies_found",
        (
            _anomaly("dead_code", "code that is never reached", _dead),
            _anomaly("ambiguous_calls", "call with many candidates", _wide),
        ),
    ),
)

DATASETS: tuple[Dataset, ...] = (file_quality, call_ambiguity, anomalies)
