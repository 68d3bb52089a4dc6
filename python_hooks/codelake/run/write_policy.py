"""How a table is laid out: the catalogue's policy, and what a build overrides of it.

    resolve_policy("cpg_nodes", columns, delta, {"bloom": ["node_id"]})
        -> WritePolicy(stats=("repo", "path", "file_id"), bloom=("node_id",), ...)

The catalogue says it for each dataset; the var `write_policy` overrides it for one build:

    write_policy: {cpg_nodes: {bloom: [node_id], order: [path, bstart]}}

A field that the var names wins over the catalogue, and a field that neither names has its default
(`DEFAULTS`). `partition` is part of the contract and cannot be overridden. Columns that the table
does not have are an error, since Delta would ignore them; so are features that are not listed here,
and those that `deltalake`, Polars and DuckDB cannot read. The resolved policy stands in the table's
properties, and with its reasons in `run_events`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import msgspec
from deltalake import DeltaTable

from codelake.errors import CodelakeError

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
_BLOOM, _PLAIN = "parquet.bloom.filter.enabled#", "parquet.enable.dictionary#"
_FILE_BYTES = "codelake.target_file_bytes"


class Override(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the var `write_policy` may say of a table."""

    stats: tuple[str, ...] | None = None
    order: tuple[str, ...] | None = None
    zorder: tuple[str, ...] | None = None
    bloom: tuple[str, ...] | None = None
    features: tuple[str, ...] | None = None
    target_file_bytes: int | None = None


DEFAULTS = Override(stats=(), order=(), zorder=(), bloom=(), features=(), target_file_bytes=0)


class WritePolicy(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The policy of one table, and where each field comes from."""

    partition: tuple[str, ...]
    stats: tuple[str, ...]
    order: tuple[str, ...]
    zorder: tuple[str, ...]
    bloom: tuple[str, ...]
    features: tuple[str, ...]
    target_file_bytes: int
    reasons: dict[str, str]

    def properties(self) -> dict[str, str]:
        """Return the table properties that say it to Spark, to Delta and to the next build."""
        found = {STATS: ",".join(self.stats)} if self.stats else {}
        if self.order:
            found[_ORDER] = ",".join(self.order)
        if self.zorder:
            found[_ZORDER] = ",".join(self.zorder)
        if self.target_file_bytes:
            found[_FILE_BYTES] = str(self.target_file_bytes)
        for column in self.bloom:  # a dictionary would take the filter's place
            found |= {f"{_BLOOM}{column}": "true", f"{_PLAIN}{column}": "false"}
        return found | {FEATURES[feature]: "true" for feature in self.features}


def bloom_columns(properties: Mapping[str, str]) -> list[str]:
    """Return the columns for which a table's properties ask for a bloom filter."""
    asked = (key.removeprefix(_BLOOM) for key in properties if key.startswith(_BLOOM))
    return [column for column in asked if properties[_BLOOM + column] == "true"]


def resolve_policy(
    name: str,
    columns: Collection[str],
    delta: Mapping[str, Any],
    override: Mapping[str, Any] | None = None,
) -> WritePolicy:
    """Return the policy of a table.

    Args:
        name: the table's.
        columns: what it has.
        delta: the catalogue's policy, `meta.delta` of the model.
        override: what the var `write_policy` says of the table.

    Raises:
        CodelakeError: POLICY_INVALID, POLICY_COLUMN_MISSING, FEATURE_UNKNOWN or FEATURE_UNREADABLE.
    """
    try:
        asked = msgspec.convert(dict(override or {}), Override)
    except msgspec.ValidationError as error:
        allowed = ", ".join(Override.__struct_fields__)
        message = f"the write_policy of `{name}` cannot be read: {error}."
        raise CodelakeError("POLICY_INVALID", message, f"use {allowed}") from None
    stats = (delta.get("properties") or {}).get(STATS, "")
    declared = {
        "stats": tuple(stats.split(",")) if stats else None,
        "order": tuple(delta["order"]) if delta.get("order") else None,
    }
    values: dict[str, Any] = {}
    reasons: dict[str, str] = {}
    for field in Override.__struct_fields__:
        sources = (
            ("var write_policy", getattr(asked, field)),
            ("catalogue", declared.get(field)),
            ("default", getattr(DEFAULTS, field)),
        )
        reasons[field], values[field] = next(each for each in sources if each[1] is not None)
    policy = WritePolicy(partition=tuple(delta.get("partition") or ()), reasons=reasons, **values)
    _check(name, set(columns), policy)
    return policy


def sync_properties(path: Path, policy: WritePolicy) -> bool:
    """Bring the properties of an existing table in line with its policy, in one commit or none.

    Returns:
        Whether there was anything to change.
    """
    table = DeltaTable(path)
    held = table.metadata().configuration
    wanted = policy.properties()
    gone = {
        key: "false"
        for key, value in held.items()
        if key.startswith(_BLOOM) and key not in wanted and value == "true"
    }
    changed = {k: v for k, v in (wanted | gone).items() if held.get(k) != v}
    if changed:
        table.alter.set_table_properties(changed, raise_if_not_exists=False)
    return bool(changed)


def _check(name: str, columns: set[str], policy: WritePolicy) -> None:
    for field in ("stats", "order", "zorder", "bloom"):
        missing = [column for column in getattr(policy, field) if column not in columns]
        if missing:
            raise CodelakeError(
                "POLICY_COLUMN_MISSING",
                f"{field} of `{name}` names {', '.join(missing)}, which it does not have.",
                f"use {', '.join(sorted(columns))}",
            )
    if len(policy.stats) > MAX_STATS:
        message = f"stats of `{name}` names {len(policy.stats)} columns."
        raise CodelakeError("POLICY_INVALID", message, f"name at most {MAX_STATS}")
    for feature in policy.features:
        if feature in UNREADABLE:
            message = f"`{name}` asks for {feature}, which deltalake, Polars or DuckDB cannot read."
            raise CodelakeError("FEATURE_UNREADABLE", message, "leave it out")
        if feature not in FEATURES:
            message = f"`{name}` asks for {feature}, which is no feature."
            raise CodelakeError("FEATURE_UNKNOWN", message, f"use {', '.join(sorted(FEATURES))}")
