"""Repositories: a row for each as a whole, and what its files take from elsewhere.

scope_manifest              what a scan includes and leaves out, with the reason
python_projects             what project files declare
python_distributions        what an environment, a lock file or a project names
python_external_interfaces  where imported names come from that are not the repository's own

Both tables are small, and the driver writes them (run/gather.py).
"""

from __future__ import annotations

from codelake.semantic.catalog.files import gathered
from codelake.semantic.catalog.nested import nested_view
from codelake.semantic.ir import Dataset, Source

_TABLE = "evidence_repositories"
_OF = {"repo": "repo", "repository_id": "repository_id"}

evidence_repositories = gathered(
    _TABLE,
    "repositories",
    description="What was looked at in each repository, and what it says of itself.",
    grain="One row per repository.",
    key=("repo",),
)

scope_manifest = nested_view(
    "scope_manifest",
    "scope",
    table=_TABLE,
    of=_OF,
    element="entry",
    description="What a scan includes and leaves out, with the reason.",
    grain="One row per Python file, folder that was not followed, and suffix of other files.",
    key=("repo", "listed_path", "kind"),
    with_columns={"listed_by": "listed_by"},
    shape="listed_by listed_path=path kind:scope_entry_kind is_included reason=reason? "
    "detail=detail? files=files?",
    values={"listed_by": "listed_by"},
)

python_projects = nested_view(
    "python_projects",
    "projects",
    table=_TABLE,
    of=_OF,
    element="project",
    description="What pyproject.toml, setup.py and setup.cfg declare, read as text.",
    grain="One row per folder that declares a project or has a problem.",
    key=("repo", "folder"),
    with_columns={},
    shape="folder is_project name:project_name? version? requires_python? lowest_python? "
    "dependencies dependency_names dependency_groups packages roots root_prefixes undetermined "
    "problems",
    values={
        "dependencies": "project.dependencies.requirement",
        "dependency_names": "project.dependencies.name",
        "dependency_groups": "project.dependencies.group",
        "roots": "project.roots.folder",
        "root_prefixes": "project.roots.prefix",
    },
)

python_distributions = nested_view(
    "python_distributions",
    "distributions",
    table=_TABLE,
    of=_OF,
    element="distribution",
    description="Distributions that an environment, a lock file or a project names.",
    grain="One row per source, name and version.",
    key=("repo", "source", "name", "version"),
    with_columns={},
    shape="source name:distribution_name version? modules",
    values={},
)

python_external_interfaces = gathered(
    "python_external_interfaces",
    "interfaces",
    description="Where imported names come from that are not modules of the repository.",
    grain="One row per repository, absolute name and candidate.",
    key=("repo", "name", "rank"),
    reads=(Source("evidence"), Source(_TABLE)),
    meanings={"name": "external_name"},
)

DATASETS: tuple[Dataset, ...] = (
    evidence_repositories,
    scope_manifest,
    python_projects,
    python_distributions,
    python_external_interfaces,
)
