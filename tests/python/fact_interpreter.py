"""A concrete interpreter of facts: what a resolver could know, computed with real objects.

    Interpreter(read_facts(b"x = [i * 2 for i in (1, 2)]\n")).run() -> {"x": [2, 4], ...}

It reads the facts, and of the tree only what other evidence tells: the scope of each name
(`Scopes`, in place of symbol_table), names of definitions, and where statements end. If the facts
lost a value, a name, an index or the order, its module would differ from CPython's.
Functions are Python functions that run their facts, classes are made by their metaclass. Generator
expressions are eager; break, continue, while and async iteration are not executed.
"""

from __future__ import annotations

import builtins
import inspect
import operator
import types
import typing
from collections.abc import Callable, Generator
from typing import Any

from fact_rows import Fact, File
from fact_scopes import Frame, Scope, Scopes
from fact_steps import KINDS, NOTHING, STEPS, NoMatchError, ReturnedError, Step, arguments

type _Run = Generator[Any, Any, None]
_COMPREHENSIONS = {
    "listcomp": list,
    "setcomp": set,
    "dictcomp": dict,
    "genexp": iter,
}
_COLLECTED = {
    *("arg", "arg_star", "keyword", "keyword_star", "base", "base_star"),
    *("element", "element_star", "entry", "entry_star", "part", "key", "step"),
}
_COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    **{"==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le},
    **{">": operator.gt, ">=": operator.ge, "is": operator.is_, "is not": operator.is_not},
    "in": lambda left, right: left in right,
    "not in": lambda left, right: left not in right,
}


class Interpreter:
    def __init__(self, file: File) -> None:
        self.scopes = Scopes(file)
        self._groups: dict[int, list[Fact]] = {}
        for fact in file.facts:
            self._groups.setdefault(fact.owner, []).append(fact)

    def run(self) -> dict[str, Any]:
        """Execute the module and return its namespace."""
        scope = Scope("module", 0, {"__name__": "m"}, None)
        if any(fact.op == "annotate" for fact in self._groups.get(0, [])):
            scope.names["__annotations__"] = {}  # CPython makes it first
        self._drain(Frame(self._groups.get(0, []), scope))
        return scope.names

    def _drain(self, frame: Frame) -> Any:
        try:
            for _ in self._range(frame, 0, len(frame.facts)):
                raise AssertionError("a yield outside of a generator")
        except ReturnedError as returned:
            return returned.value
        return None

    def _generate(self, frame: Frame) -> Generator[Any, Any, Any]:
        try:
            yield from self._range(frame, 0, len(frame.facts))
        except ReturnedError as returned:
            return returned.value
        return None

    def _range(self, frame: Frame, place: int, end: int) -> _Run:
        while place < end:
            place = yield from self._at(frame, place)

    def _at(self, frame: Frame, place: int) -> Generator[Any, Any, int]:
        """Execute the fact at a place and return the place of the next one."""
        fact = frame.facts[place]
        skipped = [*frame.skipped.values(), *self.scopes.not_evaluated]
        if any(low <= fact.node <= high for low, high in skipped):
            return place + 1
        control = _CONTROL.get(fact.op)
        if control is not None:
            return (yield from control(self, frame, fact, place))
        if fact.op in _COLLECTED:
            pair = (fact, frame.values[typing.cast(int, fact.value)])
            frame.collected.setdefault(fact.node, []).append(pair)
            return place + 1
        made = _STEPS[fact.op](self, frame, fact)
        if made is not NOTHING:
            frame.values[fact.node] = made
        return place + 1

    def _end(self, frame: Frame, place: int, first: int, last: int) -> int:
        """Return the place behind the facts of a range of nodes."""
        facts = frame.facts
        while place < len(facts):
            fact = facts[place]
            inside = first <= fact.node <= last or fact.op == "narrow"
            if fact.op == "guard":
                inside = inside or first <= typing.cast(int, fact.value) <= last
            if not inside:
                break
            place += 1
        return place

    # control

    def _each(self, frame: Frame, fact: Fact, place: int) -> Generator[Any, Any, int]:
        loop = typing.cast(int, fact.other)
        items = frame.values[typing.cast(int, fact.value)]
        if loop in self.scopes.bodies:
            end = self._end(frame, place + 1, *self.scopes.bodies[loop])
            for item in items:
                frame.values[fact.node] = item
                yield from self._range(frame, place + 1, end)
            return end
        end = next(
            at
            for at in range(place, len(frame.facts))
            if frame.facts[at].node == loop and frame.facts[at].op in _COMPREHENSIONS
        )
        outer = frame.scope
        frame.scope = Scope("comprehension", outer.number, {}, outer)
        found: list[Any] = []
        yield from self._clause(frame, place, end, found)
        frame.scope = outer
        frame.values[loop] = _COMPREHENSIONS[frame.facts[end].op](found)
        return end + 1

    def _clause(self, frame: Frame, place: int, end: int, found: list[Any]) -> _Run:
        clause, made = frame.facts[place], frame.facts[end]
        for item in frame.values[typing.cast(int, clause.value)]:
            frame.values[clause.node] = item
            at = place + 1
            while at < end:
                fact = frame.facts[at]
                if fact.op == "each" and fact.other == made.node:
                    yield from self._clause(frame, at, end, found)
                    break
                if fact.op == "test" and fact.node == made.node:
                    if not frame.values[typing.cast(int, fact.value)]:
                        break
                    at += 1
                    continue
                at = yield from self._at(frame, at)
            else:
                value = frame.values[typing.cast(int, made.value)]
                key = None if made.other is None else frame.values[made.other]
                found.append(value if made.other is None else (key, value))

    def _test(self, frame: Frame, fact: Fact, place: int) -> Generator[Any, Any, int]:
        yield from ()
        truth = bool(frame.values[typing.cast(int, fact.value)])
        if fact.node in self.scopes.branches:
            taken, other = self.scopes.branches[fact.node]
            frame.skipped[fact.node] = other if truth else taken
        elif any(case[0] == fact.node for case in self.scopes.cases.values()):
            if not truth:
                raise NoMatchError
        else:
            frame.tests[fact.node] = [truth, not truth]
        return place + 1

    def _guard(self, frame: Frame, fact: Fact, place: int) -> Generator[Any, Any, int]:
        first, last = typing.cast(int, fact.value), typing.cast(int, fact.other)
        if (fact.text or "").startswith("try "):
            return (yield from self._try(frame, fact, place + 1))
        is_inside = fact.node < first and last <= self.scopes.lasts[fact.node]
        if is_inside and fact.node in frame.tests and not frame.tests[fact.node].pop(0):
            return self._end(frame, place + 1, first, last)
        return place + 1

    def _try(self, frame: Frame, fact: Fact, place: int) -> Generator[Any, Any, int]:
        node = fact.node
        end = self._end(frame, place, typing.cast(int, fact.value), typing.cast(int, fact.other))
        extents, at = [], end
        for low, high in self.scopes.handlers[node]:
            extents.append((at, self._end(frame, at, low, high)))
            at = extents[-1][1]
        behind = at
        if node in self.scopes.orelse:
            behind = self._end(frame, at, *self.scopes.orelse[node])
        final = behind
        if node in self.scopes.final:
            final = self._end(frame, behind, *self.scopes.final[node])
        try:
            yield from self._caught(frame, place, end, extents, (at, behind))
        finally:
            yield from self._range(frame, behind, final)
        return final

    def _caught(
        self,
        frame: Frame,
        place: int,
        end: int,
        extents: list[tuple[int, int]],
        orelse: tuple[int, int],
    ) -> _Run:
        """Run the body and the else of a try, or the handler of what they raise."""
        try:
            yield from self._range(frame, place, end)
            yield from self._range(frame, *orelse)
        except Exception as error:
            if isinstance(error, ReturnedError | NoMatchError):
                raise
            frame.caught = error
            for low, high in extents:
                while frame.facts[low].op != "handler":
                    low = yield from self._at(frame, low)
                handler = frame.facts[low]
                kind = Exception if handler.value is None else frame.values[handler.value]
                if isinstance(error, kind):
                    frame.values[handler.node] = error
                    yield from self._handle(frame, low + 1, high)
                    return
            raise

    def _handle(self, frame: Frame, place: int, end: int) -> _Run:
        """Run a handler; the name behind `as` goes however it is left."""
        final = frame.facts[end - 1]
        is_named = final.op == "delete" and final.node == frame.facts[place - 1].node
        try:
            yield from self._range(frame, place, end - is_named)
        finally:
            yield from self._range(frame, end - is_named, end)

    def _enter(self, frame: Frame, fact: Fact, place: int) -> Generator[Any, Any, int]:
        manager = frame.values[fact.node]
        frame.collected[fact.node] = [(fact, type(manager).__enter__(manager))]
        statement = self.scopes.managers[fact.node]
        end = self._end(frame, place + 1, statement, self.scopes.lasts[statement])
        try:
            yield from self._range(frame, place + 1, end)
        except Exception as error:
            if not type(manager).__exit__(manager, type(error), error, None):
                raise
        else:
            type(manager).__exit__(manager, None, None, None)
        return end

    def _match(self, frame: Frame, fact: Fact, place: int) -> Generator[Any, Any, int]:
        frame.values[fact.node] = frame.values[typing.cast(int, fact.value)]
        if fact.node in self.scopes.cases:
            first, last, end = self.scopes.cases[fact.node]
            behind = self._end(frame, place + 1, first, last)
            try:
                yield from self._range(frame, place + 1, behind)
            except NoMatchError:
                return behind
            return self._end(frame, behind, first, end)
        if fact.node not in self.scopes.alternatives:
            return place + 1
        every = self.scopes.alternatives[fact.node]
        behind = self._end(frame, place, fact.node, self.scopes.lasts[fact.node])
        try:
            yield from self._range(frame, place + 1, behind)
        except NoMatchError:
            del frame.values[fact.node]
            if fact.node == every[-1]:
                raise
            return behind
        return self._end(frame, behind, every[0], self.scopes.lasts[every[-1]])

    def _yield(self, frame: Frame, fact: Fact, place: int) -> Generator[Any, Any, int]:
        value = None if fact.value is None else frame.values[fact.value]
        frame.values[fact.node] = yield value
        return place + 1

    def _yield_from(self, frame: Frame, fact: Fact, place: int) -> Generator[Any, Any, int]:
        frame.values[fact.node] = yield from frame.values[typing.cast(int, fact.value)]
        return place + 1

    def _either(self, frame: Frame, fact: Fact, place: int) -> Generator[Any, Any, int]:
        yield from ()
        node, chosen = fact.node, typing.cast(int, fact.value)
        if fact.text == "if":
            low, high = frame.skipped[node]
            if not low <= chosen <= high:
                frame.values[node] = frame.values[chosen]
            return place + 1
        value = frame.values[node] = frame.values[chosen]
        is_decided = bool(value) is (fact.text == "or")
        return self._rest(frame, fact, place + 1, chosen) if is_decided else place + 1

    def _rest(self, frame: Frame, fact: Fact, place: int, operand: int) -> int:
        """Return the place behind the operands that do not happen any more."""
        first, last = self.scopes.lasts[operand] + 1, self.scopes.lasts[fact.node]
        while place < len(frame.facts):
            found = frame.facts[place]
            is_mine = found.node == fact.node and found.op in (fact.op, "guard")
            if not (is_mine or first <= found.node <= last or found.op == "narrow"):
                break
            place += 1
        return place

    def _compare(self, frame: Frame, fact: Fact, place: int) -> Generator[Any, Any, int]:
        yield from ()
        left, right = frame.values[fact.value or 0], frame.values[fact.other or 0]
        frame.values[fact.node] = result = _COMPARE[fact.text or ""](left, right)
        return place + 1 if result else self._rest(frame, fact, place + 1, fact.other or 0)

    # names

    def _load(self, frame: Frame, fact: Fact) -> Any:
        name, scope = fact.text or "", frame.scope
        if fact.node in self.scopes.generic and scope.number != self.scopes.generic[fact.node]:
            return typing.TypeVar(name)
        start: Scope | None = scope
        if self.scopes.declared.get((scope.number, name)) == "global":
            start = scope.module()
        elif scope.kind == "class" and name not in scope.names:  # bound later: not of a function
            stored = [item.text for item in frame.facts if item.op == "store"]
            start = scope.module() if name in stored else scope
        at = start
        while at is not None:
            if (at is start or at.kind != "class") and name in at.names:
                return at.names[name]
            at = at.outer
        return getattr(builtins, name)

    def home(self, frame: Frame, fact: Fact) -> Any:
        """Return the namespace in which an occurrence binds its name."""
        scope = frame.scope
        if fact.node in self.scopes.targets:
            return scope.names
        while scope.kind == "comprehension":
            scope = typing.cast(Scope, scope.outer)
        declared = self.scopes.declared.get((scope.number, fact.text or ""))
        if declared == "global":
            return scope.module().names
        if declared == "nonlocal":
            scope = typing.cast(Scope, scope.outer)
            while scope.kind == "class" or fact.text not in scope.names:
                scope = typing.cast(Scope, scope.outer)
        return scope.names

    # definitions

    def _function(self, frame: Frame, fact: Fact) -> Any:
        number = typing.cast(int, fact.idx)
        facts = self._groups.get(number, [])
        parameters = [item for item in facts if item.op in KINDS]
        defaults = [inspect.Parameter.empty if item.value is None else frame.values[item.value]
                    for item in parameters]  # fmt: skip
        annotations = {
            item.text: frame.values[item.other] for item in parameters if item.other is not None
        }
        signature = inspect.Signature(
            [
                inspect.Parameter(item.text or "", KINDS[item.op], default=default)
                for item, default in zip(parameters, defaults, strict=True)
            ]
        )
        outer = frame.scope
        is_generator = any(item.op == "generator" for item in facts)

        def activate(args: Any, kwargs: Any) -> Frame:
            bound = signature.bind(*args, **kwargs)
            bound.apply_defaults()
            scope = Scope("function", number, dict(bound.arguments), outer)
            scope.first = next(iter(bound.arguments.values()), None)
            made = Frame(facts, scope)
            made.values |= {item.node: scope.names[item.text] for item in parameters}
            return made

        if fact.text == "async":

            async def function(*args: Any, **kwargs: Any) -> Any:
                return self._drain(activate(args, kwargs))

        else:

            def function(*args: Any, **kwargs: Any) -> Any:
                made = activate(args, kwargs)
                return self._generate(made) if is_generator else self._drain(made)

        function.__name__ = self.scopes.names[number]
        returns = [item for item in facts if item.op == "returns"]
        if returns:
            annotations["return"] = frame.values[typing.cast(int, returns[0].value)]
        function.__annotations__ = typing.cast(Any, annotations)
        function.__dict__["__signature__"] = signature
        function.__module__ = "m"
        return function

    def _class(self, frame: Frame, fact: Fact) -> Any:
        number = typing.cast(int, fact.idx)
        bases, keywords = arguments(frame.collected.pop(fact.node, []))
        scopes: list[Scope] = []

        def body(namespace: Any) -> None:
            namespace["__module__"] = "m"
            namespace["__qualname__"] = self.scopes.names[number]
            scopes.append(Scope("class", number, namespace, frame.scope))
            self._drain(Frame(self._groups.get(number, []), scopes[0]))

        made = types.new_class(self.scopes.names[number], tuple(bases), keywords, body)
        scopes[0].made_class = made
        return made

    def _call(self, frame: Frame, fact: Fact) -> Any:
        args, keywords = arguments(frame.collected.pop(fact.node, []))
        called = frame.values[typing.cast(int, fact.value)]
        if called is super and not args:
            scope = frame.scope
            while scope.kind != "class":
                first, scope = scope.first, typing.cast(Scope, scope.outer)
            return super(scope.made_class, first)
        return called(*args, **keywords)

    def _annotate(self, frame: Frame, fact: Fact) -> Any:
        scope = frame.scope
        if scope.kind != "function" and fact.text is not None:
            notes = scope.names.setdefault("__annotations__", {})
            notes[fact.text] = frame.values[typing.cast(int, fact.value)]
        return NOTHING

    def _store(self, frame: Frame, fact: Fact) -> Any:
        if fact.value in frame.values:  # `as` behind an alternative that did not match
            self.home(frame, fact)[fact.text] = frame.values[fact.value]
        return NOTHING


_CONTROL: dict[str, Callable[..., Generator[Any, Any, int]]] = {
    "each": Interpreter._each,
    "test": Interpreter._test,
    "guard": Interpreter._guard,
    "enter": Interpreter._enter,
    "match": Interpreter._match,
    "yield": Interpreter._yield,
    "yield_from": Interpreter._yield_from,
    "either": Interpreter._either,
    "compare": Interpreter._compare,
}
_STEPS: dict[str, Step] = STEPS | {
    "load": Interpreter._load,
    "store": Interpreter._store,
    "call": Interpreter._call,
    "function": Interpreter._function,
    "lambda": Interpreter._function,
    "class": Interpreter._class,
    "annotate": Interpreter._annotate,
}
