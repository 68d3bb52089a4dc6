"""Flow of statements: simple ones, conditions, loops and definitions.

    x = y = v            v, x, y, Assign
    x: t = v             v, x, t, AnnAssign    (t only in a module or class, unless postponed)
    if a: b              a -true-> b -> Expr; a -false-> what follows
    while a: b           a -true-> b -> Expr -loop-> a; a -false-> what follows
    for t in i: b        i -> For; For -true-> t -> b -> Expr -loop-> For; For -false-> what follows
    assert a, m          a -true-> what follows; a -false-> m -> Assert -exception-> handler or exit
    from m import a, b   ImportFrom, a, b
    @d                   d, v, t, FunctionDef (bound); its body is a unit of its own
    def f(x: t = v): ...

Points are the simple statements when they are done, the iteration of a `for`, and definitions;
If, While, Global, Nonlocal and Import (whose aliases are points) are none.
Next: flow_try.py.
"""

from __future__ import annotations

import ast
from typing import Any

from codelake.extract.flow.flow_builder import Action, Builder, Loop
from codelake.extract.flow.flow_expressions import possible, push_defaults, test
from codelake.extract.flow.flow_targets import augment, bind, remove


def _expression(build: Builder, node: Any) -> None:
    build.stack += ((Builder.point, node.no), node.value)


def _assign(build: Builder, node: Any) -> None:
    stack = build.stack
    stack.append((Builder.point, node.no))
    for target in reversed(node.targets):
        stack.append((bind, target))
    stack.append(node.value)


def _annotated(build: Builder, node: Any) -> None:
    stack, target = build.stack, node.target
    evaluates = build.annotates and not build.postponed
    stack.append(node.no if node.simple and evaluates else (Builder.point, node.no))
    if evaluates:
        stack.append(node.annotation)
    if node.value is not None:
        stack += ((bind, target), node.value)
    elif target.__class__ is ast.Attribute:  # evaluated, but nothing is stored
        stack.append(target.value)
    elif target.__class__ is ast.Subscript:
        stack += (target.slice, target.value)


def _delete(build: Builder, node: Any) -> None:
    build.stack.append((Builder.point, node.no))
    for target in reversed(node.targets):
        build.stack.append((remove, target))


def _nothing(_build: Builder, _node: Any) -> None:
    """Global, Nonlocal: only the compiler reads them."""


def _pass(build: Builder, node: Any) -> None:
    build.point(node.no)


def _import(build: Builder, node: Any) -> None:
    build.stack += [alias.no for alias in reversed(node.names)]


def _import_from(build: Builder, node: Any) -> None:
    _import(build, node)
    build.stack.append(node.no)


def _return(build: Builder, node: Any) -> None:
    build.stack += ((_go, "return"), (Builder.point, node.no))
    if node.value is not None:
        build.stack.append(node.value)


def _break(build: Builder, node: Any) -> None:
    build.point(node.no)
    _go(build, "break")


def _continue(build: Builder, node: Any) -> None:
    build.point(node.no)
    _go(build, "continue")


def _go(build: Builder, way: str) -> None:
    build.jump(*build.leave(way))


def _raise(build: Builder, node: Any) -> None:
    build.stack += ((Builder.throw,), (Builder.point, node.no))
    build.stack += [part for part in (node.cause, node.exc) if part is not None]


def _assert(build: Builder, node: Any) -> None:
    after, failed = build.new(), build.new()
    build.stack += ((Builder.start, after), (Builder.throw,), (Builder.point, node.no))
    if node.msg is not None:
        build.stack.append(node.msg)
    build.stack += ((Builder.start, failed), (possible, node.test, after, failed))


def _if(build: Builder, node: Any) -> None:
    after = build.new()
    build.stack.append((Builder.start, after))
    _arm(build, node, after)


def _arm(build: Builder, node: Any, after: int) -> None:
    """Plan one condition with its body; an elif takes its own turn."""
    stack, body = build.stack, build.new()
    orelse = node.orelse
    otherwise = build.new() if orelse else after
    if len(orelse) == 1 and orelse[0].__class__ is ast.If:
        stack += ((_arm, orelse[0], after), (Builder.start, otherwise))
    elif orelse:
        stack.append((_close, after))
        stack += reversed(orelse)
        stack.append((Builder.start, otherwise))
    stack.append((_close, after))
    stack += reversed(node.body)
    stack += ((Builder.start, body), (test, node.test, body, otherwise))


def _close(build: Builder, block: int, label: str | None = None) -> None:
    build.edge(build.current, block, label)


def _while(build: Builder, node: Any) -> None:
    head, body, after = build.new(), build.new(), build.new()
    _push_loop(build, node, head, body, after)
    build.fall(head)


def _for(build: Builder, node: Any) -> None:
    head, body, after = build.new(), build.new(), build.new()
    otherwise = _push_loop(build, node, head, body, after)
    # instead of a test: ask for the next item, then bind it
    build.stack.pop()
    build.stack.pop()
    build.stack += (
        (bind, node.target),
        (Builder.start, body),
        (Builder.branch, body, otherwise),
        node.no,
        (Builder.fall, head),
        node.iter,
    )


def _push_loop(build: Builder, node: Any, head: int, body: int, after: int) -> int:
    stack = build.stack
    otherwise = build.new() if node.orelse else after
    stack.append((Builder.start, after))
    if node.orelse:
        stack.append((_close, after))
        stack += reversed(node.orelse)
        stack.append((Builder.start, otherwise))
    stack += ((_pop_frame,), (_close, head, "loop"))
    stack += reversed(node.body)
    stack.append((_push_frame, Loop(head, after)))
    stack += ((Builder.start, body), (test, getattr(node, "test", None), body, otherwise))
    return otherwise


def _push_frame(build: Builder, frame: Loop) -> None:
    build.frames.append(frame)


def _pop_frame(build: Builder) -> None:
    build.frames.pop()


def _function(build: Builder, node: Any) -> None:
    build.units.append(("function", node))
    stack = build.stack
    stack.append(node.no if node.decorator_list else (Builder.point, node.no))
    if not build.postponed:
        stack += reversed(_annotations(node))
    _push_parameters(build, node)
    push_defaults(build, node.args)
    stack += reversed(node.decorator_list)


def _push_parameters(build: Builder, node: Any) -> None:
    """Plan the type parameters, whose bounds and defaults are evaluated later, if ever."""
    for parameter in reversed(node.type_params):
        build.stack.append((Builder.point, parameter.no))


def _annotations(node: Any) -> list[ast.expr]:
    """Return the annotations of a signature in the order in which CPython evaluates them."""
    args = node.args
    found = [arg.annotation for arg in (*args.args, *args.posonlyargs)]
    found += [args.vararg.annotation] if args.vararg is not None else []
    found += [arg.annotation for arg in args.kwonlyargs]
    found += [args.kwarg.annotation] if args.kwarg is not None else []
    return [annotation for annotation in (*found, node.returns) if annotation is not None]


def _class(build: Builder, node: Any) -> None:
    build.units.append(("class", node))
    stack = build.stack
    stack.append(node.no)
    stack += [keyword.value for keyword in reversed(node.keywords)]
    stack += reversed(node.bases)
    _push_parameters(build, node)
    stack += reversed(node.decorator_list)


def _type_alias(build: Builder, node: Any) -> None:
    build.stack += ((Builder.point, node.name.no), (Builder.point, node.no))
    _push_parameters(build, node)


STATEMENTS: dict[type, Action] = {
    ast.Expr: _expression,
    ast.Assign: _assign,
    ast.AugAssign: augment,
    ast.AnnAssign: _annotated,
    ast.Delete: _delete,
    ast.Global: _nothing,
    ast.Nonlocal: _nothing,
    ast.Pass: _pass,
    ast.Break: _break,
    ast.Continue: _continue,
    ast.Return: _return,
    ast.Raise: _raise,
    ast.Assert: _assert,
    ast.Import: _import,
    ast.ImportFrom: _import_from,
    ast.If: _if,
    ast.While: _while,
    ast.For: _for,
    ast.AsyncFor: _for,
    ast.FunctionDef: _function,
    ast.AsyncFunctionDef: _function,
    ast.ClassDef: _class,
    ast.TypeAlias: _type_alias,
}
