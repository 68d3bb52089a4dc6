"""Library types scan: what functions and attributes of the standard library give, as a table.

    PYTHONPATH=python_hooks python tests/python/library_types_scan.py > TABLE

TABLE is python_hooks/codelake/resolve/library_types.txt. It is read off the stubs that mypy brings;
types that this project does not tell apart (unions, callables, what depends on the arguments) are
left out, and so are containers of what is not told apart, whose items would else be nothing, and
numbers among the names of a module. A line is one of

    sqlite3.Connection() cursor execute = sqlite3.Cursor; serialize = bytes
    http.client.HTTPResponse. status = int; reason = str

for calls, of a module or class, and for attributes. A type is written as in known_types.py.
"""

from __future__ import annotations

import ast
import sys
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import mypy

from codelake.resolve.library_classes import canonical, library_names

STUBS = Path(mypy.__file__).parent / "typeshed" / "stdlib"
_PLAIN = frozenset({"str", "int", "bool", "float", "bytes", "bytearray", "complex"})
_NUMBERS = frozenset({"int", "bool", "float", "complex"})
_NOT_ALWAYS_SO = frozenset({"builtins.vars", "logging.Handler.lock"})
_ITEMS = {"list": 0, "List": 0, "set": 0, "frozenset": 0, "dict": 1, "Dict": 1}

type Found = dict[str, set[str | None]]  # name -> types; None: one that is not told apart


@cache
def stub(module: str) -> ast.Module | None:
    """Return the stub of a module."""
    path = STUBS.joinpath(*module.split("."))
    for file in (path.with_suffix(".pyi"), path / "__init__.pyi"):
        if file.is_file():
            return ast.parse(file.read_text("utf-8"))
    return None


def statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield statements, those of every branch of an `if` too."""
    for node in body:
        if isinstance(node, ast.If):
            yield from statements(node.body)
            yield from statements(node.orelse)
        else:
            yield node


@cache
def _stated(module: str) -> tuple[dict[str, ast.stmt], dict[str, tuple[str, str]], list[str]]:
    """Return what a stub defines, what it imports from where, and what it imports stars from."""
    defined: dict[str, ast.stmt] = {}
    imported: dict[str, tuple[str, str]] = {}
    stars: list[str] = []
    tree = stub(module)
    for node in statements(tree.body if tree is not None else []):
        if (name := _names(node)) is not None:
            defined.setdefault(name, node)
        elif isinstance(node, ast.ImportFrom):
            source = _absolute(module, node)
            stars += [source for alias in node.names if alias.name == "*"]
            imported |= {each.asname or each.name: (source, each.name) for each in node.names}
    return defined, imported, stars


def find(module: str, name: str, seen: frozenset[str] = frozenset()) -> tuple[str, ast.stmt] | None:
    """Return what a name of a module is, with the module that defines it."""
    defined, imported, stars = _stated(module)
    if name in defined:
        return module, defined[name]
    sources = [imported[name]] if name in imported else [(star, name) for star in stars]
    found = (find(*each, seen | {module}) for each in sources if each[0] not in seen)
    return next((each for each in found if each is not None), None)


def all_names(module: str, seen: frozenset[str] = frozenset()) -> set[str]:
    """Return the names of a module."""
    defined, imported, stars = _stated(module)
    others = (all_names(star, seen | {module}) for star in stars if star not in seen)
    return {*defined, *imported, *(name for names in others for name in names)}


def _absolute(module: str, node: ast.ImportFrom) -> str:
    if not node.level:
        return node.module or ""
    is_package = (STUBS.joinpath(*module.split(".")) / "__init__.pyi").is_file()
    parts = module.split(".")
    parts = parts[: len(parts) - node.level + is_package]
    return ".".join([*parts, *([node.module] if node.module else [])])


def type_of(module: str, node: ast.expr | None) -> str | None:
    """Return the type that an annotation means, None when it is not told apart."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        node = ast.parse(node.value, mode="eval").body
    if isinstance(node, ast.BinOp):
        sides = [each for each in (node.left, node.right) if not _is_none(each)]
        return type_of(module, sides[0]) if len(sides) == 1 else None
    if isinstance(node, ast.Subscript):
        return _of_items(module, node)
    if not isinstance(node, (ast.Name, ast.Attribute)):
        return None
    name = ast.unparse(node)
    if name in _PLAIN:
        return name
    if name in ("Self", "typing.Self"):
        return "self"
    return _class_named(module, name)


def _class_named(module: str, name: str) -> str | None:
    """Return the canonical name of a class of the library."""
    head, _, rest = name.partition(".")
    place = find(module, head)
    if place is not None and isinstance(place[1], ast.ClassDef):
        for full in (f"{place[0]}.{name}", f"{module}.{name}"):
            if (known := canonical(full)) is not None:
                return known
    return canonical(name) if rest and place is None else None


def _of_items(module: str, node: ast.Subscript) -> str | None:
    head = ast.unparse(node.value)
    items = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    if head in ("Optional", "Final", "ClassVar", "Annotated"):
        return type_of(module, items[0])
    if head in _ITEMS:
        inner = type_of(module, items[_ITEMS[head]]) if len(items) > _ITEMS[head] else None
        return f"{head.lower()}[{inner}]" if inner not in (None, "self") else None
    if head == "tuple":
        kinds = {type_of(module, item) for item in items if not _is_ellipsis(item)}
        inner = kinds.pop() if len(kinds) == 1 else None
        return f"tuple[{inner}]" if inner not in (None, "self") else None
    return type_of(module, node.value) if "." in head or _class_named(module, head) else None


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _is_ellipsis(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is ...


def of_body(module: str, body: list[ast.stmt]) -> tuple[Found, Found]:
    """Return the types of calls and of attributes of a module or class."""
    calls: Found = defaultdict(set)
    attributes: Found = defaultdict(set)
    for node in statements(body):
        if isinstance(node, ast.FunctionDef):
            marks = {ast.unparse(each) for each in node.decorator_list}
            is_value = any(mark.endswith("property") for mark in marks)
            if not any(mark.endswith((".setter", ".deleter")) for mark in marks):
                (attributes if is_value else calls)[node.name].add(type_of(module, node.returns))
        elif isinstance(node, ast.AsyncFunctionDef):
            calls[node.name].add(None)
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            attributes[node.target.id].add(type_of(module, node.annotation))
    return calls, attributes


def _line(name: str, mark: str, found: Found, is_class: bool) -> str | None:
    by_type: dict[str, list[str]] = defaultdict(list)
    for each, kinds in sorted(found.items()):
        told = kinds - {None}  # an overload that depends on its arguments says nothing
        kind = told.pop() if len(told) == 1 else None
        if (
            kind is None
            or each.startswith("__")
            or f"{name}.{each}" in _NOT_ALWAYS_SO
            or (kind in _NUMBERS and not (is_class or mark == "()"))
        ):
            continue
        by_type[name if kind == "self" else kind].append(each)
    parts = [f"{' '.join(names)} = {kind}" for kind, names in sorted(by_type.items())]
    return f"{name}{mark} {'; '.join(parts)}" if parts else None


def scan() -> Iterator[str]:
    """Yield the lines of the table."""
    classes, modules = library_names()
    for name in sorted({*classes, *modules}):
        if name in modules:
            found: tuple[Found, Found] = (defaultdict(set), defaultdict(set))
            for each in all_names(name):
                source, _ = find(name, each) or ("", None)
                tree = stub(source)
                body = [one for one in statements(tree.body) if _names(one) == each] if tree else []
                for into, new in zip(found, of_body(source, body), strict=True):
                    into[each] |= new[each]
        else:
            module, _, last = name.rpartition(".")
            source, node = find(module, last) or ("", None)
            if not isinstance(node, ast.ClassDef):
                continue
            found = of_body(source, node.body)
        for mark, part in zip(("()", "."), found, strict=True):
            line = _line(name, mark, part, name not in modules)
            if line is not None:
                yield line


def _names(node: ast.stmt) -> str | None:
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        return node.target.id
    return node.name if isinstance(node, (ast.ClassDef, ast.FunctionDef)) else None


if __name__ == "__main__":
    sys.stdout.write("".join(f"{line}\n" for line in scan()))
