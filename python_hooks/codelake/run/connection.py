"""dbt's connections: targets of profiles.yml, and the Spark session of each.

    CodelakeCredentials(lake="lake", master="local[*]")  -> session_of(it).sql("select 1")

One Spark session per dbt thread: the catalogue is shared, settings and temporary views are not,
so threads do not race.
Next: cursor.py, adapter.py.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dbt.adapters.contracts.connection import Connection, ConnectionState
from dbt.adapters.spark.connections import SparkConnectionManager, SparkCredentials
from dbt_common.exceptions import DbtRuntimeError

from codelake.errors import CodelakeError
from codelake.run import session
from codelake.run.project import ROOT


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
        from codelake.run.cursor import connect

        connection.handle = connect(credentials)
        connection.state = ConnectionState.OPEN
        return connection


def session_of(credentials: CodelakeCredentials) -> Any:
    """Return this thread's session on the lake of a target."""
    return session.open_session(
        credentials.lake_path, master=credentials.master, remote=credentials.remote
    )
