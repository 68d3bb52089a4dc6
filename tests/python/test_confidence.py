"""Confidence is measured: the stored figures of each method are those of the held-out cases."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest

from call_programs import HELD_OUT, Edge, Program, areas, programs
from codelake.semantic.catalog import RELATIONS, confidence
from conftest import Figures
from link_programs import HELD_OUT as LINKS_HELD_OUT
from link_programs import link_areas, link_cases
from link_score import Seen, found_links, judged_links, seen_links
from resolve_score import Score, found_edges, score

GOAL_PRECISION, GOAL_RECALL = 0.98, 0.95
LINK_PRECISION, LINK_RECALL = 0.97, 0.97


def judged(program: Program) -> Iterator[tuple[str, bool]]:
    """Yield the tier of each call edge of a program, and whether it is right.

    What an open site (`?`) may reach outside is not judged.
    """
    listed: set[Edge] = set().union(*(set(section) for section in program.lines.values()))
    unknown = {(e.caller, e.line, e.col) for e in program.lines["calls"] if e.callee == "?"}
    for edge, row in found_edges(program).items():
        open_site = row.target is None and (edge.caller, edge.line, edge.col) in unknown
        if edge in listed or not open_site:
            yield row.tier, edge in listed


@pytest.fixture(scope="module")
def held_out() -> list[Program]:
    return [program for area in areas() for program in programs(HELD_OUT, area)]


def test_tiers_are_as_often_right_as_the_seed_says(held_out: list[Program]) -> None:
    right: Counter[str] = Counter()
    size: Counter[str] = Counter()
    for program in held_out:
        for tier, is_right in judged(program):
            right[tier] += is_right
            size[tier] += 1
    found = {(tier, right[tier], size[tier], confidence.HELD_OUT) for tier in size}
    stored = {row for row in confidence.MEASURED if row[3] == confidence.HELD_OUT}
    assert found == stored, "copy what is measured to catalog/confidence.py"


def test_calls_reach_the_goals(held_out: list[Program], figures: Figures) -> None:
    total = Score()
    by_area: dict[str, Score] = {}
    for program in held_out:
        found = score(program)
        by_area.setdefault(program.area, Score()).add(found)
        total.add(found)
    for area, each in sorted(by_area.items()):
        figures(f"{area:18} precision {each.precision:.3f} recall {each.recall:.3f}")
    figures(f"{'all':18} precision {total.precision:.4f} recall {total.recall:.4f}")
    assert total.precision >= GOAL_PRECISION
    assert total.recall >= GOAL_RECALL


@pytest.fixture(scope="module")
def seen() -> dict[str, Seen]:
    return seen_links(LINKS_HELD_OUT, HELD_OUT)


def test_links_are_as_often_right_as_the_seed_says(
    held_out: list[Program], seen: dict[str, Seen]
) -> None:
    right: Counter[str] = Counter()
    size: Counter[str] = Counter()
    judgements = [
        judged_links(program, seen[f"{HELD_OUT}/{program.area}/{program.name}"], {})
        for program in held_out
    ]
    for area in link_areas():
        for case in link_cases(LINKS_HELD_OUT, area):
            shown = seen[f"{LINKS_HELD_OUT}/{area}/{case.program.name}"]
            judgements.append(judged_links(case.program, shown, case.lines))
    for _, method, is_right in (each for one in judgements for each in one):
        right[method] += is_right
        size[method] += 1
    found = {(method, right[method], size[method], confidence.LINKS) for method in size}
    stored = {row for row in confidence.MEASURED if row[3] == confidence.LINKS}
    assert found == stored, "copy what is measured to catalog/confidence.py"
    assert all(right[method] / size[method] >= LINK_PRECISION for method in size)


def test_labelled_links_are_found(figures: Figures) -> None:
    listed: Counter[str] = Counter()
    missed: Counter[str] = Counter()
    for area in link_areas():
        for case in link_cases(LINKS_HELD_OUT, area):
            found = {link for link, _, _ in found_links(case.program)}
            for link, unseen in case.lines.items():
                if not unseen:
                    listed[link.section] += 1
                    missed[link.section] += link not in found
    for section in sorted(listed):
        figures(f"{section:12} recall {1 - missed[section] / listed[section]:.3f}")
    assert 1 - missed.total() / listed.total() >= LINK_RECALL


def test_every_method_is_measured() -> None:
    named = {way.method or relation.method for relation in RELATIONS for way in relation.ways}
    given = {relation.method for relation in RELATIONS if relation.kinds}
    assert named - given <= {row[0] for row in confidence.MEASURED}


def test_intervals() -> None:
    low, high = confidence.interval(223, 226)
    assert (round(low, 3), round(high, 3)) == (0.962, 0.995)
    assert confidence.interval(0, 0) == (1.0, 1.0)
    assert confidence.interval(1, 1)[1] == 1.0
