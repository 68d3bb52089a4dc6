"""dbt's view of the Spark session, and what macros may ask Python.

dbt-spark's adapter with three differences: connections come from connection.py (so the lake is
registered before dbt fills its relation cache, and Spark starts while dbt still parses); the
relation cache is filled from that registration instead of a slow `show table extended`; and
macros get the few answers that Jinja cannot work out (`adapter.plan_write` and the like).

Each answer imports what it needs: `dbt parse` and `dbt ls` need neither Spark nor Delta nor Arrow,
whose imports take as long as reading the project from dbt's cache.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from dbt.adapters.base.meta import available
from dbt.adapters.contracts.relation import RelationType
from dbt.adapters.events.logging import AdapterLogger
from dbt.adapters.spark.impl import SparkAdapter
from dbt_common.exceptions import DbtRuntimeError

from codelake.compile.program import Dataset, read_program
from codelake.errors import CodelakeError
from codelake.run import record, session
from codelake.run.catalogue import (
    is_delta_table,
    register_rowless,
    register_table,
    registered_relations,
    release_table,
    table_location,
    view_schema,
)
from codelake.run.connection import (
    CodelakeConnectionManager,
    CodelakeCredentials,
    session_of,
)
from codelake.run.events import note_event
from codelake.run.project import ROOT
from codelake.run.settings import check_settings

if TYPE_CHECKING:
    from codelake.run.gathering import Gathering
    from codelake.run.scan_plan import ScanRequest
    from codelake.run.write_plan import WritePlan

INCLUDE_PATH = str(ROOT / "python_hooks" / "dbt" / "include" / "codelake")

_logger = AdapterLogger("codelake")

_WRITES = {"build", "run", "seed"}
_NEEDS_SPARK = {"build", "run", "test", "seed", "show", "snapshot", "run-operation", "generate"}


class CodelakeAdapter(SparkAdapter):
    """dbt-spark's adapter on the codelake session."""

    ConnectionManager = CodelakeConnectionManager

    def __init__(self, config: Any, mp_context: Any) -> None:
        super().__init__(config, mp_context)
        self._credentials: CodelakeCredentials = config.credentials
        _check_settings(config)
        self._gathered: dict[str, Gathering] = {}
        self._whole = config.args.which in ("build", "run") and not _narrowed(config.args)
        if config.args.which in _WRITES:
            try:
                session.require_usable(self._credentials.lake_path)
                record.begin_run(self._credentials.lake_path, config.args.which)
            except CodelakeError as error:
                raise DbtRuntimeError(str(error)) from error
        if self._credentials.method == "session" and config.args.which in _NEEDS_SPARK:
            views = session.Views.OF_BUILD if self._whole else _views_of(config.args.which)
            _start(self._credentials, views=views)

    @classmethod
    def type(cls) -> str:
        """Return the adapter's name."""
        return "codelake"

    def list_relations_without_caching(self, schema_relation: Any) -> list[Any]:
        """Return what the session was told of the lake when it opened."""
        if self._credentials.method != "session":
            return super().list_relations_without_caching(schema_relation)
        session_of(self._credentials)
        return [
            self.Relation.create(
                schema=schema_relation.schema,
                identifier=name,
                type=RelationType(kind),
                information="Provider: delta" if kind == "table" else "",
                is_delta=kind == "table",
            )
            for name, kind in registered_relations().items()
        ]

    def list_schemas(self, database: str) -> list[str]:
        """Return the one schema, which a session has from its start."""
        if self._credentials.method != "session":
            return list(super().list_schemas(database))
        return [str(self._credentials.schema)]

    @available
    def table_path(self, name: str) -> str:
        """Return a table's folder in this lake."""
        return str(table_location(self._credentials.lake_path, name))

    @available.parse(lambda *_, **__: 1)
    def parallelism(self) -> int:
        """Return how many tasks run side by side."""
        return int(session_of(self._credentials).conf.get("spark.sql.shuffle.partitions"))

    @available.parse(lambda *_, **__: True)
    def makes_view(self, name: str, empty: bool) -> bool:
        """Tell whether this run makes a view.

        The catalogue lasts as long as the process, and whoever asks a question has all views
        registered. So a build of everything makes those that its tables and checks read, unless
        it is a zero-row build, which shows that every view can be made.
        """
        return empty or not self._whole or name in _needed()

    @available.parse(lambda *_, **__: False)
    def is_rowless(self, name: str) -> bool:
        """Tell whether a view has no rows since no file was read for its layer."""
        from codelake.run.layers import rowless_views

        return self._whole and name in rowless_views(self._credentials.lake_path)

    @available.parse(lambda *_, **__: None)
    def check_view(self, relation: Any, columns: list[dict[str, Any]]) -> None:
        """Compare a new view with its contract; one that differs is removed again.

        Args:
            relation: the view.
            columns: the contract's columns, each with name and data_type, in order.
        """
        session = session_of(self._credentials)
        schema = view_schema(session, str(relation))
        found = {field.name: field.dataType.simpleString() for field in schema}
        promised = {column["name"]: column["data_type"] for column in columns}
        if problems := _contract_problems(promised, found):
            session.sql(f"drop view {relation}")
            raise DbtRuntimeError(
                f"VIEW_BREAKS_CONTRACT: {relation.identifier} differs from its contract.\n"
                + "\n".join(f"  {problem}" for problem in problems)
            )

    @available.parse(lambda *_, **__: False)
    def promise_holds(self, check: str) -> bool:
        """Tell whether a check is known to have no rows, so that Spark need not look."""
        from codelake.run.promises import promise_holds

        return promise_holds(check, table_location(self._credentials.lake_path, check).parent)

    @available.parse(lambda *_, **__: {})
    def plan_write(self, name: str, delta: dict[str, Any], options: dict[str, Any]) -> Any:
        """Return the WritePlan of a model, as a dict.

        Args:
            name: the table.
            delta: `meta.delta` of the model: strategy, key, inputs, fingerprint.
            options: empty, full_refresh, schema_policy, and but for seeds the scan request.

        The action is `view` for what is a table in another profile only.
        """
        from codelake.run.resolve_plan import plan_resolution
        from codelake.run.scan_plan import plan_scan, scan_request
        from codelake.run.schema_policy import guard_table
        from codelake.run.write_plan import CONTRACT, plan_write

        flags = {"empty": bool(options["empty"]), "full_refresh": bool(options["full_refresh"])}
        path = Path(self.table_path(name))
        contract = (delta.get("properties") or {}).get(CONTRACT, "")
        try:
            if "scan" in options:
                record.note_request(msgspec.to_builtins(scan_request(options["scan"])))
            if not self._is_kept(delta, path, options):
                return {"create": False, "action": "view"}
            guard_table(path, _dataset(name), contract, options["schema_policy"])
            if delta["strategy"] == "extract":
                plan = plan_scan(
                    path,
                    options["scan"],
                    contract=contract,
                    part=delta["part"],
                    selected=not self._whole,
                    **flags,
                )
            elif delta["strategy"] == "resolve":
                plan = plan_resolution(
                    path,
                    Path(self.table_path("evidence")),
                    contract=contract,
                    fingerprint=_fingerprint(delta),
                    **flags,
                )
            elif delta["strategy"] == "gather":
                plan = self._plan_gather(name, delta, scan_request(options["scan"]), flags)
            else:
                plan = plan_write(
                    path,
                    contract=contract,
                    fingerprint=delta["fingerprint"],
                    key=delta.get("key") or "",
                    inputs=self._input_paths(delta),
                    **flags,
                )
        except CodelakeError as error:
            raise DbtRuntimeError(str(error)) from error
        record.note_plan(name, path, plan)
        return msgspec.to_builtins(plan)

    @available.parse(lambda *_, **__: {})
    def write_policy(self, name: str, delta: dict[str, Any], overrides: dict[str, Any]) -> Any:
        """Return `meta.delta` of a model with its policy resolved.

        Args:
            name: the table.
            delta: what the catalogue says.
            overrides: the var `write_policy`: by table, what is otherwise in this build.
        """
        from codelake.run.write_plan import CONTRACT
        from codelake.run.write_policy import read_held, resolve_policy, sync_policy

        columns = {column.name: column.type for column in _dataset(name).columns}
        path = Path(self.table_path(name))
        contract = (delta.get("properties") or {}).get(CONTRACT, "")
        held = read_held(path) if is_delta_table(path) else None
        if held and held.properties.get(CONTRACT, "") != contract:
            held = None  # it will be made anew
        try:
            policy = resolve_policy(name, columns, delta, overrides.get(name), held)
        except CodelakeError as error:
            raise DbtRuntimeError(str(error)) from error
        note_event("policy", name, "resolved", msgspec.json.encode(policy).decode())
        if held:
            sync_policy(path, policy, held, lambda: session_of(self._credentials))
        properties = {**(delta.get("properties") or {}), **policy.properties()}
        layout = {"order": list(policy.order), "cluster": list(policy.cluster)}
        return {**delta, **layout, "properties": properties}

    @staticmethod
    def _is_kept(delta: dict[str, Any], path: Path, options: dict[str, Any]) -> bool:
        """Tell whether a model is a table in this build; a lake that has the table keeps it."""
        from codelake.run.scan_plan import scan_request

        profile = delta.get("profile")
        return (
            not profile
            or is_delta_table(path)
            or scan_request(options["scan"]).build_profile == profile
        )

    def _plan_gather(
        self, name: str, delta: dict[str, Any], scan: ScanRequest, flags: dict[str, bool]
    ) -> WritePlan:
        """Plan a table that the driver writes, and keep its rows for `write_gathered`."""
        from codelake.run.gather import plan_gather
        from codelake.run.gathering import GatherRequest
        from codelake.run.write_plan import CONTRACT

        path = Path(self.table_path(name))
        request = GatherRequest(
            path=path,
            inputs=self._input_paths(delta),
            scan=scan,
            contract=delta["properties"][CONTRACT],
            fingerprint=delta["fingerprint"],
            **flags,
        )
        self._gathered[name] = plan_gather(delta["part"], request)
        return self._gathered[name].plan

    @available.parse(lambda *_, **__: None)
    def register_table(self, name: str, delta: dict[str, Any], empty: bool) -> None:
        """Tell the session of what a table holds now, where a statement may read it."""
        gathered = delta["strategy"] == "gather"
        if not empty and gathered and self._whole and name not in _read_by_spark():
            return
        path, spark = Path(self.table_path(name)), session_of(self._credentials)
        if is_delta_table(path):
            register_table(spark, name, path, files=self._whole)
        else:
            register_rowless(spark, _dataset(name))

    @available.parse(lambda *_, **__: None)
    def write_gathered(self, relation: Any, delta: dict[str, Any]) -> None:
        """Write the rows that `plan_write` gathered."""
        from codelake.run.gather import write_gathered

        name = relation.identifier
        path = Path(self.table_path(name))
        write_gathered(path, self._gathered.pop(name), self._commit_state(delta))

    @available.parse(lambda *_, **__: None)
    def create_table(
        self,
        relation: Any,
        columns: list[Any],
        delta: dict[str, Any],
        description: str,
    ) -> None:
        """Make a table by its contract, without rows."""
        from codelake.run.create_table import create_table

        name = relation.identifier
        path = Path(self.table_path(name))
        # a view with defaults would not fit what it reads any more, and statements may name it
        was_view = not self._whole and release_table(session_of(self._credentials), name)
        create_table(path, columns, delta, description, self._commit_state())
        if was_view:
            register_table(session_of(self._credentials), name, path)
        if delta.get("profile"):
            _drop_view(session_of(self._credentials), str(relation))

    @available.parse(lambda *_, **__: None)
    def write_seed(self, relation: Any, table: Any, delta: dict[str, Any]) -> None:
        """Replace what a seed's table holds by the rows of its file."""
        from codelake.run.create_table import write_rows

        path = Path(self.table_path(relation.identifier))
        rows = [dict(zip(table.column_names, row, strict=True)) for row in table.rows]
        write_rows(path, rows, self._commit_state(delta))

    @available.parse(lambda *_, **__: None)
    def write_rows(self, name: str, sql: str, plan: dict[str, Any], delta: dict[str, Any]) -> None:
        """Write the rows of a query to a table, columns by name, in one commit.

        An INSERT by SQL has Spark optimise the query once for the command and once more for
        Delta, which was a tenth of a small build. Rows of some keys are replaced without Spark,
        and files made as large as wanted, unless only Spark keeps what the table promises: how it
        is clustered or sorted.

        Args:
            name: the table's.
            sql: the query.
            plan: what `plan_write` decided.
            delta: the model's `meta.delta`; its fingerprint goes into the commit's userMetadata.
        """
        from codelake.run.clustering import only_spark_writes
        from codelake.run.cursor import brief_errors, run_sql
        from codelake.run.replace_rows import replace_rows
        from codelake.run.spark_write import spark_write
        from codelake.run.write_policy import target_file_bytes

        path, state = Path(self.table_path(name)), self._commit_state(delta)
        with brief_errors():
            frame = run_sql(self._credentials, sql)
            predicate = plan["predicate"] if plan["action"] == "replace" else ""
            by_spark = delta.get("order") or only_spark_writes(path)
            if not by_spark and (predicate or target_file_bytes(delta["properties"])):
                changes = self._credentials.lake_path / "_codelake" / "changes" / name
                replace_rows(frame, path, predicate, state, changes)
            else:
                spark_write(frame, path, predicate, state, append=plan["create"])

    @available.parse(lambda *_, **__: False)
    def resolves_alone(self, name: str, plan: dict[str, Any], delta: dict[str, Any]) -> bool:
        """Tell whether a resolution needs no Spark: one group, in a table that others may write."""
        from codelake.run.clustering import only_spark_writes
        from codelake.run.resolve_alone import is_alone

        if delta["strategy"] != "resolve" or not plan["scan"] or delta.get("order"):
            return False
        return is_alone(plan["scan"]) and not only_spark_writes(Path(self.table_path(name)))

    @available.parse(lambda *_, **__: None)
    def write_resolved(
        self, name: str, plan: dict[str, Any], delta: dict[str, Any], salt: int
    ) -> None:
        """Resolve the one group of a plan and write the answers."""
        from codelake.run.resolve_alone import resolve_alone

        changes = self._credentials.lake_path / "_codelake" / "changes" / f"{name}.arrow"
        path, state = Path(self.table_path(name)), self._commit_state(delta)
        try:
            resolve_alone(plan["scan"], path, int(salt), state, changes)
        except CodelakeError as error:
            raise DbtRuntimeError(str(error)) from error

    @available.parse(lambda *_, **__: None)
    def explain_rows(self, name: str, sql: str) -> None:
        """Keep what Spark is to do for the rows of a table, for the run's compliance pack."""
        from codelake.run.compliance import keep_explain
        from codelake.run.cursor import brief_errors, run_sql

        with brief_errors():
            (row,) = run_sql(self._credentials, f"explain formatted {sql}").collect()
        keep_explain(self._credentials.lake_path, record.current_run().run_id, name, row[0])

    def _commit_state(self, delta: dict[str, Any] | None = None) -> str:
        from codelake.run.write_plan import CommitState, input_versions

        run = record.current_run()
        state = CommitState(
            run_id=run.run_id,
            program_hash=run.program_hash,
            environment_hash=run.environment_hash,
            fingerprint=_fingerprint(delta) if delta else "",
            inputs=input_versions(self._input_paths(delta)) if delta else {},
        )
        return msgspec.json.encode(state, order="deterministic").decode()

    @available.parse(lambda *_, **__: None)
    def record_run(self, command: str, results: list[Any], options: dict[str, bool]) -> None:
        """Append this run to the run tables; called once, when a run ends.

        A record that cannot be written is a warning: the build stays what it was.

        Args:
            command: the dbt command.
            results: one per node.
            options: digests, whether the manifest has them; compliance, whether there is a pack.
        """
        try:
            record.record_run(self._credentials.lake_path, command, results, **options)
        except Exception as error:
            _logger.warning(f"this run could not be recorded: {error}")

    @available.parse(lambda *_, **__: [])
    def maintain(self, action: Any, tables: list[str], columns: list[str], apply: bool) -> Any:
        """Take care of tables, as `codelake maintain` does; returns one line per table."""
        from codelake.run.maintenance import maintain

        try:
            report = maintain(
                self._credentials.lake_path,
                action,
                tables=tables,
                columns=columns,
                apply=apply,
                session=lambda: session_of(self._credentials),
            )
        except CodelakeError as error:
            raise DbtRuntimeError(str(error)) from error
        return [f"{each.name}: {each.outcome}, {each.detail}" for each in report.tables]

    def _input_paths(self, delta: dict[str, Any]) -> dict[str, Path]:
        return {name: Path(self.table_path(name)) for name in delta.get("inputs") or ()}


def _fingerprint(delta: dict[str, Any]) -> str:
    """Return what a table is made by: its model, and the resolver where that makes the rows."""
    from codelake.run.resolve_plan import RESOLVER_VERSION

    resolver = f"+{RESOLVER_VERSION}" if delta["strategy"] == "resolve" else ""
    return f"{delta['fingerprint']}{resolver}"


def _drop_view(session: Any, name: str) -> None:
    """Make room for a table where a session has a view of that name."""
    if session.catalog.tableExists(name) and session.catalog.getTable(name).tableType == "VIEW":
        session.sql(f"drop view {name}")


def _contract_problems(promised: dict[str, str], found: dict[str, str]) -> list[str]:
    """Return what differs between two ordered lists of name and type."""

    def same(one: str, other: str) -> bool:
        return one.lower().replace(" ", "") == other.lower().replace(" ", "")

    problems = [f"missing: {name} {promised[name]}" for name in promised if name not in found]
    problems += [f"not promised: {name} {found[name]}" for name in found if name not in promised]
    problems += [
        f"{name} is {found[name]}, promised is {kind}"
        for name, kind in promised.items()
        if name in found and not same(kind, found[name])
    ]
    if not problems and list(promised) != list(found):
        problems.append(f"order is {', '.join(found)}; promised is {', '.join(promised)}")
    return problems


@cache
def _dataset(name: str) -> Dataset:
    found = read_program(ROOT).dataset(name)
    if found is None:
        raise DbtRuntimeError(f"DATASET_UNKNOWN: `{name}` is not in the compiled program.")
    return found


def _views_of(command: str) -> session.Views:
    """Return the views that a command may meet: one that lists all there is needs all."""
    named = command in ("build", "run", "show", "test")
    return session.Views.AS_NAMED if named else session.Views.ALL


@cache
def _read_by_spark() -> frozenset[str]:
    return read_program(ROOT).read_by_spark()


@cache
def _needed() -> frozenset[str]:
    return read_program(ROOT).needed()


def _check_settings(config: Any) -> None:
    given = dict(config.vars.to_dict())
    given |= given.pop(config.project_name, {})
    try:
        check_settings(read_program(ROOT), {**given, **config.cli_vars})
    except CodelakeError as error:
        raise DbtRuntimeError(str(error)) from error


def _narrowed(args: Any) -> bool:
    """Tell whether a command leaves out more than views that no build needs."""
    left_out = {*(getattr(args, "exclude", None) or ())} - read_program(ROOT).unread()
    return bool(left_out or any(getattr(args, name, None) for name in ("select", "selector")))


def _start(credentials: CodelakeCredentials, *, views: session.Views) -> Any:
    return session.start(
        credentials.lake_path, master=credentials.master, remote=credentials.remote, views=views
    )
