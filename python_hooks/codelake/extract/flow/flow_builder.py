"""Flow building: points, jumps and cleanups of one unit -> blocks and labelled edges.

    if a: b          start 2: a      2 -true-> 3, 2 -false-> 4
    c                start 3: b      3 -> 4
                     start 4: c      4 -> 1 (EXIT)

A `Builder` is a machine with a work list: actions push syntax nodes, numbers of points and calls,
and `run` takes them off, so that depth of the source costs no recursion. While it builds, blocks
may be empty; `finish` leaves those out, joins the labels of the edges through them and merges
straight runs. An edge through empty blocks keeps its first label, but an exception wins.

A block is live when it can be reached. All edges into a block other than back edges of loops are
drawn before the block is filled, so this is known at once; a `finally` resumes only what can be in
flight when it ends.

A builder that `splits` makes a copy of a `finally` for each way through it, so that no path mixes
them; `forks` says whether that makes a difference. A `finally` in a copy is not copied again, which
keeps the size linear.
Next: flow_expressions.py.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

ENTRY, EXIT = -1, -2
EXIT_BLOCK = 1

type Edge = tuple[int, int, str | None]
type Jump = tuple[int, str | None]  # target block, label
type Action = Callable[[Builder, Any], None]


class Loop:
    """A loop around the code that is being read: where `break` and `continue` go."""

    __slots__ = ("after", "head")

    def __init__(self, head: int, after: int) -> None:
        self.head = head
        self.after = after


class Cleanup:
    """A `finally` or `with` around the code that is being read, entered in several ways."""

    __slots__ = ("entries",)

    def __init__(self) -> None:
        self.entries: dict[str, int] = {}  # normal, exception, return, break, continue -> block


class Builder:
    """Builds the graph of one unit."""

    __slots__ = (
        *("actions", "annotates", "blocks", "catch", "closed", "current", "edges", "forks"),
        *("frames", "live", "order", "points", "postponed", "splits", "stack", "units"),
    )

    def __init__(self, actions: dict[type, Action], units: list[tuple[str, Any]]) -> None:
        """Start an empty unit.

        Args:
            actions: what to do with a node of each class.
            units: takes the units found inside this one.
        """
        self.actions = actions
        self.units = units
        self.stack: list[Any] = []
        self.frames: list[Loop | Cleanup] = []
        self.catch: int | None = None  # the block that an exception reaches; None: it leaves
        self.closed = False  # the last point of the current block has an exception edge
        self.annotates = False  # annotations of variables are evaluated: a module or class body
        self.postponed = False  # annotations are never evaluated: from __future__ import ...
        self.splits = self.forks = False
        self.blocks: list[list[int]] = [[ENTRY], [EXIT], []]
        self.live = [True, False, True]
        self.edges: list[Edge] = [(0, 2, None)]
        self.order = [0, 1, 2]
        self.current = 2
        self.points = self.blocks[2]

    def run(self) -> None:
        """Work until nothing is left: a number is a point that may raise, a tuple is a call."""
        stack, actions = self.stack, self.actions
        pop = stack.pop
        while stack:
            item = pop()
            found = item.__class__
            if found is int:
                if self.catch is None:
                    self.points.append(item)
                else:
                    self.raising(item)
            elif found is tuple:
                item[0](self, *item[1:])
            else:
                actions[found](self, item)

    def point(self, number: int) -> None:
        """Add a point that cannot raise."""
        if self.closed:
            self.reopen()
        self.points.append(number)

    def raising(self, number: int) -> None:
        """Add a point that may raise."""
        if self.closed:
            self.reopen()
        self.points.append(number)
        if self.catch is not None:
            self.edge(self.current, self.catch, "exception")
            self.closed = True

    def may_raise(self) -> None:
        """Say that an exception may come between the last point and the next."""
        if self.catch is not None:
            self.edge(self.current, self.catch, "exception")
            self.closed = True

    def throw(self) -> None:
        """End the current block with an exception that certainly comes."""
        target = EXIT_BLOCK if self.catch is None else self.catch
        self.edge(self.current, target, "exception")
        self.closed = False
        self.start(self.new())

    def reopen(self) -> None:
        """Go on in a new block."""
        block = self.new()
        self.edge(self.current, block, None)
        self.start(block)

    def new(self) -> int:
        """Return a new, empty block."""
        self.blocks.append([])
        self.live.append(False)
        return len(self.blocks) - 1

    def edge(self, source: int, target: int, label: str | None) -> None:
        """Draw an edge."""
        self.edges.append((source, target, label))
        if self.live[source]:
            self.live[target] = True

    def start(self, block: int) -> None:
        """Make a block the current one; nothing falls into it by itself."""
        self.current = block
        self.points = self.blocks[block]
        self.order.append(block)
        self.closed = False

    def fall(self, block: int, label: str | None = None) -> None:
        """Go from the current block to another one, which becomes the current one."""
        self.edge(self.current, block, label)
        self.start(block)

    def jump(self, block: int, label: str | None = None) -> None:
        """Go from the current block to another one; what follows is not reached from here."""
        self.edge(self.current, block, label)
        self.start(self.new())

    def branch(self, yes: int, no: int) -> None:
        """End the current block with a condition."""
        self.edge(self.current, yes, "true")
        self.edge(self.current, no, "false")
        self.start(self.new())

    def protect(self, catch: int | None) -> None:
        """Send exceptions elsewhere from here on."""
        if self.closed and catch is None:
            self.reopen()
        self.catch = catch

    def enter(self, cleanup: Cleanup, way: str) -> int:
        """Return the block by which a cleanup is entered in one of its ways."""
        block = cleanup.entries.get(way)
        if block is None:
            block = cleanup.entries[way] = self.new()
        return block

    def leave(self, way: str) -> Jump:
        """Return where a return, break or continue goes from here."""
        for frame in reversed(self.frames):
            if isinstance(frame, Cleanup):
                return self.enter(frame, way), "finally"
            if way == "break":
                return frame.after, None
            if way == "continue":
                return frame.head, "loop"
        return EXIT_BLOCK, None

    def ways(self, cleanup: Cleanup) -> list[str]:
        """Return the ways by which a cleanup can be entered, or all when none is live."""
        entries, live = cleanup.entries, self.live
        return [way for way, block in entries.items() if live[block]] or list(entries)

    def resume(self, ways: list[str], after: int) -> None:
        """End a cleanup: go on with whatever may have been in flight when it began."""
        for way in ways:
            if way == "normal":
                self.edge(self.current, after, None)
            elif way == "exception":
                target = EXIT_BLOCK if self.catch is None else self.catch
                self.edge(self.current, target, "finally")
            else:
                self.edge(self.current, self.leave(way)[0], "finally")
        self.start(self.new())

    def finish(self) -> tuple[list[list[int]], list[Edge]]:
        """Return the blocks and edges, after the last block has fallen out of the unit."""
        self.edge(self.current, EXIT_BLOCK, None)
        blocks = self.blocks
        if len(self.order) == 3 and len(blocks) == 3:  # straight code
            if blocks[2]:
                return blocks, [(0, 2, None), (2, 1, None)]
            return blocks[:2], [(0, 1, None)]
        out: list[dict[Jump, None]] = [{} for _ in blocks]
        for source, target, label in self.edges:
            out[source][target, label] = None
        _thread(blocks, out)
        return _merge(blocks, out, self.order)


def _thread(blocks: list[list[int]], out: list[dict[Jump, None]]) -> None:
    """Let no edge end in an empty block."""
    for block, jumps in enumerate(out):
        if not blocks[block] or all(blocks[target] for target, _ in jumps):
            continue
        found: dict[Jump, None] = {}
        seen: set[Jump] = set()
        stack = list(reversed(jumps))
        while stack:
            target, label = jump = stack.pop()
            if jump in seen:
                continue
            seen.add(jump)
            if blocks[target]:
                found[jump] = None
                continue
            for beyond, second in reversed(out[target]):
                joined = second if label is None or second == "exception" else label
                stack.append((beyond, joined))
        out[block] = found


def _merge(
    blocks: list[list[int]], out: list[dict[Jump, None]], order: list[int]
) -> tuple[list[list[int]], list[Edge]]:
    """Join straight runs and number the blocks in the order in which they were begun."""
    entered = [0] * len(blocks)
    for block in order:
        if blocks[block]:
            for target, _ in out[block]:
                entered[target] += 1
    number: dict[int, int] = {}
    last: list[int] = []  # the block whose edges are those of the merged one
    merged: list[list[int]] = []
    follower: set[int] = set()
    for block in order:
        if block > EXIT_BLOCK and len(out[block]) == 1 and blocks[block]:
            ((target, label),) = out[block]
            if label is None and target > EXIT_BLOCK and entered[target] == 1:
                follower.add(target)
    for block in order:
        points = blocks[block]
        if not points or block in follower:
            continue
        number[block] = len(merged)
        while len(out[block]) == 1 and block > EXIT_BLOCK:
            ((target, _),) = out[block]
            if target not in follower:
                break
            points.extend(blocks[target])
            block = target
        merged.append(points)
        last.append(block)
    edges = [
        (source, number[target], label)
        for source, block in enumerate(last)
        for target, label in out[block]
    ]
    return merged, edges
