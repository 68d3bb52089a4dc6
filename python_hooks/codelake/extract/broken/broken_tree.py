r"""Broken tree: a file that Python cannot parse -> nodes, definitions and imports all the same.

    class C:                     C, C.f and C.h with their ids, as if the file were whole;
        def f(self): return 1    of g what is left: a FUNCTION with parameter self and the
        def g(self, x=           call of y
            return y(
        def h(self): pass

The indentation says how the file is built (logical_lines.py, broken_blocks.py), and Python itself
parses every piece it can: runs of statements, then each alone, then its headers with the suites
taken out. Only what it still refuses goes to tree-sitter (lower.py), as a small piece that cannot
drag down its surroundings. The result is a tree of Python's own classes, so that syntax_tree.py
makes the rows, with the names and ids that the repaired file will have.

An unfinished statement or header is closed (quote, brackets, colon), and a header of `def` or
`class` is cut at a comma until Python takes it (header_repairs.py). `problems` tells what
tree-sitter could not fit in; it is empty for a well-formed file in another dialect, such as
Python 2. Pieces above PIECE_LIMIT, and those beyond TOTAL_LIMIT, are left out, which `failure`
tells.

Triple quotes that were lost or never closed turn strings into code and code into strings. When a
string seems to hold definitions, the file is read both ways, and the reading with less that
no parser takes is kept.

The tree is a good guess, not Python's: an unclosed bracket may keep a line or two, and a
suite may have no statements. Next: file_evidence.py.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from typing import Any

from codelake.evidence.spans import SpanMap
from codelake.extract.broken.broken_blocks import DEFINITIONS, Block, broken_blocks
from codelake.extract.broken.broken_columns import problem_columns, with_name_spans, with_templates
from codelake.extract.broken.header_repairs import closed, header_repairs, leading_blanks
from codelake.extract.broken.logical_lines import LogicalLine, logical_lines
from codelake.extract.broken.lower import lower
from codelake.extract.broken.ts_tree import Problem
from codelake.extract.parse import ParseFailure
from codelake.extract.syntax.syntax_tree import SyntaxTree, syntax_tree
from codelake.sources.decode import SourceText

PIECE_LIMIT = 1 << 18  # code points that tree-sitter gets at once; it may need quadratic time
TOTAL_LIMIT = 1 << 22
_RUN = 64  # statements that Python gets at once
_PREFIX = "if 1:\n"
_SEMICOLON = re.compile(rb"[ \t\f]*;")
_DEFINITION_CLASSES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)

type _Holes = dict[int, list[Block]]
type _Owner = ast.stmt | ast.ExceptHandler | ast.match_case


@dataclass(frozen=True, slots=True)
class BrokenTree:
    """What a broken file still says; problems are columns in the field order of TS_PROBLEM."""

    tree: SyntaxTree
    problems: Sequence[Sequence[Any]]
    failure: ParseFailure | None


def broken_tree(source: SourceText, spans: SpanMap, module: str, file: int) -> BrokenTree:
    """Recover the syntax tree of a file that Python refuses.

    Args:
        source: the decoded file.
        spans: its span map.
        module: dotted name of the module.
        file: file_id.

    Returns:
        The columns of syntax_tree(), the problems in source order, and what was left out.
    """
    text = source.text.replace("\r\n", "\n").replace("\r", "\n")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        recovery = _Recovery(text)
        recovered = recovery.module()
        if recovery.doubts:
            wary = _Recovery(text, is_wary=True)
            again = wary.module()
            if wary.refused < recovery.refused:
                recovery, recovered = wary, again
    tree = syntax_tree(recovered, source.raw, spans, module, file)
    tree = with_name_spans(with_templates(tree, recovered), spans)
    return BrokenTree(tree, problem_columns(recovery.problems, spans), recovery.failure)


class _Recovery:
    """Builds a module out of pieces; blocks wait on a stack with the list they go into."""

    def __init__(self, text: str, *, is_wary: bool = False) -> None:
        self.refused = 0  # characters of pieces that neither parser takes
        self.doubts = 0
        self.problems: list[Problem] = []
        self.failure: ParseFailure | None = None
        self._text = text
        self._is_wary = is_wary
        self._lines = text.split("\n")
        self._left = TOTAL_LIMIT
        self._stack: list[tuple[Sequence[Block], list[ast.stmt]]] = []
        self._owners: list[_Owner] = []
        self._made: set[int] = set()  # lines where `pass` stood in for a suite

    def module(self) -> ast.Module:
        """Return the module."""
        found = logical_lines(self._text, is_wary=self._is_wary)
        self.doubts = found.doubts
        for line in found.noise:
            self._note_noise(line)
        body: list[ast.stmt] = []
        self._push(broken_blocks(found.lines), body)
        while self._stack:
            blocks, into = self._stack.pop()
            statements = self._parse(self._piece(blocks), blocks[0].first)
            if statements is not None:
                into += statements
            elif len(blocks) > 1:
                half = len(blocks) // 2
                self._stack.append((blocks[half:], into))
                self._stack.append((blocks[:half], into))
            elif blocks[0].suites:
                self._take_apart(blocks[0], into)
            else:
                into += self._leaf(blocks[0])
        self._close()
        return ast.Module(body=body, type_ignores=[])

    def _push(self, blocks: list[Block], into: list[ast.stmt]) -> None:
        runs = [blocks[start : start + _RUN] for start in range(0, len(blocks), _RUN)]
        self._stack.extend((run, into) for run in reversed(runs))

    def _piece(self, blocks: Sequence[Block]) -> str:
        last = max(block.last for block in blocks)
        return "\n".join([*self._lines[blocks[0].first - 1 : last], ""])

    def _parse(self, text: str, first: int) -> list[ast.stmt] | None:
        """Let Python parse whole lines, which may be indented."""
        is_indented = text[:1] in (" ", "\t", "\f")
        try:
            tree = ast.parse(_PREFIX + text if is_indented else text)
        except (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError):
            return None
        ast.increment_lineno(tree, first - 1 - is_indented)
        if not is_indented:
            return tree.body
        outer = tree.body[0]
        if len(tree.body) != 1 or not isinstance(outer, ast.If) or outer.orelse:
            return None  # a form feed put a line outside
        return outer.body

    def _lower(self, text: str, first: int) -> list[ast.stmt]:
        """Let tree-sitter read whole lines, unless they are too long."""
        if len(text) > min(PIECE_LIMIT, self._left):
            message = f"{len(text)} characters cannot be parsed, too many to recover"
            self.failure = self.failure or ParseFailure("TooLarge", message, first, 0)
            self.refused += len(text)
            return []
        self._left -= len(text)
        statements, problems = lower(text, first)
        self.refused += len(text) if problems else 0
        self.problems += problems
        return statements

    def _leaf(self, block: Block) -> list[ast.stmt]:
        """Read a statement without suites."""
        known = len(self.problems)
        statements = self._lower(self._piece([block]), block.first)
        if len(self.problems) > known:
            closing = closed(self._lines[block.first - 1 : block.last])
            statements = self._parse_repair(closing, block.first) or statements
        header = block.lines[-1]
        if header.word not in DEFINITIONS or _defines(statements, header):
            return statements
        rows = self._rows(header)
        for repair in header_repairs(rows):
            found = self._parse_repair([*repair, leading_blanks(rows[0]) + " pass"], header.first)
            if found and isinstance(found[0], _DEFINITION_CLASSES):
                found[0].end_lineno, found[0].end_col_offset = header.last, self._width(header.last)
                kept = [item for item in statements if not _is_bare(item)]
                before = [item for item in kept if item.lineno < found[0].lineno]  # decorators
                found[0].body = kept[len(before) :]
                if found[0].body:
                    self._owners.append(found[0])
                return [*before, *found]
        return statements

    def _parse_repair(self, rows: list[str], first: int) -> list[ast.stmt] | None:
        """Parse lines that were added to; what was added has no place in the file."""
        found = self._parse("\n".join([*rows, ""]), first)
        node: Any
        for node in ast.walk(ast.Module(body=found or [], type_ignores=[])):
            if hasattr(node, "end_col_offset"):
                node.end_col_offset = min(node.end_col_offset, self._width(node.end_lineno))
        return found

    def _width(self, line: int) -> int:
        if line > len(self._lines):  # a row that was added behind the last one
            return 0
        return len(self._lines[line - 1].rstrip().encode("utf-8", "surrogatepass"))

    def _rows(self, line: LogicalLine) -> list[str]:
        return self._lines[line.first - 1 : line.last]

    def _take_apart(self, block: Block, into: list[ast.stmt]) -> None:
        """Parse the headers of a statement, and leave its suites for later."""
        holes: _Holes = {}
        text = self._skeleton(block, holes, is_repaired=False)
        statements = self._parse(text, block.first)
        if statements is None:
            known = len(self.problems)
            statements = self._lower(text, block.first)
            if len(self.problems) > known or not _found_holes(statements) >= holes.keys():
                repaired = self._skeleton(block, {}, is_repaired=True)
                statements = self._parse_repair(repaired.split("\n"), block.first) or statements
                self.problems[known:] = [
                    self._outside(item, holes) for item in self.problems[known:]
                ]
        made = frozenset(holes)
        self._made |= made
        for owner, body, line in list(_suites(statements)):
            if not self._owners or self._owners[-1] is not owner:
                self._owners.append(owner)
            suite = holes.pop(line, None)
            _drop_passes(body, made)
            if suite is not None:
                self._push(suite, body)
        _drop_passes(statements, made)
        into += statements
        self._push([item for suite in holes.values() for item in suite], into)

    def _outside(self, problem: Problem, holes: _Holes) -> Problem:
        """Move a problem out of the `pass` of a suite to the end of its header."""
        start, end = (
            (line - 1, self._width(line - 1)) if line in holes else (line, col)
            for line, col in (problem.start, problem.end)
        )
        return problem._replace(start=start, end=end)

    def _skeleton(self, block: Block, holes: _Holes, *, is_repaired: bool) -> str:
        """Return the lines of a statement with `pass` for every suite, and note the holes."""
        rows = [""] * (block.last - block.first + 2)
        stack = [block]
        while stack:
            item = stack.pop()
            for number, line in enumerate(item.lines):
                is_header = number in item.suites or line.word == "@"
                text = self._repaired(line) if is_repaired and is_header else self._rows(line)
                rows[line.first - block.first : line.last - block.first + 1] = text
                suite = item.suites.get(number)
                if suite is None:
                    continue
                if line.word == "match" and all(inner.word == "case" for inner in suite):
                    stack += suite
                else:
                    holes[line.last + 1] = suite
                    rows[line.last + 1 - block.first] = leading_blanks(text[0]) + " pass"
        return "\n".join([*rows, ""])

    def _repaired(self, line: LogicalLine) -> list[str]:
        """Return the rows of a header or decorator so that Python takes them, if it can be."""
        rows = self._rows(line)
        if line.word == "@":
            blanks = leading_blanks(rows[0])
            for repair in (rows, closed(rows)):
                if self._parse("\n".join([*repair, f"{blanks}def f(): pass", ""]), 1):
                    return repair
            return [""] * len(rows)
        for repair in header_repairs(rows):
            trial = "\n".join([*repair, leading_blanks(rows[0]) + " pass", ""])
            if line.word not in DEFINITIONS or self._parse(trial, 1):
                return repair
        return rows

    def _close(self) -> None:
        """End every compound statement where the last of its statements ends."""
        for owner in reversed(self._owners):
            if isinstance(owner, ast.match_case):
                continue
            if isinstance(owner, ast.Match):
                owner.cases = [case for case in owner.cases if case.body]
            bodies = [body for body in _bodies(owner) if body]
            if isinstance(owner, ast.Match):
                bodies = [case.body for case in owner.cases]
            ends = [(item.end_lineno, item.end_col_offset) for body in bodies for item in body]
            line, col = max(ends, default=(owner.end_lineno or 1, owner.end_col_offset or 0))
            if not ends and line in self._made:
                line, col = line - 1, self._width(line - 1)
            text = self._lines[line - 1].encode("utf-8", "surrogatepass")
            if match := _SEMICOLON.match(text, col):
                col = match.end()
            owner.end_lineno, owner.end_col_offset = line, col

    def _note_noise(self, line: int) -> None:
        width = len(self._lines[line - 1].encode("utf-8", "surrogatepass"))
        self.problems.append(Problem("error", "ERROR", "module", (line, 0), (line, width)))
        self._lines[line - 1] = ""


def _defines(statements: list[ast.stmt], header: LogicalLine) -> bool:
    """Return whether one of the statements is the definition of a header."""
    return any(
        isinstance(item, _DEFINITION_CLASSES) and header.first <= item.lineno <= header.last
        for item in statements
    )


def _is_bare(statement: ast.stmt) -> bool:
    """Return whether a fragment is no more than a name or a constant."""
    value = getattr(statement, "value", None)
    return isinstance(statement, ast.Expr) and isinstance(value, ast.Name | ast.Constant)


def _bodies(owner: _Owner) -> Iterator[list[Any]]:
    """Yield the lists below a compound statement, in source order."""
    for name in ("body", "handlers", "orelse", "finalbody", "cases"):
        body = getattr(owner, name, None)
        if isinstance(body, list):
            yield body


def _suites(statements: list[ast.stmt]) -> Iterator[tuple[_Owner, list[Any], int]]:
    """Yield each list below the statements with its owner, and the line of a lone `pass` or 0."""
    stack: list[_Owner] = list(reversed(statements))
    while stack:
        owner = stack.pop()
        for body in _bodies(owner):
            is_lone = len(body) == 1 and isinstance(body[0], ast.Pass)
            yield owner, body, body[0].lineno if is_lone else 0
            stack.extend(reversed(body))


def _drop_passes(body: list[Any], lines: Set[int]) -> None:
    """Remove every `pass` that was put in for a suite."""
    body[:] = [item for item in body if not (isinstance(item, ast.Pass) and item.lineno in lines)]


def _found_holes(statements: list[ast.stmt]) -> set[int]:
    return {line for _, _, line in _suites(statements)}
