"""Dependence: the steps of a function -> what its result depends on, and what it changes.

    def f(a, b):
        return b[0]        result_of: OF_OTHERS
    def put(self, x):
        self.x = x         gives

It is one of the reasons for which calls get a frame of their own.
Next: contexts.py.
"""

from __future__ import annotations

from codelake.resolve.steps import OF_FIRST, OF_OTHERS, Arguments, Body

_ADDING = frozenset({"append", "appendleft", "add", "extend", "insert", "setdefault", "update"})


def note_dependence(body: Body) -> None:
    """Find out whether the result of a function depends on its parameters.

    Values are followed through the steps once, in order; a value carried by a loop may be missed,
    which costs precision only.
    """
    parameters = list(body.signature.all())
    if not parameters:
        return
    marks = {parameter.node: OF_OTHERS for parameter in parameters}
    marks[parameters[0].node] = OF_FIRST
    result = 0
    adding: set[int] = set()
    for op, node, value, other, text, _ in body.steps:
        mark = 0
        if value.__class__ is int:
            mark = marks.get(value, 0)
        elif value.__class__ is tuple and op == "load":
            for source in value:
                mark |= marks.get(source.value, 0)
        elif value.__class__ is list:
            for part in value:
                mark |= marks.get(part[3], 0)
        if other.__class__ is int:
            mark |= marks.get(other, 0)
        elif other.__class__ is Arguments:
            for number, _star in other.positional:
                mark |= marks.get(number, 0)
            for _name, number in other.keywords:
                mark |= marks.get(number, 0)
        if op == "return" or op == "yield":
            result |= mark
        elif op == "store_attr" or op == "store_item":
            body.gives = body.gives or bool(mark)
        elif op == "call" and value in adding:  # self.items.append(x)
            body.gives = body.gives or mark == OF_FIRST | OF_OTHERS
        elif op == "attr" and text in _ADDING:
            adding.add(node)
        elif op == "builtin" and text == "setattr":
            body.forwards = True
        if mark:
            marks[node] = mark
    body.result_of = result
    nodes = {parameter.node for parameter in parameters[1:]}
    body.forwards = body.forwards or not nodes.isdisjoint(body.returned)
