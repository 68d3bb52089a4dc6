"""What changed between two graphs, by id: definitions, calls and flows.

    diff_graphs(Graph(lake, {"cpg_nodes": 3, "cpg_edges": 3}), Graph(lake, {...: 4}))
        -> GraphDiff(definitions=(Change("changed", "FUNCTION", "shop.cart.Cart.add"), ...), ...)

Ids do not depend on what stands elsewhere, so rows are compared by id. Where a thing stands does
not count: a line added above a function changes nothing below. A definition is changed when
something inside it is. Calls and flows are told by the names at their ends, because the id of a
call inside an edited definition may move on to its neighbour.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from deltalake import DeltaTable

from codelake.evidence.delta_columns import data_files, delta_columns
from codelake.run.catalogue import table_location
from codelake.run.table_digest import row_hashes

DEFINITIONS = ("MODULE", "CLASS", "FUNCTION", "LAMBDA")
CALLS = ("CALLS",)
FLOWS = ("REACHES", "PASSES", "RESULT_OF", "RETURNS", "YIELDS", "RAISES")

_NAMES = ("node_id", "node_kind", "qualified_name", "owner_id")
_PLACES = ("bstart", "bend", "line", "end_line", "col", "end_col", "ordinal")


@dataclass(frozen=True)
class Graph:
    """The graph of a lake at some versions; the newest of a table that is not named."""

    lake: Path
    versions: Mapping[str, int]

    def beyond(self, other: Graph, name: str) -> pa.Table:
        """Return the rows of a table in files that the other graph does not have."""
        table = self._table(name)
        shared = set(data_files(other._table(name)))
        files = [file for file in data_files(table) if file not in shared]
        empty = pa.schema(table.schema()).empty_table()
        return pa.concat_tables([pq.ParquetFile(file).read() for file in files] or [empty])

    def names(self) -> pa.Table:
        """Return what every node is called."""
        path = table_location(self.lake, "cpg_nodes")
        return delta_columns(path, _NAMES, version=self.versions.get("cpg_nodes"))

    def _table(self, name: str) -> DeltaTable:
        return DeltaTable(table_location(self.lake, name), version=self.versions.get(name))


class Count(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How many nodes or edges of a kind differ."""

    element: Literal["node", "edge"]
    kind: str
    appeared: int
    vanished: int
    changed: int


class Change(msgspec.Struct, frozen=True, order=True, forbid_unknown_fields=True):
    """One thing that differs; `target` is set for calls and flows, `label` for flows."""

    change: Literal["appeared", "vanished", "changed"]
    kind: str
    name: str
    target: str = ""
    label: str = ""


class GraphDiff(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Everything that differs."""

    kind: Literal["graph_diff_v1"] = "graph_diff_v1"
    before: str
    after: str
    counts: tuple[Count, ...]
    definitions: tuple[Change, ...]
    calls: tuple[Change, ...]
    flows: tuple[Change, ...]


@dataclass(frozen=True)
class _Side:
    """The rows of one graph that the other has not got, or has got otherwise."""

    own: pa.Table
    changed: pa.Table


def diff_graphs(before: Graph, after: Graph, names: tuple[str, str] = ("", "")) -> GraphDiff:
    """Compare two graphs.

    Args:
        before: the older one.
        after: the newer one.
        names: what to call them.
    """
    old, new = _compare(before, after, "cpg_nodes", "node_id")
    old_edges, new_edges = _compare(before, after, "cpg_edges", "edge_id")
    old_names, new_names = _Names(before), _Names(after)
    return GraphDiff(
        before=names[0],
        after=names[1],
        counts=(
            *_counts("node", old, new, "node_kind"),
            *_counts("edge", old_edges, new_edges, "edge_kind"),
        ),
        definitions=_definitions(old, new, new_names),
        calls=_ends(CALLS, old_edges.own, new_edges.own, old_names, new_names),
        flows=_ends(FLOWS, old_edges.own, new_edges.own, old_names, new_names),
    )


def _compare(before: Graph, after: Graph, name: str, key: str) -> tuple[_Side, _Side]:
    """Return what each side has alone, and what both have but not alike."""
    old, new = before.beyond(after, name), after.beyond(before, name)
    ids = [table[key].to_numpy() for table in (old, new)]
    hashes = [row_hashes(table, without=_PLACES) for table in (old, new)]
    _, at_old, at_new = np.intersect1d(ids[0], ids[1], assume_unique=True, return_indices=True)
    differ = hashes[0][at_old] != hashes[1][at_new]
    sides = []
    for table, places in ((old, at_old), (new, at_new)):
        alone = np.ones(table.num_rows, bool)
        alone[places] = False
        sides.append(_Side(table.filter(pa.array(alone)), table.take(pa.array(places[differ]))))
    return sides[0], sides[1]


def _counts(element: Literal["node", "edge"], old: _Side, new: _Side, kind: str) -> Iterable[Count]:
    vanished, appeared, changed = (
        Counter(table[kind].to_pylist()) for table in (old.own, new.own, new.changed)
    )
    for name in sorted(vanished | appeared | changed):
        yield Count(element, name, appeared[name], vanished[name], changed[name])


class _Names:
    """Looks up what nodes are called: a definition by itself, anything else by its owner."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._known: dict[int, dict[str, Any]] = {}

    @cached_property
    def _nodes(self) -> pa.Table:
        return self._graph.names()

    def learn(self, ids: Collection[int]) -> None:
        """Read the nodes of these ids, and of their owners."""
        wanted = {each for each in ids if each is not None and each not in self._known}
        while wanted:
            chosen = pc.is_in(self._nodes["node_id"], pa.array(sorted(wanted), pa.int64()))
            rows = self._nodes.filter(chosen).to_pylist()
            self._known.update({row["node_id"]: row for row in rows})
            owners = {row["owner_id"] for row in rows if row["owner_id"] is not None}
            wanted = owners - self._known.keys() - wanted

    def __getitem__(self, node: int) -> str:
        row = self._known.get(node)
        while row is not None and not row["qualified_name"]:
            row = self._known.get(row["owner_id"])
        return str(row["qualified_name"]) if row else ""

    def kind(self, node: int) -> str:
        """Return the kind of a node; empty when there is none."""
        return str(self._known[node]["node_kind"]) if node in self._known else ""


def _definitions(old: _Side, new: _Side, names: _Names) -> tuple[Change, ...]:
    found: set[Change] = set()
    inside: set[int] = set()
    alone: dict[str, set[int]] = {}
    sides: tuple[tuple[Literal["vanished", "appeared"], pa.Table], ...] = (
        ("vanished", old.own),
        ("appeared", new.own),
    )
    for change, rows in sides:
        is_definition = pc.is_in(rows["node_kind"], pa.array(DEFINITIONS))
        definitions = rows.filter(is_definition)
        alone[change] = set(definitions["node_id"].to_pylist())
        for row in definitions.select(["node_kind", "qualified_name"]).to_pylist():
            found.add(Change(change, row["node_kind"], row["qualified_name"] or ""))
        inside |= set(rows["owner_id"].to_pylist())
    inside |= {*new.changed["owner_id"].to_pylist(), *new.changed["node_id"].to_pylist()}
    inside -= {None, *alone["vanished"], *alone["appeared"]}
    names.learn(inside)
    for node in inside:
        if names.kind(node) in DEFINITIONS:
            found.add(Change("changed", names.kind(node), names[node]))
    return tuple(sorted(found))


def _ends(
    kinds: tuple[str, ...], old: pa.Table, new: pa.Table, old_names: _Names, new_names: _Names
) -> tuple[Change, ...]:
    """Return the edges of some kinds that only one side has, told by the names at their ends."""
    listed: list[Counter[tuple[str, str, str, str]]] = []
    for edges, names in ((old, old_names), (new, new_names)):
        chosen = edges.filter(pc.is_in(edges["edge_kind"], pa.array(kinds)))
        rows = chosen.select(["edge_kind", "src_node_id", "dst_node_id", "label"]).to_pylist()
        names.learn({row[end] for row in rows for end in ("src_node_id", "dst_node_id")})
        listed.append(
            Counter(
                (r["edge_kind"], names[r["src_node_id"]], names[r["dst_node_id"]], r["label"])
                for r in rows
            )
        )
    before, after = listed
    found = [Change("vanished", *edge) for edge in before - after]
    found += [Change("appeared", *edge) for edge in after - before]
    return tuple(sorted(found))
