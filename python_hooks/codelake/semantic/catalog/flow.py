"""Flow: views of the flow graphs, of what conditions decide, and of what definitions reach.

A point of a flow graph is a node of the syntax tree, or the ENTRY or EXIT of a unit.
"""

from __future__ import annotations

from dataclasses import replace

from codelake.semantic.catalog.columns import columns
from codelake.semantic.catalog.nested import nested_view, node
from codelake.semantic.catalog.relations import Relation, Way
from codelake.semantic.ir import Dataset, Project, Source

flow_units = nested_view(
    "flow_units",
    "flow_units",
    element="unit",
    description="Units of control flow: modules, class bodies, functions, lambdas, generators.",
    grain="One row per unit.",
    key=("unit_id",),
    shape="unit_id kind:unit_kind entry_id exit_id blocks branches",
    values={
        "unit_id": node("unit.node"),
        "entry_id": "node_id(def_ids, unit.node_def_no, unit.entry_ordinal)",
        "exit_id": "node_id(def_ids, unit.node_def_no, unit.exit_ordinal)",
    },
)

flow_blocks = nested_view(
    "flow_blocks",
    "flow_blocks",
    element="block",
    description="Straight runs of the flow graphs, with dominators and post-dominators.",
    grain="One row per unit and block.",
    key=("unit_id", "block_no"),
    shape="unit_id block_no first_node_id last_node_id size is_reachable idom_block? ipdom_block?",
    values={
        "unit_id": node("block.unit"),
        "first_node_id": node("block.first"),
        "last_node_id": node("block.last"),
    },
)

flow_edges = nested_view(
    "flow_edges",
    "flow_edges",
    element="edge",
    description="All edges of control and data flow.",
    grain="One row per kind, ends and label.",
    key=("kind", "src_node_id", "dst_node_id", "label"),
    shape="kind:flow_edge_kind src_node_id dst_node_id label reach_kind is_loop_carried",
    values={"src_node_id": node("edge.src"), "dst_node_id": node("edge.dst")},
)


def _of_kind(name: str, kind: str, description: str, grain: str, more: dict[str, str]) -> Dataset:
    """Return the view of one kind of flow edges; the first further column is in the key."""
    taken = {c: c for c in ("repo", "path", "file_id", "src_node_id", "dst_node_id")}
    values = taken | {declared.rstrip("?"): expression for declared, expression in more.items()}
    key = next(iter(more)).rstrip("?")
    return Dataset(
        name,
        layer="evidence",
        description=description,
        grain=grain,
        key=("src_node_id", "dst_node_id", key),
        columns=columns(" ".join([*taken, *more])),
        rows=Project(f"{name}_seen", Source("flow_edges"), values, f"kind = '{kind}'"),
    )


flow_cfg_edges = _of_kind(
    "flow_cfg_edges",
    "CFG",
    "Steps of evaluation from one point to the next.",
    "One row per step and label.",
    {"branch?": "nullif(label, '')"},
)

flow_control_dependences = _of_kind(
    "flow_control_dependences",
    "CONTROLS",
    "Conditions and the points that run because of them.",
    "One row per condition, label and dependent point.",
    {"branch?": "nullif(label, '')"},
)

flow_reaching_definitions = _of_kind(
    "flow_reaching_definitions",
    "REACHES",
    "Definitions and the uses whose value may be theirs.",
    "One row per definition, use and variable.",
    {"variable_name": "label", "reach_kind": "reach_kind", "is_loop_carried": "is_loop_carried"},
)


def _step(kind: str, name: str, also: str = "") -> Way:
    return Way(
        flow_edges,
        "src_node_id",
        "dst_node_id",
        when=f"kind = '{kind}' and {also}" if also else f"kind = '{kind}'",
        label="label",
        bstart="cast(null as int)",
        bend="cast(null as int)",
        name=name,
    )


DATASETS: tuple[Dataset, ...] = (
    flow_units,
    flow_blocks,
    flow_edges,
    flow_cfg_edges,
    flow_control_dependences,
    flow_reaching_definitions,
)

RELATIONS: tuple[Relation, ...] = (
    Relation(
        "rel_control_flow",
        "CFG",
        meaning="what is evaluated -> what is evaluated next; the label is the branch.",
        example="`if a: b`: NAME a -true-> NAME b",
        ways=(_step("CFG", "control_flow"),),
        origin="flow",
        method="evaluation_order",
    ),
    Relation(
        "rel_control_dependence",
        "CONTROLS",
        meaning="condition -> what runs because of it; the label is the branch.",
        example="`if a: b`: NAME a -true-> NAME b",
        ways=(_step("CONTROLS", "control_dependence"),),
        origin="flow",
        method="control_dependence",
    ),
    Relation(
        "rel_dominators",
        "DOMINATES",
        meaning="immediate dominator -> point that cannot run without it (layer `dominators`).",
        example="`if a: b`: NAME a -> NAME b",
        ways=(_step("DOMINATES", "dominators"),),
        origin="flow",
        method="evaluation_order",
    ),
    Relation(
        "rel_post_dominators",
        "POST_DOMINATES",
        meaning="immediate post-dominator -> point that leads to it (layer `dominators`).",
        example="`if a: b` and then `c`: NAME c -> NAME a",
        ways=(_step("POST_DOMINATES", "post_dominators"),),
        origin="flow",
        method="evaluation_order",
    ),
    Relation(
        "rel_reaching_definitions",
        "REACHES",
        meaning="definition -> use that may see its value; the label is the variable.",
        example="`x = 1; f(x)`: NAME x -x-> NAME x",
        ways=(
            _step("REACHES", "names_reached", "reach_kind in ('name', 'closure')"),
            replace(
                _step("REACHES", "places_reached", "reach_kind not in ('name', 'closure')"),
                method="reaching_place",
            ),
        ),
        origin="flow",
        method="reaching_definition",
    ),
)
