"""Known classes: data classes and named tuples, whose __init__ nobody wrote.

    @dataclass
    class Car:            Car(e).engine is e; the fields of bases come first
        engine: Engine

Next: constructors.py.
"""

from __future__ import annotations

from itertools import takewhile

from codelake.resolve.class_table import find
from codelake.resolve.contexts import instance_place
from codelake.resolve.fields import read, write
from codelake.resolve.library_classes import is_exception
from codelake.resolve.objects import CLASS, CONTAINER, EXTERNAL, INSTANCE
from codelake.resolve.state import IMPLICIT, ClassInfo, Site, State


def field_names(state: State, info: ClassInfo) -> list[str]:
    """Return the names of the fields, those of bases first."""
    names: dict[str, None] = {}
    for cls in reversed(info.order):
        if state.objects.kind[cls] == CLASS:
            found = state.classes[cls]
            if found.traits & {"dataclass", "namedtuple"} or found is info:
                names.update(dict.fromkeys(name for name, _, _ in found.fields))
    return list(names)


def fill_fields(state: State, made: int, site: Site) -> None:
    """Give the fields of a data class or named tuple what its constructor is called with."""
    info = state.classes[state.objects.first[made]]
    traits = {trait for cls in info.order if cls in state.classes
              for trait in state.classes[cls].traits}  # fmt: skip
    if not traits & {"dataclass", "namedtuple"}:
        if traits & {"external"} or site.values != ((), ()):
            _fill_items(state, made, site)
        return
    names = field_names(state, info)
    positional, keywords = site.values
    exact = list(takewhile(lambda given: not given[1], positional))
    given = [(name, variable) for name, (variable, _) in zip(names, exact, strict=False)]
    given += [(keyword, variable) for keyword, variable in keywords if keyword is not None]
    for name, variable in given:
        write(state, made, name, variable)
    is_whole = len(exact) == len(positional) and None not in dict(keywords)
    for name in names:
        default = find(state, info.order, name)[0]
        if default is not None and not (is_whole and name in dict(given)):
            write(state, made, name, default)
    hook = find(state, info.order, "__post_init__")[0]
    if hook is not None and "dataclass" in traits:
        key = ("post_init", made, site.number)
        if key not in state.bound:
            state.bound.add(key)
            values = ((), tuple(given))  # an InitVar is a parameter of the same name
            inner = state.site(site.frame, site.node, state.new(), values, IMPLICIT)
            inner.depth = site.depth + 1  # a class may have been stored as the hook
            state.solver.watch(hook, state.call_method, state, inner, made)


def replace_fields(state: State, site: Site) -> None:
    """Handle dataclasses.replace: a new instance with the other fields of the old one."""
    if site.values[0]:
        state.solver.watch(site.values[0][0][0], _replace, state, site)


def replace_method(state: State, site: Site, receiver: int) -> None:
    """Handle `_replace` of a named tuple."""
    _replace({receiver}, state, site)


def _replace(found: set[int], state: State, site: Site) -> None:
    given = {name: variable for name, variable in site.values[1] if name is not None}
    for one in found:
        if one < 0 or state.objects.kind[one] != INSTANCE:
            continue
        cls = state.objects.first[one]
        made = state.objects.of(INSTANCE, cls, instance_place(state, cls, site))
        state.solver.put(site.result, made)
        for name in field_names(state, state.classes[cls]):
            variable = given.get(name)
            if variable is None:
                variable = state.new()
                read(state, one, name, variable)
            write(state, made, name, variable)


def hold_arguments(state: State, one: int, site: Site) -> None:
    """Let `args` of an exception be what it is made with."""
    number = state.container("builtins.tuple", ("args", one))
    for index, (variable, starred) in enumerate(site.values[0]):
        if starred:
            break
        state.store_item(number, f"int:{index}", variable)
    state.solver.put(state.field(one, "args"), number)


def _fill_items(state: State, made: int, site: Site) -> None:
    """Let an instance hold what it is made of: as a container does, or an exception."""
    order = state.classes[state.objects.first[made]].order
    outside = [state.objects.first[one] for one in order if state.objects.kind[one] == EXTERNAL]
    if any(is_exception(name) for name in outside):
        hold_arguments(state, made, site)
        return
    for variable, starred in site.values[0][:1]:
        if not starred:
            state.solver.watch(variable, _take_items, state, made)


def _take_items(found: set[int], state: State, made: int) -> None:
    for one in found:
        if one >= 0 and state.objects.kind[one] == CONTAINER:
            state.solver.link(state.containers[one].every, state.field(made, " items"))


def match_names(state: State, cls: int) -> list[str]:
    """Return the attributes that positional patterns of a class stand for."""
    info = state.classes[cls]
    variable = find(state, info.order, "__match_args__")[0]
    if variable is None:
        return field_names(state, info)
    names: list[str] = []
    for one in state.solver.get(variable):
        if one >= 0 and state.objects.kind[one] == CONTAINER:
            keys = state.containers[one].keys
            for index in range(len(keys)):
                found = state.solver.get(keys.get(f"int:{index}", 0))
                names += [state.objects.texts[-text] for text in found if text < 0]
    return names
