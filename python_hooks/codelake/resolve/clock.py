"""Clock: in which order the code of a module runs, through the functions that it runs once.

    def f(x):          the body of f runs once, so it has times: 3, between those of its call
        d["k"] = x
    a = d              time 1
    f(a)               times 2 and 4
    for i in a:        all of a loop has one span of times, 5 to 8
        g(i)           g runs in that span, its body is not ordered

A frame with one call that is run once is walked at that call, a module at its first import,
__exit__ and what follows the yield of a context manager at the end of the `with`. Other frames have
the span of their calls. Who is called by nobody, or from a module that is not walked, runs at any
time; so does what is left of a generator or coroutine after its call.
Next: value_times.py.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from codelake.resolve.file_facts import Definition, Fact, FileFacts
from codelake.resolve.state import CALLBACK, EXPLICIT, Frame, Site, State

EVER = 1 << 60
type Span = tuple[int, int]
ANY_TIME: Span = (-1, EVER)

_ONCE = frozenset(
    {
        *("attr", "binary", "inplace", "unary", "decorate", "enter", "item"),
        *("store_item", "store_attr", "delete_item", "delete_attr", "format"),
    }
)
_LEAVES = frozenset({"return", "raise"})
_EXITS = frozenset({"__exit__", "__aexit__"})
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


class Blocks:
    """What of a file is repeated, and what happens under a condition only."""

    def __init__(self, file: FileFacts) -> None:
        """Read the facts."""
        self._parents = file.parents
        self.last = [*range(file.size)]
        for node in range(file.size - 1, 0, -1):
            parent = file.parents[node]
            self.last[parent] = max(self.last[parent], self.last[node])
        self._openers = {each.node for each in file.definitions}
        self._loops: dict[int, tuple[int, int]] = {}  # loop -> what runs before it
        self._maybe: set[int] = set()
        self.lazy: set[int] = set()
        tests, others = set(), set()
        for op, _, node, value, other, _, idx in file.facts:
            if op == "each" and other is not None and value is not None and not idx:
                self._loops[other] = (value, self.last[value])
            elif op == "test":
                tests.add(node)
            elif op in ("guard", "either"):
                others.add(node)
            elif op == "match":
                self._maybe.add(file.parents[node])
            elif op == "genexp":
                self.lazy.add(node)
        self._loops |= dict.fromkeys(tests - others, (-1, -1))
        self._maybe |= tests | others | self._loops.keys()

    def loop(self, node: int) -> int | None:
        """Return the outermost loop of a definition that repeats a node."""
        found, at = None, node
        while at and at not in self._openers:
            before = self._loops.get(at)
            if before is not None and not before[0] <= node <= before[1]:
                found = at
            at = self._parents[at]
        return found

    def always(self, node: int) -> bool:
        """Tell whether a node is under no condition of its definition."""
        at = self._parents[node]
        while at and at not in self._openers:
            if at in self._maybe:
                return False
            at = self._parents[at]
        return True


class Clock:
    """Times of the variables that a module fills, directly or through what it calls once."""

    def __init__(self, state: State, file: int) -> None:
        """Walk through the module."""
        self._state = state
        self.now = 0
        self.walked: list[Frame] = []
        self.sure: set[int] = set()  # variables of nodes that run, whatever happens
        self._nodes: dict[int, Sequence[int]] = {}
        self._blocks: dict[int, Blocks] = {}
        self._active: set[int] = set()
        self._called: dict[tuple[int, int], list[tuple[Frame, Site]]] = defaultdict(list)
        self._places: dict[int, set[tuple[int, int]]] = defaultdict(set)
        self._repeated: set[int] = set()
        for number, sites in state.sites_of.items():
            frame = state.frames[number]
            for site in sites:
                self._called[site.frame.number, site.node].append((frame, site))
                self._places[number].add((site.frame.number, site.node))
                if site.kind == CALLBACK:
                    self._repeated.add(number)
        for frame in state.frames_of.get(state.definition(file, 0), ()):
            self._walk(frame, True)
        self._spans = self._frame_spans()

    def of_node(self, variable: int) -> Span | None:
        """Return the span in which a variable of the walk is filled."""
        found = self._nodes.get(variable)
        return None if found is None else (found[0], found[1])

    def of_frame(self, number: int) -> Span:
        """Return the span in which a frame may run."""
        return self._spans.get(number, ANY_TIME)

    def blocks(self, file: int) -> Blocks:
        """Return the blocks of a file."""
        if file not in self._blocks:
            self._blocks[file] = Blocks(self._state.files[file])
        return self._blocks[file]

    def _walk(self, frame: Frame, is_sure: bool) -> None:
        for _ in self._steps(frame, is_sure):
            pass

    def _steps(self, frame: Frame, is_sure: bool) -> Iterator[int]:
        """Walk through a frame; stop at each yield."""
        if frame.number in self._active:
            return
        self._active.add(frame.number)
        self.walked.append(frame)
        file, offset = frame.file, frame.offset
        blocks = self.blocks(file)
        windows: dict[int, list[int]] = {}
        leaving: list[tuple[int, Iterator[int]]] = []
        for fact in self._state.bodies[file].groups.get(frame.owner, ()):
            op, _, node, _, _, _, idx = fact
            while leaving and leaving[-1][0] < node:
                self._finish(leaving.pop()[1])
            loop = blocks.loop(node)
            always = is_sure and blocks.always(node)
            if loop is None:
                if op == "class":
                    self._class(frame, idx or 0, always)
                for found in imported_files(self._state, file, fact):
                    for module in self._state.frames_of.get(self._state.definition(found, 0), ()):
                        self._walk(module, always)
                leaving += self._calls(frame, fact, always)
                self.now += 1
                if op not in _NO_TIME:
                    self._nodes[offset + node] = (self.now, self.now)
                if always:
                    self.sure.add(offset + node)
            else:
                self.now += 1
                window = windows.setdefault(loop, [self.now, self.now])
                window[1] = EVER if loop in blocks.lazy else self.now
                self._nodes[offset + node] = window
            if op in _LEAVES and not blocks.always(node):
                is_sure = False
            elif op == "yield":
                yield node
        while leaving:
            self._finish(leaving.pop()[1])

    def _class(self, frame: Frame, number: int, is_sure: bool) -> None:
        definition = self._state.definition(frame.file, number)
        for inner in self._state.frames_of.get(definition, ()):
            if inner.env is frame:
                self._walk(inner, is_sure)

    def _calls(
        self, frame: Frame, fact: Fact, is_sure: bool
    ) -> Iterator[tuple[int, Iterator[int]]]:
        """Walk through what a node calls; yield what is left to run when its block ends."""
        op, node = fact[0], fact[2]
        found = self._called.get((frame.number, node), ())
        callees = [each for each in found if self._is_once(*each, op)]
        end = self.blocks(frame.file).last[self._state.files[frame.file].parents[node]]
        names = {frame.number: self._definition(frame).name for frame, _ in callees}
        others = [each for each, _ in callees if names[each.number] not in _EXITS]
        for callee in others:
            walk = self._steps(callee, is_sure and len(others) == 1)
            if callee.body.is_generator:
                next(walk, None)
                yield end, walk
            else:
                self._finish(walk)
        if op == "enter":
            for callee, _ in callees:
                if names[callee.number] in _EXITS:
                    yield end, self._steps(callee, False)

    def _is_once(self, callee: Frame, site: Site, op: str) -> bool:
        """Tell whether a frame runs at one place, and once there."""
        if len(self._places[callee.number]) != 1 or callee.number in self._repeated:
            return False
        if (op != "call") if site.kind == EXPLICIT else (op not in _ONCE):
            return False
        if not callee.body.is_generator:
            return op == "enter" or not self._definition(callee).is_async
        yields = [step for step in callee.body.steps if step[0] in ("yield", "yield_from")]
        if callee.definition not in self._state.managers or len(yields) != 1:
            return False
        group = self._state.bodies[site.frame.file].groups[site.frame.owner]
        is_entered = any(one[0] == "enter" and one[2] == site.node for one in group)
        return is_entered and self.blocks(callee.file).always(yields[0][1])

    def _finish(self, walk: Iterator[int]) -> None:
        for _ in walk:
            pass

    def _definition(self, frame: Frame) -> Definition:
        return self._state.files[frame.file].definitions[frame.owner]

    def _frame_spans(self) -> dict[int, Span]:
        """Return the spans of the frames that are not walked, as far as their calls tell."""
        spans: dict[int, Span] = {}
        todo = [number for number in self._places if number not in self._active]
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
        for caller, node in self._places[number]:
            frame = self._state.frames[caller]
            span = (
                self.of_node(frame.offset + node) if caller in self._active else spans.get(caller)
            )
            if span is None:
                if caller in self._active or caller not in self._places:
                    return ANY_TIME
                continue  # not known yet
            first, last = min(first, span[0]), max(last, span[1])
        if first > last:
            return None
        frame = self._state.frames[number]
        place = self._definition(frame)
        lasts = frame.body.is_generator or place.is_async or place.name in _EXITS
        return first, EVER if lasts or number in self._repeated else last


_MOST = 5000  # frames; a script has fewer
