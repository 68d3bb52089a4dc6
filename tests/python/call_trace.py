"""Traced programs: which calls did CPython really make?

    for x in Numbers():      main -> main.Numbers 1:9
                             main -> main.Numbers.__iter__ 1:9 (implicit)

Runs as a program of its own, so that what the cases import, print and leave behind stays here:
areas come as arguments, the edges go out as JSON. CALL events tell what a call expression called,
PY_START who was entered, and the frames around it where from. The place of an instruction leads to
the node of the syntax tree, and that to codelake's names.

A generator or coroutine starts when it is first resumed, not when it is called; its edge comes from
the CALL event, unless C code made the call.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import dis
import functools
import importlib
import io
import json
import os
import pkgutil
import shutil
import signal
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FrameType, FunctionType, MethodType, ModuleType
from typing import Any

from call_programs import FOLDERS, INSTALLED, Edge, Program, Source, programs, write_files

SECONDS = 10  # that one case may take
_TOOL = 4
_RESUMED = 0x20 | 0x80 | 0x200  # generator, coroutine, asynchronous generator
_READERS = (getattr, setattr, hasattr, delattr)
_CACHE = type(functools.cache(abs))


class Trace:
    """The calls of one run."""

    def __init__(self, program: Program, folder: Path) -> None:
        root = folder / "repo"
        self.sources = {str(root / path): item for path, item in program.sources().items()}
        self.listed = program.lines["calls"]
        self.edges: set[tuple[str, Edge]] = set()
        self.loose: set[str] = set()  # called by code of others, with no own frame around it
        self.errors: list[str] = []
        self._called: dict[FrameType, tuple[int, Any]] = {}
        self._waiting: Counter[CodeType] = Counter()
        self._first: dict[tuple[CodeType, Any], int] = {}

    # ---------- events

    def on_call(self, code: CodeType, offset: int, target: Any, argument: Any) -> None:
        with self._noting_errors():
            self._call(code, offset, target, argument, sys._getframe(1))

    def on_start(self, code: CodeType, _: int) -> None:
        with self._noting_errors():
            self._start(code, sys._getframe(1))

    @contextlib.contextmanager
    def _noting_errors(self) -> Iterator[None]:
        """Keep an error away from the program, which might catch it."""
        try:
            yield
        except Exception:
            self.errors.append(traceback.format_exc())

    def _call(
        self, code: CodeType, offset: int, target: Any, argument: Any, frame: FrameType
    ) -> None:
        self._called[frame] = offset, target
        for function in self._direct(target):
            inner = function.__code__
            if inner.co_flags & _RESUMED and inner.co_filename in self.sources:
                self._waiting[inner] += 1
                self._enter(inner, frame)
        source = self.sources.get(code.co_filename)
        if source is None:
            return
        kind, node = self._site(source, code, offset, target)
        if target is super and isinstance(node, ast.Attribute):
            kind, node = "call", node.value
        if kind == "call":
            self._note_class_or_external(source, node, target, argument)
        elif kind == "decorator" and isinstance(target, type) and self._class(target):
            self._add("implicit", source, node, self._class(target) or "")

    def _start(self, code: CodeType, frame: FrameType) -> None:
        if code.co_filename not in self.sources:
            return
        if code.co_flags & _RESUMED and self._waiting[code]:
            self._waiting[code] -= 1
            return
        self._enter(code, frame.f_back)

    # ---------- edges

    def _enter(self, code: CodeType, frame: FrameType | None) -> None:
        """Note that a function was entered from a frame, or from what a frame had called."""
        callee = self.sources[code.co_filename].definition(code)
        if callee is None:
            return
        while frame is not None and frame.f_code.co_filename not in self.sources:
            frame = frame.f_back
        if frame is None:
            self.loose.add(callee)
            return
        source = self.sources[frame.f_code.co_filename]
        offset, target = self._called.get(frame, (-1, None))
        if offset != frame.f_lasti:
            target = None
        kind, node = self._site(source, frame.f_code, frame.f_lasti, target)
        direct = any(item.__code__ is code for item in self._direct(target))
        name = code.co_name
        dunder = name[:2] == name[-2:] == "__" and name != "__call__"
        if name in ("__init__", "__new__"):  # of a class that was handed over, or not
            dunder = isinstance(node, ast.Raise | ast.ClassDef)
        if kind == "call" and direct:
            section = "calls"
        elif dunder or (kind == "decorator" and direct) or _reads(kind, node, target):
            section = "implicit"
        else:
            section = "callbacks"
        self._add(section, source, node, callee)

    def _note_class_or_external(
        self, source: Source, node: ast.AST, target: Any, argument: Any
    ) -> None:
        target = _unwrapped(target)
        if isinstance(target, type):
            name = self._class(target)
            if name is not None:
                self._add("calls", source, node, name)
                return
            if getattr(target, "__module__", "") in self._modules():
                return  # made while running; what it enters is seen
        elif self._own(target):
            return
        self._add("calls", source, node, self._external(source, node, target, argument))

    def _add(self, section: str, source: Source, node: ast.AST, callee: str) -> None:
        line, col = node.lineno, node.col_offset  # type: ignore[attr-defined]
        if node in source.decorators.values() and section == "implicit":
            col -= 1  # the `@`
        self.edges.add((section, Edge(source.owner(node), line, col, callee)))

    # ---------- places

    def _site(
        self, source: Source, code: CodeType, offset: int, target: Any
    ) -> tuple[str, ast.AST]:
        """Return the node that an instruction stands for, and how it calls."""
        line, end_line, col, end_col = list(code.co_positions())[offset // 2]
        place: Any = (line, col, end_line, end_col)
        name = dis.opname[code.co_code[offset]]
        if name.startswith("CALL") and not name.startswith("CALL_INTRINSIC"):
            if place in source.classes:
                return "other", source.classes[place]
            if place in source.decorators:
                node = source.decorators[place]
                first = self._first.setdefault((code, place), _first_call(code, place))
                if not isinstance(node, ast.Call) or offset != first:
                    return "decorator", node
            call = source.calls.get((end_line, end_col))  # type: ignore[arg-type]
            method = isinstance(target, MethodType | FunctionType | BuiltinFunctionType)
            leaving = method and target.__name__ in ("__exit__", "__aexit__")
            if call is not None and not (call in source.with_items and leaving):
                return "call", call
        found = source.nodes.get(place)
        if found is None:
            message = f"{source.path}:{line}:{col}-{end_line}:{end_col} {name} has no node"
            raise LookupError(message)
        if isinstance(found, ast.UnaryOp) and isinstance(found.op, ast.Not):
            found = found.operand
        elif isinstance(found, ast.AsyncFor):
            found = found.iter
        elif isinstance(found, ast.YieldFrom):
            found = found.value
        return "other", found

    # ---------- objects

    def _direct(self, target: Any, depth: int = 0) -> Iterator[FunctionType]:
        """Return the functions that calling an object means."""
        if depth > 9 or target is None:
            return
        if isinstance(target, FunctionType):
            if target.__code__.co_filename in self.sources:
                yield target
                return
            inner = list(_behind(target))
        elif isinstance(target, type):
            inner = [_static(target, "__new__"), _static(target, "__init__")]
            inner.append(_static(type(target), "__call__"))
        else:
            inner = [_unwrapped(target)]
            if inner[0] is target:
                inner = [_static(type(target), "__call__")]
        for item in inner:
            if item is not target:
                yield from self._direct(item, depth + 1)

    def _own(self, target: Any) -> bool:
        return any(True for _ in self._direct(target))

    def _modules(self) -> set[str]:
        return {"__main__", *(source.module for source in self.sources.values())}

    def _class(self, found: type) -> str | None:
        """Return the name of a class that is defined in the repository."""
        module = sys.modules.get(getattr(found, "__module__", ""))
        source = self.sources.get(getattr(module, "__file__", None) or "")
        if source is None:
            return None
        line = found.__dict__.get("__firstlineno__")
        name = source.functions.get((f"{found.__name__} ", line))  # type: ignore[arg-type]
        plain = f"{source.module}.{found.__qualname__}".replace(".<locals>", "")
        return name or (plain if plain in source.names else None)

    def _external(self, source: Source, node: ast.AST, target: Any, argument: Any) -> str:
        """Return the name of something outside: as listed, or as it may be written."""
        line, col = node.lineno, node.col_offset  # type: ignore[attr-defined]
        for edge in self.listed:
            name = edge.callee
            same = (edge.line, edge.col, edge.caller) == (line, col, source.owner(node))
            if same and name.startswith("ext:") and _is_named(target, name[4:]):
                return name
        return f"ext:{_name_of(source, self._modules(), node, target, argument)}"


def _reads(kind: str, node: ast.AST, target: Any) -> bool:
    """Return whether an attribute is read or written, so that what runs is a property."""
    if kind == "call":
        return any(target is reader for reader in _READERS)
    return isinstance(node, ast.Attribute | ast.ClassDef | ast.MatchClass)


def _first_call(code: CodeType, place: tuple[int, int, int, int]) -> int:
    line, col, end_line, end_col = place
    for number, found in enumerate(code.co_positions()):
        if found == (line, end_line, col, end_col):
            name = dis.opname[code.co_code[number * 2]]
            if name.startswith("CALL") and not name.startswith("CALL_INTRINSIC"):
                return number * 2
    return -1


def _static(found: type, name: str) -> Any:
    for item in type.__dict__["__mro__"].__get__(found):
        if name in item.__dict__:
            return item.__dict__[name]
    return None


def _unwrapped(target: Any) -> Any:
    """Look through what merely stands for a function."""
    for _ in range(9):
        if isinstance(target, MethodType | staticmethod | classmethod):
            target = target.__func__
        elif isinstance(target, functools.partial):
            target = target.func
        elif isinstance(target, _CACHE):
            target = target.__wrapped__
        else:
            return target
    return target


def _behind(function: FunctionType) -> Iterator[Any]:
    """Return what a function of the standard library that wraps others may call."""
    given = function.__dict__
    if "registry" in given:
        yield from given["registry"].values()
    elif isinstance(given.get("register"), MethodType):
        yield from given["register"].__self__.dispatcher.registry.values()
    elif "__wrapped__" in given:
        yield given["__wrapped__"]


def _is_named(target: Any, name: str) -> bool:
    try:
        found = pkgutil.resolve_name(name)
    except (AttributeError, ImportError, ValueError):
        return getattr(target, "__name__", "") == name.rpartition(".")[2]
    if target is found or _unwrapped(found) is target:
        return True
    holder = getattr(target, "__self__", None)
    if holder is None or isinstance(holder, ModuleType):
        return False
    kind = holder if isinstance(holder, type) else type(holder)
    last = name.rpartition(".")[2]
    classes = (*kind.__mro__, *type(holder).__mro__)  # a class has the methods of its class too
    return target.__name__ == last and getattr(found, "__objclass__", kind) in classes


def _name_of(source: Source, own: set[str], node: ast.AST, target: Any, argument: Any) -> str:
    """Suggest a name: the import path as the source has it, or where the object says it is."""
    chain: list[str] = []
    item: ast.AST = node.func if isinstance(node, ast.Call) else node
    while isinstance(item, ast.Attribute):
        chain.insert(0, item.attr)
        item = item.value
    if isinstance(item, ast.Name):
        if not chain and getattr(builtins, item.id, None) is target:
            return f"builtins.{item.id}"
        path = ".".join([_imported(source.tree, item.id) or "?", *chain])
        with contextlib.suppress(AttributeError, ImportError, ValueError):
            if _is_named(target, path) and pkgutil.resolve_name(path) is not None:
                return path
    last = getattr(target, "__name__", type(target).__name__)
    kind = None if isinstance(target, type) else _class_of_method(target, argument)
    line = type.mro(kind) if kind is not None else []
    outside = [item for item in line if item.__module__ not in own and hasattr(item, last)]
    if outside:
        return f"{_shortest(outside[0])}.{last}"
    return _shortest(target)


def _shortest(found: Any) -> str:
    """Return the name of an object from the outermost package that has it."""
    if not isinstance(getattr(found, "__module__", None), str):
        found = type(found)
    name = getattr(found, "__qualname__", type(found).__name__)
    parts = found.__module__.split(".")
    places = [".".join(parts[:count]) for count in range(1, len(parts))]
    for place in (found.__module__.removeprefix("_"), *places):
        path = f"{place}.{name}"
        with contextlib.suppress(AttributeError, ImportError, ValueError):
            if pkgutil.resolve_name(path) is found:
                return path
    return f"{found.__module__}.{name}"


def _class_of_method(target: Any, argument: Any) -> type | None:
    """Return the class on which a method of others was found."""
    bound = getattr(target, "__self__", None)
    if isinstance(bound, ModuleType):
        return None
    holder = getattr(target, "__objclass__", None)
    if isinstance(target, FunctionType):
        return type(argument) if "." in target.__qualname__ else None
    if bound is None:
        bound = argument
    if holder is None:
        return bound if isinstance(bound, type) else type(bound)
    kinds = [item for item in (type(bound), bound) if isinstance(item, type)]
    return next((item for item in kinds if issubclass(item, holder)), holder)


def _imported(tree: ast.Module, name: str) -> str | None:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.asname == name:
                    return alias.name
                if alias.asname is None and alias.name.partition(".")[0] == name:
                    return name
        elif isinstance(node, ast.ImportFrom) and not node.level:
            for alias in node.names:
                if (alias.asname or alias.name) == name:
                    return f"{node.module}.{alias.name}"
    return None


# ---------- runs


def _run(program: Program, folder: Path) -> dict[str, Any]:
    """Run a program and return what was seen."""
    write_files(program, folder)
    trace = Trace(program, folder)
    root = folder / "repo"
    paths = [str(root / item) if item else str(root) for item in program.roots()]
    before, modules = list(sys.path), dict(sys.modules)
    sys.path[:0] = [*paths, str(folder / INSTALLED.rstrip("/"))]
    importlib.invalidate_caches()
    main = ModuleType("__main__")
    main.__file__ = str(root / "main.py")
    sys.modules["__main__"] = main
    error = None
    code = compile(program.files["main.py"], main.__file__, "exec", dont_inherit=True)
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        with _monitored(trace), contextlib.redirect_stdout(io.StringIO()):
            exec(code, vars(main))
    except BaseException:
        error = traceback.format_exc().replace(str(folder), "")
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        sys.path[:] = before
        for name in [name for name in sys.modules if name not in modules and _is_of(name, folder)]:
            del sys.modules[name]
        sys.modules["__main__"] = modules["__main__"]
    error = error or "".join(trace.errors) or None
    edges = sorted((section, *_fields(edge)) for section, edge in trace.edges)
    return {"edges": edges, "loose": sorted(trace.loose), "error": error}


def _is_of(name: str, folder: Path) -> bool:
    """Return whether a module was read from a folder."""
    found = sys.modules[name]
    spots = [getattr(found, "__file__", None) or "", *getattr(found, "__path__", ())]
    return any(str(spot).startswith(str(folder)) for spot in spots)


def _fields(edge: Edge) -> tuple[str, int, int, str]:
    return edge.caller, edge.line, edge.col, edge.callee


@contextlib.contextmanager
def _monitored(trace: Trace) -> Iterator[None]:
    monitoring = sys.monitoring
    events = monitoring.events
    handlers: dict[int, Callable[..., None]] = {
        events.CALL: trace.on_call,
        events.PY_START: trace.on_start,
    }
    monitoring.use_tool_id(_TOOL, "call cases")
    for event, handler in handlers.items():
        monitoring.register_callback(_TOOL, event, handler)
    monitoring.set_events(_TOOL, events.CALL | events.PY_START)
    try:
        yield
    finally:
        monitoring.set_events(_TOOL, 0)
        monitoring.free_tool_id(_TOOL)


def _late(*_: Any) -> None:
    raise TimeoutError(f"a case took more than {SECONDS} seconds")


def main() -> None:
    """Run the cases of the areas that are named and print the edges as JSON."""
    signal.signal(signal.SIGALRM, _late)
    found: dict[str, Any] = {}
    base = Path(os.path.realpath(tempfile.mkdtemp(prefix="calls")))
    try:
        for number, area in enumerate(sys.argv[1:]):
            for folder in FOLDERS:
                for program in programs(folder, area):
                    place = base / f"{number}_{folder}_{program.name}"
                    found[f"{folder}/{area}/{program.name}"] = _run(program, place)
    finally:
        shutil.rmtree(base, ignore_errors=True)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
