"""Parameters: what may be set for one build, by name and type.

    setting_problem(Parameter("id_salt", BIGINT, 0, ...), "x")  ->  "is 'x', not a whole number"

A value never changes a model: fingerprints hash `var('id_salt')`, not what it is set to.
"""

from __future__ import annotations

from codelake.semantic.ir import Parameter
from codelake.semantic.types import BIGINT, BOOLEAN, DOUBLE, INT, STRING, ArrayOf, SparkType

_WORDS: dict[SparkType, str] = {
    STRING: "a text",
    INT: "a whole number",
    BIGINT: "a whole number",
    DOUBLE: "a number",
    BOOLEAN: "true or false",
    ArrayOf(STRING): "a list of texts",
}


def setting_problem(parameter: Parameter, value: object) -> str | None:
    """Say what is wrong with a value of a parameter, if anything is."""
    word = _WORDS.get(parameter.type)
    if word is None:
        return f"is {parameter.type}, which no parameter can be"
    if not _fits(parameter.type, value):
        return f"is {value!r}, not {word}"
    if parameter.choices and value not in parameter.choices:
        return f"is {value!r}, not one of {', '.join(parameter.choices)}"
    return None


def _fits(kind: SparkType, value: object) -> bool:
    if isinstance(kind, ArrayOf):
        return isinstance(value, list | tuple) and all(isinstance(each, str) for each in value)
    if kind == BOOLEAN:
        return isinstance(value, bool)
    if kind == STRING:
        return isinstance(value, str)
    if isinstance(value, bool):
        return False
    return isinstance(value, int) or (kind == DOUBLE and isinstance(value, float))
