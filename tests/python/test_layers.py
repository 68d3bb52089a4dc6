"""Layers of the graph: what a file's digest says, and which views have no rows for it."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import write_deltalake

from codelake.extract.versions import LAYERS, extractor_digest, layers_of
from codelake.run.layers import rowless_views

CHOICES = [c for count in range(len(LAYERS) + 1) for c in combinations(LAYERS, count)]
FLOW = {"flow_units", "flow_edges"}
NAMES = {"symtable_scopes", "symtable_symbols", "symtable_names"}


@pytest.mark.parametrize("layers", CHOICES)
def test_a_digest_tells_its_layers(layers: tuple[str, ...]) -> None:
    digest = extractor_digest("source", layers)
    assert layers_of(digest) == layers_of(f"{digest}+src-syntax-flow") == set(layers)


@pytest.mark.parametrize(
    ("read_for", "absent", "present"),
    [
        ([()], FLOW | NAMES, {"ast_nodes", "comments", "repo_files"}),
        ([("names",)], FLOW, NAMES),
        ([("flow",)], NAMES, FLOW),
        ([(), ("flow",)], NAMES, FLOW),
        ([(), LAYERS], set(), FLOW | NAMES),
        ([], set(), FLOW | NAMES),
    ],
)
def test_a_view_has_no_rows_when_no_file_was_read_for_its_layer(
    tmp_path: Path, read_for: list[tuple[str, ...]], absent: set[str], present: set[str]
) -> None:
    digests = [extractor_digest("source", layers) for layers in read_for]
    table = pa.table({"extractor_digest": pa.array(digests, pa.string())})
    write_deltalake(tmp_path / "codelake" / "evidence", table)
    assert absent <= rowless_views(tmp_path)
    assert not present & rowless_views(tmp_path)


def test_a_lake_without_evidence_says_nothing_of_its_views(tmp_path: Path) -> None:
    assert rowless_views(tmp_path) == set()
