"""Drivers of installed pure-Python packages: their calls are traced by resolve_trace.py."""

from __future__ import annotations

import contextlib
import datetime
import io
from typing import Any


def drive_click(click: Any) -> None:
    from click.testing import CliRunner

    @click.group(invoke_without_command=True)
    @click.option("--verbose/--quiet", default=False, help="Say more.")
    @click.version_option("1.0")
    @click.pass_context
    def tool(context: Any, verbose: bool) -> None:
        context.obj = verbose

    @tool.command()
    @click.argument("names", nargs=-1)
    @click.option("--count", type=click.IntRange(1, 5), default=2, show_default=True)
    @click.option("--kind", type=click.Choice(["a", "b"], case_sensitive=False), prompt=True)
    @click.option("--out", type=click.File("w"), default="-")
    @click.option("--when", type=click.DateTime(), multiple=True)
    @click.option("--pair", type=(str, int))
    @click.pass_obj
    def show(obj: bool, names: tuple[str, ...], count: int, out: Any, **_: Any) -> None:
        click.secho(f"{names} {obj}", fg="green", file=out)
        with click.progressbar(range(count), label="work") as steps:
            for _step in steps:
                click.echo(click.style("step", bold=True))
        if click.confirm("again?"):
            raise click.UsageError("no")

    runner = CliRunner()
    for arguments, given in (
        (["--help"], None),
        (["--version"], None),
        (["--verbose", "show", "x", "y", "--kind", "A", "--count", "3"], "n\n"),
        (["show", "--kind", "c"], "n\n"),
        (["show", "--count", "9", "--kind", "a"], None),
        (["show", "--pair", "x", "1", "--when", "2020-01-01"], "b\ny\n"),
        (["shwo"], None),
        (["show", "--help"], None),
        (["show", "--nope"], None),
    ):
        runner.invoke(tool, arguments, input=given)
    click.format_filename("a/b")
    click.unstyle(click.style("x", fg="red"))


def drive_jinja2(jinja2: Any) -> None:
    from jinja2.sandbox import SandboxedEnvironment

    templates = {
        "base": "<{% block head %}base{% endblock %}>{% block body %}{% endblock %}",
        "page": "{% extends 'base' %}{% from 'tools' import row %}{% block body %}"
        "{% for x in rows if x is odd %}{{ row(x) }}{{ loop.index }}{{ loop.cycle('a', 'b') }}"
        "{% else %}none{% endfor %}{{ super() }}{% endblock %}",
        "tools": "{% macro row(x, y=2) %}[{{ x + y }}]{% endmacro %}",
        "filters": "{{ rows|sort|join(',') }}{{ name|upper|replace('A', 'b')|default('-') }}"
        "{{ rows|groupby('real')|list|length }}{{ name|indent|wordwrap(5)|truncate(3) }}"
        "{{ {'a': 1}|dictsort|map(attribute=0)|list }}{{ 3.14159|round(2) }}{{ name|e|title }}",
        "more": "{% set n = namespace(v=0) %}{% with a = 1 %}{% include 'tools' %}{{ a }}"
        "{% endwith %}{% if not n.v and name in rows or 1 < 2 %}y{% elif rows %}z{% endif %}"
        "{% call(u) outer() %}{{ u }}{% endcall %}{{ rows[0:2]|first }}{% filter upper %}q"
        "{% endfilter %}{# note #}{% raw %}{{ x }}{% endraw %}",
        "broken": "{% if %}",
    }
    for kind in (jinja2.Environment, SandboxedEnvironment):
        environment = kind(loader=jinja2.DictLoader(templates), autoescape=True, trim_blocks=True)
        environment.globals["outer"] = lambda caller: caller(5)
        for name in templates:
            with contextlib.suppress(jinja2.TemplateError):
                environment.get_template(name).render(rows=[3, 1, 2], name="anna")
        environment.compile_expression("a + 1")(a=2)
        environment.list_templates()
    with contextlib.suppress(jinja2.UndefinedError):
        jinja2.Template("{{ x.y }}", undefined=jinja2.StrictUndefined).render()


def drive_packaging(packaging: Any) -> None:
    from packaging.markers import Marker
    from packaging.requirements import InvalidRequirement, Requirement
    from packaging.specifiers import SpecifierSet
    from packaging.tags import parse_tag, sys_tags
    from packaging.utils import canonicalize_name, parse_wheel_filename
    from packaging.version import Version

    versions = [Version(text) for text in ("1.0", "1.0.post1", "2!3.1a2.dev3+x.1", "1.0rc1")]
    sorted(versions)
    for text in ("~=1.0", ">=1,<2", "==1.*", "!=1.0", "===1.0", ">1.0,!=1.5"):
        specifiers = SpecifierSet(text)
        for version in versions:
            version in specifiers  # noqa: B015
        list(specifiers.filter(versions))
    for text in ("a>=1; python_version > '3' and os_name == 'x'", "b[x,y] @ https://h/p", "c ;;"):
        with contextlib.suppress(InvalidRequirement):
            str(Requirement(text))
    Marker("python_version in '3.12 3.13' or extra == 'z'").evaluate({"extra": "z"})
    next(iter(sys_tags()))
    parse_tag("py3-none-any")
    parse_wheel_filename("a_b-1.0-py3-none-any.whl")
    canonicalize_name("A_b.C")
    str(packaging)


def drive_sqlparse(sqlparse: Any) -> None:
    text = (
        "select a, b as c, count(*) from t x join u on t.id = u.id where a > 1 and b in (1, 2) "
        "group by a having count(*) > 1 order by a desc limit 3; -- note\n"
        "create table t (a int primary key, b varchar(10)); insert into t values (1, 'x');"
        "begin; update t set a = case when b = 1 then 2 else 3 end; end; /* end */"
    )
    for options in (
        {"reindent": True, "keyword_case": "upper", "identifier_case": "lower"},
        {"reindent_aligned": True},
        {"strip_comments": True, "strip_whitespace": True, "use_space_around_operators": True},
        {"reindent": True, "comma_first": True, "wrap_after": 10, "indent_tabs": True},
        {"truncate_strings": 1, "output_format": "python"},
        {"output_format": "php", "right_margin": 20},
    ):
        with contextlib.suppress(NotImplementedError):
            sqlparse.format(text, **options)
    sqlparse.split(text)
    for statement in sqlparse.parse(text):
        statement.get_type()
        with contextlib.redirect_stdout(io.StringIO()):
            statement._pprint_tree()
        for token in statement.flatten():
            token.within(sqlparse.sql.Where)


def drive_isodate(isodate: Any) -> None:
    for text in ("2020-02-03", "2020W101", "2020-060", "20200203", "20"):
        isodate.date_isoformat(isodate.parse_date(text))
    for text in ("10:20:30.5", "102030Z", "10:20+01:00", "1020,5-0130"):
        isodate.time_isoformat(isodate.parse_time(text))
    isodate.datetime_isoformat(isodate.parse_datetime("2020-02-03T10:20:30Z"))
    year = isodate.parse_duration("P1Y2M3DT4H5M6S")
    week = isodate.parse_duration("-P3W")
    isodate.duration_isoformat(year)
    isodate.duration_isoformat(week)
    now = datetime.datetime(2020, 2, 29)
    for value in (now + year, now - year, year + year, year - week, year * 2, -year):
        str(value)
    year.totimedelta(start=now)
    isodate.strftime(year, "P%P")
    with contextlib.suppress(isodate.ISO8601Error):
        isodate.parse_date("x")


PACKAGES = {
    "click": drive_click,
    "isodate": drive_isodate,
    "jinja2": drive_jinja2,
    "packaging": drive_packaging,
    "sqlparse": drive_sqlparse,
}
"""What uses each package."""
