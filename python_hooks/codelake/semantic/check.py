"""Names and types of a catalogue: every mistake at once, before anything is compiled.

    check(catalogue)            -> list of SpecError, in the order of the declarations
    output_columns(op, known)   -> what an operation yields, and what is wrong in it

Nullability is followed where it is plain: a nullable column, a literal null, a `case` without
`else`; `x is not null` in a filter narrows. An index into an array counts as in range.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from sqlglot import exp

from codelake.errors import CodelakeError
from codelake.semantic.expressions import ExpressionError, cast_type, column_path, parse, render
from codelake.semantic.functions import FUNCTIONS, RECIPES, Value, expand
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
    Source,
    Union,
    sources,
    walk,
)
from codelake.semantic.types import (
    BOOLEAN,
    DECIMAL,
    INT,
    STRING,
    VOID,
    ArrayOf,
    Field,
    MapOf,
    SparkType,
    StructOf,
    is_number,
    parse_type,
    same_shape,
    wider,
)

SHOWN = 20
_WORDS = (
    "all and any anti array as between by case cast cross distinct else end except exists false "
    "for from full group having in inner intersect into is join lateral left like limit map not "
    "null on or order outer right select semi set struct table then true union using values when "
    "where window with"
)
RESERVED = frozenset(_WORDS.split())
_NAME = re.compile(r"[a-z][a-z0-9_]*\Z")


@dataclass(frozen=True, slots=True)
class SpecError:
    """One mistake in the catalogue: what, where, what there was instead."""

    code: str
    message: str
    place: Place
    has: tuple[str, ...] = ()

    def __str__(self) -> str:
        lines = [f"{self.code}: {self.message}"]
        if self.has:
            lines.append(f"  has: {', '.join(self.has)}")
        return "\n".join(
            [*lines, f"  fix: correct it in {self.place}, then run `codelake compile`"]
        )


class CatalogueError(CodelakeError):
    """The catalogue cannot be compiled; `errors` holds every mistake."""

    def __init__(self, errors: Iterable[SpecError]) -> None:
        self.errors = tuple(errors)
        first = self.errors[0]
        super().__init__(
            first.code, first.message, f"correct it in {first.place}, then run `codelake compile`"
        )

    def __str__(self) -> str:
        """Print the errors together, capped with a count of the rest."""
        shown = [str(error) for error in self.errors[:SHOWN]]
        rest = len(self.errors) - len(shown)
        return "\n".join([*shown, f"... and {rest} more"] if rest else shown)


type Columns = dict[str, Value]
type Report = Callable[[SpecError], None]


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
    if errors:
        return errors
    declared = {c.name: c for c in dataset.columns}
    place = rows.place
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
    wanted += [("write key", dataset.write.key)] if dataset.write else []
    for what, name in wanted:
        if name not in names:
            message = f"the {what} of {dataset.name} is `{name}`, which it does not declare."
            report(SpecError("SPEC_COLUMN_MISSING", message, dataset.place, tuple(sorted(names))))
    own = {c.name: _value(c) for c in dataset.columns}
    for name, condition in dataset.constraints:
        _Expressions(f"constraint {name} of {dataset.name}", dataset.place, own, report).boolean(
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
        case Scan():
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


def _reader(owner: str, op: Op, source: Op, columns: Columns, report: Report) -> _Expressions:
    return _Expressions(owner, op.place, columns, report, source.name)


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
        reader.columns = _narrow(columns, op.where)
    _twice(owner, [name for name, _ in op.columns], op.place, report)
    return {name: reader.read(text) for name, text in op.columns}


def _twice(owner: str, names: list[str], place: Place, report: Report) -> None:
    for name in sorted({n for n in names if names.count(n) > 1}):
        message = f"{owner} makes the column `{name}` twice in one step."
        report(SpecError("SPEC_DUPLICATE_NAME", message, place))


def _narrow(columns: Columns, where: str) -> Columns:
    """Take away the null from columns that a filter has tested."""
    try:
        tree: Any = parse(where)
    except ExpressionError:
        return columns
    narrowed = dict(columns)
    for part in tree.flatten() if isinstance(tree, exp.And) else (tree,):
        part = part.unnest()
        tested: Any = None
        if isinstance(part, exp.Not) and isinstance(part.this, exp.Is):
            tested = part.this.this
        elif isinstance(part, exp.EQ | exp.In):
            tested = part.this
        if isinstance(tested, exp.Column) and len(column_path(tested)) == 1:
            name = column_path(tested)[0]
            if name in narrowed:
                narrowed[name] = Value(narrowed[name].type, False, narrowed[name].semantic)
    return narrowed


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
        _Expressions(owner, op.place, result, report, op.name).boolean(op.having)
    return result


def _fan(owner: str, op: Fan, columns: Columns, report: Report) -> Columns:
    made: Columns = {}
    shared = _reader(owner, op, op.input, columns, report)
    for branch in op.branches:
        reader = _reader(owner, op, op.input, columns, report)
        if branch.where is not None:
            reader.boolean(branch.where)
            reader.columns = _narrow(columns, branch.where)
        for name, text in branch.columns:
            value, before = reader.read(text), made.get(name)
            nullable = value.nullable or (before is not None and before.nullable)
            made[name] = Value(value.type, nullable, value.semantic)
    made |= {name: shared.read(text) for name, text in op.shared}
    return {name: made[name] for name in op.order}


class _Expressions:
    """Reads expressions over the columns of one input."""

    def __init__(
        self, owner: str, place: Place, columns: Columns, report: Report, source: str | None = None
    ) -> None:
        self.owner, self.place, self.columns, self.report = owner, place, columns, report
        self.source = source or "its columns"

    def read(self, text: str) -> Value:
        """Return what an expression gives; report what is wrong in it."""
        try:
            tree = parse(expand(text))
        except ExpressionError as error:
            message = f"{self.owner} has an expression that cannot be read: `{text}`. {error}"
            self._error("SPEC_EXPRESSION_INVALID", message)
            return Value(None)
        return self._infer(tree, self.columns)

    def boolean(self, text: str) -> None:
        """Read a condition."""
        kind = self.read(text).type
        if kind is not None and kind != BOOLEAN:
            self._error("SPEC_TYPE_MISMATCH", f"{self.owner} filters by `{text}`, which is {kind}.")

    def _error(self, code: str, message: str, has: Iterable[str] = ()) -> None:
        self.report(SpecError(code, message, self.place, tuple(has)))

    def _infer(self, node: Any, scope: Columns) -> Value:
        rule = _RULES.get(type(node))
        if rule is None:
            return Value(None)
        return rule(self, node, scope)

    def _column(self, node: Any, scope: Columns) -> Value:
        return self._path(column_path(node), scope)

    def _path(self, path: tuple[str, ...], scope: Columns) -> Value:
        if path[0] not in scope:
            if scope or self.source == "its columns":
                message = (
                    f"{self.owner} reads `{'.'.join(path)}` from {self.source}, "
                    "which has no such column."
                )
                self._error("SPEC_COLUMN_MISSING", message, sorted(scope))
            return Value(None)
        value = scope[path[0]]
        for at, name in enumerate(path[1:], 1):
            value = self._field(value, name, ".".join(path[:at]))
        return value

    def _field(self, value: Value, name: str, of: str) -> Value:
        if value.type is None:
            return Value(None)
        inside = value.type.element if isinstance(value.type, ArrayOf) else value.type
        part = inside.field(name) if isinstance(inside, StructOf) else None
        if part is None:
            fields = inside.fields if isinstance(inside, StructOf) else ()
            message = (
                f"{self.owner} reads `{of}.{name}` from {self.source}, "
                f"where `{of}` has no such field."
            )
            self._error("SPEC_COLUMN_MISSING", message, sorted(f.name for f in fields))
            return Value(None)
        if isinstance(value.type, ArrayOf):
            return Value(ArrayOf(part.type, part.nullable), value.nullable)
        return Value(part.type, value.nullable or part.nullable)

    def _identifier(self, node: Any, scope: Columns) -> Value:
        return self._path((str(node.this),), scope)

    def _dot(self, node: Any, scope: Columns) -> Value:
        return self._field(self._infer(node.this, scope), str(node.expression.name), "it")

    def _bracket(self, node: Any, scope: Columns) -> Value:
        value = self._infer(node.this, scope)
        index = [self._infer(each, scope) for each in node.expressions]
        if isinstance(value.type, ArrayOf):
            nullable = value.nullable or value.type.nullable or any(i.nullable for i in index)
            return Value(value.type.element, nullable)
        return Value(value.type.value if isinstance(value.type, MapOf) else None, True)

    def _compare(self, node: Any, scope: Columns) -> Value:
        left, right = self._infer(node.this, scope), self._infer(node.expression, scope)
        if left.type and right.type and wider(left.type, right.type) is None:
            message = f"{self.owner} compares {left.type} with {right.type} in `{render(node)}`."
            self._error("SPEC_TYPE_MISMATCH", message)
        return Value(BOOLEAN, left.nullable or right.nullable)

    def _logic(self, node: Any, scope: Columns) -> Value:
        values = [self._infer(each, scope) for each in node.args.values() if each is not None]
        for value in values:
            if value.type not in (None, BOOLEAN, VOID):
                self._error(
                    "SPEC_TYPE_MISMATCH",
                    f"{self.owner} takes {value.type} for a condition in `{render(node)}`.",
                )
        return Value(BOOLEAN, any(v.nullable for v in values))

    def _is(self, node: Any, scope: Columns) -> Value:
        self._infer(node.this, scope)
        return Value(BOOLEAN)

    def _member(self, node: Any, scope: Columns) -> Value:
        parts = [*node.args.get("expressions", ()), node.args.get("low"), node.args.get("high")]
        value = self._infer(node.this, scope)
        for each in parts:
            other = self._infer(each, scope) if each is not None else value
            if value.type and other.type and wider(value.type, other.type) is None:
                message = (
                    f"{self.owner} compares {value.type} with {other.type} in `{render(node)}`."
                )
                self._error("SPEC_TYPE_MISMATCH", message)
        return Value(BOOLEAN, value.nullable)

    def _arithmetic(self, node: Any, scope: Columns) -> Value:
        left, right = self._infer(node.this, scope), self._infer(node.expression, scope)
        for value in (left, right):
            if value.type is not None and not is_number(value.type):
                message = f"{self.owner} calculates with {value.type} in `{render(node)}`."
                self._error("SPEC_TYPE_MISMATCH", message)
                return Value(None)
        kind = wider(left.type, right.type) if left.type and right.type else None
        return Value(kind, left.nullable or right.nullable)

    def _concat(self, node: Any, scope: Columns) -> Value:
        values = [self._infer(node.this, scope), self._infer(node.expression, scope)]
        return Value(STRING, any(v.nullable for v in values))

    def _case(self, node: Any, scope: Columns) -> Value:
        default = node.args.get("default")
        results = [Value(VOID, True)] if default is None else [self._infer(default, scope)]
        for branch in node.args["ifs"]:
            self._infer(branch.this, scope)
            inner = _narrow(scope, render(branch.this))
            results.append(self._infer(branch.args["true"], inner))
        return self._either(node, results)

    def _if(self, node: Any, scope: Columns) -> Value:
        self._infer(node.this, scope)
        other = node.args.get("false")
        yes = self._infer(node.args["true"], scope)
        no = Value(VOID, True) if other is None else self._infer(other, scope)
        return self._either(node, [yes, no])

    def _either(self, node: Any, results: list[Value]) -> Value:
        kind: SparkType | None = VOID
        for value in results:
            joined = wider(kind, value.type) if kind and value.type else None
            if joined is None and kind and value.type:
                message = f"{self.owner}: `{render(node)}` is {kind} or {value.type}."
                self._error("SPEC_TYPE_MISMATCH", message)
            kind = joined
        return Value(kind, any(v.nullable for v in results))

    def _cast(self, node: Any, scope: Columns) -> Value:
        value = self._infer(node.this, scope)
        try:
            return Value(parse_type(cast_type(node)), value.nullable)
        except ValueError as error:
            self._error("SPEC_EXPRESSION_INVALID", f"{self.owner}: {error}.")
            return Value(None)

    def _call(self, node: Any, scope: Columns) -> Value:
        name, arguments = str(node.this).lower(), node.expressions
        if name == "struct":
            fields = []
            for each in arguments:
                value = self._infer(each.this if isinstance(each, exp.Alias) else each, scope)
                fields.append(Field(str(each.alias_or_name), value.type or VOID, value.nullable))
            return Value(StructOf(tuple(fields)))
        if name in ("transform", "filter", "exists") and len(arguments) == 2:
            return self._higher_order(name, arguments, scope)
        function = FUNCTIONS.get(name)
        if function is None:
            if name in RECIPES:
                wanted = ", ".join(RECIPES[name].parameters)
                message = f"{self.owner} calls `{render(node)}`; it takes ({wanted})."
                self._error("SPEC_FUNCTION_ARGUMENTS", message)
            else:
                message = f"{self.owner} calls `{name}`, which is not in semantic/functions.py."
                self._error("SPEC_FUNCTION_UNKNOWN", message, sorted({*FUNCTIONS, *RECIPES}))
            return Value(None)
        values = tuple(self._infer(each, scope) for each in arguments)
        most = len(values) if function.most is None else function.most
        if not function.least <= len(values) <= most:
            message = f"{self.owner} calls `{render(node)}` with {len(values)} arguments."
            self._error("SPEC_FUNCTION_ARGUMENTS", message)
            return Value(None)
        return function.result(values)

    def _higher_order(self, name: str, arguments: list[Any], scope: Columns) -> Value:
        array = self._infer(arguments[0], scope)
        if not isinstance(array.type, ArrayOf) or not isinstance(arguments[1], exp.Lambda):
            self._error(
                "SPEC_TYPE_MISMATCH", f"{self.owner}: `{name}` takes an array and a lambda."
            )
            return Value(None)
        names = [str(p.name) for p in arguments[1].expressions]
        inner = scope | {names[0]: Value(array.type.element, array.type.nullable)}
        inner |= {index: Value(INT) for index in names[1:2]}
        body = self._infer(arguments[1].this, inner)
        if name == "exists":
            return Value(BOOLEAN, array.nullable)
        if name == "filter":
            return Value(array.type, array.nullable)
        return Value(ArrayOf(body.type, body.nullable) if body.type else None, array.nullable)


def _literal(_: _Expressions, node: Any, __: Columns) -> Value:
    if node.is_string:
        return Value(STRING)
    return Value(DECIMAL if "." in str(node.this) else INT)


type Rule = Callable[[_Expressions, Any, Columns], Value]

_RULES: dict[type[exp.Expression], Rule] = {
    exp.Column: _Expressions._column,
    exp.Identifier: _Expressions._identifier,
    exp.Dot: _Expressions._dot,
    exp.Bracket: _Expressions._bracket,
    exp.Literal: _literal,
    exp.Null: lambda *_: Value(VOID, True),
    exp.Boolean: lambda *_: Value(BOOLEAN),
    exp.Star: lambda *_: Value(None),
    exp.Paren: lambda self, node, scope: self._infer(node.this, scope),
    exp.Neg: lambda self, node, scope: self._infer(node.this, scope),
    exp.Distinct: lambda self, node, scope: self._infer(node.expressions[0], scope),
    exp.Case: _Expressions._case,
    exp.If: _Expressions._if,
    exp.Cast: _Expressions._cast,
    exp.TryCast: _Expressions._cast,
    exp.DPipe: _Expressions._concat,
    exp.Anonymous: _Expressions._call,
    exp.Is: _Expressions._is,
    exp.In: _Expressions._member,
    exp.Between: _Expressions._member,
    **dict.fromkeys((exp.And, exp.Or, exp.Not), _Expressions._logic),
    **dict.fromkeys((exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Mod), _Expressions._arithmetic),
    **dict.fromkeys(
        (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.NullSafeEQ, exp.Like),
        _Expressions._compare,
    ),
}
