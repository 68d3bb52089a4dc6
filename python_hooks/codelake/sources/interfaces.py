"""Interfaces: imported names -> standard library, distribution with version, or unknown.

    interfaces(["os.path", "yaml", "requests.adapters", "nowhere"], known)
        os.path             stdlib         how=stdlib
        yaml                distribution   PyYAML 6.0.2     how=environment
        requests.adapters   distribution   requests 2.32.3  how=lock
        nowhere             unknown

What is known comes from what the user names, never from the environment that codelake runs in: a
virtual environment (environment.py), a lock file (lock_files.py), the dependencies that a project
declares. The standard library is that of the Python that parses the code. An environment knows its
modules, and the longest dotted prefix wins, so `google.protobuf.message` is found where `google` is
nobody's. A lock file knows names only: a module is matched by its normalised name, or through the
small table of known_names.py, and `how` tells which. When several distributions are equally near,
each is a row, ranked.

Whether a name is a module of the repository itself is decided elsewhere, and first.
"""

from __future__ import annotations

import hashlib
import json
import platform
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from codelake.sources.declared import Problem, normalised
from codelake.sources.environment import Distribution, environment
from codelake.sources.known_names import FORMER_MODULES, KNOWN_NAMES
from codelake.sources.lock_files import lock_file

_HOST = ".".join(platform.python_version_tuple()[:2])
_FORMAT = 1  # raise when the same inputs give other rows

STDLIB, ENVIRONMENT, LOCK, DECLARED, KNOWN_NAME = (
    *("stdlib", "environment", "lock"),
    *("declared", "known_name"),
)


@dataclass(frozen=True, slots=True)
class Interface:
    """Where an imported name comes from.

    Attributes:
        name: dotted name as imported.
        status: stdlib, distribution or unknown.
        dist_name: name of the distribution.
        dist_version: its version; None where only the name is known.
        how: stdlib, environment, lock, declared or known_name; None when unknown.
        python_version: the Python whose standard library was asked; for modules that are gone, the
            last one that had them.
        rank: 1 for the best candidate of this name.
    """

    name: str
    status: str
    dist_name: str | None
    dist_version: str | None
    how: str | None
    python_version: str
    rank: int = 1


@dataclass(frozen=True, slots=True)
class Known:
    """What was read about distributions, in the order of trust.

    Attributes:
        installed: of an environment, with modules.
        locked: pins of a lock file.
        declared: what projects declare.
        problems: what could not be read.
    """

    installed: tuple[Distribution, ...] = ()
    locked: tuple[Distribution, ...] = ()
    declared: tuple[Distribution, ...] = ()
    problems: tuple[Problem, ...] = ()


def read_known(
    environment_path: str | Path | None = None,
    lock_path: str | Path | None = None,
    declared: Iterable[str] = (),
) -> Known:
    """Read what the user names; nothing is read that is not named.

    Args:
        environment_path: a virtual environment or site-packages folder.
        lock_path: a lock file.
        declared: names of distributions that the project declares.
    """
    problems: list[Problem] = []
    installed: tuple[Distribution, ...] = ()
    locked: tuple[Distribution, ...] = ()
    if environment_path:
        place = environment(environment_path)
        installed = place.distributions
        problems += place.problems
        if place.python_version not in {None, _HOST}:
            problems.append(
                Problem(
                    "pyvenv.cfg",
                    f"is for Python {place.python_version}; "
                    f"the standard library is taken from {_HOST}",
                )
            )
    if lock_path:
        pins = lock_file(lock_path)
        locked = pins.distributions
        problems += pins.problems
    names = sorted({normalised(name) for name in declared})
    return Known(
        installed, locked, tuple(Distribution(name, None) for name in names), tuple(problems)
    )


def interfaces(names: Iterable[str], known: Known) -> list[Interface]:
    """Find where names come from.

    Args:
        names: absolute dotted names; for `from a import b` give `a.b`, which may be a module.
        known: what `read_known` gave.

    Returns:
        One row per name and candidate, sorted by name and rank.
    """
    index = _Index(known)
    return [row for name in sorted(set(names)) for row in index.rows(name)]


def interfaces_digest(known: Known) -> str:
    """Return a digest of all that the rows depend on, except the names asked for."""
    parts = [
        [
            [one.name, one.version or "", *one.modules]
            for one in sorted(group, key=lambda one: (one.name, one.version or "", one.modules))
        ]
        for group in (known.installed, known.locked, known.declared)
    ]
    tables = [sorted(KNOWN_NAMES.items()), sorted(FORMER_MODULES.items())]
    text = json.dumps([_FORMAT, _HOST, sorted(sys.stdlib_module_names), parts, tables])
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


class _Index:
    """Distributions by module and by name."""

    def __init__(self, known: Known) -> None:
        self._modules: dict[str, list[Distribution]] = {}
        self._namespaces: dict[str, list[Distribution]] = {}
        for one in known.installed:
            for module in one.modules:
                self._modules.setdefault(module, []).append(one)
            for space in {above for module in one.modules for above in _above(module)}:
                self._namespaces.setdefault(space, []).append(one)
        nameless = [one for one in known.installed if not one.modules]
        self._pools = [
            (ENVIRONMENT, _by_name(nameless)),
            (LOCK, _by_name(known.locked)),
            (DECLARED, _by_name(known.declared)),
        ]

    def rows(self, name: str) -> list[Interface]:
        top = name.partition(".")[0]
        if top in sys.stdlib_module_names:
            return [Interface(name, "stdlib", None, None, STDLIB, _HOST)]
        found = list(self._candidates(name))
        if not found and top in FORMER_MODULES:
            return [Interface(name, "stdlib", None, None, STDLIB, FORMER_MODULES[top])]
        if not found:
            found = list(_known_only(name))
        if not found:
            return [Interface(name, "unknown", None, None, None, _HOST)]
        return [
            Interface(name, "distribution", one.name, one.version, how, _HOST, rank)
            for rank, (how, one) in enumerate(found, 1)
        ]

    def _candidates(self, name: str) -> Iterator[tuple[str, Distribution]]:
        prefixes = [name, *_above(name)]
        for prefix in prefixes:
            if installed := self._modules.get(prefix):
                yield from ((ENVIRONMENT, one) for one in installed)
                return
        if spaces := self._namespaces.get(name):
            yield from ((ENVIRONMENT, one) for one in spaces)
            return
        for prefix in prefixes:
            for how, pool in self._pools:
                if same := pool.get(normalised(prefix)):
                    yield from ((how, one) for one in same)
                    return
                other = [pool.get(normalised(known), ()) for known in KNOWN_NAMES.get(prefix, ())]
                if any(other):
                    yield from ((KNOWN_NAME, one) for group in other for one in group)
                    return


def _known_only(name: str) -> Iterator[tuple[str, Distribution]]:
    """Yield the usual distribution of a known name, of which no version is known."""
    for prefix in (name, *_above(name)):
        if prefix in KNOWN_NAMES:
            yield KNOWN_NAME, Distribution(KNOWN_NAMES[prefix][0], None)
            return


def _above(module: str) -> Iterator[str]:
    while "." in module:
        module = module.rpartition(".")[0]
        yield module


def _by_name(distributions: Iterable[Distribution]) -> dict[str, list[Distribution]]:
    names: dict[str, list[Distribution]] = {}
    for one in distributions:
        names.setdefault(normalised(one.name), []).append(one)
    return names
