"""An order-free digest of a table: equal rows give equal digests, however files and rows lie.

    table_digest(path, version=3) -> TableDigest(rows=506476, digest="5f0c...", 32 digits)
    row_hashes(table)             -> one uint64 per row of an Arrow table

A row's hash is the sum of its columns' hashes, each stirred with the column's name; a table's
digest is two sums over its rows. Sums do not depend on order, so files are read side by side and
nothing is sorted. Whole columns are hashed at once, texts once per distinct value: a file's own
dictionaries are not unpacked. The graph of Django (2 million rows, 95 MB) takes about a second.
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
_ROUNDS = (
    (np.uint64(30), np.uint64(0xBF58476D1CE4E5B9)),
    (np.uint64(27), np.uint64(0x94D049BB133111EB)),
)
_LAST_SHIFT = np.uint64(31)
_BLOCK = 1 << 15
"""How many numbers are stirred at a time: they stay in the processor's cache."""


class TableDigest(msgspec.Struct, frozen=True):
    """How many rows a table has, and what they add up to."""

    rows: int
    digest: str


type FileSums = dict[str, tuple[int, int, int]]
"""Per file of a table, by its path in the log: rows, and the two sums over them."""


def table_digest(path: Path, version: int | None = None) -> TableDigest:
    """Digest a Delta table.

    Args:
        path: the table's folder.
        version: which version; the last when not given.
    """
    return combined(file_sums(path, version))


def file_sums(path: Path, version: int | None = None, known: FileSums | None = None) -> FileSums:
    """Return what the rows of each file of a table add up to.

    Args:
        path: the table's folder.
        version: which version; the last when not given.
        known: of files that were read before; no file of a Delta table ever changes.
    """
    table = DeltaTable(path, version=version)
    folders = table.metadata().partition_columns
    actions = pa.table(table.get_add_actions(flatten=True)).to_pylist()
    held = known or {}
    new = [action for action in actions if action["path"] not in held]
    given = [{name: action[f"partition.{name}"] for name in folders} for action in new]
    files = [path / unquote(action["path"]) for action in new]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        sums = pool.map(_file_sums, files, given)
        found = dict(zip((action["path"] for action in new), sums, strict=True))
    return {name: held.get(name) or found[name] for name in (each["path"] for each in actions)}


def combined(files: FileSums) -> TableDigest:
    """Return the digest of a table that has these files."""
    rows = sum(part[0] for part in files.values())
    sums = [sum(part[number] for part in files.values()) % 2**64 for number in (1, 2)]
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
            _add_hashes(total, table.column(name).combine_chunks(), name)
    return _stir(total)


def _file_sums(path: Path, partition: dict[str, Any]) -> tuple[int, int, int]:
    """Return the number of rows of a file and two sums of their hashes."""
    table = pq.ParquetFile(path, read_dictionary=_dictionaries(path)).read()
    for name, value in partition.items():
        table = table.append_column(name, pa.repeat(value, table.num_rows))
    hashes = row_hashes(table)
    second = _stir(hashes ^ _STEP)
    return table.num_rows, int(hashes.sum(dtype=np.uint64)), int(second.sum(dtype=np.uint64))


def _dictionaries(path: Path) -> list[str]:
    """Return the columns, also nested ones, whose texts a file keeps once each."""
    footer = pq.read_metadata(path)
    groups = [footer.row_group(number) for number in range(footer.num_row_groups)]
    columns = [group.column(number) for group in groups for number in range(footer.num_columns)]
    texts = (each for each in columns if each.physical_type == "BYTE_ARRAY")
    return sorted({each.path_in_schema for each in texts if each.has_dictionary_page})


def _stir(values: Hashes) -> Hashes:
    """Spread every bit over all others, in place (the finaliser of SplitMix64)."""
    spare = np.empty(min(len(values), _BLOCK), np.uint64)
    for start in range(0, len(values), _BLOCK):
        part = values[start : start + _BLOCK]
        shifted = spare[: len(part)]
        for shift, factor in _ROUNDS:
            np.right_shift(part, shift, out=shifted)
            np.bitwise_xor(part, shifted, out=part)
            np.multiply(part, factor, out=part)
        np.right_shift(part, _LAST_SHIFT, out=shifted)
        np.bitwise_xor(part, shifted, out=part)
    return values


def _text_hash(text: str) -> np.uint64:
    return np.uint64(xxhash.xxh64_intdigest(text.encode()))


def _add_hashes(total: Hashes, array: pa.Array, name: str) -> None:
    """Add the hash of every value of a column or field, stirred with its name, block by block."""
    salt = _text_hash(name)
    if pa.types.is_string(array.type) or pa.types.is_large_string(array.type):
        array = array.dictionary_encode()
    if pa.types.is_dictionary(array.type):
        once, codes = _coded(array)
        once = _stir(once ^ salt)
        for start in range(0, len(total), _BLOCK):
            total[start : start + _BLOCK] += once[codes[start : start + _BLOCK]]
    elif pa.types.is_primitive(array.type):
        for start in range(0, len(total), _BLOCK):
            part = _hashes(array.slice(start, _BLOCK))
            total[start : start + _BLOCK] += _stir(np.bitwise_xor(part, salt, out=part))
    else:
        total += _stir(_hashes(array) ^ salt)


def _hashes(array: pa.Array) -> Hashes:
    """Hash every value of an array."""
    kind = array.type
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        array = array.dictionary_encode()
    if pa.types.is_dictionary(array.type):
        once, codes = _coded(array)
        places: Hashes = once[codes]
        return places
    if pa.types.is_struct(kind):
        found = np.zeros(len(array), np.uint64)
        for number, field in enumerate(kind):
            _add_hashes(found, array.field(number), field.name)
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


def _coded(array: pa.DictionaryArray) -> tuple[Hashes, Any]:
    """Return the hashes of what a dictionary holds, null after its last value, and the codes."""
    values = array.dictionary
    hashed = _hashes(values) if pa.types.is_primitive(values.type) else _text_hashes(values)
    codes = array.indices.fill_null(len(hashed)) if array.indices.null_count else array.indices
    return np.append(hashed, _NULL), codes.to_numpy(zero_copy_only=False)


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
    """Hash texts and bytes one by one."""
    if pa.types.is_string(array.type) or pa.types.is_large_string(array.type):
        array = array.cast(pa.large_binary())
    values = (array.fill_null(b"") if array.null_count else array).to_pylist()
    return np.fromiter(map(xxhash.xxh64_intdigest, values), np.uint64, len(values))


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
