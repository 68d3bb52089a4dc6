"""Seeds: what is taken for a value where none is known, in rounds of falling certainty.

    1  the modules run; what they call, and what that calls, is followed
    2  attributes that were put off: __getattr__, or a class outside
    3  annotations of parameters, results, attributes and casts, where no value has come
    4  functions that nobody calls: `self` is any instance of their class, methods of the most
       derived classes and public names first
    5  `self` of those, where no class of the family is made anywhere, is of any subclass

After each round the analysis goes on until nothing changes.
Next: resolve.py.
"""

from __future__ import annotations

from codelake.resolve import fields
from codelake.resolve.annotations import annotated, instances
from codelake.resolve.arguments import open_containers
from codelake.resolve.attributes import load_attribute
from codelake.resolve.class_table import find, find_in, own_attribute
from codelake.resolve.objects import (
    CLASS,
    CLASS_METHOD,
    CONTAINER,
    EXTERNAL_INSTANCE,
    EXTERNAL_METHOD,
    FUNCTION,
    INSTANCE,
    NONE,
    STATIC,
    UNKNOWN,
)
from codelake.resolve.state import IMPLICIT, ClassInfo, Frame, State
from codelake.resolve.steps import Parameter

_FEW = 6  # subclasses whose instances a declared value may be
_MANY = 8  # subclasses that define what a base class leaves to them
_MOST = 200
type _Receiver = tuple[int, ClassInfo, str]
"""The variable of `self`, the class around, the method's name."""

_OUTSIDE = frozenset({UNKNOWN, NONE, EXTERNAL_INSTANCE})
_CLASS_METHODS = frozenset({"__new__", "__init_subclass__", "__class_getitem__"})


def settle(state: State) -> None:
    """Run the analysis, then the rounds."""
    state.solver.run()
    _rounds(state)
    receivers: list[_Receiver] = []
    for batch in _uncalled(state):
        entered = False
        for definition in batch:
            if definition not in state.frames_of:
                receivers += _enter(state, definition)
                entered = True
        if entered:
            state.solver.run()
            _rounds(state)
    for variable, info, name in receivers:
        _put_unmade(state, variable, info, name)
    state.solver.run()
    _rounds(state)


def _rounds(state: State) -> None:
    """Go on with what was put off and with annotations until neither tells anything new."""
    for _ in range(4):
        changed = _put_off(state)
        if changed:
            state.solver.run()
        noted = _annotate(state)
        if noted:
            state.solver.run()
        if not changed and not noted:
            return


def _put_off(state: State) -> bool:
    """Look again for attributes that no class has: __getattr__, or a class outside."""
    waiting, state.deferred = state.deferred, []
    changed = False
    for one, name, frame, node, target, outside in waiting:
        if fields.has_any(state, one, name):
            continue
        kind = state.objects.kind[one]
        if kind == EXTERNAL_INSTANCE:
            state.solver.put(target, state.objects.of(EXTERNAL_METHOD, outside, one))
            changed = True
            continue
        order = state.classes[one if kind == CLASS else state.objects.first[one]].order
        variable, owner, _, _ = find(state, order, name)
        if variable is not None:
            if (state.classes[owner].definition, name) in state.abstract:
                changed |= _from_below(state, one, name, frame, node, target)
            continue
        hook = find(state, order, "__getattr__")[0] if kind == INSTANCE else None
        if hook is not None:
            text = state.new()
            state.solver.put(text, state.objects.known_text(name))
            site = state.site(frame, node, target, (((text, False),), ()), IMPLICIT)
            state.solver.watch(hook, state.call_method, state, site, one)
            changed = True
        elif (
            kind == INSTANCE
            and state.objects.second[one] == 0
            and _from_below(state, one, name, frame, node, target)
        ):
            changed = True
        elif outside is not None:
            state.solver.put(target, state.objects.of(EXTERNAL_METHOD, outside, one))
            changed = True
    return changed


def _from_below(state: State, one: int, name: str, frame: Frame, node: int, target: int) -> bool:
    """Look for what a base class or mixin leaves to its subclasses to define."""
    found = [
        info
        for info in _subclasses(state, state.objects.first[one])
        if name in info.attributes and (info.definition, name) not in state.abstract
    ]
    found = [info for info in found if _is_made(state, info)] or found
    if not 0 < len(found) <= _MANY:
        return False
    for info in found:
        receiver = state.objects.of(INSTANCE, info.number, 0)
        load_attribute((receiver,), state, frame, node, name, target)
    return True


def _subclasses(state: State, cls: int) -> list[ClassInfo]:
    """Return the classes below a class, while they are not too many."""
    stack = list(state.classes[cls].subclasses)
    found: dict[int, ClassInfo] = {}
    while stack and len(found) < _MOST:
        number = stack.pop()
        if number not in found:
            found[number] = state.classes[number]
            stack += state.classes[number].subclasses
    return list(found.values())


def _is_made(state: State, info: ClassInfo) -> bool:
    """Tell whether somebody makes an object of a class, or of one below it."""
    return any(each.instances for each in (info, *_subclasses(state, info.number)))


def _is_open(
    state: State,
    variable: int,
    unusable: frozenset[int] = frozenset({UNKNOWN, NONE}),
    *,
    proxies: bool = False,
) -> bool:
    """Tell whether nothing that could be used is known of a variable.

    Args:
        state: all that is known.
        variable: it may hold something.
        unusable: kinds of objects that tell nothing.
        proxies: whether objects tell nothing that let others answer for their attributes.
    """
    kinds = state.objects.kind
    return all(
        one >= 0 and (kinds[one] in unusable or (proxies and _is_proxy(state, one)))
        for one in state.solver.get(variable)
    )


def _is_proxy(state: State, one: int) -> bool:
    """Tell whether an object in its class, no function, answers for attributes of an object."""
    if state.objects.kind[one] != INSTANCE:
        return False
    hook = find_in(state, state.objects.first[one], "__getattr__")[0]
    found = state.solver.get(hook) if hook is not None else ()
    return any(each >= 0 and state.objects.kind[each] == INSTANCE for each in found)


def _annotate(state: State) -> bool:
    """Put what annotations say to variables of which nothing is known."""
    changed = False
    for frame in state.frames[state.annotated_frames :]:
        _list_annotations(state, frame)
    state.annotated_frames = len(state.frames)
    left = []
    for variable, frame, node in state.annotations:
        if not _is_open(state, variable, _OUTSIDE, proxies=True):
            continue
        try:
            found = annotated(state, frame, node)
        except Exception as error:
            state.solver.note_fault(annotated, error)
            continue
        if not _is_open(state, variable):  # `app: App = LocalProxy(...)` is used as an App
            found = [one for one in found if one >= 0 and state.objects.kind[one] == INSTANCE]
        if found:
            changed = True
            for one in found:
                state.solver.put(variable, one)
                _put_subclasses(state, variable, one)
        else:
            left.append((variable, frame, node))
    state.annotations = left
    rest = []
    for target, classes, of_class in state.narrowed:
        if _is_open(state, target):
            tested = list(state.solver.get(classes))
            found = tested if of_class else instances(state, state.frames[0], tested)
            if not found:
                rest.append((target, classes, of_class))
            for one in found:
                changed = True
                state.solver.put(target, one)
    state.narrowed = rest
    for target, cls in state.caught:
        if _is_open(state, target):
            state.solver.put(target, state.objects.of(INSTANCE, cls, 0))
            changed = True
    state.caught = []
    for frame, cls, target in state.casts:
        if _is_open(state, target):
            for one in instances(state, frame, list(state.solver.get(cls))):
                changed = True
                state.solver.put(target, one)
    return changed


def _put_subclasses(state: State, variable: int, one: int) -> None:
    """Let a declared value be of the subclasses too that are made somewhere, if they are few."""
    if one < 0 or state.objects.kind[one] != INSTANCE:
        return
    below = _subclasses(state, state.objects.first[one])
    found = [info.number for info in below if info.instances]
    if len(found) <= _FEW:
        for cls in found:
            state.solver.put(variable, state.objects.of(INSTANCE, cls, 0))


def _list_annotations(state: State, frame: Frame) -> None:
    """List the annotated variables of a frame."""
    body, env = frame.body, frame.env
    notes = state.annotations
    if env is not None:
        for parameter in body.signature.all():
            if parameter.annotation is not None:
                _list_parameter(state, frame, env, parameter)
        if body.returns is not None:
            target = frame.result
            if body.is_generator:
                target = state.new()
                state.solver.watch(target, _yielded, state, frame)
            notes.append((target, env, body.returns))
    info = state.extra.get(-frame.number - 1)
    for target, note, base, name, given in body.annotations:
        if base is not None:
            variable = state.value(frame, base)
            for one in tuple(state.solver.get(variable)):
                if one >= 0 and state.objects.kind[one] == INSTANCE and name is not None:
                    value = state.new()
                    fields.write(state, one, name, value)
                    notes.append((state.field(one, name), frame, note))
        elif isinstance(info, ClassInfo) and name is not None:
            notes.append((own_attribute(state, info, name), frame, note))
        elif given is False or given:
            notes.append((frame.offset + target, frame, note))
            _list_variable(state, frame, target, note, name)


def _list_variable(state: State, frame: Frame, target: int, note: int, name: str | None) -> None:
    """Let the annotation of a variable hold for what is assigned to it."""
    for source in state.bodies[frame.file].stores.get(target, ()):
        if source.owner == frame.owner:
            state.annotations.append((state.value(frame, source.value), frame, note))
    if frame.owner == 0 and name is not None:
        state.annotations.append((state.global_variable(frame.file, name), frame, note))


def _list_parameter(state: State, frame: Frame, env: Frame, parameter: Parameter) -> None:
    assert parameter.annotation is not None
    variable = frame.offset + parameter.node
    if parameter.op in ("param_star", "param_keys"):
        kind = "builtins.tuple" if parameter.op == "param_star" else "builtins.dict"
        made = state.container(kind, (frame.number, parameter.node))
        state.solver.put(variable, made)
        container = state.containers[made]
        target = state.new()
        state.solver.link(target, container.loose)
        if not state.solver.get(container.every):
            state.annotations.append((target, env, parameter.annotation))
            state.solver.link(target, container.every)
    else:
        state.annotations.append((variable, env, parameter.annotation))


def _yielded(found: set[int], state: State, frame: Frame) -> None:
    for one in found:
        if one >= 0 and state.objects.kind[one] == CONTAINER:
            state.solver.link(state.containers[one].every, frame.yields)


def _uncalled(state: State) -> list[list[int]]:
    """Return functions in the order in which they are entered, when nobody has called them."""
    depth: dict[int, int] = {}
    for info in state.classes.values():
        if info.definition >= 0:
            depth[info.definition] = max(depth.get(info.definition, 0), len(info.order))
    batches: dict[tuple[int, bool], list[int]] = {}
    nested: dict[int, list[int]] = {}
    for file_no, file in enumerate(state.files):
        for def_no, place in enumerate(file.definitions):
            if place.kind not in ("FUNCTION", "LAMBDA") or place.parent is None:
                continue
            definition = state.definition(file_no, def_no)
            if definition in state.frames_of:
                continue
            parent = file.definitions[place.parent]
            hidden = place.name.startswith("_") and not place.name.endswith("__")
            if parent.kind in ("FUNCTION", "LAMBDA"):
                nested.setdefault(place.path.count("<locals>"), []).append(definition)
            elif parent.kind == "CLASS":
                rank = depth.get(state.definition(file_no, place.parent), 0)
                batches.setdefault((-min(rank, 9), hidden), []).append(definition)
            else:
                batches.setdefault((0, hidden), []).append(definition)
    ordered = [batches[key] for key in sorted(batches, key=lambda key: (key[1], key[0]))]
    return [*ordered, *(nested[key] for key in sorted(nested))]


def _enter(state: State, definition: int) -> list[_Receiver]:
    """Enter a function that nobody has called, from wherever it was made; return its `self`."""
    file, def_no = state.file_of[definition], state.number_of[definition]
    place = state.files[file].definitions[def_no]
    parent = state.definition(file, place.parent or 0)
    for env in tuple(state.frames_of.get(parent, ()))[:1]:
        frame = state.enter_frame(state, definition, env, ())
        for parameter in (*frame.body.signature.positional, *frame.body.signature.keyword_only):
            if parameter.default is not None:
                default = state.value(env, parameter.default)
                state.solver.link(default, frame.offset + parameter.node)
        open_containers(state, frame)
        info = state.extra.get(-env.number - 1)
        if isinstance(info, ClassInfo) and frame.body.signature.positional:
            return _seed_receiver(state, frame, info, definition)
    return []


def _seed_receiver(state: State, frame: Frame, info: ClassInfo, definition: int) -> list[_Receiver]:
    """Let `self` be any instance of the class, `cls` the class; return `self`."""
    objects = state.objects
    place = state.files[frame.file].definitions[frame.owner]
    first = frame.offset + frame.body.signature.positional[0].node
    function = objects.of(FUNCTION, definition, frame.env.number if frame.env else 0)
    kind = "method"
    if place.name in _CLASS_METHODS:
        kind = "class"
    elif place.kind == "LAMBDA":
        kind = "static"
    for one in _holders(state, info, function):
        kind = one
    if kind == "class":
        state.solver.put(first, info.number)
    elif kind == "method":
        order = [one for one in info.order if objects.kind[one] != CLASS]
        if any(objects.first[one] == "builtins.type" for one in order):
            return []
        state.solver.put(first, objects.of(INSTANCE, info.number, 0))
        _put_below(state, first, info, place.name, made=True)
        return [(first, info, place.name)]
    return []


def _put_below(state: State, variable: int, info: ClassInfo, name: str, *, made: bool) -> None:
    """Let `self` of a method be of the subclasses that inherit it, if they are few.

    Args:
        state: all that is known.
        variable: that of `self`.
        info: the class.
        name: the method's.
        made: only of those that are made somewhere.
    """
    own = info.attributes.get(name)
    below = [
        sub.number
        for sub in _subclasses(state, info.number)
        if (sub.instances or not made) and find(state, sub.order, name)[0] == own
    ]
    if len(below) <= _FEW:
        for cls in below:
            state.solver.put(variable, state.objects.of(INSTANCE, cls, 0))


def _put_unmade(state: State, variable: int, info: ClassInfo, name: str) -> None:
    """Let `self` be of any subclass where nobody makes an object of the family."""
    if not _is_made(state, info):
        _put_below(state, variable, info, name, made=False)


def _holders(state: State, info: ClassInfo, function: int) -> list[str]:
    """Say whether a function is held by a static or class method of its class."""
    found = []
    for variable in info.attributes.values():
        for one in state.solver.get(variable):
            kind = state.objects.kind[one] if one >= 0 else 0
            if kind not in (STATIC, CLASS_METHOD):
                continue
            if function in state.solver.get(state.field(one, "function")):
                found.append("static" if kind == STATIC else "class")
    return found
