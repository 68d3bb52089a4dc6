"""Annotations: a type expression -> the objects that a value of this type may be.

    client: "Client | None"     any instance of Client
    found: list[Row]            a list whose items are any instance of Row
    kind: type[Base]            the class Base

Annotations are evidence of the second rank: they speak where no value is known (seeds.py).
Texts are parsed and their names looked up in the module. A type variable stands for its bound.
Next: seeds.py.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator, Sequence

from codelake.resolve.objects import CLASS, CONTAINER, EXTERNAL, INSTANCE, MODULE
from codelake.resolve.state import Frame, State

_LISTS = {
    "List": "list", "Sequence": "list", "MutableSequence": "list", "Iterable": "list",
    "Collection": "list", "Set": "set", "FrozenSet": "frozenset", "AbstractSet": "set",
    "Dict": "dict", "Mapping": "dict", "MutableMapping": "dict", "DefaultDict": "dict",
    "OrderedDict": "dict", "Tuple": "tuple", "Iterator": "generator", "Generator": "generator",
    "AsyncIterator": "async_generator", "AsyncIterable": "async_generator",
    "AsyncGenerator": "async_generator", "Awaitable": "coroutine", "Coroutine": "coroutine",
    "list": "list", "set": "set", "frozenset": "frozenset", "dict": "dict", "tuple": "tuple",
    "Deque": "list", "deque": "list", "defaultdict": "dict",
}  # fmt: skip
_ABSTRACT = frozenset({"Sequence", "Iterable", "Collection", "Mapping", "MutableMapping",
                       "MutableSequence", "AbstractSet", "Awaitable"})  # fmt: skip
_SKIPPED = frozenset({"Any", "Callable", "Literal", "object", "TypeVar", "None", "NoReturn",
                      "Never", "Hashable", "LiteralString", "AnyStr", "Text"})  # fmt: skip
TYPING_MODULES = ("typing", "typing_extensions", "collections.abc", "collections", "builtins",
                  "dataclasses")  # fmt: skip
_DEPTH = 6


class TypeReader:
    """Reads one annotation in the scope of a frame."""

    def __init__(self, state: State, frame: Frame) -> None:
        self.state = state
        self.frame = frame
        self.made = state.bodies[frame.file].made

    def of_node(self, node: int, depth: int = 0) -> Iterator[int]:
        """Yield the objects of a value whose type is a node of the frame."""
        fact = self.made.get(node)
        if fact is None or depth > _DEPTH:
            return
        op, _, _, value, other, text, _ = fact
        if op == "literal":
            if text and text.startswith("str:"):
                yield from self.of_text(text[4:], depth)
            elif text == "none":
                return
        elif op == "binary" and value is not None and other is not None:
            yield from self.of_node(value, depth + 1)
            yield from self.of_node(other, depth + 1)
        elif op == "item" and value is not None and other is not None:
            head = self.state.solver.get(self.state.value(self.frame, value))
            for one in tuple(head):
                yield from self._subscript(one, self._node_items(other), depth)
        elif op == "load" and (alias := self._alias(node)) is not None:
            frame, value = alias
            yield from TypeReader(self.state, frame).of_node(value, depth + 1)
        else:
            variable = self.state.value(self.frame, node)
            for one in tuple(self.state.solver.get(variable)):
                yield from self.instance(one)

    def _alias(self, node: int) -> tuple[Frame, int] | None:
        """Return the type expression that a name stands for, with the frame that made it."""
        for frame, source in self._stored(node):
            fact = self.made.get(source)
            if fact is not None and fact[0] in ("item", "binary", "type_alias"):
                return frame, (fact[3] if fact[0] == "type_alias" else source) or 0
        return None

    def _stored(self, node: int) -> Iterator[tuple[Frame, int]]:
        """Yield the nodes whose values a name of this file has, with the frames that made them."""
        file = self.state.files[self.frame.file]
        bodies = self.state.bodies[self.frame.file]
        symbol, _, scope = file.names.get(node, ("", "", None))
        reached = file.reaches.get(node) or bodies.stores_of.get((scope, symbol)) or ()
        for place in reached:
            for source in bodies.stores.get(place, ()):
                at: Frame | None = self.frame
                while at is not None and at.owner != source.owner:
                    at = at.env
                if at is not None:
                    yield at, source.value

    def of_text(self, text: str, depth: int = 0) -> Iterator[int]:
        """Yield the objects of a value whose type is a text."""
        try:
            tree = ast.parse(text.strip(), mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return
        yield from self._of_tree(tree, depth)

    def _of_tree(self, tree: ast.expr, depth: int) -> Iterator[int]:
        if depth > _DEPTH:
            return
        if isinstance(tree, ast.BinOp):
            yield from self._of_tree(tree.left, depth + 1)
            yield from self._of_tree(tree.right, depth + 1)
        elif isinstance(tree, ast.Constant) and isinstance(tree.value, str):
            yield from self.of_text(tree.value, depth + 1)
        elif isinstance(tree, ast.Subscript):
            items = tree.slice.elts if isinstance(tree.slice, ast.Tuple) else [tree.slice]
            for one in self._named(tree.value):
                yield from self._subscript(one, list(items), depth)
        else:
            for one in self._named(tree):
                yield from self.instance(one)

    def _named(self, tree: ast.expr) -> list[int]:
        """Return what a dotted name of the module stands for."""
        state = self.state
        if isinstance(tree, ast.Name):
            return self._lookup(tree.id)
        if isinstance(tree, ast.Attribute):
            found = []
            for one in self._named(tree.value):
                kind = state.objects.kind[one]
                if kind == MODULE and state.objects.first[one] >= 0:
                    names = state.globals[state.objects.first[one]]
                    found += [item for item in state.solver.get(names.get(tree.attr, 0))
                              if tree.attr in names and item >= 0]  # fmt: skip
                elif kind == CLASS:
                    attributes = state.classes[one].attributes
                    found += [item for item in state.solver.get(attributes.get(tree.attr, 0))
                              if tree.attr in attributes and item >= 0]  # fmt: skip
                elif kind == EXTERNAL:
                    name = f"{state.objects.first[one]}.{tree.attr}"
                    found.append(state.objects.external(name))
            return found
        return []

    def _lookup(self, name: str) -> list[int]:
        state = self.state
        at: Frame | None = self.frame
        while at is not None:
            info = state.extra.get(-at.number - 1)
            if info is not None and name in info.attributes:
                found = [one for one in state.solver.get(info.attributes[name]) if one >= 0]
                if found:
                    return found
            for value in state.bodies[at.file].local_stores(at.owner, name):
                found = [one for one in state.solver.get(state.value(at, value)) if one >= 0]
                if found:
                    return found
            at = at.env
        names = state.globals[self.frame.file]
        if name in names:
            return [one for one in state.solver.get(names[name]) if one >= 0]
        source = state.index.star_source(self.frame.file, name)
        if source is not None:
            variable = state.global_variable(source[1], name)
            return [one for one in state.solver.get(variable) if one >= 0]
        return [state.objects.external(f"builtins.{name}")] if name in _BUILTIN_TYPES else []

    def _node_items(self, node: int) -> list[int]:
        fact = self.made.get(node)
        if fact is None or fact[0] != "tuple":
            return [node]
        return self.state.bodies[self.frame.file].elements(node)

    def _item(self, item: int | ast.expr, depth: int) -> Iterator[int]:
        if isinstance(item, int):
            yield from self.of_node(item, depth + 1)
        else:
            yield from self._of_tree(item, depth + 1)

    def _subscript(self, head: int, items: Sequence[int | ast.expr], depth: int) -> Iterator[int]:
        state = self.state
        if head < 0:
            return
        kind = state.objects.kind[head]
        if kind != EXTERNAL:
            yield from self.instance(head)
            return
        module, _, name = state.objects.first[head].rpartition(".")
        if module not in TYPING_MODULES or not items:
            yield from self.instance(head)
        elif name in ("Optional", "Union"):
            for item in items:
                yield from self._item(item, depth)
        elif name in ("Annotated", "Final", "ClassVar", "Required", "NotRequired", "InitVar"):
            yield from self._item(items[0], depth)
        elif name in ("type", "Type"):
            for one in self._item(items[0], depth):
                if one >= 0 and state.objects.kind[one] == INSTANCE:
                    yield state.objects.first[one]
        elif name in _LISTS:
            yield self._container(_LISTS[name], items, depth)

    def _container(self, kind: str, items: Sequence[int | ast.expr], depth: int) -> int:
        state = self.state
        key = ("annotation", self.frame.file, str([_key(item) for item in items]))
        made = state.container(
            "types.CoroutineType" if kind == "coroutine" else f"builtins.{kind}", key
        )
        container = state.containers[made]
        last = items[-1] if kind in ("dict", "coroutine") else items[0]
        if kind == "tuple":
            for index, item in enumerate(items):
                variable = state.new()
                for one in self._item(item, depth):
                    state.solver.put(variable, one)
                state.store_item(made, f"int:{index}", variable)
                if len(items) == 2 and index == 0:
                    state.solver.link(variable, container.loose)
            return made
        for one in self._item(last, depth):
            state.solver.put(container.loose, one)
            state.solver.put(container.every, one)
        if kind == "dict" and len(items) == 2:
            for one in self._item(items[0], depth):
                state.solver.put(container.names, one)
        return made

    def instance(self, one: int) -> Iterator[int]:
        """Yield what an instance of a class may be."""
        state = self.state
        if one < 0:
            return
        kind = state.objects.kind[one]
        if kind == CLASS:
            yield state.objects.of(INSTANCE, one, 0)
        elif kind == EXTERNAL:
            yield from self._external(state.objects.first[one])

    def _class_around(self) -> int | None:
        """Return the class in whose body the annotation stands."""
        at: Frame | None = self.frame
        while at is not None:
            info = self.state.extra.get(-at.number - 1)
            if info is not None and hasattr(info, "order"):
                return int(info.number)
            at = at.env
        return None

    def _external(self, full: str) -> Iterator[int]:
        state = self.state
        module, _, name = full.rpartition(".")
        if name == "Self" and module in TYPING_MODULES:
            around = self._class_around()
            if around is not None:
                yield state.objects.of(INSTANCE, around, 0)
        elif module in TYPING_MODULES:
            if name in _SKIPPED or name in _ABSTRACT or name in ("type", "Type"):
                return
            if name in _LISTS:
                yield state.container(f"builtins.{_LISTS[name]}", ("bare annotation", name))
            elif (module == "builtins" and name in _BUILTIN_TYPES) or module == "collections":
                yield state.objects.instance_of(full)
        else:
            yield state.objects.instance_of(full)


_BUILTIN_TYPES = frozenset(
    {"str", "int", "float", "bool", "bytes", "bytearray", "complex", "list", "dict", "set",
     "tuple", "frozenset", "range", "slice", "memoryview"}
    | {name for name in dir(builtins) if name.endswith(("Error", "Exception"))}
)  # fmt: skip


def _key(item: int | ast.expr) -> str:
    return str(item) if isinstance(item, int) else ast.dump(item)


def annotated(state: State, frame: Frame, node: int) -> list[int]:
    """Return the objects that a value may be whose annotation is a node of a frame."""
    return list(TypeReader(state, frame).of_node(node))


def instances(state: State, frame: Frame, found: list[int], depth: int = 0) -> list[int]:
    """Return any instances of classes, as isinstance and casts name them."""
    reader = TypeReader(state, frame)
    result: list[int] = []
    for one in found:
        if one >= 0 and state.objects.kind[one] == CONTAINER:
            items = list(state.solver.get(state.containers[one].every))
            result += instances(state, frame, items, depth + 1) if depth < 3 else []
        else:
            result += reader.instance(one)
    return result
