"""Surface of values: one step that a value may take, from node to node.

    x = a + 1; f(x)     a -> a + 1 -> the statement -> x -> x -> parameter of f

Calls and objects are not told apart here: `codelake flows` follows the same values by call and by
object, without these rows. Walk this view when a query must join the steps.
"""

from __future__ import annotations

from codelake.semantic.catalog.columns import columns
from codelake.semantic.ir import Dataset, Project, Source, Union

_OPERATIONS = "'BinOp', 'UnaryOp', 'BoolOp', 'Starred', 'Await'"
_TEXTS = "'JoinedStr', 'FormattedValue'"
_DISPLAYS = "'List', 'Tuple', 'Set', 'Dict'"
_COMPREHENSIONS = "'ListComp', 'SetComp', 'DictComp', 'GeneratorExp'"
_ASSIGNMENTS = "'Assign', 'AnnAssign', 'AugAssign', 'NamedExpr'"
_LOOPS = "'For', 'AsyncFor', 'withitem'"
_PLACE = {"repo": "repo", "path": "path"}


def _syntax(name: str, step: str, where: str, *, upward: bool = True) -> Project:
    parent = "coalesce(parent_id, node_id)"
    ends = ("node_id", parent) if upward else (parent, "node_id")
    return Project(
        name,
        Source("ast_nodes"),
        {
            **_PLACE,
            "src_node_id": ends[0],
            "dst_node_id": ends[1],
            "flow_step": f"'{step}'",
        },
        where=f"parent_id is not null and {where}",
    )


_along_edges = Project(
    "along_edges",
    Source("cpg_edges"),
    {
        **_PLACE,
        "src_node_id": "src_node_id",
        "dst_node_id": "dst_node_id",
        "flow_step": "case when edge_kind = 'REACHES' then 'name' "
        "when edge_kind = 'PASSES' then 'argument' else 'result' end",
    },
    where="edge_kind in ('REACHES', 'PASSES', 'RESULT_OF')",
)
_into_fields = Project(
    "into_fields",
    Source("resolved_links"),
    {
        **_PLACE,
        "src_node_id": "src_node_id",
        "dst_node_id": "dst_node_id",
        "flow_step": "'field'",
    },
    where="kind = 'WRITES_FIELD'",
)
_out_of_fields = Project(
    "out_of_fields",
    Source("resolved_links"),
    {
        **_PLACE,
        "src_node_id": "dst_node_id",
        "dst_node_id": "src_node_id",
        "flow_step": "'field'",
    },
    where="kind = 'READS_FIELD'",
)

value_flow = Dataset(
    "value_flow",
    layer="surface",
    description="One step that a value may take from a node to the next; fields are steps between.",
    grain="One row per pair of nodes and kind of step.",
    key=("src_node_id", "dst_node_id", "flow_step"),
    columns=columns("repo path src_node_id dst_node_id flow_step"),
    rows=Union(
        "value_steps",
        (
            _along_edges,
            _into_fields,
            _out_of_fields,
            _syntax(
                "into_operations",
                "part",
                f"parent_syntax in ({_OPERATIONS})",
            ),
            _syntax(
                "into_texts",
                "part",
                f"parent_syntax in ({_TEXTS})",
            ),
            _syntax(
                "into_displays",
                "part",
                f"parent_syntax in ({_DISPLAYS})",
            ),
            _syntax(
                "into_comprehensions",
                "part",
                f"parent_syntax in ({_COMPREHENSIONS}) and slot <> 'generators'",
            ),
            _syntax(
                "choices",
                "choice",
                "parent_syntax = 'IfExp' and slot <> 'test'",
            ),
            _syntax(
                "out_of_objects",
                "part",
                "parent_syntax in ('Attribute', 'Subscript') and slot = 'value'",
            ),
            _syntax(
                "into_assignments",
                "assigned",
                f"parent_syntax in ({_ASSIGNMENTS}) and slot = 'value'",
            ),
            _syntax(
                "out_of_assignments",
                "assigned",
                f"parent_syntax in ({_ASSIGNMENTS}) and startswith(slot, 'target')",
                upward=False,
            ),
            _syntax(
                "into_loops",
                "assigned",
                f"parent_syntax in ({_LOOPS}) and slot in ('iter', 'context_expr')",
            ),
            _syntax(
                "out_of_loops",
                "assigned",
                f"parent_syntax in ({_LOOPS}) and slot in ('target', 'optional_vars')",
                upward=False,
            ),
        ),
    ),
)

DATASETS: tuple[Dataset, ...] = (value_flow,)
