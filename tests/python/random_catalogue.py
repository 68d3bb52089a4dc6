"""Random catalogues: tables without rows, and views over them made of every operation.

What a view declares is what the compiler works out, so that whoever has another opinion of its
columns can be compared with it. No filter takes nulls away: that is no business of an analyser.
"""

from __future__ import annotations

from hypothesis import strategies as st

from codelake.semantic.functions import Value
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
    Rank,
    Relate,
    Scan,
    Source,
    Union,
)
from codelake.semantic.keys import grain
from codelake.semantic.spec_errors import SpecError
from codelake.semantic.steps import Known, Steps
from codelake.semantic.types import parse_type

_HERE = Place("case", 1)
_ITEM = "struct<size:int not null,label:string>"
_SHAPES = {
    "id": ("bigint", False),
    "parent": ("bigint", True),
    "label": ("string", False),
    "note": ("string", True),
    "size": ("int", False),
    "line": ("int", True),
    "share": ("double", False),
    "flag": ("boolean", True),
    "items": (f"array<{_ITEM}>", False),
    "names": ("array<string>", True),
    "attrs": ("map<string,string>", True),
}
_LITERALS = {"string": "'x'", "int": "7", "bigint": "cast(7 as bigint)", "boolean": "true"}
_LITERALS["double"] = "cast(0.5 as double)"
_MADE = {
    "string": (
        "coalesce({string}, {string})",
        "concat({string}, '-', {string})",
        "concat_ws({string}, {string}, 'end')",
        "lower({string})",
        "case when {boolean} then {string} end",
        "case when {int} > 3 then {string} else {string} end",
        "nullif({string}, 'x')",
        "substring_index({string}, '.', 1)",
        "cast({int} as string)",
        "element_at(map('a', {string}), 'a')",
        "{string} || {string}",
    ),
    "int": (
        "length({string})",
        "{int} + {int}",
        "{int} - 1",
        "-{int}",
        "{int} % {int}",
        "size(array({int}, {int}))",
        "if({boolean}, {int}, {int})",
        "greatest({int}, {int})",
        "get(array({int}), 0)",
    ),
    "bigint": ("xxhash64({string}, {int})", "{bigint} * {int}", "cast({int} as bigint)"),
    "double": (
        "{double} + {int}",
        "{int} / {int}",
        "{double} / {double}",
        "least({double}, {int})",
    ),
    "boolean": (
        "{int} > {int}",
        "{string} = {string}",
        "{string} is null",
        "not {boolean}",
        "{boolean} and {boolean}",
        "{int} between {int} and {int}",
        "{string} in ('a', {string})",
        "startswith({string}, {string})",
        "array_contains(array({string}), 'x')",
        "{int} <=> {int}",
    ),
}

type Columns = dict[str, Value]


@st.composite
def _expression(draw: st.DrawFn, columns: Columns, kind: str, depth: int = 2) -> str:
    """Draw an expression of a type over some columns."""
    plain = [name for name, value in columns.items() if str(value.type) == kind]
    if depth and draw(st.booleans()):
        text = draw(st.sampled_from(_MADE[kind]))
        for inner in _MADE:
            while f"{{{inner}}}" in text:
                part = draw(_expression(columns, inner, depth - 1))
                text = text.replace(f"{{{inner}}}", f"({part})", 1)
        return text
    return draw(st.sampled_from([*plain, _LITERALS[kind]]))


class _Maker:
    """Draws steps over the datasets made so far."""

    def __init__(self, draw: st.DrawFn) -> None:
        self.draw = draw
        self.datasets: dict[str, Dataset] = {}
        self.steps = 0

    def columns(self, op: Op) -> Columns:
        errors: list[SpecError] = []
        found = Steps("random", Known(self.datasets, {}), errors.append).columns(op)
        assert errors == [], [str(error) for error in errors]
        return found

    def name(self) -> str:
        self.steps += 1
        return f"step_{self.steps}"

    def source(self) -> Op:
        return Source(self.draw(st.sampled_from(sorted(self.datasets))), _HERE)

    def project(self, op: Op) -> Op:
        columns = self.columns(op)
        kinds = self.draw(st.lists(st.sampled_from(sorted(_MADE)), min_size=1, max_size=3))
        made = {
            f"c_{self.steps}_{n}": self.draw(_expression(columns, k)) for n, k in enumerate(kinds)
        }
        kept = {name: name for name in columns if self.draw(st.booleans())}
        where = self.draw(st.sampled_from([None, "flag"])) if "flag" in columns else None
        return Project(self.name(), op, {**kept, **made}, where, place=_HERE)

    def explode(self, op: Op) -> Op:
        arrays = [n for n, v in self.columns(op).items() if str(v.type).startswith("array")]
        if not arrays:
            return op
        array = self.draw(st.sampled_from(arrays))
        name = self.name()
        position = f"p_{name}" if self.draw(st.booleans()) else None
        return Explode(name, op, array, f"e_{name}", position, _HERE)

    def relate(self, op: Op) -> Op:
        left = self.columns(op)
        other = Project(self.name(), self.source(), {}, place=_HERE)
        below = self.columns(other.input)
        pairs = [
            (a, b)
            for a, one in left.items()
            for b, two in below.items()
            if str(one.type) == str(two.type) and str(one.type) in _MADE
        ]
        if not pairs:
            return op
        one, two = self.draw(st.sampled_from(pairs))
        tag = self.name()
        right = Project(tag, other.input, {f"{n}_{tag}": n for n in below}, place=_HERE)
        how = self.draw(st.sampled_from(["inner", "left", "anti"]))
        take = (
            () if how == "anti" else tuple(f"{n}_{tag}" for n in below if self.draw(st.booleans()))
        )
        on = ((one, f"{two}_{tag}"),)
        many = how != "anti" and not grain(right, self.datasets).covers([f"{two}_{tag}"])
        return Relate(self.name(), op, right, on, how, take, many=many, place=_HERE)  # type: ignore[arg-type]

    def aggregate(self, op: Op) -> Op:
        columns = self.columns(op)
        plain = [n for n, v in columns.items() if str(v.type) in _MADE]
        if not plain:
            return op
        by = self.draw(st.lists(st.sampled_from(plain), min_size=1, max_size=2, unique=True))
        tag = self.name()
        measured = self.draw(st.sampled_from(plain))
        measures = {f"n_{tag}": "count(*)", f"m_{tag}": f"max({measured})"}
        return Aggregate(tag, op, tuple(by), measures, f"n_{tag} > 1", place=_HERE)

    def rank(self, op: Op) -> Op:
        columns = self.columns(op)
        keys = sorted(sorted(key) for key in grain(op, self.datasets).keys)
        key = next((key for key in keys if {*key} <= columns.keys()), None)
        if not key:
            return op
        name = self.name()
        return Rank(
            name, op, (key[0],), tuple(key[1:]) or (f"{key[0]} desc",), f"r_{name}", place=_HERE
        )

    def union(self, op: Op) -> Op:
        columns = self.columns(op)
        again = {n: n for n in columns}
        one = Project(self.name(), op, again, place=_HERE)
        two = Project(self.name(), op, again, place=_HERE)
        return Union(self.name(), (one, two), place=_HERE)

    def dataset(self, name: str, rows: Op) -> None:
        columns = tuple(
            Column(n, v.type, v.nullable, None, n) for n, v in self.columns(rows).items() if v.type
        )
        found = grain(rows, {**self.datasets})
        keys = sorted(sorted(key) for key in found.keys)
        key = tuple(keys[0]) if keys and keys[0] else tuple(column.name for column in columns)
        self.datasets[name] = Dataset(
            name, "semantic", "Rows.", "One row per key.", key, columns, rows, place=_HERE
        )


@st.composite
def catalogues(draw: st.DrawFn) -> Catalogue:
    """Draw a catalogue: two tables and up to three views."""
    maker = _Maker(draw)
    for name in ("first", "second"):
        chosen = [n for n in _SHAPES if n == "id" or draw(st.booleans())]
        columns = tuple(
            Column(n, parse_type(_SHAPES[n][0]), _SHAPES[n][1], None, n) for n in chosen
        )
        rows = Scan(f"{name}_rows", "outside", columns, _HERE)
        maker.datasets[name] = Dataset(
            name, "evidence", "Rows.", "One row per id.", ("id",), columns, rows, place=_HERE
        )
    makers = (
        maker.project,
        maker.explode,
        maker.relate,
        maker.aggregate,
        maker.rank,
        maker.union,
    )
    for number in range(draw(st.integers(1, 3))):
        rows = maker.source()
        for make in draw(st.lists(st.sampled_from(makers), min_size=1, max_size=4)):
            rows = make(rows)
        maker.dataset(f"view_{number}", maker.project(rows))
    names = {c.name: c for d in maker.datasets.values() for c in d.columns}
    meanings = tuple(Meaning(c.name, c.type, "", "") for c in names.values())
    return Catalogue(tuple(maker.datasets.values()), meanings)
