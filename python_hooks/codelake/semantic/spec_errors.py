"""Mistakes in the catalogue: each says what, where, and what there was instead.

    SPEC_COLUMN_MISSING: cpg_edges reads `dst` from rel_calls, which has no such column.
      has: call_id, target_id
      fix: correct it in python_hooks/codelake/semantic/catalog/calls.py:41, then run ...

They are collected and shown together, capped with a count of the rest.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from codelake.errors import CodelakeError
from codelake.semantic.ir import Place

SHOWN = 20


@dataclass(frozen=True, slots=True)
class SpecError:
    """One mistake in the catalogue: what, where, what there was instead, and the way out."""

    code: str
    message: str
    place: Place
    has: tuple[str, ...] = ()
    fix: str = "correct it"

    def __str__(self) -> str:
        lines = [f"{self.code}: {self.message}"]
        if self.has:
            lines.append(f"  has: {', '.join(self.has)}")
        return "\n".join(
            [*lines, f"  fix: {self.fix} in {self.place}, then run `codelake compile`"]
        )


class CatalogueError(CodelakeError):
    """The catalogue cannot be compiled; `errors` holds every mistake."""

    def __init__(self, errors: Iterable[SpecError]) -> None:
        self.errors = tuple(errors)
        first = self.errors[0]
        super().__init__(
            first.code, first.message, f"{first.fix} in {first.place}, then run `codelake compile`"
        )

    def __str__(self) -> str:
        """Print the errors together, capped with a count of the rest."""
        shown = [str(error) for error in self.errors[:SHOWN]]
        rest = len(self.errors) - len(shown)
        return "\n".join([*shown, f"... and {rest} more"] if rest else shown)
