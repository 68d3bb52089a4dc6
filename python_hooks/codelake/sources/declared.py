"""Declared: the words in which a project file speaks about its project.

    [project]                      Declared(is_project=True,
    name = "app"                       name=Stated("app", "pyproject.toml"),
    dynamic = ["version"]              version=Stated(None, "pyproject.toml", "dynamic"),
    [tool.setuptools]                  roots=(Root("src", "", "pyproject.toml"),),
    package-dir = {"" = "src"}         ...)

A vocabulary: readers of one file (pyproject.py, setup_files.py) give one Declared each, and
project.py makes a Project of those that lie in one folder.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable
from dataclasses import dataclass

_NAME = re.compile(r"\s*([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)")
_SEPARATORS = re.compile(r"[-_.]+")


@dataclass(frozen=True, slots=True)
class Problem:
    """A file that could not be read in whole, and why."""

    file: str
    message: str


@dataclass(frozen=True, slots=True)
class Stated:
    """A value and the file that states it; None with a reason when only running code would tell."""

    value: str | None
    origin: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Dependency:
    """A requirement as written.

    Attributes:
        name: normalised name of the distribution; None when it cannot be read from the text.
        requirement: the text, e.g. `requests[socks]>=2; python_version < "3.13"`.
        group: empty for what the project always needs, else `extra:x` or `group:x`.
        origin: the file.
    """

    name: str | None
    requirement: str
    group: str
    origin: str


@dataclass(frozen=True, slots=True)
class Root:
    """A folder whose files are modules below a package.

    Attributes:
        folder: relative POSIX path, empty for the folder of the project.
        prefix: dotted name of the package that the folder is; empty when it holds packages.
        origin: the file that says so.
    """

    folder: str
    prefix: str
    origin: str


@dataclass(frozen=True, slots=True)
class Declared:
    """What one file says. `is_project` tells project files from mere settings of tools."""

    is_project: bool = False
    name: Stated | None = None
    version: Stated | None = None
    requires_python: Stated | None = None
    dependencies: tuple[Dependency, ...] = ()
    packages: tuple[Stated, ...] = ()
    roots: tuple[Root, ...] = ()
    problems: tuple[Problem, ...] = ()


def normalised(name: str) -> str:
    """Return the name of a distribution as indexes compare it: `zope-interface`."""
    return _SEPARATORS.sub("-", name).lower()


def dependency(requirement: str, group: str, origin: str) -> Dependency:
    """Read the name in front of a requirement."""
    match = _NAME.match(requirement)
    return Dependency(match and normalised(match[1]), requirement.strip(), group, origin)


def folder_path(text: str) -> str | None:
    """Return a folder as a relative POSIX path, empty for `.`; None when it leads elsewhere."""
    path = posixpath.normpath(text.strip().replace("\\", "/") or ".")
    if path.startswith(("/", "../")) or path == ".." or re.match(r"[A-Za-z]:", path):
        return None
    return "" if path == "." else path


class Places:
    """Collects roots and packages of one file, and the folders that lead out of the project."""

    def __init__(self, origin: str) -> None:
        """Start empty."""
        self.origin = origin
        self.roots: dict[str, Root] = {}
        self.packages: dict[str, Stated] = {}
        self.problems: list[Problem] = []

    def root(self, folder: str, prefix: str = "") -> None:
        """Add a folder; the first statement about it holds."""
        path = folder_path(folder)
        if path is None:
            self.problems.append(
                Problem(self.origin, f"the folder `{folder}` lies outside the project")
            )
        else:
            self.roots.setdefault(path, Root(path, prefix, self.origin))

    def package(self, name: str) -> None:
        """Add the dotted name of a package or module."""
        if name:
            self.packages.setdefault(name, Stated(name, self.origin))

    def package_at(self, path: str) -> None:
        """Add a package by its path: the folder around it holds packages."""
        folder, _, name = (folder_path(path) or "").rpartition("/")
        if name:
            self.root(folder)
            self.package(name)

    def unknown(self, what: str, reason: str) -> None:
        """Add packages that only running code would tell."""
        self.packages.setdefault(f"?{what}", Stated(None, self.origin, f"{what}: {reason}"))

    def package_dir(self, mapping: Iterable[tuple[str, str]]) -> None:
        """Add `package_dir`: the empty name maps to a folder of packages, others to their own."""
        for name, folder in mapping:
            self.root(folder, name)
            self.package(name)
