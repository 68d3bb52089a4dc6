"""Flow of targets: what an assignment, `for`, `with` or `del` stores or removes.

    a.b, (c[i], *d) = v      v, `a.b, (c[i], *d)` (unpacked), a, a.b, `(c[i], *d)`, c, i, c[i], d
    a[i] += v                a, i, v, AugAssign (computed), a[i] (stored)
    x += v                   v, AugAssign (computed), x (bound)
    del a.b, (c, d)          a, a.b, c, d

A name is a point when it is bound, an attribute or subscript when it is stored, a tuple or list
when the value is unpacked; `*` in a target is no point, nor is a tuple below `del`. The reading of
an augmented target has no point of its own: it may raise after the point before it.
Next: flow_statements.py.
"""

from __future__ import annotations

import ast
from typing import Any

from codelake.extract.flow.flow_builder import Builder

_CONTAINERS = frozenset({ast.Tuple, ast.List})


def bind(build: Builder, node: Any) -> None:
    """Store to a target."""
    found = node.__class__
    if found is ast.Name:
        build.point(node.no)
    elif found is ast.Attribute:
        build.stack += (node.no, node.value)
    elif found is ast.Subscript:
        build.stack += (node.no, node.slice, node.value)
    elif found is ast.Starred:
        build.stack.append((bind, node.value))
    else:
        build.raising(node.no)
        bind_elements(build, node)


def bind_elements(build: Builder, node: Any) -> None:
    """Store to the elements of a tuple or list that has been unpacked."""
    for element in reversed(node.elts):
        build.stack.append((bind, element))


def remove(build: Builder, node: Any) -> None:
    """Delete a target."""
    found = node.__class__
    if found is ast.Name:
        build.raising(node.no)
    elif found in _CONTAINERS:
        for element in reversed(node.elts):
            build.stack.append((remove, element))
    else:
        bind(build, node)


def augment(build: Builder, node: Any) -> None:
    """Read the target, compute, store to the target."""
    target = node.target
    if target.__class__ is ast.Name:
        build.stack += ((Builder.point, target.no), node.no, node.value)
        build.may_raise()
        return
    build.stack += (target.no, node.no, node.value, (Builder.may_raise,))
    if target.__class__ is ast.Subscript:
        build.stack.append(target.slice)
    build.stack.append(target.value)
