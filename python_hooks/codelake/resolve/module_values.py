"""Values of modules: what `import` statements and attributes of modules give.

    import os.path as p        EXTERNAL("os.path")
    from app import core       MODULE(app/core.py), unless app binds a name core
    app.core.run               the variable of run in app/core.py

Next: attributes.py.
"""

from __future__ import annotations

from collections.abc import Collection

from codelake.resolve.known_types import attribute_type, make_type
from codelake.resolve.objects import MODULE
from codelake.resolve.state import State


def import_module(state: State, name: str, target: int) -> None:
    """Let a module flow to a variable."""
    state.solver.put(target, module_object(state, name))


def bind_submodules(state: State, name: str) -> None:
    """Let the import of a.b be a name of a, though a binds it to something else of its own."""
    while "." in name:
        package, _, last = name.rpartition(".")
        file = state.index.by_name.get(package)
        if file is not None and name in state.index.by_name and last in state.index.bound[file]:
            imports = {fact[5] or "" for fact in state.files[file].facts if fact[0][:6] == "import"}
            if not any(one.startswith((f".{last}:", f"{name}:")) for one in imports):
                variable = state.global_variable(file, last)
                state.solver.put(variable, module_object(state, name))
        name = package


def module_object(state: State, name: str) -> int:
    """Return the object of a module: of a file, of a folder without one, or external."""
    file = state.index.by_name.get(name)
    if file is not None:
        return state.objects.of(MODULE, file, name)
    if name in state.index.packages:
        return state.objects.of(MODULE, -1, name)
    return state.objects.external(name)


def module_names(state: State, file: int) -> int:
    """Return the mapping of the names of a module: `globals()`, `m.__dict__`."""
    number = state.container("builtins.dict", ("module", file))
    container = state.containers[number]
    for name in sorted(state.index.bound[file]):
        container.keys.setdefault(f"str:{name}", state.global_variable(file, name))
    return number


def loaded_modules(state: State) -> int:
    """Return the mapping `sys.modules`, with the modules of the repositories."""
    number = state.container("builtins.dict", ("modules",))
    container = state.containers[number]
    if not container.keys:
        for name in state.index.by_name:
            variable = container.keys[f"str:{name}"] = state.new()
            state.solver.put(variable, module_object(state, name))
    return number


def imported_name(state: State, file: int, module: str, name: str, target: int) -> None:
    """Let `from module import name`, written in a file, flow to a variable."""
    full = state.index.module_of(file, module)
    if full is None:
        return
    source = state.index.by_name.get(full)
    sub = f"{full}.{name}"
    if source == file and sub in state.index.by_name:  # a package imports its own submodule
        state.solver.put(target, module_object(state, sub))
        return
    if source is None and full not in state.index.packages:
        kind = attribute_type(sub)
        outside = make_type(state, kind) if kind is not None else state.objects.external(sub)
        state.solver.put(target, outside)
        return
    module_attribute(state, -1 if source is None else source, full, name, target)


def module_attribute(state: State, file: int, module: str, name: str, target: int) -> bool:
    """Let a name of a module flow to a variable; tell whether it has one."""
    index = state.index
    if file >= 0:
        if name in index.bound[file]:
            state.solver.link(state.global_variable(file, name), target)
            return True
        found = index.star_source(file, name)
        if found is not None:
            return module_attribute(state, found[1], index.files[found[1]].module, name, target)
    sub = f"{module}.{name}"
    if sub in index.by_name or sub in index.packages:
        state.solver.put(target, module_object(state, sub))
        return True
    if file >= 0:
        outside = [one for _, one in index.stars[file] if one not in index.by_name]
        if outside:
            state.solver.put(target, state.objects.external(f"{outside[-1]}.{name}"))
        state.solver.link(state.global_variable(file, name), target)  # set from another file
    return False


def star_values(state: State, file: int, nodes: Collection[int], name: str, target: int) -> int:
    """Let a name that star imports may bring flow to a variable.

    Returns:
        The last import outside of any block that brings the name, which hides what was there
        before it; -1 when there is none.
    """
    index, parents = state.index, state.files[file].parents
    for place, module in reversed(index.stars[file]):
        if place not in nodes:
            continue
        source = index.by_name.get(module)
        if source is None:
            if not any(
                index.exports(index.by_name[other], name)
                for _, other in index.stars[file]
                if other in index.by_name
            ):
                state.solver.put(target, state.objects.external(f"{module}.{name}"))
        elif index.exports(source, name):
            module_attribute(state, source, module, name, target)
            if parents[place] == 0 or parents[parents[place]] == 0:
                return place
    return -1
