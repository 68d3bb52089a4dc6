"""Rules of dbt-bouncer that it does not bring along: a function per rule, found by its name.

Run by `dbt-bouncer --config-file .dbt-bouncer.yml` on the manifest of `dbt parse`.
"""

from __future__ import annotations

from pathlib import PurePath
from typing import Any

from dbt_bouncer.check_framework.decorator import check, fail
from dbt_bouncer.sql_utils import neutralize_jinja
from sqlglot import exp, parse_one
from sqlglot.optimizer.scope import traverse_scope

JINJA_NAME = "_dbt_bouncer_jinja_"
"""What `neutralize_jinja` puts in place of `{{ ref('x') }}`."""


def bare_tables(sql: str) -> list[str]:
    """Return the tables that a query names itself: neither `{{ ... }}` nor one of its CTEs."""
    tables = {
        source.sql(dialect="databricks")
        for scope in traverse_scope(parse_one(neutralize_jinja(sql), dialect="databricks"))
        for source in scope.sources.values()
        if isinstance(source, exp.Table) and not source.name.startswith(JINJA_NAME)
    }
    return sorted(tables)


def public_name(macro_name: str) -> str:
    """Return a macro's name as its file has it: dbt adds to that of tests and materialisations."""
    if macro_name.startswith("materialization_"):
        return macro_name.removeprefix("materialization_").rsplit("_", 1)[0]
    return macro_name.removeprefix("test_")


@check
def check_model_reads_only_refs(model: Any) -> None:
    """Refuse table names without `ref`, qualified or not: they would escape the lineage."""
    if tables := bare_tables(model.raw_code):
        fail(f"`{model.name}` reads {tables} without `ref`.")


@check
def check_column_means_one_thing(ctx: Any, *, besides: list[str]) -> None:
    """Refuse two descriptions of one column name; `besides` lists words that the row explains."""
    texts: dict[str, set[str]] = {}
    for model in ctx.models:
        for name, column in model.columns.items():
            texts.setdefault(name, set()).add(column.description.strip())
    for name, said in sorted(texts.items()):
        if len(said) > 1 and name not in besides:
            fail(f"Column `{name}` is described in more than one way: {sorted(said)}.")


@check
def check_model_is_materialised_as(model: Any, *, permitted: list[str]) -> None:
    """Refuse another materialisation; the rule brought along knows only dbt's own four."""
    if model.config.materialized not in permitted:
        fail(f"`{model.name}` is a {model.config.materialized}, not one of {permitted}.")


@check
def check_test_reads_only_refs(test: Any) -> None:
    """Refuse the same in a test of `tests/sql`."""
    if test.raw_code.lstrip().startswith("{{"):  # a generic test is only a macro call
        return
    if tables := bare_tables(test.raw_code):
        fail(f"`{test.name}` reads {tables} without `ref`.")


@check
def check_macro_is_named_after_its_file(macro: Any) -> None:
    """Refuse a second public macro in a file; `_helpers` may stand beside the one that is there.

    dbt finds the materialisation of seeds by the name `seed`: it may stand in `delta_seed.sql`.
    """
    stem = PurePath(macro.original_file_path).stem
    name = public_name(macro.name)
    named = {name, f"delta_{name}"} if macro.name.startswith("materialization_") else {name}
    if stem not in named and not name.startswith("_"):
        fail(f"`{name}` is not the macro of `{macro.original_file_path}`: one public macro a file.")


@check
def check_macro_arguments_are_typed(macro: Any) -> None:
    """Refuse an argument without type in `_macros.yml`; a materialisation takes none."""
    if macro.name.startswith("materialization_"):
        return
    if untyped := [argument.name for argument in macro.arguments or [] if not argument.type]:
        fail(f"`{macro.name}` has arguments without a type: {untyped}.")


@check
def check_seed_columns_are_described(seed: Any) -> None:
    """Refuse a seed without columns, or a column of it without description."""
    columns = seed.columns or {}
    bare = [name for name, column in columns.items() if not column.description]
    if bare or not columns:
        fail(f"`{seed.name}` has columns without a description: {bare or 'all of them'}.")
