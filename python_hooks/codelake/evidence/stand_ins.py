r"""Stand-ins: bytes that are no text -> a text that parsers can read, and back.

    b"def caf\xe9(): pass"      with_stand_ins(raw, "utf-8") -> "def caf𒁩(): pass"
                                escaped("caf𒁩")              -> "caf\\xe9"

Each such byte becomes one letter of a script that no program is written in, so it is part of a name
like the letters beside it and cannot make a shorter, wrong one of it. What leaves codelake is
escaped: `\xe9` is in no name that Python takes, so nothing is ever resolved to it.

UTF-8 is read as far as it is UTF-8. Every other encoding is read byte by byte: what a byte
alone means, if it means anything and ASCII means ASCII; else only ASCII is read. A text that
holds such letters itself is read as ASCII too.
Next: spans.py.
"""

from __future__ import annotations

import codecs
import re

_FIRST = 0x12000 - 0x80  # cuneiform: the stand-in of byte b is _FIRST + b
_STAND_IN = re.compile(f"[{chr(_FIRST + 0x80)}-{chr(_FIRST + 0xFF)}]")
_ASCII = "".join(map(chr, range(0x80))) + "".join(chr(_FIRST + b) for b in range(0x80, 0x100))
_HANDLER = "codelake.stand_ins"


def with_stand_ins(raw: bytes, encoding: str) -> str:
    """Decode bytes, with a stand-in for each that is no text.

    Args:
        raw: some bytes.
        encoding: what they should be; "ascii" where nobody knows.
    """
    if encoding == "utf-8":
        return raw.decode("utf-8", _HANDLER)
    return raw.decode("latin-1").translate(_table(encoding))


def lenient_encoding(raw: bytes, encoding: str) -> str:
    """Return what to read bytes as: the encoding, or ASCII when its letters are in use.

    Args:
        raw: the whole file.
        encoding: what it should be.
    """
    if encoding == "utf-8" and _STAND_IN.search(raw.decode("utf-8", "ignore")):
        return "ascii"
    return encoding


def escaped(text: str) -> str:
    r"""Return a text with `\xNN` for each stand-in."""
    return _STAND_IN.sub(lambda found: f"\\x{ord(found[0]) - _FIRST:02x}", text)


def raw_length(text: str, encoding: str) -> int:
    """Return how many bytes a text with stand-ins was made of."""
    if encoding != "utf-8":
        return len(text)
    return len(text.encode("utf-8", "surrogatepass")) - 3 * len(_STAND_IN.findall(text))


def _table(encoding: str) -> str:
    """Return what each byte means alone."""
    found = []
    for number in range(0x100):
        try:
            letter = bytes((number,)).decode(encoding)
        except Exception:  # a codec may raise what it likes
            letter = ""
        is_text = len(letter) == 1 and (letter.isascii() == (number < 0x80))
        found.append(letter if is_text else chr(_FIRST + number))
    table = "".join(found)
    return table if table[:0x80] == _ASCII[:0x80] else _ASCII


def _stand_in(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    bad = error.object[error.start : error.end]
    return "".join(chr(_FIRST + byte) for byte in bad), error.end


codecs.register_error(_HANDLER, _stand_in)
