"""Vocabulary of the facts: what each op says, column by column.

    r = f(x, k=1)      load node=f             value f is what the name f is bound to
                       load node=x
                       arg node=call value=x idx=0
                       literal node=1 text=int:1
                       keyword node=call value=1 text=k
                       call node=call value=f  value call is the result
                       store node=r value=call text=r

A value is named by the number of the node that makes it: an expression, a target (what arrives
there, when the assignment takes something apart), a pattern, a definition, a decorator, an import.
The columns of a fact are op, owner_no (the number of the definition that executes it) and those
of `Op`: node, value, other are node numbers, text is a string, idx an integer. A dash means null.
`makes` is true for an op whose node is the value it makes: every value is made by one fact, except
that each operand of `either` and each step of `compare` is a fact of its own, idx counting them.

A typed text is `str:abc`, `int:-1`, `bool:True`, `none`; other constants, texts above 128 code
points and texts that UTF-8 cannot hold are their type alone: `str`, `int`, `float`, `bytes`,
`complex`, `ellipsis`. A key is a typed text with value, a bool being an int as in a dict, or
`slice:1::` for a slice of constants, `slice` for another one, null for any other key.

The text of a guard is `condition`, `TYPE_CHECKING`, `version >= 3.8` (also `version[0]`,
`version[:2]`, `version` alone when the bound is not constant), `sys.platform == win32`, `os.name
== nt`, `__name__ == __main__`, `True` or `False`, each also with `not ` before it; `try A|b.B|*`,
`except A`, `else A|b.B|*` for the blocks of a try with these handlers; `case`. The text of a narrow
is isinstance, issubclass, callable, `hasattr:name` (each also with `not `), `type is`, `type is
not`, `is None`, `is not None`. A generator expression with an await in it is asynchronous too:
the await stands between its `each` and its `genexp`.
Next: fact_walk.py.
"""

from __future__ import annotations

from typing import NamedTuple


class Op(NamedTuple):
    """One op: the meaning of its columns, and a source for it."""

    name: str
    makes: bool
    node: str
    value: str
    other: str
    text: str
    idx: str
    example: str


# fmt: off
OPS: tuple[Op, ...] = (
    # names: the symbol table knows the scope of each occurrence
    Op("load", True, "the name", "-", "-", "name", "-", "x"),
    Op("store", False, "occurrence: name, definition, import, handler, pattern, type parameter",
       "what is stored", "-", "name", "-", "x = v"),
    Op("delete", False, "occurrence: name, or handler whose `as` name ends", "-", "-", "name", "-",
       "del x"),
    # attributes and subscripts
    Op("attr", True, "the attribute, or a keyword pattern", "object", "-", "attribute", "-", "a.b"),
    Op("store_attr", False, "the target", "what is stored", "object", "attribute", "-", "a.b = v"),
    Op("delete_attr", False, "the target", "object", "-", "attribute", "-", "del a.b"),
    Op("item", True, "the subscript, or a pattern in a mapping", "container", "key value", "key",
       "-", "a[k]"),
    Op("key", False, "target of the store_item that follows", "key value", "-", "-", "-",
       "a[k] = v"),
    Op("store_item", False, "the target", "what is stored", "container", "key", "-", "a['k'] = v"),
    Op("delete_item", False, "the target", "container", "key value", "key", "-", "del a[k]"),
    Op("slice", True, "the slice", "lower or -", "upper or -", "key", "-", "a[1:n]"),
    Op("step", False, "the slice that follows", "step", "-", "-", "-", "a[::2]"),
    # literals and containers; elements come before their container
    Op("literal", True, "the constant", "-", "-", "typed text; an annotation has up to 1024", "-",
       "x = 'a'"),
    Op("element", False, "list, tuple or set", "element", "-", "-", "index", "[a]"),
    Op("element_star", False, "list, tuple or set", "what is unpacked", "-", "-", "index", "[*a]"),
    Op("list", True, "the list", "-", "-", "-", "size", "[a, b]"),
    Op("tuple", True, "the tuple", "-", "-", "-", "size", "a, b"),
    Op("set", True, "the set", "-", "-", "-", "size", "{a, b}"),
    Op("entry", False, "dict", "value", "key value", "key", "index", "{'k': v}"),
    Op("entry_star", False, "dict", "what is unpacked", "-", "-", "index", "{**a}"),
    Op("dict", True, "the dict", "-", "-", "-", "size", "{'k': v}"),
    Op("format", True, "the replacement field", "what is formatted", "format spec or -",
       "conversion: s, r, a or -", "-", "f'{x!r}'"),
    Op("part", False, "f-string", "constant or replacement field", "-", "-", "index", "f'a{x}'"),
    Op("fstring", True, "the f-string", "-", "-", "-", "number of parts", "f'a{x}'"),
    # comprehensions: the facts from `each` on happen once per element
    Op("listcomp", True, "the comprehension", "element", "-", "-", "-", "[e for x in y]"),
    Op("setcomp", True, "the comprehension", "element", "-", "-", "-", "{e for x in y}"),
    Op("genexp", True, "the generator", "element", "-", "async when a clause is", "-",
       "(e for x in y)"),
    Op("dictcomp", True, "the comprehension", "value", "key value", "-", "-", "{k: v for x in y}"),
    # operators
    Op("binary", True, "the operation", "left", "right", "operator", "-", "a + b"),
    Op("inplace", True, "the statement", "old value (the target)", "operand", "operator", "-",
       "x += v"),
    Op("unary", True, "the operation", "operand", "-", "operator", "-", "-a"),
    Op("compare", True, "the comparison", "left", "right", "operator", "step", "a < b < c"),
    Op("either", True, "and, or, conditional expression", "one outcome", "-", "and, or, if",
       "operand", "a or b"),
    Op("same", True, "the walrus expression", "what it is", "-", "-", "-", "(x := v)"),
    Op("starred", True, "a star outside of container and call", "what is unpacked", "-", "-", "-",
       "def f(*a: *Ts): ..."),
    Op("await", True, "the expression; its value is the result", "awaited", "-", "-", "-",
       "await a"),
    Op("yield", True, "the expression; its value is what is sent", "yielded or -", "-", "-", "-",
       "yield a"),
    Op("yield_from", True, "the expression; its value is what is returned", "delegate", "-", "-",
       "-", "yield from a"),
    # calls; arguments come before their call
    Op("arg", False, "call", "argument", "-", "-", "position", "f(a)"),
    Op("arg_star", False, "call", "what is unpacked", "-", "-", "position", "f(*a)"),
    Op("keyword", False, "call, or class", "argument", "-", "name", "-", "f(k=a)"),
    Op("keyword_star", False, "call, or class", "what is unpacked", "-", "-", "-", "f(**a)"),
    Op("call", True, "the call; its value is the result", "what is called", "-", "-",
       "number of arguments", "f(a)"),
    # definitions: made by the owner, their own facts under their own number
    Op("function", True, "the function, without its decorators", "-", "-", "async or -", "def_no",
       "def f(): ..."),
    Op("lambda", True, "the lambda", "-", "-", "-", "def_no", "lambda: a"),
    Op("class", True, "the class, without its decorators", "-", "-", "-", "def_no", "class C: ..."),
    Op("base", False, "class", "base", "-", "-", "position", "class C(B): ..."),
    Op("base_star", False, "class", "what is unpacked", "-", "-", "position", "class C(*B): ..."),
    Op("decorate", True, "the decorator (the node before its expression)", "decorator",
       "what is decorated", "-", "0 for the innermost", "@d\ndef f(): ..."),
    Op("generator", False, "the function: its body yields", "-", "-", "-", "-",
       "def f(): yield"),
    Op("param", True, "the parameter, which is bound here", "default or -", "annotation or -",
       "name", "position in the signature", "def f(a: int = 1): ..."),
    Op("param_pos", True, "positional-only parameter", "default or -", "annotation or -", "name",
       "position in the signature", "def f(a, /): ..."),
    Op("param_star", True, "parameter that takes the rest", "-", "annotation or -", "name",
       "position in the signature", "def f(*a): ..."),
    Op("param_key", True, "keyword-only parameter", "default or -", "annotation or -", "name",
       "position in the signature", "def f(*, a): ..."),
    Op("param_keys", True, "parameter that takes the other keywords", "-", "annotation or -",
       "name", "position in the signature", "def f(**a): ..."),
    Op("returns", False, "function", "annotation", "-", "-", "-", "def f() -> int: ..."),
    Op("typevar", True, "the type parameter", "bound or -", "default or -", "name", "-",
       "def f[T: int](): ..."),
    Op("paramspec", True, "the type parameter", "-", "default or -", "name", "-",
       "def f[**P](): ..."),
    Op("typevartuple", True, "the type parameter", "-", "default or -", "name", "-",
       "def f[*Ts](): ..."),
    Op("type_alias", True, "the statement", "aliased type", "-", "name", "-", "type A = int"),
    # assignments that take something apart make the value of each target, which is then stored
    Op("each", True, "target: an element of", "what is iterated", "loop or comprehension",
       "async or -", "clause of a comprehension", "for x in y: ..."),
    Op("unpack", True, "target or pattern: the item of", "what is unpacked", "-", "-",
       "index, negative behind a star", "a, b = v"),
    Op("unpack_star", True, "target or pattern: a list of the items of", "what is unpacked", "-",
       "number of items behind", "number of items before", "a, *b = v"),
    Op("enter", False, "the context expression, whose enter and exit are called", "-", "-",
       "async or -", "-", "with v: ..."),
    Op("entered", True, "target: the result of entering", "context manager", "-", "async or -",
       "-", "with v as x: ..."),
    Op("annotate", False, "the target", "annotation", "object or container or -",
       "name or attribute or -",
       "1 with a value, else 0", "x: int = v"),
    # imports: more in ast_imports
    Op("import", True, "the import; its value is the first package", "-", "-", "module", "-",
       "import a.b"),
    Op("import_as", True, "the import; its value is the module", "-", "-", "module", "-",
       "import a.b as c"),
    Op("import_from", True, "the import; its value is the name in the module", "-", "-",
       "dots module:name", "-", "from .a import b"),
    Op("import_star", False, "the import, which binds what the module exports", "-", "-",
       "dots module", "-", "from a import *"),
    # patterns: the value of a pattern is what it is matched against, if it matches
    Op("match", True, "pattern at the top of a case, of an alternative or of `as`",
       "what is matched", "-", "-", "-", "match v:\n    case x: ..."),
    Op("match_class", False, "pattern: its value is an instance of", "class", "-", "-",
       "number of positional patterns", "match v:\n    case C(): ..."),
    Op("match_arg", True, "pattern: the attribute named by __match_args__[idx]", "class pattern",
       "class", "-", "position", "match v:\n    case C(x): ..."),
    Op("match_sequence", False, "pattern: its value is a sequence", "-", "-",
       "star when longer ones match", "number of items", "match v:\n    case [x]: ..."),
    Op("match_mapping", False, "pattern: its value is a mapping", "-", "-", "-", "number of keys",
       "match v:\n    case {'k': x}: ..."),
    Op("match_value", False, "pattern: its value is equal to", "value", "-", "-", "-",
       "match v:\n    case 1: ..."),
    Op("match_is", False, "pattern: its value is the singleton", "-", "-", "typed text", "-",
       "match v:\n    case None: ..."),
    Op("match_rest", False, "mapping pattern, the occurrence of the name", "what is matched", "-",
       "name of the dict with the other keys", "-", "match v:\n    case {**x}: ..."),
    # control
    Op("test", False, "statement, case, conditional expression or comprehension that asks",
       "what is asked for its truth", "-", "-", "-", "if a: ..."),
    Op("return", False, "statement, or lambda", "result or -", "-", "-", "-", "return a"),
    Op("raise", False, "the statement", "exception or -", "cause or -", "-", "-",
       "raise a from b"),
    Op("handler", True, "the handler: an instance of", "class, tuple of classes or -", "-",
       "group for except*", "-", "try: ...\nexcept E as x: ..."),
    Op("guard", False, "statement or expression with the condition", "first node of the region",
       "last node of the region", "condition that holds there", "-", "if TYPE_CHECKING: ..."),
    Op("narrow", False, "what is tested, in the region of the guard before", "class(es) or -", "-",
       "what holds: isinstance, not isinstance ...", "-", "if isinstance(x, C): ..."),
)
# fmt: on

MAKES = frozenset(op.name for op in OPS if op.makes)
