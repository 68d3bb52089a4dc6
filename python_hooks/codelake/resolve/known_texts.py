"""Known texts: methods of texts whose results tell a name that getattr asks for.

    f"visit_{kind}".lower()      still begins with `visit_`
    "RUN".lower()                "run"

Next: known_calls.py.
"""

from __future__ import annotations

from collections.abc import Callable

from codelake.resolve.known_support import MethodModel
from codelake.resolve.objects import EXTERNAL_INSTANCE, TEXT_TYPE
from codelake.resolve.state import Site, State

CHANGES: dict[str, Callable[[str], str]] = {
    "lower": str.lower,
    "upper": str.upper,
    "casefold": str.casefold,
}
"""Methods that change each character by itself."""


def changed_text(state: State, one: int, change: Callable[[str], str]) -> int:
    """Return the text that a method makes of another one."""
    objects = state.objects
    if one < 0:
        return objects.known_text(change(objects.texts[-one]))
    if isinstance(objects.second[one], str):
        return objects.of(EXTERNAL_INSTANCE, TEXT_TYPE, change(objects.second[one]))
    return objects.text


def _changed(change: Callable[[str], str]) -> MethodModel:
    def model(state: State, site: Site, receiver: int) -> None:
        state.solver.put(site.result, changed_text(state, receiver, change))

    return model


METHODS: dict[str, MethodModel] = {
    f"{TEXT_TYPE}.{name}": _changed(change) for name, change in CHANGES.items()
}
