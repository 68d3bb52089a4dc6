"""Expressions: SQL text -> SQLGlot tree -> SQL text.

    parse("node_id(def_ids, def_no, ordinal)")   a tree, every call an `Anonymous`
    render(tree)                                 lower case, one canonical form

The dialect is Spark with its function table emptied: a call keeps the name it was written
with, so `functions.py` alone decides what exists, and nothing is transpiled on the way.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, ClassVar

import sqlglot
from sqlglot import exp
from sqlglot.dialects.spark import Spark
from sqlglot.errors import SqlglotError

WIDTH = 100


class _Plain(Spark):
    """Spark SQL whose function calls are not interpreted."""

    class Parser(Spark.Parser):  # type: ignore[misc, valid-type]
        FUNCTIONS: ClassVar[dict[str, Any]] = {}
        FUNCTION_PARSERS: ClassVar[dict[str, Any]] = {
            key: value
            for key, value in Spark.Parser.FUNCTION_PARSERS.items()
            if key in ("CAST", "TRY_CAST")
        }
        NO_PAREN_FUNCTION_PARSERS: ClassVar[dict[str, Any]] = {
            key: value
            for key, value in Spark.Parser.NO_PAREN_FUNCTION_PARSERS.items()
            if key != "TRANSFORM"
        }


class ExpressionError(ValueError):
    """The text is no expression of the part of Spark SQL that the catalogue may use."""


@cache
def parse(text: str) -> exp.Expression:
    """Parse one expression. The tree is shared: copy it before a change.

    Raises:
        ExpressionError: when SQLGlot cannot read the text.
    """
    try:
        tree: Any = sqlglot.parse_one(text, dialect=_Plain)
    except SqlglotError as error:
        raise ExpressionError(str(error).splitlines()[0]) from error
    if not isinstance(tree, exp.Expression):
        raise ExpressionError("not an expression")
    return tree


def column_path(node: exp.Column) -> tuple[str, ...]:
    """Return the dotted parts of a column reference, outermost first."""
    return tuple(
        str(part.name)
        for part in (node.args.get(key) for key in ("catalog", "db", "table", "this"))
        if part is not None
    )


def roots(text: str) -> tuple[str, ...]:
    """Return the columns an expression reads, sorted, struct fields cut off."""
    tree = parse(text)
    bound = {str(p.name) for each in tree.find_all(exp.Lambda) for p in each.expressions}
    found = {column_path(each)[0] for each in tree.find_all(exp.Column)}
    return tuple(sorted(found - bound))


_BINARY: dict[type[exp.Expression], tuple[str, int]] = {
    exp.Or: ("or", 1),
    exp.And: ("and", 2),
    exp.EQ: ("=", 4),
    exp.NEQ: ("!=", 4),
    exp.LT: ("<", 4),
    exp.LTE: ("<=", 4),
    exp.GT: (">", 4),
    exp.GTE: (">=", 4),
    exp.NullSafeEQ: ("<=>", 4),
    exp.Like: ("like", 4),
    exp.Add: ("+", 5),
    exp.Sub: ("-", 5),
    exp.DPipe: ("||", 5),
    exp.Mul: ("*", 6),
    exp.Div: ("/", 6),
    exp.Mod: ("%", 6),
}
_NOT, _TEST, _UNARY, _POSTFIX, _ATOM = 3, 4, 7, 8, 9


def render(tree: exp.Expression) -> str:
    """Print a tree on one line."""
    return _render(tree)[0]


def _in(node: exp.Expression, least: int) -> str:
    text, level = _render(node)
    return text if level >= least else f"({text})"


def _many(nodes: list[exp.Expression]) -> str:
    return ", ".join(_in(each, 0) for each in nodes)


def _render(node: exp.Expression) -> tuple[str, int]:
    for cls, (sign, level) in _BINARY.items():
        if type(node) is cls:
            return f"{_in(node.this, level)} {sign} {_in(node.expression, level + 1)}", level
    printer = _PRINTERS.get(type(node))
    if printer is None:
        raise ExpressionError(f"`{type(node).__name__.lower()}` is not used in this catalogue")
    return printer(node)


def _literal(node: Any) -> tuple[str, int]:
    if not node.is_string:
        return str(node.this), _ATOM
    escaped = str(node.this).replace("\\", "\\\\")
    if "'" in escaped and '"' not in escaped:
        return f'"{escaped}"', _ATOM
    escaped = escaped.replace("'", "\\'")
    return f"'{escaped}'", _ATOM


def _not(node: Any) -> tuple[str, int]:
    inner = node.this
    if type(inner) is exp.Is:
        return f"{_in(inner.this, _TEST + 1)} is not {_in(inner.expression, _ATOM)}", _TEST
    if type(inner) is exp.In:
        return f"{_in(inner.this, _TEST + 1)} not in ({_many(inner.expressions)})", _TEST
    return f"not {_in(inner, _NOT)}", _NOT


def _case(node: Any) -> tuple[str, int]:
    parts = ["case", *([_in(node.this, 0)] if node.this else [])]
    for branch in node.args["ifs"]:
        parts.append(f"when {_in(branch.this, 0)} then {_in(branch.args['true'], 0)}")
    if node.args.get("default") is not None:
        parts.append(f"else {_in(node.args['default'], 0)}")
    return " ".join([*parts, "end"]), _ATOM


def _if(node: Any) -> tuple[str, int]:
    other = node.args.get("false")
    parts = [node.this, node.args["true"], *([other] if other is not None else [])]
    return f"if({_many(parts)})", _ATOM


def _lambda(node: Any) -> tuple[str, int]:
    names = ", ".join(str(p.name) for p in node.expressions)
    head = names if len(node.expressions) == 1 else f"({names})"
    return f"{head} -> {_in(node.this, 0)}", 0


def _cast(node: Any) -> tuple[str, int]:
    kind = cast_type(node).replace(",", ", ").replace(":", ": ")
    return f"cast({_in(node.this, 0)} as {kind})", _ATOM


def cast_type(node: exp.Expression) -> str:
    """Return the target type of a cast as Spark prints it."""
    return str(node.args["to"].sql("spark")).lower().replace(", ", ",").replace(": ", ":")


_PRINTERS: dict[type[exp.Expression], Callable[[Any], tuple[str, int]]] = {
    exp.Column: lambda n: (".".join(column_path(n)), _ATOM),
    exp.Identifier: lambda n: (str(n.this), _ATOM),
    exp.Dot: lambda n: (f"{_in(n.this, _POSTFIX)}.{_in(n.expression, _ATOM)}", _POSTFIX),
    exp.Bracket: lambda n: (f"{_in(n.this, _POSTFIX)}[{_many(n.expressions)}]", _POSTFIX),
    exp.Literal: _literal,
    exp.Null: lambda _: ("null", _ATOM),
    exp.Boolean: lambda n: ("true" if n.this else "false", _ATOM),
    exp.Paren: lambda n: (f"({_in(n.this, 0)})", _ATOM),
    exp.Neg: lambda n: (f"-{_in(n.this, _UNARY)}", _UNARY),
    exp.Not: _not,
    exp.Is: lambda n: (f"{_in(n.this, _TEST + 1)} is {_in(n.expression, _ATOM)}", _TEST),
    exp.In: lambda n: (f"{_in(n.this, _TEST + 1)} in ({_many(n.expressions)})", _TEST),
    exp.Between: lambda n: (
        f"{_in(n.this, _TEST + 1)} between {_in(n.args['low'], _TEST + 1)}"
        f" and {_in(n.args['high'], _TEST + 1)}",
        _TEST,
    ),
    exp.Case: _case,
    exp.If: _if,
    exp.Cast: _cast,
    exp.TryCast: _cast,
    exp.Lambda: _lambda,
    exp.Alias: lambda n: (f"{_in(n.this, 0)} as {n.alias}", 0),
    exp.Star: lambda _: ("*", _ATOM),
    exp.Distinct: lambda n: (f"distinct {_many(n.expressions)}", 0),
    exp.Anonymous: lambda n: (f"{str(n.this).lower()}({_many(n.expressions)})", _ATOM),
}


def layout(text: str, indent: int, suffix: str = "", width: int = WIDTH) -> list[str]:
    """Break a canonical expression over lines when it is too long for one.

    Args:
        text: the expression.
        indent: columns of white space before it.
        suffix: what follows on the last line (` as name,`).
        width: the longest line allowed.

    Returns:
        Lines, with indentation.
    """
    return _layout(parse(text), indent, suffix, width)


def _layout(node: Any, indent: int, suffix: str, width: int) -> list[str]:
    pad = " " * indent
    line = pad + _in(node, 0) + suffix
    if len(line) <= width:
        return [line]
    if isinstance(node, exp.Alias):
        return _layout(node.this, indent, f" as {node.alias}{suffix}", width)
    if isinstance(node, exp.Paren):
        return [f"{pad}(", *_layout(node.this, indent + 4, "", width), f"{pad}){suffix}"]
    if isinstance(node, exp.Anonymous | exp.If):
        return _layout_call(node, indent, suffix, width)
    if isinstance(node, exp.Case):
        return _layout_case(node, indent, suffix, width)
    if isinstance(node, exp.And | exp.Or):
        return _layout_chain(node, indent, suffix, width)
    return [line]


def _layout_call(node: Any, indent: int, suffix: str, width: int) -> list[str]:
    if isinstance(node, exp.If):
        name, parts = "if", [node.this, node.args["true"], node.args.get("false")]
        parts = [each for each in parts if each is not None]
    else:
        name, parts = str(node.this).lower(), node.expressions
    step = 2 if name == "map" else 1  # a map reads as pairs
    lines = [f"{' ' * indent}{name}("]
    for at in range(0, len(parts), step):
        comma = "," if at + step < len(parts) else ""
        if step == 2:
            lines.append(f"{' ' * (indent + 4)}{_many(parts[at : at + 2])}{comma}")
        else:
            lines += _layout(parts[at], indent + 4, comma, width)
    return [*lines, f"{' ' * indent}){suffix}"]


def _layout_case(node: Any, indent: int, suffix: str, width: int) -> list[str]:
    pad, inner = " " * indent, " " * (indent + 4)
    lines = [f"{pad}case" + (f" {_in(node.this, 0)}" if node.this else "")]
    for branch in node.args["ifs"]:
        one = f"{inner}when {_in(branch.this, 0)} then {_in(branch.args['true'], 0)}"
        if len(one) <= width:
            lines.append(one)
            continue
        condition = _layout(branch.this, indent + 8, "", width)
        if len(condition) == 1:
            lines.append(f"{inner}when {condition[0].strip()}")
        else:
            lines += [f"{inner}when", *condition]
        value = _layout(branch.args["true"], indent + 8, "", width - len("then "))
        lines += [f"{inner}    then {value[0].strip()}", *value[1:]]
    if node.args.get("default") is not None:
        lines.append(f"{inner}else {_in(node.args['default'], 0)}")
    return [*lines, f"{pad}end{suffix}"]


def _layout_chain(node: Any, indent: int, suffix: str, width: int) -> list[str]:
    cls, sign = type(node), _BINARY[type(node)][0]
    level = _BINARY[cls][1]
    parts: list[Any] = []
    while type(node) is cls:
        parts.insert(0, node.expression)
        node = node.this
    parts.insert(0, node)
    lines: list[str] = []
    for at, part in enumerate(parts):
        end = suffix if at == len(parts) - 1 else ""
        head = "" if at == 0 else f"{sign} "
        one = f"{' ' * indent}{head}{_in(part, level + (at > 0))}{end}"
        if len(one) <= width:
            lines.append(one)
            continue
        broken = _layout(part, indent, end, width)
        lines += [f"{' ' * indent}{head}{broken[0].strip()}", *broken[1:]]
    return lines
