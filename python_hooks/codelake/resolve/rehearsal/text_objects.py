"""Objects that hold texts: templates, text files in memory, and functions that quote."""

from __future__ import annotations

import string
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from codelake.resolve.rehearsal.calling import outside
from codelake.resolve.rehearsal.constructors import update_mapping
from codelake.resolve.rehearsal.texts import text_of
from codelake.resolve.rehearsal.values import (
    Bound,
    Function,
    GiveUp,
    Native,
    Partial,
    Run,
    Unknown,
    UnknownItems,
    error,
    is_known,
    origins,
)

if TYPE_CHECKING:
    from codelake.resolve.rehearsal.machine import Machine

type _Arguments = list[Any]
type _Keywords = dict[str, Any]


class Template:
    """string.Template."""

    def __init__(self, pattern: Any) -> None:
        self._pattern = pattern

    def parts(self) -> list[Any]:
        """Return what it holds."""
        return [self._pattern]

    def attribute(self, machine: Machine, name: str) -> Any:
        """Return a method."""
        if name == "template":
            return self._pattern
        return Native(name, partial(self._substitute, name.startswith("safe_")))

    def _substitute(
        self, is_safe: bool, machine: Machine, arguments: _Arguments, keywords: _Keywords
    ) -> Run:
        values: dict[Any, Any] = {}
        yield from update_mapping(machine, values, arguments, keywords)
        if not isinstance(self._pattern, str):
            return Unknown(origins(self._pattern, values))
        used = string.Template(self._pattern).get_identifiers()
        texts = []
        for name in used:
            if name not in values and not is_safe:
                raise error(KeyError, name)
            if name in values:
                texts.append((yield from text_of(machine, values[name])))
        return self._pattern if not texts else Unknown(origins(*texts))


def _template(machine: Machine, arguments: _Arguments, _: _Keywords) -> Run:
    return Template(arguments[0])
    yield


class TextFile:
    """io.StringIO, of which only the origins of its text are known."""

    def __init__(self) -> None:
        self.texts: list[Any] = []

    def parts(self) -> list[Any]:
        """Return what it holds."""
        return self.texts

    def write(self, text: Any) -> None:
        """Add a text."""
        self.texts.append(text)

    def iterate(self, machine: Machine) -> Any:
        """Return an iterator over its lines."""
        if is_known(*self.texts):
            return iter("".join(self.texts).splitlines(keepends=True))
        return UnknownItems(Unknown(origins(*self.texts)))

    def enter(self, machine: Machine) -> Run:
        """Return the file."""
        return self
        yield

    def leave(self, machine: Machine, raised: Any) -> Run:
        """Close the file."""
        return False
        yield

    def attribute(self, machine: Machine, name: str) -> Any:
        """Return a method."""

        def run(machine: Machine, arguments: _Arguments, _: _Keywords) -> Run:
            if name == "write":
                self.texts.append(arguments[0])
                return None
            if name == "writelines":
                self.texts += yield from machine.items(arguments[0])
                return None
            if name in ("getvalue", "read", "readline"):
                if len(self.texts) == 1 and name != "readline":
                    return self.texts[0]
                known = is_known(*self.texts) and name != "readline"
                return "".join(self.texts) if known else Unknown(origins(*self.texts))
            if name in ("readlines",):
                return [Unknown(origins(*self.texts))]
            if name in ("seek", "close", "flush"):
                return None
            if name == "truncate":
                self.texts.clear()
                return None
            raise GiveUp(f"StringIO.{name}")

        return Native(name, run)


def _text_file(machine: Machine, arguments: _Arguments, _: _Keywords) -> Run:
    made = TextFile()
    made.texts += arguments[:1]
    return made
    yield


def _escaped(machine: Machine, arguments: _Arguments, keywords: _Keywords) -> Run:
    if is_known(*arguments) and isinstance(arguments[0], str):
        return arguments[0]
    return Unknown(origins(*arguments))
    yield


def substituted(machine: Machine, text: Any, change: Any) -> Run:
    """Return what replacing matches in a text makes, when a function makes the new ones."""
    made: Any = None
    if machine.decide():
        made = yield from machine.call(change, [Unknown(origins(text))], {})
    return Unknown(origins(text, made), is_some=True)


def _sub(machine: Machine, arguments: _Arguments, keywords: _Keywords) -> Run:
    pattern, change, text, *rest = (*arguments, *keywords.values())
    if isinstance(change, (Function, Bound, Partial, Native)):
        return (yield from substituted(machine, text, change))
    return outside(machine, "re.sub", [change, text, pattern, *rest])


FUNCTIONS: dict[str, Callable[..., Run]] = {
    "re.sub": _sub,
    "string.Template": _template,
    "io.StringIO": _text_file,
    "html.escape": _escaped,
    "textwrap.dedent": _escaped,
    "shlex.quote": _escaped,
}
