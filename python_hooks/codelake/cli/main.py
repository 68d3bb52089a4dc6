"""The commands of `codelake`.

A known error is one line (and its fix) on stderr and exit code 1; `--debug` adds the traceback.
Exit codes: 0 done, 1 known error, 2 wrong usage, 3 the build ran and a model or check failed.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click
import msgspec

from codelake import __version__
from codelake.cli.lake_commands import COMMANDS
from codelake.cli.options import format_option, lake_option, target_option
from codelake.errors import CodelakeError

_BUILD_FAILED = 3


class _Group(click.Group):
    """Turns known errors into one line and an exit code."""

    def invoke(self, context: click.Context) -> Any:
        try:
            return super().invoke(context)
        except CodelakeError as error:
            if context.params.get("debug"):
                raise
            click.echo(str(error), err=True)
            context.exit(1)


@click.group(cls=_Group, no_args_is_help=True, context_settings={"max_content_width": 100})
@click.version_option(__version__)
@click.option("--debug", is_flag=True, help="Show the traceback of a known error.")
def main(debug: bool) -> None:
    r"""Turn Python repositories into a Code Property Graph in Delta tables.

    \b
    Examples:
      codelake build ../app --lake lake
      codelake query "select node_kind, count(*) as n from cpg_nodes group by all order by n desc"
    """


@main.command()
@click.argument("repos", nargs=-1, required=True, metavar="REPO...")
@lake_option
@target_option
@click.option("--only", multiple=True, metavar="GLOB", help="Read only these; rows of others stay.")
@click.option("--include", multiple=True, metavar="GLOB", help="Read these, not *.py *.pyi *.pyw.")
@click.option("--exclude", multiple=True, metavar="GLOB", help="Files to leave out.")
@click.option(
    "--layer",
    "layers",
    multiple=True,
    type=click.Choice(["syntax", "names", "flow", "calls", "dominators"]),
    help="Layers of the graph; default: all but dominators. Syntax is always there.",
)
@click.option(
    "--with",
    "extractors",
    multiple=True,
    type=click.Choice(["bytecode", "cst"]),
    help="Evidence beyond what the graph needs; a lake that has it keeps it up to date.",
)
@click.option(
    "--environment",
    multiple=True,
    metavar="PATH",
    help="Virtual environment or site-packages: tells where imported names come from.",
)
@click.option("--lock-file", multiple=True, metavar="PATH", help="Lock file: tells the same.")
@click.option("--scip", multiple=True, metavar="PATH", help="SCIP index of the repository.")
@click.option(
    "--profile",
    type=click.Choice(["default", "full", "accelerators"]),
    default="default",
    show_default=True,
    help="`full` keeps py_bc_* as tables, `accelerators` cpg_edges_by_* and cpg_props_map.",
)
@click.option("--select", multiple=True, metavar="SELECTOR", help="dbt selectors; default: all.")
@click.option("--empty", is_flag=True, help="Make every table, read no file, remove no row.")
@click.option("--full-refresh", is_flag=True, help="Read every file and write every table again.")
@format_option
def build(
    repos: tuple[str, ...],
    lake: str,
    target: str,
    only: tuple[str, ...],
    include: tuple[str, ...],
    exclude: tuple[str, ...],
    layers: tuple[str, ...],
    extractors: tuple[str, ...],
    environment: tuple[str, ...],
    lock_file: tuple[str, ...],
    scip: tuple[str, ...],
    profile: str,
    select: tuple[str, ...],
    empty: bool,
    full_refresh: bool,
    output_format: str,
) -> None:
    r"""Extract repositories and build their graph.

    REPO is a folder, or NAME=FOLDER to choose the name under which its rows stand. PATH is for
    every repository of the build, or NAME=PATH for one; a SCIP index is always for one.

    \b
    Examples:
      codelake build ../app
      codelake build web=../web-app lib=../library --lake /data/lake
      codelake build ../app --only 'app/models/*.py'
      codelake build ../app --layer syntax
      codelake build ../app --with bytecode
      codelake build ../app --environment ../app/.venv --scip ../app/index.scip
    """
    from codelake.cli.console import progress
    from codelake.run.build import build as run_build

    with progress() as listener:
        result = run_build(
            repos,
            lake,
            only=only,
            include=include,
            exclude=exclude,
            layers=layers,
            extractors=extractors,
            environment=environment,
            lock_file=lock_file,
            scip=scip,
            profile=profile,
            select=select,
            target=target,
            empty=empty,
            full_refresh=full_refresh,
            on_event=listener,
        )
    if output_format == "json":
        click.echo(msgspec.json.format(msgspec.json.encode(result)).decode())
    else:
        _print_result(result)
    sys.exit(0 if result.status == "complete" else _BUILD_FAILED)


@main.command()
@click.argument("sql")
@lake_option
@target_option
@click.option("--param", multiple=True, metavar="NAME=VALUE", help="Bind :NAME to a text.")
@click.option(
    "--pin",
    default="last",
    show_default=True,
    metavar="RUN",
    help="Read the versions of this run; `last` is the last complete one, `latest` no run.",
)
@format_option
def query(
    sql: str, lake: str, target: str, param: tuple[str, ...], pin: str, output_format: str
) -> None:
    r"""Run one SQL query on the lake and print its rows.

    \b
    Examples:
      codelake query "select * from extract_errors"
      codelake query "select path, line from cpg_nodes where name = :name" --param name=main
    """
    from codelake.cli.console import print_rows
    from codelake.run.query import run_query

    arguments = {}
    for item in param:
        name, equals, value = item.partition("=")
        if not equals or not name.isidentifier():
            raise click.BadParameter(f"`{item}` is not NAME=VALUE", param_hint="--param")
        arguments[name] = value
    columns, rows = run_query(sql, Path(lake), target=target, arguments=arguments, pin=pin)
    print_rows(columns, rows, output_format)


@main.command()
@click.argument("name")
@lake_option
@format_option
def callers(name: str, lake: str, output_format: str) -> None:
    r"""Print who calls NAME: a qualified name, the end of one, or a public name of it.

    \b
    Examples:
      codelake callers shop.pricing.percent
      codelake callers os.path.join
    """
    _ask_calls(name, "callee", lake, output_format)


@main.command()
@click.argument("name")
@lake_option
@format_option
def callees(name: str, lake: str, output_format: str) -> None:
    r"""Print what NAME calls: a qualified name, the end of one, or a public name of it.

    \b
    Examples:
      codelake callees shop.cart.Cart.total
      codelake callees Cart.total
    """
    _ask_calls(name, "caller", lake, output_format)


@main.command()
@click.argument("name")
@lake_option
@format_option
def refs(name: str, lake: str, output_format: str) -> None:
    r"""Print every use of NAME: calls, imports, names, subclasses, overriding methods.

    \b
    Examples:
      codelake refs shop.pricing.percent
      codelake refs Cart --format json
      codelake refs shop.settings.LIMIT
    """
    from codelake.cli.console import print_rows
    from codelake.run.questions import uses

    print_rows(*uses(name, Path(lake)), output_format)


@main.command()
@click.argument("start", metavar="FROM")
@click.argument("end", metavar="TO")
@lake_option
@click.option("--most", default=10, show_default=True, help="Number of ways to print.")
@format_option
def flows(start: str, end: str, lake: str, most: int, output_format: str) -> None:
    r"""Print the ways that a value takes from one place to another.

    A place is path:LINE, NAME(parameter), or the name of something that is called: FROM then means
    the results of its calls, TO their arguments. FROM may also be a name outside that is read, as
    sys.argv. What the lake has no name for is looked for as it is written, as self.cursor.execute,
    or the end of that. Calls are followed into their functions and back.

    \b
    Examples:
      codelake flows input os.system
      codelake flows sys.argv subprocess.run
      codelake flows request.args cursor.execute
      codelake flows 'Cart.add(price)' round_down
      codelake flows shop/cart.py:27 'shop.pricing.round_down(amount)'
    """
    from codelake.cli.console import print_rows
    from codelake.run.flows import flows as follow

    print_rows(*follow(start, end, Path(lake), most=most), output_format)


@main.command()
@click.argument("number", metavar="ID", type=int)
@lake_option
@format_option
def explain(number: int, lake: str, output_format: str) -> None:
    r"""Show every piece of evidence behind a node or edge.

    An id that begins with a minus goes behind two dashes.

    \b
    Examples:
      codelake explain 4263892733713221521
      codelake explain --lake lake -- -8031223372036854775
    """
    from codelake.cli.console import print_rows
    from codelake.run.explain import explain as tell

    print_rows(*tell(number, Path(lake)), output_format)


@main.command()
@lake_option
@format_option
def stats(lake: str, output_format: str) -> None:
    r"""Count what the lake holds: files, nodes and edges by kind, calls without a target.

    \b
    Examples:
      codelake stats
      codelake stats --lake /data/lake --format json
    """
    from codelake.cli.console import print_rows
    from codelake.run.statistics import statistics

    print_rows(*statistics(Path(lake)), output_format)


def _ask_calls(name: str, side: str, lake: str, output_format: str) -> None:
    from codelake.cli.console import print_rows
    from codelake.run.questions import calls

    print_rows(*calls(name, side, Path(lake)), output_format)


@main.command(name="compile")
@click.option("--check", is_flag=True, help="Write nothing; fail when a file is stale.")
@click.option("--diff", is_flag=True, help="Write nothing; print what would change.")
def compile_command(check: bool, diff: bool) -> None:
    """Write models/ and profiles/ from the semantic catalogue."""
    from codelake.compile.write import check as check_models
    from codelake.compile.write import diff as diff_models
    from codelake.compile.write import write as write_models
    from codelake.run.profiles import stale_profiles, write_profiles
    from codelake.run.project import ROOT

    if diff:
        click.echo(diff_models(ROOT), nl=False)
        return
    if not check:
        changed = [*write_models(ROOT), *write_profiles()]
        click.echo(f"{len(changed)} file(s) written" if changed else "everything is up to date")
        return
    stale = [*check_models(ROOT), *stale_profiles()]
    if stale:
        raise CodelakeError(
            "MODELS_STALE", f"not up to date: {', '.join(stale)}.", "run `codelake compile`"
        )
    click.echo("everything is up to date")


@main.command()
@click.argument("outputs", nargs=-1, metavar="[DATASET...]")
@format_option
def plan(outputs: tuple[str, ...], output_format: str) -> None:
    r"""Print what a build makes, in which order, how and why; starts no Spark.

    \b
    Examples:
      codelake plan
      codelake plan cpg_edges --format json
    """
    from codelake.compile.plan import make_plan, print_plan
    from codelake.compile.program import read_program
    from codelake.run.project import ROOT

    made = make_plan(read_program(ROOT), outputs)
    if output_format == "json":
        click.echo(msgspec.json.format(msgspec.json.encode(made)).decode())
    else:
        click.echo(print_plan(made), nl=False)


@main.command()
@lake_option
@format_option
def doctor(lake: str, output_format: str) -> None:
    """Check this machine and the project."""
    from codelake.cli.console import print_rows
    from codelake.cli.doctor import examine

    findings = examine(Path(lake))
    rows = [(finding.check, finding.outcome, finding.detail) for finding in findings]
    print_rows(("check", "outcome", "detail"), rows, output_format)
    sys.exit(1 if any(finding.outcome == "failed" for finding in findings) else 0)


@main.command()
@click.argument("action", type=click.Choice(["start", "stop", "status"]))
def engine(action: str) -> None:
    """Keep a warm Spark between builds: `build --target warm` then uses it."""
    from codelake.run import engine as warm

    if action == "stop":
        click.echo("stopped" if warm.stop() else "no engine runs")
        return
    found = warm.start() if action == "start" else warm.running()
    click.echo(f"{found.address}, process {found.pid}" if found else "no engine runs")


@main.command()
def setup() -> None:
    """Make what a first build needs: Delta JARs and the class archive (`make` does this)."""
    from codelake.run.class_archive import archive_path, train
    from codelake.run.jars import delta_jars
    from codelake.run.java import find_java

    find_java()
    delta_jars()
    if not archive_path().exists():
        click.echo("Making the class archive with one small build (once) ...", err=True)
        if train() is None:
            click.echo("It could not be made; builds work, and start more slowly.", err=True)


def _print_result(result: Any) -> None:
    width = max((len(name) for name in result.tables), default=0)
    for name, table in result.tables.items():
        click.echo(f"{name:<{width}}  version {table.version:<4} {table.action:<10} {table.reason}")
    for error in result.errors:
        click.echo(error, err=True)
    click.echo(f"{result.status}: {result.files_read} files read in {result.seconds:.1f} s")
    if result.status == "complete":
        click.echo('next: codelake query "select * from cpg_nodes limit 10"')


for command in COMMANDS:
    main.add_command(command)
for command in (main, *main.commands.values()):  # raw docstrings hold click's mark as two letters
    command.help = (command.help or "").replace(r"\b", "\b")

if __name__ == "__main__":
    main()
