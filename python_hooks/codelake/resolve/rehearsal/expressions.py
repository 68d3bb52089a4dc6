"""Expressions: syntax -> values, in the order in which Python evaluates.

Next: operators.py, items.py.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from codelake.resolve.rehearsal.names import names_of
from codelake.resolve.rehearsal.operators import binary, compare, unary
from codelake.resolve.rehearsal.texts import formatted, joined, repr_of, text_of
from codelake.resolve.rehearsal.values import (
    BUILTIN_NAMES,
    MISSING,
    External,
    Function,
    GiveUp,
    Instance,
    Iterated,
    Raised,
    Run,
    Scope,
    Unknown,
    Yielded,
    error,
    origins,
)

if TYPE_CHECKING:
    from codelake.resolve.rehearsal.machine import Machine


def load(machine: Machine, name: str, scope: Scope) -> Any:
    """Return what a name stands for."""
    at: Scope | None = scope
    if name in scope.known.globals:
        at = None
    elif name in scope.known.outer:
        at = scope.parent
    elif scope.kind == "function" and name in scope.known.local and name not in scope.names:
        raise error(UnboundLocalError, f"local variable '{name}'")
    while at is not None:
        if name in at.known.globals or (
            at is scope and at.kind == "class" and name in at.known.local and name not in at.names
        ):
            break
        if name in at.names and (at is scope or at.kind != "class"):
            return at.names[name]
        if at.kind == "function" and name in at.known.local and at is not scope:
            raise error(NameError, f"free variable '{name}'")
        at = at.parent
    if name in scope.module.names:
        return scope.module.names[name]
    if name not in BUILTIN_NAMES and name in names_of(scope.module.tree).local:
        raise error(NameError, f"name '{name}' is not defined")
    return builtin(machine, name)


def builtin(machine: Machine, name: str) -> Any:
    """Return a built-in by its name; another name is something outside."""
    from codelake.resolve.rehearsal.library import library

    found = library(f"builtins.{name}") if name in BUILTIN_NAMES else MISSING
    return External(name) if found is MISSING else found


def store(machine: Machine, name: str, value: Any, scope: Scope) -> None:
    """Bind a name."""
    while scope.kind == "comprehension" and name not in scope.known.local and scope.parent:
        scope = scope.parent
    if name in scope.known.globals:
        scope.module.names[name] = value
        return
    if name in scope.known.outer:
        at = scope.parent
        while at is not None:
            if at.kind == "function" and name in at.known.local:
                at.names[name] = value
                return
            at = at.parent
        raise GiveUp("a nonlocal name without a place")
    scope.names[name] = value


def _constant(machine: Machine, node: ast.Constant, scope: Scope) -> Run:
    return node.value
    yield


def _name(machine: Machine, node: ast.Name, scope: Scope) -> Run:
    name = node.id
    if name.startswith("__") and scope.kind == "class":
        made = mangled(name, scope)
        name = made if made in scope.names else name
    return load(machine, name, scope)
    yield


def _attribute(machine: Machine, node: ast.Attribute, scope: Scope) -> Run:
    value = yield from machine.value(node.value, scope)
    return (yield from machine.attribute(value, mangled(node.attr, scope)))


def mangled(name: str, scope: Scope | None) -> str:
    """Return a private name as the class around it makes it."""
    if not name.startswith("__") or name.endswith("__"):
        return name
    while scope is not None:
        if scope.kind == "class":
            return f"_{scope.node.name.lstrip('_')}{name}"  # type: ignore[attr-defined]
        scope = scope.parent
    return name


def _subscript(machine: Machine, node: ast.Subscript, scope: Scope) -> Run:
    value = yield from machine.value(node.value, scope)
    key = yield from machine.value(node.slice, scope)
    return (yield from machine.item(value, key))


def _slice(machine: Machine, node: ast.Slice, scope: Scope) -> Run:
    ends = []
    for each in (node.lower, node.upper, node.step):
        ends.append(None if each is None else (yield from machine.value(each, scope)))
    return slice(*ends)


def _elements(machine: Machine, nodes: list[ast.expr], scope: Scope) -> Run:
    found: list[Any] = []
    for node in nodes:
        if isinstance(node, ast.Starred):
            value = yield from machine.value(node.value, scope)
            found += yield from machine.items(value)
        else:
            found.append((yield from machine.value(node, scope)))
    return found


def _list(machine: Machine, node: ast.List, scope: Scope) -> Run:
    return (yield from _elements(machine, node.elts, scope))


def _tuple(machine: Machine, node: ast.Tuple, scope: Scope) -> Run:
    return tuple((yield from _elements(machine, node.elts, scope)))


def _set(machine: Machine, node: ast.Set, scope: Scope) -> Run:
    found = yield from _elements(machine, node.elts, scope)
    return {hashable(each) for each in found}


def hashable(value: Any) -> Any:
    """Return a value that may be a key; its equality must be that of this Python."""
    cls = getattr(value, "cls", None)
    if cls is not None and (
        cls.find("__hash__") is not MISSING or cls.find("__eq__") is not MISSING
    ):
        raise GiveUp("a key with an equality of its own")
    if isinstance(value, tuple):
        for each in value:
            hashable(each)
    if isinstance(value, (list, dict, set)):
        raise error(TypeError, f"unhashable type: '{type(value).__name__}'")
    return value


def _dict(machine: Machine, node: ast.Dict, scope: Scope) -> Run:
    found: dict[Any, Any] = {}
    for key, value in zip(node.keys, node.values, strict=True):
        if key is None:
            merged = yield from machine.value(value, scope)
            yield from machine_update(machine, found, merged)
        else:
            at = yield from machine.value(key, scope)
            found[hashable(at)] = yield from machine.value(value, scope)
    return found


def machine_update(machine: Machine, into: dict[Any, Any], mapping: Any) -> Run:
    """Put the entries of a mapping into a dict."""
    payload = getattr(mapping, "payload", MISSING)
    mapping = mapping if payload is MISSING else payload
    if isinstance(mapping, dict):
        into.update(mapping)
        return
    if isinstance(mapping, (Unknown, External)):
        key = Unknown()
        key.is_any = True
        into[key] = Unknown(origins(mapping))
        return
    keys = yield from machine.attribute(mapping, "keys")
    for key in (yield from machine.items((yield from machine.call(keys, [], {})))):
        into[hashable(key)] = yield from machine.item(mapping, key)


def _call(machine: Machine, node: ast.Call, scope: Scope) -> Run:
    from codelake.resolve.rehearsal.calling import takes_unknown
    from codelake.resolve.rehearsal.library import SCOPED

    callee = yield from machine.value(node.func, scope)
    arguments = yield from _elements(machine, node.args, scope)
    keywords: dict[str, Any] = {}
    for each in node.keywords:
        value = yield from machine.value(each.value, scope)
        if each.arg is None:
            more: dict[Any, Any] = {}
            yield from machine_update(machine, more, value)
            if keywords.keys() & more.keys():
                raise error(TypeError, "multiple values for a keyword argument")
            keywords |= more
        else:
            keywords[each.arg] = value
    others = [key for key in keywords if not isinstance(key, str)]
    if others and not (takes_unknown(callee) and all(isinstance(key, Unknown) for key in others)):
        raise GiveUp("unknown keywords")
    machine.tick()
    scoped = SCOPED.get(getattr(callee, "name", ""))
    if scoped is not None:
        return (yield from scoped(machine, scope, arguments))
    return (yield from machine.call(callee, arguments, keywords))


def _bool(machine: Machine, node: ast.BoolOp, scope: Scope) -> Run:
    value: Any = None
    for each in node.values:
        value = yield from machine.value(each, scope)
        if each is node.values[-1]:
            break
        if (yield from machine.truth(value)) is isinstance(node.op, ast.Or):
            break
    return value


def _choice(machine: Machine, node: ast.IfExp, scope: Scope) -> Run:
    test = yield from machine.truth((yield from machine.value(node.test, scope)))
    return (yield from machine.value(node.body if test else node.orelse, scope))


def _binary(machine: Machine, node: ast.BinOp, scope: Scope) -> Run:
    left = yield from machine.value(node.left, scope)
    right = yield from machine.value(node.right, scope)
    return (yield from binary(machine, type(node.op), left, right))


def _unary(machine: Machine, node: ast.UnaryOp, scope: Scope) -> Run:
    value = yield from machine.value(node.operand, scope)
    if isinstance(node.op, ast.Not):
        return not (yield from machine.truth(value))
    return (yield from unary(machine, type(node.op), value))


def _compare(machine: Machine, node: ast.Compare, scope: Scope) -> Run:
    left = yield from machine.value(node.left, scope)
    result: Any = True
    for op, other in zip(node.ops, node.comparators, strict=True):
        right = yield from machine.value(other, scope)
        result = yield from compare(machine, type(op), left, right)
        if other is not node.comparators[-1] and not (yield from machine.truth(result)):
            return result
        left = right
    return result


def _lambda(machine: Machine, node: ast.Lambda, scope: Scope) -> Run:
    return (yield from function(machine, node, scope))


def function(machine: Machine, node: Any, scope: Scope) -> Run:
    """Make a function of its definition."""
    made = Function(node, scope, names_of(node))
    for default in node.args.defaults:
        made.defaults.append((yield from machine.value(default, scope)))
    for argument, each in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True):
        if each is not None:
            made.kw_defaults[argument.arg] = yield from machine.value(each, scope)
    return made


def _named(machine: Machine, node: ast.NamedExpr, scope: Scope) -> Run:
    value = yield from machine.value(node.value, scope)
    store(machine, node.target.id, value, scope)
    return value


def _starred(machine: Machine, node: ast.Starred, scope: Scope) -> Run:
    raise GiveUp("a star of its own")
    yield


def _joined(machine: Machine, node: ast.JoinedStr, scope: Scope) -> Run:
    texts: list[Any] = []
    for each in node.values:
        texts.append((yield from machine.value(each, scope)))
    return joined(*texts)


def _formatted(machine: Machine, node: ast.FormattedValue, scope: Scope) -> Run:
    value = yield from machine.value(node.value, scope)
    spec: Any = ""
    if node.format_spec is not None:
        spec = yield from machine.value(node.format_spec, scope)
    if node.conversion in (ord("r"), ord("a")):
        value = yield from repr_of(machine, value)
    elif node.conversion == ord("s"):
        value = yield from text_of(machine, value)
    return (yield from formatted(machine, value, spec))


def _comprehension(machine: Machine, node: Any, scope: Scope) -> Run:
    """Make a list, set, dict or generator."""
    inner = Scope("comprehension", node, scope.module, scope, names_of(node))
    first = yield from machine.value(node.generators[0].iter, scope)
    if isinstance(node, ast.GeneratorExp):
        return Iterated(_generated(machine, node, inner, first))
    found: list[Any] = []
    run = _rounds(machine, node, 0, inner, first)
    one = Iterated(run)
    while (item := (yield from machine.resume(one))) is not MISSING:
        found.append(item)
    if isinstance(node, ast.DictComp):
        return {hashable(key): value for key, value in found}
    return {hashable(each) for each in found} if isinstance(node, ast.SetComp) else found


def _generated(machine: Machine, node: ast.GeneratorExp, scope: Scope, first: Any) -> Run:
    yield from _rounds(machine, node, 0, scope, first)


def _rounds(machine: Machine, node: Any, depth: int, scope: Scope, given: Any) -> Run:
    from codelake.resolve.rehearsal.statements import assign, asynchronous

    clause = node.generators[depth]
    if depth:
        given = yield from machine.value(clause.iter, scope)
    if clause.is_async:
        iterator = yield from asynchronous(machine, given)
    else:
        iterator = yield from machine.iterator(given)
    while True:
        if clause.is_async:
            item = yield from iterator.following(machine)
        else:
            item = yield from machine.following(iterator)
        if item is MISSING:
            return
        yield from assign(machine, clause.target, item, scope)
        is_kept = True
        for test in clause.ifs:
            if not (yield from machine.truth((yield from machine.value(test, scope)))):
                is_kept = False
                break
        if not is_kept:
            continue
        if depth + 1 < len(node.generators):
            yield from _rounds(machine, node, depth + 1, scope, None)
        elif isinstance(node, ast.DictComp):
            key = yield from machine.value(node.key, scope)
            yield Yielded((key, (yield from machine.value(node.value, scope))))
        else:
            yield Yielded((yield from machine.value(node.elt, scope)))


def _yield(machine: Machine, node: ast.Yield, scope: Scope) -> Run:
    value = None
    if node.value is not None:
        value = yield from machine.value(node.value, scope)
    return (yield Yielded(value))


def _yield_from(machine: Machine, node: ast.YieldFrom, scope: Scope) -> Run:
    given = yield from machine.value(node.value, scope)
    iterator = yield from machine.iterator(given)
    if isinstance(iterator, Instance):
        raise GiveUp("yield from an iterator of its own")
    if not isinstance(iterator, Iterated):
        while (item := (yield from machine.following(iterator))) is not MISSING:
            yield Yielded(item)
        return None
    sent, raised = None, None
    while True:
        item = yield from machine.resume(iterator, sent, raised)
        if item is MISSING:
            return iterator.result
        sent, raised = None, None
        try:
            sent = yield Yielded(item)
        except Raised as thrown:
            raised = thrown


def _await(machine: Machine, node: ast.Await, scope: Scope) -> Run:
    value = yield from machine.value(node.value, scope)
    return (yield from machine.awaited(value))


EXPRESSIONS: dict[type[ast.expr], Callable[[Machine, Any, Scope], Run]] = {
    ast.Constant: _constant,
    ast.Name: _name,
    ast.Attribute: _attribute,
    ast.Subscript: _subscript,
    ast.Slice: _slice,
    ast.List: _list,
    ast.Tuple: _tuple,
    ast.Set: _set,
    ast.Dict: _dict,
    ast.Call: _call,
    ast.BoolOp: _bool,
    ast.IfExp: _choice,
    ast.BinOp: _binary,
    ast.UnaryOp: _unary,
    ast.Compare: _compare,
    ast.Lambda: _lambda,
    ast.NamedExpr: _named,
    ast.Starred: _starred,
    ast.JoinedStr: _joined,
    ast.FormattedValue: _formatted,
    ast.ListComp: _comprehension,
    ast.SetComp: _comprehension,
    ast.DictComp: _comprehension,
    ast.GeneratorExp: _comprehension,
    ast.Yield: _yield,
    ast.YieldFrom: _yield_from,
    ast.Await: _await,
}
