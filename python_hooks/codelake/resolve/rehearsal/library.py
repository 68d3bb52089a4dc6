"""Library: what the rehearsal knows of names outside, by their qualified name.

    library("functools.partial")   -> a function that is rehearsed
    library("os.path")             -> MISSING: something outside

Each module has a table FUNCTIONS of what it knows.
"""

from __future__ import annotations

import builtins
from collections import Counter, deque
from collections.abc import Callable
from functools import cache
from typing import Any

from codelake.resolve.rehearsal import (
    builtin_functions,
    environment,
    event_loop,
    function_tools,
    handled_errors,
    iterators,
    library_functions,
    managers,
    mocks,
    queues,
    text_objects,
    threads,
)
from codelake.resolve.rehearsal.values import (
    MISSING,
    OBJECT,
    Class,
    Native,
    Run,
    builtin_class,
)

_FUNCTIONS: dict[str, Callable[..., Run]] = {
    **builtin_functions.FUNCTIONS,
    **iterators.FUNCTIONS,
    **function_tools.FUNCTIONS,
    **library_functions.FUNCTIONS,
    **text_objects.FUNCTIONS,
    **managers.FUNCTIONS,
    **queues.FUNCTIONS,
    **event_loop.FUNCTIONS,
    **threads.FUNCTIONS,
    **environment.FUNCTIONS,
    **mocks.FUNCTIONS,
    **handled_errors.FUNCTIONS,
}
SCOPED = {**builtin_functions.SCOPED, **handled_errors.SCOPED}
_CONSTANTS: dict[str, Any] = {
    "builtins.NotImplemented": NotImplemented,
    "builtins.Ellipsis": Ellipsis,
    "builtins.__debug__": True,
    "typing.TYPE_CHECKING": False,
    "math.inf": float("inf"),
    "math.pi": 3.141592653589793,
}


@cache
def library(full: str) -> Any:
    """Return what stands for a name outside, or MISSING."""
    if full in _CONSTANTS:
        return _CONSTANTS[full]
    module, _, name = full.rpartition(".")
    if full in _FUNCTIONS:
        return Native(full, _FUNCTIONS[full])
    if full in _CLASSES:
        return _CLASSES[full]()
    if module == "builtins":
        found = getattr(builtins, name, None)
        if isinstance(found, type):
            return builtin_class(found)
    if full == "asyncio.CancelledError":
        return builtin_class(event_loop.CancelledError)
    if module in ("queue", "asyncio") and name in queues.ERRORS:
        return builtin_class(queues.ERRORS[name])
    return MISSING


def _enum(kind: str, *bases: type) -> Callable[[], Class]:
    def make() -> Class:
        made = Class("Enum", [*map(builtin_class, bases)] or [OBJECT])
        made.traits["enum"] = kind
        made.traits["members"] = None
        return made

    return make


def _named_tuple() -> Class:
    made = Class("NamedTuple", [OBJECT])
    made.traits["named_tuple"] = True
    return made


def _namespace() -> Class:
    made = Class("SimpleNamespace", [OBJECT])

    def start(_: Any, arguments: list[Any], keywords: dict[str, Any]) -> Run:
        arguments[0].names.update(keywords)
        return None
        yield

    made.names["__init__"] = Native("__init__", start)
    made.traits["shows_names"] = True
    return made


def _plain(name: str) -> Callable[[], Class]:
    return lambda: Class(name, [OBJECT])


def _of(host: type) -> Callable[[], Class]:
    return lambda: builtin_class(host)


_CLASSES: dict[str, Callable[[], Any]] = {
    "enum.Enum": _enum("plain"),
    "enum.IntEnum": _enum("number", int),
    "enum.StrEnum": _enum("text", str),
    "enum.Flag": _enum("flag"),
    "typing.NamedTuple": _named_tuple,
    "types.SimpleNamespace": _namespace,
    "threading.Thread": threads.thread_class,
    "abc.ABC": _plain("ABC"),
    "abc.ABCMeta": lambda: builtin_class(type),
    "collections.deque": _of(deque),
    "collections.Counter": _of(Counter),
    "collections.OrderedDict": _of(dict),
    "collections.UserDict": _of(dict),
    "collections.UserList": _of(list),
    "builtins.property": lambda: builtin_class(property),
}
