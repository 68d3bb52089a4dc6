"""Unit nodes: a code unit -> the node of the syntax tree that it was compiled from.

    def f[T: int](): ...     <generic parameters of f> and f -> FunctionDef, T -> TypeVar

CPython loads the code of a definition at the span of its node, so the span finds the node. For the
bound or default of a type variable 3.13 gives the span of that expression, 3.12 of the variable.
The kind of a unit follows from its name or from the node.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from types import CodeType
from typing import Any

from codelake.evidence.structs import AST_NODE

_NAMED = {  # co_name -> kind of unit, class of node
    "<lambda>": ("lambda", "Lambda"),
    "<genexpr>": ("generator_expression", "GeneratorExp"),
    "<listcomp>": ("list_comprehension", "ListComp"),
    "<setcomp>": ("set_comprehension", "SetComp"),
    "<dictcomp>": ("dict_comprehension", "DictComp"),
}
_DEFINITIONS = {  # class of node -> kind of unit
    "FunctionDef": "function",
    "AsyncFunctionDef": "function",
    "ClassDef": "class",
    "TypeAlias": "type_alias",
}
_TYPE_VARIABLES = frozenset({"TypeVar", "ParamSpec", "TypeVarTuple"})
_EXPRESSIONS = frozenset({"bound", "default_value"})  # slots of a type variable
_PARAMETERS = "<generic parameters of "
_CLASSES = frozenset({item[1] for item in _NAMED.values()}).union(_DEFINITIONS)


class UnitNodes:
    """The nodes of a file that have code of their own, by span.

    Attributes:
        module_place: the place of the module's node.
    """

    def __init__(self, nodes: Sequence[Sequence[Any]]) -> None:
        """Index the nodes of a file.

        Args:
            nodes: the columns of AST_NODE.
        """
        syntax, slots, starts, ends = (
            nodes[AST_NODE.get_field_index(name)] for name in ("syntax", "slot", "bstart", "bend")
        )
        self._found: dict[tuple[str, int, int], int] = {}
        place = ("line", "end_line", "col", "end_col", "bstart", "bend")
        line, end_line, col, end_col, bstart, bend = (
            nodes[AST_NODE.get_field_index(name)][0] for name in place
        )
        self.module_place = (line, end_line, col, end_col, bstart, bend)
        self._syntax = syntax
        variable = 0
        for no, (name, slot) in enumerate(zip(syntax, slots, strict=True)):
            if name in _CLASSES:
                group = name if name not in _DEFINITIONS else "definition"
                self._found[group, starts[no], ends[no]] = no
            elif name in _TYPE_VARIABLES:
                variable = no
                self._found["variable", starts[no], ends[no]] = no
            if slot in _EXPRESSIONS:
                self._found["variable", starts[no], ends[no]] = variable

    def find(
        self, code: CodeType, place: tuple[int | None, ...], is_module: bool
    ) -> tuple[int | None, str]:
        """Return the node of a unit and the kind of the unit.

        Args:
            code: the code object.
            place: where its parent loads it; the last two are the raw span.
            is_module: whether it has no parent.
        """
        if is_module:
            return 0, "module"
        name, (start, end) = code.co_name, place[-2:]
        find = self._found.get
        if start is None or end is None:
            return None, _kind_without_node(code)
        if name in _NAMED:
            kind, syntax = _NAMED[name]
            return find((syntax, start, end)), kind
        if name.startswith(_PARAMETERS):
            return find(("definition", start, end)), "type_parameters"
        number = find(("variable", start, end))
        if number is not None:
            return number, "type_variable"
        number = find(("definition", start, end))
        return number, (
            _kind_without_node(code) if number is None else _DEFINITIONS[self._syntax[number]]
        )


def _kind_without_node(code: CodeType) -> str:
    name = code.co_name
    if name in _NAMED:
        return _NAMED[name][0]
    if name.startswith(_PARAMETERS):
        return "type_parameters"
    return "function" if code.co_flags & inspect.CO_OPTIMIZED else "class"
