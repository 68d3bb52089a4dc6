"""Resolved rows: the answers of one group of files -> Arrow rows, one per file.

    calls (0, 12) -> shop.cart.Cart.add     links  CALLS <id of the call> -> <id of the method>
    calls (0, 15) -> os.path.join           links  CALLS <id of the call> -> <id of the name>
                                            externals  <id of the name> os.path.join
    unresolved (0, 30) unknown_parameter    unresolved <id of the call> unknown_parameter

A link is an edge of the graph, with the tier that found it. Node numbers become ids here, because
the ends of a link stand in different files.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec
import pyarrow as pa

from codelake.evidence.ids import definition_id, external_id, field_id, node_id
from codelake.evidence.rows import Addresses
from codelake.evidence.structs import array
from codelake.resolve.file_facts import FileFacts
from codelake.resolve.resolution import FieldRow, Place, Resolution

_TEXT, _INT, _LONG = pa.string(), pa.int32(), pa.int64()


def _struct(*fields: tuple[str, pa.DataType, bool]) -> pa.DataType:
    return pa.struct([pa.field(name, kind, nullable=null) for name, kind, null in fields])


LINK = _struct(
    ("kind", _TEXT, False),
    ("src_node_id", _LONG, False),
    ("dst_node_id", _LONG, False),
    ("label", _TEXT, False),
    ("ordinal", _INT, True),
    ("method", _TEXT, False),
    ("rank", _INT, False),
    ("group_id", _LONG, True),
)
UNRESOLVED = _struct(("call_id", _LONG, False), ("reason", _TEXT, False))
EXTERNAL = _struct(("node_id", _LONG, False), ("name", _TEXT, False))
FIELD = _struct(
    ("node_id", _LONG, False),
    ("class_id", _LONG, False),
    ("name", _TEXT, False),
    ("qualified_name", _TEXT, False),
)
ARRAYS = {"links": LINK, "unresolved": UNRESOLVED, "externals": EXTERNAL, "fields": FIELD}

RESOLUTION = pa.schema(
    [
        pa.field("repo", _TEXT, nullable=False),
        pa.field("path", _TEXT, nullable=False),
        pa.field("file_id", _LONG, nullable=False),
        pa.field("resolution_digest", _TEXT, nullable=False),
        pa.field("resolution_error", _TEXT, nullable=True),
        *(pa.field(name, array(struct), nullable=False) for name, struct in ARRAYS.items()),
    ]
)
"""The row of the table `resolution`."""


@dataclass(slots=True)
class _Row:
    links: dict[tuple[str, int, int, str], tuple[Any, ...]] = field(default_factory=dict)
    unresolved: list[tuple[int, str]] = field(default_factory=list)
    externals: dict[int, str] = field(default_factory=dict)
    fields: dict[int, tuple[int, str, str]] = field(default_factory=dict)


class ResolvedRows:
    """Collects the links of a resolution by file."""

    def __init__(
        self,
        files: Sequence[FileFacts],
        addresses: Sequence[Addresses],
        file_ids: Sequence[int],
        salt: int = 0,
    ) -> None:
        self._files, self._addresses, self._file_ids, self._salt = files, addresses, file_ids, salt
        self._rows = [_Row() for _ in files]
        self._defs = [
            [definition_id(number, each.path) for each in file.definitions]
            for number, file in zip(file_ids, files, strict=True)
        ]

    def batch(self, found: Resolution, error: str | None = None) -> pa.RecordBatch:
        """Return one row per file.

        Args:
            found: the answers.
            error: why there are none.
        """
        self._take_calls(found)
        self._take_names(found)
        self._take_types(found)
        return self._finish(error)

    def _take_calls(self, found: Resolution) -> None:
        tiers: dict[tuple[int, int, Place | None], str] = {}
        for called in found.calls:
            call = self._node(called.file, called.node)
            label = "" if called.kind == "explicit" else called.kind
            group = call if called.candidates > 1 else None
            tiers[called.file, called.node, called.target] = called.tier
            end = (called.target, called.external)
            self._link(
                called.file, "CALLS", call, end, called.tier, label, None, called.rank + 1, group
            )
        for unknown in found.unresolved:
            call = self._node(unknown.file, unknown.node)
            self._rows[unknown.file].unresolved.append((call, unknown.reason))
        for passed in found.passes:
            tier = tiers.get((passed.file, passed.call, passed.target), "call")
            parameter = self._node(passed.target.file, passed.parameter)
            argument = self._node(passed.file, passed.argument)
            self._put(passed.file, ("PASSES", argument, parameter, ""), (None, tier, 1, None))
        for result in found.results:
            tier = tiers.get((result.file, result.call, result.target), "call")
            returned = self._node(result.target.file, result.returned)
            call = self._node(result.file, result.call)
            self._put(result.file, ("RESULT_OF", returned, call, ""), (None, tier, 1, None))

    def _take_names(self, found: Resolution) -> None:
        for imported in found.imports:
            end = imported.target, imported.external
            if imported.target is None and imported.module is not None:
                end = Place(imported.module, 0), None
            source = self._node(imported.file, imported.node)
            self._link(imported.file, "IMPORTS", source, end, "import_statement")
        for exported in found.exports:
            source = self._defs[exported.file][0]
            end = (exported.target, exported.external)
            self._link(exported.file, "EXPORTS", source, end, "module_names", exported.name)
        several = Counter((named.file, named.node) for named in found.names if not named.label)
        for named in found.names:
            source = self._node(named.file, named.node)
            group = source if several[named.file, named.node] > 1 and not named.label else None
            end = (named.target, None)
            self._link(named.file, "REFERS_TO", source, end, "held_value", named.label, group=group)

    def _take_types(self, found: Resolution) -> None:
        for base in found.bases:
            if base.is_direct:
                source = self._defs[base.file][base.def_no]
                end = (base.target, base.external)
                self._link(base.file, "INHERITS", source, end, "class_order", ordinal=base.position)
        for override in found.overrides:
            source = self._definition(override.method)
            end = (override.overridden, None)
            self._link(override.method.file, "OVERRIDES", source, end, "method_order")
        several = Counter((row.file, row.node, row.access) for row in found.fields)
        for accessed in found.fields:
            is_one = several[accessed.file, accessed.node, accessed.access] == 1
            self._take_field(accessed, is_one)
        for noted in found.annotations:
            source = self._node(noted.file, noted.node)
            end = (noted.target, noted.external)
            self._link(noted.file, "HAS_TYPE", source, end, "annotation", noted.path)
        types = Counter((typed.file, typed.node) for typed in found.types)
        for typed in found.types:
            source = self._node(typed.file, typed.node)
            group = source if types[typed.file, typed.node] > 1 else None
            end = (typed.target, typed.external)
            self._link(typed.file, "HAS_TYPE", source, end, "value_class", group=group)

    def _take_field(self, accessed: FieldRow, is_one: bool) -> None:
        owner, name = accessed.owner, accessed.name
        class_id = self._definition(owner)
        number = field_id(class_id, name)
        full = f"{self._files[owner.file].qualified(owner.def_no)}.{name}"
        self._rows[owner.file].fields[number] = (class_id, name, full)
        kind = "READS_FIELD" if accessed.access == "read" else "WRITES_FIELD"
        source = self._node(accessed.file, accessed.node)
        rest = (None, "receiver_class", 1, None if is_one else source)
        self._put(accessed.file, (kind, source, number, ""), rest)

    def _link(
        self,
        file: int,
        kind: str,
        source: int,
        end: tuple[Place | None, str | None],
        tier: str,
        label: str = "",
        ordinal: int | None = None,
        rank: int = 1,
        group: int | None = None,
    ) -> None:
        place, external = end
        if place is not None:
            target = self._definition(place)
        elif external is not None:
            target = external_id(external, self._salt)
            self._rows[file].externals[target] = external
        else:
            return
        self._put(file, (kind, source, target, label), (ordinal, tier, rank, group))

    def _put(
        self, file: int, key: tuple[str, int, int, str], rest: tuple[int | None, str, int, Any]
    ) -> None:
        """Keep one link per key, the first, which is the best."""
        self._rows[file].links.setdefault(key, rest)

    def _definition(self, place: Place) -> int:
        return self._defs[place.file][place.def_no]

    def _node(self, file: int, node: int) -> int:
        def_nos, ordinals = self._addresses[file]
        return node_id(self._defs[file][def_nos[node]], ordinals[node])

    def _finish(self, error: str | None) -> pa.RecordBatch:
        rows = [
            {
                "links": [(*key, *rest) for key, rest in sorted(row.links.items())],
                "unresolved": sorted(row.unresolved),
                "externals": sorted(row.externals.items()),
                "fields": [(number, *rest) for number, rest in sorted(row.fields.items())],
            }
            for row in self._rows
        ]
        columns = [
            pa.array([file.repo for file in self._files], _TEXT),
            pa.array([file.path for file in self._files], _TEXT),
            pa.array(self._file_ids, _LONG),
            pa.array([_digest(row) for row in rows], _TEXT),
            pa.array([error] * len(rows), _TEXT),
            *(_nested(struct, [row[name] for row in rows]) for name, struct in ARRAYS.items()),
        ]
        return pa.RecordBatch.from_arrays(columns, schema=RESOLUTION)


def _digest(row: dict[str, Any]) -> str:
    return hashlib.sha256(msgspec.msgpack.encode(row)).hexdigest()[:32]


def _nested(struct: pa.DataType, lists: Sequence[Sequence[tuple[Any, ...]]]) -> pa.ListArray:
    offsets = [0]
    for each in lists:
        offsets.append(offsets[-1] + len(each))
    parts: Iterator[Any] = zip(*(row for each in lists for row in each), strict=True)
    columns = list(parts) or [()] * struct.num_fields
    arrays = [pa.array(column, each.type) for column, each in zip(columns, struct, strict=True)]
    values = pa.StructArray.from_arrays(arrays, fields=list(struct))
    return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), values, type=array(struct))
