"""Code units: a compiled module -> its code objects in preorder, with names that stay.

    class C:                 0 ''
        def f(self): ...     1 'C'
        def f(self): ...     2 'C.f'    3 'C.f#1'

A unit is named as CPython names it (`co_qualname`), and its path adds `#n` to the n-th repetition
of a path, in each of its parents too. The module's path is empty. Two definitions that compile to
equal code, such as the two copies of a `finally` body, are one constant and one unit.
Next: instructions.py.
"""

from __future__ import annotations

from types import CodeType

_SEPARATORS = (".<locals>.", ".")


class CodeUnit:
    """A code object, its number, and which of its constants are the units below it."""

    __slots__ = ("children", "code", "no", "parent", "path")

    def __init__(self, code: CodeType, no: int, parent: CodeUnit | None, path: str) -> None:
        self.code = code
        self.no = no
        self.parent = parent
        self.path = path
        self.children: dict[int, int] = {}


def code_units(module: CodeType) -> list[CodeUnit]:
    """List the code objects of a module, parents first, siblings as in `co_consts`."""
    units: list[CodeUnit] = []
    seen: dict[str, int] = {}
    stack: list[tuple[CodeType, CodeUnit | None, int]] = [(module, None, 0)]
    while stack:
        code, parent, const_no = stack.pop()
        path = "" if parent is None else _numbered(_path(code, parent), seen)
        unit = CodeUnit(code, len(units), parent, path)
        units.append(unit)
        if parent is not None:
            parent.children[const_no] = unit.no
        nested = [
            (constant, unit, number)
            for number, constant in enumerate(code.co_consts)
            if constant.__class__ is CodeType
        ]
        stack.extend(reversed(nested))
    return units


def _path(code: CodeType, parent: CodeUnit) -> str:
    """Return the qualified name with the path of the parent that it names."""
    qualname, name = code.co_qualname, code.co_name
    if qualname == name:  # of the module, or declared global
        return name
    prefix = qualname.removesuffix(name)
    separator = next((text for text in _SEPARATORS if prefix.endswith(text)), "")
    owner = prefix.removesuffix(separator)
    around: CodeUnit | None = parent
    while around is not None:  # a scope of type parameters is not part of the name
        if around.code.co_qualname == owner:
            return f"{around.path}{separator}{name}"
        around = around.parent
    return qualname


def _numbered(path: str, seen: dict[str, int]) -> str:
    count = seen.get(path, 0)
    seen[path] = count + 1
    return f"{path}#{count}" if count else path
