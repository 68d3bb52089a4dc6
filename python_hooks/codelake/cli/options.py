"""Flags that several commands share, each with its environment variable and default."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

Decorated = Callable[..., Any]


def lake_option(command: Decorated) -> Decorated:
    """Add --lake."""
    return click.option(
        "--lake",
        envvar="CODELAKE_LAKE",
        default="lake",
        show_default=True,
        show_envvar=True,
        type=click.Path(file_okay=False),
        help="Folder of the lake.",
    )(command)


def target_option(command: Decorated) -> Decorated:
    """Add --target."""
    return click.option(
        "--target",
        envvar="CODELAKE_TARGET",
        default="dev",
        show_default=True,
        show_envvar=True,
        help="Target of profiles.yml: dev, warm or cluster.",
    )(command)


def format_option(command: Decorated) -> Decorated:
    """Add --format."""
    return click.option(
        "--format",
        "output_format",
        type=click.Choice(["table", "json"]),
        default="table",
        show_default=True,
        help="How to print the result.",
    )(command)
