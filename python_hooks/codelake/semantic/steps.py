"""What each operation yields: types, nulls and meanings of its columns, step by step.

    Steps("calls", known, report).columns(op)   ->  {"node_id": Value(BIGINT, semantic="NodeId")}

What is wrong on the way is reported; a step that cannot be worked out yields nothing, so that one
mistake is said once.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from codelake.semantic.functions import Value
from codelake.semantic.inference import Columns, Expressions, Report, narrow
from codelake.semantic.ir import (
    Aggregate,
    Catalogue,
    Column,
    Dataset,
    Explode,
    Fan,
    Op,
    Parameter,
    Place,
    Project,
    Rank,
    Relate,
    Scan,
    Seed,
    Source,
    Union,
    inputs,
)
from codelake.semantic.keys import Grain, grain, meets_one
from codelake.semantic.spec_errors import SpecError
from codelake.semantic.types import INT, ArrayOf, SparkType, same_shape


@dataclass(frozen=True, slots=True)
class Known:
    """What the rows of a dataset may name: datasets and parameters."""

    datasets: dict[str, Dataset]
    parameters: dict[str, Parameter]


def known_of(catalogue: Catalogue) -> Known:
    """Return what a catalogue declares, by name; the first of two with one name."""
    datasets: dict[str, Dataset] = {}
    for each in catalogue.datasets:
        datasets.setdefault(each.name, each)
    return Known(datasets, {each.name: each for each in catalogue.parameters})


def column_value(column: Column) -> Value:
    """Return what is known of a declared column."""
    return Value(column.type, column.nullable, column.semantic)


class Steps:
    """Reads the operations of one dataset."""

    def __init__(self, owner: str, known: Known, report: Report) -> None:
        self.owner, self.known, self.report = owner, known, report

    def columns(self, op: Op) -> Columns:
        """Return the columns that an operation yields."""
        match op:
            case Source():
                return self._source(op)
            case Scan() | Seed():
                for each in inputs(op):
                    self.columns(each)
                return {c.name: column_value(c) for c in op.columns}
            case Explode():
                return self._explode(op, self.columns(op.input))
            case Project():
                return self._project(op, self.columns(op.input))
            case Relate():
                return self._relate(op, self.columns(op.left), self.columns(op.right))
            case Union():
                return self._union(op, [self.columns(each) for each in op.inputs])
            case Aggregate():
                return self._aggregate(op, self.columns(op.input))
            case Rank():
                return self._rank(op, self.columns(op.input))
            case Fan():
                return self._fan(op, self.columns(op.input))

    def expressions(self, place: Place, columns: Columns, source: str | None = None) -> Expressions:
        """Return a reader of expressions over some columns."""
        return Expressions(self.owner, place, columns, self.report, source, self.known.parameters)

    def _error(
        self, code: str, text: str, place: Place, has: Iterable[str] = (), fix: str = "correct it"
    ) -> None:
        self.report(SpecError(code, f"{self.owner} {text}", place, tuple(has), fix))

    def _grain(self, op: Op) -> Grain:
        return grain(op, self.known.datasets)

    def _source(self, op: Source) -> Columns:
        found = self.known.datasets.get(op.name)
        if found is None:
            text = f"reads `{op.name}`, which is no dataset."
            self._error("SPEC_DATASET_UNKNOWN", text, op.place, sorted(self.known.datasets))
            return {}
        return {c.name: column_value(c) for c in found.columns}

    def _explode(self, op: Explode, columns: Columns) -> Columns:
        value = self.expressions(op.place, columns, op.input.name).read(op.array)
        element: SparkType | None = None
        nullable = True
        if isinstance(value.type, ArrayOf):
            element, nullable = value.type.element, value.type.nullable
        elif value.type is not None:
            text = f"explodes `{op.array}`, which is {value.type} and not an array."
            self._error("SPEC_TYPE_MISMATCH", text, op.place)
        new = {op.position: Value(INT)} if op.position else {}
        new[op.element] = Value(element, nullable)
        for name in sorted(new.keys() & columns.keys()):
            text = f"explodes into `{name}`, which {op.input.name} has already."
            self._error("SPEC_DUPLICATE_NAME", text, op.place, sorted(columns))
        return columns | new

    def _project(self, op: Project, columns: Columns) -> Columns:
        reader = self.expressions(op.place, columns, op.input.name)
        if op.where is not None:
            reader.boolean(op.where)
            reader.columns = narrow(columns, op.where)
        self._twice([name for name, _ in op.columns], op.place)
        return {name: reader.read(text) for name, text in op.columns}

    def _twice(self, names: list[str], place: Place) -> None:
        for name in sorted({n for n in names if names.count(n) > 1}):
            text = f"makes the column `{name}` twice in one step."
            self._error("SPEC_DUPLICATE_NAME", text, place)

    def _relate(self, op: Relate, left: Columns, right: Columns) -> Columns:
        lefts = self.expressions(op.place, left, op.left.name)
        rights = self.expressions(op.place, right, op.right.name)
        if not op.on:
            self._error("SPEC_KEY_MISSING", "relates without a key.", op.place, fix="name columns")
        values = [(lefts.read(one), rights.read(other)) for one, other in op.on]
        for (one, other), (a, b) in zip(op.on, values, strict=True):
            self._comparable(op, (one, a), (other, b), right)
        if op.spans:
            self._spans(op, left, right, [a.semantic for a, _ in values])
        if op.how != "anti" and left and right and op.on:
            self._multiplies(op)
        taken = {name: rights.read(name) for name in op.take}
        self._twice([*left, *taken], op.place)
        if op.how == "left":
            taken = {n: Value(v.type, True, v.semantic) for n, v in taken.items()}
        return left | taken

    def _comparable(
        self, op: Relate, left: tuple[str, Value], right: tuple[str, Value], others: Columns
    ) -> None:
        (one, a), (other, b) = left, right
        if a.semantic and b.semantic and a.semantic != b.semantic:
            text = f"joins `{one}` ({a.semantic}) with `{other}` ({b.semantic})."
            same = sorted(n for n, v in others.items() if v.semantic == a.semantic)
            fix = f"join with a {a.semantic}"
            self._error("SPEC_JOIN_MEANING", text, op.place, same, fix)
        elif a.type and b.type and not same_shape(a.type, b.type):
            text = f"joins `{one}` ({a.type}) with `{other}` ({b.type})."
            self._error("SPEC_TYPE_MISMATCH", text, op.place)

    def _spans(self, op: Relate, left: Columns, right: Columns, meanings: list[str | None]) -> None:
        for side, columns in ((op.left, left), (op.right, right)):
            for name in ("bstart", "bend"):
                if columns and (name not in columns or columns[name].semantic != "ByteOffset"):
                    text = f"joins spans, and `{name}` of {side.name} is no ByteOffset."
                    has = sorted(n for n, v in columns.items() if v.semantic == "ByteOffset")
                    self._error("SPEC_SPAN_MISSING", text, op.place, has)
        if "FileId" not in meanings:
            text = "joins spans without the file they lie in."
            fix = "join on a FileId too"
            self._error("SPEC_SPAN_WITHOUT_FILE", text, op.place, fix=fix)

    def _multiplies(self, op: Relate) -> None:
        right = self._grain(op.right)
        one = meets_one(op, right)
        if op.many == (not one):
            return
        on = ", ".join(f"`{other}`" for _, other in op.on)
        if one:
            text = f"says that {op.name} multiplies rows, but {on} is a key of {op.right.name}."
            self._error("SPEC_ROWS_MULTIPLY", text, op.place, fix="take away `many`")
            return
        text = f"may meet several rows of {op.right.name} by {on}, and does not say so."
        keys = sorted(", ".join(sorted(key)) for key in right.keys)
        fix = "join on a key of it or say `many=True`"
        self._error("SPEC_ROWS_MULTIPLY", text, op.place, [f"key ({key})" for key in keys], fix)

    def _union(self, op: Union, given: list[Columns]) -> Columns:
        first = given[0] if given else {}
        result = dict(first)
        for source, columns in zip(op.inputs[1:], given[1:], strict=True):
            if not columns or not first:
                continue
            for name in sorted(first.keys() ^ columns.keys()):
                lacks = source.name if name in first else op.inputs[0].name
                text = f"unites rows by name, and {lacks} has no `{name}`."
                has = columns if name in first else first
                self._error("SPEC_UNION_COLUMNS", text, source.place, sorted(has))
            for name in first.keys() & columns.keys():
                a, b = result[name], columns[name]
                if a.type and b.type and not same_shape(a.type, b.type):
                    text = f"has `{name}` as {a.type} in one branch, {b.type} in {source.name}."
                    self._error("SPEC_TYPE_MISMATCH", text, source.place)
                same = a.semantic if a.semantic == b.semantic else None
                result[name] = Value(a.type or b.type, a.nullable or b.nullable, same)
        return result

    def _aggregate(self, op: Aggregate, columns: Columns) -> Columns:
        reader = self.expressions(op.place, columns, op.input.name)
        result = {name: reader.read(name) for name in op.by}
        result |= {name: reader.read(text) for name, text in op.measures}
        self._twice([*op.by, *(name for name, _ in op.measures)], op.place)
        if op.having is not None:
            self.expressions(op.place, result, op.name).boolean(op.having)
        return result

    def _rank(self, op: Rank, columns: Columns) -> Columns:
        reader = self.expressions(op.place, columns, op.input.name)
        ordered = [each.removesuffix(" desc") for each in op.order]
        for name in (*op.by, *ordered):
            reader.read(name)
        self._twice([*columns, op.column], op.place)
        found = self._grain(op.input)
        if columns and not found.covers((*op.by, *ordered)):
            text = f"ranks rows of {op.input.name} that may tie, so that ranks could change."
            keys = sorted(", ".join(sorted(key)) for key in found.keys)
            fix = "end the order with a key"
            self._error("SPEC_RANK_TIES", text, op.place, [f"key ({key})" for key in keys], fix)
        return columns | {op.column: Value(INT, semantic="Ordinal")}

    def _fan(self, op: Fan, columns: Columns) -> Columns:
        made: Columns = {}
        for branch in op.branches:
            reader = self.expressions(op.place, columns, op.input.name)
            if branch.where is not None:
                reader.boolean(branch.where)
                reader.columns = narrow(columns, branch.where)
            for name, text in (*branch.columns, *op.shared):
                value, before = reader.read(text), made.get(name)
                nullable = value.nullable or (before is not None and before.nullable)
                made[name] = Value(value.type, nullable, value.semantic)
        return {name: made[name] for name in op.order}
