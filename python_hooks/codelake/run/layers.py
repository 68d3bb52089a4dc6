"""Which views of the evidence have no rows in a lake, by the layers its files were read for.

    rowless_views(lake)   after `codelake build --layer syntax`  ->  {"flow_edges", ...}

A statement of the graph names every view of the evidence. Spark leaves a view without rows out
of its plan when it knows of it: a third of the work of a small build of the syntax layer.
"""

from __future__ import annotations

from pathlib import Path

from codelake.compile.program import read_program
from codelake.evidence.delta_columns import delta_columns
from codelake.extract.versions import layers_of
from codelake.run.catalogue import is_delta_table, table_location
from codelake.run.project import ROOT

_EVIDENCE = "evidence"
_LAYER_OF_EXTRACTOR = {"flow": "flow", "symtable": "names"}  # the first that a view reads counts


def rowless_views(lake: Path) -> frozenset[str]:
    """Return the views of the evidence whose layer no file of the lake was read for."""
    path = table_location(lake, _EVIDENCE)
    if not is_delta_table(path):
        return frozenset()
    digests = delta_columns(path, ["extractor_digest"])
    seen = {layer for digest in digests[0].unique().to_pylist() for layer in layers_of(digest)}
    return frozenset(
        name for name, layer in _layer_of_views().items() if digests.num_rows and layer not in seen
    )


def _layer_of_views() -> dict[str, str]:
    program = read_program(ROOT)
    reads = {each.name for each in program.datasets if each.refs == (_EVIDENCE,)}
    extractors = {each.dataset: each.extractors for each in program.decisions}
    return {
        name: next(layer for extractor, layer in _LAYER_OF_EXTRACTOR.items() if extractor in used)
        for name, used in extractors.items()
        if name in reads and not _LAYER_OF_EXTRACTOR.keys().isdisjoint(used)
    }
