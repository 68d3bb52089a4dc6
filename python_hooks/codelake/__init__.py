"""codelake: Python repositories as a Code Property Graph in Delta tables.

The folders are the pipeline, in the order data flows:

    sources/    which bytes: repository scan, decoding, change plan
    extract/    bytes -> facts, one module per source of knowledge
    evidence/   what Python and SQL share: rows, ids, spans
    semantic/   what relates to what: the catalogue and its vocabulary
    compile/    catalogue -> dbt models
    run/        the Spark session, the dbt adapter, builds and their record
    cli/        the command `codelake`

`codelake.build` is the whole of it as one call.
"""

from __future__ import annotations

__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    """Load the public API on first use, so that Spark workers import only what they need."""
    if name in ("build", "RunResult"):
        from codelake.run import build as module

        return getattr(module, name)
    raise AttributeError(f"module 'codelake' has no attribute {name!r}")
