"""pyproject.toml: its text -> what it declares, for the build tools in common use.

    [tool.poetry]                                   name app, version 1.0,
    name = "app"                                    lib/ holds packages, one of them `app`,
    version = "1.0"                                 Python ^3.10,
    packages = [{include = "app", from = "lib"}]    requests as dependency
    dependencies = {python = "^3.10", requests = "*"}

Read are [project] (PEP 621), [dependency-groups] (PEP 735) and the tables of setuptools, Poetry,
Hatch, Flit, PDM, uv, maturin, scikit-build-core, and pytest's `pythonpath`. Values of the wrong
type are passed over, as a build tool would refuse them. Globs in lists of packages are not
followed.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator
from typing import Any

from codelake.sources.declared import (
    Declared,
    Dependency,
    Places,
    Problem,
    Stated,
    dependency,
)

_DYNAMIC = "dynamic: the build tool sets it"
_PROJECT_TOOLS = ("poetry", "flit", "maturin")


def pyproject(raw: bytes, origin: str) -> Declared:
    """Read a pyproject.toml.

    Args:
        raw: its bytes.
        origin: its path, for messages.
    """
    content = read_toml(raw, origin)
    if isinstance(content, Problem):
        return Declared(problems=(content,))
    project, tool = _table(content, "project"), _table(content, "tool")
    poetry, flit = _table(tool, "poetry"), _table(tool, "flit", "metadata")
    dynamic = _texts(project.get("dynamic"))
    places = Places(origin)
    _places(places, tool)
    named = (project, "name"), (poetry, "name"), (flit, "dist-name"), (flit, "module")
    pythons = (project, "requires-python"), (flit, "requires-python")
    return Declared(
        is_project="project" in content
        or "build-system" in content
        or any(name in tool for name in _PROJECT_TOOLS),
        name=_stated(origin, "name", dynamic, *named),
        version=_stated(origin, "version", dynamic, (project, "version"), (poetry, "version")),
        requires_python=_stated(origin, "requires-python", dynamic, *pythons)
        or _poetry_python(poetry, origin),
        dependencies=(
            *_project_dependencies(project, content, dynamic, origin),
            *_poetry_dependencies(poetry, origin),
            *(dependency(text, "", origin) for text in _texts(flit.get("requires"))),
        ),
        packages=tuple(places.packages.values()),
        roots=tuple(places.roots.values()),
        problems=tuple(places.problems),
    )


def read_toml(raw: bytes, origin: str) -> dict[str, Any] | Problem:
    """Parse TOML; whatever the parser raises becomes a problem."""
    try:
        return tomllib.loads(raw.decode("utf-8-sig").replace("\r\n", "\n"))
    except UnicodeDecodeError as error:
        return Problem(origin, f"not UTF-8: {error.reason} at byte {error.start}")
    except (ValueError, RecursionError) as error:
        return Problem(origin, f"no TOML: {str(error) or 'nested too deeply'}")


def _stated(
    origin: str, field: str, dynamic: list[str], *places: tuple[dict[str, Any], str]
) -> Stated | None:
    for table, key in places:
        if isinstance(value := table.get(key), str):
            return Stated(value, origin)
    return Stated(None, origin, _DYNAMIC) if field in dynamic else None


def _poetry_python(poetry: dict[str, Any], origin: str) -> Stated | None:
    value = _table(poetry, "dependencies").get("python")
    if isinstance(value, dict):
        value = value.get("version")
    return Stated(value, origin) if isinstance(value, str) else None


def _project_dependencies(
    project: dict[str, Any], content: dict[str, Any], dynamic: list[str], origin: str
) -> Iterator[Dependency]:
    if "dependencies" in dynamic:
        yield Dependency(None, _DYNAMIC, "", origin)
    for text in _texts(project.get("dependencies")):
        yield dependency(text, "", origin)
    for extra, texts in sorted(_table(project, "optional-dependencies").items()):
        for text in _texts(texts):
            yield dependency(text, f"extra:{extra}", origin)
    for group, texts in sorted(_table(content, "dependency-groups").items()):
        for text in _texts(texts):
            yield dependency(text, f"group:{group}", origin)


def _poetry_dependencies(poetry: dict[str, Any], origin: str) -> Iterator[Dependency]:
    tables = [("", _table(poetry, "dependencies"))]
    tables.append(("group:dev", _table(poetry, "dev-dependencies")))
    for name in sorted(_table(poetry, "group")):
        tables.append((f"group:{name}", _table(poetry, "group", name, "dependencies")))
    for group, table in tables:
        for name, wanted in table.items():
            if name == "python":
                continue
            version = wanted.get("version") if isinstance(wanted, dict) else wanted
            text = f"{name} {version}" if isinstance(version, str) else name
            yield dependency(text, group, origin)


def _places(places: Places, tool: dict[str, Any]) -> None:
    _setuptools(places, _table(tool, "setuptools"))
    for entry in _tables(_table(tool, "poetry").get("packages")):
        source, name = entry.get("from"), entry.get("include")
        if isinstance(source, str):
            places.root(source)
        if isinstance(name, str) and "*" not in name:
            places.package(name.strip("/").replace("/", "."))
    build = _table(tool, "hatch", "build")
    for table in (_table(build, "targets", "wheel"), build):
        _hatch(places, table)
    packages = _table(tool, "scikit-build", "wheel").get("packages")
    if isinstance(packages, dict):
        places.package_dir((name.replace("/", "."), path) for name, path in _pairs(packages))
    for path in _texts(packages):
        places.package_at(path)
    for name in (
        _table(tool, "flit", "module").get("name"),
        _table(tool, "flit", "metadata").get("module"),
    ):
        if isinstance(name, str):
            places.package(name)
    for table in (_table(tool, "pdm", "build"), _table(tool, "pdm")):
        if isinstance(folder := table.get("package-dir"), str):
            places.root(folder)
    maturin = _table(tool, "maturin")
    if isinstance(folder := maturin.get("python-source"), str):
        places.root(folder)
    if isinstance(name := maturin.get("module-name"), str):
        places.package(name)
    uv = _table(tool, "uv", "build-backend")
    if isinstance(folder := uv.get("module-root"), str):
        places.root(folder)
    for name in _texts(uv.get("module-name")):
        places.package(name)
    for text in _texts(_table(tool, "pytest", "ini_options").get("pythonpath")):
        for folder in text.split():
            places.root(folder)


def _setuptools(places: Places, table: dict[str, Any]) -> None:
    places.package_dir(_pairs(_table(table, "package-dir")))
    packages = table.get("packages")
    for name in [*_texts(packages), *_texts(table.get("py-modules"))]:
        places.package(name)
    if isinstance(packages, dict):
        for kind in ("find", "find-namespace"):
            find = _table(packages, kind)
            for folder in _texts(find.get("where")):
                places.root(folder)
            for name in _texts(find.get("include")):
                if plain := name.rstrip("*").rstrip("."):
                    places.package(plain)


def _hatch(places: Places, table: dict[str, Any]) -> None:
    sources = table.get("sources")
    if isinstance(sources, dict):
        for folder, target in _pairs(sources):
            places.root(folder, target.strip("/").replace("/", "."))
    for folder in _texts(sources):
        places.root(folder)
    for path in _texts(table.get("packages")):
        places.package_at(path)


def _table(content: dict[str, Any], *keys: str) -> dict[str, Any]:
    """Follow keys through tables; an empty table where one is missing."""
    for key in keys:
        found = content.get(key)
        if not isinstance(found, dict):
            return {}
        content = found
    return content


def _tables(value: object) -> list[dict[str, Any]]:
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []


def _texts(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    return [text for text in value if isinstance(text, str)] if isinstance(value, list) else []


def _pairs(table: dict[str, Any]) -> Iterable[tuple[str, str]]:
    return [(key, value) for key, value in table.items() if isinstance(value, str)]
