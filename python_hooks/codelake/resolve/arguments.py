"""Arguments: what a call hands over -> the parameters of a function in a frame.

    def f(a, *rest, k=0): ...
    f(1, 2, k=3)      a is 1, rest holds 2 at position 0, k is 3
    f(*xs, **d)       items by position and by key, as far as they are known

Next: contexts.py.
"""

from __future__ import annotations

from collections.abc import Iterable

from codelake.resolve.objects import CONTAINER
from codelake.resolve.state import KEYWORDS, Frame, Site, State, Values
from codelake.resolve.steps import Parameter, Signature

type Given = tuple[tuple[int, bool], ...]  # positional arguments, and whether they have a star

_POSITIONS = 32  # items of `*args` that are told apart when they are handed on


def bind_arguments(state: State, frame: Frame, values: Values, first: int) -> None:
    """Bind arguments to the parameters of a frame; `first` positional ones are taken already."""
    signature, offset, link = frame.body.signature, frame.offset, state.solver.link
    parameters = signature.positional
    given: set[str] = {one.name for one in parameters[:first]}
    nones: set[str] = set()
    position, exact = first, True
    positional, keywords = values
    for index, (variable, starred) in enumerate(positional):
        if starred:
            _bind_from(state, frame, position, positional[index:])
            exact = False
            break
        if position < len(parameters):
            link(variable, offset + parameters[position].node)
            given.add(parameters[position].name)
            if variable in state.only_none:
                nones.add(parameters[position].name)
            position += 1
        elif signature.star is not None:
            key = f"int:{position - len(parameters)}"
            state.store_item(star_container(state, frame), key, variable)
            position += 1
    if signature.star is not None:
        size = max(0, position - len(parameters)) if exact else None
        state.note_size(state.containers[star_container(state, frame)], size)
    given.update(name for name, _ in keywords if name is not None)
    nones.update(name for name, one in keywords if name is not None and one in state.only_none)
    for name, variable in keywords:
        if name is None:
            state.solver.watch(variable, bind_mapping, state, frame, frozenset(given))
        else:
            _bind_keyword(state, frame, name, variable)
    _bind_defaults(state, frame, given)
    if frame.context:
        is_whole = exact and None not in dict(keywords)
        _note_absent(state, frame, given - nones if is_whole else None, nones)
    open_containers(state, frame)


def open_containers(state: State, frame: Frame) -> None:
    """Give `*args` its tuple and `**kwargs` its dict, whatever they hold."""
    if frame.body.signature.star is not None:
        star_container(state, frame)
    if frame.body.signature.keywords is not None:
        _keyword_container(state, frame)


def _bind_defaults(state: State, frame: Frame, given: set[str]) -> None:
    signature = frame.body.signature
    if frame.env is None:
        return
    for parameter in (*signature.positional, *signature.keyword_only):
        if parameter.default is not None and parameter.name not in given:
            default = state.value(frame.env, parameter.default)
            state.solver.link(default, frame.offset + parameter.node)


def _note_absent(state: State, frame: Frame, given: set[str] | None, nones: set[str]) -> None:
    """Note the parameters that are None in a call, none where it unpacks arguments.

    Args:
        state: the state.
        frame: what is called.
        given: parameters that the call gives something else; None where that is not known.
        nones: parameters that it gives None.
    """
    found: set[int] = set()
    made = state.bodies[frame.file].made
    if given is not None:
        for parameter in (*frame.body.signature.positional, *frame.body.signature.keyword_only):
            default = made.get(parameter.default) if parameter.default is not None else None
            is_left = default is not None and default[5] == "none"
            if parameter.name not in given and (is_left or parameter.name in nones):
                found.add(parameter.node)
    known = state.absent.get(frame.number)
    state.absent[frame.number] = found if known is None else known & found


def _bind_keyword(state: State, frame: Frame, name: str, variable: int) -> None:
    signature = frame.body.signature
    parameter = signature.by_name.get(name)
    if parameter is not None:
        state.solver.link(variable, frame.offset + parameter.node)
    elif signature.keywords is not None:
        state.store_named(_keyword_container(state, frame), name, variable)


def _bind_from(state: State, frame: Frame, position: int, given: Given) -> None:
    """Bind arguments, some with a star, to the parameters from a position on."""
    signature = frame.body.signature
    for index, (variable, starred) in enumerate(given):
        if starred:
            behind = given[index + 1 :]
            state.solver.watch(variable, bind_star, state, frame, position, behind)
            if behind:
                state.solver.at_last(_bind_unknown, state, frame, position, behind, variable)
            return
        if position < len(signature.positional):
            target = frame.offset + signature.positional[position].node
            state.solver.link(variable, target)
        elif signature.star is not None:
            key = f"int:{position - len(signature.positional)}"
            state.store_item(star_container(state, frame), key, variable)
        position += 1


def bind_star(
    found: Iterable[int], state: State, frame: Frame, position: int, behind: Given
) -> None:
    """Bind the items of `*values` to the parameters from a position on, then what is behind."""
    signature = frame.body.signature
    parameters = signature.positional
    for one in found:
        if one < 0 or state.objects.kind[one] != CONTAINER:
            _bind_anywhere((), state, frame, position, behind)
            continue
        container = state.containers[one]
        if container.size is None or container.size > _POSITIONS:
            _bind_anywhere((), state, frame, position, behind)
        elif behind:
            _bind_from(state, frame, position + container.size, behind)
            state.solver.watch(container.loose, _bind_anywhere, state, frame, position, behind)
        for index, parameter in enumerate(parameters[position:]):
            if container.size is None or index < container.size:
                state.load_item(one, f"int:{index}", frame.offset + parameter.node)
            else:
                state.solver.link(container.loose, frame.offset + parameter.node)
        if signature.star is not None:
            taken = max(0, len(parameters) - position)
            rest = star_container(state, frame)
            start = max(0, position - len(parameters))
            _forward(state, one, rest, taken, start)


def _bind_anywhere(
    _: Iterable[int], state: State, frame: Frame, position: int, given: Given
) -> None:
    """Bind arguments to all parameters from a position on."""
    key = ("anywhere", frame.number, position, given)
    if key in state.bound:
        return
    state.bound.add(key)
    for variable, starred in given:
        if starred:
            state.solver.watch(variable, bind_items, state, frame, position)
        else:
            _bind_to_all(state, frame, position, variable)


def _bind_unknown(
    _: Iterable[int], state: State, frame: Frame, position: int, given: Given, star: int
) -> None:
    if not state.solver.get(star):
        _bind_anywhere((), state, frame, position, given)


def bind_items(found: Iterable[int], state: State, frame: Frame, position: int) -> None:
    """Bind the items of `*values` to all parameters from a position on."""
    for one in found:
        if one >= 0 and state.objects.kind[one] == CONTAINER:
            _bind_to_all(state, frame, position, state.containers[one].every)


def _bind_to_all(state: State, frame: Frame, position: int, variable: int) -> None:
    signature = frame.body.signature
    for parameter in signature.positional[position:]:
        state.solver.link(variable, frame.offset + parameter.node)
    if signature.star is not None:
        state.store_item(star_container(state, frame), None, variable)


def _forward(state: State, source: int, target: int, taken: int, start: int) -> None:
    """Let the items of a sequence, but the first few, be items of another one."""
    container = state.containers[source]
    state.solver.link(container.loose, state.containers[target].loose)
    state.solver.link(container.loose, state.containers[target].every)

    def listen(key: str, variable: int) -> None:
        if key.startswith("int:") and not key.startswith("int:-"):
            index = int(key[4:]) - taken
            if index >= 0:  # in turn: `def f(*a): g(1, *a)` may come back to f, and again
                place = f"int:{index + start}" if index + start < _POSITIONS else None
                state.solver.later(_put_item, state, target, place, variable)

    for key, variable in tuple(container.keys.items()):
        listen(key, variable)
    if source != target:
        container.listeners.append(listen)


def _put_item(_: Iterable[int], state: State, target: int, key: str | None, value: int) -> None:
    state.store_item(target, key, value)


def bind_mapping(found: Iterable[int], state: State, frame: Frame, given: frozenset[str]) -> None:
    """Bind the items of `**values` to the parameters of their names."""
    signature = frame.body.signature
    for one in found:
        if one < 0 or state.objects.kind[one] != CONTAINER:
            continue
        container = state.containers[one]

        def listen(key: str, variable: int) -> None:
            if key.startswith("str:") and key[4:] not in given:
                _bind_keyword(state, frame, key[4:], variable)

        for key, variable in tuple(container.keys.items()):
            listen(key, variable)
        container.listeners.append(listen)
        for parameter in signature.by_name.values():
            if parameter.name not in given:
                state.solver.link(container.loose, frame.offset + parameter.node)
        if signature.keywords is not None:
            rest = state.containers[_keyword_container(state, frame)]
            state.solver.link(container.loose, rest.loose)
            state.solver.link(container.loose, rest.every)


def star_container(state: State, frame: Frame) -> int:
    """Return the tuple that `*args` of a frame holds."""
    parameter = frame.body.signature.star
    assert parameter is not None
    made = state.container("builtins.tuple", (frame.number, parameter.node))
    if state.solver.sets[frame.offset + parameter.node] is None:
        state.containers[made].sizes = set()
    state.solver.put(frame.offset + parameter.node, made)
    return made


def _keyword_container(state: State, frame: Frame) -> int:
    parameter = frame.body.signature.keywords
    assert parameter is not None
    made = state.container("builtins.dict", (frame.number, parameter.node))
    state.solver.put(frame.offset + parameter.node, made)
    return made


def note_passes(
    state: State, site: Site, definition: int, signature: Signature, receiver: int | None
) -> None:
    """Note which argument goes to which parameter.

    Arguments are counted from the last, since a partial or a bound method puts its own before
    those of the call; keywords likewise, from -KEYWORDS on.
    """
    positional, keywords = site.values
    if not positional and not keywords:
        return
    rows: list[tuple[int, int, str]] = []
    parameters = signature.positional
    position = 0 if receiver is None else 1
    exact = True
    given = {name for name, _ in keywords} | {each.name for each in parameters[:position]}

    def note(place: int, parameter: Parameter | None, how: str) -> None:
        if parameter is not None:
            rows.append((place, parameter.node, how))

    size = len(positional)
    for place, (_, starred) in enumerate(positional, -size):
        if starred:
            exact = False
            for parameter in parameters[position:]:
                note(place, parameter, "star")
            note(place, signature.star, "star")
        elif exact and position < len(parameters):
            note(place, parameters[position], "position")
            given.add(parameters[position].name)
            position += 1
        elif exact:
            note(place, signature.star, "rest")
    for place, (name, _) in enumerate(keywords):
        place -= len(keywords) + KEYWORDS
        if name is None:
            for parameter in signature.by_name.values():
                if parameter.name not in given:
                    note(place, parameter, "keywords")
            note(place, signature.keywords, "keywords")
        elif name in signature.by_name:
            note(place, signature.by_name[name], "keyword")
        else:
            note(place, signature.keywords, "rest")
    if rows:
        state.passes[(site.frame.file, site.node, definition)] = rows
