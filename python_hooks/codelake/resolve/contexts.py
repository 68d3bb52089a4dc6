"""Contexts: in which frame of a function a call runs.

    log = repeat(2)(f); beep = repeat(3)(g)    a frame of repeat per call: f and g stay apart
    Box(Dog()); Box(Cat())                     a frame of Box.__init__ per instance
    Dog.make(); Cat.make()                     a frame of a class method per class
    first(a); first(b)                         a frame per call of a tiny function
    proxy.read; proxy.write                    a frame of __getattr__ per name

A context is made of at most DEPTH places of calls or instances. Functions that make functions or
classes, tiny functions, and methods of classes with few instances get one per call, up to a number
of steps; others share one frame. All copies together make at most COPIES times the steps of the
repository, and a floor for small ones.

    @Traced                                    an instance of Traced, and a frame of its __init__
    def f(): ...                               and __call__, per decorated function

What decorators make, and what they call that hands a function on (`@register.filter(name)`), is
kept apart for each decorated place, however many there are, until the copies for that make
DECORATED times the steps of the repository.
Next: calls.py.
"""

from __future__ import annotations

from typing import NamedTuple

from codelake.resolve.objects import CLASS, INSTANCE
from codelake.resolve.state import EXPLICIT, IMPLICIT, Frame, Site, State
from codelake.resolve.steps import OF_FIRST, OF_OTHERS

DEPTH = 3
TINY = 24  # steps
SMALL = 120
METHOD = 80
COPIES = 0.3
DECORATED = 0.15
FLOOR = 40_000
LARGE = 150_000  # facts
_NAMES = 1 << 50  # names in contexts are counted from here
MANY = "many"
"""The place of instances of a class that are not told apart."""


class Limits(NamedTuple):
    """How far things are kept apart.

    Attributes:
        method: steps of a method in all its frames together.
        maker: the same for functions that make or forward something, and for decorators.
        tiny: the same for tiny functions.
        instances: places of instances of one class.
        copies: steps of all further frames.
        decorated: the same for what decorators make, on its own.
        objects: what one variable may hold.
        names: names or values of a `setattr`, while any may have any.
    """

    method: int
    maker: int
    tiny: int
    instances: int
    copies: int
    decorated: int
    objects: int
    names: int


def limits_of(facts: int) -> Limits:
    """Return the limits for a number of facts; a large repository has less per function."""
    copies, decorated = FLOOR + int(COPIES * facts), FLOOR + int(DECORATED * facts)
    if facts > LARGE:
        return Limits(120, 6000, 120, 3, copies, decorated, 18, 4)
    return Limits(400, 6000, 600, 6, copies, decorated, 64, 16)


def choose_context(
    state: State, definition: int, site: Site, receiver: int | None
) -> tuple[int, ...]:
    """Return the context in which a call runs a function.

    Args:
        state: the analysis.
        definition: the function.
        site: the call.
        receiver: what the function is bound to.
    """
    file = state.file_of[definition]
    body = state.bodies[file].body(state.number_of[definition])
    size = len(body.steps)
    count = len(state.frames_of.get(definition, ()))
    place = state.base[site.frame.file] + site.node
    specific: tuple[int, ...] = ()
    if receiver is not None and receiver >= 0:
        objects = state.objects
        kind = objects.kind[receiver]
        is_made = kind == INSTANCE and objects.second[receiver] != 0
        if is_made or (kind == CLASS and size <= TINY and body.result_of & OF_FIRST):
            specific = (-receiver - 1,)
    is_decorator = decorates(state, site)
    follows = OF_OTHERS if receiver is not None else OF_FIRST | OF_OTHERS
    if size <= SMALL and state.decorated_copies <= state.limits.decorated:
        if (is_decorator or _is_expression(state, site)) and _is_plain(state, site.frame):
            state.decorated.add(place)
            return (place, *_outer(site), *specific)
        if specific and specific[0] in state.decorated and (body.gives or body.result_of):
            return specific
        hands_on = body.makes or body.forwards or (size <= TINY and body.result_of & follows)
        if hands_on and not state.decorated.isdisjoint(site.frame.context):
            return (place, *_outer(site), *specific)
    if state.copies > state.limits.copies:
        return ()
    asked = _asked_name(state, definition, site)
    if asked is not None and size * count < state.limits.maker:
        return (_NAMES + asked, *specific)
    keeps_apart = body.makes or body.forwards or is_decorator
    if keeps_apart and size <= SMALL and size * count < state.limits.maker:
        return (place, *_outer(site), *specific)
    if size <= TINY and body.result_of & follows and size * count < state.limits.tiny:
        return (place, *_outer(site), *specific)
    if specific and (body.gives or body.result_of) and size <= METHOD:
        return specific if size * count < state.limits.method else ()
    return ()


def _asked_name(state: State, definition: int, site: Site) -> int | None:
    """Return the number of the name that a `__getattr__` is called with, when it is one."""
    place = state.files[state.file_of[definition]].definitions[state.number_of[definition]]
    if place.name != "__getattr__" or site.kind != IMPLICIT or not site.values[0]:
        return None
    names = [-one for one in state.solver.get(site.values[0][0][0]) if one < 0]
    return names[0] if len(names) == 1 else None


def decorates(state: State, site: Site) -> bool:
    """Tell whether a place is a decorator."""
    if site.kind != IMPLICIT:
        return False
    fact = state.bodies[site.frame.file].made.get(site.node)
    return fact is not None and fact[0] == "decorate"


def _outer(site: Site) -> tuple[int, ...]:
    return site.frame.context[: DEPTH - 1]


def _is_expression(state: State, site: Site) -> bool:
    """Tell whether a place is the call `repeat(2)` of `@repeat(2)`."""
    if site.kind != EXPLICIT:
        return False
    fact = state.bodies[site.frame.file].made.get(site.node - 1)
    return fact is not None and fact[0] == "decorate" and fact[3] == site.node


def _is_plain(state: State, frame: Frame, depth: int = 1) -> bool:
    """Tell whether a frame is not one of an instance that was made in a frame of an instance."""
    for one in frame.context:
        if one < 0:
            made_at = state.objects.second[-one - 1]
            is_placed = made_at.__class__ is int
            if depth == 0 or (
                is_placed and not _is_plain(state, state.frames[made_at >> 24], depth - 1)
            ):
                return False
    return True


def instance_place(state: State, cls: int, site: Site) -> int | str:
    """Return what tells instances of a class apart: the place of the call, while they are few.

    Those that a decorator makes are kept apart for each decorated place.
    """
    info = state.classes[cls]
    place = (site.frame.number << 24) + site.node + 1
    if place in info.instances:
        return place
    if state.decorated_copies <= state.limits.decorated and _is_decorated(state, site):
        state.decorated.add(-state.objects.of(INSTANCE, cls, place) - 1)
        info.decorated += 1
    elif len(info.instances) - info.decorated >= state.limits.instances:
        return MANY
    info.instances[place] = None
    return place


def _is_decorated(state: State, site: Site) -> bool:
    """Tell whether a place is a decorator, its expression, or runs for one."""
    return (
        decorates(state, site)
        or _is_expression(state, site)
        or not state.decorated.isdisjoint(site.frame.context)
    ) and _is_plain(state, site.frame)
