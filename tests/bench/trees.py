"""The trees to build: wheels by name and version, fetched and unzipped once into the cache.

    copy_tree("flask", scratch)  -> scratch/flask, a copy that may be edited
    append_line(scratch/flask)   -> "flask/config.py", one line longer

`empty` holds one empty module: what a build costs before it meets a line of source. GROWN are
parts and copies of Django, to see how a build grows with its input.
Next: builds.py.
"""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from codelake.run.cache import cache_dir
from codelake.sources.scan import Repository, scan

EMPTY = "empty"
WHEELS = {"requests": "2.32.5", "flask": "3.1.3", "black": "26.10.1", "django": "5.2.19"}
GROWN = {"django-20k": 20_000, "django-600k": 600_000}
TREES = (EMPTY, *WHEELS, *GROWN)

_PURE_WHEEL = [
    "--platform",
    "any",
    "--python-version",
    "3.12",
    "--implementation",
    "py",
    "--abi",
    "none",
]
_NEW_LINE = "codelake_bench_edit = 1"


class BenchError(Exception):
    """A reason to stop the benchmark; its text is for the person who runs it."""


def copy_tree(name: str, folder: Path) -> Path:
    """Copy a tree into a folder; fetch it first when the cache has none."""
    copy = folder / name
    if name == EMPTY:
        copy.mkdir()
        (copy / "empty.py").touch()
    elif name in GROWN:
        grow(_cached_wheel("django", WHEELS["django"]) / "django", copy, GROWN[name])
    else:
        shutil.copytree(_cached_wheel(name, WHEELS[name]), copy)
    return copy


def count_lines(tree: Path) -> int:
    """Return how many lines of Python a tree has."""
    return sum(path.read_bytes().count(b"\n") for path in tree.rglob("*.py"))


def grow(package: Path, folder: Path, lines: int) -> None:
    """Write as many folders of a package as make so many lines, or as many copies of it.

    Each copy has a package name of its own, in its folder and in all its sources: the copies do
    not know of each other.
    """
    whole = count_lines(package)
    if lines < whole:
        for part in sorted(path for path in package.iterdir() if path.is_dir()):
            shutil.copytree(part, folder / package.name / part.name)
            if count_lines(folder) >= lines:
                break
        return
    for number in range(round(lines / whole)):
        name = f"{package.name}{number}"
        copy = shutil.copytree(package, folder / name)
        for path in copy.rglob("*.py"):
            text = re.sub(rb"\b%s\b" % package.name.encode(), name.encode(), path.read_bytes())
            path.write_bytes(text)


def append_line(tree: Path) -> str:
    """Append one line to the last function of the middle-sized file, and return its path.

    Files without a function do not count; when no file has one, the line ends the middle one.
    """
    files = [file for file in scan(Repository(tree.name, str(tree))) if file.skip is None]
    files.sort(key=lambda file: (file.size, file.path))
    sources = {file.path: Path(file.absolute).read_bytes() for file in files}
    edited = {path: text for path, source in sources.items() if (text := _longer(source))}
    if not edited:
        edited = {path: source + f"{_NEW_LINE}\n".encode() for path, source in sources.items()}
    path = list(edited)[len(edited) // 2]
    (tree / path).write_bytes(edited[path])
    return path


def _longer(source: bytes) -> bytes | None:
    """Return a source with one more line in its last function; None when that has no block."""
    try:
        nodes = list(ast.walk(ast.parse(source)))
    except (SyntaxError, ValueError, RecursionError):
        return None
    functions = [n for n in nodes if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]
    blocks = [node.body for node in functions if node.body[0].lineno > node.lineno]
    if not blocks:
        return None
    last = max((block[-1] for block in blocks), key=lambda statement: statement.lineno)
    lines = source.split(b"\n")
    indent = re.match(rb"\s*", lines[last.lineno - 1])
    assert indent is not None and last.end_lineno is not None
    lines.insert(last.end_lineno, indent[0] + _NEW_LINE.encode())
    longer = b"\n".join(lines)
    try:
        ast.parse(longer)
    except SyntaxError:
        return None
    return longer


def _cached_wheel(name: str, version: str) -> Path:
    cache = cache_dir("bench")
    tree = cache / f"{name}-{version}"
    if not tree.is_dir():
        with tempfile.TemporaryDirectory(dir=cache) as scratch:
            wheel = _download(f"{name}=={version}", Path(scratch))
            with zipfile.ZipFile(wheel) as archive:
                archive.extractall(Path(scratch, "tree"))
            Path(scratch, "tree").rename(tree)
    return tree


def _download(requirement: str, folder: Path) -> Path:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
    command += ["--no-deps", "--only-binary=:all:", "--dest", str(folder), requirement]
    for choice in (_PURE_WHEEL, ()):
        done = subprocess.run([*command, *choice], capture_output=True, text=True)
        if done.returncode == 0:
            return next(folder.glob("*.whl"))
    raise BenchError(f"{requirement} could not be fetched:\n{done.stderr.strip()}")
