"""Solver: what variables hold, shared or their own."""

from __future__ import annotations

import pytest

from codelake.resolve.load import read_repository
from codelake.resolve.report import report
from codelake.resolve.resolve import analyse, resolve
from codelake.resolve.solver import Solver


def test_a_variable_that_grows_leaves_others_alone() -> None:
    solver = Solver()
    first, second, third = (solver.variable() for _ in range(3))
    solver.link(first, second)
    solver.put(first, 1)
    solver.put(first, 2)
    solver.run()
    assert solver.get(second) is solver.get(first)
    solver.put(second, 3)
    solver.link(second, third)
    solver.put(third, 4)
    solver.run()
    held = [sorted(solver.get(one)) for one in (first, second, third)]
    assert held == [[1, 2], [1, 2, 3], [1, 2, 3, 4]]


def test_watchers_see_each_object_once() -> None:
    solver = Solver()
    source, target = solver.variable(), solver.variable()
    seen: list[int] = []
    solver.link(source, target)
    solver.put(source, 1)
    solver.watch(target, seen.extend)
    solver.run()
    solver.put(target, 2)
    solver.put_all(source, {1, 2, 3})
    solver.run()
    assert sorted(seen) == [1, 2, 3]


def test_full_variables_hold_the_same_set() -> None:
    solver = Solver()
    solver.most = 20
    first, second = solver.variable(), solver.variable()
    for one in range(30):
        solver.put(first, one)
    solver.put_all(second, set(range(40)))
    solver.run()
    solver.put(second, 50)
    solver.put(second, -1)
    assert solver.full == {first, second}
    assert solver.get(first) is solver.get(second)
    assert sorted(solver.get(first)) == list(range(20))


def test_objects_with_one_method_share_a_site() -> None:
    """`a + 1`, `a` of ten classes that inherit `__add__`: one place that calls, not ten."""
    classes = "".join(f"class C{n}(Base): ...\n" for n in range(10))
    made = ", ".join(f"C{n}()" for n in range(10))
    source = (
        f"class Base:\n    def __add__(self, other): return self\n"
        f"{classes}for a in [{made}]:\n    a + 1\n"
    )
    state = analyse(read_repository("r", {"m.py": source.encode()}))
    assert [len(receivers) for _, receivers in state.special_sites.values()] == [10]


def test_containers_that_are_added_are_joined_once() -> None:
    """`a + b`, `a` one of ten lists: the items of b are taken once."""
    lists = ", ".join(f"[{n}]" for n in range(10))
    source = f"for a in [{lists}]:\n    a + [print]\n"
    state = analyse(read_repository("r", {"m.py": source.encode()}))
    names = [entry[0].__name__ for entries in state.solver.watchers for entry in entries or ()]
    assert names.count("_join") == 1


@pytest.mark.parametrize("keeps_steps", [True, False])
def test_what_a_full_variable_holds_reaches_who_comes_late(keeps_steps: bool) -> None:
    solver = Solver()
    solver.most, solver.keeps_steps = 20, keeps_steps
    source, target, late = (solver.variable() for _ in range(3))
    seen: list[int] = []
    solver.link(source, target)
    solver.put_all(source, set(range(40)))
    solver.run()
    solver.link(source, late)
    solver.watch(source, seen.extend)
    solver.run()
    assert sorted(solver.get(target)) == sorted(solver.get(late)) == sorted(seen) == [*range(20)]
    assert bool(solver.successors[source]) is keeps_steps


def test_a_variable_that_gets_full_while_it_is_read_hands_on_the_rest() -> None:
    """Its last objects wait for their turn; who follows it is forgotten behind them."""
    solver = Solver()
    solver.most, solver.keeps_steps = 20, False
    source, target = solver.variable(), solver.variable()

    def add(found: set[int]) -> None:
        if 0 in found:
            solver.put_all(source, set(range(40)))

    solver.link(source, target)
    solver.watch(source, add)
    solver.put(source, 0)
    solver.run()
    assert sorted(solver.get(target)) == [*range(20)]


def test_steps_that_are_not_kept_change_no_row() -> None:
    files = read_repository("r", {"m.py": b"def f(x): return x\nfor y in [f, print]:\n    y(1)\n"})
    assert report(analyse(files)) == resolve(files)
