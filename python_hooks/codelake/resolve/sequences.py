"""Sequences: which item `pop`, `next` and `xs[0]` take, of lists that change at known times only.

    xs = [a]            [a]
    xs.append(b)        [a, b]
    y = xs.pop()        [a]         b goes to y, and is gone from xs
    for z in c:
        xs.append(z)    [a, ...]    from here on the end is not known, the beginning is

Lists, deques and queues that are made once are followed through all that may change them, in the
order of the clock. `...` stands for any number of items. A change under a condition, in a loop or
at an unknown time leaves `...` only. Iterators are followed where one definition makes and asks
them. Functions outside are taken to change no list, but those of a few modules.
Next: value_times.py.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from codelake.resolve.bodies import Arguments, Step
from codelake.resolve.clock import EVER, Clock, Run
from codelake.resolve.decided import Decided
from codelake.resolve.objects import CONTAINER, EXTERNAL, EXTERNAL_METHOD
from codelake.resolve.state import Frame, State

_LISTS = frozenset({"builtins.list", "collections.deque"})
_QUEUES = frozenset({"queue.Queue", "queue.SimpleQueue", "queue.LifoQueue"})
_CHANGES = frozenset(
    {
        *("append", "appendleft", "pop", "popleft", "insert", "extend", "extendleft", "clear"),
        *("remove", "reverse", "sort", "rotate", "put", "put_nowait", "get", "get_nowait"),
    }
)
_ADDS = frozenset({"append", "extend", "put", "put_nowait"})
_CHANGING_MODULES = ("heapq.", "random.", "bisect.", "operator.", "copy.", "functools.")
_NAMES = ("store_global", "store_outer", "store_class")
_MOST_HOLDERS = 300
_MOST_ITEMS = 200
_SLICE_PARTS = 3


class Item(NamedTuple):
    """An item: the variable that it comes from, when it came, and the call that ran that."""

    variable: int
    time: int
    place: int


type _Items = list[Item | None]  # None stands for any number of items


class Taken(NamedTuple):
    """An item that is taken: by which variable, when, until when that is filled anew."""

    item: Item
    target: int
    time: int
    until: int


type _Results = dict[int, dict[int, Taken | None]]  # variable -> time -> what it takes


class _Use(NamedTuple):
    frame: Frame
    step: Step


class _Change(NamedTuple):
    first: int
    last: int
    use: _Use
    run: Run | None  # None when it may not happen, or often


class SequenceUses:
    """What takes items of sequences, and what else uses those sequences, in any order.

    Attributes:
        state: the analysis.
        holders: the variables that hold each object.
        changed: the sequences that something may change or take from.
        asked: variables of iterators that `next` is asked of.
        of: by variable of either, the steps that use it.
    """

    def __init__(self, state: State, holders: dict[int, list[int]]) -> None:
        """Look through all steps."""
        self.state, self.holders = state, holders
        self.of: dict[int, list[_Use]] = defaultdict(list)
        found = self._changed()
        self.changed = [one for one in found if len(holders.get(one, ())) <= _MOST_HOLDERS]
        self.asked = sorted(set(self._asked()))
        wanted = {variable for one in self.changed for variable in holders.get(one, ())}
        self._read_uses(wanted.union(self.asked))

    def _changed(self) -> list[int]:
        """Return the sequences that something may take items from, in order."""
        state, found = self.state, set[int]()
        for frame in state.frames:
            made = state.bodies[frame.file].made
            for op, _, value, other, text, _ in frame.body.steps:
                holder = None
                if op == "call" and made.get(value, ("",))[0] == "attr":
                    if made[value][5] in _CHANGES:
                        holder = made[value][3]
                elif op == "store_item" and (text is None or text.startswith("slice")):
                    holder = other
                elif op == "delete_item":
                    holder = value
                if holder is not None:
                    found.update(state.solver.get(state.value(frame, holder)))
        return sorted(one for one in found if self.start(one) is not None)

    def start(self, one: int) -> tuple[Frame, int] | None:
        """Return frame and node that make a sequence."""
        objects = self.state.objects
        if one < 0 or objects.kind[one] != CONTAINER:
            return None
        place = objects.second[one]
        if objects.first[one] not in _LISTS | _QUEUES or place.__class__ is not tuple:
            return None
        if len(place) != 2 or place[0].__class__ is not int:
            return None
        return self.state.frames[place[0]], place[1]

    def _asked(self) -> Iterator[int]:
        """Yield the variables of iterators that `next` is asked of."""
        state = self.state
        for frame in state.frames:
            for op, _, value, other, _, _ in frame.body.steps:
                origin = self.origin(frame, value, other) if op == "call" else None
                if origin is not None:
                    yield origin

    def origin(self, frame: Frame, callee: int, arguments: Any) -> int | None:
        """Return the variable of the iterator that a call takes one item of."""
        state = self.state
        held = state.solver.get(frame.offset + callee)
        is_next = len(held) == 1 and state.objects.external("builtins.next") in held
        if is_next and arguments.positional and not arguments.positional[0][1]:
            return frame.offset + int(arguments.positional[0][0])
        return None

    def _read_uses(self, wanted: set[int]) -> None:
        for frame in self.state.frames:
            for step in frame.body.steps:
                if step[0] in _NAMES:
                    continue  # who reads them, has the value too
                for part in set(_operands(step)):
                    if frame.offset + part in wanted:
                        self.of[frame.offset + part].append(_Use(frame, step))


class Sequences:
    """What is taken out of the sequences of one run.

    Attributes:
        taken: by variable, where its value goes when it is taken as an item.
        closed: steps from a place of a sequence, or a default, to what takes an item, and the
            times at which that is known to be another one.
        removed: sequence, variable and time of an item -> when it is removed.
        emptied: sequence and time -> when all items that came at that time are removed.
    """

    def __init__(self, uses: SequenceUses, clock: Clock, kept: set[int], decided: Decided) -> None:
        """Follow the sequences.

        Args:
            uses: what to follow.
            clock: the order.
            kept: objects that outlive the run.
            decided: positions that are computed.
        """
        self._decided = decided
        self._of, self._state, self._clock = uses, uses.state, clock
        self._uses = uses.of
        self.taken: dict[int, list[Taken]] = defaultdict(list)
        self.closed: dict[tuple[int, int], set[int]] = defaultdict(set)
        self.removed: dict[tuple[int, int, int], int] = {}
        self.emptied: dict[tuple[int, int], int] = {}
        self._history: dict[int, list[tuple[int, tuple[Item | None, ...]]]] = {}
        for one in uses.changed:
            if one not in kept:
                self._follow(one, uses.holders.get(one, ()))
        for origin in uses.asked:
            self._follow_iterator(origin)

    def _follow(self, one: int, holders: Sequence[int]) -> None:
        start = self._of.start(one)
        if start is None:
            return
        frame, node = start
        runs = self._clock.runs(frame.offset + node)
        if len(runs) == 1 and self._clock.is_outermost(frame, node):
            runs = [runs[0]._replace(first=runs[0].last)]  # a comprehension is done at its end
        if len(runs) != 1 or runs[0].first != runs[0].last:
            return
        items = self._initial(frame, node, runs)
        if items is None:
            return
        changes, reads = self._changes(holders)
        changes.sort(key=lambda each: (each.first, each.last))
        history: list[tuple[int, tuple[Item | None, ...]]] = [(runs[0].first, tuple(items))]
        results: _Results = defaultdict(dict)
        unknown = {runs[0].first} if None in items else set()
        fog = -1
        for first, last, use, run in changes:
            found = self._apply(items, use, run, one) if run and first > fog else None
            if found and found[1]:
                results[found[1].target][first] = found[1]
            if found is None or len(found[0]) > _MOST_ITEMS:
                unknown.add(first)
                items = [*items, None] if self._adds(use) and first > fog else [None]
                fog = max(fog, last)
            else:
                if found[0].count(None) > items.count(None):
                    unknown.add(first)
                for gone in {each for each in items if each and each not in found[0]}:
                    self.removed[one, gone.variable, gone.time] = first
                items = found[0]
            history.append((first, tuple(items)))
        self._history[one] = history
        for use in reads:
            self._index(use, history, results)
        self._note(one, results)
        for time in {item.time for _, items in history for item in items if item}:
            mine = {item for _, items in history for item in items if item and item.time == time}
            ends = [self.removed.get((one, item.variable, time)) for item in mine]
            if None not in ends and time not in unknown:
                self.emptied[one, time] = max(end for end in ends if end is not None)

    def _adds(self, use: _Use) -> bool:
        """Tell whether a change only adds to the end."""
        fact = self._state.bodies[use.frame.file].made.get(use.step[2])
        return use.step[0] == "call" and fact is not None and fact[5] in _ADDS

    def _note(self, one: int, results: _Results) -> None:
        """Keep what is taken by whom."""
        container = self._state.containers[one]
        for target, found in results.items():
            for place in (container.every, container.loose, *container.keys.values()):
                self.closed[place, target].update(found)
            for each in found.values():
                if each is not None:
                    self.taken[each.item.variable].append(each)

    def _initial(self, frame: Frame, node: int, runs: Sequence[Run]) -> _Items | None:
        """Return the items that a sequence is made with; None when it is made by a change."""
        fact = self._state.bodies[frame.file].made.get(node)
        if fact is None or fact[0] == "inplace" or not runs:
            return None
        step = next((each for each in frame.body.steps if each[1] == node), None)
        if step is None or step[0] == "inplace":
            return None
        if step[0] == "call":
            arguments = step[3]
            if not arguments.positional and not arguments.keywords:
                return []
            if len(arguments.positional) == 1 and not arguments.keywords:
                return self._display(frame, arguments.positional[0][0], runs[0])
            return None if arguments.keywords else [None]
        return self._display(frame, node, runs[0])

    def _display(self, frame: Frame, node: int, run: Run) -> _Items:
        """Return the items of a list or tuple that is written out."""
        for op, at, value, _, _, _ in frame.body.steps:
            if at == node and op in ("list", "tuple"):
                return [
                    Item(frame.offset + part[3], run.first, run.place)
                    if part[0] == "element"
                    else None
                    for part in value
                ]
        return [None]

    def _changes(self, holders: Sequence[int]) -> tuple[list[_Change], list[_Use]]:
        """Return all that may change a sequence, and what reads it by a position."""
        changes: list[_Change] = []
        reads: list[_Use] = []
        for variable in holders:
            is_sole = len(self._state.solver.get(variable)) == 1
            for use in self._uses.get(variable, ()):
                frame, (op, node, value, other, text, _) = use
                at = variable - frame.offset
                if op == "item" and value == at and is_sole:
                    reads.append(use)
                elif op == "attr" and text in _CHANGES:
                    calls = self._calls_of(frame, node)
                    if calls is None:
                        changes += self._from_now_on(use)
                    for call in calls or ():
                        changes += self._when(call, is_sole)
                elif op == "attr" and text in ("__iadd__", "__setitem__", "__delitem__"):
                    changes += self._from_now_on(use)
                elif (op == "store_item" and other == at) or (op == "delete_item" and value == at):
                    changes += self._when(use, is_sole)
                elif op == "inplace" and value == at:
                    changes += self._from_now_on(use)
                elif op == "call" and value != at and self._is_changing(frame, value):
                    changes += self._when(use, False)
        return changes, reads

    def _is_changing(self, frame: Frame, callee: int) -> bool:
        """Tell whether a function outside may change a list that it is handed."""
        objects = self._state.objects
        return any(
            one >= 0
            and objects.kind[one] in (EXTERNAL, EXTERNAL_METHOD)
            and str(objects.first[one]).startswith(_CHANGING_MODULES)
            for one in self._state.solver.get(frame.offset + callee)
        )

    def _calls_of(self, frame: Frame, callee: int) -> list[_Use] | None:
        """Return the calls of a method that is looked up; None when it is not called at once."""
        following = self._state.solver.successors[frame.offset + callee]
        steps = [step for step in frame.body.steps if callee in _operands(step)]
        if following or any(step[0] != "call" or step[2] != callee for step in steps):
            return None
        return [_Use(frame, step) for step in steps]

    def _when(self, use: _Use, is_sole: bool) -> Iterator[_Change]:
        """Yield the times of a change, as something unknown when it may not happen."""
        variable = use.frame.offset + use.step[1]
        runs = self._clock.runs(variable)
        if not runs:
            first, last = self._clock.of_frame(use.frame.number)
            yield _Change(first, last, use, None)
        for run in runs:
            is_sure = run.first == run.last and (variable, run.first) in self._clock.sure
            yield _Change(run.first, run.last, use, run if is_sure and is_sole else None)

    def _from_now_on(self, use: _Use) -> Iterator[_Change]:
        """Yield a change that may happen at any later time."""
        for each in self._when(use, False):
            yield each._replace(last=EVER)

    def _apply(
        self, items: _Items, use: _Use, run: Run, one: int
    ) -> tuple[_Items, Taken | None] | None:
        """Return the items behind a change, and what it takes; None when that is not known."""
        frame, (op, node, value, other, text, idx) = use
        if op in ("store_item", "delete_item"):
            key = idx[0] if op == "store_item" else other
            if text is None and key is not None:
                text = self._decided.position(frame, key, run.place)
            replaced = _replaced(items, text, self._given(use, run))
            return None if replaced is None else (replaced, None)
        name = self._state.bodies[frame.file].made[value][5]
        kind = self._state.objects.first[one]
        arguments = other.positional
        if other.keywords or any(star for _, star in arguments):
            return None
        if name in ("get", "get_nowait"):
            name = "pop" if kind == "queue.LifoQueue" else "popleft"
            arguments = ()
        if name in ("pop", "popleft"):
            index = 0 if name == "popleft" else -1
            if arguments:
                number = self._number(frame, arguments[0][0])
                if number is None:
                    return None
                index = number
            return _without(items, index, frame.offset + node, run)
        new = [Item(frame.offset + each, run.first, run.place) for each, _ in arguments]
        filled = self._filled(items, str(name), new, use, run)
        return None if filled is None else (filled, None)

    def _filled(
        self, items: _Items, name: str, new: list[Item], use: _Use, run: Run
    ) -> _Items | None:
        """Return the items behind a method that takes none; None when they are not known."""
        if name in ("append", "put", "put_nowait") and len(new) == 1:
            return [*items, *new]
        if name == "appendleft":
            return [*new, *items]
        if name == "clear":
            return []
        if name == "reverse":
            return items[::-1]
        if name in ("extend", "extendleft"):
            (value, _), *_ = use.step[3].positional or ((-1, False),)
            more = self._display(use.frame, value, run)
            return [*items, *more] if name == "extend" else [*more[::-1], *items]
        if name == "insert" and len(new) == 2:
            index = self._number(use.frame, use.step[3].positional[0][0])
            if index == 0 or (index is not None and index > 0 and None not in items):
                return [*items[:index], new[1], *items[index:]]
        return None

    def _given(self, use: _Use, run: Run) -> _Items:
        """Return the items that a store to a position or slice gives, none for a deletion."""
        frame, (op, _, value, _, text, _) = use
        if op == "delete_item":
            return []
        if (text or "").startswith("slice"):
            return self._display(frame, value, run)
        return [Item(frame.offset + value, run.first, run.place)]

    def _number(self, frame: Frame, node: int) -> int | None:
        """Return a whole number that is written down."""
        made = self._state.bodies[frame.file].made
        fact = made.get(node)
        if fact is not None and fact[0] == "unary" and fact[5] == "-" and fact[3] is not None:
            number = self._number(frame, fact[3])
            return None if number is None else -number
        text = fact[5] or "" if fact is not None and fact[0] == "literal" else ""
        return int(text[4:]) if text.startswith("int:") else None

    def _index(
        self,
        use: _Use,
        history: list[tuple[int, tuple[Item | None, ...]]],
        results: _Results,
    ) -> None:
        """Find the items that a read of a position takes, at each of its times."""
        target = use.frame.offset + use.step[1]
        for run in self._clock.runs(target):
            text = use.step[4] or ""
            if not text and use.step[3] is not None:
                text = self._decided.position(use.frame, use.step[3], run.place) or ""
            if not text.startswith("int:"):
                continue
            before = [items for time, items in history if time < run.first]
            is_still = not any(run.first <= time <= run.last for time, _ in history)
            if before and is_still and run.first == run.last:
                found = _without([*before[-1]], int(text[4:]), target, run)
                if found is not None:
                    results[target][run.first] = found[1]

    def _follow_iterator(self, origin: int) -> None:
        state = self._state
        held = state.solver.get(origin)
        uses = self._uses.get(origin, ())
        if len(held) != 1 or not uses or self._is_handed_on(origin):
            return
        (one,) = held
        if one < 0 or state.objects.kind[one] != CONTAINER:
            return
        frame = uses[0].frame
        fact = state.bodies[frame.file].made.get(origin - frame.offset)
        if fact is None or fact[0] != "call":
            return
        made = self._clock.runs(origin)
        results: _Results = defaultdict(dict)
        for start in made:
            found = self._items_of(frame, origin, one, start)
            if found is None or start.first != start.last:
                return
            items, is_sure = found
            steps = [(run, use) for use in uses for run in self._mine(use, start, made)]
            for run, use in sorted(steps, key=lambda each: each[0].first):
                target = frame.offset + use.step[1]
                is_known = run.first == run.last and (target, run.first) in self._clock.sure
                is_next = use.step[0] == "call" and (
                    self._of.origin(frame, use.step[2], use.step[3]) == origin
                )
                taken = _without(items, 0, target, run) if is_next and is_known else None
                if taken is not None:
                    items, results[target][run.first] = taken
                    for default, _ in use.step[3].positional[1:2] if is_sure else ():
                        self.closed[frame.offset + default, target].add(run.first)
                elif items or not is_next:
                    items = [None]
                elif is_known:
                    results[target][run.first] = None  # the default
        self._note(one, results)

    def _mine(self, use: _Use, start: Run, made: Sequence[Run]) -> Iterator[Run]:
        """Yield the runs of a use that see the iterator which one run has made."""
        runs = self._clock.runs(use.frame.offset + use.step[1])
        later = [run.first for run in made if run.first > start.first]
        for run in runs:
            is_behind = run.run is start.run and start.first <= run.last
            if is_behind and (not later or run.first < min(later)):
                yield run

    def _is_handed_on(self, variable: int) -> bool:
        """Tell whether anybody else may ask an iterator."""
        solver = self._state.solver
        return any(
            solver.successors[one] or solver.watchers[one]
            for one in solver.successors[variable] or ()
        )

    def _items_of(
        self, frame: Frame, origin: int, one: int, start: Run
    ) -> tuple[_Items, bool] | None:
        """Return the items of a new iterator, and whether it surely gives them."""
        state = self._state
        inner = state.extra.get(one)
        kind = state.objects.first[one]
        if isinstance(inner, Frame) and kind == "builtins.generator":
            place = state.files[inner.file].definitions[inner.owner].node
            bodies = state.bodies[inner.file]
            yields = [step for step in inner.body.steps if step[0] in ("yield", "yield_from")]
            if not all(step[0] == "yield" and bodies.always(step[1], place) for step in yields):
                return None
            ops = {fact[0] for fact in bodies.groups.get(inner.owner, ())}
            items = [
                None if step[2] is None else Item(inner.offset + step[2], -1, origin)
                for step in yields
            ]
            if None in items:
                return None
            return [*items], "return" not in ops and "raise" not in ops
        if kind == "builtins.list_iterator":
            return self._items_of_list(frame, origin, start)
        return None

    def _items_of_list(self, frame: Frame, origin: int, start: Run) -> tuple[_Items, bool] | None:
        """Return the items of the list that `iter` is handed, when nothing changes it later."""
        node = origin - frame.offset
        step = next((each for each in frame.body.steps if each[1] == node), None)
        if step is None or step[0] != "call" or len(step[3].positional) != 1:
            return None
        given = step[3].positional[0][0]
        held = self._state.solver.get(frame.offset + given)
        (source,) = held if len(held) == 1 else (-1,)
        history = self._history.get(source)
        if history is not None:
            items = [*history[-1][1]]
            return (items, True) if history[-1][0] < start.first and None not in items else None
        items = self._display(frame, given, start)
        is_changed = source in self._of.changed
        return None if None in items or is_changed else (items, True)


def _without(items: _Items, index: int, target: int, run: Run) -> tuple[_Items, Taken] | None:
    """Take an item out; None when it is not known which one."""
    if not -len(items) <= index < len(items):
        return None
    passed = items[: index + 1] if index >= 0 else items[index:]
    item = items[index]
    if item is None or None in passed:
        return None
    index %= len(items)
    rest = [*items[:index], *items[index + 1 :]]
    return rest, Taken(item, target, run.first, run.run[0])


def _replaced(items: _Items, key: str | None, given: _Items) -> _Items | None:
    """Return the items behind a store to a position or slice, or behind a deletion."""
    key = key or ""
    if key.startswith("int:"):
        index = int(key[4:])
        passed = items[: index + 1] if index >= 0 else items[index:]
        if None in passed or not -len(items) <= index < len(items):
            return None
        index %= len(items)
        return [*items[:index], *given, *items[index + 1 :]]
    parts = key.split(":")[1:]
    if not key.startswith("slice:") or len(parts) != _SLICE_PARTS or parts[2] not in ("", "1"):
        return None
    lower, upper = (int(part) if part else None for part in parts[:2])
    if lower in (0, None) and upper is None:
        return given
    if None in items:
        return None
    items = [*items]
    items[lower:upper] = given
    return items


def _operands(step: Step) -> Iterator[int]:
    """Yield the nodes that a step takes."""
    for each in (step[2], step[3]):
        if isinstance(each, Arguments):
            yield from (number for number, _ in each.positional)
            yield from (number for _, number in each.keywords)
        elif isinstance(each, list):
            yield from (part[3] for part in each if part[3] is not None)
        elif isinstance(each, int):
            yield each
