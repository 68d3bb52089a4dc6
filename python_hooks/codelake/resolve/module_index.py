"""Module index: names of modules -> files, and what each module binds and exports.

    app/__init__.py   from .core import run      app: run -> app.core:run
    app/core.py       __all__ = ["run"]          from app.core import * brings run

A name of a package is what its file binds, else what a star import brings, else its submodule.
`__all__` counts as far as it is made of texts: a display, `+=`, append, extend, and the `__all__`
of other modules. Next: steps.py.
"""

from __future__ import annotations

from collections.abc import Sequence

from codelake.resolve.file_facts import GLOBAL, Fact, FileFacts
from codelake.sources.modules import absolute_module

_MADE_BY_PYTHON = frozenset({"__name__", "__file__", "__doc__", "__path__", "__spec__"})


class ModuleIndex:
    """The modules of the repositories that are resolved together.

    Attributes:
        files: by number.
        by_name: module name -> number of its file.
        packages: names that have modules below them, with or without a file.
        bound: for each file the names that its module scope binds.
        stars: for each file the modules of its star imports, with the node of each.
    """

    def __init__(self, files: Sequence[FileFacts]) -> None:
        """Index the files; a module goes before its stub, a usual name before others."""
        self.files = files
        self.by_name: dict[str, int] = {}
        order = sorted(range(len(files)), key=lambda no: (files[no].is_stub, files[no].path))
        for no in order:
            self.by_name.setdefault(files[no].module, no)
        for no in order:
            for name in files[no].other_names:
                self.by_name.setdefault(name, no)
        self.packages: set[str] = set()
        for name in self.by_name:
            while name:
                name = name.rpartition(".")[0]
                self.packages.add(name)
        self.bound: list[frozenset[str]] = []
        self.stars: list[list[tuple[int, str]]] = []
        self._all: list[list[str] | None] = []
        for file in files:
            self._add(file)
        self._exports: dict[int, frozenset[str]] = {}

    def module_of(self, file: int, text: str) -> str | None:
        """Return the absolute name of a module as an import in a file writes it."""
        found = self.files[file]
        name = text.lstrip(".")
        level = len(text) - len(name)
        return absolute_module(found.module, found.is_package, level, name or None)

    def binds(self, file: int, name: str, seen: frozenset[int] = frozenset()) -> bool:
        """Tell whether a module has a name, by itself or through its star imports."""
        if name in self.bound[file]:
            return True
        return self.star_source(file, name, seen) is not None

    def star_source(
        self, file: int, name: str, seen: frozenset[int] = frozenset()
    ) -> tuple[int, int] | None:
        """Return node and file of the last star import of a module that brings a name."""
        if file in seen:
            return None
        for node, module in reversed(self.stars[file]):
            source = self.by_name.get(module)
            if source is not None and self.exports(source, name, seen | {file}):
                return node, source
        return None

    def exports(self, file: int, name: str, seen: frozenset[int] = frozenset()) -> bool:
        """Tell whether `from module import *` brings a name."""
        listed = self._all[file]
        if listed is not None:
            return name in listed
        return not name.startswith("_") and self.binds(file, name, seen)

    def public_names(self, file: int) -> frozenset[str]:
        """Return all that `from module import *` brings."""
        known = self._exports.get(file)
        if known is None:
            self._exports[file] = frozenset()  # a cycle of star imports ends here
            names = set(self._all[file] or ())
            if self._all[file] is None:
                names = {name for name in self.bound[file] if not name.startswith("_")}
                for _, module in self.stars[file]:
                    source = self.by_name.get(module)
                    if source is not None:
                        names |= self.public_names(source)
            known = self._exports[file] = frozenset(names)
        return known

    def _add(self, file: FileFacts) -> None:
        names = file.names
        bound: set[str] = set()
        number = len(self.bound)
        stars: list[tuple[int, str]] = []
        own: list[Fact] = []
        for fact in file.facts:
            op = fact[0]
            if op == "store":
                use = names.get(fact[2])
                if use is not None and use[1] == GLOBAL:
                    bound.add(use[0])
            elif op == "import_star":
                self.bound.append(frozenset())  # module_of needs no names
                module = self.module_of(number, fact[5] or "")
                self.bound.pop()
                if module is not None:
                    stars.append((fact[2], module))
            if fact[1] == 0:
                own.append(fact)
        self.bound.append(frozenset(bound | _MADE_BY_PYTHON))
        self.stars.append(stars)
        self._all.append(_listed(own) if "__all__" in bound else None)


def _listed(facts: Sequence[Fact]) -> list[str] | None:
    """Return the texts in `__all__`; None when nothing is known."""
    texts = {fact[2]: fact[5][4:] for fact in facts if fact[0] == "literal" and fact[5] and
             fact[5].startswith("str:")}  # fmt: skip
    elements: dict[int, list[str]] = {}
    loads = {fact[2] for fact in facts if fact[0] == "load" and fact[5] == "__all__"}
    methods = {fact[2] for fact in facts if fact[0] == "attr" and fact[3] in loads}
    operations: set[int] = set()
    calls: dict[int, list[int]] = {}
    found: list[str] | None = None
    for op, _, node, value, other, text, _ in facts:
        if op in ("list", "tuple"):
            elements.setdefault(node, [])
        elif op == "element" and value in texts:
            elements.setdefault(node, []).append(texts[value])
        elif op in ("inplace", "binary") and other is not None:
            operations.add(node)
            parts = [part for part in (value, other) if part not in loads]
            if all(part in elements for part in parts):
                elements[node] = [text for part in parts for text in elements[part or 0]]
        elif op == "arg" and value is not None:
            calls.setdefault(node, []).append(value)
        elif op == "call" and value in methods:
            for given in calls.get(node, ()):
                more = [texts[given]] if given in texts else elements.get(given)
                if more is None:
                    return None
                found = [*(found or []), *more]
        elif op == "store" and text == "__all__" and value is not None:
            if value not in elements:
                return None
            found = [*((found or []) if value in operations else []), *elements[value]]
    return found
