"""Constraints: the steps of a body, in one frame -> what flows where, and who watches what.

    x = f(a)     call        watch f: bind a to the parameters of each function that arrives
    x.a          attr        watch x: look the attribute up in each object that arrives
    a or b       either      link a and b to the expression

One small function per op. Next: attributes.py, calls.py, operators.py.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from codelake.resolve import (
    attributes,
    class_table,
    items,
    iteration,
    keyed_items,
    managers,
    operators,
    special_methods,
)
from codelake.resolve.bodies import BUILTIN_NAMES
from codelake.resolve.module_values import (
    bind_submodules,
    import_module,
    imported_name,
    star_values,
)
from codelake.resolve.narrowed import pass_gates, watch_narrowed
from codelake.resolve.narrowing import Narrowing
from codelake.resolve.objects import EXTERNAL_INSTANCE, FUNCTION
from codelake.resolve.state import EXPLICIT, IMPLICIT, Frame, State
from codelake.resolve.steps import Source, Timed
from codelake.resolve.stored_attributes import delete_attribute, store_attribute

_LITERALS = {
    "int": "builtins.int",
    "bool": "builtins.bool",
    "float": "builtins.float",
    "bytes": "builtins.bytes",
    "complex": "builtins.complex",
    "ellipsis": "builtins.ellipsis",
}
_LONGEST_TEXT = 64
_MODULE_TEXTS = frozenset({"__name__", "__file__", "__doc__", "__package__", "__qualname__"})
type Handler = Callable[[State, Frame, int, Any, Any, str, Any], None]


def run_steps(state: State, frame: Frame) -> None:
    """Make the constraints of a frame."""
    handlers = _HANDLERS
    for op, node, value, other, text, idx in frame.body.steps:
        handler = handlers.get(op)
        if handler is not None:
            handler(state, frame, node, value, other, text, idx)  # type: ignore[arg-type]


def source_variable(state: State, frame: Frame, source: Source) -> int:
    """Return the variable of a value that a definition around the frame has made."""
    at: Frame | None = frame
    while at is not None and at.owner != source.owner:
        at = at.env
    if at is None:
        around = _around_both(state, frame, source.owner)
        return state.shared_variable(frame.file, source.value, around)
    return at.offset + state.bodies[frame.file].value(source.value)


def _around_both(state: State, frame: Frame, owner: int) -> int:
    """Return the innermost frame around a frame that is around a definition too."""
    definitions = state.files[frame.file].definitions
    outer: set[int] = set()
    parent: int | None = owner
    while parent is not None:
        outer.add(parent)
        parent = definitions[parent].parent
    at = frame
    while at.owner not in outer and at.env is not None:
        at = at.env
    return at.number


def _share(state: State, frame: Frame, value: int, node: int) -> None:
    """Let a value be seen by the definitions in all frames around."""
    at = frame.env
    while at is not None:
        around = state.shared_variable(frame.file, node, at.number)
        state.solver.link(frame.offset + value, around)
        at = at.env


def _load(state: State, frame: Frame, node: int, value: Any, other: Any, text: str, _: Any) -> None:
    target = frame.offset + node
    if other is not None:
        target = watch_narrowed(state, frame, other, target)
    link = state.solver.link
    stars = [source.value for source in value if source.owner == -1]
    hiding = star_values(state, frame.file, stars, text, target) if stars else -1
    for source in value:
        if source.owner != -1 and not (source.owner == 0 and source.value < hiding):
            link(source_variable(state, frame, source), target)


def _builtin(state: State, frame: Frame, node: int, _: Any, other: Any, text: str, __: Any) -> None:
    target = frame.offset + node
    if other is not None:
        target = watch_narrowed(state, frame, other, target)
    found = state.index.star_source(frame.file, text)
    if found is not None:
        state.solver.link(state.global_variable(found[1], text), target)
    elif text in BUILTIN_NAMES and text not in _MODULE_TEXTS:
        state.solver.put(target, state.objects.external(f"builtins.{text}"))
    elif text == "__name__":
        state.solver.put(target, state.objects.known_text(state.files[frame.file].module))
    elif text in _MODULE_TEXTS:
        state.solver.put(target, state.objects.text)
    else:
        stars = [star for star, _ in state.index.stars[frame.file]]
        star_values(state, frame.file, stars, text, target)
        state.solver.link(state.global_variable(frame.file, text), target)  # by globals()


def _global(state: State, frame: Frame, node: int, _: Any, other: Any, text: str, __: Any) -> None:
    target = frame.offset + node
    if other is not None:
        target = watch_narrowed(state, frame, other, target)
    state.solver.link(state.global_variable(frame.file, text), target)


def _store_global(
    state: State, frame: Frame, _: int, value: Any, other: Any, text: str, __: Any
) -> None:
    state.solver.link(frame.offset + value, state.global_variable(frame.file, text))
    if other is not None:
        _share(state, frame, value, other)


def _store_outer(
    state: State, frame: Frame, _: int, value: Any, other: Any, __: str, ___: Any
) -> None:
    _share(state, frame, value, other)


def _store_class(
    state: State, frame: Frame, _: int, value: Any, __: Any, text: str, ___: Any
) -> None:
    info = state.extra.get(-frame.number - 1)
    if info is not None:
        state.solver.link(frame.offset + value, class_table.own_attribute(state, info, text))


def _attr(
    state: State, frame: Frame, node: int, value: Any, other: Any, text: str, idx: Any
) -> None:
    target = _target(state, frame, node)
    if other is not None:
        target = watch_narrowed(state, frame, other, target)
    strong: Any = idx is not None
    if isinstance(idx, Timed):
        strong = state.timed_read(frame, idx)
    elif strong:
        for one in idx:
            state.solver.link(frame.offset + one, target)
    raw = state.bodies[frame.file].made.get(node)
    if raw is not None and raw[3] in state.bodies[frame.file].patterns:
        node = value  # a keyword of a class pattern is read by the pattern
    state.solver.watch(
        frame.offset + value, attributes.load_attribute, state, frame, node, text, target, strong
    )


def _store_attr(
    state: State, frame: Frame, node: int, value: Any, other: Any, text: str, idx: Any
) -> None:
    tag = None if idx is None else (frame.file, idx)
    state.solver.watch(
        frame.offset + other,
        store_attribute, state, frame, node, text, frame.offset + value, tag,
    )  # fmt: skip


def _delete_attr(
    state: State, frame: Frame, node: int, value: Any, _: Any, text: str, __: Any
) -> None:
    state.solver.watch(frame.offset + value, delete_attribute, state, frame, node, text)


def _item(
    state: State, frame: Frame, node: int, value: Any, other: Any, text: str, idx: Any
) -> None:
    key = -1 if other is None else frame.offset + other
    target = _target(state, frame, node)
    strong: Any = None
    if isinstance(idx, Timed):
        strong = state.timed_read(frame, idx)
    elif idx is not None:
        strong = tuple([frame.offset + one for one in idx])
    state.solver.watch(
        frame.offset + value, items.load_item, state, frame, node, text, key, target, strong
    )


def _store_item(
    state: State, frame: Frame, node: int, value: Any, other: Any, text: str, idx: Any
) -> None:
    number, path = idx
    key = -1 if number is None else frame.offset + number
    tag = None if path is None else (frame.file, path)
    pair = keyed_items.pair_of(state.bodies[frame.file], number, value) if text is None else None
    if pair is not None:
        state.solver.watch(
            frame.offset + other,
            keyed_items.store, state, frame, node, pair, key, frame.offset + value,
        )  # fmt: skip
        return
    state.solver.watch(
        frame.offset + other,
        items.store_item, state, frame, node, text, key, frame.offset + value, tag,
    )  # fmt: skip


def _delete_item(
    state: State, frame: Frame, node: int, value: Any, _: Any, __: str, ___: Any
) -> None:
    state.solver.watch(frame.offset + value, items.delete_item, state, frame, node)


def _literal(state: State, frame: Frame, node: int, _: Any, __: Any, text: str, ___: Any) -> None:
    objects = state.objects
    if text.startswith("str"):
        known = 4 < len(text) < _LONGEST_TEXT
        found = objects.known_text(text[4:]) if known else objects.text
    elif text == "none":
        found = objects.none
        state.only_none.add(frame.offset + node)
    else:
        found = objects.instance_of(_LITERALS[text.partition(":")[0]])
    state.solver.put(frame.offset + node, found)


def _display_size(state: State, frame: Frame, node: int, item: int) -> int | None:
    """Return the number of items of a tuple, or of a list that nobody else has."""
    bodies, parents = state.bodies[frame.file], state.files[frame.file].parents
    fact = bodies.made.get(item)
    if fact is None or fact[0] not in ("list", "tuple"):
        return None
    is_own = fact[0] == "tuple" or parents[parents[item]] == node
    return fact[6] if is_own and len(bodies.elements(item)) == fact[6] else None


def _display(kind: str) -> Handler:
    """Make a list, tuple or set; behind a star positions are unknown."""

    def handle(
        state: State, frame: Frame, node: int, value: Any, _: Any, __: str, idx: Any
    ) -> None:
        made = state.container(kind, (frame.number, node))
        offset, keyed, more = frame.offset, kind != "builtins.set", 0
        for op, _owner, _node, item, _key, _text, index in value:
            size = _display_size(state, frame, node, item) if op == "element_star" else None
            if size is not None and keyed:
                state.solver.watch(offset + item, items.take_at, state, made, index + more)
                more += size - 1
            elif op == "element_star":
                items.spread(state, frame, node, offset + item, made)
                if keyed:
                    special_methods.call_later(state, offset + item, frame, node, "__len__", ())
                keyed = False
            else:
                key = f"int:{index + more}" if keyed else None
                state.store_item(made, key, offset + item, is_first=True)
                if kind == "builtins.set":
                    special_methods.hashed(state, frame, node, offset + item)
        if keyed and node not in state.bodies[frame.file].growing.displays:
            state.containers[made].size = idx + more
        state.solver.put(offset + node, made)

    return handle


def _dict(state: State, frame: Frame, node: int, value: Any, _: Any, __: str, ___: Any) -> None:
    """Make a dict: a constant key replaces the same key before it."""
    made = state.container("builtins.dict", (frame.number, node))
    offset = frame.offset
    container = state.containers[made]
    last = {text: index for _, _, _, _, _, text, index in value if text is not None}
    for op, _owner, _node, item, key, text, index in value:
        if op == "entry_star":
            replaced = frozenset(one for one, place in last.items() if place > index)
            state.solver.watch(offset + item, items.merge_mapping, state, made, replaced)
        else:
            if key is not None:
                key = offset + state.bodies[frame.file].value(key)
            if text is None and key is not None:
                items.store_entry(state, made, key, offset + item)
            elif text is None or last[text] == index:
                state.store_item(made, text, offset + item, is_first=True)
            if key is not None:
                state.solver.link(key, container.names)
                special_methods.hashed(state, frame, node, key)
    state.solver.put(offset + node, made)


_IN_ORDER = ("builtins.list", "builtins.generator")


def _comprehension(kind: str) -> Handler:
    def handle(
        state: State, frame: Frame, node: int, value: Any, other: Any, text: str, _: Any
    ) -> None:
        made = state.container(
            "builtins.async_generator" if text == "async" else kind, (frame.number, node)
        )
        container = state.containers[made]
        bodies = state.bodies[frame.file]
        pair = keyed_items.pair_of(bodies, other, value)
        copied = bodies.copied(node, value) if kind in _IN_ORDER and text != "async" else None
        if copied is not None:
            state.solver.link(frame.offset + value, container.every)
            source = state.value(frame, copied)
            state.solver.watch(source, items.copy_items, state, made, frame.offset + value)
            state.solver.at_last(_copy_unknown, state, made, frame.offset + value, source)
        elif pair is not None:
            state.solver.link(frame.offset + value, container.every)
            keyed_items.fill(state, frame, made, pair, frame.offset + value)
        else:
            state.store_item(made, None, frame.offset + value)
        if other is not None:
            state.solver.link(frame.offset + other, container.names)
        state.solver.put(frame.offset + node, made)

    return handle


def _copy_unknown(_: Any, state: State, made: int, item: int, source: int) -> None:
    if not state.solver.get(source):
        state.store_item(made, None, item)


def _text(state: State, frame: Frame, node: int, value: Any, _: Any, __: str, idx: Any) -> None:
    """Make an f-string; one that begins with a constant keeps that in mind."""
    fact = state.bodies[frame.file].made.get(value) if value is not None else None
    prefix = (fact[5] or "")[4:] if fact is not None and fact[0] == "literal" else ""
    if prefix.isidentifier() and idx > 1:
        made = state.objects.of(EXTERNAL_INSTANCE, "builtins.str", prefix)
    else:
        made = state.objects.text
    state.solver.put(frame.offset + node, made)


def _format(state: State, frame: Frame, node: int, value: Any, _: Any, text: str, __: Any) -> None:
    state.solver.put(frame.offset + node, state.objects.text)
    names = {"r": "__repr__", "s": "__str__", "a": "__repr__"}
    name = names.get(text, "__format__")
    state.solver.watch(frame.offset + value, special_methods.call_special, state, frame, node, name)


def _either(state: State, frame: Frame, node: int, value: Any, _: Any, __: str, ___: Any) -> None:
    state.solver.link(frame.offset + value, frame.offset + node)


def _call(state: State, frame: Frame, node: int, value: Any, other: Any, _: str, __: Any) -> None:
    offset = frame.offset
    positional, keywords = other
    if positional or keywords:
        values = (
            tuple([(offset + number, star) for number, star in positional]),
            tuple([(name, offset + number) for name, number in keywords]),
        )
    else:
        values = other
    site = state.site(frame, node, offset + node, values, EXPLICIT)
    state.solver.watch(offset + value, state.call, state, site)


def _decorate(
    state: State, frame: Frame, node: int, value: Any, other: Any, _: str, __: Any
) -> None:
    values = (((frame.offset + other, False),), ())
    site = state.site(frame, node, frame.offset + node, values, IMPLICIT)
    state.solver.watch(frame.offset + value, state.call, state, site)


def _function(state: State, frame: Frame, node: int, _: Any, __: Any, ___: str, idx: Any) -> None:
    made = state.objects.of(FUNCTION, state.definition(frame.file, idx), frame.number)
    state.solver.put(frame.offset + node, made)


def _each(state: State, frame: Frame, node: int, value: Any, other: Any, text: str, _: Any) -> None:
    state.iterate(state, frame, other, frame.offset + value, frame.offset + node, text == "async")


def _unpack(state: State, frame: Frame, node: int, value: Any, _: Any, __: str, idx: Any) -> None:
    state.solver.watch(
        frame.offset + value, items.unpack, state, frame, node, idx,
        _target(state, frame, node),
    )  # fmt: skip


def _unpack_star(
    state: State, frame: Frame, node: int, value: Any, _: Any, text: str, idx: Any
) -> None:
    made = state.container("builtins.list", (frame.number, node))
    state.containers[made].sizes = set()
    state.solver.watch(
        frame.offset + value, items.unpack_rest, state, frame, node, idx, int(text), made
    )
    state.solver.put(frame.offset + node, made)


def _enter(state: State, frame: Frame, node: int, _: Any, __: Any, text: str, ___: Any) -> None:
    manager = frame.offset + state.bodies[frame.file].value(node)
    result = state.field(-frame.number - 1, f"enter {node}")
    state.solver.watch(manager, managers.enter, state, frame, node, text == "async", result)


def _entered(state: State, frame: Frame, node: int, value: Any, _: Any, __: str, ___: Any) -> None:
    raw = state.bodies[frame.file].made.get(node)
    place = value if raw is None or raw[3] is None else raw[3]
    result = state.field(-frame.number - 1, f"enter {place}")
    state.solver.link(result, frame.offset + node)


def _import(state: State, frame: Frame, node: int, _: Any, __: Any, text: str, ___: Any) -> None:
    import_module(state, text.partition(".")[0], frame.offset + node)
    bind_submodules(state, text)


def _import_as(state: State, frame: Frame, node: int, _: Any, __: Any, text: str, ___: Any) -> None:
    import_module(state, text, frame.offset + node)
    bind_submodules(state, text)


def _import_from(
    state: State, frame: Frame, node: int, _: Any, __: Any, text: str, ___: Any
) -> None:
    module, _, name = text.rpartition(":")
    imported_name(state, frame.file, module, name, frame.offset + node)


def _match(state: State, frame: Frame, node: int, value: Any, _: Any, __: str, ___: Any) -> None:
    state.solver.link(frame.offset + value, _target(state, frame, node))


def _match_arg(
    state: State, frame: Frame, node: int, value: Any, other: Any, _: str, idx: Any
) -> None:
    state.solver.watch(
        frame.offset + other, items.match_argument,
        state, frame, node, frame.offset + value, idx, _target(state, frame, node),
    )  # fmt: skip


def _test(state: State, frame: Frame, _: int, value: Any, other: Any, __: str, ___: Any) -> None:
    if "__bool__" in state.defined_names or "__len__" in state.defined_names:
        state.solver.watch(frame.offset + value, special_methods.truth, state, frame, other)


def _match_value(
    state: State, frame: Frame, node: int, value: Any, _: Any, __: str, ___: Any
) -> None:
    special_methods.call_later(
        state, frame.offset + node, frame, node, "__eq__", (frame.offset + value,)
    )


def _return(state: State, frame: Frame, _: int, value: Any, other: Any, __: str, ___: Any) -> None:
    if other and frame.context:
        pass_gates(state, frame, other, frame.offset + value)
    else:
        state.solver.link(frame.offset + value, frame.result)


def _yield(state: State, frame: Frame, node: int, value: Any, _: Any, __: str, ___: Any) -> None:
    if value is not None:
        state.solver.link(frame.offset + value, frame.yields)
    state.solver.link(frame.sent, frame.offset + node)


def _yield_from(
    state: State, frame: Frame, node: int, value: Any, other: Any, _: str, __: Any
) -> None:
    state.iterate(state, frame, other, frame.offset + value, frame.yields, False)
    state.solver.watch(frame.offset + value, iteration.delegate, state, frame, frame.offset + node)


def _target(state: State, frame: Frame, node: int) -> int:
    """Return where the value of a pattern goes: a class pattern lets its instances pass only."""
    target = frame.offset + node
    patterns = state.bodies[frame.file].patterns
    if node in patterns:
        classes = state.value(frame, patterns[node])
        return watch_narrowed(state, frame, (Narrowing(True, classes - frame.offset),), target)
    return target


_HANDLERS: dict[str, Handler] = {
    "load": _load,
    "builtin": _builtin,
    "global": _global,
    "store_global": _store_global,
    "store_outer": _store_outer,
    "store_class": _store_class,
    "attr": _attr,
    "store_attr": _store_attr,
    "delete_attr": _delete_attr,
    "item": _item,
    "store_item": _store_item,
    "delete_item": _delete_item,
    "literal": _literal,
    "list": _display("builtins.list"),
    "tuple": _display("builtins.tuple"),
    "set": _display("builtins.set"),
    "dict": _dict,
    "listcomp": _comprehension("builtins.list"),
    "setcomp": _comprehension("builtins.set"),
    "genexp": _comprehension("builtins.generator"),
    "dictcomp": _comprehension("builtins.dict"),
    "fstring": _text,
    "format": _format,
    "either": _either,
    "starred": _either,
    "type_alias": _either,
    "call": _call,
    "decorate": _decorate,
    "function": _function,
    "lambda": _function,
    "class": class_table.define,
    "each": _each,
    "unpack": _unpack,
    "unpack_star": _unpack_star,
    "enter": _enter,
    "entered": _entered,
    "import": _import,
    "import_as": _import_as,
    "import_from": _import_from,
    "match": _match,
    "match_arg": _match_arg,
    "test": _test,
    "match_value": _match_value,
    "return": _return,
    "yield": _yield,
    "yield_from": _yield_from,
    "binary": operators.binary,
    "inplace": operators.inplace,
    "unary": operators.unary,
    "compare": operators.compare,
    "await": iteration.await_step,
    "raise": managers.raise_step,
    "handler": managers.handler_step,
}
