"""How a table is laid out: the catalogue's policy, and what a build overrides of it.

    resolve_policy("cpg_nodes", types, delta, {"bloom": ["node_id"]})
        -> WritePolicy(stats=("repo", "path", "file_id"), bloom=("node_id",), ...)

The catalogue says it for each dataset; the var `write_policy` overrides it for one build:

    write_policy: {cpg_nodes: {bloom: [node_id], order: [path, bstart]}}

A field that the var names wins over the catalogue. One that neither names stays as an earlier build
left it in the table, so what a table says of itself stays true; else it has its default
(`DEFAULTS`). `partition` is part of the contract and cannot be overridden. Columns that the table
does not have are an error, since Delta would ignore them; so are features that are not listed here,
those that `deltalake`, Polars and DuckDB cannot read, and layouts that exclude each other. The
resolved policy stands in the table's properties, and with its reasons in `run_events`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec
from deltalake import DeltaTable

from codelake.errors import CodelakeError
from codelake.run.clustering import MAX_COLUMNS as MAX_CLUSTER
from codelake.run.clustering import clustering_columns, only_spark_writes

MAX_STATS = 32
"""More columns cost more at every write than a reader saves."""

FEATURES = {
    "append_only": "delta.appendOnly",
    "change_data_feed": "delta.enableChangeDataFeed",
}
"""Table features that may be asked for, with the property that switches each on."""

UNREADABLE = ("column_mapping", "deletion_vectors", "row_tracking", "v2_checkpoint", "variant")
"""Features that a promised reader cannot read."""

STATS = "delta.dataSkippingStatsColumns"
_ORDER, _ZORDER = "codelake.order", "codelake.zorder"
_BLOOM, _DICTIONARY = "parquet.bloom.filter.enabled#", "parquet.enable.dictionary"
_FILE_BYTES = "codelake.target_file_bytes"
_NESTED = ("array<", "map<", "struct<")


class Override(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the var `write_policy` may say of a table."""

    stats: tuple[str, ...] | None = None
    order: tuple[str, ...] | None = None
    zorder: tuple[str, ...] | None = None
    cluster: tuple[str, ...] | None = None
    bloom: tuple[str, ...] | None = None
    dictionary: tuple[str, ...] | None = None
    features: tuple[str, ...] | None = None
    target_file_bytes: int | None = None


DEFAULTS = Override(
    stats=(),
    order=(),
    zorder=(),
    cluster=(),
    bloom=(),
    dictionary=(),
    features=(),
    target_file_bytes=0,
)


class WritePolicy(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The policy of one table, and where each field comes from."""

    partition: tuple[str, ...]
    stats: tuple[str, ...]
    order: tuple[str, ...]
    zorder: tuple[str, ...]
    cluster: tuple[str, ...]
    bloom: tuple[str, ...]
    dictionary: tuple[str, ...]
    features: tuple[str, ...]
    target_file_bytes: int
    reasons: dict[str, str]

    def properties(self) -> dict[str, str]:
        """Return the table properties that say it to Spark, to Delta and to the next build."""
        named = self.stats or self.reasons["stats"] != "default"
        found = {STATS: ",".join(self.stats)} if named else {}  # an empty list: no statistics
        if self.order:
            found[_ORDER] = ",".join(self.order)
        if self.zorder:
            found[_ZORDER] = ",".join(self.zorder)
        if self.target_file_bytes:
            found[_FILE_BYTES] = str(self.target_file_bytes)
        if self.dictionary:
            found[_DICTIONARY] = "false"
        found |= {f"{_DICTIONARY}#{column}": "true" for column in self.dictionary}
        for column in self.bloom:  # a dictionary would take the filter's place
            found |= {f"{_BLOOM}{column}": "true", f"{_DICTIONARY}#{column}": "false"}
        return found | {FEATURES[feature]: "true" for feature in self.features}


def bloom_columns(properties: Mapping[str, str]) -> list[str]:
    """Return the columns for which a table's properties ask for a bloom filter."""
    asked = (key.removeprefix(_BLOOM) for key in properties if key.startswith(_BLOOM))
    return [column for column in asked if properties[_BLOOM + column] == "true"]


def dictionary_columns(properties: Mapping[str, str]) -> list[str]:
    """Return the only columns that may have a dictionary; none when all may."""
    if properties.get(_DICTIONARY) != "false":
        return []
    asked = (key.partition("#")[2] for key in properties if key.startswith(f"{_DICTIONARY}#"))
    return [column for column in asked if properties[f"{_DICTIONARY}#{column}"] == "true"]


def target_file_bytes(properties: Mapping[str, str]) -> int:
    """Return how large a table's files should be; 0 when nobody said."""
    return int(properties.get(_FILE_BYTES) or 0)


def zorder_columns(properties: Mapping[str, str]) -> tuple[str, ...]:
    """Return the columns along which a table's files are to be sorted."""
    return _listed(properties, _ZORDER) or ()


class Held(msgspec.Struct, frozen=True):
    """What a table says of itself, as earlier builds left it."""

    properties: dict[str, str]
    cluster: tuple[str, ...]
    only_spark_writes: bool

    def fields(self) -> dict[str, Any]:
        """Return it as fields of a policy; None for what it does not say."""
        held = self.properties
        on = tuple(sorted(name for name, key in FEATURES.items() if held.get(key) == "true"))
        return {
            "stats": _listed(held, STATS) if STATS in held else None,
            "order": _listed(held, _ORDER),
            "zorder": _listed(held, _ZORDER),
            "cluster": self.cluster or None,
            "bloom": tuple(bloom_columns(held)) or None,
            "dictionary": tuple(dictionary_columns(held)) or None,
            "features": on or None,
            "target_file_bytes": target_file_bytes(held) or None,
        }


def read_held(path: Path) -> Held:
    """Return what an existing table says of itself."""
    table = DeltaTable(path)
    by = clustering_columns(path, table)
    return Held(table.metadata().configuration, by, only_spark_writes(path, table))


def resolve_policy(
    name: str,
    columns: Mapping[str, str],
    delta: Mapping[str, Any],
    override: Mapping[str, Any] | None = None,
    held: Held | None = None,
) -> WritePolicy:
    """Return the policy of a table.

    Args:
        name: the table's.
        columns: what it has, each with its type.
        delta: the catalogue's policy, `meta.delta` of the model.
        override: what the var `write_policy` says of the table.
        held: what the table says of itself, when it is there.

    Raises:
        CodelakeError: POLICY_INVALID, POLICY_COLUMN_MISSING, FEATURE_UNKNOWN or FEATURE_UNREADABLE.
    """
    try:
        asked = msgspec.convert(dict(override or {}), Override)
    except msgspec.ValidationError as error:
        allowed = ", ".join(Override.__struct_fields__)
        message = f"the write_policy of `{name}` cannot be read: {error}."
        raise CodelakeError("POLICY_INVALID", message, f"use {allowed}") from None
    properties = delta.get("properties") or {}
    declared = {
        "stats": _listed(properties, STATS) if STATS in properties else None,
        "order": tuple(delta.get("order") or ()) or None,
        "cluster": tuple(delta.get("cluster") or ()) or None,
    }
    kept = held.fields() if held else {}
    values: dict[str, Any] = {}
    reasons: dict[str, str] = {}
    for field in Override.__struct_fields__:
        sources = (
            ("var write_policy", getattr(asked, field)),
            ("catalogue", declared.get(field)),
            ("table", kept.get(field)),
            ("default", getattr(DEFAULTS, field)),
        )
        reasons[field], values[field] = next(each for each in sources if each[1] is not None)
    unknown = [column for column in values["cluster"] if column not in values["stats"]]
    if unknown and asked.stats is None:  # Delta clusters by what has statistics
        values["stats"] = (*values["stats"], *unknown)
        reasons["stats"] += ", and what it is clustered by"
    policy = WritePolicy(partition=tuple(delta.get("partition") or ()), reasons=reasons, **values)
    _check(name, columns, policy)
    if delta.get("strategy") == "gather" and policy.cluster:
        message = f"`{name}` is written without Spark, and only Spark writes clustered tables."
        raise CodelakeError("POLICY_INVALID", message, "leave cluster out")
    return policy


def sync_policy(path: Path, policy: WritePolicy, held: Held, session: Callable[[], Any]) -> bool:
    """Bring an existing table in line with its policy, in one commit, one more for clustering.

    Args:
        path: the table's folder.
        policy: what is to hold.
        held: what the table says of itself.
        session: opens a Spark session, which a table that is or was clustered needs.

    Returns:
        Whether there was anything to change.
    """
    wanted = {**_ended(held.properties), **policy.properties()}
    changed = {key: value for key, value in wanted.items() if held.properties.get(key) != value}
    source = "delta.`" + str(path).replace("`", "``") + "`"
    if changed and held.only_spark_writes:
        listed = ", ".join(f"'{key}' = '{value}'" for key, value in sorted(changed.items()))
        session().sql(f"alter table {source} set tblproperties ({listed})")
    elif changed:
        DeltaTable(path).alter.set_table_properties(changed, raise_if_not_exists=False)
    if policy.cluster == held.cluster:
        return bool(changed)
    by = f"({', '.join(f'`{name}`' for name in policy.cluster)})" if policy.cluster else "none"
    session().sql(f"alter table {source} cluster by {by}")
    return True


def _ended(held: Mapping[str, str]) -> dict[str, str]:
    """Return the properties that end what a table holds; a policy that wants it says so again."""
    ended = {key: "" for key in (_ORDER, _ZORDER, _FILE_BYTES) if held.get(key)}
    for column in bloom_columns(held):
        ended |= {f"{_BLOOM}{column}": "false", f"{_DICTIONARY}#{column}": "true"}
    return ended | ({_DICTIONARY: "true"} if held.get(_DICTIONARY) == "false" else {})


def _listed(properties: Mapping[str, str], key: str) -> tuple[str, ...] | None:
    """Return the columns that a property lists; None for a property of ours that lists none."""
    names = tuple(filter(None, properties.get(key, "").split(",")))
    return names if names or key == STATS else None


def _check(name: str, columns: Mapping[str, str], policy: WritePolicy) -> None:
    for field in ("cluster", "stats", "order", "zorder", "bloom", "dictionary"):
        missing = [column for column in getattr(policy, field) if column not in columns]
        if missing:
            raise CodelakeError(
                "POLICY_COLUMN_MISSING",
                f"{field} of `{name}` names {', '.join(missing)}, which it does not have.",
                f"use {', '.join(sorted(columns))}",
            )
    for problem, fix in _problems(columns, policy):
        raise CodelakeError("POLICY_INVALID", f"the policy of `{name}` {problem}.", fix)
    for feature in policy.features:
        if feature in UNREADABLE:
            message = f"`{name}` asks for {feature}, which deltalake, Polars or DuckDB cannot read."
            raise CodelakeError("FEATURE_UNREADABLE", message, "leave it out")
        if feature not in FEATURES:
            message = f"`{name}` asks for {feature}, which is no feature."
            raise CodelakeError("FEATURE_UNKNOWN", message, f"use {', '.join(sorted(FEATURES))}")


def _problems(columns: Mapping[str, str], policy: WritePolicy) -> Iterator[tuple[str, str]]:
    """Yield what cannot be, each with what to do about it."""
    if len(policy.stats) > MAX_STATS:
        yield f"names {len(policy.stats)} columns in stats", f"name at most {MAX_STATS}"
    if len(policy.cluster) > MAX_CLUSTER:
        yield f"names {len(policy.cluster)} columns in cluster", f"name at most {MAX_CLUSTER}"
    if policy.target_file_bytes < 0:
        yield f"has target_file_bytes {policy.target_file_bytes}", "name a number of bytes"
    for field in ("zorder", "partition"):
        if policy.cluster and getattr(policy, field):
            whose = policy.reasons.get(field, "catalogue")
            yield (
                f"has both cluster ({policy.reasons['cluster']}) and {field} ({whose}), "
                "which exclude each other",
                "name one; `cluster: []` ends a clustering",
            )
    bare = [column for column in policy.cluster if column not in policy.stats]
    if bare:
        yield f"clusters by {', '.join(bare)} without statistics", "name it in stats too"
    for field in ("cluster", "bloom", "dictionary"):
        nested = [each for each in getattr(policy, field) if columns[each].startswith(_NESTED)]
        if nested:
            yield f"names {', '.join(nested)} in {field}, which is nested", "name plain columns"
    both = sorted({*policy.bloom} & {*policy.dictionary})
    if both:
        fix = "name each in one of them"
        yield f"names {', '.join(both)} in bloom and in dictionary, which exclude each other", fix
