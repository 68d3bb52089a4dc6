"""Statements: what they do, and the signal by which they leave their block early.

Next: matching.py.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from codelake.resolve.rehearsal import classes
from codelake.resolve.rehearsal.attributes import delete_attribute, set_attribute
from codelake.resolve.rehearsal.expressions import function, mangled, store
from codelake.resolve.rehearsal.imports import import_from, import_module
from codelake.resolve.rehearsal.items import delete_item, set_item
from codelake.resolve.rehearsal.matching import match
from codelake.resolve.rehearsal.operators import binary
from codelake.resolve.rehearsal.values import (
    MISSING,
    UNKNOWN_ERROR,
    Class,
    Cut,
    External,
    GiveUp,
    Instance,
    Iterated,
    Raised,
    Run,
    Scope,
    Unknown,
    UnknownItems,
    builtin_class,
    error,
    is_error,
    number_of,
    origins,
)

if TYPE_CHECKING:
    from codelake.resolve.rehearsal.machine import Machine

_MOST_ROUNDS = 3_000
_ROUNDS_OF_UNKNOWN = 4  # of a `while` that goes on by decisions


class Returned:
    """The signal of `return`."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value


BREAK, CONTINUE = "break", "continue"


def _expression(machine: Machine, node: ast.Expr, scope: Scope) -> Run:
    yield from machine.value(node.value, scope)


def _assign(machine: Machine, node: ast.Assign, scope: Scope) -> Run:
    value = yield from machine.value(node.value, scope)
    for target in node.targets:
        yield from assign(machine, target, value, scope)


def assign(machine: Machine, target: ast.expr, value: Any, scope: Scope) -> Run:
    """Bind a target to a value."""
    value = machine.arrive(value, (scope.module.file, number_of(target)))
    if isinstance(target, ast.Name):
        name = mangled(target.id, scope) if scope.kind == "class" else target.id
        store(machine, name, value, scope)
    elif isinstance(target, ast.Attribute):
        owner = yield from machine.value(target.value, scope)
        yield from set_attribute(machine, owner, mangled(target.attr, scope), value)
    elif isinstance(target, ast.Subscript):
        owner = yield from machine.value(target.value, scope)
        key = yield from machine.value(target.slice, scope)
        yield from set_item(machine, owner, key, value)
    elif isinstance(target, ast.Starred):
        yield from assign(machine, target.value, value, scope)
    elif isinstance(target, (ast.Tuple, ast.List)):
        yield from _unpack(machine, target.elts, value, scope)
    else:
        raise GiveUp("another target")


def _unpack(machine: Machine, targets: list[ast.expr], value: Any, scope: Scope) -> Run:
    starred = [n for n, each in enumerate(targets) if isinstance(each, ast.Starred)]
    if isinstance(value, (Unknown, External)):
        machine.may_raise(value)
        found: list[Any] = [Unknown(origins(value)) for _ in targets]
        if starred:
            found[starred[0]] = [found[starred[0]]]
    else:
        found = yield from machine.items(value)
        if starred:
            behind = len(targets) - starred[0] - 1
            if len(found) < len(targets) - 1:
                raise error(ValueError, "not enough values to unpack")
            middle = found[starred[0] : len(found) - behind]
            found = [*found[: starred[0]], middle, *found[len(found) - behind :]]
        elif len(found) != len(targets):
            raise error(ValueError, "wrong number of values to unpack")
    for target, each in zip(targets, found, strict=True):
        yield from assign(machine, target, each, scope)


def _annotated(machine: Machine, node: ast.AnnAssign, scope: Scope) -> Run:
    if scope.kind == "class" and isinstance(node.target, ast.Name):
        scope.names.setdefault("__annotations__", {})[node.target.id] = node.annotation
    if node.value is not None:
        value = yield from machine.value(node.value, scope)
        yield from assign(machine, node.target, value, scope)


def _augmented(machine: Machine, node: ast.AugAssign, scope: Scope) -> Run:
    target, op = node.target, type(node.op)
    if isinstance(target, ast.Attribute):
        name = mangled(target.attr, scope)
        owner = yield from machine.value(target.value, scope)
        before = yield from machine.attribute(owner, name)
        value = yield from machine.value(node.value, scope)
        made = yield from binary(machine, op, before, value, in_place=True)
        yield from set_attribute(machine, owner, name, made)
    elif isinstance(target, ast.Subscript):
        owner = yield from machine.value(target.value, scope)
        key = yield from machine.value(target.slice, scope)
        before = yield from machine.item(owner, key)
        value = yield from machine.value(node.value, scope)
        made = yield from binary(machine, op, before, value, in_place=True)
        yield from set_item(machine, owner, key, made)
    else:
        from codelake.resolve.rehearsal.expressions import load

        before = load(machine, target.id, scope)
        value = yield from machine.value(node.value, scope)
        made = yield from binary(machine, op, before, value, in_place=True)
        store(machine, target.id, made, scope)


def _delete(machine: Machine, node: ast.Delete, scope: Scope) -> Run:
    targets = [*node.targets]
    while targets:
        target = targets.pop(0)
        if isinstance(target, (ast.Tuple, ast.List)):
            targets = [*target.elts, *targets]
        elif isinstance(target, ast.Name):
            names = scope.module.names if target.id in scope.known.globals else scope.names
            if target.id in scope.known.outer:
                names = _names_around(target.id, scope)
            if names.pop(target.id, MISSING) is MISSING:
                raise error(NameError, target.id)
        elif isinstance(target, ast.Attribute):
            owner = yield from machine.value(target.value, scope)
            yield from delete_attribute(machine, owner, mangled(target.attr, scope))
        elif isinstance(target, ast.Subscript):
            owner = yield from machine.value(target.value, scope)
            key = yield from machine.value(target.slice, scope)
            yield from delete_item(machine, owner, key)
        else:
            raise GiveUp("another deletion")


def _names_around(name: str, scope: Scope) -> dict[str, Any]:
    """Return the names of the function around that has a nonlocal name."""
    at = scope.parent
    while at is not None and not (at.kind == "function" and name in at.known.local):
        at = at.parent
    return at.names if at is not None else {}


def _return(machine: Machine, node: ast.Return, scope: Scope) -> Run:
    value = None
    if node.value is not None:
        value = yield from machine.value(node.value, scope)
    return Returned(value)


def _nothing(machine: Machine, node: ast.stmt, scope: Scope) -> Run:
    return {ast.Break: BREAK, ast.Continue: CONTINUE}.get(type(node))
    yield


def _if(machine: Machine, node: ast.If, scope: Scope) -> Run:
    test = yield from machine.truth((yield from machine.value(node.test, scope)))
    return (yield from machine.block(node.body if test else node.orelse, scope))


def _while(machine: Machine, node: ast.While, scope: Scope) -> Run:
    rounds, decided = 0, 0
    while True:
        asked = machine.asked
        if not (yield from machine.truth((yield from machine.value(node.test, scope)))):
            break
        signal = yield from machine.block(node.body, scope)
        rounds += 1
        decided += machine.asked > asked
        is_left = signal is BREAK or isinstance(signal, Returned)
        if decided > _ROUNDS_OF_UNKNOWN and not is_left:
            machine.cut.add(node)
            raise Cut
        if rounds > _MOST_ROUNDS:
            raise GiveUp("a loop too long")
        if signal is BREAK:
            machine.left.add(node)
            return None
        if isinstance(signal, Returned):
            machine.left.add(node)
            return signal
    machine.left.add(node)
    return (yield from machine.block(node.orelse, scope))


def _for(machine: Machine, node: ast.For, scope: Scope) -> Run:
    given = yield from machine.value(node.iter, scope)
    iterator = yield from machine.iterator(given)
    rounds = 0
    while (item := (yield from machine.following(iterator))) is not MISSING:
        yield from assign(machine, node.target, item, scope)
        signal = yield from machine.block(node.body, scope)
        rounds += 1
        if rounds > _MOST_ROUNDS:
            raise GiveUp("a loop too long")
        if signal is BREAK:
            return None
        if isinstance(signal, Returned):
            return signal
    return (yield from machine.block(node.orelse, scope))


class _Asynchronous:
    """An asynchronous iterator."""

    def __init__(self, iterator: Any) -> None:
        self._iterator = iterator

    def following(self, machine: Machine) -> Run:
        """Return its next item, or MISSING behind the last one."""
        one = self._iterator
        if isinstance(one, (Iterated, UnknownItems)):
            return (yield from machine.following(one))
        hidden = getattr(one, "following", None)
        if hidden is not None:
            return (yield from hidden(machine))
        try:
            made = yield from machine.special(one, "__anext__")
            return (yield from machine.awaited(made))
        except Raised as raised:
            if is_error(raised.value.cls, StopAsyncIteration):
                return MISSING
            raise


def asynchronous(machine: Machine, given: Any) -> Run:
    """Return an asynchronous iterator over a value."""
    if isinstance(given, Instance):
        found = yield from machine.special(given, "__aiter__")
        given = given if found is MISSING else found
    if isinstance(given, (Unknown, External)):
        given = UnknownItems(Unknown(origins(given)))
    return _Asynchronous(given)


def _async_for(machine: Machine, node: ast.AsyncFor, scope: Scope) -> Run:
    given = yield from machine.value(node.iter, scope)
    iterator = yield from asynchronous(machine, given)
    while (item := (yield from iterator.following(machine))) is not MISSING:
        yield from assign(machine, node.target, item, scope)
        signal = yield from machine.block(node.body, scope)
        if signal is BREAK:
            return None
        if isinstance(signal, Returned):
            return signal
    return (yield from machine.block(node.orelse, scope))


def _function(machine: Machine, node: Any, scope: Scope) -> Run:
    decorators = []
    for each in node.decorator_list:
        decorators.append((yield from machine.value(each, scope)))
    made: Any = yield from function(machine, node, scope)
    yield from _decorate(machine, node, made, decorators, scope)


def _decorate(machine: Machine, node: Any, made: Any, decorators: list[Any], scope: Scope) -> Run:
    for decorator in reversed(decorators):
        made = yield from machine.call(decorator, [made], {})
    store(machine, mangled(node.name, scope), made, scope)


def _class(machine: Machine, node: ast.ClassDef, scope: Scope) -> Run:
    decorators = []
    for each in node.decorator_list:
        decorators.append((yield from machine.value(each, scope)))
    bases = []
    for each in node.bases:
        bases.append((yield from machine.value(each, scope)))
    keywords = {}
    for keyword in node.keywords:
        keywords[keyword.arg or ""] = yield from machine.value(keyword.value, scope)
    made = yield from classes.define(machine, node, scope, bases, keywords)
    yield from _decorate(machine, node, made, decorators, scope)


def _raise(machine: Machine, node: ast.Raise, scope: Scope) -> Run:
    if node.exc is None:
        at: Scope | None = scope
        while at is not None and at.asked is None and at.kind == "comprehension":
            at = at.parent
        if at is None or at.asked is None:
            raise GiveUp("an exception that is raised again elsewhere")
        raise Raised(at.asked)
    value = yield from machine.value(node.exc, scope)
    made = yield from exception(machine, value)
    if node.cause is not None:
        cause = yield from machine.value(node.cause, scope)
        made.names["__cause__"] = cause
    if scope.asked is not None and scope.asked is not made:
        made.names.setdefault("__context__", scope.asked)
    raise Raised(made)


def exception(machine: Machine, value: Any) -> Run:
    """Return what `raise value` raises."""
    if isinstance(value, Class):
        value = yield from machine.call(value, [], {})
    if isinstance(value, Instance) and is_error(value.cls):
        return value
    if isinstance(value, (Unknown, External)):
        made = Instance(builtin_class(Exception))
        made.names["args"] = (Unknown(origins(value)),)
        return made
    raise error(TypeError, "exceptions must derive from BaseException")


def _try(machine: Machine, node: ast.Try, scope: Scope) -> Run:
    before, raised, is_through = scope.asked, None, False
    signal: Any = None
    depth, tries = machine.depth, machine.tries
    machine.tries += 1
    try:
        signal = yield from machine.block(node.body, scope)
        machine.tries = tries
        is_through = True
        if signal is None:
            signal = yield from machine.block(node.orelse, scope)
    except Raised as one:
        raised = one
    machine.depth, machine.tries = depth, tries
    if raised is not None and not is_through:
        for handler in node.handlers:
            if handler.type is not None:
                kinds = yield from machine.value(handler.type, scope)
                if not caught(machine, raised.value, kinds):
                    continue
            scope.asked = handled = raised.value
            try:
                signal, raised = (yield from _handle(machine, handler, handled, scope)), None
            except Raised as another:
                _note_context(another, handled)
                raised = another
            scope.asked = before
            break
    if node.finalbody:
        try:
            last = yield from machine.block(node.finalbody, scope)
        except Raised as another:
            if raised is not None:
                _note_context(another, raised.value)
            raise
        if last is not None:
            return last
    if raised is not None:
        raise raised
    return signal


def _note_context(raised: Raised, handled: Instance) -> None:
    """Keep what was handled when another exception was raised."""
    if raised.value is not handled:
        raised.value.names.setdefault("__context__", handled)


def _handle(machine: Machine, handler: ast.ExceptHandler, value: Instance, scope: Scope) -> Run:
    if handler.name:
        place = scope.module.file, number_of(handler)
        store(machine, handler.name, machine.arrive(value, place), scope)
    signal = yield from machine.block(handler.body, scope)
    if handler.name:
        names = scope.module.names if handler.name in scope.known.globals else scope.names
        names.pop(handler.name, None)
    return signal


def caught(machine: Machine, value: Instance, kinds: Any) -> bool:
    """Tell whether an exception is one of some kinds."""
    for kind in kinds if isinstance(kinds, tuple) else (kinds,):
        if isinstance(kind, tuple):
            if caught(machine, value, kind):
                return True
        elif isinstance(kind, Class):
            if kind in value.cls.mro:
                return True
            is_error_kind = value.cls is UNKNOWN_ERROR and is_error(kind, Exception)
            if is_error_kind and machine.decide(("caught", value, kind)):
                return True
        elif isinstance(kind, (Unknown, External)):
            if machine.decide(("caught", id(value), getattr(kind, "full", id(kind)))):
                return True
        else:
            raise GiveUp("a kind of exception")
    return False


def _try_star(machine: Machine, node: ast.TryStar, scope: Scope) -> Run:
    from codelake.resolve.rehearsal.groups import handled

    return (yield from handled(machine, node, scope))


def _with(machine: Machine, node: Any, scope: Scope) -> Run:
    return (yield from _managed(machine, node, 0, scope))


def _managed(machine: Machine, node: Any, number: int, scope: Scope) -> Run:
    from codelake.resolve.rehearsal.managers import enter, leave

    if number == len(node.items):
        return (yield from machine.block(node.body, scope))
    item, is_async = node.items[number], isinstance(node, ast.AsyncWith)
    manager = yield from machine.value(item.context_expr, scope)
    given = yield from enter(machine, manager, is_async)
    before, tries, depth = scope.asked, machine.tries, machine.depth
    machine.tries += 1  # leaving it may swallow, or look at, what is raised
    try:
        if item.optional_vars is not None:
            yield from assign(machine, item.optional_vars, given, scope)
        signal = yield from _managed(machine, node, number + 1, scope)
    except Raised as raised:
        scope.asked, machine.tries, machine.depth = raised.value, tries, depth
        try:
            is_swallowed = yield from leave(machine, manager, raised, is_async)
        except Raised as another:
            _note_context(another, raised.value)
            raise
        finally:
            scope.asked = before
        if not is_swallowed:
            raise
        return None
    machine.tries = tries
    yield from leave(machine, manager, None, is_async)
    return signal


def _assert(machine: Machine, node: ast.Assert, scope: Scope) -> Run:
    value = yield from machine.value(node.test, scope)
    if isinstance(value, Unknown) and not machine.tries:
        return
    if not (yield from machine.truth(value)):
        message = []
        if node.msg is not None:
            message.append((yield from machine.value(node.msg, scope)))
        raise error(AssertionError, *message)


def _match(machine: Machine, node: ast.Match, scope: Scope) -> Run:
    subject = yield from machine.value(node.subject, scope)
    for case in node.cases:
        found: dict[str, Any] = {}
        if not (yield from match(machine, case.pattern, subject, scope, found)):
            continue
        for name, value in found.items():
            store(machine, name, value, scope)
        if case.guard is not None:
            test = yield from machine.value(case.guard, scope)
            if not (yield from machine.truth(test)):
                continue
        return (yield from machine.block(case.body, scope))
    return None


def _alias(machine: Machine, node: Any, scope: Scope) -> Run:
    store(machine, node.name.id, External(f"typing.{node.name.id}"), scope)
    return None
    yield


STATEMENTS: dict[type[ast.stmt], Callable[[Machine, Any, Scope], Run]] = {
    ast.Expr: _expression,
    ast.Assign: _assign,
    ast.AnnAssign: _annotated,
    ast.AugAssign: _augmented,
    ast.Delete: _delete,
    ast.Return: _return,
    ast.Pass: _nothing,
    ast.Break: _nothing,
    ast.Continue: _nothing,
    ast.Global: _nothing,
    ast.Nonlocal: _nothing,
    ast.If: _if,
    ast.While: _while,
    ast.For: _for,
    ast.AsyncFor: _async_for,
    ast.FunctionDef: _function,
    ast.AsyncFunctionDef: _function,
    ast.ClassDef: _class,
    ast.Raise: _raise,
    ast.Try: _try,
    ast.TryStar: _try_star,
    ast.With: _with,
    ast.AsyncWith: _with,
    ast.Assert: _assert,
    ast.Import: import_module,
    ast.ImportFrom: import_from,
    ast.Match: _match,
    ast.TypeAlias: _alias,
}
