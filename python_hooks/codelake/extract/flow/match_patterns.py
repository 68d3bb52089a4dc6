"""Flow of match: subject, then case by case the tests of the pattern, its names, the guard.

    match s:                     s -> C -> MatchClass
        case C(1) as x if g:     MatchClass -true-> 1 -> MatchValue; MatchClass -false-> next case
            b                    MatchValue -true-> x -> match_case; MatchValue -false-> next case
                                 match_case -case-> g; g -true-> b; g -false-> next case

A value, singleton, sequence, mapping or class pattern is the point of its test. After the keys of a
mapping have been evaluated, the last one decides whether all are there. `_`, `*_` and `|` are
no points. Names are bound when the whole pattern has matched, before the guard: MatchAs and
MatchStar are the points of their binding; the `**rest` of a mapping is bound at match_case, the
point at which the pattern has matched (if an alternative with a mapping did). Where alternatives
inside another pattern bind names, the graph does not remember which one matched.
Next: control_flow.py.
"""

from __future__ import annotations

import ast
from typing import Any

from codelake.extract.flow.flow_builder import Action, Builder
from codelake.extract.flow.flow_expressions import test

type _Names = list[Any]  # numbers of points, and lists of alternatives (each a _Names)


def _match(build: Builder, node: Any) -> None:
    after = build.new()
    build.stack += ((Builder.start, after), (_cases, node.cases, 0, after), node.subject)


def _cases(build: Builder, cases: list[Any], number: int, after: int) -> None:
    """Try one case, then the next."""
    case = cases[number]
    last = number == len(cases) - 1
    body = build.new()
    failed = after if last else build.new()
    names: _Names = []
    stack = build.stack
    if not last:
        stack += ((_cases, cases, number + 1, after), (Builder.start, failed))
    stack.append((_close, after))
    stack += reversed(case.body)
    stack.append((Builder.start, body))
    if case.guard is None:
        stack.append((Builder.jump, body, "case"))
    else:
        guard = build.new()
        stack += ((test, case.guard, body, failed), (Builder.fall, guard, "case"))
    stack += (
        (Builder.point, case.no),
        (_bind, names),
        (_pattern, case.pattern, failed, names, True),
    )


def _close(build: Builder, block: int) -> None:
    build.edge(build.current, block, None)


def _bind(build: Builder, names: _Names) -> None:
    """Bind the names of a pattern in order; of alternatives, one."""
    for number, name in enumerate(names):
        if name.__class__ is int:
            build.point(name)
            continue
        after = build.new()
        begin = build.current
        plan: list[Any] = []
        for alternative in name:
            block = build.new()
            build.edge(begin, block, None)
            plan += ((Builder.start, block), (_bind, alternative), (_close, after))
        plan += ((Builder.start, after), (_bind, names[number + 1 :]))
        build.stack += reversed(plan)
        return


def _pattern(build: Builder, node: Any, failed: int, names: _Names, final: bool) -> None:
    """Test a pattern: go on when it matches, else go to `failed`.

    Args:
        build: the graph.
        node: the pattern.
        failed: where the next case or alternative begins.
        names: takes the names to bind when the whole pattern has matched.
        final: nothing that comes after this pattern can fail.
    """
    number: int = node.no
    match node:
        case ast.MatchAs() if node.pattern is not None:
            build.stack += ((_note, node, names), (_pattern, node.pattern, failed, names, final))
        case ast.MatchAs() | ast.MatchStar():
            _note(build, node, names)
        case ast.MatchValue():
            build.stack += ((_decide, failed), number, node.value)
        case ast.MatchSingleton():
            build.point(number)
            _decide(build, failed)
        case ast.MatchSequence():
            build.raising(number)
            _decide(build, failed)
            _push(build, node.patterns, failed, names, final)
        case ast.MatchMapping():
            build.raising(number)
            _decide(build, failed)
            _push(build, node.patterns, failed, names, final)
            if node.keys:
                build.stack += ((_decide, failed), (Builder.may_raise,), *reversed(node.keys))
        case ast.MatchClass():
            _push(build, [*node.patterns, *node.kwd_patterns], failed, names, final)
            build.stack += ((_decide, failed), number, node.cls)
        case _:
            _alternatives(build, node, failed, names, final)


def _note(_build: Builder, node: Any, names: _Names) -> None:
    if node.name is not None:
        names.append(node.no)


def _decide(build: Builder, failed: int) -> None:
    block = build.new()
    build.edge(build.current, block, "true")
    build.edge(build.current, failed, "false")
    build.start(block)


def _push(build: Builder, patterns: list[Any], failed: int, names: _Names, final: bool) -> None:
    for pattern in reversed(patterns):
        build.stack.append((_pattern, pattern, failed, names, final))
        final = final and _irrefutable(pattern)


def _irrefutable(pattern: Any) -> bool:
    found = pattern.__class__
    return found is ast.MatchStar or (found is ast.MatchAs and pattern.pattern is None)


def _alternatives(build: Builder, node: Any, failed: int, names: _Names, final: bool) -> None:
    """Test alternatives; one that nothing can undo binds its own names at once."""
    matched = build.new()
    found: list[_Names] = [[] for _ in node.patterns]
    plan: list[Any] = []
    last = len(node.patterns) - 1
    for number, pattern in enumerate(node.patterns):
        following = failed if number == last else build.new()
        plan.append((_pattern, pattern, following, found[number], final))
        plan += ((_bind, found[number]),) if final else ()
        plan.append((_close, matched))
        plan += ((Builder.start, following),) if number != last else ()
    plan.append((Builder.start, matched))
    plan += ((_either, found, names),) if not final else ()
    build.stack += reversed(plan)


def _either(_build: Builder, alternatives: list[_Names], names: _Names) -> None:
    if alternatives[0]:
        names.append(alternatives)


MATCHES: dict[type, Action] = {ast.Match: _match}
