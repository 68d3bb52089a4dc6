-- Generated from python_hooks/codelake/semantic/catalog/repositories.py, digest 93a72c5e.
-- Do not edit: run `codelake compile`.
-- depends_on: {{ ref('evidence') }}
-- depends_on: {{ ref('evidence_repositories') }}
select
    repo,
    repository_id,
    name,
    status,
    dist_name,
    dist_version,
    how,
    python_version,
    rank
from {{ gathered_rows() }}
