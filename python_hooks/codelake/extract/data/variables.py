"""Variables: the events of a unit speak of numbers; this table says which variable each one is.

x            (3, "x")          bound in scope 3
x.y          (-1 - x, ".y")    a path: the number of the variable before it, and a step
x['k']       (-1 - x, "['k']")
x[*]         (-1 - x, "[*]")   any element: where the unit stores with a key that is no constant
"""

from __future__ import annotations

from collections.abc import Iterable

USE, DEFINE, ADD, REMOVE, RUN, CREATE = range(6)  # operations; ADD defines and removes nothing
NAME, ATTRIBUTE, SUBSCRIPT = "name", "attribute", "subscript"
ANY_STEP = "[*]"

type Event = tuple[int, int, int]  # operation, variable, node number
type Key = tuple[int, str]


class Variables:
    """The variables of one unit by number.

    Attributes:
        index: number of each key.
        keys: key of each number.
        children: paths that begin with a variable and are stored to; a new value ends them.
    """

    __slots__ = ("children", "index", "keys")

    def __init__(self) -> None:
        """Start without variables."""
        self.index: dict[Key, int] = {}
        self.keys: list[Key] = []
        self.children: dict[int, list[int]] = {}

    def number(self, key: Key) -> int:
        """Return the number of a variable, which may be new."""
        found = self.index.get(key)
        if found is None:
            found = self.index[key] = len(self.keys)
            self.keys.append(key)
        return found

    def set_children(self, stored: Iterable[int]) -> None:
        """Note below each variable the paths that are stored to."""
        for path in sorted(stored):
            above = -1 - self.keys[path][0]
            while above >= 0:
                self.children.setdefault(above, []).append(path)
                above = -1 - self.keys[above][0]

    def kind(self, number: int) -> str:
        """Return whether a variable is a name, an attribute or a subscript."""
        scope, step = self.keys[number]
        if scope >= 0:
            return NAME
        return ATTRIBUTE if step[0] == "." else SUBSCRIPT

    def text(self, number: int) -> str:
        """Return a variable as it is written."""
        steps: list[str] = []
        scope, step = self.keys[number]
        while scope < 0:
            steps.append(step)
            scope, step = self.keys[-1 - scope]
        return step + "".join(reversed(steps))
