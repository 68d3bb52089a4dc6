"""Attributes: `a.b`, `a.b = c` and `del a.b`, by Python's rules of descriptors."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from codelake.resolve.rehearsal.values import (
    CONTAINERS,
    HIDDEN,
    MISSING,
    PLAIN,
    TYPE,
    UNKNOWN_ERROR,
    Bound,
    Class,
    External,
    Function,
    GiveUp,
    Instance,
    Iterated,
    Method,
    Module,
    Native,
    Partial,
    Property,
    Raised,
    Run,
    Super,
    Unknown,
    Wrapper,
    class_of,
    error,
    is_error,
    origins,
)

if TYPE_CHECKING:
    from codelake.resolve.rehearsal.machine import Machine

_ITERATED = {
    "generator": ("__next__", "__iter__", "send", "throw", "close"),
    "coroutine": ("send", "throw", "close", "__await__"),
    "async_generator": ("__anext__", "__aiter__", "asend", "athrow", "aclose"),
}


def _missing(value: Any, name: str) -> Exception:
    return error(AttributeError, f"'{type(value).__name__}' object has no attribute '{name}'")


def attribute(machine: Machine, value: Any, name: str) -> Run:
    """Return `value.name`."""
    if isinstance(value, Instance):
        return (yield from _of_instance(machine, value, name))
    if isinstance(value, Class):
        return (yield from _of_class(machine, value, name))
    if isinstance(value, Module):
        if name in value.names:
            return value.names[name]
        inner = machine.modules.get(f"{value.full}.{name}")
        if inner is None:
            getter = value.names.get("__getattr__")
            if getter is not None:
                return (yield from machine.call(getter, [name], {}))
            if name == "__dict__":
                return value.names
            raise _missing(value, name)
        return inner
    if isinstance(value, Unknown):
        if name not in value.names:
            machine.may_raise(value)
            made = value.names[name] = Unknown(value.origins)
            made.owner = value, name
        return value.names[name]
    if isinstance(value, External):
        return _outside(machine, f"{value.full}.{name}")
    if isinstance(value, Super):
        return (yield from _of_super(machine, value, name))
    if isinstance(value, (Function, Native)):
        return _of_function(value, name)
    if isinstance(value, Bound):
        if name in ("__self__", "__func__"):
            return value.receiver if name == "__self__" else value.function
        return (yield from attribute(machine, value.function, name))
    if isinstance(value, Property):
        if name in ("getter", "setter", "deleter"):
            return Bound(_PROPERTY[name], value)
        if name in ("fget", "fset"):
            return value.getter if name == "fget" else value.setter
        raise _missing(value, name)
    if isinstance(value, Partial):
        found = {"func": value.function, "args": tuple(value.arguments), "keywords": value.keywords}
        if name in found:
            return found[name]
        raise _missing(value, name)
    if isinstance(value, Iterated):
        if name in value.names:
            return value.names[name]
        if name in _ITERATED.get(value.kind, ()):
            return Method(value, name)
        if value.kind not in _ITERATED and name in _ITERATED["generator"]:
            return Method(value, name)
        raise _missing(value, name)
    if isinstance(value, (*PLAIN, *CONTAINERS)):
        return _of_host(value, name)
    hidden = getattr(value, "attribute", None)
    if hidden is not None:
        return hidden(machine, name)
    raise GiveUp(f"an attribute of {type(value).__name__}")


def _of_host(value: Any, name: str) -> Any:
    if name == "__class__":
        return class_of(value)
    if name == "__doc__":
        return None
    if name in ("start", "stop", "step", "real", "imag", "numerator", "maxlen") and hasattr(
        value, name
    ):
        return getattr(value, name)
    if hasattr(type(value), name) and callable(getattr(type(value), name)):
        return Method(value, name)
    if isinstance(value, dict) and name == "move_to_end":
        return Method(value, name)
    raise _missing(value, name)


def _of_function(value: Any, name: str) -> Any:
    if name in value.names:
        return value.names[name]
    if isinstance(value, Function):
        written = getattr(value.node, "name", "<lambda>")
        known = {
            "__name__": written,
            "__qualname__": written,
            "__module__": value.scope.module.names.get("__name__"),
            "__doc__": None,
            "__dict__": value.names,
            "__defaults__": tuple(value.defaults) or None,
        }
        if name in known:
            return known[name]
        if name.startswith("__"):
            raise GiveUp(f"{name} of a function")
    elif name in ("__name__", "__qualname__"):
        return value.name
    elif name in ("__doc__", "__module__"):
        return None
    else:
        from codelake.resolve.rehearsal.library import library

        inner = library(f"{value.name}.{name}")
        if inner is not MISSING:
            return inner
    raise _missing(value, name)


def _outside(machine: Machine, full: str) -> Any:
    from codelake.resolve.rehearsal.library import library

    found = library(full)
    return External(full) if found is MISSING else found


def bind(machine: Machine, found: Any, receiver: Any, cls: Class) -> Run:
    """Return what a class attribute is for a receiver; None as receiver asks the class."""
    if isinstance(found, (Function, Native)) and receiver is not None:
        return Bound(found, receiver)
    if isinstance(found, Native) and found.names.get(" class"):
        return found
    if isinstance(found, Wrapper):
        return found.function if found.kind == "static" else Bound(found.function, cls)
    if isinstance(found, Property) and receiver is not None:
        if found.getter is None:
            raise error(AttributeError, "no getter")
        made = yield from machine.call(found.getter, [receiver], {})
        if found.cached and isinstance(receiver, Instance):
            receiver.names[found.name] = made
        return made
    if isinstance(found, Instance) and found.cls.find("__get__") is not MISSING:
        return (yield from machine.special(found, "__get__", receiver, cls))
    hidden = getattr(found, "bound_to", None)
    if hidden is not None:
        return hidden(machine, receiver, cls)
    return found


def _is_data(found: Any) -> bool:
    if isinstance(found, Property):
        return not found.cached
    return isinstance(found, Instance) and found.cls.find("__set__") is not MISSING


def _of_instance(machine: Machine, value: Instance, name: str) -> Run:
    cls = value.cls
    getter = cls.find("__getattribute__")
    if getter is not MISSING:
        try:
            return (yield from machine.call(getter, [value, name], {}))
        except Raised as raised:
            after = cls.find("__getattr__")
            if after is MISSING or not _is_attribute_error(raised):
                raise
            return (yield from machine.call(after, [value, name], {}))
    return (yield from plain_attribute(machine, value, name))


def plain_attribute(machine: Machine, value: Instance, name: str) -> Run:
    """Return an attribute as object.__getattribute__ does, then as __getattr__ does."""
    cls = value.cls
    found = cls.find(name)
    if found is not MISSING and _is_data(found):
        try:
            return (yield from bind(machine, found, value, cls))
        except Raised as raised:
            getter = cls.find("__getattr__")
            if getter is MISSING or not _is_attribute_error(raised):
                raise
            return (yield from machine.call(getter, [value, name], {}))
    if name in value.names:
        return value.names[name]
    if found is not MISSING:
        return (yield from bind(machine, found, value, cls))
    if cls is UNKNOWN_ERROR and name not in ("with_traceback", "add_note", "__notes__"):
        return value.names.setdefault(name, Unknown(origins(value), HIDDEN))
    special = _special(machine, value, name)
    if special is not MISSING:
        return special
    getter = cls.find("__getattr__")
    if getter is not MISSING:
        return (yield from machine.call(getter, [value, name], {}))
    if cls.is_open:
        return value.names.setdefault(name, Unknown(origins(value), HIDDEN))
    raise error(AttributeError, f"'{cls.name}' object has no attribute '{name}'")


def _is_attribute_error(raised: Raised) -> bool:
    return is_error(raised.value.cls, AttributeError)


def _special(machine: Machine, value: Instance, name: str) -> Any:
    if name == "__class__":
        return value.cls
    if name == "__dict__":
        return value.names
    if name in ("__doc__", "__module__"):
        return None
    if is_error(value.cls):
        if name in ("__cause__", "__traceback__"):
            return None
        if name in ("__context__", "errno", "strerror", "filename"):
            raise GiveUp(f"{name} of an exception")
        if name == "__notes__":
            return value.names.setdefault(name, [])
        if name in ("with_traceback", "add_note"):
            return Method(value, name)
        if name in ("exceptions", "message") and is_error(value.cls, BaseExceptionGroup):
            given = value.names.get("args", ())
            return given[name == "exceptions"] if len(given) > 1 else None
        if name in ("split", "subgroup", "derive") and is_error(value.cls, BaseExceptionGroup):
            raise GiveUp("parts of a group")
    if name in ("__init__", "__setattr__", "__eq__", "__ne__", "__hash__", "__repr__", "__str__"):
        return Method(value, name)
    if isinstance(value.payload, Unknown):
        made = Unknown(value.payload.origins)
        made.owner = value.payload, name
        return made
    if value.payload is not MISSING and hasattr(type(value.payload), name):
        return Method(value.payload, name)
    if name in ("__getattribute__", "__delattr__", "__init_subclass__", "__format__"):
        return Method(value, name)
    return MISSING


def _of_class(machine: Machine, value: Class, name: str) -> Run:
    if value.meta is not None:
        found = value.meta.find(name)
        if found is not MISSING and _is_data(found):
            return (yield from bind(machine, found, value, value.meta))
    found = value.find(name)
    if found is not MISSING:
        return (yield from bind(machine, found, None, value))
    members = value.trait("members")
    if members is not None:
        if name in members:
            return members[name]
        if name == "__members__":
            return dict(members)
    known: dict[str, Any] = {
        "__name__": value.name,
        "__qualname__": value.name,
        "__doc__": None,
        "__bases__": tuple(value.bases),
        "__mro__": tuple(value.mro),
        "__class__": value.meta or TYPE,
        "__module__": value.module,
        "__dict__": value.names,
    }
    if name in known:
        return known[name]
    if value.meta is not None:
        found = value.meta.find(name)
        if found is not MISSING:
            return (yield from bind(machine, found, value, value.meta))
    if name in ("mro", "__subclasses__", "__new__", "__init__", "__call__"):
        return Method(value, name)
    from codelake.resolve.rehearsal.library import library

    for each in value.mro:
        if each.host is not None:
            found = library(f"builtins.{each.name}.{name}")
            if found is not MISSING:
                return found
            if hasattr(each.host, name) and callable(getattr(each.host, name)):
                return Method(value, name)
    if value.meta is not None and (getter := value.meta.find("__getattr__")) is not MISSING:
        return (yield from machine.call(getter, [value, name], {}))
    if value.is_open:
        return Unknown()
    raise error(AttributeError, f"type object '{value.name}' has no attribute '{name}'")


def _of_super(machine: Machine, value: Super, name: str) -> Run:
    receiver = value.receiver
    is_class = isinstance(receiver, Class)
    cls = receiver if is_class else receiver.cls
    order = cls.mro if value.cls in cls.mro else (cls.meta.mro if cls.meta else cls.mro)
    behind = order[order.index(value.cls) + 1 :] if value.cls in order else order
    is_meta = is_class and value.cls not in cls.mro
    for each in behind:
        if name in each.names:
            found = each.names[name]
            if isinstance(found, Function) and name in ("__new__", "__init_subclass__"):
                return found if name == "__new__" else Bound(found, cls)
            if is_class and not is_meta:
                return (yield from bind(machine, found, None, cls))
            return (yield from bind(machine, found, receiver, cls))
    if is_meta:
        return Method(receiver, f"type.{name}")
    if is_class:
        return Method(receiver, f"object.{name}")
    is_own = name in ("__init__", "__new__", "__setattr__")
    if receiver.payload is not MISSING and not is_own and hasattr(type(receiver.payload), name):
        return Method(receiver.payload, name)
    special = _special(machine, receiver, name)
    if special is not MISSING:
        return special
    if cls.is_open:
        return Native(name, partial(_keep, receiver))
    raise _missing(receiver, name)


def _keep(
    receiver: Instance, machine: Machine, arguments: list[Any], keywords: dict[str, Any]
) -> Run:
    """Let a class outside keep what its method is handed."""
    for given in (*arguments, *keywords.values()):
        receiver.names[f" {len(receiver.names)}"] = given
    return Unknown(origins(receiver))
    yield


def set_attribute(machine: Machine, value: Any, name: str, given: Any) -> Run:
    """Do `value.name = given`."""
    if isinstance(value, Instance):
        setter = value.cls.find("__setattr__")
        if setter is not MISSING:
            yield from machine.call(setter, [value, name, given], {})
            return
        if value.cls.trait("frozen"):
            raise error(AttributeError, f"cannot assign to field '{name}'")
        yield from plain_set(machine, value, name, given)
    elif isinstance(value, Class):
        if value.meta is not None and (setter := value.meta.find("__setattr__")) is not MISSING:
            yield from machine.call(setter, [value, name, given], {})
            return
        value.names[name] = given
    elif isinstance(value, Function) and name in ("__defaults__", "__kwdefaults__", "__code__"):
        raise GiveUp(f"{name} that is changed")
    elif isinstance(value, (Module, Unknown, Function, Native, Iterated)):
        value.names[name] = given
    elif isinstance(value, External):
        if value.full == "sys":
            raise GiveUp(f"sys.{name} that is changed")
        machine.unknown(value.full).names[name] = given
    elif isinstance(value, Super):
        yield from plain_set(machine, value.receiver, name, given)
    else:
        hidden = getattr(value, "set_attribute", None)
        if hidden is None:
            raise _missing(value, name)
        hidden(machine, name, given)


def plain_set(machine: Machine, value: Any, name: str, given: Any) -> Run:
    """Store an attribute as object.__setattr__ does."""
    if not isinstance(value, Instance):
        value.names[name] = given
        return
    found = value.cls.find(name)
    if isinstance(found, Property) and not found.cached:
        if found.setter is None:
            raise error(AttributeError, "no setter")
        yield from machine.call(found.setter, [value, given], {})
    elif _is_data(found):
        yield from machine.special(found, "__set__", value, given)
    elif name == "__dict__" and isinstance(given, dict):
        value.names = given
    elif name == "__class__" and isinstance(given, Class):
        value.cls = given
    elif not _has_room(value.cls, name):
        raise error(AttributeError, f"no slot '{name}'")
    else:
        value.names[name] = given


def _has_room(cls: Class, name: str) -> bool:
    """Tell whether an instance takes an attribute: a slot, or a __dict__ of some class."""
    slots: list[Any] = []
    for each in cls.mro:
        own = each.names.get("__slots__", MISSING)
        if each.host is object:
            continue
        if own is MISSING:
            return True
        slots += [own] if isinstance(own, str) else [*own]
    return name in slots or "__dict__" in slots or any(s.startswith("__") for s in slots)


def delete_attribute(machine: Machine, value: Any, name: str) -> Run:
    """Do `del value.name`."""
    if isinstance(value, Instance):
        if value.cls.find("__delattr__") is not MISSING:
            yield from machine.special(value, "__delattr__", name)
            return
        found = value.cls.find(name)
        if isinstance(found, Instance) and found.cls.find("__delete__") is not MISSING:
            yield from machine.special(found, "__delete__", value)
            return
        if isinstance(found, Property) and found.undo is not None:
            yield from machine.call(found.undo, [value], {})
            return
    names = getattr(value, "names", None)
    if names is None or names.pop(name, MISSING) is MISSING:
        raise _missing(value, name)


def _changed(kind: str) -> Native:
    def run(_: Machine, arguments: list[Any], __: dict[str, Any]) -> Run:
        old, function = arguments
        parts = {"getter": old.getter, "setter": old.setter, "deleter": old.undo}
        parts[kind] = function
        return Property(parts["getter"], parts["setter"], parts["deleter"], cached=old.cached)
        yield

    return Native(kind, run)


_PROPERTY = {kind: _changed(kind) for kind in ("getter", "setter", "deleter")}
