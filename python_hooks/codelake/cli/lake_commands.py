"""Commands about a lake and its runs; none of them but `replay` and `bootstrap` starts Spark."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import msgspec

from codelake.cli.options import format_option, lake_option


@click.command()
@lake_option
@format_option
def runs(lake: str, output_format: str) -> None:
    """List the runs of a lake, newest first; a run whose process is gone is `killed`."""
    from codelake.cli.console import print_rows
    from codelake.run.manifest import list_runs

    columns = ("run_id", "status", "command", "started_at", "seconds", "files_read", "written")
    rows = [
        (
            run.run_id,
            run.status,
            run.command,
            run.started_at.isoformat(timespec="seconds"),
            run.seconds,
            run.files_read,
            sum(output.action not in ("none", "view") for output in run.outputs),
        )
        for run in list_runs(Path(lake))
    ]
    print_rows(columns, rows, output_format)


@click.command()
@click.argument("run_id", metavar="RUN")
@lake_option
@format_option
def run(run_id: str, lake: str, output_format: str) -> None:
    r"""Show one run: what it read, what it wrote, with what.

    RUN is an id, the beginning of one, or `last` for the last complete run.

    \b
    Examples:
      codelake run last
      codelake run 20261116T0930 --format json
    """
    from codelake.cli.console import print_rows
    from codelake.run.manifest import read_run

    found = read_run(Path(lake), run_id)
    if output_format == "json":
        _print_json(found)
        return
    click.echo(f"{found.run_id}  {found.status}  {found.command}  {found.seconds or '?'} s")
    click.echo(f"program {found.program_hash[:16]}  environment {found.environment_hash}")
    for each in found.repositories:
        click.echo(f"read {each.repo}: {each.files} files, {each.digest[:16]}")
    columns = (
        "table",
        "status",
        "action",
        "version",
        "rows",
        "files",
        "bytes",
        "seconds",
        "reason",
    )
    rows = [
        (o.name, o.status, o.action, o.version, o.rows, o.files, o.bytes, o.seconds, o.reason)
        for o in found.outputs
    ]
    print_rows(columns, rows, output_format)


@click.command()
@click.argument("run_id", metavar="RUN", default="last")
@lake_option
@format_option
def digest(run_id: str, lake: str, output_format: str) -> None:
    r"""Digest the tables of a run, whatever the order of their rows, and keep the result.

    \b
    Examples:
      codelake digest
      codelake digest 20261116T0930
    """
    from codelake.cli.console import print_rows
    from codelake.run.digests import digest_run

    found = digest_run(Path(lake), run_id)
    rows = [(each.name, each.version, each.rows, each.digest) for each in found.outputs]
    print_rows(("table", "version", "rows", "digest"), rows, output_format)


def _print_json(value: Any) -> None:
    click.echo(msgspec.json.format(msgspec.json.encode(value)).decode())


COMMANDS = (runs, run, digest)
