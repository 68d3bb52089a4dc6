"""Text cases of the compiler: datasets as text -> IR, SQL, YAML, plan or errors.

tests/cases/compile.test has an operation or a decision per case, compile_errors.test a mistake.
What is shown is that of the datasets which no other one reads.
"""

from __future__ import annotations

from cases import Case, check, parametrize
from catalogue_text import read_catalogue
from codelake.compile.assemble import assemble
from codelake.compile.emit_sql import emit_sql
from codelake.compile.emit_yaml import emit_yaml
from codelake.compile.pipeline import run_pipeline
from codelake.compile.plan import make_plan, print_plan
from codelake.compile.units import State
from codelake.semantic.check import check as check_catalogue
from codelake.semantic.ir import Scan, sources
from codelake.semantic.pprint import pprint_dataset, pprint_rows
from codelake.semantic.steps import known_of


@parametrize("compile")
def test_case(case: Case) -> None:
    catalogue = read_catalogue(case.source)
    assert check_catalogue(catalogue) == []
    state = run_pipeline(catalogue)
    printers = {
        "ir": lambda: _print_ir(state),
        "sql": lambda: _print_sql(state),
        "yaml": lambda: _print_yaml(state),
        "plan": lambda: print_plan(make_plan(assemble(state, "", {}), _shown(state))).splitlines(),
    }
    check(case, printers)
    for dataset in catalogue.datasets:
        if not isinstance(dataset.rows, Scan):
            again = read_catalogue(pprint_dataset(dataset)).datasets[0]
            assert pprint_dataset(again) == pprint_dataset(dataset)


@parametrize("compile_errors")
def test_error(case: Case) -> None:
    errors = check_catalogue(read_catalogue(case.source))
    check(case, {"error": lambda: [line for each in errors for line in str(each).splitlines()]})


def _shown(state: State) -> list[str]:
    read = {name for dataset in state.catalogue.datasets for name in sources(dataset.rows)}
    return [unit.name for unit in state.units if unit.name not in read]


def _print_ir(state: State) -> list[str]:
    return [
        line for name in _shown(state) for line in pprint_rows(state.unit(name).rows).splitlines()
    ]


def _print_sql(state: State) -> list[str]:
    known = known_of(state.catalogue)
    lines: list[str] = []
    for name in _shown(state):
        columns = tuple(c.name for c in known.datasets[name].columns)
        lines += emit_sql(state.unit(name).rows, columns, known).splitlines()
    return lines


def _print_yaml(state: State) -> list[str]:
    texts = {meaning.name: meaning.text for meaning in state.catalogue.meanings}
    made = (emit_yaml(state.unit(name), texts) for name in _shown(state))
    return [line for text in made for line in text.splitlines()]
