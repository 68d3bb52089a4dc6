"""Value flow: the labels of the programs are what CPython shows (tests/cases/value_flow)."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from cases import Case, load_cases
from flow_programs import (
    files_of,
    labels,
    observed,
    parametrize_programs,
    programs,
    stated,
)
from marks import Marks

FOLDERS = ("value_flow", "value_flow_held_out")


def check(case: Case, folder: Path) -> None:
    files = files_of(case)
    flows, others = stated(case, "flows"), stated(case, "not")
    sources, sinks = labels(files, "source"), labels(files, "sink")
    assert len({*sources}) == len(sources) and len({*sinks}) == len(sinks), "a label twice"
    pairs = [*flows, *others]
    assert sorted(pairs) == sorted((a, b) for a in sources for b in sinks), "not every pair once"
    certain = {pair for pair, shown in flows.items() if shown}
    seen = observed(files, folder)
    assert certain <= seen <= {*flows}, f"unseen {certain - seen}, wrong {seen - {*flows}}"
    assert not seen & (flows.keys() - certain), "a pair marked with `!` was seen"


@parametrize_programs("value_flow")
def test_labels(case: Case, tmp_path: Path) -> None:
    check(case, tmp_path)


@parametrize_programs("value_flow_held_out")
def test_labels_held_out(case: Case, tmp_path: Path) -> None:
    check(case, tmp_path)


@parametrize_programs("value_flow_fresh")
def test_labels_fresh(case: Case, tmp_path: Path) -> None:
    check(case, tmp_path)


@parametrize_programs("value_flow_second")
def test_labels_second(case: Case, tmp_path: Path) -> None:
    check(case, tmp_path)


@parametrize_programs("value_flow_applications")
def test_labels_of_applications(case: Case, tmp_path: Path) -> None:
    check(case, tmp_path)


@parametrize_programs("value_flow_third")
def test_labels_third(case: Case, tmp_path: Path) -> None:
    check(case, tmp_path)


@parametrize_programs("value_flow_fourth")
def test_labels_fourth(case: Case, tmp_path: Path) -> None:
    check(case, tmp_path)


@pytest.mark.parametrize("case", load_cases("value_order"), ids=lambda case: case.name)
def test_labels_of_the_order(case: Case, tmp_path: Path) -> None:
    check(case, tmp_path)


def test_every_third_program_of_an_area_is_held_out() -> None:
    shown, held = (Counter(Path(case.file).name for case in programs(one)) for one in FOLDERS)
    assert held == {area: (shown[area] + held[area]) // 3 for area in shown}


def test_conditions_go_both_ways(tmp_path: Path) -> None:
    program = """
x = source("a") if maybe() else source("b")
y = "plain"
while maybe():
    y = x + source("c")
    sink("1", y)
sink("2", y if maybe() else "plain")
"""
    pairs = {(a, b) for a in "abc" for b in "12"}
    assert observed({"main.py": program}, tmp_path) == pairs


WRONG = {
    "unseen": (["a -> 1", "a -> 2"], []),
    "wrong": ([], ["a -> 1", "a -> 2"]),
    "every pair": (["a -> 1"], []),
    "was seen": (["a -> 1 !"], ["a -> 2"]),
}


@pytest.mark.parametrize("reason", WRONG)
def test_wrong_labels_are_found(reason: str, tmp_path: Path) -> None:
    flows, others = WRONG[reason]
    source = '-- main.py\n|sink("1", source("a"))\n|sink("2", "plain")\n'
    case = Case("value_flow", "wrong", source, {"flows": flows, "not": others})
    with pytest.raises(AssertionError, match=reason):
        check(case, tmp_path)


DERIVED = {
    "slice": lambda x: x[1:3],
    "join": lambda x: "-".join(["b", x]),
    "f_string": lambda x: f"<{x!r:>30}>",
    "percent": lambda x: "%(b)s" % {"b": x},  # noqa: UP031
    "format": lambda x: "{:.2}".format(x),  # noqa: UP032
    "methods": lambda x: x.upper().strip().replace("b", "c").split()[0].title(),
    "bytes": lambda x: x.encode(),
    "escaped": lambda x: ascii(x),
    "key": lambda x: {x: 1},
    "nested": lambda x: [({"b": {x}},)],
    "error": lambda x: ValueError(x),
    "method": lambda x: x.join,
}


@pytest.mark.parametrize("name", DERIVED)
def test_texts_keep_their_marks(name: str) -> None:
    marks = Marks()
    clean = marks.source("clean")
    assert marks.marks_in(DERIVED[name](marks.source("a"))) == {"a"}
    assert marks.marks_in([clean, DERIVED[name]("value")]) == {"clean"}


def test_numbers_keep_their_marks() -> None:
    marks = Marks()
    a, b = marks.source("a", 3), marks.source("b", 2.5)
    assert marks.marks_in(-a + 1) == marks.marks_in(10 - a) == {"a"}
    assert marks.marks_in([sum([1, a]), round(b, 1), divmod(7, a)[0]]) == {"a", "b"}
    assert marks.marks_in(a * b) == marks.marks_in(1 + b // a) == {"a", "b"}
    assert marks.marks_in([a < 3, a == 3, "abc"[a - 1], range(2)[0]]) == set()
    assert a + 4 == 7 and type(a + 4) is not int


def test_large_numbers_are_known_by_value() -> None:
    marks = Marks()
    marks.source("a", 7001), marks.source("b", "7003"), marks.source("c", 7)
    assert marks.marks_in([int("7001"), "no. 7003", 7, 70010]) == {"a", "b"}
