"""Stack effects: what each instruction takes from the value stack and leaves on it.

    BINARY_OP          left right -- result
    LIST_APPEND 2      list ~rest[1] value -- list rest
    COPY 1             ~value -- value value

The picture reads as in CPython's own definitions: before and after, deepest first. A name that
stands on both sides is the same value moved, and keeps its producer; any other name on the right is
produced by the instruction. What is moved without being looked at has a `~`. `x[n]` is as many
values as the size says, `n` being the argument.

RETURN_GENERATOR is pictured as at run time: a generator that was started finds the first value sent
to it. 3.12 counts that value as present at the entry, and its `dis.stack_effect` says 0.
Next: stack_simulation.py.
"""

from __future__ import annotations

import dis
import sys
from collections.abc import Callable
from typing import NamedTuple

_COMMON = {
    # moves
    "NOP EXTENDED_ARG RESUME MAKE_CELL COPY_FREE_VARS SETUP_ANNOTATIONS": "--",
    "COPY": "~value ~rest[n-1] -- value rest value",
    "SWAP": "~bottom ~rest[n-2] ~top -- top rest bottom",
    "POP_TOP": "value --",
    "PUSH_NULL": "-- null",
    # names, constants and attributes
    "LOAD_CONST LOAD_NAME LOAD_FAST LOAD_FAST_CHECK LOAD_FAST_AND_CLEAR LOAD_DEREF": "-- value",
    "LOAD_BUILD_CLASS LOAD_ASSERTION_ERROR LOAD_LOCALS": "-- value",
    "LOAD_GLOBAL": "-- value null[n&1]",
    "LOAD_FROM_DICT_OR_GLOBALS LOAD_FROM_DICT_OR_DEREF": "mapping -- value",
    "STORE_NAME STORE_FAST STORE_DEREF STORE_GLOBAL": "value --",
    "DELETE_NAME DELETE_FAST DELETE_DEREF DELETE_GLOBAL": "--",
    "LOAD_ATTR": "object -- value self[n&1]",
    "LOAD_SUPER_ATTR": "super class object -- value self[n&1]",
    "STORE_ATTR": "value object --",
    "DELETE_ATTR": "object --",
    "IMPORT_NAME": "level names -- module",
    "IMPORT_FROM": "module -- module value",
    # operators
    "UNARY_INVERT UNARY_NEGATIVE UNARY_NOT": "value -- result",
    "BINARY_OP COMPARE_OP CONTAINS_OP IS_OP": "left right -- result",
    "BINARY_SUBSCR": "container key -- result",
    "BINARY_SLICE": "container start stop -- result",
    "STORE_SUBSCR": "value container key --",
    "STORE_SLICE": "value container start stop --",
    "DELETE_SUBSCR": "container key --",
    # displays
    "BUILD_LIST BUILD_TUPLE BUILD_SET BUILD_STRING BUILD_SLICE": "items[n] -- result",
    "BUILD_MAP": "items[2n] -- result",
    "BUILD_CONST_KEY_MAP": "values[n] keys -- result",
    "LIST_APPEND SET_ADD LIST_EXTEND SET_UPDATE": "target ~rest[n-1] value -- target rest",
    "DICT_MERGE DICT_UPDATE": "target ~rest[n-1] value -- target rest",
    "MAP_ADD": "target ~rest[n-1] key value -- target rest",
    "UNPACK_SEQUENCE": "iterable -- items[n]",
    "UNPACK_EX": "iterable -- after[n>>8] rest before[n&255]",
    # functions and calls
    "CALL": "callable self args[n] -- result",
    "CALL_FUNCTION_EX": "callable null args kwargs[n&1] -- result",
    "CALL_INTRINSIC_1": "value -- result",
    "CALL_INTRINSIC_2": "first second -- result",
    "RETURN_VALUE": "value --",
    "RETURN_CONST": "--",
    # jumps
    "JUMP_FORWARD JUMP_BACKWARD JUMP_BACKWARD_NO_INTERRUPT": "--",
    "POP_JUMP_IF_TRUE POP_JUMP_IF_FALSE POP_JUMP_IF_NONE POP_JUMP_IF_NOT_NONE": "value --",
    "GET_ITER GET_YIELD_FROM_ITER": "iterable -- iterator",
    "FOR_ITER": "iterator -- iterator item",
    # generators and coroutines
    "RETURN_GENERATOR": "-- sent",
    "YIELD_VALUE": "value -- sent",
    "SEND": "receiver value -- receiver result",
    "END_SEND": "receiver ~result -- result",
    "CLEANUP_THROW": "iterator sent exception -- none result",
    "GET_AWAITABLE": "object -- awaitable",
    "GET_AITER": "iterable -- iterator",
    "GET_ANEXT": "iterator -- iterator awaitable",
    "END_ASYNC_FOR": "iterator exception --",
    # exceptions and context managers
    "RAISE_VARARGS": "values[n] --",
    "RERAISE": "lasti[n>0] ~rest[n-1] exception -- lasti rest",
    "PUSH_EXC_INFO": "~exception -- previous exception",
    "POP_EXCEPT": "previous --",
    "CHECK_EXC_MATCH": "exception type -- exception matches",
    "CHECK_EG_MATCH": "group type -- rest match",
    "BEFORE_WITH BEFORE_ASYNC_WITH": "manager -- exit entered",
    "WITH_EXCEPT_START": (
        "exit ~lasti ~previous exception -- exit lasti previous exception result"
    ),
    # patterns
    "GET_LEN": "subject -- subject length",
    "MATCH_MAPPING MATCH_SEQUENCE": "subject -- subject matches",
    "MATCH_KEYS": "subject keys -- subject keys values",
    "MATCH_CLASS": "subject class names -- values",
}
_ONLY_3_12 = {
    "LOAD_CLOSURE": "-- cell",
    "LOAD_GLOBAL": "-- null[n&1] value",
    "LOAD_ATTR": "object -- method[n&1] value",
    "LOAD_SUPER_ATTR": "super class object -- method[n&1] value",
    "CALL": "method callable args[n] -- result",
    "CALL_FUNCTION_EX": "null callable args kwargs[n&1] -- result",
    "KW_NAMES": "--",
    "MAKE_FUNCTION": "attributes[flags] code -- function",
    "FORMAT_VALUE": "value specification[n&4] -- result",
    "END_FOR": "iterator item --",
}
_SINCE_3_13 = {
    "LOAD_FAST_LOAD_FAST": "-- first second",
    "STORE_FAST_LOAD_FAST": "value -- loaded",
    "STORE_FAST_STORE_FAST": "second first --",
    "TO_BOOL": "value -- result",
    "CALL_KW": "callable self args[n] names -- result",
    "MAKE_FUNCTION": "code -- function",
    "SET_FUNCTION_ATTRIBUTE": "attribute function -- function",
    "CONVERT_VALUE FORMAT_SIMPLE": "value -- result",
    "FORMAT_WITH_SPEC": "value specification -- result",
    "END_FOR": "item --",
}
_SIZES: dict[str, Callable[[int], int]] = {
    "n": lambda n: n,
    "2n": lambda n: 2 * n,
    "n-1": lambda n: max(n - 1, 0),
    "n-2": lambda n: max(n - 2, 0),
    "n>0": lambda n: min(n, 1),
    "n&1": lambda n: n & 1,
    "n&4": lambda n: n >> 2 & 1,
    "n&255": lambda n: n & 255,
    "n>>8": lambda n: n >> 8,
    "flags": lambda n: (n & 15).bit_count(),
}


class Effect(NamedTuple):
    """What one instruction does.

    Attributes:
        takes: how many values it takes off the stack.
        leaves: how many it puts there.
        uses: which of the taken ones it looks at, counted from the deepest; None for all.
        moves: for each value left, which taken one it is, or -1 for a new one; None when
            all are new.
    """

    takes: int
    leaves: int
    uses: tuple[int, ...] | None
    moves: tuple[int, ...] | None


def _pictures() -> dict[int, tuple[str, bool]]:
    tables = (_COMMON, _SINCE_3_13 if sys.version_info >= (3, 13) else _ONLY_3_12)
    return {
        dis.opmap[name]: (picture, "[" in picture)
        for table in tables
        for names, picture in table.items()
        for name in names.split()
    }


def _effect(picture: str, n: int) -> Effect:
    before, after = (side.split() for side in picture.split("--"))
    places: dict[str, range] = {}
    uses: list[int] = []
    takes = 0
    for item in before:
        name, size = _sized(item.removeprefix("~"), n)
        places[name] = range(takes, takes + size)
        if not item.startswith("~"):
            uses.extend(places[name])
        takes += size
    moves: list[int] = []
    for item in after:
        name, size = _sized(item, n)
        moves.extend(places.get(name, [-1] * size))
    return Effect(
        takes,
        len(moves),
        None if len(uses) == takes else tuple(uses),
        None if all(move < 0 for move in moves) else tuple(moves),
    )


def _sized(item: str, n: int) -> tuple[str, int]:
    name, _, size = item.partition("[")
    return name, _SIZES[size.rstrip("]")](n) if size else 1


PICTURES = _pictures()
FIXED = [
    None if op not in PICTURES or PICTURES[op][1] else _effect(PICTURES[op][0], 0)
    for op in range(256)
]
_known: dict[tuple[int, int], Effect] = {}


def stack_effect(opcode: int, arg: int | None) -> Effect:
    """Return what an instruction takes and leaves.

    Raises:
        KeyError: the opcode is none that a compiler of this Python emits.
    """
    fixed = FIXED[opcode]
    if fixed is not None:
        return fixed
    key = (opcode, arg or 0)
    found = _known.get(key)
    if found is None:
        found = _effect(PICTURES[opcode][0], key[1])
        if key[1] < 1024:
            _known[key] = found
    return found
