"""Rehearse: what arrives where when a module runs, by going through it on paper.

    rehearse(program, root=0, sources={(0, 12)}, sinks={(0, 40), (0, 44)})
        -> Rehearsal(seen={((0, 12), (0, 40))}, files={0, 1}, gave_up="")

Every way through the program is taken: where a condition rests on something unknown, both. When
there are too many, it is enough that each condition went both ways. Code is never executed:
containers and texts are this Python's, all else (functions, classes, modules, the event loop) is
rehearsed by its rules. What is not known of the language or the library ends a rehearsal with its
reason, and so does a program that goes on for too long; then it says nothing.
Next: machine.py.
"""

from __future__ import annotations

import ast
import heapq
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from codelake.resolve.file_facts import FileFacts
from codelake.resolve.rehearsal.machine import Machine
from codelake.resolve.rehearsal.values import (
    Cut,
    Function,
    GiveUp,
    Iterated,
    Module,
    Origin,
    Raised,
    Run,
    Site,
    Unknown,
    is_error,
    number_of,
)

type Trees = Callable[[int], ast.Module | None]

FAULT = "fault:"
_MOST_WAYS = 500
_MOST_STEPS = 300_000  # of all ways together


class Program:
    """The files of a repository, by number; a tree is read when its module is imported."""

    def __init__(self, files: Sequence[FileFacts], trees: Trees) -> None:
        """Take the files.

        Args:
            files: what is known of each.
            trees: gives the tree of a file, whose nodes have their numbers.
        """
        self._files, self._read = files, trees
        self._trees: dict[int, ast.Module | None] = {}
        self._visited: dict[int, set[int]] = {}
        self._by_name = {
            name: number
            for number, file in enumerate(files)
            for name in (file.module, *file.other_names)
            if not file.is_stub
        }

    def module(self, full: str) -> Module | None:
        """Return a new module by its name."""
        number = self._by_name.get(full)
        return None if number is None else self.of_file(number)

    def of_file(self, number: int) -> Module:
        """Return a new module for a file."""
        tree, file = self.tree(number), self._files[number]
        if tree is None:
            raise GiveUp(f"{file.path} cannot be read")
        return Module(file.module, number, tree, is_package=file.is_package)

    def tree(self, number: int) -> ast.Module | None:
        """Return the tree of a file."""
        if number not in self._trees:
            self._trees[number] = self._read(number)
        return self._trees[number]

    def is_visited(self, place: Origin) -> bool:
        """Tell whether a rehearsal looks at the value of a node."""
        file, node = place
        if file not in self._visited:
            tree = self.tree(file)
            nodes = ast.walk(tree) if tree is not None else ()
            self._visited[file] = {
                number_of(each)
                for each in nodes
                if isinstance(each, (ast.expr, ast.arg)) and not isinstance(each, ast.Starred)
            }
        return node in self._visited[file]


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """What a rehearsal has seen.

    Attributes:
        seen: a source and a sink that its value arrived at.
        files: the files that ran.
        gave_up: why nothing can be said; empty when every way was gone through.
    """

    seen: frozenset[tuple[Origin, Origin]]
    files: frozenset[int]
    gave_up: str = ""


def rehearse(
    program: Program,
    root: int,
    sources: set[Origin],
    sinks: set[Origin],
    handlers: Sequence[tuple[int, str]] = (),
) -> Rehearsal:
    """Go through all ways of a program.

    Args:
        program: its files.
        root: the file that runs, as `__main__` unless it is part of a package.
        sources: nodes whose values are followed.
        sinks: nodes that are asked for.
        handlers: files and names of functions that somebody outside calls later, in any order;
            each is called twice, so that the next one sees what one leaves behind.
    """
    seen: set[tuple[Origin, Origin]] = set()
    files: set[int] = set()
    steps = 0
    cut: set[ast.AST] = set()
    left: set[ast.AST] = set()
    ways, has_end = _Ways(), False
    while (taken := ways.next()) is not None:
        machine = Machine(program, sources, sinks, taken)
        reason = _run(machine, root, handlers)
        steps += machine.steps
        if reason:
            return Rehearsal(frozenset(), frozenset(), reason)
        has_end |= machine.has_ended
        seen |= machine.seen
        cut |= machine.cut
        left |= machine.left
        files |= {module.file for module in machine.modules.values()}
        ways.add(machine)
        if ways.gone == _MOST_WAYS or steps > _MOST_STEPS:
            if ways.has_new():
                return Rehearsal(frozenset(), frozenset(), "too many ways")
            break
    if cut - left:
        return Rehearsal(frozenset(), frozenset(), "a loop that no way leaves")
    if not has_end:
        return Rehearsal(frozenset(), frozenset(), "an error on every way")
    return Rehearsal(frozenset(seen), frozenset(files))


class _Ways:
    """The ways that are still to be gone, by their first decisions, each of them once.

    Those come first that decide something as it never was, at one statement in a function that one
    statement calls; then those in which the calls of few statements go otherwise than by default.
    """

    def __init__(self) -> None:
        self.gone = 0
        self._seen: set[tuple[Site, bool]] = set()
        self._new: list[_Way] = []
        self._others: list[_Way] = [_Way((0, 0), 0, [], None)]
        self._found = 0

    def next(self) -> list[bool] | None:
        """Return the first decisions of the next way; None when all were gone."""
        waiting = self._new if self.has_new() else self._others
        return heapq.heappop(waiting).taken if waiting else None

    def has_new(self) -> bool:
        """Tell whether a way is left that decides something as it never was."""
        while self._new and (self._new[0].last, True) in self._seen:
            heapq.heappush(self._others, heapq.heappop(self._new))
        return bool(self._new)

    def add(self, machine: Machine) -> None:
        """Take a way that was gone, and those that leave it behind its first decisions."""
        self.gone += 1
        taken, sites = machine.taken[: machine.asked], machine.sites
        self._seen.update(zip(sites, taken, strict=True))
        callers = {site[0] for site, one in zip(sites, taken, strict=True) if one}
        count = sum(taken)
        for number in range(machine.given, len(taken)):
            self._found += 1
            weight = len({*callers, sites[number][0]}), count + 1
            way = _Way(weight, self._found, [*taken[:number], True], sites[number])
            heapq.heappush(self._new, way)


class _Way(NamedTuple):
    """The first decisions of a way, and where the last of them is made."""

    weight: tuple[int, int]
    number: int
    taken: list[bool]
    last: Site | None


def _run(machine: Machine, root: int, handlers: Sequence[tuple[int, str]]) -> str:
    """Run a file and then handlers; return why that cannot be rehearsed."""
    try:
        module = machine.world.of_file(root)
        if module.is_package or ("." in module.full and not module.full.endswith("__main__")):
            machine.drive(machine.module(module.full))
        else:
            machine.modules[module.full] = module
            machine.drive(machine.run(module, "__main__"))
        for file, name in (*handlers, *handlers):
            machine.drive(_handle(machine, file, name))
        machine.has_ended = True
    except GiveUp as given:
        return str(given)
    except Cut:
        pass
    except Raised as raised:
        is_end = machine.has_ended = is_error(raised.value.cls, SystemExit)
        is_fault = raised.by_rule and not machine.has_raised
        if not is_end and (is_fault or not machine.asked):  # no program ends like that
            return f"{raised.value.cls.name}{raised.value.names.get('args')}"
    except RecursionError:
        return "calls too deep"
    except Exception as fault:  # of the rehearsal: the answer is then that of the search
        return f"{FAULT} {type(fault).__name__}: {fault}"
    if any(one.state == "open" for one in machine.left_open.values()):
        return "a generator that is never closed"
    return ""


def _handle(machine: Machine, file: int, name: str) -> Run:
    """Call a function with arguments that nobody knows."""
    full = machine.world.of_file(file).full
    module = yield from machine.module(full)
    function = module.names.get(name) if module is not None else None
    if not isinstance(function, Function):
        raise GiveUp(f"{name} is no function in the end")
    given = function.node.args
    positional = [Unknown() for _ in (*given.posonlyargs, *given.args)]
    keywords = {each.arg: Unknown() for each in given.kwonlyargs}
    depth = machine.depth
    try:
        made = yield from machine.call(function, positional, keywords)
        if isinstance(made, Iterated):
            raise GiveUp("a handler that waits or yields")
    except Raised:
        machine.depth = depth
