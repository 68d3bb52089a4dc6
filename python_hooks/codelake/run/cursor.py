"""Cursors on the Spark session, as dbt wants them.

    connect(credentials).cursor()   -> SessionCursor: one statement at a time, brief errors

Apart from connection.py, since every dbt command imports that, and only those that run
statements need Spark: importing it takes as long as reading the project from its cache.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from dbt.adapters.spark.session import Connection, Cursor, SessionConnectionWrapper
from dbt_common.exceptions import DbtRuntimeError
from deltalake.exceptions import DeltaError
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException

from codelake.run import session
from codelake.run.catalogue import register_views
from codelake.run.connection import CodelakeCredentials, session_of

_ERRORS = (PySparkException, Py4JJavaError, DeltaError)
"""What a statement or a commit raises; a broken NOT NULL or CHECK comes as it left the writer."""


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


class _SessionConnection(Connection):
    """A connection that hands out cursors on the session."""

    def __init__(self, credentials: CodelakeCredentials) -> None:
        super().__init__()
        self._credentials = credentials

    def cursor(self) -> Cursor:
        """Return a new cursor."""
        return SessionCursor(self._credentials)


def connect(credentials: CodelakeCredentials) -> SessionConnectionWrapper:
    """Return a connection to the session of a target."""
    return SessionConnectionWrapper(_SessionConnection(credentials))


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
