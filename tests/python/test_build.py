"""Builds: what a lake holds after a sequence of edits, and that nothing else changes."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from deltalake import DeltaTable

from codelake.errors import CodelakeError
from codelake.run.build import build
from conftest import GATHERED, ON_REQUEST, built, rows, same_graph, versions

pytestmark = pytest.mark.spark

ODD_FILES = {
    "not_python.py": b"\x89PNG\r\n\x1a\n\x00\x00",
    "prose.py": b"this is not Python at all\n",
    "empty.py": b"",
    "nul.py": b"x = 1\x00\n",
    "wrong_cookie.py": b"# -*- coding: no-such-codec -*-\nx = 1\n",
    "bad_bytes.py": b"# -*- coding: utf-8 -*-\nx = '\xff'\n",
    "brackets.py": b"x = " + b"[" * 5000 + b"]" * 5000 + b"\n",
}
RARE_NAMES = """\
def outer():
    X = int
    type Alias = list[X]
    type Pair[T] = tuple[T, X]

    def f[T: X, U: X](a: T) -> X:
        def inner[V](b: T, c: V, d: X): return a, X
        return inner

    class Box[T]:
        item: T

        def get[U](self, other: U) -> tuple[T, U, X]:
            type Own = tuple[T, U]
            return self.item, other, super(), X

        def put(self, item: T): self.item = item
    return f, Box, Alias, Pair


class Odd:
    nonlocal_class = [__class__ for _ in ()] if False else []

    def f(self):
        nonlocal __class__
        __class__ = 42
        return __class__
"""
"""Scopes beside bodies, and the cells that a class gives its functions."""


def test_every_edit_gives_what_a_fresh_build_gives(shop: Path, lake: Path, tmp_path: Path) -> None:
    first = built([shop], lake)
    assert first.files_read == 4
    before = versions(lake)

    unchanged = built([shop], lake)
    assert unchanged.files_read == 0
    assert versions(lake) == before

    cart = shop / "shop" / "cart.py"
    cart.write_text(cart.read_text().replace("cheapest_first", "ordered"))
    assert built([shop], lake).files_read == 1
    (shop / "shop" / "new.py").write_text("from shop import pricing as p\n\np.percent(1)(2)\n")
    assert built([shop], lake).files_read == 1
    (shop / "tests" / "test_cart.py").unlink()
    gone = built([shop], lake)
    assert gone.files_read == 0
    assert "tests/test_cart.py" not in {row["path"] for row in rows(lake, "cpg_nodes", ["path"])}
    cart.rename(shop / "shop" / "basket.py")
    assert built([shop], lake).files_read == 1

    fresh = tmp_path / "fresh"
    built([shop], fresh)
    assert same_graph(lake, fresh)
    built([shop], lake, full_refresh=True)
    assert same_graph(lake, fresh)


def test_each_table_takes_one_commit_per_build_and_says_who_made_it(
    shop: Path, shop_lake: Path
) -> None:
    before = versions(shop_lake)
    (shop / "shop" / "pricing.py").write_text("x = 1\n")
    result = built([shop], shop_lake)
    for table in ("evidence", "cpg_nodes", "cpg_edges"):
        assert versions(shop_lake)[table] == before[table] + 1
        commit = DeltaTable(shop_lake / "codelake" / table).history(1)[0]
        state = json.loads(commit["userMetadata"])
        assert state["run_id"] == result.run_id
        assert state["program_hash"] and state["environment_hash"]
    assert versions(shop_lake)["graph_kinds"] == before["graph_kinds"]
    runs = rows(shop_lake, "run_manifest")
    assert [run["status"] for run in runs] == ["complete", "complete"]


def test_only_leaves_other_files_alone(shop: Path, shop_lake: Path) -> None:
    before = {row["path"]: row["file_sha256"] for row in rows(shop_lake, "evidence")}
    for path in ("shop/cart.py", "shop/pricing.py"):
        (shop / path).write_text("changed = 1\n")
    (shop / "tests" / "test_cart.py").unlink()
    assert built([shop], shop_lake, only=["pricing.py"]).files_read == 1
    after = {row["path"]: row["file_sha256"] for row in rows(shop_lake, "evidence")}
    assert after.keys() == before.keys()
    assert {path for path in after if after[path] != before[path]} == {"shop/pricing.py"}


def test_repositories_are_evidence_that_needs_no_spark_job(shop: Path, shop_lake: Path) -> None:
    before = versions(shop_lake)
    (row,) = rows(shop_lake, "evidence_repositories")
    assert [entry["path"] for entry in row["scope"] if entry["is_included"]] == [
        found["path"] for found in sorted(rows(shop_lake, "evidence"), key=lambda row: row["path"])
    ]
    known = {row["name"]: row["status"] for row in rows(shop_lake, "python_external_interfaces")}
    assert set(known.values()) == {"stdlib"}
    assert not any(name.startswith("shop") for name in known)
    (shop / "shop" / "pricing.py").write_text("import yaml\n")
    (shop / "shop" / "new.py").write_text("x = 1\n")
    (shop / "requirements.txt").write_text("PyYAML==6.0\n")
    built([shop], shop_lake, only=["pricing.py"], lock_file=[shop / "requirements.txt"])
    assert versions(shop_lake)["evidence_repositories"] == before["evidence_repositories"]
    built([shop], shop_lake, lock_file=[shop / "requirements.txt"])
    found = [row for row in rows(shop_lake, "python_external_interfaces") if row["name"] == "yaml"]
    assert [(row["dist_name"], row["dist_version"]) for row in found] == [("PyYAML", "6.0")]
    for table in GATHERED:
        commits = DeltaTable(shop_lake / "codelake" / table).history()
        assert all(commit["clientVersion"].startswith("delta-rs") for commit in commits)


def repositories(lake: Path) -> set[str]:
    """Return whose nodes the graph holds; names outside belong to nobody."""
    nodes = rows(lake, "cpg_nodes")
    return {row["repo"] for row in nodes if row["node_kind"] != "EXTERNAL"}


def test_repositories_share_a_lake(shop: Path, lake: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "shop.py").write_text("def f(): return 1\n")
    built([shop, other], lake)
    assert repositories(lake) == {"shop", "other"}
    (other / "shop.py").unlink()
    built([other], lake)
    assert repositories(lake) == {"shop"}
    alone = tmp_path / "alone"
    built([shop], alone)
    assert same_graph(lake, alone)


def test_files_that_cannot_be_read_are_rows_with_a_reason(lake: Path, tmp_path: Path) -> None:
    repo = tmp_path / 'o\'dd "größe" 仓库 repo'
    repo.mkdir()
    for name, content in ODD_FILES.items():
        (repo / name).write_bytes(content)
    (repo / "dangling.py").symlink_to("nowhere.py")
    os.mkfifo(repo / "pipe.py")
    (repo / "good.py").write_text("def good(): return 1\n")
    (repo / "rare_names.py").write_text(RARE_NAMES)
    built([repo], lake)
    errors = {
        row["path"]: [(e["extractor"], e["error_type"]) for e in row["errors"]]
        for row in rows(lake, "evidence")
    }
    assert {path for path, found in errors.items() if not found} == {
        "empty.py",
        "good.py",
        "rare_names.py",
    }
    assert errors["dangling.py"] == [("scan", "DanglingSymlink")]
    assert errors["pipe.py"] == [("scan", "NotRegularFile")]
    assert errors["wrong_cookie.py"][0][0] == "decode"
    assert errors["nul.py"][0] == ("ast", "SyntaxError")
    files = [row for row in rows(lake, "cpg_nodes") if row["node_kind"] == "FILE"]
    assert {row["path"] for row in files} == errors.keys()
    assert {row["repo"] for row in files} == {repo.name}


def test_an_edit_inside_a_function_changes_no_id_outside(shop: Path, shop_lake: Path) -> None:
    before = rows(shop_lake, "cpg_nodes")
    cart = shop / "shop" / "cart.py"
    text = cart.read_text().replace("if amount < 1:", "if not amount or (amount < 1 and name):")
    cart.write_text(text.replace("self.items.append(", "[x for x in name]; self.items.append("))
    built([shop], shop_lake)
    after = rows(shop_lake, "cpg_nodes")
    add = next(row for row in after if row["qualified_name"] == "shop.cart.Cart.add")

    def outside(nodes: list[dict]) -> set[int]:
        owners = {row["node_id"]: row["owner_id"] for row in nodes}

        def is_inside(node: int | None) -> bool:
            return node is not None and (node == add["node_id"] or is_inside(owners[node]))

        return {row["node_id"] for row in nodes if not is_inside(row["owner_id"])}

    assert outside(before) == outside(after)
    assert {row["node_id"] for row in before} != {row["node_id"] for row in after}


def test_contract_stands_in_the_table(shop: Path, lake: Path) -> None:
    built([shop], lake, empty=True)
    table = DeltaTable(lake / "codelake" / "cpg_edges")
    assert table.metadata().configuration["delta.constraints.confidence_is_a_share"]
    assert table.metadata().configuration["codelake.semantic_type.src_node_id"] == "NodeId"
    fields = {field.name: field for field in table.schema().fields}
    assert not fields["src_node_id"].nullable
    assert fields["ambiguity_group_id"].nullable
    assert fields["src_node_id"].metadata["comment"]


def test_a_missing_repository_is_one_clear_error(lake: Path, tmp_path: Path) -> None:
    with pytest.raises(CodelakeError, match="REPOSITORY_MISSING"):
        build([tmp_path / "nowhere"], lake)
    assert not lake.exists()


def test_evidence_on_request_is_kept_up_to_date(shop: Path, shop_lake: Path) -> None:
    assert not ON_REQUEST & versions(shop_lake).keys()
    built([shop], shop_lake, select=["scip_documents", "cst_defs"])
    assert not ON_REQUEST & versions(shop_lake).keys()
    result = built([shop], shop_lake, extractors=["bytecode"])
    assert result.tables["evidence"].action == "none"
    assert len(rows(shop_lake, "evidence_bytecode")) == len(rows(shop_lake, "evidence"))
    cart = shop / "shop" / "cart.py"
    cart.write_text(cart.read_text() + "last = 1\n")
    built([shop], shop_lake)
    units = {row["path"]: row["bc_units"] for row in rows(shop_lake, "evidence_bytecode")}
    assert "last" in units["shop/cart.py"][0]["names"]
    assert "evidence_cst" not in versions(shop_lake)
