"""The Spark functions that the models call, looked up in the session before anything runs.

One call lists what the session knows, which takes milliseconds. A Spark Connect session has no
such list; its server is checked by whoever starts it.
"""

from __future__ import annotations

from typing import Any

from codelake.compile.program import Program
from codelake.errors import CodelakeError


def require_functions(session: Any, program: Program) -> None:
    """Stop when a session lacks a function that a model calls.

    Raises:
        CodelakeError: FUNCTION_MISSING, with every one that is missing.
    """
    java = getattr(session, "_jsparkSession", None)
    if java is None:
        return
    listed = java.sessionState().functionRegistry().listFunction().mkString(" ")
    known = {word.rsplit(".")[-1].strip("`").lower() for word in listed.split()}
    missing = [name for name in program.functions if name not in known]
    if missing:
        raise CodelakeError(
            "FUNCTION_MISSING",
            f"this Spark has no function {', '.join(missing)}, which models call.",
            "use the Spark that requirements.lock names",
        )
