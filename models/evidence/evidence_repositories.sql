-- Generated from python_hooks/codelake/semantic/catalog/repositories.py, digest 98ba8bc4.
-- Do not edit: run `codelake compile`.
select
    repo,
    repository_id,
    listed_by,
    scope,
    projects,
    distributions,
    problems,
    interfaces_digest
from {{ gathered_rows() }}
