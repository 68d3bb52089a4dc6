"""Calls for drivers: what they return or raise does not matter, only the way they take."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

OPERATORS = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "lt", "le", "gt", "ge", "eq")


def call(function: Callable[..., Any], *args: Any, **keywords: Any) -> Any:
    """Call what may raise, and take all of what it yields."""
    with contextlib.suppress(Exception, SystemExit):
        result = function(*args, **keywords)
        return list(result) if isinstance(result, Iterator) else result


def over(function: Callable[..., Any], inputs: Any, *args: Any, **keywords: Any) -> None:
    """Call a function with one input after the other."""
    for value in inputs:
        call(function, value, *args, **keywords)
