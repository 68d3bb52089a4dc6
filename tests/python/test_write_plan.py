"""Write plans: what a table's last commit and its inputs' versions ask for. No Spark."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pyarrow as pa
import pytest
from deltalake import CommitProperties, DeltaTable, write_deltalake

from codelake.errors import CodelakeError
from codelake.extract.file_evidence import extract_batch
from codelake.extract.source_evidence import Where, read_source
from codelake.extract.versions import LAYERS
from codelake.run.scan_plan import plan_scan, scan_request
from codelake.run.write_plan import CommitState, WritePlan, plan_write
from codelake.sources.decode import SourceText, decode
from codelake.sources.plan import read_plan


def write(path: Path, data: pa.Table, **options: object) -> Path:
    """Write a version of a table that was made with the contract `c1`."""
    if not path.exists():
        made = DeltaTable.create(path, data.schema)
        made.alter.set_table_properties({"codelake.contract": "c1"}, raise_if_not_exists=False)
    write_deltalake(path, data, mode="overwrite", **options)
    return path


def evidence(lake: Path, **files: str) -> Path:
    """Write an evidence table of file_id -> digest, as one more version."""
    data = pa.table(
        {
            "file_id": pa.array([int(name[1:]) for name in files], pa.int64()),
            "repo": ["app"] * len(files),
            "path": list(files),
            "file_sha256": list(files.values()),
            "extractor_digest": ["x"] * len(files),
        }
    )
    return write(lake / "evidence", data)


def product(lake: Path, fingerprint: str, version: int | None = None) -> Path:
    """Write a product table that says what it was made from: the evidence as it is now."""
    now = DeltaTable(lake / "evidence").version()
    state = CommitState(
        run_id="r",
        program_hash="p",
        environment_hash="e",
        fingerprint=fingerprint,
        inputs={"evidence": now if version is None else version},
    )
    text = msgspec.json.encode(state).decode()
    return write(
        lake / "nodes",
        pa.table({"file_id": pa.array([1], pa.int64())}),
        commit_properties=CommitProperties(custom_metadata={"userMetadata": text}),
    )


def plan(path: Path, source: Path, fingerprint: str = "f", **options: object) -> WritePlan:
    return plan_write(
        path,
        contract="c1",
        fingerprint=fingerprint,
        key="file_id",
        inputs={"evidence": source},
        **options,
    )


def test_a_missing_table_is_created_and_filled(tmp_path: Path) -> None:
    found = plan(tmp_path / "nodes", evidence(tmp_path, f1="a"))
    assert (found.create, found.action) == (True, "overwrite")


def test_nothing_is_written_when_nothing_moved(tmp_path: Path) -> None:
    source = evidence(tmp_path, f1="a")
    assert plan(product(tmp_path, "f"), source).action == "none"


def test_keys_whose_input_differs_are_replaced(tmp_path: Path) -> None:
    source = evidence(tmp_path, f1="a", f2="b", f3="c", f4="d")
    table = product(tmp_path, "f")
    evidence(tmp_path, f1="a", f2="CHANGED", f4="d", f5="new")
    found = plan(table, source)
    assert found.action == "replace"
    assert found.predicate == "file_id in (2, 3, 5) or file_id is null"


def test_a_new_version_with_equal_rows_writes_nothing(tmp_path: Path) -> None:
    source = evidence(tmp_path, f1="a")
    table = product(tmp_path, "f")
    evidence(tmp_path, f1="a")
    assert plan(table, source).action == "none"


def test_another_program_or_every_key_overwrites(tmp_path: Path) -> None:
    source = evidence(tmp_path, f1="a")
    table = product(tmp_path, "f")
    assert plan(table, source, fingerprint="g").action == "overwrite"
    assert plan(table, source, full_refresh=True).action == "overwrite"
    evidence(tmp_path, f1="b")
    assert plan(table, source).action == "overwrite"


def test_an_input_version_that_is_gone_overwrites(tmp_path: Path) -> None:
    source = evidence(tmp_path, f1="a")
    assert plan(product(tmp_path, "f", 99), source).action == "overwrite"


def test_another_contract_makes_the_table_anew_but_never_in_a_zero_row_build(
    tmp_path: Path,
) -> None:
    source = evidence(tmp_path, f1="a")
    table = product(tmp_path, "f")
    options = {"fingerprint": "f", "key": "file_id", "inputs": {"evidence": source}}
    found = plan_write(table, contract="c2", **options)
    assert (found.create, found.action, found.reason) == (True, "overwrite", "another contract")
    with pytest.raises(CodelakeError, match="CONTRACT_CHANGED"):
        plan_write(table, contract="c2", empty=True, **options)


def test_another_contract_of_the_evidence_asks_for_every_repository(tmp_path: Path) -> None:
    source = evidence(tmp_path, f1="a")
    other = tmp_path / "other"
    other.mkdir()
    with pytest.raises(CodelakeError, match=r"CONTRACT_CHANGED: .*app must be read"):
        plan_scan(source, {"repos": [str(other)]}, contract="c2")


def test_unknown_vars_are_refused_with_what_is_allowed(tmp_path: Path) -> None:
    with pytest.raises(CodelakeError, match="VAR_INVALID"):
        plan_scan(tmp_path / "evidence", {"repos": ["."], "max_file_bytes": "big"}, contract="c")
    with pytest.raises(CodelakeError, match="VAR_INVALID"):
        scan_request({"build_profile": "huge"})


def test_a_profile_asks_for_the_evidence_that_its_tables_read(tmp_path: Path) -> None:
    def asked(**given: object) -> str:
        (tmp_path / "m.py").write_text("x = 1\n")
        request = {"repos": [str(tmp_path)], **given}
        return plan_scan(tmp_path / "bc", request, contract="c", part="bytecode").action

    assert asked() == "none"
    assert asked(build_profile="full") == asked(extractors="bytecode") == "overwrite"


def test_files_are_read_again_when_other_layers_are_asked_for(tmp_path: Path) -> None:
    repo, table = tmp_path / "repo", tmp_path / "evidence"
    repo.mkdir()
    (repo / "m.py").write_text("def f(x):\n    return x\n")
    request = {"repos": [str(repo)], "layers": ["syntax"]}
    plan = read_plan(plan_scan(table, request, contract="").scan)
    assert plan.layers == ()
    batch = extract_batch(plan.changed, layers=plan.layers)
    write_deltalake(table, pa.Table.from_batches([batch]))
    row = batch.to_pylist()[0]
    assert [len(row[name]) > 0 for name in ("ast_nodes", "symtable_names", "flow_edges")] == [
        True,
        False,
        False,
    ]
    assert row["facts"] is None
    assert plan_scan(table, request, contract="").action == "none"
    again = plan_scan(table, {"repos": [str(repo)]}, contract="")
    assert (again.action, again.files) == ("overwrite", 1)
    assert read_plan(again.scan).layers == LAYERS
    with pytest.raises(CodelakeError, match="VAR_INVALID"):
        scan_request({"layers": ["colour"]})


def test_a_layer_brings_its_arrays_and_no_others() -> None:
    source = decode(b"def f(x):\n    return x\n")
    assert isinstance(source, SourceText)

    def brought(*layers: str) -> set[str]:
        found = read_source(source, Where("m", "", 7), layers)
        assert not found.errors
        filled = {name for name, columns in found.arrays.items() if columns and len(columns[0])}
        return filled | ({"facts"} if found.facts else set())

    syntax = brought()
    assert brought("names") - syntax == {"symtable_scopes", "symtable_symbols", "symtable_names"}
    assert brought("calls") - syntax == {"facts"}
    assert {name.partition("_")[0] for name in brought("flow") - syntax} == {"flow"}
    assert brought(*LAYERS) == brought("names") | brought("calls") | brought("flow")
