"""The compiler as a whole: same bytes, stale files, errors, and what follows from a relation."""

from __future__ import annotations

import re
import time
from dataclasses import replace
from pathlib import Path

import pytest

from codelake.compile import write as files
from codelake.compile.program import PROGRAM_PATH, Program
from codelake.compile.write import CompiledProject, compile_project
from codelake.errors import CodelakeError
from codelake.semantic.catalog import RELATIONS, catalogue
from codelake.semantic.spec_errors import CatalogueError

ROOT = Path(__file__).resolve().parents[2]
WAITS = re.compile(r"^-- depends_on: \{\{ ref\('(\w+)'\) \}\}\n", re.MULTILINE)


@pytest.fixture(scope="module")
def compiled() -> CompiledProject:
    return compile_project(ROOT)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with the sources of this one, and no generated file."""
    package = tmp_path / "python_hooks" / "codelake"
    (package.parent).mkdir()
    (package).mkdir()
    for part in ("semantic", "compile", "evidence"):
        (package / part).symlink_to(ROOT / "python_hooks" / "codelake" / part)
    files.write(tmp_path)
    return tmp_path


def test_compiling_twice_gives_the_same_bytes(compiled: CompiledProject) -> None:
    again = compile_project(ROOT)
    assert again.files == compiled.files
    assert list(again.files) == sorted(again.files)


def test_generated_files_are_up_to_date(compiled: CompiledProject) -> None:
    found = {path: (ROOT / path).read_text("utf-8") for path in compiled.files}
    assert found == compiled.files, "run `codelake compile`"
    assert files.is_stale(ROOT) == []
    assert files.check(ROOT) == []
    assert files.diff(ROOT) == ""


def test_quick_check_is_quick() -> None:
    taken = []
    for _ in range(5):
        start = time.perf_counter()
        files.is_stale(ROOT)
        taken.append(time.perf_counter() - start)
    assert min(taken) < 0.1


def test_the_whole_catalogue_compiles_in_two_seconds() -> None:
    taken = []
    for _ in range(3):
        start = time.perf_counter()
        compile_project(ROOT)
        taken.append(time.perf_counter() - start)
    assert min(taken) < 2


def test_every_model_has_a_header_and_a_contract(compiled: CompiledProject) -> None:
    for path, text in compiled.files.items():
        if path != PROGRAM_PATH and not path.endswith(".csv"):
            assert files.MARK in text.splitlines()[0], path
        if path.endswith(".sql"):
            assert path.removesuffix(".sql") + ".yml" in compiled.files
            assert max(map(len, text.splitlines())) <= 100, path


def test_second_write_changes_nothing(project: Path) -> None:
    assert files.write(project) == []
    assert files.is_stale(project) == []


def test_edited_missing_and_extra_files_are_stale(project: Path) -> None:
    edited, missing = project / "models/cpg/cpg_nodes.sql", project / "models/cpg/cpg_edges.yml"
    extra = project / "models/old/rel_gone.sql"
    edited.write_text(edited.read_text() + "-- by hand\n")
    missing.unlink()
    extra.parent.mkdir()
    extra.write_text(f"-- {files.MARK}catalog/gone.py, digest 0.\nselect 1\n")
    names = [
        "models/cpg/cpg_edges.yml",
        "models/cpg/cpg_nodes.sql",
        "models/old/rel_gone.sql",
    ]
    assert files.is_stale(project) == names
    assert files.check(project) == names
    assert "-- by hand" in files.diff(project)
    assert files.write(project) == names
    assert not extra.parent.exists()
    assert files.check(project) == []


def test_hand_made_files_are_never_touched(project: Path) -> None:
    mine = project / "models/own/mine.sql"
    mine.parent.mkdir()
    mine.write_text("select 1 as one\n")
    assert files.write(project) == []
    assert mine.read_text() == "select 1 as one\n"
    generated = project / "models/cpg/cpg_nodes.sql"
    generated.write_text("select 2 as two\n")
    with pytest.raises(CodelakeError, match="FILE_NOT_GENERATED"):
        files.write(project)
    assert generated.read_text() == "select 2 as two\n"


@pytest.mark.parametrize("name", ["gathered.py", "rows.py", "structs.py"])
def test_changed_source_is_stale(project: Path, name: str) -> None:
    link = project / "python_hooks/codelake/evidence"
    texts = {path.name: path.read_text() for path in link.glob("*.py")}
    link.unlink()
    link.mkdir()
    for file, text in texts.items():
        (link / file).write_text(text + "# later\n" * (file == name))
    assert files.is_stale(project) == [PROGRAM_PATH]
    assert files.check(project) == [PROGRAM_PATH]


def test_deleting_a_relation_changes_what_is_made_from_it(compiled: CompiledProject) -> None:
    fewer = tuple(r for r in RELATIONS if r.edge_kind != "RECEIVER")
    without = compile_project(ROOT, catalogue(fewer))
    path = "models/cpg/cpg_edges.sql"
    assert "'RECEIVER'" in compiled.files[path]
    assert "'RECEIVER'" not in without.files[path]
    assert "models/semantic/rel_receivers.sql" not in without.files
    assert _fingerprint(compiled, "cpg_edges") != _fingerprint(without, "cpg_edges")
    assert _fingerprint(compiled, "cpg_nodes") == _fingerprint(without, "cpg_nodes")
    assert compiled.program.program_hash != without.program.program_hash


def test_inputs_follow_the_relations(compiled: CompiledProject) -> None:
    only = tuple(r for r in RELATIONS if r.edge_kind in ("AST", "ARGUMENT"))
    program = compile_project(ROOT, catalogue(only)).program
    assert _dataset(program, "cpg_edges").refs == ("ast_nodes", "edge_methods")
    whole = _dataset(compiled.program, "cpg_edges").refs
    assert {"ast_nodes", "repo_files", "flow_edges", "symtable_names"} < {*whole}
    read = _dataset(compiled.program, "cpg_edges").inputs
    assert read == ("edge_methods", "evidence", "evidence_scip", "resolution")
    assert _dataset(compiled.program, "chk_edges_without_nodes").inputs == (
        "cpg_edges",
        "cpg_nodes",
    )


def test_nodes_are_scanned_once_for_all_edges(compiled: CompiledProject) -> None:
    sql = compiled.files["models/cpg/cpg_edges.sql"]
    assert sql.count("from ast_nodes") == 1
    kinds = {r.edge_kind for r in RELATIONS if r.edge_kind}
    assert all(f"'{kind}' as edge_kind" in sql for kind in kinds)


def test_description_changes_no_fingerprint(compiled: CompiledProject) -> None:
    whole = catalogue()
    described = [replace(d, description=d.description + " Indeed.") for d in whole.datasets]
    other = compile_project(ROOT, replace(whole, datasets=tuple(described)))
    assert other.program.program_hash == compiled.program.program_hash
    assert other.program.files != compiled.program.files


def test_errors_are_shown_together_with_place_and_fix() -> None:
    tree, containment, arguments, *rest = RELATIONS
    tree = replace(tree, ways=(replace(tree.ways[0], src="parent_node"),))
    arguments = replace(arguments, ways=(replace(arguments.ways[0], label="lowercase(keyword)"),))
    with pytest.raises(CatalogueError) as caught:
        compile_project(ROOT, catalogue((tree, containment, arguments, *rest)))
    assert [error.code for error in caught.value.errors] == [
        "SPEC_COLUMN_MISSING",
        "SPEC_FUNCTION_UNKNOWN",
    ]
    source = "python_hooks/codelake/semantic/catalog/syntax.py"
    lines = (ROOT / source).read_text().splitlines()
    place = caught.value.errors[0].place
    assert place.file == source
    assert "Way(ast_nodes" in lines[place.line - 1]
    text = str(caught.value)
    assert "rel_syntax_tree reads `parent_node` from ast_nodes, which has no such column." in text
    assert "  has: attrs, bend, bstart, call_id, col," in text
    assert f"  fix: correct it in {place}, then run `codelake compile`" in text


def test_program_gives_views_as_plain_sql_in_build_order(compiled: CompiledProject) -> None:
    seen: set[str] = set()
    for dataset in compiled.program.datasets:
        assert set(dataset.refs) <= seen
        seen.add(dataset.name)
        in_one_profile = dataset.write is not None and dataset.write.profile != ""
        if dataset.materialization == "view" or in_one_profile:
            assert (dataset.location is None) != in_one_profile
            assert dataset.sql is not None and "{{" not in dataset.sql
            model = compiled.files[f"models/{dataset.layer}/{dataset.name}.sql"]
            for name in dataset.refs:
                model = model.replace(f"{{{{ ref('{name}') }}}}", name)
            assert WAITS.sub("", model).split("\n", 2)[2] == dataset.sql
        else:
            assert dataset.location == f"codelake/{dataset.name}"
            assert dataset.sql is None
            assert (dataset.write is None) == (dataset.materialization == "seed")


def test_checks_wait_for_the_whole_graph(compiled: CompiledProject) -> None:
    checks = [each for each in compiled.program.datasets if each.layer == "checks"]
    for check in checks:
        model = compiled.files[f"models/checks/{check.name}.sql"]
        waits = {*WAITS.findall(model)}
        assert {"cpg_nodes", "cpg_edges"} <= waits | {*check.refs}
        assert not waits & {*check.refs}
    assert len(checks) > 5


def _dataset(program: Program, name: str):
    found = program.dataset(name)
    assert found is not None
    return found


def _fingerprint(compiled: CompiledProject, name: str) -> str:
    return str(_dataset(compiled.program, name).fingerprint)
