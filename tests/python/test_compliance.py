"""The compliance pack: complete, kept for a while, and without effect on any table."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from deltalake import DeltaTable

from codelake.run import compliance, record
from codelake.run.compliance import (
    ComplianceEnvelope,
    compliance_folder,
    keep_explain,
    write_envelope,
)
from codelake.run.events import Event
from codelake.run.manifest import TableOutput, last_complete
from codelake.run.table_digest import table_digest
from conftest import GRAPH, REPOS

NOW = "2026-11-16T09:30:00Z"


def manifest(run_id: str) -> Any:
    record.new_run()
    output = TableOutput(name="cpg_nodes", status="success", action="overwrite", reason="new table")
    found = record._manifest("build", "complete")
    return msgspec.structs.replace(found, run_id=run_id, outputs=(output,))


def policy(name: str) -> Event:
    given = {"at": NOW, "event": "policy", "subject": name, "outcome": "resolved", "detail": "{}"}
    return msgspec.convert(given, Event)


def test_the_envelope_says_what_the_run_depends_on(tmp_path: Path) -> None:
    run = manifest("r1")
    keep_explain(tmp_path, "r1", "cpg_nodes", "== Physical Plan ==\n")
    made = write_envelope(tmp_path, run, [policy("cpg_nodes")])
    text = (compliance_folder(tmp_path, "r1") / "envelope.json").read_bytes()
    assert msgspec.json.decode(text, type=ComplianceEnvelope) == made
    assert (made.program_hash, made.environment) == (run.program_hash, run.environment)
    assert (made.outputs, made.policies) == (run.outputs, {"cpg_nodes": "{}"})
    (explained,) = made.explained
    kept = compliance_folder(tmp_path, "r1") / explained.file
    assert hashlib.sha256(kept.read_bytes()).hexdigest() == explained.sha256


def test_the_newest_packs_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compliance, "KEPT", 2)
    for name in ("z", "y", "x"):
        write_envelope(tmp_path, manifest(name), [])
    assert sorted(each.name for each in compliance_folder(tmp_path, "").iterdir()) == ["x", "y"]


@pytest.mark.spark
def test_a_pack_changes_no_table(
    lake: Path, first_build: Path, command: Callable[..., Any]
) -> None:
    assert not (first_build / "_codelake" / "compliance").exists()
    asked = json.dumps({"repos": [str(REPOS / "shop")], "compliance": True})
    done = command("dbt", "build", "--vars", asked, lake=lake)
    assert done.returncode == 0, done.stdout
    for name in GRAPH:
        one, other = (DeltaTable(each / "codelake" / name) for each in (first_build, lake))
        assert table_digest(lake / "codelake" / name) == table_digest(
            first_build / "codelake" / name
        )
        assert one.version() == other.version()
        assert one.metadata().configuration == other.metadata().configuration
        assert one.schema() == other.schema()
        states = [json.loads(each.history(1)[0]["userMetadata"]) for each in (one, other)]
        assert states[0].pop("run_id") != states[1].pop("run_id")
        assert states[0] == states[1]
    run, before = last_complete(lake), last_complete(first_build)
    assert run and before
    folder = compliance_folder(lake, run.run_id)
    envelope = msgspec.json.decode((folder / "envelope.json").read_bytes(), type=ComplianceEnvelope)
    assert {each.name for each in envelope.explained} >= set(GRAPH)
    assert "Physical Plan" in (folder / "cpg_nodes.txt").read_text("utf-8")
    assert {each.name: each.digest for each in envelope.outputs} == {
        each.name: each.digest for each in before.outputs
    }
    assert set(GRAPH) <= envelope.policies.keys()
