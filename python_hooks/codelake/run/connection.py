"""dbt's connections: targets of profiles.yml, and cursors on the Spark session.

    CodelakeCredentials(lake="lake", master="local[*]")  -> session_of(it).sql("select 1")

One Spark session per dbt thread: the catalogue is shared, settings and temporary views are not,
so threads do not race.
Next: adapter.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dbt.adapters.contracts.connection import Connection, ConnectionState
from dbt.adapters.spark.connections import SparkConnectionManager, SparkCredentials
from dbt.adapters.spark.session import Connection as SparkConnection
from dbt.adapters.spark.session import Cursor, SessionConnectionWrapper
from dbt_common.exceptions import DbtRuntimeError
from deltalake.exceptions import DeltaError
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException

from codelake.errors import CodelakeError
from codelake.run import session
from codelake.run.catalogue import register_views
from codelake.run.project import ROOT

_ERRORS = (PySparkException, Py4JJavaError, DeltaError)
"""What a statement or a commit raises; a broken NOT NULL or CHECK comes as it left the writer."""


@dataclass
class CodelakeCredentials(SparkCredentials):
    """A target of profiles.yml."""

    lake: str = "lake"
    master: str = ""
    remote: str = ""

    def __post_init__(self) -> None:
        """Fill in what dbt-spark asks of every profile and a session does not need."""
        self.host = self.host or "session"
        super().__post_init__()

    @property
    def type(self) -> str:
        """Return the name under which dbt knows this adapter."""
        return "codelake"

    @property
    def unique_field(self) -> str:
        """Return what tells one target from another."""
        return self.remote or self.master or str(self.host)

    def _connection_keys(self) -> tuple[str, ...]:
        return "schema", "lake", "master", "remote"

    def connection_info(self, *, with_aliases: bool = False) -> Iterable[tuple[str, Any]]:
        """Return what a person is shown or, without aliases, what reading the project depends on.

        dbt reads the whole project anew when the latter changes, and nothing in it depends on
        where the lake is or who runs Spark.
        """
        return super().connection_info(with_aliases=True) if with_aliases else ()

    @property
    def lake_path(self) -> Path:
        """Return the lake's folder; a relative one is below the project."""
        return (ROOT / self.lake).resolve()


class SessionCursor(Cursor):
    """A cursor on this thread's session."""

    def __init__(self, credentials: CodelakeCredentials) -> None:
        super().__init__()
        self._credentials = credentials

    def execute(self, sql: str, *parameters: Any) -> None:
        """Run one statement."""
        if parameters:
            raise DbtRuntimeError("codelake binds no parameters into SQL text")
        with brief_errors():
            self._df = run_sql(self._credentials, sql)

    def fetchall(self) -> Any:
        """Return all rows."""
        with brief_errors():
            return super().fetchall()


class _SessionConnection(SparkConnection):
    """A connection that hands out cursors on the session."""

    def __init__(self, credentials: CodelakeCredentials) -> None:
        super().__init__()
        self._credentials = credentials

    def cursor(self) -> Cursor:
        """Return a new cursor."""
        return SessionCursor(self._credentials)


class CodelakeConnectionManager(SparkConnectionManager):
    """Connections to the session; every other method is dbt-spark's."""

    TYPE = "codelake"

    @classmethod
    def open(cls, connection: Connection) -> Connection:
        """Open a connection, waiting for Spark where it is still starting."""
        credentials = connection.credentials
        if connection.state == ConnectionState.OPEN or credentials.method != "session":
            return super().open(connection)
        try:
            session_of(credentials)
        except CodelakeError as error:
            raise DbtRuntimeError(str(error)) from error
        connection.handle = SessionConnectionWrapper(_SessionConnection(credentials))
        connection.state = ConnectionState.OPEN
        return connection


def session_of(credentials: CodelakeCredentials) -> Any:
    """Return this thread's session on the lake of a target."""
    return session.open_session(
        credentials.lake_path, master=credentials.master, remote=credentials.remote
    )


def run_sql(credentials: CodelakeCredentials, sql: str) -> Any:
    """Run one statement in this thread's session, which learns of the views that it names."""
    found = session_of(credentials)
    if session.views_known() == session.Views.AS_NAMED:
        register_views(found, sql)
    return found.sql(sql)


@contextmanager
def brief_errors() -> Iterator[None]:
    """Raise errors of Spark and Delta as dbt's, with their first lines, without the JVM's trace."""
    try:
        yield
    except _ERRORS as error:
        raise DbtRuntimeError(_brief(error)) from error


def _brief(error: Exception) -> str:
    text = str(error.java_exception) if isinstance(error, Py4JJavaError) else str(error)
    return text.split("\n\nJVM stacktrace:")[0].split("\n\tat ")[0].strip()
