"""Imports: concrete nodes -> import statements of Python's tree.

    from ..a.b import c as d     ImportFrom("a.b", [alias("c", "d")], level=2)

A name that is missing (`from a import b,`) leaves the others; without any there is no statement.
Next: lower_statements.py.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from codelake.extract.broken.lower_parts import (
    Incomplete,
    Lowering,
    field,
    field_of_type,
    fields,
    left_to_parent,
)
from codelake.extract.broken.ts_tree import Node


def _dotted_text(lowering: Lowering, node: Node | None) -> str:
    names = [item for item in node.children if item.type == "identifier"] if node else []
    if not names:
        raise Incomplete
    return ".".join(lowering.name(item) for item in names)


def _aliases(lowering: Lowering, node: Node) -> list[ast.alias]:
    found = []
    for item in fields(node, "name"):
        dotted, alias = item, None
        if item.type == "aliased_import":
            inner = field(item, "name")
            dotted, alias = inner or item, field(item, "alias")
        try:
            name = _dotted_text(lowering, dotted)
            asname = lowering.name(alias) if alias is not None else None
        except Incomplete:
            continue
        found.append(lowering.make(ast.alias, item, name=name, asname=asname))
    if not found:
        raise Incomplete
    return found


def _import(lowering: Lowering, node: Node) -> ast.stmt:
    return lowering.make(ast.Import, node, names=_aliases(lowering, node))


def _import_from(lowering: Lowering, node: Node) -> ast.stmt:
    module: str | None = "__future__"
    level = 0
    origin = field(node, "module_name")
    if origin is not None and origin.type == "relative_import":
        prefix, name = field_of_type(origin, "import_prefix"), field_of_type(origin, "dotted_name")
        level = lowering.source(prefix).count(".") if prefix is not None else 0
        module = _dotted_text(lowering, name) if name is not None else None
    elif node.type == "import_from_statement":
        module = _dotted_text(lowering, origin)
    star = field_of_type(node, "wildcard_import")
    if star is not None:
        names = [lowering.make(ast.alias, star, name="*", asname=None)]
    else:
        names = _aliases(lowering, node)
    return lowering.make(ast.ImportFrom, node, module=module, names=names, level=level)


IMPORTS: dict[str, Callable[[Lowering, Node], Any]] = {
    "import_statement": _import,
    "import_from_statement": _import_from,
    "future_import_statement": _import_from,
    "dotted_name": left_to_parent,
    "aliased_import": left_to_parent,
    "relative_import": left_to_parent,
    "import_prefix": left_to_parent,
    "wildcard_import": left_to_parent,
}
