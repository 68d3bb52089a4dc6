"""Kinds: each class of Python's syntax tree -> kind, name and attributes of its node.

    ast.Attribute(attr="path", ctx=Load)  -> ("ATTRIBUTE", "path", None)
    ast.BinOp(op=Add)                     -> ("OPERATOR", None, (("operator",), ("+",)))
    ast.Constant(2)                       -> ("LITERAL", None, (("type", "value"), ("int", "2")))

KIND names the kind of every class that becomes a node; DESCRIBE holds a function for the classes
that need more than that. Attributes are a pair of equally long tuples, keys and values, because
they go into one Arrow map column and most nodes have none. The value of a literal is its text (of a
string) or its repr, cut at 256 code points.
Next: node_children.py.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

type Attrs = tuple[tuple[str, ...], tuple[str, ...]]
type Description = tuple[str, str | None, Attrs | None]

VALUE_LIMIT = 256


class _NumberOf:
    """The number of a wrapper is kept by the node of Python's tree that it wraps."""

    def __init__(self, wrapped: str) -> None:
        self._wrapped = wrapped

    def __set__(self, wrapper: Any, number: int) -> None:
        getattr(wrapper, self._wrapped).no = number


class Parameter:
    """A parameter with its kind and default; `ast.arg` knows neither."""

    no = _NumberOf("arg")

    __slots__ = ("arg", "col_offset", "default", "end_col_offset", "end_lineno", "kind", "lineno")

    def __init__(self, arg: ast.arg, kind: str, default: ast.expr | None) -> None:
        """Bind an argument to its default."""
        self.arg = arg
        self.kind = kind
        self.default = default
        self.lineno = arg.lineno
        self.col_offset = arg.col_offset
        self.end_lineno = arg.end_lineno
        self.end_col_offset = arg.end_col_offset


class Decorator:
    """A decorator with its `@`, which the syntax tree leaves out."""

    __slots__ = ("col_offset", "end_col_offset", "end_lineno", "expression", "lineno", "no")

    def __init__(self, expression: ast.expr, lineno: int, col_offset: int) -> None:
        """Place the decorator from its `@` to the end of its expression."""
        self.expression = expression
        self.lineno = lineno
        self.col_offset = col_offset
        self.end_lineno = expression.end_lineno
        self.end_col_offset = expression.end_col_offset


class ImportedName:
    """An alias with the statement it stands in."""

    no = _NumberOf("alias")

    __slots__ = ("alias", "col_offset", "end_col_offset", "end_lineno", "lineno", "statement")

    def __init__(self, alias: ast.alias, statement: ast.Import | ast.ImportFrom) -> None:
        """Bind an alias to its statement."""
        self.alias = alias
        self.statement = statement
        self.lineno = alias.lineno
        self.col_offset = alias.col_offset
        self.end_lineno = alias.end_lineno
        self.end_col_offset = alias.end_col_offset


class Case:
    """A `match_case` with a span: from its pattern to the end of its body."""

    no = _NumberOf("case")
    __slots__ = (
        *("body", "case", "guard", "pattern"),
        *("col_offset", "end_col_offset", "end_lineno", "lineno"),
    )

    def __init__(self, case: ast.match_case) -> None:
        """Take the place from the parts."""
        self.case = case
        self.pattern = case.pattern
        self.guard = case.guard
        self.body = case.body
        self.lineno = case.pattern.lineno
        self.col_offset = case.pattern.col_offset
        self.end_lineno = case.body[-1].end_lineno
        self.end_col_offset = case.body[-1].end_col_offset


def _kinds() -> dict[type, str]:
    kinds: dict[type, str] = dict.fromkeys(_leaves(ast.stmt), "STATEMENT")
    kinds |= dict.fromkeys(_leaves(ast.expr), "OPERATOR")
    kinds |= dict.fromkeys(_leaves(ast.pattern), "OPERATOR")
    kinds |= dict.fromkeys(_leaves(ast.type_param), "PARAMETER")
    return kinds | {
        ast.Module: "MODULE",
        ast.ClassDef: "CLASS",
        ast.FunctionDef: "FUNCTION",
        ast.AsyncFunctionDef: "FUNCTION",
        ast.Lambda: "LAMBDA",
        ast.ListComp: "COMPREHENSION",
        ast.SetComp: "COMPREHENSION",
        ast.DictComp: "COMPREHENSION",
        ast.GeneratorExp: "COMPREHENSION",
        ast.Call: "CALL",
        ast.Name: "NAME",
        ast.Attribute: "ATTRIBUTE",
        ast.Subscript: "SUBSCRIPT",
        ast.Constant: "LITERAL",
        ast.JoinedStr: "LITERAL",
        ast.List: "LITERAL",
        ast.Tuple: "LITERAL",
        ast.Set: "LITERAL",
        ast.Dict: "LITERAL",
        ast.ExceptHandler: "STATEMENT",
        Case: "STATEMENT",
        Parameter: "PARAMETER",
        Decorator: "DECORATOR",
        ImportedName: "IMPORT",
    }


def _leaves(base: type) -> list[type]:
    return [found for found in base.__subclasses__() if found.__module__ == "ast"]


KIND = _kinds()
SYNTAX: dict[type, str] = {found: found.__name__ for found in KIND} | {
    Case: "match_case",
    Parameter: "arg",
    ImportedName: "alias",
}
_CONTEXT: dict[type, Attrs | None] = {
    ast.Load: None,
    ast.Store: (("ctx",), ("store",)),
    ast.Del: (("ctx",), ("del",)),
}
TOKENS: dict[type, str] = {
    ast.And: "and",
    ast.Or: "or",
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.MatMult: "@",
    ast.Div: "/",
    ast.Mod: "%",
    ast.Pow: "**",
    ast.LShift: "<<",
    ast.RShift: ">>",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.BitAnd: "&",
    ast.FloorDiv: "//",
    ast.Invert: "~",
    ast.Not: "not",
    ast.UAdd: "+",
    ast.USub: "-",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Is: "is",
    ast.IsNot: "is not",
    ast.In: "in",
    ast.NotIn: "not in",
}
_OPERATOR_ATTRS: dict[str, Attrs] = {
    token: (("operator",), (token,)) for token in sorted(set(TOKENS.values()))
}
_FIXED_OPERATORS: dict[type, str] = {
    ast.IfExp: "if",
    ast.NamedExpr: ":=",
    ast.Await: "await",
    ast.Yield: "yield",
    ast.YieldFrom: "yield from",
    ast.FormattedValue: "{}",
    ast.Slice: ":",
    ast.MatchOr: "|",
}
_LITERAL_KEYS = ("type", "value")
_CUT_KEYS = ("type", "value", "truncated")


def dotted(node: ast.expr) -> str | None:
    """Return the text of a dotted name such as `os.path.join`, or None for anything else."""
    if node.__class__ is ast.Name:
        return node.id  # type: ignore[attr-defined,no-any-return]
    parts = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    parts.append(node.id)
    return ".".join(reversed(parts))


def literal_attrs(value: Any) -> Attrs:
    """Return type and value of a constant, cut at VALUE_LIMIT code points."""
    name = value.__class__.__name__
    text = _TEXTS.get(value.__class__, repr)(value)
    if not text.isascii():
        text = text.encode("utf-8", "backslashreplace").decode("utf-8")
    if len(text) > VALUE_LIMIT:
        return _CUT_KEYS, (name, text[:VALUE_LIMIT], "true")
    return _LITERAL_KEYS, (name, text)


def _string_text(value: str) -> str:
    return value if len(value) <= VALUE_LIMIT else value[: VALUE_LIMIT + 1]


def _bytes_text(value: bytes) -> str:
    return repr(value[: VALUE_LIMIT + 1])


def _integer_text(value: int) -> str:
    return repr(value) if value.bit_length() < 4096 else hex(value)


_TEXTS: dict[type, Callable[[Any], str]] = {
    str: _string_text,
    bytes: _bytes_text,
    int: _integer_text,
}


def _definition(node: ast.ClassDef | ast.FunctionDef) -> Description:
    return KIND[node.__class__], node.name, None


def _async_function(node: ast.AsyncFunctionDef) -> Description:
    return "FUNCTION", node.name, (("async",), ("true",))


def _lambda(_: ast.Lambda) -> Description:
    return "LAMBDA", "<lambda>", None


def _name(node: ast.Name) -> Description:
    return "NAME", node.id, _CONTEXT[node.ctx.__class__]


def _attribute(node: ast.Attribute) -> Description:
    return "ATTRIBUTE", node.attr, _CONTEXT[node.ctx.__class__]


def _subscript(node: ast.Subscript) -> Description:
    return "SUBSCRIPT", None, _CONTEXT[node.ctx.__class__]


def _sequence(node: ast.List | ast.Tuple) -> Description:
    attrs = _CONTEXT[node.ctx.__class__]
    return "LITERAL" if attrs is None else "OPERATOR", None, attrs


def _starred(node: ast.Starred) -> Description:
    context = _CONTEXT[node.ctx.__class__]
    if context is None:
        return "OPERATOR", None, _OPERATOR_ATTRS["*"]
    return "OPERATOR", None, (("operator", *context[0]), ("*", *context[1]))


def _constant(node: ast.Constant) -> Description:
    return "LITERAL", None, literal_attrs(node.value)


def _call(node: ast.Call) -> Description:
    return "CALL", dotted(node.func), None


def _operation(node: ast.BoolOp | ast.BinOp | ast.UnaryOp) -> Description:
    return "OPERATOR", None, _OPERATOR_ATTRS[TOKENS[node.op.__class__]]


def _compare(node: ast.Compare) -> Description:
    tokens = " ".join(TOKENS[op.__class__] for op in node.ops)
    return "OPERATOR", None, _OPERATOR_ATTRS.get(tokens) or (("operator",), (tokens,))


def _augmented(node: ast.AugAssign) -> Description:
    return "STATEMENT", None, (("operator",), (TOKENS[node.op.__class__] + "=",))


def _declaration(node: ast.Global | ast.Nonlocal) -> Description:
    return "STATEMENT", None, (("names",), (",".join(node.names),))


def _handler(node: ast.ExceptHandler) -> Description:
    return "STATEMENT", node.name, None


def _parameter(node: Parameter) -> Description:
    return "PARAMETER", node.arg.arg, (("kind",), (node.kind,))


def _type_parameter(node: ast.TypeVar) -> Description:
    return "PARAMETER", node.name, (("kind",), ("type_parameter",))


def _decorator(node: Decorator) -> Description:
    callee = node.expression
    return "DECORATOR", dotted(callee.func if isinstance(callee, ast.Call) else callee), None


def _imported_name(node: ImportedName) -> Description:
    alias, statement = node.alias, node.statement
    facts: dict[str, str | None] = {"module": alias.name}
    bound = alias.asname or alias.name.partition(".")[0]
    if isinstance(statement, ast.ImportFrom):
        level = str(statement.level) if statement.level else None
        facts = {"module": statement.module, "name": alias.name, "level": level}
        bound = alias.asname or alias.name
    facts["asname"] = alias.asname
    given = {key: text for key, text in facts.items() if text is not None}
    return "IMPORT", bound, (tuple(given), tuple(given.values()))


def _match_as(node: ast.MatchAs) -> Description:
    if node.pattern is None and node.name is not None:
        return "NAME", node.name, _CONTEXT[ast.Store]
    return "OPERATOR", node.name, None


def _match_star(node: ast.MatchStar) -> Description:
    return "OPERATOR", node.name, _OPERATOR_ATTRS["*"]


def _match_mapping(node: ast.MatchMapping) -> Description:
    return "OPERATOR", node.rest, None


def _match_singleton(node: ast.MatchSingleton) -> Description:
    return "OPERATOR", None, literal_attrs(node.value)


def _fixed(token: str) -> Callable[[Any], Description]:
    description: Description = ("OPERATOR", None, (("operator",), (token,)))
    return lambda _: description


DESCRIBE: dict[type, Callable[[Any], Description]] = {
    ast.ClassDef: _definition,
    ast.FunctionDef: _definition,
    ast.AsyncFunctionDef: _async_function,
    ast.Lambda: _lambda,
    ast.Name: _name,
    ast.Attribute: _attribute,
    ast.Subscript: _subscript,
    ast.List: _sequence,
    ast.Tuple: _sequence,
    ast.Starred: _starred,
    ast.Constant: _constant,
    ast.Call: _call,
    ast.BoolOp: _operation,
    ast.BinOp: _operation,
    ast.UnaryOp: _operation,
    ast.Compare: _compare,
    ast.AugAssign: _augmented,
    ast.Global: _declaration,
    ast.Nonlocal: _declaration,
    ast.ExceptHandler: _handler,
    ast.TypeVar: _type_parameter,
    ast.ParamSpec: _type_parameter,
    ast.TypeVarTuple: _type_parameter,
    ast.MatchAs: _match_as,
    ast.MatchStar: _match_star,
    ast.MatchMapping: _match_mapping,
    ast.MatchSingleton: _match_singleton,
    Parameter: _parameter,
    Decorator: _decorator,
    ImportedName: _imported_name,
}
DESCRIBE.update({found: _fixed(token) for found, token in _FIXED_OPERATORS.items()})
