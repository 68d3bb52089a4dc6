"""Types and nulls of expressions: SQL over the columns of one input -> what is known of it.

    reader = Expressions("cpg_edges", place, {"name": Value(STRING, nullable=True)}, report)
    reader.read("coalesce(name, '')")   -> Value(STRING, nullable=False)

Nullability is followed where it is plain: a nullable column, a literal null, a `case` without
`else`; `x is not null` in a filter narrows. An index into an array counts as in range.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any

from sqlglot import exp

from codelake.semantic.expressions import ExpressionError, cast_type, column_path, parse, render
from codelake.semantic.functions import FUNCTIONS, RECIPES, Value, expand
from codelake.semantic.ir import Parameter, Place
from codelake.semantic.spec_errors import SpecError
from codelake.semantic.types import (
    BOOLEAN,
    DECIMAL,
    DOUBLE,
    INT,
    STRING,
    VOID,
    ArrayOf,
    Field,
    MapOf,
    Scalar,
    SparkType,
    StructOf,
    is_number,
    parse_type,
    wider,
)

type Columns = dict[str, Value]
type Report = Callable[[SpecError], None]

_NONE: Mapping[str, Parameter] = MappingProxyType({})


def narrow(columns: Columns, where: str) -> Columns:
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


class Expressions:
    """Reads expressions over the columns of one input."""

    def __init__(
        self,
        owner: str,
        place: Place,
        columns: Columns,
        report: Report,
        source: str | None = None,
        parameters: Mapping[str, Parameter] = _NONE,
    ) -> None:
        self.owner, self.place, self.columns, self.report = owner, place, columns, report
        self.source = source or "its columns"
        self.parameters = parameters

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
        nullable = value.nullable
        for each in parts:
            other = self._infer(each, scope) if each is not None else value
            nullable = nullable or other.nullable
            if value.type and other.type and wider(value.type, other.type) is None:
                message = (
                    f"{self.owner} compares {value.type} with {other.type} in `{render(node)}`."
                )
                self._error("SPEC_TYPE_MISMATCH", message)
        return Value(BOOLEAN, nullable)

    def _arithmetic(self, node: Any, scope: Columns) -> Value:
        left, right = self._infer(node.this, scope), self._infer(node.expression, scope)
        for value in (left, right):
            if value.type is not None and not is_number(value.type):
                message = f"{self.owner} calculates with {value.type} in `{render(node)}`."
                self._error("SPEC_TYPE_MISMATCH", message)
                return Value(None)
        kind = wider(left.type, right.type) if left.type and right.type else None
        if isinstance(node, exp.Div | exp.Mod):  # null when it divides by zero
            whole = isinstance(node, exp.Div) and kind not in (None, DECIMAL)
            return Value(DOUBLE if whole else kind, True)
        return Value(kind, left.nullable or right.nullable)

    def _concat(self, node: Any, scope: Columns) -> Value:
        values = [self._infer(node.this, scope), self._infer(node.expression, scope)]
        return Value(STRING, any(v.nullable for v in values))

    def _case(self, node: Any, scope: Columns) -> Value:
        default = node.args.get("default")
        results = [Value(VOID, True)] if default is None else [self._infer(default, scope)]
        for branch in node.args["ifs"]:
            self._infer(branch.this, scope)
            inner = narrow(scope, render(branch.this))
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
        if name == "var":
            return self._parameter(node)
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

    def _parameter(self, node: Any) -> Value:
        name = str(node.expressions[0].this) if node.expressions else ""
        found = self.parameters.get(name)
        if found is None:
            message = f"{self.owner} reads the parameter `{name}`, which is not declared."
            self._error("SPEC_VAR_UNKNOWN", message, sorted(self.parameters))
            return Value(None)
        if not isinstance(found.type, Scalar):
            message = f"{self.owner} reads the parameter `{name}`, a list, in an expression."
            self._error("SPEC_TYPE_MISMATCH", message)
        return Value(found.type)

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


def _literal(self: Expressions, node: Any, _: Columns) -> Value:
    if node.is_string:
        if any(mark in str(node.this) for mark in ("{{", "{%", "{#")):
            message = f"{self.owner} has the text {render(node)}, which dbt would take for Jinja."
            self._error("SPEC_EXPRESSION_INVALID", message)
        return Value(STRING)
    return Value(DECIMAL if "." in str(node.this) else INT)


type Rule = Callable[[Expressions, Any, Columns], Value]

_RULES: dict[type[exp.Expression], Rule] = {
    exp.Column: Expressions._column,
    exp.Identifier: Expressions._identifier,
    exp.Dot: Expressions._dot,
    exp.Bracket: Expressions._bracket,
    exp.Literal: _literal,
    exp.Null: lambda *_: Value(VOID, True),
    exp.Boolean: lambda *_: Value(BOOLEAN),
    exp.Star: lambda *_: Value(None),
    exp.Paren: lambda self, node, scope: self._infer(node.this, scope),
    exp.Neg: lambda self, node, scope: self._infer(node.this, scope),
    exp.Distinct: lambda self, node, scope: self._infer(node.expressions[0], scope),
    exp.Case: Expressions._case,
    exp.If: Expressions._if,
    exp.Cast: Expressions._cast,
    exp.TryCast: Expressions._cast,
    exp.DPipe: Expressions._concat,
    exp.Anonymous: Expressions._call,
    exp.Is: Expressions._is,
    exp.In: Expressions._member,
    exp.Between: Expressions._member,
    **dict.fromkeys((exp.And, exp.Or, exp.Not), Expressions._logic),
    **dict.fromkeys((exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Mod), Expressions._arithmetic),
    **dict.fromkeys(
        (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.NullSafeEQ, exp.Like),
        Expressions._compare,
    ),
}
