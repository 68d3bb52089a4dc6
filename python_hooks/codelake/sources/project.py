"""Project: the files of a repository -> what it says about itself, read as text.

    pyproject.toml          Project(folder="", name=Stated("app", "pyproject.toml"),
    src/app/core.py             requires_python=Stated(">=3.11", "pyproject.toml"), ...)
    tools/setup.py          Project(folder="tools", ...)

A folder is a project when a pyproject.toml, setup.py or setup.cfg in it declares one; mere tool
settings do not count. A folder with an `__init__.py` is part of the project around it, unless it
maps itself to a package. Nothing is executed: a value that only running code would tell is
Stated(None, origin, reason), and a file that cannot be read is a problem.
Next: modules.py, which names modules by these projects.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from codelake.sources.declared import (
    Declared,
    Dependency,
    Problem,
    Root,
    Stated,
)
from codelake.sources.pyproject import pyproject
from codelake.sources.setup_files import setup_cfg, setup_py

type Reader = Callable[[str], bytes | Problem]

_READERS: Mapping[str, Callable[[bytes, str], Declared]] = {
    "pyproject.toml": pyproject,
    "setup.py": setup_py,
    "setup.cfg": setup_cfg,
}
PROJECT_FILES = tuple(_READERS)
"""In the order of precedence: the first file that states a value wins."""

_CLAUSE = re.compile(r"(>=|==|~=|>|~|\^|)\s*v?(\d{1,4})(?:\.(\d{1,4}|\*))?")


@dataclass(frozen=True, slots=True)
class Project:
    """What one folder declares.

    Attributes:
        folder: relative POSIX path, empty for the root of the repository.
        is_project: whether a project is declared here; else only problems are known.
        name: of the distribution.
        version: of the distribution.
        requires_python: as written, e.g. `>=3.11,<4` or Poetry's `^3.11`.
        dependencies: what is always needed, then extras and groups.
        packages: names of packages and modules that are listed; unknown ones with a reason.
        roots: folders that hold packages, or are one, relative to the repository.
        problems: files that could not be read, or lead elsewhere.
    """

    folder: str
    is_project: bool
    name: Stated | None
    version: Stated | None
    requires_python: Stated | None
    dependencies: tuple[Dependency, ...]
    packages: tuple[Stated, ...]
    roots: tuple[Root, ...]
    problems: tuple[Problem, ...]


def projects(paths: Collection[str], read: Reader) -> tuple[Project, ...]:
    """Read the project files of a repository.

    Args:
        paths: every file of the repository.
        read: gives the bytes of a path, or the problem with it.

    Returns:
        One project per folder that declares one or has a problem, sorted by folder.
    """
    folders: dict[str, list[str]] = {}
    for path in paths:
        folder, _, name = path.rpartition("/")
        if name in _READERS:
            folders.setdefault(folder, []).append(name)
    packages = {path.rpartition("/")[0] for path in paths if _is_init(path)}
    found = []
    for folder, names in sorted(folders.items()):
        project = _project(folder, [name for name in PROJECT_FILES if name in names], read)
        if (
            folder in packages
            and folder
            and not any(root.folder == folder for root in project.roots)
        ):
            project = replace(project, is_project=False)
        if project.is_project or project.problems:
            found.append(project)
    return tuple(found)


def project_rows(found: Iterable[Project]) -> Iterator[tuple[str, str, str | None, str, str]]:
    """Yield (folder, field, value, origin, reason) of everything stated, in a fixed order."""
    for project in found:
        for field in ("name", "version", "requires_python"):
            if (stated := getattr(project, field)) is not None:
                yield project.folder, field, stated.value, stated.origin, stated.reason
        for needed in project.dependencies:
            field = f"dependency:{needed.group}" if needed.group else "dependency"
            if needed.name is None:
                yield project.folder, field, None, needed.origin, needed.requirement
            else:
                yield project.folder, field, needed.requirement, needed.origin, ""
        for package in project.packages:
            yield project.folder, "package", package.value, package.origin, package.reason
        for root in project.roots:
            field = f"root:{root.prefix}" if root.prefix else "root"
            yield project.folder, field, root.folder or ".", root.origin, ""
        for problem in project.problems:
            yield project.folder, "problem", None, problem.file, problem.message


def lowest_python(requirement: str) -> str | None:
    """Return the lowest minor version that a requirement admits.

    >>> lowest_python(">=3.9,<4"), lowest_python("^3.10"), lowest_python("<4")
    ('3.9', '3.10', None)
    """
    bounds = []
    for clause in re.split(r"[,\s](?=\s*[<>=!~^])|,|\|\|", requirement):
        match = _CLAUSE.match(clause.strip())
        if match and match[2]:
            minor = match[3]
            bounds.append((int(match[2]), int(minor) if minor and minor != "*" else 0))
    lowest = min(bounds, default=None) if "||" in requirement else max(bounds, default=None)
    return lowest and f"{lowest[0]}.{lowest[1]}"


def _project(folder: str, names: list[str], read: Reader) -> Project:
    said: list[Declared] = []
    for name in names:
        path = f"{folder}/{name}" if folder else name
        raw = read(path)
        if isinstance(raw, Problem):
            said.append(Declared(problems=(raw,)))
        else:
            said.append(_READERS[name](raw, path))
    roots: dict[str, Root] = {}
    for root in (root for one in said for root in one.roots):
        inside = "/".join(part for part in (folder, root.folder) if part)
        roots.setdefault(inside, replace(root, folder=inside))
    return Project(
        folder,
        any(one.is_project for one in said),
        _first(one.name for one in said),
        _first(one.version for one in said),
        _first(one.requires_python for one in said),
        tuple(needed for one in said for needed in one.dependencies),
        tuple(package for one in said for package in one.packages),
        tuple(roots.values()),
        tuple(problem for one in said for problem in one.problems),
    )


def _first(stated: Iterable[Stated | None]) -> Stated | None:
    """Return the first value, or the first reason why there is none."""
    given = [one for one in stated if one is not None]
    return next((one for one in given if one.value is not None), given[0] if given else None)


def _is_init(path: str) -> bool:
    return path.rpartition("/")[2] in {"__init__.py", "__init__.pyi"}
