"""Chaos: run any code with values that do anything, so that every path can be taken.

    explore(program, 200)        # runs each of its code objects 200 times, under its trace

Every name that the code reads is given by the world: a value whose truth, comparisons, items,
attributes and calls are random, and whose every operation may raise. Nothing real can be reached
but literals, so any code may be run: it opens no file, imports nothing and prints nothing.
A chaotic value is a class and an exception as well, so it can be raised, caught and inherited from.
A run that took a new edge is kept; others repeat its beginning and then go another way.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import inspect
import random
import typing
import warnings
from collections.abc import Iterator, Mapping, Sequence
from types import CellType, CodeType, FunctionType
from typing import Any

from flow_trace import Program, runs_alone

PLAIN: list[Any] = [*[None] * 8, True, False, 0, 1, -1, "", "a", b"", 1.5, (), (1, 2)]
ERRORS = [ValueError, TypeError, KeyError, AttributeError, OSError, StopIteration, ImportError]


type Genome = tuple[tuple[int, int], ...]  # from which operation on, with which seed


class World:
    """The source of all values of one run."""

    current: World

    def __init__(self, genome: Genome, catchable: Sequence[str] = (), groups: bool = False) -> None:
        """Make a world.

        Args:
            genome: what happens; equal genomes make equal worlds.
            catchable: names of what the code catches.
            groups: also raise groups of exceptions.
        """
        World.current = self
        self.random = random.Random()
        self.count = 0
        self.recent: list[Any] = [None, None]
        self.groups = groups
        self.seeds = dict(genome)
        self._mutate(self.seeds[0])
        self.classes: dict[str, Any] = {}
        self.catchable = {name: self.named(name) for name in catchable}
        self.errors = [*self.catchable.values(), *ERRORS]
        self.asked: tuple[object, int, bool] = (None, 0, False)
        self.length: int | None = None

    def _mutate(self, seed: int) -> None:
        self.random.seed(seed)
        self.risk = self.random.choice([0.0, 0.0, 0.02, 0.1])
        self.plain = self.random.choice([0.02, 0.2, 0.5])

    def named(self, name: str) -> Any:
        """Return the exception class or the chaotic class of this name."""
        found = getattr(builtins, name, None)
        if isinstance(found, type) and issubclass(found, BaseException):
            return found
        if name not in self.classes:
            meta = self.random.choice([Chaos, Chaos, SequenceChaos, MappingChaos])
            self.classes[name] = meta(name, (Thing,), {})
        return self.classes[name]

    def look_up(self, name: str) -> Any:
        """Return what a name or attribute is now."""
        if name in self.catchable or (hasattr(builtins, name) and name[0].isupper()):
            return self.named(name)
        return self.value(name)

    def value(self, name: str = "x") -> Any:
        """Return any value."""
        pick = self.random.random()
        if pick < self.plain:
            found = self.random.choice([*PLAIN, self.recent[0], self.recent[1]])
        elif pick < self.plain + 0.05:
            found = [self.named(name) for _ in range(self.random.randrange(4))]
        elif pick < self.plain + 0.08:
            found = {"a": self.named(name), "k": 1}
        else:
            found = self.named(name)
        self.recent = [self.recent[1], found]
        return found

    def act(self, name: str = "x") -> Any:
        """Do any operation: it raises or returns any value."""
        self.dare()
        return self.value(name)

    def dare(self) -> None:
        """Raise now and then."""
        self.count += 1
        if self.count in self.seeds:
            self._mutate(self.seeds[self.count])
            if self.random.random() < 0.3:
                raise self.error()
        if self.random.random() < self.risk:
            raise self.error()

    def error(self) -> BaseException:
        """Return an exception."""
        pool = list(self.catchable.values()) if self.random.random() < 0.6 else []
        picked = [self.random.choice(pool or self.errors) for _ in range(2)]
        made = [type.__call__(kind) for kind in picked]
        plain = [item for item in made if isinstance(item, Exception)]
        if self.groups and plain and self.random.random() < 0.8:
            return ExceptionGroup("", plain)
        return made[0]

    def flip(self) -> bool:
        """Return true or false, or raise."""
        self.dare()
        return self.random.random() < 0.5

    def truth(self, value: object) -> bool:
        """Return the truth of a value; asked twice in a row, the same again.

        `a and b or c` asks for the truth of a twice in CPython 3.12 and 3.13.
        """
        asked, count, answer = self.asked
        if asked is not value or count != self.count:
            answer = self.flip()
            self.asked = (value, self.count, answer)
        return answer

    def measure(self) -> int:
        """Return a length, which the next iteration keeps to."""
        self.length = self.random.randrange(4)
        return self.length

    def some(self) -> Iterator[Any]:
        """Yield a few values."""
        length, self.length = self.length, None
        for _ in range(self.random.choice([0, 1, 2, 2, 2, 3]) if length is None else length):
            self.dare()
            yield self.value()

    def run(self, code: CodeType) -> None:
        """Execute a code object to its end, or to that of its fuel, whatever it does."""
        names = Names()
        made = {"__build_class__": builtins.__build_class__, "__import__": _import}
        dict.__setitem__(names, "__builtins__", made)
        cells = tuple(CellType(self.value(name)) for name in code.co_freevars)
        with warnings.catch_warnings(), contextlib.suppress(BaseException):
            warnings.simplefilter("ignore")
            if not code.co_flags & inspect.CO_OPTIMIZED:  # a module or a class body
                exec(
                    code, names, names if code.co_name == "<module>" else {}, closure=cells or None
                )
            else:
                self._drive(self._call(FunctionType(code, names, closure=cells)))

    def _call(self, function: FunctionType) -> Any:
        code = function.__code__
        count = code.co_argcount
        values = [self.value(name) for name in code.co_varnames[:count]]
        if code.co_name == "<genexpr>":
            values = [iter([self.value() for _ in range(self.random.randrange(4))])]
        named = code.co_varnames[count : count + code.co_kwonlyargcount]
        more = [self.value()] * self.random.randrange(3) if code.co_flags & 4 else []
        keywords = {name: self.value(name) for name in named}
        if code.co_flags & 8 and self.random.random() < 0.5:
            keywords["extra"] = self.value()
        return function(*values, *more, **keywords)

    def _drive(self, result: Any) -> None:
        """Run a generator, coroutine or asynchronous generator; sometimes throw into it."""
        if inspect.isasyncgen(result):
            for _ in range(6):
                self._drive(result.asend(None))
        if not hasattr(type(result), "send") or isinstance(result, Thing):
            return
        result.send(None)
        for _ in range(12):
            pick = self.random.random()
            if pick < 0.12:
                result.throw(self.error())
            elif pick < 0.15:
                result.close()
            elif inspect.isgenerator(result):
                result.send(self.value())
            else:
                result.send(None)


class Names(dict[str, Any]):
    """A namespace in which every name has a value."""

    def __missing__(self, name: str) -> Any:
        world = World.current
        world.dare()
        return world.look_up(name)


def _import(name: str, *_: object) -> Any:
    if name == "typing":  # the interpreter asks for it when it makes a generic class
        return typing
    return World.current.act("module")


class Chaos(type):
    """The class of chaotic values, which are classes."""


class Thing(Exception):
    """The base of chaotic values, whose instances are chaotic as well."""


class _Awaited:
    """Awaiting this takes a few steps."""

    def __await__(self) -> Iterator[Any]:
        world = World.current
        for _ in range(world.random.randrange(2)):
            yield None
        return world.act()


class _Items:
    """An asynchronous iterator over a few values."""

    def __init__(self) -> None:
        self._left = World.current.random.randrange(3)

    def __aiter__(self) -> _Items:
        return self

    async def __anext__(self) -> Any:
        if self._left == 0:
            raise StopAsyncIteration
        self._left -= 1
        return World.current.act()


def _operation(*_: object, **__: object) -> Any:
    return World.current.act()


def _attribute(_self: object, name: str) -> Any:
    if name in ("__mro_entries__", "__isabstractmethod__", "__set_name__", "__notes__"):
        raise AttributeError(name)  # asked for by the interpreter, not by the code
    if name == "__match_args__":
        return ("a", "b", "c")
    World.current.dare()
    return World.current.look_up(name)


def _called(self: Any, *args: object, **keywords: object) -> Any:
    world = World.current
    if isinstance(self, type) and not args and not keywords and world.random.random() < 0.5:
        return type.__call__(self)  # what `raise` needs
    return world.act()


_ARITHMETIC = "add sub mul matmul truediv floordiv mod divmod pow lshift rshift and xor or"
_METHODS: dict[str, Any] = {
    **{f"__{name}__": _operation for name in _ARITHMETIC.split()},
    **{f"__r{name}__": _operation for name in _ARITHMETIC.split()},
    **{f"__{name}__": _operation for name in ["neg", "pos", "invert", "getitem"]},
    **{f"__{name}__": lambda *_: World.current.flip() for name in ["contains", "eq", "ne"]},
    **{f"__{name}__": lambda *_: World.current.flip() for name in ["lt", "le", "gt", "ge"]},
    **{f"__{name}__": lambda *_: World.current.dare() for name in ["setitem", "delitem"]},
    "__setattr__": lambda *_: World.current.dare(),
    "__delattr__": lambda *_: World.current.dare(),
    "__getattr__": _attribute,
    "__call__": _called,
    "__hash__": lambda self: id(self),
    "__iter__": lambda _: World.current.some(),
    "__reversed__": lambda _: World.current.some(),
    "__bool__": lambda self: World.current.truth(self),
    "__len__": lambda _: World.current.measure(),
    "__index__": lambda _: World.current.random.randrange(3),
    "__int__": lambda _: World.current.random.randrange(3),
    "__str__": lambda _: "text",
    "__repr__": lambda _: "value",
    "__format__": lambda *_: World.current.dare() or "text",
    "__enter__": _operation,
    "__exit__": lambda *_: World.current.flip(),
    "__aenter__": lambda _: _Awaited(),
    "__aexit__": lambda *_: _Awaited(),
    "__await__": lambda _: _Awaited().__await__(),
    "__aiter__": lambda _: _Items(),
    "keys": lambda _: ["a", "k"][: World.current.random.randrange(3)],
    "get": lambda *args: World.current.act() if World.current.flip() else args[-1],
}
for _name, _method in _METHODS.items():
    setattr(Thing, _name, _method)
    if _name != "__hash__":
        setattr(Chaos, _name, _method)
Chaos.__hash__ = lambda self: id(self)  # type: ignore[method-assign]
Chaos.__instancecheck__ = lambda *_: World.current.flip()  # type: ignore[method-assign]
Chaos.__subclasscheck__ = lambda *_: World.current.flip()  # type: ignore[method-assign]
Chaos.__new__ = lambda meta, name, bases, space, **_: type.__new__(meta, name, bases, space)  # type: ignore[method-assign,assignment]
Chaos.__init__ = lambda *_, **__: None  # type: ignore[method-assign]


class SequenceChaos(Chaos):
    """Chaotic values that sequence patterns take for sequences."""


class MappingChaos(Chaos):
    """Chaotic values that mapping patterns take for mappings."""


Sequence.register(SequenceChaos)
Mapping.register(MappingChaos)


def explore(program: Program, rounds: int, limit: int = 3000, seed: int = 1) -> None:
    """Run every code object of a program again and again, and follow what is new.

    Args:
        program: takes note of what happens.
        rounds: runs of each code object.
        limit: events after which a run is ended.
        seed: equal seeds give equal runs.
    """
    dice = random.Random(seed)
    names = sorted({name for handler in program.handlers for name in _names(handler)})
    groups = any(isinstance(node, ast.TryStar) for node in ast.walk(program.tree))
    corpus: dict[int, list[tuple[Genome, int]]] = {id(code): [] for code in program.codes}
    with program.traced(limit):
        for code in [code for _ in range(rounds) for code in program.codes if runs_alone(code)]:
            kept = corpus[id(code)]
            genome: Genome = ((0, dice.randrange(1 << 30)),)
            if kept and dice.random() < 0.7:
                parent, length = dice.choice(kept)
                cut = dice.randrange(1, length + 2)
                start = tuple(gene for gene in parent if gene[0] < cut)
                genome = (*start, (cut, dice.randrange(1 << 30)))
            before = program.new
            world = World(genome, names, groups)
            program.begin()
            world.run(code)
            if program.new > before:
                kept.append((genome, world.count))


def _names(handler: ast.expr) -> list[str]:
    found = [node.id for node in ast.walk(handler) if isinstance(node, ast.Name)]
    return found + [node.attr for node in ast.walk(handler) if isinstance(node, ast.Attribute)]
