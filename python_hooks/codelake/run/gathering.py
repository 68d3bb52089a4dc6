"""What the planners of gathered tables share: what they are asked, and what they give.

    replacing(request, "interfaces", rows, repos={"app"}, ...)
        -> Gathering(WritePlan(action="overwrite"), <rows>, "repo = 'app'")
        -> Gathering(WritePlan(action="none"))                  when the table holds these rows

Next: gather.py.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from codelake.evidence.delta_columns import delta_columns
from codelake.evidence.gathered import GATHERED
from codelake.run.catalogue import is_delta_table
from codelake.run.scan_plan import ScanRequest
from codelake.run.write_plan import WritePlan

type Row = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class GatherRequest:
    """What a gathered table is planned from.

    Attributes:
        path: the table's folder.
        inputs: the tables it reads.
        scan: the vars that say what to read.
        contract: hash of the columns and constraints declared now.
        fingerprint: the model's, as compiled now.
        empty: a zero-row build.
        full_refresh: write whatever the table holds.
    """

    path: Path
    inputs: Mapping[str, Path]
    scan: ScanRequest
    contract: str
    fingerprint: str
    empty: bool = False
    full_refresh: bool = False


@dataclass(frozen=True)
class Gathering:
    """A plan, and the Arrow data that carries it out.

    Rows that the predicate picks are replaced; all, when there is none.
    """

    plan: WritePlan
    data: Any = None
    predicate: str | None = None


def replacing(
    request: GatherRequest,
    part: str,
    rows: list[Row],
    *,
    create: bool,
    reason: str,
    repos: Collection[str] | None = None,
) -> Gathering:
    """Return the plan that makes a table hold these rows.

    Args:
        request: what is known of the table.
        part: which table, one of GATHERED.
        rows: what it must hold.
        create: whether it is made anew.
        reason: why rows may differ.
        repos: the repositories that the rows are of; rows of others stay. All when not given.
    """
    data = pa.Table.from_pylist(rows, schema=GATHERED[part])
    if create:
        reason = "another contract" if is_delta_table(request.path) else "new table"
    elif not request.full_refresh and _same(data, held_table(request.path, repos=repos)):
        return Gathering(WritePlan(create=False, action="none", reason="equal rows"))
    others = set() if create or repos is None else held_repositories(request.path) - {*repos}
    plan = WritePlan(create=create, action="overwrite", reason=reason)
    return Gathering(plan, data, picking(repos or ()) if others else None)


def held_repositories(path: Path) -> set[str]:
    """Return the names of the repositories that a table has rows of."""
    return set(held_table(path, ["repo"])["repo"].to_pylist()) if is_delta_table(path) else set()


def held_table(
    path: Path, columns: list[str] | None = None, repos: Collection[str] | None = None
) -> pa.Table:
    """Return what a table holds, of some repositories only when they are given."""
    return delta_columns(path, columns, repos=repos)


def picking(repos: Iterable[str], documents: Iterable[tuple[str, str]] = ()) -> str:
    """Return the condition that picks all rows of repositories, and those of single paths."""
    parts = [f"repo = {_quoted(repo)}" for repo in sorted(repos)]
    parts += [
        f"(repo = {_quoted(repo)} and path = {_quoted(path)})" for repo, path in sorted(documents)
    ]
    return " or ".join(parts)


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _same(data: pa.Table, held: pa.Table) -> bool:
    """Compare rows, in whatever order the files of a table have them."""
    if held.num_rows != data.num_rows:
        return False
    keys = [(name, "ascending") for name in ("repo", "name", "rank") if name in data.column_names]
    return bool(held.sort_by(keys).to_pylist() == data.sort_by(keys).to_pylist())
