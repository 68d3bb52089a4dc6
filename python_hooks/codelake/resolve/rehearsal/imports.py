"""Import statements: modules of the repository are run, others are something outside."""

from __future__ import annotations

import ast
import sys
from typing import TYPE_CHECKING

from codelake.resolve.rehearsal.expressions import store
from codelake.resolve.rehearsal.values import (
    External,
    GiveUp,
    Module,
    Run,
    Scope,
    error,
    number_of,
)

if TYPE_CHECKING:
    from codelake.resolve.rehearsal.machine import Machine


def import_module(machine: Machine, node: ast.Import, scope: Scope) -> Run:
    """Run `import a.b as c`."""
    for each in node.names:
        found = yield from machine.module(each.name)
        if found is None:
            may_lack(machine, each.name)
        top = each.name.partition(".")[0]
        if each.asname:
            value = External(each.name) if found is None else found
            store(machine, each.asname, value, scope)
        else:
            first = machine.modules.get(top)
            store(machine, top, External(top) if first is None else first, scope)


def may_lack(machine: Machine, full: str) -> None:
    """Raise, where a `try` may catch it, for a module that may not be there."""
    top = full.partition(".")[0]
    if top in sys.stdlib_module_names:
        return
    if top in machine.modules:
        raise error(ModuleNotFoundError, f"No module named '{full}'")
    if machine.tries and machine.decide(("lacks", top)):
        raise error(ModuleNotFoundError, f"No module named '{full}'")


def import_from(machine: Machine, node: ast.ImportFrom, scope: Scope) -> Run:
    """Run `from a import b`."""
    full = node.module or ""
    if node.level:
        parts = scope.module.full.split(".")
        parts = parts[: len(parts) - node.level + scope.module.is_package]
        full = ".".join([*parts, full] if full else parts)
    module = yield from machine.module(full)
    for each in node.names:
        if each.name == "*":
            if module is None:
                raise GiveUp("all names of a module outside")
            yield from _import_all(machine, module, scope)
            continue
        value = yield from _imported(machine, module, full, each.name)
        place = scope.module.file, number_of(each)
        store(machine, each.asname or each.name, machine.arrive(value, place), scope)


def _imported(machine: Machine, module: Module | None, full: str, name: str) -> Run:
    if module is not None:
        if name in module.names:
            return module.names[name]
        inner = yield from machine.module(f"{full}.{name}")
        if inner is not None:
            return inner
        if not module.is_done:
            raise error(ImportError, f"cannot import name '{name}'")
        getter = module.names.get("__getattr__")
        if getter is not None:
            return (yield from machine.call(getter, [name], {}))
        raise error(ImportError, f"cannot import name '{name}'")
    inner = yield from machine.module(f"{full}.{name}")
    if inner is not None:
        return inner
    may_lack(machine, full)
    return (yield from machine.attribute(External(full), name))


def _import_all(machine: Machine, module: Module, scope: Scope) -> Run:
    names = module.names.get("__all__")
    if names is None:
        names = [name for name in module.names if not name.startswith(("_", " "))]
    for name in names:
        value = yield from _imported(machine, module, module.full, name)
        store(machine, name, value, scope)
