"""Known library: threads, asyncio, re, itertools, collections, operator, copy.

    Thread(target=f)      f is called back
    asyncio.gather(c)     awaiting it gives what the coroutines return

Next: container_methods.py.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from codelake.resolve import items, iteration, special_methods
from codelake.resolve.attributes import load_attribute
from codelake.resolve.class_table import add_base, find, new_class, order_of
from codelake.resolve.known_builtins import collect
from codelake.resolve.known_classes import replace_fields, replace_method
from codelake.resolve.known_reflection import load_prefixed
from codelake.resolve.known_support import (
    MethodModel,
    Model,
    argument,
    call_back,
    callback,
    fill,
    items_of,
    made,
    pairs,
)
from codelake.resolve.objects import (
    CLASS,
    CONTAINER,
    EXTERNAL_INSTANCE,
    PARTIAL,
)
from codelake.resolve.state import CALLBACK, Site, State


def _reduce(state: State, site: Site) -> None:
    function, source, start = argument(site, 0), argument(site, 1), argument(site, 2)
    if function is None or source is None:
        return
    first, rest, total = state.new(), state.new(), state.new()
    state.solver.watch(source, _split_first, state, site, first, rest, start is not None)
    if start is not None:
        state.solver.link(start, total)
        state.solver.link(start, site.result)
    state.solver.link(first, rest if start is not None else total)
    result = callback(state, site, function, (total, rest))
    state.solver.link(result, total)
    state.solver.link(result, site.result)


def _split_first(
    found: Iterable[int], state: State, site: Site, first: int, rest: int, started: bool
) -> None:
    """Tell the first item of a sequence from the others, where positions are known."""
    for one in found:
        keys = state.containers[one].keys if one in state.containers else {}
        if "int:1" in keys:
            container = state.containers[one]
            state.load_item(one, "int:0", first)
            state.solver.link(container.loose, rest)
            for key, variable in tuple(keys.items()):
                if key != "int:0":
                    state.solver.link(variable, rest)
        else:
            items = state.new()
            iteration.iterate_object(state, site.frame, site.node, one, items, False)
            state.solver.link(items, rest)
            state.solver.link(items, first)
            if not started:
                state.solver.link(items, site.result)


def _callback_at(position: int, keyword: str | None = None, rest: bool = False) -> Model:
    """Make a model of what calls one of its arguments back."""

    def model(state: State, site: Site) -> None:
        variable = argument(site, position, keyword)
        if variable is not None:
            given = tuple(
                value for value, star in site.values[0][position + 1 :] if rest and not star
            )
            state.solver.link(callback(state, site, variable, given), state.new())

    return model


def _substitute(state: State, site: Site) -> None:
    """Handle re.sub: a function is called back with each match."""
    variable = argument(site, 1, "repl")
    if variable is not None:
        match = state.new()
        state.solver.put(match, state.objects.instance_of("re.Match"))
        callback(state, site, variable, (match,))
    state.solver.put(site.result, state.objects.text)


def _substitute_method(state: State, site: Site, _: int) -> None:
    variable = argument(site, 0, "repl")
    if variable is not None:
        match = state.new()
        state.solver.put(match, state.objects.instance_of("re.Match"))
        callback(state, site, variable, (match,))
    state.solver.put(site.result, state.objects.text)


def _format_text(state: State, site: Site, _: int) -> None:
    """Handle str.format: the arguments are formatted."""
    if {"__format__", "__str__", "__repr__"} & state.defined_names:
        given = [variable for variable, star in site.values[0] if not star]
        for variable in (*given, *(one for name, one in site.values[1] if name)):
            state.solver.watch(
                variable, special_methods.call_special, state, site.frame, site.node, "__format__"
            )
    state.solver.put(site.result, state.objects.text)


def _load_json(state: State, site: Site) -> None:
    """Handle json.loads: hooks are called back, those of objects make the result."""
    for name, variable in site.values[1]:
        if name in ("object_hook", "object_pairs_hook"):
            state.solver.link(callback(state, site, variable, (state.new(),)), site.result)
        elif name in ("parse_float", "parse_int", "parse_constant"):
            text = state.new()
            state.solver.put(text, state.objects.text)
            callback(state, site, variable, (text,))


def _thread(state: State, site: Site) -> None:
    target = argument(site, 1, "target")
    given = argument(site, 3, "args")
    named = argument(site, 4, "kwargs")
    if target is not None:
        values = (((given, True),) if given is not None else (), ())
        if named is not None:
            values = (values[0], ((None, named),))  # type: ignore[assignment]
        inner = state.site(site.frame, site.node, state.new(), values, CALLBACK)
        state.solver.watch(target, call_back, state, inner)
    state.solver.put(site.result, state.objects.instance_of("threading.Thread"))


def start_thread(state: State, site: Site, receiver: int) -> None:
    """Start a thread of a class of the repository: its run is called back."""
    order = order_of(state, state.objects.first[receiver])
    variable = find(state, order, "run")[0]
    if variable is not None:
        inner = state.site(site.frame, site.node, state.new(), ((), ()), CALLBACK)
        state.solver.watch(variable, state.call_method, state, inner, receiver)


def _await_result(state: State, site: Site) -> None:
    """Run a coroutine: the result is what it returns."""
    source = argument(site, 0)
    if source is not None:
        state.solver.watch(source, iteration.awaited, state, site.frame, site.node, site.result)


def _task(state: State, site: Site) -> None:
    source = argument(site, 0)
    if source is None:
        return
    number = made(state, site, "asyncio.Task")
    result = state.new()
    state.solver.watch(source, iteration.awaited, state, site.frame, site.node, result)
    fill(state, number, result)
    state.solver.put(site.result, number)


def _task_method(state: State, site: Site, _: int) -> None:
    _task(state, site)


def _gather(state: State, site: Site) -> None:
    results = state.container("builtins.list", ("gather", site.frame.number, site.node))
    for index, (variable, starred) in enumerate(site.values[0]):
        source = items_of(state, site, variable) if starred else variable
        result = state.new()
        state.solver.watch(source, iteration.awaited, state, site.frame, site.node, result)
        state.store_item(results, None if starred else f"int:{index}", result)
    number = made(state, site, "asyncio.Future")
    value = state.new()
    state.solver.put(value, results)
    fill(state, number, value)
    state.solver.put(site.result, number)


def _future(kind: str) -> Model:
    """Make a model of a call that makes a future: it holds the result that it is given."""

    def model(state: State, site: Site) -> None:
        state.solver.put(site.result, made(state, site, kind))

    return model


def _create_future(state: State, site: Site, _: int) -> None:
    _future("asyncio.Future")(state, site)


def _to_thread(state: State, site: Site) -> None:
    if site.values[0]:
        first, *rest = site.values[0]
        result = state.new()
        inner = state.site(site.frame, site.node, result, (tuple(rest), site.values[1]), CALLBACK)
        state.solver.watch(first[0], call_back, state, inner)
        number = made(state, site, "asyncio.Future")
        fill(state, number, result)
        state.solver.put(site.result, number)


def _namedtuple(state: State, site: Site) -> None:
    """Make a class with the fields that are given as text, or with their types."""
    names = argument(site, 1, "field_names")
    if names is None:
        names = argument(site, 1, "fields")
    number = state.objects.of(CLASS, -site.number, 0)
    info = new_class(state, number, -1)
    info.traits.add("namedtuple")
    add_base(state, info, (state.objects.external("typing.NamedTuple"),), 0)
    if names is not None:
        state.solver.watch(names, _name_fields, state, info)
    state.solver.put(site.result, number)


def _name_fields(found: Iterable[int], state: State, info: Any) -> None:
    for one in found:
        texts: list[str] = []
        if one < 0:
            texts = state.objects.texts[-one].replace(",", " ").split()
        elif state.objects.kind[one] == CONTAINER:
            keys = state.containers[one].keys
            for index in range(len(keys)):
                held = state.solver.get(keys.get(f"int:{index}", 0))
                for pair in held:  # a name and its type
                    if pair >= 0 and state.objects.kind[pair] == CONTAINER:
                        held = state.solver.get(state.containers[pair].keys.get("int:0", 0))
                texts += [state.objects.texts[-text] for text in held if text < 0]
        if texts and not info.fields:
            info.fields = [(text, 0, False) for text in texts]
            state.stored_names.update(texts)


def _defaultdict(state: State, site: Site) -> None:
    number = made(state, site, "collections.defaultdict")
    factory = argument(site, 0)
    if factory is not None:
        fill(state, number, callback(state, site, factory, ()))
    state.solver.put(site.result, number)


def _deque(state: State, site: Site) -> None:
    collect("collections.deque")(state, site)


def _chain(state: State, site: Site) -> None:
    number = made(state, site, "itertools.chain")
    for variable, starred in site.values[0]:
        items = items_of(state, site, variable)
        fill(state, number, items_of(state, site, items) if starred else items)
    state.solver.put(site.result, number)


def _chain_nested(state: State, site: Site) -> None:
    number = made(state, site, "itertools.chain")
    source = argument(site, 0)
    if source is not None:
        fill(state, number, items_of(state, site, items_of(state, site, source)))
    state.solver.put(site.result, number)


def _same_items(position: int = 0, function: int | None = None, name: str | None = None) -> Model:
    """Make a model of an iterator that gives the items it is handed, asking a function."""

    def model(state: State, site: Site) -> None:
        number = made(state, site, "itertools.islice")
        source = argument(site, position)
        if source is not None:
            items = items_of(state, site, source)
            fill(state, number, items)
            asked = None if function is None else argument(site, function, name)
            if asked is not None:
                callback(state, site, asked, (items,))
        state.solver.put(site.result, number)

    return model


def _groupby(state: State, site: Site) -> None:
    source, key = argument(site, 0, "iterable"), argument(site, 1, "key")
    if source is None:
        return
    items = items_of(state, site, source)
    first = items if key is None else callback(state, site, key, (items,))
    group = state.container("itertools._grouper", (site.frame.number, site.node))
    fill(state, group, items)
    second = state.new()
    state.solver.put(second, group)
    pairs(state, site, "itertools.groupby", first, second)


def _operator(name: str) -> Model:
    def model(state: State, site: Site) -> None:
        a, b = argument(site, 0), argument(site, 1)
        if a is not None:
            given = () if b is None else (b,)
            state.solver.watch(a, _operated, state, site, name, given)

    return model


def _operated(
    found: Iterable[int], state: State, site: Site, name: str, given: tuple[int, ...]
) -> None:
    for one in found:
        variable = special_methods.method(state, one, name)
        if variable is not None:
            special_methods.call_at(state, variable, one, site.frame, site.node, site.result, given)
        elif one < 0 or state.objects.kind[one] in (EXTERNAL_INSTANCE, CONTAINER):
            if name == "__getitem__" and given:
                items.load_item((one,), state, site.frame, site.node, None, given[0], site.result)
            else:
                state.solver.put(site.result, one if one >= 0 else state.objects.text)


def _getter(kind: str) -> Model:
    """Make a model of operator.attrgetter, itemgetter and methodcaller."""

    def model(state: State, site: Site) -> None:
        number = state.objects.of(PARTIAL, site.frame.number, site.node)
        state.extra[number] = (site.values[0], site.values[1])
        bodies = state.bodies[site.frame.file]
        for node in bodies.written_arguments(site.node)[0]:
            text = bodies.key_text(node)
            if text is not None:
                state.constant_keys[state.value(site.frame, node)] = text
        inner = state.objects.external(f"operator.{kind} result")
        state.solver.put(state.field(number, "function"), inner)
        state.solver.put(site.result, number)

    return model


def _attrgetter_call(state: State, site: Site) -> None:
    *names, (source, _) = site.values[0]
    for (name, _), target in zip(names, _gotten(state, site, len(names)), strict=True):
        state.solver.watch(name, _attr_path, state, site, source, target)


def _gotten(state: State, site: Site, size: int) -> list[int]:
    """Return where what is got goes: to the result, several of them to a tuple."""
    if size == 1:
        return [site.result]
    number = made(state, site, "builtins.tuple")
    state.containers[number].size = size
    state.solver.put(site.result, number)
    return [state.key_variable(state.containers[number], f"int:{index}") for index in range(size)]


def _attr_path(found: Iterable[int], state: State, site: Site, source: int, target: int) -> None:
    for one in found:
        if one < 0:
            *path, last = state.objects.texts[-one].split(".")
            at = source
            for name in path:
                part = state.new()
                state.solver.watch(at, load_attribute, state, site.frame, site.node, name, part)
                at = part
            state.solver.watch(at, load_attribute, state, site.frame, site.node, last, target)


def _itemgetter_call(state: State, site: Site) -> None:
    *keys, (source, _) = site.values[0]
    for (key, _), target in zip(keys, _gotten(state, site, len(keys)), strict=True):
        text = state.constant_keys.get(key)
        state.solver.watch(source, items.load_item, state, site.frame, site.node, text, key, target)


def _methodcaller_call(state: State, site: Site) -> None:
    if len(site.values[0]) < 2:
        return
    (name, _), *given, (source, _) = site.values[0]
    state.solver.watch(name, _call_named, state, site, source, tuple(given))


def _call_named(
    found: Iterable[int], state: State, site: Site, source: int, given: tuple[Any, ...]
) -> None:
    for one in found:
        if one < 0:
            method = state.new()
            text = state.objects.texts[-one]
            state.solver.watch(source, load_attribute, state, site.frame, site.node, text, method)
            values = (given, site.values[1])
            inner = state.site(site.frame, site.node, site.result, values, site.kind)
            state.solver.watch(method, state.call, state, inner)


def _copy(state: State, site: Site) -> None:
    """Copy: what a copy of an object may be is not followed; hooks are called."""
    source = argument(site, 0)
    if source is not None:
        for name in ("__copy__", "__deepcopy__"):
            special_methods.call_later(state, source, site.frame, site.node, name, ())
        state.solver.link(source, site.result)


_OPERATORS = {
    "add": "__add__", "sub": "__sub__", "mul": "__mul__", "truediv": "__truediv__",
    "eq": "__eq__", "ne": "__ne__", "lt": "__lt__", "le": "__le__", "gt": "__gt__",
    "ge": "__ge__", "neg": "__neg__", "contains": "__contains__", "getitem": "__getitem__",
    "and_": "__and__", "or_": "__or__", "xor": "__xor__", "mod": "__mod__", "not_": "__bool__",
    "floordiv": "__floordiv__", "pow": "__pow__", "matmul": "__matmul__", "call": "__call__",
    "iadd": "__iadd__", "truth": "__bool__", "abs": "__abs__", "index": "__index__",
}  # fmt: skip


def _same_second(state: State, site: Site) -> None:
    """Handle typing.cast: an instance of the class that is named."""
    cls, value = argument(site, 0), argument(site, 1)
    if value is not None:
        state.solver.link(value, site.result)
    if cls is not None:
        state.casts.append((site.frame, cls, site.result))


def _later(position: int, kind: str = "") -> MethodModel:
    """Make a model of a method that calls a function back with the arguments behind it."""

    def model(state: State, site: Site, _: int) -> None:
        given = site.values[0]
        if len(given) <= position:
            return
        result = state.new()
        values = (given[position + 1 :], site.values[1])
        inner = state.site(site.frame, site.node, result, values, CALLBACK)
        state.solver.watch(given[position][0], call_back, state, inner)
        if kind:
            number = made(state, site, kind)
            fill(state, number, result)
            state.solver.put(site.result, number)
        else:
            state.solver.link(result, site.result)

    return model


def _visit(state: State, site: Site, receiver: int) -> None:
    """Call back the methods that a visitor of syntax trees has for the classes of nodes."""
    visitors = state.new()
    load_prefixed((receiver,), state, site, "visit_", visitors)
    node = state.new()
    state.solver.put(node, state.objects.instance_of("ast.AST"))
    state.solver.link(callback(state, site, visitors, (node,)), site.result)


def _product(state: State, site: Site) -> None:
    """Make rows of an item of each argument; with repeat, of items anywhere."""
    number = made(state, site, "itertools.product")
    row = state.container("builtins.tuple", ("row", site.frame.number, site.node))
    is_plain = argument(site, 9, "repeat") is None and not any(star for _, star in site.values[0])
    for index, (variable, starred) in enumerate(site.values[0]):
        items = items_of(state, site, variable)
        if starred:
            items = items_of(state, site, items)
        state.store_item(row, f"int:{index}" if is_plain else None, items)
    item = state.new()
    state.solver.put(item, row)
    fill(state, number, item)
    state.solver.put(site.result, number)


def _rows(state: State, site: Site) -> None:
    """Make rows of items of the first argument, in any order."""
    number = made(state, site, "itertools.combinations")
    source = argument(site, 0)
    if source is not None:
        row = state.container("builtins.tuple", ("row", site.frame.number, site.node))
        fill(state, row, items_of(state, site, source))
        item = state.new()
        state.solver.put(item, row)
        fill(state, number, item)
    state.solver.put(site.result, number)


def _repeat(state: State, site: Site) -> None:
    number = made(state, site, "itertools.repeat")
    value = argument(site, 0, "object")
    if value is not None:
        fill(state, number, value)
    state.solver.put(site.result, number)


def _pool_map(state: State, site: Site, _: int) -> None:
    """Call a function back with the items of what it is mapped over."""
    function = argument(site, 0)
    if function is not None:
        given = tuple(items_of(state, site, one) for one, star in site.values[0][1:] if not star)
        number = made(state, site, "builtins.list")
        fill(state, number, callback(state, site, function, given))
        state.solver.put(site.result, number)


_EXECUTORS = ("Executor", "ThreadPoolExecutor", "ProcessPoolExecutor")
_POOLS = ("multiprocessing.Pool", "multiprocessing.pool.Pool", "multiprocessing.pool.ThreadPool")
_LOOP = "asyncio.AbstractEventLoop"
_FUTURE = "concurrent.futures.Future"

FUNCTIONS: dict[str, Model] = {
    "functools.reduce": _reduce,
    "atexit.register": _callback_at(0, None, True),
    "signal.signal": _callback_at(1),
    "re.sub": _substitute,
    "re.subn": _substitute,
    "copy.copy": _copy,
    "copy.deepcopy": _copy,
    "copy.replace": replace_fields,
    "dataclasses.replace": replace_fields,
    "json.dumps": _callback_at(9, "default"),
    "json.dump": _callback_at(9, "default"),
    "json.load": _load_json,
    "json.loads": _load_json,
    "threading.Thread": _thread,
    "multiprocessing.Process": _thread,
    "threading.Timer": _callback_at(1, "function"),
    "heapq.nlargest": _same_items(1, 2, "key"),
    "heapq.nsmallest": _same_items(1, 2, "key"),
    "concurrent.futures.as_completed": _same_items(),
    _FUTURE: _future(_FUTURE),
    "asyncio.Future": _future("asyncio.Future"),
    "asyncio.run": _await_result,
    "asyncio.wait_for": _task,
    "asyncio.shield": _task,
    "asyncio.create_task": _task,
    "asyncio.ensure_future": _task,
    "asyncio.gather": _gather,
    "asyncio.to_thread": _to_thread,
    "collections.namedtuple": _namedtuple,
    "typing.NamedTuple": _namedtuple,
    "collections.defaultdict": _defaultdict,
    "collections.deque": _deque,
    "itertools.chain": _chain,
    "itertools.chain.from_iterable": _chain_nested,
    "itertools.product": _product,
    "itertools.islice": _same_items(),
    "itertools.cycle": _same_items(),
    "itertools.takewhile": _same_items(1, 0),
    "itertools.dropwhile": _same_items(1, 0),
    "itertools.filterfalse": _same_items(1, 0),
    "itertools.compress": _same_items(),
    **dict.fromkeys(
        (
            *("itertools.batched", "itertools.combinations", "itertools.pairwise"),
            *("itertools.combinations_with_replacement", "itertools.permutations"),
        ),
        _rows,
    ),
    "itertools.repeat": _repeat,
    "itertools.accumulate": _same_items(0, 1, "func"),
    "itertools.groupby": _groupby,
    "typing.cast": lambda state, site: _same_second(state, site),
    "operator.attrgetter": _getter("attrgetter"),
    "operator.itemgetter": _getter("itemgetter"),
    "operator.methodcaller": _getter("methodcaller"),
    "operator.attrgetter result": _attrgetter_call,
    "operator.itemgetter result": _itemgetter_call,
    "operator.methodcaller result": _methodcaller_call,
    **{f"operator.{name}": _operator(method) for name, method in _OPERATORS.items()},
}
METHODS: dict[str, MethodModel] = {
    **{f"concurrent.futures.{name}.submit": _later(0, _FUTURE) for name in _EXECUTORS},
    **{f"concurrent.futures.{name}.map": _pool_map for name in _EXECUTORS},
    **{f"{name}.{method}": _pool_map for name in _POOLS for method in ("map", "imap")},
    **{f"{name}.apply": _later(0) for name in _POOLS},
    **{f"{_LOOP}.call_soon": _later(0), f"{_LOOP}.call_soon_threadsafe": _later(0)},
    **{f"{_LOOP}.call_later": _later(1), f"{_LOOP}.call_at": _later(1)},
    f"{_LOOP}.create_future": _create_future,
    f"{_LOOP}.run_in_executor": _later(1, "asyncio.Future"),
    "builtins.str.format": _format_text,
    "typing.NamedTuple._replace": replace_method,
    "re.Pattern.sub": _substitute_method,
    "re.Pattern.subn": _substitute_method,
    "contextvars.Context.run": _later(0),
    **{
        f"ast.{name}.{method}": _visit
        for name in ("NodeVisitor", "NodeTransformer")
        for method in ("visit", "generic_visit")
    },
    "asyncio.TaskGroup.create_task": _task_method,
    "asyncio.AbstractEventLoop.create_task": _task_method,
    "asyncio.AbstractEventLoop.run_until_complete": lambda s, site, _: _await_result(s, site),
}
