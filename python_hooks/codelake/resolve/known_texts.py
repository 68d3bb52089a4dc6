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


def _changed(change: Callable[[str], str]) -> MethodModel:
    """Make a model of a method that changes each character by itself."""

    def model(state: State, site: Site, receiver: int) -> None:
        objects = state.objects
        if receiver < 0:
            made = objects.known_text(change(objects.texts[-receiver]))
        elif isinstance(objects.second[receiver], str):
            start = change(objects.second[receiver])
            made = objects.of(EXTERNAL_INSTANCE, TEXT_TYPE, start)
        else:
            made = objects.text
        state.solver.put(site.result, made)

    return model


METHODS: dict[str, MethodModel] = {
    "builtins.str.lower": _changed(str.lower),
    "builtins.str.upper": _changed(str.upper),
    "builtins.str.casefold": _changed(str.casefold),
}
