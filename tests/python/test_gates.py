"""The gates of `make lint` can fail: each is shown something wrong and must say so.

That the project itself passes them is for `make lint`; what no tool there looks at (lock file,
hook versions, one macro per file, keys of YAML files) is checked here.
"""

from __future__ import annotations

import importlib.util
import re
import shutil
from pathlib import Path
from types import ModuleType
from typing import Any

import jsonschema
import pytest
import yaml
from dbt.jsonschemas.jsonschemas import project_schema, resources_schema
from sqlfluff.core import FluffConfig, Linter

ROOT = Path(__file__).resolve().parents[2]

# ---------- sqlfluff

GOOD = """\
with

listed as (

    select * from {{ ref('repo_files') }}

),

sizes as (

    select
        repo,
        count(*) as copies,
        cast(max(size_bytes) as int) as largest
    from listed
    group by repo

)

select * from sizes
"""
BAD = {
    "CP01": ("    select\n        repo,", "    SELECT\n        repo,"),
    "CP02": ("copies,", "Copies,"),
    "CP03": ("count(*)", "COUNT(*)"),
    "CP05": ("as int)", "as INT)"),
    "AL02": ("count(*) as copies", "count(*) copies"),
    "AL03": ("count(*) as copies", "count(*)"),
    "CV03": ("largest\n", "largest,\n"),
    "CV11": ("cast(max(size_bytes) as int)", "max(size_bytes)::int"),
    "LT02": ("        repo,", "      repo,"),
    "LT04": ("repo,\n        count", "repo\n        , count"),
    "LT05": ("repo,\n", "repo," + " " * 20 + "-- " + "x" * 80 + "\n"),
    "LT08": ("),\n\nsizes", "),\nsizes"),
    "ST03": ("select * from sizes", "select repo from listed"),
    "ST05": ("from listed\n", "from (select * from listed) as inner_step\n"),
    "TMP": ("ref('repo_files')", "no_such_macro('repo_files')"),
}


@pytest.fixture(scope="module")
def linter() -> Linter:
    return Linter(config=FluffConfig.from_path(str(ROOT)))


def _codes(linter: Linter, sql: str) -> set[str]:
    return {found.rule_code() for found in linter.lint_string(sql).get_violations()}


def test_sqlfluff_passes_the_style(linter: Linter) -> None:
    assert _codes(linter, GOOD) == set()
    assert _codes(linter, "select a\nfrom {{ scanned_files() }}\n") == set()


@pytest.mark.parametrize("code", BAD)
def test_sqlfluff_flags(linter: Linter, code: str) -> None:
    right, wrong = BAD[code]
    assert GOOD.count(right) == 1
    assert code in _codes(linter, GOOD.replace(right, wrong))


def test_sqlfluff_passes_no_long_file_over(tmp_path: Path) -> None:
    shutil.copy(ROOT / ".sqlfluff", tmp_path)
    (tmp_path / "macros").symlink_to(ROOT / "macros")
    long = tmp_path / "long.sql"
    long.write_text(
        "-- a longer file than sqlfluff reads unless told to\n" * 500 + "SELECT 1 as a\n"
    )
    linter = Linter(config=FluffConfig.from_path(str(tmp_path)))
    found = linter.lint_paths((str(long),), ignore_files=False).get_violations()
    assert [violation.rule_code() for violation in found] == ["CP01"]


# ---------- the rules of dbt-bouncer that are ours


@pytest.fixture(scope="module")
def house_rules() -> ModuleType:
    path = ROOT / "tests" / "gates" / "manifest" / "house_rules.py"
    spec = importlib.util.spec_from_file_location("house_rules", path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("sql", "tables"),
    [
        (GOOD, []),
        ("select * from {{ ref('a') }} lateral view explode(b) c as d", []),
        ("select * from a", ["a"]),
        ("with a as (select * from a) select * from a", ["a"]),
        (
            "with a as (select 1 as b) select * from a left anti join lake.c on a.b = c.b",
            ["lake.c"],
        ),
        ("select * from delta.`/lake/a`", ["delta.`/lake/a`"]),
    ],
)
def test_tables_without_ref_are_found(house_rules: ModuleType, sql: str, tables: list[str]) -> None:
    assert [table.partition(" ")[0] for table in house_rules.bare_tables(sql)] == tables


# ---------- lock file


def _lock_problems(text: str) -> list[str]:
    """Return what is wrong with a lock file: requirements without hash, addresses, options."""
    problems = [f"an address: {line}" for line in text.splitlines() if "http" in line.lower()]
    for block in re.split(r"\n(?=\S)", text.strip()):
        requirement = block.split("\n")[0]
        if requirement.startswith("-"):
            problems.append(f"an option: {requirement}")
        elif not requirement.startswith("#") and "--hash=sha256:" not in block:
            problems.append(f"no hash: {requirement}")
    return problems


def _locked(name: str) -> str:
    lock = (ROOT / "requirements.lock").read_text()
    version = re.search(rf"^{re.escape(name)}==(\S+)", lock, re.MULTILINE)
    assert version, f"{name} is not locked"
    return version[1]


def test_lock_has_hashes_and_no_address() -> None:
    text = (ROOT / "requirements.lock").read_text()
    assert text.count("==") > 50
    assert _lock_problems(text) == []


def test_lock_without_hash_or_with_address_is_found() -> None:
    good = (
        "a==1 \\\n    --hash=sha256:00\n    # via b\nb==2 ; extra == 'c' \\\n    --hash=sha256:11\n"
    )
    assert _lock_problems(good) == []
    assert _lock_problems(good.replace(" \\\n    --hash=sha256:11", "")) == [
        "no hash: b==2 ; extra == 'c'"
    ]
    assert len(_lock_problems("--index-url https://registry.test\n" + good)) == 2


# ---------- hooks and targets


def test_pre_commit_carries_the_tools_of_the_lock() -> None:
    config = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())
    repos = {repo["repo"].rpartition("/")[2]: repo for repo in config["repos"]}
    assert repos["sqlfluff"]["rev"] == _locked("sqlfluff")
    assert repos["ruff-pre-commit"]["rev"] == f"v{_locked('ruff')}"
    assert re.fullmatch(r"v\d+\.\d+\.\d+", repos["dbt-checkpoint"]["rev"])
    hooks = {hook["id"] for repo in config["repos"] for hook in repo["hooks"]}
    assert hooks >= {
        "ruff-check",
        "ruff-format",
        "sqlfluff-lint",
        "check-model-has-description",
        "check-model-columns-have-desc",
        "check-model-has-contract",
        "check-script-has-no-table-name",
        "check-script-semicolon",
    }


def test_lint_runs_every_gate_and_hides_none() -> None:
    recipe = re.search(r"^lint:.*\n((?:\t.*\n)+)", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert recipe
    for gate in (
        "ruff check .",
        "ruff format --check .",
        "mypy",
        "codelake compile --check",
        "sqlfluff lint",
        "dbt --quiet --warn-error parse",
        "dbt-bouncer",
    ):
        assert f"$(BIN)/{gate}" in recipe[1]
    assert not re.search(r"\|\||/dev/null|--nofail|^\t@?-", recipe[1], re.MULTILINE)


# ---------- macros

_OPENING = re.compile(r"\{%-?\s*(macro|test|materialization)\s+(\w+)(?:\(([^)]*)\))?([^%]*)%\}")


def _macros(path: Path) -> dict[str, tuple[str, list[str]]]:
    """Return the macros of a file: dbt's name -> name in the file, names of the arguments."""
    found = {}
    for kind, name, arguments, rest in _OPENING.findall(path.read_text()):
        adapter = re.search(r"adapter='(\w+)'", rest)
        suffix = f"_{adapter[1]}" if adapter else ""
        prefix = "" if kind == "macro" else f"{kind}_"
        names = [
            part.split("=")[0].strip() for part in (arguments or "").split(",") if part.strip()
        ]
        found[f"{prefix}{name}{suffix}"] = (name, names)
    return found


def _macro_problems(folder: Path) -> list[str]:
    """Return what is wrong with the macros of a folder and their `_macros.yml`."""
    described = {
        entry["name"]: entry
        for entry in yaml.safe_load((folder / "_macros.yml").read_text())["macros"]
    }
    problems = []
    defined: dict[str, list[str]] = {}
    for path in sorted(folder.rglob("*.sql")):
        macros = _macros(path)
        public = [name for name, _ in macros.values() if not name.startswith("_")]
        # dbt finds the materialisation of seeds by the name `seed`
        delta = "delta_" if "{% materialization " in path.read_text() else ""
        if public not in ([path.stem], [path.stem.removeprefix(delta)]):
            problems.append(f"{path.name} holds {public}")
        if re.search(r"\b[A-Z]{2,}\b|;", _plain_sql(path.read_text())):
            problems.append(f"{path.name} has SQL in upper case or a semicolon")
        defined |= {name: arguments for name, (_, arguments) in macros.items()}
    for name, arguments in defined.items():
        entry: dict[str, Any] = described.get(name, {})
        if not entry.get("description"):
            problems.append(f"{name} is not described")
        if [argument["name"] for argument in entry.get("arguments", [])] != arguments:
            problems.append(f"{name} has other arguments: {arguments}")
        for argument in entry.get("arguments", []):
            if not (argument.get("type") and argument.get("description")):
                problems.append(f"{name}: {argument['name']} has no type or description")
    return problems + [f"{name} does not exist" for name in described if name not in defined]


def _plain_sql(text: str) -> str:
    """Return what is neither Jinja nor quoted: the SQL of a macro, which sqlfluff does not see."""
    return re.sub(r"\{#.*?#\}|\{%.*?%\}|\{\{.*?\}\}|'[^']*'", " ", text, flags=re.DOTALL)


def test_macros_are_one_a_file_and_described() -> None:
    assert _macro_problems(ROOT / "macros") == []


def test_macros_that_are_not_are_found(tmp_path: Path) -> None:
    (tmp_path / "_macros.yml").write_text(
        "macros:\n"
        "  - {name: right, description: d, arguments: [{name: a, type: any, description: d}]}\n"
        "  - {name: shout, description: d, arguments: [{name: a, description: d}]}\n"
        "  - {name: gone, description: d}\n"
    )
    (tmp_path / "right.sql").write_text("{% macro right(a=none) %}select {{ A }}{% endmacro %}\n")
    (tmp_path / "shout.sql").write_text("{% macro shout(a) %}SELECT 'A;'{% endmacro %}\n")
    (tmp_path / "two.sql").write_text(
        "{% macro two() %}{% endmacro %}{% macro three(a) %}{% endmacro %}"
        "{%- macro _own() -%}{%- endmacro -%}\n"
    )
    assert _macro_problems(tmp_path) == [
        "shout.sql has SQL in upper case or a semicolon",
        "two.sql holds ['two', 'three']",
        "shout: a has no type or description",
        "two is not described",
        "three is not described",
        "three has other arguments: ['a']",
        "_own is not described",
        "gone does not exist",
    ]


# ---------- YAML: dbt warns of keys that it does not know under four adapters only, ours is none


def _unknown_keys(schema: dict[str, Any], text: str) -> list[str]:
    document = yaml.safe_load(text.replace("materialized: delta_table", "materialized: table"))
    return [error.message for error in jsonschema.Draft7Validator(schema).iter_errors(document)]


def test_yaml_has_only_keys_that_dbt_knows() -> None:
    files = [
        path for folder in ("models", "seeds", "macros") for path in ROOT.glob(f"{folder}/**/*.yml")
    ]
    assert len(files) > 10
    schema = resources_schema()
    assert {
        str(path): found for path in files if (found := _unknown_keys(schema, path.read_text()))
    } == {}
    assert _unknown_keys(project_schema(), (ROOT / "dbt_project.yml").read_text()) == []


def test_yaml_with_an_unknown_key_is_found() -> None:
    text = (ROOT / "macros" / "_macros.yml").read_text()
    assert _unknown_keys(resources_schema(), text.replace("    description:", "    desc:", 1))
