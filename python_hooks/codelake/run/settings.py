"""Settings of a command: dbt vars compared with what the program declares, before Spark starts.

check_settings(program, {"repo": ["../app"]})
    -> VAR_UNKNOWN: there is no var `repo`.
         fix: use repos (a list ...), ...
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any

from codelake.compile.program import Program
from codelake.errors import CodelakeError
from codelake.semantic.parameters import setting_problem


def check_settings(program: Program, given: Mapping[str, Any]) -> None:
    """Compare vars with the parameters of a program. One text counts as a list of one.

    Raises:
        CodelakeError: VAR_UNKNOWN or VAR_INVALID, saying what is allowed.
    """
    known = {each.name: each for each in program.parameters}
    for name, value in given.items():
        found = known.get(name)
        if found is None:
            near = difflib.get_close_matches(name, known, n=1)
            fix = f"use `{near[0]}`; " if near else ""
            raise CodelakeError(
                "VAR_UNKNOWN", f"there is no var `{name}`.", f"{fix}there are {', '.join(known)}"
            )
        one = isinstance(value, str) and found.type.startswith("array")
        problem = setting_problem(found.type, found.choices, [value] if one else value)
        if problem:
            fix = f"correct it: {found.meaning}"
            raise CodelakeError("VAR_INVALID", f"the var `{name}` {problem}.", fix)
