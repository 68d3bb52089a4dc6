"""Flow constants: the conditions that CPython decides when it compiles.

    while True:   while 1:   if 0:   if not __debug__:   if ():   if -1:   if 1 + 1:   -> decided
    if []:        if 1 < 2:  if f"{1}":                                                -> open

CPython folds operators, tuples and subscripts of constants, with limits on the size of results.
Such a compound is rare in a condition, so it is handed to the compiler itself, which does not
execute it: the code of a folded expression does nothing but return a constant.
Next: flow_comprehensions.py.
"""

from __future__ import annotations

import ast
import warnings
from typing import Any

_COMPOUND = frozenset({ast.UnaryOp, ast.BinOp, ast.Tuple, ast.Subscript})
_RESUME_AND_RETURN = 4  # bytes of code: RESUME, RETURN_CONST


def constant(node: ast.expr) -> bool | None:
    """Return the truth of an expression that CPython takes for constant, else None."""
    found = node.__class__
    if found is ast.Constant:
        return bool(node.value)  # type: ignore[attr-defined]
    if found is ast.Name:
        return True if node.id == "__debug__" else None  # type: ignore[attr-defined]
    if found is ast.JoinedStr:  # an empty one is open in 3.12
        values: list[Any] = node.values  # type: ignore[attr-defined]
        whole = bool(values) and all(value.__class__ is ast.Constant for value in values)
        return any(value.value for value in values) if whole else None
    if found not in _COMPOUND or not _only_constants(node):
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            code = compile(ast.Expression(node), "", "eval", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError):
        return None
    if len(code.co_code) != _RESUME_AND_RETURN:
        return None
    return bool(code.co_consts[code.co_code[3]])


def _only_constants(node: ast.expr) -> bool:
    stack: list[Any] = [node]
    while stack:
        item = stack.pop()
        found = item.__class__
        if found is ast.BinOp:
            stack += (item.right, item.left)
        elif found is ast.UnaryOp:
            stack.append(item.operand)
        elif found is ast.Tuple:
            stack += item.elts
        elif found is ast.Subscript:
            stack += (item.slice, item.value)
        elif found is ast.Name:
            if item.id != "__debug__":
                return False
        elif found is not ast.Constant:
            return False
    return True
