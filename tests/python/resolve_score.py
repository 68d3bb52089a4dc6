"""Score of the resolver on labelled call cases: precision and recall, per area.

    python tests/python/resolve_score.py [FOLDER] [area[/case] ...]

FOLDER is calls_fresh, calls_second or calls_third; without one it is `calls`. An edge is right
when a line of any section has it; an external target at a place marked `?` is not judged. A line is
missed when no edge says it, unless it is dynamic or marked `!`.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from dataclasses import dataclass, field

from call_programs import FRESH, INSTALLED, SECOND, THIRD, TUNING, Edge, Program, areas, programs
from codelake.evidence.spans import SpanMap
from codelake.extract.parse import ParseFailure, parse
from codelake.extract.syntax.syntax_tree import syntax_tree
from codelake.resolve.load import read_repository
from codelake.resolve.resolution import CallRow, Resolution
from codelake.resolve.resolve import resolve
from codelake.sources.decode import SourceText, decode

_LINE, _COLUMN = 15, 17  # columns of AST_NODE
_SECTIONS = {"explicit": "calls", "implicit": "implicit", "callback": "callbacks"}


@dataclass
class Score:
    right: int = 0
    wrong: list[str] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)

    def add(self, other: Score) -> None:
        self.right += other.right
        self.wrong += other.wrong
        self.missed += other.missed

    @property
    def precision(self) -> float:
        return self.right / max(1, self.right + len(self.wrong))

    @property
    def recall(self) -> float:
        return self.right / max(1, self.right + len(self.missed))


def places(text: str) -> list[tuple[int, int]]:
    """Return line and column of each node."""
    source = decode(text.encode())
    assert isinstance(source, SourceText)
    tree = parse(source.text)
    assert not isinstance(tree, ParseFailure)
    nodes = syntax_tree(tree, source.raw, SpanMap(source), "m", 1).nodes
    return list(zip(nodes[_LINE], nodes[_COLUMN], strict=True))


def found_edges(program: Program) -> dict[Edge, CallRow]:
    """Resolve a program and return its edges with the rows that say them."""
    own = {path: text for path, text in program.files.items() if not path.startswith(INSTALLED)}
    files = read_repository("r", {path: text.encode() for path, text in own.items()})
    result: Resolution = resolve(files)
    assert not result.faults, result.faults
    where = [places(own[file.path]) for file in files]
    edges: dict[Edge, CallRow] = {}
    for row in result.calls:
        if row.target is None:
            if row.kind != "explicit":
                continue
            callee = f"ext:{row.external}"
        else:
            callee = files[row.target.file].qualified(row.target.def_no)
        caller = files[row.file].qualified(row.caller)
        line, col = where[row.file][row.node]
        names = [name.replace(".<locals>", "") for name in (caller, callee)]
        edges.setdefault(Edge(names[0], line, col, names[1]), row)
    return edges


def score(program: Program) -> Score:
    """Compare the edges of a program with its lines."""
    edges = found_edges(program)
    lines = program.lines
    listed: set[Edge] = set().union(*(set(section) for section in lines.values()))
    open_sites = {(e.caller, e.line, e.col) for e in lines["calls"] if e.callee == "?"}
    result = Score()
    name = f"{program.area}/{program.name}"
    for edge in sorted(edges):
        kind = edges[edge].kind
        if edge in listed:
            continue
        is_outside = kind == "explicit" and edge.callee.startswith("ext:")
        if is_outside and (edge.caller, edge.line, edge.col) in open_sites:
            continue
        result.wrong.append(f"{name}: wrong {kind}: {edge}")
    for section in ("calls", "implicit", "callbacks"):
        for edge, untaken in lines[section].items():
            if edge.callee == "?":
                continue
            if edge in edges:
                result.right += 1
            elif not untaken and edge not in lines["dynamic"]:
                result.missed.append(f"{name}: missed {section}: {edge}")
    return result


def main() -> None:
    """Print the scores of the areas and what is wrong or missed in the chosen ones."""
    chosen = sys.argv[1:]
    folder = chosen.pop(0) if chosen[:1] in ([FRESH], [SECOND], [THIRD]) else TUNING
    total: dict[str, Score] = defaultdict(Score)
    for area in areas(folder):
        for program in programs(folder, area):
            if chosen and area not in chosen and f"{area}/{program.name}" not in chosen:
                continue
            try:
                found = score(program)
            except Exception as error:
                if chosen:
                    raise
                found = Score(0, [], [f"{area}/{program.name}: {error!r}"] * 5)
            total[area].add(found)
            total["all"].add(found)
    for area, item in total.items():
        if chosen or area == "all":
            print("\n".join(sorted([*item.wrong, *item.missed])) if area != "all" else "")
    for area, item in total.items():
        print(f"{area:18} precision {item.precision:.3f} recall {item.recall:.3f}")


if __name__ == "__main__":
    main()
