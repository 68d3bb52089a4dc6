"""unittest.mock.patch: an attribute or item is another one inside of `with` or a function.

with patch.object(clock, "now", fake): ...
@patch("shop.clock.now", fake)
with patch.dict(os.environ, {"A": "b"}): ...
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from codelake.resolve.rehearsal.attributes import delete_attribute, set_attribute
from codelake.resolve.rehearsal.managers import Manager
from codelake.resolve.rehearsal.values import (
    MISSING,
    External,
    Function,
    GiveUp,
    Module,
    Native,
    Raised,
    Run,
    Unknown,
)

if TYPE_CHECKING:
    from codelake.resolve.rehearsal.machine import Machine


class Patch(Manager):
    """What patch() and patch.object() return, which also decorates functions."""

    def __init__(self, owner: Any, name: str, given: Any) -> None:
        super().__init__(self._begin, self._end)
        self._owner, self._name, self._given = owner, name, given
        self._before: Any = MISSING

    def call(self, machine: Machine, arguments: list[Any], _: dict[str, Any]) -> Run:
        """Return a function during whose calls the attribute is another one."""
        (function,) = arguments
        if not isinstance(function, Function) or self._given is MISSING:
            raise GiveUp("a patch of another kind")

        def run(machine: Machine, given: list[Any], keywords: dict[str, Any]) -> Run:
            yield from self._begin(machine)
            try:
                made = yield from machine.call(function, given, keywords)
            except Raised as raised:
                yield from self._end(machine, raised)
                raise
            yield from self._end(machine, None)
            return made

        return Native(function.node.name, run)
        yield

    def _begin(self, machine: Machine) -> Run:
        names = getattr(self._owner, "names", {})
        self._before = names.get(self._name, MISSING)
        made = Unknown() if self._given is MISSING else self._given
        yield from set_attribute(machine, self._owner, self._name, made)
        return made

    def _end(self, machine: Machine, _: Raised | None) -> Run:
        if self._before is MISSING:
            yield from delete_attribute(machine, self._owner, self._name)
        else:
            yield from set_attribute(machine, self._owner, self._name, self._before)
        return False


def _patch_object(machine: Machine, arguments: list[Any], keywords: dict[str, Any]) -> Run:
    owner, name, *given = arguments
    if not isinstance(name, str) or keywords.keys() - {"new", "return_value"}:
        raise GiveUp("a patch of another kind")
    return Patch(owner, name, _new(given, keywords))
    yield


def _patch(machine: Machine, arguments: list[Any], keywords: dict[str, Any]) -> Run:
    target, *given = arguments
    if not isinstance(target, str) or keywords.keys() - {"new", "return_value"}:
        raise GiveUp("a patch of another kind")
    full, _, name = target.rpartition(".")
    parts = full.split(".")
    owner: Any = None
    for size in range(len(parts), 0, -1):
        owner = machine.modules.get(".".join(parts[:size]))
        if owner is None and size == 1 and parts[0] == "__main__":
            owner = next(iter(machine.modules.values()))
        if isinstance(owner, Module):
            for part in parts[size:]:
                owner = yield from machine.attribute(owner, part)
            break
    return Patch(External(full) if owner is None else owner, name, _new(given, keywords))


def _new(given: list[Any], keywords: dict[str, Any]) -> Any:
    """Return what stands there: what is given, or something that returns a value."""
    if "return_value" in keywords:
        value = keywords["return_value"]

        def run(machine: Machine, _: list[Any], __: dict[str, Any]) -> Run:
            return value
            yield

        return Native("Mock", run)
    return given[0] if given else keywords.get("new", MISSING)


FUNCTIONS: dict[str, Callable[..., Run]] = {
    "unittest.mock.patch": _patch,
    "unittest.mock.patch.object": _patch_object,
}
