"""Solver: variables with sets of objects, propagated by difference until nothing changes.

    x = f       link(f, x)                     what f has, x has
    x.a         watch(x, load_attribute, ...)  each object that arrives at x is looked at once

Variables and objects are integers; an object below zero is a text whose value is known. A variable
that holds `most` objects is full: what else arrives is dropped, and the variable is listed in
`full`, with nobody guessing what was meant. Of texts only MAX_TEXTS are kept apart, beside those.

Most variables hold one object, or what another one holds: they share a frozenset, and a variable
has a set of its own once it holds more than what came first. Full ones share again.
Next: objects.py.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

MAX_TEXTS = 12
_FEW = 12  # successors in a list; more are kept in a dict

type Watcher = Callable[..., None]
type Held = set[int] | frozenset[int]


class Solver:
    """Variables, what flows between them, and who watches them."""

    def __init__(self, text_object: int = 0) -> None:
        """Start without variables.

        Args:
            text_object: stands for texts when there are too many.
        """
        self.sets: list[Held | None] = []
        self.successors: list[Any] = []
        self.watchers: list[list[tuple[Any, ...]] | None] = []
        self.full: set[int] = set()
        self.faults: list[str] = []
        self.wide: dict[int, int] = {}  # variables that may hold as many as there are: how far
        self.text_object = text_object
        self.most = 64
        self.keeps_steps = True  # else what follows a full variable is forgotten once it was told
        self._pending: list[Held | None] = []
        self._single: dict[int, frozenset[int]] = {}
        self._shared: dict[frozenset[int], frozenset[int]] = {}  # what full variables hold
        self._queue: deque[int] = deque()
        self._late: deque[tuple[Any, ...]] = deque()
        self._last: deque[tuple[Any, ...]] = deque()

    def variable(self) -> int:
        """Make a variable."""
        self.sets.append(None)
        self.successors.append(None)
        self.watchers.append(None)
        self._pending.append(None)
        return len(self.sets) - 1

    def variables(self, count: int) -> int:
        """Make many variables and return the first."""
        first = len(self.sets)
        nothing: list[Any] = [None] * count
        self.sets += nothing
        self.successors += nothing
        self.watchers += nothing
        self._pending += nothing
        return first

    def get(self, variable: int) -> Held | tuple[int, ...]:
        """Return what a variable holds so far."""
        return self.sets[variable] or ()

    def put(self, variable: int, found: int) -> None:
        """Add one object."""
        known = self.sets[variable]
        if known is not None and (
            found in known
            or (len(known) >= MAX_TEXTS and not self._has_room(variable, known, found))
        ):
            return
        single = self._single.get(found)
        if single is None:
            single = self._single[found] = frozenset((found,))
        if known is None:
            self.sets[variable] = single
        elif known.__class__ is set:
            known.add(found)  # type: ignore[union-attr]
        else:
            self.sets[variable] = {*known, found}
        waiting = self._pending[variable]
        if waiting is None:
            self._pending[variable] = single
            self._queue.append(variable)
        else:
            self._pending[variable] = waiting | single

    def put_all(self, variable: int, found: Held) -> None:
        """Add objects."""
        known = self.sets[variable]
        if known is None:
            if len(found) > MAX_TEXTS:
                found = self._fitting(variable, frozenset(), found)
            if not found:
                return
            new: Held = frozenset(found)
            self.sets[variable] = new
        else:
            new = found - known
            if not new:
                return
            if len(known) + len(new) > MAX_TEXTS:
                if variable in self.full:
                    return
                new = self._fitting(variable, known, new)
            if known.__class__ is set:
                known |= new
            else:
                self.sets[variable] = {*known, *new}
        if variable in self.full:
            self._share(variable)
            if not new:
                return
        waiting = self._pending[variable]
        if waiting is None:
            self._pending[variable] = new
            self._queue.append(variable)
        else:
            self._pending[variable] = waiting | new

    def widen(self, variable: int, far: int) -> None:
        """Let a variable hold as many as there are, and what copies it some steps on."""
        if self.wide.get(variable, -1) < far:
            self.wide[variable] = far
            for target in tuple(self.successors[variable] or ()) if far else ():
                self.widen(target, far - 1)

    def _share(self, variable: int) -> None:
        """Let a full variable hold the same set as others that are full of the same."""
        held = frozenset(self.sets[variable] or ())
        self.sets[variable] = self._shared.setdefault(held, held)

    def _fitting(self, variable: int, known: Held, new: Held) -> Held:
        """Return the objects that still fit into a variable, the oldest first."""
        texts = [one for one in new if one < 0]
        if texts:
            room = MAX_TEXTS - sum(1 for one in known if one < 0)
            if len(texts) > room:
                texts.sort(reverse=True)
                new = new.difference(texts[max(room, 0) :])
                if self.text_object not in known:
                    new = {*new, self.text_object}
        if len(known) + len(new) > self.most and variable not in self.wide:
            objects = sorted(one for one in new if one >= 0)
            room = self.most - sum(1 for one in known if one >= 0)
            if len(objects) > room:
                self.full.add(variable)
                new = new.difference(objects[max(room, 0) :])
        return new

    def _has_room(self, variable: int, known: Held, found: int) -> bool:
        if variable in self.full:
            return False
        if found < 0:
            if sum(1 for one in known if one < 0) < MAX_TEXTS:
                return True
            if self.text_object not in known:
                self.put(variable, self.text_object)
            return False
        if len(known) < self.most or variable in self.wide:
            return True
        if sum(1 for one in known if one >= 0) < self.most:
            return True
        self.full.add(variable)
        self._share(variable)
        return False

    def link(self, source: int, target: int) -> None:
        """Let everything that one variable holds flow into another."""
        if source == target:
            return
        if source in self.full and self._is_over(source):
            self.put_all(target, self.sets[source] or frozenset())
            return
        following = self.successors[source]
        if following is None:
            self.successors[source] = [target]
        elif target in following:
            return
        elif following.__class__ is list:
            following.append(target)
            if len(following) > _FEW:
                self.successors[source] = dict.fromkeys(following)
        else:
            following[target] = None
        if self.wide.get(source):
            self.widen(target, self.wide[source] - 1)
        known = self.sets[source]
        if known:
            self.put_all(target, known)

    def watch(self, variable: int, watcher: Watcher, *arguments: Any) -> None:
        """Call watcher(objects, *arguments) with everything that arrives, each object once."""
        known = self.sets[variable]
        if variable in self.full and self._is_over(variable):
            self._late.append((watcher, known, arguments))
            return
        entry = (watcher, *arguments)
        watchers = self.watchers[variable]
        if watchers is None:
            self.watchers[variable] = [entry]
        else:
            watchers.append(entry)
        if known:
            waiting = self._pending[variable]
            seen = known - waiting if waiting else frozenset(known)
            if seen:
                self._late.append((watcher, seen, arguments))

    def _is_over(self, variable: int) -> bool:
        """Tell whether nothing new will come of a full variable, and nobody asks for its steps."""
        return not self.keeps_steps and self._pending[variable] is None

    def later(self, watcher: Watcher, *arguments: Any) -> None:
        """Call watcher((), *arguments) when its turn comes, so that nothing recurses."""
        self._late.append((watcher, (), arguments))

    def at_last(self, watcher: Watcher, *arguments: Any) -> None:
        """Call watcher((), *arguments) when there is nothing else to do."""
        self._last.append((watcher, (), arguments))

    def run(self) -> None:
        """Propagate until nothing changes."""
        queue, late, pending = self._queue, self._late, self._pending
        successors, watchers, put_all = self.successors, self.watchers, self.put_all
        sets, full = self.sets, self.full
        while queue or late or self._last:
            while late:
                watcher, found, arguments = late.popleft()
                try:
                    watcher(found, *arguments)
                except Exception as error:  # costs what was watched, not the repository
                    self.note_fault(watcher, error)
            if not queue:
                if self._last:
                    late.append(self._last.popleft())
                continue
            variable = queue.popleft()
            held, waiting = sets[variable] or (), pending[variable] or ()
            pending[variable] = None
            if len(waiting) == len(held):  # all of it is new: hand on the set itself
                sets[variable] = new = frozenset(held)
            else:
                new = frozenset(waiting)
            following = successors[variable]
            if following is not None:
                for target in tuple(following):
                    put_all(target, new)
            watching = watchers[variable]
            if watching is not None:
                for entry in tuple(watching):
                    try:
                        entry[0](new, *entry[1:])
                    except Exception as error:
                        self.note_fault(entry[0], error)
            if variable in full and self._is_over(variable):
                successors[variable] = watchers[variable] = None

    def release(self) -> None:
        """Let go of everything but what the variables hold."""
        self.watchers = [None] * len(self.sets)
        self.successors = [None] * len(self.sets)
        self._shared.clear()

    def note_fault(self, step: Callable[..., Any], error: Exception) -> None:
        """Keep the fault of a step of the analysis, by its name and what was raised."""
        self.faults.append(f"{step.__name__}: {type(error).__name__}: {error}")
