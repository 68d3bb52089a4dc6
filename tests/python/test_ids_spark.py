"""Ids: Spark SQL gives the numbers of the vector file, by the very recipes of the compiler."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from codelake.run.session import open_session, target_address
from codelake.semantic.functions import expand
from conftest import ROOT

pytestmark = pytest.mark.spark

VECTORS = json.loads((ROOT / "tests/python/vectors/ids.json").read_text())
_SQL = {
    "repository_id": "xxhash64({0}, {1})",
    "file_id": "xxhash64({0}, {1}, {2})",
    "definition_id": "xxhash64({0}, {1})",
    "node_id": expand("node_id(array({0}), 0, {1})"),
    "edge_id": expand("edge_id({0}, {1}, {2}, {3})"),
}


def test_spark_agrees_with_the_vector_file(tmp_path: Path) -> None:
    session = open_session(tmp_path / "lake", **target_address("dev"))
    wrong = []
    for vector in VECTORS:
        sql, arguments = _question(vector)
        found = session.sql(f"select {sql} as id", args=arguments).collect()[0].id
        if found != vector["id"]:
            wrong.append((vector, found))
    assert len(VECTORS) >= 30
    assert wrong == []


def _question(vector: dict) -> tuple[str, dict]:
    """Return the SQL of a recipe over named parameters, and their values."""
    names = {"repository_id": ("salt", "repo"), "file_id": ("salt", "repo", "path")}
    values = list(vector["args"])
    if vector["recipe"] in names:  # Python takes the salt last, the hash takes it first
        values = [values[-1], *values[:-1]]
    kinds = {
        "repository_id": ("int", "string"),
        "file_id": ("int", "string", "string"),
        "definition_id": ("bigint", "string"),
        "node_id": ("bigint", "int"),
        "edge_id": ("string", "bigint", "bigint", "string"),
    }[vector["recipe"]]
    marks = [f"cast(:p{n} as {kind})" for n, kind in enumerate(kinds)]
    return _SQL[vector["recipe"]].format(*marks), {f"p{n}": v for n, v in enumerate(values)}
