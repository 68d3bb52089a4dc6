"""Where the dbt project is: the checkout that holds this package."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
"""The folder with dbt_project.yml (the package is installed in place)."""

RUN_TABLE = "run_manifest"
"""The table of runs; Python appends to it, so no model makes it."""

EVENT_TABLE = "run_events"
"""What happened during runs, likewise."""

CURSOR_TABLE = "run_cursors"
"""How far consumers have read the changes of tables, likewise."""

OWN_TABLES = (
    *(RUN_TABLE, EVENT_TABLE, CURSOR_TABLE, "run_bootstrap", "run_maintenance"),
    *("lake_tables", "lake_columns", "lake_constraints"),
)
"""All tables that Python makes and no model does."""

SCHEMA = "codelake"
"""The one schema of a lake; a table lives at `<lake>/codelake/<table>`."""

ON_REQUEST = ("evidence_bytecode", "evidence_cst", "evidence_scip")
"""Tables that a whole lake may lack, since no build asked for them."""
