"""Block scan: the events of a unit -> pairs inside blocks, and what enters and leaves each block.

    x = 1; print(x); print(y); y = 2      pair x; `exposed`: the use of y; `sites`: x = 1 and y = 2

Inside a block the last definition decides. Variables that units share have definitions elsewhere:
OUTSIDE stands for those that other units may make while this one runs. It is there after
every RUN once somebody may store: always, or after the CREATE of the unit that stores. AROUND, all
definitions elsewhere, is put at the start of a unit that does not own a variable, UNBOUND where
Python looks elsewhere for lack of a definition.

For variables that other units read (`shown`), the scan notes which definitions of a block are
there at a RUN (lives.py).
Next: reaching.py.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from codelake.extract.data.block_graph import BlockGraph
from codelake.extract.data.definitions import UnitEvents
from codelake.extract.data.lives import Lives
from codelake.extract.data.variables import ADD, CREATE, DEFINE, RUN, USE

AROUND, OUTSIDE, UNBOUND = -3, -4, -5  # instead of the number of a definition
MAX_DEFINITIONS = 256
MAX_ROWS, FEW_DEFINITIONS = 500_000, 8  # beyond so many pairs a use keeps only a few
_NOTHING = -6

type Pair = tuple[int, int, int, bool]  # definition, use, variable, loop carried
type Site = tuple[int, bool, list[int]]  # block, whether it ends what came in, what leaves it


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


class BlockScan:
    """What a walk through each block tells.

    Attributes:
        graph: the blocks in order.
        pairs: definitions and uses that met inside a block.
        exposed: variable -> block and use, where the block has no definition before the use.
        sites: variable -> blocks that change it.
        last_run: block -> position of its last RUN.
        head_run: block, variable -> the same before the variable is redefined.
        full: variable, use -> uses that do not keep all their definitions.
        lives: what other units may see.
    """

    def __init__(self, events: UnitEvents, outside: Outside, shown: frozenset[int]) -> None:
        """Walk through the blocks.

        Args:
            events: of the unit.
            outside: the variables that other units store to.
            shown: variables whose lives are wanted.
        """
        self._blocks = events.blocks
        self._children = events.variables.children
        self._outside = outside
        self._shown = shown
        self._watched = sorted(outside.always.union(*outside.created.values()))
        self._born: list[frozenset[int]] = []
        self.graph = BlockGraph(events.successors)
        self.pairs: list[Pair] = []
        self.exposed: dict[int, list[tuple[int, int]]] = {}
        self.sites: dict[int, list[Site]] = {}
        self.last_run: dict[int, int] = {}
        self.head_run: dict[tuple[int, int], int] = {}
        self.full: set[tuple[int, int]] = set()
        self.lives = Lives(events.successors)
        self._scan()

    def _scan(self) -> None:
        """Pair definitions and uses inside blocks; note what enters and leaves each block."""
        if self._watched or self._shown or self._outside.fallback:
            self._find_born()
            for block in self.graph.order:
                self._scan_shared(block)
            return
        pair, exposed, children = self.pairs.append, self.exposed, self._children
        for block in self.graph.order:
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
            self.full.add((variable, no))
            return numbers[-limit:]
        return numbers

    def _scan_shared(self, block: int) -> None:
        """Scan a block of a unit that shares variables with others."""
        outside, shown, head = self._outside, self._shown, self.head_run
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
            self.last_run[block] = at_run
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
        for block in self.graph.order:
            for operation, _, no in self._blocks[block]:
                if operation == CREATE:
                    for variable in created.get(no, ()):
                        gen[block] = gen.get(block, 0) | bit[variable]
        found = self.graph.propagate(gen, {})
        sets: dict[int, frozenset[int]] = {}
        for bits in set(found):
            chosen = frozenset(variable for variable in self._watched if bits & bit[variable])
            sets[bits] = chosen | self._outside.always
        self._born = [sets[bits] for bits in found]
