"""Traced runs: which definition did each use really see?

    x = f(y)     ->  x = __use__(2, f, _d_f)(__use__(4, y, _d_y)); _d_x = __def__(1)

Every variable `x` gets a shadow `_d_x`, bound wherever x is bound and declared wherever x is
declared, so Python's own scopes, closures and namespaces carry the number of the last
definition along. Every load reads both. Paths (`self.x`, `d['k']`) are noted in a side table by
object and step; `certain` are the pairs that the rules of access_paths.py promise to report:
same activation, same path, and nothing on the way to it rebound in between.

Not traced: type parameters, names of `from __future__`, star imports, and subscripts whose key is
more than a name or a constant.
"""

from __future__ import annotations

import ast
import builtins
import sys
import types
from collections.abc import Callable
from typing import Any

SHADOW = "_d_"
_PLAIN_SCOPES = {
    *("module", "class", "function", "lambda", "generator_expression"),
    *("list_comprehension", "set_comprehension", "dict_comprehension"),
}


class Token:
    """A moment at which a variable was bound; a descriptor, so no Enum takes it for a member."""

    __slots__ = ("numbers",)

    def __init__(self, *numbers: int) -> None:
        self.numbers = numbers

    def __get__(self, instance: object, owner: object = None) -> Token:
        return self


class Recorder:
    """Collects pairs of uses and definitions."""

    def __init__(self) -> None:
        self.names: set[tuple[int, tuple[int, ...]]] = set()  # use, possible definitions
        self.paths: set[tuple[int, int]] = set()
        self.certain: set[tuple[int, int]] = set()
        self._stored: dict[tuple[int, str], tuple[int, str, Any, Any]] = {}
        self._keep: list[Any] = []  # objects whose id is in use

    def use(self, no: int, value: Any, token: Token | None) -> Any:
        if token is not None:
            self.names.add((no, token.numbers))
        return value

    def both(self, value: Any, *_: Any) -> Any:
        return value

    def last(self, *values: Any) -> Any:
        return values[-1]

    def stored(self, no: int, chain: Any, text: str, step: Any) -> None:
        """Note a store: the object, the step, and what the path to it went through."""
        base = chain[-1]
        record = no, text, sys._getframe(1), self._passed(chain)
        self._keep += (base, record)
        self._stored[id(base), _step(step)] = record

    def forgotten(self, chain: Any) -> None:
        """Forget the elements of an object that was stored to with an unknown key."""
        for key in [key for key in self._stored if key[0] == id(chain[-1]) and key[1][0] == "["]:
            del self._stored[key]

    def _loaded(self, no: int, chain: Any, text: str, step: Any) -> None:
        found = self._stored.get((id(chain[-1]), _step(step)))
        if found is None or found[2] is not sys._getframe(2):
            return
        self.paths.add((no, found[0]))
        mine, theirs = text.rpartition("[")[0] or text, found[1].rpartition("[")[0] or found[1]
        same = text == found[1] or (text[-1] == found[1][-1] == "]" and mine == theirs)
        if same and self._passed(chain) == found[3]:
            self.certain.add((no, found[0]))

    def attribute(self, no: int, chain: Any, text: str, name: str) -> Any:
        value = getattr(chain[-1], name)
        self._loaded(no, chain, text, name)
        return value

    def subscript(self, no: int, chain: Any, text: str, key: Any) -> Any:
        value = chain[-1][key[0]]
        self._loaded(no, chain, text, key)
        return value

    def _passed(self, chain: Any) -> tuple[Any, ...]:
        """Return the binding of the root and the stores to each path before the last step."""
        token, steps, *objects = chain
        found: list[Any] = [id(token)]
        self._keep.append(token)
        for base, step in zip(objects, steps, strict=False):
            record = self._stored.get((id(base), _step(step)))
            found.append(None if record is None else id(record))
        return tuple(found)


def _step(step: Any) -> str:
    return f".{step}" if isinstance(step, str) else f"[{_equal(step[0])!r}]"


def _equal(key: Any) -> Any:
    try:
        return int(key) if key == int(key) and not isinstance(key, str) else key
    except (TypeError, ValueError, OverflowError):
        return key


class Traced:
    """A program that can be run, and what was seen in its runs."""

    def __init__(self, tree: ast.Module, table: Any, name: str = "program") -> None:
        """Rewrite a tree, whose nodes are numbered; it is of no other use afterwards."""
        self.recorder = Recorder()
        self._name = name
        rewriter = _Rewriter(table)
        rewritten = ast.fix_missing_locations(rewriter.visit(tree))
        self.code = compile(rewritten, f"<{name}>", "exec", dont_inherit=True)
        self._symbols = rewriter.symbols

    def namespace(self, **given: Any) -> dict[str, Any]:
        """Return a namespace to run the code in."""
        record = self.recorder
        inner = {f"{SHADOW}{symbol}": None for symbol in self._symbols}
        inner |= vars(builtins)
        inner |= {
            "__use__": record.use,
            "__def__": Token,
            "__both__": record.both,
            "__last__": record.last,
            "__stored__": record.stored,
            "__forgotten__": record.forgotten,
            "__attribute__": record.attribute,
            "__subscript__": record.subscript,
        }
        return {"__name__": self._name, "__builtins__": inner, **given}

    def module(self, **given: Any) -> types.ModuleType:
        """Run the code as a module."""
        module = types.ModuleType(self._name)
        vars(module).update(self.namespace(**given))
        sys.modules[self._name] = module
        exec(self.code, vars(module))
        return module


def _call(function: str, *args: Any) -> ast.expr:
    return ast.Call(ast.Name(function, ast.Load()), list(args), [])


def _const(value: Any) -> ast.Constant:
    return ast.Constant(value)


def _token(*numbers: int) -> ast.expr:
    return _call("__def__", *map(_const, numbers))


class _Rewriter(ast.NodeTransformer):
    def __init__(self, table: Any) -> None:
        numbers, _, symbols, _, _, _, scopes, _ = table.names
        kinds = table.scopes[0]
        self.classes: list[str] = []  # around the node that is visited
        plain = [scope is None or kinds[scope] in _PLAIN_SCOPES for scope in scopes]
        self.symbol = {
            no: symbol for no, symbol, ok in zip(numbers, symbols, plain, strict=True) if ok
        }
        self.symbols = set(symbols)
        self._temporary = 0

    # ---------- helpers

    def shadow(self, no: int) -> str:
        return SHADOW + self.symbol[no]

    def bind(self, *nodes: Any) -> list[ast.stmt]:
        """Return the statements that bind the shadows of names."""
        return [
            ast.Assign([ast.Name(self.shadow(node.no), ast.Store())], _token(node.no))
            for node in nodes
            if node.no in self.symbol
        ]

    def body(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        found: list[ast.stmt] = []
        for statement in statements:
            new = self.visit(statement)
            found += new if isinstance(new, list) else [new]
        return found

    def temporary(self) -> str:
        self._temporary += 1
        return f"_t_{self._temporary}"

    def read(self, node: ast.Name) -> ast.expr:
        if node.no not in self.symbol:
            return ast.Name(node.id, ast.Load())
        shadow = ast.Name(self.shadow(node.no), ast.Load())
        return _call("__use__", _const(node.no), ast.Name(node.id, ast.Load()), shadow)

    def chain(self, node: Any) -> tuple[ast.expr, str] | None:
        """Return an expression for (token, steps, object, ..., object) of a path, and its text."""
        steps: list[Any] = []
        while isinstance(node, ast.Attribute | ast.Subscript):
            if isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Constant):
                return None
            steps.append(node)
            node = node.value
        if not isinstance(node, ast.Name) or node.no not in self.symbol:
            return None
        steps.reverse()
        parts: list[ast.expr] = [ast.Name(node.id, ast.Load())]
        keys: list[ast.expr] = []
        text = node.id
        for step in steps:
            if isinstance(step, ast.Attribute):
                parts.append(ast.Attribute(parts[-1], step.attr, ast.Load()))
                keys.append(_const(self.stored_name(step.attr)))
                text += f".{self.stored_name(step.attr)}"
            else:
                key = _const(step.slice.value)
                parts.append(ast.Subscript(parts[-1], key, ast.Load()))
                keys.append(ast.Tuple([key], ast.Load()))
                text += f"[{step.slice.value!r}]"
        shadow = ast.Name(self.shadow(node.no), ast.Load())
        return ast.Tuple([shadow, ast.Tuple(keys, ast.Load()), *parts], ast.Load()), text

    def stored_name(self, name: str) -> str:
        """Return an attribute as Python stores it: `__x` in class C is `_C__x`."""
        private = self.classes[-1].lstrip("_") if self.classes else ""
        if not private or not name.startswith("__") or name.endswith("__"):
            return name
        return f"_{private}{name}"

    def path(self, node: Any) -> list[Any] | None:
        """Return the arguments that tell a path to the recorder: number, chain, text, step."""
        found = self.chain(node.value)
        if found is None:
            return None
        chain, text = found
        if isinstance(node, ast.Attribute):
            step: ast.expr = _const(self.stored_name(node.attr))
            text += f".{self.stored_name(node.attr)}"
        else:
            key = node.slice
            if not isinstance(key, ast.Constant | ast.Name):
                return None
            plain = key if isinstance(key, ast.Constant) else ast.Name(key.id, ast.Load())
            step = ast.Tuple([plain], ast.Load())
            text += f"[{key.value!r}]" if isinstance(key, ast.Constant) else "[*]"
        return [_const(node.no), chain, _const(text), step]

    def note_store(self, node: Any) -> list[ast.stmt]:
        arguments = self.path(node)
        if arguments is not None:
            return [ast.Expr(_call("__stored__", *arguments))]
        found = self.chain(node.value)
        if found is not None and isinstance(node, ast.Subscript):
            return [ast.Expr(_call("__forgotten__", found[0]))]
        return []

    def plain(self, target: ast.expr) -> bool:
        if isinstance(target, ast.Tuple | ast.List):
            return all(self.plain(item) for item in target.elts)
        return isinstance(target.value if isinstance(target, ast.Starred) else target, ast.Name)

    def target(self, node: Any) -> Any:
        """Rewrite the loads inside a target."""
        if isinstance(node, ast.Name):
            return ast.Name(node.id, ast.Store())
        if isinstance(node, ast.Starred):
            return ast.Starred(self.target(node.value), ast.Store())
        if isinstance(node, ast.Tuple | ast.List):
            return type(node)([self.target(item) for item in node.elts], ast.Store())
        if isinstance(node, ast.Attribute):
            return ast.Attribute(self.visit(node.value), node.attr, ast.Store())
        return ast.Subscript(self.visit(node.value), self.visit(node.slice), ast.Store())

    def names(self, node: Any) -> list[ast.Name]:
        if isinstance(node, ast.Name):
            return [node]
        if isinstance(node, ast.Starred):
            return self.names(node.value)
        if isinstance(node, ast.Tuple | ast.List):
            return [name for item in node.elts for name in self.names(item)]
        return []

    def assign(self, target: Any, value: ast.expr) -> list[ast.stmt]:
        """Return the statements that store a value, part by part, with shadows."""
        if isinstance(target, ast.Name) or self.plain(target):
            store = ast.Assign([self.target(target)], value)
            return [store, *self.bind(*self.names(target))]
        if isinstance(target, ast.Tuple | ast.List):
            parts: list[ast.expr] = []
            later: list[ast.stmt] = []
            for item in target.elts:
                name = self.temporary()
                part: ast.expr = ast.Name(name, ast.Store())
                inner = item.value if isinstance(item, ast.Starred) else item
                parts.append(ast.Starred(part, ast.Store()) if inner is not item else part)
                later += self.assign(inner, ast.Name(name, ast.Load()))
            return [ast.Assign([ast.Tuple(parts, ast.Store())], value), *later]
        return [ast.Assign([self.target(target)], value), *self.note_store(target)]

    # ---------- expressions

    def visit_Name(self, node: ast.Name) -> ast.expr:
        assert isinstance(node.ctx, ast.Load)
        return self.read(node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        arguments = self.path(node)
        plain = ast.Attribute(self.visit(node.value), node.attr, ast.Load())
        if arguments is None or (node.attr.startswith("__") and node.attr.endswith("__")):
            return plain
        return _call("__last__", self._root(node), _call("__attribute__", *arguments))

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        arguments = self.path(node)
        plain = ast.Subscript(self.visit(node.value), self.visit(node.slice), ast.Load())
        if arguments is None:
            return plain
        parts = [self._root(node)]
        parts += [self.visit(node.slice)] if isinstance(node.slice, ast.Name) else []
        return _call("__last__", *parts, _call("__subscript__", *arguments))

    def _root(self, node: Any) -> ast.expr:
        """Note the use of the name at the root of a path, and of the paths on the way."""
        return self.visit(node.value)

    def visit_NamedExpr(self, node: ast.NamedExpr) -> ast.expr:
        store = ast.NamedExpr(ast.Name(node.target.id, ast.Store()), self.visit(node.value))
        shadow = ast.Name(self.shadow(node.target.no), ast.Store())
        return _call("__both__", store, ast.NamedExpr(shadow, _token(node.target.no)))

    def visit_Lambda(self, node: ast.Lambda) -> ast.expr:
        arguments = self.visit(node.args)
        for arg in _parameters(node.args):
            arguments.kwonlyargs.append(ast.arg(self.shadow(arg.no)))
            arguments.kw_defaults.append(_token(arg.no))
        return ast.Lambda(arguments, self.visit(node.body))

    def visit_arguments(self, node: ast.arguments) -> ast.arguments:
        def arg(one: ast.arg | None) -> ast.arg | None:
            if one is None:
                return None
            annotation = None if one.annotation is None else self.visit(one.annotation)
            return ast.arg(one.arg, annotation)

        return ast.arguments(
            [arg(one) for one in node.posonlyargs],
            [arg(one) for one in node.args],
            arg(node.vararg),
            [arg(one) for one in node.kwonlyargs],
            [None if one is None else self.visit(one) for one in node.kw_defaults],
            arg(node.kwarg),
            [self.visit(one) for one in node.defaults],
        )

    def visit_comprehension(self, node: ast.comprehension) -> ast.comprehension:
        raise AssertionError("see _clauses")

    def _clauses(self, node: Any) -> list[ast.comprehension]:
        found: list[ast.comprehension] = []
        for clause in node.generators:
            iterable = self.visit(clause.iter)
            target = self.target(clause.target)
            conditions = [self.visit(test) for test in clause.ifs]
            found.append(ast.comprehension(target, iterable, [], clause.is_async))
            for name in self.names(clause.target):
                token = ast.Tuple([_token(name.no)], ast.Load())
                shadow = ast.Name(self.shadow(name.no), ast.Store())
                found.append(ast.comprehension(shadow, token, [], 0))
            found[-1].ifs = conditions
        return found

    def visit_ListComp(self, node: Any) -> ast.expr:
        return type(node)(self.visit(node.elt), self._clauses(node))

    visit_SetComp = visit_GeneratorExp = visit_ListComp

    def visit_DictComp(self, node: ast.DictComp) -> ast.expr:
        return ast.DictComp(self.visit(node.key), self.visit(node.value), self._clauses(node))

    # ---------- statements

    def visit_Assign(self, node: ast.Assign) -> list[ast.stmt]:
        value = self.visit(node.value)
        if len(node.targets) == 1:
            return self.assign(node.targets[0], value)
        name = self.temporary()
        found: list[ast.stmt] = [ast.Assign([ast.Name(name, ast.Store())], value)]
        for target in node.targets:
            found += self.assign(target, ast.Name(name, ast.Load()))
        return [*found, ast.Delete([ast.Name(name, ast.Del())])]

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Any:
        annotation = self.visit(node.annotation)
        value = None if node.value is None else self.visit(node.value)
        target = self.target(node.target)
        store = ast.AnnAssign(target, annotation, value, node.simple)
        if value is None:
            return store
        if isinstance(node.target, ast.Name):
            return [store, *self.bind(node.target)]
        return [store, *self.note_store(node.target)]

    def visit_AugAssign(self, node: ast.AugAssign) -> list[ast.stmt]:
        target = node.target
        if isinstance(target, ast.Name):
            store = ast.AugAssign(self.target(target), node.op, self.visit(node.value))
            return [ast.Expr(self.read(target)), store, *self.bind(target)]
        found: list[ast.stmt] = []
        arguments = self.path(target)
        if arguments is not None:
            function = "attribute" if isinstance(target, ast.Attribute) else "subscript"
            found.append(ast.Expr(_call(f"__{function}__", *arguments)))
        store = ast.AugAssign(self.target(target), node.op, self.visit(node.value))
        return [*found, store, *self.note_store(target)]

    def visit_Delete(self, node: ast.Delete) -> list[ast.stmt]:
        found: list[ast.stmt] = []
        for target in node.targets:
            if isinstance(target, ast.Name):
                found.append(ast.Expr(self.read(target)))
                found.append(ast.Delete([ast.Name(target.id, ast.Del())]))
                if target.no in self.symbol:
                    shadow = ast.Name(self.shadow(target.no), ast.Del())
                    found.append(ast.Delete([shadow]))
            elif isinstance(target, ast.Tuple | ast.List):
                found += self.visit_Delete(ast.Delete(target.elts))
            else:
                arguments = self.path(target)
                if arguments is not None:
                    function = "attribute" if isinstance(target, ast.Attribute) else "subscript"
                    found.append(ast.Expr(_call(f"__{function}__", *arguments)))
                new = self.target(target)
                new.ctx = ast.Del()
                found.append(ast.Delete([new]))
        return found

    def visit_For(self, node: Any) -> ast.stmt:
        iterable = self.visit(node.iter)
        if self.plain(node.target):
            target, first = self.target(node.target), self.bind(*self.names(node.target))
        else:
            name = self.temporary()
            target = ast.Name(name, ast.Store())
            first = self.assign(node.target, ast.Name(name, ast.Load()))
        body = [*first, *self.body(node.body)]
        return type(node)(target, iterable, body, self.body(node.orelse))

    visit_AsyncFor = visit_For

    def visit_With(self, node: Any) -> ast.stmt:
        inner = self.body(node.body)
        for item in reversed(node.items):
            target, first = None, []
            if item.optional_vars is not None:
                name = self.temporary()
                target = ast.Name(name, ast.Store())
                first = self.assign(item.optional_vars, ast.Name(name, ast.Load()))
            new = ast.withitem(self.visit(item.context_expr), target)
            inner = [type(node)([new], [*first, *inner])]
        return inner[0]

    visit_AsyncWith = visit_With

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.ExceptHandler:
        kind = None if node.type is None else self.visit(node.type)
        body = self.body(node.body)
        if node.name is not None and node.no in self.symbol:
            # the shadow dies as the name does
            forget = ast.Delete([ast.Name(self.shadow(node.no), ast.Del())])
            gone = ast.ExceptHandler(ast.Name("NameError", ast.Load()), None, [ast.Pass()])
            ending = ast.Try([forget], [gone], [], [])
            body = [ast.Try([*self.bind(node), *body], [], [], [ending])]
        return ast.ExceptHandler(kind, node.name, body)

    def visit_match_case(self, node: ast.match_case) -> ast.match_case:
        captures: dict[str, list[int]] = {}
        for pattern in ast.walk(node.pattern):
            if getattr(pattern, "no", None) in self.symbol and not isinstance(pattern, ast.Name):
                captures.setdefault(self.shadow(pattern.no), []).append(pattern.no)
        guard = _const(True) if node.guard is None else self.visit(node.guard)
        pattern = _Values(self).visit(node.pattern)
        if captures:
            tokens = [
                ast.NamedExpr(ast.Name(shadow, ast.Store()), _token(*numbers))
                for shadow, numbers in captures.items()
            ]
            guard = _call("__last__", *tokens, guard)
        elif node.guard is None:
            guard = None
        return ast.match_case(pattern, guard, self.body(node.body))

    def visit_Import(self, node: Any) -> Any:
        if isinstance(node, ast.ImportFrom) and node.module == "__future__":
            return node
        found: list[ast.stmt] = []
        for alias in node.names:
            single = [ast.alias(alias.name, alias.asname)]
            if isinstance(node, ast.Import):
                found.append(ast.Import(single))
            else:
                found.append(ast.ImportFrom(node.module, single, node.level))
            found += self.bind(alias)
        return found

    visit_ImportFrom = visit_Import

    def visit_Global(self, node: Any) -> ast.stmt:
        return type(node)([*node.names, *(SHADOW + name for name in node.names)])

    visit_Nonlocal = visit_Global

    def visit_FunctionDef(self, node: Any) -> list[ast.stmt]:
        first = self.bind(*_parameters(node.args))
        docstring = ast.get_docstring(node, clean=False) is not None
        body = node.body[1:] if docstring else node.body
        function = type(node)(
            node.name,
            self.visit(node.args),
            [*(node.body[:1] if docstring else []), *first, *(self.body(body) or [ast.Pass()])],
            [self.visit(one) for one in node.decorator_list],
            None if node.returns is None else self.visit(node.returns),
            None,
            node.type_params,
        )
        return [function, *self.bind(node)]

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_ClassDef(self, node: ast.ClassDef) -> list[ast.stmt]:
        docstring = ast.get_docstring(node, clean=False) is not None
        self.classes.append(node.name)
        body = self.body(node.body[1:] if docstring else node.body) or [ast.Pass()]
        self.classes.pop()
        new = ast.ClassDef(
            node.name,
            [self.visit(one) for one in node.bases],
            [ast.keyword(one.arg, self.visit(one.value)) for one in node.keywords],
            [*(node.body[:1] if docstring else []), *body],
            [self.visit(one) for one in node.decorator_list],
            node.type_params,
        )
        return [new, *self.bind(node)]

    def visit_TypeAlias(self, node: ast.TypeAlias) -> list[ast.stmt]:
        return [node, *self.bind(node.name)]

    def visit_Module(self, node: ast.Module) -> ast.Module:
        docstring = ast.get_docstring(node, clean=False) is not None
        body = node.body[1:] if docstring else node.body
        return ast.Module([*(node.body[:1] if docstring else []), *self.body(body)], [])

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.expr:
        return ast.JoinedStr([self.visit(one) for one in node.values])


class _Values(ast.NodeTransformer):
    """Leave patterns as they are: only dotted names and literals may stand in them."""

    def __init__(self, rewriter: _Rewriter) -> None:
        self._rewriter = rewriter


def _parameters(args: ast.arguments) -> list[ast.arg]:
    found = [*args.posonlyargs, *args.args, *args.kwonlyargs]
    return found + [one for one in (args.vararg, args.kwarg) if one is not None]


type Runner = Callable[[types.ModuleType], None]
