"""Resolution: the answers, as plain rows; nodes are (file, node number).

    calls      (0, 12) f -> shop.cart.Cart.add, method, rank 0
    unresolved (0, 30) unknown_parameter

Next: report.py, which makes the rows.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

DECORATED = "decorated"


class Place(NamedTuple):
    """A definition of a file."""

    file: int
    def_no: int


class CallRow(NamedTuple):
    """A call site and one of its targets.

    Attributes:
        file: number of the file.
        node: the call, or what calls implicitly.
        caller: def_no of the definition that executes the node.
        target: the definition that is called; None when it is external.
        external: its qualified name when it is outside.
        kind: explicit, implicit or callback.
        tier: how it was found.
        rank: 0 for the best candidates of the site.
        candidates: how many targets of the site and kind exclude each other.
    """

    file: int
    node: int
    caller: int
    target: Place | None
    external: str | None
    kind: str
    tier: str
    rank: int
    candidates: int


class UnresolvedRow(NamedTuple):
    """A call site without a target, and why."""

    file: int
    node: int
    caller: int
    reason: str


class PassRow(NamedTuple):
    """An argument that is bound to a parameter of a target."""

    file: int
    call: int
    argument: int
    target: Place
    parameter: int
    how: str


class ResultRow(NamedTuple):
    """A returned value that is the result of a call."""

    file: int
    call: int
    target: Place
    returned: int


class ImportRow(NamedTuple):
    """What an import names: a module of the repository, a definition in one, or an external."""

    file: int
    node: int
    module: int | None
    target: Place | None
    external: str | None


class ExportRow(NamedTuple):
    """A name that a module exports, and the definition behind it; a module is its definition 0."""

    file: int
    name: str
    target: Place | None
    external: str | None


class NameRow(NamedTuple):
    """A name where it is used, and a definition that it refers to.

    Attributes:
        file: number of the file.
        node: the name.
        target: the definition.
        label: DECORATED when the name comes from the definition, and holds what decorators made.
    """

    file: int
    node: int
    target: Place
    label: str = ""


class BaseRow(NamedTuple):
    """A class and one class of its resolution order; position 0 is the class itself."""

    file: int
    def_no: int
    position: int
    target: Place | None
    external: str | None
    is_direct: bool


class OverrideRow(NamedTuple):
    """A method and the method that it overrides."""

    method: Place
    overridden: Place


class FieldRow(NamedTuple):
    """An attribute that reads or writes a field of a class."""

    file: int
    node: int
    owner: Place
    name: str
    access: str


class TypeRow(NamedTuple):
    """The class of a value that an expression may have."""

    file: int
    node: int
    target: Place | None
    external: str | None


class AnnotationRow(NamedTuple):
    """A class that an annotation is made of, and its place in the type (`[1][0]`)."""

    file: int
    node: int
    path: str
    target: Place | None
    external: str | None


@dataclass(slots=True)
class Resolution:
    """All answers for one group of files; faults of the analysis itself, of which none is right."""

    calls: list[CallRow] = field(default_factory=list)
    unresolved: list[UnresolvedRow] = field(default_factory=list)
    passes: list[PassRow] = field(default_factory=list)
    results: list[ResultRow] = field(default_factory=list)
    imports: list[ImportRow] = field(default_factory=list)
    exports: list[ExportRow] = field(default_factory=list)
    names: list[NameRow] = field(default_factory=list)
    bases: list[BaseRow] = field(default_factory=list)
    overrides: list[OverrideRow] = field(default_factory=list)
    fields: list[FieldRow] = field(default_factory=list)
    types: list[TypeRow] = field(default_factory=list)
    annotations: list[AnnotationRow] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
