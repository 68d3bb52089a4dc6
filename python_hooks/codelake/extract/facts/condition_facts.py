"""Conditions: what holds in a region of the source.

    if TYPE_CHECKING:              guard node=if value=first other=last text=TYPE_CHECKING
        import a
    elif isinstance(x, C):         guard text=condition, narrow node=x value=C text=isinstance
        x.f()
    if x is None:                  after it, to the end of the block:
        return                     guard text=not condition, narrow node=x text=is not None

A region is a range of node numbers: preorder makes a block, and an operand, contiguous. A narrow
fact belongs to the guard before it. What is tested is a name, a dotted name or the target of a
walrus; it holds until that is bound anew, which is for the reader to know. The tests are known by
their names: a module that redefines isinstance is misread.
Next: fact_texts.py.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from codelake.extract.facts.fact_texts import TOKENS, integer, key_text
from codelake.extract.syntax.node_kinds import dotted

type _Fact = tuple[str, int, int | None, int | None, str | None, int | None]

_LEAVES = frozenset({ast.Return, ast.Raise, ast.Continue, ast.Break})
_TESTS = frozenset({"isinstance", "issubclass"})
_VERSION = frozenset({"sys.version_info", "version_info"})
_SYSTEM = frozenset({"sys.platform", "os.name", "__name__"})
_PARTS = {"int:0": "[0]", "slice::1:": "[:1]", "slice::2:": "[:2]", "slice::3:": "[:3]"}
_OPPOSITE = {"is": "is not", "is not": "is", "==": "is not", "!=": "is"}
_SAME = {"is": "is", "is not": "is not", "==": "is", "!=": "is not"}


def region(node: Any, test: ast.expr, outcome: bool, first: int, last: int) -> list[_Fact]:
    """Return the facts of a region where a test has an outcome.

    Args:
        node: the statement or expression with the test.
        test: the condition.
        outcome: whether it is true in the region.
        first: number of the first node of the region.
        last: number of its last node.
    """
    text = condition_text(test)
    if not outcome:
        text = text[4:] if text.startswith("not ") else f"not {text}"
    return [("guard", node.no, first, last, text, None), *narrowed(test, outcome)]


def narrowed_behind(statement: ast.If | ast.Assert, first: int, last: int) -> list[_Fact]:
    """Return what holds behind an assert, or behind an if whose body leaves the block."""
    if isinstance(statement, ast.Assert):
        outcome = True
    elif statement.orelse or statement.body[-1].__class__ not in _LEAVES:
        return []
    else:
        outcome = False
    if not narrowed(statement.test, outcome):
        return []
    return region(statement, statement.test, outcome, first, last)


def narrowed(test: ast.expr, outcome: bool) -> list[_Fact]:
    """Return what an outcome of a test says about names; `and` when true, `or` when false."""
    facts: list[_Fact] = []
    stack = [(test, outcome)]
    while stack:
        node, holds = stack.pop()
        kind = node.__class__
        if kind is ast.Call:
            facts += _call(node, holds)
        elif kind is ast.Compare:
            facts += _compare(node, holds)
        elif isinstance(node, ast.UnaryOp):
            if node.op.__class__ is ast.Not:
                stack.append((node.operand, not holds))
        elif isinstance(node, ast.BoolOp) and holds is (node.op.__class__ is ast.And):
            stack += [(operand, holds) for operand in reversed(node.values)]
    return facts


def condition_text(test: ast.expr) -> str:
    """Return what kind of condition a test is: TYPE_CHECKING, version >= 3.8, condition ..."""
    negations = 0
    while isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        test = test.operand
        negations += 1
    text = _plain_text(test)
    return f"not {text}" if negations % 2 else text


def handler_text(handler: ast.ExceptHandler) -> str:
    """Return the names of the classes that a handler catches, or a star for everything."""
    if handler.type is None:
        return "*"
    types = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return "|".join(dotted(item) or "?" for item in types)


def last_number(node: Any, known: dict[int, int]) -> int:
    """Return the number of the last node below an expression.

    Args:
        node: the expression.
        known: answers so far, by number; makes a chain of expressions linear.
    """
    path = []
    number = node.no
    while number not in known:
        path.append(number)
        below = _last_child(node)
        if below is None:
            known[number] = number
            break
        node, number = below, below.no
    answer = known[number]
    known.update(dict.fromkeys(path, answer))
    return answer


def _call(node: Any, holds: bool) -> list[_Fact]:
    name = node.func.id if isinstance(node.func, ast.Name) else ""
    arguments = node.args
    number = _tested(arguments[0]) if arguments else None
    if number is None or node.keywords:
        return []
    verdict = name if holds else f"not {name}"
    if name in _TESTS and len(arguments) == 2 and arguments[1].__class__ is not ast.Starred:
        return [("narrow", number, arguments[1].no, None, verdict, None)]
    if name == "callable" and len(arguments) == 1:
        return [("narrow", number, None, None, verdict, None)]
    if name == "hasattr" and len(arguments) == 2 and isinstance(arguments[1], ast.Constant):
        value = arguments[1].value
        if isinstance(value, str) and value.isidentifier():
            return [("narrow", number, None, None, f"{verdict}:{value}", None)]
    return []


def _compare(node: Any, holds: bool) -> list[_Fact]:
    if len(node.ops) != 1:
        return []
    left, right, token = node.left, node.comparators[0], TOKENS[node.ops[0].__class__]
    if token in _SAME:
        verb = _SAME[token] if holds else _OPPOSITE[token]
        if isinstance(right, ast.Constant) and right.value is None:
            number = _tested(left)
            return [] if number is None else [("narrow", number, None, None, f"{verb} None", None)]
        number = _type_of(left)
        return [] if number is None else [("narrow", number, right.no, None, f"type {verb}", None)]
    number = _type_of(left) if token in ("in", "not in") else None
    if number is None:
        return []
    verdict = "type is" if holds is (token == "in") else "type is not"
    return [("narrow", number, right.no, None, verdict, None)]


def _type_of(node: ast.expr) -> int | None:
    """Return what `type(x)` or `x.__class__` is about."""
    if isinstance(node, ast.Attribute) and node.attr == "__class__":
        return _tested(node.value)
    if isinstance(node, ast.Call) and len(node.args) == 1 and not node.keywords:
        return _tested(node.args[0]) if getattr(node.func, "id", None) == "type" else None
    return None


def _tested(node: Any) -> int | None:
    if isinstance(node, ast.NamedExpr):
        node = node.target
    return node.no if dotted(node) is not None else None


def _plain_text(test: ast.expr) -> str:
    if isinstance(test, ast.Constant):
        return str(bool(test.value))
    name = dotted(test)
    if name is not None:
        return "TYPE_CHECKING" if name.rpartition(".")[2] == "TYPE_CHECKING" else "condition"
    if not isinstance(test, ast.Compare) or len(test.ops) != 1:
        return "condition"
    left, right, token = test.left, test.comparators[0], TOKENS[test.ops[0].__class__]
    part = ""
    if isinstance(left, ast.Subscript):
        part, left = _PARTS.get(key_text(left.slice) or "", "[?]"), left.value
    name = dotted(left) or ""
    if name.endswith("version_info.major"):
        part, name = "[0]", name.removesuffix(".major")
    if name in _VERSION:
        version = _version(right)
        return "version" if version is None or part == "[?]" else f"version{part} {token} {version}"
    if name in _SYSTEM and not part and isinstance(right, ast.Constant):
        return f"{name} {token} {right.value!s}" if _short(right.value) else "condition"
    return "condition"


def _version(node: ast.expr) -> str | None:
    numbers = [integer(item) for item in (node.elts if isinstance(node, ast.Tuple) else [node])]
    return None if None in numbers else ".".join(map(str, numbers))


def _short(value: object) -> bool:
    return isinstance(value, str) and value.isascii() and len(value) < 32


def _last_child(node: ast.AST) -> Any:
    """Return the last node below a node in the order of the numbers, None for a leaf."""
    if isinstance(node, ast.Call) and node.keywords:
        final: Any = node.keywords[-1].value
        return max(node.args[-1], final, key=_number) if node.args else final
    for field in reversed(node._fields):
        value = getattr(node, field)
        if value.__class__ is list:
            value = value[-1] if value else None
        if isinstance(value, ast.comprehension):
            return value.ifs[-1] if value.ifs else value.iter
        if hasattr(value, "no"):
            return value
    return None


def _number(node: Any) -> int:
    return node.no  # type: ignore[no-any-return]


def regions_of_try(node: ast.Try | ast.TryStar, ends: Sequence[int]) -> list[_Fact]:
    """Return the guard of the body, of each handler and of the else of a try.

    Args:
        node: the statement.
        ends: last number of the body, of each handler, then of the else.
    """
    every = "|".join(handler_text(handler) for handler in node.handlers)
    first: Any = node.body[0]
    number: int = node.no  # type: ignore[union-attr]
    facts: list[_Fact] = [("guard", number, first.no, ends[0], f"try {every}", None)]
    for handler, end in zip(node.handlers, ends[1:-1], strict=True):
        start: Any = handler.body[0]
        text = f"except {handler_text(handler)}"
        facts.append(("guard", number, start.no, end, text, None))
    if node.orelse:
        start = node.orelse[0]
        facts.append(("guard", number, start.no, ends[-1], f"else {every}", None))
    return facts
