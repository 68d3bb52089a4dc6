"""Queues of `queue` and `asyncio`, and heaps."""

from __future__ import annotations

import asyncio
import queue
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from codelake.resolve.rehearsal.sorting import extreme, sort
from codelake.resolve.rehearsal.values import (
    GiveUp,
    Iterated,
    Native,
    Run,
    Waiting,
    error,
)

if TYPE_CHECKING:
    from codelake.resolve.rehearsal.machine import Machine

ERRORS: dict[str, type[BaseException]] = {
    "Empty": queue.Empty,
    "Full": queue.Full,
    "QueueEmpty": asyncio.QueueEmpty,
    "QueueFull": asyncio.QueueFull,
}


class Queue:
    """A queue of either module."""

    def __init__(self, kind: str, most: Any, is_async: bool) -> None:
        self.items: list[Any] = []
        self._kind, self._is_async = kind, is_async
        self._unfinished = 0
        self._most = most if isinstance(most, int) and most > 0 else None

    def parts(self) -> list[Any]:
        """Return what it holds."""
        return self.items

    def length(self) -> int:
        """Return the number of items."""
        return len(self.items)

    def attribute(self, machine: Machine, name: str) -> Any:
        """Return a method."""

        def run(machine: Machine, arguments: list[Any], keywords: dict[str, Any]) -> Run:
            if self._is_async and name in ("get", "put", "join"):
                return Iterated(self._wait(machine, name, arguments), "coroutine")
            if name in ("get", "get_nowait"):
                if not self.items:
                    waits = name == "get" and not keywords and not arguments
                    if waits:
                        raise GiveUp("a thread waits for an item")
                    raise error(asyncio.QueueEmpty if self._is_async else queue.Empty)
                return (yield from self._take(machine))
            if name in ("put", "put_nowait"):
                if self._most is not None and len(self.items) >= self._most:
                    raise error(asyncio.QueueFull if self._is_async else queue.Full)
                self.items.append(arguments[0])
                self._unfinished += 1
                return None
            if name in ("task_done", "join"):
                self._unfinished -= name == "task_done"
                return None
            is_full = self._most is not None and len(self.items) >= self._most
            found = {"empty": not self.items, "qsize": len(self.items), "full": is_full}
            if name in found:
                return found[name]
            raise GiveUp(f"Queue.{name}")

        return Native(name, run)

    def _wait(self, machine: Machine, name: str, arguments: list[Any]) -> Run:
        if name == "put":
            while self._most is not None and len(self.items) >= self._most:
                yield Waiting(lambda: len(self.items) < (self._most or 0))
            self.items.append(arguments[0])
            self._unfinished += 1
            return None
        if name == "join":
            while self._unfinished > 0:
                yield Waiting(lambda: self._unfinished <= 0)
            return None
        while not self.items:
            yield Waiting(lambda: bool(self.items))
        return (yield from self._take(machine))

    def _take(self, machine: Machine) -> Run:
        if self._kind == "LifoQueue":
            return self.items.pop()
        if self._kind == "PriorityQueue":
            least = yield from extreme(machine, self.items, None, True, [])
            del self.items[next(n for n, each in enumerate(self.items) if each is least)]
            return least
        return self.items.pop(0)


def _queue(kind: str, is_async: bool) -> Callable[..., Run]:
    def make(machine: Machine, arguments: list[Any], keywords: dict[str, Any]) -> Run:
        return Queue(kind, (*arguments, keywords.get("maxsize"))[0], is_async)
        yield

    return make


def _push(machine: Machine, arguments: list[Any], keywords: dict[str, Any]) -> Run:
    heap, item = arguments[:2]
    heap[:] = yield from sort(machine, [*heap, item], keywords.get("key"), False)


def _pop(machine: Machine, arguments: list[Any], _: dict[str, Any]) -> Run:
    (heap,) = arguments
    if not heap:
        raise error(IndexError, "index out of range")
    return heap.pop(0)
    yield


def _heapify(machine: Machine, arguments: list[Any], _: dict[str, Any]) -> Run:
    (heap,) = arguments
    heap[:] = yield from sort(machine, [*heap], None, False)


def _first(is_least: bool) -> Callable[..., Run]:
    def run(machine: Machine, arguments: list[Any], keywords: dict[str, Any]) -> Run:
        count, values = arguments[:2]
        items = yield from machine.items(values)
        found = yield from sort(machine, items, keywords.get("key"), not is_least)
        return found[:count]

    return run


FUNCTIONS: dict[str, Callable[..., Run]] = {
    **{
        f"queue.{kind}": _queue(kind, False)
        for kind in ("Queue", "SimpleQueue", "LifoQueue", "PriorityQueue")
    },
    **{f"asyncio.{kind}": _queue(kind, True) for kind in ("Queue", "LifoQueue", "PriorityQueue")},
    "heapq.heappush": _push,
    "heapq.heappop": _pop,
    "heapq.heapify": _heapify,
    **{f"bisect.{name}": _push for name in ("insort", "insort_left", "insort_right")},
    "heapq.nsmallest": _first(True),
    "heapq.nlargest": _first(False),
}
