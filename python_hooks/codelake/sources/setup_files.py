"""setup.cfg and setup.py: their text -> what they declare. Neither is ever run.

    HERE = "src"                                      name app, version unknown
    setup(name="app", version=read_version(),          ("computed by `read_version()`"),
          package_dir={"": HERE},                      src/ holds packages
          packages=find_packages(HERE))

Of a setup.py the arguments of the last `setup(...)` count: literals, names that the module binds
once to a literal, and sums, lists, dicts and f-strings of those. Whatever else is unknown with the
expression as reason. setup.cfg counts after setup.py, as in setuptools, where an argument of
`setup()` wins.
"""

from __future__ import annotations

import ast
import configparser
import warnings
from collections import Counter
from collections.abc import Iterator
from typing import Any

from codelake.sources.declared import (
    Declared,
    Dependency,
    Places,
    Problem,
    Stated,
    dependency,
)
from codelake.sources.decode import DecodeFailure, decode

_MOST = 100_000  # characters or members of a value; longer ones are computed, not written
_FINDERS = frozenset({"find_packages", "find_namespace_packages"})
_CHANGERS = frozenset({"append", "extend", "insert", "pop", "remove", "setdefault", "update"})
_TOO_DEEP = "nested too deeply"


def setup_cfg(raw: bytes, origin: str) -> Declared:
    """Read a setup.cfg.

    Args:
        raw: its bytes.
        origin: its path, for messages.
    """
    parser = configparser.RawConfigParser()
    try:
        parser.read_string(raw.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        return Declared(
            problems=(Problem(origin, f"not UTF-8: {error.reason} at byte {error.start}"),)
        )
    except (configparser.Error, ValueError, AttributeError) as error:
        return Declared(problems=(Problem(origin, " ".join(f"no INI file: {error}".split())),))
    metadata, options = _section(parser, "metadata"), _section(parser, "options")
    places = Places(origin)
    places.package_dir(_dict(options.get("package_dir", "")))
    packages = _list(options.get("packages", ""))
    if packages and packages[0].startswith(("find:", "find_namespace:")):
        packages = []
        find = _section(parser, "options.packages.find")
        for folder in _list(find.get("where", "")):
            places.root(folder)
        for name in _list(find.get("include", "")):
            places.package(name.rstrip("*").rstrip("."))
    for name in [*packages, *_list(options.get("py_modules", ""))]:
        places.package(name)
    for folder in _section(parser, "tool:pytest").get("pythonpath", "").split():
        places.root(folder)
    return Declared(
        is_project=bool(metadata or options),
        name=_cfg_stated(metadata, "name", origin),
        version=_cfg_stated(metadata, "version", origin),
        requires_python=_cfg_stated(options, "python_requires", origin),
        dependencies=tuple(_cfg_dependencies(parser, options, origin)),
        packages=tuple(places.packages.values()),
        roots=tuple(places.roots.values()),
        problems=tuple(places.problems),
    )


def setup_py(raw: bytes, origin: str) -> Declared:
    """Read a setup.py.

    Args:
        raw: its bytes.
        origin: its path, for messages.
    """
    source = decode(raw)
    if isinstance(source, DecodeFailure):
        return Declared(problems=(Problem(origin, source.message),))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source.text)
    except SyntaxError as error:
        return Declared(problems=(Problem(origin, f"{error.msg} in line {error.lineno}"),))
    except (ValueError, RecursionError, MemoryError, OverflowError) as error:
        return Declared(problems=(Problem(origin, str(error) or _TOO_DEEP),))
    call = _setup_call(tree)
    return Declared() if call is None else _Setup(tree, call, origin).declared()


def _section(parser: configparser.RawConfigParser, name: str) -> dict[str, str]:
    items = parser.items(name) if parser.has_section(name) else []
    return {key.replace("-", "_"): value for key, value in items}


def _list(text: str) -> list[str]:
    parts = text.splitlines() if "\n" in text else text.split(",")
    return [part.strip() for part in parts if part.strip()]


def _dict(text: str) -> Iterator[tuple[str, str]]:
    for part in _list(text):
        name, equals, folder = part.partition("=")
        if equals:
            yield name.strip(), folder.strip()


def _cfg_stated(section: dict[str, str], key: str, origin: str) -> Stated | None:
    value = section.get(key, "").strip()
    if not value:
        return None
    if value.startswith(("attr:", "file:")):
        return Stated(None, origin, f"dynamic: {value}")
    return Stated(value, origin)


def _cfg_dependencies(
    parser: configparser.RawConfigParser, options: dict[str, str], origin: str
) -> Iterator[Dependency]:
    extras = _section(parser, "options.extras_require")
    groups = {"": options.get("install_requires", "")}
    groups |= {f"extra:{name}": text for name, text in sorted(extras.items())}
    for group, text in groups.items():
        if text.startswith("file:"):
            yield Dependency(None, f"dynamic: {text}", group, origin)
            continue
        for part in text.splitlines() if "\n" in text else text.split(";"):
            if part.strip() and not part.strip().startswith("#"):
                yield dependency(part, group, origin)


class _Unknown(Exception):
    """An expression that has no literal value."""


def _setup_call(tree: ast.Module) -> ast.Call | None:
    found = None
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _called(node) == "setup":
            found = node
    return found


def _called(call: ast.Call) -> str:
    function = call.func
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


class _Setup:
    """The arguments of one `setup(...)` call."""

    def __init__(self, tree: ast.Module, call: ast.Call, origin: str) -> None:
        self._origin = origin
        self._constants = _constants(tree)
        self._unknown_rest = ""
        self._arguments: dict[str, ast.expr | None] = {}
        self._values: dict[str, Any] = {}
        for keyword in call.keywords:
            if keyword.arg is not None:
                self._arguments[keyword.arg] = keyword.value
                continue
            try:
                self._values |= _text_keys(_value(keyword.value, self._constants))
            except _Unknown as unknown:
                self._unknown_rest = str(unknown)

    def declared(self) -> Declared:
        places = Places(self._origin)
        self._package_dir(places)
        self._packages(places)
        return Declared(
            is_project=True,
            name=self._stated("name"),
            version=self._stated("version"),
            requires_python=self._stated("python_requires"),
            dependencies=tuple(self._dependencies()),
            packages=tuple(places.packages.values()),
            roots=tuple(places.roots.values()),
            problems=tuple(places.problems),
        )

    def _get(self, name: str) -> Any:
        """Return the value of an argument, None when it is absent, or raise _Unknown."""
        node = self._arguments.get(name)
        if node is not None:
            return _value(node, self._constants)
        if name not in self._values and self._unknown_rest:
            raise _Unknown(self._unknown_rest)
        return self._values.get(name)

    def _stated(self, name: str) -> Stated | None:
        try:
            value = self._get(name)
        except _Unknown as unknown:
            return Stated(None, self._origin, str(unknown))
        return Stated(value, self._origin) if isinstance(value, str) and value else None

    def _package_dir(self, places: Places) -> None:
        try:
            value = self._get("package_dir")
        except _Unknown as unknown:
            places.unknown("package_dir", str(unknown))
            return
        if isinstance(value, dict):
            pairs = sorted(_text_keys(value).items())
            places.package_dir((name, path) for name, path in pairs if isinstance(path, str))

    def _packages(self, places: Places) -> None:
        pending = [self._arguments.get("packages"), self._arguments.get("py_modules")]
        while pending:
            node = pending.pop()
            if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
                pending += [node.right, node.left]
            elif isinstance(node, ast.Call) and _called(node) in _FINDERS:
                self._find(node, places)
            elif node is not None:
                self._add_packages(node, places)
        for name in ("packages", "py_modules"):
            for package in _texts(self._values.get(name)):
                places.package(package)

    def _add_packages(self, node: ast.expr, places: Places) -> None:
        try:
            names = _texts(_value(node, self._constants))
        except _Unknown as unknown:
            places.unknown("packages", str(unknown))
            return
        for package in names:
            places.package(package)

    def _find(self, call: ast.Call, places: Places) -> None:
        given = {keyword.arg: keyword.value for keyword in call.keywords}
        where = call.args[0] if call.args else given.get("where")
        try:
            if where is not None and isinstance(folder := _value(where, self._constants), str):
                places.root(folder)
            if (include := given.get("include")) is not None:
                for name in _texts(_value(include, self._constants)):
                    places.package(name.rstrip("*").rstrip("."))
        except _Unknown as unknown:
            places.unknown("find_packages", str(unknown))

    def _dependencies(self) -> Iterator[Dependency]:
        try:
            for text in _requirements(self._get("install_requires")):
                yield dependency(text, "", self._origin)
        except _Unknown as unknown:
            yield Dependency(None, str(unknown), "", self._origin)
        try:
            extras = self._get("extras_require")
        except _Unknown as unknown:
            yield Dependency(None, str(unknown), "extra:?", self._origin)
            return
        if isinstance(extras, dict):
            for extra, texts in sorted(_text_keys(extras).items()):
                for text in _requirements(texts):
                    yield dependency(text, f"extra:{extra}", self._origin)


def _constants(tree: ast.Module) -> dict[str, Any]:
    """Return what the module binds exactly once, at its top, to a literal it never changes."""
    bound: Counter[str] = Counter()
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
                bound[name] += 1
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=attribute)) if (
                attribute in _CHANGERS
            ):
                bound[name] += 1
            case ast.Subscript(value=ast.Name(id=name), ctx=ast.Store() | ast.Del()):
                bound[name] += 1
    values: dict[str, Any] = {}
    for statement in tree.body:
        if isinstance(statement, ast.Assign):
            targets = statement.targets
        elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
            targets = [statement.target]
        else:
            continue
        for target in targets:
            if isinstance(target, ast.Name) and bound[target.id] == 1:
                try:
                    values[target.id] = _value(statement.value, values)  # type: ignore[arg-type]
                except _Unknown:
                    continue
    return values


def _value(node: ast.expr, constants: dict[str, Any]) -> Any:
    """Return the value that an expression spells out, or raise _Unknown."""
    try:
        value = _evaluate(node, constants)
    except RecursionError:
        raise _Unknown(_TOO_DEEP) from None
    return value


def _evaluate(node: ast.expr, constants: dict[str, Any]) -> Any:
    match node:
        case ast.Constant(value=value):
            return value
        case ast.Name(id=name) if name in constants:
            return constants[name]
        case ast.List(elts=elements) | ast.Tuple(elts=elements) | ast.Set(elts=elements):
            return [_evaluate(element, constants) for element in elements]
        case ast.Dict(keys=keys, values=values) if None not in keys:
            names = [_evaluate(key, constants) for key in keys if key is not None]
            if all(isinstance(name, str) for name in names):
                return dict(
                    zip(names, (_evaluate(value, constants) for value in values), strict=True)
                )
        case ast.JoinedStr(values=parts):
            texts = [_evaluate(part, constants) for part in parts]
            if all(isinstance(text, str) for text in texts):
                return _sized("".join(texts), node)
        case ast.FormattedValue(value=inner, conversion=-1, format_spec=None):
            return _evaluate(inner, constants)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            one, two = _evaluate(left, constants), _evaluate(right, constants)
            if type(one) is type(two) and isinstance(one, str | list):
                return _sized(one + two, node)
        case ast.Call(func=ast.Name(id="dict"), args=[], keywords=keywords):
            return {
                keyword.arg: _evaluate(keyword.value, constants)
                for keyword in keywords
                if keyword.arg
            }
    raise _Unknown(f"computed by `{_shown(node)}`")


def _sized[T: (str, list[Any])](value: T, node: ast.expr) -> T:
    if len(value) > _MOST:
        raise _Unknown(f"too long: `{_shown(node)}`")
    return value


def _shown(node: ast.expr) -> str:
    try:
        text = " ".join(ast.unparse(node).split())
    except (RecursionError, ValueError):
        return type(node).__name__
    return text if len(text) <= 60 else f"{text[:57]}..."


def _text_keys(value: object) -> dict[str, Any]:
    if not isinstance(value, dict):
        return {}
    return {key: member for key, member in value.items() if isinstance(key, str)}


def _texts(value: object) -> list[str]:
    return [text for text in value if isinstance(text, str)] if isinstance(value, list) else []


def _requirements(value: object) -> list[str]:
    """Return requirements given as a list or as lines of text."""
    lines = value.splitlines() if isinstance(value, str) else _texts(value)
    return [line for line in lines if line.strip()]
