"""Recall of the resolver on calls that were seen while modules of the standard library ran.

    python tests/python/resolve_trace.py [module ...]     what was called and not found, per module

The drivers of flow_drivers.py use the modules, those of drivers_packages.py installed packages.
Every call between two functions of them is an edge (caller, callee). Class bodies and modules are
no callees; what a generator expression calls is called by the definition around it. All modules,
and each package, are one repository, which nobody calls: parameters of public functions are
unknown.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from types import CodeType
from typing import Any

from codelake.resolve.load import read_repository
from codelake.resolve.resolve import resolve
from drivers_packages import PACKAGES
from flow_drivers import DRIVERS

MORE = ("json", "html", "_markupbase")
TOOL = 3
type Pair = tuple[str, str]
type Driver = Callable[[Any], None]


def paths() -> dict[str, Path]:
    """Return the files of the modules, by the path that they have in the repository."""
    found = {}
    for name in (*DRIVERS, *MORE):
        module = importlib.import_module(name)
        file = Path(module.__file__ or "")
        ending = "/__init__.py" if file.name == "__init__.py" else ".py"
        found[name.replace(".", "/") + ending] = file
    return found


def package_paths(name: str) -> dict[str, Path]:
    """Return the files of an installed package, by the path that they have in the repository."""
    folder = Path(importlib.import_module(name).__file__ or "").parent
    files = sorted(folder.rglob("*.py"))
    return {file.relative_to(folder.parent).as_posix(): file for file in files}


def traced(
    names: tuple[str, ...], files: Mapping[str, Path], drivers: Mapping[str, Driver] = DRIVERS
) -> set[Pair]:
    """Run the drivers and return the pairs of code that called each other."""
    modules = {str(file): path for path, file in files.items()}
    pairs: set[tuple[CodeType, CodeType]] = set()

    def started(code: CodeType, _: int) -> Any:
        if code.co_filename not in modules:
            return sys.monitoring.DISABLE
        caller = sys._getframe(1).f_back
        if caller is not None and caller.f_code.co_filename in modules:
            pairs.add((caller.f_code, code))
        return None

    monitoring = sys.monitoring
    monitoring.use_tool_id(TOOL, "calls")
    monitoring.register_callback(TOOL, monitoring.events.PY_START, started)
    monitoring.set_events(TOOL, monitoring.events.PY_START)
    try:
        for name in names:
            quiet = contextlib.redirect_stdout(io.StringIO())
            with quiet, contextlib.redirect_stderr(io.StringIO()), contextlib.suppress(Exception):
                drivers[name](importlib.import_module(name))
    finally:
        monitoring.set_events(TOOL, 0)
        monitoring.free_tool_id(TOOL)
    named = set()
    for caller, callee in pairs:
        if callee.co_name.startswith("<") and callee.co_name != "<lambda>":
            continue
        if not callee.co_flags & 2:  # a class body
            continue
        named.add((_name(caller, modules), _name(callee, modules)))
    return named


def _name(code: CodeType, modules: Mapping[str, str]) -> str:
    path = modules[code.co_filename].removesuffix(".py").removesuffix("/__init__")
    name = code.co_qualname.replace(".<locals>", "")
    while name.endswith(".<genexpr>"):
        name = name.removesuffix(".<genexpr>")
    return f"{path.replace('/', '.')}.{name}" if name != "<module>" else path.replace("/", ".")


def found(files: Mapping[str, Path]) -> set[Pair]:
    """Resolve the modules and return the pairs of definitions."""
    facts = read_repository("lib", {path: file.read_bytes() for path, file in files.items()})
    pairs = set()
    for row in resolve(facts).calls:
        if row.target is not None:
            names = [
                facts[file].qualified(number).replace(".<locals>", "").replace("<genexpr>.", "")
                for file, number in ((row.file, row.caller), row.target)
            ]
            pairs.add((_plain(names[0]), _plain(names[1])))
    return pairs


def _plain(name: str) -> str:
    """Drop the numbers of redefinitions, which code objects do not tell."""
    return ".".join(part.partition("#")[0] for part in name.split("."))


def main() -> None:
    """Print the recall per module of the caller, and what was missed in the chosen ones."""
    files = paths()
    known = found(files)
    seen = traced(tuple(DRIVERS), files)
    right: Counter[str] = Counter()
    total: Counter[str] = Counter()
    for caller, callee in sorted(seen):
        area = next(
            (name for name in sorted(DRIVERS, key=len, reverse=True) if caller.startswith(name)),
            "other",
        )
        total[area] += 1
        if (caller, callee) in known:
            right[area] += 1
        elif area in sys.argv[1:] or "all" in sys.argv[1:]:
            print(f"missed {caller} -> {callee}")
    for area in sorted(total):
        print(f"{area:14} {right[area]:4} of {total[area]:4}  {right[area] / total[area]:.3f}")
    print(f"recall {right.total() / total.total():.3f} of {total.total()}")
    for package in PACKAGES:
        files = package_paths(package)
        seen, known = traced((package,), files, PACKAGES), found(files)
        if package in sys.argv[1:] or "all" in sys.argv[1:]:
            for caller, callee in sorted(seen - known):
                print(f"missed {caller} -> {callee}")
        both = len(seen & known)
        print(f"{package:14} {both:4} of {len(seen):4}  {both / len(seen):.3f}")


if __name__ == "__main__":
    main()
