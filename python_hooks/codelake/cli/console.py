"""What a person sees: result tables, JSON for programs, a progress bar from dbt's events."""

from __future__ import annotations

import base64
import json
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

_UNBROKEN = 100_000
"""Columns where nobody looks: a row is one line for `grep` and the like."""


def print_rows(columns: Sequence[str], rows: Iterable[Sequence[Any]], output_format: str) -> None:
    """Print a query's rows as a table, or as JSON: a list of objects."""
    if output_format == "json":
        listed = [dict(zip(columns, row, strict=True)) for row in rows]
        json.dump(listed, sys.stdout, default=_plain, indent=2, ensure_ascii=False)
        print()
        return
    table = Table(box=None, header_style="bold", pad_edge=False)
    for column in columns:
        table.add_column(column, overflow="fold")
    count = 0
    for row in rows:
        table.add_row(*(_cell(value) for value in row))
        count += 1
    console = Console(highlight=False, markup=False)
    if not console.is_terminal and "COLUMNS" not in os.environ:
        console.width = _UNBROKEN
    console.print(table)
    console.print(f"({count} {'row' if count == 1 else 'rows'})")


@contextmanager
def progress() -> Iterator[Any]:
    """Yield a callback for dbt's events that moves a progress bar on stderr."""
    console = Console(stderr=True, highlight=False)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    quiet = not console.is_terminal
    with Progress(*columns, console=console, transient=True, disable=quiet) as bar:
        task = bar.add_task("reading the project, starting Spark", total=None)
        yield _Listener(bar, task)


class _Listener:
    """Follows the nodes of one dbt run."""

    def __init__(self, bar: Progress, task: Any) -> None:
        self._bar, self._task = bar, task
        self._running: list[str] = []

    def __call__(self, event: Any) -> None:
        name, data = event.info.name, event.data
        if name in ("LogStartLine", "LogTestStart") or hasattr(data, "total"):
            total = getattr(data, "total", 0)
            if total:
                self._bar.update(self._task, total=total)
        if name == "NodeStart":
            self._running.append(data.node_info.node_name)
            self._bar.update(self._task, description=self._running[-1])
        elif name == "NodeFinished":
            if data.node_info.node_name in self._running:
                self._running.remove(data.node_info.node_name)
            self._bar.advance(self._task)
            if self._running:
                self._bar.update(self._task, description=self._running[-1])


def _cell(value: Any) -> str:
    return "" if value is None else str(_plain(value)) if not isinstance(value, str) else value


def _plain(value: Any) -> Any:
    """Return a value of Spark as something that JSON knows."""
    if hasattr(value, "asDict"):
        return value.asDict(recursive=True)
    if isinstance(value, bytes | bytearray):
        return base64.b64encode(value).decode()
    if isinstance(value, int | float | bool | list | dict) or value is None:
        return value
    return str(value)
