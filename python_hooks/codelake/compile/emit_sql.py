"""IR -> the SQL of a model, as a person would write it.

    with

    ast_nodes as (

        select * from {{ ref('ast_nodes') }}

    ),

    receivers as (

        select
            call_id as src_node_id,
            node_id as dst_node_id
        from ast_nodes
        where call_id is not null

    )

    select * from receivers

Import CTEs first, then one CTE per step, columns explicit in the last. The same function writes
the plain SQL of a view (table names instead of refs), so that both are one select.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from sqlglot import exp

from codelake.semantic.expressions import WIDTH, layout, render
from codelake.semantic.functions import expand
from codelake.semantic.ir import (
    Aggregate,
    Branch,
    Dataset,
    Explode,
    Fan,
    Op,
    Pairs,
    Parameter,
    Project,
    Rank,
    Relate,
    Scan,
    Seed,
    Source,
    Union,
    inputs,
    sources,
    walk,
)
from codelake.semantic.steps import Known
from codelake.semantic.types import BIGINT, DOUBLE, STRING


@dataclass(frozen=True, slots=True)
class Style:
    """How SQL names what is outside it: datasets and parameters."""

    dataset: Callable[[str], str]
    parameter: Callable[[Parameter], str]


def _typed(parameter: Parameter, value: str) -> str:
    cast = parameter.type in (BIGINT, DOUBLE)
    return f"cast({value} as {parameter.type})" if cast else value


def _dbt_parameter(parameter: Parameter) -> str:
    value = f"var('{parameter.name}')"
    text = parameter.type == STRING
    return _typed(parameter, f"{{{{ sql_text({value}) }}}}" if text else f"{{{{ {value} }}}}")


def _default(parameter: Parameter) -> str:
    text = str(parameter.default)
    if parameter.type == STRING:
        return render(exp.Literal(this=text, is_string=True))
    return _typed(parameter, text.lower())


DBT = Style(lambda name: f"{{{{ ref('{name}') }}}}", _dbt_parameter)
"""A model: refs and vars."""
PLAIN = Style(lambda name: name, _default)
"""A view in a session: table names, and the defaults of parameters."""
_VAR = re.compile(r"\bvar\('(\w+)'\)")


def emit_sql(
    rows: Op,
    columns: tuple[str, ...],
    known: Known,
    style: Style = DBT,
) -> str:
    """Write the select of a dataset.

    Args:
        rows: the lowered rows.
        columns: the declared columns, in order.
        known: all datasets and parameters.
        style: how to name them.

    Returns:
        SQL without a header, ending in a line break.
    """
    if isinstance(rows, Scan):
        return _scan(rows, columns)
    emitter = _Emitter(known.datasets)
    last = emitter.names(rows)
    steps = [
        _cte(name, [f"    select * from {style.dataset(name)}"], None) for name in sources(rows)
    ]
    merged = emitter.merged(rows)
    written: set[str] = set()
    for op in walk(rows):
        if isinstance(op, Source) or op.name in merged or op.name in written:
            continue
        written.add(op.name)
        order = columns if op is rows and set(last) == set(columns) else None
        steps.append(_cte(op.name, emitter.body(op, order), getattr(op, "note", None)))
    sql = "with\n\n" + ",\n\n".join(steps) + f"\n\nselect * from {rows.name}\n"
    return _VAR.sub(lambda found: style.parameter(known.parameters[found[1]]), sql)


def _scan(op: Scan, columns: tuple[str, ...]) -> str:
    lines = [f"    {name}" for name in columns]
    reads = "".join(f"-- depends_on: {DBT.dataset(each.name)}\n" for each in op.reads)
    return f"{reads}select\n" + ",\n".join(lines) + f"\nfrom {{{{ {op.macro}() }}}}\n"


def _cte(name: str, body: list[str], note: str | None) -> str:
    head = [f"-- {note}"] if note else []
    return "\n".join([*head, f"{name} as (", "", *body, "", ")"])


class _Emitter:
    """Writes the body of each step of one dataset."""

    def __init__(self, known: dict[str, Dataset]) -> None:
        self.known = known

    def names(self, op: Op) -> tuple[str, ...]:
        """Return the column names of an operation, in order."""
        match op:
            case Source():
                return tuple(c.name for c in self.known[op.name].columns)
            case Scan() | Seed():
                return tuple(c.name for c in op.columns)
            case Explode():
                new = (op.position, op.element) if op.position else (op.element,)
                return (*self.names(op.input), *new)
            case Project():
                return tuple(name for name, _ in op.columns)
            case Relate():
                return (*self.names(op.left), *op.take)
            case Union():
                return self.names(op.inputs[0])
            case Aggregate():
                return (*op.by, *(name for name, _ in op.measures))
            case Rank():
                return (*self.names(op.input), op.column)
            case Fan():
                return op.order

    def merged(self, rows: Op) -> set[str]:
        """Return the explodes that are written inside the one step that reads them."""
        readers: dict[str, list[Op]] = {}
        for op in walk(rows):
            for below in inputs(op):
                readers.setdefault(below.name, []).append(op)
        return {
            op.name
            for op in walk(rows)
            if isinstance(op, Explode)
            and len(readers.get(op.name, ())) == 1
            and isinstance(readers[op.name][0], Project)
        }

    def body(self, op: Op, order: tuple[str, ...] | None) -> list[str]:
        """Write one step, its columns in the given order if there is one."""
        match op:
            case Project():
                values = dict(op.columns)
                chosen = tuple((name, values[name]) for name in order or values)
                lines = _select(chosen) + self._from(op.input)
                return lines + _where(op.where)
            case Explode():
                named = tuple((name, name) for name in order or self.names(op))
                return _select(named) + _lateral(op)
            case Union():
                return self._union(op, order or self.names(op))
            case Aggregate():
                return _aggregate(op, order)
            case Relate():
                return self._relate(op, order or self.names(op))
            case Rank():
                return _rank(op, order or self.names(op))
            case Fan():
                return _fan(op, order or op.order)
            case Source() | Scan() | Seed():
                raise TypeError(f"{op.name} is no step")

    def _from(self, op: Op) -> list[str]:
        return _lateral(op) if isinstance(op, Explode) else [f"    from {op.name}"]

    def _union(self, op: Union, names: tuple[str, ...]) -> list[str]:
        lines: list[str] = []
        for at, each in enumerate(op.inputs):
            if at:
                lines += ["", "    union all", ""]
            if self.names(each) == names and not isinstance(each, Source):
                lines.append(f"    select * from {each.name}")
            else:
                lines += [*_select(tuple((n, n) for n in names)), f"    from {each.name}"]
        return lines

    def _relate(self, op: Relate, names: tuple[str, ...]) -> list[str]:
        left, right = op.left.name, op.right.name
        chosen = tuple((n, f"{right if n in op.take else left}.{n}") for n in names)
        how = {"inner": "inner join", "left": "left join", "anti": "left anti join"}[op.how]
        lines = [*_select(chosen), f"    from {left}", f"    {how} {right}"]
        tests = [f"{left}.{one} = {right}.{other}" for one, other in op.on]
        if op.spans:
            tests += [f"{left}.bstart >= {right}.bstart", f"{left}.bend <= {right}.bend"]
        if len(tests) == 1:
            return [*lines, f"        on {tests[0]}"]
        lines += ["        on", f"            {tests[0]}"]
        return lines + [f"            and {test}" for test in tests[1:]]


def _select(columns: Pairs, indent: int = 4) -> list[str]:
    lines = [f"{' ' * indent}select"]
    for at, (name, text) in enumerate(columns):
        comma = "," if at < len(columns) - 1 else ""
        plain = expand(text)
        same = plain == name or (plain.endswith(f".{name}") and plain.count(" ") == 0)
        suffix = comma if same and "(" not in plain else f" as {name}{comma}"
        lines += layout(plain, indent + 4, suffix)
    if len(lines) == 2:  # one column on one line
        return [f"{lines[0]} {lines[1].strip()}"]
    return lines


def _where(condition: str | None, indent: int = 4, word: str = "where") -> list[str]:
    if condition is None:
        return []
    plain = expand(condition)
    one = f"{' ' * indent}{word} {plain}"
    if len(one) <= WIDTH:
        return [one]
    return [f"{' ' * indent}{word}", *layout(plain, indent + 4)]


def _lateral(op: Explode) -> list[str]:
    array = expand(op.array)
    if op.position:
        call = f"posexplode({array}) {op.name} as {op.position}, {op.element}"
    else:
        call = f"explode({array}) {op.name} as {op.element}"
    return [f"    from {op.input.name}", f"        lateral view {call}"]


def _aggregate(op: Aggregate, order: tuple[str, ...] | None) -> list[str]:
    values = {name: name for name in op.by} | dict(op.measures)
    chosen = tuple((name, values[name]) for name in order or values)
    lines = [*_select(chosen), f"    from {op.input.name}", "    group by"]
    lines += [f"        {name}{',' if name != op.by[-1] else ''}" for name in op.by]
    if len(op.by) == 1:
        lines[-2:] = [f"    group by {op.by[0]}"]
    return lines + _where(op.having, word="having")


def _rank(op: Rank, names: tuple[str, ...]) -> list[str]:
    lines = ["    select"]
    for at, name in enumerate(names):
        comma = "," if at < len(names) - 1 else ""
        if name != op.column:
            lines.append(f"        {name}{comma}")
            continue
        over = [f"partition by {', '.join(op.by)}", f"order by {', '.join(_directed(op.order))}"]
        lines.append("        row_number() over (")
        lines += [f"            {part}" for part in over]
        lines.append(f"        ) as {op.column}{comma}")
    return [*lines, f"    from {op.input.name}"]


def _directed(order: tuple[str, ...]) -> tuple[str, ...]:
    """Give every column its direction where one has."""
    if not any(each.endswith(" desc") for each in order):
        return order
    return tuple(each if each.endswith(" desc") else f"{each} asc" for each in order)


def _fan(op: Fan, order: tuple[str, ...]) -> list[str]:
    shared = dict(op.shared)
    chosen = tuple((name, shared.get(name, f"{op.element}.{name}")) for name in order)
    lines = [*_select(chosen), f"    from {op.input.name}"]
    lines.append("        lateral view explode(array(")
    for at, branch in enumerate(op.branches):
        comma = "," if at < len(op.branches) - 1 else ""
        lines += [f"            -- {branch.name}", *_branch(branch, comma)]
    lines.append(f"        )) branches as {op.element}")
    if any(branch.where for branch in op.branches):
        lines.append(f"    where {op.element} is not null")
    return lines


def _branch(branch: Branch, comma: str) -> list[str]:
    fields = ", ".join(f"{expand(text)} as {name}" for name, text in branch.columns)
    value = f"struct({fields})"
    if branch.where is None:
        return layout(value, 12, comma)
    return layout(f"case when {branch.where} then {value} end", 12, comma)
