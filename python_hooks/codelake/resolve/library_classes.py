"""Library classes: which members the classes of the standard library have, and their bases.

    has_member("pathlib.Path", "exists")          -> True
    has_member("pathlib.Path", "filter")          -> False
    has_member("argparse.Namespace", "name")      -> None, as for a class of another library
    is_subclass("pathlib.Path", "builtins.str")   -> False

library_classes.txt holds what Python 3.12 and 3.13 have together, so the answers do not depend on
the Python that runs; tests/python/library_scan.py makes it and tells what its lines mean. Nothing
is imported. Of what every class has, as `__init__`, nothing is said.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import NamedTuple

_TABLE = "library_classes.txt"
_OBJECT = "builtins.object"
_EXCEPTION = "builtins.BaseException"
UNSAID = frozenset({*dir(type), "__weakref__", "__static_attributes__", "__firstlineno__",
                    "__slotnames__", "_abc_impl"})  # fmt: skip
"""Names that the table leaves out, since every class may have them."""


class _Class(NamedTuple):
    is_open: bool
    bases: tuple[str, ...]
    above: frozenset[str]
    members: frozenset[str]


@cache
def has_member(name: str, attribute: str) -> bool | None:
    """Tell whether instances of a class, or the class, have an attribute; None: not known."""
    found = _read(name)
    if attribute == "__call__":
        return is_subclass(name, "collections.abc.Callable")
    if found is None or attribute in UNSAID:
        return None
    if attribute in found.members:
        return True
    return None if found.is_open else False


@cache
def is_exception(name: str) -> bool:
    """Tell whether a class of the standard library is an exception."""
    return name == _EXCEPTION or bool(is_subclass(name, _EXCEPTION))


def is_subclass(name: str, other: str) -> bool | None:
    """Tell whether a class is another one or below it; None when one of them is not known."""
    found, tested = _read(name), _read(other)
    if name == other or (other == _OBJECT and found is not None):
        return True
    if found is None or tested is None:
        return None
    return _same(other) in found.above


def is_library_class(name: str) -> bool:
    """Tell whether a name is that of a class of the standard library."""
    return _read(name) is not None


def is_library_function(name: str) -> bool:
    """Tell whether a name is that of a plain function of the standard library."""
    module, _, last = name.rpartition(".")
    return last in _functions(module)


def canonical(name: str) -> str | None:
    """Return the name of a class under which the table has it; None when it has none."""
    found = _same(name)
    return found if _read(found) is not None else None


def bases_of(name: str) -> tuple[str, ...]:
    """Return the classes right above a class of the standard library, in order."""
    found = _read(name)
    return found.bases if found is not None else ()


def library_names() -> tuple[frozenset[str], frozenset[str]]:
    """Return the names of all classes that have a line of their own, and of all modules."""
    classes, functions = _lines()
    own = {name for name, line in classes.items() if not line.startswith("= ")}
    return frozenset(own), frozenset({*functions, *(name.rpartition(".")[0] for name in classes)})


def _same(name: str) -> str:
    """Return the name that has the line of a class."""
    line = _lines()[0].get(name, "")
    return line[2:] if line.startswith("= ") else name


@cache
def _read(name: str) -> _Class | None:
    name = _same(name)
    line = _lines()[0].get(name)
    if line is None:
        return None
    head, _, members = line.partition(":")
    head, _, virtual = head.partition("|")
    flag, _, bases = head.partition("<")
    above, own = {name, *virtual.split()}, set(members.split())
    for base in (*bases.split(), *virtual.split()):
        found = _read(base)
        if found is not None:
            above |= found.above
            own |= found.members if base in bases.split() else set()
    return _Class("?" in flag, tuple(bases.split()), frozenset(above), frozenset(own))


@cache
def _functions(module: str) -> frozenset[str]:
    return frozenset(_lines()[1].get(module, "").split())


@cache
def _lines() -> tuple[dict[str, str], dict[str, str]]:
    """Return the lines of classes and those of functions, by name."""
    classes: dict[str, str] = {}
    functions: dict[str, str] = {}
    for line in Path(__file__).with_name(_TABLE).read_text("utf-8").splitlines():
        name, _, rest = line.partition(" ")
        if rest.startswith("()"):
            functions[name] = rest[3:]
        else:
            classes[name] = rest
    return classes, functions
