"""Parameters: what may be set for one build, by name and type.

    setting_problem("bigint", (), "x")   ->  "is 'x', not a whole number"

A value never changes a model: fingerprints hash `var('id_salt')`, not what it is set to.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

_KINDS: dict[str, tuple[str, Callable[[object], bool]]] = {
    "string": ("a text", lambda value: isinstance(value, str)),
    "bigint": ("a whole number", lambda value: type(value) is int),
    "double": ("a number", lambda value: type(value) in (int, float)),
    "boolean": ("true or false", lambda value: isinstance(value, bool)),
    "map<string,string>": ("a mapping by name", lambda value: isinstance(value, dict)),
    "array<string>": (
        "a list of texts",
        lambda value: isinstance(value, list | tuple) and all(isinstance(v, str) for v in value),
    ),
}


def setting_problem(kind: str, choices: Sequence[str], value: object) -> str | None:
    """Say what is wrong with a value of a parameter, if anything is.

    Args:
        kind: the Spark type.
        choices: the only values allowed; none allows every value of the type.
        value: what is given.
    """
    if kind not in _KINDS:
        return f"is {kind}; a parameter is {', '.join(_KINDS)}"
    word, fits = _KINDS[kind]
    if not fits(value):
        return f"is {value!r}, not {word}"
    if choices and value not in choices:
        return f"is {value!r}, not one of {', '.join(choices)}"
    return None
