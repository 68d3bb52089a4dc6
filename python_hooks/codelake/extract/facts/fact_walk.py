"""The walk of the facts: an explicit stack that yields facts in the order of evaluation.

    a + f(b)     push: fact binary, f(b), a     pop a -> load, pop f(b) -> its own parts ...

An entry of the stack is one of
- a node of Python's tree: an expression to evaluate or a statement to execute
- a fact (op, node, value, other, text, idx), which is due when it is popped
- a pair [node, number]: a target with the number of the value that it gets, or a compound
  statement with the number of its last node

The handlers of each class are in expression_facts.py, assignment_facts.py, statement_facts.py,
definition_facts.py and pattern_facts.py; they push in reverse. Bodies of definitions are put off:
each definition is walked on its own, into its own list.
Next: facts.py.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from codelake.extract.facts.condition_facts import narrowed_behind

type Fact = tuple[str, int, int | None, int | None, str | None, int | None]
type Handler = Callable[[Walk, Any], None]
type PairHandler = Callable[[Walk, Any, int], None]
type Later = tuple[int, Any, int, str | None]  # def_no, definition, last node, private prefix

COMPOUND = frozenset(
    {
        *(ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.If, ast.For, ast.AsyncFor),
        *(ast.While, ast.With, ast.AsyncWith, ast.Try, ast.TryStar, ast.Match),
    }
)
_NARROWS = frozenset({ast.If, ast.Assert})


class Walk:
    """State of the walk over one file.

    Attributes:
        push: put an entry on the stack.
        emit: add a fact of the definition that is being walked.
        private: prefix of private names in the innermost class, or None outside of classes.
        later: definitions whose bodies are still to be walked.
        yields: whether the current definition is a generator.
        ends: number of the last node below an expression, as far as it was asked for.
    """

    __slots__ = ("def_numbers", "emit", "ends", "later", "private", "push", "stack", "yields")

    def __init__(self, def_numbers: Sequence[int]) -> None:
        """Start with an empty stack.

        Args:
            def_numbers: for each node the number of the definition whose subtree holds it.
        """
        self.def_numbers = def_numbers
        self.stack: list[Any] = []
        self.push = self.stack.append
        self.emit: Callable[[Fact], None] = self.stack.append  # facts() sets it
        self.private: str | None = None
        self.later: list[Later] = []
        self.yields = False
        self.ends: dict[int, int] = {}

    def name(self, name: str) -> str:
        """Return a name as Python stores it: private names of a class get its prefix."""
        if self.private is None or name[:2] != "__" or name[-2:] == "__" or "." in name:
            return name
        return self.private + name

    def block(self, body: Sequence[ast.stmt], last: int) -> None:
        """Push statements; `last` is the number of the last node below them."""
        push = self.push
        end = last
        for position in range(len(body) - 1, -1, -1):
            statement: Any = body[position]
            kind = statement.__class__
            if kind in _NARROWS and end < last:
                for fact in reversed(narrowed_behind(statement, end + 1, last)):
                    push(fact)
            push([statement, end] if kind in COMPOUND else statement)
            end = statement.no - 1

    def put_off(self, node: Any, last: int) -> int:
        """Leave a definition for later and return its number."""
        number: int = self.def_numbers[node.no]
        self.later.append((number, node, last, self.private))
        return number
