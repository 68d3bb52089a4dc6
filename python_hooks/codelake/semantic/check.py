"""Names and types of a catalogue: every mistake at once, before anything is compiled.

check(catalogue)                -> list of SpecError, in the order of the declarations
check_rows(dataset, rows, ...)  -> the same for one dataset, also after a pass rewrote it
output_columns(...)             -> what an operation yields
"""

from __future__ import annotations

import re

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
    Place,
    Project,
    Relate,
    Scan,
    Seed,
    Source,
    Union,
    inputs,
    sources,
    walk,
)
from codelake.semantic.spec_errors import SpecError
from codelake.semantic.types import INT, ArrayOf, SparkType, same_shape

_WORDS = (
    "all and any anti array as between by case cast cross distinct else end except exists false "
    "for from full group having in inner intersect into is join lateral left like limit map not "
    "null on or order outer right select semi set struct table then true union using values when "
    "where window with"
)
RESERVED = frozenset(_WORDS.split())
_NAME = re.compile(r"[a-z][a-z0-9_]*\Z")


def check(catalogue: Catalogue) -> list[SpecError]:
    """Return every mistake of a catalogue."""
    errors: list[SpecError] = []
    report = errors.append
    seen: dict[str, Dataset] = {}
    meanings = {m.name for m in catalogue.meanings}
    for dataset in catalogue.datasets:
        _check_name(dataset.name, dataset.place, report)
        if dataset.name in seen:
            message = f"{dataset.name} is declared twice, first in {seen[dataset.name].place}."
            report(SpecError("SPEC_DUPLICATE_NAME", message, dataset.place))
        seen.setdefault(dataset.name, dataset)
        _check_declaration(dataset, meanings, report)
    errors += _cycles(catalogue)
    for dataset in catalogue.datasets:
        errors += check_rows(dataset, dataset.rows, seen)
    return list(dict.fromkeys(errors))


def check_rows(dataset: Dataset, rows: Op, known: dict[str, Dataset]) -> list[SpecError]:
    """Compare the rows of a dataset with its declared columns."""
    errors: list[SpecError] = []
    _check_steps(dataset, rows, errors.append)
    yields = output_columns(dataset.name, rows, known, errors.append)
    declared = {c.name: c for c in dataset.columns}
    place = rows.place
    if not yields:  # a dataset below is unknown, which has been said
        return errors
    for name in sorted(declared.keys() - yields.keys()):
        message = f"{dataset.name} declares `{name}`, which its rows do not give."
        errors.append(SpecError("SPEC_COLUMN_MISSING", message, place, tuple(sorted(yields))))
    for name in sorted(yields.keys() - declared.keys()):
        message = f"the rows of {dataset.name} give `{name}`, which it does not declare."
        errors.append(SpecError("SPEC_COLUMN_UNDECLARED", message, place, tuple(sorted(declared))))
    for name, column in declared.items():
        value = yields.get(name)
        if value is None:
            continue
        if value.type is not None and not same_shape(value.type, column.type):
            message = f"{dataset.name}.{name} is {value.type}, declared as {column.type}."
            errors.append(SpecError("SPEC_TYPE_MISMATCH", message, place))
        if value.nullable and not column.nullable:
            message = f"{dataset.name}.{name} can be null, declared as not null."
            errors.append(SpecError("SPEC_NULLABLE", message, place))
    return errors


def _check_name(name: str, place: Place, report: Report) -> None:
    if not _NAME.match(name) or name in RESERVED:
        why = "a reserved word" if name in RESERVED else "not lower_snake_case"
        report(SpecError("SPEC_NAME_INVALID", f"`{name}` is {why}.", place))


def _check_declaration(dataset: Dataset, meanings: set[str], report: Report) -> None:
    names = [c.name for c in dataset.columns]
    for name in names:
        _check_name(name, dataset.place, report)
    for name in sorted({n for n in names if names.count(n) > 1}):
        message = f"{dataset.name} declares the column `{name}` twice."
        report(SpecError("SPEC_DUPLICATE_NAME", message, dataset.place))
    for column in dataset.columns:
        if column.meaning not in meanings:
            message = (
                f"{dataset.name}.{column.name} has no meaning `{column.meaning}` in columns.py."
            )
            report(SpecError("SPEC_MEANING_MISSING", message, dataset.place))
    if not dataset.key:
        report(SpecError("SPEC_KEY_MISSING", f"{dataset.name} has no key.", dataset.place))
    wanted = [("key", k) for k in dataset.key]
    if dataset.write:
        wanted.append(("write key", dataset.write.key))
        wanted += [("stats column", name) for name in dataset.write.stats]
        wanted += [("partition column", name) for name in dataset.write.partition]
        wanted += [("order", name) for name in dataset.write.order]
    for what, name in wanted:
        if name not in names:
            message = f"the {what} of {dataset.name} is `{name}`, which it does not declare."
            report(SpecError("SPEC_COLUMN_MISSING", message, dataset.place, tuple(sorted(names))))
    own = {c.name: _value(c) for c in dataset.columns}
    for name, condition in dataset.constraints:
        Expressions(f"constraint {name} of {dataset.name}", dataset.place, own, report).boolean(
            condition
        )


def _cycles(catalogue: Catalogue) -> list[SpecError]:
    known = {d.name: d for d in catalogue.datasets}
    state: dict[str, int] = {}
    errors: list[SpecError] = []

    def visit(name: str, trail: tuple[str, ...]) -> None:
        if state.get(name) == 2 or name not in known:
            return
        if name in trail:
            round_trip = (*trail[trail.index(name) :], name)
            message = f"{name} reads itself: {' <- '.join(round_trip)}."
            errors.append(SpecError("SPEC_CYCLE", message, known[name].place))
            return
        for below in sources(known[name].rows):
            visit(below, (*trail, name))
        state[name] = 2

    for name in known:
        visit(name, ())
    return errors


def _check_steps(dataset: Dataset, rows: Op, report: Report) -> None:
    seen: dict[str, Op] = {}
    for op in walk(rows):
        _check_name(op.name, op.place, report)
        before = seen.setdefault(op.name, op)
        if before is not op and not (isinstance(op, Source) and isinstance(before, Source)):
            message = f"two steps of {dataset.name} are called `{op.name}`."
            report(SpecError("SPEC_DUPLICATE_NAME", message, op.place))


def _value(column: Column) -> Value:
    return Value(column.type, column.nullable, column.semantic)


def output_columns(owner: str, op: Op, known: dict[str, Dataset], report: Report) -> Columns:
    """Return the columns that an operation yields.

    Args:
        owner: the dataset that is being checked, for messages.
        op: the operation.
        known: all datasets by name.
        report: takes each mistake.
    """

    def below(each: Op) -> Columns:
        return output_columns(owner, each, known, report)

    match op:
        case Source():
            if op.name not in known:
                message = f"{owner} reads `{op.name}`, which is no dataset."
                report(SpecError("SPEC_DATASET_UNKNOWN", message, op.place, tuple(sorted(known))))
                return {}
            return {c.name: _value(c) for c in known[op.name].columns}
        case Scan() | Seed():
            for each in inputs(op):
                below(each)
            return {c.name: _value(c) for c in op.columns}
        case Explode():
            return _explode(owner, op, below(op.input), report)
        case Project():
            return _project(owner, op, below(op.input), report)
        case Relate():
            return _relate(owner, op, below(op.left), below(op.right), report)
        case Union():
            return _union(owner, op, [below(each) for each in op.inputs], report)
        case Aggregate():
            return _aggregate(owner, op, below(op.input), report)
        case Fan():
            return _fan(owner, op, below(op.input), report)


def _reader(owner: str, op: Op, source: Op, columns: Columns, report: Report) -> Expressions:
    return Expressions(owner, op.place, columns, report, source.name)


def _explode(owner: str, op: Explode, columns: Columns, report: Report) -> Columns:
    value = _reader(owner, op, op.input, columns, report).read(op.array)
    element: SparkType | None = None
    nullable = True
    if isinstance(value.type, ArrayOf):
        element, nullable = value.type.element, value.type.nullable
    elif value.type is not None:
        message = f"{owner} explodes `{op.array}`, which is {value.type} and not an array."
        report(SpecError("SPEC_TYPE_MISMATCH", message, op.place))
    new = {op.position: Value(INT)} if op.position else {}
    new[op.element] = Value(element, nullable)
    for name in sorted(new.keys() & columns.keys()):
        message = f"{owner} explodes into `{name}`, which {op.input.name} has already."
        report(SpecError("SPEC_DUPLICATE_NAME", message, op.place, tuple(sorted(columns))))
    return columns | new


def _project(owner: str, op: Project, columns: Columns, report: Report) -> Columns:
    reader = _reader(owner, op, op.input, columns, report)
    if op.where is not None:
        reader.boolean(op.where)
        reader.columns = narrow(columns, op.where)
    _twice(owner, [name for name, _ in op.columns], op.place, report)
    return {name: reader.read(text) for name, text in op.columns}


def _twice(owner: str, names: list[str], place: Place, report: Report) -> None:
    for name in sorted({n for n in names if names.count(n) > 1}):
        message = f"{owner} makes the column `{name}` twice in one step."
        report(SpecError("SPEC_DUPLICATE_NAME", message, place))


def _relate(owner: str, op: Relate, left: Columns, right: Columns, report: Report) -> Columns:
    lefts = _reader(owner, op, op.left, left, report)
    rights = _reader(owner, op, op.right, right, report)
    if not op.on:
        report(SpecError("SPEC_KEY_MISSING", f"{owner} relates without a key.", op.place))
    for one, other in op.on:
        a, b = lefts.read(one), rights.read(other)
        if a.type and b.type and not same_shape(a.type, b.type):
            message = f"{owner} joins `{one}` ({a.type}) with `{other}` ({b.type})."
            report(SpecError("SPEC_TYPE_MISMATCH", message, op.place))
        elif a.semantic and b.semantic and a.semantic != b.semantic:
            message = f"{owner} joins `{one}` ({a.semantic}) with `{other}` ({b.semantic})."
            report(SpecError("SPEC_JOIN_MEANING", message, op.place))
    taken = {name: rights.read(name) for name in op.take}
    _twice(owner, [*left, *taken], op.place, report)
    if op.how == "left":
        taken = {n: Value(v.type, True, v.semantic) for n, v in taken.items()}
    return left | taken


def _union(owner: str, op: Union, inputs: list[Columns], report: Report) -> Columns:
    first = inputs[0] if inputs else {}
    result = dict(first)
    for source, columns in zip(op.inputs[1:], inputs[1:], strict=True):
        if not columns or not first:
            continue
        for name in sorted(first.keys() ^ columns.keys()):
            lacks = source.name if name in first else op.inputs[0].name
            message = f"{owner} unites rows by name, and {lacks} has no `{name}`."
            has = columns if name in first else first
            report(SpecError("SPEC_UNION_COLUMNS", message, source.place, tuple(sorted(has))))
        for name in first.keys() & columns.keys():
            a, b = result[name], columns[name]
            if a.type and b.type and not same_shape(a.type, b.type):
                message = f"{owner}: `{name}` is {a.type} in one branch, {b.type} in {source.name}."
                report(SpecError("SPEC_TYPE_MISMATCH", message, source.place))
            same = a.semantic if a.semantic == b.semantic else None
            result[name] = Value(a.type or b.type, a.nullable or b.nullable, same)
    return result


def _aggregate(owner: str, op: Aggregate, columns: Columns, report: Report) -> Columns:
    reader = _reader(owner, op, op.input, columns, report)
    result = {name: reader.read(name) for name in op.by}
    result |= {name: reader.read(text) for name, text in op.measures}
    _twice(owner, [*op.by, *(name for name, _ in op.measures)], op.place, report)
    if op.having is not None:
        Expressions(owner, op.place, result, report, op.name).boolean(op.having)
    return result


def _fan(owner: str, op: Fan, columns: Columns, report: Report) -> Columns:
    made: Columns = {}
    for branch in op.branches:
        reader = _reader(owner, op, op.input, columns, report)
        if branch.where is not None:
            reader.boolean(branch.where)
            reader.columns = narrow(columns, branch.where)
        for name, text in (*branch.columns, *op.shared):
            value, before = reader.read(text), made.get(name)
            nullable = value.nullable or (before is not None and before.nullable)
            made[name] = Value(value.type, nullable, value.semantic)
    return {name: made[name] for name in op.order}
