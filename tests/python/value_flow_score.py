"""Score of value flow on labelled programs: what is missed and what is wrong, per area.

    python tests/python/value_flow_score.py [area | case ...]     the folder `value_flow` only

A pair of [flows] is missed when no way is found; a pair of [not] is wrong when one is.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from cases import Case
from codelake.resolve.file_facts import FileFacts
from codelake.resolve.load import numbered_tree, read_repository
from codelake.resolve.resolve import analyse
from codelake.resolve.value_search import Node, ValueSearch
from flow_programs import Pair, files_of, programs, stated


@dataclass
class FlowScore:
    flows: int = 0
    others: int = 0
    missed: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    def add(self, other: FlowScore) -> None:
        self.flows += other.flows
        self.others += other.others
        self.missed += other.missed
        self.wrong += other.wrong

    def __str__(self) -> str:
        return (
            f"missed {len(self.missed):3} of {self.flows:3} flows, "
            f"wrong {len(self.wrong):3} of {self.others:3} others"
        )


def found_pairs(files: dict[str, str]) -> set[Pair]:
    """Return the pairs of source and sink between which a value flows."""
    facts = read_repository("r", {path: text.encode() for path, text in files.items()})
    raws = [files[file.path].encode() for file in facts]
    sources, sinks = ends_of(facts)
    search = ValueSearch(analyse(facts), lambda number: numbered_tree(raws[number]))
    return {
        (label, sinks[sink])
        for source, label in sources.items()
        for sink in search.ways([source], [*sinks])
    }


def ends_of(facts: Sequence[FileFacts]) -> tuple[dict[Node, str], dict[Node, str]]:
    """Return the labels of the calls of `source`, and of the arguments of `sink`."""
    sources: dict[Node, str] = {}
    sinks: dict[Node, str] = {}
    for number, file in enumerate(facts):
        for name, call, arguments in _calls(file):
            texts = [text for _, text in arguments]
            if name == "source":
                sources[number, call] = texts[0] if texts else "source"
            elif name == "sink":
                sinks[number, arguments[-1][0]] = texts[0] if len(texts) > 1 else "sink"
    return sources, sinks


def _calls(file: FileFacts) -> Iterator[tuple[str, int, list[tuple[int, str]]]]:
    """Yield name and node of the calls of names, and node and text of their arguments."""
    names: dict[int, str] = {}
    texts: dict[int, str] = {}
    given: dict[int, list[int]] = defaultdict(list)
    for op, _, node, value, _, text, _ in file.facts:
        if op == "load":
            names[node] = text or ""
        elif op == "literal":
            texts[node] = (text or "").removeprefix("str:")
        elif op in ("arg", "arg_star"):
            given[node].append(value or 0)
        elif op == "call" and value in names:
            yield names[value], node, [(each, texts.get(each, "")) for each in given[node]]


def score(case: Case) -> FlowScore:
    """Compare what is found in a program with its labels."""
    flows, others = stated(case, "flows"), stated(case, "not")
    found = found_pairs(files_of(case))
    name = f"{Path(case.file).name}/{case.name}"
    return FlowScore(
        len(flows),
        len(others),
        [f"{name}: missed {a} -> {b}" for a, b in sorted(flows.keys() - found)],
        [f"{name}: wrong {a} -> {b}" for a, b in sorted(others.keys() & found)],
    )


def scores(folder: str, chosen: list[str] | None = None) -> dict[str, FlowScore]:
    """Return the scores of the areas of a folder, and of all."""
    total: dict[str, FlowScore] = defaultdict(FlowScore)
    for case in programs(folder):
        area = Path(case.file).name
        if not chosen or area in chosen or case.name in chosen:
            found = score(case)
            total[area].add(found)
            total["all"].add(found)
    return total


def main() -> None:
    """Print the scores of the areas, and what is missed or wrong."""
    total = scores("value_flow", sys.argv[1:])
    print("\n".join([*total["all"].missed, *total["all"].wrong]))
    for area, found in total.items():
        print(f"{area:18} {found}")


if __name__ == "__main__":
    main()
