"""Instruction arguments: the number beside an opcode -> what it stands for, typed.

    LOAD_CONST 1       const, const_type="int", arg_int=42
    LOAD_ATTR 5        attr, arg_str="join", arg_bool=True      (the form that calls a method)
    COMPARE_OP 88      compare, arg_str="=="
    FOR_ITER 9         jump, arg_int=17                         (the instruction that it goes to)

A variable is `cell` when any code of the unit shares it with an inner scope, and `free` when it
comes from an outer one; otherwise `local`. `arg_bool` is the flag in the lowest bits: a pushed NULL
of LOAD_GLOBAL, the method form of LOAD_ATTR, a conversion to bool in COMPARE_OP, `not` of IS_OP and
CONTAINS_OP, the mapping of CALL_FUNCTION_EX. `arg_int` is a count, a depth or a jump target, and
null where a text says it.
Next: basic_blocks.py.
"""

from __future__ import annotations

import dis
import sys
from collections.abc import Callable
from types import CodeType

from codelake.extract.bytecode.constants import Constant
from codelake.extract.bytecode.instructions import JUMPS, Instructions

# arg_kind, arg_int, arg_double, arg_str, arg_str2, arg_bool, const_type, is_cut, arg_repr
type Argument = tuple[
    str,
    int | None,
    float | None,
    str | None,
    str | None,
    bool | None,
    str | None,
    bool,
    str | None,
]

_NONE: Argument = ("none", None, None, None, None, None, None, False, None)
_OPMAP = dis.opmap
_PAIRS = frozenset(op for name, op in _OPMAP.items() if name.count("_FAST") == 2 and op < 236)
_VARIABLES = (frozenset(dis.haslocal) | frozenset(dis.hasfree)) - _PAIRS
_CONSTANTS = frozenset(dis.hasconst)
_NAME_KINDS = {"GLOBAL": "global", "ATTR": "attr", "NAME": "name", "GLOBALS": "name"}
_COMPARE_SHIFT = 5 if sys.version_info >= (3, 13) else 4
_FUNCTION_FLAGS = {1: "defaults", 2: "kwdefaults", 4: "annotations", 8: "closure"}
_CONVERSIONS = ("", "str", "repr", "ascii")
_BINARY = (
    *("+", "&", "//", "<<", "@", "*", "%", "|", "**", ">>", "-", "/", "^"),
    *("+=", "&=", "//=", "<<=", "@=", "*=", "%=", "|=", "**=", ">>=", "-=", "/=", "^="),
)
_INTRINSICS_1 = (
    *("INVALID", "PRINT", "IMPORT_STAR", "STOPITERATION_ERROR", "ASYNC_GEN_WRAP"),
    *("UNARY_POSITIVE", "LIST_TO_TUPLE", "TYPEVAR", "PARAMSPEC", "TYPEVARTUPLE"),
    *("SUBSCRIPT_GENERIC", "TYPEALIAS"),
)
_INTRINSICS_2 = (
    *("INVALID", "PREP_RERAISE_STAR", "TYPEVAR_WITH_BOUND", "TYPEVAR_WITH_CONSTRAINTS"),
    *("SET_FUNCTION_TYPE_PARAMS", "SET_TYPEPARAM_DEFAULT"),
)


def _kind_of_name(opcode: int) -> tuple[str, int]:
    """Return the kind of a named argument and how many flag bits stand below the index."""
    name = dis.opname[opcode]
    shift = {"LOAD_GLOBAL": 1, "LOAD_ATTR": 1, "LOAD_SUPER_ATTR": 2}.get(name, 0)
    return ("import" if "IMPORT" in name else _NAME_KINDS[name.rpartition("_")[2]]), shift


_NAMES = {op: _kind_of_name(op) for op in dis.hasname if op < 236}


def instruction_arguments(
    code: CodeType, decoded: Instructions, constants: list[Constant]
) -> list[Argument]:
    """Describe the argument of each instruction of a code object.

    Args:
        code: the code object.
        decoded: its instructions.
        constants: its constants, described.
    """
    consts = [_constant(item) for item in constants]
    names, variables = code.co_names, _variables(code)
    kinds, constant_ops, variable_ops, known = _NAMES, _CONSTANTS, _VARIABLES, _known
    found: list[Argument] = []
    add = found.append
    for number, (opcode, arg) in enumerate(zip(decoded.opcodes, decoded.args, strict=True)):
        if arg is None:
            add(_NONE)
        elif opcode in constant_ops:
            add(consts[arg])
        elif opcode in variable_ops:
            add(variables[arg])
        elif opcode in kinds:
            kind, shift = kinds[opcode]
            name = names[arg >> shift]
            add((kind, None, None, name, None, bool(arg & 1) if shift else None, None, False, name))
        elif opcode in JUMPS:
            target = decoded.targets[number]
            add(("jump", target, None, None, None, None, None, False, f"to {target}"))
        elif opcode in _PAIRS:
            first, second = variables[arg >> 4], variables[arg & 15]
            text = f"{first[3]}, {second[3]}"
            add((first[0], None, None, first[3], second[3], None, None, False, text))
        else:
            key = (opcode, arg)
            item = known.get(key)
            if item is None:
                item = _other(opcode, arg)
                if arg < 1024:
                    known[key] = item
            add(item)
    return found


_known: dict[tuple[int, int], Argument] = {}


def _constant(item: Constant) -> Argument:
    kind, integer, double, text, flag, is_cut, shown, _ = item
    return "const", integer, double, text, None, flag, kind, is_cut, shown


def _variables(code: CodeType) -> list[Argument]:
    """List the fast variables in the order of their indexes: locals, other cells, free ones."""
    cells = frozenset(code.co_cellvars)
    mine = code.co_varnames
    shared = frozenset(mine) & cells
    listed = [(name, "cell" if name in shared else "local") for name in mine]
    listed += [(name, "cell") for name in code.co_cellvars if name not in shared]
    listed += [(name, "free") for name in code.co_freevars]
    return [(kind, None, None, name, None, None, None, False, name) for name, kind in listed]


def _other(opcode: int, arg: int) -> Argument:
    describe = _OTHERS.get(dis.opname[opcode])
    if describe is None:
        return "raw", arg, None, None, None, None, None, False, str(arg)
    kind, text, flag = describe(arg)
    if text is None:
        return kind, arg, None, None, None, flag, None, False, str(arg)
    return kind, None, None, text, None, flag, None, False, text


type _Described = tuple[str, str | None, bool | None]


def _compare(arg: int) -> _Described:
    flag = bool(arg & 16) if _COMPARE_SHIFT == 5 else None
    return "compare", dis.cmp_op[arg >> _COMPARE_SHIFT], flag


def _flags(arg: int) -> _Described:
    names = [name for bit, name in _FUNCTION_FLAGS.items() if arg & bit]
    return "function", ", ".join(names), None


def _count(kind: str) -> Callable[[int], _Described]:
    return lambda _: (kind, None, None)


_OTHERS: dict[str, Callable[[int], _Described]] = {
    "COMPARE_OP": _compare,
    "IS_OP": lambda arg: ("compare", ("is", "is not")[arg], bool(arg)),
    "CONTAINS_OP": lambda arg: ("compare", ("in", "not in")[arg], bool(arg)),
    "BINARY_OP": lambda arg: ("binary_op", _BINARY[arg], None),
    "CALL_INTRINSIC_1": lambda arg: ("intrinsic", _INTRINSICS_1[arg], None),
    "CALL_INTRINSIC_2": lambda arg: ("intrinsic", _INTRINSICS_2[arg], None),
    "MAKE_FUNCTION": _flags,
    "SET_FUNCTION_ATTRIBUTE": _flags,
    "CONVERT_VALUE": lambda arg: ("format", _CONVERSIONS[arg], None),
    "FORMAT_VALUE": lambda arg: ("format", _CONVERSIONS[arg & 3], bool(arg & 4)),
    "CALL_FUNCTION_EX": lambda arg: ("call", None, bool(arg & 1)),
    **dict.fromkeys(("CALL", "CALL_KW"), _count("call")),
    **dict.fromkeys(("UNPACK_SEQUENCE", "UNPACK_EX"), _count("unpack")),
    **dict.fromkeys(("COPY", "SWAP"), _count("stack")),
    **dict.fromkeys(
        ("LIST_APPEND", "SET_ADD", "MAP_ADD", "LIST_EXTEND", "SET_UPDATE"), _count("stack")
    ),
    **dict.fromkeys(("DICT_MERGE", "DICT_UPDATE"), _count("stack")),
    **{name: _count("build") for name in _OPMAP if name.startswith("BUILD_")},
}
