"""The compliance pack of a run: what Spark was to do for each table, and one envelope around it.

    <lake>/_codelake/compliance/20261116T093000-1f2e3d4c/cpg_nodes.txt    EXPLAIN of its rows
    <lake>/_codelake/compliance/20261116T093000-1f2e3d4c/envelope.json    who, from what, into what

Made when the var `compliance` is true, from what the run notes anyhow; no table, row or commit
depends on it. A failed run has a pack too. The packs of the newest runs are kept (`KEPT`).
"""

from __future__ import annotations

import datetime as dt
import hashlib
import shutil
from pathlib import Path
from typing import Literal

import msgspec

from codelake.run.events import Event
from codelake.run.manifest import RepositoryInput, RunManifest, TableOutput

KEPT = 30
"""How many packs a lake keeps."""


class ExplainedTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The file that says how the rows of a table were to be made."""

    name: str
    file: str
    sha256: str


class ComplianceEnvelope(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A run, and everything that its tables depend on."""

    kind: Literal["compliance_envelope_v1"] = "compliance_envelope_v1"
    run_id: str
    command: str
    status: str
    started_at: dt.datetime
    completed_at: dt.datetime | None
    program_hash: str
    environment_hash: str
    environment: dict[str, str]
    repositories: tuple[RepositoryInput, ...]
    outputs: tuple[TableOutput, ...]
    policies: dict[str, str]
    explained: tuple[ExplainedTable, ...]


def compliance_folder(lake: Path, run_id: str) -> Path:
    """Return where the pack of a run is."""
    return lake / "_codelake" / "compliance" / run_id


def keep_explain(lake: Path, run_id: str, name: str, text: str) -> None:
    """Keep how the rows of a table are about to be made.

    Args:
        lake: the lake's folder.
        run_id: of the run that goes on.
        name: the table's.
        text: what Spark's EXPLAIN says.
    """
    folder = compliance_folder(lake, run_id)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.txt").write_text(text, "utf-8")


def write_envelope(lake: Path, manifest: RunManifest, events: list[Event]) -> ComplianceEnvelope:
    """Complete the pack of a run that has ended, and remove the oldest beyond `KEPT`.

    Args:
        lake: the lake's folder.
        manifest: of the run.
        events: of the run; those of policies count.
    """
    folder = compliance_folder(lake, manifest.run_id)
    folder.mkdir(parents=True, exist_ok=True)
    given = msgspec.structs.asdict(manifest)
    shared = {name: given[name] for name in ComplianceEnvelope.__struct_fields__ if name in given}
    explained = tuple(
        ExplainedTable(
            name=path.stem, file=path.name, sha256=hashlib.sha256(path.read_bytes()).hexdigest()
        )
        for path in sorted(folder.glob("*.txt"))
    )
    policies = {each.subject: each.detail for each in events if each.event == "policy"}
    envelope = ComplianceEnvelope(
        **{**shared, "kind": "compliance_envelope_v1"}, policies=policies, explained=explained
    )
    text = msgspec.json.format(msgspec.json.encode(envelope, order="deterministic"), indent=2)
    (folder / "envelope.json").write_bytes(text + b"\n")
    for old in sorted(folder.parent.iterdir(), key=lambda each: each.stat().st_mtime_ns)[:-KEPT]:
        shutil.rmtree(old)
    return envelope
