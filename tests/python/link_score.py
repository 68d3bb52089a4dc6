"""Score of links: what the resolver says of imports, names, types and fields, against CPython.

    python tests/python/link_score.py [area ...]     the folder `links` only

A link is judged where a line labels its place or the run reached it: right when a line or the run
has it. A type is right when the value is an instance of it.
"""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from call_programs import INSTALLED, Program
from codelake.resolve.load import read_repository
from codelake.resolve.resolution import Place
from codelake.resolve.resolve import resolve
from link_programs import TUNING, Link, LinkCase, annotated, link_areas, link_cases, place


@dataclass(frozen=True)
class Seen:
    """What the run of a program shows: section -> (source, target)."""

    links: dict[str, set[tuple[str, str]]]
    places: set[tuple[str, str]]  # section and source that a run reached

    def shows(self, link: Link) -> bool:
        """Tell whether a run shows a link; of outside names the last part is compared."""
        found = self.links[link.section] | self.links[f"decorated {link.section}"]
        known = {link.target}
        if link.target.startswith("ext:"):
            known |= {"ext:", last_part(link.target)}
        return any((link.source, name) in found for name in known)

    def position(self, link: Link) -> int:
        """Return the position of a base in the order of its class."""
        name = last_part(link.target)
        for source, text in self.links["order"]:
            base, _, number = text.rpartition(" ")
            if (source, base) == (link.source, name):
                return int(number)
        raise LookupError(link)


def last_part(target: str) -> str:
    """Return what CPython tells of an outside name."""
    return f"ext:{target[4:].rpartition('.')[2]}" if target.startswith("ext:") else target


def seen_links(*folders: str) -> dict[str, Seen]:
    """Run the cases of folders once, in a process of their own."""
    script = Path(__file__).with_name("link_trace.py")
    hooks = script.parents[2] / "python_hooks"
    run = subprocess.run(
        [sys.executable, str(script), *folders],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
        env={"PYTHONPATH": str(hooks), "PYTHONDONTWRITEBYTECODE": "1", "PATH": ""},
    )
    assert run.returncode == 0, run.stderr[-4000:]
    result = {}
    for name, each in json.loads(run.stdout).items():
        assert not each["error"], f"{name}: {each['error']}"
        links: dict[str, set[tuple[str, str]]] = defaultdict(set)
        for section, source, target in each["links"]:
            links[section].add((source, target))
        places = {(section, source) for section, source, _ in each["links"]}
        result[name] = Seen(links, places)
    return result


def found_links(program: Program) -> Iterator[tuple[Link, str, int | None]]:
    """Yield the links that the resolver finds, each with its method and position."""
    own = {path: text for path, text in program.files.items() if not path.startswith(INSTALLED)}
    files = read_repository("r", {path: text.encode() for path, text in own.items()})
    result = resolve(files)
    assert not result.faults, result.faults
    sources = program.sources()
    nodes: list[dict[int, ast.AST]] = []
    annotations: dict[tuple[int, int], str] = {}
    for number, file in enumerate(files):
        source = sources.get(file.path)
        tree = ast.walk(source.tree) if source is not None else ()
        nodes.append({node.no: node for node in tree if hasattr(node, "no")})
        for node, name in annotated(source) if source is not None else ():
            annotations[number, node.no] = name  # type: ignore[attr-defined]

    def site(file: int, node: int) -> str:
        found = nodes[file].get(node)
        return place(files[file].module, found) if found is not None else ""

    def end(target: Place | None, outside: str | None) -> str:
        if target is None:
            return f"ext:{outside}"
        return files[target.file].qualified(target.def_no).replace(".<locals>", "")

    def definition(file: int, def_no: int) -> str:
        return end(Place(file, def_no), None)

    for imported in result.imports:
        target = imported.target
        if target is None and imported.module is not None:
            target = Place(imported.module, 0)
        source_of = site(imported.file, imported.node)
        if target is not None or imported.external is not None:
            link = Link("imports", source_of, end(target, imported.external))
            yield link, "import_statement", None
    for exported in result.exports:
        source_of = f"{files[exported.file].module} {exported.name}"
        link = Link("exports", source_of, end(exported.target, exported.external))
        yield link, "module_names", None
    for named in result.names:
        link = Link("names", site(named.file, named.node), end(named.target, None))
        yield link, "held_value", None
    for base in result.bases:
        if base.is_direct:
            link = Link("inherits", definition(base.file, base.def_no),
                        end(base.target, base.external))  # fmt: skip
            yield link, "class_order", base.position
    for override in result.overrides:
        link = Link("overrides", end(override.method, None), end(override.overridden, None))
        yield link, "method_order", None
    for accessed in result.fields:
        section = "reads" if accessed.access == "read" else "writes"
        owner = f"{end(accessed.owner, None)}.{accessed.name}"
        yield Link(section, site(accessed.file, accessed.node), owner), "receiver_class", None
    for typed in result.types:
        link = Link("types", site(typed.file, typed.node), end(typed.target, typed.external))
        yield link, "value_class", None
    for noted in result.annotations:
        name = annotations.get((noted.file, noted.node))
        if name is not None:
            target_name = end(noted.target, noted.external)
            yield Link("annotations", f"{name}{noted.path}", target_name), "annotation", None


def judged_links(
    program: Program, seen: Seen, lines: dict[Link, bool]
) -> Iterator[tuple[Link, str, bool]]:
    """Yield the links that can be judged, with their methods and whether they are right."""
    labelled = {(link.section, link.source) for link in lines}
    for link, method, _ in found_links(program):
        if (link.section, link.source) in labelled | seen.places:
            yield link, method, link in lines or seen.shows(link)


def main() -> None:
    """Print what is wrong or missed in the folder `links`, and the counts per section."""
    chosen = sys.argv[1:] or link_areas()
    right: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    missed: Counter[str] = Counter()
    seen = seen_links(TUNING)
    for area in chosen:
        for case in link_cases(TUNING, area):
            _show(case, seen[f"{TUNING}/{area}/{case.program.name}"], right, wrong, missed)
    for section in sorted(right | wrong | missed):
        print(
            f"{section:12} right {right[section]} wrong {wrong[section]} missed {missed[section]}"
        )


def _show(
    case: LinkCase, seen: Seen, right: Counter[str], wrong: Counter[str], missed: Counter[str]
) -> None:
    name = f"{case.program.area}/{case.program.name}"
    for link, _, is_right in judged_links(case.program, seen, case.lines):
        (right if is_right else wrong)[link.section] += 1
        if not is_right:
            print(f"wrong  {name} {link}")
    found = {link: position for link, _, position in found_links(case.program)}
    for link, unseen in case.lines.items():
        if link not in found and not unseen:
            missed[link.section] += 1
            print(f"missed {name} {link}")
        elif link in case.positions and found[link] != case.positions[link]:
            print(f"order  {name} {link} {found[link]}")


if __name__ == "__main__":
    main()
