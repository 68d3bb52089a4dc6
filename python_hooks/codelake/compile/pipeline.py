"""The compiler: one ordered tuple of passes, and a verifier that runs after each.

    catalogue -> typecheck -> order -> materialise -> fuse -> inputs -> derive -> layout
              -> fingerprint -> State

A mistake of the catalogue is a SpecError and stops after `typecheck`. A pass that breaks the
program is a mistake of ours: the verifier names the pass.
Next: emit_sql.py.
"""

from __future__ import annotations

from codelake.compile.passes.derive import derive
from codelake.compile.passes.fingerprint import fingerprint
from codelake.compile.passes.fuse import fuse
from codelake.compile.passes.inputs import inputs
from codelake.compile.passes.layout import layout
from codelake.compile.passes.materialise import materialise
from codelake.compile.passes.order import order
from codelake.compile.passes.typecheck import typecheck
from codelake.compile.units import Pass, State, Unit
from codelake.errors import CodelakeError
from codelake.semantic.check import check_rows
from codelake.semantic.ir import Catalogue, sources
from codelake.semantic.spec_errors import CatalogueError
from codelake.semantic.steps import known_of

PASSES: tuple[tuple[str, Pass], ...] = (
    ("typecheck", typecheck),
    ("order", order),
    ("materialise", materialise),
    ("fuse", fuse),
    ("inputs", inputs),
    ("derive", derive),
    ("layout", layout),
    ("fingerprint", fingerprint),
)
_REWRITES = frozenset({"fuse"})


def run_pipeline(catalogue: Catalogue) -> State:
    """Run every pass over a catalogue.

    Raises:
        CatalogueError: with every mistake of the catalogue.
    """
    state = State(catalogue, tuple(Unit(d, d.rows) for d in catalogue.datasets))
    ordered = False
    for name, step in PASSES:
        state = step(state)
        if state.errors:
            raise CatalogueError(state.errors)
        ordered = ordered or name == "order"
        problems = verify(state, ordered=ordered, rows=name in _REWRITES)
        if problems:
            raise CodelakeError(
                "COMPILE_PASS_BROKEN",
                f"the pass `{name}` left a broken program: {'; '.join(problems)}",
                "this is a mistake in codelake.compile.passes, please report it",
            )
    return state


def verify(state: State, *, ordered: bool, rows: bool) -> list[str]:
    """Return what is wrong with a state between two passes.

    Args:
        state: the state.
        ordered: whether every unit must come after what it reads.
        rows: whether the rows were rewritten, and must be checked against the contract again.
    """
    problems = []
    if {u.name for u in state.units} != {d.name for d in state.catalogue.datasets}:
        problems.append("units are not the datasets of the catalogue")
    before: set[str] = set()
    for unit in state.units:
        missing = set(sources(unit.rows)) - before
        if ordered and missing:
            problems.append(f"{unit.name} comes before {', '.join(sorted(missing))}")
        before.add(unit.name)
    if rows:
        known = known_of(state.catalogue)
        for unit in state.units:
            if unit.rows is not unit.dataset.rows:
                problems += [e.message for e in check_rows(unit.dataset, unit.rows, known)]
    return problems
