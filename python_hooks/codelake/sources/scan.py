"""Scan: a repository -> its Python files, with size and digest, or the reason to skip them.

    Repository("app", "/code/app")
        -> ScannedFile(repo="app", path="app/core.py", size=812, sha256="9f86...", skip=None)
           ScannedFile(repo="app", path="app/loop.py", sha256=None,
                       skip=("DanglingSymlink", "the link leads nowhere"))

A link to a file inside the repository is read as that file. Whatever is no regular file is never
opened. Every reason to skip becomes an error row, so no file goes missing silently.
Next: plan.py; scope.py tells what was not even looked at.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Sequence
from pathlib import Path

import msgspec
from pathspec import GitIgnoreSpec

from codelake.errors import RepositoryError
from codelake.sources.declared import Problem
from codelake.sources.listing import listing
from codelake.sources.modules import Layout, Layouts
from codelake.sources.project import Project, projects

INCLUDE = ("*.py", "*.pyi", "*.pyw")
MAX_FILE_BYTES = 5_000_000


class Repository(msgspec.Struct, frozen=True):
    """A named folder to read."""

    name: str
    root: str


class ScannedFile(msgspec.Struct, frozen=True):
    """One file of a repository.

    Attributes:
        repo: name of the repository.
        path: printable POSIX path relative to the root.
        absolute: where to read it.
        size: bytes.
        sha256: digest of the bytes; None when skipped.
        skip: error type and message when the file is not to be read.
        layout: from where the module in this file is named.
    """

    repo: str
    path: str
    absolute: str
    size: int
    sha256: str | None
    skip: tuple[str, str] | None = None
    layout: Layout = Layout()


class UnreadableError(Exception):
    """A file that must be skipped: error type and message."""

    def __init__(self, error_type: str, message: str, size: int = 0) -> None:
        """Keep the reason."""
        super().__init__(error_type, message)
        self.reason = (error_type, message)
        self.size = size


def parse_repositories(arguments: Sequence[str]) -> list[Repository]:
    """Read `path` or `name=path` arguments.

    Args:
        arguments: one text per repository; an existing folder whose path holds `=` is a path.

    Returns:
        The repositories in the order given, with resolved roots.
    """
    repositories: dict[str, Repository] = {}
    for argument in arguments:
        name, equals, path = argument.partition("=")
        if not equals or Path(argument).expanduser().is_dir():
            name, path = "", argument
        root = Path(path).expanduser().resolve()
        if not path or not root.is_dir():
            raise RepositoryError(
                "REPOSITORY_MISSING", f"no folder at `{path}`.", "give the path of a repository"
            )
        name = name or root.name
        if not name:
            raise RepositoryError(
                "REPOSITORY_UNNAMED", f"`{path}` has no folder name.", f"write NAME={path}"
            )
        if name in repositories:
            raise RepositoryError(
                "REPOSITORY_NAME_TWICE",
                f"`{repositories[name].root}` and `{root}` are both named `{name}`.",
                f"give one another name: other-{name}={path}",
            )
        repositories[name] = Repository(name, str(root))
    return list(repositories.values())


def scan(
    repository: Repository,
    include: Sequence[str] = INCLUDE,
    exclude: Sequence[str] = (),
    only: Sequence[str] = (),
    max_file_bytes: int = MAX_FILE_BYTES,
) -> list[ScannedFile]:
    """Find the files of a repository.

    Args:
        repository: what to scan.
        include: gitignore-style globs of files to read.
        exclude: globs of files to leave out.
        only: globs that narrow this build; empty for all files.
        max_file_bytes: larger files are skipped with a reason.

    Returns:
        The files sorted by path.
    """
    root = repository.root
    if not Path(root).is_dir():
        raise RepositoryError("REPOSITORY_MISSING", f"no folder at `{root}`.", "check the path")
    listed = listing(root).paths
    layouts = Layouts(listed, scan_projects(root, listed), Path(root).name)
    wanted, refused = matcher(include), matcher(exclude)
    narrowed = matcher(only) if only else None
    checker = Checker(root, max_file_bytes)
    found = []
    for path in listed:
        shown = printable(path)
        if not wanted.match_file(shown) or refused.match_file(shown):
            continue
        if narrowed is not None and not narrowed.match_file(shown):
            continue
        absolute = f"{root}/{path}"
        if not os.path.lexists(absolute):
            continue
        shown_absolute = printable(absolute)
        place = layouts.of(shown)
        try:
            if shown_absolute != absolute:
                raise UnreadableError("UndecodableFileName", "the name of the file is not UTF-8")
            raw = checker.read(path)
        except UnreadableError as error:
            skipped = ScannedFile(
                repository.name, shown, shown_absolute, error.size, None, error.reason, place
            )
            found.append(skipped)
            continue
        digest = hashlib.sha256(raw).hexdigest()
        found.append(ScannedFile(repository.name, shown, absolute, len(raw), digest, None, place))
    return sorted(found, key=lambda file: file.path)


def scan_projects(root: str, paths: Sequence[str]) -> tuple[Project, ...]:
    """Return what the project files of a repository declare.

    Args:
        root: absolute path of the repository.
        paths: its files, as a Listing has them.
    """
    checker = Checker(root, MAX_FILE_BYTES)

    def read(path: str) -> bytes | Problem:
        try:
            return checker.read(path)
        except UnreadableError as error:
            return Problem(path, ": ".join(error.reason))

    return projects([path for path in paths if path == printable(path)], read)


def matcher(globs: Sequence[str]) -> GitIgnoreSpec:
    """Compile gitignore-style globs; a glob without a slash matches at any depth."""
    return GitIgnoreSpec.from_lines(globs)


def read_regular(absolute: str) -> bytes:
    """Read a regular file, or raise UnreadableError; never blocks on a FIFO or device."""
    try:
        if not stat.S_ISREG(Path(absolute).stat().st_mode):
            raise UnreadableError("NotRegularFile", "the path is no regular file")
        descriptor = os.open(absolute, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb") as stream:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise UnreadableError("NotRegularFile", "the path is no regular file")
            return stream.read()
    except OSError as error:
        raise UnreadableError(type(error).__name__, error.strerror or "cannot be read") from None


class Checker:
    """Reads files that lie inside a root and are neither special nor too large."""

    def __init__(self, root: str, max_file_bytes: int) -> None:
        """Take the limits.

        Args:
            root: absolute path of the repository.
            max_file_bytes: larger files are refused.
        """
        self._root = os.path.realpath(root)
        self._max = max_file_bytes
        self._folders: dict[str, str] = {}

    def read(self, path: str) -> bytes:
        """Return the bytes of a file, or raise UnreadableError."""
        return read_regular(self.check(path))

    def check(self, path: str) -> str:
        """Return where the bytes of a file are without reading them, or raise UnreadableError."""
        target = self._target(path)
        try:
            status = Path(target).stat()
        except OSError as error:
            raise UnreadableError(type(error).__name__, error.strerror or "") from None
        if not stat.S_ISREG(status.st_mode):
            raise UnreadableError("NotRegularFile", "the path is no regular file")
        if status.st_size > self._max:
            message = f"{status.st_size} bytes are more than max_file_bytes = {self._max}"
            raise UnreadableError("FileTooLarge", message, status.st_size)
        return target

    def _target(self, path: str) -> str:
        """Return where the bytes are, links resolved."""
        folder, _, name = path.rpartition("/")
        real = self._folders.get(folder)
        if real is None:
            real = self._folders[folder] = os.path.realpath(f"{self._root}/{folder}")
        target = f"{real}/{name}"
        if Path(target).is_symlink():
            try:
                target = os.path.realpath(target, strict=True)
            except OSError as error:
                if isinstance(error, FileNotFoundError | NotADirectoryError):
                    raise UnreadableError("DanglingSymlink", "the link leads nowhere") from None
                raise UnreadableError("SymlinkLoop", "the link leads to itself") from None
        if not target.startswith(f"{self._root.rstrip('/')}/"):
            raise UnreadableError(
                "SymlinkOutsideRepository", "the link leads out of the repository"
            )
        return target


def printable(path: str) -> str:
    """Return a path that any UTF-8 column can hold."""
    try:
        path.encode("utf-8")
    except UnicodeEncodeError:
        return os.fsencode(path).decode("utf-8", "backslashreplace")
    return path
