"""Drivers of modules that work on values and functions; see flow_drivers.py."""

from __future__ import annotations

import contextlib
import io
import operator
import random
from typing import Any

from flow_calls import OPERATORS, call, over


def drive_heapq(m: Any) -> None:
    dice = random.Random(1)
    values = [dice.randrange(50) for _ in range(60)]
    heap = list(values)
    m.heapify(heap)
    for n in range(5):
        m.heappush(heap, n)
        m.heappushpop(heap, n * 9)
        m.heapreplace(heap, n)
    while heap:
        m.heappop(heap)
    call(m.heappop, [])
    call(m.heappushpop, [], 1)
    for function in (m.nsmallest, m.nlargest):
        for key in (None, operator.neg):
            for n in (0, 1, 2, 7, 70):
                call(function, n, values, key=key)
                call(function, n, iter(values), key=key)
                call(function, n, [], key=key)
    for options in ({}, {"reverse": True}, {"key": abs}, {"key": abs, "reverse": True}):
        for parts in ([], [[]], [[1, 3]], [[1, 3], [2], []], [[3, 1], [2, 0], [1]]):
            call(m.merge, *parts, **options)


def drive_fractions(m: Any) -> None:
    inputs = ["3/4", "-1.5e2", 2, 0.25, "1_0", 0, "x", "1/0", None, (1,), "7/3"]
    values = [value for item in inputs if (value := call(m.Fraction, item)) is not None]
    for a in values:
        for b in [*values, 2, 0.5, 1j, "x", -2]:
            for name in OPERATORS:
                call(getattr(operator, name), a, b)
                call(getattr(operator, name), b, a)
            call(divmod, a, b)
            call(divmod, b, a)
            call(m.Fraction, a, b)
        for function in (round, hash, str, repr, bool, abs, int, operator.neg):
            call(function, a)
        call(round, a, 1)
        call(a.limit_denominator, 2)
        specs = ["", ".2f", "+010.3e", "%", "g", "_.1f", " .3g", "z.0f", "08d", ",.6f", "<9", "#g"]
        over(lambda spec, value=a: format(value, spec), specs)
    over(m.Fraction.from_float, [0.5, 2, "x"])
    over(m.Fraction.from_decimal, [2, "x"])


def drive_statistics(m: Any) -> None:
    data = [1, 2, 2, 3, 4.5, 7]
    names = ("mean", "fmean", "median", "median_low", "median_high", "mode", "multimode")
    more = ("stdev", "pstdev", "variance", "pvariance", "geometric_mean", "harmonic_mean")
    for name in (*names, *more, "median_grouped", "quantiles"):
        over(getattr(m, name), [data, [*data, 9], [], [0, 1], [-1], [3], iter([1, 2]), ["x"]])
    for pair in ((data, data), ([1], [1, 2]), ([1, 1], [1, 2]), ([1], [1])):
        for name in ("covariance", "correlation", "linear_regression", "fmean", "harmonic_mean"):
            call(getattr(m, name), *pair)
        call(m.correlation, *pair, method="ranked")
        call(m.linear_regression, *pair, proportional=True)
    for options in ({"n": 3, "method": "inclusive"}, {"n": 0}, {"method": "x"}):
        call(m.quantiles, data, **options)
    n, o = m.NormalDist(1, 2), m.NormalDist.from_samples(data)
    for name in OPERATORS:
        for pair in ((n, o), (n, 2), (2, n), (n, n)):
            call(getattr(operator, name), *pair)
    over(n.inv_cdf, [0.3, 0.999999, 0.0000001, 0, 1])
    for value in (n, m.NormalDist(0, 0), o):
        for name in ("cdf", "pdf", "zscore"):
            call(getattr(value, name), 1)
        call(value.overlap, o)
        call(value.samples, 3, seed=1)
        call(value.quantiles)
    call(m.NormalDist, 1, -1)


def drive_calendar(m: Any) -> None:
    for kind in (m.TextCalendar, m.HTMLCalendar):
        for first in (0, 6):
            calendar = kind(first)
            call(calendar.formatmonth, 2024, 2)
            call(calendar.formatyear, 2023)
            call(calendar.formatyearpage if kind is m.HTMLCalendar else calendar.formatyear, 1)
            over(calendar.yeardatescalendar, [2024])
            call(calendar.itermonthdays4, 2024, 12)
            call(calendar.monthdays2calendar, 2023, 1)
    over(m.isleap, [1900, 2000, 2023])
    for month in (2, 13):
        call(m.monthrange, 2024, month)
    call(m.weekday, 0, 1, 1)
    over(m.setfirstweekday, [9, 0])
    over(m.TextCalendar().formatweekheader, [9, 1])
    for line in ("2024", "2024 2", "-t html 2024", "-w 3", "2024 2 -f 6", "-L x", "-t html 2024 1"):
        call(m.main, line.split())


def drive_graphlib(m: Any) -> None:
    for graph in ({"a": ["b", "c"], "b": ["c"]}, {"a": ["b"], "b": ["a"], "c": "a"}, {1: [1]}, {}):
        call(m.TopologicalSorter(graph).static_order)
    sorter = m.TopologicalSorter()
    sorter.add(1, 2, 3)
    for function in (sorter.get_ready, sorter.is_active, sorter.prepare, sorter.prepare):
        call(function)
    call(sorter.add, 4)
    over(sorter.done, [9, 1])
    ready = sorter.get_ready()
    over(sorter.done, [*ready, ready[0], 1])
    call(sorter.get_ready)
    call(sorter.done, 1)
    bool(sorter)


def drive_colorsys(m: Any) -> None:
    steps = [0, 0.2, 0.5, 0.8, 1]
    for r in steps:
        for g in steps:
            for b in steps:
                m.hls_to_rgb(*m.rgb_to_hls(r, g, b))
                m.hsv_to_rgb(*m.rgb_to_hsv(r, g, b))
                m.yiq_to_rgb(r * 2, g * 2 - 1, b * 2 - 1)
                m.yiq_to_rgb(*m.rgb_to_yiq(r, g, b))


class _Plain:
    def __init__(self, value: Any) -> None:
        self.value = value


class _Reduced(_Plain):
    def __reduce_ex__(self, protocol: Any) -> Any:
        return (list, (), None, iter([1, 2]), None) if self.value else "name"


class _Own(_Plain):
    def __copy__(self) -> Any:
        return "copied"

    def __deepcopy__(self, memo: Any) -> Any:
        return "copied deeply"

    def __setstate__(self, state: Any) -> None:
        self.value = state


class _Slots:
    __slots__ = ("a",)


def drive_copy(m: Any) -> None:
    loop: list[Any] = [1]
    loop.append(loop)
    slots = _Slots()
    slots.a = [1]
    mapped = type("Mapped", (dict,), {})(a=[1])
    values = [
        1,
        "a",
        [1, [2]],
        (1, [2]),
        (1, 2),
        {"a": [1]},
        {1},
        frozenset({1}),
        loop,
        slots,
        mapped,
    ]
    values += [_Plain([1]), _Own(1), _Reduced(1), _Reduced(0), len, int, bytearray(b"x"), None, m]
    values += [_Plain.__init__, _Plain(1).__init__, iter([1]), io.StringIO()]
    over(m.copy, values)
    over(m.deepcopy, values)


def drive_functools(m: Any) -> None:
    for method in ("__lt__", "__gt__", "__le__", "__ge__"):
        for answer in (True, False, NotImplemented):
            for equal in (True, False):
                space = {
                    method: lambda *_, found=answer: found,
                    "__eq__": lambda *_, found=equal: found,
                }
                kind = m.total_ordering(type("T", (), space))
                for name in ("lt", "gt", "le", "ge"):
                    call(getattr(operator, name), kind(), kind())
    call(m.total_ordering, object)
    for values in ([[1, 2]], [[]], [[], 1]):
        call(m.reduce, operator.add, *values)

    def named(x: Any, *, y: int = 1) -> Any:
        return x

    call(m.update_wrapper, lambda: 0, named)
    call(m.cmp_to_key(lambda x, y: x - y), 1)
    info = m._CacheInfo
    for size in (None, 0, 2, -1, "x"):
        for typed in (False, True):
            call(m.lru_cache, size, typed)
            cached = call(m._lru_cache_wrapper, named, size, typed, info)
            for x in (1, 2, 3, 1, 1.0, 3, 2):
                call(cached, x)
                call(cached, x, y=2)
    call(m.lru_cache, named)
    for key in (
        ((1,), {}, False),
        (("a",), {}, True),
        ((1, 2), {"a": 1}, True),
        (([],), {}, False),
    ):
        call(m._make_key, *key)
    single = m.singledispatch(lambda x: "any")
    for arguments in ((int, len), (str,), (1,), (lambda x: x,), (int | str, len), (list, len)):
        call(single.register, *arguments)
    over(single, [1, "a", [1], 2.5, True])
    call(single)

    class Holder:
        method = m.singledispatchmethod(lambda self, x: "any")
        cached = m.cached_property(lambda self: 1)
        part = m.partialmethod(named, 1)

    holder = Holder()
    call(holder.method, 1)
    over(lambda name: getattr(holder, name), ["cached", "cached", "part"])
    call(m.partialmethod, 1)
    call(m.partial(named, 1).__reduce__)


def drive_contextlib(m: Any) -> None:
    def manager(kind: str) -> Any:
        if kind == "never":
            return
        try:
            yield kind
        except Exception:
            if kind == "swallow":
                return
            if kind == "again":
                yield 2
            if kind == "other":
                raise KeyError from None
            raise
        if kind == "twice":
            yield 2

    made = m.contextmanager(manager)
    for kind in ("plain", "never", "swallow", "again", "other", "twice"):
        for error in (None, ValueError("x"), StopIteration("s"), RuntimeError("r")):
            with contextlib.suppress(Exception), made(kind):
                if error is not None:
                    raise error
    call(made("plain")(lambda: 1))
    for error in (KeyError(), ExceptionGroup("g", [KeyError(), ValueError()]), OSError()):
        with contextlib.suppress(Exception), m.suppress(KeyError), m.closing(io.StringIO()):
            raise error
    for exits in ([lambda *_: True], [lambda *_: 1 / 0], [m.nullcontext(), len], [1]):
        for error in (None, ValueError()):
            with contextlib.suppress(Exception), m.ExitStack() as stack:
                over(stack.push, exits)
                over(stack.enter_context, [m.nullcontext(), 1, m.redirect_stdout(io.StringIO())])
                stack.callback(lambda: {}["x"])
                if error is not None:
                    raise error
    over(lambda kind: issubclass(kind, m.AbstractContextManager), [int, io.StringIO])
