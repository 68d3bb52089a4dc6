"""Clock: in which order the code of a module runs, through the functions that it calls.

    def f(x):          runs twice, so its body has two times: 2 and 5
        d["k"] = x
    f(a)               times 1 and 3
    f(b)               times 4 and 6
    for i in a:        all of a loop has one span of times, 7 to 9
        g(i)           g runs in that span, its body is not ordered

What is called is walked at each call, a module at its first import, __exit__ and what follows the
yield of a context manager at the end of the `with`. A frame that is also called from a loop, from
itself or from code that is not walked has no times of its own, but the span of its calls. Who is
called by nobody runs at any time, unless the clock is made for him; so does what is left of a
generator or coroutine after its call.
Next: value_times.py.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from typing import NamedTuple

from codelake.resolve.blocks import Blocks
from codelake.resolve.decided import Branches, Decided
from codelake.resolve.file_facts import Definition, Fact
from codelake.resolve.objects import EXTERNAL_INSTANCE, UNKNOWN
from codelake.resolve.state import CALLBACK, EXPLICIT, IMPLICIT, Frame, Site, State

EVER = 1 << 60
type Span = tuple[int, int]
ANY_TIME: Span = (-1, EVER)

_ONCE = frozenset(
    {
        *("attr", "binary", "inplace", "unary", "decorate", "enter", "item"),
        *("store_item", "store_attr", "delete_item", "delete_attr", "format"),
    }
)
_SWALLOWING = ("suppress", "raises")  # contextlib.suppress, pytest.raises
_LEAVES = frozenset({"return", "raise"})
_NO_TIME = frozenset({"delete", "narrow", "guard"})  # of nodes that have run before


def imported_files(state: State, file: int, fact: Fact) -> list[int]:
    """Return the files whose modules an import runs, packages first."""
    op, text = fact[0], fact[5] or ""
    full: str | None = text
    if op in ("import_from", "import_star"):
        module, _, name = text.rpartition(":") if op == "import_from" else (text, "", "")
        full = state.index.module_of(file, module)
        full = f"{full}.{name}" if full and name else full
    elif op not in ("import", "import_as"):
        return []
    parts = (full or "").split(".")
    names = [".".join(parts[: size + 1]) for size in range(len(parts))]
    return [state.index.by_name[name] for name in names if name in state.index.by_name]


def main_modules(state: State) -> list[int]:
    """Return for each file the one that runs first when it is imported, or itself."""
    importers: dict[int, set[int]] = defaultdict(set)
    for number, file in enumerate(state.files):
        for fact in file.facts:
            for found in imported_files(state, number, fact):
                if found != number:
                    importers[found].add(number)
    mains: list[int] = []
    tops: set[int]
    for number in range(len(state.files)):
        seen, todo, tops = {number}, [number], set()
        while todo and len(tops) < 2:
            at = todo.pop()
            if not importers[at]:
                tops.add(at)
            todo += importers[at] - seen
            seen |= importers[at]
        mains.append(tops.pop() if len(tops) == 1 else number)
    return mains


def entry_of(state: State, frames: Iterable[Frame]) -> Frame | None:
    """Return the function that leads to some frames and that nobody calls, if there is one only."""
    todo = [*frames]
    seen = {frame.number for frame in todo}
    found: set[int] = set()
    while todo and len(found) < 2:
        frame = todo.pop()
        sites = [site for site in state.sites_of.get(frame.number, ()) if site.kind != CALLBACK]
        if not sites:
            found.add(frame.number)
        for caller in (site.frame for site in sites):
            if caller.number not in seen:
                seen.add(caller.number)
                todo.append(caller)
    entry = state.frames[found.pop()] if len(found) == 1 else None
    return entry if entry is not None and entry.owner else None


class Run(NamedTuple):
    """One run of a node: its first and last time, the place that called its frame, and its run."""

    first: int
    last: int
    place: int
    run: list[int]  # when the run of the frame ends


class Clock:
    """Times of the variables that a module fills, directly or through what it calls."""

    def __init__(self, state: State, root: Frame, decided: Decided) -> None:
        """Walk through a module, or a function that nobody calls."""
        self._state = state
        self._decided = decided
        self._skipped: dict[int, set[int]] = defaultdict(set)  # frame -> what a run leaves out
        self._left_out: dict[int, set[int]] = defaultdict(set)  # variable -> places of such runs
        self._not_taken: dict[tuple[int, int], set[int]] = defaultdict(set)  # step -> the same
        self._sure_in_loops: set[tuple[int, int]] = set()
        self._run_by: dict[int, set[int]] = defaultdict(set)  # frame -> places
        self._root = root
        self._now = 0
        self.sure: set[tuple[int, int]] = set()  # nodes that run at a time, whatever happens
        self._nodes: dict[int, list[Run]] = defaultdict(list)
        self._left: dict[int, list[int]] = defaultdict(list)  # place of a `with` -> its ends
        self._blocks: dict[int, Blocks] = {}
        self._active: set[int] = set()
        self._ended: list[list[int]] = []  # runs of what the next node calls
        self._walked: dict[int, int] = {}  # frame -> number of runs
        self._called: dict[tuple[int, int], list[tuple[Frame, Site]]] = defaultdict(list)
        self._places: dict[int, dict[tuple[int, int], str]] = defaultdict(dict)
        self._unordered: set[int] = set()
        for number, sites in state.sites_of.items():
            frame = state.frames[number]
            for site in sites:
                self._called[site.frame.number, site.node].append((frame, site))
                self._places[number][site.frame.number, site.node] = site.kind
                if site.kind == CALLBACK or self._is_hidden(frame, site):
                    self._unordered.add(number)
        self._walk(root, True, -1)
        self._forget()
        self.never = {
            variable
            for number, skipped in self._skipped.items()
            if number in self._walked
            for variable in skipped
            if variable not in self._nodes
        }
        self._spans = self._frame_spans()

    def runs(self, variable: int) -> Sequence[Run]:
        """Return the runs of the node of a variable, when its frame has an order."""
        return self._nodes.get(variable, ())

    def is_left_out(self, variable: int, place: int) -> bool:
        """Tell whether a node does not run when a place calls its frame."""
        return variable in self.never or place in self._left_out.get(variable, ())

    def is_taken(self, frame: Frame, source: int, target: int, place: int) -> bool:
        """Tell whether `a if b else c` may be an operand, where a place calls its frame."""
        places = self._not_taken.get((source, target))
        if places is None or frame.number not in self._walked:
            return True
        return not (place in places or (place < 0 and places == self._run_by[frame.number]))

    def sure_until(self, variable: int, run: Run) -> int | None:
        """Return when a node has surely been evaluated in a run, if it has."""
        if (variable, run.first) in self.sure:
            return run.last
        return run.last if (variable, run.first) in self._sure_in_loops else None

    def walked(self) -> list[Frame]:
        """Return the frames that have an order."""
        return [self._state.frames[number] for number in self._walked]

    def runs_once(self, frame: Frame) -> bool:
        """Tell whether a frame runs at one known time."""
        return self._walked.get(frame.number) == 1

    def is_part(self, frame: Frame) -> bool:
        """Tell whether a frame runs only while this module or function runs."""
        return frame.number in self._walked or self.of_frame(frame.number) != ANY_TIME

    def of_frame(self, number: int) -> Span:
        """Return the span in which a frame may run."""
        return self._spans.get(number, ANY_TIME)

    def is_outermost(self, frame: Frame, node: int) -> bool:
        """Tell whether a node is a comprehension or loop that no other one repeats."""
        return self._blocks_of(frame.file).loop(node) == node

    def either(self, frame: Frame, one: int, other: int) -> Iterator[Span]:
        """Yield the times of two nodes, the first in one arm of an `if`, the last in the other."""
        outer = self._blocks_of(frame.file).either(one, other)
        if outer is None:
            return
        for test in self.runs(frame.offset + outer):
            if (frame.offset + outer, test.first) in self.sure:
                pairs = product(self.runs(frame.offset + one), self.runs(frame.offset + other))
                for run, later in pairs:
                    if run.run is later.run is test.run:
                        yield run.first, later.first

    def _blocks_of(self, file: int) -> Blocks:
        if file not in self._blocks:
            self._blocks[file] = Blocks(self._state.files[file])
        return self._blocks[file]

    def _walk(self, frame: Frame, is_sure: bool, place: int) -> None:
        for _ in self._steps(frame, is_sure, place):
            pass

    def _steps(self, frame: Frame, is_sure: bool, place: int) -> Iterator[int]:
        """Walk through a frame; stop at each yield."""
        count = self._walked.get(frame.number, 0)
        if frame.number in self._active or count >= _MOST_RUNS or self._now > _MOST_TIMES:
            self._unordered.add(frame.number)
            return
        self._active.add(frame.number)
        self._walked[frame.number] = count + 1
        run = [EVER]
        file, offset = frame.file, frame.offset
        blocks = self._blocks_of(file)
        windows: dict[int, list[int]] = {}
        inner: list[tuple[int, int]] = []
        leaving: list[tuple[int, int, Iterator[int]]] = []
        maybe = -1  # behind this node nothing is swallowed
        closed = Branches(self._decided, frame, place, blocks)
        for fact in self._state.bodies[file].groups.get(frame.owner, ()):
            op, _, node, _, _, _, idx = fact
            while leaving and leaving[-1][0] < node:
                self._leave(*leaving.pop()[1:])
            if closed.skips(fact):
                self._skipped[frame.number].add(offset + node)
                self._left_out[offset + node].add(place)
                continue
            self._now += 1
            loop = blocks.loop(node)
            if loop is not None:
                window = windows.setdefault(loop, [self._now, 0])
                window[1] = EVER if loop in blocks.lazy else self._now + 1
                inner.append((loop, offset + node))
            else:
                always = is_sure and node > maybe and blocks.always(node, closed.decided)
                if op == "class":
                    self._class(frame, idx or 0, always)
                for found in imported_files(self._state, file, fact):
                    self._module(found, always)
                leaving += self._calls(frame, fact, always)
                self._now += 1
                while self._ended:
                    self._ended.pop()[0] = self._now
                if op not in _NO_TIME:
                    self._note(offset + node, Run(self._now, self._now, place, run), op)
                if always:
                    self.sure.add((offset + node, self._now))
                if op == "enter" and self._swallows(frame, node):
                    maybe = max(maybe, blocks.last[self._state.files[file].parents[node]])
            if op in _LEAVES and not blocks.always(node, closed.decided):
                is_sure = False
            elif op == "yield":
                self._active.discard(frame.number)  # another one may start meanwhile
                yield node
                self._active.add(frame.number)
        for _, where, walk in reversed(leaving):
            self._leave(where, walk)
        self._run_by[frame.number].add(place)
        for value, node in closed.closed:
            value = self._state.bodies[file].value(value)
            self._not_taken[offset + value, offset + node].add(place)
        for loop, variable in inner:
            first, last = windows[loop]
            self._note(variable, Run(first, last, place, run), "")
            if is_sure and closed.is_repeated(loop) and blocks.each_time(loop, variable - offset):
                self._sure_in_loops.add((variable, first))
        if place >= 0:
            run[0] = self._now + 1
            self._ended.append(run)
        self._active.discard(frame.number)

    def _note(self, variable: int, run: Run, op: str) -> None:
        """Keep when a node is done: a call behind its arguments, a pattern before its store."""
        runs = self._nodes[variable]
        if runs and runs[-1].run is run.run:
            if op == "store":
                return
            runs.pop()
        runs.append(run)

    def _leave(self, where: int, walk: Iterator[int]) -> None:
        self._now += 1
        self._left[where].append(self._now)
        for _ in walk:
            pass

    def _class(self, frame: Frame, number: int, is_sure: bool) -> None:
        definition = self._state.definition(frame.file, number)
        for inner in self._state.frames_of.get(definition, ()):
            if inner.env is frame:
                self._walk(inner, is_sure, -1)

    def _module(self, file: int, is_sure: bool) -> None:
        if self._root.owner:
            return  # it was imported before
        for frame in self._state.frames_of.get(self._state.definition(file, 0), ()):
            if frame.number not in self._walked:
                self._walk(frame, is_sure, -1)

    def _swallows(self, frame: Frame, node: int) -> bool:
        """Tell whether a manager may end an exception: by a result of __exit__, or suppress."""
        objects = self._state.objects
        for one in self._state.solver.get(self._state.value(frame, node)):
            is_outside = one >= 0 and objects.kind[one] in (EXTERNAL_INSTANCE, UNKNOWN)
            if is_outside and str(objects.first[one]).rpartition(".")[2] in _SWALLOWING:
                return True
        called = self._called.get((frame.number, node), ())
        return any(each.body.returned and _is_exit(self._name(each)) for each, _ in called)

    def _calls(
        self, frame: Frame, fact: Fact, is_sure: bool
    ) -> Iterator[tuple[int, int, Iterator[int]]]:
        """Walk through what a node calls; yield what is left to run when its block ends."""
        op, node = fact[0], fact[2]
        place = frame.offset + node
        callees = [
            each
            for each, site in self._called.get((frame.number, node), ())
            if (op == "call" if site.kind == EXPLICIT else op in _ONCE or self._is_text(each, op))
        ]
        callees = list({each.number: each for each in callees}.values())
        end = self._blocks_of(frame.file).last[self._state.files[frame.file].parents[node]]
        if op == "enter":
            yield end, place, iter(())
        others = [each for each in callees if not _is_exit(self._name(each))]
        for callee in others:
            walk = self._steps(callee, is_sure and len(others) == 1, place)
            if not callee.body.is_generator:
                if self._definition(callee).is_async and op != "enter":
                    self._unordered.add(callee.number)
                else:
                    self._finish(walk)
            elif self._is_entered(frame, node, callee):
                next(walk, None)
                yield end, place, walk
            else:
                self._unordered.add(callee.number)
        for callee in callees:
            if callee not in others and op == "enter":
                yield end, place, self._steps(callee, False, place)

    def _is_text(self, callee: Frame, op: str) -> bool:
        """Tell whether a call asks for a text, as str(x) does, once."""
        return op == "call" and self._name(callee) in ("__str__", "__repr__", "__format__")

    def _is_hidden(self, callee: Frame, site: Site) -> bool:
        """Tell whether a function outside calls a special method, perhaps often."""
        fact = self._state.bodies[site.frame.file].made.get(site.node)
        is_call = site.kind == IMPLICIT and fact is not None and fact[0] == "call"
        return is_call and not self._is_text(callee, "call")

    def _is_entered(self, frame: Frame, node: int, callee: Frame) -> bool:
        """Tell whether a generator is a manager that a `with` enters right where it is made."""
        yields = [step for step in callee.body.steps if step[0] in ("yield", "yield_from")]
        if callee.definition not in self._state.managers or len(yields) != 1:
            return False
        group = self._state.bodies[frame.file].groups[frame.owner]
        is_entered = any(one[0] == "enter" and one[2] == node for one in group)
        return is_entered and self._blocks_of(callee.file).always(yields[0][1])

    def _finish(self, walk: Iterator[int]) -> None:
        before, self._ended = self._ended, []
        for _ in walk:
            pass
        self._ended += before

    def _definition(self, frame: Frame) -> Definition:
        return self._state.files[frame.file].definitions[frame.owner]

    def _name(self, frame: Frame) -> str:
        return self._definition(frame).name

    def _forget(self) -> None:
        """Forget the order of the frames that also run where nothing was walked."""
        bad = {number for number in self._walked if number in self._unordered}
        changed = True
        while changed:
            changed = False
            for number in self._walked:
                if number not in bad and not self._is_ordered(number, bad):
                    bad.add(number)
                    changed = True
        for number in bad:
            frame = self._state.frames[number]
            place = self._definition(frame)
            for node in range(place.node, place.last + 1):
                owner = self._state.bodies[frame.file].owner_of.get(node, frame.owner)
                if owner == frame.owner:
                    self._nodes.pop(frame.offset + node, None)
            del self._walked[number]

    def _is_ordered(self, number: int, bad: set[int]) -> bool:
        if number == self._root.number:
            return True
        for caller, node in self._places.get(number, ()):
            place = self._state.frames[caller].offset + node
            runs = self._nodes.get(place, ())
            if caller not in bad and not runs and place in self._skipped[caller]:
                continue
            if caller in bad or not runs or any(run.first != run.last for run in runs):
                return False
        env = self._state.frames[number].env
        is_class = self._definition(self._state.frames[number]).kind == "CLASS"
        return not is_class or env is None or env.number not in bad

    def _frame_spans(self) -> dict[int, Span]:
        """Return the spans of the frames that have no order, as far as their calls tell."""
        spans: dict[int, Span] = {}
        todo = [number for number in self._places if number not in self._walked]
        changed = len(todo) <= _MOST
        while changed:
            changed = False
            for number in todo:
                span = self._span(number, spans)
                if span is not None and span != spans.get(number):
                    spans[number] = span
                    changed = True
        return spans

    def _span(self, number: int, spans: dict[int, Span]) -> Span | None:
        first, last = EVER, -1
        name = self._name(self._state.frames[number])
        for caller, node in self._places[number]:
            place = self._state.frames[caller].offset + node
            if caller in self._walked:
                found = [(run.first, run.last) for run in self.runs(place)]
                if _is_exit(name) and place in self._left:
                    found = [(time, time) for time in self._left[place]]
                if not found and place in self._skipped[caller]:
                    continue
                if not found:
                    return ANY_TIME
            elif caller in spans:
                found = [spans[caller]]
            elif caller not in self._places:
                return ANY_TIME
            else:
                continue  # not known yet
            first = min(first, *(one for one, _ in found))
            last = max(last, *(one for _, one in found))
        if first > last:
            return None
        frame = self._state.frames[number]
        is_late = frame.body.is_generator or self._definition(frame).is_async
        return first, EVER if is_late or self._is_called_back(number) else last

    def _is_called_back(self, number: int) -> bool:
        return CALLBACK in self._places[number].values()


def _is_exit(name: str) -> bool:
    return name in ("__exit__", "__aexit__")


_MOST = 5000  # frames; a script has fewer
_MOST_RUNS = 16
_MOST_TIMES = 200_000
