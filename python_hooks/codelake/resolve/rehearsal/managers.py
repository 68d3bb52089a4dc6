"""Context managers: what `with` enters and leaves, and those of contextlib."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from codelake.resolve.rehearsal.values import (
    MISSING,
    External,
    GiveUp,
    Instance,
    Iterated,
    Native,
    Raised,
    Run,
    Unknown,
    error,
    origins,
)

if TYPE_CHECKING:
    from codelake.resolve.rehearsal.machine import Machine


class Manager:
    """A manager of contextlib: what it gives, and what leaving it does.

    Attributes:
        given: for `as`; MISSING lets `start` tell.
    """

    def __init__(
        self,
        start: Callable[[Machine], Run],
        end: Callable[[Machine, Raised | None], Run],
    ) -> None:
        self.start, self.end = start, end

    def attribute(self, machine: Machine, name: str) -> Any:
        """Return a method of the manager."""
        if name in ("__enter__", "__aenter__"):
            return Native(name, lambda m, a, k: self.start(m))
        if name in ("__exit__", "__aexit__"):

            def leave_by(m: Machine, arguments: list[Any], _: dict[str, Any]) -> Run:
                kind = arguments[1] if len(arguments) > 1 else None
                return self.end(m, Raised(kind) if isinstance(kind, Instance) else None)

            return Native(name, leave_by)
        raise error(AttributeError, name)

    def call(self, machine: Machine, arguments: list[Any], keywords: dict[str, Any]) -> Run:
        """Let the manager decorate a function."""
        raise GiveUp("a manager as a decorator")
        yield


def enter(machine: Machine, manager: Any, is_async: bool) -> Run:
    """Return what `as` gets."""
    if isinstance(manager, Manager):
        return (yield from manager.start(machine))
    if isinstance(manager, Instance):
        found = yield from machine.special(manager, "__aenter__" if is_async else "__enter__")
        if found is not MISSING:
            return (yield from machine.awaited(found)) if is_async else found
        if manager.cls.is_open:
            return manager
    if isinstance(manager, (Unknown, External)):
        return Unknown(origins(manager)) if isinstance(manager, External) else manager
    hidden = getattr(manager, "enter", None)
    if hidden is not None:
        return (yield from hidden(machine))
    raise error(TypeError, "no context manager")


def leave(machine: Machine, manager: Any, raised: Raised | None, is_async: bool) -> Run:
    """Leave a manager; return whether it swallows the exception."""
    if isinstance(manager, Manager):
        return (yield from machine.truth((yield from manager.end(machine, raised))))
    if isinstance(manager, Instance):
        given = (None, None, None)
        if raised is not None:
            given = (raised.value.cls, raised.value, None)  # type: ignore[assignment]
        name = "__aexit__" if is_async else "__exit__"
        found = yield from machine.special(manager, name, *given)
        if is_async and found is not MISSING:
            found = yield from machine.awaited(found)
        return found is not MISSING and (yield from machine.truth(found))
    hidden = getattr(manager, "leave", None)
    if hidden is not None:
        return (yield from hidden(machine, raised))
    return False


def generator_manager(run: Iterated, is_async: bool) -> Manager:
    """Return the manager that a generator of @contextmanager makes."""

    def start(machine: Machine) -> Run:
        value = yield from machine.resume(run)
        if value is MISSING:
            raise error(RuntimeError, "generator didn't yield")
        return value

    def end(machine: Machine, raised: Raised | None) -> Run:
        try:
            value = yield from machine.resume(run, raised=raised)
        except Raised as again:
            if raised is not None and again.value is raised.value:
                return False
            raise
        if value is not MISSING:
            raise error(RuntimeError, "generator didn't stop")
        return raised is not None

    return Manager(start, end)


def _decorator(is_async: bool) -> Callable[..., Run]:
    def decorate(machine: Machine, arguments: list[Any], _: dict[str, Any]) -> Run:
        (function,) = arguments

        def make(machine: Machine, given: list[Any], keywords: dict[str, Any]) -> Run:
            run = yield from machine.call(function, given, keywords)
            if not isinstance(run, Iterated):
                raise GiveUp("a manager without a generator")
            return generator_manager(run, is_async)

        made = Native("contextmanager", make)
        made.names["__wrapped__"] = function
        made.names["__name__"] = getattr(getattr(function, "node", None), "name", "")
        return made
        yield

    return decorate


def _plain(value: Any) -> Callable[[Machine], Run]:
    def start(_: Machine) -> Run:
        return value
        yield

    return start


def _nothing(_: Machine, __: Raised | None) -> Run:
    return False
    yield


def _nullcontext(machine: Machine, arguments: list[Any], keywords: dict[str, Any]) -> Run:
    value = arguments[0] if arguments else keywords.get("enter_result")
    return Manager(_plain(value), _nothing)
    yield


def _suppress(machine: Machine, arguments: list[Any], keywords: dict[str, Any]) -> Run:
    from codelake.resolve.rehearsal.statements import caught

    def end(machine: Machine, raised: Raised | None) -> Run:
        return raised is not None and caught(machine, raised.value, tuple(arguments))
        yield

    return Manager(_plain(None), end)
    yield


def _closing(machine: Machine, arguments: list[Any], keywords: dict[str, Any]) -> Run:
    (value,) = arguments

    def end(machine: Machine, raised: Raised | None) -> Run:
        close = yield from machine.attribute(value, "close")
        yield from machine.call(close, [], {})
        return False

    return Manager(_plain(value), end)
    yield


class Stack:
    """contextlib.ExitStack."""

    def __init__(self) -> None:
        self.ends: list[Callable[[Machine, Raised | None], Run]] = []

    def enter(self, machine: Machine) -> Run:
        """Return the stack."""
        return self
        yield

    def leave(self, machine: Machine, raised: Raised | None) -> Run:
        """Run what was pushed, the last first."""
        swallowed = False
        while self.ends:
            try:
                if (yield from self.ends.pop()(machine, raised)) and raised is not None:
                    raised, swallowed = None, True
            except Raised as another:
                raised, swallowed = another, False
        if raised is not None:
            raise raised
        return swallowed

    def attribute(self, machine: Machine, name: str) -> Any:
        """Return a method of the stack."""
        found = {
            "enter_context": self._enter_context,
            "enter_async_context": self._enter_async,
            "callback": self._callback,
            "push_async_callback": self._callback,
            "push": self._push,
            "close": self._close,
            "pop_all": self._pop_all,
        }.get(name)
        if found is None:
            raise error(AttributeError, name)
        return Native(name, found)

    def _enter_context(self, machine: Machine, arguments: list[Any], _: dict[str, Any]) -> Run:
        (manager,) = arguments
        value = yield from enter(machine, manager, False)
        self.ends.append(lambda m, raised: leave(m, manager, raised, False))
        return value

    def _enter_async(self, machine: Machine, arguments: list[Any], _: dict[str, Any]) -> Run:
        (manager,) = arguments

        def run() -> Run:
            value = yield from enter(machine, manager, True)
            self.ends.append(lambda m, raised: leave(m, manager, raised, True))
            return value

        return Iterated(run(), "coroutine")
        yield

    def _callback(self, machine: Machine, arguments: list[Any], keywords: dict[str, Any]) -> Run:
        function, *given = arguments

        def end(machine: Machine, _: Raised | None) -> Run:
            made = yield from machine.call(function, given, keywords)
            if isinstance(made, Iterated) and made.kind == "coroutine":
                yield from machine.awaited(made)
            return False

        self.ends.append(end)
        return function
        yield

    def _push(self, machine: Machine, arguments: list[Any], _: dict[str, Any]) -> Run:
        (manager,) = arguments
        if not isinstance(manager, (Instance, Manager)):
            raise GiveUp("a function on an exit stack")
        self.ends.append(lambda m, raised: leave(m, manager, raised, False))
        return manager
        yield

    def _close(self, machine: Machine, arguments: list[Any], _: dict[str, Any]) -> Run:
        yield from self.leave(machine, None)

    def _pop_all(self, machine: Machine, arguments: list[Any], _: dict[str, Any]) -> Run:
        other = Stack()
        other.ends, self.ends = self.ends, []
        return other
        yield


def _stack(machine: Machine, arguments: list[Any], keywords: dict[str, Any]) -> Run:
    return Stack()
    yield


def _redirected(machine: Machine, arguments: list[Any], keywords: dict[str, Any]) -> Run:
    raise GiveUp("redirected output")
    yield


FUNCTIONS: dict[str, Callable[..., Run]] = {
    "contextlib.contextmanager": _decorator(False),
    "contextlib.asynccontextmanager": _decorator(True),
    "contextlib.nullcontext": _nullcontext,
    "contextlib.suppress": _suppress,
    "contextlib.closing": _closing,
    "contextlib.ExitStack": _stack,
    "contextlib.AsyncExitStack": _stack,
    "contextlib.redirect_stdout": _redirected,
}
