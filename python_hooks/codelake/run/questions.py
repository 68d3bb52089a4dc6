"""Questions that the command line answers from the graph, by name.

    calls("Cart.total", "caller", lake)  -> what shop.cart.Cart.total calls
    uses("Cart", lake)                   -> where shop.cart.Cart is called, imported, inherited ...

A name is a qualified name or the end of one. A name that nobody has gets suggestions, and one
that several have gets the list.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from codelake.errors import CodelakeError
from codelake.run.query import run_query

_KINDS = "('MODULE', 'CLASS', 'FUNCTION', 'LAMBDA', 'EXTERNAL')"
_CALLS = """
select {other}_name as {other}, path, line, call_kind, method, round(confidence, 3) as confidence
from call_graph
where {side}_name = :name
order by repo, path, line, {other}_name, call_kind
"""
_USES = """
select user_name as user, used_as, path, line
from definition_users
where qualified_name = :name
union all
select caller_name as user, 'CALLS' as used_as, path, line
from call_graph
where callee_name = :name and callee_kind = 'EXTERNAL'
order by path, line, used_as
"""


def calls(
    name: str, side: str, lake: Path, *, target: str = "dev"
) -> tuple[list[str], Iterable[tuple[Any, ...]]]:
    """Return the columns and rows of the calls by, or of, a definition.

    Args:
        name: of the definition.
        side: `caller` for what it calls, `callee` for who calls it.
        lake: the lake's folder.
        target: a target of profiles.yml.
    """
    full = qualified_name(name, lake, target=target)
    other = "callee" if side == "caller" else "caller"
    sql = _CALLS.format(side=side, other=other)
    return run_query(sql, lake, target=target, arguments={"name": full})


def uses(
    name: str, lake: Path, *, target: str = "dev"
) -> tuple[list[str], Iterable[tuple[Any, ...]]]:
    """Return the columns and rows of the uses of a definition, or of the calls of an external.

    Args:
        name: of the definition.
        lake: the lake's folder.
        target: a target of profiles.yml.
    """
    full = qualified_name(name, lake, target=target)
    return run_query(_USES, lake, target=target, arguments={"name": full})


def qualified_name(name: str, lake: Path, *, target: str = "dev") -> str:
    """Return the one qualified name that a name means.

    Raises:
        CodelakeError: NAME_UNKNOWN with suggestions, or NAME_AMBIGUOUS with the names.
    """
    sql = f"select distinct qualified_name from cpg_nodes where node_kind in {_KINDS}"
    return pick_name(name, [row[0] for row in run_query(sql, lake, target=target)[1] if row[0]])


def pick_name(name: str, names: Collection[str]) -> str:
    """Return the one name of several that a name, or the end of one, means."""
    if name in names:
        return name
    found = sorted(each for each in names if each.endswith(f".{name}"))
    if len(found) == 1:
        return found[0]
    if found:
        listed = ", ".join(found[:10]) + (", ..." if len(found) > 10 else "")
        raise CodelakeError(
            "NAME_AMBIGUOUS", f"{len(found)} things are called `{name}`: {listed}.", "use one"
        )
    near = get_close_matches(name, names, n=5, cutoff=0.6)
    ends = {each.rpartition(".")[2]: each for each in names}
    last = name.rpartition(".")[2]
    near += [ends[each] for each in get_close_matches(last, ends, n=5) if ends[each] not in near]
    fix = f"try {', '.join(near[:5])}" if near else "look at cpg_nodes.qualified_name"
    raise CodelakeError("NAME_UNKNOWN", f"nothing is called `{name}`.", fix)
