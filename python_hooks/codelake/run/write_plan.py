"""What a build must write to a table: nothing, the rows of some keys, or everything.

    plan_write(table, request) -> WritePlan(create=False, action="replace", predicate="...")

A table's last commit says what it was made from: the model's fingerprint and the versions of its
input tables (`CommitState`, kept in the commit's userMetadata, so it is exact even after a kill).

    another contract                        -> the table is made anew, then all rows
    same fingerprint, same input versions   -> none: no statement, no commit
    same fingerprint, inputs moved on       -> replace the keys whose input rows differ
    anything else                           -> overwrite

The input rows of a key differ when the key's digest columns differ between the recorded version
of the input and its present one; both are read by `deltalake` without Spark.
Next: macros/delta/delta_table.sql, which carries the plan out.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
from deltalake import DeltaTable

from codelake.errors import CodelakeError
from codelake.evidence.delta_columns import delta_columns
from codelake.run.catalogue import is_delta_table


class CommitState(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a commit says of its origin; JSON in Delta's userMetadata."""

    run_id: str
    program_hash: str
    environment_hash: str
    fingerprint: str = ""
    inputs: dict[str, int] = {}


class WritePlan(msgspec.Struct, frozen=True, kw_only=True):
    """One table's part of a build, as the materialisation reads it.

    `create` is set when there is no table yet, or one whose contract is another.
    """

    create: bool
    action: str
    reason: str
    predicate: str = ""
    scan: str = ""
    files: int = 0


CONTRACT = "codelake.contract"
"""The table property that holds the hash of the contract a table was made with."""

_FILE_DIGESTS = ("file_id", "file_sha256", "extractor_digest")
DIGEST_COLUMNS = {
    "evidence": _FILE_DIGESTS,
    "evidence_bytecode": _FILE_DIGESTS,
    "resolution": ("file_id", "resolution_digest"),
}
"""Per input table: its key, then the columns that tell whether a key's rows are the same."""


def table_version(path: Path) -> int | None:
    """Return the newest version of a table; None when there is none."""
    return DeltaTable(path).version() if is_delta_table(path) else None


def must_create(path: Path, contract: str) -> bool:
    """Say whether there is no table, or one that promises something else."""
    if not is_delta_table(path):
        return True
    return DeltaTable(path).metadata().configuration.get(CONTRACT, "") != contract


def last_state(path: Path) -> CommitState | None:
    """Return what the newest commit that wrote rows says of its origin."""
    for commit in DeltaTable(path).history():
        text = commit.get("userMetadata")
        if commit.get("operation") in ("OPTIMIZE", "VACUUM START", "VACUUM END"):
            continue
        try:
            return msgspec.json.decode(text, type=CommitState) if text else None
        except msgspec.DecodeError:
            return None
    return None


def plan_write(
    path: Path,
    *,
    contract: str,
    fingerprint: str,
    key: str,
    inputs: Mapping[str, Path],
    empty: bool = False,
    full_refresh: bool = False,
) -> WritePlan:
    """Decide what a model that reads tables must write.

    Args:
        path: the table's folder.
        contract: hash of the columns and constraints declared now.
        fingerprint: the model's, as compiled now.
        key: the column by which rows are replaced; empty when only whole.
        inputs: the tables it reads, directly or through views.
        empty: a zero-row build, which makes what is missing and removes nothing.
        full_refresh: rebuild whatever the state says.
    """
    create = must_create(path, contract)
    if empty:
        return zero_row_plan(path, create)
    state = None if create else last_state(path)
    if state is None or full_refresh or state.fingerprint != fingerprint:
        reason = (
            create_reason(path) if create else "asked for" if full_refresh else "another program"
        )
        return WritePlan(create=create, action="overwrite", reason=reason)
    versions = input_versions(inputs)
    moved = sorted({name for name, _ in versions.items() ^ state.inputs.items()})
    if not moved:
        return WritePlan(create=False, action="none", reason="inputs unchanged")
    known = DIGEST_COLUMNS.keys() & versions.keys() & state.inputs.keys()
    if not key or not known.issuperset(moved):
        return WritePlan(create=False, action="overwrite", reason=f"{', '.join(moved)} changed")
    changed: set[int] = set()
    kept = 0
    for name in moved:
        difference = changed_keys(inputs[name], state.inputs[name], DIGEST_COLUMNS[name])
        if difference is None:
            return WritePlan(
                create=False, action="overwrite", reason=f"{name} {state.inputs[name]} is gone"
            )
        changed |= difference[0]
        kept += difference[1]
    if not changed:
        return WritePlan(create=False, action="none", reason="inputs equal by key")
    if not kept:
        return WritePlan(create=False, action="overwrite", reason="every key changed")
    return WritePlan(
        create=False,
        action="replace",
        predicate=key_predicate(key, changed),
        reason=f"{len(changed)} keys changed",
    )


def zero_row_plan(path: Path, create: bool) -> WritePlan:
    """Return the plan of a build that reads nothing: make what is missing, remove nothing."""
    if create and is_delta_table(path):
        raise CodelakeError(
            "CONTRACT_CHANGED",
            f"`{path.name}` was made with another contract, and a zero-row build removes no row.",
            "run a build that reads the repositories",
        )
    return WritePlan(create=create, action="none", reason="zero-row build")


def create_reason(path: Path) -> str:
    """Say why a table is made."""
    return "another contract" if is_delta_table(path) else "new table"


def input_versions(inputs: Mapping[str, Path]) -> dict[str, int]:
    """Return the present version of each input table; evidence not asked for has no table."""
    found = {name: table_version(path) for name, path in sorted(inputs.items())}
    return {name: version for name, version in found.items() if version is not None}


def key_predicate(key: str, values: set[int]) -> str:
    """Return the condition that picks the rows of some keys, and those that have no key."""
    listed = ", ".join(str(value) for value in sorted(values))
    return f"{key} in ({listed}) or {key} is null"


def changed_keys(path: Path, since: int, columns: tuple[str, ...]) -> tuple[set[int], int] | None:
    """Return the keys that differ from an older version, and how many do not.

    None when the older version cannot be read any more.
    """
    try:
        before = digests(path, columns, version=since)
    except Exception:  # deltalake raises several kinds for a vacuumed or truncated log
        return None
    after = digests(path, columns)
    changed = {key for key, _ in before.items() ^ after.items()}
    return changed, len(after.keys() - changed)


def digests(
    path: Path, columns: tuple[str, ...], version: int | None = None
) -> dict[int, tuple[Any, ...]]:
    """Return key -> digest columns of a table at a version."""
    table = delta_columns(path, columns, version=version)
    key, *rest = (table.column(name).to_pylist() for name in columns)
    return dict(zip(key, zip(*rest, strict=True), strict=True))
