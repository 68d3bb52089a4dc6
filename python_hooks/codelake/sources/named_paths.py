"""Named paths: options that go with a repository -> the path of each.

    named_paths("lock_file", ["web=../web/uv.lock", "base.lock"], ["web", "lib"], shared=True)
        -> {"web": "../web/uv.lock", "lib": "base.lock"}

`NAME=PATH` is for the repository of that name. A path alone is for all others that the build
names, or, where sharing makes no sense, for the only one.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from codelake.errors import CodelakeError


def named_paths(
    option: str, values: Sequence[str], names: Sequence[str], *, shared: bool
) -> dict[str, str]:
    """Return the path of each repository that has one.

    Args:
        option: what the paths are of, for messages.
        values: `PATH` or `NAME=PATH`, each.
        names: the repositories of this build.
        shared: whether a path alone may serve several repositories.
    """
    own: dict[str, str] = {}
    alone: list[str] = []
    for value in values:
        name, equals, path = value.partition("=")
        if equals and name in names:
            _once(option, own, name, path)
        elif equals and not Path(value).expanduser().exists():
            raise CodelakeError(
                "REPOSITORY_UNKNOWN",
                f"`{option}` names `{name}`, which is no repository of this build.",
                f"use {', '.join(names)}",
            )
        else:
            alone.append(value)
    rest = [name for name in names if name not in own]
    if len(alone) > 1 or (alone and len(rest) > 1 and not shared):
        raise CodelakeError(
            "REPOSITORY_UNCLEAR",
            f"`{option}` does not say which of {', '.join(rest or names)} a path is for.",
            f"write NAME={alone[0]}",
        )
    return own | {name: path for path in alone for name in rest}


def _once(option: str, own: dict[str, str], name: str, path: str) -> None:
    if name in own:
        raise CodelakeError(
            "REPOSITORY_UNCLEAR",
            f"`{option}` gives `{name}` two paths, `{own[name]}` and `{path}`.",
            "give one",
        )
    own[name] = path
