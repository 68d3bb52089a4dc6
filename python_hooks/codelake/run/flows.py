"""Where a value goes: the ways from one place of a lake to another.

    flows("input", "os.system", lake)     from results of input() to arguments of os.system()
    flows("app/views.py:12", "Cart.add(price)", lake)

The stored facts are resolved anew, without Spark: the steps of a large repository are a million
rows, which a build would pay for whether or not anybody asks.
Next: places.py.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from codelake.evidence.delta_columns import delta_columns
from codelake.resolve.file_facts import FileFacts
from codelake.resolve.groups import plan_groups
from codelake.resolve.load import numbered_tree
from codelake.resolve.resolve import analyse, without_collector
from codelake.resolve.resolve_lake import read_group
from codelake.resolve.state import State
from codelake.resolve.value_search import Node, ValueSearch
from codelake.run.catalogue import table_location
from codelake.run.lake_reader import LakeReader
from codelake.run.places import Places

COLUMNS = ["way", "step", "repo", "path", "line", "code"]
_LONGEST = 60  # characters of code


def flows(
    start: str, end: str, lake: Path, *, most: int = 10
) -> tuple[list[str], list[tuple[Any, ...]]]:
    """Return the ways from one place to another, the shortest first, one row per step.

    Args:
        start: where the value comes from.
        end: where it may go.
        lake: the lake's folder.
        most: number of ways.
    """
    evidence = table_location(lake, "evidence")
    reader = LakeReader(lake)
    version = reader.table("evidence").version()
    rows: list[tuple[Any, ...]] = []
    groups = [read_group(evidence, version, group)[0] for group in plan_groups(evidence, version)]
    texts = _Texts(evidence, version)
    with without_collector():
        states = [analyse(files) for files in groups]
        places = Places(states, texts.nodes, reader)
        starts, ends = places.find(start, False), places.find(end, True)
        ways = 0
        for state, sources, sinks in zip(states, starts, ends, strict=True):
            if not sources or not sinks or ways >= most:
                continue
            search = ValueSearch(state, partial(texts.tree, state))
            found = search.ways(sources, sinks, most - ways)
            for _, way in sorted(found.items(), key=_by_length):
                if ways < most:
                    ways += 1
                    rows += _steps(state, way, ways, texts)
            state.release()
    return COLUMNS, rows


def _by_length(found: tuple[Node, Sequence[Node]]) -> tuple[int, Node]:
    """Order ways so that the most direct comes first."""
    end, way = found
    return len(way), end


def _steps(
    state: State, way: Sequence[Node], number: int, texts: _Texts
) -> Iterator[tuple[Any, ...]]:
    for step, (file, node) in enumerate(way, 1):
        facts = state.files[file]
        line, code = texts.of(facts, node)
        yield number, step, facts.repo, facts.path, line, code


class _Texts:
    """Lines and code of nodes, read for the files that are asked for."""

    def __init__(self, evidence: Path, version: int) -> None:
        self._table = (evidence, version)
        self._files: dict[tuple[str, str], tuple[bytes, list[Any]]] = {}
        self._contents: dict[str, dict[str, bytes]] = {}

    def nodes(self, file: FileFacts) -> list[Any]:
        """Return the nodes of a file, by number."""
        return self._read(file)[1]

    def of(self, file: FileFacts, node: int) -> tuple[int, str]:
        """Return line and code of a node."""
        content, nodes = self._read(file)
        found = nodes[node]
        code = content[found["bstart"] : found["bend"]].decode("utf-8", "replace")
        code = " ".join(code.split())
        return found["line"], code if len(code) <= _LONGEST else f"{code[: _LONGEST - 3]}..."

    def tree(self, state: State, number: int) -> ast.Module | None:
        """Return the tree of a file, whose nodes have their numbers."""
        file = state.files[number]
        if file.repo not in self._contents:
            evidence, version = self._table
            table = delta_columns(evidence, ["path", "content"], version=version, repos=[file.repo])
            paths, contents = (table.column(name).to_pylist() for name in ("path", "content"))
            self._contents[file.repo] = dict(zip(paths, contents, strict=True))
        return numbered_tree(self._contents[file.repo][file.path] or b"")

    def _read(self, file: FileFacts) -> tuple[bytes, list[Any]]:
        key = (file.repo, file.path)
        if key not in self._files:
            evidence, version = self._table
            columns = ["repo", "path", "content", "ast_nodes"]
            table = delta_columns(evidence, columns, version=version, repos=[file.repo])
            index = table.column("path").to_pylist().index(file.path)
            row = table.slice(index, 1).to_pylist()[0]
            self._files[key] = (row["content"] or b"", row["ast_nodes"])
        return self._files[key]
