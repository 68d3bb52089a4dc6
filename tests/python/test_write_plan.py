"""Write plans: what a table's last commit and its inputs' versions ask for. No Spark."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pyarrow as pa
import pytest
from deltalake import CommitProperties, DeltaTable, write_deltalake

from codelake.errors import CodelakeError
from codelake.run.scan_plan import plan_scan, scan_request
from codelake.run.write_plan import CommitState, WritePlan, plan_write


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
