"""Fingerprint: a hash of what a dataset means, and of everything it is made from.

It covers the canonical IR, the contract, and the fingerprints of the datasets it reads.
Descriptions, notes and places are left out: a better sentence rebuilds nothing.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace

from codelake.compile.units import State, Unit
from codelake.semantic.pprint import pprint_dataset


def fingerprint(state: State) -> State:
    """Hash every unit, in build order."""
    done: dict[str, Unit] = {}
    for unit in state.units:
        parts = [pprint_dataset(unit.dataset, unit.rows), unit.materialization]
        parts += [f"{name} {done[name].fingerprint}" for name in unit.refs]
        digest = hashlib.sha256("\n".join(parts).encode()).hexdigest()
        done[unit.name] = replace(unit, fingerprint=digest)
    return state.with_units(list(done.values()))
