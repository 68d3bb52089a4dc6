"""An order-free digest of a table: equal rows give equal digests, however files and rows lie.

    table_digest(path, version=3) -> TableDigest(rows=506476, digest="5f0c...", 32 digits)
    row_hashes(table)             -> one uint64 per row of an Arrow table

A row's hash is the sum of its columns' hashes, each stirred with the column's name; a table's
digest is two sums over its rows. Sums do not depend on order, so files are read side by side and
nothing is sorted. Whole columns are hashed at once, texts once per distinct value.
Columns of maps are hashed without the order of their entries. It tells versions apart and proves
equality of honest builds; it is no defence against somebody who wants two tables to look equal.
"""

from __future__ import annotations

import os
from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import xxhash
from deltalake import DeltaTable

type Hashes = np.ndarray[Any, np.dtype[np.uint64]]

_NULL = np.uint64(0x9E3779B97F4A7C15)
_STEP = np.uint64(0xD6E8FEB86659FD93)


class TableDigest(msgspec.Struct, frozen=True):
    """How many rows a table has, and what they add up to."""

    rows: int
    digest: str


def table_digest(path: Path, version: int | None = None) -> TableDigest:
    """Digest a Delta table.

    Args:
        path: the table's folder.
        version: which version; the last when not given.
    """
    table = DeltaTable(path, version=version)
    folders = table.metadata().partition_columns
    actions = pa.table(table.get_add_actions(flatten=True)).to_pylist()
    given = [{name: action[f"partition.{name}"] for name in folders} for action in actions]
    files = [path / unquote(action["path"]) for action in actions]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        parts = list(pool.map(_file_sums, files, given))
    rows = sum(part[0] for part in parts)
    sums = [sum(part[number] for part in parts) % 2**64 for number in (1, 2)]
    return TableDigest(rows, "".join(f"{each:016x}" for each in sums))


def row_hashes(table: pa.Table, without: Collection[str] = ()) -> Hashes:
    """Hash every row of an Arrow table.

    Args:
        table: the rows.
        without: columns that do not count.
    """
    total = np.zeros(table.num_rows, np.uint64)
    for name in table.column_names:
        if name not in without:
            column = table.column(name).combine_chunks()
            total += _stir(_hashes(column) ^ _text_hash(name))
    return _stir(total)


def _file_sums(path: Path, partition: dict[str, Any]) -> tuple[int, int, int]:
    """Return the number of rows of a file and two sums of their hashes."""
    table = pq.ParquetFile(path).read()
    for name, value in partition.items():
        table = table.append_column(name, pa.repeat(value, table.num_rows))
    hashes = row_hashes(table)
    second = _stir(hashes ^ _STEP)
    return table.num_rows, int(hashes.sum(dtype=np.uint64)), int(second.sum(dtype=np.uint64))


def _stir(values: Hashes) -> Hashes:
    """Spread every bit over all others (the finaliser of SplitMix64)."""
    values = values ^ (values >> np.uint64(30))
    values *= np.uint64(0xBF58476D1CE4E5B9)
    values ^= values >> np.uint64(27)
    values *= np.uint64(0x94D049BB133111EB)
    values ^= values >> np.uint64(31)
    return values


def _text_hash(text: str) -> np.uint64:
    return np.uint64(xxhash.xxh64_intdigest(text.encode()))


def _hashes(array: pa.Array) -> Hashes:
    """Hash every value of an array."""
    kind = array.type
    if pa.types.is_dictionary(kind):
        found = _hashes(array.dictionary_decode())
    elif pa.types.is_struct(kind):
        found = np.zeros(len(array), np.uint64)
        for number, field in enumerate(kind):
            found += _stir(_hashes(array.field(number)) ^ _text_hash(field.name))
    elif pa.types.is_map(kind) or pa.types.is_list(kind) or pa.types.is_large_list(kind):
        found = _list_hashes(array)
    elif pa.types.is_null(kind):
        found = np.zeros(len(array), np.uint64)
    elif pa.types.is_primitive(kind):
        found = _number_hashes(array)
    else:
        found = _text_hashes(array)
    if array.null_count:
        found[array.is_null().to_numpy(zero_copy_only=False)] = _NULL
    return found


def _number_hashes(array: pa.Array) -> Hashes:
    kind = array.type
    if pa.types.is_boolean(kind):
        array = array.cast(pa.uint8())
    elif pa.types.is_temporal(kind):
        array = array.cast(pa.int64() if kind.bit_width == 64 else pa.int32())
    values = (array.fill_null(0) if array.null_count else array).to_numpy(zero_copy_only=False)
    wide = np.float64 if pa.types.is_floating(kind) else np.int64
    return _stir(values.astype(wide).view(np.uint64))


def _text_hashes(array: pa.Array) -> Hashes:
    """Hash texts and bytes, each distinct value once."""
    coded = array.dictionary_encode()
    if pa.types.is_string(array.type) or pa.types.is_large_string(array.type):
        values = coded.dictionary.cast(pa.large_binary()).to_pylist()
    else:
        values = coded.dictionary.to_pylist()
    once = np.fromiter(map(xxhash.xxh64_intdigest, values), np.uint64, len(values))
    if not len(once):
        return np.zeros(len(array), np.uint64)
    places: Hashes = once[coded.indices.fill_null(0).to_numpy(zero_copy_only=False)]
    return places


def _list_hashes(array: pa.Array) -> Hashes:
    """Hash lists by their elements and places, maps by their entries alone."""
    starts = array.offsets.to_numpy(zero_copy_only=False).astype(np.int64)
    first, last = int(starts[0]), int(starts[-1])
    starts = starts - first
    if pa.types.is_map(array.type):
        keys = _hashes(array.keys.slice(first, last - first))
        items = _hashes(array.items.slice(first, last - first))
        elements = _stir(_stir(keys) + items)
    else:
        elements = _hashes(array.values.slice(first, last - first))
        lengths = np.diff(starts)
        places = np.arange(last - first) - np.repeat(starts[:-1], lengths)
        elements = _stir(elements + places.astype(np.uint64) * _STEP)
    sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(elements, dtype=np.uint64)])
    found: Hashes = _stir(sums[starts[1:]] - sums[starts[:-1]] + np.diff(starts).astype(np.uint64))
    return found
