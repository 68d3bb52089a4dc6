"""What a build must resolve: nothing when the evidence and the resolver are those of last time.

    plan_resolution(path, evidence, ...) -> WritePlan(action="overwrite", scan="<plan file>")

Next: codelake/resolve/resolve_lake.py, which the data source calls with the plan file.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from codelake.resolve.groups import ResolvePlan, plan_groups
from codelake.run.gathering import held_repositories
from codelake.run.plan_file import new_plan_file
from codelake.run.write_plan import (
    WritePlan,
    create_reason,
    last_state,
    must_create,
    table_version,
    zero_row_plan,
)

RESOLVER_VERSION = 6
"""To be raised when the same facts give other answers: repositories are then resolved again."""


def plan_resolution(
    path: Path,
    evidence: Path,
    *,
    contract: str,
    fingerprint: str,
    empty: bool = False,
    full_refresh: bool = False,
) -> WritePlan:
    """Decide whether the table of answers is up to date.

    Args:
        path: its folder.
        evidence: the folder of the evidence table.
        contract: hash of the columns and constraints declared now.
        fingerprint: of the model and the resolver.
        empty: a zero-row build.
        full_refresh: resolve whatever the state says.
    """
    create = must_create(path, contract)
    if empty:
        return zero_row_plan(path, create)
    version = table_version(evidence)
    if version is None:
        return WritePlan(create=create, action="none", reason="no evidence")
    state = None if create else last_state(path)
    if (
        state is not None
        and not full_refresh
        and (state.fingerprint, state.inputs.get("evidence")) == (fingerprint, version)
    ):
        return WritePlan(create=False, action="none", reason="inputs unchanged")
    groups = plan_groups(evidence, version)
    if not groups and (create or not held_repositories(path)):
        return WritePlan(create=create, action="none", reason="no file has facts")
    plan_file = new_plan_file("resolve")
    plan = ResolvePlan(str(evidence), version, groups)
    Path(plan_file).write_bytes(msgspec.json.encode(plan))
    reason = create_reason(path) if create else "asked for" if full_refresh else "evidence changed"
    return WritePlan(create=create, action="overwrite", reason=reason, scan=plan_file)
