"""Steps: the vocabulary of what a definition does.

    def f(a, *b):          Signature(positional=[a], star=b)
        x = a
        return g(x, k=1)   load of g; call of it with Arguments(((a, False),), (("k", 1),)); return

A step is an op, its node, up to two values, a text and something more; the values are nodes of the
definition. Names whose value is settled inside of the file have no step: `x` above is `a`.
Next: bodies.py.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

type Step = tuple[str, int, Any, Any, str | None, Any]


class Source(NamedTuple):
    """A value that a load may have: made by a node of a definition, or `star` for an import."""

    owner: int
    value: int


class Timed(NamedTuple):
    """What a module has stored to a path by itself before a read, and whether it surely has."""

    path: str
    values: tuple[int, ...]
    is_sure: bool


class Parameter(NamedTuple):
    """A parameter; default and annotation are nodes of the definition around."""

    op: str
    node: int
    name: str
    default: int | None
    annotation: int | None


@dataclass(slots=True)
class Signature:
    """The parameters of a function, by the ways in which arguments reach them."""

    positional: list[Parameter] = field(default_factory=list)
    star: Parameter | None = None
    keyword_only: list[Parameter] = field(default_factory=list)
    keywords: Parameter | None = None
    by_name: dict[str, Parameter] = field(default_factory=dict)

    def add(self, parameter: Parameter) -> None:
        """Add the next parameter."""
        op = parameter.op
        if op == "param_star":
            self.star = parameter
        elif op == "param_keys":
            self.keywords = parameter
        elif op == "param_key":
            self.keyword_only.append(parameter)
        else:
            self.positional.append(parameter)
        if op in ("param", "param_key"):
            self.by_name[parameter.name] = parameter

    def behind(self, position: int) -> Iterable[Parameter]:
        """Return the parameters that take positional arguments from a position on."""
        yield from self.positional[position:]
        if self.star is not None:
            yield self.star

    def all(self) -> Iterable[Parameter]:
        """Return all parameters."""
        yield from self.positional
        yield from self.keyword_only
        if self.star is not None:
            yield self.star
        if self.keywords is not None:
            yield self.keywords


class Arguments(NamedTuple):
    """What a call hands over: (value, is it starred?) and (name or None, value)."""

    positional: tuple[tuple[int, bool], ...] = ()
    keywords: tuple[tuple[str | None, int], ...] = ()


NO_ARGUMENTS = Arguments()
OF_FIRST, OF_OTHERS = 1, 2


@dataclass(slots=True)
class Body:
    """What a definition does.

    Attributes:
        steps: in the order of evaluation.
        signature: its parameters.
        is_generator: whether it yields.
        returns: annotation of the result, a node of the definition around.
        returned: nodes of returned values.
        makes: whether it makes functions or classes.
        annotations: (target, annotation, object or None, name, has a value?).
        result_of: what the result may depend on, OF_FIRST and OF_OTHERS of the parameters.
        gives: whether it stores to attributes of what it is handed, or adds to what they hold.
        forwards: whether it returns a parameter itself, or stores by a name that it is handed.
    """

    steps: list[Step] = field(default_factory=list)
    signature: Signature = field(default_factory=Signature)
    is_generator: bool = False
    returns: int | None = None
    returned: list[int] = field(default_factory=list)
    makes: bool = False
    annotations: list[tuple[int, int, int | None, str | None, bool]] = field(default_factory=list)
    result_of: int = 0
    gives: bool = False
    forwards: bool = False
