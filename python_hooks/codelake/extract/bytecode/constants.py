r"""Constants: a value of `co_consts` -> typed columns.

    1             int, int_value=1                2**64     int, str_value="18446744073709551616"
    1.5           float, double_value=1.5         b"\xff"   bytes, str_value="\u00ff"
    "text"        str, str_value="text"           ("a",)    tuple, items=["a"]
    <code f>      code, int_value=its unit_no

Text is cut at 256 code points, and says so. A lone surrogate is written as `\ud800`, which UTF-8
can hold; bytes are written as latin-1, one character each. An integer beyond 64 bits is text,
in hexadecimal above 512 bits, where Python refuses to write long ones in decimal.
Next: instruction_arguments.py.
"""

from __future__ import annotations

from types import CodeType
from typing import Any

from codelake.extract.bytecode.code_units import CodeUnit

TEXT_LIMIT = 256
_DECIMAL_BITS = 512

# const_type, int_value, double_value, str_value, bool_value, is_cut, value_repr, items
type Constant = tuple[
    str, int | None, float | None, str | None, bool | None, bool, str, list[str] | None
]


def constants(unit: CodeUnit) -> list[Constant]:
    """Describe the constants of a unit."""
    children = unit.children
    return [_constant(value, children.get(no)) for no, value in enumerate(unit.code.co_consts)]


def _constant(value: Any, unit_no: int | None) -> Constant:
    found = value.__class__
    name = found.__name__
    if found is str:
        text, is_cut = utf8(value), False
        if len(text) > TEXT_LIMIT:
            text, is_cut = text[:TEXT_LIMIT], True
        return name, None, None, text, None, is_cut, _repr(value), None
    if found is int:
        if -(1 << 63) <= value < 1 << 63:
            return name, value, None, None, None, False, str(value), None
        text = _integer(value)
        cut = text[:TEXT_LIMIT]
        return name, None, None, cut, None, len(text) > TEXT_LIMIT, cut, None
    if found is CodeType:
        return "code", unit_no, None, value.co_qualname, None, False, _repr(value), None
    if found is bool:
        return name, None, None, None, value, False, repr(value), None
    if found is float:
        return name, None, value, None, None, False, repr(value), None
    if found is bytes:
        text = value[:TEXT_LIMIT].decode("latin-1")
        return name, None, None, text, None, len(value) > TEXT_LIMIT, _repr(value), None
    if found is tuple or found is frozenset:
        text = _repr(value)
        cut = text[:TEXT_LIMIT]
        return name, None, None, None, None, len(text) > TEXT_LIMIT, cut, _items(value)
    if found is complex:
        return name, None, None, repr(value), None, False, repr(value), None
    return name.replace("ellipsis", "Ellipsis"), None, None, None, None, False, repr(value), None


def utf8(text: str) -> str:
    """Return a text that UTF-8 can hold: the same, or with its lone surrogates escaped."""
    if text.isascii():
        return text
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _items(value: Any) -> list[str] | None:
    """Return the texts of a tuple of texts, such as the names of keyword arguments."""
    if value.__class__ is tuple and all(item.__class__ is str for item in value):
        return [utf8(item)[:TEXT_LIMIT] for item in value]
    return None


def _integer(value: int) -> str:
    return str(value) if value.bit_length() <= _DECIMAL_BITS else hex(value)


def _repr(value: Any) -> str:
    """Return a short text of a constant: no addresses, no order of a set, nothing beyond need."""
    found = value.__class__
    if found is str or found is bytes:
        return repr(value[:TEXT_LIMIT])
    if found is int:
        return _integer(value)[:TEXT_LIMIT]
    if found is CodeType:
        return f"<code {value.co_qualname}>"
    if found is frozenset:
        return f"frozenset({{{', '.join(sorted(_repr(item) for item in value))}}})"
    if found is not tuple:
        return repr(value)
    parts: list[str] = []
    length = 0
    for item in value:
        if length > TEXT_LIMIT:
            break
        parts.append(_repr(item))
        length += len(parts[-1]) + 2
    return f"({', '.join(parts)}{',' * (len(value) == 1)})"
