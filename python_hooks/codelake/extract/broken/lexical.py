r"""Lexical scan: where strings and comments are in a text that may be broken.

    x = f"{a['#']}"  # note      string_end(text, 5, []) -> 15; comment_spans(text) -> [(17, 23)]

Strings follow the rules of CPython's tokenizer: escapes, raw and triple quotes, and f- and
t-strings whose fields hold strings of the same quote, comments and format specs. No tokenizer is
asked, because it stops at the first error and is many times slower.

A string that is never closed ends where its line ends, also a triple one: the rest of the file is
then read as code. After FAILURES of those, triple quotes are no longer looked for, so that the
time stays linear.
Next: comments.py, logical_lines.py.
"""

from __future__ import annotations

import re

FAILURES = 8
NESTING = 150  # of f-strings, as in CPython
_START = re.compile(r"""["'#]""")
_LINE_END = re.compile(r"[^\r\n]*")
_ENDS = {
    '"': re.compile(r'"(?:[^"\\\r\n]|\\(?:\r\n|.))*+("?)', re.DOTALL),
    "'": re.compile(r"'(?:[^'\\\r\n]|\\(?:\r\n|.))*+('?)", re.DOTALL),
    '"""': re.compile(r'"""(?:[^"\\]++|\\.|"(?!""))*+("""|\Z)', re.DOTALL),
    "'''": re.compile(r"'''(?:[^'\\]++|\\.|'(?!''))*+('''|\Z)", re.DOTALL),
}
_LITERAL = {  # what matters in the text of an f-string, by its quote
    '"': re.compile(r'[\\{}"\r\n]'),
    "'": re.compile(r"[\\{}'\r\n]"),
    '"""': re.compile(r'[\\{}]|"""'),
    "'''": re.compile(r"[\\{}]|'''"),
}
_FIELD = re.compile(r"""[\[\](){}:"'#]""")
_HEADER = re.compile(r"\n([ \t]*)(?:async[ \t]+def|def|class)[ \t]+\w+[^\n]*[:(,][ \t]*\n")
_NAMED = re.compile(r"N\{[^}\"'\r\n]*\}")


class Scanner:
    """Finds the ends of strings, and the comments in the fields of f-strings."""

    def __init__(self, text: str, *, is_wary: bool = False) -> None:
        """Start at the beginning.

        Args:
            text: the decoded file.
            is_wary: whether a string in triple quotes that holds the header of a definition, not
                indented further than the string, is taken for one that was never closed.
        """
        self.text = text
        self.doubts = 0  # how many strings hold such a header
        self._is_wary = is_wary
        self.comments: list[tuple[int, int]] = []
        self._failures = 0

    def string_end(self, quote_at: int) -> int:
        """Return the end of the string whose first quote is here."""
        text = self.text
        quote = text[quote_at]
        if text.startswith(quote * 3, quote_at) and self._failures < FAILURES:
            quote *= 3
        if quote_at and text[quote_at - 1] in "fFtTrR" and self._failures < FAILURES:
            is_format, is_raw = _prefix(text, quote_at)
            if is_format:
                known = len(self.comments)
                end = self._format_end(quote_at, quote, is_raw)
                if end >= 0:
                    return end
                del self.comments[known:]
                self._failures += 1
        match = _ENDS[quote].match(text, quote_at)
        if match is not None and (len(quote) == 1 or match[1]):
            if len(quote) == 1 or not self._is_doubtful(quote_at, match.end()):
                return match.end()
        else:
            self._failures += 1
        return _line_end(text, quote_at)

    def _is_doubtful(self, start: int, end: int) -> bool:
        """Return whether a string should not be believed."""
        text = self.text
        header = _HEADER.search(text, start, end)
        if header is None:
            return False
        line = text.rfind("\n", 0, start) + 1
        if len(header[1]) > start - line and text[line:start].isspace():
            return False
        self.doubts += 1
        return self._is_wary

    def comment_end(self, start: int) -> int:
        """Note the comment that begins here and return its end."""
        end = _line_end(self.text, start)
        self.comments.append((start, end))
        return end

    def _format_end(self, quote_at: int, quote: str, is_raw: bool) -> int:
        """Return the end of an f-string, or -1 when there is none.

        The stack holds a depth of brackets for a field, and quote, is_raw, is_spec for text.
        """
        text = self.text
        stack: list[int | tuple[str, bool, bool]] = [(quote, is_raw, False)]
        position = quote_at + len(quote)
        while stack:
            top = stack[-1]
            pattern = _FIELD if isinstance(top, int) else _LITERAL[top[0]]
            match = pattern.search(text, position)
            if match is None or len(stack) > 2 * NESTING:
                return -1
            found, position = match[0], match.end()
            if isinstance(top, int):
                position = self._in_field(stack, top, found, position)
                continue
            quote, is_raw, is_spec = top
            if found == "\\":
                if not is_raw and (named := _NAMED.match(text, position)):
                    position = named.end()
                elif text[position : position + 1] not in ("{", "}"):
                    position += 2 if text.startswith("\r\n", position) else 1
            elif found == "{":
                if text.startswith("{", position) and not is_spec:
                    position += 1
                else:
                    stack.append(0)
            elif found == "}":
                if is_spec:
                    stack.pop()  # the text of the spec, then its field
                    stack.pop()
                elif text.startswith("}", position):
                    position += 1
            elif found == quote:
                stack.pop()
                if is_spec:  # a quote ends the string, whatever is open
                    return -1
            elif not is_spec:  # a line break in a string of one line
                return -1
            else:
                stack.pop()
        return position

    def _in_field(
        self, stack: list[int | tuple[str, bool, bool]], depth: int, found: str, position: int
    ) -> int:
        text = self.text
        if found == "#":
            return self.comment_end(position - 1)
        if found in "\"'":
            quote = found * 3 if text.startswith(found * 3, position - 1) else found
            is_format, is_raw = _prefix(text, position - 1)
            if is_format:
                stack.append((quote, is_raw, False))
                return position - 1 + len(quote)
            match = _ENDS[quote].match(text, position - 1)
            return match.end() if match else position
        if found == ":":
            if depth == 0:
                quote, is_raw, _ = next(
                    item for item in reversed(stack) if not isinstance(item, int)
                )
                stack.append((quote, is_raw, True))
        elif found in "([{":
            stack[-1] = depth + 1
        elif depth:
            stack[-1] = depth - 1
        elif found == "}":
            stack.pop()
        return position


def comment_spans(text: str) -> list[tuple[int, int]]:
    """Return the start and end of every comment, in order, in code points."""
    if "#" not in text:
        return []
    scanner = Scanner(text)
    search, position = _START.search, 0
    while match := search(text, position):
        start = match.start()
        find_end = scanner.comment_end if text[start] == "#" else scanner.string_end
        position = find_end(start)
    return scanner.comments


def _line_end(text: str, start: int) -> int:
    match = _LINE_END.match(text, start)
    return match.end() if match else start


def _prefix(text: str, quote_at: int) -> tuple[bool, bool]:
    """Return whether a quote opens an f- or t-string, and whether that is raw."""
    start = quote_at
    while start and quote_at - start < 3 and _is_word(text[start - 1]):
        start -= 1
    prefix = text[start:quote_at].lower()
    return prefix in _FORMATS, "r" in prefix


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_" or not character.isascii()


_FORMATS = frozenset({"f", "t", "fr", "rf", "tr", "rt"})
