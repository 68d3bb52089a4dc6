"""Lineage: which columns of which datasets a dataset is made of, and how it looks rows up.

    joined = relate edges with nodes on src_node_id = node_id, where nodes.kind = 'CALL'
    uses(joined)   ->  edges.src_node_id probed, nodes.node_id looked up, nodes.kind filtered
    Lineage(known).origins(...) follows a column through views down to what is stored

Deleting a join from the catalogue takes its uses away, and with them what was decided from them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Literal, NamedTuple

from codelake.semantic.expressions import ExpressionError, roots
from codelake.semantic.functions import expand
from codelake.semantic.ir import (
    Aggregate,
    Dataset,
    Explode,
    Fan,
    Op,
    Project,
    Rank,
    Relate,
    Scan,
    Seed,
    Source,
    Union,
    walk,
)


class Place(NamedTuple):
    """A column of a dataset."""

    dataset: str
    column: str


class Use(NamedTuple):
    """How a column is used to find rows: `lookup` is the side of a join that is searched."""

    place: Place
    how: Literal["lookup", "probe", "filter", "group"]


def _reads(text: str | None) -> tuple[str, ...]:
    try:
        return roots(expand(text)) if text else ()
    except ExpressionError:  # has been reported
        return ()


def _below(op: Op, column: str) -> Iterator[tuple[Op, str]]:
    """Yield what a column of an operation is made of, one step down."""
    match op:
        case Source() | Scan() | Seed():
            return
        case Explode():
            own = column in (op.element, op.position)
            yield from ((op.input, name) for name in (_reads(op.array) if own else (column,)))
        case Project():
            yield from ((op.input, name) for name in _reads(dict(op.columns).get(column)))
        case Relate():
            yield (op.right if column in op.take else op.left), column
        case Union():
            yield from ((each, column) for each in op.inputs)
        case Aggregate():
            made = dict(op.measures).get(column, column)
            yield from ((op.input, name) for name in _reads(made))
        case Rank():
            order = tuple(each.removesuffix(" desc") for each in op.order)
            names = (*op.by, *order) if column == op.column else (column,)
            yield from ((op.input, name) for name in names)
        case Fan():
            texts = [*op.shared, *(pair for branch in op.branches for pair in branch.columns)]
            for name, text in texts:
                if name == column:
                    yield from ((op.input, read) for read in _reads(text))


def sources_of(op: Op, column: str) -> frozenset[Place]:
    """Return the columns of the datasets below that a column of an operation is made of."""
    if isinstance(op, Source):
        return frozenset({Place(op.name, column)})
    found = (sources_of(below, name) for below, name in _below(op, column))
    return frozenset[Place]().union(*found)


def uses(rows: Op) -> frozenset[Use]:
    """Return how the rows of a dataset are found in the datasets it reads."""
    found: set[Use] = set()

    def add(op: Op, column: str, how: Literal["lookup", "probe", "filter", "group"]) -> None:
        found.update(Use(place, how) for place in sources_of(op, column))

    for op in walk(rows):
        match op:
            case Project() if op.where:
                for name in _reads(op.where):
                    add(op.input, name, "filter")
            case Relate():
                for one, other in op.on:
                    add(op.left, one, "probe")
                    add(op.right, other, "lookup")
                for name in ("bstart", "bend") if op.spans else ():
                    add(op.left, name, "filter")
                    add(op.right, name, "filter")
            case Aggregate():
                for name in op.by:
                    add(op.input, name, "group")
            case Rank():
                for name in op.by:
                    add(op.input, name, "group")
            case _:
                pass
    return frozenset(found)


class Lineage:
    """Follows columns through views down to the datasets that are stored."""

    def __init__(self, known: Mapping[str, Dataset], stored: Callable[[Dataset], bool]) -> None:
        self._known, self._stored = known, stored
        self._found: dict[Place, frozenset[Place]] = {}

    def origins(self, place: Place) -> frozenset[Place]:
        """Return the stored columns that a column is made of."""
        if place not in self._found:
            dataset = self._known[place.dataset]
            if self._stored(dataset):
                return frozenset({place})
            below = sources_of(dataset.rows, place.column)
            self._found[place] = frozenset[Place]().union(*map(self.origins, below))
        return self._found[place]

    def uses(self, dataset: Dataset) -> frozenset[Use]:
        """Return how stored columns are used by the rows of a dataset itself."""
        return frozenset(
            Use(origin, use.how) for use in uses(dataset.rows) for origin in self.origins(use.place)
        )

    def reads(self, dataset: Dataset) -> frozenset[Place]:
        """Return every stored column that the rows of a dataset need, through the views below."""
        own = {
            place for column in dataset.columns for place in sources_of(dataset.rows, column.name)
        }
        own |= {use.place for use in uses(dataset.rows)}
        found = frozenset[Place]().union(*map(self.origins, own))
        for name in {place.dataset for place in own}:
            if not self._stored(self._known[name]):
                found |= self._filters(self._known[name])
        return found

    def _filters(self, view: Dataset) -> frozenset[Place]:
        found = frozenset(use.place for use in self.uses(view))
        for op in walk(view.rows):
            if isinstance(op, Source) and not self._stored(self._known[op.name]):
                found |= self._filters(self._known[op.name])
        return found
