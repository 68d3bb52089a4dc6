"""What people use of the lake -> dbt exposures: the graph, and the questions asked of it."""

from __future__ import annotations

from codelake.compile.units import State

_EXPOSED = {
    "cpg": ("code_property_graph", "The graph: nodes and edges that anyone can query and join."),
    "surface": ("code_questions", "Answers to what people ask of code, as views over the graph."),
}


def emit_exposures(state: State) -> str:
    """Write one exposure per layer that is read for its own sake."""
    lines = ["exposures:"]
    for layer, (name, description) in _EXPOSED.items():
        refs = [unit.name for unit in state.units if unit.dataset.layer == layer]
        if not refs:
            continue
        lines += [f"  - name: {name}", "    type: analysis", f'    description: "{description}"']
        lines += ["    owner:", "      name: codelake", "    depends_on:"]
        lines += [f"      - ref('{ref}')" for ref in refs]
    return "\n".join(lines) + "\n"
