"""Two vocabularies of types: what Spark stores, and what a column means.

    parse_type("array<struct<def_id:bigint>>")  ->  ArrayOf(StructOf((Field("def_id", ...),)))
    str(...)                                    ->  the text that Spark prints for it

Nullability of struct fields is kept beside the type, because Spark's printed form drops it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache


@dataclass(frozen=True, slots=True)
class Scalar:
    """A type without parts: `bigint`, `string`."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class ArrayOf:
    """An array; `nullable` says whether an element may be null."""

    element: SparkType
    nullable: bool = False

    def __str__(self) -> str:
        return f"array<{self.element}>"


@dataclass(frozen=True, slots=True)
class MapOf:
    """A map; values may be null."""

    key: SparkType
    value: SparkType

    def __str__(self) -> str:
        return f"map<{self.key},{self.value}>"


@dataclass(frozen=True, slots=True)
class Field:
    """One named part of a struct."""

    name: str
    type: SparkType
    nullable: bool = True

    def __str__(self) -> str:
        return f"{self.name}:{self.type}"


@dataclass(frozen=True, slots=True)
class StructOf:
    """A struct: fields in order."""

    fields: tuple[Field, ...]

    def __str__(self) -> str:
        return f"struct<{','.join(map(str, self.fields))}>"

    def field(self, name: str) -> Field | None:
        """Return the field of that name."""
        return next((f for f in self.fields if f.name == name), None)


type SparkType = Scalar | ArrayOf | MapOf | StructOf

STRING, BIGINT, INT = Scalar("string"), Scalar("bigint"), Scalar("int")
DOUBLE, BOOLEAN, BINARY = Scalar("double"), Scalar("boolean"), Scalar("binary")
DECIMAL, VOID = Scalar("decimal"), Scalar("void")
_NAMES = (
    "string bigint int double boolean binary decimal void timestamp date float smallint tinyint"
)
SCALARS = {name: Scalar(name) for name in _NAMES.split()}
NUMBERS = ("tinyint", "smallint", "int", "bigint", "decimal", "float", "double")


def is_number(kind: SparkType) -> bool:
    """Say whether arithmetic works on the type."""
    return isinstance(kind, Scalar) and kind.name in NUMBERS


def wider(left: SparkType, right: SparkType) -> SparkType | None:
    """Return the type that holds both, or nothing when there is none."""
    if left == VOID or same_shape(left, right):
        return right
    if right == VOID:
        return left
    if is_number(left) and is_number(right):
        return max((left, right), key=lambda t: NUMBERS.index(str(t)))
    return None


def same_shape(left: SparkType, right: SparkType) -> bool:
    """Compare two types without their nullability."""
    return str(left) == str(right)


@cache
def parse_type(text: str) -> SparkType:
    """Read a type as Spark prints it; `not null` after a struct field is understood.

    Args:
        text: for example `array<struct<def_id:bigint not null>>`.

    Raises:
        ValueError: when the text is no Spark type.
    """
    kind, rest = _parse(text.strip())
    if rest:
        raise ValueError(f"trailing text {rest!r} in Spark type {text!r}")
    return kind


def _parse(text: str) -> tuple[SparkType, str]:
    end = next((i for i, c in enumerate(text) if c in "<>,: "), len(text))
    head, rest = text[:end].lower(), text[end:]
    if head == "array" and rest.startswith("<"):
        element, rest = _parse(rest[1:])
        return ArrayOf(element), _expect(rest, ">")
    if head == "map" and rest.startswith("<"):
        key, rest = _parse(rest[1:])
        value, rest = _parse(_expect(rest, ",").lstrip())
        return MapOf(key, value), _expect(rest, ">")
    if head == "struct" and rest.startswith("<"):
        fields = []
        rest = rest[1:]
        while True:
            name, _, rest = rest.lstrip().partition(":")
            kind, rest = _parse(rest.lstrip())
            nullable = not rest.startswith(" not null")
            fields.append(Field(name.strip(), kind, nullable))
            rest = rest if nullable else rest[len(" not null") :]
            if not rest.startswith(","):
                break
            rest = rest[1:]
        return StructOf(tuple(fields)), _expect(rest, ">")
    if head not in SCALARS:
        raise ValueError(f"unknown Spark type {head!r}")
    return SCALARS[head], rest


def _expect(text: str, char: str) -> str:
    if not text.startswith(char):
        raise ValueError(f"expected {char!r} before {text!r} in a Spark type")
    return text[len(char) :]


@dataclass(frozen=True, slots=True)
class SemanticType:
    """What a value means; it decides what may be joined with what.

    `also` are meanings under which it may stand: a file has a node, a name can label an edge.
    """

    name: str
    spark: SparkType
    meaning: str
    also: tuple[str, ...] = ()


def _semantic(name: str, spark: str, meaning: str, *also: str) -> SemanticType:
    return SemanticType(name, parse_type(spark), meaning, also)


NODE_ID = _semantic("NodeId", "bigint", "identity of a graph node")
EDGE_ID = _semantic("EdgeId", "bigint", "identity of a graph edge")
FILE_ID = _semantic("FileId", "bigint", "identity of a file, also the node of that file", "NodeId")
REPOSITORY_ID = _semantic(
    "RepositoryId", "bigint", "identity of a repository, also its node", "NodeId"
)
SCOPE_ID = _semantic("ScopeId", "bigint", "identity of a scope of the symbol table", "NodeId")
BINDING_ID = _semantic(
    "BindingId", "bigint", "identity of a name in the scope that binds it", "NodeId"
)
CODE_UNIT_ID = _semantic("CodeUnitId", "bigint", "identity of a code object", "NodeId")
INSTRUCTION_ID = _semantic("InstructionId", "bigint", "identity of an instruction", "NodeId")
GROUP_ID = _semantic("GroupId", "bigint", "joins the candidates of one ambiguous answer")
REPOSITORY_NAME = _semantic("RepositoryName", "string", "name of a repository in this lake")
PATH = _semantic("Path", "string", "POSIX path relative to the repository")
MODULE_NAME = _semantic("ModuleName", "string", "dotted name of a module", "Label", "Text")
QUALIFIED_NAME = _semantic(
    "QualifiedName", "string", "dotted name of a definition", "Label", "Text"
)
SYMBOL = _semantic("Symbol", "string", "a name as written in the source", "Label", "Text")
TEXT = _semantic("Text", "string", "text for people")
KIND = _semantic("Kind", "string", "one of a closed set of names")
LABEL = _semantic("Label", "string", "what tells parallel edges apart", "Symbol")
DIGEST = _semantic("Digest", "string", "hash as hexadecimal text")
VERSION = _semantic("Version", "string", "version of a tool")
ORIGIN = _semantic("Origin", "string", "the reader that saw it")
METHOD = _semantic("Method", "string", "the tier that concluded it")
BYTE_OFFSET = _semantic("ByteOffset", "int", "raw bytes from the start of the file")
BYTE_COUNT = _semantic("ByteCount", "bigint", "number of raw bytes")
LINE = _semantic("Line", "int", "line, from 1")
COLUMN = _semantic("Column", "int", "code points from the start of the line, from 0")
ORDINAL = _semantic("Ordinal", "int", "position in a sequence, from 0")
COUNT = _semantic("Count", "bigint", "number of things")
FLAG = _semantic("Flag", "boolean", "yes or no")
CONFIDENCE = _semantic("Confidence", "double", "measured precision, 0 to 1")
SCORE = _semantic("Score", "double", "orders candidates, larger is better")
ATTRIBUTES = _semantic("Attributes", "map<string,string>", "what only some kinds have")
BYTES = _semantic("Bytes", "binary", "raw bytes")
NESTED = _semantic("Nested", "array<void>", "an array of facts, one element per fact")
BIG_NUMBER = _semantic("BigNumber", "bigint", "a whole number of the program")
REAL_NUMBER = _semantic("RealNumber", "double", "a floating-point number of the program")
IDS = _semantic("Ids", "array<bigint>", "ids in a fixed order")
NAMES = _semantic("Names", "array<string>", "names in a fixed order")
NUMBERS_OF = _semantic("Numbers", "array<int>", "positions in a sequence")
BYTE_OFFSETS = _semantic("ByteOffsets", "array<int>", "byte offsets in ascending order")

SEMANTIC_TYPES: tuple[SemanticType, ...] = tuple(
    value for value in list(globals().values()) if isinstance(value, SemanticType)
)
_ALSO = {each.name: each.also for each in SEMANTIC_TYPES}


def may_stand_for(found: str, declared: str) -> bool:
    """Tell whether a value of one meaning may be declared as another."""
    return found == declared or declared in _ALSO.get(found, ())
