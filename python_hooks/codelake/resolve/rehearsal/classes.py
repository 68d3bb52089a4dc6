"""Classes: what a class statement makes.

Enumerations, named tuples and dataclasses are rehearsed by their rules, not by their code.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from codelake.resolve.rehearsal.names import names_of
from codelake.resolve.rehearsal.values import (
    MISSING,
    OBJECT,
    PLAIN,
    TYPE,
    Class,
    External,
    Function,
    GiveUp,
    Instance,
    Native,
    Property,
    Run,
    Scope,
    Unknown,
    Wrapper,
    error,
)

if TYPE_CHECKING:
    from codelake.resolve.rehearsal.machine import Machine

_TRANSPARENT = ("typing.", "typing_extensions.", "abc.", "collections.abc.")
_OWN = frozenset({"__class_getitem__", "__init_subclass__", "__new__"})


def define(
    machine: Machine, node: ast.ClassDef, scope: Scope, bases: list[Any], keywords: dict[str, Any]
) -> Run:
    """Run the body of a class and make the class."""
    inner = Scope("class", node, scope.module, scope, names_of(node))
    found, is_open = _known_bases(bases)
    meta = keywords.pop("metaclass", None)
    if isinstance(meta, External):
        meta = None
    if meta is None:
        meta = next((each.meta for base in found for each in base.mro if each.meta), None)
    if isinstance(meta, Class) and meta.find("__prepare__") is not MISSING:
        raise GiveUp("__prepare__")
    inner.names.update(__module__=scope.module.names.get("__name__"), __qualname__=node.name)
    yield from machine.block(node.body, inner)
    if (
        isinstance(meta, Class)
        and meta is not TYPE
        and any(
            name in each.names for each in meta.mro if each.host is None for name in ("__new__",)
        )
    ):
        made = yield from machine.call(
            meta.find("__new__"), [meta, node.name, tuple(found), inner.names], dict(keywords)
        )
        if not isinstance(made, Class):
            raise GiveUp("a class that is none")
        made.is_open = made.is_open or is_open
    else:
        if meta is not None and not isinstance(meta, Class):
            raise GiveUp("a metaclass that is no class")
        made = yield from make(machine, node.name, found, inner.names, meta, keywords)
        made.is_open = is_open
    made.module = str(scope.module.full)
    if any(isinstance(base, External) and base.full.endswith("Protocol") for base in bases):
        made.traits["protocol"] = True
    starter = meta.find("__init__") if isinstance(meta, Class) and meta is not TYPE else MISSING
    if isinstance(starter, Function):
        given = [made, node.name, tuple(found), inner.names]
        yield from machine.call(starter, given, dict(keywords))
    return made


def _known_bases(bases: list[Any]) -> tuple[list[Class], bool]:
    found: list[Class] = []
    is_open = False
    for base in bases:
        if isinstance(base, Class):
            found.append(base)
        elif isinstance(base, External) and base.full.startswith(_TRANSPARENT):
            continue
        elif isinstance(base, (External, Unknown)):
            is_open = True
        elif isinstance(base, Native) and isinstance(base.names.get(" class"), Class):
            found.append(base.names[" class"])
        else:
            raise GiveUp("a base that is no class")
    return found, is_open or any(each.is_open for base in found for each in base.mro)


def make(
    machine: Machine,
    name: str,
    bases: list[Class],
    names: dict[str, Any],
    meta: Class | None,
    keywords: dict[str, Any],
) -> Run:
    """Make a class of its names, as type() does."""
    if "__del__" in names:
        raise GiveUp("__del__")
    made = Class(name, bases or [OBJECT], names)
    made.meta = meta
    for base in bases:
        base.children.append(made)
    for value in names.values():
        _own(value, made)
    for wrapped in _OWN & names.keys():
        if isinstance(names[wrapped], Function) and wrapped != "__new__":
            names[wrapped] = Wrapper("class", names[wrapped])
    if made.trait("enum") is not None:
        yield from _make_enum(machine, made)
    elif made.trait("named_tuple") is not None and "fields_of_tuple" not in made.traits:
        _make_named_tuple(made)
    for key, value in list(names.items()):
        if isinstance(value, Instance) and value.cls.find("__set_name__") is not MISSING:
            yield from machine.special(value, "__set_name__", made, key)
        elif isinstance(value, Property):
            value.name = value.name or key
    abstract = [key for key, value in names.items() if is_abstract(value)]
    if abstract or any(base.trait("abstract") for base in bases):
        above = [each for base in bases for each in base.trait("abstract") or ()]
        made.traits["abstract"] = [*abstract, *above]
    for base in made.mro[1:]:
        starter = base.names.get("__init_subclass__")
        if starter is not None:
            function = starter.function if isinstance(starter, Wrapper) else starter
            yield from machine.call(function, [made], dict(keywords))
            break
    return made


def is_abstract(value: Any) -> bool:
    """Tell whether an attribute of a class is to be defined by those below."""
    value = getattr(value, "getter", getattr(value, "function", value))
    return bool(getattr(value, "names", {}).get("__isabstractmethod__"))


def _own(value: Any, cls: Class) -> None:
    """Tell a method of its class, for super() and private names."""
    if isinstance(value, Function):
        value.owner = value.owner or cls
        _own(value.names.get("__wrapped__"), cls)
    elif isinstance(value, Wrapper):
        _own(value.function, cls)
    elif isinstance(value, Property):
        for each in (value.getter, value.setter, value.undo):
            _own(each, cls)


# enumerations


def _make_enum(machine: Machine, cls: Class) -> Run:
    """Make the members of an enumeration."""
    members: dict[str, Any] = {}
    count = 0
    cls.traits["members"] = members
    is_flag = cls.trait("enum") == "flag"
    for name, value in list(cls.names.items()):
        is_plain = not name.startswith("_") and not isinstance(
            value, (Function, Property, Wrapper, Native, Class)
        )
        if not is_plain or (
            isinstance(value, Instance) and value.cls.find("__get__") is not MISSING
        ):
            continue
        if isinstance(value, Auto):
            value = (
                name.lower()
                if cls.trait("enum") == "text"
                else 1 << count
                if is_flag
                else count + 1
            )
        count = value if isinstance(value, int) and not is_flag else count + 1
        same = next((one for one in members.values() if _same(one.names["value"], value)), None)
        if same is not None:
            members[name] = same
            del cls.names[name]
            continue
        member = Instance(cls)
        maker = cls.find("__new__")
        given = [*value] if isinstance(value, tuple) else [value]
        if maker is not MISSING:
            raise GiveUp("members that are made by __new__")
        host = cls.above()
        if host in (str, int) and isinstance(value, PLAIN):
            member.payload = value
        member.names.update(name=name, _name_=name, value=value, _value_=value)
        starter = cls.find("__init__")
        if starter is not MISSING:
            yield from machine.call(starter, [member, *given], {})
        del cls.names[name]
        members[name] = member


def _same(one: Any, other: Any) -> bool:
    return one is other or (isinstance(one, PLAIN) and isinstance(other, PLAIN) and one == other)


class Auto:
    """enum.auto()."""


def member_of(machine: Machine, cls: Class, arguments: list[Any]) -> Run:
    """Return the member with a value."""
    members = [*cls.trait("members").values()]
    (value,) = arguments[:1] or [None]
    for member in members:
        if member is value or _same(member.names["value"], value):
            return member
    missing = cls.find("_missing_")
    if isinstance(value, Unknown):
        return machine.choose(members)
    if missing is not MISSING:
        found = yield from machine.call(missing.function, [cls, value], {})
        if found is not None:
            return found
    raise error(ValueError, f"{value!r} is not a valid {cls.name}")


# named tuples


def _make_named_tuple(cls: Class) -> None:
    annotations = cls.names.get("__annotations__", {})
    defaults = {name: cls.names.pop(name) for name in annotations if name in cls.names}
    named_tuple(cls, [*annotations], defaults)


def named_tuple(cls: Class, fields: list[str], defaults: dict[str, Any]) -> None:
    """Let a class be a named tuple."""
    cls.traits["fields_of_tuple"] = fields
    cls.traits["named_tuple"] = True

    def new(machine: Machine, arguments: list[Any], keywords: dict[str, Any]) -> Run:
        owner, *given = arguments
        made = Instance(owner)
        values = {**defaults, **dict(zip(fields, given, strict=False)), **keywords}
        if len(given) > len(fields) or set(values) != set(fields):
            raise error(TypeError, "arguments of a named tuple")
        made.names.update((name, values[name]) for name in fields)
        made.payload = tuple(values[name] for name in fields)
        return made
        yield

    def replaced(machine: Machine, arguments: list[Any], keywords: dict[str, Any]) -> Run:
        (old,) = arguments
        values = {name: old.names[name] for name in fields} | keywords
        return (yield from machine.call(cls.names["__new__"], [old.cls], values))

    def as_dict(_: Machine, arguments: list[Any], __: dict[str, Any]) -> Run:
        return {name: arguments[0].names[name] for name in fields}
        yield

    def of_items(machine: Machine, arguments: list[Any], _: dict[str, Any]) -> Run:
        owner, given = arguments
        items = yield from machine.items(given)
        return (yield from machine.call(cls.names["__new__"], [owner, *items], {}))

    cls.names["__new__"] = Native("__new__", new)
    cls.names["_replace"] = Native("_replace", replaced)
    cls.names["_asdict"] = Native("_asdict", as_dict)
    cls.names["_make"] = Wrapper("class", Native("_make", of_items))
    cls.names["_fields"] = tuple(fields)


# dataclasses


class Field:
    """A field of a dataclass."""

    __slots__ = (
        "default",
        "factory",
        "is_compared",
        "is_given",
        "is_initial",
        "is_keyword",
        "is_shown",
        "name",
    )

    def __init__(self, name: str, default: Any = MISSING, **options: Any) -> None:
        self.name, self.default = name, default
        self.factory = options.get("default_factory", MISSING)
        self.is_given = options.get("init", True) is not False
        self.is_compared = options.get("compare", True) is not False
        self.is_shown = options.get("repr", True) is not False
        self.is_keyword = options.get("kw_only") is True
        self.is_initial = False  # handed to __post_init__ only

    @property
    def is_positional(self) -> bool:
        """Tell whether it has a position among the arguments."""
        return self.is_given and not self.is_keyword


def dataclass(machine: Machine, cls: Class, options: dict[str, Any]) -> Class:
    """Let a class be a dataclass."""
    fields: dict[str, Field] = {}
    for base in reversed(cls.mro[1:]):
        fields |= {each.name: each for each in base.traits.get("fields", ())}
    is_keyword = options.get("kw_only") is True
    for name, annotation in cls.names.get("__annotations__", {}).items():
        written = ast.unparse(annotation)
        if "ClassVar" in written:
            continue
        if written.endswith("KW_ONLY"):
            is_keyword = True
            continue
        default = cls.names.get(name, MISSING)
        if isinstance(default, Field):
            one = default
            one.name = name
            if one.default is not MISSING:
                cls.names[name] = one.default
            else:
                del cls.names[name]
        else:
            one = Field(name, default)
        one.is_keyword = one.is_keyword or is_keyword
        one.is_initial = "InitVar" in written
        fields[name] = one
    cls.traits["fields"] = [*fields.values()]
    if options.get("frozen") is True:
        cls.traits["frozen"] = True
    if options.get("init", True) is not False and "__init__" not in cls.names:
        cls.names["__init__"] = Native("__init__", _initialiser(cls))
    if options.get("eq", True) is not False and "__eq__" not in cls.names:
        cls.names["__eq__"] = Native("__eq__", _equality())
        if options.get("frozen") is True or options.get("unsafe_hash") is True:
            cls.traits["hashed"] = True
    if options.get("order") is True:
        for name, index in (("__lt__", ast.Lt), ("__le__", ast.LtE), ("__gt__", ast.Gt)):
            cls.names[name] = Native(name, _ordering(index))
    return cls


def fields_of(value: Any) -> list[Field]:
    """Return the fields of a dataclass or of an instance of one."""
    cls = value if isinstance(value, Class) else getattr(value, "cls", None)
    found = cls.trait("fields") if cls is not None else None
    if found is None:
        raise error(TypeError, "no dataclass")
    return [each for each in found if not each.is_initial]


def _initialiser(cls: Class) -> Callable[..., Run]:
    from codelake.resolve.rehearsal.calling import name_unknown

    def run(machine: Machine, arguments: list[Any], keywords: dict[str, Any]) -> Run:
        made, *given = arguments
        fields = cls.traits["fields"]
        positional = [each for each in fields if each.is_positional]
        if len(given) > len(positional):
            raise error(TypeError, "too many positional arguments")
        values = {each.name: one for each, one in zip(positional, given, strict=False)}
        names = {each.name for each in fields if each.is_given}
        free = [
            (each.name, each.factory is MISSING and each.default is MISSING)
            for each in fields
            if each.is_given and each.name not in values
        ]
        name_unknown(machine, keywords, free, has_rest=False)
        if wrong := [name for name in keywords if name not in names or name in values]:
            raise error(TypeError, f"argument '{wrong[0]}'")
        values |= keywords
        initial = []
        for each in fields:
            if each.name in values:
                value = values[each.name]
            elif each.factory is not MISSING:
                value = yield from machine.call(each.factory, [], {})
            elif each.default is not MISSING:
                value = each.default
            elif each.is_given:
                raise error(TypeError, f"missing argument '{each.name}'")
            else:
                continue
            if each.is_initial:
                initial.append(value)
                continue
            from codelake.resolve.rehearsal.attributes import plain_set

            yield from plain_set(machine, made, each.name, value)
        after = made.cls.find("__post_init__")
        if after is not MISSING:
            yield from machine.call(after, [made, *initial], {})

    return run


def _equality() -> Callable[..., Run]:
    from codelake.resolve.rehearsal.operators import compare

    def run(machine: Machine, arguments: list[Any], _: dict[str, Any]) -> Run:
        one, other = arguments
        if not isinstance(other, Instance) or other.cls is not one.cls:
            return NotImplemented
        for each in fields_of(one):
            if not each.is_compared:
                continue
            same = yield from compare(
                machine, ast.Eq, one.names.get(each.name), other.names.get(each.name)
            )
            if not (yield from machine.truth(same)):
                return False
        return True

    return run


def _ordering(op: type) -> Callable[..., Run]:
    from codelake.resolve.rehearsal.operators import compare

    def run(machine: Machine, arguments: list[Any], _: dict[str, Any]) -> Run:
        names = [each.name for each in fields_of(arguments[0]) if each.is_compared]
        sides = [tuple(one.names.get(name) for name in names) for one in arguments]
        return (yield from compare(machine, op, *sides))

    return run
