"""Refuse to run on generated files that are not what the compiler makes now."""

from __future__ import annotations

from codelake.compile.write import is_stale
from codelake.errors import CodelakeError
from codelake.run.profiles import stale_profiles
from codelake.run.project import ROOT


def require_fresh() -> None:
    """Raise MODELS_STALE, naming the one command to run, when a generated file is stale."""
    stale = [*is_stale(ROOT), *stale_profiles()]
    if stale:
        raise CodelakeError(
            "MODELS_STALE",
            f"{len(stale)} generated file(s) differ from the catalogue: {', '.join(stale[:5])}.",
            "run `codelake compile`",
        )
