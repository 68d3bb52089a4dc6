"""The plan of a build, for people: what is made, in which order, how and why.

    make_plan(program, ("cpg_edges",))   only what that output needs, in build order

Everything comes from the compiled program: no lake is read and no Spark is started.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from codelake.compile.program import Dataset, Decision, Join, Parameter, Program
from codelake.errors import CodelakeError


class Step(msgspec.Struct, frozen=True):
    """One dataset of a plan."""

    name: str
    layer: str
    kept_as: str
    why: str
    row_count: int
    reads: tuple[str, ...]
    key: tuple[str, ...]
    key_is_derived: bool
    joins: tuple[Join, ...]
    stats: dict[str, str]
    zorder: dict[str, str]
    bloom: dict[str, str]
    fingerprint: str


class Plan(msgspec.Struct, frozen=True):
    """What a build of some outputs makes, in order, and what it needs for it.

    `unread` are the views that no output reads, and that are there for people only.
    """

    program_hash: str
    outputs: tuple[str, ...]
    evidence: tuple[str, ...]
    extractors: tuple[str, ...]
    functions: tuple[str, ...]
    parameters: tuple[Parameter, ...]
    steps: tuple[Step, ...]
    unread: tuple[str, ...]


def make_plan(program: Program, outputs: Sequence[str] = ()) -> Plan:
    """Return the plan of some outputs; of all when none is named.

    Raises:
        CodelakeError: OUTPUT_UNKNOWN, with the outputs there are.
    """
    known = {each.name: each for each in program.datasets}
    if unknown := sorted(set(outputs) - known.keys()):
        message = f"there is no dataset {', '.join(f'`{name}`' for name in unknown)}."
        raise CodelakeError("OUTPUT_UNKNOWN", message, f"use {', '.join(program.outputs)}")
    wanted = tuple(outputs) or program.outputs
    needed = _needed(known, wanted)
    decisions = {each.dataset: each for each in program.decisions}
    chosen = [each for each in program.datasets if each.name in needed]
    extracted = [each for each in chosen if each.write and each.write.strategy == "extract"]
    return Plan(
        program_hash=program.program_hash,
        outputs=wanted,
        evidence=tuple(each.name for each in extracted),
        extractors=_gathered(decisions[name].extractors for name in wanted),
        functions=_gathered(decisions[each.name].functions for each in chosen),
        parameters=program.parameters,
        steps=tuple(_step(each, decisions[each.name], program) for each in chosen),
        unread=() if outputs else tuple(name for name in known if name not in needed),
    )


def _needed(known: dict[str, Dataset], outputs: Sequence[str]) -> set[str]:
    found: set[str] = set()
    waiting = list(outputs)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += known[name].refs
    return found


def _gathered(groups: Iterable[Iterable[str]]) -> tuple[str, ...]:
    return tuple(sorted({each for group in groups for each in group}))


def _step(dataset: Dataset, decision: Decision, program: Program) -> Step:
    kept = {"view": "view", "seed": "seed", "delta_table": "table"}[dataset.materialization]
    if dataset.write and dataset.write.profile:
        kept = f"view; table in {dataset.write.profile}"
    return Step(
        name=dataset.name,
        layer=dataset.layer,
        kept_as=kept,
        why=decision.reason,
        row_count=decision.row_count,
        reads=dataset.refs,
        key=dataset.key,
        key_is_derived=decision.key_is_derived,
        joins=tuple(each for each in program.joins if each.dataset == dataset.name),
        stats=decision.stats,
        zorder=decision.zorder,
        bloom=decision.bloom,
        fingerprint=dataset.fingerprint,
    )


def print_plan(plan: Plan) -> str:
    """Return a plan as text."""
    lines = [
        f"outputs     {', '.join(plan.outputs)}",
        f"evidence    {', '.join(plan.evidence)}",
        f"extractors  {', '.join(plan.extractors)}",
        f"functions   {', '.join(plan.functions)}",
        f"program     {plan.program_hash[:16]}",
        "",
    ]
    for at, step in enumerate(plan.steps, 1):
        lines.append(f"{at:>3}  {step.name}  {step.kept_as}: {step.why}")
        if step.row_count:
            lines.append(f"     rows about {step.row_count:,}")
        if step.reads:
            lines.append(f"     reads {', '.join(step.reads)}")
        for join in step.joins:
            on = " and ".join(f"{left} = {right}" for left, right in join.on)
            rows = ", several rows for one" if join.many else ""
            lines.append(f"     joins {join.right} on {on}: {join.strategy}{rows}")
        for word, chosen in (("stats", step.stats), ("zorder", step.zorder), ("bloom", step.bloom)):
            if chosen:
                lines.append(f"     {word} {', '.join(chosen)}")
    if plan.unread:
        lines += ["", f"read by no output: {', '.join(plan.unread)}"]
    return "\n".join(lines) + "\n"
