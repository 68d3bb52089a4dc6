"""Surface of definitions: classes and their bases, sizes, what is not used, what hangs on what.

inheritance          a class and each of its bases, in order
function_sizes       lines, parameters, calls and complexity of each function
definition_users     who depends on a definition: what an edit of it touches
unused_definitions   definitions that nobody depends on
"""

from __future__ import annotations

from codelake.semantic.catalog.columns import columns
from codelake.semantic.ir import Aggregate, Dataset, Project, Relate, Source, Union

_CALLABLE = "node_kind in ('FUNCTION', 'LAMBDA')"
_DEFINED = "node_kind in ('FUNCTION', 'CLASS')"


def _named(name: str, key: str, **taken: str) -> Project:
    return Project(name, Source("cpg_nodes"), {key: "node_id", **taken})


inheritance = Dataset(
    "inheritance",
    layer="surface",
    description="Classes and their bases, in the order of the class statement.",
    grain="One row per class and base.",
    key=("class_id", "base_id"),
    columns=columns(
        "repo path line? class_id class_name:qualified_name? base_id base_name:qualified_name? "
        "base_kind:node_kind ordinal:edge_ordinal?"
    ),
    rows=Project(
        "bases_by_name",
        Relate(
            "bases_of_classes",
            Relate(
                "bases_with_classes",
                Project(
                    "bases_found",
                    Source("resolved_links"),
                    {
                        "repo": "repo",
                        "path": "path",
                        "class_id": "src_node_id",
                        "base_id": "dst_node_id",
                        "ordinal": "ordinal",
                    },
                    where="kind = 'INHERITS'",
                ),
                _named("classes", "class_id", class_name="qualified_name", line="line"),
                on=(("class_id", "class_id"),),
                take=("class_name", "line"),
            ),
            _named("bases", "base_id", base_name="qualified_name", base_kind="node_kind"),
            on=(("base_id", "base_id"),),
            take=("base_name", "base_kind"),
        ),
        {
            name: name
            for name in (
                *("repo", "path", "line", "class_id", "class_name", "base_id", "base_name"),
                *("base_kind", "ordinal"),
            )
        },
    ),
)


def _counted(name: str, kind: str, measure: str) -> Aggregate:
    return Aggregate(
        f"{name}_counted",
        Project(
            name,
            Source("cpg_nodes"),
            {"owner_id": "coalesce(owner_id, node_id)", "node_id": "node_id"},
            where=f"node_kind = '{kind}'",
        ),
        by=("owner_id",),
        measures={measure: "count(*)"},
    )


function_sizes = Dataset(
    "function_sizes",
    layer="surface",
    description="How large and how branched each function is.",
    grain="One row per function or lambda.",
    key=("node_id",),
    columns=columns(
        "repo path line? node_id qualified_name? line_count? parameter_count call_count complexity?"
    ),
    rows=Project(
        "functions_measured",
        Relate(
            "functions_with_parameters",
            Relate(
                "functions_with_calls",
                Relate(
                    "functions_with_branches",
                    Project(
                        "functions",
                        Source("cpg_nodes"),
                        {
                            **{c: c for c in ("repo", "path", "line", "node_id")},
                            "qualified_name": "qualified_name",
                            "line_count": "end_line - line + 1",
                        },
                        where=_CALLABLE,
                    ),
                    Source("flow_units"),
                    on=(("node_id", "unit_id"),),
                    how="left",
                    take=("branches",),
                ),
                _counted("calls", "CALL", "call_total"),
                on=(("node_id", "owner_id"),),
                how="left",
                take=("call_total",),
            ),
            _counted("parameters", "PARAMETER", "parameter_total"),
            on=(("node_id", "owner_id"),),
            how="left",
            take=("parameter_total",),
        ),
        {
            **{c: c for c in ("repo", "path", "line", "node_id", "qualified_name", "line_count")},
            "parameter_count": "coalesce(parameter_total, 0)",
            "call_count": "coalesce(call_total, 0)",
            "complexity": "branches + 1",
        },
    ),
)

_uses = Union(
    "uses",
    (
        Project(
            "calls_made",
            Source("cpg_edges"),
            {"user_node_id": "src_node_id", "definition_id": "dst_node_id", "used_as": "edge_kind"},
            where="edge_kind = 'CALLS'",
        ),
        Project(
            "links_made",
            Source("resolved_links"),
            {"user_node_id": "src_node_id", "definition_id": "dst_node_id", "used_as": "kind"},
            where="kind in ('IMPORTS', 'REFERS_TO', 'INHERITS', 'OVERRIDES')",
        ),
    ),
)
_used = Relate(
    "uses_of_definitions",
    Relate(
        "uses_at_places",
        _uses,
        Project(
            "users",
            Source("cpg_nodes"),
            {
                **{c: c for c in ("repo", "path", "line")},
                "user_node_id": "node_id",
                "user_id": f"if(node_kind = 'MODULE' or {_DEFINED}, node_id, owner_id)",
            },
        ),
        on=(("user_node_id", "user_node_id"),),
        take=("repo", "path", "line", "user_id"),
    ),
    Project(
        "definitions",
        Source("cpg_nodes"),
        {"definition_id": "node_id", "qualified_name": "qualified_name"},
        where=f"node_kind = 'MODULE' or {_DEFINED}",
    ),
    on=(("definition_id", "definition_id"),),
    take=("qualified_name",),
)

definition_users = Dataset(
    "definition_users",
    layer="surface",
    description="Who depends on a definition: what an edit of it touches first.",
    grain="One row per definition, place and way of using it.",
    key=("definition_id", "user_node_id", "used_as"),
    columns=columns(
        "definition_id qualified_name? used_as user_id? user_name:qualified_name? "
        "user_node_id repo path line?"
    ),
    rows=Project(
        "users_by_name",
        Relate(
            "uses_by_users",
            _used,
            _named("user_names", "user_id", user_name="qualified_name"),
            on=(("user_id", "user_id"),),
            how="left",
            take=("user_name",),
        ),
        {
            name: name
            for name in (
                *("definition_id", "qualified_name", "used_as", "user_id", "user_name"),
                *("user_node_id", "repo", "path", "line"),
            )
        },
    ),
)

_decorated = Project(
    "decorated",
    Source("cpg_edges"),
    {"definition_id": "dst_node_id", "decorator_id": "src_node_id"},
    where="edge_kind = 'DECORATES'",
)

unused_definitions = Dataset(
    "unused_definitions",
    layer="surface",
    description="Functions and classes that nothing in the lake calls, names, imports or inherits.",
    grain="One row per definition.",
    key=("node_id",),
    columns=columns("node_id node_kind qualified_name? repo path line?"),
    rows=Relate(
        "unused",
        Relate(
            "undecorated",
            Project(
                "candidates",
                Source("cpg_nodes"),
                {c: c for c in ("node_id", "node_kind", "qualified_name", "repo", "path", "line")},
                where=f"{_DEFINED} and not startswith(name, '__') and not startswith(name, 'test')",
                note="special methods and tests are called from outside",
            ),
            _decorated,
            on=(("node_id", "definition_id"),),
            how="anti",
            note="a decorator may hand it to somebody",
        ),
        Project(
            "used_from_elsewhere",
            Source("definition_users"),
            {"definition_id": "definition_id", "user_id": "user_id"},
            where="user_id is null or user_id <> definition_id",
        ),
        on=(("node_id", "definition_id"),),
        how="anti",
    ),
)

DATASETS: tuple[Dataset, ...] = (
    inheritance,
    function_sizes,
    definition_users,
    unused_definitions,
)
