"""Traced links: what did imports, names, types and fields mean when CPython ran a program?

    from lib import f as g     main:1:16-1:22 imports lib.f
    g                          main:2:0-2:1   names   lib.f

What a decorator made of a definition, and holds it, is also known by the definition (`decorated
names`): CPython gives it that name.

Runs as a program of its own, like call_trace.py: folders of cases come as arguments, what was seen
goes out as JSON. Each expression of the repository is wrapped so that its value is noted
(link_sites.py); classes, exports and annotations are read when the program has ended, from
`__mro__`, the modules and `typing.get_type_hints`.

A type is noted with all its bases, and an outside one by its last name: CPython has other names for
some (`pathlib._local.PosixPath`).
"""

from __future__ import annotations

import builtins
import contextlib
import functools
import gc
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import io
import json
import shutil
import signal
import sys
import tempfile
import traceback
import typing
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType, GenericAlias, MethodType, ModuleType
from typing import Any

from call_programs import INSTALLED, Program, Source, areas, programs, write_files
from link_programs import HELD_OUT, TUNING, link_areas, link_cases
from link_sites import Sites, own_fields

SECONDS = 10  # that one case may take
_CACHE = type(functools.cache(abs))
_FUNCTIONS = (FunctionType, staticmethod, classmethod, property, functools.cached_property)


class Trace:
    """What one run shows."""

    def __init__(self, program: Program, folder: Path) -> None:
        root = folder / "repo"
        self.sources = {str(root / path): item for path, item in program.sources().items()}
        self.links: set[tuple[str, str, str]] = set()
        self.classes: dict[int, tuple[type, str]] = {}
        self.received: dict[tuple[str, str, bool], list[Any]] = defaultdict(list)
        self.originals: dict[str, Any] = {}
        self.decorated: dict[int, tuple[Any, str]] = {}
        self.own: dict[str, set[str]] = {}
        for source in self.sources.values():
            self.own |= own_fields(source)

    # ---------- while it runs

    def seen(self, site: str, value: Any) -> Any:
        """Note the value of an expression."""
        name = self._named(value)
        if name is not None:
            self.links.add(("names", site, name))
        carried = self._carried(value)
        if carried is not None:
            self.links.add(("decorated names", site, carried))
        for one in type.__dict__["__mro__"].__get__(type(value)):
            self.links.add(("types", site, self._class(one)))
        return value

    def bound(self, site: str, module: str, name: str, value: Any) -> None:
        """Note what an import brought in."""
        if not name:
            found = self._module(sys.modules[module])
            self.links.add(("imports", site, found or f"ext:{module}"))
            return
        found = self._named(value) or (
            self._module(value) if isinstance(value, ModuleType) else None
        )
        own = self._module(sys.modules[module])
        if found is None and isinstance(
            value, ModuleType | type | FunctionType | BuiltinFunctionType
        ):
            found = "ext:"
        self.links.add(("imports", site, found or own or "ext:"))
        carried = self._carried(value)
        if carried is not None:
            self.links.add(("decorated imports", site, carried))

    def receiver(self, site: str, name: str, store: bool, value: Any) -> Any:
        """Note the object whose attribute is read or written."""
        self.received[site, name, store].append(value)
        return value

    def original(self, name: str) -> Callable[[Any], Any]:
        """Note what the decorators of a definition are handed."""

        def noted(value: Any) -> Any:
            self.originals[name] = value
            return value

        return noted

    def made(self, name: str) -> Callable[[Any], Any]:
        """Note what the decorators of a definition made, when it holds what they were handed."""

        def noted(value: Any) -> Any:
            if _holds(value, self.originals[name]):
                self.decorated[id(value)] = value, name
            return value

        return noted

    def build_class(self, body: Any, name: str, *bases: Any, **keywords: Any) -> Any:
        """Note a class as it is made."""
        made = _BUILD(body, name, *bases, **keywords)
        source = self.sources.get(body.__code__.co_filename)
        if source is not None and isinstance(made, type):
            found = source.functions[f"{name} ", body.__code__.co_firstlineno]
            self.classes[id(made)] = made, found
        return made

    # ---------- names of objects

    def _named(self, value: Any) -> str | None:
        """Return the name of a function or class of the repository."""
        for _ in range(9):
            if isinstance(value, MethodType | staticmethod | classmethod):
                value = value.__func__
            elif isinstance(value, _CACHE):
                value = value.__wrapped__
        if isinstance(value, FunctionType):
            return self._function(value.__code__)
        return self.classes.get(id(value), (None, None))[1] if isinstance(value, type) else None

    def _carried(self, value: Any) -> str | None:
        """Return the definition that a decorator made a value of."""
        if isinstance(value, MethodType):
            value = value.__func__
        return self.decorated.get(id(value), (None, None))[1]

    def _function(self, code: CodeType) -> str | None:
        source = self.sources.get(code.co_filename)
        return None if source is None else source.definition(code)

    def _class(self, found: type) -> str:
        known = self.classes.get(id(found))
        return known[1] if known is not None else f"ext:{found.__name__}"

    def _module(self, found: ModuleType) -> str | None:
        source = self.sources.get(getattr(found, "__file__", None) or "")
        if source is not None:
            return source.module
        roots = [Path(path).parent for path in self.sources]
        spots = [Path(spot) for spot in getattr(found, "__path__", ())]
        inside = any(spot in (root, *root.parents) for spot in spots for root in roots)
        return found.__name__ if inside else None

    # ---------- when it has ended

    def finish(self) -> None:
        """Read modules, classes and fields."""
        for module, source in self._modules():
            names = getattr(module, "__all__", None)
            if names is None:
                names = [name for name in vars(module) if not name.startswith("_")]
            for name in names:
                value = getattr(module, name, None)
                found = self._named(value)
                if isinstance(value, ModuleType):
                    found = self._module(value)
                elif found is None and not isinstance(
                    value, type | FunctionType | BuiltinFunctionType
                ):
                    for holder in self._holders(name, value):
                        self.links.add(("exports", f"{source.module} {name}", holder))
                self.links.add(("exports", f"{source.module} {name}", found or "ext:"))
                carried = self._carried(value)
                if carried is not None:
                    self.links.add(("decorated exports", f"{source.module} {name}", carried))
            self._annotations(module, source.module, None)
            for value in vars(module).values():
                name = self._named(value)
                if name is not None and isinstance(value, FunctionType):
                    self._annotations(value, name, None)
        for made, name in list(self.classes.values()):
            self._of_class(made, name)
        for (site, attribute, store), values in self.received.items():
            for value in values:
                self._field(site, attribute, store, value)

    def _modules(self) -> Iterator[tuple[ModuleType, Source]]:
        for module in list(sys.modules.values()):
            source = self.sources.get(getattr(module, "__file__", None) or "")
            if source is not None:
                yield module, source

    def _holders(self, name: str, value: Any) -> Iterator[str]:
        """Yield the modules that have a value which is no definition by a name."""
        for module, source in self._modules():
            if vars(module).get(name, self) is value:
                yield source.module

    def _of_class(self, made: type, name: str) -> None:
        order = type.__dict__["__mro__"].__get__(made)
        for base in made.__bases__:
            if base is not object:
                self.links.add(("inherits", name, self._class(base)))
        for position, base in enumerate(order):
            self.links.add(("order", name, f"{self._class(base)} {position}"))
        for key, value in vars(made).items():
            mine = self._method(value)
            above = next((one for one in order[1:] if key in vars(one)), None)
            theirs = None if above is None else self._method(vars(above)[key])
            if mine is not None and theirs is not None:
                self.links.add(("overrides", mine, theirs))
            if mine is not None and isinstance(value, FunctionType):
                self._annotations(value, mine, name)
        self._annotations(made, name, name)

    def _method(self, value: Any) -> str | None:
        carried = self._carried(value)
        if carried is not None and not isinstance(value, property):
            return carried
        if isinstance(value, property):
            value = value.fget
        elif isinstance(value, functools.cached_property):
            value = value.func
        return self._named(value) if not isinstance(value, type) else None

    def _field(self, site: str, name: str, store: bool, value: Any) -> None:
        holder = value if isinstance(value, type) else type(value)
        order = [one for one in type.__dict__["__mro__"].__get__(holder) if id(one) in self.classes]
        given = name in (getattr(value, "__dict__", None) or ())
        if not order:
            return
        for one in order:
            if isinstance(vars(one).get(name), _FUNCTIONS) and not given:
                return
        owners = [one for one in reversed(order) if name in self.own[self._class(one)]]
        if not owners and not given:
            return
        owner = owners[0] if owners else holder
        section = "writes" if store else "reads"
        self.links.add((section, site, f"{self._class(owner)}.{name}"))

    def _annotations(self, holder: Any, name: str, around: str | None) -> None:
        raw = getattr(holder, "__annotations__", None)
        if not raw:
            return
        space = vars(sys.modules[holder.__module__]) if not isinstance(holder, ModuleType) else None
        with contextlib.suppress(NameError, SyntaxError):
            for key, hint in typing.get_type_hints(holder, space).items():
                if key in raw:
                    for path, target in self._classes_of(hint, "", around, space or vars(holder)):
                        self.links.add(("annotations", f"{name} {key}{path}", target))

    def _classes_of(
        self, hint: Any, path: str, around: str | None, space: dict[str, Any]
    ) -> Iterator[tuple[str, str]]:
        """Yield the classes that a type is made of, with their places in it."""
        if isinstance(hint, typing.ForwardRef):
            hint = eval(hint.__forward_arg__, space)
        if hint is typing.Self:
            yield path, around or ""
        elif hint is typing.Any:
            yield path, "ext:Any"
        elif isinstance(hint, typing.TypeVar):
            for each in hint.__constraints__ or (hint.__bound__,):
                yield from self._classes_of(each, path, around, space)
        elif isinstance(hint, typing.TypeAliasType):
            yield from self._classes_of(hint.__value__, path, around, space)
        elif isinstance(hint, typing.NewType):
            yield from self._classes_of(hint.__supertype__, path, around, space)
        elif isinstance(hint, type) and not isinstance(hint, GenericAlias):
            if hint is not type(None):
                yield path, self._class(hint)
        else:
            yield from self._parts(hint, path, around, space)

    def _parts(
        self, hint: Any, path: str, around: str | None, space: dict[str, Any]
    ) -> Iterator[tuple[str, str]]:
        origin, given = typing.get_origin(hint), typing.get_args(hint)
        union = origin is typing.Union or type(hint).__name__ == "UnionType"
        if origin in (typing.ClassVar, typing.Final, typing.Annotated):
            yield from self._classes_of(given[0], path, around, space)
        elif union:
            for each in given:
                yield from self._classes_of(each, path, around, space)
        elif isinstance(origin, type):
            yield path, self._class(origin)
            parts: list[Any] = []
            for each in given:
                parts += each if isinstance(each, list) else [each]
            for number, each in enumerate(parts):
                if each is not Ellipsis:
                    yield from self._classes_of(each, f"{path}[{number}]", around, space)


_BUILD = builtins.__build_class__


def _holds(value: Any, original: Any) -> bool:
    """Tell whether an object holds another, in its closure, its attributes, or their parts."""
    found, seen = [value], set()
    for _ in range(6):
        inner: list[Any] = []
        for one in found:
            if one is original:
                return True
            if id(one) in seen or isinstance(one, ModuleType | type | str | int):
                continue
            seen.add(id(one))
            if isinstance(one, FunctionType):
                inner += [*(one.__closure__ or ()), *vars(one).values()]
            else:
                inner += gc.get_referents(one)
        found = inner
    return False


class _Finder(importlib.abc.MetaPathFinder):
    """Lets modules of the repository be compiled with their sites."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace

    def find_spec(self, name: str, path: Any, target: Any = None) -> Any:
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is not None and spec.origin in self.trace.sources:
            spec.loader = _Loader(name, spec.origin or "", self.trace)  # type: ignore[arg-type]
        return spec


class _Loader(importlib.machinery.SourceFileLoader):
    def __init__(self, name: str, path: str, trace: Trace) -> None:
        super().__init__(name, path)
        self.trace = trace

    def get_code(self, fullname: str) -> CodeType:
        source = self.trace.sources[self.path]
        return compile(Sites(source).wrapped(), self.path, "exec", dont_inherit=True)


def _run(program: Program, folder: Path) -> dict[str, Any]:
    """Run a program and return what was seen."""
    write_files(program, folder)
    trace = Trace(program, folder)
    root = folder / "repo"
    paths = [str(root / item) if item else str(root) for item in program.roots()]
    before, modules = list(sys.path), dict(sys.modules)
    for name in {path.split("/")[0].removesuffix(".py") for path in program.files}:
        sys.modules.pop(name, None)  # a module of the case may have the name of another
    sys.path[:0] = [*paths, str(folder / INSTALLED.rstrip("/"))]
    importlib.invalidate_caches()
    finder = _Finder(trace)
    sys.meta_path.insert(0, finder)
    main = ModuleType("__main__")
    main.__file__ = str(root / "main.py")
    sys.modules["__main__"] = main
    hooks = {"__seen__": trace.seen, "__bound__": trace.bound, "__receiver__": trace.receiver}
    hooks |= {"__original__": trace.original, "__decorated__": trace.made}
    vars(builtins).update(hooks, __build_class__=trace.build_class)
    error = None
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        tree = Sites(trace.sources[main.__file__]).wrapped()
        code = compile(tree, main.__file__, "exec", dont_inherit=True)
        with contextlib.redirect_stdout(io.StringIO()):
            exec(code, vars(main))
        trace.finish()
    except BaseException:
        error = traceback.format_exc().replace(str(folder), "")
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        builtins.__build_class__ = _BUILD
        sys.meta_path.remove(finder)
        sys.path[:] = before
        of_case = [name for name, found in sys.modules.items() if str(folder) in repr(found)]
        for name in of_case:
            del sys.modules[name]
        sys.modules.update(modules)
    return {"links": sorted(trace.links), "error": error}


def _timed_out(*_: Any) -> None:
    raise TimeoutError


def main() -> None:
    """Run the cases of the folders that are given and print what was seen."""
    chosen: list[tuple[str, Program]] = []
    for folder in sys.argv[1:]:
        for area in link_areas() if folder in (TUNING, HELD_OUT) else areas():
            found = (
                [case.program for case in link_cases(folder, area)]
                if folder in (TUNING, HELD_OUT)
                else programs(folder, area)
            )
            chosen += [(f"{folder}/{area}/{item.name}", item) for item in found]
    signal.signal(signal.SIGALRM, _timed_out)
    result = {}
    for name, program in chosen:
        folder_of_case = Path(tempfile.mkdtemp()).resolve()
        try:
            result[name] = _run(program, folder_of_case)
        finally:
            shutil.rmtree(folder_of_case)
    print(json.dumps(result))


if __name__ == "__main__":
    main()
