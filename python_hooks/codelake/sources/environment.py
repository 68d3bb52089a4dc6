"""Environment: a virtual environment -> its distributions and the modules of each, read as text.

    .venv/lib/python3.12/site-packages/
        PyYAML-6.0.2.dist-info/METADATA, RECORD     Distribution("PyYAML", "6.0.2",
        yaml/__init__.py, yaml/loader.py ...            ("_yaml", "yaml", "yaml.loader", ...))

Nothing is imported and no .pth file is run. Modules come from RECORD or installed-files.txt, else
from top_level.txt; an editable install names its own in the finder that setuptools writes, or in
the folder to which its .pth file points. A distribution without any of these has no modules, and is
found by its name only. Folders named by other .pth files and the packages of the system are not
read. Extension modules count, stubs do not.
Next: interfaces.py.
"""

from __future__ import annotations

import ast
import csv
import json
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from codelake.errors import CodelakeError
from codelake.sources.declared import Problem, normalised
from codelake.sources.scan import UnreadableError, read_regular

_SITES = ("lib/python*/site-packages", "lib64/python*/site-packages", "Lib/site-packages")
_HEADER = re.compile(r"^(Name|Version):[ \t]*(\S[^\r\n]*)$", re.MULTILINE)
_FOLDER_NAME = re.compile(
    r"(?P<name>.+?)-(?P<version>\d[^-]*)(?:-py[\d.]+.*)?\.(?:dist-info|egg-info|egg)\Z"
)
_MODULE_FILE = re.compile(r"(\w+)(?:\.py|\.pyc|(?:\.[\w-]+)?\.(?:so|pyd))\Z")
_VERSION = re.compile(r"(\d+\.\d+)")


@dataclass(frozen=True, slots=True)
class Distribution:
    """A distribution that is installed or pinned.

    Attributes:
        name: as it spells itself.
        version: None when the source does not say.
        modules: dotted names of its modules, sorted; empty when only the name is known.
    """

    name: str
    version: str | None
    modules: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Environment:
    """What is installed in one place.

    Attributes:
        python_version: minor version of its Python; None when no pyvenv.cfg says.
        distributions: sorted by name and version.
        problems: what could not be read; paths are relative to the environment.
    """

    python_version: str | None
    distributions: tuple[Distribution, ...]
    problems: tuple[Problem, ...]


def environment(path: str | Path) -> Environment:
    """Read a virtual environment, a prefix of Python, or a site-packages folder.

    Args:
        path: the folder; it is an error when it holds no site-packages.
    """
    root = Path(path)
    problems: list[Problem] = []
    settings = _settings(root)
    if settings.get("include-system-site-packages", "").lower() == "true":
        problems.append(Problem("pyvenv.cfg", "the packages of the system are not read"))
    found = set()
    for site in _sites(root):
        for distribution in _Site(root, site, problems).distributions():
            found.add(distribution)
    stated = settings.get("version_info") or settings.get("version") or ""
    version = _VERSION.match(stated)
    ordered = sorted(found, key=lambda one: (normalised(one.name), one.version or "", one.modules))
    ordered_problems = sorted(set(problems), key=lambda problem: (problem.file, problem.message))
    return Environment(version and version[1], tuple(ordered), tuple(ordered_problems))


def _sites(root: Path) -> list[Path]:
    found = {
        os.path.realpath(site): site
        for pattern in _SITES
        for site in sorted(root.glob(pattern))
        if site.is_dir()
    }
    if found:
        return list(found.values())
    is_site = root.name in {"site-packages", "dist-packages"}
    if root.is_dir() and (is_site or any(root.glob("*.dist-info")) or any(root.glob("*.egg-info"))):
        return [root]
    raise CodelakeError(
        "ENVIRONMENT_MISSING",
        f"`{root}` is no environment: it holds no site-packages.",
        "give the folder of a virtual environment or a site-packages folder",
    )


def _settings(root: Path) -> dict[str, str]:
    try:
        text = read_regular(str(root / "pyvenv.cfg")).decode("utf-8", "replace")
    except UnreadableError:
        return {}
    pairs = (line.partition("=") for line in text.splitlines())
    return {key.strip().lower(): value.strip() for key, equals, value in pairs if equals}


class _Site:
    """One site-packages folder."""

    def __init__(self, root: Path, site: Path, problems: list[Problem]) -> None:
        self._root = root
        self._site = site
        self._problems = problems

    def distributions(self) -> Iterator[Distribution]:
        for entry in sorted(self._site.iterdir()):
            if entry.name.endswith(".dist-info"):
                yield self._installed(entry)
            elif entry.name.endswith(".egg-info"):
                yield self._egg_info(entry)
            elif entry.name.endswith(".egg") and (entry / "EGG-INFO").is_dir():
                yield self._egg_info(entry / "EGG-INFO")
            elif entry.name.endswith(".egg-link"):
                yield from self._linked(entry)

    def _installed(self, folder: Path) -> Distribution:
        name, version = self._identity(folder, folder / "METADATA")
        record = self._text(folder / "RECORD", required=False)
        if record is None:
            return Distribution(name, version, self._top_level(folder))
        files = list(self._recorded(folder / "RECORD", record))
        modules = set(_modules(file for file in files if not file.startswith("__editable__")))
        if self._is_editable(folder, files):
            modules |= self._editable(folder, files, name)
        return Distribution(name, version, tuple(sorted(modules)) or self._top_level(folder))

    def _egg_info(self, folder: Path) -> Distribution:
        if not folder.is_dir():
            name, version = self._identity(folder, folder)
            return Distribution(name, version)
        name, version = self._identity(folder, folder / "PKG-INFO")
        installed = self._text(folder / "installed-files.txt", required=False) or ""
        files = [line.strip().removeprefix("../") for line in installed.splitlines()]
        modules = tuple(sorted(set(_modules(files))))
        return Distribution(name, version, modules or self._top_level(folder))

    def _linked(self, link: Path) -> Iterator[Distribution]:
        lines = (self._text(link) or "").splitlines()
        source = Path(lines[0].strip()) if lines and lines[0].strip() else None
        if source is None or not source.is_dir():
            self._problems.append(Problem(self._shown(link), "leads to no folder"))
            return
        for entry in sorted(source.glob("*.egg-info")):
            yield self._egg_info(entry)

    def _identity(self, folder: Path, metadata: Path) -> tuple[str, str | None]:
        """Return name and version: those of the metadata, else those of the folder's name."""
        text = self._text(metadata) or ""
        head = text.replace("\r\n", "\n").partition("\n\n")[0]
        stated: dict[str, str] = {key: value.strip() for key, value in _HEADER.findall(head)}
        place = folder.parent if folder.name == "EGG-INFO" else folder
        match = _FOLDER_NAME.match(place.name)
        guess = match.groupdict() if match else {"name": place.stem, "version": ""}
        return stated.get("Name", guess["name"]), stated.get("Version", guess["version"]) or None

    def _recorded(self, path: Path, text: str) -> Iterator[str]:
        for line in text.splitlines():
            if not line.startswith('"'):
                yield line.rsplit(",", 2)[0].replace("\\", "/")
                continue
            try:
                yield next(csv.reader([line]))[0].replace("\\", "/")
            except csv.Error as error:
                self._problems.append(Problem(self._shown(path), f"no CSV: {error}"))

    def _top_level(self, folder: Path) -> tuple[str, ...]:
        text = self._text(folder / "top_level.txt", required=False) or ""
        names = (line.strip().replace("/", ".") for line in text.splitlines())
        return tuple(sorted({name for name in names if _is_dotted(name)}))

    def _is_editable(self, folder: Path, files: list[str]) -> bool:
        text = self._text(folder / "direct_url.json", required=False)
        try:
            stated = json.loads(text) if text else {}
        except (ValueError, RecursionError):
            self._problems.append(Problem(self._shown(folder / "direct_url.json"), "no JSON"))
            stated = {}
        info = stated.get("dir_info") if isinstance(stated, dict) else None
        said = isinstance(info, dict) and info.get("editable") is True
        return said or any(file.startswith("__editable__") for file in files)

    def _editable(self, folder: Path, files: list[str], name: str) -> set[str]:
        """Return the modules of a distribution whose code lies elsewhere."""
        if listed := self._top_level(folder):
            return set(listed)
        modules: set[str] = set()
        for file in files:
            if re.fullmatch(r"__editable___\w+_finder\.py", file):
                modules |= self._finder(self._site / file)
            elif file.endswith(".pth") and "/" not in file:
                for line in (self._text(self._site / file) or "").splitlines():
                    if line.strip() and not line.startswith(("import ", "import\t", "#")):
                        modules |= _top_modules(self._site / line.strip(), name)
        return modules

    def _finder(self, path: Path) -> set[str]:
        """Return the packages that a finder of setuptools maps to their folders."""
        try:
            tree = ast.parse(self._text(path) or "")
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            self._problems.append(Problem(self._shown(path), "no Python"))
            return set()
        names: list[object] = []
        for statement in tree.body:
            match statement:
                case (
                    ast.AnnAssign(target=ast.Name(id=name), value=ast.Dict(keys=keys))
                    | ast.Assign(targets=[ast.Name(id=name)], value=ast.Dict(keys=keys))
                ) if name == "MAPPING":
                    names += [key.value for key in keys if isinstance(key, ast.Constant)]
        return {name for name in names if isinstance(name, str) and _is_dotted(name)}

    def _text(self, path: Path, required: bool = True) -> str | None:
        try:
            return read_regular(str(path)).decode("utf-8-sig", "replace")
        except UnreadableError as error:
            if required or error.reason[0] != "FileNotFoundError":
                self._problems.append(Problem(self._shown(path), ": ".join(error.reason)))
            return None

    def _shown(self, path: Path) -> str:
        return os.path.relpath(path, self._root).replace(os.sep, "/")


def _modules(files: Iterable[str]) -> Iterator[str]:
    """Yield the modules among installed files."""
    for file in files:
        *folders, last = file.split("/")
        match = _MODULE_FILE.match(last)
        if match is None or "__pycache__" in folders:
            continue
        parts = folders if match[1] == "__init__" else [*folders, match[1]]
        if parts and all(part.isidentifier() for part in parts):
            yield ".".join(parts)


def _top_modules(folder: Path, name: str) -> set[str]:
    """Return the modules in a folder of sources; only the one named as its project, if any."""
    try:
        entries = sorted(folder.iterdir())
    except (OSError, ValueError):
        return set()
    files = [f"{entry.name}/__init__.py" for entry in entries if (entry / "__init__.py").is_file()]
    found = set(_modules([*files, *(entry.name for entry in entries if entry.is_file())]))
    return {module for module in found if normalised(module) == normalised(name)} or found


def _is_dotted(name: str) -> bool:
    return all(part.isidentifier() for part in name.split("."))
