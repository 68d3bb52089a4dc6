"""The exception that is handled, as sys and traceback tell of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from codelake.resolve.rehearsal.texts import text_of
from codelake.resolve.rehearsal.values import GiveUp, Instance, Run, Scope, Unknown, origins

if TYPE_CHECKING:
    from codelake.resolve.rehearsal.machine import Machine


def _handled(scope: Scope) -> Instance | None:
    """Return what the code around handles; that of a caller is not known."""
    at: Scope | None = scope
    while at is not None and at.asked is None and at.kind == "comprehension":
        at = at.parent
    if at is None or (at.asked is None and at.kind != "module"):
        raise GiveUp("an exception that is handled elsewhere")
    return at.asked


def _info(machine: Machine, scope: Scope, arguments: list[Any]) -> Run:
    found = _handled(scope)
    return (None, None, None) if found is None else (found.cls, found, Unknown())
    yield


def _exception(machine: Machine, scope: Scope, arguments: list[Any]) -> Run:
    return _handled(scope)
    yield


def _text(machine: Machine, scope: Scope, arguments: list[Any]) -> Run:
    """Return the text of a traceback: those of the exception and of what it came from."""
    texts: list[Any] = []
    waiting: list[Any] = [_handled(scope)]
    for one in waiting:
        if isinstance(one, Instance):
            texts.append((yield from text_of(machine, one)))
            causes = (one.names.get(name) for name in ("__cause__", "__context__"))
            waiting += [each for each in causes if each not in waiting]
    return Unknown(origins(*texts), is_some=True)


def _elsewhere(machine: Machine, arguments: list[Any], keywords: dict[str, Any]) -> Run:
    raise GiveUp("an exception that is handled elsewhere")
    yield


SCOPED: dict[str, Callable[..., Run]] = {
    "sys.exc_info": _info,
    "sys.exception": _exception,
    "traceback.format_exc": _text,
}
FUNCTIONS: dict[str, Callable[..., Run]] = dict.fromkeys(SCOPED, _elsewhere)
