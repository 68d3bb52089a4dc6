"""Tables that the driver writes: rows made while a build is planned, no Spark job.

    plan_gather("repositories", request) -> Gathering(plan=WritePlan(...), data=<rows>)

    repositories   gather_repositories.py   from the folders of this build
    interfaces     gather_interfaces.py     from imports and distributions in the evidence
    scip           gather_scip.py           from the indexes of this build and the evidence

There is no commit when nothing changed. Other tables are read by `deltalake`, at the version that
the commit records.
Next: macros/delta/delta_table.sql, which carries the plan out.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from deltalake import write_deltalake

from codelake.run.create_table import commit_properties
from codelake.run.gather_interfaces import gather_interfaces
from codelake.run.gather_repositories import gather_repositories
from codelake.run.gather_scip import gather_scip
from codelake.run.gathering import Gathering, GatherRequest
from codelake.run.write_plan import must_create, zero_row_plan

_PLANNERS: dict[str, Callable[[GatherRequest, bool], Gathering]] = {
    "repositories": gather_repositories,
    "interfaces": gather_interfaces,
    "scip": gather_scip,
}


def plan_gather(part: str, request: GatherRequest) -> Gathering:
    """Decide what a gathered table must hold.

    Args:
        part: which table, one of GATHERED.
        request: what is known of it.
    """
    create = must_create(request.path, request.contract)
    if request.empty:
        return Gathering(zero_row_plan(request.path, create))
    return _PLANNERS[part](request, create)


def write_gathered(path: Path, gathering: Gathering, state: str) -> None:
    """Write the rows of a gathered table, in one commit.

    Args:
        path: the table's folder.
        gathering: what `plan_gather` gave.
        state: userMetadata of the commit.
    """
    write_deltalake(
        path,
        gathering.data,
        mode="overwrite",
        predicate=gathering.predicate,
        commit_properties=commit_properties(state),
    )
