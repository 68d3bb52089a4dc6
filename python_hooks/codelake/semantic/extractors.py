"""Which extractors fill a dataset, and which of them a set of columns needs.

missing_extractors(dataset, catalogue)   -> mistakes: columns of evidence that nothing fills
extractors_of(places, catalogue)         -> ("ast", "symtable"): what must run for these columns
"""

from __future__ import annotations

from collections.abc import Iterable

from codelake.semantic.ir import Catalogue, Dataset
from codelake.semantic.lineage import Place
from codelake.semantic.spec_errors import SpecError


def _is_extracted(dataset: Dataset) -> bool:
    return dataset.write is not None and dataset.write.part != ""


def missing_extractors(dataset: Dataset, catalogue: Catalogue) -> list[SpecError]:
    """Return a mistake where no extractor fills an evidence table, or some of its columns."""
    if dataset.write is None or not _is_extracted(dataset):
        return []
    part = dataset.write.part
    fillers = [each for each in catalogue.extractors if each.part == part]
    parts = tuple(sorted({each.part for each in catalogue.extractors}))
    if not fillers:
        message = f"{dataset.name} holds the evidence `{part}`, which no extractor gives."
        fix = "declare its extractor"
        return [SpecError("SPEC_EXTRACTOR_MISSING", message, dataset.place, parts, fix)]
    filled = {name for each in fillers for name in each.columns}
    columns = {column.name for column in dataset.columns}
    return [
        SpecError(
            "SPEC_EXTRACTOR_MISSING",
            f"no extractor gives `{name}` of {dataset.name}.",
            dataset.place,
            tuple(sorted(filled)),
            "declare its extractor",
        )
        for name in sorted(columns - filled)
    ]


def extractors_of(places: Iterable[Place], catalogue: Catalogue) -> tuple[str, ...]:
    """Return the extractors that some stored columns need, sorted."""
    known = {dataset.name: dataset for dataset in catalogue.datasets}
    wanted = {
        (dataset.write.part, place.column)
        for place in places
        if (dataset := known[place.dataset]).write is not None and dataset.write.part
    }
    found = {
        each.name
        for each in catalogue.extractors
        if any((each.part, name) in wanted for name in each.columns)
    }
    needs = {each.name: set(each.needs) for each in catalogue.extractors}
    while more := set().union(*(needs[name] for name in found)) - found:
        found |= more
    return tuple(sorted(found))
