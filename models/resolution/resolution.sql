-- Generated from python_hooks/codelake/semantic/catalog/resolution.py, digest 6eed0fa9.
-- Do not edit: run `codelake compile`.
-- depends_on: {{ ref('evidence') }}
select
    repo,
    path,
    file_id,
    resolution_digest,
    resolution_error,
    links,
    unresolved,
    externals,
    fields
from {{ scanned_files() }}
