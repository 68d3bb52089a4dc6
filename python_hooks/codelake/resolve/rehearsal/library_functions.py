"""Functions of collections, dataclasses, copy, json, operator and the like."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from codelake.resolve.rehearsal import classes
from codelake.resolve.rehearsal.constructors import update_mapping
from codelake.resolve.rehearsal.expressions import machine_update
from codelake.resolve.rehearsal.items import DefaultDict
from codelake.resolve.rehearsal.operators import binary, compare, guarded, unary
from codelake.resolve.rehearsal.values import (
    CONTAINERS,
    MISSING,
    OBJECT,
    PLAIN,
    Class,
    External,
    Function,
    GiveUp,
    Instance,
    Method,
    Native,
    Run,
    Unknown,
    error,
    is_known,
    origins,
)

if TYPE_CHECKING:
    from codelake.resolve.rehearsal.machine import Machine

type _Arguments = list[Any]
type _Keywords = dict[str, Any]


def _native(name: str, run: Callable[..., Run]) -> Native:
    return Native(name, run)


# collections, dataclasses, enum, abc


def _default_dict(machine: Machine, arguments: _Arguments, keywords: _Keywords) -> Run:
    made = DefaultDict()
    made.factory = arguments[0] if arguments else None
    yield from update_mapping(machine, made, arguments[1:], keywords)
    return made


class ChainMap:
    """collections.ChainMap: looks in its maps one after the other, stores to the first."""

    def __init__(self, maps: list[dict[Any, Any]]) -> None:
        self.maps = maps

    def parts(self) -> list[Any]:
        """Return what it holds."""
        return self.maps

    def whole(self) -> dict[Any, Any]:
        """Return all entries."""
        found: dict[Any, Any] = {}
        for each in reversed(self.maps):
            found.update(each)
        return found

    def length(self) -> int:
        """Return the number of keys."""
        return len(self.whole())

    def iterate(self, machine: Machine) -> Any:
        """Return an iterator over the keys."""
        return iter(self.whole())

    def item(self, machine: Machine, key: Any) -> Run:
        """Return the entry of the first map that has one."""
        holder = next((each for each in self.maps if key in each), self.maps[-1])
        return (yield from machine.item(holder, key))

    def set_item(self, key: Any, given: Any) -> None:
        """Store an entry."""
        self.maps[0][key] = given

    def attribute(self, machine: Machine, name: str) -> Any:
        """Return an attribute."""
        if name == "maps":
            return self.maps
        if name == "parents":
            return ChainMap(self.maps[1:] or [{}])
        if name == "new_child":
            return _native(name, self._new_child)
        if name in ("get", "keys", "values", "items", "copy"):
            return Method(self.whole(), name)
        if name in ("update", "pop", "setdefault"):
            return Method(self.maps[0], name)
        raise GiveUp(f"ChainMap.{name}")

    def _new_child(self, machine: Machine, arguments: _Arguments, _: _Keywords) -> Run:
        return ChainMap([arguments[0] if arguments else {}, *self.maps])
        yield


def _chain_map(machine: Machine, arguments: _Arguments, _: _Keywords) -> Run:
    if not all(isinstance(each, dict) for each in arguments):
        raise GiveUp("a ChainMap of other mappings")
    return ChainMap([*arguments] or [{}])
    yield


def _named_tuple(machine: Machine, arguments: _Arguments, keywords: _Keywords) -> Run:
    name, fields = arguments[:2]
    if isinstance(fields, str):
        fields = fields.replace(",", " ").split()
    fields = yield from machine.items(fields)
    values = keywords.get("defaults") or ()
    given = dict(zip(fields[len(fields) - len(values) :], values, strict=True))
    made = Class(str(name), [OBJECT])
    classes.named_tuple(made, fields, given)
    return made


def _dataclass(machine: Machine, arguments: _Arguments, keywords: _Keywords) -> Run:
    if arguments:
        return classes.dataclass(machine, arguments[0], keywords)

    def decorate(machine: Machine, given: _Arguments, _: _Keywords) -> Run:
        return classes.dataclass(machine, given[0], keywords)
        yield

    return _native("dataclass", decorate)
    yield


def _field(machine: Machine, arguments: _Arguments, keywords: _Keywords) -> Run:
    given = dict(keywords)
    return classes.Field("", given.pop("default", MISSING), **given)
    yield


def _fields(machine: Machine, arguments: _Arguments, _: _Keywords) -> Run:
    made = []
    for each in classes.fields_of(arguments[0]):
        one = Instance(OBJECT)
        one.names.update(name=each.name)
        made.append(one)
    return tuple(made)
    yield


def _replace(machine: Machine, arguments: _Arguments, keywords: _Keywords) -> Run:
    (one,) = arguments
    given = {each.name: one.names[each.name] for each in classes.fields_of(one) if each.is_given}
    return (yield from machine.call(one.cls, [], given | keywords))


def _as_dict(machine: Machine, arguments: _Arguments, _: _Keywords) -> Run:
    return _unfolded(arguments[0], lambda names: dict(names))
    yield


def _as_tuple(machine: Machine, arguments: _Arguments, _: _Keywords) -> Run:
    return _unfolded(arguments[0], lambda names: tuple(value for _, value in names))
    yield


def _unfolded(value: Any, make: Callable[[list[tuple[str, Any]]], Any]) -> Any:
    if isinstance(value, Instance) and value.cls.trait("fields") is not None:
        names = [each.name for each in classes.fields_of(value)]
        return make([(name, _unfolded(value.names[name], make)) for name in names])
    if isinstance(value, (list, tuple)):
        return type(value)(_unfolded(each, make) for each in value)
    if isinstance(value, dict):
        return {key: _unfolded(each, make) for key, each in value.items()}
    return value


def _auto(machine: Machine, arguments: _Arguments, _: _Keywords) -> Run:
    return classes.Auto()
    yield


def _same(machine: Machine, arguments: _Arguments, _: _Keywords) -> Run:
    return arguments[0]
    yield


def _second(machine: Machine, arguments: _Arguments, _: _Keywords) -> Run:
    return arguments[1]
    yield


def _abstract(machine: Machine, arguments: _Arguments, _: _Keywords) -> Run:
    if isinstance(arguments[0], Function):
        arguments[0].names["__isabstractmethod__"] = True
    return arguments[0]
    yield


# copy, json, operator


def _copy(machine: Machine, arguments: _Arguments, _: _Keywords) -> Run:
    (value,) = arguments
    found = yield from machine.special(value, "__copy__")
    if found is not MISSING:
        return found
    return _copied(value)


def _copied(value: Any) -> Any:
    if isinstance(value, Instance):
        made = Instance(value.cls)
        made.names = dict(value.names)
        made.payload = _copied(value.payload) if value.payload is not MISSING else MISSING
        return made
    if isinstance(value, DefaultDict):
        copied = DefaultDict(value)
        copied.factory = value.factory
        return copied
    return value.copy() if isinstance(value, CONTAINERS) and hasattr(value, "copy") else value


def _deep_copy(machine: Machine, arguments: _Arguments, _: _Keywords) -> Run:
    machine.tick(10)
    return deep_copy(arguments[0], {})
    yield


def deep_copy(value: Any, done: dict[int, Any]) -> Any:
    """Return a value whose containers and instances are new."""
    if id(value) in done:
        return done[id(value)]
    if isinstance(value, Instance):
        if value.cls.find("__deepcopy__") is not MISSING:
            raise GiveUp("__deepcopy__")
        if value.cls.trait("members") is not None:
            return value
        made: Any = Instance(value.cls)
        done[id(value)] = made
        made.names = {key: deep_copy(each, done) for key, each in value.names.items()}
        if value.payload is not MISSING:
            made.payload = deep_copy(value.payload, done)
        return made
    if isinstance(value, dict):
        made = done[id(value)] = _copied(value)
        made.clear()
        made.update({key: deep_copy(each, done) for key, each in value.items()})
        return made
    if isinstance(value, tuple):
        return tuple(deep_copy(each, done) for each in value)
    if isinstance(value, CONTAINERS):
        made = done[id(value)] = _copied(value)
        if hasattr(made, "clear"):
            made.clear()
            items = [deep_copy(each, done) for each in value]
            made.update(items) if isinstance(made, set) else made.extend(items)
        return made
    return value


def _dumps(machine: Machine, arguments: _Arguments, keywords: _Keywords) -> Run:
    if "cls" in keywords:
        raise GiveUp("json of objects")
    value = arguments[0]
    if "default" in keywords:
        value = yield from _plain_json(machine, value, keywords["default"])
    return Unknown(origins(value), [deep_copy(value, {})], is_some=True)


def _plain_json(machine: Machine, value: Any, default: Any) -> Run:
    """Return a value in which a function has replaced what JSON does not know."""
    machine.enter()
    if isinstance(value, dict):
        made: Any = {}
        for key, each in value.items():
            made[key] = yield from _plain_json(machine, each, default)
    elif isinstance(value, (list, tuple)):
        made = []
        for each in value:
            made.append((yield from _plain_json(machine, each, default)))
    elif isinstance(value, (*PLAIN, Unknown)):
        made = value
    else:
        told = yield from machine.call(default, [value], {})
        made = yield from _plain_json(machine, told, default)
    machine.depth -= 1
    return made


def _dump(machine: Machine, arguments: _Arguments, keywords: _Keywords) -> Run:
    value, file = arguments
    text = yield from _dumps(machine, [value], keywords)
    write = yield from machine.attribute(file, "write")
    yield from machine.call(write, [text], {})


def _load(machine: Machine, arguments: _Arguments, keywords: _Keywords) -> Run:
    read = yield from machine.attribute(arguments[0], "read")
    text = yield from machine.call(read, [], {})
    return (yield from _loads(machine, [text], keywords))


_HOOKS = {"object_hook", "parse_int", "parse_float"}


def _loads(machine: Machine, arguments: _Arguments, keywords: _Keywords) -> Run:
    if keywords.keys() - _HOOKS:
        raise GiveUp("json of objects")
    value = yield from _parsed(machine, arguments)
    return (yield from _hooked(machine, value, keywords)) if keywords else value


def _hooked(machine: Machine, value: Any, hooks: dict[str, Any]) -> Run:
    """Return what functions make of the parts of a document, the inner ones first."""
    made = value
    if isinstance(value, dict):
        made = {}
        for key, each in value.items():
            made[key] = yield from _hooked(machine, each, hooks)
        if hook := hooks.get("object_hook"):
            made = yield from machine.call(hook, [made], {})
    elif isinstance(value, list):
        made = []
        for each in value:
            made.append((yield from _hooked(machine, each, hooks)))
    elif type(value) in (int, float) and (hook := hooks.get(f"parse_{type(value).__name__}")):
        made = yield from machine.call(hook, [str(value)], {})
    elif isinstance(value, Unknown) and "object_hook" in hooks and machine.decide():
        entries: dict[Any, Any] = {}
        yield from machine_update(machine, entries, value)
        made = yield from machine.call(hooks["object_hook"], [entries], {})
    return made


def _parsed(machine: Machine, arguments: _Arguments) -> Run:
    value = arguments[0]
    if isinstance(value, Unknown) and isinstance(value.structure, list):
        return deep_copy(value.structure[0], {})
    if isinstance(value, str):
        import json

        if len(value) > 10_000:
            raise GiveUp("a text too long")
        return guarded(json.loads, value)
    from codelake.resolve.rehearsal.constructors import may_fail

    return may_fail(machine, Unknown(origins(value)), ValueError, value)
    yield


def _item_getter(machine: Machine, arguments: _Arguments, _: _Keywords) -> Run:
    def get(machine: Machine, given: _Arguments, _: _Keywords) -> Run:
        found = []
        for key in arguments:
            found.append((yield from machine.item(given[0], key)))
        return found[0] if len(found) == 1 else tuple(found)

    return _native("itemgetter", get)
    yield


def _attribute_getter(machine: Machine, arguments: _Arguments, _: _Keywords) -> Run:
    def get(machine: Machine, given: _Arguments, _: _Keywords) -> Run:
        found = []
        for path in arguments:
            value = given[0]
            for name in path.split("."):
                value = yield from machine.attribute(value, name)
            found.append(value)
        return found[0] if len(found) == 1 else tuple(found)

    return _native("attrgetter", get)
    yield


def _method_caller(machine: Machine, arguments: _Arguments, keywords: _Keywords) -> Run:
    name, *others = arguments

    def run(machine: Machine, given: _Arguments, _: _Keywords) -> Run:
        method = yield from machine.attribute(given[0], name)
        return (yield from machine.call(method, others, keywords))

    return _native("methodcaller", run)
    yield


def _operator(op: type) -> Callable[..., Run]:
    def run(machine: Machine, arguments: _Arguments, _: _Keywords) -> Run:
        if issubclass(op, ast.cmpop):
            return (yield from compare(machine, op, *arguments))
        if issubclass(op, ast.unaryop):
            return (yield from unary(machine, op, *arguments))
        return (yield from binary(machine, op, *arguments))

    return run


def _get_item(machine: Machine, arguments: _Arguments, _: _Keywords) -> Run:
    return (yield from machine.item(*arguments))


def _set_item(machine: Machine, arguments: _Arguments, _: _Keywords) -> Run:
    from codelake.resolve.rehearsal.items import set_item

    yield from set_item(machine, *arguments)


def _math(name: str) -> Callable[..., Run]:
    action = getattr(math, name)

    def run(machine: Machine, arguments: _Arguments, _: _Keywords) -> Run:
        if is_known(*arguments) and all(isinstance(each, (int, float)) for each in arguments):
            if name in ("factorial", "comb", "perm"):
                raise GiveUp("a number too large")
            return guarded(action, *arguments)
        return Unknown(origins(*arguments))
        yield

    return run


class Token:
    """contextvars.Token: which value was there before."""

    def __init__(self, before: int) -> None:
        self.before = before


class Variable:
    """contextvars.ContextVar, in one context."""

    def __init__(self, default: Any) -> None:
        self._values = [default]

    def attribute(self, machine: Machine, name: str) -> Any:
        """Return a method."""

        def run(machine: Machine, arguments: _Arguments, _: _Keywords) -> Run:
            if name == "set":
                self._values.append(arguments[0])
                return Token(len(self._values) - 1)
            if name == "get":
                value = self._values[-1]
                if value is MISSING:
                    if arguments:
                        return arguments[0]
                    raise error(LookupError)
                return value
            if name == "reset" and isinstance(arguments[0], Token):
                self._values.append(self._values[arguments[0].before - 1])
                return None
            raise GiveUp(f"ContextVar.{name}")
            yield

        return _native(name, run)


def _variable(machine: Machine, arguments: _Arguments, keywords: _Keywords) -> Run:
    if machine.loop is not None:
        raise GiveUp("contexts of tasks")
    return Variable(keywords.get("default", MISSING))
    yield


def _import_module(machine: Machine, arguments: _Arguments, keywords: _Keywords) -> Run:
    name = arguments[0]
    if not isinstance(name, str):
        raise GiveUp("a module of unknown name")
    package = arguments[1] if len(arguments) > 1 else keywords.get("package")
    if name.startswith(".") and isinstance(package, str):
        level = len(name) - len(name.lstrip("."))
        above = package.split(".")
        name = ".".join([*above[: len(above) - level + 1], name.lstrip(".")])
    found = yield from machine.module(name)
    return External(name) if found is None else found


def _exit(machine: Machine, arguments: _Arguments, _: _Keywords) -> Run:
    raised = error(SystemExit, *arguments)
    raised.value.names["code"] = arguments[0] if arguments else None
    raise raised
    yield


FUNCTIONS: dict[str, Callable[..., Run]] = {
    "sys.exit": _exit,
    "importlib.import_module": _import_module,
    "builtins.exit": _exit,
    "builtins.quit": _exit,
    "collections.defaultdict": _default_dict,
    "collections.ChainMap": _chain_map,
    "collections.namedtuple": _named_tuple,
    "dataclasses.dataclass": _dataclass,
    "dataclasses.field": _field,
    "dataclasses.fields": _fields,
    "dataclasses.replace": _replace,
    "dataclasses.asdict": _as_dict,
    "dataclasses.astuple": _as_tuple,
    "copy.replace": _replace,
    "enum.auto": _auto,
    "enum.unique": _same,
    "abc.abstractmethod": _abstract,
    "typing.cast": _second,
    "typing.final": _same,
    "typing.override": _same,
    "typing.overload": _same,
    "typing.no_type_check": _same,
    "typing.runtime_checkable": _same,
    "types.MappingProxyType": _same,
    "copy.copy": _copy,
    "copy.deepcopy": _deep_copy,
    "json.dumps": _dumps,
    "json.loads": _loads,
    "json.dump": _dump,
    "json.load": _load,
    "pickle.dumps": _dumps,
    "pickle.loads": _loads,
    "operator.itemgetter": _item_getter,
    "operator.attrgetter": _attribute_getter,
    "operator.methodcaller": _method_caller,
    "operator.getitem": _get_item,
    "operator.setitem": _set_item,
    "contextvars.ContextVar": _variable,
    **{f"{name}.compare_digest": _operator(ast.Eq) for name in ("hmac", "secrets")},
    **{f"math.{name}": _math(name) for name in ("floor", "ceil", "sqrt", "log", "hypot", "fabs")},
    **{
        f"operator.{name}": _operator(op)
        for name, op in {
            "add": ast.Add,
            "sub": ast.Sub,
            "mul": ast.Mult,
            "truediv": ast.Div,
            "mod": ast.Mod,
            "concat": ast.Add,
            "or_": ast.BitOr,
            "and_": ast.BitAnd,
            "neg": ast.USub,
            "eq": ast.Eq,
            "ne": ast.NotEq,
            "lt": ast.Lt,
            "gt": ast.Gt,
        }.items()
    },
}
