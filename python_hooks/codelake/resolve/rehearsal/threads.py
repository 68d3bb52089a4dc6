"""Threads, executors and locks: work is done as soon as it is handed over, nobody waits."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from codelake.resolve.rehearsal.event_loop import Future
from codelake.resolve.rehearsal.values import (
    OBJECT,
    Class,
    GiveUp,
    Iterated,
    Native,
    Raised,
    Run,
    Waiting,
)

if TYPE_CHECKING:
    from codelake.resolve.rehearsal.machine import Machine


_WORK = " work"  # of a thread: what it calls, and with what


def thread_class() -> Class:
    """Return threading.Thread, which does its work when it is started."""
    made = Class("Thread", [OBJECT], {"name": "", "daemon": False})
    for name, run in (
        ("__init__", _prepare),
        ("run", _work),
        ("start", _start),
        ("join", _nothing),
        ("is_alive", _nothing),
    ):
        made.names[name] = Native(name, run)
    return made


def _prepare(machine: Machine, arguments: list[Any], keywords: dict[str, Any]) -> Run:
    one, *given = arguments
    given_names = dict(zip(("group", "target", "name", "args", "kwargs"), given, strict=False))
    given_names |= keywords
    work = yield from machine.items(given_names.get("args", ()))
    one.names[_WORK] = (given_names.get("target"), work, dict(given_names.get("kwargs") or {}))


def _work(machine: Machine, arguments: list[Any], _: dict[str, Any]) -> Run:
    target, given, keywords = arguments[0].names[_WORK]
    if target is not None:
        yield from machine.call(target, [*given], keywords)


def _start(machine: Machine, arguments: list[Any], _: dict[str, Any]) -> Run:
    """Run a thread; what it raises ends nothing but itself."""
    depth, tries = machine.depth, machine.tries
    work = yield from machine.attribute(arguments[0], "run")
    try:
        yield from machine.call(work, [], {})
    except Raised:
        machine.depth, machine.tries = depth, tries


def _nothing(machine: Machine, arguments: list[Any], _: dict[str, Any]) -> Run:
    return False
    yield


class Executor:
    """concurrent.futures.ThreadPoolExecutor."""

    def enter(self, machine: Machine) -> Run:
        """Return the executor."""
        return self
        yield

    def leave(self, machine: Machine, raised: Raised | None) -> Run:
        """End nothing."""
        return False
        yield

    def attribute(self, machine: Machine, name: str) -> Any:
        """Return a method."""

        def run(machine: Machine, arguments: list[Any], keywords: dict[str, Any]) -> Run:
            function, *given = (*arguments, None)
            if name == "submit":
                made = Future()
                try:
                    value = yield from machine.call(function, given[:-1], keywords)
                    yield from made.set(machine, value)
                except Raised as raised:
                    yield from made.set(machine, None, raised)
                return made
            if name == "map":
                rows = []
                for each in given[:-1]:
                    rows.append((yield from machine.items(each)))
                found = []
                for row in zip(*rows, strict=False):
                    found.append((yield from machine.call(function, [*row], {})))
                return iter(found)
            if name == "shutdown":
                return None
            raise GiveUp(f"Executor.{name}")

        return Native(name, run)


def _executor(machine: Machine, arguments: list[Any], _: dict[str, Any]) -> Run:
    return Executor()
    yield


class Lock:
    """A lock, semaphore or event, which nobody has to wait for."""

    def __init__(self, is_async: bool) -> None:
        self._is_async = is_async
        self._is_set = self._is_held = False

    def enter(self, machine: Machine) -> Run:
        """Take the lock."""
        if self._is_held:
            raise GiveUp("a lock that somebody has to wait for")
        self._is_held = True
        return self
        yield

    def leave(self, machine: Machine, raised: Raised | None) -> Run:
        """Give it back."""
        self._is_held = False
        return False
        yield

    def attribute(self, machine: Machine, name: str) -> Any:
        """Return a method."""

        def wait() -> Run:
            while not self._is_set:
                yield Waiting(lambda: self._is_set)
            return True

        def run(machine: Machine, arguments: list[Any], _: dict[str, Any]) -> Run:
            if name in ("set", "clear"):
                self._is_set = name == "set"
                return None
            if name == "is_set":
                return self._is_set
            if name == "wait" and self._is_async:
                return Iterated(wait(), "coroutine")
            if name == "acquire" and self._is_async:
                return Iterated(_true(), "coroutine")
            return name == "acquire" or name == "wait"
            yield

        return Native(name, run)


def _true() -> Run:
    return True
    yield


def _lock(is_async: bool) -> Callable[..., Run]:
    def run(machine: Machine, arguments: list[Any], _: dict[str, Any]) -> Run:
        return Lock(is_async)
        yield

    return run


FUNCTIONS: dict[str, Callable[..., Run]] = {
    **{f"asyncio.{name}": _lock(True) for name in ("Lock", "Semaphore", "Event")},
    **{f"threading.{name}": _lock(False) for name in ("Lock", "RLock", "Semaphore", "Event")},
    "concurrent.futures.ThreadPoolExecutor": _executor,
}
