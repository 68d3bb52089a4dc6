"""Calls: of functions, methods, classes, and of what lies outside.

Code outside that has no model makes its result of everything it is handed. It is taken not to
change what it is handed; a function of the code that it is handed ends the rehearsal, since
nobody knows how it is called.
Next: methods.py, library.py.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from codelake.resolve.rehearsal.values import (
    HIDDEN,
    MISSING,
    PLAIN,
    TYPE,
    Bound,
    Class,
    Cut,
    External,
    Function,
    GiveUp,
    Instance,
    Iterated,
    Method,
    Native,
    Partial,
    Raised,
    Run,
    Scope,
    Unknown,
    error,
    is_error,
    is_known,
    number_of,
    origins,
)

if TYPE_CHECKING:
    from codelake.resolve.rehearsal.machine import Machine

_CHANGING = (
    *("add", "append", "enqueue", "extend", "feed", "insert", "load", "push", "put", "read_"),
    *("register", "set", "store", "update", "write"),
)
_MOST_ACTIVE = 3  # calls of one function in one another, which go on by decisions
_MUTATING = (
    *("bisect.insort", "random.shuffle", "heapq.", "operator.i", "operator.delitem", "sys."),
    "struct.pack_into",
)
_WRITING = ("json.dump", "pickle.dump", "marshal.dump")
_HIDDEN_STATE = ("sys.settrace",)
_TRUTHS = (
    *(f"os.path.{name}" for name in ("exists", "isfile", "isdir", "isabs", "islink", "samefile")),
    *("fnmatch.fnmatch", "fnmatch.fnmatchcase"),
)
_HARMLESS = ("logging.", "warnings.", "typing.", "collections.abc.", "abc.", "numbers.")


def call(machine: Machine, callee: Any, arguments: list[Any], keywords: dict[str, Any]) -> Run:
    """Call something."""
    if isinstance(callee, Function):
        return (yield from invoke(machine, callee, arguments, keywords))
    if isinstance(callee, Bound):
        given = [callee.receiver, *arguments]
        return (yield from call(machine, callee.function, given, keywords))
    if isinstance(callee, Native):
        return (yield from callee.run(machine, arguments, keywords))
    if isinstance(callee, Method):
        from codelake.resolve.rehearsal.methods import run_method

        return (yield from run_method(machine, callee.receiver, callee.name, arguments, keywords))
    if isinstance(callee, Class):
        return (yield from instantiate(machine, callee, arguments, keywords))
    if isinstance(callee, Partial):
        given = [*callee.arguments, *arguments]
        return (yield from call(machine, callee.function, given, {**callee.keywords, **keywords}))
    if isinstance(callee, Instance):
        method = callee.cls.find("__call__")
        if method is not MISSING:
            return (yield from call(machine, method, [callee, *arguments], keywords))
        if callee.cls.is_open:
            return outside(machine, "", [*arguments, *keywords.values(), callee])
    if isinstance(callee, External):
        from codelake.resolve.rehearsal.library import library

        known = library(callee.full)
        if known is not MISSING:
            return (yield from call(machine, known, arguments, keywords))
        return outside(machine, callee.full, [*arguments, *keywords.values()])
    if isinstance(callee, Unknown):
        given = [*arguments, *keywords.values()]
        if callee.structure is HIDDEN:
            raise GiveUp("a method of a class outside")
        if callee.owner is not None:
            if callee.owner[1] == "sub" and len(arguments) > 1 and _is_function(arguments[0]):
                from codelake.resolve.rehearsal.text_objects import substituted

                return (yield from substituted(machine, arguments[1], arguments[0]))
            return _unknown_method(machine, callee.owner, arguments, given)
        return outside(machine, "", [*given, callee])
    hidden = getattr(callee, "call", None)
    if hidden is not None:
        return (yield from hidden(machine, arguments, keywords))
    raise error(TypeError, "not callable")


def _is_function(value: Any) -> bool:
    return isinstance(value, (Function, Bound, Partial, Native))


def outside(machine: Machine, full: str, given: list[Any]) -> Unknown:
    """Return what code without a model makes of what it is handed."""
    if (full.startswith(_MUTATING) or full in _WRITING) and not all(
        isinstance(each, (*PLAIN, Unknown)) for each in given
    ):
        raise GiveUp(f"{full}, which changes what it is handed")
    if full in _HIDDEN_STATE:
        raise GiveUp(full)
    if full.startswith("logging.") and any(_has_own_text(each) for each in given):
        raise GiveUp("a text that logging asks for")
    if not full.startswith(_HARMLESS):
        for each in given:
            is_class = isinstance(each, Class) and each.host is None
            if (
                isinstance(each, (Function, Bound, Partial))
                or (is_class and each.trait("members") is None)
                or (isinstance(each, Instance) and each.cls.is_open)
            ):
                raise GiveUp(f"a function that {full or 'something unknown'} is handed")
    name = full.rpartition(".")[2]
    found = set() if full in _TRUTHS else origins(*given)
    if "." in full and name.startswith(_CHANGING):
        owner = machine.outside.get(full.rpartition(".")[0])
        if owner is not None:
            owner.origins |= found
    if "." in full or not full:
        machine.may_raise(*given)
    made = Unknown(found)
    if files := [each for each in given if hasattr(each, "write")]:
        made.names[" files"] = files
    return made


def _has_own_text(value: Any) -> bool:
    """Tell whether the code makes the text of a value."""
    names = ("__str__", "__repr__", "__format__")
    is_own = isinstance(value, Instance)
    return is_own and any(value.cls.find(name) is not MISSING for name in names)


def _unknown_method(
    machine: Machine, owner: tuple[Unknown, str], arguments: list[Any], given: list[Any]
) -> Any:
    """Return what a method of something unknown makes; its name tells whether it keeps things."""
    receiver, name = owner
    if name == "startswith" and arguments and isinstance(arguments[0], str):
        start, size = arguments[0], min(len(arguments[0]), len(receiver.head))
        if len(arguments) == 1 and (size == len(start) or start[:size] != receiver.head[:size]):
            return receiver.head.startswith(start)
    if name.startswith(("is", "startswith", "endswith", "has", "__contains__")) and is_known(
        *given
    ):
        known: Unknown = receiver.names.setdefault(f"{name}{arguments}", Unknown())
        return known
    if hasattr(str, name) and is_known(*given):  # the same text each time
        key = f"{name}({given!r})"
        if key not in receiver.names:
            receiver.names[key] = Unknown(origins(receiver), is_some=True)
        text: Unknown = receiver.names[key]
        return text
    items = arguments[0] if name == "join" and arguments else None
    is_one = isinstance(items, (list, tuple)) and len(items) < 2
    made = outside(machine, "", given if is_one else [receiver, *given])
    if name.startswith(_CHANGING):
        receiver.origins |= origins(*given)
        for file in receiver.names.get(" files", ()):
            file.write(Unknown(origins(*given)))
    return made


def invoke(
    machine: Machine, function: Function, arguments: list[Any], keywords: dict[str, Any]
) -> Run:
    """Call a function of the code."""
    node = function.node
    scope = Scope("function", node, function.scope.module, function.scope, function.known)
    scope.owner = function.owner
    _bind(machine, function, scope, list(arguments), dict(keywords))
    if isinstance(node, ast.Lambda):
        if function.known.is_generator:
            raise GiveUp("a lambda that yields")
        machine.enter()
        value = yield from machine.value(node.body, scope)
        machine.depth -= 1
        return value
    is_async = isinstance(node, ast.AsyncFunctionDef)
    if function.known.is_generator:
        kind = "async_generator" if is_async else "generator"
        return Iterated(_body(machine, node, scope), kind, is_body=True)
    if is_async:
        return Iterated(_body(machine, node, scope), "coroutine", is_body=True)
    return (yield from _body(machine, node, scope))


def _body(machine: Machine, node: Any, scope: Scope) -> Run:
    depth, active, site = machine.depth, machine.active[node], machine.site
    machine.site = site[1], None, 0
    machine.enter()
    size = len(active)
    active.append(machine.asked)
    if size > _MOST_ACTIVE and machine.asked - active[0] > _MOST_ACTIVE:
        machine.cut.add(node)
        raise Cut
    try:
        signal = yield from machine.block(node.body, scope)
    except Raised:
        machine.depth, machine.site = depth, site
        del active[size:]
        raise
    machine.depth, machine.site = depth, site
    del active[size:]
    if size >= _MOST_ACTIVE:
        machine.left.add(node)
    return None if signal is None else signal.value


def takes_unknown(callee: Any) -> bool:
    """Tell whether keywords of unknown names can be given to something: it is of the code."""
    if isinstance(callee, Bound):
        return takes_unknown(callee.function)
    if isinstance(callee, Class):
        return callee.host is None and callee.find("__new__") is MISSING
    if isinstance(callee, External):
        from codelake.resolve.rehearsal.library import library

        return library(callee.full) is MISSING
    return isinstance(callee, (Function, Unknown))


def name_unknown(
    machine: Machine, keywords: dict[Any, Any], names: list[tuple[str, bool]], *, has_rest: bool
) -> None:
    """Give names to keywords that nobody knows.

    Args:
        machine: the machine.
        keywords: what is given by name; changed.
        names: the parameters that may be given by name, and whether they have to be.
        has_rest: whether there is a parameter for all others.
    """
    for key in [each for each in keywords if isinstance(each, Unknown)]:
        value = keywords.pop(key)
        free = [one for one in names if one[0] not in keywords]
        if key.is_any:
            for name, is_needed in free:
                if is_needed or machine.decide():
                    keywords[name] = Unknown(origins(value))
        elif free or not has_rest:
            if not free:
                raise error(TypeError, "unexpected keyword argument")
            chosen = machine.choose([*(name for name, _ in free), *([key] if has_rest else [])])
            keywords[chosen] = value
            continue
        if has_rest:
            keywords[key] = value


def _bind(
    machine: Machine,
    function: Function,
    scope: Scope,
    arguments: list[Any],
    keywords: dict[str, Any],
) -> None:
    """Bind arguments to parameters."""
    given = function.node.args
    positional = [*given.posonlyargs, *given.args]
    names = scope.names
    file = scope.module.file

    def take(parameter: ast.arg, value: Any) -> None:
        names[parameter.arg] = machine.arrive(value, (file, number_of(parameter)))

    if len(arguments) > len(positional):
        if given.vararg is None:
            raise error(TypeError, "too many positional arguments")
        take(given.vararg, tuple(arguments[len(positional) :]))
    elif given.vararg is not None:
        take(given.vararg, ())
    first_default = len(positional) - len(function.defaults)
    if any(isinstance(each, Unknown) for each in keywords):
        named = [
            (each.arg, number < first_default)
            for number, each in enumerate(positional)
            if number >= max(len(arguments), len(given.posonlyargs))
        ]
        named += [(each.arg, each.arg not in function.kw_defaults) for each in given.kwonlyargs]
        name_unknown(machine, keywords, named, has_rest=given.kwarg is not None)
    for number, parameter in enumerate(positional):
        name = parameter.arg
        if number < len(arguments):
            take(parameter, arguments[number])
            if name in keywords and number >= len(given.posonlyargs):
                raise error(TypeError, f"multiple values for argument '{name}'")
        elif name in keywords and number >= len(given.posonlyargs):
            take(parameter, keywords.pop(name))
        elif number >= first_default:
            take(parameter, function.defaults[number - first_default])
        else:
            raise error(TypeError, f"missing argument '{name}'")
    for parameter in given.kwonlyargs:
        name = parameter.arg
        if name in keywords:
            take(parameter, keywords.pop(name))
        elif name in function.kw_defaults:
            take(parameter, function.kw_defaults[name])
        else:
            raise error(TypeError, f"missing keyword argument '{name}'")
    if given.kwarg is not None:
        take(given.kwarg, keywords)
    elif keywords:
        raise error(TypeError, f"unexpected keyword argument '{next(iter(keywords))}'")


def instantiate(
    machine: Machine, cls: Class, arguments: list[Any], keywords: dict[str, Any]
) -> Run:
    """Make an instance of a class."""
    from codelake.resolve.rehearsal import classes
    from codelake.resolve.rehearsal.constructors import construct

    if cls.meta is not None and cls.meta is not TYPE:
        method = cls.meta.find("__call__")
        if method is not MISSING:
            return (yield from call(machine, method, [cls, *arguments], keywords))
    if cls.trait("members") is not None:
        return (yield from classes.member_of(machine, cls, arguments))
    if cls.host is not None:
        return (yield from construct(machine, cls, arguments, keywords))
    return (yield from plain_instance(machine, cls, arguments, keywords))


def plain_instance(
    machine: Machine, cls: Class, arguments: list[Any], keywords: dict[str, Any]
) -> Run:
    """Do what type.__call__ does: __new__, then __init__."""
    maker = cls.find("__new__")
    if maker is not MISSING:
        function = maker.function if hasattr(maker, "kind") else maker
        made = yield from call(machine, function, [cls, *arguments], keywords)
        if not isinstance(made, Instance) or cls not in made.cls.mro:
            return made
    else:
        made = yield from new_instance(machine, cls, arguments, keywords)
    starter = cls.find("__init__")
    if starter is not MISSING:
        yield from call(machine, starter, [made, *arguments], keywords)
    elif maker is MISSING or isinstance(made.payload, (list, dict, set)):
        yield from _without_init(machine, cls, made, arguments, keywords)
    return made


def new_instance(
    machine: Machine, cls: Class, arguments: list[Any], keywords: dict[str, Any]
) -> Run:
    """Do what object.__new__ does, or that of the built-in class above."""
    from codelake.resolve.rehearsal.classes import is_abstract
    from codelake.resolve.rehearsal.constructors import construct
    from codelake.resolve.rehearsal.values import builtin_class

    made = Instance(cls)
    if is_error(cls):
        made.names["args"] = tuple(arguments)
        if is_error(cls, StopIteration):
            made.names["value"] = arguments[0] if arguments else None
        return made
    if cls.trait("abstract"):
        for name in cls.trait("abstract"):
            found = cls.find(name)
            if is_abstract(found):
                raise error(TypeError, "an abstract class")
    above = cls.above()
    if above in (str, int, float, bytes, tuple, frozenset):
        made.payload = yield from construct(machine, builtin_class(above), arguments, keywords)
    elif above in (list, dict, set) or (above is not None and above.__name__ == "deque"):
        made.payload = above()
    return made


def _without_init(
    machine: Machine, cls: Class, made: Any, arguments: list[Any], keywords: dict[str, Any]
) -> Run:
    """Do what the __init__ above does, when no class of the code has one."""
    if not isinstance(made, Instance) or is_error(cls):
        return
    yield from fill(machine, made, arguments, keywords)


def fill(machine: Machine, made: Instance, arguments: list[Any], keywords: dict[str, Any]) -> Run:
    """Fill the built-in container that an instance is besides."""
    from codelake.resolve.rehearsal.expressions import hashable, machine_update

    payload = made.payload
    if isinstance(payload, dict):
        for each in arguments:
            if isinstance(each, (dict, Instance)):
                yield from machine_update(machine, payload, each)
            else:
                for pair in (yield from machine.items(each)):
                    key, value = yield from machine.items(pair)
                    payload[hashable(key)] = value
        payload.update(keywords)
    elif isinstance(payload, list):
        for each in arguments[:1]:
            payload[:] = yield from machine.items(each)
    elif isinstance(payload, set):
        for each in arguments[:1]:
            payload |= {hashable(one) for one in (yield from machine.items(each))}
    elif made.cls.is_open:
        for number, each in enumerate([*arguments, *keywords.values()]):
            made.names[f" given {number}"] = each
    elif (
        (arguments or keywords) and made.cls.above() is None and made.cls.find("__new__") is MISSING
    ):
        raise error(TypeError, f"{made.cls.name}() takes no arguments")
