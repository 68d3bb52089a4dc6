"""Catalogues as text, for cases: what `pprint_dataset` prints, read back.

    parameter least_confidence double = 0.5
    extractor ast of source = ast_nodes, ast_defs
    dataset nodes in evidence
      node_id bigint not null as NodeId
      key node_id

A dataset without steps is an input; `rows 1000` says how many it has, `check` that it is a check.
Every declaration is placed at its line of the text.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from codelake.semantic.ir import (
    Aggregate,
    Catalogue,
    Check,
    Column,
    Dataset,
    Explode,
    Extractor,
    Meaning,
    Op,
    Parameter,
    Place,
    Project,
    Rank,
    Relate,
    Scan,
    Source,
    Union,
    Write,
)
from codelake.semantic.types import parse_type

type Line = tuple[int, str]
_PARTS = ("where ", "having ", "on ", "take ", "order ", "spans ", "many")
_POLICY = (
    "key ",
    "rows ",
    "check",
    "write ",
    "stats ",
    "partition ",
    "order ",
    "cluster ",
    "profile ",
    "constraint ",
)


def read_catalogue(text: str) -> Catalogue:
    """Read a catalogue."""
    parts: list[list[Line]] = []
    for line in enumerate(text.splitlines(), 1):
        if line[1].startswith(("dataset ", "parameter ", "extractor ")):
            parts.append([])
        parts[-1].append(line)
    datasets = [_dataset(part) for part in parts if part[0][1].startswith("dataset ")]
    parameters = [_parameter(part[0]) for part in parts if part[0][1].startswith("parameter ")]
    extractors = [_extractor(part[0]) for part in parts if part[0][1].startswith("extractor ")]
    columns = {c.name: c for dataset in datasets for c in dataset.columns}
    meanings = [Meaning(c.name, c.type, "", "") for c in columns.values()]
    return Catalogue(
        tuple(datasets),
        tuple(meanings),
        parameters=tuple(parameters),
        extractors=tuple(extractors),
        row_counts={name: count for part in parts for name, count in _row_count(part)},
    )


def _extractor(line: Line) -> Extractor:
    declared, _, columns = line[1].partition(" = ")
    _, name, _, part = declared.split(" ")
    return Extractor(name, part, tuple(columns.split(", ")))


def _row_count(part: list[Line]) -> Iterator[tuple[str, int]]:
    name = part[0][1].removeprefix("dataset ").split(" in ")[0]
    for _, line in part[1:]:
        if line.startswith("  rows "):
            yield name, int(line.removeprefix("  rows "))


def _place(line: Line) -> Place:
    return Place("case", line[0])


def _parameter(line: Line) -> Parameter:
    declared, _, default = line[1].partition(" = ")
    _, name, kind = declared.split(" ")
    value = json.loads(default)
    return Parameter(
        name,
        parse_type(kind),
        tuple(value) if isinstance(value, list) else value,
        "",
        place=_place(line),
    )


def _dataset(lines: list[Line]) -> Dataset:
    name, layer = lines[0][1].removeprefix("dataset ").split(" in ")
    steps = next((at for at, line in enumerate(lines) if at and line[1][0] != " "), len(lines))
    head = [line.strip() for _, line in lines[1:steps]]

    def listed(word: str) -> tuple[str, ...]:
        found = [line.removeprefix(word) for line in head if line.startswith(word)]
        return tuple(each for line in found for each in line.split(", "))

    columns = tuple(_column(line) for line in head if not line.startswith(_POLICY))
    rows = _rows(lines[steps:])
    rows = rows or Scan(f"{name.lower()}_rows", "outside", columns, _place(lines[0]))
    write = None
    for line in head:
        if line.startswith("write "):
            strategy, _, key = line.removeprefix("write ").partition(" by ")
            strategy, _, part = strategy.partition(" of ")
            write = Write(
                strategy,  # type: ignore[arg-type]
                key,
                part,
                partition=listed("partition "),
                order=listed("order "),
                cluster=listed("cluster "),
                profile="".join(listed("profile ")),
            )
    constraints = [line.removeprefix("constraint ") for line in head if "constraint " in line]
    return Dataset(
        name,
        layer,
        f"The {name}.",
        "One row per key.",
        listed("key "),
        columns,
        rows,
        write,
        tuple((each.split(": ")[0], each.split(": ")[1]) for each in constraints),
        Check("", "", "", "") if "check" in head else None,
        place=_place(lines[0]),
    )


def _column(line: str) -> Column:
    line, _, semantic = line.partition(" as ")
    name, _, kind = line.partition(" ")
    plain = kind.removesuffix(" not null")
    return Column(name, parse_type(plain), plain == kind, semantic or None, name)


def _rows(lines: list[Line]) -> Op | None:
    steps: dict[str, Op] = {}
    last: Op | None = None
    while lines:
        head, parts = lines[0], []
        lines = lines[1:]
        while lines and lines[0][1].startswith("  "):
            parts.append(lines[0][1].strip())
            lines = lines[1:]
        last = _step(head, parts, steps)
        steps[last.name] = last
    return last


def _step(line: Line, parts: list[str], steps: dict[str, Op]) -> Op:
    place, head = _place(line), line[1]
    if head.startswith("source "):
        return Source(head.removeprefix("source "), place)
    name, _, rest = head.partition(" = ")
    word, _, rest = rest.partition(" ")

    def taken(start: str) -> list[str]:
        return [p.removeprefix(start) for p in parts if p.startswith(start)]

    own = [p for p in parts if not p.startswith(_PARTS)]
    columns = {p.partition(" = ")[0]: p.partition(" = ")[2] or p for p in own}
    if word == "project":
        return Project(name, steps[rest], columns, (taken("where ") or [None])[0], place=place)
    if word == "union":
        return Union(name, tuple(steps[each] for each in rest.split(", ")), place=place)
    if word == "aggregate":
        below, by = rest.split(" by ")
        having = (taken("having ") or [None])[0]
        return Aggregate(name, steps[below], tuple(by.split(", ")), columns, having, place=place)
    if word == "explode":
        below, array, _, element, *position = rest.split(" ")
        return Explode(name, steps[below], array, element, (position or [None, None])[1], place)
    if word == "rank":
        below, rest = rest.split(" by ")
        by, column = rest.split(" as ")
        order = tuple(taken("order "))
        return Rank(name, steps[below], tuple(by.split(", ")), order, column, place=place)
    assert word == "relate", f"no such step: {head}"
    left, how, right = rest.split(" ")
    return Relate(
        name,
        steps[left],
        steps[right],
        tuple((p.split(" = ")[0], p.split(" = ")[1]) for p in taken("on ")),
        how,  # type: ignore[arg-type]
        tuple(taken("take ")),
        "".join(taken("spans ")),  # type: ignore[arg-type]
        "many" in parts,
        place=place,
    )
