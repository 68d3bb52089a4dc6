"""Names and types of a catalogue: every mistake at once, before anything is compiled.

check(catalogue)                -> list of SpecError, in the order of the declarations
check_rows(dataset, rows, ...)  -> the same for one dataset, also after a pass rewrote it

steps.py says what each operation yields, keys.py which columns tell its rows apart.
"""

from __future__ import annotations

import re

from codelake.semantic.extractors import missing_extractors
from codelake.semantic.inference import Expressions, Report
from codelake.semantic.ir import (
    Catalogue,
    Dataset,
    Op,
    Parameter,
    Place,
    sources,
    walk,
)
from codelake.semantic.keys import grain
from codelake.semantic.parameters import setting_problem
from codelake.semantic.spec_errors import SpecError
from codelake.semantic.steps import Known, Steps, column_value, known_of
from codelake.semantic.types import may_stand_for, same_shape

_WORDS = (
    "all and any anti array as between by case cast cross distinct else end except exists false "
    "for from full group having in inner intersect into is join lateral left like limit map not "
    "null on or order outer right select semi set struct table then true union using values when "
    "where window with"
)
MOST_STATS = 32
RESERVED = frozenset(_WORDS.split())
_NAME = re.compile(r"[a-z][a-z0-9_]*\Z")


def check(catalogue: Catalogue) -> list[SpecError]:
    """Return every mistake of a catalogue."""
    errors: list[SpecError] = []
    report = errors.append
    seen: dict[str, Dataset] = {}
    known = known_of(catalogue)
    for parameter in catalogue.parameters:
        _check_parameter(parameter, catalogue, report)
    meanings = {m.name for m in catalogue.meanings}
    for dataset in catalogue.datasets:
        _check_name(dataset.name, dataset.place, report)
        if dataset.name in seen:
            message = f"{dataset.name} is declared twice, first in {seen[dataset.name].place}."
            report(SpecError("SPEC_DUPLICATE_NAME", message, dataset.place))
        seen.setdefault(dataset.name, dataset)
        _check_declaration(dataset, meanings, report)
        errors += missing_extractors(dataset, catalogue)
    errors += _cycles(catalogue)
    for dataset in catalogue.datasets:
        errors += check_rows(dataset, dataset.rows, known)
    return list(dict.fromkeys(errors))


def check_rows(dataset: Dataset, rows: Op, known: Known) -> list[SpecError]:
    """Compare the rows of a dataset with its declared columns."""
    errors: list[SpecError] = []
    _check_steps(dataset, rows, errors.append)
    yields = Steps(dataset.name, known, errors.append).columns(rows)
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
        if (
            value.semantic
            and column.semantic
            and not may_stand_for(value.semantic, column.semantic)
        ):
            message = f"{dataset.name}.{name} is a {value.semantic}, declared as {column.semantic}."
            same = tuple(sorted(n for n, v in yields.items() if v.semantic == column.semantic))
            errors.append(SpecError("SPEC_MEANING_CHANGED", message, place, same))
        if value.nullable and not column.nullable:
            message = f"{dataset.name}.{name} can be null, declared as not null."
            errors.append(SpecError("SPEC_NULLABLE", message, place))
    found = grain(rows, known.datasets)
    if frozenset(dataset.key) in found.broken and not found.covers(dataset.key):
        message = f"{dataset.name} may have several rows for one {', '.join(dataset.key)}, its key."
        has = (f"key ({', '.join(sorted(key))})" for key in found.keys)
        fix = "add what tells them apart to the key"
        errors.append(SpecError("SPEC_KEY_BROKEN", message, dataset.place, tuple(sorted(has)), fix))
    return errors


def _check_parameter(parameter: Parameter, catalogue: Catalogue, report: Report) -> None:
    _check_name(parameter.name, parameter.place, report)
    if [p.name for p in catalogue.parameters].count(parameter.name) > 1:
        message = f"the parameter {parameter.name} is declared twice."
        report(SpecError("SPEC_DUPLICATE_NAME", message, parameter.place))
    problem = setting_problem(str(parameter.type), parameter.choices, parameter.default)
    if problem:
        message = f"the default of the parameter {parameter.name} {problem}."
        report(SpecError("SPEC_PARAMETER_INVALID", message, parameter.place, parameter.choices))


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
        wanted += [("stats column", name) for name in dataset.write.stats or ()]
        wanted += [("partition column", name) for name in dataset.write.partition]
        wanted += [("order", name) for name in dataset.write.order]
        wanted += [("cluster column", name) for name in dataset.write.cluster]
    for what, name in wanted:
        if name not in names:
            message = f"the {what} of {dataset.name} is `{name}`, which it does not declare."
            report(SpecError("SPEC_COLUMN_MISSING", message, dataset.place, tuple(sorted(names))))
    if dataset.write and len(dataset.write.stats or ()) > MOST_STATS:
        message = f"{dataset.name} names {len(dataset.write.stats or ())} stats columns."
        fix = f"name {MOST_STATS} at most"
        report(SpecError("SPEC_STATS_TOO_MANY", message, dataset.place, fix=fix))
    if dataset.write and dataset.write.cluster and dataset.write.partition:
        message = f"{dataset.name} has partition columns and cluster columns."
        report(SpecError("SPEC_LAYOUT_INVALID", message, dataset.place, fix="name one of them"))
    own = {c.name: column_value(c) for c in dataset.columns}
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
        if before is not op and before != op:  # a pass may have made one step twice
            message = f"two steps of {dataset.name} are called `{op.name}`."
            report(SpecError("SPEC_DUPLICATE_NAME", message, op.place))
