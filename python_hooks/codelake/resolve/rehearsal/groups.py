"""Groups of exceptions: `except*`, and how a group is divided."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from codelake.resolve.rehearsal.values import (
    GiveUp,
    Instance,
    Raised,
    Run,
    Scope,
    builtin_class,
    is_error,
)

if TYPE_CHECKING:
    from codelake.resolve.rehearsal.machine import Machine


def group_of(message: Any, exceptions: list[Instance]) -> Instance:
    """Return a group of exceptions."""
    kind = ExceptionGroup
    if not all(is_error(each.cls, Exception) for each in exceptions):
        kind = BaseExceptionGroup  # type: ignore[assignment]
    made = Instance(builtin_class(kind))
    made.names["args"] = (message, list(exceptions))
    return made


def members(group: Instance) -> tuple[Any, list[Instance]]:
    """Return message and exceptions of a group."""
    message, inner = (*group.names["args"], [])[:2]
    return message, [*inner]


def divide(
    machine: Machine, value: Instance, kinds: Any
) -> tuple[Instance | None, Instance | None]:
    """Return the part of an exception or group that is of some kinds, and the rest."""
    from codelake.resolve.rehearsal.statements import caught

    if caught(machine, value, kinds):
        return value, None
    if not is_error(value.cls, BaseExceptionGroup):
        return None, value
    message, inner = members(value)
    mine: list[Instance] = []
    others: list[Instance] = []
    for each in inner:
        one, other = divide(machine, each, kinds)
        mine += [one] if one else []
        others += [other] if other else []
    return (
        group_of(message, mine) if mine else None,
        group_of(message, others) if others else None,
    )


def handled(machine: Machine, node: ast.TryStar, scope: Scope) -> Run:
    """Run a `try` with `except*`."""
    from codelake.resolve.rehearsal.expressions import store

    before, raised, signal = scope.asked, None, None
    depth, tries, is_through = machine.depth, machine.tries, False
    try:
        machine.tries += 1
        signal = yield from machine.block(node.body, scope)
        machine.tries, is_through = tries, True
        if signal is None:
            signal = yield from machine.block(node.orelse, scope)
    except Raised as one:
        raised = one
    machine.depth, machine.tries = depth, tries
    rest = raised.value if raised is not None and not is_through else None
    for handler in node.handlers if rest is not None else ():
        if rest is None:
            break
        if handler.type is None:
            raise GiveUp("except* without a kind")
        kinds = yield from machine.value(handler.type, scope)
        mine, rest = divide(machine, rest, kinds)
        if mine is None:
            continue
        if not is_error(mine.cls, BaseExceptionGroup):
            mine = group_of("", [mine])
        scope.asked = mine
        if handler.name:
            store(machine, handler.name, mine, scope)
        signal = yield from machine.block(handler.body, scope)
        scope.asked = before
    if node.finalbody:
        last = yield from machine.block(node.finalbody, scope)
        if last is not None:
            return last
    if raised is not None and is_through:
        raise raised
    if rest is not None:
        raise raised if raised is not None and rest is raised.value else Raised(rest)
    return signal
