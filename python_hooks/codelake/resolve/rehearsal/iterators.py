"""Functions of `itertools`, item by item."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from codelake.resolve.rehearsal.builtin_functions import lazy
from codelake.resolve.rehearsal.operators import binary, compare
from codelake.resolve.rehearsal.values import MISSING, GiveUp, Run, Yielded

if TYPE_CHECKING:
    from codelake.resolve.rehearsal.machine import Machine


def _chain(machine: Machine, *values: Any) -> Run:
    for value in values:
        yield from _each(machine, value)


def _each(machine: Machine, value: Any) -> Run:
    iterator = yield from machine.iterator(value)
    while (item := (yield from machine.following(iterator))) is not MISSING:
        yield Yielded(item)


def _from_iterable(machine: Machine, values: Any) -> Run:
    iterator = yield from machine.iterator(values)
    while (value := (yield from machine.following(iterator))) is not MISSING:
        yield from _each(machine, value)


def _islice(machine: Machine, values: Any, *bounds: Any) -> Run:
    ends = [each for each in bounds if each is not None]
    if any(not isinstance(each, int) for each in ends):
        raise GiveUp("islice of unknown bounds")
    start, stop, step = 0, bounds[0], 1
    if len(bounds) > 1:
        start, stop, step = (*bounds, 1)[:3]
    iterator = yield from machine.iterator(values)
    at = 0
    start, step = start or 0, step or 1
    while stop is None or at < stop:
        item = yield from machine.following(iterator)
        if item is MISSING:
            return
        if at >= start and (at - start) % step == 0:
            yield Yielded(item)
        at += 1


def _zip_longest(machine: Machine, *values: Any, fillvalue: Any = None) -> Run:
    rows = []
    for value in values:
        rows.append((yield from machine.items(value)))
    for row in itertools.zip_longest(*rows, fillvalue=fillvalue):
        yield Yielded(row)


def _count(machine: Machine, start: Any = 0, step: Any = 1) -> Run:
    while True:
        machine.tick()
        yield Yielded(start)
        start = yield from binary(machine, ast.Add, start, step)


def _cycle(machine: Machine, values: Any) -> Run:
    iterator = yield from machine.iterator(values)
    items: list[Any] = []
    while (item := (yield from machine.following(iterator))) is not MISSING:
        items.append(item)
        yield Yielded(item)
    while items:
        for item in items:
            machine.tick()
            yield Yielded(item)


def _repeat(machine: Machine, value: Any, times: Any = None) -> Run:
    count = 0
    while times is None or (isinstance(times, int) and count < times):
        machine.tick()
        yield Yielded(value)
        count += 1


def _accumulate(machine: Machine, values: Any, func: Any = None, *, initial: Any = None) -> Run:
    iterator = yield from machine.iterator(values)
    total = initial if initial is not None else (yield from machine.following(iterator))
    while total is not MISSING:
        yield Yielded(total)
        item = yield from machine.following(iterator)
        if item is MISSING:
            return
        if func is None:
            total = yield from binary(machine, ast.Add, total, item)
        else:
            total = yield from machine.call(func, [total, item], {})


def _groupby(machine: Machine, values: Any, key: Any = None) -> Run:
    group: list[Any] = []
    last: Any = MISSING
    for item in (yield from machine.items(values)):
        at = item if key is None else (yield from machine.call(key, [item], {}))
        if last is not MISSING:
            same = yield from compare(machine, ast.Eq, last, at)
            if not (yield from machine.truth(same)):
                yield Yielded((last, iter(group)))
                group = []
        last = at
        group.append(item)
    if group:
        yield Yielded((last, iter(group)))


def _while(is_taken: bool) -> Callable[..., Run]:
    def run(machine: Machine, function: Any, values: Any) -> Run:
        iterator = yield from machine.iterator(values)
        is_open = True
        while (item := (yield from machine.following(iterator))) is not MISSING:
            if is_open:
                test = yield from machine.call(function, [item], {})
                is_open = yield from machine.truth(test)
            if is_taken and not is_open:
                return
            if is_taken or not is_open:
                yield Yielded(item)

    return run


def _filterfalse(machine: Machine, function: Any, values: Any) -> Run:
    iterator = yield from machine.iterator(values)
    while (item := (yield from machine.following(iterator))) is not MISSING:
        test = item if function is None else (yield from machine.call(function, [item], {}))
        if not (yield from machine.truth(test)):
            yield Yielded(item)


def _starmap(machine: Machine, function: Any, values: Any) -> Run:
    iterator = yield from machine.iterator(values)
    while (item := (yield from machine.following(iterator))) is not MISSING:
        given = yield from machine.items(item)
        yield Yielded((yield from machine.call(function, given, {})))


def _compress(machine: Machine, values: Any, selectors: Any) -> Run:
    kept = yield from machine.items(selectors)
    for item, test in zip((yield from machine.items(values)), kept, strict=False):
        if (yield from machine.truth(test)):
            yield Yielded(item)


def _whole(name: str) -> Callable[..., Run]:
    """Let itertools itself order the items, which it does not look at."""
    action = getattr(itertools, name)

    def run(machine: Machine, *values: Any, **options: Any) -> Run:
        count = 1 if name != "product" else len(values)
        rows = []
        for value in values[:count]:
            rows.append((yield from machine.items(value)))
        for row in action(*rows, *values[count:], **options):
            machine.tick()
            yield Yielded(row)

    return run


def _tee(machine: Machine, arguments: list[Any], keywords: dict[str, Any]) -> Run:
    items = yield from machine.items(arguments[0])
    count = arguments[1] if len(arguments) > 1 else 2
    return tuple(iter(items) for _ in range(count))


FUNCTIONS: dict[str, Callable[..., Run]] = {
    "itertools.chain": lazy(_chain),
    "itertools.chain.from_iterable": lazy(_from_iterable),
    "itertools.islice": lazy(_islice),
    "itertools.zip_longest": lazy(_zip_longest),
    "itertools.count": lazy(_count),
    "itertools.cycle": lazy(_cycle),
    "itertools.repeat": lazy(_repeat),
    "itertools.accumulate": lazy(_accumulate),
    "itertools.groupby": lazy(_groupby),
    "itertools.takewhile": lazy(_while(True)),
    "itertools.dropwhile": lazy(_while(False)),
    "itertools.filterfalse": lazy(_filterfalse),
    "itertools.starmap": lazy(_starmap),
    "itertools.compress": lazy(_compress),
    "itertools.product": lazy(_whole("product")),
    "itertools.permutations": lazy(_whole("permutations")),
    "itertools.combinations": lazy(_whole("combinations")),
    "itertools.pairwise": lazy(_whole("pairwise")),
    "itertools.batched": lazy(_whole("batched")),
    "itertools.tee": _tee,
}
