"""Random programs: what a run sees is reported, whatever the control flow."""

from __future__ import annotations

import random

import pytest

from flows import analyse
from test_data_flow import describe
from traced import Traced

NAMES = ("a", "b", "c")
PROGRAMS = 40
RUNS = 15


class Writer:
    """Writes a program that ends soon, whatever its conditions say."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.lines: list[str] = []
        self.functions = 0

    def write(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def name(self) -> str:
        return self.random.choice(NAMES)

    def value(self) -> str:
        name, other = self.name(), self.name()
        return self.random.choice(
            [
                *("1", f"u({name})", f"u({name}, {other})", f"({name} := 2)", "maybe()"),
                *(f"[{name} for {name} in (1, 2)]", f"[{other} for {name} in u(3, {other})]"),
                *(f"({name} if maybe() else {other})", f"(maybe() and {name})"),
                *(f"sum({name} for _ in (1,))", f"later(lambda: {name})", f"({name}, {other})"),
                *(f"later(lambda {name}: {name} or {other}, 1)", f"[{name} := i for i in (1, 2)]"),
                f"next(({name} for _ in (1,)))",
            ]
        )

    def block(self, depth: int, size: int, loop: bool, owners: tuple[str, ...]) -> None:
        for _ in range(self.random.randint(1, size)):
            self.statement(depth, size - 1, loop, owners)

    def statement(self, depth: int, size: int, loop: bool, owners: tuple[str, ...]) -> None:
        pick, name, value = self.random.random(), self.name(), self.value()
        simple = size <= 0 or depth > 6
        if pick < 0.30 or simple:
            self.simple(depth, name, value, loop, owners)
        elif pick < 0.42:
            self.write(depth, f"if {value}:")
            self.block(depth + 1, size, loop, owners)
            if self.random.random() < 0.6:
                self.write(depth, "else:")
                self.block(depth + 1, size, loop, owners)
        elif pick < 0.54:
            head = [
                f"for {name} in (1, 2):",
                "while maybe():",
                f"for {name}, _ in ((1, 2), (3, 4)):",
            ]
            self.write(depth, self.random.choice(head))
            self.write(depth + 1, "tick()")
            self.block(depth + 1, size, True, owners)
            if self.random.random() < 0.3:
                self.write(depth, "else:")
                self.block(depth + 1, size, loop, owners)
        elif pick < 0.70:
            self.write(depth, "try:")
            self.block(depth + 1, size, loop, owners)
            kind = self.random.randint(0, 2)
            if kind != 1:
                self.write(depth, f"except {self.random.choice(['Odd', 'Exception'])} as {name}:")
                self.block(depth + 1, size, loop, owners)
                if self.random.random() < 0.3:
                    self.write(depth, "else:")
                    self.block(depth + 1, size, loop, owners)
            if kind:
                self.write(depth, "finally:")
                self.block(depth + 1, size, False, owners)
        elif pick < 0.76:
            self.write(depth, f"with manager({value}) as {name}:")
            self.block(depth + 1, size, loop, owners)
        elif pick < 0.82:
            self.write(depth, f"match {value}:")
            self.write(depth + 1, f"case [{name}, *_] if {self.value()}:")
            self.block(depth + 2, size, loop, owners)
            self.write(depth + 1, f"case {self.name()}:")
            self.block(depth + 2, size, loop, owners)
        elif pick < 0.88:
            self.write(depth, f"class {name}:")
            self.block(depth + 1, size, False, ())
        else:
            self.function(depth, size, owners)

    def simple(
        self, depth: int, name: str, value: str, loop: bool, owners: tuple[str, ...]
    ) -> None:
        choices = [
            *(f"{name} = {value}", f"{name} = {value}", f"{name} += u({self.name()}) and 1"),
            *(f"u({name})", f"u({name})", f"{name}, {self.name()} = {value}, 1", "run_later()"),
            *("if maybe(): raise Odd", f"import types as {name}", "run_later()"),
            f"if u(0) == 2: del {name}" if self.random.random() < 0.8 else f"del {name}",
        ]
        choices += ["if maybe(): break", "if maybe(): continue"] if loop else []
        if owners:
            choices += [f"if maybe(): return {value}"]
            choices += [f"yield {value}"] if owners[0] == "generator" else []
        self.write(depth, self.random.choice(choices))

    def function(self, depth: int, size: int, owners: tuple[str, ...]) -> None:
        self.functions += 1
        function = f"f{self.functions}"
        kind = self.random.choice(["plain", "plain", "generator"])
        parameter = self.name() if self.random.random() < 0.4 else "p"
        if self.random.random() < 0.2:
            self.write(depth, "@later")
        self.write(depth, f"def {function}({parameter}=0):")
        others = [name for name in NAMES if name != parameter]
        declared = self.random.choice(others)
        outer = [names for names in owners[1:] if declared in names.split()]
        if self.random.random() < 0.5:
            self.write(depth + 1, f"nonlocal {declared}" if outer else f"global {declared}")
        bound = [name for name in others if name != declared]
        for name in bound:  # so that `nonlocal` inside has an owner
            self.write(
                depth + 1,
                f"{name} = 0" if self.random.random() < 0.8 else f"if maybe(): {name} = 0",
            )
        self.write(depth + 1, "tick()")
        if kind == "generator":
            self.write(depth + 1, "yield")
        self.block(depth + 1, size, False, (kind, " ".join([parameter, *bound]), *owners[1:]))
        self.write(depth, f"later({function})")
        if self.random.random() < 0.5:
            self.write(depth, f"later({function})()" if kind == "plain" else f"list({function}())")


class Odd(Exception):
    pass


class Stop(BaseException):
    pass


def world(seed: int) -> dict[str, object]:
    """Return the functions that programs use: chance, delayed calls, and an end."""
    chance = random.Random(seed)
    waiting: list[object] = []
    ticks = [0]

    def tick() -> None:
        ticks[0] += 1
        if ticks[0] > 60:
            raise Stop

    def run_later() -> None:
        tick()
        if waiting:
            call = chance.choice(waiting)
            found = call()  # type: ignore[operator]
            if hasattr(found, "__next__"):
                waiting.append(found.__next__)

    def used(*values: object) -> int:
        if chance.random() < 0.05:
            raise Odd
        if chance.random() < 0.3:
            run_later()
        return values[0] if isinstance(values[0], int) and chance.random() < 0.9 else 2

    def later(call: object, *args: object) -> object:
        waiting.append((lambda: call(*args)) if args else call)  # type: ignore[operator]
        return call

    class Manager:
        def __init__(self, value: object) -> None:
            self.value = value

        def __enter__(self) -> object:
            if chance.random() < 0.3:
                run_later()
            return self.value

        def __exit__(self, kind: type | None, *_: object) -> bool:
            return kind is not None and issubclass(kind, Exception) and chance.random() < 0.5

    def maybe() -> bool:
        return chance.random() < 0.5

    return {
        **{"tick": tick, "run_later": run_later, "u": used, "later": later},
        **{"manager": Manager, "maybe": maybe, "Odd": Odd},
    }


def check(seed: int) -> int:
    writer = Writer(seed)
    writer.write(0, "a = b = c = 0")
    for _ in range(4):
        writer.block(0, 4, False, ())
    source = "\n".join(writer.lines) + "\n"
    try:
        compile(source, "m", "exec")
    except SyntaxError:
        return 0
    found = analyse(source)
    pairs = {(row[0], row[1]) for row in found.rows}
    traced = Traced(found.tree, found.table)
    for number in range(RUNS):
        space = traced.namespace(**world(seed * 10 + number))
        try:
            exec(traced.code, space)
            for _ in range(5):
                space["run_later"]()
        except (Exception, Stop):
            pass
    missed = [
        describe(found, numbers[0], use)
        for use, numbers in sorted(traced.recorder.names)
        if not any((number, use) in pairs for number in numbers)
    ]
    assert missed == [], f"seed {seed}\n{source}"
    return len(traced.recorder.names)


def test_runs_of_random_programs() -> None:
    assert sum(check(seed) for seed in range(PROGRAMS)) > 10 * PROGRAMS


@pytest.mark.prove
def test_runs_of_many_random_programs() -> None:
    assert sum(check(seed) for seed in range(PROGRAMS, 50 * PROGRAMS)) > 400 * PROGRAMS
