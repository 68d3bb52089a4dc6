"""The vocabulary of the compiler: datasets, and the few operations they are made of.

    nodes = Source("ast_nodes")
    calls = Project("calls", nodes, {"node_id": "node_id"}, where="kind = 'CALL'")
    Dataset("call_names", layer="semantic", columns=..., rows=calls, ...)

Every operation is a named step; the name becomes a CTE. Expressions are SQL text over the
columns of the input. Every declaration remembers the file and line it was written at.
Only the compiler makes a `Fan` (see compile/passes/fuse.py).
Next: check.py.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from codelake.semantic.types import SparkType


@dataclass(frozen=True, slots=True)
class Place:
    """Where something was declared."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


def here(outside: str = __file__) -> Place:
    """Return the nearest line that is a declaration: the first frame outside the vocabulary.

    Args:
        outside: the file of a helper that makes declarations for others.
    """
    frame = sys._getframe(1)
    while frame.f_back is not None and (
        frame.f_code.co_filename in (__file__, outside)
        or frame.f_code.co_filename.startswith("<")
        or frame.f_code.co_name.startswith("_")
    ):
        frame = frame.f_back
    parts = Path(frame.f_code.co_filename).parts
    for root in ("python_hooks", "tests"):
        if root in parts:
            parts = parts[len(parts) - 1 - parts[::-1].index(root) :]
            break
    else:
        parts = parts[-1:]
    return Place("/".join(parts), frame.f_lineno)


type Pairs = tuple[tuple[str, str], ...]


def pairs(columns: Mapping[str, str] | Pairs) -> Pairs:
    """Return columns as ordered (name, expression) pairs."""
    return tuple(columns.items()) if isinstance(columns, Mapping) else tuple(columns)


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a dataset. `meaning` names its text.

    `default` is SQL that questions read for it in a lake whose table does not have it yet.
    """

    name: str
    type: SparkType
    nullable: bool = False
    semantic: str | None = None
    meaning: str | None = None
    default: str | None = None


@dataclass(frozen=True, slots=True)
class Source:
    """All rows of another dataset; `name` is the dataset."""

    name: str
    place: Place = field(default_factory=here, compare=False)


@dataclass(frozen=True, slots=True)
class Scan:
    """All rows of something outside the program: a macro that gives a relation.

    `reads` are the datasets that whatever makes the rows looks into.
    """

    name: str
    macro: str
    columns: tuple[Column, ...]
    place: Place = field(default_factory=here, compare=False)
    reads: tuple[Source, ...] = ()


@dataclass(frozen=True, slots=True)
class Seed:
    """Rows that are part of the program: a CSV file beside its contract."""

    name: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]
    place: Place = field(default_factory=here, compare=False)


@dataclass(frozen=True, slots=True)
class Explode:
    """One row per element of an array: the input's columns, the element, its position."""

    name: str
    input: Op
    array: str
    element: str
    position: str | None = None
    place: Place = field(default_factory=here, compare=False)


@dataclass(frozen=True, slots=True, init=False)
class Project:
    """New columns from an input's columns, optionally only where a condition holds."""

    name: str
    input: Op
    columns: Pairs
    where: str | None
    note: str | None
    place: Place = field(compare=False)

    def __init__(
        self,
        name: str,
        input: Op,
        columns: Mapping[str, str] | Pairs,
        where: str | None = None,
        note: str | None = None,
        place: Place | None = None,
    ) -> None:
        _set(self, name=name, input=input, columns=pairs(columns), where=where, note=note)
        _set(self, place=place or here())


@dataclass(frozen=True, slots=True)
class Relate:
    """Join on equal columns: left columns, then the `take`n columns of the right.

    `spans="contained"` also asks that the left `bstart`, `bend` lie within those of the right.
    `many` says that several rows of the right may meet one of the left: a join that can multiply
    rows must say so. `anti` is the difference: left rows that meet none.
    """

    name: str
    left: Op
    right: Op
    on: Pairs
    how: Literal["inner", "left", "anti"] = "inner"
    take: tuple[str, ...] = ()
    spans: Literal["", "contained"] = ""
    many: bool = False
    note: str | None = None
    place: Place = field(default_factory=here, compare=False)


@dataclass(frozen=True, slots=True)
class Union:
    """The rows of all inputs, lined up by column name."""

    name: str
    inputs: tuple[Op, ...]
    note: str | None = None
    place: Place = field(default_factory=here, compare=False)


@dataclass(frozen=True, slots=True, init=False)
class Aggregate:
    """One row per value of `by`, with measures, optionally only those `having` something."""

    name: str
    input: Op
    by: tuple[str, ...]
    measures: Pairs
    having: str | None
    note: str | None
    place: Place = field(compare=False)

    def __init__(
        self,
        name: str,
        input: Op,
        by: tuple[str, ...],
        measures: Mapping[str, str] | Pairs = (),
        having: str | None = None,
        note: str | None = None,
        place: Place | None = None,
    ) -> None:
        _set(self, name=name, input=input, by=by, measures=pairs(measures))
        _set(self, having=having, note=note, place=place or here())


@dataclass(frozen=True, slots=True)
class Rank:
    """Number the candidates of each group from 1, best first; all of them are kept.

    `order` are columns, best first, each with ` desc` where larger is better. With `by` they
    must tell every two rows apart, so that equal input gives equal ranks.
    """

    name: str
    input: Op
    by: tuple[str, ...]
    order: tuple[str, ...]
    column: str = "rank"
    note: str | None = None
    place: Place = field(default_factory=here, compare=False)


@dataclass(frozen=True, slots=True)
class Branch:
    """One kind of row that a Fan makes of an input row."""

    name: str
    columns: Pairs
    where: str | None


@dataclass(frozen=True, slots=True)
class Fan:
    """Several rows per input row from one scan: shared columns, and a branch's own."""

    name: str
    input: Op
    element: str
    shared: Pairs
    branches: tuple[Branch, ...]
    order: tuple[str, ...]
    note: str | None = None
    place: Place = field(default_factory=here, compare=False)


type Op = Source | Scan | Seed | Explode | Project | Relate | Union | Aggregate | Rank | Fan


def _set(target: object, **values: object) -> None:
    for name, value in values.items():
        object.__setattr__(target, name, value)


def inputs(op: Op) -> tuple[Op, ...]:
    """Return the operations that feed an operation."""
    match op:
        case Source() | Seed():
            return ()
        case Scan():
            return op.reads
        case Relate():
            return (op.left, op.right)
        case Union():
            return op.inputs
        case Explode() | Project() | Aggregate() | Rank() | Fan():
            return (op.input,)


def walk(op: Op) -> Iterator[Op]:
    """Yield every operation once, inputs first."""
    seen: set[int] = set()

    def visit(each: Op) -> Iterator[Op]:
        if id(each) in seen:
            return
        seen.add(id(each))
        for below in inputs(each):
            yield from visit(below)
        yield each

    yield from visit(op)


def sources(op: Op) -> tuple[str, ...]:
    """Return the datasets that an operation reads, in order of first use."""
    return tuple(dict.fromkeys(each.name for each in walk(op) if isinstance(each, Source)))


@dataclass(frozen=True, slots=True)
class Write:
    """How rows reach a Delta table. Rows with a null in the key column are always replaced.

    `extract` reads files through the data source, `gather` takes rows that the driver made.
    `part` says which evidence either of them gives.
    `stats` are the columns by which a reader may skip files, at most 32; the compiler chooses them
    where it is None. Delta would take the first 32, which costs a quarter of the write.
    `profile` names the only profile in which it is a table; it is a view in the others.
    `partition` are the columns that each have folders of their own, `order` is how rows are sorted
    within a file, `cluster` by what `codelake maintain optimize` lays rows together; a table has
    folders or is clustered, not both.
    """

    strategy: Literal["extract", "gather", "resolve", "replace_by_key"]
    key: str
    part: str = ""
    stats: tuple[str, ...] | None = None
    profile: str = ""
    partition: tuple[str, ...] = ()
    order: tuple[str, ...] = ()
    cluster: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Check:
    """What a `chk_*` dataset tells people when it has rows."""

    shows: str
    example: str
    why: str
    repair: str


@dataclass(frozen=True, slots=True)
class Dataset:
    """One dataset: the output of its rows, with a contract."""

    name: str
    layer: str
    description: str
    grain: str
    key: tuple[str, ...]
    columns: tuple[Column, ...]
    rows: Op
    write: Write | None = None
    constraints: Pairs = ()
    check: Check | None = None
    place: Place = field(default_factory=here, compare=False)

    def column(self, name: str) -> Column | None:
        """Return the column of that name."""
        return next((c for c in self.columns if c.name == name), None)


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a column name means wherever it stands, in one text."""

    name: str
    type: SparkType
    semantic: str
    text: str


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of node or edge, for the documentation."""

    name: str
    meaning: str
    example: str


@dataclass(frozen=True, slots=True)
class Parameter:
    """A dbt var: what people may set for one build. An expression reads it as `var('name')`.

    `choices` are the only values it may have; none allows every value of the type. A mapping has
    whatever values the macro that reads it understands.
    """

    name: str
    type: SparkType
    default: Setting
    meaning: str
    choices: tuple[str, ...] = ()
    place: Place = field(default_factory=here, compare=False)


@dataclass(frozen=True, slots=True)
class Extractor:
    """Whatever fills columns of an evidence table: a reader of files, or the driver itself.

    `part` is that of the table's Write, `needs` the extractors it works on. A column that no
    extractor fills is a mistake.
    """

    name: str
    part: str
    columns: tuple[str, ...]
    needs: tuple[str, ...] = ()


type Setting = str | int | float | bool | tuple[str, ...] | dict[str, str]


@dataclass(frozen=True, slots=True)
class Catalogue:
    """Everything that is declared. There is no other registry."""

    datasets: tuple[Dataset, ...]
    meanings: tuple[Meaning, ...]
    node_kinds: tuple[Kind, ...] = ()
    edge_kinds: tuple[Kind, ...] = ()
    parameters: tuple[Parameter, ...] = ()
    extractors: tuple[Extractor, ...] = ()
    row_counts: Mapping[str, int] = field(default_factory=dict)

    def dataset(self, name: str) -> Dataset | None:
        """Return the dataset of that name."""
        return next((d for d in self.datasets if d.name == name), None)
