"""Order: datasets after what they read, otherwise as declared."""

from __future__ import annotations

from codelake.compile.units import State, Unit
from codelake.semantic.ir import sources


def order(state: State) -> State:
    """Sort the units topologically; the declared order breaks ties."""
    units = {unit.name: unit for unit in state.units}
    done: dict[str, Unit] = {}

    def visit(unit: Unit) -> None:
        if unit.name in done:
            return
        for below in sources(unit.rows):
            visit(units[below])
        done[unit.name] = unit

    for unit in state.units:
        visit(unit)
    return state.with_units(list(done.values()))
