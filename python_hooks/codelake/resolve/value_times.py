"""Value times: from when until when a value is at a place, where the code of a module has an order.

    print(d["k"])        time 1: does not see what is stored below
    d["k"] = x           time 2: x is in d from here on
    d["k"] = ""          time 3: and is gone from here on, since d is one dict, made once

A value keeps the times of the place that it was read from while it goes through a function that
runs at several times: it comes back to calls of that span only. Names, and whatever else is filled
at a known time, keep it for ever. Of a function that nobody calls, what outlives its run (names of
modules, objects that were there before or are kept) is seen by the next run too, at any time.
Next: value_search.py.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import permutations
from typing import Any

from codelake.resolve import iteration
from codelake.resolve.bodies import Arguments
from codelake.resolve.clock import ANY_TIME, EVER, Clock, Run, Span
from codelake.resolve.decided import Decided
from codelake.resolve.items import key_of
from codelake.resolve.objects import CLASS, CONTAINER, INSTANCE, MAPPINGS, MODULE
from codelake.resolve.sequences import Sequences
from codelake.resolve.state import CALLBACK, Frame, State
from codelake.resolve.value_steps import OUTSIDE, ValueSteps

type Spot = tuple[int, int]

_MOST_STORES = 20  # to a place, under conditions
_BY_KEY = ("get", "pop", "setdefault", "__getitem__")
_SHRINKING = frozenset({"pop", "popitem", "clear", "__delitem__"})
_CLEARS = ("slice::", "slice:::")
_EXTENDING = frozenset(
    {"extend", "extendleft", "update", "setdefault", "append", "add", "insert", "__ior__"}
)
_FILLED_AT_ONCE = frozenset(
    {
        *("builtins.list", "builtins.tuple", "builtins.set", "builtins.frozenset"),
        *("collections.deque", "collections.Counter"),
        *MAPPINGS,
    }
)


class ValueTimes:
    """When values arrive at places of one module, and when they are replaced there."""

    def __init__(
        self,
        state: State,
        root: Frame,
        steps: ValueSteps,
        frame_of: Callable[[int], Frame | None],
        node_of: Callable[[int], tuple[int, int] | None],
    ) -> None:
        """Find the stores in the code that has an order.

        Args:
            state: the analysis.
            root: the module, or the function that nobody calls, whose run is the order.
            steps: where values go.
            frame_of: the frame whose node a variable is.
            node_of: file and number of that node.
        """
        self._state = state
        self._inside = steps.inside
        self._frame_of, self._node_of = frame_of, node_of
        self.root = root
        decided = Decided(state, steps.given(), frame_of, node_of)
        self._clock = Clock(state, root, decided)
        self._seen_by_all = set(state.shared.values()).union(
            *(names.values() for names in state.globals)
        )
        self._entries: dict[tuple[int, int], set[int]] = defaultdict(set)
        self._ends: dict[int, list[int]] = defaultdict(list)
        self._unsure: dict[int, set[int]] = defaultdict(set)  # stores under a condition
        self._joint: dict[int, list[Span]] = defaultdict(list)  # pairs of them, one of which runs
        self._uses: dict[int, set[tuple[int, bool]]] = defaultdict(set)  # variable -> what takes it
        self._extended: dict[int, set[int]] = defaultdict(set)  # container -> what gives it parts
        self._timed_entries: dict[tuple[int, int], list[Run]] = defaultdict(list)
        self._closed: dict[tuple[int, int], set[int]] = defaultdict(set)
        self._returned: dict[tuple[int, int], list[int]] = defaultdict(list)
        self._given = steps.given()
        self._attributes: list[tuple[int, int, str]] = []  # reads: target, object and name
        self._lost: dict[int, list[Span]] = defaultdict(list)  # field -> when it may be deleted
        self._shrunk: set[int] = set()  # what something is taken out of
        self._hidden: set[tuple[int, int]] = set()  # steps to an entry that is given another value
        self._plain: set[int] = set()  # displays without `*` and `**`
        self._between: dict[int, int] = {}
        for watchers in state.solver.watchers:
            for entry in watchers or ():
                if entry[0] is iteration._iterate and self._is_filling(entry[4]):
                    self._between[entry[4]] = entry[2].offset + entry[3]
        for sites in state.sites_of.values():
            for site in sites:
                if site.kind != CALLBACK and frame_of(site.result) is None:
                    self._between[site.result] = site.frame.offset + site.node
        self._between.pop(state.raised, None)
        for frame in state.frames:
            self._note_extended(frame)
        self._names: dict[int, list[int]] = {}  # store to a name that others see -> its ends
        self._stores: dict[int, list[int]] = defaultdict(list)  # value -> such stores
        self._read_names()
        for frame in self._clock.walked():
            self._read(frame)
        for times in self._ends.values():
            times.sort()
        self._hide_class_attributes()
        self._join_ends()
        self._lasting = self._find_lasting() if root.owner else set()
        self.sequences = Sequences(steps.sequence_uses(), self._clock, self._lasting, decided)

    def span(self, variable: int, place: int = -1) -> Span:
        """Return the first and last time at which a variable is filled.

        Args:
            variable: the variable.
            place: of the call that runs its frame; -1 for any.
        """
        runs = self._runs(variable, place)
        if runs:
            return min(run.first for run in runs), max(run.last for run in runs)
        variable = self._between.get(variable, variable)
        if variable in self._clock.never:
            return EVER, -1
        frame = self._frame_of(variable)
        return ANY_TIME if frame is None else self._clock.of_frame(frame.number)

    def _runs(self, variable: int, place: int) -> Sequence[Run]:
        runs = self._clock.runs(self._between.get(variable, variable))
        return [run for run in runs if run.place == place] or runs if place >= 0 else runs

    def allows(self, time: int, until: int, variable: int, place: int) -> bool:
        """Tell whether a value that is there for a while is seen where a variable is filled."""
        if self._clock.is_left_out(variable, place):
            return False
        runs = self._runs(variable, place)
        if runs:
            return any(time <= run.last and run.first <= until for run in runs)
        first, last = self.span(variable)
        return time <= last and first <= until

    def step(
        self, time: int, until: int, source: Spot, target: Spot, stays: bool
    ) -> Sequence[Span]:
        """Return from when until when a value is at the end of a step.

        Args:
            time: from when it is at the start.
            until: until when.
            source: the start: a variable, and the place of the call that runs its frame.
            target: the end.
            stays: whether the step leads through calls and names of one run only.
        """
        variable, place = target
        if self.root.owner and self._is_lasting(variable):
            return (ANY_TIME,)
        if (source[0], variable) in self._hidden:
            return ()
        if not self._is_possible(time, until, source, target):
            return ()
        if variable in self._inside or variable in self._seen_by_all:
            return self._store_step(time, until, source, variable)
        if self.root.owner and not stays and self._is_given_outside(variable):
            time, until = ANY_TIME
        elif not stays and source[0] not in self._inside and source[0] not in self._seen_by_all:
            kept = self._kept(time, source, variable)
            if kept is None:
                return ()
            time, until = kept
        runs = self._runs(variable, place)
        if runs:
            closed = self.sequences.closed.get((source[0], variable), ())
            runs = [run for run in runs if time <= run.last and run.first <= until]
            closed = {*closed, *self._closed.get((source[0], variable), ())}
            if closed:  # other values are there meanwhile
                runs = [run for run in runs if run.first not in closed]
                return [(max(time, run.first), run.run[0]) for run in runs]
            if not runs:
                return ()
            return ((max(time, min(run.first for run in runs)), max(run.run[0] for run in runs)),)
        first, last = self.span(variable)
        if time > last or first > until:
            return ()
        is_late = last == EVER and self._frame_of(variable) is not None
        return ((max(time, first), EVER if is_late else until),)

    def _is_possible(self, time: int, until: int, source: Spot, target: Spot) -> bool:
        """Tell whether what is decided in the run of a frame leaves a step."""
        variable, place = target
        if self._clock.is_left_out(variable, place):
            return False
        frame = self._frame_of(variable)
        if frame is not None and not self._clock.is_taken(frame, source[0], variable, place):
            return False
        if frame is not None and not self._is_still_there(frame, source[0], variable, place):
            return False
        returned = self._returned.get((source[0], variable))
        if returned is None:
            return True
        for node in returned:
            if not self._clock.is_left_out(node, source[1]):
                runs = self._runs(node, source[1])
                if any(time <= run.last and run.first <= until for run in runs) or not runs:
                    return True
        return False

    def _is_still_there(self, frame: Frame, value: int, load: int, place: int) -> bool:
        """Tell whether a name has a value that it was given before another one, perhaps."""
        node = load - frame.offset
        stores = self._state.files[frame.file].reaches.get(node, ())
        if len(stores) < 2:
            return True
        bodies = self._state.bodies[frame.file]
        mine, others = list[int](), list[int]()
        for store in stores:
            sources = bodies.stores.get(store, ())
            values = [self._state.value(frame, each.value) for each in sources]
            (mine if value in values else others).append(frame.offset + store)
            if any(each.owner != frame.owner for each in sources):
                return True
        loads = self._runs(load, place)
        if not mine or not loads or any(run.first != run.last for run in loads):
            return True
        mine = [each for each in mine if not self._clock.is_left_out(each, place)]
        sure = [
            (last, run.run)
            for each in others
            for run in self._runs(each, place)
            if (last := self._clock.sure_until(each, run)) is not None
        ]
        return any(
            not any(at.run is over and run.last < last < at.first for last, over in sure)
            for each in mine
            for run in self._runs(each, place)
            for at in loads
            if at.run is run.run
        ) or any(not self._runs(each, place) for each in mine)

    def _store_step(self, time: int, until: int, source: Spot, place: int) -> Sequence[Span]:
        variable, called = source
        owners, others = self._inside.get(place, []), self._inside.get(variable, [])
        entered: list[Span] = []
        stores = self._entries.get((variable, place), ())
        if stores and all(self._clock.is_left_out(node, called) for node in stores):
            return ()
        for node in stores:
            if not self._clock.is_left_out(node, called):
                entered += [(run.first, run.last) for run in self._runs(node, called)]
        by_key = self._timed_entries.get((variable, place))
        if by_key is not None:
            mine = [run for run in by_key if called in (-1, run.place)]
            entered += [(run.first, run.last) for run in mine]
            if not entered:
                return ()
        if not entered and any(one in others or self._is_manager(one) for one in owners):
            return ((time, until),)
        if not entered and others:
            entered += self._made_at(owners)
        if not entered and variable in self._between:
            entered += [(run.first, run.last) for run in self._runs(variable, called)]
        if not entered:
            uses = self._uses.get(variable, ())
            if uses and all(self._clock.is_left_out(node, called) for node, _ in uses):
                return ()
            for node, is_store in uses:
                entered += [
                    (run.first if is_store else time, run.last) for run in self._runs(node, called)
                ]  # a call is done behind what it runs
        if not entered:
            return ((time, EVER),)
        ends, joint = self._ends.get(place, ()), self._joint.get(place, ())
        found: list[Span] = []
        for each in [*entered] if self.sequences.removed and len(owners) == 1 else ():
            gone = self.sequences.removed.get((owners[0], variable, each[0]))
            if gone is None and variable in self._between:
                gone = self.sequences.emptied.get((owners[0], each[0]))
            if gone is not None:
                entered.remove(each)
                for start, end in self._entered(time, [each], ends, joint):
                    found.append((start, min(end, gone)))
        return [*found, *self._entered(time, entered, ends, joint)]

    def _is_manager(self, one: int) -> bool:
        """Tell whether an object hands on what it is given at once, as to the `as` of a `with`."""
        return bool(self._state.objects.first[one] == "contextlib._GeneratorContextManager")

    def _entered(
        self, time: int, entered: Iterable[Span], ends: Sequence[int], joint: Sequence[Span] = ()
    ) -> Sequence[Span]:
        """Return how long a value stays that a place is given at one of some times."""
        entered = [(first, last) for first, last in entered if time <= last]
        if not entered:
            return ()
        latest = max(last for _, last in entered)
        after = bisect_right(ends, latest)
        until = ends[after] - 1 if after < len(ends) else EVER
        until = min([until, *(last - 1 for first, last in joint if latest < first)])
        return ((max(time, min(first for first, _ in entered)), until),)

    def _made_at(self, owners: Iterable[int]) -> list[Span]:
        """Return when a container is given the parts of another one: as it is made, or later on."""
        for one in owners:
            runs = [self._clock.runs(node) for node in self._extended.get(one, ())]
            if all(runs) and self._is_filled_at_once(one):
                later = [(run.first, run.last) for each in runs for run in each]
                return later if one in self._plain else self._made(one) + later
        return []

    def _is_filled_at_once(self, one: int) -> bool:
        """Tell whether an object is given items when it is made, not when it is asked for them."""
        objects = self._state.objects
        is_known = objects.kind[one] == CONTAINER and objects.first[one] in _FILLED_AT_ONCE
        return is_known and bool(self._made(one))

    def _is_filling(self, variable: int) -> bool:
        """Tell whether a variable only hands items to such containers."""
        following = self._state.solver.successors[variable] or ()
        owners = [self._inside.get(place, ()) for place in following]
        return bool(owners) and all(
            bool(each) and all(self._is_filled_at_once(one) for one in each) for each in owners
        )

    def _kept(self, time: int, source: Spot, load: int) -> tuple[int, int] | None:
        """Return how long a name of another definition keeps a value."""
        variable, place = source
        stores = self._stores.get(variable, ())
        if len(stores) != 1 or self._symbol(stores[0]) != self._symbol(load):
            return time, EVER
        runs = [(run.first, run.last) for run in self._runs(stores[0], place)]
        found = self._entered(time, runs, self._names[stores[0]]) if runs else ((time, EVER),)
        return next(iter(found), None)

    def _symbol(self, variable: int) -> tuple[str, int | None] | None:
        """Return name and scope that a node reads or stores to."""
        place = self._node_of(variable)
        use = self._state.files[place[0]].names.get(place[1]) if place else None
        return None if use is None else (use[0], use[2])

    # what outlives a run of a function

    def _is_lasting(self, variable: int) -> bool:
        """Tell whether the next run of the function may see what a variable is given."""
        if variable in self._seen_by_all or variable in (self.root.result, self.root.yields):
            return True
        owners = self._inside.get(variable)
        if owners:
            return any(one in self._lasting or not self._made(one) for one in owners)
        frame = self._frame_of(self._between.get(variable, variable))
        return frame is not None and not self._clock.is_part(frame)

    def _find_lasting(self) -> set[int]:
        """Return the objects of a run that something from outside of it gets to hold."""
        places: dict[int, list[int]] = defaultdict(list)
        for variable, owners in self._inside.items():
            for one in owners:
                places[one].append(variable)
        todo = [*self._seen_by_all]
        todo += [one.result for one in self._clock.walked() if self._may_be_remembered(one)]
        for one, parts in places.items():
            if not self._made(one):
                todo += parts
        found: set[int] = set()
        while todo:
            for one in self._state.solver.get(todo.pop()):
                if one in places and one not in found:
                    found.add(one)
                    todo += places[one]
        return found

    def _may_be_remembered(self, frame: Frame) -> bool:
        """Tell whether a decorator from outside, as functools.cache, may keep what is returned."""
        state = self._state
        place = state.files[frame.file].definitions[frame.owner]
        decorated = {place.node}
        for op, _, node, value, other, _, _ in state.bodies[frame.file].groups.get(
            place.parent or 0, ()
        ):
            if op == "decorate" and other in decorated and frame.env and value is not None:
                decorated.add(node)
                for one in state.solver.get(state.value(frame.env, value)):
                    name = str(state.objects.first[one]) if one >= 0 else ""
                    is_outside = one >= 0 and state.objects.kind[one] in OUTSIDE
                    if is_outside and not name.startswith("builtins."):
                        return True
        return False

    def _is_given_outside(self, variable: int) -> bool:
        """Tell whether a node reads a name of a definition whose run is no part of this one."""
        at, place = self._frame_of(variable), self._node_of(variable)
        use = self._state.files[place[0]].names.get(place[1]) if place else None
        while at is not None and use is not None and at.owner != use[2]:
            at = at.env
        return use is not None and (at is None or not self._clock.is_part(at))

    # the stores

    def _read_names(self) -> None:
        """Find the stores to names that inner functions see, and when the next ones follow."""
        ends: dict[tuple[int, str], list[int]] = defaultdict(list)
        found: list[tuple[tuple[int, str], int, int, Frame]] = []
        for frame in self._clock.walked():
            bodies, names = self._state.bodies[frame.file], self._state.files[frame.file].names
            for op, _, node, value, _, _, _ in bodies.groups.get(frame.owner, ()):
                if op != "store" or value is None or node not in names:
                    continue
                symbol, resolution, scope = names[node]
                at: Frame | None = frame
                while at is not None and at.owner != scope:
                    at = at.env
                if at is None or resolution == "local" or not self._clock.runs_once(at):
                    continue
                found.append(((at.number, symbol), frame.offset + node, value, frame))
                for run in self._clock.runs(frame.offset + node):
                    if (frame.offset + node, run.first) in self._clock.sure:
                        ends[at.number, symbol].append(run.first)
        for key, node, value, frame in found:
            self._names[node] = sorted(ends[key])
            self._stores[self._state.value(frame, value)].append(node)
            around = frame.env
            while around is not None:
                shared = self._state.shared.get((frame.file, value, around.number))
                if shared is not None:
                    self._entries[self._state.value(frame, value), shared].add(node)
                    self._ends[shared] = self._names[node]
                around = around.env

    def _note_extended(self, frame: Frame) -> None:
        """Note the containers that are given parts after they were made."""
        made = self._state.bodies[frame.file].made
        for op, node, value, _, _, _ in frame.body.steps:
            holder = value if op == "inplace" else None
            if op == "delete_item" or (op == "attr" and made[node][5] in _SHRINKING):
                self._shrunk.update(self._state.solver.get(self._state.value(frame, value)))
            elif op == "call":
                fact = made.get(value)
                if fact is not None and fact[0] == "attr" and fact[5] in _EXTENDING:
                    holder = fact[3]
            if holder is not None:
                for one in self._state.solver.get(self._state.value(frame, holder)):
                    self._extended[one].add(frame.offset + node)

    def _read(self, frame: Frame) -> None:
        offset = frame.offset
        for op, node, value, other, text, idx in frame.body.steps:
            for part in _operands(value, other):
                self._uses[offset + part].add((offset + node, op.startswith("store")))
            if op == "store_item":
                parts = offset + node, offset + value, offset + other
                if text is None and idx[0] is not None:
                    self._store_by_key(*parts, offset + idx[0])
                else:
                    self._store_item(*parts, text)
            elif op == "delete_item":
                key = None if other is None else offset + other
                self._end_key(offset + node, offset + value, text, key)
            elif op == "item" and text is None and other is not None:
                self._read_by_key(offset + node, offset + value, offset + other)
            elif op == "store_attr":
                self._store_attr(offset + node, offset + value, offset + other, text or "")
            elif op == "delete_attr":
                self._delete_attr(offset + node, offset + value, text or "")
            elif op == "attr":
                self._attributes.append((offset + node, offset + value, text or ""))
            elif op == "store_global":
                place = self._state.global_variable(frame.file, text or "")
                self._store(offset + node, offset + value, place)
            elif op == "store_class":
                info = self._state.extra.get(-frame.number - 1)
                if info is not None and text in info.attributes:
                    self._store(offset + node, offset + value, info.attributes[text])
            elif op in ("list", "tuple", "dict"):
                self._display(frame, op, node, value)
            elif op == "call":
                self._called(frame, node, value, other)
        bodies = self._state.bodies[frame.file]
        for fact in bodies.groups.get(frame.owner, ()):
            if fact[0] == "return" and fact[3] is not None:
                value = offset + bodies.value(fact[3])
                self._returned[value, frame.result].append(offset + fact[2])

    def _store_item(self, node: int, value: int, holder: int, key: str | None) -> None:
        for one in self._one(holder, CONTAINER):
            container = self._state.containers[one]
            if key in _CLEARS:
                self._end_all(node, one)
            elif key is not None and key in container.keys:
                self._store(node, value, container.keys[key])

    def _key(self, variable: int, run: Run) -> str | None:
        """Return the text of a key that can be one thing only, in one run at least."""
        held = self._state.solver.get(variable)
        if len(held) != 1:
            given = self._given.get((variable, run.place), ())
            held = {one for each in given for one in self._state.solver.get(each)}
        return key_of(self._state, *held) if len(held) == 1 else None

    def _store_by_key(self, node: int, value: int, holder: int, key: int) -> None:
        """Note which entry a key gives a value to that is known in each run."""
        runs = self._clock.runs(node)
        keys = [self._key(key, run) for run in runs]
        for one in self._state.solver.get(holder):
            container = self._state.containers.get(one)
            if container is None or None in keys or not runs:
                continue
            is_sole = bool(self._one(holder, CONTAINER))
            self._timed_entries[value, container.every] += []
            for name, place in container.keys.items():
                times = self._timed_entries[value, place]
                for run, each in zip(runs, keys, strict=True):
                    if each == name:
                        times.append(run)
                        if is_sole and (node, run.first) in self._clock.sure:
                            self._ends[place].append(run.first)

    def _read_by_key(self, target: int, holder: int, key: int) -> None:
        """Note that a read by a key which is known in a run takes no other entry."""
        for run in self._clock.runs(target):
            name = self._key(key, run)
            for one in self._state.solver.get(holder) if name is not None else ():
                container = self._state.containers.get(one)
                for other, place in container.keys.items() if container else ():
                    if other != name:
                        self._closed[place, target].add(run.first)

    def _end_key(
        self, node: int, holder: int, text: str | None, key: int | None, later: int = 0
    ) -> None:
        """Note that an entry is deleted."""
        for one in self._one(holder, CONTAINER):
            keys = self._state.containers[one].keys
            for run in self._clock.runs(node):
                name = text if text is not None or key is None else self._key(key, run)
                if name in keys and (node, run.first) in self._clock.sure:
                    self._ends[keys[name]].append(run.first + later)

    def _store_attr(self, node: int, value: int, holder: int, name: str) -> None:
        state = self._state
        for one in self._one(holder, INSTANCE, CLASS, MODULE):
            kind = state.objects.kind[one]
            place: int | None
            if kind == INSTANCE:
                place = state.fields.get((one, name))
            elif kind == CLASS:
                place = state.classes[one].attributes.get(name)
            else:
                place = state.globals[state.objects.first[one]].get(name)
            if place is not None:
                self._store(node, value, place)

    def _display(self, frame: Frame, op: str, node: int, parts: object) -> None:
        one = self._state.objects.of(CONTAINER, f"builtins.{op}", (frame.number, node))
        container = self._state.containers.get(one)
        if container is None or not isinstance(parts, list):
            return
        if all(part[0] in ("entry", "element") for part in parts):
            self._plain.add(one)
        elif op == "dict":
            self._merged(frame, one, parts)
        for part, _, _, item, _, text, index in parts:
            key = text if part == "entry" else f"int:{index}" if part == "element" else None
            if key is not None and key in container.keys:
                self._entries[frame.offset + item, container.keys[key]].add(frame.offset + node)

    def _delete_attr(self, node: int, holder: int, name: str) -> None:
        runs = self._clock.runs(node) or [Run(-1, EVER, -1, [EVER])]
        for one in self._state.solver.get(holder):
            place = self._state.fields.get((one, name))
            if place is not None:
                self._lost[place] += [(run.first, run.last) for run in runs]

    def _hide_class_attributes(self) -> None:
        """Note that an instance which was surely given an attribute hides that of its class."""
        state = self._state
        for target, holder, name in self._attributes:
            for one in self._one(holder, INSTANCE):
                place = state.fields.get((one, name))
                given = self._ends.get(place, ()) if place is not None else ()
                order = state.classes[state.objects.first[one]].order
                infos = [state.classes[cls] for cls in order if cls in state.classes]
                hidden = [info.attributes[name] for info in infos if name in info.attributes]
                for run in self._clock.runs(target) if given and hidden else ():
                    before = [time for time in given if time < run.first]
                    lost = self._lost.get(place or 0, ())
                    if before and not any(a < run.last and b > before[-1] for a, b in lost):
                        for each in hidden:
                            self._closed[each, target].add(run.first)

    def _merged(self, frame: Frame, made: int, parts: list[Any]) -> None:
        """Note that `{**a, **b}` has of `a` only what `b` has no entry for."""
        later: set[str] = set()
        into = self._state.containers[made].keys
        for part in reversed(parts):
            if part[0] == "entry":
                later |= {part[5]} if part[5] is not None else set()
                continue
            for one in self._state.solver.get(frame.offset + part[3]):
                container = self._state.containers.get(one)
                for key in later.intersection(container.keys if container else ()):
                    if key in into:
                        self._hidden.add((container.keys[key], into[key]))  # type: ignore
            later |= self._sure_keys(frame.offset + part[3])

    def _sure_keys(self, variable: int) -> set[str]:
        """Return the keys that a mapping is made with and never loses."""
        held = self._state.solver.get(variable)
        (one,) = held if len(held) == 1 else (-1,)
        if not self._is_mapping(one) or one in self._shrunk:
            return set()
        place = self._state.objects.second[one]
        if not isinstance(place, tuple) or not isinstance(place[0], int):
            return set()
        frame = self._state.frames[place[0]]
        for op, node, value, _, _, _ in frame.body.steps:
            if op == "dict" and node == place[1]:
                return {part[5] for part in value if part[0] == "entry" and part[5] is not None}
        return set()

    def _called(self, frame: Frame, node: int, callee: int, arguments: object) -> None:
        """Note what a method puts into a container, and that `clear` empties it."""
        fact = self._state.bodies[frame.file].made.get(callee)
        if fact is None or fact[0] != "attr" or fact[3] is None:
            return
        holder = self._state.value(frame, fact[3])
        held = self._state.solver.get(holder)
        if fact[5] in _BY_KEY and all(self._is_mapping(one) for one in held):
            for given, _ in arguments.positional[:1]:  # type: ignore[attr-defined]
                self._read_by_key(frame.offset + node, holder, frame.offset + given)
                if fact[5] == "pop":  # it gets the item itself
                    self._end_key(frame.offset + node, holder, None, frame.offset + given, 1)
        for one in self._one(holder, CONTAINER):
            container = self._state.containers[one]
            if fact[5] == "clear":
                self._end_all(frame.offset + node, one)
            elif fact[5] == "update" and self._is_mapping(one):
                keys = {f"str:{name}" for name, _ in arguments.keywords}  # type: ignore
                for given, _ in arguments.positional:  # type: ignore[attr-defined]
                    keys |= self._sure_keys(frame.offset + given)
                for key in keys.intersection(container.keys):
                    self._end(frame.offset + node, container.keys[key])
            for place in (container.every, container.loose, *container.keys.values()):
                for given, _ in arguments.positional:  # type: ignore[attr-defined]
                    self._entries[frame.offset + given, place].add(frame.offset + node)

    def _is_mapping(self, one: int) -> bool:
        return one >= 0 and self._state.objects.first[one] in MAPPINGS

    def _one(self, variable: int, *kinds: int) -> tuple[int, ...]:
        """Return what a variable holds, when that is one thing that is made once."""
        held = self._state.solver.get(variable)
        if len(held) != 1:
            return ()
        (one,) = held
        objects = self._state.objects
        if one < 0 or objects.kind[one] not in kinds:
            return ()
        if objects.kind[one] in (CLASS, MODULE):
            return () if self.root.owner else (one,)
        made = self._made(one)
        return (one,) if len(made) == 1 and made[0][0] == made[0][1] else ()

    def made(self, one: int) -> Spot | None:
        """Return the variable that an object is made in and when, if that is known."""
        place = self._maker(one) if one not in self._lasting else None
        runs = self._clock.runs(place) if place is not None else ()
        return (place, min(run.first for run in runs)) if place is not None and runs else None

    def _made(self, one: int) -> list[Span]:
        """Return when a container or instance is made."""
        place = self._maker(one)
        runs = self._clock.runs(place) if place is not None else ()
        return [(run.first, run.last) for run in runs]

    def _maker(self, one: int) -> int | None:
        """Return the variable of the node that makes a container or instance."""
        place = self._state.objects.second[one]
        if isinstance(place, int) and place and self._state.objects.kind[one] == INSTANCE:
            place = (place >> 24, (place & 0xFFFFFF) - 1)
        if not isinstance(place, tuple) or len(place) != 2 or not isinstance(place[0], int):
            return None
        number, node = place
        return self._state.frames[number].offset + int(node)

    def _store(self, node: int, value: int, place: int) -> None:
        self._entries[value, place].add(node)
        self._end(node, place)

    def _end(self, node: int, place: int | None) -> None:
        if place is not None:
            for run in self._clock.runs(node):
                if (node, run.first) in self._clock.sure:
                    self._ends[place].append(run.first)
                else:
                    self._unsure[place].add(node)

    def _join_ends(self) -> None:
        """Find the places that both arms of an `if` give another value."""
        for place, nodes in self._unsure.items():
            for one, other in permutations(sorted(nodes)[:_MOST_STORES], 2):
                frame = self._frame_of(one)
                if frame is not None and frame is self._frame_of(other):
                    found = self._clock.either(frame, one - frame.offset, other - frame.offset)
                    self._joint[place] += found

    def _end_all(self, node: int, one: int) -> None:
        container = self._state.containers[one]
        for place in (container.every, container.loose, *container.keys.values()):
            self._end(node, place)


def _operands(value: Any, other: Any) -> Iterator[int]:
    """Yield the nodes that a step of a body takes."""
    for each in (value, other):
        if isinstance(each, Arguments):
            yield from (number for number, _ in each.positional)
            yield from (number for _, number in each.keywords)
        elif isinstance(each, list):
            yield from (part[3] for part in each)
        elif isinstance(each, int):
            yield each
