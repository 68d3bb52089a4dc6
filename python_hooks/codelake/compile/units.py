"""What passes hand to each other: one unit per dataset, in build order once `order` has run."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal, Protocol

from codelake.semantic.ir import Catalogue, Dataset, Op, Pairs, sources
from codelake.semantic.spec_errors import SpecError


@dataclass(frozen=True, slots=True)
class Join:
    """One join of a dataset: what it finds, by which strategy, and how many rows it may give."""

    step: str
    left: str
    right: str
    on: Pairs
    how: str
    strategy: str
    many: bool


@dataclass(frozen=True, slots=True)
class Choice:
    """A column that was chosen for something, and why."""

    column: str
    reason: str


@dataclass(frozen=True, slots=True)
class Layout:
    """How the files of a table are made findable.

    `stats` are kept on every write; `zorder` and `bloom` are what maintenance may do besides.
    """

    stats: tuple[Choice, ...] = ()
    zorder: tuple[Choice, ...] = ()
    bloom: tuple[Choice, ...] = ()


@dataclass(frozen=True, slots=True)
class Unit:
    """A dataset on its way to a model. `rows` is lowered, the dataset stays as declared."""

    dataset: Dataset
    rows: Op
    materialization: Literal["view", "delta_table", "seed"] = "view"
    reason: str = ""
    inputs: tuple[str, ...] = ()
    fingerprint: str = ""
    joins: tuple[Join, ...] = ()
    functions: tuple[str, ...] = ()
    extractors: tuple[str, ...] = ()
    key_is_derived: bool = False
    row_count: int = 0
    layout: Layout = field(default_factory=Layout)

    @property
    def name(self) -> str:
        """Return the dataset's name."""
        return self.dataset.name

    @property
    def profile(self) -> str:
        """Return the only profile in which it is a table; empty when it is the same in all."""
        return self.dataset.write.profile if self.dataset.write else ""

    @property
    def is_kept(self) -> bool:
        """Tell whether every profile has it as a table."""
        return self.materialization != "view" and not self.profile

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

    @property
    def known(self) -> dict[str, Dataset]:
        """Return the datasets as they are built: with the write policy that was decided."""
        return {unit.name: unit.dataset for unit in self.units}

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
