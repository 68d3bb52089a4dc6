"""The functions an expression may call, and the recipes that expand at compile time.

    FUNCTIONS["coalesce"].result((string or null, string))  ->  string, not null
    expand("edge_id(kind, src, dst, label)")                ->  xxhash64(kind, src, dst, label)

The id recipe of the graph stands here once; `codelake.evidence.ids` is its Python twin.
`xxhash64` skips nulls, so a hash over a null would be a valid-looking id: `optional_node_id`
is null instead when its address is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from sqlglot import exp

from codelake.semantic.expressions import column_path, parse, render
from codelake.semantic.types import (
    BIGINT,
    BOOLEAN,
    INT,
    STRING,
    VOID,
    ArrayOf,
    Field,
    MapOf,
    SparkType,
    StructOf,
    wider,
)


@dataclass(frozen=True, slots=True)
class Value:
    """What is known of an expression; type None means it could not be worked out."""

    type: SparkType | None
    nullable: bool = False
    semantic: str | None = None


type Result = Callable[[tuple[Value, ...]], Value]


@dataclass(frozen=True, slots=True)
class Function:
    """One Spark function: how many arguments, and what comes out."""

    name: str
    least: int
    most: int | None
    result: Result
    aggregate: bool = False


def _gives(kind: SparkType, nullable: bool | None = None) -> Result:
    def result(args: tuple[Value, ...]) -> Value:
        return Value(kind, any(a.nullable for a in args) if nullable is None else nullable)

    return result


def _common(args: tuple[Value, ...]) -> SparkType | None:
    kind: SparkType | None = VOID
    for each in args:
        kind = None if kind is None or each.type is None else wider(kind, each.type)
    return kind


def _coalesce(args: tuple[Value, ...]) -> Value:
    return Value(_common(args), all(a.nullable for a in args))


def _widest(args: tuple[Value, ...]) -> Value:
    return Value(_common(args), any(a.nullable for a in args))


def _contains(args: tuple[Value, ...]) -> Value:
    """Return null also where an element is: it might be what is looked for."""
    held = args[0].type
    unsure = isinstance(held, ArrayOf) and held.nullable
    return Value(BOOLEAN, unsure or any(a.nullable for a in args))


def _array(args: tuple[Value, ...]) -> Value:
    kind = _common(args)
    return Value(kind and ArrayOf(kind, any(a.nullable for a in args)))


def _map(args: tuple[Value, ...]) -> Value:
    key, value = _common(args[::2]), _common(args[1::2])
    return Value(MapOf(key, value) if key and value else None)


def _joined(args: tuple[Value, ...]) -> Value:
    return Value(_common(args), any(a.nullable for a in args))


def _entries(args: tuple[Value, ...]) -> Value:
    kind = args[0].type
    if not isinstance(kind, MapOf):
        return Value(None)
    fields = (Field("key", kind.key, False), Field("value", kind.value, True))
    return Value(ArrayOf(StructOf(fields)), args[0].nullable)


def _element(args: tuple[Value, ...]) -> Value:
    kind = args[0].type
    if isinstance(kind, ArrayOf):
        return Value(kind.element, True)
    return Value(kind.value if isinstance(kind, MapOf) else None, True)


def _first(args: tuple[Value, ...]) -> Value:
    return Value(args[0].type, args[0].nullable)


def _optional(args: tuple[Value, ...]) -> Value:
    return Value(args[0].type, True)


def _functions() -> dict[str, Function]:
    table = (
        # ids and nulls
        Function("xxhash64", 1, None, _gives(BIGINT, nullable=False)),
        Function("coalesce", 1, None, _coalesce),
        Function("nullif", 2, 2, lambda args: Value(args[0].type, True)),
        Function("greatest", 2, None, _widest),
        Function("least", 2, None, _widest),
        # text
        Function("concat", 1, None, _gives(STRING)),
        Function("concat_ws", 2, None, lambda args: Value(STRING, args[0].nullable)),
        Function("contains", 2, 2, _gives(BOOLEAN)),
        Function("endswith", 2, 2, _gives(BOOLEAN)),
        Function("length", 1, 1, _gives(INT)),
        Function("octet_length", 1, 1, _gives(INT)),
        Function("lower", 1, 1, _gives(STRING)),
        Function("replace", 2, 3, _gives(STRING)),
        Function("split", 2, 3, _gives(ArrayOf(STRING))),
        Function("startswith", 2, 2, _gives(BOOLEAN)),
        Function("substring_index", 3, 3, _gives(STRING)),
        Function("upper", 1, 1, _gives(STRING)),
        # collections
        Function("array", 0, None, _array),
        Function("array_contains", 2, 2, _contains),
        Function("element_at", 2, 2, _element),
        Function("get", 2, 2, _element),
        Function("map", 0, None, _map),
        Function("map_concat", 1, None, _joined),
        Function("map_entries", 1, 1, _entries),
        Function("size", 1, 1, _gives(INT)),
        Function("slice", 3, 3, _first),
        # aggregates
        Function("any_value", 1, 1, _optional, aggregate=True),
        Function("count", 1, None, _gives(BIGINT, nullable=False), aggregate=True),
        Function("max", 1, 1, _optional, aggregate=True),
        Function("min", 1, 1, _optional, aggregate=True),
    )
    return {each.name: each for each in table}


FUNCTIONS: dict[str, Function] = _functions()


@dataclass(frozen=True, slots=True)
class Recipe:
    """A named expression over its parameters, expanded on the tree."""

    name: str
    parameters: tuple[str, ...]
    body: str
    meaning: str


_ADDRESS = "if(ordinal = 0, def_ids[def_no], xxhash64(def_ids[def_no], ordinal))"

RECIPES: dict[str, Recipe] = {
    each.name: each
    for each in (
        Recipe(
            "node_id",
            ("def_ids", "def_no", "ordinal"),
            _ADDRESS,
            "a definition has its own id, anything else one made of definition and position",
        ),
        Recipe(
            "optional_node_id",
            ("def_ids", "def_no", "ordinal"),
            f"case when ordinal is not null then {_ADDRESS} end",
            "the same, null when there is no address",
        ),
        Recipe(
            "binding_id",
            ("scope_id", "symbol"),
            "xxhash64(scope_id, symbol)",
            "a name in the scope that binds it",
        ),
        Recipe(
            "optional_binding_id",
            ("scope_ids", "scope_no", "symbol"),
            "case when scope_no is not null then xxhash64(scope_ids[scope_no], symbol) end",
            "the same by the number of the scope, null when none binds it",
        ),
        Recipe(
            "code_unit_id",
            ("file_id", "unit_path"),
            "xxhash64(file_id, 'code', unit_path)",
            "a code object, from its file and its path inside the file",
        ),
        Recipe(
            "instruction_id",
            ("file_id", "unit_path", "instr_no"),
            "xxhash64(xxhash64(file_id, 'code', unit_path), instr_no)",
            "an instruction, from its code object and its number there",
        ),
        Recipe(
            "comment_id",
            ("file_id", "kind", "text", "repeat_no"),
            "xxhash64(file_id, 'comment', kind, text, repeat_no)",
            "a comment, from its file, its text and its number among equal ones",
        ),
        Recipe(
            "diagnostic_id",
            ("file_id", "extractor", "error_type", "message", "bstart"),
            "xxhash64(file_id, 'diagnostic', extractor, error_type, message, coalesce(bstart, -1))",
            "what an extractor could not read, from the file and what is said of it",
        ),
        Recipe(
            "scip_symbol_id",
            ("file_id", "symbol"),
            "if(startswith(symbol, 'local '), xxhash64(file_id, 'scip', symbol), "
            "xxhash64('scip', symbol))",
            "a symbol of an index; a local one belongs to its file",
        ),
        Recipe(
            "edge_id",
            ("edge_kind", "src_node_id", "dst_node_id", "label"),
            "xxhash64(edge_kind, src_node_id, dst_node_id, label)",
            "one edge per kind, ends and label",
        ),
    )
}


@cache
def expand(text: str) -> str:
    """Replace recipes by their bodies and print the canonical text of an expression.

    Args:
        text: SQL of the catalogue.

    Returns:
        Plain Spark SQL, lower case, on one line. A recipe called with the wrong number of
        arguments is left standing, for the type check to report.
    """
    return render(parse(text).copy().transform(_expand_node))


def _expand_node(node: Any) -> Any:
    recipe = RECIPES.get(str(node.this).lower()) if isinstance(node, exp.Anonymous) else None
    if recipe is None or len(node.expressions) != len(recipe.parameters):
        return node
    arguments = dict(zip(recipe.parameters, node.expressions, strict=True))

    def fill(each: Any) -> Any:
        if isinstance(each, exp.Column) and column_path(each)[0] in arguments:
            return arguments[column_path(each)[0]].copy()
        return each

    return parse(recipe.body).copy().transform(fill)
