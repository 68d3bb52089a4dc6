"""Questions that the command line answers from the graph, by name.

    calls("Cart.total", "caller", lake)  -> what shop.cart.Cart.total calls
    uses("Cart", lake)                   -> where shop.cart.Cart is called, imported, inherited ...
    uses("LIMIT", lake)                  -> where the module's name LIMIT is read, or imported

Next: names.py, lake_reader.py.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from codelake.errors import CodelakeError
from codelake.run.lake_reader import LakeReader
from codelake.run.names import find_name

type Answer = tuple[list[str], list[tuple[Any, ...]]]

_KINDS = "('MODULE', 'CLASS', 'FUNCTION', 'LAMBDA', 'EXTERNAL')"
_DEFINITIONS = f"select distinct qualified_name from cpg_nodes where node_kind in {_KINDS}"
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
_VALUES = """
select distinct concat(modules.qualified_name, '.', bindings.name)
from cpg_nodes as bindings
join cpg_nodes as modules on bindings.owner_id = modules.node_id
join cpg_edges on cpg_edges.dst_node_id = bindings.node_id and edge_kind = 'BINDS'
join cpg_nodes as binders on cpg_edges.src_node_id = binders.node_id
where bindings.node_kind = 'BINDING' and modules.node_kind = 'MODULE' and binders.node_kind = 'NAME'
"""
_VALUE_USES = """
with value_imports as (
    select cpg_edges.src_node_id as import_id
    from cpg_edges
    join cpg_nodes as imports on cpg_edges.src_node_id = imports.node_id
    join cpg_nodes as modules on cpg_edges.dst_node_id = modules.node_id
    where edge_kind = 'IMPORTS' and modules.node_kind = 'MODULE'
        and concat(modules.qualified_name, '.', imports.attrs['name']) = :name
),
value_bindings as (
    select bindings.node_id as binding_id
    from cpg_nodes as bindings
    join cpg_nodes as modules on bindings.owner_id = modules.node_id
    where bindings.node_kind = 'BINDING' and modules.node_kind = 'MODULE'
        and concat(modules.qualified_name, '.', bindings.name) = :name
    union
    select dst_node_id as binding_id
    from cpg_edges
    join value_imports on cpg_edges.src_node_id = value_imports.import_id
    where edge_kind = 'BINDS'
),
value_uses as (
    select src_node_id as user_node_id, edge_kind as used_as
    from cpg_edges
    join value_bindings on cpg_edges.dst_node_id = value_bindings.binding_id
    where edge_kind = 'REFERS_TO'
    union
    select import_id as user_node_id, 'IMPORTS' as used_as
    from value_imports
)
select owners.qualified_name as user, used_as, users.path, users.line
from value_uses
join cpg_nodes as users on value_uses.user_node_id = users.node_id
left join cpg_nodes as owners on users.owner_id = owners.node_id
order by users.path, users.line, used_as
"""


def calls(name: str, side: str, lake: Path) -> Answer:
    """Return the columns and rows of the calls by, or of, a definition.

    Args:
        name: of the definition.
        side: `caller` for what it calls, `callee` for who calls it.
        lake: the lake's folder.
    """
    reader = LakeReader(lake)
    other = "callee" if side == "caller" else "caller"
    full = find_name(name, _names(_DEFINITIONS, reader), reader)
    return reader.ask(_CALLS.format(side=side, other=other), name=full)


def uses(name: str, lake: Path) -> Answer:
    """Return the columns and rows of the uses of a definition or of a value of a module.

    Of an external these are its calls.

    Args:
        name: of the definition.
        lake: the lake's folder.
    """
    reader = LakeReader(lake)
    sql = _USES
    definitions = _names(_DEFINITIONS, reader)
    try:
        full = find_name(name, definitions, reader)
    except CodelakeError as error:
        if error.code != "NAME_UNKNOWN":
            raise
        full = find_name(name, {*definitions, *_names(_VALUES, reader)}, reader)
        sql = _VALUE_USES
    return reader.ask(sql, name=full)


def qualified_name(name: str, lake: Path) -> str:
    """Return the one qualified name that a name means.

    Raises:
        CodelakeError: NAME_UNKNOWN with suggestions, or NAME_AMBIGUOUS with the names.
    """
    reader = LakeReader(lake)
    return find_name(name, _names(_DEFINITIONS, reader), reader)


def _names(sql: str, reader: LakeReader) -> set[str]:
    return {row[0] for row in reader.ask(sql)[1] if row[0]}
