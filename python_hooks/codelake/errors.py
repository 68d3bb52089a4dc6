"""Known errors: a stable name, what went wrong, and what to do about it.

    raise CodelakeError("REPOSITORY_MISSING", "no folder at x.", fix="check the path")

prints as

    REPOSITORY_MISSING: no folder at x.
      fix: check the path
"""

from __future__ import annotations


class CodelakeError(Exception):
    """An error that a user can act on."""

    def __init__(self, code: str, message: str, fix: str | None = None) -> None:
        """Keep the parts.

        Args:
            code: stable name in UPPER_SNAKE case.
            message: what is wrong, in one sentence that names the object.
            fix: the next step or command, when one is known.
        """
        super().__init__(code, message, fix)
        self.code = code
        self.message = message
        self.fix = fix

    def __str__(self) -> str:
        """Print the name, the message and the fix."""
        text = f"{self.code}: {self.message}"
        return text if self.fix is None else f"{text}\n  fix: {self.fix}"


class RepositoryError(CodelakeError):
    """A repository that was asked for cannot be read as one."""


class PlanError(CodelakeError):
    """A change plan that cannot be made or read."""
