"""Abstract methods: those that a class leaves to the classes below it.

    def step(self):                     raises NotImplementedError, whatever happens
        raise NotImplementedError
    @abstractmethod
    def step(self): ...

Next: attributes.py, seeds.py.
"""

from __future__ import annotations

from collections.abc import Iterator

from codelake.resolve.file_facts import FileFacts

_RAISED = "NotImplementedError"
_DECORATORS = frozenset({"abstractmethod", "abstractproperty"})


def abstract_methods(file: FileFacts) -> Iterator[tuple[int, str]]:
    """Yield the abstract methods of a file: the number of their class, and their name."""
    named: dict[int, str] = {}  # names and calls of names, by node
    opened: set[int] = set()
    marked: set[int] = set()
    returning: set[int] = set()
    for op, owner, node, value, other, text, _ in file.facts:
        if op in ("load", "attr"):
            named[node] = text or ""
        elif op == "call" and value in named:
            named[node] = named[value]
        elif op in ("return", "yield", "yield_from"):
            returning.add(owner)
        elif op == "raise" and value is not None and named.get(value) == _RAISED:
            if file.parents[node] == file.definitions[owner].node:
                opened.add(owner)
        elif op == "decorate" and value is not None and named.get(value) in _DECORATORS:
            marked.add(other or 0)
    for number, place in enumerate(file.definitions):
        is_left = place.node in marked or number in opened - returning
        if is_left and place.kind == "FUNCTION" and place.parent is not None:
            yield place.parent, place.name
