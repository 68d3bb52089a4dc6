"""A unit -> the contract beside its model.

A column's text is that of its meaning, so a name means one thing everywhere; dbt's doc blocks would
say the same and take a sixth of the time in which dbt reads the project. NOT NULL stands on tables
only, where Delta enforces it at the write; dbt compares the schema of a view.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping

from codelake.compile.units import Unit
from codelake.semantic.functions import expand
from codelake.semantic.ir import Column, Dataset

_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_<>,.;()/ -]*\Z")
_WORDS = frozenset({"true", "false", "null", "yes", "no", "on", "off"})


def emit_seed_yaml(unit: Unit, texts: Mapping[str, str]) -> str:
    """Write the YAML of a seed, without the header."""
    dataset = unit.dataset
    lines = ["seeds:", f"  - name: {dataset.name}", *_description(dataset), "    config:"]
    lines += [f"      tags: [{dataset.layer}]", "      column_types:"]
    lines += [f"        {column.name}: {column.type}" for column in dataset.columns]
    lines.append("    columns:")
    for column in dataset.columns:
        lines += _column(column, texts, table=True)
    return "\n".join(lines) + "\n"


def emit_yaml(unit: Unit, texts: Mapping[str, str]) -> str:
    """Write the YAML of a model, without the header."""
    dataset = unit.dataset
    table = unit.materialization == "delta_table"
    lines = ["models:", f"  - name: {dataset.name}", *_description(dataset), "    config:"]
    lines += [f"      materialized: {unit.materialization}", "      contract:"]
    lines += ["        enforced: true", f"      tags: [{dataset.layer}]", "      meta:"]
    lines.append(f"        grain: {_scalar(dataset.grain)}")
    lines.append(f"        key: [{', '.join(dataset.key)}]")
    lines.append(f"        fingerprint: {_scalar(unit.fingerprint)}")
    lines.append(f"        reason: {_scalar(unit.reason)}")
    lines += _derived(unit)
    lines += _delta(unit) if table else []
    if dataset.check is not None:
        lines += ["    data_tests:", "      - is_empty"]
    lines.append("    columns:")
    for column in dataset.columns:
        lines += _column(column, texts, table=table)
    return "\n".join(lines) + "\n"


def contract_hash(dataset: Dataset) -> str:
    """Hash what a table promises: another hash means that it must be made anew."""
    parts = [f"{c.name} {c.type} {c.nullable}" for c in dataset.columns]
    parts += [f"{name} {expand(text)}" for name, text in dataset.constraints]
    if dataset.write is not None:
        parts += [f"partition {name}" for name in dataset.write.partition]
    return "c" + hashlib.sha256("\n".join(parts).encode()).hexdigest()[:15]


def _scalar(text: str) -> str:
    if _PLAIN.match(text) and text.lower() not in _WORDS and not text.endswith(" "):
        return text
    return json.dumps(text, ensure_ascii=False)


def _description(dataset: Dataset) -> list[str]:
    if dataset.check is None:
        return [f"    description: {_scalar(f'{dataset.description} {dataset.grain}')}"]
    check = dataset.check
    return [
        "    description: |",
        f"      {dataset.description}",
        "",
        f"      What it shows: {check.shows}",
        f"      Example: {check.example}",
        f"      Why it matters: {check.why}",
        f"      How to repair: {check.repair}",
        "",
        f"      {dataset.grain}",
    ]


def _derived(unit: Unit) -> list[str]:
    known = "follows from what it reads" if unit.key_is_derived else "promised by its source"
    lines = [f"        key_is: {known}"]
    lines.append(f"        extractors: [{', '.join(unit.extractors)}]")
    lines.append(f"        functions: [{', '.join(unit.functions)}]")
    lines += ["        joins:"] if unit.joins else []
    for join in unit.joins:
        on = " and ".join(f"{left} = {right}" for left, right in join.on)
        rows = ", several rows for one" if join.many else ""
        text = f"{join.how} {join.right} on {on}; {join.strategy}{rows}"
        lines.append(f"          {join.step}: {_scalar(text)}")
    for name in ("stats", "zorder", "bloom"):
        chosen = getattr(unit.layout, name)
        lines += [f"        {name}:"] if chosen else []
        lines += [f"          {each.column}: {_scalar(each.reason)}" for each in chosen]
    return lines


def _delta(unit: Unit) -> list[str]:
    dataset = unit.dataset
    lines = ["        delta:"]
    if dataset.write is not None:
        lines.append(f"          strategy: {dataset.write.strategy}")
        lines.append(f"          key: {dataset.write.key}")
        if dataset.write.part:
            lines.append(f"          part: {dataset.write.part}")
        if dataset.write.profile:
            lines.append(f"          profile: {dataset.write.profile}")
        if dataset.write.partition:
            lines.append(f"          partition: [{', '.join(dataset.write.partition)}]")
        if dataset.write.order:
            lines.append(f"          order: [{', '.join(dataset.write.order)}]")
        if dataset.write.cluster:
            lines.append(f"          cluster: [{', '.join(dataset.write.cluster)}]")
    lines.append(f"          inputs: [{', '.join(unit.inputs)}]")
    if dataset.constraints:
        lines.append("          constraints:")
        for name, text in dataset.constraints:
            lines.append(f"            {name}: {_scalar(expand(text))}")
    lines.append("          properties:")
    lines.append(f"            codelake.contract: {_scalar(contract_hash(dataset))}")
    if dataset.write is not None:
        stats = ",".join(each.column for each in unit.layout.stats)
        lines.append(f"            delta.dataSkippingStatsColumns: {_scalar(stats)}")
    for column in dataset.columns:
        if column.semantic:
            lines.append(f"            codelake.semantic_type.{column.name}: {column.semantic}")
    return lines


def _column(column: Column, texts: Mapping[str, str], *, table: bool) -> list[str]:
    lines = [
        f"      - name: {column.name}",
        f"        data_type: {_scalar(str(column.type))}",
        f"        description: {_scalar(texts[column.meaning or column.name])}",
    ]
    if table and not column.nullable:
        lines += ["        constraints:", "          - type: not_null"]
        lines.append("            warn_unsupported: false")
    if column.semantic:
        lines += ["        config:", "          meta:"]
        lines.append(f"            semantic_type: {column.semantic}")
    return lines
