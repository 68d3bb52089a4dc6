"""The catalogue: it agrees with the evidence schema, and every word in it means something."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from codelake.evidence.gathered import GATHERED
from codelake.evidence.rows import EVIDENCE
from codelake.extract.syntax.node_kinds import KIND
from codelake.semantic import catalog
from codelake.semantic.catalog.columns import MEANINGS
from codelake.semantic.catalog.files import EVIDENCE_COLUMNS
from codelake.semantic.functions import FUNCTIONS, RECIPES, expand
from codelake.semantic.ir import Dataset
from codelake.semantic.types import ArrayOf, StructOf, parse_type

ROOT = Path(__file__).resolve().parents[2]


def _dataset(name: str) -> Dataset:
    found = catalog.catalogue().dataset(name)
    assert found is not None
    return found


def test_evidence_is_the_schema_of_the_extractors() -> None:
    assert [c.name for c in EVIDENCE_COLUMNS] == EVIDENCE.names
    for column, field in zip(EVIDENCE_COLUMNS, EVIDENCE, strict=True):
        assert column.nullable == field.nullable
        if isinstance(column.type, ArrayOf) and isinstance(column.type.element, StructOf):
            fields = [f.name for f in column.type.element.fields]
            assert fields == [f.name for f in field.type.value_type]
        assert parse_type(str(column.type)) is not None


def test_gathered_tables_are_the_schemas_of_the_driver() -> None:
    tables = [d for d in catalog.catalogue().datasets if d.write and d.write.strategy == "gather"]
    assert {d.write.part for d in tables if d.write} == GATHERED.keys()
    for dataset in tables:
        assert dataset.write is not None
        schema = GATHERED[dataset.write.part]
        assert [(c.name, c.nullable) for c in dataset.columns] == [
            (field.name, field.nullable) for field in schema
        ]


def test_every_kind_of_node_is_described() -> None:
    described = {kind.name for kind in catalog.catalogue().node_kinds}
    model = (ROOT / "models" / "cpg" / "cpg_nodes.sql").read_text("utf-8")
    made = set(re.findall(r"'(\w+)' as node_kind", model))
    assert {*KIND.values(), "DOCSTRING", "TYPE_EXPR", *made} == described


def test_every_meaning_is_used_and_unique() -> None:
    names = [meaning.name for meaning in MEANINGS]
    assert len(names) == len(set(names))
    used = {c.meaning for dataset in catalog.catalogue().datasets for c in dataset.columns}
    assert sorted(set(names) - used) == []


def test_every_description_is_a_sentence() -> None:
    whole = catalog.catalogue()
    for dataset in whole.datasets:
        assert dataset.description.endswith("."), dataset.name
        assert dataset.grain.startswith("One row per "), dataset.name
    for meaning in whole.meanings:
        assert meaning.text.endswith("."), meaning.name
    for kind in (*whole.node_kinds, *whole.edge_kinds):
        assert kind.meaning and kind.example


def test_product_columns_are_the_promised_ones() -> None:
    assert " ".join(c.name for c in _dataset("cpg_nodes").columns) == (
        "node_id node_kind syntax name qualified_name repo path file_id owner_id bstart bend line "
        "end_line col end_col ordinal attrs origin"
    )
    assert " ".join(c.name for c in _dataset("cpg_edges").columns) == (
        "edge_id edge_kind src_node_id dst_node_id label ordinal repo path file_id bstart bend "
        "origin method confidence score rank ambiguity_group_id attrs"
    )


def test_ids_are_made_by_one_recipe() -> None:
    plain = expand("node_id(def_ids, n.def_no, n.ordinal)")
    assert plain == "if(n.ordinal = 0, def_ids[n.def_no], xxhash64(def_ids[n.def_no], n.ordinal))"
    assert expand("edge_id(k, s, d, l)") == "xxhash64(k, s, d, l)"
    assert not FUNCTIONS.keys() & RECIPES.keys()
    for path in (ROOT / "python_hooks/codelake/semantic/catalog").glob("*.py"):
        assert "xxhash64(" not in path.read_text(), path


def test_catalogues_share_nothing() -> None:
    first = catalog.catalogue()
    assert catalog.catalogue(()).edge_kinds == ()
    assert catalog.catalogue() == first


def test_quick_check_imports_no_compiler() -> None:
    code = (
        "import sys; from pathlib import Path; from codelake.compile.write import is_stale; "
        f"is_stale(Path({str(ROOT)!r})); print(sorted({{'sqlglot', 'pyarrow'}} & {{*sys.modules}}))"
    )
    folder = str(ROOT / "python_hooks")
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=folder, check=True
    )
    assert done.stdout.strip() == "[]"
