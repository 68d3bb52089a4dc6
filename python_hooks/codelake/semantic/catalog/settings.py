"""Settings: the dbt vars of a build, each with its type, default and meaning.

`dbt_project.yml` gives the same defaults, and a test compares the two. An unknown name or a value
of another type stops a command before Spark starts (run/settings.py).
"""

from __future__ import annotations

from codelake.semantic.ir import Parameter
from codelake.semantic.types import BIGINT, BOOLEAN, STRING, ArrayOf, MapOf

_TEXTS = ArrayOf(STRING)

PARAMETERS: tuple[Parameter, ...] = (
    Parameter("repos", _TEXTS, (), "Folders to read, each `path` or `name=path`."),
    Parameter("include", _TEXTS, ("*.py", "*.pyi", "*.pyw"), "Globs of the files to read."),
    Parameter("exclude", _TEXTS, (), "Globs of files to leave out."),
    Parameter("only", _TEXTS, (), "Narrows one build: rows of other files stay as they are."),
    Parameter("max_file_bytes", BIGINT, 5_000_000, "Larger files are listed as skipped."),
    Parameter(
        "layers",
        _TEXTS,
        ("names", "flow", "calls"),
        "Layers of the graph beyond syntax: names, flow, calls, dominators.",
    ),
    Parameter("extractors", _TEXTS, (), "Evidence beyond what the graph needs: bytecode, cst."),
    Parameter("environment", _TEXTS, (), "Virtual environments, each `path` or `name=path`."),
    Parameter("lock_file", _TEXTS, (), "Lock files, each `path` or `name=path`."),
    Parameter("scip", _TEXTS, (), "SCIP indexes, each `name=path` of a repository."),
    Parameter(
        "build_profile",
        STRING,
        "default",
        "`full` keeps py_bc_* as tables, `accelerators` cpg_edges_by_* and cpg_props_map.",
        choices=("default", "full", "accelerators"),
    ),
    Parameter(
        "schema_policy",
        STRING,
        "overwrite",
        "What becomes of a table that was made with another contract.",
        choices=("overwrite", "merge", "strict"),
    ),
    Parameter("write_policy", MapOf(STRING, STRING), {}, "Overrides the layout, by table."),
    Parameter("digests", BOOLEAN, True, "Whether the manifest has a digest of each table."),
    Parameter("compliance", BOOLEAN, False, "Whether a run has a compliance pack."),
    Parameter("id_salt", BIGINT, 0, "Re-rolls every id of a lake, should two ever collide."),
)
