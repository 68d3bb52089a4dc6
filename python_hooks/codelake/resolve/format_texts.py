"""Format texts: which arguments of `format` a text asks for.

    "{0} {name}".format(a, b, name=c, other=d)     a and c

What cannot be read, or is handed over by a star, may be any argument.
Next: value_steps.py.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from string import Formatter

_FIRST = re.compile(r"[^.\[]*")


def formatted(
    pattern: str, positional: Sequence[tuple[int, bool]], keywords: Sequence[tuple[str | None, int]]
) -> list[int]:
    """Return the arguments that are part of a formatted text.

    Args:
        pattern: the text.
        positional: arguments, and whether they are starred.
        keywords: names, None for two stars, and arguments.
    """
    every = [number for number, _ in positional] + [number for _, number in keywords]
    names = _asked(pattern)
    if names is None or any(star for _, star in positional) or any(n is None for n, _ in keywords):
        return every
    found = [number for index, (number, _) in enumerate(positional) if str(index) in names]
    return found + [number for name, number in keywords if name in names]


def _asked(pattern: str) -> set[str] | None:
    """Return the positions and names in a pattern, also those inside of format specifications."""
    names: set[str] = set()
    todo, count = [pattern], 0
    try:
        while todo:
            for _, name, inner, _ in Formatter().parse(todo.pop()):
                if name is None:
                    continue
                match = _FIRST.match(name)
                first = match.group() if match else ""
                if not first:
                    first, count = str(count), count + 1
                names.add(first)
                if inner:
                    todo.append(inner)
    except ValueError:
        return None
    return names
