"""Machine: one way through a program, step by step.

    machine = Machine(world, choices=[True])
    machine.run_module("main")
    machine.seen        -> {((0, 12), (0, 40))}, origins that arrived at asked nodes

Where a condition rests on something unknown, the next of `choices` decides, and further ones are
false; rehearse.py goes through all of them. Every evaluation is a generator: it stops where the
code yields or waits, and goes on when it is asked.
Next: expressions.py, statements.py, attributes.py, calling.py, library.py.
"""

from __future__ import annotations

import ast
from collections import defaultdict, deque
from typing import Any, Protocol

from codelake.resolve.rehearsal import attributes, calling, expressions, items, statements
from codelake.resolve.rehearsal.names import names_of
from codelake.resolve.rehearsal.values import (
    CONTAINERS,
    MISSING,
    UNKNOWN_ERROR,
    Class,
    Cut,
    External,
    GiveUp,
    Instance,
    Iterated,
    Module,
    Origin,
    Raised,
    Run,
    Scope,
    Site,
    Super,
    Unknown,
    UnknownItems,
    Waiting,
    Yielded,
    builtin_class,
    error,
    is_error,
    marked,
    number_of,
    origins,
)

MOST_STEPS = 60_000
_MOST_DECISIONS = 100
_MOST_DEEP = 70
_MOST_ITEMS = 5_000
_UNKNOWN_ITEMS = 2  # rounds of a loop over something unknown

_ITERATED: tuple[Any, ...] = ((), [], "", b"", {}, set(), range(0), range(1 << 70), deque())
_ITERATED += ({}.values(), {}.items())
_HOST_ITERATORS: tuple[type, ...] = (
    *(type(iter(each)) for each in _ITERATED),
    type(reversed([])),
    type(reversed({})),
)


class World(Protocol):
    """What is rehearsed."""

    def module(self, full: str) -> Module | None:
        """Return a new module of the repository by its name."""
        ...

    def of_file(self, number: int) -> Module:
        """Return a new module for a file."""
        ...


class Machine:
    """One way through a program.

    Attributes:
        seen: pairs of a source and a sink that its value arrived at.
        taken: what was decided, in order.
        loop: the event loop, while there is one.
        tries: number of `try` statements that are open.
        active: by definition, the number of decisions when each of its open calls began.
        outside: objects outside that were met, by name.
    """

    def __init__(
        self,
        world: World,
        sources: set[Origin],
        sinks: set[Origin],
        choices: list[bool],
    ) -> None:
        """Take the program, what is asked, and the first decisions."""
        self.world, self.sources, self.sinks = world, sources, sinks
        self.taken = choices
        self.given = len(choices)
        self.asked = 0
        self.sites: list[Site] = []  # of the decisions
        self.site: Site = None, None, 0
        self.steps = 0
        self.depth = 0
        self.tries = 0  # open `try` statements
        self.has_ended = False  # not by an error
        self.has_raised = False  # something outside has, on this way
        self.active: dict[Any, list[int]] = defaultdict(list)
        self.seen: set[tuple[Origin, Origin]] = set()
        self.modules: dict[str, Module] = {}
        self.loop: Any = None
        self.outside: dict[str, Unknown] = {}
        self.kept: dict[Any, Any] = {}  # what library functions remember
        self._truths: dict[Any, bool] = {}
        self.left_open: dict[int, Iterated] = {}
        self.cut: set[Any] = set()  # loops and calls where a way ended
        self.left: set[Any] = set()  # loops and calls that came to an end

    # what is not known

    def decide(self, key: Any = None) -> bool:
        """Decide something unknown; the same thing always in the same way."""
        if key is not None and key in self._truths:
            return self._truths[key]
        if self.asked == len(self.taken):
            self.taken.append(False)
        found = self.taken[self.asked]
        self.asked += 1
        caller, at, count = self.site
        self.sites.append(self.site)
        self.site = caller, at, count + 1
        if self.asked > _MOST_DECISIONS:
            raise Cut
        if key is not None:
            self._truths[key] = found
        return found

    def may_raise(self, *given: Any) -> None:
        """Raise what something outside may raise, where a `try` may catch it."""
        if self.tries and self.decide():
            self.has_raised = True
            made = Instance(UNKNOWN_ERROR)
            made.names["args"] = (Unknown(origins(*given)),)
            raise Raised(made)

    def choose(self, values: list[Any]) -> Any:
        """Return one of some values."""
        if len(values) > 10:
            raise GiveUp("an unknown key of many")
        for value in values[:-1]:
            if self.decide():
                return value
        return values[-1]

    def unknown(self, full: str) -> Unknown:
        """Return the object outside that has a name."""
        return self.outside.setdefault(full, Unknown())

    def tick(self, count: int = 1) -> None:
        """Count steps, and end a rehearsal that takes too long."""
        self.steps += count
        if self.steps > MOST_STEPS:
            raise GiveUp("too many steps")

    # evaluation

    def value(self, node: ast.expr, scope: Scope) -> Run:
        """Evaluate an expression."""
        self.steps += 1
        if self.steps > MOST_STEPS:
            raise GiveUp("too many steps")
        found = yield from expressions.EXPRESSIONS[type(node)](self, node, scope)
        place = scope.module.file, number_of(node)
        if place in self.sources:
            found = self._marked(found, place)
        if place in self.sinks:
            for origin in origins(found):
                self.seen.add((origin, place))
        return found

    def arrive(self, value: Any, place: Origin) -> Any:
        """Let a value be that of a node which is no expression, as a parameter."""
        if place in self.sources:
            value = self._marked(value, place)
        if place in self.sinks:
            self.seen |= {(origin, place) for origin in origins(value)}
        return value

    def _marked(self, value: Any, place: Origin) -> Any:
        made = marked(value, place, {})
        if place not in origins(made):
            raise GiveUp("a source that holds nothing")
        return made

    def block(self, body: list[ast.stmt], scope: Scope) -> Run:
        """Run statements; return a signal when they are left early."""
        for node in body:
            self.steps += 1
            if self.steps > MOST_STEPS:
                raise GiveUp("too many steps")
            self.site = self.site[0], node, 0
            signal = yield from statements.STATEMENTS[type(node)](self, node, scope)
            if signal is not None:
                return signal
        return None

    def enter(self) -> None:
        """Go one call deeper."""
        self.depth += 1
        if self.depth > _MOST_DEEP:
            raise GiveUp("calls too deep")

    # modules

    def module(self, full: str) -> Run:
        """Import a module of the repository, and what is above it; None when there is none."""
        found = None
        parts = full.split(".")
        for size in range(1, len(parts) + 1):
            name = ".".join(parts[:size])
            above = found
            found = self.modules.get(name)
            is_new = found is None
            if found is None:
                found = self.world.module(name)
                if found is None:
                    if above is None:
                        continue  # a namespace package
                    return None
                self.modules[name] = found
                try:
                    yield from self.run(found, name)
                except Raised:
                    del self.modules[name]
                    raise
            if above is not None and is_new:
                above.names[parts[size - 1]] = found
        return found if found is not None and found.full == full else None

    def run(self, module: Module, name: str) -> Run:
        """Run the body of a module."""
        module.names.update(__name__=name, __file__="", __doc__=None)
        scope = Scope("module", module.tree, module, None, names_of(module.tree))
        scope.names = module.names
        self.enter()
        yield from self.block(module.tree.body, scope)
        self.depth -= 1
        module.is_done = True

    # truth, iteration

    def truth(self, value: Any) -> Run:
        """Return whether a value is true."""
        if isinstance(value, Unknown):
            return bool(value.head) or self.decide(value)
        if isinstance(value, External):
            return self.decide(self.unknown(value.full))
        if isinstance(value, Instance):
            for name in ("__bool__", "__len__"):
                method = value.cls.find(name)
                if method is not MISSING:
                    return (yield from self.truth((yield from self.call(method, [value], {}))))
            return bool(value.payload) if value.payload is not MISSING else True
        if isinstance(value, (*CONTAINERS, str, bytes, int, float, complex, type(None), range)):
            return bool(value)
        return True

    def iterator(self, value: Any) -> Run:
        """Return an iterator over a value."""
        if isinstance(value, (*CONTAINERS, str, bytes, range)):
            return iter(value)
        if isinstance(value, (Iterated, UnknownItems, *_HOST_ITERATORS)):
            return value
        if isinstance(value, (Unknown, External)):
            value = self.unknown(value.full) if isinstance(value, External) else value
            return UnknownItems(value)
        cls = value.cls if isinstance(value, Instance) else None
        if isinstance(value, Class):
            if value.trait("members") is not None:
                return iter([*value.traits.get("members", {}).values()])
            cls = value.meta
        if isinstance(value, Super):
            method = yield from self.attribute(value, "__iter__")
            return (yield from self.call(method, [], {}))
        if cls is not None:
            method = cls.find("__iter__")
            if method is not MISSING:
                made = yield from self.call(method, [value], {})
                return made if isinstance(made, Instance) else (yield from self.iterator(made))
            if isinstance(value, Instance):
                if value.payload is not MISSING:
                    return iter(value.payload)
                if cls.find("__next__") is not MISSING:
                    return value
                if cls.find("__getitem__") is not MISSING:
                    return Iterated(self._by_index(value))
                if cls.is_open:
                    return UnknownItems(Unknown(origins(value)))
        hidden = getattr(value, "iterate", None)
        if hidden is not None:
            return hidden(self)
        raise error(TypeError, "not iterable")

    def _by_index(self, value: Instance) -> Run:
        for index in range(_MOST_ITEMS):
            try:
                item = yield from self.item(value, index)
            except Raised as raised:
                if any(is_error(raised.value.cls, end) for end in (IndexError, StopIteration)):
                    return
                raise
            yield Yielded(item)

    def following(self, iterator: Any) -> Run:
        """Return the next item of an iterator, or MISSING behind the last one."""
        self.tick()
        if isinstance(iterator, Iterated):
            return (yield from self.resume(iterator))
        if isinstance(iterator, UnknownItems):
            if iterator.count == _UNKNOWN_ITEMS or not self.decide():
                return MISSING
            iterator.count += 1
            return Unknown(iterator.of.origins | origins(*iterator.of.names.values()))
        if isinstance(iterator, Instance):
            method = iterator.cls.find("__next__")
            if method is MISSING:
                if iterator.cls.is_open:
                    return Unknown(origins(iterator)) if self.decide() else MISSING
                raise error(TypeError, "no iterator")
            try:
                return (yield from self.call(method, [iterator], {}))
            except Raised as raised:
                if builtin_class(StopIteration) in raised.value.cls.mro:
                    return MISSING
                raise
        if not isinstance(iterator, _HOST_ITERATORS):
            raise GiveUp("an iterator of another kind")
        try:
            return next(iterator, MISSING)  # type: ignore[call-overload]
        except RuntimeError as changed:
            raise error(RuntimeError, str(changed)) from None

    def items(self, value: Any) -> Run:
        """Return all items of a value."""
        iterator = yield from self.iterator(value)
        found: list[Any] = []
        while (item := (yield from self.following(iterator))) is not MISSING:
            found.append(item)
            if len(found) > _MOST_ITEMS:
                raise GiveUp("too many items")
        return found

    def resume(self, one: Iterated, sent: Any = None, raised: Raised | None = None) -> Run:
        """Let a generator go on to its next yield; return MISSING when it ends."""
        if one.state == "running":
            raise error(ValueError, "generator already executing")
        if one.state == "done":
            if raised is not None:
                raise raised
            return MISSING
        is_new, one.state = one.state == "new", "running"
        depth, tries, site = self.depth, self.tries, self.site
        try:
            if raised is not None:
                if is_new:
                    raise raised
                event = one.run.throw(raised)
            else:
                event = one.run.send(None if is_new else sent)
            while not isinstance(event, Yielded):
                event = one.run.send((yield event))
        except StopIteration as end:
            one.state, one.result = "done", end.value
            self.depth = depth
            return MISSING
        except Raised as failed:
            one.state = "done"
            ends: list[type] = [StopIteration]
            ends += [StopAsyncIteration] if one.kind == "async_generator" else []
            if one.is_body and any(is_error(failed.value.cls, end) for end in ends):
                wrong = error(RuntimeError, "generator raised StopIteration")
                wrong.value.names["__cause__"] = failed.value
                raise wrong from None
            raise
        except BaseException:
            one.state = "done"
            raise
        one.state = "open"
        self.depth, self.site = depth, site
        if one.is_body and self.tries > tries:
            self.left_open[id(one)] = one
        self.tries = tries
        return event.value

    def awaited(self, value: Any) -> Run:
        """Return the result of something that is awaited."""
        if isinstance(value, Iterated):
            if value.state != "new":
                raise error(RuntimeError, "cannot reuse already awaited coroutine")
            value.state = "done"
            return (yield from value.run)
        if isinstance(value, (Unknown, External)):
            return Unknown(origins(value))
        if isinstance(value, Instance) and value.cls.find("__await__") is not MISSING:
            made = yield from self.call(value.cls.find("__await__"), [value], {})
            if isinstance(made, Iterated):
                while (yield from self.resume(made)) is not MISSING:
                    yield Waiting(None)
                return made.result
        hidden = getattr(value, "awaited", None)
        if hidden is not None:
            return (yield from hidden(self))
        raise GiveUp("something awaited")

    # the other modules

    def call(self, callee: Any, arguments: list[Any], keywords: dict[str, Any]) -> Run:
        """Call something."""
        return calling.call(self, callee, arguments, keywords)

    def attribute(self, value: Any, name: str) -> Run:
        """Return an attribute; raises AttributeError in the code."""
        return attributes.attribute(self, value, name)

    def item(self, value: Any, key: Any) -> Run:
        """Return an item; raises KeyError and the like in the code."""
        return items.item(self, value, key)

    def special(self, value: Any, name: str, *arguments: Any) -> Run:
        """Call a special method of an instance; MISSING when its class has none."""
        method = value.cls.find(name) if isinstance(value, Instance) else MISSING
        if method is MISSING or method is None:
            return MISSING
        return (yield from self.call(method, [value, *arguments], {}))

    def drive(self, run: Run) -> Any:
        """Run to the end what does not wait."""
        try:
            event = next(run)
        except StopIteration as end:
            return end.value
        raise GiveUp(f"{type(event).__name__} outside of a function")
