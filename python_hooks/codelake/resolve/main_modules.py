"""Main modules: which module runs first when others are imported by it.

Next: value_search.py.
"""

from __future__ import annotations

from collections import defaultdict

from codelake.resolve.file_facts import Fact
from codelake.resolve.state import State


def imported_files(state: State, file: int, fact: Fact) -> list[int]:
    """Return the files whose modules an import runs, packages first."""
    op, text = fact[0], fact[5] or ""
    full: str | None = text
    if op in ("import_from", "import_star"):
        module, _, name = text.rpartition(":") if op == "import_from" else (text, "", "")
        full = state.index.module_of(file, module)
        full = f"{full}.{name}" if full and name else full
    elif op not in ("import", "import_as"):
        return []
    parts = (full or "").split(".")
    names = [".".join(parts[: size + 1]) for size in range(len(parts))]
    return [state.index.by_name[name] for name in names if name in state.index.by_name]


def main_modules(state: State) -> list[int]:
    """Return for each file the one that runs first when it is imported, or itself."""
    importers: dict[int, set[int]] = defaultdict(set)
    for number, file in enumerate(state.files):
        for fact in file.facts:
            for found in imported_files(state, number, fact):
                if found != number:
                    importers[found].add(number)
    mains: list[int] = []
    tops: set[int]
    for number in range(len(state.files)):
        seen, todo, tops = {number}, [number], set()
        while todo and len(tops) < 2:
            at = todo.pop()
            if not importers[at]:
                tops.add(at)
            todo += importers[at] - seen
            seen |= importers[at]
        mains.append(tops.pop() if len(tops) == 1 else number)
    return mains
