"""Calls: a place and an object that is called -> edges, frames entered, results.

    C(1)       the class, see constructors.py; the result is an instance
    c.m(1)     BOUND(m, c): c and 1 are bound to the parameters

Next: arguments.py, constructors.py, contexts.py, known_calls.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from codelake.resolve.arguments import bind_arguments, note_passes, star_container
from codelake.resolve.class_table import ENUMS, find, order_of
from codelake.resolve.constructors import DEEPEST, call_class
from codelake.resolve.contexts import MANY, choose_context, decorates
from codelake.resolve.descriptors import descriptor
from codelake.resolve.dispatch import call_dispatching, note_class
from codelake.resolve.known_calls import call_external, call_external_method
from codelake.resolve.known_decorators import mark_dataclass
from codelake.resolve.known_types import has_attribute
from codelake.resolve.objects import (
    BOUND,
    CLASS,
    CLASS_METHOD,
    CONTAINER,
    DISPATCH,
    EXTERNAL,
    EXTERNAL_INSTANCE,
    EXTERNAL_METHOD,
    FUNCTION,
    INSTANCE,
    PARTIAL,
    STATIC,
    UNKNOWN,
    WRAPPER,
)
from codelake.resolve.special_methods import call_special
from codelake.resolve.state import CALLBACK, EXPLICIT, IMPLICIT, Frame, Site, State


def call(found: Iterable[int], state: State, site: Site) -> None:
    """Call each of the objects at a place."""
    kinds = state.objects.kind
    for one in found:
        if one >= 0:
            handler = _CALLS.get(kinds[one])
            if handler is not None:
                handler(state, one, site)


def call_method(found: Iterable[int], state: State, site: Site, receiver: int) -> None:
    """Call functions found in a class, bound to a receiver."""
    objects = state.objects
    for one in found:
        kind = objects.kind[one] if one >= 0 else 0
        if kind == FUNCTION:
            call_function(state, one, site, receiver)
        elif kind == STATIC:
            state.solver.watch(state.field(one, "function"), call, state, site)
        elif kind == CLASS_METHOD:
            owner = receiver
            if objects.kind[receiver] == INSTANCE:
                owner = objects.first[receiver]
            state.solver.watch(state.field(one, "function"), call_method, state, site, owner)
        elif kind == INSTANCE and "__get__" in state.defined_names:
            _call_bound(state, one, site, receiver)
        elif kind:
            call((one,), state, site)


def _call_bound(state: State, one: int, site: Site, receiver: int) -> None:
    """Call what `__get__` of an object in a class gives.

    Where the objects of its class are not told apart, that would be what any of them gives.
    """
    bound = state.new()
    descriptor(state, one, receiver, site.frame, site.node, bound)
    if state.objects.second[one] != MANY:
        state.solver.watch(bound, call, state, site)


def call_function(
    state: State, one: int, site: Site, receiver: int | None, tier: str | None = None
) -> None:
    """Call a function, with or without a receiver."""
    objects = state.objects
    definition = objects.first[one]
    env = state.frames[objects.second[one]]
    context = choose_context(state, definition, site, receiver)
    frame = state.enter_frame(state, definition, env, context)
    signature = frame.body.signature
    is_new = state.edge(site, definition, tier or _tier(state, definition, receiver))
    for manager in state.managed.get(definition, ()) if is_new else ():
        _manage(state, site, manager)
    if is_new and (site.kind == EXPLICIT or decorates(state, site)):
        # `sorted(xs, key=f)` hands items to f and to their `__lt__`, not xs
        note_passes(state, site, definition, signature, receiver)
    first = 0
    if receiver is not None:
        first = 1
        if signature.positional:
            state.solver.put(frame.offset + signature.positional[0].node, receiver)
        elif signature.star is not None:
            given = state.new()
            state.solver.put(given, receiver)
            state.store_item(star_container(state, frame), "int:0", given)
    key = (site.number, frame.number, first)
    if key in state.bound:
        return
    state.bound.add(key)
    state.sites_of.setdefault(frame.number, []).append(site)
    bind_arguments(state, frame, site.values, first)
    give_result(state, frame, site.result)


def give_result(state: State, frame: Frame, target: int) -> None:
    """Let what a call of a frame gives flow to a variable."""
    is_async = state.files[frame.file].definitions[frame.owner].is_async
    if frame.body.is_generator:
        kind = "builtins.async_generator" if is_async else "builtins.generator"
        if frame.definition in state.managers:
            kind = "contextlib._GeneratorContextManager"
        made = state.container(kind, ("frame", frame.number))
        container = state.containers[made]
        if made not in state.extra:
            state.extra[made] = frame
            state.solver.link(frame.yields, container.every)
            _yield_in_order(state, frame, made)
        state.solver.put(target, made)
    elif is_async:
        made = state.container("types.CoroutineType", ("frame", frame.number))
        state.solver.link(frame.result, state.containers[made].every)
        state.solver.put(target, made)
    else:
        state.solver.link(frame.result, target)


def _yield_in_order(state: State, frame: Frame, made: int) -> None:
    """Give what a generator yields its positions, when it yields under no condition."""
    bodies = state.bodies[frame.file]
    opener = state.files[frame.file].definitions[frame.owner].node
    yields = [step for step in frame.body.steps if step[0] in ("yield", "yield_from")]
    if all(step[0] == "yield" and bodies.always(step[1], opener) for step in yields):
        for index, step in enumerate(yields):
            if step[2] is not None:
                state.store_item(made, f"int:{index}", frame.offset + step[2])
    else:
        state.solver.link(frame.yields, state.containers[made].loose)


def _tier(state: State, definition: int, receiver: int | None) -> str:
    """Say how a function was found, as far as its receiver tells."""
    if receiver is None or receiver < 0:
        return "function"
    objects = state.objects
    cls = receiver
    if objects.kind[receiver] == INSTANCE:
        cls = objects.first[receiver]
        if objects.second[receiver] == 0:
            return "declared"
    info = state.classes.get(cls)
    if info is None:
        return "function"
    place = state.files[state.file_of[definition]].definitions[state.number_of[definition]]
    file = state.file_of[definition]
    if info.definition >= 0 and state.definition(file, place.parent or 0) == info.definition:
        return "method"
    return "inherited"


def _function(state: State, one: int, site: Site) -> None:
    call_function(state, one, site, None)


def _bound(state: State, one: int, site: Site) -> None:
    function, receiver = state.objects.first[one], state.objects.second[one]
    kind = state.objects.kind[function]
    if kind == FUNCTION:
        call_function(state, function, site, receiver)
    elif kind == DISPATCH:
        call_dispatching(state, function, site, receiver)
    else:
        given = state.new()
        state.solver.put(given, receiver)
        positional, keywords = site.values
        if kind == PARTIAL:  # a partial method: the receiver comes before its own arguments
            own, named = state.extra[function]
            inner = site.inside((((given, False), *own, *positional), (*named, *keywords)))
            state.sites += 1
            inner.number = state.sites
            state.solver.watch(state.field(function, "function"), call, state, inner)
        elif site.depth < DEEPEST:
            inner = site.inside((((given, False), *positional), keywords))
            state.sites += 1
            inner.number = state.sites
            call((function,), state, inner)


def _instance(state: State, one: int, site: Site) -> None:
    """Call an instance: its __call__."""
    info = state.classes[state.objects.first[one]]
    key = ("call", one, site.number)
    info.lookups.append(("__call__", _call_instance, state, one, site, key))
    _call_instance((), state, one, site, key)


def _call_instance(_: Any, state: State, one: int, site: Site, key: Any) -> None:
    order = order_of(state, state.objects.first[one])
    variable, _, outside, _ = find(state, order, "__call__")
    if variable is not None and (*key, variable) not in state.bound:
        state.bound.add((*key, variable))
        state.solver.watch(variable, call_method, state, site, one)
    elif outside is not None:
        state.edge(site, outside, "external")
        if site.kind == IMPLICIT and site.values[0]:  # a decorator of a class outside
            if outside == "contextlib.ContextDecorator.__call__":
                state.solver.watch(site.values[0][0][0], _note_managed, state, one)
            state.solver.link(site.values[0][0][0], site.result)


def _partial(state: State, one: int, site: Site) -> None:
    """Call what a partial stands for, with its own arguments first."""
    if site.depth >= DEEPEST:
        return
    (positional, keywords), (more, others) = state.extra[one], site.values
    given = {name for name, _ in others}
    kept = tuple(each for each in keywords if each[0] is None or each[0] not in given)
    inner = site.inside(((*positional, *more), (*kept, *others)))
    state.sites += 1
    inner.number = state.sites
    state.solver.watch(state.field(one, "function"), call, state, inner)


def _through(state: State, one: int, site: Site) -> None:
    """Call what a static method or a dispatching function stands for."""
    if site.depth >= DEEPEST:
        return
    inner = site.inside(site.values)
    state.solver.watch(state.field(one, "function"), call, state, inner)


def _dispatching(state: State, one: int, site: Site) -> None:
    call_dispatching(state, one, site, None)


def _wrapper(state: State, one: int, site: Site) -> None:
    """Call a decorator that gives its argument back, as functools.wraps(f) does."""
    if site.values[0]:
        given = site.values[0][0][0]
        state.solver.link(given, site.result)
        purpose = state.extra.get(one)
        if purpose == "dataclass":
            state.solver.watch(given, mark_dataclass, state)
        elif isinstance(purpose, tuple):  # registers with a dispatching function
            state.solver.link(given, purpose[0])
            state.solver.watch(given, note_class, state, purpose[1])
        else:
            state.solver.watch(given, _note_wrapped, state, one)


def _note_wrapped(found: Iterable[int], state: State, wrapper: int) -> None:
    for one in found:
        if one >= 0 and state.objects.kind[one] == FUNCTION:
            state.solver.link(state.field(wrapper, "function"), state.field(one, "__wrapped__"))


def _external(state: State, one: int, site: Site) -> None:
    call_external(state, state.objects.first[one], site)


def _external_method(state: State, one: int, site: Site) -> None:
    call_external_method(state, state.objects.first[one], state.objects.second[one], site)


def _external_instance(state: State, one: int, site: Site) -> None:
    name = state.objects.first[one]
    if not name.startswith("builtins.") and (
        name in ENUMS or has_attribute(name, "__call__") is not False
    ):
        state.edge(site, f"{name}.__call__", "external")


def _container(state: State, one: int, site: Site) -> None:
    """Decorate with what a function under contextlib.contextmanager gave."""
    if state.objects.first[one] == "contextlib._GeneratorContextManager" and site.values[0]:
        state.solver.watch(site.values[0][0][0], _note_managed, state, one)
        state.solver.link(site.values[0][0][0], site.result)


def _note_managed(found: Iterable[int], state: State, manager: int) -> None:
    """Note that functions run inside of a context manager that decorates them."""
    for one in found:
        if one >= 0 and state.objects.kind[one] == FUNCTION:
            state.managed.setdefault(state.objects.first[one], {})[manager] = None


def _manage(state: State, site: Site, manager: int) -> None:
    """Enter and leave a manager around a call; one of a generator is made again for it."""
    if state.objects.kind[manager] == INSTANCE:
        for name in ("__enter__", "__exit__"):
            call_special((manager,), state, site.frame, site.node, name)
    else:
        again = state.site(site.frame, site.node, state.new(), ((), ()), CALLBACK)
        state.edge(again, state.extra[manager].definition, "function")


def _unknown(state: State, _: int, site: Site) -> None:
    """Call what a call outside gave: `@implementer(I)` stands for what it decorates."""
    if decorates(state, site):
        state.solver.link(site.values[0][0][0], site.result)


_CALLS: dict[int, Callable[[State, int, Site], None]] = {
    FUNCTION: _function,
    BOUND: _bound,
    CLASS: call_class,
    INSTANCE: _instance,
    PARTIAL: _partial,
    STATIC: _through,
    CLASS_METHOD: _through,
    DISPATCH: _dispatching,
    WRAPPER: _wrapper,
    EXTERNAL: _external,
    EXTERNAL_METHOD: _external_method,
    EXTERNAL_INSTANCE: _external_instance,
    UNKNOWN: _unknown,
    CONTAINER: _container,
}
