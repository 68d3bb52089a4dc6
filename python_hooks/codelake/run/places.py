"""Places: the nodes that a text means which somebody writes for an end of a flow.

    app/views.py:12           what is made on that line
    Cart.add(price)           the parameter
    os.system                 its calls: as a start their results, as an end their arguments
    sys.argv                  as a start, the reads of what is outside and not called
    self.cursor.execute       the calls, or else the reads, of what the code writes so

A name that the lake knows comes before what is written.
Next: names.py.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from codelake.errors import CodelakeError
from codelake.resolve.file_facts import FileFacts
from codelake.resolve.objects import EXTERNAL, EXTERNAL_INSTANCE
from codelake.resolve.state import EXPLICIT, State
from codelake.resolve.value_search import Node
from codelake.run.lake_reader import LakeReader
from codelake.run.names import find_name

_LINE = re.compile(r"(.+\.pyi?w?):(\d+)$")
_PARAMETER = re.compile(r"(.+)\((\w+)\)$")


class Places:
    """The places of a lake."""

    def __init__(
        self,
        states: Sequence[State],
        nodes: Callable[[FileFacts], Sequence[Any]],
        reader: LakeReader,
    ) -> None:
        """Take the groups of repositories.

        Args:
            states: the analysis of each group.
            nodes: gives the nodes of a file, by number.
            reader: the lake.
        """
        self._states, self._nodes, self._reader = states, nodes, reader

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
            found = self._named(text, is_end)
        if not any(found):
            raise CodelakeError("PLACE_UNKNOWN", f"nothing stands at `{text}`.", self._fix(text))
        return found

    def _named(self, text: str, is_end: bool) -> list[list[Node]]:
        """Return the nodes that a name stands for, or a text as the code has it."""
        found: list[list[Node]] = []
        unknown: CodelakeError | None = None
        try:
            name = find_name(text, self._names(), self._reader)
            found = [list(_calls(state, name, is_end)) for state in self._states]
            if not any(found) and not is_end:
                found = [_reads(state).get(name, []) for state in self._states]
        except CodelakeError as error:
            if error.code != "NAME_UNKNOWN":
                raise
            unknown = error
        if not any(found):
            found = [_written(state, text, is_end) for state in self._states]
        if unknown is not None and not any(found):
            raise unknown
        return found

    def _fix(self, text: str) -> str:
        """Say what a place may be, and which parameters there are."""
        if match := _PARAMETER.match(text):
            name = find_name(match[1], self._names(), self._reader)
            known = [each for state in self._states for each in _parameters(state, name)]
            if known:
                return f"{name} has the parameters {', '.join(name for name, _ in known)}"
        return "give path.py:LINE, NAME(parameter), or what is called, by name or as it is written"

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
                nodes = self._nodes(file)
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
            yield from _ends_of(state, file, node, is_end)


def _ends_of(state: State, file: int, node: int, is_end: bool) -> list[Node]:
    """Return what a call stands for: its result, or its arguments."""
    if not is_end:
        return [(file, node)]
    positional, keywords = state.bodies[file].written_arguments(node)
    return [(file, argument) for argument in (*positional, *keywords)]


def _written(state: State, text: str, is_end: bool) -> list[Node]:
    """Return calls, or their arguments, of what is written so or ends so; reads if there are none.

    `execute`, `cursor.execute` and `conn.cursor().execute` all stand for the last of these.
    """
    calls: list[Node] = []
    reads: list[Node] = []
    for number, file in enumerate(state.files):
        codes: dict[int, str] = {}
        for op, _, node, base, _, name, _ in file.facts:
            if op == "load":
                codes[node] = f".{name}"
            elif op == "attr":
                codes[node] = f"{codes.get(base or -1, '')}.{name}"
            elif op == "call":
                code = codes.get(base or -1, "")
                codes[node] = f"{code}()"
                if code.endswith(f".{text}"):
                    calls += _ends_of(state, number, node, is_end)
                continue
            else:
                continue
            if codes[node].endswith(f".{text}"):
                reads.append((number, node))
    return calls if calls or is_end else reads


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
