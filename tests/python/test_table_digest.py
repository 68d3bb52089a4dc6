"""Digests of tables: equal for equal rows in any order, different for any other value."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from deltalake import ColumnProperties, DeltaTable, WriterProperties, write_deltalake

from codelake.run.table_digest import row_hashes, table_digest

SCHEMA = pa.schema(
    [
        ("id", pa.int64()),
        ("small", pa.int32()),
        ("share", pa.float64()),
        ("flag", pa.bool_()),
        ("text", pa.string()),
        ("raw", pa.binary()),
        ("names", pa.list_(pa.string())),
        ("parts", pa.list_(pa.struct([("no", pa.int32()), ("names", pa.list_(pa.string()))]))),
        ("attrs", pa.map_(pa.string(), pa.string())),
    ]
)


def row(dice: random.Random, number: int) -> dict[str, Any]:
    def maybe(value: Any) -> Any:
        return None if dice.random() < 0.2 else value

    def words() -> list[Any]:
        return [maybe(dice.choice(("", "a", "ä", "aa"))) for _ in range(dice.randrange(4))]

    return {
        "id": number,
        "small": maybe(dice.randrange(3)),
        "share": maybe(dice.choice((0.0, 0.5, 1.0))),
        "flag": maybe(dice.random() < 0.5),
        "text": maybe(dice.choice(("", "x", "\U0001f600"))),
        "raw": maybe(dice.choice((b"", b"\0", b"\0\0"))),
        "names": maybe(words()),
        "parts": maybe([maybe({"no": 1, "names": maybe(words())}) for _ in range(2)]),
        "attrs": maybe([(key, maybe(key)) for key in ("a", "b")[: dice.randrange(3)]]),
    }


@pytest.fixture
def many() -> list[dict[str, Any]]:
    dice = random.Random(11)
    return [row(dice, number) for number in range(200)]


def written(path: Path, rows: list[dict[str, Any]], files: int = 1, **options: Any) -> Path:
    for number in range(files):
        part = pa.Table.from_pylist(rows[number::files], schema=SCHEMA)
        write_deltalake(path, part, mode="append", **options)
    return path


def test_order_and_files_do_not_count(tmp_path: Path, many: list[dict[str, Any]]) -> None:
    one = table_digest(written(tmp_path / "one", many))
    random.Random(1).shuffle(many)
    assert one.rows == 200
    assert table_digest(written(tmp_path / "two", many, files=3)) == one
    assert table_digest(written(tmp_path / "folders", many, partition_by=["small"])) == one
    DeltaTable(tmp_path / "two").optimize.compact()
    assert table_digest(tmp_path / "two") == one


def test_how_a_file_codes_its_texts_does_not_count(
    tmp_path: Path, many: list[dict[str, Any]]
) -> None:
    one = table_digest(written(tmp_path / "one", many))
    plain = WriterProperties(default_column_properties=ColumnProperties(dictionary_enabled=False))
    assert table_digest(written(tmp_path / "plain", many, writer_properties=plain)) == one
    # a dictionary that is full: the texts after it stand for themselves
    small = WriterProperties(
        dictionary_page_size_limit=4, write_batch_size=16, data_page_size_limit=64
    )
    assert table_digest(written(tmp_path / "small", many, writer_properties=small)) == one
    held = row_hashes(pa.Table.from_pylist(many, schema=SCHEMA))
    assert f"{int(held.sum(dtype='uint64')):016x}" == one.digest[:16]


def test_versions_are_told_apart(tmp_path: Path, many: list[dict[str, Any]]) -> None:
    path = written(tmp_path / "t", many)
    write_deltalake(path, pa.Table.from_pylist(many[:-1], schema=SCHEMA), mode="overwrite")
    assert table_digest(path).digest != table_digest(path, 0).digest
    assert (table_digest(path).rows, table_digest(path, 0).rows) == (199, 200)
    assert table_digest(written(tmp_path / "empty", [])).digest == "0" * 32


@pytest.mark.parametrize(
    ("column", "one", "other"),
    [
        ("small", 0, None),
        ("share", 0.5, 0.25),
        ("flag", False, None),
        ("text", "", None),
        ("text", "a", "b"),
        ("raw", b"", b"\0"),
        ("names", [], None),
        ("names", ["a", "b"], ["b", "a"]),
        ("names", [None], []),
        ("names", ["ab"], ["a", "b"]),
        ("parts", [{"no": 1, "names": None}], [{"no": 1, "names": []}]),
        ("parts", [None], [{"no": None, "names": None}]),
        ("attrs", [("a", "b")], [("b", "a")]),
        ("attrs", [("a", None)], []),
    ],
)
def test_every_value_counts(column: str, one: Any, other: Any) -> None:
    schema = pa.schema([SCHEMA.field(column)])
    table = pa.Table.from_pylist([{column: one}, {column: other}], schema=schema)
    first, second = row_hashes(table)
    assert first != second


def test_the_order_within_a_map_does_not_count() -> None:
    schema = pa.schema([SCHEMA.field("attrs")])
    pairs = [("a", "1"), ("b", "2")]
    table = pa.Table.from_pylist([{"attrs": pairs}, {"attrs": pairs[::-1]}], schema=schema)
    first, second = row_hashes(table)
    assert first == second


def test_rows_do_not_cancel_out(tmp_path: Path, many: list[dict[str, Any]]) -> None:
    """Values that move from one row to another leave each column's values as they were."""
    before = table_digest(written(tmp_path / "a", many))
    many[0]["small"], many[1]["small"] = 7, 8
    swapped = [dict(each) for each in many]
    swapped[0]["small"], swapped[1]["small"] = 8, 7
    after = {table_digest(written(tmp_path / n, r)) for n, r in (("b", many), ("c", swapped))}
    assert len({before, *after}) == 3


def test_a_slice_hashes_as_its_rows(many: list[dict[str, Any]]) -> None:
    table = pa.Table.from_pylist(many, schema=SCHEMA)
    assert (row_hashes(table.slice(50, 60)) == row_hashes(table)[50:110]).all()
    assert (row_hashes(table, without=["id"]) != row_hashes(table)).all()
