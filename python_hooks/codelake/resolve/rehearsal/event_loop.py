"""Event loop: tasks of `asyncio`, in the order in which its loop runs them.

A task goes on until it waits for time, for another task or for a queue; time is counted, not
waited for.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from codelake.resolve.rehearsal.managers import Manager
from codelake.resolve.rehearsal.values import (
    Bound,
    External,
    Function,
    GiveUp,
    Instance,
    Iterated,
    Native,
    Raised,
    Run,
    Unknown,
    Waiting,
    Yielded,
    error,
    is_error,
)

if TYPE_CHECKING:
    from codelake.resolve.rehearsal.machine import Machine

_MOST_ROUNDS = 2_000


class CancelledError(BaseException):
    """Stands for asyncio.CancelledError."""


class Future:
    """A future, or a task that a coroutine is run in."""

    def __init__(self, run: Run | None = None) -> None:
        self.run = run
        self.is_done = False
        self.value: Any = None
        self.raised: Raised | None = None
        self.waiting: Waiting | None = None
        self.throw: Raised | None = None
        self.callbacks: list[Any] = []
        self.name: Any = ""
        self.tries = 0

    def parts(self) -> list[Any]:
        """Return what it holds."""
        return [self.value]

    def awaited(self, machine: Machine) -> Run:
        """Wait for the result."""
        try:
            while not self.is_done:
                yield Waiting(lambda: self.is_done)
        except Raised as thrown:  # whoever waits was cancelled
            self.throw = thrown
            raise
        return self.outcome()

    def outcome(self) -> Any:
        """Return the result, or raise what was raised."""
        if self.raised is not None:
            raise self.raised
        return self.value

    def set(self, machine: Machine, value: Any = None, raised: Raised | None = None) -> Run:
        """End with a result or an exception."""
        self.is_done, self.value, self.raised = True, value, raised
        for callback in self.callbacks:
            yield from machine.call(callback, [self], {})

    def attribute(self, machine: Machine, name: str) -> Any:
        """Return a method."""

        def run(machine: Machine, arguments: list[Any], _: dict[str, Any]) -> Run:
            if name == "result":
                if not self.is_done:
                    raise error(RuntimeError, "Result is not set.")
                return self.outcome()
            if name == "exception":
                return None if self.raised is None else self.raised.value
            if name == "done":
                return self.is_done
            if name == "cancelled":
                return self.raised is not None and is_error(self.raised.value.cls, CancelledError)
            if name == "cancel":
                if not self.is_done:
                    self.throw = error(CancelledError)
                return not self.is_done
            if name == "set_result":
                yield from self.set(machine, arguments[0])
                return None
            if name == "set_exception":
                yield from self.set(machine, None, Raised(arguments[0]))
                return None
            if name == "add_done_callback":
                if self.is_done:
                    yield from machine.call(arguments[0], [self], {})
                else:
                    self.callbacks.append(arguments[0])
                return None
            if name in ("get_name", "set_name"):
                if name == "set_name":
                    self.name = arguments[0]
                return self.name
            raise GiveUp(f"Task.{name}")

        return Native(name, run)


class Loop:
    """The tasks of one asyncio.run()."""

    def __init__(self) -> None:
        self.tasks: list[Future] = []
        self.now = 0.0

    def start(self, run: Run) -> Future:
        """Begin a task; it runs when the one that is running waits."""
        made = Future(run)
        self.tasks.append(made)
        return made

    def until(self, machine: Machine, last: Future) -> Run:
        """Run tasks until one is done."""
        for _ in range(_MOST_ROUNDS):
            if last.is_done:
                return
            ready = [task for task in self.tasks if self._is_ready(task)]
            if not ready:
                times = [task.waiting.until for task in self.tasks if task.waiting]
                times = [time for time in times if time > self.now]
                if not times:
                    raise GiveUp("tasks that wait for each other")
                self.now = min(times)
                continue
            for task in ready:
                if not task.is_done:
                    self.tasks.remove(task)  # behind those that it starts
                    yield from self._step(machine, task)
                    self.tasks.append(task)
            self.tasks = [task for task in self.tasks if not task.is_done]
        raise GiveUp("tasks without an end")

    def _is_ready(self, task: Future) -> bool:
        waiting = task.waiting
        if waiting is None or task.throw is not None:
            return True
        if waiting.ready is not None and waiting.ready():
            return True
        is_timed = waiting.ready is None or waiting.until > 0
        return is_timed and waiting.until <= self.now

    def _step(self, machine: Machine, task: Future) -> Run:
        run = task.run
        if run is None:
            raise GiveUp("a future among the tasks")
        machine.tick()
        depth, tries = machine.depth, machine.tries
        machine.tries = task.tries
        try:
            if task.throw is not None:
                thrown, task.throw = task.throw, None
                if task.waiting is None:
                    run.close()
                    raise thrown
                event = run.throw(thrown)
            else:
                event = run.send(None)
            if isinstance(event, Yielded):
                raise GiveUp("a task that yields")
            task.waiting = event
        except StopIteration as end:
            yield from task.set(machine, end.value)
        except Raised as raised:
            yield from task.set(machine, None, raised)
        task.tries = machine.tries
        machine.depth, machine.tries = depth, tries


def _loop(machine: Machine) -> Loop:
    if machine.loop is None:
        raise error(RuntimeError, "no running event loop")
    return machine.loop  # type: ignore[no-any-return]


def _run_of(machine: Machine, value: Any) -> Run:
    return machine.awaited(value)


def as_task(machine: Machine, value: Any) -> Future:
    """Return the task of an awaitable."""
    if isinstance(value, Future):
        return value
    if isinstance(value, (Iterated, Instance, Unknown)) or hasattr(value, "awaited"):
        return _loop(machine).start(_run_of(machine, value))
    raise GiveUp("a task of something else")


def run_loop(machine: Machine, arguments: list[Any], _: dict[str, Any]) -> Run:
    """Do asyncio.run(coroutine)."""
    if machine.loop is not None:
        raise error(RuntimeError, "asyncio.run() cannot be called from a running event loop")
    machine.loop = Loop()
    main = as_task(machine, arguments[0])
    yield from machine.loop.until(machine, main)
    others = [task for task in machine.loop.tasks if not task.is_done]
    for task in others:
        task.throw = error(CancelledError)
    for task in others:
        yield from machine.loop.until(machine, task)
    machine.loop = None
    return main.outcome()


def _coroutine(make: Callable[..., Run]) -> Callable[..., Run]:
    """Let a function return what is to be awaited."""

    def run(machine: Machine, arguments: list[Any], keywords: dict[str, Any]) -> Run:
        return Iterated(make(machine, *arguments, **keywords), "coroutine")
        yield

    return run


def _sleep(machine: Machine, delay: Any = 0, result: Any = None) -> Run:
    seconds = delay if isinstance(delay, (int, float)) else 0
    until = _loop(machine).now + seconds
    yield Waiting(None, until)
    return result


def _create_task(machine: Machine, arguments: list[Any], keywords: dict[str, Any]) -> Run:
    made = as_task(machine, arguments[0])
    made.name = keywords.get("name", "")
    return made
    yield


def _count_done(tasks: list[Future]) -> int:
    return sum(task.is_done for task in tasks)


def _is_more_done(tasks: list[Future], done: int) -> bool:
    return _count_done(tasks) > done


def _gather(machine: Machine, arguments: list[Any], keywords: dict[str, Any]) -> Run:
    tasks = [as_task(machine, each) for each in arguments]
    keeps = keywords.get("return_exceptions") is True

    def wait() -> Run:
        while not all(task.is_done for task in tasks):
            failed = [task.raised for task in tasks if task.raised is not None]
            if failed and not keeps:
                raise failed[0]
            done = _count_done(tasks)
            yield Waiting(partial(_is_more_done, tasks, done))
        if not keeps:
            return [task.outcome() for task in tasks]
        return [task.raised.value if task.raised else task.value for task in tasks]

    made = Future(wait())
    _loop(machine).tasks.append(made)
    return made
    yield


def _wait_for(machine: Machine, awaitable: Any, timeout: Any = None) -> Run:
    task, loop = as_task(machine, awaitable), _loop(machine)
    if not isinstance(timeout, (int, float)):
        return (yield from task.awaited(machine))
    until = loop.now + max(timeout, 1e-9)
    while not task.is_done and loop.now < until:
        yield Waiting(lambda: task.is_done, until)
    if not task.is_done:
        task.throw = error(CancelledError)
        raise error(TimeoutError)
    return task.outcome()


def _wait(machine: Machine, awaitables: Any, **options: Any) -> Run:
    if options:
        raise GiveUp("asyncio.wait with options")
    tasks = [as_task(machine, each) for each in (yield from machine.items(awaitables))]
    while not all(task.is_done for task in tasks):
        yield Waiting(lambda: all(task.is_done for task in tasks))
    return set(tasks), set()


def _as_completed(machine: Machine, arguments: list[Any], keywords: dict[str, Any]) -> Run:
    tasks = [as_task(machine, each) for each in (yield from machine.items(arguments[0]))]

    def one() -> Run:
        while not any(task.is_done for task in tasks):
            yield Waiting(lambda: any(task.is_done for task in tasks))
        first = next(task for task in tasks if task.is_done)
        tasks.remove(first)
        return first.outcome()

    return [Iterated(one(), "coroutine") for _ in tasks]


def _to_thread(machine: Machine, function: Any, *arguments: Any, **keywords: Any) -> Run:
    yield Waiting(None, _loop(machine).now)
    return (yield from machine.call(function, list(arguments), keywords))


def _shield(machine: Machine, arguments: list[Any], _: dict[str, Any]) -> Run:
    raise GiveUp("asyncio.shield")
    yield


class TaskGroup:
    """asyncio.TaskGroup."""

    def __init__(self, machine: Machine) -> None:
        self._tasks: list[Future] = []
        self._loop = _loop(machine)

    def enter(self, machine: Machine) -> Run:
        """Return the group."""
        return self
        yield

    def leave(self, machine: Machine, raised: Raised | None) -> Run:
        """Wait for all tasks."""
        from codelake.resolve.rehearsal.groups import group_of

        if any(task.raised for task in self._tasks):
            raise GiveUp("a task that fails while its group is open")
        while not all(task.is_done for task in self._tasks):
            if any(task.raised for task in self._tasks):
                for task in self._tasks:
                    if not task.is_done:
                        task.throw = error(CancelledError)
            yield Waiting(
                lambda: (
                    all(task.is_done for task in self._tasks)
                    or any(task.raised for task in self._tasks)
                )
            )
        failed = [task.raised.value for task in self._tasks if task.raised is not None]
        failed = [each for each in failed if not is_error(each.cls, CancelledError)]
        if raised is not None and not failed:
            return False
        if failed:
            if raised is not None:
                failed.insert(0, raised.value)
            raise Raised(group_of("unhandled errors in a TaskGroup", failed))
        return False

    def attribute(self, machine: Machine, name: str) -> Any:
        """Return `create_task`."""
        if name != "create_task":
            raise error(AttributeError, name)

        def create(machine: Machine, arguments: list[Any], _: dict[str, Any]) -> Run:
            self._tasks.append(as_task(machine, arguments[0]))
            return self._tasks[-1]
            yield

        return Native(name, create)


def _task_group(machine: Machine, arguments: list[Any], _: dict[str, Any]) -> Run:
    return TaskGroup(machine)
    yield


def _timeout(machine: Machine, arguments: list[Any], _: dict[str, Any]) -> Run:
    loop = _loop(machine)
    until = loop.now + arguments[0] if isinstance(arguments[0], (int, float)) else None

    def start(_: Machine) -> Run:
        return External("asyncio.Timeout")
        yield

    def end(_: Machine, raised: Raised | None) -> Run:
        if until is not None and loop.now > until:
            raise GiveUp("a timeout that runs out")
        return False
        yield

    return Manager(start, end)
    yield


class RunningLoop:
    """What asyncio.get_running_loop() returns."""

    def attribute(self, machine: Machine, name: str) -> Any:
        """Return a method."""

        def run(machine: Machine, arguments: list[Any], keywords: dict[str, Any]) -> Run:
            if name == "create_future":
                return Future()
            if name == "create_task":
                return as_task(machine, arguments[0])
            if name == "run_until_complete":
                return (yield from run_loop(machine, arguments, {}))
            if name == "run_in_executor":
                return as_task(machine, Iterated(_to_thread(machine, *arguments[1:]), "coroutine"))
            if name == "call_soon":
                function, *given = arguments

                def soon() -> Run:
                    return (yield from machine.call(function, given, {}))

                return _loop(machine).start(soon())
            if name == "close":
                return None
            if name == "time":
                return _loop(machine).now
            raise GiveUp(f"loop.{name}")

        return Native(name, run)


def _running_loop(machine: Machine, arguments: list[Any], _: dict[str, Any]) -> Run:
    return RunningLoop()
    yield


def _is_coroutine_function(machine: Machine, arguments: list[Any], _: dict[str, Any]) -> Run:
    import ast

    (function,) = arguments
    function = function.function if isinstance(function, Bound) else function
    return isinstance(function, Function) and isinstance(function.node, ast.AsyncFunctionDef)
    yield


def _is_awaitable(machine: Machine, arguments: list[Any], _: dict[str, Any]) -> Run:
    (value,) = arguments
    if isinstance(value, Unknown):
        return machine.decide(("awaitable", value))
    return isinstance(value, (Iterated, Future)) and getattr(value, "kind", "") != "generator"
    yield


FUNCTIONS: dict[str, Callable[..., Run]] = {
    "asyncio.run": run_loop,
    "asyncio.sleep": _coroutine(_sleep),
    "asyncio.create_task": _create_task,
    "asyncio.ensure_future": _create_task,
    "asyncio.gather": _gather,
    "asyncio.wait_for": _coroutine(_wait_for),
    "asyncio.wait": _coroutine(_wait),
    "asyncio.as_completed": _as_completed,
    "asyncio.to_thread": _coroutine(_to_thread),
    "asyncio.shield": _shield,
    "asyncio.TaskGroup": _task_group,
    "asyncio.timeout": _timeout,
    "asyncio.get_running_loop": _running_loop,
    "asyncio.get_event_loop": _running_loop,
    "asyncio.new_event_loop": _running_loop,
    "asyncio.iscoroutinefunction": _is_coroutine_function,
    "inspect.iscoroutinefunction": _is_coroutine_function,
    "inspect.isawaitable": _is_awaitable,
    "asyncio.iscoroutine": _is_awaitable,
    "inspect.iscoroutine": _is_awaitable,
}
