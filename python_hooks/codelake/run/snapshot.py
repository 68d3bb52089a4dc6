"""The lake as a run left it: what questions read while a build is under way or after a kill.

    with snapshot(session, lake):            # the last complete run
        session.sql("select ...")

No transaction spans tables, so the newest versions need not belong together. A table whose newest
version is that of the run is read as it is; for any other a view of the run's version takes its
name for as long as the question lasts.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from codelake.run.catalogue import register_table, register_version, table_location
from codelake.run.manifest import last_complete, read_run
from codelake.run.write_plan import table_version

LATEST = "latest"
"""Asks for the newest versions, whether or not they belong together."""


def pinned_versions(lake: Path, pin: str = "last") -> dict[str, int]:
    """Return the tables whose newest version is not that of a run, with that of the run.

    Args:
        lake: the lake's folder.
        pin: a run as for `read_run`; `last` is none when no run is complete yet.
    """
    if pin == LATEST:
        return {}
    run = last_complete(lake) if pin == "last" else read_run(lake, pin)
    wanted = run.snapshot if run else {}
    newest = {name: table_version(table_location(lake, name)) for name in wanted}
    return {name: version for name, version in wanted.items() if newest[name] != version}


@contextmanager
def snapshot(session: Any, lake: Path, pin: str = "last") -> Iterator[None]:
    """Let a session see the versions of a run.

    Args:
        session: a session on the lake, with all its tables and views.
        lake: the lake's folder.
        pin: as for `pinned_versions`.
    """
    pinned = pinned_versions(lake, pin)
    for name, version in pinned.items():
        register_version(session, name, table_location(lake, name), version)
    try:
        yield
    finally:
        for name in pinned:
            register_table(session, name, table_location(lake, name))
