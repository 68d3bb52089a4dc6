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
RECIPES = {  # the SQL over p0, p1, ... and the types of these
    "repository_id": ("xxhash64(p0, p1)", ("int", "string")),
    "file_id": ("xxhash64(p0, p1, p2)", ("int", "string", "string")),
    "definition_id": ("xxhash64(p0, p1)", ("bigint", "string")),
    "scope_id": ("xxhash64(p0, 'scope', p1)", ("bigint", "string")),
    "node_id": (expand("node_id(array(p0), 0, p1)"), ("bigint", "int")),
    "edge_id": (expand("edge_id(p0, p1, p2, p3)"), ("string", "bigint", "bigint", "string")),
}


def test_spark_agrees_with_the_vector_file(tmp_path: Path) -> None:
    session = open_session(tmp_path / "lake", **target_address("dev"))
    wrong = []
    for vector in VECTORS:
        sql, values = _question(vector)
        found = session.sql(sql, args=values).collect()[0].id
        if found != vector["id"]:
            wrong.append((vector, found))
    assert len(VECTORS) >= 30
    assert wrong == []


def _question(vector: dict) -> tuple[str, dict]:
    """Return a query that computes a recipe from bound values, and the values."""
    sql, kinds = RECIPES[vector["recipe"]]
    values = list(vector["args"])
    if vector["recipe"] in ("repository_id", "file_id"):  # Python takes the salt last
        values = [values[-1], *values[:-1]]
    given = ", ".join(f"cast(:p{n} as {kind}) as p{n}" for n, kind in enumerate(kinds))
    return f"select {sql} as id from (select {given})", {f"p{n}": v for n, v in enumerate(values)}
