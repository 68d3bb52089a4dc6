"""Inputs: the nearest Delta tables below each dataset, looking through views.

What is a table in one profile only counts as a view: its own inputs are there in all of them.
"""

from __future__ import annotations

from dataclasses import replace

from codelake.compile.units import State, Unit


def inputs(state: State) -> State:
    """Find the tables whose versions decide whether a dataset is up to date."""
    done: dict[str, Unit] = {}
    for unit in state.units:
        found: set[str] = set()
        for name in unit.refs:
            below = done[name]
            found |= {name} if below.is_kept else set(below.inputs)
        done[unit.name] = replace(unit, inputs=tuple(sorted(found)))
    return state.with_units(list(done.values()))
