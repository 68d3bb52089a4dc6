"""Flow: views of the flow graphs, of what conditions decide, and of what definitions reach.

A point of a flow graph is a node of the syntax tree, or the ENTRY or EXIT of a unit.
"""

from __future__ import annotations

from codelake.semantic.catalog.nested import nested_view, node
from codelake.semantic.ir import Dataset

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

flow_cfg_edges = nested_view(
    "flow_cfg_edges",
    "flow_edges",
    element="edge",
    description="Steps of evaluation from one point to the next.",
    grain="One row per step and label.",
    key=("src_node_id", "dst_node_id", "branch"),
    shape="src_node_id dst_node_id branch=label?",
    values={"src_node_id": node("edge.src"), "dst_node_id": node("edge.dst")},
)

flow_control_dependences = nested_view(
    "flow_control_dependences",
    "flow_controls",
    element="control",
    description="Conditions and the points that run because of them.",
    grain="One row per condition, label and dependent point.",
    key=("src_node_id", "dst_node_id", "branch"),
    shape="src_node_id dst_node_id branch=label?",
    values={"src_node_id": node("control.src"), "dst_node_id": node("control.dst")},
)

flow_reaching_definitions = nested_view(
    "flow_reaching_definitions",
    "flow_reaches",
    element="reach",
    description="Definitions and the uses whose value may be theirs.",
    grain="One row per definition, use and variable.",
    key=("src_node_id", "dst_node_id", "variable"),
    shape="src_node_id dst_node_id variable kind:reach_kind is_loop_carried",
    values={"src_node_id": node("reach.src"), "dst_node_id": node("reach.dst")},
)

DATASETS: tuple[Dataset, ...] = (
    flow_units,
    flow_blocks,
    flow_cfg_edges,
    flow_control_dependences,
    flow_reaching_definitions,
)
