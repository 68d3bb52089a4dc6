"""Facts of assignments: every target, and the statements that assign.

    a, *b = c = v     v, unpack a of v, store a, unpack_star b of v, store b, store c

A target stores the value it is paired with. Where an assignment takes something apart (unpacking,
loops, with, match), the fact that does so makes a value with the number of the target, which is
then stored.
Next: statement_facts.py.
"""

from __future__ import annotations

import ast
from typing import Any

from codelake.extract.facts.fact_texts import ANNOTATION_LIMIT, TOKENS, key_text, literal_text
from codelake.extract.facts.fact_walk import Fact, Handler, PairHandler, Walk


def push_annotation(walk: Walk, node: Any) -> None:
    """Push an annotation; one that is a string is kept in full length."""
    if node.__class__ is ast.Constant:
        text = literal_text(node.value, ANNOTATION_LIMIT)
        walk.push(("literal", node.no, None, None, text, None))
    else:
        walk.push(node)


def _to_name(walk: Walk, node: Any, value: int) -> None:
    walk.emit(("store", node.no, value, None, walk.name(node.id), None))


def _to_attribute(walk: Walk, node: Any, value: int) -> None:
    walk.push(("store_attr", node.no, value, node.value.no, walk.name(node.attr), None))
    walk.push(node.value)


def _to_item(walk: Walk, node: Any, value: int) -> None:
    key = node.slice
    text = key_text(key)
    walk.push(("store_item", node.no, value, node.value.no, text, None))
    if text is None or text == "slice":
        walk.push(("key", node.no, key.no, None, None, None))
    walk.push(key)
    walk.push(node.value)


def _to_sequence(walk: Walk, node: Any, value: int) -> None:
    """Take a value apart; items behind a star count from the right, -1 the last."""
    push, targets = walk.push, node.elts
    size = len(targets)
    stars = [place for place, target in enumerate(targets) if target.__class__ is ast.Starred]
    star = stars[0] if stars else size
    for position in range(size - 1, -1, -1):
        target = targets[position]
        if position == star:
            target = target.value
            fact: Fact = ("unpack_star", target.no, value, None, str(size - 1 - star), star)
        else:
            index = position if position < star else position - size
            fact = ("unpack", target.no, value, None, None, index)
        push([target, target.no])
        push(fact)


def _assign(walk: Walk, node: Any) -> None:
    value = node.value
    for target in reversed(node.targets):
        walk.push([target, value.no])
    walk.push(value)


def _augmented(walk: Walk, node: Any) -> None:
    """Load the target, operate, store: the parts of the target are evaluated once."""
    push, target, value = walk.push, node.target, node.value
    kind = target.__class__
    operation = ("inplace", node.no, target.no, value.no, TOKENS[node.op.__class__], None)
    if kind is ast.Name:
        name = walk.name(target.id)
        push(("store", target.no, node.no, None, name, None))
        push(operation)
        push(value)
        push(("load", target.no, None, None, name, None))
        return
    base = target.value
    if kind is ast.Attribute:
        name = walk.name(target.attr)
        push(("store_attr", target.no, node.no, base.no, name, None))
        push(operation)
        push(value)
        push(("attr", target.no, base.no, None, name, None))
    else:
        key = target.slice
        text = key_text(key)
        push(("store_item", target.no, node.no, base.no, text, None))
        if text is None or text == "slice":
            push(("key", target.no, key.no, None, None, None))
        push(operation)
        push(value)
        push(("item", target.no, base.no, key.no, text, None))
        push(key)
    push(base)


def _annotated(walk: Walk, node: Any) -> None:
    """Assign, then annotate; without a value the parts of the target are evaluated."""
    push, target, value = walk.push, node.target, node.value
    name = getattr(target, "id", None) or getattr(target, "attr", None)
    text = None if name is None else walk.name(name)
    base = None if target.__class__ is ast.Name else target.value.no
    given = 0 if value is None else 1
    push(("annotate", target.no, node.annotation.no, base, text, given))
    push_annotation(walk, node.annotation)
    if value is not None:
        push([target, value.no])
        push(value)
    elif target.__class__ is not ast.Name:
        if target.__class__ is ast.Subscript:
            push(target.slice)
        push(target.value)


def _delete(walk: Walk, node: Any) -> None:
    stack = list(node.targets)
    found = []
    while stack:  # targets may be nested in parentheses
        target = stack.pop()
        if target.__class__ in (ast.Tuple, ast.List):
            stack += target.elts
        else:
            found.append(target)
    push = walk.push
    for target in found:  # last target first, as it came from the stack
        kind = target.__class__
        if kind is ast.Name:
            push(("delete", target.no, None, None, walk.name(target.id), None))
        elif kind is ast.Attribute:
            name = walk.name(target.attr)
            push(("delete_attr", target.no, target.value.no, None, name, None))
            push(target.value)
        else:
            key = target.slice
            push(("delete_item", target.no, target.value.no, key.no, key_text(key), None))
            push(key)
            push(target.value)


def _import(walk: Walk, node: Any) -> None:
    for alias in node.names:
        bound = alias.asname
        op = "import_as"
        if bound is None:
            op, bound = "import", alias.name.partition(".")[0]
        walk.emit((op, alias.no, None, None, alias.name, None))
        walk.emit(("store", alias.no, alias.no, None, walk.name(bound), None))


def _import_from(walk: Walk, node: Any) -> None:
    module = "." * node.level + (node.module or "")
    for alias in node.names:
        if alias.name == "*":
            walk.emit(("import_star", alias.no, None, None, module, None))
            continue
        walk.emit(("import_from", alias.no, None, None, f"{module}:{alias.name}", None))
        name = walk.name(alias.asname or alias.name)
        walk.emit(("store", alias.no, alias.no, None, name, None))


TARGETS: dict[type, PairHandler] = {
    ast.Name: _to_name,
    ast.Attribute: _to_attribute,
    ast.Subscript: _to_item,
    ast.Tuple: _to_sequence,
    ast.List: _to_sequence,
}
ASSIGNMENTS: dict[type, Handler] = {
    ast.Assign: _assign,
    ast.AugAssign: _augmented,
    ast.AnnAssign: _annotated,
    ast.Delete: _delete,
    ast.Import: _import,
    ast.ImportFrom: _import_from,
}
