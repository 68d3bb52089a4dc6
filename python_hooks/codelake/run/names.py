"""Names that people write -> the one definition that each means.

    Cart.total          shop.cart.Cart.total, by its end
    networkx.Graph      networkx.classes.graph.Graph, which the package exports
    QueryDict.get       django.utils.datastructures.MultiValueDict.get, which the class inherits

A name that nobody has gets suggestions, and one that several have gets the list.
Next: questions.py, flows.py.
"""

from __future__ import annotations

from collections.abc import Collection
from difflib import get_close_matches

from codelake.errors import CodelakeError
from codelake.run.lake_reader import LakeReader

_EXPORTED = """
select ends.qualified_name
from cpg_edges
join cpg_nodes as modules on cpg_edges.src_node_id = modules.node_id
join cpg_nodes as ends on cpg_edges.dst_node_id = ends.node_id
where edge_kind = 'EXPORTS' and label = :name and modules.qualified_name = :owner
    and ends.node_kind in ('CLASS', 'FUNCTION', 'EXTERNAL')
order by ends.qualified_name
"""
_BASES = """
select bases.qualified_name
from cpg_edges
join cpg_nodes as classes on cpg_edges.src_node_id = classes.node_id
join cpg_nodes as bases on cpg_edges.dst_node_id = bases.node_id
where edge_kind = 'INHERITS' and classes.qualified_name = :owner
order by cpg_edges.ordinal
"""


def find_name(name: str, names: Collection[str], reader: LakeReader) -> str:
    """Return the one name of several that a name means.

    Args:
        name: a qualified name, the end of one, or one through what is exported and inherited.
        names: the names that there are.
        reader: the lake.

    Raises:
        CodelakeError: NAME_UNKNOWN with suggestions, or NAME_AMBIGUOUS with the names.
    """
    found = sorted(_ends(name, names))
    if not found:
        found = _by_parts(name, names, reader)
    if len(found) == 1:
        return found[0]
    if found:
        listed = ", ".join(found[:10]) + (", ..." if len(found) > 10 else "")
        raise CodelakeError(
            "NAME_AMBIGUOUS", f"{len(found)} things are called `{name}`: {listed}.", "use one"
        )
    raise CodelakeError("NAME_UNKNOWN", f"nothing is called `{name}`.", _suggestion(name, names))


def _ends(name: str, names: Collection[str]) -> list[str]:
    if name in names:
        return [name]
    return [each for each in names if each.endswith(f".{name}")]


def _by_parts(name: str, names: Collection[str], reader: LakeReader) -> list[str]:
    """Return what a name means whose first parts are a module or class that has the next one."""
    parts = name.split(".")
    for cut in range(len(parts) - 1, 0, -1):
        found = _ends(".".join(parts[:cut]), names)
        for part in parts[cut:]:
            found = [each for owner in found for each in _members(owner, part, names, reader)]
        if found:
            return sorted({*found} & {*names})
    return []


def _members(owner: str, name: str, names: Collection[str], reader: LakeReader) -> list[str]:
    """Return what a module or class has under a name: its own, exported, or inherited."""
    full = f"{owner}.{name}"
    if full in names:
        return [full]
    exported = [row[0] for row in reader.ask(_EXPORTED, owner=owner, name=name)[1]]
    return exported or _inherited(owner, name, names, reader)


def _inherited(owner: str, name: str, names: Collection[str], reader: LakeReader) -> list[str]:
    """Return the member of the nearest base that has it."""
    bases, seen = [owner], {owner}
    for each in bases:
        if f"{each}.{name}" in names:
            return [f"{each}.{name}"]
        above = [row[0] for row in reader.ask(_BASES, owner=each)[1]]
        bases += [one for one in above if one not in seen]
        seen.update(above)
    return []


def _suggestion(name: str, names: Collection[str]) -> str:
    near = get_close_matches(name, names, n=5, cutoff=0.6)
    ends = {each.rpartition(".")[2]: each for each in names}
    last = name.rpartition(".")[2]
    near += [ends[each] for each in get_close_matches(last, ends, n=5) if ends[each] not in near]
    return f"try {', '.join(near[:5])}" if near else "look at cpg_nodes.qualified_name"
