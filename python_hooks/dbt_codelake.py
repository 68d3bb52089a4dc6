"""Thin shell that dbt finds by name: refuses stale models before any dbt command."""

from __future__ import annotations

from dbt.plugins.manager import dbtPlugin

from codelake.run import collector


class CodelakePlugin(dbtPlugin):
    """Checks that models/ and profiles/ are what the compiler makes of the catalogue."""

    def initialize(self) -> None:
        """Stop with the command to run when a generated file is stale."""
        if self.project_name == "codelake":
            from codelake.run.staleness import require_fresh

            require_fresh()
            collector.seldom()


plugins = [CodelakePlugin]
