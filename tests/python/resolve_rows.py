"""Printers of the rows of a resolution, for text cases: one line per row, nodes as line:col."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

from codelake.resolve.file_facts import FileFacts
from codelake.resolve.load import read_repository
from codelake.resolve.resolution import Place, Resolution
from codelake.resolve.resolve import resolve
from resolve_score import places


def sources(text: str) -> dict[str, str]:
    """Take a case apart: `-- path` opens a file, its lines begin with `|`."""
    files: dict[str, list[str]] = {}
    for line in text.splitlines():
        if line.startswith("-- "):
            part = files.setdefault(line[3:], [])
        elif line.startswith("|"):
            part.append(line[1:])
    return {path: "".join(f"{line}\n" for line in lines) for path, lines in files.items()}


class Printer:
    def __init__(self, text: str) -> None:
        self._sources = sources(text)

    @cached_property
    def files(self) -> Sequence[FileFacts]:
        raw = {path: text.encode() for path, text in self._sources.items()}
        return read_repository("r", raw)

    @cached_property
    def result(self) -> Resolution:
        return resolve(self.files)

    @cached_property
    def _places(self) -> list[list[tuple[int, int]]]:
        return [places(self._sources[file.path]) for file in self.files]

    def _at(self, file: int, node: int) -> str:
        line, col = self._places[file][node]
        return f"{self.files[file].module}:{line}:{col}"

    def _name(self, place: Place | None, external: str | None) -> str:
        if place is None:
            return f"ext:{external}" if external is not None else "-"
        return self.files[place.file].qualified(place.def_no).replace(".<locals>", "")

    def sections(self) -> dict[str, Callable[[], list[str]]]:
        """Return a printer for each section."""
        return {
            name: getattr(self, name)
            for name in (
                *("calls", "unresolved", "passes", "results", "imports", "exports"),
                *("names", "bases", "overrides", "fields", "types"),
            )
        }

    def calls(self) -> list[str]:
        return [
            f"{self._at(row.file, row.node)} -> {self._name(row.target, row.external)} "
            f"{row.kind} {row.tier} {row.rank}"
            for row in self.result.calls
        ]

    def unresolved(self) -> list[str]:
        rows = self.result.unresolved
        return [f"{self._at(row.file, row.node)} {row.reason}" for row in rows]

    def passes(self) -> list[str]:
        return [
            f"{self._at(row.file, row.argument)} -> {self._name(row.target, None)} "
            f"{self._at(row.target.file, row.parameter)} {row.how}"
            for row in self.result.passes
        ]

    def results(self) -> list[str]:
        return [
            f"{self._at(row.target.file, row.returned)} -> {self._at(row.file, row.call)}"
            for row in self.result.results
        ]

    def imports(self) -> list[str]:
        lines = []
        for row in self.result.imports:
            module = "-" if row.module is None else self.files[row.module].module
            name = self._name(row.target, row.external)
            lines.append(f"{self._at(row.file, row.node)} -> {module} {name}")
        return lines

    def exports(self) -> list[str]:
        return [
            f"{self.files[row.file].module}.{row.name} -> {self._name(row.target, row.external)}"
            for row in self.result.exports
        ]

    def names(self) -> list[str]:
        rows = self.result.names
        return [f"{self._at(row.file, row.node)} -> {self._name(row.target, None)}" for row in rows]

    def bases(self) -> list[str]:
        return [
            f"{self._name(Place(row.file, row.def_no), None)} {row.position} "
            f"{self._name(row.target, row.external)}{' direct' if row.is_direct else ''}"
            for row in self.result.bases
        ]

    def overrides(self) -> list[str]:
        rows = self.result.overrides
        return [f"{self._name(a, None)} -> {self._name(b, None)}" for a, b in rows]

    def fields(self) -> list[str]:
        return [
            f"{self._at(row.file, row.node)} {row.access} {self._name(row.owner, None)}.{row.name}"
            for row in self.result.fields
        ]

    def types(self) -> list[str]:
        return [
            f"{self._at(row.file, row.node)} {self._name(row.target, row.external)}"
            for row in self.result.types
        ]
