"""Syntax tree evidence: text cases, with invariants on every one."""

from __future__ import annotations

import unicodedata
from pathlib import Path
from typing import Any

from cases import Case, check, parametrize
from codelake.evidence.rows import EVIDENCE
from codelake.extract.file_evidence import extract_batch
from codelake.sources.scan import ScannedFile

type Row = dict[str, Any]
OUTSIDE = {"decorator_list", "default"}  # Python places these outside their parent


def extract(raw: bytes, folder: Path, name: str = "m.py") -> Row:
    (folder / name).write_bytes(raw)
    batch = extract_batch([ScannedFile("r", name, str(folder / name), len(raw), "")])
    assert batch.schema.equals(EVIDENCE)
    batch.validate(full=True)
    (row,) = batch.to_pylist()
    check_invariants(row)
    return row


@parametrize("syntax_tree")
def test_case(case: Case, tmp_path: Path) -> None:
    row = extract(case.source.encode(), tmp_path)
    sections = {
        "nodes": lambda: _nodes(row),
        "defs": lambda: [_facts(item, "def_id", "def_path") for item in row["ast_defs"]],
        "imports": lambda: [_facts(item, "", "kind") for item in row["ast_imports"]],
        "errors": lambda: [_facts(item, "", "extractor") for item in row["errors"]],
        "spans": lambda: [_span(item, row["content"]) for item in row["ast_nodes"]],
    }
    check(case, sections)


def check_invariants(row: Row) -> None:
    """Unique addresses, parents first, spans nested, names in their spans, ids unique."""
    seen: dict[tuple[int, int], Row] = {}
    raw, encoding = row["content"], row["encoding"] or "latin-1"
    for node in row["ast_nodes"]:
        address = node["def_no"], node["ordinal"]
        assert address not in seen
        text = unicodedata.normalize("NFKC", raw[node["bstart"] : node["bend"]].decode(encoding))
        if seen:
            parent = seen[node["parent_def_no"], node["parent_ordinal"]]
            assert parent["syntax"] == node["parent_syntax"]
            inside = parent["bstart"] <= node["bstart"] <= node["bend"] <= parent["bend"]
            assert inside or node["slot"] in OUTSIDE, node
            assert node["owner_no"] < len(row["ast_defs"])
        seen[address] = node
        name = node["name"] or ""
        assert node["kind"] != "NAME" or text == name
        assert node["kind"] != "ATTRIBUTE" or text.endswith(name)
        assert node["kind"] != "PARAMETER" or text.lstrip("* ").startswith(name)
        assert node["kind"] != "DECORATOR" or text.startswith("@")
    assert len({item["def_id"] for item in row["ast_defs"]}) == len(row["ast_defs"])
    for number, item in enumerate(row["ast_defs"]):
        assert seen[number, 0]["kind"] == item["kind"]
        if item["name_bstart"] is not None:
            text = raw[item["name_bstart"] : item["name_bend"]].decode(encoding)
            assert unicodedata.normalize("NFKC", text) == item["name"]


def _nodes(row: Row) -> list[str]:
    """Print the tree: address, kind, syntax, name, slot, and what is not the usual."""
    depth: dict[tuple[int, int], int] = {}
    lines = []
    for node in row["ast_nodes"]:
        level = depth.get((node["parent_def_no"], node["parent_ordinal"]), -1) + 1
        depth[node["def_no"], node["ordinal"]] = level
        parts = [f"{node['def_no']}.{node['ordinal']}", node["kind"], node["syntax"]]
        parts += [f"`{node['name']}`"] if node["name"] is not None else []
        parts += [f"{node['slot']}[{node['idx']}]"] if node["slot"] else []
        if node["owner_no"] != (node["parent_def_no"] if node["ordinal"] == 0 else node["def_no"]):
            parts += [f"owner={node['owner_no']}"] if level else []
        parts += [f"keyword={node['keyword']}"] if node["keyword"] else []
        parts += [f"receiver_of={node['call_ordinal']}"] if node["call_ordinal"] else []
        parts += [f"{key}={value!r}" for key, value in node["attrs"] or []]
        lines.append("  " * level + " ".join(parts))
    return lines


def _facts(item: Row, hidden: str, first: str) -> str:
    usual = {"level": 0, "redefinition": 0, "is_async": False, "is_star": False, "signature": ""}
    named = {key: value for key, value in item.items() if key not in (hidden, first)}
    given = [
        f"{key}={value!r}"
        for key, value in named.items()
        if value is not None and (key not in usual or value != usual[key])
    ]
    return " ".join([repr(item[first]), *given])


def _span(node: Row, raw: bytes) -> str:
    text = raw[node["bstart"] : node["bend"]].decode()
    place = f"{node['line']}:{node['col']}-{node['end_line']}:{node['end_col']}"
    span = f"{node['def_no']}.{node['ordinal']} {node['bstart']}..{node['bend']} {place}"
    return f"{span} {node['syntax']} {text!r}"
