"""Value steps: a settled analysis -> where each value goes next, one step at a time.

    y = x + 1          copied   what the solver links: names, arguments, results, items, fields
                       made     x -> x + 1, since the sum is computed from it
    d["k"] = x         inside   x is a part of the dict: whoever holds the dict holds x
    json.dumps(d)      melted   what d holds -> the text

A step leads from one variable of the solver to another. Code outside that has no model is taken
to make its result of everything it is handed; truth values and lengths are not made of anything.
Next: raised_values.py, value_search.py.
"""

from __future__ import annotations

import builtins
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from codelake.resolve import (
    attributes,
    items,
    iteration,
    keyed_items,
    known_calls,
    known_support,
    managers,
    narrowed,
)
from codelake.resolve.arguments import bind_items, bind_mapping, bind_star
from codelake.resolve.class_table import find
from codelake.resolve.container_methods import METHODS
from codelake.resolve.descriptors import bind, bind_class
from codelake.resolve.format_texts import formatted
from codelake.resolve.objects import (
    CLASS,
    CONTAINER,
    EXTERNAL,
    EXTERNAL_INSTANCE,
    EXTERNAL_METHOD,
    FUNCTION,
    INSTANCE,
    UNKNOWN,
)
from codelake.resolve.raised_values import RaisedValues
from codelake.resolve.state import IMPLICIT, Frame, Site, State

type Steps = dict[int, list[int]]

_MAKE_NOTHING = frozenset(
    f"builtins.{name}"
    for name in (
        *("all", "any", "bool", "callable", "dir", "hasattr", "hash", "id", "isinstance"),
        *("issubclass", "len", "print", "range", "setattr", "super", "type"),
    )
)
_NAMES = frozenset({"__class__", "__doc__", "__module__", "__name__", "__qualname__"})
_TEXT_METHODS = ("__repr__", "__str__", "__format__")
_TEXTS = ("builtins.str", "builtins.repr", "builtins.format", "builtins.str.format")
_FAR = 64  # variables between a receiver and where it was made
OUTSIDE = frozenset({EXTERNAL, EXTERNAL_INSTANCE, EXTERNAL_METHOD, UNKNOWN})
_CHANGING = ("add", "append", "extend", "feed", "insert", "push", "put", "set", "update", "write")
_PLAIN = frozenset({"builtins.str", "builtins.int", "builtins.float", "builtins.bytes"})

# who watches a variable, and which of his arguments is where the value goes
_TARGETS: dict[Callable[..., None], int] = {
    attributes.load_attribute: 4,
    bind: 4,
    bind_class: 4,
    items.load_item: 5,
    items.unpack: 4,
    iteration.iterate_all: 3,
    iteration.take_next: 3,
    iteration.awaited: 3,
    managers.enter: 4,
    narrowed.pass_narrowed: 4,
}
_ONLY_DATA = 5  # argument of bind: what the instance has itself goes first
_FILLED: dict[Callable[..., None], int] = {
    items.copy_items: 1,
    items.merge_mapping: 1,
    keyed_items.store_parts: 1,
    items.unpack_rest: 5,
    known_support.take_pair: 1,
}


class CallPlace(NamedTuple):
    """A place that calls: file and node, and its variable."""

    node: tuple[int, int]
    variable: int


class ValueSteps:
    """All steps of an analysis.

    Attributes:
        copied: by variable, where the same value goes.
        made: by variable, what is computed from it or is a part of it.
        melted: by variable, what is computed from all that it holds.
        inside: by variable, the objects that it is a part of.
        texts: steps of `melted` into a text, for which __str__ and its kin are asked.
        raised: the handlers that what is raised arrives at.
        places: the places that call, by number.
        calls: steps into a function, with the places that call it.
        returns: steps out of a function, with the places that called it.
    """

    def __init__(self, state: State) -> None:
        """Gather the steps."""
        self.state = state
        self.copied = state.solver.successors
        self.made: Steps = defaultdict(list)
        self.melted: Steps = defaultdict(list)
        self.inside: Steps = defaultdict(list)
        self.texts: set[tuple[int, int]] = set()
        self.raised = RaisedValues(state)
        self.places: dict[int, CallPlace] = {}
        self.calls: dict[tuple[int, int], set[int]] = defaultdict(set)
        self.returns: dict[tuple[int, int], set[int]] = defaultdict(set)
        self.linked = {one for following in self.copied if following for one in following}
        self._sources: Steps | None = None
        self._holders: Steps | None = None
        self._arguments: set[int] = set()
        self._texts: dict[int, Steps] = {}
        self._causes: list[int] = []
        self._causes_read: list[int] = []
        self._parts()
        for frame in state.frames:
            self._frame(frame)
            self._sites(frame)
        for variable, entries in enumerate(state.solver.watchers):
            for entry in entries or ():
                self._watched(variable, entry)
        for cause in self._causes:
            self.made[cause] += self._causes_read

    def _parts(self) -> None:
        state, inside = self.state, self.inside
        kinds = state.objects.kind
        for (owner, name), variable in state.fields.items():
            is_shared = name == "args" and owner >= 0 and kinds[owner] == EXTERNAL_INSTANCE
            if owner >= 0 and not is_shared:  # exceptions of a class outside are not told apart
                inside[variable].append(owner)
                attributes_of = state.attribute_mappings.get(owner)
                if attributes_of is not None:
                    inside[variable].append(attributes_of)
        for owner, container in state.containers.items():
            for variable in (container.every, container.loose, container.names):
                inside[variable].append(owner)
            for variable in container.keys.values():
                inside[variable].append(owner)
        for owner, info in state.classes.items():
            for variable in info.attributes.values():
                inside[variable].append(owner)

    def _make(self, source: int, target: int, melts: bool = False) -> None:
        self.made[source].append(target)
        if melts:
            self.melted[source].append(target)

    def _watched(self, variable: int, entry: tuple[Any, ...]) -> None:
        """Let a value go where a part of it goes."""
        watcher, arguments = entry[0], entry[1:]
        place = _TARGETS.get(watcher)
        if place is not None:
            if watcher is bind and len(arguments) > _ONLY_DATA and arguments[_ONLY_DATA]:
                return
            if watcher is attributes.load_attribute and self._tells_nothing(variable, arguments[3]):
                return
            self._make(variable, arguments[place])
        elif watcher in _FILLED:
            container = self.state.containers[arguments[_FILLED[watcher]]]
            self._make(variable, container.every)
            self._make(variable, container.loose)
        elif watcher is known_support.call_back:
            self._called_back(variable, arguments[1])
        elif watcher in (bind_star, bind_items, bind_mapping):
            held = self.state.solver.get(variable)
            melts = any(one >= 0 and self.state.objects.kind[one] == INSTANCE for one in held)
            signature = arguments[1].body.signature
            is_star = watcher is not bind_mapping
            for parameter in signature.behind(arguments[2]) if is_star else signature.all():
                self._make(variable, arguments[1].offset + parameter.node, melts)

    def _tells_nothing(self, variable: int, name: str) -> bool:
        """Tell whether an attribute has nothing of the value: names of classes, and of members."""
        if name in _NAMES:
            return True
        held = self.state.solver.get(variable)
        return name in ("name", "_name_") and any(self._is_member(one) for one in held)

    def _is_member(self, one: int) -> bool:
        objects = self.state.objects
        is_instance = one >= 0 and objects.kind[one] == INSTANCE
        return is_instance and "enum" in self.state.classes[objects.first[one]].traits

    def _called_back(self, variable: int, site: Site) -> None:
        """Let arguments go into the result of code outside that is called back."""
        objects = self.state.objects
        if any(
            one >= 0 and objects.kind[one] in OUTSIDE for one in self.state.solver.get(variable)
        ):
            for given, _ in site.values[0]:
                self._make(given, site.result, melts=True)

    def _frame(self, frame: Frame) -> None:
        offset = frame.offset
        for op, node, value, other, text, before in frame.body.steps:
            target = offset + node
            if op in ("attr", "item") and isinstance(before, tuple) and text is not None:
                self._kept_before(frame, node, offset + value, text)
            if op == "inplace":
                self._extended(offset + value, target)
            if op in ("binary", "inplace"):
                self._make(offset + value, target)
                self._make(offset + other, target, text == "%" or text == "%=")
                self.texts.add((offset + other, target))
            elif op == "unary" and text != "not":
                self._make(offset + value, target)
            elif op == "format":
                self._make(offset + value, target, melts=True)
                self.texts.add((offset + value, target))
            elif op == "fstring":
                for part in self._text_parts(frame.file).get(node, ()):
                    self._make(offset + part, target)
            elif op == "attr" and text == "args":
                self.melted[offset + value].append(target)  # of an exception
            elif op == "attr" and text in ("__cause__", "__context__"):
                self._causes_read.append(target)
            elif op == "raise" and other is not None:
                self._causes.append(offset + other)
            elif op == "call":
                self._call(frame, target, offset + value, other)
            elif op == "store_item":
                keys = [] if before[0] is None else [offset + before[0]]
                self._change(offset + other, [offset + value, *keys])

    def _extended(self, before: int, target: int) -> None:
        """Let `a += b` change the list that `a` was."""
        state = self.state
        kinds, containers = state.objects.first, state.containers
        old = [one for one in state.solver.get(before) if one in containers]
        for one in (one for one in old if kinds[one] != "builtins.tuple"):
            for other in state.solver.get(target):
                if one != other and other in containers:
                    self._make(containers[other].loose, containers[one].loose)
                    self._make(containers[other].every, containers[one].every)

    def _kept_before(self, frame: Frame, node: int, base: int, text: str) -> None:
        """Let `self.x` be what an earlier run stored, where this one stores on a condition only."""
        state = self.state
        bodies = state.bodies[frame.file]
        stores = bodies.file.path_reaches.get(node, ())
        if not stores or bodies.surely_before([one for one in stores if one < node], node):
            return
        for one in state.solver.get(base):
            container = state.containers.get(one)
            place = container.keys.get(text) if container else state.fields.get((one, text))
            if place is not None:
                self._make(place, frame.offset + node)

    def _sites(self, frame: Frame) -> None:
        """Note by which places values come into a frame and go out of it."""
        copied = self.copied
        parameters = {frame.offset + each.node for each in frame.body.signature.all()}
        for site in self.state.sites_of.get(frame.number, ()):
            place = site.frame.offset + site.node
            self.places[site.number] = CallPlace((site.frame.file, site.node), place)
            positional, keywords = site.values
            given = [variable for variable, _ in positional]
            for variable in (*given, *(variable for _, variable in keywords)):
                for target in copied[variable] or ():
                    if target in parameters:
                        self.calls[variable, target].add(site.number)
            self.returns[frame.result, site.result].add(site.number)
            if site.kind == IMPLICIT and self._name(frame) in _TEXT_METHODS:
                self._make(site.result, place)

    def _text_parts(self, file: int) -> Steps:
        """Return the values in each f-string of a file."""
        found = self._texts.get(file)
        if found is None:
            found = self._texts[file] = defaultdict(list)
            for op, _, node, value, _, _, _ in self.state.files[file].facts:
                if op == "part" and value is not None:
                    found[node].append(self.state.bodies[file].value(value))
        return found

    def _call(self, frame: Frame, result: int, callee: int, arguments: Any) -> None:
        """Let arguments and receiver go into the result of code that has no model."""
        positional, keywords = arguments
        given = [frame.offset + number for number, _ in positional]
        given += [frame.offset + number for _, number in keywords]
        self._make(callee, result)
        pattern = self._pattern(frame, callee)
        if pattern is not None:
            given = [frame.offset + number for number in formatted(pattern, positional, keywords)]
        state, objects = self.state, self.state.objects
        found = [one for one in state.solver.get(callee) if one >= 0]
        if not found or any(self._is_opaque(one, result) for one in found):
            is_text = all(objects.first[one] in _TEXTS for one in found)
            for variable in given:
                self._make(variable, result, melts=True)
                if found and is_text:
                    self.texts.add((variable, result))
        receivers = self._receivers(frame, callee)
        receivers += [frame.offset + number for name, number in keywords if name == "file"]
        for one in found:
            if objects.kind[one] == CLASS:
                self._fill_instances(one, result, given)
            elif objects.kind[one] in (EXTERNAL, EXTERNAL_METHOD, UNKNOWN):
                for receiver in receivers:
                    self._change(receiver, given)

    def _pattern(self, frame: Frame, callee: int) -> str | None:
        """Return the text whose method `format` is called, when it is known."""
        made = self.state.bodies[frame.file].made
        fact = made.get(callee - frame.offset)
        if fact is None or fact[0] != "attr" or fact[5] != "format" or fact[3] is None:
            return None
        held = self.state.solver.get(self.state.value(frame, fact[3]))
        texts = [self.state.objects.texts[-one] for one in held if one < 0]
        return texts[0] if len(texts) == len(held) == 1 else None

    def _is_opaque(self, one: int, result: int) -> bool:
        """Tell whether nothing shows how a result comes about."""
        objects = self.state.objects
        if objects.kind[one] in (UNKNOWN, EXTERNAL_INSTANCE):
            return True
        if objects.kind[one] not in (EXTERNAL, EXTERNAL_METHOD) or result in self.linked:
            return False
        name = objects.first[one]
        if objects.kind[one] == EXTERNAL:
            has_model = name in known_calls.FUNCTIONS
        else:
            receiver = objects.second[one]
            has_model = receiver >= 0 and objects.kind[receiver] in (CONTAINER, INSTANCE)
            has_model = has_model and name.rpartition(".")[2] in METHODS
        if has_model and any(self._is_followed(each) for each in self.state.solver.get(result)):
            return False
        return name not in _MAKE_NOTHING

    def has_own_text(self, one: int) -> bool:
        """Tell whether the text of an object is what a method of its class returns."""
        state = self.state
        if state.objects.kind[one] != INSTANCE:
            return False
        info = state.classes[state.objects.first[one]]
        if self._is_error(info.order) and find(state, info.order, "__init__")[0] is not None:
            return True
        names = _TEXT_METHODS[:1] if info.fields else _TEXT_METHODS
        return any(find(state, info.order, name)[0] is not None for name in names)

    def _is_error(self, order: Sequence[int]) -> bool:
        """Tell whether a class is below an exception of Python, whose text is its arguments."""
        objects = self.state.objects
        names = [str(objects.first[one]) for one in order if objects.kind[one] == EXTERNAL]
        found = [getattr(builtins, name.removeprefix("builtins."), None) for name in names]
        return any(isinstance(one, type) and issubclass(one, BaseException) for one in found)

    def is_text_of(self, variable: int) -> bool:
        """Tell whether a part of an exception is one of its arguments."""
        return variable in self._arguments

    def _name(self, frame: Frame) -> str:
        return self.state.files[frame.file].definitions[frame.owner].name

    def _is_followed(self, one: int) -> bool:
        """Tell whether an object is one whose parts, or whose calls, are known."""
        return one >= 0 and self.state.objects.kind[one] not in OUTSIDE

    def _receivers(self, frame: Frame, callee: int) -> list[int]:
        """Return the variable of `a` in a call of `a.m` whose name says that it changes `a`."""
        fact = self.state.bodies[frame.file].made.get(callee - frame.offset)
        if fact is None or fact[0] != "attr" or fact[3] is None:
            return []
        if not (fact[5] or "").startswith(_CHANGING):
            return []
        return [self.state.value(frame, fact[3])]

    def _change(self, receiver: int, given: Iterable[int]) -> None:
        """Let arguments go into an object outside that a method may change, wherever it is."""
        if not self._is_changeable(receiver):
            return
        for root in self._roots(receiver):
            if self._is_changeable(root):
                for variable in given:
                    self._make(variable, root, melts=True)

    def _is_changeable(self, variable: int) -> bool:
        """Tell whether a variable holds an object outside that may keep what it is given."""
        objects = self.state.objects
        return any(
            one >= 0
            and objects.kind[one] in (EXTERNAL_INSTANCE, UNKNOWN)
            and objects.first[one] not in _PLAIN
            for one in self.state.solver.get(variable)
        )

    def _roots(self, variable: int) -> list[int]:
        """Return the variables where the values of a variable come from."""
        if self._sources is None:
            self._sources = defaultdict(list)
            for source, following in enumerate(self.copied):
                for target in following or ():
                    self._sources[target].append(source)
        seen, todo, roots = {variable}, [variable], []
        while todo:
            at = todo.pop()
            before = self._sources.get(at)
            if not before:
                roots.append(at)
            for one in before or ():
                if one not in seen and len(seen) < _FAR:
                    seen.add(one)
                    todo.append(one)
        return roots

    def _fill_instances(self, cls: int, result: int, given: list[int]) -> None:
        """Let arguments be parts of an instance that a class outside initialises."""
        state = self.state
        info = state.classes[cls]
        own = find(state, info.order, "__init__")[0]
        if info.fields or (own is not None and not self._is_error(info.order)):
            return
        if own is not None:
            given = self._handed_up(own, given)
        for one in state.solver.get(result):
            if one >= 0 and state.objects.kind[one] == INSTANCE and state.objects.first[one] == cls:
                inner = state.field(one, " items")
                self.inside[inner].append(one)
                self._arguments.add(inner)
                for variable in given:
                    self._make(variable, inner)

    def _handed_up(self, method: int, given: list[int]) -> list[int]:
        """Return what an __init__ of an exception hands to that above it, or what it is given."""
        state, found = self.state, []
        for one in state.solver.get(method):
            if one < 0 or state.objects.kind[one] != FUNCTION:
                return given
            for frame in state.frames_of.get(state.objects.first[one], ()):
                made = state.bodies[frame.file].made
                for op, _, value, other, _, _ in frame.body.steps:
                    if op == "call" and made.get(value, ("",) * 6)[5] == "__init__":
                        found += [frame.offset + number for number, _ in other.positional]
        return found or given

    def holders(self) -> Steps:
        """Return the variables that each object with parts arrives at."""
        if self._holders is not None:
            return self._holders
        parts = {one for owners in self.inside.values() for one in owners}
        found: Steps = defaultdict(list)
        for variable, held in enumerate(self.state.solver.sets):
            for one in held or ():
                if one in parts:
                    found[one].append(variable)
        self._holders = found
        return found
