"""Type expressions: an annotation -> the classes it is made of, each with its place in the type.

    Optional[Client]          ""       Client
    dict[str, list["Row"]]    ""       builtins.dict
                              "[0]"    builtins.str
                              "[1]"    builtins.list
                              "[1][0]" Row

Members of a union share a place. Qualifiers (`Final[C]`) and aliases are looked through; a type
variable stands for its bound or constraints, `Self` for the class around. Names of `typing` become
those of the classes they stand for (`typing.List` is builtins.list). None and literals are none.
Next: report_types.py.
"""

from __future__ import annotations

import ast
import typing
from collections.abc import Iterator, Sequence

from codelake.resolve.annotations import TYPING_MODULES, TypeReader
from codelake.resolve.objects import CLASS, EXTERNAL
from codelake.resolve.state import Frame, State

type Part = tuple[str, int]  # place in the type, object of a class

_UNIONS = frozenset({"Optional", "Union"})
_QUALIFIERS = frozenset(
    {
        *("Annotated", "Final", "ClassVar", "Required", "NotRequired", "InitVar", "ReadOnly"),
        *("TypeGuard", "TypeIs"),
    }
)
_NO_CLASSES = frozenset(
    {
        *("Literal", "NoReturn", "Never", "Optional", "Union", "TypeVar", "LiteralString"),
        *("AnyStr", "Concatenate", "Unpack", "ParamSpec", "TypeAlias", "None", "Generic"),
        *("Protocol", *_QUALIFIERS),
    }
)
_VARIABLES = frozenset({"TypeVar", "NewType"})
_DEPTH = 6


class _Parts(TypeReader):
    """Reads the classes of one annotation in the scope of a frame."""

    def of(self, node: int, place: str, depth: int) -> Iterator[Part]:
        fact = self.made.get(node)
        if fact is None or depth > _DEPTH:
            return
        op, _, _, value, other, text, _ = fact
        if op == "literal":
            if text is not None and text.startswith("str:"):
                yield from self._of_text(text[4:], place, depth)
        elif op == "binary" and value is not None and other is not None:
            yield from self.of(value, place, depth + 1)
            yield from self.of(other, place, depth + 1)
        elif op == "item" and value is not None and other is not None:
            for one in self._held(value):
                yield from self._generic(one, self._node_items(other), place, depth)
        elif op == "load" and (alias := self._alias(node)) is not None:
            frame, value = alias
            yield from _Parts(self.state, frame).of(value, place, depth + 1)
        elif op == "load" and (made := self._variable(node)) is not None:
            frame, call = made
            yield from _Parts(self.state, frame)._of_variable(call, place, depth + 1)
        else:
            for one in self._held(node):
                yield from self._class(one, place)

    def _held(self, node: int) -> list[int]:
        found = self.state.solver.get(self.state.value(self.frame, node))
        return [one for one in found if one >= 0]

    def _variable(self, node: int) -> tuple[Frame, int] | None:
        """Return the call of TypeVar or NewType, or the type parameter, that a name stands for."""
        for frame, source in (*self._stored(node), *self._parameters(node)):
            fact = self.made.get(source)
            if fact is not None and fact[0] == "typevar":
                return frame, source
            if fact is not None and fact[0] == "call" and self._makes_type(frame, fact[3] or 0):
                return frame, source
        return None

    def _parameters(self, node: int) -> Iterator[tuple[Frame, int]]:
        """Yield the type parameter that a name of an annotation stands for; its function has it."""
        state, file = self.state, self.frame.file
        symbol, _, scope = state.files[file].names.get(node, ("", "", None))
        for place in state.bodies[file].stores_of.get((scope, symbol), ()):
            for source in state.bodies[file].stores.get(place, ()):
                frames = state.frames_of.get(state.definition(file, source.owner), ())
                if frames:
                    yield frames[0], source.value

    def _makes_type(self, frame: Frame, callee: int) -> bool:
        objects = self.state.objects
        for one in self.state.solver.get(self.state.value(frame, callee)):
            if one >= 0 and objects.kind[one] == EXTERNAL:
                module, _, name = objects.first[one].rpartition(".")
                if module in TYPING_MODULES and name in _VARIABLES:
                    return True
        return False

    def _of_variable(self, node: int, place: str, depth: int) -> Iterator[Part]:
        """Yield the classes of the bound or the constraints of a type variable."""
        fact = self.made[node]
        if fact[0] == "typevar":
            for each in () if fact[3] is None else self._node_items(fact[3]):
                yield from self.of(each, place, depth)
            return
        bodies = self.state.bodies[self.frame.file]
        given = bodies.written_arguments(node)[0][1:]
        given += [
            value or 0
            for op, _, call, value, _, name, _ in bodies.groups[self.frame.owner]
            if op == "keyword" and call == node and name == "bound"
        ]
        for each in given:
            yield from self.of(each, place, depth)

    def _of_text(self, text: str, place: str, depth: int) -> Iterator[Part]:
        try:
            tree = ast.parse(text.strip(), mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return
        yield from self._of_tree_parts(tree, place, depth)

    def _of_tree_parts(self, tree: ast.expr, place: str, depth: int) -> Iterator[Part]:
        if depth > _DEPTH:
            return
        if isinstance(tree, ast.BinOp):
            yield from self._of_tree_parts(tree.left, place, depth + 1)
            yield from self._of_tree_parts(tree.right, place, depth + 1)
        elif isinstance(tree, ast.Constant) and isinstance(tree.value, str):
            yield from self._of_text(tree.value, place, depth + 1)
        elif isinstance(tree, ast.Subscript):
            items = tree.slice.elts if isinstance(tree.slice, ast.Tuple) else [tree.slice]
            for one in self._named(tree.value):
                yield from self._generic(one, items, place, depth)
        else:
            for one in self._named(tree):
                yield from self._class(one, place)

    def _generic(
        self, head: int, items: Sequence[int | ast.expr], place: str, depth: int
    ) -> Iterator[Part]:
        """Yield the classes of a type with arguments."""
        objects = self.state.objects
        if objects.kind[head] == EXTERNAL:
            module, _, name = objects.first[head].rpartition(".")
            if module in TYPING_MODULES and name in _UNIONS | _QUALIFIERS:
                for item in items if name in _UNIONS else items[:1]:
                    yield from self._argument(item, place, depth)
                return
            if name == "Literal":
                return
        yield from self._class(head, place)
        for number, item in enumerate(self._flat(items)):
            yield from self._argument(item, f"{place}[{number}]", depth)

    def _flat(self, items: Sequence[int | ast.expr]) -> Iterator[int | ast.expr]:
        """Yield the arguments, with those in a list (parameters of a callable) one by one."""
        for item in items:
            if isinstance(item, ast.List):
                yield from item.elts
            elif isinstance(item, int) and (self.made.get(item) or ("",))[0] == "list":
                yield from self.state.bodies[self.frame.file].elements(item)
            else:
                yield item

    def _argument(self, item: int | ast.expr, place: str, depth: int) -> Iterator[Part]:
        if isinstance(item, int):
            yield from self.of(item, place, depth + 1)
        else:
            yield from self._of_tree_parts(item, place, depth + 1)

    def _class(self, one: int, place: str) -> Iterator[Part]:
        objects = self.state.objects
        if objects.kind[one] == CLASS:
            yield place, one
        elif objects.kind[one] == EXTERNAL:
            module, _, name = objects.first[one].rpartition(".")
            if module not in TYPING_MODULES:
                yield place, one
            elif name == "Self":
                around = self._class_around()
                if around is not None:
                    yield place, around
            elif name not in _NO_CLASSES:
                yield place, objects.external(_plain_name(objects.first[one]))


def _plain_name(full: str) -> str:
    """Return the name of the class that a name of `typing` stands for.

    >>> _plain_name("typing.Mapping")
    'collections.abc.Mapping'
    """
    module, _, name = full.rpartition(".")
    if not module.startswith("typing"):
        return full
    origin = getattr(getattr(typing, name, None), "__origin__", None)
    if isinstance(origin, type):
        return f"{origin.__module__}.{origin.__qualname__}"
    return "builtins.str" if name == "Text" else f"typing.{name}"


def type_parts(state: State, frame: Frame, node: int) -> list[Part]:
    """Return the classes of an annotation, with their places, each once and in order."""
    return list(dict.fromkeys(_Parts(state, frame).of(node, "", 0)))
