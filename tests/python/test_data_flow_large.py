"""Large and deep sources: near-linear time, bounded output, no recursion."""

from __future__ import annotations

from functools import partial

import pytest

from codelake.extract.data.block_scan import MAX_DEFINITIONS
from codelake.extract.data.data_flow import data_flow
from flows import Analysed, analyse
from timing import cpu_seconds

STATEMENTS = 16_000


def _lines(count: int, *lines: str) -> str:
    return "".join(line.replace("#", str(n)) + "\n" for n in range(count) for line in lines)


SHAPES = {
    "straight": lambda n: _lines(n, "x# = 1"),
    "one_name": lambda n: "x = 0\n" + _lines(n, "x = x + 1"),
    "branches": lambda n: _lines(n // 2, "if c:", "    x = 1"),
    "branches_with_uses": lambda n: _lines(n // 3, "if c:", "    x = 1", "print(x)"),
    "arms": lambda n: _lines(n // 5, "if c: a# = 1", "else: a# = 2") + _lines(n // 5, "a#"),
    "arms_in_functions": lambda n: _lines(n // 6, "if c: a# = 1", "else: a# = 2", "def f#(): a#"),
    "redefined": lambda n: _lines(n // 5, "a# = 1", "f()", "a# = 2", "def f#(): return a#"),
    "loops": lambda n: _lines(n // 4, "while c:", "    if d: break", "    x = x + 1"),
    "tries": lambda n: _lines(n // 4, "try: f()", "except E as e: g(e)"),
    "one_try": lambda n: "x = 0\ntry:\n" + _lines(n, "    x = f(x)") + "except E: pass\n",
    "globals": lambda n: (
        _lines(n // 40, "def f#():", "  global g#", "  g# = 1") + _lines(n // 40, "print(g#)")
    ),
    "closures": lambda n: "def f():\n" + _lines(n // 4, "  x = #", "  def g(): return x", "  g()"),
    "attributes": lambda n: "def f(s):\n" + _lines(n, "  s.a# = s.a1"),
    "subscripts": lambda n: "def f(d):\n" + _lines(n, "  d[i] = d['k']"),
    "methods": lambda n: "x = 1\nclass C:\n" + _lines(n // 2, "  def m#(self): return x"),
    "display": lambda n: "x = {" + "a: 1, " * n + "}\n",
}


QUICK = {"straight", "one_name", "branches", "globals"}


@pytest.mark.parametrize(
    "shape",
    [shape if shape in QUICK else pytest.param(shape, marks=pytest.mark.prove) for shape in SHAPES],
)
def test_large_sources_take_nearly_linear_time(shape: str) -> None:
    seconds = []
    for size in (STATEMENTS // 8, STATEMENTS):
        found = analyse(SHAPES[shape](size))
        again = partial(data_flow, found.nodes, found.units, found.table)
        seconds.append(cpu_seconds(again))
        assert again() == found.flow  # twice the same
        assert len(found.rows) <= 50 * STATEMENTS
    # a quadratic algorithm takes 64 times as long
    assert seconds[1] < 30 * max(seconds[0], 0.03), seconds


def test_a_use_keeps_so_many_definitions() -> None:
    found = analyse(SHAPES["branches_with_uses"](3000))
    counts: dict[int, int] = {}
    for row in found.rows:
        counts[row[1]] = counts.get(row[1], 0) + 1
    assert max(counts.values()) == MAX_DEFINITIONS
    assert found.flow.truncated == sum(1 for n in range(1000) if n + 1 > MAX_DEFINITIONS)


DEEP = {
    "sum": "x = 1\ny = " + "+".join(["x"] * 900) + "\n",
    "attributes": "x = 1\nx" + ".y" * 900 + " = x" + ".y" * 900 + "\n",
    "elif": "x = 1\nif x: x\n" + "elif x: x\n" * 700,
    "lambdas": "x = 1\ny = " + "lambda: " * 90 + "x\n",
    "blocks": "x = 1\n" + "".join(" " * n + "if x:\n" for n in range(90)) + " " * 90 + "x\n",
}


@pytest.mark.parametrize("name", DEEP)
def test_deep_sources(name: str) -> None:
    assert len(_rows(analyse(DEEP[name]))) > 0


def _rows(found: Analysed) -> list[tuple[int, int, str, str, bool]]:
    return found.rows
