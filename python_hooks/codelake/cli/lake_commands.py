"""Commands about a lake and its runs; none of them but `replay` and `bootstrap` starts Spark."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click
import msgspec

from codelake.cli.options import format_option, lake_option, target_option


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


@click.command()
@click.argument("before")
@click.argument("after")
@lake_option
@target_option
@click.option("--limit", default=20, show_default=True, help="Lines of each list in a table.")
@format_option
def diff(before: str, after: str, lake: str, target: str, limit: int, output_format: str) -> None:
    r"""Show which definitions, calls and flows differ between two runs or two revisions.

    BEFORE and AFTER are runs of the lake, or REPO@REV of a git repository, built aside.

    \b
    Examples:
      codelake diff 20261116T0930 last
      codelake diff ../app@v1.0 ../app@main
    """
    from codelake.cli.console import print_rows
    from codelake.run.graph_diff import Graph, diff_graphs
    from codelake.run.manifest import read_run
    from codelake.run.revisions import diff_revisions, is_revision

    if is_revision(before) and is_revision(after):
        found = diff_revisions(before, after, target=target)
    else:
        runs = [read_run(Path(lake), each) for each in (before, after)]
        graphs = [Graph(Path(lake), each.snapshot) for each in runs]
        found = diff_graphs(graphs[0], graphs[1], (runs[0].run_id, runs[1].run_id))
    if output_format == "json":
        _print_json(found)
        return
    columns = ("element", "kind", "appeared", "vanished", "changed")
    print_rows(columns, [msgspec.structs.astuple(each) for each in found.counts], output_format)
    for title in ("definitions", "calls", "flows"):
        changes = getattr(found, title)
        click.echo(f"\n{title}: {len(changes)}")
        for each in changes[:limit]:
            ends = f"{each.name} -> {each.target}" if each.target else each.name
            click.echo(f"  {each.change:<8}  {each.kind:<9}  {ends}  {each.label}".rstrip())
        if len(changes) > limit:
            click.echo(f"  ... {len(changes) - limit} more: --format json")


_BRIEF = ("edge_kind", "node_kind", "name", "label", "path", "line")
"""Columns of a changed row in a table beside its key; JSON has all."""


@click.command()
@click.argument("table", required=False)
@click.option("--consumer", metavar="NAME", help="Who reads; each has a cursor per table.")
@lake_option
@click.option(
    "--limit",
    type=click.IntRange(0),
    help="Most rows to print; a list that was cut is not consumed.",
)
@click.option(
    "--commit/--peek", default=True, show_default=True, help="Move the cursor, or only look."
)
@click.option("--restart", is_flag=True, help="Begin anew: the whole table as inserts.")
@click.option(
    "--list", "listing", is_flag=True, help="Show all cursors and how far behind each is."
)
@format_option
def changes(
    table: str | None,
    consumer: str | None,
    lake: str,
    limit: int | None,
    commit: bool,
    restart: bool,
    listing: bool,
    output_format: str,
) -> None:
    r"""Print the rows of TABLE that changed since this consumer last asked, deletes included.

    Goes up to the last complete run. A consumer that is new gets the whole table as inserts. The
    table needs the feature change_data_feed (docs/operations.md). JSON has all columns.

    \b
    Examples:
      codelake changes cpg_nodes --consumer search
      codelake changes cpg_edges --consumer search --peek --limit 10
      codelake changes --list
    """
    from codelake.cli.console import print_rows
    from codelake.run.change_cursors import move_cursor
    from codelake.run.changes import list_cursors, read_changes

    if listing:
        columns = ("consumer", "table", "version", "newest", "behind", "run_id", "at", "gap")
        print_rows(columns, map(_cursor_row, list_cursors(Path(lake))), output_format)
        return
    if not table or not consumer:
        raise click.UsageError("name a TABLE and a --consumer, or use --list")
    found = read_changes(Path(lake), table, consumer, restart=restart)
    shown = found.rows.slice(0, limit)
    if output_format == "table":
        brief = {"change_type", *found.key, *_BRIEF}
        shown = shown.select([name for name in shown.column_names if name in brief])
    rows = shown.to_pylist(maps_as_pydicts="strict")
    print_rows(shown.column_names, [tuple(row.values()) for row in rows], output_format)
    sys.stdout.flush()  # a reader that is gone has consumed nothing
    cursor, left = found.cursor, found.rows.num_rows - shown.num_rows
    since = "the beginning" if cursor.from_version is None else f"version {cursor.from_version}"
    told = f"{table} from {since} to version {cursor.version}: {cursor.changes} changes"
    if left:
        click.echo(f"{told}, {left} not shown and nothing consumed: raise --limit", err=True)
        return
    if commit and (found.previous is None or restart or cursor.version != cursor.from_version):
        move_cursor(Path(lake), cursor, found.previous)
    click.echo(f"{told}{'' if commit else ', not consumed'}", err=True)


def _cursor_row(lag: Any) -> tuple[Any, ...]:
    cursor, newest = lag.cursor, lag.newest
    behind = None if lag.gap else newest - cursor.version
    at = cursor.at.isoformat(timespec="seconds")
    named = (cursor.consumer, cursor.table_name, cursor.version)
    return (*named, newest, behind, cursor.run_id, at, lag.gap)


@click.command()
@click.argument("run_id", metavar="RUN", default="last")
@lake_option
@target_option
@click.option("--from-source", is_flag=True, help="Read the repositories again.")
@click.option("--anyway", is_flag=True, help="Replay although program or environment differ.")
@format_option
def replay(
    run_id: str, lake: str, target: str, from_source: bool, anyway: bool, output_format: str
) -> None:
    """Build a run again aside, from the same input, and compare every table.

    Exit code 3 when a table differs.
    """
    from codelake.cli.console import print_rows
    from codelake.run.replay import replay as run_replay

    found = run_replay(Path(lake), run_id, from_source=from_source, anyway=anyway, target=target)
    if output_format == "json":
        _print_json(found)
    else:
        for difference in found.differences:
            click.echo(f"differs: {difference}")
        columns = ("table", "role", "version", "rows", "replayed", "outcome")
        rows = [
            (t.name, t.role, t.version, t.rows, t.replayed_rows, _outcome(t.is_equal))
            for t in found.tables
        ]
        print_rows(columns, rows, output_format)
        click.echo(f"{found.run_id}: {found.status}")
    sys.exit(0 if found.status == "equal" else 3)


@click.command()
@lake_option
@target_option
@click.option(
    "--seed", "seeded", multiple=True, metavar="TABLE", help="Try one typed row in this table."
)
@format_option
def bootstrap(lake: str, target: str, seeded: tuple[str, ...], output_format: str) -> None:
    r"""Make every table of a lake without rows, compile every view, and check all of it.

    Rows that are there stay. Exit code 3 when a required dataset fails.

    \b
    Examples:
      codelake bootstrap --lake lake
      codelake bootstrap --seed cpg_nodes --format json
    """
    from codelake.cli.console import print_rows
    from codelake.run.bootstrap import bootstrap as run_bootstrap

    report = run_bootstrap(Path(lake), seeded=seeded, target=target)
    if output_format == "json":
        _print_json(report)
    else:
        columns = ("name", "role", "required", "status", "version", "rows", "detail")
        shown = [each for each in report.datasets if each.location or each.status == "failed"]
        rows = [[getattr(each, column) for column in columns] for each in shown]
        print_rows(columns, rows, output_format)
        for advisory in report.advisories:
            click.echo(f"advisory: {advisory}")
        for failure in report.failures:
            click.echo(f"failed: {failure}", err=True)
        views = sum(each.status == "compiled" for each in report.datasets)
        click.echo(f"{report.status}: {report.planned} datasets, {views} views compiled")
    sys.exit(0 if report.status == "ok" else 3)


@click.command()
@click.argument("action", type=click.Choice(["optimize", "zorder", "checkpoint", "vacuum"]))
@lake_option
@click.option("--table", "tables", multiple=True, metavar="TABLE", help="Default: all tables.")
@click.option("--by", "columns", multiple=True, metavar="COLUMN", help="Columns of a z-order.")
@click.option(
    "--hours", default=168, show_default=True, help="Vacuum: how old a file must be, at least."
)
@click.option("--apply", is_flag=True, help="Do it; without, say what would be done.")
@format_option
def maintain(
    action: Any,
    lake: str,
    tables: tuple[str, ...],
    columns: tuple[str, ...],
    hours: int,
    apply: bool,
    output_format: str,
) -> None:
    r"""Take care of tables: put files together, order them, checkpoint, remove old files.

    \b
    Examples:
      codelake maintain optimize
      codelake maintain zorder --table cpg_nodes --by repo --by path --apply
      codelake maintain vacuum --hours 720 --apply
    """
    from codelake.cli.console import print_rows
    from codelake.run.maintenance import maintain as run_maintenance

    report = run_maintenance(
        Path(lake), action, tables=tables, columns=columns, hours=hours, apply=apply
    )
    if output_format == "json":
        _print_json(report)
        return
    columns = ("name", "outcome", "version", "files_before", "files_after", "detail")
    rows = [[getattr(each, column) for column in columns] for each in report.tables]
    print_rows(columns, rows, output_format)
    if not apply and any(each.outcome == "planned" for each in report.tables):
        click.echo("nothing was changed: add --apply")


def _outcome(is_equal: bool) -> str:
    return "equal" if is_equal else "DIFFERENT"


def _print_json(value: Any) -> None:
    click.echo(msgspec.json.format(msgspec.json.encode(value)).decode())


COMMANDS = (runs, run, digest, diff, changes, replay, bootstrap, maintain)
