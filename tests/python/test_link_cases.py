"""Link cases: every label against CPython, in both directions where a run shows all."""

from __future__ import annotations

import pytest

from link_programs import HELD_OUT, TUNING, LinkCase, link_areas, link_cases
from link_score import Seen, last_part, seen_links

ALL = [
    (folder, case)
    for folder in (TUNING, HELD_OUT)
    for area in link_areas()
    for case in link_cases(folder, area)
]
COMPLETE = ("imports", "inherits", "overrides", "annotations")  # sections that list everything


@pytest.fixture(scope="module")
def seen() -> dict[str, Seen]:
    return seen_links(TUNING, HELD_OUT)


@pytest.mark.parametrize(
    ("folder", "case"),
    ALL,
    ids=[f"{folder}-{case.program.area}-{case.program.name}" for folder, case in ALL],
)
def test_labels(folder: str, case: LinkCase, seen: dict[str, Seen]) -> None:
    """Every line is seen unless it is marked; a section that is there has every link seen."""
    found = seen[f"{folder}/{case.program.area}/{case.program.name}"]
    for link, unseen in case.lines.items():
        assert found.shows(link) != unseen, link
    for link, position in case.positions.items():
        assert found.position(link) == position, link
    for section in case.sections & set(COMPLETE):
        listed = {(link.source, last_part(link.target)) for link in case.lines}
        for source, target in found.links[section]:
            assert (source, last_part(target)) in listed or target == "ext:", (
                section,
                source,
                target,
            )


@pytest.mark.parametrize("area", link_areas())
def test_every_third_case_is_held_out(area: str) -> None:
    tuning, held_out = link_cases(TUNING, area), link_cases(HELD_OUT, area)
    assert len(held_out) == (len(tuning) + len(held_out)) // 3
    names = [case.program.name for case in (*tuning, *held_out)]
    assert len(set(names)) == len(names)
