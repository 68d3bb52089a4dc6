"""Facts of match statements: what each pattern is matched against, and what it binds.

    match v:
        case C(a, k=[b, *c]) as d:   match C(...) of v, match_class, match_arg a, store a,
                                     attr [b, *c], unpack b, store b, unpack_star c, store c,
                                     store d

The value of a pattern is what it is matched against, if it matches; `as` stores the value of the
pattern before it, of each alternative when there are several. A wildcard says nothing. A case
whose subject is a name narrows it in its body, when the pattern is a class or a singleton.
Next: facts.py.
"""

from __future__ import annotations

import ast
from typing import Any

from codelake.extract.facts.fact_texts import key_text, literal_text
from codelake.extract.facts.fact_walk import Fact, PairHandler, Walk
from codelake.extract.syntax.node_kinds import dotted


def _match(walk: Walk, node: Any, last: int) -> None:
    push, subject = walk.push, node.subject
    is_name = dotted(subject) is not None
    for case in reversed(node.cases):
        pattern, guard = case.pattern, case.guard
        walk.block(case.body, last)
        if is_name and (fact := _narrowed(pattern, subject.no)):
            push(fact)
            push(("guard", case.no, case.body[0].no, last, "case", None))
        last = case.no - 1
        if guard is not None:
            push(("test", case.no, guard.no, None, None, None))
            push(guard)
        _below(walk, pattern, ("match", pattern.no, subject.no, None, None, None))
    push(subject)


def _below(walk: Walk, pattern: Any, fact: Fact) -> None:
    """Push a pattern behind the fact that makes its value; nothing for a wildcard."""
    if not _is_wildcard(pattern):
        walk.push([pattern, pattern.no])
        walk.push(fact)


def _again(walk: Walk, pattern: Any, number: int) -> None:
    """Match another pattern against the same value; `as` may store what a wildcard matches."""
    if not _is_wildcard(pattern):
        walk.push([pattern, pattern.no])
    walk.push(("match", pattern.no, number, None, None, None))


def _is_wildcard(pattern: Any) -> bool:
    return pattern.__class__ is ast.MatchAs and pattern.pattern is None and pattern.name is None


def _narrowed(pattern: Any, subject: int) -> Fact | None:
    while pattern.__class__ is ast.MatchAs and pattern.pattern is not None:
        pattern = pattern.pattern
    if pattern.__class__ is ast.MatchClass:
        return ("narrow", subject, pattern.cls.no, None, "isinstance", None)
    if pattern.__class__ is ast.MatchSingleton and pattern.value is None:
        return ("narrow", subject, None, None, "is None", None)
    return None


def _value(walk: Walk, node: Any, _: int) -> None:
    walk.push(("match_value", node.no, node.value.no, None, None, None))
    walk.push(node.value)


def _singleton(walk: Walk, node: Any, _: int) -> None:
    walk.emit(("match_is", node.no, None, None, literal_text(node.value), None))


def _sequence(walk: Walk, node: Any, number: int) -> None:
    patterns = node.patterns
    size = len(patterns)
    stars = [place for place, found in enumerate(patterns) if found.__class__ is ast.MatchStar]
    star = stars[0] if stars else size
    for position in range(size - 1, -1, -1):
        pattern = patterns[position]
        if position != star:
            index = position if position < star else position - size
            _below(walk, pattern, ("unpack", pattern.no, number, None, None, index))
        elif pattern.name is not None:
            behind = str(size - 1 - star)
            _below(walk, pattern, ("unpack_star", pattern.no, number, None, behind, star))
    openness = "star" if stars else None
    walk.emit(("match_sequence", node.no, None, None, openness, size - len(stars)))


def _star(walk: Walk, node: Any, number: int) -> None:
    walk.emit(("store", node.no, number, None, walk.name(node.name), None))


def _mapping(walk: Walk, node: Any, number: int) -> None:
    if node.rest is not None:
        walk.push(("match_rest", node.no, number, None, walk.name(node.rest), None))
    for key, pattern in zip(reversed(node.keys), reversed(node.patterns), strict=True):
        _below(walk, pattern, ("item", pattern.no, number, key.no, key_text(key), None))
    for key in reversed(node.keys):
        walk.push(key)
    walk.emit(("match_mapping", node.no, None, None, None, len(node.keys)))


def _class(walk: Walk, node: Any, number: int) -> None:
    """Test the class, then look at attributes; their names are not private, says CPython."""
    cls = node.cls
    for name, pattern in zip(reversed(node.kwd_attrs), reversed(node.kwd_patterns), strict=True):
        _below(walk, pattern, ("attr", pattern.no, number, None, name, None))
    for position in range(len(node.patterns) - 1, -1, -1):
        pattern = node.patterns[position]
        _below(walk, pattern, ("match_arg", pattern.no, number, cls.no, None, position))
    walk.push(("match_class", node.no, cls.no, None, None, len(node.patterns)))
    walk.push(cls)


def _as(walk: Walk, node: Any, number: int) -> None:
    pattern = node.pattern
    name = None if node.name is None else walk.name(node.name)
    if pattern is None:
        walk.emit(("store", node.no, number, None, name, None))
        return
    for leaf in reversed(_leaves(pattern)):
        walk.push(("store", node.no, leaf, None, name, None))
    _again(walk, pattern, number)


def _leaves(pattern: Any) -> list[int]:
    """Return the patterns whose values a pattern stands for: its alternatives, or itself."""
    found, stack = [], [pattern]
    while stack:
        node = stack.pop()
        if node.__class__ is ast.MatchOr:
            stack += reversed(node.patterns)
        elif node.__class__ is ast.MatchAs and node.pattern is not None:
            stack.append(node.pattern)
        else:
            found.append(node.no)
    return found


def _or(walk: Walk, node: Any, number: int) -> None:
    for pattern in reversed(node.patterns):
        _again(walk, pattern, number)


PATTERNS: dict[type, PairHandler] = {
    ast.Match: _match,
    ast.MatchValue: _value,
    ast.MatchSingleton: _singleton,
    ast.MatchSequence: _sequence,
    ast.MatchStar: _star,
    ast.MatchMapping: _mapping,
    ast.MatchClass: _class,
    ast.MatchAs: _as,
    ast.MatchOr: _or,
}
