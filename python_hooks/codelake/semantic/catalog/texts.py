"""Texts: views of what stands beside the syntax tree, and of the resolver's facts.

comments             comments and marks for tools
ts_errors, ts_missing  what tree-sitter could not read, or had to make up, in broken files
resolver_facts       how each value comes about
"""

from __future__ import annotations

from codelake.semantic.catalog.nested import nested_view, node, optional_node
from codelake.semantic.ir import Dataset

comments = nested_view(
    "comments",
    "comments",
    element="entry",
    description="Comments, and the marks for tools among them.",
    grain="One row per comment and kind.",
    key=("file_id", "bstart", "kind"),
    with_columns={},
    shape="kind:comment_kind comment_text=text codes bstart bend line col end_col is_own_line",
    values={},
)


def _problems(name: str, kind: str, description: str) -> Dataset:
    return nested_view(
        name,
        "ts_problems",
        element="problem",
        description=description,
        grain="One row per place.",
        key=("file_id", "bstart", "bend", "node_type"),
        with_columns={},
        shape="node_type parent_type bstart bend line col problem_text=text",
        values={},
        where=f"problem.kind = '{kind}'",
    )


ts_errors = _problems("ts_errors", "error", "Places that tree-sitter could not read.")
ts_missing = _problems("ts_missing", "missing", "Tokens that tree-sitter had to make up.")

resolver_facts = nested_view(
    "resolver_facts",
    "facts",
    element="fact",
    description="How each value of a file comes about, for the resolver.",
    grain="One row per fact; the place in the file orders them.",
    key=("file_id", "fact_no"),
    position="fact_no",
    shape="fact_no op owner_id node_id value_id? other_id? fact_text=text? fact_idx=idx?",
    values={
        "fact_no": "fact_no",
        "owner_id": "def_ids[fact.owner_no]",
        "node_id": node("fact.node"),
        "value_id": optional_node("fact.value"),
        "other_id": optional_node("fact.other"),
    },
)

DATASETS: tuple[Dataset, ...] = (comments, ts_errors, ts_missing, resolver_facts)
