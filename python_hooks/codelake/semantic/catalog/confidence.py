"""Confidence: how often each method is right, as measured. The build writes it on every edge.

Parsers decide syntax, CPython's compiler decides scopes, and an index what its symbols are. Control
and data flow were counted on programs that ran (test_control_flow_oracle.py, test_data_flow.py).
The tiers of calls are counted on labelled programs that were held out (tests/cases/calls_held_out);
imports, names, types and fields on those and on tests/cases/links_held_out, against what their runs
show. Those tests and test_confidence.py fail when a count no longer holds.
"""

from __future__ import annotations

from math import sqrt

from codelake.semantic.catalog.columns import columns
from codelake.semantic.ir import Dataset, Seed

_COLUMNS = columns(
    "method precision precision_low precision_high right_count sample_size measured_on"
)

_DECIDED = "the parser decides"
_RUNS = "programs that ran"
HELD_OUT = "held-out labelled programs"
LINKS = "runs of held-out programs"

MEASURED: tuple[tuple[str, int, int, str], ...] = (
    ("scan", 0, 0, _DECIDED),
    ("syntax", 0, 0, _DECIDED),
    ("scip_index", 0, 0, "the index decides"),
    ("symbol_table", 996_095, 996_095, "opcodes of the standard library"),
    ("evaluation_order", 488, 500, _RUNS),
    ("control_dependence", 488, 500, _RUNS),
    ("reaching_definition", 563, 586, _RUNS),
    ("reaching_place", 563, 586, _RUNS),
    ("constructor", 177, 177, HELD_OUT),
    ("container", 22, 22, HELD_OUT),
    ("declared", 3, 3, HELD_OUT),
    ("direct", 199, 199, HELD_OUT),
    ("dynamic", 3, 3, HELD_OUT),
    ("external", 188, 188, HELD_OUT),
    ("flow", 151, 156, HELD_OUT),
    ("import", 34, 34, HELD_OUT),
    ("inherited", 43, 43, HELD_OUT),
    ("metaclass", 1, 1, HELD_OUT),
    ("method", 240, 241, HELD_OUT),
    ("annotation", 58, 58, LINKS),
    ("class_order", 77, 79, LINKS),
    ("held_value", 893, 904, LINKS),
    ("import_statement", 173, 173, LINKS),
    ("method_order", 30, 30, LINKS),
    ("module_names", 944, 959, LINKS),
    ("receiver_class", 125, 125, LINKS),
    ("value_class", 452, 457, LINKS),
)
"""Method, how many edges were right, of how many, and on what it was measured."""


def interval(right: int, size: int) -> tuple[float, float]:
    """Return Wilson's 95 % interval of a share."""
    if not size:
        return 1.0, 1.0
    z = 1.96
    share, spread = right / size, z * z / size
    middle = share + spread / 2
    reach = z * sqrt(share * (1 - share) / size + spread / size / 4)
    return max(0.0, (middle - reach) / (1 + spread)), min(1.0, (middle + reach) / (1 + spread))


def _row(method: str, right: int, size: int, measured_on: str) -> tuple[str, ...]:
    low, high = interval(right, size)
    precision = right / size if size else 1.0
    return (
        method,
        *(f"{share:.4f}" for share in (precision, low, high)),
        *(str(right), str(size)),
        measured_on,
    )


edge_methods = Dataset(
    "edge_methods",
    layer="seeds",
    description="How often each method of finding edges is right, with interval and sample.",
    grain="One row per method.",
    key=("method",),
    columns=_COLUMNS,
    rows=Seed("edge_methods", _COLUMNS, tuple(_row(*measured) for measured in MEASURED)),
)

DATASETS: tuple[Dataset, ...] = (edge_methods,)
