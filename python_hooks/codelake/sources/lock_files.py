r"""Lock files: the text of one -> the distributions that it pins.

    requests[socks]==2.32.3 \                  Distribution("requests", "2.32.3")
        --hash=sha256:70761...
    idna>=3 ; python_version >= "3.9"          Distribution("idna", None)

Read are requirements files (with -r and -c inside their folder), poetry.lock, uv.lock, pdm.lock,
pylock.toml, Pipfile.lock and the plain form of a conda environment.yml, whose names are taken for
those of the Python index. All pins are kept whatever their markers say, so one distribution may
have two versions. What cannot be read is a problem.
Next: interfaces.py.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from codelake.errors import CodelakeError
from codelake.sources.declared import Problem, normalised
from codelake.sources.environment import Distribution
from codelake.sources.pyproject import read_toml
from codelake.sources.scan import UnreadableError, read_regular

_MOST_PROBLEMS = 20
_LONGEST_LINE = 2_000  # no requirement is longer, and patterns take their time on long lines
_REQUIREMENT = re.compile(
    r"(?P<name>[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)\s*(?:\[[^\]]*\])?\s*"
    r"(?P<rest>(?:[<>=!~(@].*)?)\Z"
)
_PIN = re.compile(r"\(?\s*={2,3}\s*([A-Za-z0-9.!+_-]+)\s*\)?\Z")
_WHEEL = re.compile(
    r"(?:.*/)?([A-Za-z0-9._]+)-([A-Za-z0-9.!+_]+)(?:-\w+)?-[\w.]+-[\w.]+-[\w.]+\.whl"
)
_EGG = re.compile(r"#(?:.*&)?egg=([A-Za-z0-9._-]+)")
_INCLUDE = re.compile(r"(?:-r|-c|--requirement|--constraint)(?:\s*=\s*|\s*)(\S.*)\Z")
_CONDA = re.compile(
    r"(?:[\w./-]+::)?([A-Za-z0-9_.-]+)\s*(?:={1,2}\s*([A-Za-z0-9.!+_]+))?(?=[\s=<>!~,]|\Z)"
)
_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


@dataclass(frozen=True, slots=True)
class Lock:
    """The pins of a lock file, sorted, and what could not be read of it."""

    distributions: tuple[Distribution, ...]
    problems: tuple[Problem, ...]


def lock_file(path: str | Path) -> Lock:
    """Read a lock file.

    Args:
        path: the file; it is an error when there is none.
    """
    place = Path(path)
    if not place.is_file():
        raise CodelakeError("LOCK_MISSING", f"no file at `{path}`.", "give the path of a lock file")
    reader = _Reader(place)
    found = set(reader.distributions())
    ordered = sorted(found, key=lambda one: (normalised(one.name), one.version or ""))
    return Lock(tuple(ordered), reader.problems())


class _Reader:
    """Reads one lock file and those that it includes."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._folder = path.resolve().parent
        self._problems: list[Problem] = []

    def problems(self) -> tuple[Problem, ...]:
        shown = self._problems[:_MOST_PROBLEMS]
        if more := len(self._problems) - len(shown):
            shown.append(Problem(self._path.name, f"and {more} problems more"))
        return tuple(shown)

    def distributions(self) -> Iterator[Distribution]:
        name = self._path.name
        text = self._text(self._path)
        if text is None:
            return
        if name.endswith((".yml", ".yaml")):
            yield from self._conda(text)
        elif name == "Pipfile.lock" or name.endswith(".json"):
            yield from self._pipfile(text)
        elif name.endswith(".toml") or name in {"poetry.lock", "uv.lock", "pdm.lock"}:
            yield from self._toml(text)
        else:
            yield from self._requirements(text)

    def _text(self, path: Path) -> str | None:
        try:
            raw = read_regular(str(path))
            encoding = next((name for bom, name in _BOMS if raw.startswith(bom)), "utf-8")
            return raw.decode(encoding)
        except UnreadableError as error:
            self._problem(path, ": ".join(error.reason))
        except UnicodeDecodeError as error:
            self._problem(path, f"not {error.encoding}: {error.reason} at byte {error.start}")
        return None

    def _problem(self, path: Path, message: str) -> None:
        try:
            shown = path.resolve().relative_to(self._folder).as_posix()
        except ValueError:
            shown = path.name
        self._problems.append(Problem(shown, message))

    def _toml(self, text: str) -> Iterator[Distribution]:
        content = read_toml(text.encode(), self._path.name)
        if isinstance(content, Problem):
            self._problems.append(content)
            return
        packages = content.get("package", content.get("packages"))
        if not isinstance(packages, list):
            self._problem(self._path, "no list of packages")
            return
        for package in packages:
            if isinstance(package, dict) and isinstance(name := package.get("name"), str):
                version = package.get("version")
                yield Distribution(name, version if isinstance(version, str) else None)

    def _pipfile(self, text: str) -> Iterator[Distribution]:
        try:
            content: Any = json.loads(text)
        except (ValueError, RecursionError) as error:
            self._problem(self._path, f"no JSON: {str(error) or 'nested too deeply'}")
            return
        sections = content.items() if isinstance(content, dict) else ()
        for section, packages in sections:
            if section == "_meta" or not isinstance(packages, dict):
                continue
            for name, facts in packages.items():
                stated = facts.get("version") if isinstance(facts, dict) else facts
                pin = _PIN.match(stated) if isinstance(stated, str) else None
                yield Distribution(name, pin and pin[1])

    def _requirements(self, text: str) -> Iterator[Distribution]:
        pending = [(self._path, text)]
        seen = {self._path.resolve()}
        while pending:
            path, text = pending.pop()
            for number, line in _logical_lines(text):
                if include := _INCLUDE.match(line):
                    other = path.parent / include[1].strip("\"'")
                    if (content := self._included(path, other, seen)) is not None:
                        pending.append((other, content))
                elif (found := _requirement(line)) is None:
                    if not line.startswith("-"):
                        self._problem(path, f"line {number} names no distribution")
                else:
                    yield found

    def _included(self, path: Path, other: Path, seen: set[Path]) -> str | None:
        try:
            place = other.resolve()
        except (OSError, ValueError, RuntimeError):
            self._problem(path, "includes a path that cannot be followed")
            return None
        if place in seen:
            return None
        seen.add(place)
        if not place.is_relative_to(self._folder):
            self._problem(path, f"includes `{other.name}`, which lies outside its folder")
            return None
        return self._text(other)

    def _conda(self, text: str) -> Iterator[Distribution]:
        listing = pip = False
        for number, line in enumerate(text.splitlines(), 1):
            words = re.sub(r"(?:^|\s)#.*", "", line).rstrip()
            if not words:
                continue
            if not words.startswith((" ", "-")):
                listing, pip = words.startswith("dependencies:"), False
                continue
            if not listing:
                continue
            entry = words.strip().removeprefix("-").strip().strip("\"'")
            if entry == "pip:":
                pip = True
                continue
            match = None if pip or len(entry) > _LONGEST_LINE else _CONDA.match(entry)
            found = _requirement(entry) if pip else match and Distribution(match[1], match[2])
            if found is None:
                self._problem(self._path, f"line {number} names no distribution")
            elif found.name != "python":
                yield found


def _logical_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield numbered lines with continuations joined, comments and options removed."""
    parts: list[str] = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.endswith("\\") and not line.lstrip().startswith("#"):
            parts.append(line[:-1])
            continue
        whole = re.sub(r"(?:^|\s)#.*", "", "".join([*parts, line]))
        parts = []
        plain = re.sub(r"\s--\S.*", "", whole).strip() if not whole.startswith("-") else whole
        if plain:
            yield number, plain.strip()
    if parts:
        yield len(text.splitlines()), "".join(parts).strip() or "-"


def _requirement(line: str) -> Distribution | None:
    """Read one requirement; None for options and for places that do not tell a name."""
    if len(line) > _LONGEST_LINE:
        return None
    line = re.sub(r"^(?:-e|--editable)(?:\s*=\s*|\s+)", "", line)
    wheel, egg = _WHEEL.match(line), _EGG.search(line)
    if egg:
        return Distribution(egg[1], None)
    match = _REQUIREMENT.match(re.split(r"\s*;|\s+;", line, maxsplit=1)[0].strip())
    if match:
        rest = match["rest"]
        inner = _WHEEL.match(rest.removeprefix("@").strip()) if rest.startswith("@") else None
        pin = _PIN.match(rest)
        return Distribution(match["name"], inner[2] if inner else pin and pin[1])
    return Distribution(wheel[1], wheel[2]) if wheel else None
