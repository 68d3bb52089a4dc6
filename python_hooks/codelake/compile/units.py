"""What passes hand to each other: one unit per dataset, in build order once `order` has run."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, Protocol

from codelake.semantic.ir import Catalogue, Dataset, Op, sources
from codelake.semantic.spec_errors import SpecError


@dataclass(frozen=True, slots=True)
class Unit:
    """A dataset on its way to a model. `rows` is lowered, the dataset stays as declared."""

    dataset: Dataset
    rows: Op
    materialization: Literal["view", "delta_table", "seed"] = "view"
    reason: str = ""
    inputs: tuple[str, ...] = ()
    fingerprint: str = ""

    @property
    def name(self) -> str:
        """Return the dataset's name."""
        return self.dataset.name

    @property
    def profile(self) -> str:
        """Return the only profile in which it is a table; empty when it is the same in all."""
        return self.dataset.write.profile if self.dataset.write else ""

    @property
    def refs(self) -> tuple[str, ...]:
        """Return the datasets that the lowered rows read, sorted."""
        return tuple(sorted(sources(self.rows)))


@dataclass(frozen=True, slots=True)
class State:
    """Everything the passes know."""

    catalogue: Catalogue
    units: tuple[Unit, ...]
    errors: tuple[SpecError, ...] = ()

    def unit(self, name: str) -> Unit:
        """Return the unit of a dataset."""
        return next(unit for unit in self.units if unit.name == name)

    def with_units(self, units: list[Unit]) -> State:
        """Return the state with other units."""
        return replace(self, units=tuple(units))


class Pass(Protocol):
    """A step of the compiler: takes what is known, returns more of it."""

    def __call__(self, state: State, /) -> State:
        """Run the pass."""
        ...
