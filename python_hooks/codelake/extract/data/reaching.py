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

Definitions of other units are in the pairs as AROUND, OUTSIDE and UNBOUND (block_scan.py); what
other units may see of this one is told by lives.py.

A use that more than MAX_DEFINITIONS reach keeps the last of them, and is counted.
Next: shared_variables.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from codelake.extract.data.block_scan import (
    FEW_DEFINITIONS,
    MAX_DEFINITIONS,
    MAX_ROWS,
    BlockScan,
    Outside,
    Pair,
)
from codelake.extract.data.definitions import UnitEvents
from codelake.extract.data.lives import ANYWHERE, Lives

_WIDTH = 1024  # bits of one slice
_SMALL = 50_000  # blocks times definitions that are propagated without further thought
_BUDGET = 1_000_000  # places of lives
_NEARBY = 16  # blocks to look back before everything is propagated
_EXIT = 1
_NOBODY = Outside()

type _Share = tuple[int, Sequence[int]]  # variable, some of its definitions


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
    scan = BlockScan(events, outside or _NOBODY, frozenset(shown))
    foreign = {
        variable: [no for _, no in uses]
        for variable, uses in scan.exposed.items()
        if variable not in scan.sites
    }
    _Solver(scan, frozenset(shown)).solve()
    reachable = set(scan.graph.order)
    for no, block in (inner or {}).items():
        if block in reachable:
            scan.lives.created.setdefault(no, (block, -1))
    for variable in single:
        scan.lives.at_end[variable] = [
            (no, block) for block, _, numbers in scan.sites.get(variable, ()) for no in numbers
        ]
    return Reached(scan.pairs, foreign, scan.lives, len(scan.full))


class _Solver:
    def __init__(self, scan: BlockScan, shown: frozenset[int]) -> None:
        self._scan = scan
        self._graph = scan.graph
        self._shown = shown
        self._exposed = scan.exposed
        self._sites = scan.sites
        self._pairs = scan.pairs
        self._taken: dict[tuple[int, int], int] = {}
        self._budget = _BUDGET

    def solve(self) -> None:
        """Pair the uses that look beyond their block, and find what lives at the end."""
        wanted = [v for v in sorted(self._exposed.keys() | self._shown) if v in self._sites]
        bits = {variable: self._bits(variable) for variable in wanted}
        small = len(self._graph.order) * sum(map(len, bits.values())) <= _SMALL
        chosen = []
        for variable in wanted:
            if len(bits[variable]) == 1 and len(self._sites[variable]) == 1:
                self._pair_single(variable, bits[variable][0], small)
            elif not small:
                self._pair_nearby(variable)
            if variable in self._shown or self._exposed.get(variable):
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

    def _pair_single(self, variable: int, number: int, small: bool) -> None:
        """Pair a definition that is the only one with the uses that it dominates."""
        at = self._sites[variable][0][0]
        if at and small:
            return
        left = []
        for block, no in self._exposed.get(variable, ()):
            if at == 0 or (block != at and self._graph.dominates(at, block)):
                self._pairs.append((number, no, variable, False))
            else:
                left.append((block, no))
        self._exposed[variable] = left

    def _pair_nearby(self, variable: int) -> None:
        """Pair uses with a definition a few blocks before, where there is only one way back."""
        sites = {block: (ends, leaving) for block, ends, leaving in self._sites[variable]}
        left = []
        for block, no in self._exposed.get(variable, ()):
            at, steps = block, 0
            while steps < _NEARBY and len(self._graph.predecessors[at]) == 1:
                at, steps = self._graph.predecessors[at][0], steps + 1
                if at in sites:
                    break
            ends, leaving = sites.get(at, (False, ())) if at != block else (False, ())
            if ends:
                self._pairs += [(number, no, variable, False) for number in leaving]
            elif at != 0 or at in sites:  # else the unit has begun without a definition
                left.append((block, no))
        self._exposed[variable] = left

    def _bits(self, variable: int) -> list[int]:
        """Return the definitions that leave blocks, each once."""
        return list(dict.fromkeys(no for _, _, leaving in self._sites[variable] for no in leaving))

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
            for block, ends, leaving in self._sites[variable]:
                if ends:
                    kill[block] = kill.get(block, 0) | mask
                for no in leaving:
                    if no in bit:
                        gen[block] = gen.get(block, 0) | bit[no]
        entering = self._graph.propagate(gen, kill)
        forward = (
            self._graph.propagate(gen, kill, forward=True) if self._graph.has_loops else entering
        )
        for (variable, numbers), offset in zip(part, offsets, strict=True):
            self._pair(variable, numbers, offset, entering, forward)
        self._note_lives(part, entering)

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
        full, taken = self._scan.full, self._taken
        for block, no in self._exposed.get(variable, ()):
            key = entering[block] >> offset & mask, forward[block] >> offset & mask
            if not key[0]:
                continue
            found = known.get(key)
            if found is None:
                found = known[key] = [
                    (numbers[n], not key[1] >> n & 1) for n in _highest(key[0], MAX_DEFINITIONS)
                ]
            limit = MAX_DEFINITIONS if len(self._pairs) < MAX_ROWS else FEW_DEFINITIONS
            if len(self._sites[variable]) > limit:
                limit -= taken.get((variable, no), 0)
                if len(found) > limit or key[0].bit_count() > limit:
                    full.add((variable, no))
                    found = found[: max(limit, 0)]
                taken[variable, no] = taken.get((variable, no), 0) + len(found)
            self._pairs += [(number, no, variable, carried) for number, carried in found]

    def _note_lives(self, part: Sequence[_Share], entering: Sequence[int]) -> None:
        """Find what lives at the end, and what else lives at a RUN beyond its block."""
        lives, shown = self._scan.lives, self._shown
        places: list[tuple[int, int]] = []  # bit -> variable, definition
        rest = 0
        for variable, numbers in part:
            wanted = set(numbers) if variable in shown else ()
            sites = self._sites[variable] if wanted else ()
            sites_of: dict[int, list[int]] = {}  # one definition may stand on several edges
            for block, _, leaving in sites:
                for no in leaving:
                    if no in wanted:
                        sites_of.setdefault(no, []).append(block)
            for no in numbers:
                if no in sites_of and no >= 0:
                    if entering[_EXIT] >> len(places) & 1:
                        rows = [(no, block) for block in sites_of[no]]
                        lives.at_end.setdefault(variable, []).extend(rows)
                    else:
                        rest |= 1 << len(places)
                places.append((variable, no))
        for block, run in self._scan.last_run.items() if rest else ():
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
                until = self._scan.head_run.get((block, variable), run)
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
