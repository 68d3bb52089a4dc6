"""What the compiler says of columns, compared with Spark's analyser: no row is read.

A fused union filters nulls away, which the analyser does not follow: there types are compared.
"""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from pyspark.sql import types as t

from codelake.compile.assemble import dataset_sql
from codelake.compile.pipeline import run_pipeline
from codelake.compile.program import read_program
from codelake.run.functions import require_functions
from codelake.run.session import open_session, target_address
from codelake.semantic.functions import FUNCTIONS
from codelake.semantic.ir import Catalogue, Column, Fan, Scan, walk
from codelake.semantic.types import ArrayOf, MapOf, SparkType, StructOf
from conftest import ROOT
from random_catalogue import catalogues

pytestmark = pytest.mark.spark


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return open_session(tmp_path_factory.mktemp("lake"), **target_address("dev"))


def _spark(kind: SparkType) -> t.DataType:
    if isinstance(kind, ArrayOf):
        return t.ArrayType(_spark(kind.element), kind.nullable)
    if isinstance(kind, MapOf):
        return t.MapType(_spark(kind.key), _spark(kind.value))
    if isinstance(kind, StructOf):
        return t.StructType(
            [t.StructField(f.name, _spark(f.type), f.nullable) for f in kind.fields]
        )
    return t.DataType.fromDDL(str(kind))


def _schema(columns: tuple[Column, ...]) -> t.StructType:
    return t.StructType([t.StructField(c.name, _spark(c.type), c.nullable) for c in columns])


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(catalogue=catalogues())
def test_random_catalogues_mean_to_spark_what_the_compiler_says(
    session: Any, catalogue: Catalogue
) -> None:
    state = run_pipeline(catalogue)
    for unit in state.units:
        columns = unit.dataset.columns
        if isinstance(unit.rows, Scan):
            session.createDataFrame([], _schema(columns)).createOrReplaceTempView(unit.name)
            continue
        sql = dataset_sql(state, unit, plain=True)
        found = session.sql(sql)
        found.createOrReplaceTempView(unit.name)
        assert [(f.name, f.dataType.simpleString()) for f in found.schema] == [
            (column.name, str(column.type)) for column in columns
        ], sql
        if any(isinstance(op, Fan) for op in walk(unit.rows)):
            continue
        broken = [
            f.name
            for f, c in zip(found.schema, columns, strict=True)
            if f.nullable and not c.nullable
        ]
        assert broken == [], sql


def test_spark_has_every_function_that_the_catalogue_may_call(session: Any) -> None:
    assert [name for name in FUNCTIONS if not session.catalog.functionExists(name)] == []


def test_looking_the_functions_up_takes_no_time(session: Any) -> None:
    program = read_program(ROOT)
    taken = []
    for _ in range(5):
        start = time.perf_counter()
        require_functions(session, program)
        taken.append(time.perf_counter() - start)
    assert min(taken) < 0.05
