"""The environment of the process: what the code stores there is found again by its key."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from codelake.resolve.rehearsal.values import Run, Unknown, origins

if TYPE_CHECKING:
    from codelake.resolve.rehearsal.machine import Machine

ENVIRONMENT = "os.environ"


def _found(machine: Machine, key: Any, default: Any, name: str) -> Run:
    one = machine.unknown(ENVIRONMENT)
    if not isinstance(key, str):
        return Unknown(origins(one, key, default))
    at = f"[{key!r}]"
    if at not in one.names:
        if machine.decide((ENVIRONMENT, key)):
            one.names[at] = Unknown(is_some=True)
        elif name == "setdefault":
            one.names[at] = default
    if name == "pop":
        return one.names.pop(at, default)
    return one.names.get(at, default)
    yield


def _lookup(name: str) -> Callable[..., Run]:
    def run(machine: Machine, arguments: list[Any], keywords: dict[str, Any]) -> Run:
        key, *default = (*arguments, *keywords.values())
        return _found(machine, key, default[0] if default else None, name)

    return run


FUNCTIONS: dict[str, Callable[..., Run]] = {
    "os.getenv": _lookup("get"),
    **{f"{ENVIRONMENT}.{name}": _lookup(name) for name in ("get", "pop", "setdefault")},
}
