"""Values: what a rehearsal computes with.

    "text", 7, [..], {..}      values of this Python, whose parts are values again
    Unknown({(0, 12)})         something that came from outside, and what it was made of
    Function, Class, Instance  definitions and objects of the code, never those of this Python

Next: machine.py.
"""

from __future__ import annotations

import ast
import builtins
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from typing import Any

type Origin = tuple[int, int]  # file and node
type Site = tuple[ast.stmt | None, ast.stmt | None, int]
"""Where something is decided: the statement that called, the statement, the decisions before."""
type Run = Generator[Any, Any, Any]
"""A piece of a rehearsal: yields Yielded to who asks for an item, Waiting to the event loop."""

EMPTY: frozenset[Origin] = frozenset()
_NONE: dict[Any, Any] = {}
VIEWS = (type(_NONE.keys()), type(_NONE.values()), type(_NONE.items()))
CONTAINERS = (list, tuple, set, frozenset, dict, deque, *VIEWS)
PLAIN = (str, bytes, int, float, complex, bool, type(None), type(Ellipsis), slice, range)


class GiveUp(Exception):
    """What is met cannot be rehearsed; its text says why."""


class Cut(Exception):
    """One way through the program goes round and round; others leave the loop."""


class Raised(Exception):
    """An exception of the code."""

    def __init__(self, value: Instance, *, by_rule: bool = False) -> None:
        super().__init__(value)
        self.value, self.by_rule = value, by_rule


class Yielded:
    """A value that a generator hands out."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value


class Waiting:
    """A coroutine that goes on when a condition holds, or at a time."""

    __slots__ = ("ready", "until")

    def __init__(self, ready: Callable[[], bool] | None, until: float = 0.0) -> None:
        self.ready, self.until = ready, until


HIDDEN: Any = object()  # the structure of what a class outside may do with its instances


class Unknown:
    """A value of which only the origins are known; equal to itself only."""

    __slots__ = ("head", "is_any", "is_some", "names", "origins", "owner", "structure")

    def __init__(
        self, origins: Iterable[Origin] = (), structure: Any = None, *, is_some: bool = False
    ) -> None:
        self.origins = set(origins)
        self.is_some = is_some  # surely not None, as a text that was put together
        self.names: dict[str, Any] = {}
        self.owner: tuple[Unknown, str] | None = None  # what it is an attribute of
        self.structure = structure  # of a text that was made of it, as by json.dumps
        self.head = ""  # of a text: what it begins with
        self.is_any = False  # as a key of a dict: of what an unknown mapping gave it


class UnknownItems:
    """The items of something unknown: none, one or two."""

    __slots__ = ("count", "of")

    def __init__(self, of: Unknown) -> None:
        self.of, self.count = of, 0


class Scope:
    """Names of a module, class body, function or comprehension while it runs."""

    __slots__ = ("asked", "kind", "known", "module", "names", "node", "owner", "parent")

    def __init__(
        self,
        kind: str,
        node: ast.AST,
        module: Module,
        parent: Scope | None,
        known: Names,
    ) -> None:
        self.kind, self.node, self.module, self.parent, self.known = (
            kind,
            node,
            module,
            parent,
            known,
        )
        self.names: dict[str, Any] = {}
        self.owner: Class | None = None  # the class of a method, for super()
        self.asked: Instance | None = None  # the exception that is handled


class Names:
    """Which names the body of a definition binds, and which it takes from elsewhere."""

    __slots__ = ("globals", "is_generator", "local", "outer")

    def __init__(self) -> None:
        self.local: set[str] = set()
        self.globals: set[str] = set()
        self.outer: set[str] = set()
        self.is_generator = False


class Module:
    """A module of the repository."""

    __slots__ = ("file", "full", "is_done", "is_package", "names", "tree")

    def __init__(self, full: str, file: int, tree: ast.Module, *, is_package: bool = False) -> None:
        self.full, self.file, self.tree, self.is_package = full, file, tree, is_package
        self.names: dict[str, Any] = {}
        self.is_done = False


class External:
    """Something outside of the repository, by its qualified name."""

    __slots__ = ("full",)

    def __init__(self, full: str) -> None:
        self.full = full

    def __eq__(self, other: object) -> bool:
        return isinstance(other, External) and other.full == self.full

    def __hash__(self) -> int:
        return hash(self.full)


class Function:
    """A function or lambda of the code."""

    __slots__ = ("defaults", "known", "kw_defaults", "names", "node", "owner", "scope")

    def __init__(self, node: Any, scope: Scope, known: Names) -> None:
        self.node, self.scope, self.known = node, scope, known
        self.defaults: list[Any] = []
        self.kw_defaults: dict[str, Any] = {}
        self.names: dict[str, Any] = {}
        self.owner: Class | None = None


class Native:
    """A function of the library that the rehearsal knows."""

    __slots__ = ("name", "names", "run")

    def __init__(self, name: str, run: Callable[..., Run]) -> None:
        self.name, self.run = name, run
        self.names: dict[str, Any] = {}


class Bound:
    """A function with its first argument."""

    __slots__ = ("function", "receiver")

    def __init__(self, function: Any, receiver: Any) -> None:
        self.function, self.receiver = function, receiver

    def __eq__(self, other: object) -> bool:
        is_bound = isinstance(other, Bound)
        return is_bound and (self.function, self.receiver) == (other.function, other.receiver)  # type: ignore[attr-defined]

    def __hash__(self) -> int:
        return hash((id(self.function), id(self.receiver)))


class Method:
    """A method of a built-in value, as `[].append`."""

    __slots__ = ("name", "receiver")

    def __init__(self, receiver: Any, name: str) -> None:
        self.receiver, self.name = receiver, name


class Wrapper:
    """A staticmethod or classmethod."""

    __slots__ = ("function", "kind")

    def __init__(self, kind: str, function: Any) -> None:
        self.kind, self.function = kind, function


class Property:
    """A property, cached or not."""

    __slots__ = ("cached", "getter", "name", "setter", "undo")

    def __init__(
        self, getter: Any = None, setter: Any = None, undo: Any = None, *, cached: bool = False
    ) -> None:
        self.getter, self.setter, self.undo, self.cached = getter, setter, undo, cached
        self.name = ""


class Partial:
    """functools.partial."""

    __slots__ = ("arguments", "function", "keywords")

    def __init__(self, function: Any, arguments: list[Any], keywords: dict[str, Any]) -> None:
        self.function, self.arguments, self.keywords = function, arguments, keywords


class Class:
    """A class of the code, or a built-in one."""

    __slots__ = (
        *("bases", "children", "host", "is_open", "meta", "module", "mro", "name", "names"),
        "traits",
    )

    def __init__(self, name: str, bases: list[Class], names: dict[str, Any] | None = None) -> None:
        self.name, self.bases = name, bases
        self.names = {} if names is None else names
        self.host: type | None = None  # the built-in class that it is
        self.meta: Class | None = None
        self.module = ""
        self.traits: dict[str, Any] = {}
        self.is_open = False  # something outside may add to it
        self.children: list[Class] = []
        self.mro = [self, *linearize(bases)]

    def find(self, name: str) -> Any:
        """Return what the class or one above it has under a name, or MISSING."""
        for each in self.mro:
            if name in each.names:
                return each.names[name]
        return MISSING

    def trait(self, name: str) -> Any:
        """Return a trait of the nearest class that has it."""
        for each in self.mro:
            if name in each.traits:
                return each.traits[name]
        return None

    def above(self) -> type | None:
        """Return the built-in container or text that the class extends."""
        for each in self.mro:
            if each.host is not None and each.host is not object:
                return each.host
        return None


class Instance:
    """An object of a class of the code, or an exception."""

    __slots__ = ("cls", "names", "payload")

    def __init__(self, cls: Class) -> None:
        self.cls = cls
        self.names: dict[str, Any] = {}
        self.payload: Any = MISSING  # the list, dict or text that it is besides


class Super:
    """super(): looks behind a class in the order of a receiver's."""

    __slots__ = ("cls", "receiver")

    def __init__(self, cls: Class, receiver: Any) -> None:
        self.cls, self.receiver = cls, receiver


class Iterated:
    """A generator, coroutine or lazy iterator that is rehearsed step by step."""

    __slots__ = ("is_body", "kind", "names", "result", "run", "state")

    def __init__(self, run: Run, kind: str = "generator", *, is_body: bool = False) -> None:
        self.run, self.kind, self.is_body = run, kind, is_body
        self.state = "new"  # new, open, running, done
        self.names: dict[str, Any] = {}
        self.result: Any = None


class _Missing:
    def __bool__(self) -> bool:
        return False


MISSING: Any = _Missing()


def number_of(node: ast.AST) -> int:
    """Return the number of a node; -1 for one that the evidence does not number."""
    return getattr(node, "no", -1)


def linearize(bases: list[Class]) -> list[Class]:
    """Return the classes above, in the order in which Python looks (C3)."""
    rows = [list(base.mro) for base in bases] + [list(bases)]
    found: list[Class] = []
    while rows := [row for row in rows if row]:
        for row in rows:
            head = row[0]
            if not any(head in other[1:] for other in rows):
                break
        else:
            raise GiveUp("classes without an order")
        found.append(head)
        for row in rows:
            if row[0] is head:
                del row[0]
    return found


_BUILTIN: dict[type, Class] = {}


def builtin_class(host: type) -> Class:
    """Return the class that stands for one of Python's own."""
    found = _BUILTIN.get(host)
    if found is None:
        found = Class(host.__name__, [builtin_class(base) for base in host.__bases__])
        found.host, found.module = host, "builtins"
        _BUILTIN[host] = found
    return found


OBJECT = builtin_class(object)
EXCEPTION = builtin_class(BaseException)
TYPE = builtin_class(type)


UNKNOWN_ERROR = Class("Exception", [builtin_class(Exception)])
"""What something outside raises: of any kind that a handler asks for, or not."""


_BY_RULE = (TypeError, AttributeError, RuntimeError, ImportError)
"""Errors that programs seldom end with: where one does, the rehearsal may be at fault."""


def error(kind: type[BaseException], *arguments: Any) -> Raised:
    """Return an exception of Python's own to raise in the code."""
    made = Instance(builtin_class(kind))
    made.names["args"] = tuple(arguments)
    if kind in (StopIteration, StopAsyncIteration):
        made.names["value"] = arguments[0] if arguments else None
    return Raised(made, by_rule=issubclass(kind, _BY_RULE))


def is_error(cls: Class, kind: type = BaseException) -> bool:
    """Tell whether a class is an exception."""
    return builtin_class(kind) in cls.mro


def class_of(value: Any) -> Class | None:
    """Return the class of a value, when it is known."""
    if isinstance(value, Instance):
        return value.cls
    if isinstance(value, Class):
        return value.meta or TYPE
    if isinstance(value, (*PLAIN, *CONTAINERS)):
        host = type(value)
        while host.__module__ not in ("builtins", "collections"):
            host = host.__base__  # type: ignore[assignment]
        return builtin_class(host)
    return None


_CAUSES = ("__cause__", "__context__")  # an exception does not hold them


def parts(value: Any) -> Iterator[Any]:
    """Yield what a value holds."""
    if isinstance(value, dict):
        yield from value.keys()
        yield from value.values()
    elif isinstance(value, CONTAINERS):
        yield from value
    elif isinstance(value, Instance):
        yield from (each for name, each in value.names.items() if name not in _CAUSES)
        if value.payload is not MISSING:
            yield value.payload
    elif isinstance(value, (Bound, Method)):
        yield value.receiver
    elif isinstance(value, Partial):
        yield from value.arguments
        yield from value.keywords.values()
    elif isinstance(value, Unknown):
        yield from value.names.values()
    elif isinstance(value, slice):
        yield from (value.start, value.stop, value.step)
    elif (hidden := getattr(value, "parts", None)) is not None:
        yield from hidden()


def origins(*values: Any) -> set[Origin]:
    """Return the origins of values and of all that they hold."""
    found: set[Origin] = set()
    seen: set[int] = set()
    todo = [*values]
    keep: list[Any] = []
    while todo:
        one = todo.pop()
        if isinstance(one, Unknown):
            found |= one.origins
        if isinstance(one, PLAIN) and not isinstance(one, slice):
            continue
        if id(one) not in seen:
            seen.add(id(one))
            keep.append(one)
            todo += parts(one)
    return found


def headed(made: Unknown, *texts: Any) -> Unknown:
    """Tell an unknown text what it begins with, by the texts that it is put together of."""
    for each in texts:
        if not isinstance(each, str):
            made.head += each.head if isinstance(each, Unknown) else ""
            break
        made.head += each
    return made


def marked(value: Any, place: Origin, done: dict[int, Any]) -> Any:
    """Return a value whose parts come from a place, too; containers and instances stay the same.

    Args:
        value: the value.
        place: a further origin.
        done: what was made of each part, by its id.
    """
    if isinstance(value, Unknown):
        made = Unknown({*value.origins, place})
        made.names = value.names
        return made
    if isinstance(value, (str, bytes, int, float, complex, type(None))):
        return Unknown({place})
    if id(value) in done:
        return done[id(value)]
    done[id(value)] = value
    if isinstance(value, (tuple, frozenset)):
        done[id(value)] = type(value)(marked(each, place, done) for each in value)
    elif isinstance(value, (dict, list, deque)):
        for key, each in value.items() if isinstance(value, dict) else enumerate(value):
            value[key] = marked(each, place, done)
    elif isinstance(value, set):
        parts = [marked(each, place, done) for each in value]
        value.clear()
        value.update(parts)
    elif isinstance(value, Instance):
        marked(value.names, place, done)
        if value.payload is not MISSING:
            value.payload = marked(value.payload, place, done)
    return done[id(value)]


def is_known(*values: Any) -> bool:
    """Tell whether values hold nothing but values of this Python."""
    todo, seen = [*values], set[int]()
    while todo:
        one = todo.pop()
        if isinstance(one, PLAIN) and not isinstance(one, slice):
            continue
        if not isinstance(one, (*CONTAINERS, slice)):
            return False
        if id(one) not in seen:
            seen.add(id(one))
            todo += parts(one)
    return True


BUILTIN_NAMES = frozenset(dir(builtins))
