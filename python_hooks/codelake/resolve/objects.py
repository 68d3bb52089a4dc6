"""Objects: what values stand for, as integers with a kind and two parts.

    def f(): ...       FUNCTION(definition, frame that made it)
    C(1)               INSTANCE(class, place of the call or 0)
    c.m                BOUND(function, instance)
    [1]                CONTAINER("builtins.list", place)
    os.path            EXTERNAL("os.path")
    "a".upper          EXTERNAL_METHOD("builtins.str.upper", receiver)

An INSTANCE with place 0 is any instance of the class: what an annotation, or `self` of a method
that nobody calls, tells. Texts with a known value are integers below zero.
Next: steps.py.
"""

from __future__ import annotations

from typing import Any

FUNCTION, CLASS, INSTANCE, BOUND, MODULE = 1, 2, 3, 4, 5
EXTERNAL, EXTERNAL_INSTANCE, EXTERNAL_METHOD, UNKNOWN = 6, 7, 8, 9
CONTAINER, PROPERTY, STATIC, CLASS_METHOD, PARTIAL = 10, 11, 12, 13, 14
SUPER, NONE, WRAPPER, CACHED, DISPATCH = 15, 16, 17, 18, 19

TEXT_TYPE = "builtins.str"
MAPPINGS = frozenset(
    {
        "builtins.dict",
        "builtins.mappingproxy",
        "collections.ChainMap",
        "collections.OrderedDict",
        "collections.defaultdict",
    }
)
SEQUENCES = frozenset({"builtins.list", "builtins.tuple"})


class Objects:
    """The table of objects: equal parts give one number."""

    def __init__(self) -> None:
        """Start with the objects that everybody knows."""
        self.kind: list[int] = []
        self.first: list[Any] = []
        self.second: list[Any] = []
        self._numbers: dict[tuple[int, Any, Any], int] = {}
        self._texts: dict[str, int] = {}
        self.texts: list[str] = [""]
        self.none = self.of(NONE, "none", 0)
        self.text = self.of(EXTERNAL_INSTANCE, TEXT_TYPE, 0)

    def of(self, kind: int, first: Any, second: Any = 0) -> int:
        """Return the object with these parts."""
        key = (kind, first, second)
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self.kind)
            self.kind.append(kind)
            self.first.append(first)
            self.second.append(second)
        return number

    def known_text(self, value: str) -> int:
        """Return the object of a text with this value."""
        number = self._texts.get(value)
        if number is None:
            number = self._texts[value] = -len(self.texts)
            self.texts.append(value)
        return number

    def external(self, name: str) -> int:
        """Return an external name: a module, function, class or constant."""
        return self.of(EXTERNAL, name)

    def instance_of(self, name: str) -> int:
        """Return an instance of an external class."""
        return self.of(EXTERNAL_INSTANCE, name)
