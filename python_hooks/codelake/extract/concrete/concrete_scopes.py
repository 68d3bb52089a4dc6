"""Concrete scopes: LibCST's scope analysis -> the scope of a name and its qualified names.

    from a import b as c
    def f():
        c.d()        scope of `c`: function f; qualified names of `c.d`: a.b.d, by an import

The analysis is LibCST's ScopeVisitor, step by step; what differs is how it goes from node to node.
LibCST visits every blank and comma and rebuilds each node on its way; here it walks by the table of
concrete_children.py, and expression contexts come from concrete_facts.py instead of a provider.
Results are equal to those of LibCST's providers (tested), except that a `match` capture and the
name of a `type` statement are assigned here, which LibCST takes for reads. LibCST's own limits
stay: a walrus in a comprehension binds in the comprehension, and flow is ignored.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping
from typing import Any

import libcst as cst
from libcst.metadata import (
    ClassScope,
    ComprehensionScope,
    ExpressionContext,
    FunctionScope,
    GlobalScope,
    Scope,
)
from libcst.metadata.scope_provider import _ASSIGNMENT_LIKE_NODES, ScopeVisitor

from codelake.extract.concrete.concrete_children import FIELDS

type QualifiedNames = tuple[list[str], list[str]]  # names, sources

_VISIT: dict[type, Callable[[Any, Any], bool | None]] = {
    found: getattr(ScopeVisitor, f"visit_{found.__name__}")
    for found in FIELDS
    if hasattr(ScopeVisitor, f"visit_{found.__name__}")
}
_LEAVE: dict[type, Callable[[Any, Any], None]] = {
    found: getattr(ScopeVisitor, f"leave_{found.__name__}")
    for found in FIELDS
    if hasattr(ScopeVisitor, f"leave_{found.__name__}")
}
_ASSIGNS = frozenset(_ASSIGNMENT_LIKE_NODES)
_LONGEST_ANNOTATION = 500
_COMPREHENSIONS: dict[type, str] = {
    cst.ListComp: "<listcomp>",
    cst.SetComp: "<setcomp>",
    cst.DictComp: "<dictcomp>",
    cst.GeneratorExp: "<genexpr>",
}


class _Metadata:
    """What ScopeVisitor asks of a provider: expression contexts in, scopes out."""

    def __init__(self, contexts: Mapping[cst.CSTNode, ExpressionContext]) -> None:
        self._contexts = contexts
        self.scopes: dict[cst.CSTNode, Scope] = {}

    def get_metadata(
        self,
        provider: type,  # noqa: ARG002
        node: cst.CSTNode,
        default: None,
    ) -> ExpressionContext | None:
        return self._contexts.get(node, default)

    def set_metadata(self, node: cst.CSTNode, scope: Scope) -> None:
        self.scopes[node] = scope


class _Scopes(ScopeVisitor):
    """LibCST's visitor on a path without blanks and punctuation."""

    def __init__(self, metadata: _Metadata) -> None:
        super().__init__(metadata)  # type: ignore[arg-type]
        self._scopes = metadata.scopes

    def on_visit(self, node: cst.CSTNode) -> bool:
        found = node.__class__
        visit = _VISIT.get(found)
        if visit is None or visit(self, node) is not False:
            for field in FIELDS.get(found, ()):
                value = getattr(node, field)
                if value.__class__ in FIELDS:
                    self.on_visit(value)
                    self.on_leave(value)
                elif value.__class__ in (list, tuple):
                    for child in value:
                        self.on_visit(child)
                        self.on_leave(child)
        return False

    def _handle_string_annotation(self, node: cst.SimpleString | cst.ConcatenatedString) -> bool:
        """Leave long strings unparsed: nested deeply, they would kill the process."""
        if isinstance(node, cst.SimpleString) and len(node.value) <= _LONGEST_ANNOTATION:
            return super()._handle_string_annotation(node)
        value = node.evaluated_value if isinstance(node, cst.ConcatenatedString) else None
        if value is not None and len(value) <= _LONGEST_ANNOTATION:
            return super()._handle_string_annotation(node)
        return False

    def on_leave(self, original_node: cst.CSTNode) -> None:
        found = original_node.__class__
        self._scopes[original_node] = self.scope
        if found is cst.TypeAlias:  # its name is not visited
            self._scopes[original_node.name] = self.scope  # type: ignore[attr-defined]
        if found in _ASSIGNS:
            self.scope._assignment_count += 1
        leave = _LEAVE.get(found)
        if leave is not None:
            leave(self, original_node)


def concrete_scopes(
    module: cst.Module, contexts: Mapping[cst.CSTNode, ExpressionContext]
) -> dict[cst.CSTNode, Scope]:
    """Return the scope of each expression and definition.

    Args:
        module: the tree.
        contexts: how each name is used.
    """
    metadata = _Metadata(contexts)
    visitor = _Scopes(metadata)
    module.visit(visitor)
    visitor.infer_accesses()
    return metadata.scopes


def describe_scope(scope: Scope | None) -> tuple[str | None, str | None]:
    """Return kind and name of a scope."""
    if scope is None:
        return None, None
    if isinstance(scope, GlobalScope):
        return "module", None
    if isinstance(scope, ClassScope):
        return "class", scope.name
    if isinstance(scope, FunctionScope):
        return "function", scope.name or "<lambda>"
    if isinstance(scope, ComprehensionScope):
        return "comprehension", _COMPREHENSIONS[scope.node.__class__]
    name = getattr(getattr(scope, "node", None), "name", None)
    return "annotation", name.value if isinstance(name, cst.Name) else None


def qualified_names(scope: Scope | None, node: cst.CSTNode, dotted: str) -> QualifiedNames:
    """Return the sorted qualified names of a node, and whence each comes.

    Args:
        scope: where the node is.
        node: a definition, a name or an attribute of one.
        dotted: the name as written; LibCST says `builtins.str` of `str.join`.
    """
    if scope is None:
        return [], []
    found = [(name.name, name.source.name.lower()) for name in scope.get_qualified_names_for(node)]
    exact = {
        (f"builtins.{dotted}" if source == "builtin" else plain(name), source)
        for name, source in found
    }
    pairs = sorted(exact)
    return [name for name, _ in pairs], [source for _, source in pairs]


def plain(name: str) -> str:
    """Return a name as Python reads it: normalised."""
    return name if name.isascii() else unicodedata.normalize("NFKC", name)


def full_names(names: QualifiedNames, module: str, package: str) -> list[str]:
    """Return qualified names as seen from outside the module.

    A relative import that leaves the top package keeps its dots.
    """
    return [_full_name(*pair, module, package) for pair in zip(*names, strict=True)]


def _full_name(name: str, source: str, module: str, package: str) -> str:
    if source == "local":
        return f"{module}.{name}" if module else name
    level = len(name) - len(name.lstrip("."))
    if not level:
        return name
    parts = package.split(".") if package else []
    if level > len(parts):
        return name
    return ".".join([*parts[: len(parts) - level + 1], name[level:]])
