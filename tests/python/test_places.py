"""Places: which nodes a text means."""

from __future__ import annotations

import ast
from typing import Any, cast

import pytest

from codelake.errors import CodelakeError
from codelake.resolve.load import numbered_tree, read_repository
from codelake.resolve.rehearsal.values import number_of
from codelake.resolve.resolve import analyse
from codelake.run.lake_reader import LakeReader
from codelake.run.places import Places

CODE = """\
import sys
from flask import request


class Store:
    def __init__(self, connection):
        self.cursor = connection.cursor()

    def find(self, name):
        return self.cursor.execute("select " + name)


def main(store, rows):
    store.find(sys.stdin.readline())
    store.find(request.args["name"])
    rows[0].execute(store.title)
    connect().cursor().execute("x", rows)
    Store(None).find("y")
"""
PLACES = {
    ("sys.stdin.readline", False): [14],
    ("stdin.readline", False): [14],
    ("request.args", False): [15],
    ("self.cursor.execute", True): [10],
    ("cursor.execute", True): [10],
    ("connect().cursor().execute", True): [17, 17],
    ("execute", True): [10, 16, 17, 17],
    ("store.title", False): [16],
    ("Store.find", True): [18],
}


class _Reader:
    """A lake where nothing is exported or inherited."""

    def ask(self, _: str, **__: str) -> tuple[list[str], list[Any]]:
        return [], []


def _lines(text: str, is_end: bool) -> list[int]:
    files = read_repository("r", {"shop.py": CODE.encode()})
    state = analyse(files)
    places = Places([state], lambda _: [], cast(LakeReader, _Reader()))
    (found,) = places.find(text, is_end)
    tree = numbered_tree(CODE.encode())
    assert tree is not None
    lines = {number_of(each): getattr(each, "lineno", 0) for each in ast.walk(tree)}
    return [lines[node] for _, node in found]


@pytest.mark.parametrize(("text", "is_end"), PLACES)
def test_a_place_may_be_given_as_it_is_written(text: str, is_end: bool) -> None:
    assert _lines(text, is_end) == PLACES[text, is_end]


def test_what_nobody_writes_is_unknown() -> None:
    with pytest.raises(CodelakeError, match="NAME_UNKNOWN"):
        _lines("cursor.executemany", True)
