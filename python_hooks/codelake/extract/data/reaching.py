"""Reaching: the events of a unit -> which definition reaches which use, by fixpoint with kills.

    x = 1            block 2: DEFINE x (1)              (1, 3) and (2, 3) reach
    if c: x = 2      block 3: DEFINE x (2)
    print(x)         block 4: USE x (3)

Inside a block the last definition decides. For the uses that look beyond the start of their block,
bit sets of the definitions that leave a block are propagated in reverse post order until nothing
changes. Only variables with such a use take part; one that is defined once, in a block that
dominates the use, needs no propagation. The sets are worked through in slices of a limited width,
so that a file of 100,000 statements does not cost the square of that.

A pair is loop carried when it needs a back edge: it is missing from a second pass without them.

Variables that units share have definitions elsewhere: OUTSIDE stands for those that other units may
make while this one runs. It is there after every RUN once somebody may store: always, or after the
CREATE of the unit that stores. The caller puts AROUND, all definitions elsewhere, at the start
of a unit that does not own a variable, and UNBOUND where Python looks elsewhere for lack of a
definition. What other units may see is told by lives.py.

A use that more than MAX_DEFINITIONS reach keeps the last of them, and is counted.
Next: shared_variables.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from codelake.extract.data.definitions import UnitEvents
from codelake.extract.data.lives import ANYWHERE, Lives
from codelake.extract.data.variables import ADD, CREATE, DEFINE, RUN, USE
from codelake.extract.flow.dominators import dominators

AROUND, OUTSIDE, UNBOUND = -3, -4, -5  # instead of the number of a definition
MAX_DEFINITIONS = 256
MAX_ROWS, FEW_DEFINITIONS = 500_000, 8  # beyond so many pairs a use keeps only a few
_WIDTH = 1024  # bits of one slice
_SMALL = 50_000  # blocks times definitions that are propagated without further thought
_BUDGET = 1_000_000  # places of lives
_NOTHING = -6
_EXIT = 1

type Pair = tuple[int, int, int, bool]  # definition, use, variable, loop carried
type _Share = tuple[int, Sequence[int]]  # variable, some of its definitions
type _Site = tuple[int, bool, list[int]]  # block, whether it ends what came in, what leaves it


@dataclass(frozen=True, slots=True)
class Outside:
    """The variables of a unit that others store to.

    Attributes:
        always: variables that others may store to from the start on.
        created: inner unit -> variables that it, or a unit in it, stores to.
        fallback: variables that are looked up elsewhere while they are unbound.
    """

    always: frozenset[int] = frozenset()
    created: Mapping[int, Sequence[int]] = field(default_factory=dict)
    fallback: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Reached:
    """What reaches what in one unit.

    Attributes:
        pairs: definition, use, variable and whether only a back edge joins them.
        foreign: variable -> its uses, where the unit has no definition of it.
        lives: what other units may see.
        truncated: number of uses that did not keep all their definitions.
    """

    pairs: list[Pair]
    foreign: dict[int, list[int]]
    lives: Lives
    truncated: int


def reaching(
    events: UnitEvents,
    outside: Outside | None = None,
    shown: Iterable[int] = (),
    single: Iterable[int] = (),
    inner: Mapping[int, int] | None = None,
) -> Reached:
    """Find the definitions that reach each use of a unit.

    Args:
        events: of the unit.
        outside: the variables that other units store to.
        shown: variables whose lives are wanted, since other units read them.
        single: the same, for variables with one definition that is never removed.
        inner: units inside this one, each with the block in which it is created.

    Returns:
        The pairs in no particular order, AROUND, OUTSIDE and UNBOUND among the definitions.
    """
    solver = _Solver(events, outside or _NOBODY, frozenset(shown))
    solver.scan()
    solver.solve()
    reachable = solver.reachable()
    for no, block in (inner or {}).items():
        if block in reachable:
            solver.lives.created.setdefault(no, (block, -1))
    for variable in single:
        for block, _, numbers in solver.sites.get(variable, ()):
            solver.lives.at_end[variable] = [(no, block) for no in numbers]
    foreign = {
        variable: [no for _, no in uses]
        for variable, uses in solver.exposed.items()
        if variable not in solver.sites
    }
    return Reached(solver.pairs, foreign, solver.lives, solver.truncated())


_NOBODY = Outside()


class _Solver:
    def __init__(self, events: UnitEvents, outside: Outside, shown: frozenset[int]) -> None:
        self._blocks = events.blocks
        self._successors = events.successors
        self._children = events.variables.children
        self._outside = outside
        self._shown = shown
        self._order = reverse_postorder(events.successors)
        self._watched = sorted(outside.always.union(*outside.created.values()))
        self.exposed: dict[int, list[tuple[int, int]]] = {}  # variable -> block, use
        self.sites: dict[int, list[_Site]] = {}
        self._last_run: dict[int, int] = {}  # block -> position of its last RUN
        self._head_run: dict[tuple[int, int], int] = {}  # the same before a variable is redefined
        self.pairs: list[Pair] = []
        self._full: set[tuple[int, int]] = set()  # uses that do not keep all definitions
        self._taken: dict[tuple[int, int], int] = {}
        self._budget = _BUDGET
        self.lives = Lives(events.successors)
        place = {block: number for number, block in enumerate(self._order)}
        size = len(events.blocks)
        self._predecessors: list[list[int]] = [[] for _ in range(size)]
        self._forward: list[list[int]] = [[] for _ in range(size)]  # without back edges
        self._loops = False
        for block in self._order:
            for target in events.successors[block]:
                self._predecessors[target].append(block)
                if place[target] > place[block]:
                    self._forward[target].append(block)
                else:
                    self._loops = True
        self._born: list[frozenset[int]] = []

    def truncated(self) -> int:
        """Return the number of uses that do not keep all definitions."""
        return len(self._full)

    def reachable(self) -> frozenset[int]:
        """Return the blocks that can be reached."""
        return frozenset(self._order)

    def scan(self) -> None:
        """Pair definitions and uses inside blocks; note what enters and leaves each block."""
        if self._watched or self._shown or self._outside.fallback:
            self._find_born()
            for block in self._order:
                self._scan_shared(block)
            return
        pair, exposed, children = self.pairs.append, self.exposed, self._children
        for block in self._order:
            last: dict[int, int] = {}
            more: dict[int, list[int]] = {}
            for operation, variable, no in self._blocks[block]:
                if operation == USE:
                    found = last.get(variable)
                    if found is None:
                        if variable in exposed:
                            exposed[variable].append((block, no))
                        else:
                            exposed[variable] = [(block, no)]
                    elif found != _NOTHING:
                        pair((found, no, variable, False))
                    if variable in more:
                        for found in self._some(more[variable], variable, no):
                            pair((found, no, variable, False))
                elif operation == ADD:
                    more.setdefault(variable, []).append(no)
                else:
                    last[variable] = no if operation == DEFINE else _NOTHING
                    if more:
                        more.pop(variable, None)
                    if variable in children:
                        for path in children[variable]:
                            last[path] = _NOTHING
                            more.pop(path, None)
            self._note_sites(block, last, more)

    def _some(self, numbers: Sequence[int], variable: int, no: int) -> Sequence[int]:
        """Return the last definitions of a list, as many as a use may have."""
        limit = MAX_DEFINITIONS if len(self.pairs) < MAX_ROWS else FEW_DEFINITIONS
        if len(numbers) > limit:
            self._full.add((variable, no))
            return numbers[-limit:]
        return numbers

    def _scan_shared(self, block: int) -> None:
        """Scan a block of a unit that shares variables with others."""
        outside, shown, head = self._outside, self._shown, self._head_run
        born = self._born[block]
        last: dict[int, int] = {}
        more: dict[int, list[int]] = {}
        since: dict[int, int] = {}  # variable -> number of RUNs before its last change
        base: dict[int, int] = {}  # variable -> number of RUNs before somebody could store to it
        runs, at_run = 0, -1
        for position, (operation, variable, no) in enumerate(self._blocks[block]):
            if operation == RUN:
                runs, at_run = runs + 1, position
            elif operation == CREATE:
                self.lives.created[no] = block, position
                for stored in outside.created.get(no, ()):
                    if stored not in born:
                        born = born | {stored}
                        base[stored] = runs
            elif operation == USE:
                found = last.get(variable)
                if found is None:
                    self.exposed.setdefault(variable, []).append((block, no))
                elif found != _NOTHING:
                    self.pairs.append((found, no, variable, False))
                if variable in more:
                    for found in self._some(more[variable], variable, no):
                        self.pairs.append((found, no, variable, False))
                if variable in born and runs > max(since.get(variable, 0), base.get(variable, 0)):
                    self.pairs.append((OUTSIDE, no, variable, False))
            elif operation == ADD:
                more.setdefault(variable, []).append(no)
            else:
                for changed in (variable, *self._children.get(variable, ())):
                    if changed in shown:
                        if changed not in last:
                            head[block, changed] = at_run
                        if runs > since.get(changed, 0):
                            self._live(changed, last, more, block, at_run)
                    more.pop(changed, None)
                    last[changed] = _NOTHING
                    since[changed] = runs
                if operation == DEFINE:
                    last[variable] = no
                elif variable in outside.fallback:
                    last[variable] = UNBOUND
        for variable in last.keys() | more.keys():
            if variable in shown and runs > since.get(variable, 0):
                self._live(variable, last, more, block, at_run)
        if runs:
            self._last_run[block] = at_run
            for variable in self._watched:
                start = max(since.get(variable, 0), base.get(variable, 0))
                if variable in born and runs > start:
                    more.setdefault(variable, []).append(OUTSIDE)
        self._note_sites(block, last, more)

    def _live(
        self,
        variable: int,
        last: Mapping[int, int],
        more: Mapping[int, Sequence[int]],
        block: int,
        run: int,
    ) -> None:
        """Note that definitions of this block are there at a RUN."""
        numbers = (last.get(variable, _NOTHING), *more.get(variable, ()))
        rows = [(no, block, run) for no in numbers if no >= 0]
        if rows:
            self.lives.at_run.setdefault(variable, []).extend(rows)

    def _note_sites(
        self, block: int, last: Mapping[int, int], more: Mapping[int, list[int]]
    ) -> None:
        """Note which definitions leave a block."""
        sites = self.sites
        for variable, no in last.items():
            leaving = [] if no == _NOTHING else [no]
            if variable in more:
                leaving += more[variable]
            sites.setdefault(variable, []).append((block, True, leaving))
        for variable, numbers in more.items():
            if variable not in last:
                sites.setdefault(variable, []).append((block, False, numbers))

    def _find_born(self) -> None:
        """Find for each block the watched variables that somebody may store to at its start."""
        created = self._outside.created
        if not created:
            self._born = [self._outside.always] * len(self._blocks)
            return
        bit = {variable: 1 << n for n, variable in enumerate(self._watched)}
        gen: dict[int, int] = {}
        for block in self._order:
            for operation, _, no in self._blocks[block]:
                if operation == CREATE:
                    for variable in created.get(no, ()):
                        gen[block] = gen.get(block, 0) | bit[variable]
        found = self._propagate(gen, {})
        sets: dict[int, frozenset[int]] = {}
        for bits in set(found):
            chosen = frozenset(variable for variable in self._watched if bits & bit[variable])
            sets[bits] = chosen | self._outside.always
        self._born = [sets[bits] for bits in found]

    def solve(self) -> None:
        """Pair the uses that look beyond their block, and find what lives at the end."""
        wanted = [v for v in sorted(self.exposed.keys() | self._shown) if v in self.sites]
        bits = {variable: self._bits(variable) for variable in wanted}
        chosen = []
        small = len(self._order) * sum(map(len, bits.values())) <= _SMALL
        tree: _Tree | None = None
        for variable in wanted:
            sites = self.sites[variable]
            if len(sites) > 1 or len(bits[variable]) != 1 or variable in self._shown:
                chosen.append(variable)
                continue
            if not (at := sites[0][0]) or not small:  # defined once: dominates it the use?
                if at and tree is None:
                    tree = _Tree(dominators(self._successors, 0))
                left = []
                for block, no in self.exposed[variable]:
                    if at == 0 or (block != at and tree is not None and tree.above(at, block)):
                        self.pairs.append((bits[variable][0], no, variable, False))
                    else:
                        left.append((block, no))
                self.exposed[variable] = left
                if not left:
                    continue
            chosen.append(variable)
        part: list[_Share] = []
        width = 0
        for variable in chosen:
            numbers = bits[variable]
            # the last definitions come first: a use that has enough of them needs no more
            for end in range(len(numbers), 0, -_WIDTH):
                share = numbers[max(0, end - _WIDTH) : end]
                part.append((variable, share))
                width += len(share)
                if width >= _WIDTH:
                    self._solve_part(part)
                    part, width = [], 0
        if part:
            self._solve_part(part)

    def _bits(self, variable: int) -> list[int]:
        """Return the definitions that leave blocks, each once."""
        return list(dict.fromkeys(no for _, _, leaving in self.sites[variable] for no in leaving))

    def _solve_part(self, part: Sequence[_Share]) -> None:
        """Propagate some definitions of some variables."""
        gen: dict[int, int] = {}
        kill: dict[int, int] = {}
        offsets: list[int] = []
        offset = 0
        for variable, numbers in part:
            offsets.append(offset)
            bit = {no: 1 << offset + n for n, no in enumerate(numbers)}
            mask = (1 << len(numbers)) - 1 << offset
            offset += len(numbers)
            for block, ends, leaving in self.sites[variable]:
                if ends:
                    kill[block] = kill.get(block, 0) | mask
                for no in leaving:
                    if no in bit:
                        gen[block] = gen.get(block, 0) | bit[no]
        entering = self._propagate(gen, kill)
        forward = self._propagate(gen, kill, forward=True) if self._loops else entering
        for (variable, numbers), offset in zip(part, offsets, strict=True):
            self._pair(variable, numbers, offset, entering, forward)
        self._note_lives(part, entering)

    def _propagate(
        self, gen: Mapping[int, int], kill: Mapping[int, int], forward: bool = False
    ) -> list[int]:
        """Return the bits that enter each block; `forward` ignores back edges."""
        size = len(self._blocks)
        entering, leaving = [0] * size, [0] * size
        predecessors = self._forward if forward else self._predecessors
        changed = True
        while changed:
            changed = False
            for block in self._order:
                found = 0
                for before in predecessors[block]:
                    found |= leaving[before]
                entering[block] = found
                if block in kill:
                    found &= ~kill[block]
                if block in gen:
                    found |= gen[block]
                if found != leaving[block]:
                    leaving[block] = found
                    changed = self._loops and not forward
        return entering

    def _pair(
        self,
        variable: int,
        numbers: Sequence[int],
        offset: int,
        entering: Sequence[int],
        forward: Sequence[int],
    ) -> None:
        """Pair the uses of one variable with some of its definitions."""
        mask = (1 << len(numbers)) - 1
        known: dict[tuple[int, int], list[tuple[int, bool]]] = {}
        full, taken = self._full, self._taken
        for block, no in self.exposed.get(variable, ()):
            key = entering[block] >> offset & mask, forward[block] >> offset & mask
            if not key[0]:
                continue
            found = known.get(key)
            if found is None:
                found = known[key] = [
                    (numbers[n], not key[1] >> n & 1) for n in _highest(key[0], MAX_DEFINITIONS)
                ]
            limit = MAX_DEFINITIONS if len(self.pairs) < MAX_ROWS else FEW_DEFINITIONS
            if len(self.sites[variable]) > limit:
                limit -= taken.get((variable, no), 0)
                if len(found) > limit or key[0].bit_count() > limit:
                    full.add((variable, no))
                    found = found[: max(limit, 0)]
                taken[variable, no] = taken.get((variable, no), 0) + len(found)
            self.pairs += [(number, no, variable, carried) for number, carried in found]

    def _note_lives(self, part: Sequence[_Share], entering: Sequence[int]) -> None:
        """Find what lives at the end, and what else lives at a RUN beyond its block."""
        lives, shown = self.lives, self._shown
        places: list[tuple[int, int]] = []  # bit -> variable, definition
        rest = 0
        for variable, numbers in part:
            wanted = set(numbers) if variable in shown else ()
            sites = self.sites[variable] if wanted else ()
            site_of = {no: at for at, _, nos in sites for no in nos if no in wanted}
            for no in numbers:
                if no in site_of and no >= 0:
                    if entering[_EXIT] >> len(places) & 1:
                        lives.at_end.setdefault(variable, []).append((no, site_of[no]))
                    else:
                        rest |= 1 << len(places)
                places.append((variable, no))
        for block, run in self._last_run.items() if rest else ():
            found = entering[block] & rest
            if not found:
                continue
            self._budget -= found.bit_count()
            if self._budget < 0:  # too many to tell where: they count everywhere
                for place in _highest(rest, len(places)):
                    variable, no = places[place]
                    lives.at_run.setdefault(variable, []).append((no, ANYWHERE, 0))
                break
            for place in _highest(found, len(places)):
                variable, no = places[place]
                until = self._head_run.get((block, variable), run)
                if until >= 0:
                    lives.at_run.setdefault(variable, []).append((no, block, until))


def _highest(bits: int, count: int) -> list[int]:
    """Return the places of at most so many bits, from the highest down."""
    found: list[int] = []
    while bits and len(found) < count:
        place = bits.bit_length() - 1
        found.append(place)
        bits ^= 1 << place
    return found


class _Tree:
    """The tree of dominators, with places in a walk by which ancestors are told."""

    def __init__(self, immediate: Sequence[int]) -> None:
        """Walk the tree and note when each node is entered and left."""
        below: list[list[int]] = [[] for _ in immediate]
        for node, above in enumerate(immediate):
            if above >= 0 and above != node:
                below[above].append(node)
        self._first = [-1] * len(immediate)
        self._last = [-1] * len(immediate)
        count = 0
        stack = [0]
        while stack:
            node = stack.pop()
            if node < 0:
                self._last[~node] = count
                continue
            self._first[node] = count
            count += 1
            stack.append(~node)
            stack += below[node]

    def above(self, node: int, other: int) -> bool:
        """Tell whether a node dominates another."""
        return self._first[node] <= self._first[other] < self._last[node]


def reverse_postorder(successors: Sequence[Sequence[int]]) -> list[int]:
    """Return the blocks that the first one reaches, each before what it leads to, loops apart."""
    seen = [False] * len(successors)
    seen[0] = True
    order: list[int] = []
    stack = [(0, iter(successors[0]))]
    while stack:
        block, targets = stack[-1]
        for target in targets:
            if not seen[target]:
                seen[target] = True
                stack.append((target, iter(successors[target])))
                break
        else:
            order.append(block)
            stack.pop()
    order.reverse()
    return order
