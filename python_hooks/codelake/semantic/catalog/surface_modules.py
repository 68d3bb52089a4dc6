"""Surface of modules: which module imports which, and cycles among them.

import_graph    one row per pair of modules
import_cycles   pairs that import each other, and rings of three
"""

from __future__ import annotations

from codelake.semantic.catalog.columns import columns
from codelake.semantic.ir import Aggregate, Dataset, Op, Project, Relate, Source, Union

_imports = Project(
    "imports_found",
    Source("resolved_links"),
    {"repo": "repo", "path": "path", "file_id": "file_id", "imported_id": "dst_node_id"},
    where="kind = 'IMPORTS'",
)
_targets = Project(
    "imported_things",
    Source("cpg_nodes"),
    {
        "imported_id": "node_id",
        "imported_file_id": "file_id",
        "outside_name": "qualified_name",
        "is_outside": "node_kind = 'EXTERNAL'",
    },
)


def _modules(name: str, file: str, module: str) -> Project:
    return Project(
        name,
        Source("cpg_nodes"),
        {file: "file_id", module: "qualified_name"},
        where="node_kind = 'MODULE'",
    )


_from_modules = Relate(
    "imports_of_modules",
    Relate(
        "imports_of_things",
        _imports,
        _targets,
        on=(("imported_id", "imported_id"),),
        take=("imported_file_id", "outside_name", "is_outside"),
    ),
    _modules("importers", "file_id", "importer"),
    on=(("file_id", "file_id"),),
    take=("importer",),
    many=True,
    note="a file is one module",
)
_between_modules = Relate(
    "imports_between_modules",
    _from_modules,
    _modules("imported_modules", "imported_file_id", "inside_name"),
    on=(("imported_file_id", "imported_file_id"),),
    how="left",
    take=("inside_name",),
    many=True,
)

import_graph = Dataset(
    "import_graph",
    layer="surface",
    description="Which module imports which, or what outside of all repositories.",
    grain="One row per file and imported module.",
    key=("repo", "path", "imported_name"),
    columns=columns("repo path importer imported_name is_outside import_count"),
    rows=Aggregate(
        "imports_counted",
        Project(
            "imports_named",
            _between_modules,
            {
                "repo": "repo",
                "path": "path",
                "importer": "coalesce(importer, '')",
                "imported_name": "coalesce(inside_name, outside_name, '')",
                "is_outside": "is_outside",
            },
        ),
        by=("repo", "path", "importer", "imported_name", "is_outside"),
        measures={"import_count": "count(*)"},
    ),
)


def _steps(name: str, first: str, second: str) -> Project:
    return Project(
        name,
        Source("import_graph"),
        {first: "importer", second: "imported_name"},
        where="not is_outside and importer <> imported_name",
    )


_pairs: Op = Relate(
    "pairs",
    _steps("imports_of_first", "first_module", "next_module"),
    _steps("imports_back", "next_module", "back_module"),
    on=(("next_module", "next_module"),),
    take=("back_module",),
    many=True,
)
_rings: Op = Relate(
    "rings",
    Relate(
        "paths_of_two",
        _steps("imports_of_ring", "first_module", "next_module"),
        _steps("imports_of_second", "next_module", "last_module"),
        on=(("next_module", "next_module"),),
        take=("last_module",),
        many=True,
    ),
    _steps("imports_of_last", "last_module", "back_module"),
    on=(("last_module", "last_module"),),
    take=("back_module",),
    many=True,
)

import_cycles = Dataset(
    "import_cycles",
    layer="surface",
    description="Modules that import each other: two at a time, or three in a ring.",
    grain="One row per cycle, beginning with the module that comes first by name.",
    key=("first_module", "next_module", "last_module"),
    columns=columns("first_module next_module last_module"),
    rows=Aggregate(
        "cycles_once",
        Union(
            "cycles",
            (
                Project(
                    "cycles_of_two",
                    _pairs,
                    {
                        "first_module": "first_module",
                        "next_module": "next_module",
                        "last_module": "next_module",
                    },
                    where="back_module = first_module and first_module < next_module",
                ),
                Project(
                    "cycles_of_three",
                    _rings,
                    {
                        "first_module": "first_module",
                        "next_module": "next_module",
                        "last_module": "last_module",
                    },
                    where="back_module = first_module and first_module < next_module "
                    "and first_module < last_module and next_module <> last_module",
                ),
            ),
        ),
        by=("first_module", "next_module", "last_module"),
    ),
)

DATASETS: tuple[Dataset, ...] = (import_graph, import_cycles)
