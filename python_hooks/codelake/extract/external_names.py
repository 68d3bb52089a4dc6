"""External names: what the files of a repository import -> the names that are not its own.

    a/__init__.py   import os.path             os.path
    a/core.py       from yaml import load      yaml.load
                    from a.core import x       (its own)
                    from . import core         (its own)

A name belongs to the repository when it, or a package around it, is one of its modules. A folder
without `__init__.py` is a namespace that others may fill too: with `google/app.py`, `google` and
`google.app` are own names and `google.protobuf` is not.
Next: sources/interfaces.py, which tells where the names come from; another rule here needs another
_FORMAT there, so that lakes take it up.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

type Import = tuple[str | None, str | None, int, bool]  # module, name, level, is_star


def external_names(modules: Collection[str], imports: Iterable[Import]) -> list[str]:
    """Return the absolute names that are imported from elsewhere, sorted.

    Args:
        modules: dotted names of the repository's modules.
        imports: what its files import, as in the array `ast_imports`.
    """
    own = set(modules)
    spaces = {above for module in own for above in _prefixes(module)}
    found = {
        f"{module}.{name}" if name and not is_star else module
        for module, name, level, is_star in imports
        if module and level == 0
    }
    return sorted(
        name
        for name in found
        if name not in spaces and not any(prefix in own for prefix in _prefixes(name))
    )


def _prefixes(name: str) -> list[str]:
    """Return a dotted name and every package around it.

    >>> _prefixes("a.b.c")
    ['a', 'a.b', 'a.b.c']
    """
    parts = name.split(".")
    return [".".join(parts[:end]) for end in range(1, len(parts) + 1)]
