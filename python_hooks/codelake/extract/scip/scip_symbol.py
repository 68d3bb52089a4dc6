"""SCIP symbols: the string that names a symbol -> its parts.

    scip-python python requests 2.32.3 `requests.api`/get().(url)
        scheme scip-python, manager python, package requests, version 2.32.3
        descriptors: `requests.api` namespace, get method, url parameter
    local 17
        a symbol of one document

A space inside a part is doubled, a part that is empty is written `.`, a name that is no plain
identifier stands in backticks, and a backtick in it is doubled. What breaks the grammar is a
ScipSymbol with an `error` and without parts.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

_PLAIN = r"[A-Za-z0-9_+$-]+"
_NAME = rf"(?:`((?:[^`]|``)++)`|({_PLAIN}))"
_PART = re.compile(r"((?:[^ ]|  )*+) ")
_NAMED = re.compile(rf"{_NAME}(?:([/#.:!])|\(((?:{_PLAIN})?)\)\.)")
_BRACKETED = re.compile(rf"\({_NAME}\)|\[{_NAME}\]")
_LOCAL = re.compile(rf"{_PLAIN}\Z")
_SUFFIX = {"/": "namespace", "#": "type", ".": "term", ":": "meta", "!": "macro"}

type _Descriptor = tuple[str, str, str]  # name, kind, disambiguator


@dataclass(frozen=True, slots=True)
class ScipSymbol:
    """The parts of a symbol.

    Attributes:
        local_id: the id of a local symbol; None of a global one.
        descriptors: names from the outermost to the innermost.
        kinds: what each name is: namespace, type, term, method, type_parameter, parameter, meta,
            macro.
        disambiguators: what tells methods of one name apart; empty for most.
        error: why the string is no symbol.
    """

    scheme: str = ""
    manager: str = ""
    package: str = ""
    version: str = ""
    local_id: str | None = None
    descriptors: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    disambiguators: tuple[str, ...] = ()
    error: str | None = None


@lru_cache(maxsize=65536)
def scip_symbol(text: str) -> ScipSymbol:
    """Parse a symbol.

    Args:
        text: the symbol as an index has it.

    Returns:
        The parts, or the error.
    """
    if text.startswith("local "):
        if _LOCAL.match(text, 6):
            return ScipSymbol(local_id=text[6:])
        return ScipSymbol(error=f"no identifier after `local `: {_quote(text, 6)}")
    if text.startswith("local"):
        return ScipSymbol(error="the scheme begins with `local`")
    place = 0
    parts: list[str] = []
    for what in ("scheme", "manager", "package", "version"):
        match = _PART.match(text, place)
        if match is None:
            return ScipSymbol(error=f"no space after the {what}")
        part = match[1].replace("  ", " ")
        parts.append("" if part == "." and what != "scheme" else part)
        place = match.end()
    if not parts[0]:
        return ScipSymbol(error="the scheme is empty")
    found: list[_Descriptor] = []
    while place < len(text):
        descriptor, place = _descriptor(text, place)
        if descriptor is None:
            return ScipSymbol(error=f"no descriptor at {place}: {_quote(text, place)}")
        found.append(descriptor)
    if not found:
        return ScipSymbol(error="no descriptors")
    names, kinds, disambiguators = zip(*found, strict=True)
    scheme, manager, package, version = parts
    return ScipSymbol(scheme, manager, package, version, None, names, kinds, disambiguators)


def _descriptor(text: str, place: int) -> tuple[_Descriptor | None, int]:
    """Return the descriptor at a place and the place after it."""
    if match := _NAMED.match(text, place):
        quoted, plain, suffix, disambiguator = match.groups()
        kind = "method" if suffix is None else _SUFFIX[suffix]
        return (_name(quoted, plain), kind, disambiguator or ""), match.end()
    if match := _BRACKETED.match(text, place):
        quoted, plain, other_quoted, other_plain = match.groups()
        if text[place] == "(":
            return (_name(quoted, plain), "parameter", ""), match.end()
        return (_name(other_quoted, other_plain), "type_parameter", ""), match.end()
    return None, place


def _name(quoted: str | None, plain: str | None) -> str:
    return plain or "" if quoted is None else quoted.replace("``", "`")


def _quote(text: str, place: int) -> str:
    return repr(text[place : place + 32])
