"""Answers across files in a lake: right after each edit, and for repositories together."""

from __future__ import annotations

from pathlib import Path

import pytest

from codelake.errors import CodelakeError
from codelake.run.explain import explain
from codelake.run.flows import flows
from codelake.run.query import run_query
from codelake.run.questions import calls, qualified_name, uses
from codelake.run.statistics import statistics
from codelake.semantic.catalog.confidence import MEASURED
from conftest import built, rows, same_graph, versions

pytestmark = pytest.mark.spark


def edges(lake: Path) -> set[tuple[str, str]]:
    sql = "select caller_name, callee_name from call_graph where callee_kind <> 'EXTERNAL'"
    return set(run_query(sql, lake)[1])


def test_an_edit_of_one_file_changes_the_answers_of_another(tmp_path: Path, lake: Path) -> None:
    repo = tmp_path / "app"
    repo.mkdir()
    (repo / "lib.py").write_text("def one(): ...\ndef two(): ...\nchosen = one\n")
    (repo / "main.py").write_text("from lib import chosen\n\ndef run():\n    chosen()\n")
    built([repo], lake)
    assert edges(lake) == {("main.run", "lib.one")}
    before = versions(lake)
    built([repo], lake)
    assert versions(lake) == before
    (repo / "lib.py").write_text("def one(): ...\ndef two(): ...\nchosen = two\n")
    built([repo], lake)
    assert edges(lake) == {("main.run", "lib.two")}
    (repo / "lib.py").unlink()
    built([repo], lake)
    assert edges(lake) == set()
    fresh = tmp_path / "fresh"
    built([repo], fresh)
    assert same_graph(lake, fresh)
    assert rows(lake, "resolution", ["path", "resolution_digest"]) == rows(
        fresh, "resolution", ["path", "resolution_digest"]
    )


def test_a_graph_of_syntax_alone_grows_and_shrinks_by_layers(
    shop: Path, first_build: Path, lake: Path
) -> None:
    built([shop], lake, layers=["syntax"])
    kinds = {row["edge_kind"] for row in rows(lake, "cpg_edges", ["edge_kind"])}
    assert "AST" in kinds
    assert not {"CFG", "REACHES", "BINDS", "REFERS_TO", "CALLS"} & kinds
    syntax = rows(lake, "cpg_edges")
    built([shop], lake)
    assert same_graph(lake, first_build)
    built([shop], lake, layers=["flow", "dominators"])
    found = [row for row in rows(lake, "cpg_edges") if row["edge_kind"] == "DOMINATES"]
    points = {row["node_id"] for row in rows(lake, "cpg_nodes")}
    assert found and {row["src_node_id"] for row in found} <= points
    assert len({row["dst_node_id"] for row in found}) == len(found)
    built([shop], lake, layers=["syntax"])
    assert rows(lake, "resolution") == []
    assert rows(lake, "cpg_edges") == syntax


def test_repositories_that_import_each_other_are_resolved_together(
    tmp_path: Path, lake: Path
) -> None:
    library, app, other = (tmp_path / name for name in ("library", "app", "other"))
    for folder in (library, app, other):
        folder.mkdir()
    (library / "tools.py").write_text("def helper(): ...\n")
    (app / "app.py").write_text("import tools\n\ntools.helper()\n")
    (other / "apart.py").write_text("def alone(): ...\n\nalone()\n")
    built([library, app, other], lake)
    assert edges(lake) == {("app", "tools.helper"), ("apart", "apart.alone")}


AGAIN = """\
LIMIT = 3


def percent():
    return LIMIT


def keep(f):
    def wrapper():
        return f()
    return wrapper


@keep
def kept(): ...


kept()
"""


def test_names_are_found_by_their_end(shop: Path, shop_lake: Path) -> None:
    assert qualified_name("shop.pricing.percent", shop_lake) == "shop.pricing.percent"
    assert qualified_name("Cart.total", shop_lake) == "shop.cart.Cart.total"
    with pytest.raises(CodelakeError, match=r"nothing is called `Cart.totl`") as found:
        qualified_name("Cart.totl", shop_lake)
    assert "shop.cart.Cart.total" in str(found.value)
    (shop / "shop" / "again.py").write_text(AGAIN)
    (shop / "shop" / "more.py").write_text(
        "from shop.again import LIMIT\n\nprint(LIMIT)\nfrom sys import argv\nprint(argv[1])\n"
    )
    built([shop], shop_lake)
    with pytest.raises(CodelakeError, match=r"2 things are called `percent`: shop\.again\.percent"):
        qualified_name("percent", shop_lake)
    columns, answers = calls("Cart.total", "caller", shop_lake)
    assert columns[:3] == ["callee", "path", "line"]
    assert ("shop.pricing.round_down", "shop/cart.py", 33) in {row[:3] for row in answers}
    _, answers = calls("round_down", "callee", shop_lake)
    assert [row[:3] for row in answers] == [("shop.cart.Cart.total", "shop/cart.py", 33)]
    _, answers = uses("Item", shop_lake)
    assert set(answers) >= {
        ("shop.cart.Cart", "REFERS_TO", "shop/cart.py", 21),
        ("shop.cart.Cart.add", "CALLS", "shop/cart.py", 27),
    }
    _, answers = uses("LIMIT", shop_lake)
    assert list(answers) == [
        ("shop.again.percent", "REFERS_TO", "shop/again.py", 5),
        ("shop.more", "IMPORTS", "shop/more.py", 1),
        ("shop.more", "REFERS_TO", "shop/more.py", 3),
    ]
    _, answers = calls("kept", "callee", shop_lake)
    assert [row[:4] for row in answers] == [
        ("shop.again.keep.<locals>.wrapper", "shop/again.py", 10, "explicit"),
        ("shop.again", "shop/again.py", 18, "decorated"),
    ]
    _, answers = uses("kept", shop_lake)
    assert ("shop.again", "REFERS_TO", "shop/again.py", 18) in set(answers)
    ask_without_spark(shop_lake)


def ask_without_spark(lake: Path) -> None:
    _, ways = flows("Cart.add(price)", "round_down", lake)
    assert [row[3:] for row in ways if row[0] == 1] == [
        ("shop/cart.py", 23, "price: int"),
        ("shop/cart.py", 32, "item.price"),
        ("shop/cart.py", 32, "item.price * item.amount"),
        ("shop/cart.py", 32, "sum(item.price * item.amount for item in cheapest_first i..."),
        ("shop/pricing.py", 6, "total: float"),
        ("shop/cart.py", 33, "discount(full)"),
    ]
    assert flows("Cart.add(name)", "round_down", lake)[1] == []
    assert flows("shop/cart.py:32", "floor", lake)[1]
    _, ways = flows("sys.argv", "print", lake)
    assert ways == [
        (1, 1, "shop", "shop/more.py", 5, "argv"),
        (1, 2, "shop", "shop/more.py", 5, "argv[1]"),
    ]
    with pytest.raises(CodelakeError, match=r"PLACE_UNKNOWN.*(\n.*)*parameters rate"):
        flows("pricing.percent(share)", "round_down", lake)
    with pytest.raises(CodelakeError, match=r"NAME_UNKNOWN.*(\n.*)*shop\.pricing\.round_down"):
        flows("Cart.add(price)", "round_dwn", lake)
    nodes = {row["node_id"]: row["qualified_name"] for row in rows(lake, "cpg_nodes")}
    (edge,) = [
        row
        for row in rows(lake, "cpg_edges")
        if row["edge_kind"] == "CALLS" and nodes[row["dst_node_id"]] == "shop.pricing.round_down"
    ]
    told = explain(edge["edge_id"], lake)[1]
    assert ("edge", "kind", "CALLS") in told
    ((_, right, size, where),) = (row for row in MEASURED if row[0] == "import")
    assert ("method", "measured", f"{right} of {size} right, on {where}") in told
    told = explain(edge["src_node_id"], lake)[1]
    assert ("node", "code", "pricing.round_down(discount(full))") in told
    assert ("edge", "CALLS out", "1, seen by resolver, method import, confidence 1.000") in told
    with pytest.raises(CodelakeError, match="ID_UNKNOWN"):
        explain(1, lake)
    counted = {row[:2]: row[2] for row in statistics(lake)[1]}
    assert counted["nodes", "CLASS"] == 2
    assert counted["files read by", "ast"] >= 4
