"""The compiled program, models/program.json: the one source of dataset names and locations.

    read_program(root).datasets   in build order

Decoding is strict: an unknown or missing field is an error. Older versions are brought up to this
one. `program_hash` covers version and datasets, so it changes when the meaning of a build does,
and not when a sentence, a comment or a decision that leaves every row alone does.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any, Literal

import msgspec

from codelake.errors import CodelakeError

VERSION = 2
PROGRAM_PATH = "models/program.json"


class Column(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One column of a dataset."""

    name: str
    type: str
    nullable: bool
    semantic_type: str | None


class Write(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How rows reach a Delta table."""

    strategy: str
    key: str
    profile: str = ""


class Dataset(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One dataset. `location` is relative to the lake; `sql` is set for views.

    What is a table in one profile only has both.
    """

    name: str
    layer: str
    materialization: Literal["view", "delta_table", "seed"]
    location: str | None
    columns: tuple[Column, ...]
    key: tuple[str, ...]
    refs: tuple[str, ...]
    inputs: tuple[str, ...]
    write: Write | None
    fingerprint: str
    sql: str | None


class Join(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One edge of the join graph: a step of a dataset that meets rows of another."""

    dataset: str
    step: str
    right: str
    on: tuple[tuple[str, str], ...]
    how: str
    strategy: str
    many: bool


class Parameter(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A dbt var: its type, its default, and the only values it may have, if there are such."""

    name: str
    type: str
    default: str | int | float | bool | tuple[str, ...] | dict[str, str]
    choices: tuple[str, ...]
    meaning: str


class Decision(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What the compiler decided of a dataset, and why; no row depends on it.

    `row_count` is what a repository of 885 files gives (semantic/row_counts.py).

    Statistics, z-order and bloom columns are by column, with the reason. `defaults` has the
    expression that stands for a column in a lake whose table lacks it.
    """

    dataset: str
    reason: str
    row_count: int
    key_is_derived: bool
    extractors: tuple[str, ...]
    functions: tuple[str, ...]
    stats: dict[str, str]
    zorder: dict[str, str]
    bloom: dict[str, str]
    defaults: dict[str, str] = {}


class Program(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Everything that hooks, sessions and commands need to know of the models."""

    version: int
    source_digest: str
    program_hash: str
    datasets: tuple[Dataset, ...]
    outputs: tuple[str, ...]
    joins: tuple[Join, ...]
    parameters: tuple[Parameter, ...]
    decisions: tuple[Decision, ...]
    files: dict[str, str]

    @property
    def functions(self) -> tuple[str, ...]:
        """Return the Spark functions that the models call, sorted."""
        return tuple(sorted({name for each in self.decisions for name in each.functions}))

    def dataset(self, name: str) -> Dataset | None:
        """Return the dataset of that name."""
        return next((each for each in self.datasets if each.name == name), None)

    def needed(self) -> frozenset[str]:
        """Return what a build of everything must make: tables, checks, and what they read."""
        found: set[str] = set()
        for each in reversed(self.datasets):
            kept = each.materialization != "view" and not (each.write and each.write.profile)
            if kept or each.layer == "checks" or each.name in found:
                found |= {each.name, *each.refs}
        return frozenset(found)

    def unread(self) -> frozenset[str]:
        """Return the views that no build needs: they are there for questions."""
        needed = self.needed()
        views = (each for each in self.datasets if each.materialization == "view")
        return frozenset(each.name for each in views if each.name not in needed)

    def read_by_spark(self) -> frozenset[str]:
        """Return what the statements of a build of everything read; Python reads for itself."""
        needed = self.needed()
        return frozenset(
            name
            for each in self.datasets
            if each.name in needed and (each.write is None or each.write.strategy != "gather")
            for name in each.refs
        )


def program_hash(datasets: tuple[Dataset, ...]) -> str:
    """Hash what a program means."""
    canonical = msgspec.json.encode((VERSION, datasets), order="deterministic")
    return hashlib.sha256(canonical).hexdigest()


def encode_program(program: Program) -> str:
    """Return the text of program.json: canonical, and indented so that a diff can be read."""
    canonical = msgspec.json.encode(program, order="deterministic")
    return msgspec.json.format(canonical, indent=2).decode() + "\n"


class _Versioned(msgspec.Struct):
    version: int


_OLDER: dict[int, dict[str, Any]] = {
    1: {"outputs": [], "joins": [], "parameters": [], "decisions": []},
}
"""What each older version lacks."""


def _upgrade(fields: dict[str, Any], version: int) -> Program:
    if early := sorted(fields.keys() & _OLDER[version].keys()):
        raise msgspec.ValidationError(f"version {version} has no field {', '.join(early)}")
    return msgspec.convert(fields | _OLDER[version] | {"version": VERSION}, Program)


def decode_program(data: bytes) -> Program:
    """Read a program strictly.

    Raises:
        CodelakeError: PROGRAM_INVALID, when it has not the form of a version up to this one.
    """
    fix = "run `codelake compile`"
    try:
        version = msgspec.json.decode(data, type=_Versioned).version
        if version == VERSION:
            return msgspec.json.decode(data, type=Program)
        if version in _OLDER:
            return _upgrade(msgspec.json.decode(data), version)
    except msgspec.DecodeError as error:
        message = f"{PROGRAM_PATH} is not a compiled program: {error}."
        raise CodelakeError("PROGRAM_INVALID", message, fix) from error
    message = f"{PROGRAM_PATH} has version {version}, this codelake reads 1 to {VERSION}."
    raise CodelakeError("PROGRAM_INVALID", message, fix)


def read_program(root: Path) -> Program:
    """Return the compiled program of a project.

    Raises:
        CodelakeError: PROGRAM_MISSING or PROGRAM_INVALID.
    """
    try:
        data = (root / PROGRAM_PATH).read_bytes()
    except FileNotFoundError as error:
        message = f"there is no {PROGRAM_PATH} in {root}."
        raise CodelakeError("PROGRAM_MISSING", message, "run `codelake compile`") from error
    return decode_program(data)
