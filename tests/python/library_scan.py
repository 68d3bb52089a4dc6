"""Library scan: the classes and functions of the standard library, as a table of text.

    PYTHONPATH=python_hooks python3.13 tests/python/library_scan.py > 3_13.txt
    PYTHONPATH=python_hooks python3.13 tests/python/library_scan.py 3_12.txt 3_13.txt > TABLE

TABLE is python_hooks/codelake/resolve/library_classes.txt. The first form tells what the Python has
that runs it, the second puts several together: a member of any version counts. A line is one of

    pathlib.Path < pathlib.PurePath | os.PathLike : absolute chmod ...
    threading.local ? :                   open: it may have any other attribute
    json.JSONDecodeError = json.decoder.JSONDecodeError
    logging.config () dictConfig fileConfig ...

`<` are the classes above that have a line, `|` those that it counts as a subclass of without having
them above it. Members are those that no class above has; attributes that the methods of a class
or its module give to instances are found in the source.
"""

from __future__ import annotations

import ast
import builtins
import importlib
import inspect
import pkgutil
import sys
import types
import warnings
from abc import ABC, ABCMeta
from collections.abc import Hashable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from codelake.resolve.library_classes import UNSAID

_SKIPPED = """
    antigravity this idlelib turtle turtledemo tkinter lib2to3 test typing ctypes encodings
    ensurepip pydoc_data venv curses msilib posix nturl2path unittest.mock json.tool xml.parsers
    xml.dom.expatbuilder xml.dom.xmlbuilder xml.sax.expatreader pyexpat concurrent.futures.process
    asyncio.base_subprocess asyncio.selector_events asyncio.proactor_events asyncio.sslproto
    asyncio.unix_events multiprocessing.dummy multiprocessing.forkserver multiprocessing.heap
    multiprocessing.reduction multiprocessing.sharedctypes multiprocessing.spawn
    multiprocessing.util multiprocessing.popen_fork multiprocessing.popen_forkserver
    multiprocessing.popen_spawn_posix multiprocessing.resource_sharer
    multiprocessing.resource_tracker sre_compile sre_constants sre_parse pydoc doctest pdb bdb
"""
_UNNAMED = (*map(type, (None, ..., NotImplemented, {}.keys(), {}.values(), {}.items(), iter([]),
                         iter(int, 0), (_ for _ in ()), vars(type))),
            types.CoroutineType, types.AsyncGeneratorType)  # fmt: skip
_OPEN = frozenset({
    "types.ModuleType", "types.SimpleNamespace", "types.MethodType", "types.GenericAlias",
    "types.FunctionType", "types.LambdaType", "types.UnionType", "threading.local",
    "weakref.ProxyType", "weakref.CallableProxyType", "argparse.Namespace", "builtins.super",
    "os.stat_result", "socket.socket", "functools.partial",
})  # fmt: skip
_PRIVATE = frozenset({  # results of functions that everybody calls
    "contextlib._GeneratorContextManager", "contextlib._AsyncGeneratorContextManager",
    "argparse._ArgumentGroup", "argparse._SubParsersAction", "tempfile._TemporaryFileWrapper",
})  # fmt: skip
_RECEIVERS = frozenset({"self", "cls"})


class Entry(NamedTuple):
    """A class: whether it is open, its bases, virtual bases and own members."""

    is_open: bool
    bases: tuple[str, ...]
    virtual: frozenset[str]
    members: frozenset[str]


class Table(NamedTuple):
    """All that a scan has found."""

    classes: dict[str, Entry]
    same: dict[str, str]
    functions: dict[str, frozenset[str]]


def scan() -> Table:
    """Read the standard library of the running Python."""
    found: dict[type, list[str]] = {}
    functions: dict[str, frozenset[str]] = {}
    for module in _modules():
        names = {
            name: value
            for name, value in vars(module).items()
            if not name.startswith("_") or f"{module.__name__}.{name}" in _PRIVATE
        }
        if module is builtins:
            names |= {cls.__name__: cls for cls in _UNNAMED}
        for name, value in names.items():
            if isinstance(value, type) and _is_public(module, name, value):
                found.setdefault(value, []).append(f"{module.__name__}.{name}")
        plain = frozenset(name for name, value in names.items() if _is_plain_function(value))
        functions[module.__name__] = plain
    names_of = {cls: sorted(names, key=lambda name: _rank(cls, name))
                for cls, names in found.items()}  # fmt: skip
    name_of = {cls: names[0] for cls, names in names_of.items()}
    return Table(
        {name: _entry(cls, name_of) for cls, name in name_of.items()},
        {other: names[0] for names in names_of.values() for other in names[1:]},
        {module: plain for module, plain in functions.items() if plain},
    )


def _is_plain_function(value: object) -> bool:
    """Leave out functions that carry others, as those of singledispatch do."""
    if isinstance(value, types.FunctionType):
        return all(name.startswith("_") for name in vars(value))
    return isinstance(value, types.BuiltinFunctionType | types.MethodType)


def _modules() -> Iterator[types.ModuleType]:
    for top in sorted(sys.stdlib_module_names):
        yield from _below(top)


def _below(name: str) -> Iterator[types.ModuleType]:
    last = name.rpartition(".")[2]
    if name in _SKIPPED.split() or (last.startswith("_") and name not in ("_hashlib", "_thread")):
        return
    try:
        module = importlib.import_module(name)
    except ImportError:
        return
    yield module
    for item in pkgutil.iter_modules(getattr(module, "__path__", ())):
        yield from _below(f"{name}.{item.name}")
    if name == "os":
        path = types.ModuleType("os.path")  # its own name is that of the platform
        vars(path).update(
            {name: value for name, value in vars(module.path).items() if name != "__name__"}
        )
        yield path


def _is_public(module: types.ModuleType, name: str, cls: type) -> bool:
    """Leave out what a module has only imported, what typing makes, and what tells nothing."""
    home = getattr(cls, "__module__", None)
    if home in (None, "typing", "ctypes", "_ctypes") or cls in (ABC, Hashable, object):
        return False
    is_near = home.lstrip("_").split(".")[0] == module.__name__.lstrip("_").split(".")[0]
    return is_near or name in getattr(module, "__all__", ())


def _rank(cls: type, name: str) -> tuple[bool, int, str]:
    """Take the name where the class says that it is, else the shortest."""
    return name != f"{cls.__module__}.{cls.__qualname__}", name.count("."), name


def _entry(cls: type, name_of: dict[type, str]) -> Entry:
    above = [base for base in cls.__mro__[1:] if base in name_of]
    near = [
        base for base in above if not any(issubclass(one, base) for one in above if one != base)
    ]
    counted = {other for other in name_of if isinstance(other, ABCMeta) and other not in cls.__mro__
               and _is_subclass(cls, other)}  # fmt: skip
    counted -= {other for other in counted if any(_is_subclass(base, other) for base in near)}
    members = _members(cls).difference(*(_members(base) for base in near))
    is_open = any(_is_open(base, name_of.get(base)) for base in cls.__mro__)
    return Entry(
        is_open,
        tuple(name_of[base] for base in near),
        frozenset(name_of[other] for other in counted),
        frozenset(members - UNSAID),
    )


def _is_subclass(cls: type, other: type) -> bool:
    try:
        return issubclass(cls, other)
    except TypeError:
        return False


@cache
def _members(cls: type) -> frozenset[str]:
    """Return what the class and the classes above have, and what its metaclass lends it."""
    lent = [meta for meta in type(cls).__mro__ if meta not in (type, object)]
    names = {name for one in (*cls.__mro__, *lent) for name in vars(one)}
    fields = (*getattr(cls, "_fields", ()), *getattr(cls, "_attributes", ()))
    names |= {field for field in fields if isinstance(field, str)}
    return frozenset(names).union(*(_instance_members(one) for one in cls.__mro__))


@cache
def _is_open(cls: type, name: str | None) -> bool:
    own = vars(cls)
    if cls in (object, type):
        return False
    if name in _OPEN or "__getattr__" in own:
        return True
    if isinstance(own.get("__getattribute__"), types.FunctionType):
        return True
    return any(_gives_any(node) for node in ast.walk(_source(cls)))


def _gives_any(node: ast.AST) -> bool:
    """Tell whether an instance is given attributes whose names are not written."""
    match node:
        case ast.Call(func=ast.Name("setattr"), args=[ast.Name("self"), *_]):
            return True
        case ast.Call(func=ast.Attribute(ast.Attribute(ast.Name("self"), "__dict__"), "update")):
            return True
        case ast.Subscript(value=ast.Attribute(ast.Name("self"), "__dict__"), ctx=ast.Store()):
            return True
    return False


def _is_receiver(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id in _RECEIVERS


def _source(cls: type) -> ast.AST:
    """Return the statement that makes a class, or nothing for one that is made otherwise."""
    return _statements(cls.__module__).get(cls.__name__, ast.Module([], []))


@cache
def _statements(module: str) -> dict[str, ast.ClassDef]:
    nodes = ast.walk(_module_source(module))
    return {node.name: node for node in nodes if isinstance(node, ast.ClassDef)}


@cache
def _module_source(module: str) -> ast.AST:
    try:
        return ast.parse(inspect.getsource(sys.modules[module]))
    except (OSError, TypeError, KeyError):
        return ast.Module([], [])


@cache
def _instance_members(cls: type) -> frozenset[str]:
    """Return what the source of a class, or others in its module, give to its instances."""
    own = _source(cls)
    if not isinstance(own, ast.ClassDef):
        return frozenset()
    fields = {node.target.id for node in own.body
              if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)}  # fmt: skip
    others = _stored(_module_source(cls.__module__), True)
    return frozenset(fields | others | _stored(own, False))


@cache
def _stored(tree: ast.AST, from_outside: bool) -> set[str]:
    return {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
        and not (from_outside and _is_receiver(node.value))
    }  # fmt: skip


def write(table: Table) -> str:
    """Return a table as text."""
    lines = []
    for name, entry in table.classes.items():
        parts = [name, "?" * entry.is_open]
        parts += ["<", *entry.bases] if entry.bases else []
        parts += ["|", *sorted(entry.virtual)] if entry.virtual else []
        lines.append(" ".join(part for part in (*parts, ":", *sorted(entry.members)) if part))
    lines += [f"{name} = {other}" for name, other in table.same.items()]
    lines += [f"{name} () {' '.join(sorted(names))}" for name, names in table.functions.items()]
    return "\n".join(sorted(lines)) + "\n"


def read(text: str) -> Table:
    """Read what write has written."""
    table = Table({}, {}, {})
    for line in text.splitlines():
        name, kind, *rest = line.split(" ")
        if kind == "=":
            table.same[name] = rest[0]
        elif kind == "()":
            table.functions[name] = frozenset(rest)
        else:
            head, _, members = line.partition(" :")
            head, _, virtual = head.partition(" | ")
            head, _, bases = head.partition(" < ")
            table.classes[name] = Entry(head.endswith(" ?"), tuple(bases.split()),
                                        frozenset(virtual.split()),
                                        frozenset(members.split()))  # fmt: skip
    return table


def merge(first: Table, second: Table) -> Table:
    """Put two versions together; what is in doubt is taken to exist."""
    classes = dict(first.classes)
    for name, entry in second.classes.items():
        old = classes.get(name, entry)
        bases = tuple(dict.fromkeys((*old.bases, *entry.bases)))
        classes[name] = Entry(old.is_open or entry.is_open, bases, old.virtual | entry.virtual,
                              old.members | entry.members)  # fmt: skip
    same = {name: other for name, other in {**first.same, **second.same}.items()
            if name not in classes}  # fmt: skip
    known = {*classes, *same}
    functions = {
        module: frozenset(
            name
            for table in (first, second)
            for name in table.functions.get(module, ())
            if f"{module}.{name}" not in known
        )
        for module in {**first.functions, **second.functions}
    }
    return Table(classes, same, functions)


def main() -> None:
    """Scan, or put the given scans together."""
    warnings.simplefilter("ignore")
    if len(sys.argv) == 1:
        print(write(scan()), end="")
        return
    first, *rest = (read(Path(name).read_text("utf-8")) for name in sys.argv[1:])
    for table in rest:
        first = merge(first, table)
    print(write(first), end="")


if __name__ == "__main__":
    main()
