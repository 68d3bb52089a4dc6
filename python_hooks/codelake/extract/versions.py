"""What the rows of a file were made with: a digest per part of the evidence.

    extractor_digest("source")  ->  "5f0c..."; another one and the file is read again

This module imports no extractor: whoever plans a build compares digests and reads no file.
"""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Collection
from importlib import metadata

PYTHON_VERSION = ".".join(platform.python_version_tuple()[:2])
EXTRACTOR_VERSIONS = {
    "source": {
        "ast": 1,
        "decode": 2,
        "facts": 3,
        "flow": 2,
        "ids": 1,
        "modules": 1,
        "symtable": 1,
        "tokens": 2,
        "tree_sitter": 2,
    },
    "bytecode": {"ast": 1, "bytecode": 1, "decode": 2, "ids": 1},
    "cst": {"cst": 1, "decode": 2, "ids": 1, "modules": 1},
    "scip": {"decode": 1, "ids": 1, "scip": 1},
}
"""To be raised when the output of an extractor changes: files are then read again."""

TOOLS = {
    "source": ("tree-sitter", "tree-sitter-python"),
    "bytecode": (),
    "cst": ("libcst",),
    "scip": (),
}
"""Distributions whose version may change what is seen."""


LAYERS = ("names", "flow", "calls")
"""Layers of the graph beyond syntax: symbol tables, control and data flow, facts to resolve."""

ALL_LAYERS = (*LAYERS, "dominators")
"""With those that only a build that asks for them makes."""


def extractor_digest(part: str, layers: Collection[str] = LAYERS) -> str:
    """Return what the rows of a part are made with now, for the layers that are asked for."""
    digest = EXTRACTOR_DIGESTS[part]
    asked = tuple(layer for layer in ALL_LAYERS if layer in layers)
    if part != "source" or asked == LAYERS:
        return digest
    return "-".join((digest, "syntax", *asked))


def layers_of(digest: str) -> frozenset[str]:
    """Return the layers that a file's digest tells of: what extractor_digest was asked for."""
    made, _, _ = digest.partition("+")  # what follows is the layout of its folder
    _, marked, asked = made.partition("-syntax")
    return frozenset(asked.split("-") if marked else LAYERS) & frozenset(ALL_LAYERS)


def _digest(part: str) -> str:
    versions = sorted(EXTRACTOR_VERSIONS[part].items())
    tools = [(name, _version(name)) for name in TOOLS[part]]
    return hashlib.sha256(repr((PYTHON_VERSION, versions, tools)).encode()).hexdigest()[:16]


def _version(distribution: str) -> str | None:
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return None


EXTRACTOR_DIGESTS = {part: _digest(part) for part in EXTRACTOR_VERSIONS}
"""What the rows of each part are made with now, all layers of it."""
