"""The command `codelake`: help, one-line errors, exit codes, bound arguments."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from codelake.cli.main import main
from codelake.run import java, profiles


def call(*arguments: str | Path):
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


@pytest.mark.parametrize("name", sorted(main.commands))
def test_every_command_has_help(name: str) -> None:
    done = call(name, "--help")
    assert done.exit_code == 0
    assert len(done.output.splitlines()) > 4
    assert r"\b" not in done.output  # each example has its own line


def test_a_bare_call_prints_help() -> None:
    assert "  Examples:\n    codelake build ../app" in call().output


def test_known_errors_are_short_and_exit_with_1(tmp_path: Path) -> None:
    done = call("build", tmp_path / "nowhere")
    assert done.exit_code == 1
    assert re.search(r"REPOSITORY_MISSING: .*nowhere", done.output)
    assert "Traceback" not in done.output
    done = call("query", "select 1", "--lake", tmp_path / "none")
    assert done.exit_code == 1
    assert done.output.startswith("LAKE_MISSING")
    for question in (["flows", "a", "b"], ["explain", "1"], ["stats"], ["refs", "a"]):
        done = call(*question, "--lake", tmp_path / "none")
        assert done.exit_code == 1
        assert done.output.startswith("LAKE_MISSING")
    (tmp_path / "begun" / "codelake").mkdir(parents=True)
    done = call("flows", "a", "b", "--lake", tmp_path / "begun")
    assert done.exit_code == 1
    assert done.output.startswith("TABLE_MISSING")
    for option in ("--environment", "--lock-file", "--scip"):
        done = call("build", tmp_path, option, tmp_path / "nothing")
        assert done.exit_code == 1
        assert re.match(r"PATH_MISSING: .*nothing", done.output)
        done = call("build", tmp_path, option, "other=nothing")
        assert done.output.startswith("REPOSITORY_UNKNOWN")
    done = call("build", tmp_path, "--target", "moon")
    assert done.exit_code == 1
    assert done.output.startswith("TARGET_UNKNOWN")


def test_wrong_usage_exits_with_2(tmp_path: Path) -> None:
    assert call("build").exit_code == 2
    assert call("query", "select 1", "--param", "a b=1").exit_code == 2


def test_without_java_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    java.find_java.cache_clear()
    monkeypatch.setattr(java, "_candidates", lambda: iter(()))
    done = call("setup")
    java.find_java.cache_clear()
    assert done.exit_code == 1
    assert "Java 17 or 21" in done.output
    assert "openjdk-17" in done.output


def test_generated_profiles_are_fresh() -> None:
    assert profiles.stale_profiles() == []


@pytest.mark.spark
def test_query_binds_its_arguments(shop_lake: Path) -> None:
    sql = "select qualified_name as q from cpg_nodes where name = :name and node_kind = 'FUNCTION'"
    done = call("query", sql, "--lake", shop_lake, "--param", "name=add", "--format", "json")
    assert json.loads(done.output) == [{"q": "shop.cart.Cart.add"}]
    done = call(
        "query", sql, "--lake", shop_lake, "--param", "name=' or '1'='1", "--format", "json"
    )
    assert json.loads(done.output) == []
    done = call("query", "select nope from cpg_nodes", "--lake", shop_lake)
    assert done.exit_code == 1
    assert done.output.startswith("QUERY_FAILED")
