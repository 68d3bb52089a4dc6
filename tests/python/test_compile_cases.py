"""Text cases of the compiler: datasets as text -> IR, SQL or errors (tests/cases/compile.test).

A dataset without steps is an input. The result that is shown is that of the last datasets which
have steps: `[ir]` and `[sql]` print those that no other dataset reads.
"""

from __future__ import annotations

import re

from cases import Case, check, parametrize
from codelake.compile.emit_sql import emit_sql
from codelake.compile.pipeline import run_pipeline
from codelake.compile.units import State
from codelake.semantic.check import check as check_catalogue
from codelake.semantic.ir import (
    Aggregate,
    Catalogue,
    Column,
    Dataset,
    Explode,
    Meaning,
    Op,
    Place,
    Project,
    Relate,
    Scan,
    Source,
    Union,
    sources,
)
from codelake.semantic.pprint import pprint_dataset, pprint_rows
from codelake.semantic.types import parse_type

_PLACE = Place("case", 1)


@parametrize("compile")
def test_case(case: Case) -> None:
    catalogue = _catalogue(case.source)
    errors = [line for error in check_catalogue(catalogue) for line in str(error).splitlines()]
    if "error" in case.sections:
        check(case, {"error": lambda: [e for e in errors if not e.startswith("  fix: ")]})
        return
    assert errors == []
    state = run_pipeline(catalogue)
    check(case, {"ir": lambda: _print_ir(state), "sql": lambda: _print_sql(state)})
    for dataset in catalogue.datasets:
        if not isinstance(dataset.rows, Scan):
            again = _catalogue(pprint_dataset(dataset)).datasets[0]
            assert pprint_dataset(again) == pprint_dataset(dataset)


def _shown(state: State) -> list[str]:
    read = {name for dataset in state.catalogue.datasets for name in sources(dataset.rows)}
    return [unit.name for unit in state.units if unit.name not in read]


def _print_ir(state: State) -> list[str]:
    return [
        line for name in _shown(state) for line in pprint_rows(state.unit(name).rows).splitlines()
    ]


def _print_sql(state: State) -> list[str]:
    known = {d.name: d for d in state.catalogue.datasets}
    lines: list[str] = []
    for name in _shown(state):
        columns = tuple(c.name for c in known[name].columns)
        lines += emit_sql(state.unit(name).rows, columns, known).splitlines()
    return lines


def _catalogue(text: str) -> Catalogue:
    datasets = [
        _dataset(part.splitlines())
        for part in re.split(r"^dataset ", text, flags=re.MULTILINE)
        if part
    ]
    columns = {c.name: c for dataset in datasets for c in dataset.columns}
    meanings = [Meaning(c.name, c.type, "", "") for c in columns.values()]
    return Catalogue(tuple(datasets), tuple(meanings))


def _dataset(lines: list[str]) -> Dataset:
    name, layer = lines[0].split(" in ")
    steps = next((at for at, line in enumerate(lines) if at and line[0] != " "), len(lines))
    head = [line.strip() for line in lines[1:steps]]
    key = next(line.removeprefix("key ") for line in head if line.startswith("key "))
    columns = tuple(_column(line) for line in head if not line.startswith("key "))
    rows = _rows(lines[steps:]) or Scan(f"{name.lower()}_rows", "outside", columns, _PLACE)
    return Dataset(name, layer, "", "", tuple(key.split(", ")), columns, rows, place=_PLACE)


def _column(line: str) -> Column:
    line, _, semantic = line.partition(" as ")
    name, _, kind = line.partition(" ")
    plain = kind.removesuffix(" not null")
    return Column(name, parse_type(plain), plain == kind, semantic or None, name)


def _rows(lines: list[str]) -> Op | None:
    steps: dict[str, Op] = {}
    last: Op | None = None
    while lines:
        head, parts = lines[0], []
        lines = lines[1:]
        while lines and lines[0].startswith("  "):
            parts.append(lines[0].strip())
            lines = lines[1:]
        last = _step(head, parts, steps)
        steps[last.name] = last
    return last


def _step(head: str, parts: list[str], steps: dict[str, Op]) -> Op:
    if head.startswith("source "):
        return Source(head.removeprefix("source "), _PLACE)
    name, _, rest = head.partition(" = ")
    word, _, rest = rest.partition(" ")

    def taken(start: str) -> list[str]:
        return [p.removeprefix(start) for p in parts if p.startswith(start)]

    own = [p for p in parts if not p.startswith(("where ", "having ", "on ", "take "))]
    columns = {p.partition(" = ")[0]: p.partition(" = ")[2] or p for p in own}
    if word == "project":
        where = (taken("where ") or [None])[0]
        return Project(name, steps[rest], columns, where, place=_PLACE)
    if word == "union":
        return Union(name, tuple(steps[each] for each in rest.split(", ")), place=_PLACE)
    if word == "aggregate":
        below, by = rest.split(" by ")
        having = (taken("having ") or [None])[0]
        return Aggregate(name, steps[below], tuple(by.split(", ")), columns, having, place=_PLACE)
    if word == "explode":
        below, array, _, element, *position = rest.split(" ")
        at = position[1] if position else None
        return Explode(name, steps[below], array, element, at, _PLACE)
    assert word == "relate", f"no such step: {head}"
    left, how, right = rest.split(" ")
    on = tuple((p.split(" = ")[0], p.split(" = ")[1]) for p in taken("on "))
    take = tuple(taken("take "))
    return Relate(name, steps[left], steps[right], on, how, take, place=_PLACE)  # type: ignore[arg-type]
