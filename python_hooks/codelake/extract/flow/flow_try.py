"""Flow of try and with: exceptions, and code that runs on the way out.

    try: a               a -exception-> E; a -> b -> f
    except E: h          E -> ExceptHandler; ExceptHandler -true-> h -> f
    else: b              ExceptHandler -false-> f
    finally: f           f -> what follows; f -finally-> exit (an exception goes on)

    with m as x: a       m -> x -> a -> With -> what follows
                         a -exception-> With; With -exception-> outer handler or exit

A `finally` body exists once, whatever it is entered by: all that may be in flight at its start may
go on at its end (a normal end may seem to return). For the data flow, which would then see values
that no run gives, a builder that splits makes one for each way. The With node is the call of
`__exit__` of all its items; it swallows an exception, or lets it go on, or resumes a return, break
or continue.
Next: match_patterns.py.
"""

from __future__ import annotations

import ast
from typing import Any

from codelake.extract.flow.flow_builder import EXIT_BLOCK, Action, Builder, Cleanup
from codelake.extract.flow.flow_targets import bind


def _try(build: Builder, node: Any) -> None:
    stack, outer = build.stack, build.catch
    after = end = build.new()
    stack.append((Builder.start, after))
    if node.finalbody:
        cleanup = Cleanup()
        build.frames.append(cleanup)
        build.protect(build.enter(cleanup, "exception"))
        end = build.enter(cleanup, "normal")
        stack.append((_finally, node.finalbody, cleanup, outer, after))
    if node.handlers:
        handlers = build.new()
        star = node.__class__ is ast.TryStar
        inside = build.catch
        stack.append((_handlers_star if star else _handlers, node.handlers, handlers, end))
        stack.append((_close, end))
        stack += reversed(node.orelse)
        stack.append((Builder.protect, inside))
        build.protect(handlers)
    else:
        stack.append((_close, end))
    stack += reversed(node.body)


def _close(build: Builder, block: int) -> None:
    build.edge(build.current, block, None)


def _finally(
    build: Builder, body: list[Any], cleanup: Cleanup, outer: int | None, after: int
) -> None:
    """Plan the body: once, or for each way through it when the builder splits."""
    build.frames.pop()
    ways, stack = build.ways(cleanup), build.stack
    forks = len(ways) > 1 and not _makes_units(body)
    if not forks or not build.splits:
        build.forks |= forks
        stack.append((Builder.resume, ways, after))
        stack += reversed(body)
        stack.append((_begin, list(cleanup.entries.values()), outer))
        return
    stack.append((_set_splits, True))
    for way in reversed(ways):
        stack.append((Builder.resume, [way], after))
        stack += reversed(body)
        stack.append((_begin, [cleanup.entries[way]], outer))
    build.splits = False


def _begin(build: Builder, entries: list[int], outer: int | None) -> None:
    block = build.new()
    for entry in entries:
        build.edge(entry, block, None)
    build.start(block)
    build.protect(outer)


def _set_splits(build: Builder, splits: bool) -> None:
    build.splits = splits


def _makes_units(body: list[Any]) -> bool:
    """Tell whether a unit comes to be in a body: there is one place for each."""
    return any(item.__class__ in _UNITS for node in body for item in ast.walk(node))


def _handlers(build: Builder, handlers: list[Any], block: int, end: int) -> None:
    """Plan the handlers: each tests its type, the last lets the exception go on."""
    build.start(block)
    plan: list[Any] = []
    for number, handler in enumerate(handlers):
        body = build.new()
        if handler.type is None:
            plan += ((Builder.point, handler.no), (Builder.jump, body, "true"))
            block = -1
        else:
            last = number == len(handlers) - 1
            block = _outside(build) if last else build.new()
            plan += (handler.type, handler.no, (Builder.branch, body, block))
        plan.append((Builder.start, body))
        plan += handler.body
        plan.append((_close, end))
        if number < len(handlers) - 1:
            plan.append((Builder.start, block))
    build.stack += reversed(plan)


def _outside(build: Builder) -> int:
    return EXIT_BLOCK if build.catch is None else build.catch


def _handlers_star(build: Builder, handlers: list[Any], block: int, end: int) -> None:
    """Plan the handlers of `except*`: each takes its part of the group, then comes the next.

    What a body raises waits until the last handler is done; then it is raised with the rest.
    """
    build.start(block)
    plan: list[Any] = []
    outer = build.catch
    alone = len(handlers) == 1  # when nothing was taken out of the group, it goes on
    for handler in handlers:
        body, following = build.new(), build.new()
        failed = _outside(build) if alone else following
        plan += (handler.type, handler.no, (Builder.branch, body, failed))
        plan.append((Builder.start, body))
        if handler is not handlers[-1]:
            plan.append((Builder.protect, following))
        plan += handler.body
        plan += ((Builder.protect, outer), (Builder.fall, following))
    plan.append((_raise_rest, end))
    build.stack += reversed(plan)


def _raise_rest(build: Builder, end: int) -> None:
    build.edge(build.current, _outside(build), "exception")
    build.edge(build.current, end, None)


def _with(build: Builder, node: Any) -> None:
    cleanup, outer = Cleanup(), build.catch
    plan: list[Any] = []
    for number, item in enumerate(node.items):
        plan += (item.context_expr, (Builder.may_raise,))
        if number == 0:
            plan.append((_enter, cleanup))
        if item.optional_vars is not None:
            plan.append((bind, item.optional_vars))
    plan += node.body
    plan.append((_exit, node, cleanup, outer))
    build.stack += reversed(plan)


def _enter(build: Builder, cleanup: Cleanup) -> None:
    build.frames.append(cleanup)
    build.protect(build.enter(cleanup, "exception"))


def _exit(build: Builder, node: Any, cleanup: Cleanup, outer: int | None) -> None:
    build.edge(build.current, build.enter(cleanup, "normal"), None)
    build.frames.pop()
    ways, entries = build.ways(cleanup), cleanup.entries
    after = build.new()
    forks = len(ways) > 1 and not _FALLS.issuperset(ways)
    build.forks |= forks
    lanes = [ways]
    if forks and build.splits:
        lanes = [[way] for way in ways]
    for lane in lanes:
        chosen = lane if len(lanes) > 1 else entries
        _begin(build, [entries[way] for way in chosen], outer)
        build.point(node.no)
        if outer is not None or "exception" in lane:
            build.edge(build.current, _outside(build), "exception")
        for way in lane:
            if way in _FALLS:  # or the exception was swallowed
                build.edge(build.current, after, None)
            else:
                build.edge(build.current, build.leave(way)[0], "finally")
    build.start(after)


_FALLS = frozenset({"normal", "exception"})
_UNITS = frozenset(
    {ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda, ast.GeneratorExp}
)


PROTECTED: dict[type, Action] = {
    ast.Try: _try,
    ast.TryStar: _try,
    ast.With: _with,
    ast.AsyncWith: _with,
}
