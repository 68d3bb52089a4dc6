"""What a table promises against what its log says, before a build writes to it.

    compare_schema(path, dataset) -> Comparison(verdict="additive", added=("score double",))

    equal      the log has the columns of the contract
    additive   the contract has columns that the log lacks, and nothing else differs
    mismatch   anything else

That a model's query gives the columns of its contract is shown when it is compiled, and again by
Spark, which lines columns up by name before it writes the first file. So a write compares contract,
log and query, and stops with the names of the columns before anything is written.

| var `schema_policy` | a table that was made with another contract    |
|---------------------|------------------------------------------------|
| `strict`            | stops the build                                |
| `merge`             | is made anew when the change is additive       |
| `overwrite`         | is made anew; its history stays (the default)  |
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, get_args

import msgspec
from deltalake import DeltaTable

from codelake.compile.program import Dataset
from codelake.errors import CodelakeError
from codelake.run.catalogue import is_delta_table
from codelake.run.create_table import SPARK_NAMES
from codelake.run.events import note_event
from codelake.run.write_plan import CONTRACT

type SchemaPolicy = Literal["strict", "merge", "overwrite"]


class Comparison(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a contract and a log differ, as `name type` or sentences."""

    verdict: Literal["equal", "additive", "mismatch"]
    added: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()

    def __str__(self) -> str:
        return "; ".join((*(f"{each} is new" for each in self.added), *self.problems)) or "equal"


def guard_table(path: Path, dataset: Dataset, contract: str, policy: str = "overwrite") -> None:
    """Stop a build that would write to what is no table, or not the table it is meant for.

    Args:
        path: the table's folder.
        dataset: what the program says of it.
        contract: hash of the columns and constraints declared now.
        policy: the var `schema_policy`.

    Raises:
        CodelakeError: LOCATION_NOT_DELTA, SCHEMA_DRIFT, SCHEMA_MISMATCH or VAR_INVALID.
    """
    if policy not in get_args(SchemaPolicy.__value__):
        allowed = ", ".join(get_args(SchemaPolicy.__value__))
        raise CodelakeError("VAR_INVALID", f"schema_policy is `{policy}`.", f"use {allowed}")
    require_location(path)
    if not is_delta_table(path):
        return
    found = compare_schema(path, dataset)
    if found.verdict == "equal":
        return
    same = DeltaTable(path).metadata().configuration.get(CONTRACT) == contract
    note_event("schema", path.name, "drift" if same else found.verdict, str(found))
    if same:
        raise CodelakeError(
            "SCHEMA_DRIFT",
            f"`{path.name}` was altered since a build made it: {found}.",
            "restore its version before that, or move the folder away and build again",
        )
    if policy == "strict" or (policy == "merge" and found.verdict == "mismatch"):
        raise CodelakeError(
            "SCHEMA_MISMATCH",
            f"`{path.name}` has another schema, and schema_policy is {policy}: {found}.",
            "build with schema_policy: overwrite, which makes the table anew",
        )


def require_location(path: Path) -> None:
    """Refuse a folder that holds something, and no Delta table.

    Raises:
        CodelakeError: LOCATION_NOT_DELTA.
    """
    if path.exists() and not is_delta_table(path) and (path.is_file() or any(path.iterdir())):
        raise CodelakeError(
            "LOCATION_NOT_DELTA",
            f"`{path}` is where the table `{path.name}` belongs, and holds something else.",
            "move it away; `codelake bootstrap` makes the log of a table anew that lost it",
        )


def compare_schema(path: Path, dataset: Dataset) -> Comparison:
    """Compare the columns that a contract declares with those of a table's log."""
    promised = {column.name: (_normal(column.type), column.nullable) for column in dataset.columns}
    found = logged_columns(path)
    added = tuple(f"{name} {kind}" for name, (kind, _) in promised.items() if name not in found)
    problems = tuple(_problems(promised, found))
    verdict: Literal["equal", "additive", "mismatch"] = (
        "mismatch" if problems else "additive" if added else "equal"
    )
    return Comparison(verdict=verdict, added=added, problems=problems)


def logged_columns(path: Path) -> dict[str, tuple[str, bool]]:
    """Return the columns of a table's log: name -> type as Spark prints it, nullability."""
    fields = json.loads(DeltaTable(path).schema().to_json())["fields"]
    return {field["name"]: (_spark_type(field["type"]), field["nullable"]) for field in fields}


def _problems(
    promised: dict[str, tuple[str, bool]], found: dict[str, tuple[str, bool]]
) -> Iterator[str]:
    for name, (kind, nullable) in found.items():
        if name not in promised:
            yield f"{name} {kind} is not declared"
            continue
        declared, may_be_null = promised[name]
        if kind != declared:
            yield f"{name} is {kind}, declared is {declared}"
        elif nullable != may_be_null:
            yield f"{name} is {_null(nullable)}, declared is {_null(may_be_null)}"


def _null(nullable: bool) -> str:
    return "nullable" if nullable else "not null"


def _normal(kind: str) -> str:
    return kind.lower().replace(" not null", "").replace(" ", "")


def _spark_type(kind: Any) -> str:
    """Return a type of the Delta log as Spark prints it."""
    if isinstance(kind, str):
        return SPARK_NAMES.get(kind, kind)
    if kind["type"] == "array":
        return f"array<{_spark_type(kind['elementType'])}>"
    if kind["type"] == "map":
        return f"map<{_spark_type(kind['keyType'])},{_spark_type(kind['valueType'])}>"
    fields = (f"{field['name'].lower()}:{_spark_type(field['type'])}" for field in kind["fields"])
    return f"struct<{','.join(fields)}>"
