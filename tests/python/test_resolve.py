"""Resolution: text cases of every kind of row, the call cases, and calls seen at run time."""

from __future__ import annotations

from pathlib import Path

import pytest

from call_programs import FRESH, SECOND, THIRD, TUNING, areas, programs
from cases import FOLDER, Case, check, load_cases
from codelake.resolve.load import read_repository
from codelake.resolve.resolve import resolve
from conftest import Figures
from drivers_packages import PACKAGES
from resolve_rows import Printer
from resolve_score import Score, score
from resolve_trace import found, package_paths, paths, traced

CASES = [
    case
    for path in sorted((FOLDER / "resolve").glob("*.test"))
    for case in load_cases(f"resolve/{path.stem}")
]
PRECISION, RECALL, SEEN, SEEN_OF_PACKAGE = 0.98, 0.95, 0.9, 0.85


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{Path(case.file).name}-{case.name}")
def test_rows(case: Case) -> None:
    check(case, Printer(case.source).sections())


@pytest.mark.parametrize("folder", [TUNING, FRESH, SECOND, THIRD])
def test_call_cases(folder: str, figures: Figures) -> None:
    total = Score()
    for area in areas(folder):
        for program in programs(folder, area):
            total.add(score(program))
    figures(f"precision {total.precision:.4f} recall {total.recall:.4f}")
    assert total.precision >= PRECISION, "\n".join(total.wrong)
    assert total.recall >= RECALL, "\n".join(total.missed)


def test_calls_seen_at_run_time(figures: Figures) -> None:
    files = paths()
    known = found(files)
    seen = traced(("textwrap", "difflib", "string", "json.encoder", "configparser"), files)
    figures(f"{len(seen & known)} of {len(seen)} calls found")
    assert len(seen & known) / len(seen) >= SEEN


@pytest.mark.parametrize("package", PACKAGES)
def test_calls_of_packages_seen_at_run_time(package: str, figures: Figures) -> None:
    files = package_paths(package)
    seen, known = traced((package,), files, PACKAGES), found(files)
    figures(f"{len(seen & known)} of {len(seen)} calls found")
    assert len(seen) >= 30
    assert len(seen & known) / len(seen) >= SEEN_OF_PACKAGE


def test_equal_files_give_equal_rows() -> None:
    files = {path: path.read_bytes() for path in Path(__file__).parent.glob("resolve_*.py")}
    sources = {path.name: raw for path, raw in files.items()}
    first, second = (resolve(read_repository("r", sources)) for _ in range(2))
    assert first == second


def test_a_broken_file_is_left_out() -> None:
    sources = {"a.py": b"import b\nb.f()\n", "b.py": b"def f(: ...\n", "c.py": b"def g(): ...\n"}
    result = resolve(read_repository("r", sources))
    assert [(row.file, row.external) for row in result.calls] == [(0, "b.f")]


HEADS = (
    *("Tuple", "tuple", "List", "list", "Dict", "dict", "Optional", "Union", "Final", "ClassVar"),
    *("Annotated", "Type", "type", "Callable", "Literal", "Awaitable", "Generator", "Unpack"),
)
ITEMS = (
    *("()", "[]", "...", "(int,)", "1", "'x'", "None", "(*a,)", "int, ...", "[int], str", "{}"),
    *("lambda: 0", "a.b.c", "(x := 1)", "''", "'('", "f''", "(), ()"),
)
ANNOTATED = """\
from typing import *
def f(a: {0}, *b: {0}, **c: {0}) -> {0}:
    x: {0}
    for each in a: each()
    a.m(), a[0](), b[0].m(), c['x'](), x()
    return a
f().m()
"""


@pytest.mark.parametrize("head", HEADS)
def test_any_annotation_is_read(head: str) -> None:
    for item in ITEMS:
        for written in (f"{head}[{item}]", repr(f"{head}[{item}]")):
            source = ANNOTATED.format(written).encode()
            assert resolve(read_repository("r", {"m.py": source})).faults == [], written


def test_a_fault_of_an_annotation_is_told_and_costs_only_that(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(*_: object) -> None:
        raise LookupError("no luck")

    monkeypatch.setattr("codelake.resolve.seeds.annotated", fail)
    source = b"def g(): ...\ndef f(a: list):\n    a.m()\n    g()\n"
    result = resolve(read_repository("r", {"m.py": source}))
    assert result.faults == ["fail: LookupError: no luck"]
    assert [(row.kind, row.tier) for row in result.calls] == [("explicit", "direct")]


def test_arguments_handed_on_in_a_circle_come_to_an_end() -> None:
    ring = "".join(f"def f{n}(*a):\n    f{(n + 1) % 9}(1, *a)\n    a[9]()\n" for n in range(9))
    result = resolve(read_repository("r", {"m.py": f"{ring}f0(print)\n".encode()}))
    assert result.faults == []
    assert "builtins.print" in {row.external for row in result.calls}


def test_arguments_handed_on_by_many_reach_the_last() -> None:
    chain = "".join(f"def f{n}(*a):\n    f{n + 1}(*a)\n" for n in range(400))
    source = f"{chain}def f400(*a):\n    a[0]()\nf0(print)\n"
    result = resolve(read_repository("r", {"m.py": source.encode()}))
    assert result.faults == []
    assert "builtins.print" in {row.external for row in result.calls}


def test_classes_stored_as_methods_that_make_instances_come_to_an_end() -> None:
    source = b"""
from dataclasses import dataclass
@dataclass
class A: ...
@dataclass
class B: ...
@dataclass
class C: ...
@dataclass
class D: ...
def change(cls, name, value):
    setattr(cls, name, value)
for each in (C, D):
    for other in (C, D):
        each.__post_init__ = other
for each in (A, B):
    for other in (A, B):
        each.__init__ = other
        each.__new__ = other
        each.__call__ = other
        change(each, input(), other)
A()()
B()()
C(), D()
"""
    result = resolve(read_repository("r", {"m.py": source}))
    assert result.faults == []
    assert {row.target.def_no for row in result.calls if row.target} >= {1, 2}


DECORATORS = {
    "function": """
def keep(f=None, **options):
    if f is None:
        return partial(keep, **options)
    KEPT.append(f)
    return f
""",
    "class": """
class keep:
    def __init__(self, f=None, **options):
        self.f = f
        self.options = options
    def __call__(self, *a):
        if self.f is None:
            return keep(*a, **self.options)
        return self.f(*a)
""",
}


@pytest.mark.parametrize("kind", DECORATORS)
@pytest.mark.parametrize("head", ["@keep", "@keep(x=1)"])
def test_what_decorators_make_is_kept_apart_for_each_place(kind: str, head: str) -> None:
    """One decorator over 700 functions: `f500().go()` leads to C500.go only."""
    each = "".join(
        f"class C{n}:\n    def go(self): ...\n{head}\ndef f{n}():\n    return C{n}()\n"
        f"def use{n}():\n    f{n}().go()\nuse{n}()\n"
        for n in range(700)
    )
    source = f"from functools import partial\nKEPT = []\n{DECORATORS[kind]}{each}"
    files = read_repository("r", {"m.py": source.encode()})
    paths_of = [place.path for place in files[0].definitions]
    went = {
        (paths_of[row.caller], paths_of[row.target.def_no])
        for row in resolve(files).calls
        if row.target is not None and paths_of[row.target.def_no].endswith(".go")
    }
    assert went == {(f"use{n}", f"C{n}.go") for n in range(700)}
