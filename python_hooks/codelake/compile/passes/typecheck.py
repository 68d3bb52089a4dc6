"""Typecheck: every name, type and null of the catalogue, all mistakes at once."""

from __future__ import annotations

from dataclasses import replace

from codelake.compile.units import State
from codelake.semantic.check import check


def typecheck(state: State) -> State:
    """Collect the mistakes of the catalogue."""
    return replace(state, errors=(*state.errors, *check(state.catalogue)))
