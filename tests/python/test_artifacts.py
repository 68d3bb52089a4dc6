"""The shape of every artifact: its JSON Schema is a file under test, and decoding is strict.

A changed shape is a changed contract: raise the number in `kind`, then write the file anew with
`python tests/python/test_artifacts.py`.
"""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from codelake.run.bootstrap import BootstrapReport
from codelake.run.change_cursors import Cursor
from codelake.run.compliance import ComplianceEnvelope
from codelake.run.events import Event
from codelake.run.graph_diff import GraphDiff
from codelake.run.maintenance import MaintenanceReport
from codelake.run.manifest import RunManifest
from codelake.run.replay import ReplayReport
from codelake.run.write_plan import CommitState
from codelake.run.write_policy import WritePolicy

FOLDER = Path(__file__).resolve().parents[1] / "cases" / "artifacts"
NOW = "2026-11-16T09:30:00Z"
RUN = {
    **{"run_id": "r", "command": "build", "status": "complete", "started_at": NOW},
    **{"program_hash": "p", "environment_hash": "e", "environment": {"python": "3.13"}},
}
POLICY = {
    **{"partition": [], "stats": ["id"], "order": [], "zorder": [], "bloom": [], "features": []},
    **{"cluster": [], "dictionary": [], "target_file_bytes": 0, "reasons": {"stats": "catalogue"}},
}
REPORT = {
    **{"run_id": "r", "status": "ok", "mode": "strict_zero_rows", "event_time": NOW},
    **{"seconds": 1.5, "program_hash": "p", "planned": 0, "failures": [], "advisories": []},
    **{"seeded": [], "datasets": []},
}
SAMPLES = {
    RunManifest: RUN,
    Event: {"at": NOW, "event": "plan", "subject": "cpg_nodes", "outcome": "none"},
    BootstrapReport: REPORT,
    Cursor: {
        **{"consumer": "c", "table_name": "t", "table_id": "i", "columns": "h"},
        **{"from_version": None, "version": 1, "run_id": "r", "changes": 0, "at": NOW},
    },
    MaintenanceReport: {
        **{"maintenance_id": "m", "action": "vacuum", "applied": True, "at": NOW, "tables": []}
    },
    ReplayReport: {
        **{"run_id": "r", "status": "equal", "source": "evidence", "differences": []},
        **{"tables": []},
    },
    GraphDiff: {
        **{"before": "a", "after": "b", "counts": [], "definitions": [], "calls": []},
        **{"flows": []},
    },
    WritePolicy: POLICY,
    ComplianceEnvelope: {
        **RUN,
        **{"completed_at": None, "repositories": [], "outputs": [], "policies": {}},
        **{"explained": [{"name": "t", "file": "t.txt", "sha256": "0"}]},
    },
    CommitState: {"run_id": "r", "program_hash": "p", "environment_hash": "e"},
}


def schema_text(kind: type) -> str:
    return json.dumps(msgspec.json.schema(kind), indent=2, sort_keys=True) + "\n"


@pytest.mark.parametrize("kind", SAMPLES, ids=lambda kind: kind.__name__)
def test_the_shape_is_the_one_on_file(kind: type) -> None:
    assert schema_text(kind) == (FOLDER / f"{kind.__name__}.json").read_text("utf-8")


def test_no_shape_is_left_over() -> None:
    assert {path.stem for path in FOLDER.glob("*.json")} == {kind.__name__ for kind in SAMPLES}


@pytest.mark.parametrize("kind", SAMPLES, ids=lambda kind: kind.__name__)
def test_an_artifact_survives_json_and_msgpack(kind: type) -> None:
    value = msgspec.convert(SAMPLES[kind], kind)
    assert msgspec.json.decode(msgspec.json.encode(value), type=kind) == value
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(value), type=kind) == value


@pytest.mark.parametrize("kind", SAMPLES, ids=lambda kind: kind.__name__)
def test_what_is_missing_unknown_or_of_another_type_is_named(kind: type) -> None:
    name = next(iter(SAMPLES[kind]))
    without = {key: value for key, value in SAMPLES[kind].items() if key != name}
    with pytest.raises(msgspec.ValidationError, match=f"missing required field `{name}`"):
        msgspec.convert(without, kind)
    with pytest.raises(msgspec.ValidationError, match="unknown field `surprise`"):
        msgspec.convert({**SAMPLES[kind], "surprise": 1}, kind)
    with pytest.raises(msgspec.ValidationError, match=rf"Expected .*`\$.{name}`"):
        msgspec.convert({**SAMPLES[kind], name: {"a": [1]}}, kind)


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for each in SAMPLES:
        (FOLDER / f"{each.__name__}.json").write_text(schema_text(each), "utf-8")
