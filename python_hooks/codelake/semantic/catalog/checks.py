"""Promises that a build must keep: a row in one of these is a broken one."""

from __future__ import annotations

from codelake.semantic.catalog.columns import columns
from codelake.semantic.ir import Aggregate, Check, Dataset, Project, Relate, Source, Union

_COLLISION = (
    "Two things hashed to one id, or an extractor gave one thing twice. If the rows are alike it "
    "is the second: report it. Else set the var `id_salt` to another number and build in full."
)


def _duplicates(table: str, key: str, what: str) -> Dataset:
    return Dataset(
        f"chk_duplicate_{what}_ids",
        layer="checks",
        description=f"Ids that more than one row of {table} has.",
        grain=f"One row per {key}.",
        key=(key,),
        columns=columns(f"{key} copies"),
        rows=Aggregate(
            "duplicates",
            Source(table),
            by=(key,),
            measures={"copies": "count(*)"},
            having="copies > 1",
        ),
        check=Check(
            shows=f"{key}s that stand in {table} more than once, and how often.",
            example=f"`select * from {table} where {key} = ...` shows the rows behind an id.",
            why="Joins on the id would multiply rows, and two versions could not be compared.",
            repair=_COLLISION,
        ),
    )


def _end(name: str) -> Project:
    values = {"edge_id": "edge_id", "edge_kind": "edge_kind", "missing_end": f"'{name}'"}
    return Project(f"{name}_ends", Source("cpg_edges"), {**values, "node_id": f"{name}_node_id"})


chk_edges_without_nodes = Dataset(
    "chk_edges_without_nodes",
    layer="checks",
    description="Edges of which one end is no row of cpg_nodes.",
    grain="One row per edge and missing end.",
    key=("edge_id", "missing_end"),
    columns=columns("edge_id edge_kind missing_end node_id"),
    rows=Relate(
        "edges_without_nodes",
        Union("ends", (_end("src"), _end("dst"))),
        Source("cpg_nodes"),
        on=(("node_id", "node_id"),),
        how="anti",
    ),
    check=Check(
        shows="edges that lead from or to nothing, with the end that is missing.",
        example="an AST edge whose child is a kind that the extractor numbers but does not give.",
        why="A walk over the graph would lose its way without a word.",
        repair="Look at the relation of that edge_kind: it shows a node that cpg_nodes lacks.",
    ),
)

chk_unresolved_repositories = Dataset(
    "chk_unresolved_repositories",
    layer="checks",
    description="Repositories of which the resolver could not make a whole.",
    grain="One row per repository and error.",
    key=("repo", "resolution_error"),
    columns=columns("repo resolution_error file_count"),
    rows=Aggregate(
        "unresolved_repositories",
        Project(
            "files_without_answers",
            Source("resolution"),
            {"repo": "repo", "resolution_error": "coalesce(resolution_error, '')"},
            where="resolution_error is not null",
        ),
        by=("repo", "resolution_error"),
        measures={"file_count": "count(*)"},
    ),
    check=Check(
        shows="repositories without answers across files, with the error of the resolver.",
        example="`KeyError: 12 (calls.py:80)`.",
        why="The graph has syntax, flow and names, and no call, type or import edge.",
        repair="It is a fault of codelake: report the message, with the repository if you can.",
    ),
)

_explicit_calls = Project(
    "explicit_calls",
    Source("cpg_edges"),
    {"node_id": "src_node_id"},
    where="edge_kind = 'CALLS' and label = ''",
)

chk_unanswered_calls = Dataset(
    "chk_unanswered_calls",
    layer="checks",
    description="Calls of resolved files that have neither a target nor a reason.",
    grain="One row per call.",
    key=("node_id",),
    columns=columns("repo path file_id? line? node_id name?"),
    rows=Relate(
        "calls_without_reason",
        Relate(
            "calls_without_target",
            Relate(
                "calls_of_resolved_files",
                Project(
                    "calls",
                    Source("cpg_nodes"),
                    {n: n for n in ("repo", "path", "file_id", "line", "node_id", "name")},
                    where="node_kind = 'CALL'",
                ),
                Project(
                    "resolved_files",
                    Source("resolution"),
                    {"file_id": "file_id"},
                    where="resolution_error is null",
                ),
                on=(("file_id", "file_id"),),
            ),
            _explicit_calls,
            on=(("node_id", "node_id"),),
            how="anti",
        ),
        Source("unresolved_calls"),
        on=(("node_id", "call_id"),),
        how="anti",
    ),
    check=Check(
        shows="CALL nodes without a CALLS edge that `unresolved_calls` does not explain.",
        example="a call in a place that the resolver does not look at.",
        why="Whoever asks who is called would get no answer, and no word that there is none.",
        repair="It is a fault of codelake: report the source of the call.",
    ),
)

chk_functions_without_ends = Dataset(
    "chk_functions_without_ends",
    layer="checks",
    description="Functions of files with flow that have not one ENTRY and one EXIT.",
    grain="One row per function.",
    key=("node_id",),
    columns=columns("node_id entry_count exit_count"),
    rows=Project(
        "functions_with_other_ends",
        Relate(
            "functions_with_ends",
            Relate(
                "functions_of_flowing_files",
                Project(
                    "functions",
                    Source("cpg_nodes"),
                    {"node_id": "node_id", "file_id": "file_id"},
                    where="node_kind = 'FUNCTION'",
                ),
                Aggregate(
                    "flowing_files",
                    Project(
                        "entries",
                        Source("cpg_nodes"),
                        {"file_id": "file_id"},
                        where="node_kind = 'ENTRY'",
                    ),
                    by=("file_id",),
                ),
                on=(("file_id", "file_id"),),
            ),
            Aggregate(
                "ends_of_definitions",
                Project(
                    "ends",
                    Source("cpg_nodes"),
                    {"owner_id": "owner_id", "node_kind": "node_kind"},
                    where="node_kind in ('ENTRY', 'EXIT')",
                ),
                by=("owner_id",),
                measures={
                    "entries": "count(if(node_kind = 'ENTRY', 1, null))",
                    "exits": "count(if(node_kind = 'EXIT', 1, null))",
                },
            ),
            on=(("node_id", "owner_id"),),
            how="left",
            take=("entries", "exits"),
        ),
        {
            "node_id": "node_id",
            "entry_count": "coalesce(entries, 0)",
            "exit_count": "coalesce(exits, 0)",
        },
        where="coalesce(entries, 0) <> 1 or coalesce(exits, 0) <> 1",
    ),
    check=Check(
        shows="functions whose flow graph does not begin or end in one place.",
        example="`select * from cpg_nodes where owner_id = ...` shows the ends there are.",
        why="A walk from ENTRY to EXIT would miss the function, or take it twice.",
        repair="It is a fault of codelake: report the source of the function.",
    ),
)

DATASETS: tuple[Dataset, ...] = (
    _duplicates("cpg_nodes", "node_id", "node"),
    _duplicates("cpg_edges", "edge_id", "edge"),
    chk_edges_without_nodes,
    chk_unresolved_repositories,
    chk_unanswered_calls,
    chk_functions_without_ends,
)
