"""Texts: views of what stands beside the syntax tree.

comments             comments and marks for tools
ts_errors, ts_missing  what tree-sitter could not read, or had to make up, in broken files
"""

from __future__ import annotations

from codelake.semantic.catalog.nested import nested_view
from codelake.semantic.ir import Dataset

comments = nested_view(
    "comments",
    "comments",
    element="entry",
    description="Comments, and the marks for tools among them.",
    grain="One row per comment and kind.",
    key=("file_id", "bstart", "kind"),
    with_columns={},
    shape="kind:comment_kind comment_text=text codes bstart bend line col end_col is_own_line "
    "repeat_no",
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

DATASETS: tuple[Dataset, ...] = (comments, ts_errors, ts_missing)
