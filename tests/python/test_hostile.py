"""Hostile input: whatever a file holds, it is a row, in bounded time, and others are not lost."""

from __future__ import annotations

import ast
import io
import random
import sysconfig
import tokenize
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from codelake.evidence.rows import ARRAYS, PARTS
from codelake.extract.isolation import Limits, extract_isolated
from codelake.sources.scan import ScannedFile, parse_repositories, scan
from conftest import Figures

pytestmark = pytest.mark.filterwarnings("ignore:.*use of fork:DeprecationWarning")
STDLIB = Path(sysconfig.get_path("stdlib"))
READERS = {"ast", "bytecode", "cst", "decode", "symtable", "tree_sitter"}  # the rest may not fail
OF_LIBCST = {"ParserSyntaxError", "UnfaithfulTreeError"}
STRAY = [b"(", b"'''", b"\\", b"\t", b"\r", b"\0", b"\xff", b":"]
PATIENT = Limits(seconds=300)

HOSTILE = {
    "list": "x = [" + "a, " * 100_000 + "]",
    "dict": "x = {" + "1: a, " * 100_000 + "}",
    "arguments": "f(" + "a, " * 100_000 + ")",
    "names": "from m import " + ", ".join(f"n{n}" for n in range(50_000)),
    "string": "x = '" + "é" * 1_000_000 + "'",
    "sum": "x = 1" + " + 1" * 100_000,
    "concatenation": "x = " + "'a' " * 100_000,
    "booleans": "x = " + " and ".join(["a"] * 100_000),
    "comparisons": "x = " + " < ".join(["a"] * 100_000),
    "attributes": "x" + ".y" * 2_000,
    "calls": "f" + "()" * 1_000,
    "brackets": "(" * 1_000 + ")" * 1_000,
    "lists": "x = " + "[" * 1_000 + "]" * 1_000,
    "unclosed": "(" * 100_000,
    "blocks": "".join(" " * n + "if a:\n" for n in range(1_000)) + " " * 1_000 + "pass",
    "elif": "if a: b\n" + "elif a: b\n" * 2_000,
    "functions": "".join(" " * n + f"def f{n}():\n" for n in range(90)) + " " * 90 + "return f0",
    "lambdas": "x = " + "lambda: " * 500 + "1",
    "statements": "x = f(a, b)\n" * 50_000,
    "branches": "if a:\n    x = 1\n" * 10_000 + "print(x)\n",
    "one line": "; ".join(["x = 1"] * 20_000),
    "f-strings": "x = " + "f'{a!r:>{b}}' " * 5_000,
    "returns": "\r" * 100_000 + "x = 1",
    "nothing": "\n" * 100_000,
    "nul": "x = 1\0\ny = 2\n",
    "surrogate": "x = '\\ud800'\n",
    "indents": "if a:\n\tb\n        c\n",
}


def written(folder: Path, contents: dict[str, bytes]) -> list[ScannedFile]:
    """Write files and return them as a scan would."""
    found = []
    for number, (name, raw) in enumerate(contents.items()):
        path = folder / f"m{number:05}.py"
        path.write_bytes(raw)
        found.append(ScannedFile("r", f"{name}.py", str(path), len(raw), ""))
    return found


def extracted(files: list[ScannedFile], part: str = "source") -> list[dict[str, Any]]:
    """Extract files, without the arrays, and insist on a row for each."""
    rows: list[dict[str, Any]] = []
    for batch in extract_isolated(files, 0, PATIENT, part):
        assert batch.schema.equals(PARTS[part])
        batch.validate(full=True)
        rows += batch.select(["path", "errors"]).to_pylist()
    assert sorted(row["path"] for row in rows) == sorted(file.path for file in files)
    return rows


def accepted(raw: bytes) -> bool:
    """Say whether CPython reads the syntax and the names of a file.

    It refuses a file that cannot be decoded, though compile() lets a stray byte in a comment pass.
    """
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(raw).readline)
        raw.decode(encoding)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(ast.parse(raw), "m.py", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError, UnicodeError):
        return False
    return True


def faults(rows: list[dict[str, Any]], files: list[ScannedFile]) -> Iterator[str]:
    """Yield what no file may have: errors of codelake, or any where CPython has none.

    LibCST is a parser of its own: what it refuses or cannot print back, CPython may take.
    """
    raws = {file.path: Path(file.absolute).read_bytes() for file in files}
    for row in rows:
        for error in row["errors"]:
            place = f"{row['path']}: {error['extractor']} {error['error_type']} {error['message']}"
            if error["extractor"] not in READERS or error["error_type"] == "ScopeMapError":
                yield place
            elif error["error_type"] not in OF_LIBCST and accepted(raws[row["path"]]):
                yield f"{place}, which CPython accepts"


@pytest.mark.parametrize("part", ["source", pytest.param("bytecode", marks=pytest.mark.prove)])
def test_hostile_files_are_rows(part: str, tmp_path: Path) -> None:
    files = written(tmp_path, {name: text.encode() for name, text in HOSTILE.items()})
    rows = extracted(files, part)
    killed = {e["error_type"] for row in rows for e in row["errors"] if e["extractor"] == "worker"}
    assert killed == set()


def test_a_file_of_50_megabytes_is_skipped_with_its_reason(tmp_path: Path) -> None:
    (tmp_path / "big.py").write_bytes(b"x = 1\n" * (50_000_000 // 6))
    (tmp_path / "small.py").write_bytes(b"x = 1\n")
    (repository,) = parse_repositories([str(tmp_path)])
    big, small = sorted(extracted(list(scan(repository))), key=lambda row: row["path"])
    assert [(e["extractor"], e["error_type"]) for e in big["errors"]] == [("scan", "FileTooLarge")]
    assert small["errors"] == []


def mutated(count: int, seed: int) -> dict[str, bytes]:
    """Return real files with pieces cut out, doubled, swapped and overwritten, and noise."""
    rng = random.Random(seed)
    small = sorted(p for p in STDLIB.glob("*.py") if p.stat().st_size < 20_000)
    result: dict[str, bytes] = {}
    for number in range(count):
        raw = bytearray(rng.choice(small).read_bytes())
        if number % 20 == 0:
            raw = bytearray(rng.randbytes(rng.randrange(2_000)))
        for _ in range(rng.randrange(1, 4)):
            at, size = rng.randrange(len(raw) + 1), rng.randrange(1, 80)
            other = rng.randrange(len(raw) + 1)
            piece = raw[other : other + size]
            match rng.randrange(5):
                case 0:
                    del raw[at : at + size]
                case 1:
                    raw[at:at] = piece
                case 2:
                    raw[at : at + size] = piece
                case 3:
                    raw[at:at] = rng.choice(STRAY)
                case 4:
                    raw[at : at + 1] = rng.randbytes(1)
        result[f"m{number}"] = bytes(raw)
    return result


def fuzz(folder: Path, count: int, seed: int, figures: Figures, part: str) -> Counter[str]:
    """Extract mutated files, a tenth of them where LibCST reads, and tell what they have."""
    files = written(folder, mutated(count, seed))
    files = files[::10] if part == "cst" else files
    rows = extracted(files, part)
    assert list(faults(rows, files)) == []
    whole = sum(not row["errors"] for row in rows)
    found = Counter(e["error_type"] for row in rows for e in row["errors"])
    figures(f"{len(rows)} rows, {whole} of them whole; errors {dict(found.most_common(8))}")
    return found


@pytest.mark.parametrize("part", ["source", "bytecode", "cst"])
def test_mutated_files_are_rows(part: str, tmp_path: Path, figures: Figures) -> None:
    found = fuzz(tmp_path, 100, 7, figures, part)
    assert found["SyntaxError"] > (10 if part != "cst" else 0)


@pytest.mark.prove
@pytest.mark.parametrize("part", ["source", "bytecode", "cst"])
def test_two_thousand_mutated_files_are_rows(part: str, tmp_path: Path, figures: Figures) -> None:
    fuzz(tmp_path, 2_000, 11, figures, part)


@pytest.mark.prove
@pytest.mark.parametrize("part", ["source", "bytecode"])
def test_the_standard_library_goes_through_every_extractor(part: str, figures: Figures) -> None:
    """Its test directory included; errors only where CPython itself refuses the file."""
    paths = sorted(p for p in STDLIB.rglob("*.py") if "site-packages" not in p.parts)
    names = [str(path.relative_to(STDLIB)) for path in paths]
    sizes = [path.stat().st_size for path in paths]
    files = [
        ScannedFile("stdlib", name, str(path), size, "")
        for name, path, size in zip(names, paths, sizes, strict=True)
    ]
    totals: Counter[str] = Counter(files=len(files), bytes=sum(sizes))
    wrong: list[str] = []
    for batch in extract_isolated(files, 0, PATIENT, part):
        for name in ARRAYS[part]:
            totals[name] += len(batch.column(name).flatten())
        rows = batch.select(["path", "errors"]).to_pylist()
        broken = [row for row in rows if row["errors"]]
        totals["rows"] += len(rows)
        paths_of = {file.path: file for file in files}
        wrong += faults(broken, [paths_of[row["path"]] for row in broken])
    figures(", ".join(f"{count:,} {name}" for name, count in totals.items()))
    assert wrong == []
    assert totals["rows"] == len(files)
