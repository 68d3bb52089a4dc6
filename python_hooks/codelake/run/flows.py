"""Where a value goes: the ways from one place of a lake to another.

    flows("input", "os.system", lake)     from results of input() to arguments of os.system()
    flows("app/views.py:12", "Cart.add(price)", lake)

A place is `path:line`, a parameter `NAME(parameter)`, or the name of what is called: as a start it
stands for the results of its calls, as an end for their arguments. A name outside that is read but
not called, as `sys.argv`, stands for its reads. The stored facts are resolved
anew, without Spark: the steps of a large repository are a million rows, which a build would pay
for whether or not anybody asks.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from codelake.errors import CodelakeError
from codelake.evidence.delta_columns import delta_columns
from codelake.resolve.file_facts import FileFacts
from codelake.resolve.groups import plan_groups
from codelake.resolve.load import numbered_tree
from codelake.resolve.objects import EXTERNAL, EXTERNAL_INSTANCE
from codelake.resolve.resolve import analyse, without_collector
from codelake.resolve.resolve_lake import read_group
from codelake.resolve.state import EXPLICIT, State
from codelake.resolve.value_search import Node, ValueSearch
from codelake.run.catalogue import table_location
from codelake.run.lake_reader import LakeReader
from codelake.run.names import find_name

COLUMNS = ["way", "step", "repo", "path", "line", "code"]
_LINE = re.compile(r"(.+\.pyi?w?):(\d+)$")
_PARAMETER = re.compile(r"(.+)\((\w+)\)$")
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
        places = _Places(states, texts, reader)
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


class _Places:
    """Finds the nodes that a text means."""

    def __init__(self, states: Sequence[State], texts: _Texts, reader: LakeReader) -> None:
        self._states, self._texts, self._reader = states, texts, reader

    def find(self, text: str, is_end: bool) -> list[list[Node]]:
        """Return the nodes of each group that a place stands for.

        Raises:
            CodelakeError: PLACE_UNKNOWN when nothing stands there.
        """
        if match := _LINE.match(text):
            found = [self._on_line(state, match[1], int(match[2])) for state in self._states]
        elif match := _PARAMETER.match(text):
            name = find_name(match[1], self._names(), self._reader)
            found = [
                [node for each, node in _parameters(state, name) if each == match[2]]
                for state in self._states
            ]
        else:
            name = find_name(text, self._names(), self._reader)
            found = [list(_calls(state, name, is_end)) for state in self._states]
            if not any(found) and not is_end:
                found = [_reads(state).get(name, []) for state in self._states]
        if not any(found):
            raise CodelakeError("PLACE_UNKNOWN", f"nothing stands at `{text}`.", self._fix(text))
        return found

    def _fix(self, text: str) -> str:
        """Say what a place may be, and which parameters there are."""
        if match := _PARAMETER.match(text):
            name = find_name(match[1], self._names(), self._reader)
            known = [each for state in self._states for each in _parameters(state, name)]
            if known:
                return f"{name} has the parameters {', '.join(name for name, _ in known)}"
        return "give path.py:LINE, NAME(parameter), or the name of something that is called"

    def _names(self) -> set[str]:
        names: set[str] = set()
        for state in self._states:
            for file in state.files:
                names.update(file.qualified(number) for number in range(len(file.definitions)))
            for targets in state.edges.values():
                names.update(target for target in targets if isinstance(target, str))
            names.update(_reads(state))
        return names

    def _on_line(self, state: State, path: str, line: int) -> list[Node]:
        found: list[Node] = []
        for number, file in enumerate(state.files):
            if file.path == path or file.path.endswith(f"/{path}"):
                nodes = self._texts.nodes(file)
                made = state.bodies[number].made
                found += [(number, node) for node in made if nodes[node]["line"] == line]
        return found


def _parameters(state: State, name: str) -> Iterator[tuple[str, Node]]:
    """Yield the parameters of a definition, by name."""
    for number, file in enumerate(state.files):
        for def_no in range(len(file.definitions)):
            if file.qualified(def_no) == name:
                for each in state.bodies[number].body(def_no).signature.all():
                    yield each.name, (number, each.node)


def _calls(state: State, name: str, is_end: bool) -> Iterator[Node]:
    """Yield the calls of something, or their arguments."""
    for (file, node, kind), targets in sorted(state.edges.items()):
        if kind == EXPLICIT and any(_named(state, target) == name for target in targets):
            if is_end:
                positional, keywords = state.bodies[file].written_arguments(node)
                yield from ((file, argument) for argument in (*positional, *keywords))
            else:
                yield file, node


def _reads(state: State) -> dict[str, list[Node]]:
    """Return the names and attributes that mean something outside, by its name."""
    found: dict[str, dict[Node, None]] = {}
    for number, file in enumerate(state.files):
        for op, owner, node, base, _, text, _ in file.facts:
            if op == "attr" and base is not None:
                names = {f"{name}.{text}" for name in _outside(state, number, owner, base)}
            elif op == "load":
                names = _imported(state, number, owner, node)
            else:
                continue
            for name in names:
                found.setdefault(name, {})[number, node] = None
    return {name: list(nodes) for name, nodes in sorted(found.items())}


def _outside(state: State, number: int, owner: int, node: int) -> set[str]:
    """Return what a node may hold of what is outside: its name, or that of its class."""
    kinds, firsts = state.objects.kind, state.objects.first
    return {
        firsts[one]
        for frame in state.frames_of.get(state.definition(number, owner), ())
        for one in state.solver.get(state.value(frame, node))
        if one >= 0 and kinds[one] in (EXTERNAL, EXTERNAL_INSTANCE)
    }


def _imported(state: State, number: int, owner: int, node: int) -> set[str]:
    """Return what a name is outside, when an import or nobody in its file binds it."""
    file, body = state.files[number], state.bodies[number]
    symbol, _, scope = file.names.get(node, ("", "", None))
    places = file.reaches.get(node) or body.stores_of.get((scope, symbol)) or ()
    made = [
        body.made.get(source.value) for place in places for source in body.stores.get(place, ())
    ]
    imports = [fact for fact in made if fact is not None and fact[0].startswith("import")]
    if made and not imports:
        return set()
    sources = (fact[5] or "" for fact in imports if fact[0] == "import_from")
    names = {
        source.replace(":", ".")
        for source in sources
        if source[0] != "." and source.partition(":")[0] not in state.index.by_name
    }
    return names or _outside(state, number, owner, node)


def _named(state: State, target: int | str) -> str:
    return target if isinstance(target, str) else state.name_of(target)
