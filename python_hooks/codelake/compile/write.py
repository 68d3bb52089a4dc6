"""Generated files: make them, write what changed, say what is stale.

    write(root)      -> paths that were written or removed
    check(root)      -> paths that are stale, missing or no longer produced
    diff(root)       -> what `write` would change
    is_stale(root)   -> the same question as `check`, by hashes alone, in milliseconds

A file belongs to the compiler when its first line says so; no other file is ever touched.
The compiler itself is imported only when it is needed: `is_stale` runs before every dbt command.
"""

from __future__ import annotations

import difflib
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from codelake.compile.program import PROGRAM_PATH, Program, decode_program, encode_program
from codelake.errors import CodelakeError

if TYPE_CHECKING:
    from codelake.compile.units import State, Unit
    from codelake.semantic.ir import Catalogue

MARK = "Generated from python_hooks/codelake/semantic/"
_ADVICE = "Do not edit: run `codelake compile`."
_PACKAGE = "python_hooks/codelake"
_SCHEMAS = ("gathered.py", "rows.py", "structs.py")
_FOLDERS = ("models", "seeds", "docs")
_DATA_MODEL = "docs/data_model.md"
_EXPOSURES = "models/_exposures.yml"


@dataclass(frozen=True, slots=True)
class CompiledProject:
    """Every generated file by its path from the project root, and the program in it."""

    files: dict[str, str]
    program: Program


def compile_project(root: Path, catalogue: Catalogue | None = None) -> CompiledProject:
    """Compile a catalogue, without writing anything.

    Args:
        root: the project, whose sources are digested into the program.
        catalogue: what to compile; the project's own when not given.

    Raises:
        CatalogueError: with every mistake of the catalogue.
    """
    from codelake.compile.assemble import assemble, dataset_sql
    from codelake.compile.emit_csv import emit_csv
    from codelake.compile.emit_docs import emit_data_model
    from codelake.compile.emit_exposures import emit_exposures
    from codelake.compile.emit_yaml import emit_seed_yaml, emit_yaml
    from codelake.compile.pipeline import run_pipeline
    from codelake.semantic.catalog import catalogue as whole
    from codelake.semantic.ir import Seed

    state = run_pipeline(catalogue if catalogue is not None else whole())
    texts = {meaning.name: meaning.text for meaning in state.catalogue.meanings}
    files: dict[str, str] = {}
    for unit in state.units:
        stem = f"models/{unit.dataset.layer}/{unit.name}"
        origin = unit.dataset.place.file.removeprefix("python_hooks/codelake/semantic/")
        digest = unit.fingerprint[:8]
        if isinstance(unit.rows, Seed):
            stem = f"seeds/{unit.name}"
            files[f"{stem}.csv"] = emit_csv(unit.rows)
            files[f"{stem}.yml"] = _header("# ", origin, digest) + emit_seed_yaml(unit, texts)
            continue
        head = _header("-- ", origin, digest) + _waits(state, unit)
        files[f"{stem}.sql"] = head + dataset_sql(state, unit)
        files[f"{stem}.yml"] = _header("# ", origin, digest) + emit_yaml(unit, texts)
    text = emit_data_model(state)
    head = f"<!-- {MARK}catalog, digest {_digest(text.encode())[:8]}. {_ADVICE} -->\n\n"
    files[_DATA_MODEL] = head + text
    exposures = emit_exposures(state)
    files[_EXPOSURES] = _header("# ", "catalog", _digest(exposures.encode())[:8]) + exposures
    digests = {path: _digest(text.encode()) for path, text in sorted(files.items())}
    program = assemble(state, source_digest(root), digests)
    files[PROGRAM_PATH] = encode_program(program)
    return CompiledProject(dict(sorted(files.items())), program)


def _header(comment: str, origin: str, digest: str) -> str:
    return f"{comment}{MARK}{origin}, digest {digest}.\n{comment}{_ADVICE}\n"


def _waits(state: State, unit: Unit) -> str:
    """Let a check wait for the whole graph: beside a write it would take turns for the cores."""
    if unit.dataset.check is None:
        return ""
    graph = [each for each in state.units if each.dataset.layer == "cpg" and each.is_kept]
    return "".join(
        f"-- depends_on: {{{{ ref('{each.name}') }}}}\n"
        for each in graph
        if each.name not in unit.refs
    )


def write(root: Path, compiled: CompiledProject | None = None) -> list[str]:
    """Write what changed and remove generated files that are no longer produced.

    Raises:
        CodelakeError: FILE_NOT_GENERATED, when a hand-made file stands where one must go.
    """
    compiled = compiled or compile_project(root)
    changed = [path for path, text in compiled.files.items() if _read(root / path) != text]
    foreign = [path for path in changed if (root / path).exists() and not _is_ours(root, path)]
    if foreign:
        raise CodelakeError(
            "FILE_NOT_GENERATED",
            f"{', '.join(foreign)} would be overwritten, but has no header of the compiler.",
            "move it away, or rename the dataset",
        )
    for path in changed:
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        aside = target.with_name(f".{target.name}.new")
        aside.write_text(compiled.files[path], encoding="utf-8", newline="\n")
        aside.replace(target)
    extra = _extra(root, compiled.files)
    for path in extra:
        (root / path).unlink()
        if not any((root / path).parent.iterdir()):
            (root / path).parent.rmdir()
    return sorted([*changed, *extra])


def check(root: Path) -> list[str]:
    """Return the paths that `write` would change: stale, missing, or no longer produced."""
    if not is_stale(root):
        return []
    files = compile_project(root).files
    changed = [path for path, text in files.items() if _read(root / path) != text]
    return sorted([*changed, *_extra(root, files)])


def diff(root: Path) -> str:
    """Return what `write` would change, as a unified diff."""
    files = compile_project(root).files
    lines: list[str] = []
    for path in sorted({*files, *_extra(root, files)}):
        before = (_read(root / path) or "").splitlines(keepends=True)
        after = files.get(path, "").splitlines(keepends=True)
        lines += difflib.unified_diff(before, after, f"a/{path}", f"b/{path}")
    return "".join(lines)


def is_stale(root: Path) -> list[str]:
    """Return paths that cannot be what the compiler would write; hashes only.

    A change of the catalogue or the compiler shows as `models/program.json`.
    """
    try:
        program = decode_program((root / PROGRAM_PATH).read_bytes())
    except (OSError, CodelakeError):
        return [PROGRAM_PATH]
    stale = [] if program.source_digest == source_digest(root) else [PROGRAM_PATH]
    for path, digest in program.files.items():
        try:
            found = _digest((root / path).read_bytes())
        except OSError:
            found = ""
        if found != digest:
            stale.append(path)
    return sorted([*stale, *_extra(root, program.files)])


def source_digest(root: Path) -> str:
    """Hash what generated files are made from: the catalogue, the compiler, the row schemas."""
    package = root / _PACKAGE
    paths = [*(package / "semantic").rglob("*.py"), *(package / "compile").rglob("*.py")]
    paths += [package / "evidence" / name for name in _SCHEMAS]
    digest = hashlib.sha256()
    for path in sorted(paths):
        digest.update(path.relative_to(package).as_posix().encode() + b"\0")
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _read(path: Path) -> str | None:
    try:
        return path.read_bytes().decode("utf-8", "replace")
    except OSError:
        return None


def _is_ours(root: Path, path: str) -> bool:
    if path == PROGRAM_PATH:
        return True
    if path.endswith(".csv"):  # takes no comment: it belongs to whom the YAML beside it does
        path = f"{path.removesuffix('.csv')}.yml"
    try:
        with (root / path).open("rb") as file:
            return MARK.encode() in file.readline()
    except FileNotFoundError:
        return False


def _extra(root: Path, produced: dict[str, str]) -> list[str]:
    """Return files with our header that are not produced."""
    found: Iterator[Path] = (path for each in _FOLDERS for path in (root / each).rglob("*.*"))
    names = (path.relative_to(root).as_posix() for path in found if path.is_file())
    unknown = (name for name in names if name not in produced and name != PROGRAM_PATH)
    return sorted(name for name in unknown if _is_ours(root, name))
