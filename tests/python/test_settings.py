"""Parameters of a build: one declaration, the same in dbt_project.yml, and checked at the start."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from codelake.compile.program import read_program
from codelake.errors import CodelakeError
from codelake.run.scan_plan import PROFILE_PARTS, ScanRequest
from codelake.run.settings import check_settings
from codelake.semantic.catalog.settings import PARAMETERS

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = read_program(ROOT)
VARS = yaml.safe_load((ROOT / "dbt_project.yml").read_text("utf-8"))["vars"]


def test_vars_of_the_project_are_the_parameters() -> None:
    declared = {
        p.name: list(p.default) if isinstance(p.default, tuple) else p.default for p in PARAMETERS
    }
    assert declared == VARS
    check_settings(PROGRAM, VARS)


def test_every_var_that_a_macro_or_model_reads_is_a_parameter() -> None:
    texts = [path.read_text("utf-8") for path in (ROOT / "macros").rglob("*.sql")]
    texts += [path.read_text("utf-8") for path in (ROOT / "models").rglob("*.sql")]
    read = {name for text in texts for name in re.findall(r"\bvar\('(\w+)'", text)}
    assert read == VARS.keys()


def test_a_scan_takes_the_parameters_with_their_defaults() -> None:
    request = ScanRequest()
    found = {name: getattr(request, name) for name in ScanRequest.__struct_fields__}
    declared = {p.name: p.default for p in PARAMETERS}
    assert found == {name: declared[name] for name in found}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"repo": ["app"]}, "VAR_UNKNOWN: there is no var `repo`.\n  fix: use `repos`; there are "),
        ({"repos": [1]}, "VAR_INVALID: the var `repos` is [1], not a list of texts."),
        ({"repos": {"a": "b"}}, "VAR_INVALID: the var `repos` is {'a': 'b'}, not a list of texts."),
        ({"id_salt": "x"}, "VAR_INVALID: the var `id_salt` is 'x', not a whole number."),
        ({"id_salt": True}, "VAR_INVALID: the var `id_salt` is True, not a whole number."),
        ({"build_profile": "fast"}, "`build_profile` is 'fast', not one of default, full, "),
    ],
)
def test_wrong_vars_are_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(CodelakeError) as caught:
        check_settings(PROGRAM, given)
    assert message in str(caught.value)


@pytest.mark.spark
def test_dbt_refuses_a_wrong_var_before_it_reads_the_project(
    command: Callable[..., subprocess.CompletedProcess[str]],
) -> None:
    done = command("dbt", "ls", "--vars", "{repo: [app]}")
    assert done.returncode != 0
    assert "VAR_UNKNOWN: there is no var `repo`." in done.stdout


def test_one_text_is_a_list_of_one() -> None:
    check_settings(PROGRAM, {"repos": "app", "id_salt": 7, "build_profile": "full"})


def test_every_profile_can_be_asked_for() -> None:
    for profile in PROFILE_PARTS:
        check_settings(PROGRAM, {"build_profile": profile})
