"""Signatures: the header of a definition -> its parameters as text and the span of its name.

    async def  f(a, b: int = 1, *, key=None): ...
        -> signature "a, b: int=1, *, key=None"; name at the bytes of `f`

The signature is what `ast.unparse` prints, so equal headers have equal text however they are laid
out; plain names and short constants, which are nearly all of them, are printed without it.
"""

from __future__ import annotations

import ast
import re

from codelake.evidence.spans import SpanMap
from codelake.extract.syntax.node_kinds import Parameter, dotted

_HEADER = re.compile(
    rb"(?:async(?:[ \t\f]|\\(?:\r\n|\r|\n))+)?(?:def|class)(?:[ \t\f]|\\(?:\r\n|\r|\n))+"
)
_NAME_END = re.compile(r"[\s(:\[\\#]")
_PLAIN = re.compile(r"[ !#-&(-\[\]-~]*\Z")  # printable ASCII without quotes and backslash


def signature(parameters: list[Parameter]) -> str:
    """Return the parameters as ast.unparse prints them."""
    parts: list[str] = []
    last = ""
    for parameter in parameters:
        kind, arg = parameter.kind, parameter.arg
        if last == "positional_only" and kind != last:
            parts.append("/")
        if kind == "keyword_only" and last not in ("keyword_only", "var_positional"):
            parts.append("*")
        text = _STARS.get(kind, "") + arg.arg
        if arg.annotation is not None:
            text = f"{text}: {_text(arg.annotation)}"
        if parameter.default is not None:
            text = f"{text}={_text(parameter.default)}"
        parts.append(text)
        last = kind
    if last == "positional_only":
        parts.append("/")
    return ", ".join(parts)


def name_span(raw: bytes, spans: SpanMap, bstart: int, name: str) -> tuple[int, int] | None:
    """Return the raw bytes of the name of a class or function.

    Args:
        raw: the file as stored.
        spans: its span map.
        bstart: where `def`, `async` or `class` begins.
        name: the name as Python normalises it.
    """
    header = _HEADER.match(raw, bstart)
    if header is None:
        return None
    start = header.end()
    encoded = name.encode("utf-8")
    if name.isascii() and raw.startswith(encoded, start):
        return start, start + len(encoded)
    for size in (256, 1024, len(raw)):  # a name that Python normalised, or another encoding
        text = spans.slice(start, start + size)
        if end := _NAME_END.search(text):
            return start, start + spans.encoded_length(text[: end.start()])
    return None


def _text(node: ast.expr) -> str:
    name = dotted(node)
    if name is not None:
        return name
    try:
        if isinstance(node, ast.Constant):
            value = node.value
            if value is None or value.__class__ in (bool, int):
                return repr(value)
            if isinstance(value, str) and _PLAIN.match(value):
                return f"'{value}'"
        return ast.unparse(node).encode("utf-8", "backslashreplace").decode("utf-8")
    except (RecursionError, ValueError):  # nested too deeply, or an integer of too many digits
        return "..."


_STARS = {"var_positional": "*", "var_keyword": "**"}
