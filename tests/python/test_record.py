"""The record of runs: it never turns a good build bad."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
from deltalake import DeltaTable

from codelake.run import record
from codelake.run.adapter import CodelakeAdapter


def adapter(lake: Path) -> SimpleNamespace:
    return SimpleNamespace(_credentials=SimpleNamespace(lake_path=lake))


def test_a_record_that_cannot_be_written_is_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(record, "record_run", fail)
    CodelakeAdapter.record_run(adapter(tmp_path), "build", [], {})


def test_a_failed_model_makes_a_failed_run(tmp_path: Path) -> None:
    record.new_run()
    node = SimpleNamespace(name="cpg_nodes")
    result = SimpleNamespace(node=node, status="error", execution_time=1.0, message="no")
    CodelakeAdapter.record_run(adapter(tmp_path), "build", [result], {})
    row = DeltaTable(tmp_path / "codelake" / "run_manifest").to_pyarrow_table().to_pylist()[0]
    assert (row["status"], row["outputs"][0]["name"]) == ("failed", "cpg_nodes")
    assert row["run_id"] == record.current_run().run_id
