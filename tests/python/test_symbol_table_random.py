"""Symbol table evidence on random programs: few names, many scopes, every oracle of the compiler.

The programs are never executed; those that CPython refuses only have to be refused as well.
"""

from __future__ import annotations

import random
import sys
from collections import Counter

import pytest

from codelake.extract.symbols.scopes import HEADER_IS_PRIVATE
from conftest import Figures
from test_symbol_table_oracle import check_file

NAMES = ["a", "b", "c", "__p", "__class__", "super"]
GENERIC = ["", "", "[a]", "[b: a]", "[c: (a, b), *__p]", "[a: [b for c in a]]"]
if sys.version_info >= (3, 13):
    GENERIC += ["[a = b]", "[b: a = lambda: c, **__p = a]"]


class Program:
    """Writes one random program."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.future = self.random.random() < 0.1

    def text(self) -> str:
        head = "from __future__ import annotations\n" if self.future else ""
        return head + self.block(0, 4)

    def name(self) -> str:
        return self.random.choices(NAMES, [6, 6, 6, 3, 1, 1])[0]

    def expression(self, depth: int) -> str:
        if depth <= 0:
            return self.name()
        inner = depth - 1
        kind = self.random.randrange(12)
        one, two = self.expression(inner), self.expression(inner)
        if kind < 3:
            return self.name()
        if kind < 5:
            return f"(lambda {self.name()}={one}: {two})"
        if kind == 5:
            return f"({self.name()} := {one})"
        if kind == 6:
            return f"super().a({one})"
        clauses = f"for {self.name()} in {two}"
        if self.random.random() < 0.3:
            clauses += f" for {self.name()} in {self.expression(inner)}"
        if self.random.random() < 0.3:
            clauses += f" if {self.expression(inner)}"
        left, right = {7: "[]", 8: "{}", 9: "()"}.get(kind, "[]")
        return (
            f"{left}{one} {clauses}{right}" if kind != 11 else f"{{{self.name()}: {one} {clauses}}}"
        )

    def block(self, indent: int, depth: int) -> str:
        count = self.random.randint(1, 4)
        return "".join(self.statement(indent, depth) for _ in range(count))

    def statement(self, indent: int, depth: int) -> str:
        pad, name, value = " " * indent, self.name(), self.expression(2)
        kind = self.random.randrange(16)
        if depth > 0 and kind < 7:
            body = self.block(indent + 1, depth - 1)
            generic = self.random.choice(GENERIC)
            if kind < 4:
                note = f": {self.expression(1)}" if self.random.random() < 0.3 else ""
                decorator = f"{pad}@{value}\n" if self.random.random() < 0.2 else ""
                header = f"def {name}{generic}({self.name()}{note}={self.expression(1)})"
                return f"{decorator}{pad}{header} -> {self.expression(1)}:\n{body}"
            if kind < 6:
                return f"{pad}class {name}{generic}({value}):\n{body}"
            return f"{pad}try: {value}\n{pad}except a as {name}:\n{body}{pad}finally: {value}\n"
        simple = {
            7: f"global {name}",
            8: f"nonlocal {name}",
            9: f"del {name}",
            10: f"{name}: {self.expression(1)} = {value}",
            11: f"type {name}{self.random.choice(GENERIC)} = {value}",
            12: f"import {name}.b, c as {self.name()}",
            13: f"for {name} in {value}: {self.expression(1)}",
            14: f"{name} += {value}",
        }
        return f"{pad}{simple.get(kind, f'{name} = {value}')}\n"


pytestmark = pytest.mark.skipif(
    HEADER_IS_PRIVATE,
    reason="early 3.12 goes on mangling behind a generic class: a fault of that Python",
)


def check_programs(seeds: range) -> Counter[str]:
    total: Counter[str] = Counter()
    for seed in seeds:
        text = Program(seed).text()
        try:
            total += check_file(text.encode(), f"seed {seed}")
        except BaseException:
            print(f"seed {seed}:\n{text}")
            raise
    return total


def test_random_programs() -> None:
    total = check_programs(range(250))
    assert total["files"] > 40


@pytest.mark.prove
def test_many_random_programs(figures: Figures) -> None:
    total = check_programs(range(1000, 7000))
    figures(str(dict(total)))
    assert total["files"] > 1000
